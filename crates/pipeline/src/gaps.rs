//! Detects messages that senders counted and that never arrived: gaps in the `sequenceId` of RFC 5424, which a sender
//! increments with every message (syslog-ng and some devices do).
//!
//! Chunks of a sender may be parsed out of order, and datagrams may overtake each other, so a gap counts only if it
//! is still open a while later. If a sender restarts its numbers, or jumps, counting begins anew. So the result is a
//! lower bound.

use logstead_record::{Batch, Timestamp};
use std::collections::HashMap;

/// The name of the field in structured data.
const FIELD: &[u8] = b"meta.sequenceId";
/// Maximum number of senders that are tracked; beyond that, all are forgotten.
const SENDERS_MAX: usize = 10_000;
/// A number further ahead or behind is not a gap: the sender has restarted its numbers.
const JUMP_MAX: u64 = 100_000;
/// How long a message that was overtaken may still close a gap.
const PATIENCE_NANOS: i64 = 10_000_000_000;

/// The sequence numbers of one source's senders, and the gaps in them.
#[derive(Default, Debug)]
pub(crate) struct Gaps {
    senders: HashMap<Box<[u8]>, SenderGaps>,
}

#[derive(Debug)]
struct SenderGaps {
    first: u64,
    last: u64,
    seen: u64,
    /// The number that was missing at the last check, and the time of that check.
    missing: u64,
    looked: Timestamp,
    told: u64,
}

impl Gaps {
    /// Whether any message has a sequence number: most senders send none, and then cost nothing.
    pub(crate) fn concern(batch: &Batch) -> bool {
        batch.columns().field_names.values().iter().any(|name| name == FIELD)
    }

    /// Records messages; returns how many messages are newly known to be missing.
    pub(crate) fn look(&mut self, batch: &Batch) -> u64 {
        (0..batch.rows()).map(|row| self.look_at(batch, row)).sum()
    }

    fn look_at(&mut self, batch: &Batch, row: usize) -> u64 {
        let number = batch.fields(row).find(|(name, _)| *name == FIELD).and_then(|(_, value)| number(value));
        let Some(number) = number else { return 0 };
        let sender = [batch.peer(row), b"\0", batch.host(row)].concat();
        if SENDERS_MAX <= self.senders.len() && !self.senders.contains_key(sender.as_slice()) {
            self.senders.clear();
        }
        let now = batch.received(row);
        match self.senders.get_mut(sender.as_slice()) {
            Some(sender) => sender.look(number, now),
            None => {
                self.senders.insert(sender.into(), SenderGaps::new(number, now));
                0
            }
        }
    }
}

fn number(value: &[u8]) -> Option<u64> {
    std::str::from_utf8(value).ok()?.parse().ok()
}

impl SenderGaps {
    fn new(number: u64, now: Timestamp) -> SenderGaps {
        SenderGaps { first: number, last: number, seen: 1, missing: 0, looked: now, told: 0 }
    }

    fn look(&mut self, number: u64, now: Timestamp) -> u64 {
        // Numbers begin at 1, and restart there when they wrap.
        let begins = number <= 1 && 1 < self.last;
        if begins
            || self.last.saturating_add(JUMP_MAX) < number
            || number.saturating_add(JUMP_MAX) < self.last
            || number < self.first
        {
            *self = SenderGaps::new(number, now);
            return 0;
        }
        self.last = self.last.max(number);
        self.seen += 1;
        if now.nanos().saturating_sub(self.looked.nanos()) < PATIENCE_NANOS {
            return 0;
        }
        let missing = (self.last - self.first).saturating_add(1).saturating_sub(self.seen);
        // The number of messages that are newly known to be missing.
        let lost = missing.min(self.missing).saturating_sub(self.told);
        (self.missing, self.looked) = (missing, now);
        self.told += lost;
        lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use logstead_record::{BatchBuilder, Origin, Row};

    /// Adds messages of one sender, one second apart.
    fn lost(gaps: &mut Gaps, start: i64, numbers: impl IntoIterator<Item = u64>) -> u64 {
        let mut builder = BatchBuilder::new();
        for (second, number) in (start..).zip(numbers) {
            let received = Timestamp::from_nanos(second * 1_000_000_000);
            builder.origin(Origin { source: b"udp", peer: b"10.0.0.1", received });
            builder.field(FIELD, number.to_string().as_bytes());
            builder.push(&Row::text(b"x"));
        }
        let batch = builder.seal();
        assert!(Gaps::concern(&batch));
        gaps.look(&batch)
    }

    #[test]
    fn a_gap_counts_once_and_when_it_stays_open() {
        let mut gaps = Gaps::default();
        assert_eq!(lost(&mut gaps, 0, 1..100), 0);
        assert_eq!(lost(&mut gaps, 100, (105..150).chain(150..200)), 5);
        assert_eq!(lost(&mut gaps, 200, 200..300), 0, "it was counted");
        assert_eq!(
            lost(&mut gaps, 300, (302..305).chain([300, 301]).chain(305..340)),
            0,
            "they were overtaken"
        );
        assert_eq!(lost(&mut gaps, 340, 1..90), 0, "the sender began to count anew");
        assert_eq!(lost(&mut gaps, 430, (91..120).chain([9_000_000])), 1);
    }

    #[test]
    fn senders_without_numbers_cost_nothing_and_odd_ones_do_no_harm() {
        let mut builder = BatchBuilder::new();
        builder.push(&Row::text(b"x"));
        assert!(!Gaps::concern(&builder.seal()));
        let mut gaps = Gaps::default();
        for number in ["", "-1", "99999999999999999999999", "18446744073709551615", "0"] {
            builder.origin(Origin { source: b"udp", peer: b"", received: Timestamp::from_nanos(0) });
            builder.field(FIELD, number.as_bytes());
            builder.push(&Row::text(b"x"));
        }
        assert_eq!(gaps.look(&builder.seal()), 0);
    }
}
