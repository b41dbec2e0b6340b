//! Numbers (such as the number of threads) and sizes that may be `auto`, to suit the machine.

use std::ops::RangeInclusive;

use serde::{Serialize, Serializer};

use crate::node::{DocumentNode, NodeValue};
use crate::problem::{Findings, Path, quoted};
use crate::read::ReadValue;
use crate::unit::Size;

/// A number, or one that suits the machine.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Debug)]
pub enum CountOrAuto {
    /// The number that the machine can use.
    Auto,
    /// Exactly this number.
    Exactly(u32),
}

impl CountOrAuto {
    /// The limits of the number, as written in the catalogue.
    pub(crate) const MIN: &'static str = "1";
    pub(crate) const MAX: &'static str = "256";
    const RANGE: RangeInclusive<u32> = number(CountOrAuto::MIN)..=number(CountOrAuto::MAX);
}

const fn number(text: &str) -> u32 {
    match u32::from_str_radix(text, 10) {
        Ok(number) => number,
        Err(_) => panic!("a limit must be a number"),
    }
}

impl ReadValue for CountOrAuto {
    fn read(node: &DocumentNode, path: &Path, findings: &mut Findings) -> Option<CountOrAuto> {
        let text = match &node.value {
            NodeValue::Integer(number) => number.to_string(),
            _ => String::read(node, path, findings)?,
        };
        let count = match text.as_str() {
            "auto" => Some(CountOrAuto::Auto),
            number => number
                .parse()
                .ok()
                .filter(|count| CountOrAuto::RANGE.contains(count))
                .map(CountOrAuto::Exactly),
        };
        if count.is_none() {
            let (min, max) = (CountOrAuto::MIN, CountOrAuto::MAX);
            findings.value(
                path,
                format!("must be `auto` or a number from {min} to {max}, not {}", quoted(&text)),
            );
        }
        count
    }
}

impl Serialize for CountOrAuto {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            CountOrAuto::Auto => serializer.serialize_str("auto"),
            CountOrAuto::Exactly(count) => serializer.serialize_u32(*count),
        }
    }
}
impl utoipa::PartialSchema for CountOrAuto {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
        use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Type};
        let (min, max) = (Some(*CountOrAuto::RANGE.start()), Some(*CountOrAuto::RANGE.end()));
        let number = ObjectBuilder::new().schema_type(Type::Integer).minimum(min).maximum(max);
        let auto = ObjectBuilder::new().schema_type(Type::String).enum_values(Some(["auto"]));
        OneOfBuilder::new().item(auto).item(number).into()
    }
}
impl utoipa::ToSchema for CountOrAuto {
    fn name() -> std::borrow::Cow<'static, str> {
        "Count".into()
    }
}

/// A size, or one that suits the memory of the machine.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Debug)]
pub enum SizeOrAuto {
    /// A share of the memory that the process may take.
    Auto,
    /// Exactly this size.
    Exactly(Size),
}

impl SizeOrAuto {
    /// The size, unless it is `auto`.
    pub const fn exactly(self) -> Option<Size> {
        match self {
            SizeOrAuto::Auto => None,
            SizeOrAuto::Exactly(size) => Some(size),
        }
    }
}

impl From<Size> for SizeOrAuto {
    fn from(size: Size) -> SizeOrAuto {
        SizeOrAuto::Exactly(size)
    }
}

impl ReadValue for SizeOrAuto {
    fn read(node: &DocumentNode, path: &Path, findings: &mut Findings) -> Option<SizeOrAuto> {
        let text = String::read(node, path, findings)?;
        if text == "auto" {
            return Some(SizeOrAuto::Auto);
        }
        let size = text.parse::<Size>();
        if let Err(error) = &size {
            findings.value(path, format!("must be `auto` or a size, not {}: {error}", quoted(&text)));
        }
        size.ok().map(SizeOrAuto::Exactly)
    }
}

impl Serialize for SizeOrAuto {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            SizeOrAuto::Auto => serializer.serialize_str("auto"),
            SizeOrAuto::Exactly(size) => size.serialize(serializer),
        }
    }
}
