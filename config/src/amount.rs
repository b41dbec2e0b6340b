//! A size, or `auto` for one that suits the memory of the machine.

use serde::{Serialize, Serializer};

use crate::node::DocumentNode;
use crate::problem::{Findings, Path, quoted};
use crate::read::ReadValue;
use crate::unit::Size;

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
