//! Finds a text in one value, or in all rows of a column by sweeping over the column's bytes once.
//!
//! The sweep looks for a few characters of the text, those that are rarest in logs, in all their cases at once. Only
//! at their positions is the whole text compared, with its word boundaries.

use super::ast::{Near, Pattern, PatternPart, TextTest};
use super::glob::{Edge, Glob};
use super::near::NearMatcher;
use super::steps;
use super::window::Window;
use aho_corasick::{AhoCorasick, Input, packed};
use logstead_record::Batch;
use logstead_record::Selection;
use logstead_record::TextColumn;
use logstead_record::word;
use memchr::memmem;
use regex::bytes::Regex;
use std::ops::Range;
use std::sync::Arc;

/// The share of selected rows, one in this many, below which they are searched one by one instead of in a sweep over
/// all rows.
const SWEEP_SHARE: usize = 16;
/// The greatest number of spellings of the characters that a sweep looks for.
const SPELLINGS_MAX: usize = 8;
/// The greatest number of characters that a sweep looks for. More would hardly be rarer, and each character must be
/// tried with all those before it.
const RUN_CHARS_MAX: usize = 16;
/// The longest text that is compared at each position. Longer ones are compared in one pass over a value, because a text
/// that repeats itself would take the product of both lengths.
const COMPARED_CHARS_MAX: usize = 64;

/// The number of hits in a column that makes many more seem likely.
const FEW_HITS: usize = 8;

/// A prepared test of texts.
#[derive(Clone, Debug)]
pub(super) struct TextMatcher {
    test: Test,
    /// Whether a text passes exactly if its shape passes.
    is_in_shapes: bool,
}

#[derive(Clone, Debug)]
enum Test {
    /// Exactly this text.
    Literal(Finder),
    /// A pattern with wildcards, and characters that every match contains.
    Glob(Option<Finder>, Glob),
    /// Words near each other, with a finder of one of them, and whether that one is the first.
    Near(Finder, NearMatcher, bool),
    /// A match of this expression, and bytes that every match contains.
    Regex(Regex, Option<Arc<memmem::Finder<'static>>>),
}

impl TextMatcher {
    pub(super) fn new(test: &TextTest) -> TextMatcher {
        TextMatcher { test: Test::new(test), is_in_shapes: test.is_in_shapes() }
    }

    /// The rank of the test: long texts are rare and quickly skipped, wildcards and expressions take longer.
    pub(super) fn cost(&self) -> usize {
        match &self.test {
            Test::Literal(finder) => 10 - finder.chars.len().min(8),
            Test::Near(..) => 15,
            Test::Glob(..) => 20,
            Test::Regex(..) => 40,
        }
    }

    pub(super) fn is_match(&self, text: &[u8]) -> bool {
        self.test.is_match(text)
    }

    /// The rows of `within` whose text matches. An empty text never matches.
    pub(super) fn select(&self, column: &TextColumn, within: &Selection) -> Selection {
        self.test.select(column, within)
    }

    /// The rows of `within` whose message matches.
    pub(super) fn select_messages(&self, batch: &Batch, within: &Selection) -> Selection {
        match batch.shapes().filter(|_| self.is_in_shapes) {
            Some(shapes) if shapes.values().len() < within.count() => {
                let shapes_found = self.select(shapes.values(), &Selection::all(shapes.values().len()));
                shapes.rows_of(&shapes_found, within)
            }
            _ => self.select(batch.columns().message(), within),
        }
    }
}

impl Test {
    fn new(test: &TextTest) -> Test {
        match test {
            TextTest::Pattern(pattern) => Test::pattern(pattern),
            TextTest::Near(near) => Test::near(near),
            TextTest::Regex(regex) => Test::regex(regex),
        }
    }

    fn pattern(pattern: &Pattern) -> Test {
        let sensitive = pattern.is_case_sensitive();
        match pattern.parts() {
            [PatternPart::Text(text)] => Test::Literal(Finder::new(text, sensitive, Edge::Word, Edge::Word)),
            [PatternPart::Text(text), PatternPart::Run] => {
                Test::Literal(Finder::new(text, sensitive, Edge::Word, Edge::Free))
            }
            [PatternPart::Run, PatternPart::Text(text)] => {
                Test::Literal(Finder::new(text, sensitive, Edge::Free, Edge::Word))
            }
            [PatternPart::Run, PatternPart::Text(text), PatternPart::Run] => {
                Test::Literal(Finder::new(text, sensitive, Edge::Free, Edge::Free))
            }
            parts => {
                let longest = parts.iter().filter_map(|part| match part {
                    PatternPart::Text(text) => Some(text),
                    PatternPart::Run | PatternPart::One => None,
                });
                let finder = longest
                    .max_by_key(|text| text.len())
                    .map(|text| Finder::new(text, sensitive, Edge::Free, Edge::Free));
                Test::Glob(finder, Glob::within(pattern))
            }
        }
    }

    fn near(near: &Near) -> Test {
        let last = near.words().len() - 1;
        let longest = near.words().iter().enumerate().max_by_key(|(_, word)| word.len());
        let (at, word) = longest.expect("there are two words or more");
        let end = if near.goes_on() && at == last { Edge::Free } else { Edge::Word };
        let finder = Finder::new(word, near.is_case_sensitive(), Edge::Word, end);
        Test::Near(finder, NearMatcher::new(near), at == 0)
    }

    fn regex(regex: &super::Regex) -> Test {
        Test::Regex(regex.compiled().clone(), regex.literal().cloned())
    }

    fn is_match(&self, text: &[u8]) -> bool {
        match self {
            Test::Literal(finder) => finder.is_in(text),
            Test::Glob(finder, glob) => {
                finder.as_ref().is_none_or(|finder| finder.is_in(text)) && glob.is_match(text)
            }
            Test::Near(finder, sequence, _) => finder.is_in(text) && sequence.is_match(text),
            Test::Regex(regex, _) => regex.is_match(text),
        }
    }

    fn select(&self, column: &TextColumn, within: &Selection) -> Selection {
        let worth_a_sweep = within.rows() <= within.count().saturating_mul(SWEEP_SHARE);
        match self {
            Test::Literal(finder) if worth_a_sweep => finder.sweep(column, within, |_, _| true),
            Test::Glob(Some(finder), glob) if worth_a_sweep => {
                finder.sweep(column, within, |text, _| glob.is_match(text))
            }
            Test::Near(finder, sequence, is_first) if worth_a_sweep => {
                // A match cannot begin before the first word.
                finder.sweep(column, within, |text, hit| {
                    sequence.is_match(if *is_first { &text[hit..] } else { text })
                })
            }
            Test::Regex(regex, Some(literal)) if worth_a_sweep => sweep(
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

/// The rows of `within` in which `next` finds something and whose text is accepted. `next` searches from an
/// offset in the arena; its match may continue in the next row.
fn sweep(
    column: &TextColumn,
    within: &Selection,
    next: impl Fn(usize) -> Option<usize>,
    accepts: impl Fn(&[u8]) -> bool,
) -> Selection {
    let mut found = Selection::none(within.rows());
    let (mut from, mut row) = (0, 0);
    while let Some(at) = next(from) {
        row = column.row_of(at, row);
        let text = column.get(row);
        if within.contains(row) && accepts(text) {
            found.insert(row);
        }
        from = column.ends()[row] as usize;
    }
    found
}

/// Finds a literal text.
#[derive(Clone, Debug)]
pub(super) struct Finder {
    chars: Vec<char>,
    /// Finds a part of the characters in all their cases, and the number of the first of these characters.
    run: (RunFinder, usize),
    /// Some of the characters, all ASCII, which are found faster this way if many rows contain them, and the number
    /// of the first.
    window: Option<(Window, usize)>,
    begin: Edge,
    end: Edge,
    case_sensitive: bool,
    /// The failure function of a long text: for each prefix, the length of its longest proper suffix that is also a prefix.
    repeats: Arc<[usize]>,
}

impl Finder {
    /// A finder of `text`, which must not be empty.
    fn new(text: &str, case_sensitive: bool, begin: Edge, end: Edge) -> Finder {
        let chars: Vec<char> =
            text.chars().map(|c| if case_sensitive { c } else { word::fold_char(c) }).collect();
        let count = |c: &char| if case_sensitive { 1 } else { word::cases(*c).count() };
        let spellings: Vec<usize> = chars.iter().map(count).collect();
        let rarest = rarest_run(&chars, |run| {
            run.len() == 1 || spellings[run].iter().product::<usize>() <= SPELLINGS_MAX
        });
        let run = RunFinder::new(&spellings_of(&chars[rarest.clone()], case_sensitive));
        let in_window = rarest_run(&chars, |run| Window::takes(&chars[run]));
        // The library is at least as fast at finding characters without cases.
        let has_cases = in_window.clone().any(|at| !case_sensitive && chars[at].is_ascii_lowercase());
        let window = Window::new(&chars[in_window.clone()], case_sensitive).filter(|_| has_cases);
        let window = window.map(|window| (window, in_window.start));
        let repeats = if COMPARED_CHARS_MAX < chars.len() { repeats(&chars) } else { Arc::default() };
        Finder { run: (run, rarest.start), window, chars, begin, end, case_sensitive, repeats }
    }

    /// Whether a text contains the wanted text.
    fn is_in(&self, text: &[u8]) -> bool {
        let ((run, number), mut from) = (&self.run, 0);
        while let Some(hit) = run.find(text, from) {
            if self.is_long() {
                return self.first(text).is_some();
            }
            if self.hit(text, hit, *number).is_some() {
                return true;
            }
            from = hit + 1;
        }
        false
    }

    fn is_long(&self) -> bool {
        !self.repeats.is_empty()
    }

    /// The rows of `within` that contain the text and whose text and position of the first hit are accepted.
    fn sweep(
        &self,
        column: &TextColumn,
        within: &Selection,
        accepts: impl Fn(&[u8], usize) -> bool,
    ) -> Selection {
        let mut found = Selection::none(within.rows());
        let (bytes, mut row) = (column.bytes(), 0);
        // Checks an occurrence of the character with this number, and returns the position at which to continue.
        let mut visit = |at: usize, number: usize| {
            row = column.row_of(at, row);
            let (start, text) = (column.start(row), column.get(row));
            if within.contains(row) {
                let hit = if self.is_long() { self.first(text) } else { self.hit(text, at - start, number) };
                match hit {
                    Some(hit) if accepts(text, hit) => found.insert(row),
                    None if !self.is_long() => return at + 1,
                    _ => {}
                }
            }
            start + text.len()
        };
        let ((run, number), mut from) = (&self.run, 0);
        let mut hits = 0;
        while let Some(hit) = run.find(bytes, from) {
            from = visit(hit, *number);
            hits += 1;
            if hits == FEW_HITS
                && let Some((window, number)) = self.window.filter(|(window, _)| window.is_complete(bytes))
            {
                // In a row, its position may be before that of the run.
                let start = column.start(column.row_of(from, 0));
                window.for_each(bytes, start, |at| visit(at, number));
                break;
            }
        }
        found
    }

    /// The position of the wanted text, if it occurs with the character of this number at `at`.
    fn hit(&self, text: &[u8], at: usize, number: usize) -> Option<usize> {
        let (before, from) = self.chars.split_at(number);
        let start = self.start_before(text, at, before)?;
        let begins = self.begin == Edge::Free || word::may_begin(text, start);
        let end = begins.then(|| word::end_of(text, at, from, self.case_sensitive)).flatten()?;
        (self.end == Edge::Free || word::may_end(text, end)).then_some(start)
    }

    /// The first position of the wanted text, if that is long.
    fn first(&self, text: &[u8]) -> Option<usize> {
        let (mut at, mut fitting) = (0, 0);
        while at < text.len() {
            let (c, bytes) = word::char_from(text, at);
            let fits = |fitting: usize| c.is_some_and(|c| self.equal(c, self.chars[fitting]));
            while 0 < fitting && !fits(fitting) {
                fitting = self.repeats[fitting - 1];
            }
            fitting += usize::from(fits(fitting));
            at += bytes;
            if fitting == self.chars.len() {
                if self.end == Edge::Free || word::may_end(text, at) {
                    let start = self.start_before(text, at, &self.chars)?;
                    if self.begin == Edge::Free || word::may_begin(text, start) {
                        return Some(start);
                    }
                }
                fitting = self.repeats[fitting - 1];
            }
        }
        None
    }

    fn start_before(&self, text: &[u8], at: usize, before: &[char]) -> Option<usize> {
        before.iter().rev().try_fold(at, |at, &wanted| {
            let c = word::char_before(text, at)?;
            self.equal(c, wanted).then(|| at - c.len_utf8())
        })
    }

    fn equal(&self, c: char, wanted: char) -> bool {
        c == wanted || (!self.case_sensitive && word::fold_char(c) == wanted)
    }
}

/// Characters from frequent to rare in logs; all others are rarer.
const FREQUENT: &str = " eotisnarcdl0u1mp2.fh:-35g4bv=/xk,y6w789\"_[]()jqz";

/// The longest suitable run of characters, up to a limit; among several, the one with the rarest characters. Every
/// part of a suitable run is suitable.
fn rarest_run(chars: &[char], is_fit: impl Fn(Range<usize>) -> bool) -> Range<usize> {
    let rarity = |c: &char| FREQUENT.chars().position(|known| known == *c).unwrap_or(FREQUENT.len());
    let rarities: Vec<usize> = chars.iter().map(rarity).collect();
    let mut best = 0..0;
    let mut best_key = (0, 0);
    let (mut end, mut sum) = (0, 0);
    for (start, first) in rarities.iter().enumerate() {
        // Without its first character, a run is still suitable.
        end = end.max(start);
        while end < chars.len() && end - start < RUN_CHARS_MAX && is_fit(start..end + 1) {
            steps::count(end + 1 - start);
            sum += rarities[end];
            end += 1;
        }
        steps::count(1);
        if best_key < (end - start, sum) {
            (best, best_key) = (start..end, (end - start, sum));
        }
        sum -= if start < end { *first } else { 0 };
    }
    best
}

/// The failure function: for each prefix, the length of its longest proper suffix that is also a prefix.
fn repeats(chars: &[char]) -> Arc<[usize]> {
    let mut repeats = vec![0; chars.len()];
    let mut fitting = 0;
    for at in 1..chars.len() {
        while 0 < fitting && chars[at] != chars[fitting] {
            steps::count(1);
            fitting = repeats[fitting - 1];
        }
        steps::count(1);
        fitting += usize::from(chars[at] == chars[fitting]);
        repeats[at] = fitting;
    }
    repeats.into()
}

/// All spellings of some characters, which are few.
fn spellings_of(chars: &[char], case_sensitive: bool) -> Vec<String> {
    chars.iter().fold(vec![String::new()], |before, &c| {
        let cases: Vec<char> = if case_sensitive { vec![c] } else { word::cases(c).collect() };
        before.iter().flat_map(|text| cases.iter().map(move |case| format!("{text}{case}"))).collect()
    })
}

/// Finds the first of a few short texts.
#[derive(Clone, Debug)]
enum RunFinder {
    /// In vectors of bytes, which takes hardly any time to prepare.
    Packed(packed::Searcher),
    /// On machines without such vectors.
    Automaton(AhoCorasick),
}

impl RunFinder {
    fn new(spellings: &[String]) -> RunFinder {
        match packed::Config::new().builder().extend(spellings).build() {
            Some(packed) => RunFinder::Packed(packed),
            None => RunFinder::Automaton(AhoCorasick::new(spellings).expect("a few short texts")),
        }
    }

    /// The position of the first one at `from` or after it.
    fn find(&self, bytes: &[u8], from: usize) -> Option<usize> {
        let found = match self {
            RunFinder::Packed(packed) => packed.find_in(bytes, (from..bytes.len()).into()),
            RunFinder::Automaton(automaton) => automaton.find(Input::new(bytes).range(from..)),
        };
        found.map(|found| found.start())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn edges() -> impl Strategy<Value = Edge> {
        prop_oneof![Just(Edge::Word), Just(Edge::Free)]
    }

    proptest! {
        #[test]
        fn a_text_that_repeats_itself_is_found_as_if_each_place_were_looked_at(
            unit in "[aAbé. ]{1,3}", count in 30_usize..60, other in "[ab.]{0,2}", before in "[ab. ]{0,3}",
            behind in "[ab. ]{0,3}", cut in 0_usize..4, case_sensitive: bool, begin in edges(), end in edges(),
        ) {
            let text = format!("{}{other}", unit.repeat(count));
            let row = format!("{before}{}{other}{behind}", unit.repeat(count + cut));
            let finder = Finder::new(&text, case_sensitive, begin, end);
            let plain = Finder { repeats: Arc::default(), ..finder.clone() };
            let starts = (0..row.len()).filter(|at| row.is_char_boundary(*at));
            let first = starts.filter_map(|at| plain.hit(row.as_bytes(), at, 0)).next();
            prop_assert_eq!(finder.is_in(row.as_bytes()), first.is_some());
            prop_assert_eq!(plain.is_in(row.as_bytes()), first.is_some());
            if finder.is_long() {
                prop_assert_eq!(finder.first(row.as_bytes()), first);
            }
            let mut column = TextColumn::default();
            [&row, "a", &row].iter().for_each(|row| column.push(row.as_bytes()));
            let found = finder.sweep(&column, &Selection::all(3), |_, _| true);
            prop_assert_eq!(found.count(), if first.is_some() { 2 } else { 0 });
        }

        #[test]
        fn a_sweep_finds_the_rows_that_hold_the_text(
            rows in proptest::collection::vec("[abcABC .k\u{212A}é]{0,14}", 0..80),
            text in "[abck]{1,5}",
            case_sensitive: bool,
            begin in edges(),
            end in edges(),
        ) {
            let mut column = TextColumn::default();
            rows.iter().for_each(|row| column.push(row.as_bytes()));
            let finder = Finder::new(&text, case_sensitive, begin, end);
            let found = finder.sweep(&column, &Selection::all(rows.len()), |_, _| true);
            let expected = Selection::from_fn(rows.len(), |row| finder.is_in(rows[row].as_bytes()));
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn a_run_is_found_wherever_it_stands(
            chars in proptest::collection::vec(proptest::sample::select(vec!['a', 'k', 'é', '1', 'ß']), 1..4),
            text in "[aAkK\u{212A}éÉ1ßẞ ]{0,60}", from in 0_usize..20, case_sensitive: bool,
        ) {
            let spellings = spellings_of(&chars, case_sensitive);
            prop_assume!(spellings.len() <= SPELLINGS_MAX);
            let (bytes, from) = (text.as_bytes(), from.min(text.len()));
            let expected = (from..bytes.len())
                .find(|&at| spellings.iter().any(|spelling| bytes[at..].starts_with(spelling.as_bytes())));
            prop_assert_eq!(RunFinder::new(&spellings).find(bytes, from), expected);
            let automaton = RunFinder::Automaton(AhoCorasick::new(&spellings).unwrap());
            prop_assert_eq!(automaton.find(bytes, from), expected);
        }
    }
}
