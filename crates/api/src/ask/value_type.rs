//! The type of a field's values.

use logstead_answer::{CellValue, Facet};
use logstead_query as query;
use logstead_record::FieldName;
use logstead_record::{Field, PriorityHalf, Storage, Timestamp};
use serde::Serialize;
use std::net::{IpAddr, SocketAddr};

/// How many values determine the type of a field.
const SAMPLE: usize = 50;

/// The type of a field's values, judging by those that were examined.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ValueType {
    Text,
    Number,
    /// An IP address, optionally with a port, or an IP network.
    Address,
    Time,
    Severity,
    Facility,
    Flag,
    Logspace,
}

impl ValueType {
    /// The type of a field's values: by its definition, or by the values that were found.
    pub(super) fn of(name: &FieldName, facet: Option<&Facet>) -> Option<ValueType> {
        match name {
            FieldName::Known(field) => Some(ValueType::of_known(*field)),
            FieldName::Dynamic(_) => {
                let values = facet?.values.iter().take(SAMPLE).filter_map(|(value, _)| text_of(value));
                ValueType::of_values(&values.filter(|value| !value.is_empty()).collect::<Vec<_>>())
            }
        }
    }

    fn of_known(field: Field) -> ValueType {
        match field.storage() {
            Storage::Priority(PriorityHalf::Severity) => ValueType::Severity,
            Storage::Priority(PriorityHalf::Facility) => ValueType::Facility,
            Storage::Flags => ValueType::Flag,
            Storage::Logspace => ValueType::Logspace,
            Storage::Time | Storage::Received => ValueType::Time,
            Storage::Name(_) if field == Field::Peer => ValueType::Address,
            Storage::Name(_) | Storage::Text(_) | Storage::Raw => ValueType::Text,
        }
    }

    fn of_values(values: &[String]) -> Option<ValueType> {
        let all = |is: &dyn Fn(&str) -> bool| values.iter().all(|value| is(value));
        let is_address = |text: &str| {
            text.parse::<IpAddr>().is_ok()
                || text.parse::<SocketAddr>().is_ok()
                || text.parse::<ipnet::IpNet>().is_ok()
        };
        match values {
            [] => None,
            _ if all(&|text| query::number_of(text.as_bytes()).is_some()) => Some(ValueType::Number),
            _ if all(&is_address) => Some(ValueType::Address),
            _ if all(&|text| Timestamp::parse_rfc3339(text.as_bytes()).is_some()) => Some(ValueType::Time),
            _ => Some(ValueType::Text),
        }
    }
}

/// The text of a value, if it is a text.
pub(super) fn text_of(value: &CellValue) -> Option<String> {
    let mut text = Vec::new();
    value.write(&mut text);
    String::from_utf8(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_type_of_a_field_is_what_all_its_values_are() {
        for (values, expected) in [
            (&[][..], None),
            (&["1", "2.5", "10MB"], Some(ValueType::Number)),
            (&["10.0.0.1", "::1", "10.0.0.1:514", "10.0.0.0/8"], Some(ValueType::Address)),
            (&["2026-11-21T06:13:00Z"], Some(ValueType::Time)),
            (&["1", "two"], Some(ValueType::Text)),
        ] {
            let values: Vec<String> = values.iter().map(|value| (*value).to_owned()).collect();
            assert_eq!(ValueType::of_values(&values), expected, "{values:?}");
        }
    }
}
