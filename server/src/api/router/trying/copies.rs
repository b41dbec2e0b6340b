//! Which stored messages are copies of one that another logspace has as well. Pure.
//!
//! Messages come in the order of their times, so copies of one come close to each other. A sender may repeat itself: what
//! one logspace has twice was received twice.
//!
//! **Invariant:** a message is tried as often as the logspace that has it most often has it.

use logstead_record::{Batch, Timestamp};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Messages of one time that are told apart; more than that are taken for different ones.
const TOLD_APART_MAX: usize = 100_000;

/// What came at the time that is looked at.
#[derive(Default)]
pub(super) struct Copies {
    time: Timestamp,
    seen: HashMap<u64, Seen>,
}

#[derive(Default)]
struct Seen {
    tried: u32,
    /// How often each logspace has it.
    by_logspace: Vec<(String, u32)>,
}

impl Copies {
    /// Whether a message of a logspace is to be tried, as none of another one stands for it.
    pub(super) fn is_new(&mut self, batch: &Batch, row: usize, logspace: &str) -> bool {
        let mut hasher = DefaultHasher::new();
        (batch.source(row), batch.peer(row), batch.received(row).nanos()).hash(&mut hasher);
        let mut raw = Vec::new();
        batch.write_raw(row, &mut raw);
        raw.hash(&mut hasher);
        self.is_first(batch.time(row), hasher.finish(), logspace)
    }

    fn is_first(&mut self, time: Timestamp, message: u64, logspace: &str) -> bool {
        if time != self.time || TOLD_APART_MAX <= self.seen.len() {
            self.seen.clear();
            self.time = time;
        }
        let seen = self.seen.entry(message).or_default();
        let known = seen.by_logspace.iter().position(|(id, _)| id == logspace);
        let at = known.unwrap_or_else(|| {
            seen.by_logspace.push((logspace.to_owned(), 0));
            seen.by_logspace.len() - 1
        });
        let times = &mut seen.by_logspace[at].1;
        *times += 1;
        let is_first = seen.tried < *times;
        seen.tried += u32::from(is_first);
        is_first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_tried_once_and_repetitions_as_often_as_they_came() {
        let mut copies = Copies::default();
        let mut check = |seconds, message, logspace, expected| {
            let time = Timestamp::from_nanos(seconds);
            assert_eq!(copies.is_first(time, message, logspace), expected, "{message} in {logspace}");
        };
        check(1, 7, "app", true);
        check(1, 7, "app", true);
        check(1, 8, "app", true);
        check(1, 7, "main", false);
        check(1, 7, "main", false);
        check(1, 7, "main", true);
        check(1, 9, "main", true);
        check(2, 7, "main", true);
    }
}
