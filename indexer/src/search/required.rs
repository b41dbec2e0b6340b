//! The words that a text must contain for a pattern or an expression to match it.
//!
//! **Invariant:** a text in which the pattern is found has the words that are required here. The reverse holds
//! only if [`Required::is_sufficient`] says so.

use logstead_query::{Near, Pattern, PatternPart, TextTest};
use logstead_record::word;
use logstead_template::WordForm;
use regex_syntax::hir::{Class, Hir, HirKind, Look};
use std::ops::Range;

/// The least length of a prefix; there are too many words with a shorter one.
const PREFIX_CHARS_MIN: usize = 2;
/// The greatest number of words that are required; more would hardly exclude more rows.
const WORDS_MAX: usize = 32;
/// The greatest number of branches of an expression that are followed.
const BRANCHES_MAX: usize = 64;

/// Words that a text must contain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Required {
    /// Nothing is known, so any text may match.
    Anything,
    /// This word.
    Word(Vec<u8>),
    /// A word of this form.
    Like(WordForm),
    /// All of these.
    All(Vec<Required>),
    /// One of these.
    Any(Vec<Required>),
}

impl Required {
    /// Adds the required words; `false` if there are requirements other than whole words, or alternatives.
    pub(crate) fn collect_words<'a>(&'a self, words: &mut Vec<&'a [u8]>) -> bool {
        match self {
            Required::Word(word) => {
                words.push(word);
                true
            }
            Required::All(many) => many.iter().all(|one| one.collect_words(words)),
            Required::Anything | Required::Like(_) | Required::Any(_) => false,
        }
    }

    /// The words that a text must contain for a test to find it at word boundaries, or an expression to match
    /// anywhere.
    pub(crate) fn by(test: &TextTest) -> Required {
        match test {
            TextTest::Pattern(pattern) => by_pattern(pattern),
            TextTest::Near(near) => by_words(near),
            TextTest::Regex(regex) => by_regex(regex.pattern(), regex.ignores_case()),
        }
    }

    /// The words that a text must contain to match a pattern from its first character to its last.
    pub(crate) fn by_whole(pattern: &Pattern) -> Required {
        // A text that equals the pattern also contains it, and its ends are word boundaries.
        by_pattern(pattern)
    }

    /// Whether every text with these words passes the test.
    pub(crate) fn is_sufficient(&self, test: &TextTest) -> bool {
        let TextTest::Pattern(pattern) = test else { return false };
        let is_one_word = |text: &str| word::words(text.as_bytes()).next() == Some(0..text.len());
        if let [PatternPart::Text(text)] = pattern.parts()
            && word::addresses(text.as_bytes()).next() == Some(0..text.len())
        {
            return true;
        }
        let text = match pattern.parts() {
            [PatternPart::Text(text)]
            | [PatternPart::Text(text), PatternPart::Run]
            | [PatternPart::Run, PatternPart::Text(text)]
            | [PatternPart::Run, PatternPart::Text(text), PatternPart::Run] => text,
            _ => return false,
        };
        *self != Required::Anything && !pattern.is_case_sensitive() && is_one_word(text)
    }
}

fn by_pattern(pattern: &Pattern) -> Required {
    if let Some(form) = form_of(pattern) {
        return form;
    }
    let parts = pattern.parts();
    let mut required = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        if let PatternPart::Text(text) = part {
            // A word next to a wildcard may be longer.
            let (first, last) = (at == 0, at + 1 == parts.len());
            collect_words(text.as_bytes(), first, last, &mut required);
        }
    }
    all(required)
}

/// All the words but an incomplete last one, which would need a walk through the dictionary; there are whole words
/// before it.
fn by_words(near: &Near) -> Required {
    let whole = near.words().len() - usize::from(near.goes_on());
    let required = near.words().iter().take(whole).map(|word| Required::Word(folded(word.as_bytes())));
    all(required.collect())
}

/// The form that a pattern within one word requires.
fn form_of(pattern: &Pattern) -> Option<Required> {
    let (text, form): (&str, fn(Vec<u8>) -> WordForm) = match pattern.parts() {
        [PatternPart::Text(text), PatternPart::Run] => (text, WordForm::Begins),
        [PatternPart::Run, PatternPart::Text(text)] => (text, WordForm::Ends),
        [PatternPart::Run, PatternPart::Text(text), PatternPart::Run] => (text, WordForm::Holds),
        _ => return None,
    };
    let is_one_word = word::words(text.as_bytes()).next() == Some(0..text.len());
    is_one_word.then(|| Required::Like(form(folded(text.as_bytes()))))
}

/// The words of a text that is a part of another text. The outermost words are whole words there only if the ends are
/// known to be word boundaries; the first one may also be the beginning of a word.
fn collect_words(
    text: &[u8],
    starts_at_boundary: bool,
    ends_at_boundary: bool,
    required: &mut Vec<Required>,
) {
    let is_whole = |range: &Range<usize>| {
        (starts_at_boundary || 0 < range.start) && (ends_at_boundary || range.end < text.len())
    };
    let addresses: Vec<Range<usize>> = word::addresses(text).filter(is_whole).collect();
    // Both are sorted, so the first address that ends after the word is the one that may contain it.
    let mut ahead = addresses.as_slice();
    for range in word::words(text) {
        while let [address, rest @ ..] = ahead
            && address.end < range.end
        {
            ahead = rest;
        }
        // A text that contains an address also contains its four numbers as words.
        if ahead.first().is_some_and(|address| address.start <= range.start) {
            continue;
        }
        let begins = starts_at_boundary || 0 < range.start;
        let ends = ends_at_boundary || range.end < text.len();
        let word = folded(&text[range]);
        if begins && ends {
            required.push(Required::Word(word));
        } else if begins && PREFIX_CHARS_MIN <= word.len() {
            required.push(Required::Like(WordForm::Begins(word)));
        }
    }
    required.extend(addresses.into_iter().map(|range| Required::Word(text[range].to_vec())));
}

fn folded(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    word::fold(text, &mut out);
    out
}

fn all(mut required: Vec<Required>) -> Required {
    required.retain(|one| *one != Required::Anything);
    // Whole words are found directly. Other forms need a walk, which pays only if there is no whole word.
    if required.iter().any(|one| !matches!(one, Required::Like(_))) {
        required.retain(|one| !matches!(one, Required::Like(_)));
    }
    required.truncate(WORDS_MAX);
    match required.len() {
        0 => Required::Anything,
        1 => required.remove(0),
        _ => Required::All(required),
    }
}

fn any(branches: Vec<Required>) -> Required {
    if branches.is_empty() || branches.contains(&Required::Anything) || BRANCHES_MAX < branches.len() {
        return Required::Anything;
    }
    Required::Any(branches)
}

fn by_regex(pattern: &str, ignores_case: bool) -> Required {
    let parsed =
        regex_syntax::ParserBuilder::new().utf8(false).case_insensitive(ignores_case).build().parse(pattern);
    parsed.map_or(Required::Anything, |hir| {
        let mut literals = LiteralRun::default();
        literals.add(&hir);
        literals.end(false);
        all(literals.required)
    })
}

/// The literal texts that occur in every match, one after another.
#[derive(Default)]
struct LiteralRun {
    required: Vec<Required>,
    text: Vec<u8>,
    starts_at_boundary: bool,
}

impl LiteralRun {
    fn add(&mut self, hir: &Hir) {
        match hir.kind() {
            HirKind::Empty => {}
            HirKind::Literal(literal) => self.text.extend_from_slice(&literal.0),
            HirKind::Class(class) => match single_fold(class) {
                Some(c) => self.text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
                None => self.end(false),
            },
            HirKind::Look(Look::Start) => {
                self.end(true);
                self.starts_at_boundary = true;
            }
            HirKind::Look(Look::End) => self.end(true),
            HirKind::Look(_) => self.end(false),
            HirKind::Repetition(repetition) => {
                self.end(false);
                if 0 < repetition.min {
                    self.add_apart(&repetition.sub);
                }
            }
            HirKind::Capture(capture) => self.add(&capture.sub),
            HirKind::Concat(parts) => parts.iter().for_each(|part| self.add(part)),
            HirKind::Alternation(branches) => {
                self.end(false);
                self.required.push(any(branches.iter().map(required_apart).collect()));
            }
        }
    }

    /// Adds an expression without knowing its surroundings.
    fn add_apart(&mut self, hir: &Hir) {
        self.required.push(required_apart(hir));
    }

    /// Ends the current literal text.
    fn end(&mut self, at_boundary: bool) {
        let text = std::mem::take(&mut self.text);
        let starts_at_boundary = std::mem::take(&mut self.starts_at_boundary);
        collect_words(&text, starts_at_boundary, at_boundary, &mut self.required);
    }
}

fn required_apart(hir: &Hir) -> Required {
    let mut literals = LiteralRun::default();
    literals.add(hir);
    literals.end(false);
    all(literals.required)
}

/// The single character to which all characters of a class fold: `e` for `[eE]`.
fn single_fold(class: &Class) -> Option<char> {
    let Class::Unicode(class) = class else { return None };
    let chars = || class.iter().flat_map(|range| range.start()..=range.end());
    let mut few = chars().take(5);
    let first = word::fold_char(few.next()?);
    let is_single = few.all(|c| word::fold_char(c) == first) && chars().nth(4).is_none();
    is_single.then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use logstead_query::{Query, parse};
    use proptest::prelude::*;

    fn of(query: &str) -> (Required, bool) {
        let Query::Text(test) = parse(query).unwrap() else { panic!("{query}") };
        let required = Required::by(&test);
        let is_sufficient = required.is_sufficient(&test);
        (required, is_sufficient)
    }

    fn show(required: &Required) -> String {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let join = |many: &[Required], with| many.iter().map(show).collect::<Vec<_>>().join(with);
        match required {
            Required::Anything => "?".to_owned(),
            Required::Word(word) => text(word),
            Required::Like(WordForm::Begins(word)) => format!("{}*", text(word)),
            Required::Like(WordForm::Ends(word)) => format!("*{}", text(word)),
            Required::Like(WordForm::Holds(word)) => format!("*{}*", text(word)),
            Required::All(many) => join(many, " "),
            Required::Any(many) => format!("({})", join(many, "|")),
        }
    }

    proptest! {
        #[test]
        fn words_of_addresses_are_left_out_as_if_each_were_compared_with_each(
            text in "[1.a ]{0,40}", starts: bool, ends: bool,
        ) {
            let text = text.as_bytes();
            let mut required = Vec::new();
            collect_words(text, starts, ends, &mut required);
            let is_known = |range: &Range<usize>| {
                (starts || 0 < range.start) && (ends || range.end < text.len())
            };
            let addresses: Vec<_> = word::addresses(text).filter(is_known).collect();
            let is_within = |range: &Range<usize>| {
                addresses.iter().any(|address| address.start <= range.start && range.end <= address.end)
            };
            let left = word::words(text).filter(|range| !is_within(range) && is_known(range));
            let expected: Vec<Required> =
                left.chain(addresses.clone()).map(|range| Required::Word(folded(&text[range]))).collect();
            required.retain(|one| matches!(one, Required::Word(_)));
            prop_assert_eq!(required, expected);
        }
    }

    #[test]
    fn the_words_that_must_be_there() {
        for (query, expected, is_sufficient) in [
            ("Error", "error", true),
            ("cs\"Error\"", "error", false),
            ("\"session opened\"", "session opened", false),
            ("10.0.0.1", "10.0.0.1", true),
            ("10.0.0.1:22", "22 10.0.0.1", false),
            ("\"--\"", "?", false),
            ("conn*", "conn*", true),
            ("*nection", "*nection", true),
            ("*nect*", "*nect*", true),
            ("a-b*", "a", false),
            ("fo?bar", "fo*", false),
            ("\"Session opened\"~3", "session opened", false),
            ("\"session op\"~3*", "session", false),
            ("cs\"10.0 Ä\"~0", "10 0 ä", false),
            ("/user=[a-z]{8}/", "?", false),
            ("/ user=[a-z]{8}/", "user", false),
            ("/failed password for/", "password", false),
            ("/^failed (password|key) for$/", "failed for", false),
            ("/(a b c|d e f)/", "(b|e)", false),
            ("/(a|b)/", "?", false),
            ("/ Error /i", "error", false),
            ("/ session /i", "?", false),
            ("/ code=/i", "code", false),
            ("/( x )+/", "x", false),
            ("/( x )*/", "?", false),
        ] {
            let (required, sufficient) = of(query);
            assert_eq!((show(&required).as_str(), sufficient), (expected, is_sufficient), "{query}");
        }
    }
}
