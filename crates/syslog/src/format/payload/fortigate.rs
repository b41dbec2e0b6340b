//! Fortinet's own format, which has no header: `date=2026-02-20 time=16:33:10 tz="+0100" devname="fw-1" …`, or with
//! commas between the pairs. FortiMail and FortiWeb use some other names, and the newest FortiMail writes the stamp
//! itself before the pairs.
//!
//! | in the message                            | becomes                                        |
//! |-------------------------------------------|------------------------------------------------|
//! | `date`, `time` and `tz`                   | the time                                       |
//! | else `eventtime`, `timestamp`             | the time, if it is a number since 1970         |
//! | else `date`, `time` and `timezone`        | the time, as in `(GMT+1:00)Brussels,Paris`     |
//! | else `date` and `time`                    | the time, in the zone of the source            |
//! | `devname`, else `devid`, `device_id`      | host                                           |
//! | `type`                                    | program                                        |
//! | `level`, else `pri`                       | severity, where there is no `<PRI>`            |

use super::super::keys::epoch;
use super::super::stamp::{self, Clock};
use super::claims::ColumnClaims;
use super::pairs::TextPair;
use logstead_record::{Priority, Severity, Timestamp};

/// The prefix for names that are taken; `None` if this combination of names is also used by devices that are not
/// Fortinet's.
pub(super) fn format(pairs: &[TextPair<'_>]) -> Option<&'static str> {
    let has = |names: &[&[u8]]| pairs.iter().any(|pair| names.contains(&pair.name));
    let id = value(pairs, b"log_id").is_some_and(|id| 8 <= id.len() && id.iter().all(u8::is_ascii_digit));
    if !has(&[b"type"]) {
        None
    } else if has(&[b"devname", b"devid"]) && has(&[b"logid"]) {
        Some("fortigate")
    } else if id && has(&[b"pri"]) {
        Some("fortinet")
    } else {
        (has(&[b"devname", b"devid"]) && has(&[b"log_id"])).then_some("fortigate")
    }
}

/// The columns that replace a missing header.
pub(super) fn claims<'a>(pairs: &[TextPair<'a>], clock: Clock<'_>) -> ColumnClaims<'a> {
    let severity =
        text(pairs, b"level").or(text(pairs, b"pri")).and_then(|level| level.parse::<Severity>().ok());
    let host = [&b"devname"[..], b"devid", b"device_id"].into_iter().find_map(|name| value(pairs, name));
    ColumnClaims {
        time: time(pairs, clock),
        host: host.unwrap_or_default(),
        program: value(pairs, b"type").unwrap_or_default(),
        priority: severity.map(|severity| Priority::of(Priority::DEFAULT.facility(), severity)),
        completes_stamp: value(pairs, b"date").is_none(),
        ..ColumnClaims::default()
    }
}

fn time(pairs: &[TextPair<'_>], clock: Clock<'_>) -> Option<Timestamp> {
    let local = |offset_seconds| {
        stamp::of_parts(value(pairs, b"date")?, value(pairs, b"time")?, offset_seconds, clock)
    };
    let offset_seconds = value(pairs, b"tz").and_then(stamp::offset);
    offset_seconds
        .and_then(|seconds| local(Some(seconds)))
        .or_else(|| text(pairs, b"eventtime").and_then(epoch))
        .or_else(|| text(pairs, b"timestamp").and_then(epoch))
        .or_else(|| local(value(pairs, b"timezone").and_then(offset_of_zone)))
}

/// The zone in `(GMT-5:00)Eastern Time(US & Canada)`, in seconds east of UTC.
fn offset_of_zone(zone: &[u8]) -> Option<i32> {
    let inner = zone.strip_prefix(b"(")?;
    stamp::offset(&inner[..memchr::memchr(b')', inner)?])
}

/// The first value of this name that is not empty.
fn value<'a>(pairs: &[TextPair<'a>], name: &[u8]) -> Option<&'a [u8]> {
    pairs.iter().find(|pair| pair.name == name && !pair.value.is_empty()).map(|pair| pair.value)
}

fn text<'a>(pairs: &[TextPair<'a>], name: &[u8]) -> Option<&'a str> {
    value(pairs, name).and_then(|value| std::str::from_utf8(value).ok())
}
