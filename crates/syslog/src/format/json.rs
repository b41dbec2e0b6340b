//! Turns a JSON object into one row of a batch.
//!
//! | in the object          | becomes                                                                    |
//! |------------------------|----------------------------------------------------------------------------|
//! | one of [`super::keys`] | time, message, host, program, severity, facility, process id, message id   |
//! | another column's name  | field `json.NAME`, since a query by that name asks for the column          |
//! | `{"a": {"b": 1}}`      | field `a.b` = `1`: nested names are joined by dots                         |
//! | `{"a": [1, 2]}`        | field `a` twice; an object or array inside an array is its JSON text       |
//! | `{"a": null}`          | nothing                                                                    |
//! | no message             | the whole text is the message                                              |
//!
//! If an object is the text of a message in another format, [`read_what_fits`] gives its values the same names.
//!
//! **Invariant:** the raw bytes of a row are the object exactly as it was sent. **Invariant:** a value that stands
//! under a known name but cannot be read as such (an invalid time, for example) stays a field that a query finds. No
//! part of an accepted object is lost, and no part of a rejected one is added.

use super::fields::is_taken;
use super::keys::{ColumnKeys, FoundColumns};
use super::keys::{ObjectPair, pairs};
use super::stamp::Clock;
use logstead_parse::{ExceededLimit, JsonLimits, JsonObject};
use logstead_record::{BatchBuilder, Field, Row};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// The limits on the size of an object.
#[derive(Clone, Copy, Debug)]
pub struct ObjectLimits {
    /// The maximum length of its text, and of its names together, each including the names of the objects around it:
    /// a long name around many values is written out for each of them.
    pub line_bytes_max: usize,
    /// The maximum number of values at all depths.
    pub fields_max: usize,
    /// The depth of nested objects.
    pub depth_max: usize,
}

/// Reads JSON objects.
pub struct JsonParser {
    /// The keys that fill columns.
    pub keys: ColumnKeys,
    /// The limits on an object.
    pub limits: ObjectLimits,
}

/// The reason why an object does not become a message.
#[derive(Debug, thiserror::Error)]
pub enum ObjectError {
    /// Its text is too long.
    #[error("it has {line_bytes} bytes, and {line_bytes_max} are allowed")]
    TooLong {
        /// Its length.
        line_bytes: usize,
        /// The maximum length.
        line_bytes_max: usize,
    },
    /// It has too many values.
    #[error("it has more than {fields_max} fields")]
    TooManyFields {
        /// The maximum number.
        fields_max: usize,
    },
    /// Its names are too long, including those of the objects around them.
    #[error("the names of its fields have more than {names_bytes_max} bytes together")]
    LongNames {
        /// The maximum number.
        names_bytes_max: usize,
    },
    /// Its objects are nested too deeply.
    #[error("it is nested deeper than {depth_max} levels")]
    TooDeep {
        /// The maximum depth.
        depth_max: usize,
    },
    /// It cannot be parsed; the text says where.
    #[error("it is not a JSON object: {0}")]
    Syntax(String),
}

impl ObjectLimits {
    /// Refuses a line that is too long to be parsed.
    pub fn check_line(&self, line: &[u8]) -> Result<(), ObjectError> {
        let (line_bytes, line_bytes_max) = (line.len(), self.line_bytes_max);
        if line_bytes <= line_bytes_max {
            Ok(())
        } else {
            Err(ObjectError::TooLong { line_bytes, line_bytes_max })
        }
    }
}

impl JsonParser {
    /// Adds the object as a row. `host` is used if the object names none.
    pub fn parse(
        &self,
        line: &[u8],
        clock: Clock<'_>,
        host: &[u8],
        builder: &mut BatchBuilder,
    ) -> Result<(), ObjectError> {
        self.parse_also(line, clock, host, builder, |_, _, _| {})
    }

    /// Like `parse`; `also` may add more for each name and value that becomes a field.
    pub fn parse_also(
        &self,
        line: &[u8],
        clock: Clock<'_>,
        host: &[u8],
        builder: &mut BatchBuilder,
        also: impl Fn(&str, &str, &mut BatchBuilder),
    ) -> Result<(), ObjectError> {
        let object = read(line, self.limits)?;
        let pairs = pairs(&object);
        let found = FoundColumns::among(&pairs, &self.keys, clock);
        add_fields(&pairs, &found.taken, builder, also);
        push(line, &pairs, &found, host, builder);
        Ok(())
    }
}

/// Adds the pairs that do not fill columns.
fn add_fields(
    pairs: &[ObjectPair<'_, '_>],
    taken: &[usize],
    builder: &mut BatchBuilder,
    also: impl Fn(&str, &str, &mut BatchBuilder),
) {
    for (_, pair) in pairs.iter().enumerate().filter(|(at, _)| !taken.contains(at)) {
        let (name, value) = (pair.name.as_bytes(), pair.value.as_bytes());
        if is_taken(name) {
            builder.field(&[b"json.", name].concat(), value);
        } else {
            builder.field(name, value);
        }
        also(pair.name, &pair.value, builder);
    }
}

fn push(
    line: &[u8],
    pairs: &[ObjectPair<'_, '_>],
    found: &FoundColumns,
    host: &[u8],
    builder: &mut BatchBuilder,
) {
    let value = |at: usize| pairs[at].value.as_bytes();
    let text = |at: Option<usize>| at.map_or(&b""[..], value);
    let row = Row { time: found.time, priority: found.priority(), ..Row::text(line) }
        .with(Field::Host, found.host.map_or(host, value))
        .with(Field::Program, text(found.program))
        .with(Field::Pid, text(found.pid))
        .with(Field::Msgid, text(found.msgid));
    match found.message.map(|at| &pairs[at].value) {
        None => builder.push(&row),
        Some(Cow::Borrowed(text)) => builder.push(
            &Row { message_at: Some(text.as_ptr().addr() - line.as_ptr().addr()), ..row }
                .with(Field::Message, text.as_bytes()),
        ),
        Some(Cow::Owned(text)) => {
            builder.push(&Row { message_at: None, ..row }.with(Field::Message, text.as_bytes()))
        }
    }
}

/// Reads an object that is the text of a message, as far as it is within the limits; an object that is nested too
/// deeply is kept as JSON text. `None` if the text is not an object from its first byte to its last.
pub(super) fn read_what_fits(text: &[u8], limits: JsonLimits) -> Option<JsonObject<'_>> {
    JsonObject::read(text, limits).filter(|object| object.broken().is_none())
}

/// Reads an object, which must be within the limits.
fn read(line: &[u8], limits: ObjectLimits) -> Result<JsonObject<'_>, ObjectError> {
    limits.check_line(line)?;
    let ObjectLimits { line_bytes_max, fields_max, depth_max } = limits;
    let most = JsonLimits {
        pairs_max: fields_max,
        name_bytes_max: usize::MAX,
        names_bytes_max: line_bytes_max,
        depth_max,
    };
    let object = JsonObject::read(line, most).ok_or_else(|| syntax::<IgnoredMembers>(line))?;
    if let Some(string) = object.broken() {
        // The string alone, at its original position.
        let mut alone = vec![b' '; string.end];
        alone[string.clone()].copy_from_slice(&line[string]);
        return Err(syntax::<String>(&alone));
    }
    match object.beyond {
        None => Ok(object),
        Some(ExceededLimit::Pairs) => Err(ObjectError::TooManyFields { fields_max }),
        Some(ExceededLimit::Names) => Err(ObjectError::LongNames { names_bytes_max: line_bytes_max }),
        Some(ExceededLimit::Depth) => Err(ObjectError::TooDeep { depth_max }),
    }
}

/// The reason why a text is not an object, in the words of `serde_json`. Each object is one line, so only the column
/// is stated.
fn syntax<'a, T: Deserialize<'a>>(text: &'a [u8]) -> ObjectError {
    let error = serde_json::from_slice::<T>(text).err();
    ObjectError::Syntax(error.map(|error| error.to_string().replace("line 1 ", "")).unwrap_or_default())
}

/// An object whose content is ignored.
struct IgnoredMembers;

impl<'de> Deserialize<'de> for IgnoredMembers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<IgnoredMembers, D::Error> {
        deserializer.deserialize_map(IgnoredMembers)
    }
}

impl<'de> Visitor<'de> for IgnoredMembers {
    type Value = IgnoredMembers;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<IgnoredMembers, A::Error> {
        while map.next_entry::<String, &RawValue>()?.is_some() {}
        Ok(IgnoredMembers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::tz::TimeZone;
    use logstead_record::{Batch, Origin, SECOND, Timestamp};
    use proptest::prelude::*;

    const RECEIVED: Timestamp = Timestamp::from_nanos(1_790_000_000 * SECOND);

    fn json() -> JsonParser {
        JsonParser {
            keys: ColumnKeys::default(),
            limits: ObjectLimits { line_bytes_max: 400, fields_max: 6, depth_max: 3 },
        }
    }

    fn parse(line: &[u8], builder: &mut BatchBuilder) -> Result<(), ObjectError> {
        json().parse(line, Clock::of_receipt(RECEIVED, &TimeZone::UTC), b"", builder)
    }

    fn parse_all(lines: &[&str]) -> Result<Batch, ObjectError> {
        let mut builder = BatchBuilder::new();
        builder.origin(Origin { source: b"http", peer: b"10.0.0.1", received: RECEIVED });
        for line in lines {
            parse(line.as_bytes(), &mut builder)?;
        }
        Ok(builder.seal())
    }

    /// Checks the row of one object, as `host program pid severity message | name=value …`.
    fn check(line: &str, expected: &str) {
        let batch = parse_all(&[line]).unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let severity = batch.priority(0).map_or("-", |priority| priority.severity().name());
        let known = [batch.host(0), batch.program(0), batch.pid(0)].map(|value| match value {
            b"" => "-".to_owned(),
            value => text(value),
        });
        let mut row = format!("{} {severity} {} |", known.join(" "), text(batch.message(0)));
        for (name, value) in batch.fields(0) {
            row += &format!(" {}={}", text(name), text(value));
        }
        assert_eq!(row, expected, "{line}");
        let mut raw = Vec::new();
        batch.write_raw(0, &mut raw);
        assert_eq!(raw, line.as_bytes());
    }

    #[test]
    fn known_names_are_taken_and_the_rest_are_fields() {
        check(
            r#"{"host":"web-1","service":"api","pid":7,"level":"WARN","msg":"slow","ms":12.50}"#,
            "web-1 api 7 warning slow | ms=12.50",
        );
        check(r#"{"a":{"b":1,"c":{"d":true}},"message":"m"}"#, "- - - - m | a.b=1 a.c.d=true");
        check(r#"{"a":[1,"x",null,{"b":2}],"message":"m"}"#, r#"- - - - m | a=1 a=x a={"b":2}"#);
        check(r#"{"log":{"level":"error"},"host":{"name":"db"},"message":"m"}"#, "db - - err m |");
        check(r#"{"message":"","msg":"second","Host":"H"}"#, "H - - - second | json.message=");
        check(r#"{"k":1,"k":2,"message":"twice"}"#, "- - - - twice | k=1 k=2");
        check(r#"{"level":30,"severity":"nonsense","message":"m"}"#, "- - - info m | json.severity=nonsense");
    }

    #[test]
    fn a_key_that_is_not_taken_for_its_column_is_a_field_that_a_query_finds() {
        check(r#"{"message":"one","message":"two"}"#, "- - - - one | json.message=two");
        check(r#"{"tag":"a","program":"b","message":"m"}"#, "- b - - m | json.tag=a");
        check(
            r#"{"source":"s","peer":"p","flag":"f","message":"m"}"#,
            "- - - - m | json.source=s json.peer=p json.flag=f",
        );
        check(
            r#"{"level":"HIGH","facility":"x","message":"m"}"#,
            "- - - - m | json.level=HIGH json.facility=x",
        );
    }

    /// Checks the number of the priority, and the number of fields.
    fn check_priority(line: &str, expected: Option<u8>, fields: usize) {
        let batch = parse_all(&[line]).unwrap();
        assert_eq!(batch.priority(0).map(|priority| priority.number()), expected, "{line}");
        assert_eq!(batch.fields(0).count(), fields, "{line}");
    }

    #[test]
    fn severity_and_facility_are_names_or_numbers_together_or_apart() {
        check_priority(r#"{"PRIORITY":"notice","FACILITY":"local3","m":1}"#, Some(19 * 8 + 5), 1);
        check_priority(r#"{"PRIORITY":"6","SYSLOG_FACILITY":"3"}"#, Some(3 * 8 + 6), 0);
        check_priority(r#"{"priority":30}"#, Some(30), 0);
        check_priority(r#"{"priority":30,"level":"error"}"#, Some(8 + 3), 1);
        check_priority(r#"{"levelname":"WARNING"}"#, Some(8 + 4), 0);
        check_priority(r#"{"facility":"mail"}"#, None, 1);
        check_priority(r#"{"priority":300}"#, None, 1);
    }

    #[test]
    fn exports_of_the_journal_and_of_syslog_ng_have_their_program_and_process() {
        check(
            r#"{"_HOSTNAME":"db","SYSLOG_IDENTIFIER":"cron","_PID":"7","PRIORITY":"3","MESSAGE":"m"}"#,
            "db cron 7 err m |",
        );
        check(r#"{"process":{"name":"sshd","pid":9},"message":"m"}"#, "- sshd 9 - m |");
        check(r#"{"short_message":"m","host":"h","lvl":"debug"}"#, "h - - debug m |");
    }

    #[test]
    fn without_a_message_the_whole_text_is_it() {
        check("{}", "- - - - {} |");
        check(r#" {"a":1} "#, r#"- - - -  {"a":1}  | a=1"#);
        check(r#"{"message":{"a":1}}"#, r#"- - - - {"message":{"a":1}} | message.a=1"#);
        check(r#"{"message":null}"#, r#"- - - - {"message":null} |"#);
    }

    #[test]
    fn a_message_may_be_empty() {
        check(r#"{"message":""}"#, "- - - -  |");
        check(r#"{"message":"","a":1,"level":"warn"}"#, "- - - warning  | a=1");
        check(r#"{"log":"","msg":""}"#, "- - - -  | log=");
        check(r#"{"log":"","msg":"text","host":""}"#, "- - - - text | log= json.host=");
    }

    #[test]
    fn a_message_with_escapes_is_unescaped_and_the_raw_bytes_stay() {
        check(r#"{"message":"a \"b\"\n\u00e4"}"#, "- - - - a \"b\"\nä |");
        check("{\"message\":\"ä€ plain\"}", "- - - - ä€ plain |");
    }

    #[test]
    fn times_are_read_in_all_their_spellings() {
        let noon = "2026-11-21T12:00:00Z";
        for (text, expected) in [
            (r#""2026-11-21T13:00:00+01:00""#, noon),
            (r#""2026-11-21 12:00:00,250""#, "2026-11-21T12:00:00.250Z"),
            ("1795262400", noon),
            (r#""1795262400""#, noon),
            ("1795262400.000000001", "2026-11-21T12:00:00.000000001Z"),
            ("1795262400000", noon),
            ("1795262400000.5", "2026-11-21T12:00:00.000500Z"),
            ("1795262400000000", noon),
            ("1795262400000000001", "2026-11-21T12:00:00.000000001Z"),
            ("-1.5", "1969-12-31T23:59:58.500Z"),
            (r#""21/Nov/2026:13:00:00 +0100""#, noon),
            (r#""2026/11/21 12:00:00""#, noon),
            (r#""Sep 21 12:00:00""#, "2026-09-21T12:00:00Z"),
        ] {
            let batch = parse_all(&[&format!(r#"{{"time":{text},"message":"m"}}"#)]).unwrap();
            assert_eq!(batch.own_time(0).unwrap().to_string(), expected, "{text}");
            assert_eq!(batch.fields(0).count(), 0);
        }
    }

    #[test]
    fn what_is_no_time_stays_a_field() {
        for text in [r#""yesterday""#, "1e9", r#""-""#, "true", "99999999999999999999"] {
            let batch = parse_all(&[&format!(r#"{{"time":{text},"@timestamp":5,"message":"m"}}"#)]).unwrap();
            assert_eq!(batch.own_time(0), Timestamp::from_seconds(5), "the next name is tried");
            assert_eq!(batch.fields(0).next().unwrap().0, b"json.time", "{text}");
        }
    }

    #[test]
    fn what_is_no_object_or_too_large_is_rejected_with_a_reason() {
        let long = format!(r#"{{"message":"{}"}}"#, "x".repeat(400));
        let names = format!(r#"{{"{}":{{"a":1,"b":2}}}}"#, "n".repeat(250));
        for (line, expected) in [
            ("", "EOF"),
            ("[]", "expected an object"),
            ("hello", "not a JSON object"),
            ("{\"message\":\"torn", "EOF"),
            (r#"{"a":1} x"#, "trailing characters"),
            (r#"{"a":"\ud800"}"#, "not a JSON object: unexpected end of hex escape at column 13"),
            (r#"{"a":{"\ude00":1}}"#, "not a JSON object: lone leading surrogate in hex escape at column 13"),
            (r#"{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7}"#, "more than 6 fields"),
            (r#"{"a":{"b":{"c":{}}}}"#, "deeper than 3 levels"),
            (&names, "names of its fields have more than 400 bytes"),
            (&long, "it has 414 bytes, and 400 are allowed"),
        ] {
            let reason = parse_all(&[line]).unwrap_err().to_string();
            assert!(reason.contains(expected), "{line}: {reason}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_rejected() {
        let mut builder = BatchBuilder::new();
        builder.origin(Origin { source: b"", peer: b"", received: RECEIVED });
        assert!(parse(b"{\"message\":\"\xFF\"}", &mut builder).is_err());
        assert_eq!(builder.rows(), 0);
    }

    const PIECES: [&str; 20] = [
        "1", "\"x\"", "null", "{}", "[]", "[1,{\"k\":1}]", "{\"b\":", "}", ",\"b\":", ",\"c\":2", ",", ":",
        "[", "]", "\"", "\\", "\"\\ud800\"", "\"\\ud83d\\ude00\"", ",\"\\ude00\":1", "\"\\u00e4\"",
    ];

    proptest! {
        #[test]
        fn any_bytes_are_a_row_with_these_bytes_or_rejected_without_a_trace(
            line in prop_oneof![
                proptest::collection::vec(any::<u8>(), 0..60),
                "[{}\\[\\]\":,a0-9.ntfe\\\\ -]{0,40}".prop_map(String::into_bytes),
                proptest::collection::vec(proptest::sample::select(PIECES.to_vec()), 0..12)
                    .prop_map(|pieces| format!("{{\"a\":{}}}", pieces.concat()).into_bytes()),
            ]
        ) {
            let mut builder = BatchBuilder::new();
            builder.origin(Origin { source: b"", peer: b"", received: RECEIVED });
            let parsed = parse(&line, &mut builder);
            let accepted = parsed.is_ok();
            if let Err(ObjectError::Syntax(reason)) = parsed {
                prop_assert!(!reason.is_empty(), "serde_json reads it");
            }
            parse(b"{\"message\":\"after\"}", &mut builder).unwrap();
            let batch = builder.seal();
            prop_assert_eq!(batch.rows(), 1 + usize::from(accepted));
            prop_assert_eq!(batch.fields(batch.rows() - 1).count(), 0);
            if accepted {
                let mut raw = Vec::new();
                batch.write_raw(0, &mut raw);
                prop_assert_eq!(raw, line);
            }
        }
    }
}
