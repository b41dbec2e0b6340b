//! Decides when what waits is enough to be sent. Pure: the caller brings the clock.
//!
//! **Invariant:** what waits when messages have waited long enough, or are asked for, is sent without another wait, however
//! many portions that takes.

use logstead_config::{DestinationKind, GatherLimits};
use std::time::Instant;

/// What one request carries well.
const REQUEST_MESSAGES: usize = 4096;
const REQUEST_BYTES: usize = 4 << 20;
/// How much more a stream carries at a time.
const STREAM_FACTOR: usize = 4;

/// How much is read from the queue at a time.
pub(super) struct Portion {
    pub(super) messages: usize,
    /// In memory.
    pub(super) bytes: usize,
    /// Whether messages wait for more of them.
    pub(super) gather: Option<GatherLimits>,
}

/// What waits.
pub(super) struct Waiting {
    /// The sequence of the first message.
    pub(super) next: u64,
    /// The sequence behind the last one.
    pub(super) end: u64,
    pub(super) bytes: u64,
    /// How many bytes the queue holds at most.
    pub(super) bytes_max: u64,
}

/// When to send.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Ready {
    /// When there is something to send.
    Never,
    At(Instant),
    Now,
}

/// For how long messages have waited.
#[derive(Default)]
pub(super) struct Gathering {
    since: Option<Instant>,
    /// Messages with a sequence below this wait no longer.
    due_before: u64,
}

impl Portion {
    pub(super) fn of(kind: &DestinationKind) -> Portion {
        match kind {
            DestinationKind::S3(s3) => {
                Portion { messages: usize::MAX, bytes: s3.object.size.as_usize(), gather: Some(s3.object) }
            }
            // Each portion waits for a moment to see whether it arrived.
            DestinationKind::Syslog(_) => Portion {
                messages: REQUEST_MESSAGES * STREAM_FACTOR,
                bytes: REQUEST_BYTES * STREAM_FACTOR,
                gather: None,
            },
            kind => Portion {
                messages: REQUEST_MESSAGES * kind.connections(),
                bytes: REQUEST_BYTES * kind.connections(),
                gather: None,
            },
        }
    }
}

impl Gathering {
    /// When to send; `hurry` says that somebody asks for what waits now.
    pub(super) fn ready(
        &mut self,
        gather: Option<&GatherLimits>,
        waiting: &Waiting,
        now: Instant,
        hurry: bool,
    ) -> Ready {
        if waiting.end <= waiting.next {
            self.since = None;
            return Ready::Never;
        }
        let Some(gather) = gather else { return Ready::Now };
        if waiting.next < self.due_before {
            return Ready::Now;
        }
        // A queue that is full would never get the rest.
        let enough = gather.size.bytes().min(waiting.bytes_max / 2);
        let at = *self.since.get_or_insert(now) + gather.age.duration();
        if hurry || at <= now {
            self.due_before = waiting.end;
        }
        if hurry || at <= now || enough <= waiting.bytes {
            self.since = None;
            return Ready::Now;
        }
        Ready::At(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use logstead_config::{Period, Size};
    use std::time::Duration;

    const GATHER: GatherLimits = GatherLimits { size: Size::mib(8), age: Period::seconds(60) };

    fn waiting(next: u64, end: u64, mib: u64) -> Waiting {
        Waiting { next, end, bytes: mib << 20, bytes_max: 1 << 30 }
    }

    #[test]
    fn messages_wait_until_there_are_enough_or_it_is_time() {
        let begin = Instant::now();
        let at = |seconds| begin + Duration::from_secs(seconds);
        let mut gathering = Gathering::default();
        let mut check = |waiting: Waiting, now, expected| {
            assert_eq!(gathering.ready(Some(&GATHER), &waiting, at(now), false), expected, "at {now}");
        };
        check(waiting(0, 0, 0), 0, Ready::Never);
        check(waiting(0, 5, 1), 10, Ready::At(at(70)));
        check(waiting(0, 9, 2), 20, Ready::At(at(70)));
        check(waiting(0, 99, 8), 30, Ready::Now);
        check(waiting(50, 99, 3), 31, Ready::At(at(91)));
        check(waiting(50, 120, 4), 91, Ready::Now);
        // The rest of what waited by then goes on, what came since waits.
        check(waiting(80, 130, 2), 92, Ready::Now);
        check(waiting(120, 130, 1), 93, Ready::At(at(153)));
        check(waiting(130, 130, 0), 94, Ready::Never);
        check(waiting(130, 131, 0), 300, Ready::At(at(360)));
    }

    #[test]
    fn somebody_may_ask_for_what_waits() {
        let now = Instant::now();
        let mut gathering = Gathering::default();
        assert_eq!(gathering.ready(Some(&GATHER), &waiting(0, 0, 0), now, true), Ready::Never);
        assert_eq!(gathering.ready(Some(&GATHER), &waiting(0, 5, 0), now, true), Ready::Now);
        assert_eq!(gathering.ready(Some(&GATHER), &waiting(3, 6, 0), now, false), Ready::Now);
        assert!(matches!(gathering.ready(Some(&GATHER), &waiting(5, 6, 0), now, false), Ready::At(_)));
        assert_eq!(gathering.ready(None, &waiting(0, 1, 0), now, false), Ready::Now);
    }

    #[test]
    fn a_small_queue_never_waits_for_more_than_it_can_hold() {
        let small = Waiting { next: 0, end: 5, bytes: 512 << 10, bytes_max: 1 << 20 };
        assert_eq!(Gathering::default().ready(Some(&GATHER), &small, Instant::now(), false), Ready::Now);
    }
}
