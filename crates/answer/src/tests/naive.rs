//! Reads a field of a message in the simplest possible way.

use super::testing::Message;
use std::collections::BTreeSet;

pub(super) fn text(message: &Message, field: &str) -> Option<Vec<u8>> {
    let found = match field {
        "host" => message.host.as_bytes().to_vec(),
        _ => {
            let mut named = message.fields.iter().filter(|(name, _)| name.eq_ignore_ascii_case(field));
            named.find(|(_, value)| !value.is_empty()).map(|(_, value)| value.clone()).unwrap_or_default()
        }
    };
    Some(found).filter(|text| !text.is_empty())
}

/// Every different value of a field of a message.
pub(super) fn texts(message: &Message, field: &str) -> BTreeSet<Vec<u8>> {
    let named = message.fields.iter().filter(|(name, _)| name.eq_ignore_ascii_case(field));
    let values = named.map(|(_, value)| value.clone()).filter(|value| !value.is_empty());
    values.chain((field == "host").then(|| text(message, field)).flatten()).collect()
}
