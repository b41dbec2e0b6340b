//! Reads one typed value out of a [`DocumentNode`].
//!
//! **Invariant:** every value that cannot be read has a finding with the reason.

use std::net::IpAddr;

use ipnet::IpNet;

use crate::node::{DocumentNode, NodeValue};
use crate::problem::{Findings, Path, did_you_mean, one_of, quoted};

/// The greatest number of entries in a list.
const LIST_ITEMS_MAX: usize = 1000;

/// A type that can be read from a node. `None` means that there is a finding.
pub(crate) trait ReadValue: Sized {
    fn read(node: &DocumentNode, path: &Path, findings: &mut Findings) -> Option<Self>;
}

/// A type with a fixed set of values, each with a name.
pub(crate) trait Choice: Copy + 'static {
    /// The noun for the values, as in "is not a {NOUN}".
    const NOUN: &'static str;
    const NAMES: &'static [(&'static str, Self)];
}

/// Defines enums that are a [`Choice`], so that each name is written once: the noun behind the name of the enum, and
/// that of each value behind it.
macro_rules! choices {
    ($($(#[$about:meta])* pub enum $choice:ident: $noun:literal { $($(#[$of:meta])* $value:ident = $name:tt,)+ })+) => {$(
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, utoipa::ToSchema)]
        $(#[$about])*
        pub enum $choice {
            $($(#[$of])* #[serde(rename = $name)] $value,)+
        }

        impl $crate::read::Choice for $choice {
            const NOUN: &'static str = $noun;
            const NAMES: &'static [(&'static str, $choice)] = &[$(($name, $choice::$value)),+];
        }

        impl $choice {
            /// The name, as it is configured.
            pub fn name(self) -> &'static str {
                match self {
                    $($choice::$value => $name,)+
                }
            }
        }
    )+};
}

pub(crate) use choices;

/// Reads a string and parses it.
pub(crate) fn parsed<T>(
    node: &DocumentNode,
    path: &Path,
    findings: &mut Findings,
    parse: impl FnOnce(&str) -> Result<T, String>,
) -> Option<T> {
    let text = String::read(node, path, findings)?;
    parse(&text).map_err(|message| findings.value(path, message)).ok()
}

/// Reads values of a type as texts, which a function parses.
macro_rules! from_text {
    ($type:ident, $parse:expr) => {
        impl $crate::read::ReadValue for $type {
            fn read(
                node: &$crate::node::DocumentNode,
                path: &$crate::problem::Path,
                findings: &mut $crate::problem::Findings,
            ) -> Option<$type> {
                $crate::read::parsed(node, path, findings, $parse)
            }
        }
    };
}

/// The same for a type that is also written as a text.
macro_rules! text_value {
    ($type:ident, $parse:expr) => {
        $crate::read::from_text!($type, $parse);

        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
    };
}

pub(crate) use {from_text, text_value};

/// The value with this name, or an error with the possible ones.
pub(crate) fn choose<T: Choice>(text: &str) -> Result<T, String> {
    let names = || T::NAMES.iter().map(|(name, _)| *name);
    if let Some((_, value)) = T::NAMES.iter().find(|(name, _)| *name == text) {
        return Ok(*value);
    }
    let suggestion = did_you_mean(text, names());
    Err(format!("{} is not a {}{suggestion}: use {}", quoted(text), T::NOUN, one_of(names())))
}

impl<T: Choice> ReadValue for T {
    fn read(node: &DocumentNode, path: &Path, findings: &mut Findings) -> Option<T> {
        parsed(node, path, findings, choose)
    }
}

/// Reads a value that may be missing.
impl<T: Choice> ReadValue for Option<T> {
    fn read(node: &DocumentNode, path: &Path, findings: &mut Findings) -> Option<Option<T>> {
        T::read(node, path, findings).map(Some)
    }
}

impl ReadValue for String {
    fn read(node: &DocumentNode, path: &Path, findings: &mut Findings) -> Option<String> {
        match &node.value {
            NodeValue::Text(text) | NodeValue::Bare(text) => Some(text.clone()),
            _ => findings.refuse(path, format!("must be a string, not {}", node.type_name())),
        }
    }
}

impl ReadValue for bool {
    fn read(node: &DocumentNode, path: &Path, findings: &mut Findings) -> Option<bool> {
        match &node.value {
            NodeValue::Boolean(value) => Some(*value),
            NodeValue::Bare(text) if text == "true" => Some(true),
            NodeValue::Bare(text) if text == "false" => Some(false),
            _ => findings.refuse(path, format!("must be true or false, not {}", node.type_name())),
        }
    }
}

impl ReadValue for u32 {
    fn read(node: &DocumentNode, path: &Path, findings: &mut Findings) -> Option<u32> {
        let number = match &node.value {
            NodeValue::Integer(number) => u32::try_from(*number).ok(),
            NodeValue::Bare(text) => text.parse().ok(),
            _ => {
                return findings.refuse(path, format!("must be a whole number, not {}", node.type_name()));
            }
        };
        number.or_else(|| findings.refuse(path, format!("must be a whole number from 0 to {}", u32::MAX)))
    }
}

impl ReadValue for IpNet {
    fn read(node: &DocumentNode, path: &Path, findings: &mut Findings) -> Option<IpNet> {
        parsed(node, path, findings, |text| {
            let hint = "write it like `10.0.0.0/8`, `192.0.2.7` or `2001:db8::/32`";
            let host = || text.parse::<IpAddr>().ok().map(IpNet::from);
            let network = text.parse().ok().or_else(host);
            network.ok_or_else(|| format!("{} is not a network: {hint}", quoted(text)))
        })
    }
}

impl<T: ReadValue> ReadValue for Vec<T> {
    fn read(node: &DocumentNode, path: &Path, findings: &mut Findings) -> Option<Vec<T>> {
        let split;
        let nodes = match &node.value {
            NodeValue::List(nodes) => nodes,
            // Lists on the command line and in the environment have no brackets.
            NodeValue::Bare(text) => {
                let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
                split = items.map(|item| DocumentNode::bare(item, node.origin.clone())).collect();
                &split
            }
            _ => {
                return findings.refuse(path, format!("must be a list, not {}", node.type_name()));
            }
        };
        if nodes.len() > LIST_ITEMS_MAX {
            return findings
                .refuse(path, format!("has {} entries, and the limit is {LIST_ITEMS_MAX}", nodes.len()));
        }
        // All items are read for their findings. One that cannot be read makes the whole list unreadable, because
        // leaving it out would shift the indexes of those after it.
        let item = |(index, node)| T::read(node, &path.index(index), findings);
        let items: Vec<Option<T>> = nodes.iter().enumerate().map(item).collect();
        items.into_iter().collect()
    }
}

/// A list that may be written as a single value.
pub(crate) struct OneOrMore<T>(pub(crate) Vec<T>);

impl<T: ReadValue> ReadValue for OneOrMore<T> {
    fn read(node: &DocumentNode, path: &Path, findings: &mut Findings) -> Option<OneOrMore<T>> {
        let items = match &node.value {
            NodeValue::Text(_) => T::read(node, path, findings).map(|item| vec![item]),
            _ => Vec::read(node, path, findings),
        };
        items.map(OneOrMore)
    }
}
