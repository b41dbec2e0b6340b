//! OpenTelemetry's values in whichever encoding they came, and the fields of a message that they become.
//!
//! | attribute                | becomes                                                   |
//! |--------------------------|-----------------------------------------------------------|
//! | a text, a number, a bool | a field with its text                                     |
//! | bytes                    | a field with their Base64                                 |
//! | a list                   | a field for each element; a list or map in it as JSON     |
//! | a map                    | fields whose names begin with that of the map and a dot   |
//! | without a value          | nothing                                                   |

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use logstead_parse::{NAME_BYTES_MAX, PairSink};
use std::borrow::Cow;
use std::io::Write as _;

/// The maximum depth to which values may be nested.
pub(super) const DEPTH_MAX: usize = 32;

/// A text, borrowed from the request if it is there unchanged.
pub(super) type TextBytes<'a> = Cow<'a, [u8]>;

/// Attributes: names and values.
pub(super) type Attributes<'a> = Vec<(TextBytes<'a>, AttributeValue<'a>)>;

/// A value.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum AttributeValue<'a> {
    #[default]
    Nothing,
    Text(TextBytes<'a>),
    Bool(bool),
    Int(i64),
    Double(f64),
    Bytes(TextBytes<'a>),
    List(Vec<AttributeValue<'a>>),
    Map(Attributes<'a>),
}

impl AttributeValue<'_> {
    /// Passes on the fields of this value, under this name.
    pub(super) fn fields(&self, name: &[u8], sink: &mut impl PairSink) {
        match self {
            AttributeValue::Nothing => {}
            AttributeValue::Text(text) => sink.add(name, text),
            AttributeValue::Map(members) => {
                for (member, value) in members {
                    let name = [name, b".", member].concat();
                    // A longer name is not stored, and each level of a map would copy it.
                    if name.len() <= NAME_BYTES_MAX {
                        value.fields(&name, sink);
                    }
                }
            }
            AttributeValue::List(elements) => {
                for element in elements.iter().filter(|element| **element != AttributeValue::Nothing) {
                    sink.add_with(name, |out| element.write_text(out));
                }
            }
            AttributeValue::Bool(_)
            | AttributeValue::Int(_)
            | AttributeValue::Double(_)
            | AttributeValue::Bytes(_) => {
                sink.add_with(name, |out| self.write_text(out));
            }
        }
    }

    /// Whether values are nested in this one to more levels than this, counting itself.
    pub(super) fn is_deeper_than(&self, levels: usize) -> bool {
        let Some(below) = levels.checked_sub(1) else { return true };
        match self {
            AttributeValue::List(elements) => elements.iter().any(|element| element.is_deeper_than(below)),
            AttributeValue::Map(members) => members.iter().any(|(_, member)| member.is_deeper_than(below)),
            _ => false,
        }
    }

    /// Appends this value as a text of its own.
    pub(super) fn write_text(&self, out: &mut Vec<u8>) {
        match self {
            AttributeValue::Nothing => {}
            AttributeValue::Text(text) => out.extend_from_slice(text),
            AttributeValue::Bytes(bytes) => out.extend_from_slice(STANDARD.encode(bytes).as_bytes()),
            AttributeValue::Double(value) if !value.is_finite() => {
                out.extend_from_slice(value.to_string().as_bytes())
            }
            _ => self.write_json(out),
        }
    }

    fn write_json(&self, out: &mut Vec<u8>) {
        match self {
            AttributeValue::Nothing => out.extend_from_slice(b"null"),
            AttributeValue::Text(text) => write_string(text, out),
            AttributeValue::Bytes(bytes) => write_string(STANDARD.encode(bytes).as_bytes(), out),
            AttributeValue::Bool(value) => out.extend_from_slice(if *value { b"true" } else { b"false" }),
            // Writing to memory cannot fail.
            AttributeValue::Int(value) => drop(write!(out, "{value}")),
            AttributeValue::Double(value) if value.is_finite() => drop(serde_json::to_writer(out, value)),
            AttributeValue::Double(value) => write_string(value.to_string().as_bytes(), out),
            AttributeValue::List(elements) => {
                out.push(b'[');
                for (at, element) in elements.iter().enumerate() {
                    if 0 < at {
                        out.push(b',');
                    }
                    element.write_json(out);
                }
                out.push(b']');
            }
            AttributeValue::Map(members) => {
                out.push(b'{');
                for (at, (name, value)) in members.iter().enumerate() {
                    if 0 < at {
                        out.push(b',');
                    }
                    write_string(name, out);
                    out.push(b':');
                    value.write_json(out);
                }
                out.push(b'}');
            }
        }
    }
}

/// The text of a column for a value: that of a string, a number or a bool.
pub(super) fn column(value: &AttributeValue<'_>) -> Vec<u8> {
    let mut text = Vec::new();
    value.write_text(&mut text);
    text
}

fn write_string(text: &[u8], out: &mut Vec<u8>) {
    let text = String::from_utf8_lossy(text);
    serde_json::to_writer(out, &text).expect("a text is written to memory");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> AttributeValue<'_> {
        AttributeValue::Text(Cow::Borrowed(text.as_bytes()))
    }

    #[test]
    fn values_become_fields_by_what_they_are() {
        let check = |value: AttributeValue<'_>, expected: &[(&str, &str)]| {
            let mut pairs: Vec<logstead_parse::Pair> = Vec::new();
            value.fields(b"a", &mut pairs);
            let found: Vec<_> = pairs
                .iter()
                .map(|(name, value)| (String::from_utf8_lossy(name), String::from_utf8_lossy(value)))
                .collect();
            let expected: Vec<_> = expected.iter().map(|(n, v)| (Cow::from(*n), Cow::from(*v))).collect();
            assert_eq!(found, expected, "{value:?}");
        };
        let map = |value| AttributeValue::Map(vec![(Cow::Borrowed(&b"b"[..]), value)]);
        check(AttributeValue::Nothing, &[]);
        check(text("x\"y"), &[("a", "x\"y")]);
        check(AttributeValue::Bool(true), &[("a", "true")]);
        check(AttributeValue::Int(-5), &[("a", "-5")]);
        check(AttributeValue::Double(1.5), &[("a", "1.5")]);
        check(AttributeValue::Bytes(Cow::Borrowed(b"\xff\0")), &[("a", "/wA=")]);
        check(map(map(AttributeValue::Int(1))), &[("a.b.b", "1")]);
        check(
            AttributeValue::List(vec![text("x"), AttributeValue::Int(2), AttributeValue::Nothing]),
            &[("a", "x"), ("a", "2")],
        );
        let nested = vec![
            AttributeValue::List(vec![text("\"\n"), AttributeValue::Nothing]),
            map(AttributeValue::Bytes(Cow::Borrowed(b"\0"))),
        ];
        check(AttributeValue::List(nested), &[("a", r#"["\"\n",null]"#), ("a", r#"{"b":"AA=="}"#)]);
    }
}
