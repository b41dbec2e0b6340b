//! Splits a body into lines, the elements of a JSON array, or JSON values in a row.

use crate::messages::BodyError;
use serde::de::{Deserialize, Deserializer, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;
use std::ops::Range;

/// The line at a position; the position moves past it.
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

/// The JSON value at a position, and its end; `None` if nothing is left.
pub(crate) fn value(body: &[u8], start: usize) -> Option<Result<(&[u8], usize), serde_json::Error>> {
    let mut values = serde_json::Deserializer::from_slice(body.get(start..)?).into_iter::<&RawValue>();
    let value = values.next()?;
    let end = start + values.byte_offset();
    Some(value.map(|value| (value.get().as_bytes(), end)))
}

/// The ranges of an array's elements, or of a single value. They are found in the same pass that refuses invalid
/// JSON, so that no other pass has to look for their ends.
#[derive(Debug)]
pub(crate) struct Elements {
    places: Vec<Range<u32>>,
    next: usize,
    body_bytes: usize,
}

impl Elements {
    /// Refuses invalid JSON, and more elements than are allowed.
    pub(crate) fn of(body: &[u8], messages_max: usize, hint: &str) -> Result<Elements, BodyError> {
        if u32::try_from(body.len()).is_err() {
            return Err(BodyError::malformed("the body is longer than 4 GiB: send it in parts"));
        }
        let mut reader = serde_json::Deserializer::from_slice(body);
        let mut find = ElementFinder { body, places: Vec::new(), count: 0, messages_max };
        let found = if body.trim_ascii_start().starts_with(b"[") {
            reader.deserialize_seq(&mut find)
        } else {
            <&RawValue>::deserialize(&mut reader).map(|value| find.add(value))
        };
        found.and_then(|()| reader.end()).map_err(|error| BodyError::of_json(&error, hint))?;
        BodyError::above(find.count, messages_max)?;
        Ok(Elements { places: find.places, next: 0, body_bytes: body.len() })
    }

    /// No elements, for a body in another format.
    pub(crate) fn none() -> Elements {
        Elements { places: Vec::new(), next: 0, body_bytes: 0 }
    }

    /// The next element of the body.
    pub(crate) fn next<'b>(&mut self, body: &'b [u8]) -> Option<&'b [u8]> {
        let place = self.places.get(self.next)?;
        self.next += 1;
        body.get(place.start as usize..place.end as usize)
    }

    /// The number of elements.
    pub(crate) fn number(&self) -> usize {
        self.next
    }

    /// The number of bytes of the body that are left; 0 only after the last element.
    pub(crate) fn rest_bytes(&self) -> usize {
        self.places.get(self.next).map_or(0, |place| self.body_bytes - place.start as usize)
    }

    /// The number of elements that are left.
    pub(crate) fn left(&self) -> usize {
        self.places.len() - self.next.min(self.places.len())
    }

    /// Starts again at the beginning.
    pub(crate) fn restart(&mut self) {
        self.next = 0;
    }
}

/// Notes the ranges of elements, and nothing else about them.
struct ElementFinder<'b> {
    body: &'b [u8],
    places: Vec<Range<u32>>,
    count: usize,
    messages_max: usize,
}

impl ElementFinder<'_> {
    fn add(&mut self, value: &RawValue) {
        self.count += 1;
        if self.count <= self.messages_max {
            let start = value.get().as_ptr().addr() - self.body.as_ptr().addr();
            self.places.push(start as u32..(start + value.get().len()) as u32);
        }
    }
}

impl<'de> Visitor<'de> for &mut ElementFinder<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        while let Some(element) = elements.next_element::<&RawValue>()? {
            self.add(element);
        }
        Ok(())
    }
}

/// Reads a JSON string, which is borrowed if it has no escapes.
pub(crate) fn text<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<std::borrow::Cow<'de, str>, D::Error> {
    struct TextVisitor;
    impl<'de> Visitor<'de> for TextVisitor {
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
    deserializer.deserialize_str(TextVisitor)
}
