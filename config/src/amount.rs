//! A size, or `auto` for one that suits the memory of the machine.

use serde::{Serialize, Serializer};

use crate::node::DocumentNode;
use crate::problem::{Findings, Path, quoted};
use crate::read::ReadValue;
use crate::unit::Size;

/// A size, or one that suits the memory of the machine.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Debug)]
pub enum Amount {
    /// A share of the memory that the process may take.
    Auto,
    /// Exactly this size.
    Exactly(Size),
}

impl Amount {
    /// The size, unless it is `auto`.
    pub const fn exactly(self) -> Option<Size> {
        match self {
            Amount::Auto => None,
            Amount::Exactly(size) => Some(size),
        }
    }
}

impl From<Size> for Amount {
    fn from(size: Size) -> Amount {
        Amount::Exactly(size)
    }
}

impl ReadValue for Amount {
    fn read(node: &DocumentNode, path: &Path, findings: &mut Findings) -> Option<Amount> {
        let text = String::read(node, path, findings)?;
        if text == "auto" {
            return Some(Amount::Auto);
        }
        let size = text.parse::<Size>();
        if let Err(error) = &size {
            findings.value(path, format!("must be `auto` or a size, not {}: {error}", quoted(&text)));
        }
        size.ok().map(Amount::Exactly)
    }
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Amount::Auto => serializer.serialize_str("auto"),
            Amount::Exactly(size) => size.serialize(serializer),
        }
    }
}
