//! Finds a text: in one value, or in all rows of a column by sweeping its arena once.
//!
//! The sweep looks for the few characters of the text that are rarest in logs, in all their cases at once;
//! only where they stand are the rest and the word boundaries compared.

use super::ast::{Near, Part, Pattern};
use super::glob::{Edge, Glob};
use super::near::Sequence;
use crate::column::TextColumn;
use crate::selection::Selection;
use crate::word;
use memchr::memmem;
use regex::bytes::Regex;
use std::ops::Range;
use std::sync::Arc;

/// Below one selected row in this many, rows are looked at one by one instead of sweeping all.
const SWEEP_SHARE: usize = 16;
/// Most spellings of the characters that a sweep looks for.
const SPELLINGS_MAX: usize = 8;

/// What a text must hold.
#[derive(Clone, Debug)]
pub(super) enum TextMatcher {
    /// Exactly these characters.
    Literal(Finder),
    /// A pattern with wildcards, and characters that every fit holds.
    Glob(Option<Finder>, Glob),
    /// Words near each other, and one of them.
    Near(Finder, Sequence),
    /// A match of this expression, and bytes that every match holds.
    Regex(Regex, Option<Arc<memmem::Finder<'static>>>),
}

impl TextMatcher {
    pub(super) fn pattern(pattern: &Pattern) -> TextMatcher {
        let sensitive = pattern.is_case_sensitive();
        match pattern.parts() {
            [Part::Text(text)] => TextMatcher::Literal(Finder::new(text, sensitive, Edge::Word, Edge::Word)),
            [Part::Text(text), Part::Run] => {
                TextMatcher::Literal(Finder::new(text, sensitive, Edge::Word, Edge::Free))
            }
            [Part::Run, Part::Text(text)] => {
                TextMatcher::Literal(Finder::new(text, sensitive, Edge::Free, Edge::Word))
            }
            [Part::Run, Part::Text(text), Part::Run] => {
                TextMatcher::Literal(Finder::new(text, sensitive, Edge::Free, Edge::Free))
            }
            parts => {
                let longest = parts.iter().filter_map(|part| match part {
                    Part::Text(text) => Some(text),
                    Part::Run | Part::One => None,
                });
                let finder = longest
                    .max_by_key(|text| text.len())
                    .map(|text| Finder::new(text, sensitive, Edge::Free, Edge::Free));
                TextMatcher::Glob(finder, Glob::within(pattern))
            }
        }
    }

    pub(super) fn near(near: &Near) -> TextMatcher {
        let last = near.words().len() - 1;
        let longest = near.words().iter().enumerate().max_by_key(|(_, word)| word.len());
        let (at, word) = longest.expect("there are two words or more");
        let end = if near.goes_on() && at == last { Edge::Free } else { Edge::Word };
        let finder = Finder::new(word, near.is_case_sensitive(), Edge::Word, end);
        TextMatcher::Near(finder, Sequence::new(near))
    }

    pub(super) fn regex(regex: &super::Regex) -> TextMatcher {
        TextMatcher::Regex(regex.compiled().clone(), regex.literal().cloned())
    }

    /// A rank: long texts are rare and quickly passed over, wildcards and expressions take longer.
    pub(super) fn cost(&self) -> usize {
        match self {
            TextMatcher::Literal(finder) => 10 - (finder.before.len() + finder.after.len()).min(8),
            TextMatcher::Near(..) => 15,
            TextMatcher::Glob(..) => 20,
            TextMatcher::Regex(..) => 40,
        }
    }

    pub(super) fn is_match(&self, text: &[u8]) -> bool {
        match self {
            TextMatcher::Literal(finder) => finder.find(text, 0, 0..text.len()).is_some(),
            TextMatcher::Glob(finder, glob) => {
                let possible = |finder: &Finder| finder.find(text, 0, 0..text.len()).is_some();
                finder.as_ref().is_none_or(possible) && glob.is_match(text)
            }
            TextMatcher::Near(finder, sequence) => {
                finder.find(text, 0, 0..text.len()).is_some() && sequence.is_match(text)
            }
            TextMatcher::Regex(regex, _) => regex.is_match(text),
        }
    }

    /// The rows of `within` whose text matches. An empty text does not.
    pub(super) fn select(&self, column: &TextColumn, within: &Selection) -> Selection {
        let worth_a_sweep = within.rows() <= within.count().saturating_mul(SWEEP_SHARE);
        match self {
            TextMatcher::Literal(finder) if worth_a_sweep => finder.sweep(column, within, |_| true),
            TextMatcher::Glob(Some(finder), glob) if worth_a_sweep => {
                finder.sweep(column, within, |text| glob.is_match(text))
            }
            TextMatcher::Near(finder, sequence) if worth_a_sweep => {
                finder.sweep(column, within, |text| sequence.is_match(text))
            }
            TextMatcher::Regex(regex, Some(literal)) if worth_a_sweep => sweep(
                column,
                within,
                |from| literal.find(&column.bytes()[from..]).map(|at| from + at),
                |text| regex.is_match(text),
            ),
            _ => {
                let mut found = Selection::none(within.rows());
                for row in within.iter() {
                    let text = column.get(row);
                    if !text.is_empty() && self.is_match(text) {
                        found.insert(row);
                    }
                }
                found
            }
        }
    }
}

/// The rows of `within` in which `next` finds something and whose text is accepted. `next` is given a place in
/// the arena; what it finds may go on in the row behind.
fn sweep(
    column: &TextColumn,
    within: &Selection,
    next: impl Fn(usize) -> Option<usize>,
    accepts: impl Fn(&[u8]) -> bool,
) -> Selection {
    let mut found = Selection::none(within.rows());
    let (mut from, mut row) = (0, 0);
    while let Some(at) = next(from) {
        row += column.ends()[row..].partition_point(|&end| end as usize <= at);
        let text = column.get(row);
        if within.contains(row) && accepts(text) {
            found.insert(row);
        }
        from = column.ends()[row] as usize;
    }
    found
}

/// Finds given characters.
#[derive(Clone, Debug)]
pub(super) struct Finder {
    /// Finds the characters between `before` and `after`, in all their cases.
    window: Regex,
    before: Vec<char>,
    after: Vec<char>,
    begin: Edge,
    end: Edge,
    case_sensitive: bool,
}

impl Finder {
    /// `text` must not be empty.
    fn new(text: &str, case_sensitive: bool, begin: Edge, end: Edge) -> Finder {
        let chars: Vec<char> =
            text.chars().map(|c| if case_sensitive { c } else { word::fold_char(c) }).collect();
        let window = rarest_window(&chars, case_sensitive);
        let source: String = chars[window.clone()].iter().map(|&c| class_of(c, case_sensitive)).collect();
        Finder {
            window: Regex::new(&source).expect("classes of characters are a regular expression"),
            before: chars[..window.start].to_vec(),
            after: chars[window.end..].to_vec(),
            begin,
            end,
            case_sensitive,
        }
    }

    /// Where the first hit in `bytes[row]` that is not before `from` begins.
    fn find(&self, bytes: &[u8], from: usize, row: Range<usize>) -> Option<usize> {
        let text = bytes.get(row.clone())?;
        let mut from = from.saturating_sub(row.start);
        while let Some(hit) = self.window.find_at(text, from) {
            if self.is_hit(text, hit.range()) {
                return Some(row.start + hit.start());
            }
            from = hit.start() + 1;
        }
        None
    }

    /// The rows of `within` that hold the text and whose text is accepted.
    fn sweep(&self, column: &TextColumn, within: &Selection, accepts: impl Fn(&[u8]) -> bool) -> Selection {
        let mut found = Selection::none(within.rows());
        let (bytes, ends) = (column.bytes(), column.ends());
        let (mut from, mut row) = (0, 0);
        while let Some(hit) = self.window.find_at(bytes, from) {
            row += ends[row..].partition_point(|&end| end as usize <= hit.start());
            let start = column.start(row);
            let text = column.get(row);
            let in_text = hit.start() - start..hit.end() - start;
            if !within.contains(row) {
                from = start + text.len();
            } else if in_text.end <= text.len() && self.is_hit(text, in_text) {
                if accepts(text) {
                    found.insert(row);
                }
                from = start + text.len();
            } else {
                from = hit.start() + 1;
            }
        }
        found
    }

    /// Whether the rest of the text stands around its window at `window`.
    fn is_hit(&self, text: &[u8], window: Range<usize>) -> bool {
        let Some(start) = self.start_before(text, window.start) else { return false };
        if self.begin != Edge::Free && !word::may_begin(text, start) {
            return false;
        }
        let end = self.end_after(text, window.end);
        end.is_some_and(|end| self.end == Edge::Free || word::may_end(text, end))
    }

    fn start_before(&self, text: &[u8], at: usize) -> Option<usize> {
        self.before.iter().rev().try_fold(at, |at, &wanted| {
            let c = word::char_before(text, at)?;
            self.equal(c, wanted).then(|| at - c.len_utf8())
        })
    }

    fn end_after(&self, text: &[u8], at: usize) -> Option<usize> {
        word::end_of(text, at, &self.after, self.case_sensitive)
    }

    fn equal(&self, c: char, wanted: char) -> bool {
        c == wanted || (!self.case_sensitive && word::fold_char(c) == wanted)
    }
}

/// Letters from frequent to rare in logs; other characters are rarer.
const FREQUENT: &str = " eotisnarcdl0u1mp2.fh:-35g4bv=/xk,y6w789\"_[]()jqz";

/// The longest run of characters with few spellings; of several, the one with the rarest characters.
fn rarest_window(chars: &[char], case_sensitive: bool) -> Range<usize> {
    let spellings = |c: char| if case_sensitive { 1 } else { word::cases(c).count() };
    let rarity = |c: char| FREQUENT.chars().position(|known| known == c).unwrap_or(FREQUENT.len());
    let mut best = 0..1;
    let mut best_key = (0, 0);
    for start in 0..chars.len() {
        let mut product = spellings(chars[start]);
        let mut end = start + 1;
        while end < chars.len() && product * spellings(chars[end]) <= SPELLINGS_MAX {
            product *= spellings(chars[end]);
            end += 1;
        }
        let key = (end - start, chars[start..end].iter().map(|&c| rarity(c)).sum::<usize>());
        if best_key < key {
            (best, best_key) = (start..end, key);
        }
    }
    best
}

/// A class of the character's cases.
fn class_of(c: char, case_sensitive: bool) -> String {
    let cases: String = match case_sensitive {
        true => escape(c),
        false => word::cases(c).map(escape).collect(),
    };
    format!("[{cases}]")
}

fn escape(c: char) -> String {
    format!("\\x{{{code:X}}}", code = c as u32)
}
