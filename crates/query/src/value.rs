//! The meaning of a value in a comparison with a field.

use super::ast::{Codes, FieldTest, Near, Pattern, PatternPart, Query, TextTest, ValueRange};
use super::limits::{DISTANCE_MAX, GLOB_CHARS_MAX, NEAR_WORDS_MAX};
use super::number::Number;
use super::regex::Regex;
use super::syntax::lex::TextCursor;
use super::syntax::subject::SubjectName;
use super::syntax::tree::Operand;
use super::time::{TimeExpr, high_end, low_end, parse_duration, parse_span};
use ipnet::IpNet;
use logstead_record::Field;
use logstead_record::FieldName;
use logstead_record::Flags;
use logstead_record::word;
use logstead_record::{FACILITY_NAMES, Facility, SEVERITY_NAMES, Severity};
use std::ops::Bound;

/// The part of a value that is compared.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum ComparedExtent {
    /// A part of the value.
    Part,
    /// The whole value.
    Whole,
}

/// A field in a comparison, and whether case matters.
#[derive(Clone)]
pub(super) struct ComparedField {
    pub(super) name: SubjectName,
    pub(super) case_sensitive: bool,
}

/// Makes a pattern of parts; an error if it has wildcards and is too long.
pub(super) fn pattern(parts: Vec<PatternPart>, case_sensitive: bool) -> Result<Pattern, String> {
    let pattern = Pattern::new(parts, case_sensitive);
    let chars: usize = pattern.parts().iter().map(part_chars).sum();
    if pattern.as_literal().is_none() && GLOB_CHARS_MAX < chars {
        return Err(format!(
            "a text with wildcards is limited to {GLOB_CHARS_MAX} characters, and this has {chars}: shorten it"
        ));
    }
    Ok(pattern)
}

/// The test for an operand.
pub(super) fn text_test(operand: Operand, case_sensitive: bool) -> Result<TextTest, String> {
    match operand.distance {
        Some(distance) => near(operand.parts, distance, case_sensitive),
        None => pattern(operand.parts, case_sensitive).map(TextTest::Pattern),
    }
}

/// The test for words at a distance. A single word is a pattern.
fn near(parts: Vec<PatternPart>, distance: usize, case_sensitive: bool) -> Result<TextTest, String> {
    let whole = Pattern::new(parts, case_sensitive);
    let (text, goes_on) = match whole.parts() {
        [] | [PatternPart::Run] => ("", false),
        [PatternPart::Text(text)] => (text.as_str(), false),
        [PatternPart::Text(text), PatternPart::Run] => (text.as_str(), true),
        _ => return Err("words at a distance have no wildcards, except for a `*` at the end".to_owned()),
    };
    if DISTANCE_MAX < distance {
        return Err(format!("the distance of words is limited to {DISTANCE_MAX}: write a smaller number"));
    }
    let count = word::words(text.as_bytes()).count();
    if NEAR_WORDS_MAX < count {
        return Err(format!(
            "words at a distance are limited to {NEAR_WORDS_MAX}, and these are {count}: leave some out"
        ));
    }
    if let Some(near) = Near::new(text, distance, goes_on, case_sensitive) {
        return Ok(TextTest::Near(near));
    }
    let word = word::words(text.as_bytes()).next().and_then(|range| text.get(range));
    let word = word.ok_or(
        "there is no letter or digit between these quotes, so there are no words to be at a distance",
    )?;
    let end = if goes_on { PatternPart::Run } else { PatternPart::Text(String::new()) };
    Ok(TextTest::Pattern(Pattern::new([PatternPart::Text(word.to_owned()), end], case_sensitive)))
}

fn part_chars(part: &PatternPart) -> usize {
    match part {
        PatternPart::Text(text) => text.chars().count(),
        PatternPart::Run | PatternPart::One => 1,
    }
}

impl ComparedField {
    /// The query for `field:value` or `field=value`.
    pub(super) fn test(&self, extent: ComparedExtent, operand: Operand) -> Result<Query, String> {
        if operand.distance.is_some() {
            return self.test_near(extent, operand);
        }
        let field = match &self.name {
            SubjectName::Exists => return Ok(Query::Field(FieldName::new(&operand.text), FieldTest::Exists)),
            SubjectName::Earliest => {
                return time(Field::Time, Bound::Included(&operand.text), Bound::Unbounded);
            }
            SubjectName::Latest => {
                return time(Field::Time, Bound::Unbounded, Bound::Excluded(&operand.text));
            }
            SubjectName::SeverityNumber | SubjectName::Field(_) if operand.is_any() => {
                return Ok(self.exists());
            }
            SubjectName::SeverityNumber => Field::Severity,
            SubjectName::Field(FieldName::Dynamic(_)) => return self.test_text(extent, operand),
            SubjectName::Field(FieldName::Known(field)) => *field,
        };
        match field {
            Field::Severity | Field::Facility => {
                let here = Bound::Included(operand.text.as_str());
                Ok(known(field, FieldTest::Code(self.codes(field, here, here)?)))
            }
            Field::Time | Field::Received => time_span(field, &operand.text),
            Field::Flag => each_of(&operand, |name| Ok(known(field, FieldTest::Flag(flag(name)?)))),
            Field::Logspace | Field::Source | Field::CopyOf => self.test_names(field, operand),
            _ => self.test_text(extent, operand),
        }
    }

    /// The query for `field>=low` or `field:[low TO high}`.
    pub(super) fn test_range(&self, low: Bound<&str>, high: Bound<&str>) -> Result<Query, String> {
        if let (Bound::Unbounded, Bound::Unbounded) = (low, high) {
            return Ok(self.exists());
        }
        match &self.name {
            SubjectName::SeverityNumber => {
                Ok(known(Field::Severity, FieldTest::Code(self.codes(Field::Severity, low, high)?)))
            }
            SubjectName::Field(FieldName::Known(field @ (Field::Severity | Field::Facility))) => {
                Ok(known(*field, FieldTest::Code(self.codes(*field, low, high)?)))
            }
            SubjectName::Field(FieldName::Known(field @ (Field::Time | Field::Received))) => {
                time(*field, low, high)
            }
            SubjectName::Field(name @ (FieldName::Dynamic(_) | FieldName::Known(Field::Pid))) => {
                let bounds = ValueRange { low: map_bound(low, number)?, high: map_bound(high, number)? };
                Ok(Query::Field(name.clone(), FieldTest::Number(bounds)))
            }
            SubjectName::Field(name) => {
                Err(format!("`{name}` is text, which cannot be compared by order: use `:` or `=`"))
            }
            SubjectName::Exists | SubjectName::Earliest | SubjectName::Latest => {
                Err("write `=` and a value here".to_owned())
            }
        }
    }

    /// The query for `field:/regex/`.
    pub(super) fn test_regex(&self, regex: Regex) -> Result<Query, String> {
        match self.text_field() {
            Some(name) => Ok(Query::Field(name.clone(), FieldTest::Holds(TextTest::Regex(regex)))),
            None => Err("this field has no text for a regular expression to match".to_owned()),
        }
    }

    /// The query for `field:"a b"~3`.
    fn test_near(&self, extent: ComparedExtent, operand: Operand) -> Result<Query, String> {
        let Some(name) = self.text_field() else {
            return Err("this field has no text with words at a distance".to_owned());
        };
        if extent == ComparedExtent::Whole {
            return Err("words at a distance cannot be a whole value: write `:` before them".to_owned());
        }
        let test = text_test(operand, self.case_sensitive)?;
        Ok(Query::Field(name.clone(), FieldTest::Holds(test)))
    }

    /// The field, if its values are texts.
    fn text_field(&self) -> Option<&FieldName> {
        use Field::{Facility, Flag, Logspace, Received, Severity, Time};
        match &self.name {
            SubjectName::Field(FieldName::Known(Severity | Facility | Time | Received | Flag | Logspace)) => {
                None
            }
            SubjectName::Field(name) => Some(name),
            SubjectName::SeverityNumber
            | SubjectName::Exists
            | SubjectName::Earliest
            | SubjectName::Latest => None,
        }
    }

    fn exists(&self) -> Query {
        let name = match &self.name {
            SubjectName::Field(name) => name.clone(),
            _ => FieldName::Known(Field::Severity),
        };
        Query::Field(name, FieldTest::Exists)
    }

    fn test_text(&self, extent: ComparedExtent, operand: Operand) -> Result<Query, String> {
        let SubjectName::Field(name) = &self.name else { return Err("this is not a text field".to_owned()) };
        let has_addresses =
            matches!(name, FieldName::Dynamic(_) | FieldName::Known(Field::Host | Field::Peer));
        let network =
            (has_addresses && !operand.quoted).then(|| operand.text.parse::<IpNet>().ok()).flatten();
        let test = match network {
            Some(network) => FieldTest::Network(network.trunc()),
            None => {
                let pattern = pattern(operand.parts, self.case_sensitive)?;
                match extent {
                    _ if pattern.is_any() => FieldTest::Exists,
                    ComparedExtent::Part if !pattern.is_empty() => {
                        FieldTest::Holds(TextTest::Pattern(pattern))
                    }
                    _ => FieldTest::Equals(pattern),
                }
            }
        };
        Ok(Query::Field(name.clone(), test))
    }

    /// The query for a configured name, which is compared as a whole.
    fn test_names(&self, field: Field, operand: Operand) -> Result<Query, String> {
        let equals = |parts| {
            let pattern = pattern(parts, self.case_sensitive)?;
            Ok(if pattern.is_any() { self.exists() } else { known(field, FieldTest::Equals(pattern)) })
        };
        if operand.quoted || !operand.text.contains(',') {
            return equals(operand.parts);
        }
        each_of(&operand, |name| {
            let cursor = TextCursor::new(name);
            equals(cursor.word_parts(0..name.chars().count()))
        })
    }

    /// The query for a range of codes. The names of severities are ordered from debug to emerg; their numbers, and
    /// facilities, are ordered by value.
    fn codes(&self, field: Field, low: Bound<&str>, high: Bound<&str>) -> Result<Codes, String> {
        let read = |text: &str| match (&self.name, field) {
            (SubjectName::SeverityNumber, _) if text.parse::<u8>().is_err() => {
                Err("`severity_num` has the numbers 0 (emerg) to 7 (debug); `severity` has the names"
                    .to_owned())
            }
            (_, Field::Severity) => severity(text),
            _ => facility(text),
        };
        let (low, high) = (map_bound(low, read)?, map_bound(high, read)?);
        let is_reversed = |bound: &Bound<Code>| match bound {
            Bound::Included(code) | Bound::Excluded(code) => field == Field::Severity && code.by_name,
            Bound::Unbounded => false,
        };
        let last = if field == Field::Severity { SEVERITY_NAMES.len() - 1 } else { FACILITY_NAMES.len() - 1 };
        let (mut first, mut last) = (0, last as i16);
        for (bound, is_low) in [(low, true), (high, false)] {
            let is_first = is_low != is_reversed(&bound);
            let (code, inset) = match bound {
                Bound::Unbounded => continue,
                Bound::Included(code) => (i16::from(code.number), 0),
                Bound::Excluded(code) => (i16::from(code.number), 1),
            };
            if is_first {
                first = first.max(code + inset);
            } else {
                last = last.min(code - inset);
            }
        }
        let byte = |code: i16| u8::try_from(code).ok();
        Ok(byte(first).zip(byte(last)).map_or(Codes::NONE, |(first, last)| Codes::new(first, last)))
    }
}

/// The number of a severity or facility.
struct Code {
    number: u8,
    by_name: bool,
}

fn severity(text: &str) -> Result<Code, String> {
    let unknown = |_| format!("`{text}` is not a severity: use {names}", names = SEVERITY_NAMES.join(", "));
    let number = text.parse::<Severity>().map_err(unknown)?.number();
    Ok(Code { number, by_name: text.parse::<u8>().is_err() })
}

fn facility(text: &str) -> Result<Code, String> {
    let unknown = |_| format!("`{text}` is not a facility: use {names}", names = FACILITY_NAMES.join(", "));
    Ok(Code { number: text.parse::<Facility>().map_err(unknown)?.number(), by_name: false })
}

fn number(text: &str) -> Result<Number, String> {
    let bad = || format!("`{text}` is not a number: write digits, perhaps with a unit as in 10MB or 1.5s");
    Number::parse(text).ok_or_else(bad)
}

fn flag(name: &str) -> Result<Flags, String> {
    let found = Flags::NAMES.iter().find(|(_, known)| known.eq_ignore_ascii_case(name));
    found.map(|(flag, _)| *flag).ok_or_else(|| {
        let names = Flags::NAMES.map(|(_, known)| known).join(", ");
        format!("`{name}` is not a flag: use {names}")
    })
}

/// The query for any of the values in a list such as `fw,dmz`.
fn each_of(operand: &Operand, test: impl Fn(&str) -> Result<Query, String>) -> Result<Query, String> {
    let names = operand.text.split(',').filter(|name| !name.is_empty());
    let tests = names.map(test).collect::<Result<Vec<_>, _>>()?;
    if tests.is_empty() { Err("a name is missing here".to_owned()) } else { Ok(Query::or(tests)) }
}

fn known(field: Field, test: FieldTest) -> Query {
    Query::Field(FieldName::Known(field), test)
}

fn time(field: Field, low: Bound<&str>, high: Bound<&str>) -> Result<Query, String> {
    let read = |text: &str| parse_span(text).ok_or_else(|| no_time(text));
    let (low, high) = (low_end(map_bound(low, read)?), high_end(map_bound(high, read)?));
    Ok(known(field, FieldTest::Time(ValueRange { low, high })))
}

/// The query for a time: `time:yesterday` is all of that day, `time:-15m` everything since then.
fn time_span(field: Field, text: &str) -> Result<Query, String> {
    let ago = parse_duration(text).map(|nanos| (TimeExpr::Now(-nanos), None));
    let span = ago.or_else(|| parse_span(text)).ok_or_else(|| no_time(text))?;
    let bounds = match span {
        (start, Some(end)) => ValueRange::until(start, end),
        (start @ (TimeExpr::At(_) | TimeExpr::Local(_)), None) => ValueRange::closed(start, start),
        (start, None) => ValueRange::low(Bound::Included(start)),
    };
    Ok(known(field, FieldTest::Time(bounds)))
}

fn no_time(text: &str) -> String {
    format!(
        "`{text}` is not a time: write 2026-11-21T06:13:00Z, 2026-11-21, now-1h, -15m, today or yesterday"
    )
}

fn map_bound<T>(
    bound: Bound<&str>,
    read: impl FnOnce(&str) -> Result<T, String>,
) -> Result<Bound<T>, String> {
    Ok(match bound {
        Bound::Unbounded => Bound::Unbounded,
        Bound::Included(text) => Bound::Included(read(text)?),
        Bound::Excluded(text) => Bound::Excluded(read(text)?),
    })
}
