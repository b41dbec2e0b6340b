//! The time zones of timestamps without one.

use crate::problem::quoted;
use crate::read::text_value;
use crate::table_reader::TableReader;
use std::fmt;

/// The greatest number of senders with their own zone.
const SENDER_ZONES_MAX: usize = 1000;
const ZONE_HINT: &str = "write an IANA name such as `UTC` or `Europe/Berlin`, or an offset such as `+02:00`";

/// The zone of one sender's timestamps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SenderZone {
    /// The host that its messages name, or its address.
    pub sender: String,
    /// An IANA name or an offset.
    pub zone: String,
}

/// Reads the zone of all timestamps.
pub(crate) fn timezone(fields: &mut TableReader<'_>) -> String {
    let timezone: String = fields.get("timezone");
    if !is_timezone(&timezone) {
        fields.note("timezone", format!("{} is not a time zone: {ZONE_HINT}", quoted(&timezone)));
    }
    timezone
}

/// Reads the zones of single senders.
pub(crate) fn timezones(fields: &mut TableReader<'_>) -> Vec<SenderZone> {
    let timezones: Vec<SenderZone> = fields.get("timezones");
    if SENDER_ZONES_MAX < timezones.len() {
        let many = timezones.len();
        fields.note("timezones", format!("has {many} entries: at most {SENDER_ZONES_MAX} are allowed"));
    }
    timezones
}

impl SenderZone {
    /// Makes the zone of a sender.
    pub fn new(sender: &str, zone: &str) -> Result<SenderZone, String> {
        if sender.is_empty() || sender.contains('=') {
            return Err(format!("{} is not a host or an address", quoted(sender)));
        }
        if !is_timezone(zone) {
            return Err(format!("{} is not a time zone: {ZONE_HINT}", quoted(zone)));
        }
        Ok(SenderZone { sender: sender.to_owned(), zone: zone.to_owned() })
    }
}

impl fmt::Display for SenderZone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.sender, self.zone)
    }
}

text_value!(SenderZone, |text| match text.split_once('=') {
    Some((sender, zone)) => SenderZone::new(sender.trim(), zone.trim()),
    None => Err(format!("{} is not `HOST=ZONE`, such as `edge-1=Europe/Helsinki`", quoted(text))),
});

/// Whether a text looks like an IANA name, or is an offset such as `+02:00`. The zone need not exist: that is checked
/// by the code that uses it.
fn is_timezone(name: &str) -> bool {
    if let [b'+' | b'-', h1, h2, b':', m1, m2] = name.as_bytes() {
        let [h1, h2, m1, m2] = [h1, h2, m1, m2].map(|digit| digit.wrapping_sub(b'0'));
        return 10 * h1 + h2 < 24 && h1 < 3 && h2 < 10 && m1 < 6 && m2 < 10;
    }
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'_' | b'-' | b'+');
    let begins_well = name.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic());
    begins_well
        && name.len() <= 64
        && !name.ends_with('/')
        && !name.contains("//")
        && name.bytes().all(allowed)
}
