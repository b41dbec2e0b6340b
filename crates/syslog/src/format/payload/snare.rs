//! Windows events as sent by Snare: `MSWinEventLog` and columns separated by tabs, with the vendor's names.

use super::super::fields::FieldWriter;

const NAMES: [&str; 13] = [
    "Criticality", "EventLog", "SnareCounter", "SubmitTime", "EventID", "SourceName", "UserName", "SIDType",
    "EventType", "ComputerName", "CategoryString", "DataString", "ExpandedString",
];
/// The minimum number of columns of an event.
const COLUMNS_MIN: usize = 10;

/// Reads an event; `None` if the text does not have such columns.
pub(super) fn read(text: &[u8], fields: &mut FieldWriter<'_>) -> Option<()> {
    let rest = text.strip_prefix(b"MSWinEventLog\t")?;
    if memchr::memchr_iter(b'\t', rest).count() < COLUMNS_MIN {
        return None;
    }
    let columns = rest.split(|&byte| byte == b'\t').map(<[u8]>::trim_ascii);
    for (name, value) in NAMES.into_iter().zip(columns).filter(|(_, value)| !value.is_empty()) {
        fields.add(name.as_bytes(), value);
    }
    Some(())
}
