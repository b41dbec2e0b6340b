//! OpenTelemetry's requests as JSON: protobuf's mapping, with ids in hex and enums as numbers. Numbers of 64 bits are
//! strings or numbers; unknown members are ignored.

use super::outline::{Outline, OutlinePart};
use super::record::{CommonAttributes, Record};
use super::value::{AttributeValue, Attributes, DEPTH_MAX, TextBytes};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use serde::de::{
    self, Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

/// Finds the resources, scopes and records without reading their content.
pub(super) fn outline(body: &[u8], outline: &mut Outline) -> Result<(), serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_slice(body);
    let first = Level { outline, body, level: 0, is_list: false };
    first.deserialize(&mut reader)?;
    reader.end()
}

/// For each level, the member of an object that describes it, and the member with the list of the next level's
/// objects.
const LEVELS: [(&str, &str); 3] = [("", "resourceLogs"), ("resource", "scopeLogs"), ("scope", "logRecords")];

/// Reads an object of a level, or a list of them.
struct Level<'o> {
    outline: &'o mut Outline,
    body: &'o [u8],
    level: usize,
    is_list: bool,
}

impl<'de> DeserializeSeed<'de> for Level<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Level<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = LEVELS[self.level].1;
        match self.is_list {
            true => write!(f, "an array of objects with `{list}`"),
            false => write!(f, "an object with `{list}`"),
        }
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        if !self.is_list {
            return Err(de::Error::invalid_type(de::Unexpected::Seq, &self));
        }
        let (body, level) = (self.body, self.level);
        while elements
            .next_element_seed(Level { outline: self.outline, body, level, is_list: false })?
            .is_some()
        {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        if self.is_list {
            return Err(de::Error::invalid_type(de::Unexpected::Map, &self));
        }
        let (own, list) = LEVELS[self.level];
        let place = match self.level {
            0 => None,
            1 => Some(self.outline.push(OutlinePart::Resource(0..0)).map_err(de::Error::custom)?),
            _ => Some(self.outline.push(OutlinePart::Scope(0..0)).map_err(de::Error::custom)?),
        };
        while let Some(name) = members.next_key::<Cow<'_, str>>()? {
            if let Some(place) = place.filter(|_| name == own) {
                if let Some(described) = members.next_value::<Option<&RawValue>>()? {
                    self.outline.describe(place, self::place(described, self.body));
                }
            } else if name == list && self.level + 1 == LEVELS.len() {
                members.next_value_seed(Records(&mut *self.outline, self.body))?;
            } else if name == list {
                let (body, level) = (self.body, self.level + 1);
                members.next_value_seed(Level { outline: &mut *self.outline, body, level, is_list: true })?;
            } else {
                members.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

/// Reads the list of records of a scope.
struct Records<'o>(&'o mut Outline, &'o [u8]);

impl<'de> DeserializeSeed<'de> for Records<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Records<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of log records")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        while let Some(record) = elements.next_element::<&RawValue>()? {
            let place = place(record, self.1);
            self.0.push(OutlinePart::Record(place)).map_err(de::Error::custom)?;
        }
        Ok(())
    }
}

/// The range of a value in the body.
fn place(value: &RawValue, body: &[u8]) -> Range<u32> {
    let start = value.get().as_ptr().addr() - body.as_ptr().addr();
    start as u32..(start + value.get().len()) as u32
}

pub(super) fn resource(text: &[u8]) -> Result<CommonAttributes, serde_json::Error> {
    let resource: Resource<'_> = serde_json::from_slice(text)?;
    Ok(CommonAttributes::of(&resource.attributes.pairs()))
}

pub(super) fn scope(text: &[u8]) -> Result<CommonAttributes, serde_json::Error> {
    let scope: Scope<'_> = serde_json::from_slice(text)?;
    Ok(CommonAttributes::of_scope(&scope.name.0, &scope.version.0, &scope.attributes.pairs()))
}

pub(super) fn record(text: &[u8]) -> Result<Record<'_>, serde_json::Error> {
    let record: LogRecord<'_> = serde_json::from_slice(text)?;
    let record = Record {
        time: record.time_unix_nano.0,
        observed: record.observed_time_unix_nano.0,
        severity: u32::try_from(record.severity_number.0).unwrap_or_default(),
        severity_text: record.severity_text.0,
        body: record.body.0,
        attributes: record.attributes.pairs(),
        trace_id: id(record.trace_id.0),
        span_id: id(record.span_id.0),
        flags: u32::try_from(record.flags.0).unwrap_or_default(),
        event_name: record.event_name.0,
    };
    let is_too_deep = |value: &AttributeValue<'_>| value.is_deeper_than(DEPTH_MAX);
    if is_too_deep(&record.body) || record.attributes.iter().any(|(_, value)| is_too_deep(value)) {
        return Err(de::Error::custom(format!("its values are nested deeper than {DEPTH_MAX} levels")));
    }
    Ok(record)
}

/// An id in hex; an id of zeros counts as none.
fn id(mut hex: TextBytes<'_>) -> TextBytes<'_> {
    if hex.iter().all(|digit| *digit == b'0') {
        return Cow::default();
    }
    if hex.iter().any(u8::is_ascii_uppercase) {
        hex.to_mut().make_ascii_lowercase();
    }
    hex
}

#[derive(serde::Deserialize)]
struct Resource<'a> {
    #[serde(borrow, default)]
    attributes: Nullable<Vec<KeyValue<'a>>>,
}

#[derive(serde::Deserialize)]
struct Scope<'a> {
    #[serde(borrow, default)]
    name: TextValue<'a>,
    #[serde(borrow, default)]
    version: TextValue<'a>,
    #[serde(borrow, default)]
    attributes: Nullable<Vec<KeyValue<'a>>>,
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct LogRecord<'a> {
    #[serde(default)]
    time_unix_nano: Number<u64>,
    #[serde(default)]
    observed_time_unix_nano: Number<u64>,
    #[serde(default)]
    severity_number: Number<u64>,
    #[serde(borrow, default)]
    severity_text: TextValue<'a>,
    #[serde(borrow, default)]
    body: AnyValue<'a>,
    #[serde(borrow, default)]
    attributes: Nullable<Vec<KeyValue<'a>>>,
    #[serde(borrow, default)]
    trace_id: TextValue<'a>,
    #[serde(borrow, default)]
    span_id: TextValue<'a>,
    #[serde(default)]
    flags: Number<u64>,
    #[serde(borrow, default)]
    event_name: TextValue<'a>,
}

#[derive(serde::Deserialize)]
struct KeyValue<'a> {
    #[serde(borrow, default)]
    key: TextValue<'a>,
    #[serde(borrow, default)]
    value: AnyValue<'a>,
}

#[derive(serde::Deserialize, Default)]
#[serde(rename = "List")]
struct ListValue<'a> {
    #[serde(borrow, default)]
    values: Nullable<Vec<AnyValue<'a>>>,
}

#[derive(serde::Deserialize, Default)]
#[serde(rename = "Map")]
struct MapValue<'a> {
    #[serde(borrow, default)]
    values: Nullable<Vec<KeyValue<'a>>>,
}

/// `null` means the same as a missing value.
#[derive(Default)]
struct Nullable<T>(T);

impl<'de, T: Deserialize<'de> + Default> Deserialize<'de> for Nullable<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Nullable<T>, D::Error> {
        Option::deserialize(deserializer).map(|value: Option<T>| Nullable(value.unwrap_or_default()))
    }
}

impl<'a> Nullable<Vec<KeyValue<'a>>> {
    fn pairs(self) -> Attributes<'a> {
        self.0.into_iter().map(|pair| (pair.key.0, pair.value.0)).collect()
    }
}

/// A text, borrowed if it has no escapes.
#[derive(Default)]
struct TextValue<'a>(TextBytes<'a>);

impl<'de: 'a, 'a> Deserialize<'de> for TextValue<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<TextValue<'a>, D::Error> {
        struct TextVisitor;
        impl<'de> Visitor<'de> for TextVisitor {
            type Value = TextValue<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<TextValue<'de>, E> {
                Ok(TextValue(Cow::Borrowed(text.as_bytes())))
            }

            fn visit_str<E>(self, text: &str) -> Result<TextValue<'de>, E> {
                Ok(TextValue(Cow::Owned(text.as_bytes().to_vec())))
            }

            fn visit_unit<E>(self) -> Result<TextValue<'de>, E> {
                Ok(TextValue::default())
            }
        }
        deserializer.deserialize_any(TextVisitor)
    }
}

/// A whole number, or a string that holds one.
#[derive(Default)]
struct Number<T>(T);

impl<'de, T> Deserialize<'de> for Number<T>
where
    T: Default + std::str::FromStr + TryFrom<u64> + TryFrom<i64>,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Number<T>, D::Error> {
        struct NumberVisitor<T>(PhantomData<T>);
        impl<T> Visitor<'_> for NumberVisitor<T>
        where
            T: Default + std::str::FromStr + TryFrom<u64> + TryFrom<i64>,
        {
            type Value = Number<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a whole number, or a string with one")
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Number<T>, E> {
                T::try_from(number).map(Number).map_err(|_| E::custom(format!("{number} is too large")))
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Number<T>, E> {
                T::try_from(number).map(Number).map_err(|_| E::custom(format!("{number} is out of range")))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Number<T>, E> {
                text.parse().map(Number).map_err(|_| E::invalid_value(de::Unexpected::Str(text), &self))
            }

            fn visit_unit<E>(self) -> Result<Number<T>, E> {
                Ok(Number::default())
            }
        }
        deserializer.deserialize_any(NumberVisitor(PhantomData))
    }
}

/// A number with a fraction, or a string that holds one, as JSON has no `NaN`. It is not left to `serde_json`, which
/// would not read it exactly.
fn double<E: de::Error>(value: &RawValue) -> Result<f64, E> {
    let text = value.get();
    let number = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text).parse();
    number.map_err(|_| E::custom(format!("{text} is not a number")))
}

/// A value: an object whose only member states its type.
#[derive(Default)]
struct AnyValue<'a>(AttributeValue<'a>);

impl<'de: 'a, 'a> Deserialize<'de> for AnyValue<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<AnyValue<'a>, D::Error> {
        struct ValueVisitor;
        impl<'de> Visitor<'de> for ValueVisitor {
            type Value = AnyValue<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value, such as {\"stringValue\": \"text\"}")
            }

            fn visit_unit<E>(self) -> Result<AnyValue<'de>, E> {
                Ok(AnyValue::default())
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<AnyValue<'de>, A::Error> {
                let mut value = AttributeValue::Nothing;
                while let Some(kind) = map.next_key::<Cow<'_, str>>()? {
                    value = match &*kind {
                        "stringValue" => AttributeValue::Text(map.next_value::<TextValue<'_>>()?.0),
                        "boolValue" => AttributeValue::Bool(map.next_value()?),
                        "intValue" => AttributeValue::Int(map.next_value::<Number<i64>>()?.0),
                        "doubleValue" => AttributeValue::Double(double(map.next_value()?)?),
                        "bytesValue" => {
                            AttributeValue::Bytes(Cow::Owned(bytes(&map.next_value::<TextValue<'_>>()?.0)?))
                        }
                        "arrayValue" => {
                            let list = map.next_value::<Option<ListValue<'_>>>()?.unwrap_or_default();
                            AttributeValue::List(list.values.0.into_iter().map(|value| value.0).collect())
                        }
                        "kvlistValue" => {
                            let map = map.next_value::<Option<MapValue<'_>>>()?.unwrap_or_default();
                            AttributeValue::Map(map.values.pairs())
                        }
                        _ => {
                            map.next_value::<IgnoredAny>()?;
                            continue;
                        }
                    };
                }
                Ok(AnyValue(value))
            }
        }
        deserializer.deserialize_any(ValueVisitor)
    }
}

/// Base64 in either of its alphabets.
fn bytes<E: de::Error>(text: &[u8]) -> Result<Vec<u8>, E> {
    let decoded = STANDARD.decode(text).or_else(|_| URL_SAFE.decode(text));
    decoded.map_err(|error| E::custom(format!("it is not Base64: {error}")))
}
