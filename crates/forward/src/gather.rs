//! Decides when enough messages are waiting to be sent. Pure: the caller passes in the time.
//!
//! **Invariant:** the messages that wait when some have waited long enough, or are asked for, are sent without another
//! wait, however many reads that takes.

use logstead_config::{DestinationKind, GatherLimits};
use std::time::Instant;

/// The number of messages that one request carries efficiently.
const REQUEST_MESSAGES: usize = 4096;
const REQUEST_BYTES: usize = 4 << 20;
/// The factor by which a stream carries more messages at a time.
const STREAM_FACTOR: usize = 4;

/// The limit on one read of the queue.
pub(super) struct ReadLimit {
    pub(super) messages: usize,
    /// The maximum number of bytes in memory.
    pub(super) bytes: usize,
    /// The limits for gathering, if messages wait until there are more of them.
    pub(super) gather: Option<GatherLimits>,
}

/// The messages that wait in a queue.
pub(super) struct QueuedMessages {
    /// The sequence of the first message.
    pub(super) next: u64,
    /// The sequence after the last message.
    pub(super) end: u64,
    pub(super) bytes: u64,
    /// The limit of the queue in bytes.
    pub(super) bytes_max: u64,
}

/// When to send the waiting messages.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum SendTime {
    /// Not before more messages have come.
    Never,
    At(Instant),
    Now,
}

/// Decides when waiting messages are due.
#[derive(Default)]
pub(super) struct GatherTimer {
    since: Option<Instant>,
    /// Messages with a lower sequence are due.
    due_before: u64,
}

impl ReadLimit {
    pub(super) fn of(kind: &DestinationKind) -> ReadLimit {
        match kind {
            DestinationKind::S3(s3) => {
                ReadLimit { messages: usize::MAX, bytes: s3.object.size.as_usize(), gather: Some(s3.object) }
            }
            // After each read, the sender waits for a moment to see whether the messages arrived.
            DestinationKind::Syslog(_) => ReadLimit {
                messages: REQUEST_MESSAGES * STREAM_FACTOR,
                bytes: REQUEST_BYTES * STREAM_FACTOR,
                gather: None,
            },
            kind => ReadLimit {
                messages: REQUEST_MESSAGES * kind.connections(),
                bytes: REQUEST_BYTES * kind.connections(),
                gather: None,
            },
        }
    }
}

impl GatherTimer {
    /// Decides when to send; `hurry` if the waiting messages are to be sent at once.
    pub(super) fn ready(
        &mut self,
        gather: Option<&GatherLimits>,
        waiting: &QueuedMessages,
        now: Instant,
        hurry: bool,
    ) -> SendTime {
        if waiting.end <= waiting.next {
            self.since = None;
            return SendTime::Never;
        }
        let Some(gather) = gather else { return SendTime::Now };
        if waiting.next < self.due_before {
            return SendTime::Now;
        }
        // With a higher limit, a full queue would never be sent.
        let enough = gather.size.bytes().min(waiting.bytes_max / 2);
        let at = *self.since.get_or_insert(now) + gather.age.duration();
        if hurry || at <= now {
            self.due_before = waiting.end;
        }
        if hurry || at <= now || enough <= waiting.bytes {
            self.since = None;
            return SendTime::Now;
        }
        SendTime::At(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use logstead_config::{Period, Size};
    use std::time::Duration;

    const GATHER: GatherLimits = GatherLimits { size: Size::mib(8), age: Period::seconds(60) };

    fn waiting(next: u64, end: u64, mib: u64) -> QueuedMessages {
        QueuedMessages { next, end, bytes: mib << 20, bytes_max: 1 << 30 }
    }

    #[test]
    fn messages_wait_until_there_are_enough_or_it_is_time() {
        let begin = Instant::now();
        let at = |seconds| begin + Duration::from_secs(seconds);
        let mut gathering = GatherTimer::default();
        let mut check = |waiting: QueuedMessages, now, expected| {
            assert_eq!(gathering.ready(Some(&GATHER), &waiting, at(now), false), expected, "at {now}");
        };
        check(waiting(0, 0, 0), 0, SendTime::Never);
        check(waiting(0, 5, 1), 10, SendTime::At(at(70)));
        check(waiting(0, 9, 2), 20, SendTime::At(at(70)));
        check(waiting(0, 99, 8), 30, SendTime::Now);
        check(waiting(50, 99, 3), 31, SendTime::At(at(91)));
        check(waiting(50, 120, 4), 91, SendTime::Now);
        // The rest of the messages that were due is sent; those that came since have to wait.
        check(waiting(80, 130, 2), 92, SendTime::Now);
        check(waiting(120, 130, 1), 93, SendTime::At(at(153)));
        check(waiting(130, 130, 0), 94, SendTime::Never);
        check(waiting(130, 131, 0), 300, SendTime::At(at(360)));
    }

    #[test]
    fn somebody_may_ask_for_what_waits() {
        let now = Instant::now();
        let mut gathering = GatherTimer::default();
        assert_eq!(gathering.ready(Some(&GATHER), &waiting(0, 0, 0), now, true), SendTime::Never);
        assert_eq!(gathering.ready(Some(&GATHER), &waiting(0, 5, 0), now, true), SendTime::Now);
        assert_eq!(gathering.ready(Some(&GATHER), &waiting(3, 6, 0), now, false), SendTime::Now);
        assert!(matches!(gathering.ready(Some(&GATHER), &waiting(5, 6, 0), now, false), SendTime::At(_)));
        assert_eq!(gathering.ready(None, &waiting(0, 1, 0), now, false), SendTime::Now);
    }

    #[test]
    fn a_small_queue_never_waits_for_more_than_it_can_hold() {
        let small = QueuedMessages { next: 0, end: 5, bytes: 512 << 10, bytes_max: 1 << 20 };
        assert_eq!(GatherTimer::default().ready(Some(&GATHER), &small, Instant::now(), false), SendTime::Now);
    }
}
