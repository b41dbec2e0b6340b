//! The meaning of a query, as a tree.

use super::number::Number;
use super::regex::Regex;
use super::steps;
use super::time::TimeExpr;
use ipnet::IpNet;
use logstead_record::Field;
use logstead_record::FieldName;
use logstead_record::Flags;
use logstead_record::word;
use std::collections::HashSet;
use std::ops::Bound;

/// A condition that selects messages.
#[derive(Clone, PartialEq, Debug)]
pub enum Query {
    /// Every message.
    All,
    /// Also every message, but copies are counted like other messages.
    Copies,
    /// Messages that match all of these; made by [`Query::and`].
    And(Vec<Query>),
    /// Messages that match any of these; made by [`Query::or`].
    Or(Vec<Query>),
    /// Messages that do not match this.
    Not(Box<Query>),
    /// Messages whose text, program, host or value of a dynamic field passes this test.
    Text(TextTest),
    /// Messages with a field that passes this test.
    Field(FieldName, FieldTest),
}

/// A test of a text.
#[derive(Clone, PartialEq, Debug)]
pub enum TextTest {
    /// The text contains this pattern, at word boundaries.
    Pattern(Pattern),
    /// The text contains words in this order, near each other.
    Near(Near),
    /// The text contains a match of this expression.
    Regex(Regex),
}

/// A test of a field's value. If a name has several values, one must pass.
#[derive(Clone, PartialEq, Debug)]
pub enum FieldTest {
    /// There is a value.
    Exists,
    /// The value passes this test of a text.
    Holds(TextTest),
    /// The whole value is this text.
    Equals(Pattern),
    /// The value is an address, with or without a port, or a network, in this network.
    Network(IpNet),
    /// The value is a number in this range.
    Number(ValueRange<Number>),
    /// The value is a time in this range.
    Time(ValueRange<TimeExpr>),
    /// The value is a severity or facility with one of these syslog numbers.
    Code(Codes),
    /// The message has this flag; exactly one is set.
    Flag(Flags),
}

/// A range of values. At least one end is bounded.
#[derive(Clone, PartialEq, Debug)]
pub struct ValueRange<T> {
    /// The lower end.
    pub low: Bound<T>,
    /// The upper end.
    pub high: Bound<T>,
}

/// Syslog's numbers from `first` to `last`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Codes {
    first: u8,
    last: u8,
}

/// A text to look for: characters and wildcards.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Pattern {
    parts: Vec<PatternPart>,
    case_sensitive: bool,
}

/// Two or more words, in this order and with few others between them. The separators between words do not matter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Near {
    words: Vec<String>,
    distance: usize,
    goes_on: bool,
    case_sensitive: bool,
}

/// A part of a [`Pattern`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum PatternPart {
    /// Literal text.
    Text(String),
    /// `*`: any run of characters without white space.
    Run,
    /// `?`: one character that is not white space.
    One,
}

impl Query {
    /// Every message.
    pub fn all() -> Query {
        Query::All
    }

    /// The conjunction of these, at least one. Nested conjunctions are flattened, and a single query is itself.
    pub fn and(queries: Vec<Query>) -> Query {
        let mut flat = Vec::with_capacity(queries.len());
        for query in queries {
            match query {
                Query::And(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        one_or(flat, Query::And)
    }

    /// The disjunction of these, at least one. Nested disjunctions are flattened, and a single query is itself.
    pub fn or(queries: Vec<Query>) -> Query {
        let mut flat = Vec::with_capacity(queries.len());
        for query in queries {
            match query {
                Query::Or(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        one_or(flat, Query::Or)
    }

    /// The query that matches all other messages.
    #[must_use]
    pub fn negate(self) -> Query {
        Query::Not(Box::new(self))
    }

    /// Whether it tests the logspace.
    pub fn uses_logspace(&self) -> bool {
        self.any_field(&mut |field, _| *field == FieldName::Known(Field::Logspace))
    }

    /// Whether its meaning depends on the time of day: `time:-15m` does, `time>2026-11-21` does not.
    pub fn uses_now(&self) -> bool {
        let moves = |bound: &Bound<TimeExpr>| match bound {
            Bound::Included(time) | Bound::Excluded(time) => {
                !matches!(time, TimeExpr::At(_) | TimeExpr::Local(_))
            }
            Bound::Unbounded => false,
        };
        self.any_field(&mut |_, test| match test {
            FieldTest::Time(bounds) => moves(&bounds.low) || moves(&bounds.high),
            _ => false,
        })
    }

    /// Whether it tests only the time of messages: such a clause overrides the range of a request.
    pub fn is_time(&self) -> bool {
        matches!(self, Query::Field(FieldName::Known(Field::Time), FieldTest::Time(_)))
    }

    /// The clauses that are joined by AND; a single one for any other condition.
    pub fn clauses(&self) -> &[Query] {
        match self {
            Query::And(queries) => queries,
            _ => std::slice::from_ref(self),
        }
    }

    /// The fields it compares, each once, in order.
    pub fn fields(&self) -> Vec<&FieldName> {
        let (mut fields, mut known) = (Vec::new(), HashSet::new());
        self.collect_fields(&mut |field| {
            steps::count(1);
            if known.insert(field) {
                fields.push(field);
            }
        });
        fields
    }

    /// The dynamic fields it compares, each once, in order.
    pub fn field_names(&self) -> Vec<&str> {
        let names = self.fields().into_iter().filter(|field| matches!(field, FieldName::Dynamic(_)));
        names.map(FieldName::as_str).collect()
    }

    /// The texts without wildcards that it searches for, in order.
    pub fn literals(&self) -> Vec<&str> {
        match self {
            Query::And(inner) | Query::Or(inner) => inner.iter().flat_map(Query::literals).collect(),
            Query::Not(inner) => inner.literals(),
            Query::Text(TextTest::Pattern(pattern)) => pattern.as_literal().into_iter().collect(),
            Query::All | Query::Copies | Query::Text(_) | Query::Field(..) => Vec::new(),
        }
    }

    /// The tests of this field, in order.
    pub fn tests_of(&self, field: &FieldName) -> Vec<&FieldTest> {
        match self {
            Query::And(inner) | Query::Or(inner) => {
                inner.iter().flat_map(|query| query.tests_of(field)).collect()
            }
            Query::Not(inner) => inner.tests_of(field),
            Query::Field(name, test) if name.is(field) => vec![test],
            Query::All | Query::Copies | Query::Text(_) | Query::Field(..) => Vec::new(),
        }
    }

    /// Whether it tests only this field.
    pub fn is_about(&self, field: &FieldName) -> bool {
        match self {
            Query::All | Query::Copies | Query::Text(_) => false,
            Query::And(inner) | Query::Or(inner) => inner.iter().all(|query| query.is_about(field)),
            Query::Not(inner) => inner.is_about(field),
            Query::Field(name, _) => name.is(field),
        }
    }

    /// The length of the text that a condition searches for.
    pub fn text_bytes(&self) -> usize {
        match self {
            Query::Text(test) | Query::Field(_, FieldTest::Holds(test)) => test.text_bytes(),
            Query::Field(_, FieldTest::Equals(pattern)) => pattern.text_bytes(),
            Query::All | Query::Copies | Query::And(_) | Query::Or(_) | Query::Not(_) | Query::Field(..) => 0,
        }
    }

    pub(super) fn any_field(&self, accepts: &mut impl FnMut(&FieldName, &FieldTest) -> bool) -> bool {
        match self {
            Query::All | Query::Copies | Query::Text(_) => false,
            Query::And(inner) | Query::Or(inner) => inner.iter().any(|query| query.any_field(accepts)),
            Query::Not(inner) => inner.any_field(accepts),
            Query::Field(field, test) => accepts(field, test),
        }
    }

    fn collect_fields<'a>(&'a self, each: &mut impl FnMut(&'a FieldName)) {
        match self {
            Query::And(inner) | Query::Or(inner) => inner.iter().for_each(|query| query.collect_fields(each)),
            Query::Not(inner) => inner.collect_fields(each),
            Query::Field(field, _) => each(field),
            Query::All | Query::Copies | Query::Text(_) => {}
        }
    }
}

fn one_or(mut queries: Vec<Query>, many: impl FnOnce(Vec<Query>) -> Query) -> Query {
    assert!(!queries.is_empty(), "a conjunction or disjunction of nothing has no text");
    if queries.len() == 1 { queries.remove(0) } else { many(queries) }
}

impl TextTest {
    fn text_bytes(&self) -> usize {
        match self {
            TextTest::Pattern(pattern) => pattern.text_bytes(),
            TextTest::Near(near) => near.words.iter().map(String::len).sum(),
            TextTest::Regex(regex) => regex.pattern().len(),
        }
    }

    /// Whether a text passes exactly if its [shape](word::shape) passes.
    pub fn is_in_shapes(&self) -> bool {
        let is_shape = |text: &str| word::is_shape(text.as_bytes());
        match self {
            TextTest::Pattern(pattern) => pattern.as_literal().is_some_and(is_shape),
            // A shape has as many words as its text. A word that begins with the last one may contain a digit.
            TextTest::Near(near) => !near.goes_on() && near.words().iter().all(|word| is_shape(word)),
            TextTest::Regex(_) => false,
        }
    }
}

impl<T> ValueRange<T> {
    /// The range from `first` to `last`, both included.
    pub fn closed(first: T, last: T) -> ValueRange<T> {
        ValueRange { low: Bound::Included(first), high: Bound::Included(last) }
    }

    /// The range from `first` to before `end`.
    pub fn until(first: T, end: T) -> ValueRange<T> {
        ValueRange { low: Bound::Included(first), high: Bound::Excluded(end) }
    }

    /// The range of values that are no lower than this bound.
    pub fn low(low: Bound<T>) -> ValueRange<T> {
        ValueRange { low, high: Bound::Unbounded }
    }

    /// The range of values that are no higher than this bound.
    pub fn high(high: Bound<T>) -> ValueRange<T> {
        ValueRange { low: Bound::Unbounded, high }
    }
}

impl Codes {
    /// The empty range of numbers.
    pub const NONE: Codes = Codes { first: 1, last: 0 };

    /// The numbers from `first` to `last`; none if `last` is lower.
    pub fn new(first: u8, last: u8) -> Codes {
        if first <= last { Codes { first, last } } else { Codes::NONE }
    }

    /// The first number.
    pub fn first(self) -> u8 {
        self.first
    }

    /// The last number.
    pub fn last(self) -> u8 {
        self.last
    }

    /// Whether it contains no number.
    pub fn is_empty(self) -> bool {
        self == Codes::NONE
    }

    /// Whether `number` is one of them.
    pub fn contains(self, number: u8) -> bool {
        self.first <= number && number <= self.last
    }
}

impl Pattern {
    /// Makes a pattern of parts, in a normal form: patterns with the same meaning are equal.
    pub fn new(parts: impl IntoIterator<Item = PatternPart>, case_sensitive: bool) -> Pattern {
        let mut joined: Vec<PatternPart> = Vec::new();
        for part in parts {
            match (joined.last_mut(), part) {
                (Some(PatternPart::Text(before)), PatternPart::Text(text)) => before.push_str(&text),
                (Some(PatternPart::Run), PatternPart::Run) => {}
                (_, PatternPart::Text(text)) if text.is_empty() => {}
                (_, part) => joined.push(part),
            }
        }
        Pattern { parts: joined, case_sensitive }
    }

    /// A pattern of exactly these characters, in any case.
    pub fn literal(text: &str) -> Pattern {
        Pattern::new([PatternPart::Text(text.to_owned())], false)
    }

    fn text_bytes(&self) -> usize {
        let bytes = |part: &PatternPart| if let PatternPart::Text(text) = part { text.len() } else { 1 };
        self.parts.iter().map(bytes).sum()
    }

    /// Its parts. Two texts, or two `*`, never follow each other.
    pub fn parts(&self) -> &[PatternPart] {
        &self.parts
    }

    /// Whether the comparison is case-sensitive.
    pub fn is_case_sensitive(&self) -> bool {
        self.case_sensitive
    }

    /// Whether it has no parts.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The text, if it has no wildcards.
    pub fn as_literal(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [] => Some(""),
            [PatternPart::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// Whether it is `*` and nothing else.
    pub fn is_any(&self) -> bool {
        self.parts == [PatternPart::Run]
    }
}

impl Near {
    /// The words of a text, with at most `distance` others in all between them; with `goes_on`, the last may be
    /// the beginning of a word. `None` if there are fewer than two words.
    pub fn new(text: &str, distance: usize, goes_on: bool, case_sensitive: bool) -> Option<Near> {
        let words: Vec<String> =
            word::words(text.as_bytes()).filter_map(|range| text.get(range)).map(str::to_owned).collect();
        (2 <= words.len()).then_some(Near { words, distance, goes_on, case_sensitive })
    }

    /// The words, each of letters and digits only.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// The number of other words allowed between the first and the last.
    pub fn distance(&self) -> usize {
        self.distance
    }

    /// Whether the last word may be the beginning of a longer one.
    pub fn goes_on(&self) -> bool {
        self.goes_on
    }

    /// Whether the comparison is case-sensitive.
    pub fn is_case_sensitive(&self) -> bool {
        self.case_sensitive
    }
}
