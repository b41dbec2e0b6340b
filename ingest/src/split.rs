//! Parts of a body: its lines, the elements of a JSON array, and JSON values that stand one after the other.

use crate::messages::Refused;
use serde::de::{Deserialize, Deserializer, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

/// The line at a position, which moves past it.
pub(crate) fn line<'b>(body: &'b [u8], at: &mut usize) -> Option<&'b [u8]> {
    let rest = body.get(*at..).filter(|rest| !rest.is_empty())?;
    let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    *at += (end + 1).min(rest.len());
    Some(&rest[..end])
}

/// The number of lines that are not blank; counting ends above `max`.
pub(crate) fn count_lines(body: &[u8], max: usize) -> usize {
    let mut at = 0;
    let lines = std::iter::from_fn(|| line(body, &mut at));
    lines.filter(|line| !line.trim_ascii().is_empty()).take(max.saturating_add(1)).count()
}

/// The element at or after a position in a JSON text that was [checked](count_objects).
pub(crate) fn element<'b>(body: &'b [u8], at: &mut usize) -> Option<&'b [u8]> {
    let between = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b',');
    let mut start = *at + body.get(*at..)?.iter().take_while(|byte| between(byte)).count();
    if start < body.len() && body[..start].trim_ascii().is_empty() && body[start] == b'[' {
        start += 1;
    }
    let (value, end) = value(body, start)?.ok()?;
    *at = end;
    Some(value)
}

/// The JSON value at a position, and where it ends; `None` where nothing is left.
pub(crate) fn value(body: &[u8], start: usize) -> Option<Result<(&[u8], usize), serde_json::Error>> {
    let mut values = serde_json::Deserializer::from_slice(body.get(start..)?).into_iter::<&RawValue>();
    let value = values.next()?;
    let end = start + values.byte_offset();
    Some(value.map(|value| (value.get().as_bytes(), end)))
}

/// The number of objects in an array; 1 for anything else. Refuses invalid JSON.
pub(crate) fn count_objects(body: &[u8], hint: &str) -> Result<usize, Refused> {
    let mut reader = serde_json::Deserializer::from_slice(body);
    let counted = if body.trim_ascii_start().starts_with(b"[") {
        reader.deserialize_seq(CountElements)
    } else {
        <&RawValue>::deserialize(&mut reader).map(|_| 1)
    };
    counted.and_then(|count| reader.end().map(|()| count)).map_err(|error| Refused::of_json(&error, hint))
}

/// Counts the elements of an array without keeping them.
struct CountElements;

impl<'de> Visitor<'de> for CountElements {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<usize, A::Error> {
        let mut count = 0;
        while elements.next_element::<&RawValue>()?.is_some() {
            count += 1;
        }
        Ok(count)
    }
}

/// A text of JSON that is borrowed where it has no escapes.
pub(crate) fn text<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<std::borrow::Cow<'de, str>, D::Error> {
    struct Text;
    impl<'de> Visitor<'de> for Text {
        type Value = std::borrow::Cow<'de, str>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a string")
        }

        fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
            Ok(text.into())
        }

        fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
            Ok(text.to_owned().into())
        }
    }
    deserializer.deserialize_str(Text)
}
