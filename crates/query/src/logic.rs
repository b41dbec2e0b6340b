//! Implications of queries: whether one matches every message of another, or can match no message.
//!
//! **Invariant:** a yes is certain. A no may mean that no proof was found.

use super::ast::{Codes, FieldTest, Near, Pattern, PatternPart, Query, TextTest, ValueRange};
use super::matcher::{Context, Matcher};
use super::number::{Number, Unit};
use logstead_record::Batch;
use logstead_record::Field;
use logstead_record::FieldName;
use logstead_record::TextColumn;
use logstead_record::Timestamp;
use logstead_record::word;
use std::cell::Cell;
use std::ops::Bound;

/// The greatest number of comparisons of two clauses.
const COMPARISONS_MAX: u32 = 20_000;
/// The longest text whose words are compared.
const WORDS_BYTES_MAX: usize = 1024;

impl Query {
    /// Whether another query matches every message that this one matches.
    pub fn implies(&self, other: &Query) -> bool {
        Logic::default().implies(self, other)
    }

    /// Whether it certainly matches no message.
    pub fn is_impossible(&self) -> bool {
        Logic::default().is_impossible(self)
    }
}

#[derive(Default)]
struct Logic {
    comparisons: Cell<u32>,
}

impl Logic {
    /// Counts a comparison; false if the limit is exceeded.
    fn may_compare(&self) -> bool {
        self.comparisons.set(self.comparisons.get() + 1);
        self.comparisons.get() <= COMPARISONS_MAX
    }

    fn implies(&self, from: &Query, to: &Query) -> bool {
        if !self.may_compare() {
            return false;
        }
        match (from, to) {
            (_, Query::All | Query::Copies) => true,
            (from, to) if from == to => true,
            (Query::Or(any), to) => any.iter().all(|from| self.implies(from, to)),
            (from, Query::And(all)) => all.iter().all(|to| self.implies(from, to)),
            (Query::Not(from), Query::Not(to)) => self.implies(to, from),
            (Query::And(all), to) => {
                all.iter().any(|from| self.implies(from, to))
                    || matches!(to, Query::Or(any) if any.iter().any(|to| self.implies(from, to)))
                    || self.is_impossible(from)
            }
            (from, Query::Or(any)) => any.iter().any(|to| self.implies(from, to)),
            (from, Query::Not(to)) => self.exclude(from, to),
            (Query::Field(field, test), Query::Field(other, to)) => {
                field.is(other) && test_implies(field, test, to)
            }
            (Query::Field(field, FieldTest::Holds(text)), Query::Text(searched)) => {
                text_implies(text, searched) && is_searched(field)
            }
            (Query::Text(text), Query::Text(to)) => text_implies(text, to),
            (from, _) => self.is_impossible(from),
        }
    }

    fn is_impossible(&self, query: &Query) -> bool {
        match query {
            Query::All | Query::Copies | Query::Text(_) => false,
            Query::Or(any) => any.iter().all(|query| self.is_impossible(query)),
            Query::And(all) => {
                all.iter().any(|query| self.is_impossible(query))
                    || all
                        .iter()
                        .enumerate()
                        .any(|(at, first)| all.iter().skip(at + 1).any(|second| self.exclude(first, second)))
            }
            Query::Not(query) => self.implies(&Query::All, query),
            Query::Field(_, FieldTest::Code(codes)) => codes.is_empty(),
            Query::Field(..) => false,
        }
    }

    /// Whether no message matches both queries.
    fn exclude(&self, first: &Query, second: &Query) -> bool {
        if !self.may_compare() {
            return false;
        }
        match (first, second) {
            (Query::Not(not), other) | (other, Query::Not(not)) if self.implies(other, not) => true,
            (Query::Or(any), other) | (other, Query::Or(any)) => {
                any.iter().all(|query| self.exclude(query, other))
            }
            (Query::And(all), other) | (other, Query::And(all)) => {
                all.iter().any(|query| self.exclude(query, other))
            }
            (Query::Field(field, test), Query::Field(other, other_test)) => {
                field.is(other) && tests_exclude(field, test, other_test)
            }
            _ => false,
        }
    }
}

/// Whether a search for a text without a field includes this field.
fn is_searched(field: &FieldName) -> bool {
    match field {
        FieldName::Known(field) => matches!(field, Field::Message | Field::Program | Field::Host),
        FieldName::Dynamic(_) => true,
    }
}

/// Whether a value that passes the first test of a field passes the second.
fn test_implies(field: &FieldName, from: &FieldTest, to: &FieldTest) -> bool {
    match (from, to) {
        (from, to) if from == to => true,
        (FieldTest::Equals(value), FieldTest::Exists) => {
            value.as_literal().is_some_and(|text| !text.trim().is_empty())
        }
        (FieldTest::Network(_) | FieldTest::Number(_), FieldTest::Exists) => true,
        (FieldTest::Holds(from), FieldTest::Holds(to)) => text_implies(from, to),
        (FieldTest::Equals(value), to) => value_passes(field, value, to) == Some(true),
        (FieldTest::Code(from), FieldTest::Code(to)) => is_within(*from, *to),
        (FieldTest::Network(from), FieldTest::Network(to)) => to.contains(from),
        (FieldTest::Number(from), FieldTest::Number(to)) => is_narrower(from, to),
        _ => false,
    }
}

/// Whether a text that passes the first test passes the second.
fn text_implies(from: &TextTest, to: &TextTest) -> bool {
    from == to
        || WordSequence::of(from).zip(WordSequence::of_words(to)).is_some_and(|(from, to)| from.implies(&to))
}

/// Words that occur in a text in this order, with few others between them.
struct WordSequence {
    words: Vec<String>,
    distance: usize,
    /// Whether the last may be the beginning of a word.
    goes_on: bool,
    case_sensitive: bool,
}

impl WordSequence {
    /// The words that every passing text contains; `None` if the text is long.
    fn of(test: &TextTest) -> Option<WordSequence> {
        let TextTest::Pattern(pattern) = test else { return WordSequence::of_words(test) };
        let (text, goes_on) = match pattern.parts() {
            [PatternPart::Text(text)] => (text, false),
            [PatternPart::Text(text), PatternPart::Run] => (text, text.ends_with(char::is_alphanumeric)),
            _ => return None,
        };
        if WORDS_BYTES_MAX < text.len() {
            return None;
        }
        let words = word::words(text.as_bytes()).filter_map(|range| text.get(range)).map(str::to_owned);
        let words: Vec<String> = words.collect();
        let case_sensitive = pattern.is_case_sensitive();
        (!words.is_empty()).then_some(WordSequence { words, distance: 0, goes_on, case_sensitive })
    }

    /// The words of a test that a text passes if and only if it contains them.
    fn of_words(test: &TextTest) -> Option<WordSequence> {
        match test {
            TextTest::Near(near) => WordSequence::near(near),
            TextTest::Pattern(pattern) => {
                let is_whole = |text: &String| text.chars().all(char::is_alphanumeric);
                match pattern.parts() {
                    [PatternPart::Text(text)] | [PatternPart::Text(text), PatternPart::Run]
                        if is_whole(text) =>
                    {
                        WordSequence::of(test)
                    }
                    _ => None,
                }
            }
            TextTest::Regex(_) => None,
        }
    }

    fn near(near: &Near) -> Option<WordSequence> {
        let bytes: usize = near.words().iter().map(String::len).sum();
        (bytes <= WORDS_BYTES_MAX).then(|| WordSequence {
            words: near.words().to_vec(),
            distance: near.distance(),
            goes_on: near.goes_on(),
            case_sensitive: near.is_case_sensitive(),
        })
    }

    /// Whether this sequence contains another as consecutive words.
    fn implies(&self, to: &WordSequence) -> bool {
        let fold = |word: &String| -> String {
            if to.case_sensitive { word.clone() } else { word.chars().map(word::fold_char).collect() }
        };
        let from: Vec<String> = self.words.iter().map(fold).collect();
        let wanted: Vec<String> = to.words.iter().map(fold).collect();
        let is_there = |(start, words): (usize, &[String])| {
            words.iter().zip(&wanted).enumerate().all(|(at, (word, text))| {
                let goes_on = self.goes_on && start + at + 1 == from.len();
                let may_go_on = to.goes_on && at + 1 == wanted.len();
                if may_go_on { word.starts_with(text.as_str()) } else { !goes_on && word == text }
            })
        };
        (self.case_sensitive || !to.case_sensitive)
            && (wanted.len() == 1 || self.distance <= to.distance)
            && from.windows(wanted.len()).enumerate().any(is_there)
    }
}

/// Whether no value of a field passes both tests.
fn tests_exclude(field: &FieldName, first: &FieldTest, second: &FieldTest) -> bool {
    match (first, second) {
        (FieldTest::Code(first), FieldTest::Code(second)) => {
            first.last() < second.first() || second.last() < first.first()
        }
        (FieldTest::Equals(value), test) | (test, FieldTest::Equals(value)) if field.is_single() => {
            value_passes(field, value, test) == Some(false)
        }
        _ => false,
    }
}

/// Whether a value equal to this one passes a test; `None` if that is uncertain.
fn value_passes(field: &FieldName, value: &Pattern, test: &FieldTest) -> Option<bool> {
    let text = value.as_literal()?;
    let is_case_blind = match test {
        FieldTest::Equals(pattern) | FieldTest::Holds(TextTest::Pattern(pattern)) => {
            !pattern.is_case_sensitive()
        }
        FieldTest::Holds(TextTest::Near(near)) => !near.is_case_sensitive(),
        FieldTest::Exists => true,
        _ => false,
    };
    // A value that equals it in another case, or as another spelling of an address, may not pass.
    let is_one = value.is_case_sensitive() || is_case_blind && text.is_ascii();
    if !is_one || text.parse::<std::net::IpAddr>().is_ok() || text.trim() != text {
        return None;
    }
    let mut values = TextColumn::default();
    values.push(text.as_bytes());
    let batch = Batch::of_values(field, &values)?;
    let query = Query::Field(field.clone(), test.clone());
    let context = Context { now: Timestamp::default(), logspace: "" };
    Some(!Matcher::new(&query, &context).select(&batch).is_empty())
}

fn is_within(inner: Codes, outer: Codes) -> bool {
    inner.is_empty() || outer.first() <= inner.first() && inner.last() <= outer.last()
}

/// Whether the first range lies within the second, if both read values in the same way.
fn is_narrower(inner: &ValueRange<Number>, outer: &ValueRange<Number>) -> bool {
    let units = [&inner.low, &inner.high, &outer.low, &outer.high].map(unit);
    let mut known = units.iter().flatten();
    let Some(first) = known.next() else { return false };
    known.all(|unit| unit == first)
        && is_inside(&inner.low, &outer.low, |inner, outer| outer < inner)
        && is_inside(&inner.high, &outer.high, |inner, outer| inner < outer)
}

fn unit(bound: &Bound<Number>) -> Option<Unit> {
    match bound {
        Bound::Included(number) | Bound::Excluded(number) => Some(number.unit()),
        Bound::Unbounded => None,
    }
}

fn is_inside(inner: &Bound<Number>, outer: &Bound<Number>, is_beyond: impl Fn(f64, f64) -> bool) -> bool {
    match (inner, outer) {
        (_, Bound::Unbounded) => true,
        (Bound::Unbounded, _) => false,
        (Bound::Included(inner), Bound::Excluded(outer)) => is_beyond(inner.value(), outer.value()),
        (
            Bound::Included(inner) | Bound::Excluded(inner),
            Bound::Included(outer) | Bound::Excluded(outer),
        ) => inner.value() == outer.value() || is_beyond(inner.value(), outer.value()),
    }
}

#[cfg(test)]
mod tests {
    use crate::parse;

    fn implies(from: &str, to: &str) -> bool {
        parse(from).unwrap().implies(&parse(to).unwrap())
    }

    #[test]
    fn what_follows_is_found() {
        for (from, to) in [
            ("host=fw1", "*"),
            ("severity>=critical", "severity>=error"),
            ("severity=err", "severity>=warning"),
            ("host=fw1 program=sshd", "host=fw1"),
            ("host=fw1 failed", "failed"),
            ("message:failed", "failed"),
            ("host=fw1", "host:fw*"),
            ("host=fw1", "host=FW1 or host=fw2"),
            ("host in (fw1, fw2)", "host in (fw1, fw2, fw3)"),
            ("program=sshd", "-program=cron"),
            ("-severity>=error", "-severity>=critical"),
            ("status>=500", "status>=400"),
            ("status>500 status<600", "status>=500"),
            ("src:10.1.0.0/16", "src:10.0.0.0/8"),
            ("user=root", "user:*"),
            ("(a or b) host=fw1", "host=fw1 (a or b or c)"),
            ("\"a b\"~1", "\"A b\"~2"),
            ("\"a b c\"~1", "\"b c\"~1"),
            ("\"a bc\"~1", "\"a b\"~1*"),
            ("\"a b\"~1", "a"),
            ("\"a b\"~1*", "b*"),
            ("\"a, b.\"", "\"a b\"~0"),
            ("\"x a b\"*", "\"a b\"~3*"),
            ("cs\"a b\"~1", "\"a b\"~1"),
            ("host:\"a b\"~1", "\"a b\"~1"),
            ("host=\"a x b\"", "host:\"a b\"~1"),
        ] {
            assert!(implies(from, to), "{from} implies {to}");
            assert!(!implies(to, from), "{to} does not imply {from}");
        }
    }

    #[test]
    fn what_does_not_follow_is_not_claimed() {
        for (from, to) in [
            ("failed", "message:failed"),
            ("host:fw", "host=fw"),
            ("status>=400", "status>400"),
            ("bytes>10MB", "bytes>1"),
            ("user=root", "-user=bob"),
            ("host:f*", "host:fw*"),
            ("host=fw1", "cs:host=FW1"),
            ("\"a b\"~2", "\"a b\"~1"),
            ("\"a b\"~1", "\"b a\"~1"),
            ("\"a c b\"~1", "\"a b\"~1"),
            ("\"a b\"~1*", "b"),
            ("\"a b\"~0", "\"a b\""),
            ("\"a b\"~1", "cs\"a b\"~1"),
            ("*\"a b\"", "\"a b\"~0"),
        ] {
            assert!(!implies(from, to), "{from} does not imply {to}");
        }
    }

    #[test]
    fn what_no_message_can_be_is_found() {
        for (query, expected) in [
            ("severity>=error severity<=debug", true),
            ("host=fw1 host=fw2", true),
            ("host=fw1 -host:fw*", true),
            ("program=sshd (host=a host=b or severity=err severity=info)", true),
            ("-*", true),
            ("host=fw1 host:fw", true),
            ("host=fw-1 host:fw", false),
            ("user=root user=bob", false),
            ("host=fw1 or host=fw2", false),
        ] {
            assert_eq!(parse(query).unwrap().is_impossible(), expected, "{query}");
        }
    }
}
