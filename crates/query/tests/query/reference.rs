//! The meaning of a query, written as simply as possible: one row and one character at a time.
//!
//! Keywords: naive matcher.

use logstead_query::{Context, FieldTest, Number, Pattern, PatternPart, Query, TextTest, Unit, ValueRange};
use logstead_record::FieldName;
use logstead_record::{Batch, Field, Timestamp};
use std::net::{IpAddr, SocketAddr};
use std::ops::{Bound, RangeBounds};

pub(crate) fn matches(query: &Query, batch: &Batch, row: usize, context: &Context<'_>) -> bool {
    match query {
        Query::All | Query::Copies => true,
        Query::And(queries) => queries.iter().all(|query| matches(query, batch, row, context)),
        Query::Or(queries) => queries.iter().any(|query| matches(query, batch, row, context)),
        Query::Not(query) => !matches(query, batch, row, context),
        Query::Text(test) => {
            let fields = batch.fields(row).map(|(_, value)| value);
            [batch.message(row), batch.program(row), batch.host(row)]
                .into_iter()
                .chain(fields)
                .any(|text| !text.is_empty() && holds(test, text))
        }
        Query::Field(FieldName::Dynamic(name), test) => batch.fields(row).any(|(other, value)| {
            let is_there = !value.is_empty() || matches!(test, FieldTest::Equals(_));
            is_there && other.eq_ignore_ascii_case(name.as_bytes()) && passes(test, value)
        }),
        Query::Field(FieldName::Known(field), test) => known_matches(*field, test, batch, row, context),
    }
}

fn known_matches(field: Field, test: &FieldTest, batch: &Batch, row: usize, context: &Context<'_>) -> bool {
    let priority = batch.priority(row);
    let raw = {
        let mut raw = Vec::new();
        batch.write_raw(row, &mut raw);
        raw
    };
    let text = match field {
        Field::Message => batch.message(row),
        Field::Host => batch.host(row),
        Field::Program => batch.program(row),
        Field::Pid => batch.pid(row),
        Field::Msgid => batch.msgid(row),
        Field::Source => batch.source(row),
        Field::Peer => batch.peer(row),
        Field::Raw => &raw,
        Field::Logspace => context.logspace.as_bytes(),
        Field::CopyOf => batch.text(Field::CopyOf, row),
        Field::Severity | Field::Facility | Field::Time | Field::Received | Field::Flag => b"",
    };
    match (field, test) {
        (Field::Severity | Field::Facility, FieldTest::Exists) => priority.is_some(),
        (Field::Severity, FieldTest::Code(codes)) => {
            priority.is_some_and(|p| codes.contains(p.severity().number()))
        }
        (Field::Facility, FieldTest::Code(codes)) => {
            priority.is_some_and(|p| codes.contains(p.facility().number()))
        }
        (Field::Time, FieldTest::Time(bounds)) => is_between(bounds, batch.time(row), context.now),
        (Field::Received, FieldTest::Time(bounds)) => is_between(bounds, batch.received(row), context.now),
        (Field::Time | Field::Received, FieldTest::Exists) => true,
        (Field::Flag, FieldTest::Flag(flag)) => batch.flags(row).0 & flag.0 == flag.0,
        (Field::Flag, FieldTest::Exists) => batch.flags(row).0 != 0,
        (Field::Peer, FieldTest::Equals(pattern)) => {
            let text = std::str::from_utf8(text).unwrap();
            let ip = text.parse::<SocketAddr>().map(|socket| socket.ip().to_string());
            equals(pattern, text.as_bytes()) || ip.is_ok_and(|ip| equals(pattern, ip.as_bytes()))
        }
        (_, FieldTest::Equals(pattern)) => equals(pattern, text),
        (_, test) => !text.is_empty() && passes(test, text),
    }
}

fn is_between(bounds: &ValueRange<logstead_query::TimeExpr>, time: Timestamp, now: Timestamp) -> bool {
    let resolve = |bound: &Bound<logstead_query::TimeExpr>| bound.map(|time| time.resolve(now));
    (resolve(&bounds.low), resolve(&bounds.high)).contains(&time)
}

fn passes(test: &FieldTest, value: &[u8]) -> bool {
    let text = String::from_utf8_lossy(value);
    match test {
        FieldTest::Exists => true,
        FieldTest::Holds(test) => holds(test, value),
        FieldTest::Equals(pattern) => equals(pattern, value),
        FieldTest::Network(network) => {
            let ip = text.parse::<IpAddr>().or(text.parse::<SocketAddr>().map(|socket| socket.ip()));
            ip.is_ok_and(|ip| network.contains(&ip))
        }
        FieldTest::Number(bounds) => {
            let units = [&bounds.low, &bounds.high].map(|bound| match bound {
                Bound::Included(number) | Bound::Excluded(number) => number.unit(),
                Bound::Unbounded => Unit::Plain,
            });
            let value = Number::parse(text.trim())
                .filter(|value| value.unit() == Unit::Plain || units.contains(&value.unit()));
            let range = (bounds.low.as_ref().map(Number::value), bounds.high.as_ref().map(Number::value));
            value.is_some_and(|value| range.contains(&value.value()))
        }
        FieldTest::Time(_) | FieldTest::Code(_) | FieldTest::Flag(_) => {
            unreachable!("these are known fields")
        }
    }
}

fn holds(test: &TextTest, text: &[u8]) -> bool {
    match test {
        TextTest::Regex(regex) => regex.compiled().is_match(text),
        TextTest::Near(near) => {
            let (text, last) = (words(text), near.words().len() - 1);
            let is = |number: usize, word: &String| {
                let fold = |text: &str| text.chars().map(lower).collect::<String>();
                let (word, wanted) = match near.is_case_sensitive() {
                    true => (word.clone(), near.words()[number].clone()),
                    false => (fold(word), fold(&near.words()[number])),
                };
                if near.goes_on() && number == last { word.starts_with(&wanted) } else { word == wanted }
            };
            stands(&text, last + 1, near.distance(), &is)
        }
        TextTest::Pattern(pattern) => {
            let text = characters(text);
            let begins_free = pattern.parts().first() == Some(&PatternPart::Run);
            let ends_free = pattern.parts().last() == Some(&PatternPart::Run);
            (0..=text.len()).any(|start| {
                (start..=text.len()).any(|end| {
                    (begins_free || is_boundary(&text, start))
                        && (ends_free || is_boundary(&text, end))
                        && fits(pattern.parts(), &text[start..end], pattern.is_case_sensitive())
                })
            })
        }
    }
}

/// Whether the words occur in a text, starting at any word.
fn stands(text: &[String], count: usize, distance: usize, is: &dyn Fn(usize, &String) -> bool) -> bool {
    (0..text.len()).any(|at| is(0, &text[at]) && goes_on(&text[at + 1..], 1..count, distance, is))
}

/// Whether the remaining words follow the one before, with at most this many others between them.
fn goes_on(
    text: &[String],
    wanted: std::ops::Range<usize>,
    distance: usize,
    is: &dyn Fn(usize, &String) -> bool,
) -> bool {
    wanted.is_empty()
        || (0..text.len().min(distance + 1)).any(|others| {
            is(wanted.start, &text[others])
                && goes_on(&text[others + 1..], wanted.start + 1..wanted.end, distance - others, is)
        })
}

/// The runs of letters and digits in a text.
fn words(text: &[u8]) -> Vec<String> {
    let characters = characters(text);
    let is_word = |c: &Option<char>| c.is_some_and(char::is_alphanumeric);
    let runs = characters.split(|c| !is_word(c)).filter(|run| !run.is_empty());
    runs.map(|run| run.iter().flatten().collect()).collect()
}

fn lower(c: char) -> char {
    c.to_lowercase().next().unwrap()
}

fn equals(pattern: &Pattern, text: &[u8]) -> bool {
    fits(pattern.parts(), &characters(text), pattern.is_case_sensitive())
}

/// The characters of a text. A byte that is not UTF-8 is a character of its own that equals no other.
fn characters(text: &[u8]) -> Vec<Option<char>> {
    let mut out = Vec::new();
    for chunk in text.utf8_chunks() {
        out.extend(chunk.valid().chars().map(Some));
        out.extend(chunk.invalid().iter().map(|_| None));
    }
    out
}

fn is_boundary(text: &[Option<char>], at: usize) -> bool {
    let is_word = |c: Option<&Option<char>>| c.is_some_and(|c| c.is_some_and(char::is_alphanumeric));
    at == 0 || !(is_word(text.get(at - 1)) && is_word(text.get(at)))
}

fn fits(parts: &[PatternPart], text: &[Option<char>], case_sensitive: bool) -> bool {
    let is_other = |c: &Option<char>| !c.is_some_and(char::is_whitespace);
    match parts {
        [] => text.is_empty(),
        [PatternPart::Run, rest @ ..] => {
            fits(rest, text, case_sensitive)
                || text.first().is_some_and(|c| is_other(c) && fits(parts, &text[1..], case_sensitive))
        }
        [PatternPart::One, rest @ ..] => {
            text.first().is_some_and(|c| is_other(c) && fits(rest, &text[1..], case_sensitive))
        }
        [PatternPart::Text(wanted), rest @ ..] => {
            let wanted: Vec<char> = wanted.chars().collect();
            let same = |c: char, other: Option<char>| match other {
                Some(other) if case_sensitive => c == other,
                Some(other) => lower(c) == lower(other),
                None => false,
            };
            wanted.len() <= text.len()
                && wanted.iter().zip(text).all(|(&c, &other)| same(c, other))
                && fits(rest, &text[wanted.len()..], case_sensitive)
        }
    }
}
