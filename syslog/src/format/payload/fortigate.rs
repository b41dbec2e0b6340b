//! FortiGate's own format, which has no header: `date=2026-02-20 time=16:33:10 tz="+0100" devname="fw-1" …`.
//!
//! | in the message                            | becomes                                        |
//! |-------------------------------------------|------------------------------------------------|
//! | `date`, `time` and `tz`                   | the time                                       |
//! | else `eventtime`, `timestamp`             | the time, if it is a number since 1970         |
//! | else `date` and `time`                    | the time, in the zone of the source            |
//! | `devname`, else `devid`                   | host                                           |
//! | `type`                                    | program                                        |
//! | `level`                                   | severity, where there is no `<PRI>`            |

use super::super::keys::epoch;
use super::super::stamp::{self, Clock};
use super::claims::Claims;
use super::pairs::Pair;
use logstead_record::{Priority, Severity, Timestamp};

/// Whether only a FortiGate says these names together.
pub(super) fn is(pairs: &[Pair<'_>]) -> bool {
    let has = |names: &[&[u8]]| pairs.iter().any(|pair| names.contains(&pair.name));
    has(&[b"devname", b"devid"]) && has(&[b"logid", b"log_id"]) && has(&[b"type"])
}

/// What stands in for a header.
pub(super) fn claims<'a>(pairs: &[Pair<'a>], clock: Clock<'_>) -> Claims<'a> {
    let severity = text(pairs, b"level").and_then(|level| level.parse::<Severity>().ok());
    Claims {
        time: time(pairs, clock),
        host: value(pairs, b"devname").or(value(pairs, b"devid")).unwrap_or_default(),
        program: value(pairs, b"type").unwrap_or_default(),
        priority: severity.map(|severity| Priority::of(Priority::DEFAULT.facility(), severity)),
        ..Claims::default()
    }
}

fn time(pairs: &[Pair<'_>], clock: Clock<'_>) -> Option<Timestamp> {
    let local = |offset_seconds| {
        stamp::of_parts(value(pairs, b"date")?, value(pairs, b"time")?, offset_seconds, clock)
    };
    let offset_seconds = value(pairs, b"tz").and_then(stamp::offset);
    offset_seconds
        .and_then(|seconds| local(Some(seconds)))
        .or_else(|| text(pairs, b"eventtime").and_then(epoch))
        .or_else(|| text(pairs, b"timestamp").and_then(epoch))
        .or_else(|| local(None))
}

/// The first value of this name that is not empty.
fn value<'a>(pairs: &[Pair<'a>], name: &[u8]) -> Option<&'a [u8]> {
    pairs.iter().find(|pair| pair.name == name && !pair.value.is_empty()).map(|pair| pair.value)
}

fn text<'a>(pairs: &[Pair<'a>], name: &[u8]) -> Option<&'a str> {
    value(pairs, name).and_then(|value| std::str::from_utf8(value).ok())
}
