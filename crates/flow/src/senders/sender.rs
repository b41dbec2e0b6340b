//! The record of one sender: a host of a source.

use super::habit::Habit;
use super::series::CountSeries;
use super::skew::Skew;
use super::tally::Figures;
use logstead_record::Timestamp;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

pub(super) const SECOND_NANOS: i64 = 1_000_000_000;
pub(super) const MINUTE_NANOS: i64 = 60 * SECOND_NANOS;
/// The maximum length of an address or a certificate's subject, in bytes.
pub(super) const NAME_BYTES_MAX: usize = 255;

/// The identity of a sender.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct SenderKey {
    /// The source's id.
    pub source: Arc<str>,
    /// The sender's host name.
    pub host: String,
}

#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct SenderRecord {
    /// The address that its last message came from.
    pub(super) address: String,
    /// The transport of its last message: `udp`, `tls`; empty if it follows from the kind of its source.
    pub(super) via: String,
    /// The subject of its certificate.
    pub(super) tls_subject: Option<String>,
    pub(super) messages: u64,
    pub(super) bytes: u64,
    pub(super) unparsed: u64,
    pub(super) truncated: u64,
    /// A time in nanoseconds since 1970.
    pub(super) first_seen: i64,
    pub(super) last_seen: i64,
    pub(super) series: CountSeries,
    pub(super) habit: Habit,
    pub(super) skew: Skew,
    pace: SenderPace,
}

/// The number of messages of this minute and of the one before.
#[derive(Clone, Copy, Default, PartialEq, Debug, Serialize, Deserialize)]
struct SenderPace {
    minute: i64,
    in_minute: u64,
    in_last: u64,
}

/// The way in which messages reached us.
#[derive(Clone, Copy)]
pub(super) struct Arrival<'a> {
    /// The address that they came from; empty for programs on this machine.
    pub(super) address: &'a [u8],
    pub(super) via: &'a str,
    pub(super) tls_subject: Option<&'a [u8]>,
}

impl SenderRecord {
    pub(super) fn first_seen(now: Timestamp) -> SenderRecord {
        SenderRecord {
            first_seen: now.nanos(),
            last_seen: now.nanos(),
            series: CountSeries::beginning(now),
            ..SenderRecord::default()
        }
    }

    /// Adds messages that were received in this time, all within one minute. The time before `listening_since` does not
    /// count as a pause, as the server was not running.
    pub(super) fn add(
        &mut self,
        figures: &Figures,
        came: &Arrival<'_>,
        received: RangeInclusive<Timestamp>,
        listening_since: Timestamp,
    ) {
        let (first, last) = received.into_inner();
        let pause = first.nanos() - self.last_seen.max(listening_since.nanos());
        self.habit.paused(pause / SECOND_NANOS, first.nanos() / SECOND_NANOS);
        self.last_seen = self.last_seen.max(last.nanos());
        set(&mut self.address, came.address);
        set(&mut self.via, came.via.as_bytes());
        if let Some(subject) = came.tls_subject {
            set(self.tls_subject.get_or_insert_default(), subject);
        }
        self.messages += figures.messages;
        self.bytes += figures.bytes;
        self.unparsed += figures.unparsed;
        self.truncated += figures.truncated;
        self.series.add(last, figures.messages);
        self.pace.add(last, figures.messages);
        self.skew.add(&figures.skews, last);
    }

    /// Whether it has sent for longer than a moment: a sender that invents hosts seldom repeats one.
    pub(super) fn goes_on(&self) -> bool {
        MINUTE_NANOS <= self.last_seen - self.first_seen
    }

    /// The time since its last message, without the time in which the server was not running.
    pub(super) fn quiet(&self, now: Timestamp, listening_since: Timestamp) -> Duration {
        let nanos = now.nanos() - self.last_seen.max(listening_since.nanos());
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(0))
    }

    pub(super) fn is_silent(&self, now: Timestamp, listening_since: Timestamp, least: Duration) -> bool {
        self.habit.is_broken(self.messages, self.quiet(now, listening_since), least)
    }

    /// Messages per second.
    pub(super) fn rate(&self, now: Timestamp) -> f64 {
        self.pace.rate(now)
    }

    /// Whether the values from a file are a valid [`SenderRecord`].
    pub(super) fn is_sound(&self) -> bool {
        self.series.is_whole()
    }
}

impl SenderPace {
    fn add(&mut self, now: Timestamp, messages: u64) {
        let minute = now.nanos().div_euclid(MINUTE_NANOS);
        if self.minute < minute {
            self.in_last = if self.minute + 1 == minute { self.in_minute } else { 0 };
            (self.minute, self.in_minute) = (minute, 0);
        }
        self.in_minute += messages;
    }

    /// The messages per second in the last sixty seconds, assuming that the messages of the previous minute were
    /// evenly distributed.
    fn rate(&self, now: Timestamp) -> f64 {
        let minute = now.nanos().div_euclid(MINUTE_NANOS);
        let of_last = 1.0 - now.nanos().rem_euclid(MINUTE_NANOS) as f64 / MINUTE_NANOS as f64;
        let messages = match minute - self.minute {
            0 => self.in_minute as f64 + of_last * self.in_last as f64,
            1 => of_last * self.in_minute as f64,
            _ => 0.0,
        };
        messages / 60.0
    }
}

/// Replaces a name if it differs.
fn set(name: &mut String, bytes: &[u8]) {
    if name.as_bytes() != bytes {
        *name = printable(bytes);
    }
}

/// A name as it is shown and kept.
pub(super) fn printable(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[..bytes.len().min(NAME_BYTES_MAX)]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_that_of_the_last_minute() {
        let at = |seconds: i64| Timestamp::from_nanos(seconds * SECOND_NANOS);
        let mut pace = SenderPace::default();
        (0..60).for_each(|second| pace.add(at(600 + second), 10));
        assert_eq!(pace.rate(at(660)), 10.0);
        assert_eq!(pace.rate(at(690)), 5.0);
        assert_eq!(pace.rate(at(720)), 0.0);
    }
}
