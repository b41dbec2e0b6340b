//! OpenTelemetry's requests as protobuf. The field numbers are those of `opentelemetry-proto`, which never change.

use super::outline::{Outline, OutlineError, OutlinePart, Unreadable};
use super::record::{CommonAttributes, Record};
use super::value::{AttributeValue, Attributes, DEPTH_MAX, TextBytes};
use crate::protobuf::{WireError, WireFields, WireValue};
use std::borrow::Cow;
use std::ops::Range;

/// Finds the resources, scopes and records without reading their content.
pub(super) fn outline(body: &[u8], outline: &mut Outline) -> Result<(), OutlineError> {
    let place = |part: &[u8]| {
        let start = part.as_ptr().addr() - body.as_ptr().addr();
        start as u32..(start + part.len()) as u32
    };
    for resource_logs in messages(body, 1) {
        let at = outline.push(OutlinePart::Resource(0..0))?;
        // The field that describes the others may come after them.
        for field in WireFields::of(resource_logs?) {
            match field.map_err(Unreadable::from)? {
                (1, value) => outline.describe(at, place(bytes(1, value)?)),
                (2, value) => scope_logs(bytes(2, value)?, outline, &place)?,
                _ => {}
            }
        }
    }
    Ok(())
}

fn scope_logs(
    message: &[u8],
    outline: &mut Outline,
    place: &impl Fn(&[u8]) -> Range<u32>,
) -> Result<(), OutlineError> {
    let at = outline.push(OutlinePart::Scope(0..0))?;
    for field in WireFields::of(message) {
        match field.map_err(Unreadable::from)? {
            (1, value) => outline.describe(at, place(bytes(1, value)?)),
            (2, value) => drop(outline.push(OutlinePart::Record(place(bytes(2, value)?)))?),
            _ => {}
        }
    }
    Ok(())
}

/// The messages in the fields with this number of another message.
fn messages(message: &[u8], number: u32) -> impl Iterator<Item = Result<&[u8], Unreadable>> {
    let is_one = move |field: &Result<(u32, WireValue<'_>), WireError>| {
        field.as_ref().map_or(true, |(found, _)| *found == number)
    };
    WireFields::of(message)
        .filter(is_one)
        .map(|field| field.map_err(Unreadable::from).and_then(|(number, value)| bytes(number, value)))
}

pub(super) fn resource(message: &[u8]) -> Result<CommonAttributes, Unreadable> {
    let mut attributes = Attributes::new();
    for field in WireFields::of(message) {
        if let (1, value) = field? {
            attributes.push(pair(bytes(1, value)?, DEPTH_MAX)?);
        }
    }
    Ok(CommonAttributes::of(&attributes))
}

pub(super) fn scope(message: &[u8]) -> Result<CommonAttributes, Unreadable> {
    let (mut name, mut version, mut attributes) = (&b""[..], &b""[..], Attributes::new());
    for field in WireFields::of(message) {
        let (number, value) = field?;
        match number {
            1 => name = bytes(number, value)?,
            2 => version = bytes(number, value)?,
            3 => attributes.push(pair(bytes(number, value)?, DEPTH_MAX)?),
            _ => {}
        }
    }
    Ok(CommonAttributes::of_scope(name, version, &attributes))
}

pub(super) fn record(message: &[u8]) -> Result<Record<'_>, Unreadable> {
    let mut record = Record::default();
    for field in WireFields::of(message) {
        let (number, value) = field?;
        match number {
            1 => record.time = self::number(number, value)?,
            2 => record.severity = u32::try_from(self::number(number, value)?).unwrap_or_default(),
            3 => record.severity_text = text(number, value)?,
            5 => record.body = any(bytes(number, value)?, DEPTH_MAX)?,
            6 => record.attributes.push(pair(bytes(number, value)?, DEPTH_MAX)?),
            8 => record.flags = u32::try_from(self::number(number, value)?).unwrap_or_default(),
            9 => record.trace_id = hex(bytes(number, value)?),
            10 => record.span_id = hex(bytes(number, value)?),
            11 => record.observed = self::number(number, value)?,
            12 => record.event_name = text(number, value)?,
            _ => {}
        }
    }
    Ok(record)
}

fn bytes(number: u32, value: WireValue<'_>) -> Result<&[u8], Unreadable> {
    value.bytes().ok_or(Unreadable::Type(number))
}

fn text(number: u32, value: WireValue<'_>) -> Result<TextBytes<'_>, Unreadable> {
    bytes(number, value).map(Cow::Borrowed)
}

fn number(number: u32, value: WireValue<'_>) -> Result<u64, Unreadable> {
    value.number().ok_or(Unreadable::Type(number))
}

fn pair(message: &[u8], depth_left: usize) -> Result<(TextBytes<'_>, AttributeValue<'_>), Unreadable> {
    let (mut name, mut of_name) = (Cow::default(), AttributeValue::Nothing);
    for field in WireFields::of(message) {
        let (number, value) = field?;
        match number {
            1 => name = text(number, value)?,
            2 => of_name = any(bytes(number, value)?, depth_left)?,
            _ => {}
        }
    }
    Ok((name, of_name))
}

fn any(message: &[u8], depth_left: usize) -> Result<AttributeValue<'_>, Unreadable> {
    let depth_left = depth_left.checked_sub(1).ok_or(Unreadable::TooDeep)?;
    let mut value = AttributeValue::Nothing;
    for field in WireFields::of(message) {
        let (number, said) = field?;
        value = match number {
            1 => AttributeValue::Text(text(number, said)?),
            2 => AttributeValue::Bool(self::number(number, said)? != 0),
            3 => AttributeValue::Int(self::number(number, said)?.cast_signed()),
            4 => AttributeValue::Double(f64::from_bits(self::number(number, said)?)),
            5 => {
                let elements = messages(bytes(number, said)?, 1);
                AttributeValue::List(
                    elements.map(|element| any(element?, depth_left)).collect::<Result<_, _>>()?,
                )
            }
            6 => {
                let members = messages(bytes(number, said)?, 1);
                AttributeValue::Map(
                    members.map(|member| pair(member?, depth_left)).collect::<Result<_, _>>()?,
                )
            }
            7 => AttributeValue::Bytes(text(number, said)?),
            _ => continue,
        };
    }
    Ok(value)
}

/// An id in hex; an id of zeros counts as none.
fn hex(id: &[u8]) -> TextBytes<'static> {
    if id.iter().all(|byte| *byte == 0) {
        return Cow::default();
    }
    let digit = |half: u8| b"0123456789abcdef"[usize::from(half)];
    Cow::Owned(id.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect())
}
