//! The name of a field, known or dynamic.

use crate::column_group::{ColumnGroup, ColumnGroups};
use crate::field::{Field, Storage};
use std::fmt;

/// The name of a field.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum FieldName {
    /// A field that every message has.
    Known(Field),
    /// A field that some messages carry; compares without regard to ASCII case.
    Dynamic(String),
}

impl FieldName {
    /// A known field by any of its names, otherwise a dynamic one.
    pub fn new(name: &str) -> FieldName {
        Field::from_name(name).map_or_else(|| FieldName::Dynamic(name.to_owned()), FieldName::Known)
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        match self {
            FieldName::Known(field) => field.name(),
            FieldName::Dynamic(name) => name,
        }
    }

    /// The columns that its values are read from.
    pub fn groups(&self) -> ColumnGroups {
        match self {
            FieldName::Known(field) => field.groups(),
            FieldName::Dynamic(_) => ColumnGroup::Fields.into(),
        }
    }

    /// Whether both are names of the same field.
    pub fn is(&self, other: &FieldName) -> bool {
        match (self, other) {
            (FieldName::Dynamic(name), FieldName::Dynamic(other)) => name.eq_ignore_ascii_case(other),
            _ => self == other,
        }
    }

    /// Whether a message has at most one value of this field.
    pub fn is_single(&self) -> bool {
        match self {
            FieldName::Known(field) => matches!(field.storage(), Storage::Name(_) | Storage::Text(_)),
            FieldName::Dynamic(_) => false,
        }
    }
}

impl fmt::Display for FieldName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
