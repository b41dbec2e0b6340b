//! A number of threads or the like, or what fits the machine.

use std::ops::RangeInclusive;

use serde::{Serialize, Serializer};

use crate::node::{Node, Value};
use crate::problem::{Findings, Path, quoted};
use crate::read::Read;

/// A number, or what fits the machine.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Debug)]
pub enum Count {
    /// What the machine can make use of.
    Auto,
    /// Exactly this number.
    Exactly(u32),
}

impl Count {
    /// Its limits, as the catalogue writes them.
    pub(crate) const MIN: &'static str = "1";
    pub(crate) const MAX: &'static str = "256";
    const RANGE: RangeInclusive<u32> = number(Count::MIN)..=number(Count::MAX);
}

const fn number(text: &str) -> u32 {
    match u32::from_str_radix(text, 10) {
        Ok(number) => number,
        Err(_) => panic!("a limit must be a number"),
    }
}

impl Read for Count {
    fn read(node: &Node, path: &Path, findings: &mut Findings) -> Option<Count> {
        let text = match &node.value {
            Value::Integer(number) => number.to_string(),
            _ => String::read(node, path, findings)?,
        };
        let count = match text.as_str() {
            "auto" => Some(Count::Auto),
            number => number.parse().ok().filter(|count| Count::RANGE.contains(count)).map(Count::Exactly),
        };
        if count.is_none() {
            let (min, max) = (Count::MIN, Count::MAX);
            findings.value(
                path,
                format!("must be `auto` or a number from {min} to {max}, not {}", quoted(&text)),
            );
        }
        count
    }
}

impl Serialize for Count {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Count::Auto => serializer.serialize_str("auto"),
            Count::Exactly(count) => serializer.serialize_u32(*count),
        }
    }
}

#[cfg(feature = "schema")]
impl utoipa::PartialSchema for Count {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
        use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Type};
        let (min, max) = (Some(*Count::RANGE.start()), Some(*Count::RANGE.end()));
        let number = ObjectBuilder::new().schema_type(Type::Integer).minimum(min).maximum(max);
        let auto = ObjectBuilder::new().schema_type(Type::String).enum_values(Some(["auto"]));
        OneOfBuilder::new().item(auto).item(number).into()
    }
}

#[cfg(feature = "schema")]
impl utoipa::ToSchema for Count {}
