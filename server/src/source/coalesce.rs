//! Decides when a receiver hands its bytes on. Pure: the caller brings the clock.
//!
//! A receiver reads deliberately late: after a small read it waits a few milliseconds, so that the next read
//! finds many messages. Fewer system calls, bigger batches, warmer caches. It does not wait where that brings
//! nothing: when there is plenty already, and for a sender that pauses longer than the wait.

use std::time::{Duration, Instant};

/// The policy of one source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Coalesce {
    /// How long the oldest byte may wait for company.
    pub(crate) wait_max: Duration,
    /// How many bytes are handed on at once.
    pub(crate) bytes_max: usize,
}

/// What waits to be handed on.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Waiting {
    pub(crate) bytes: usize,
    /// When the oldest of these bytes came; `None` when there are none.
    pub(crate) first_byte: Option<Instant>,
    /// When bytes were handed on the last time.
    pub(crate) last_seal: Option<Instant>,
}

/// What a receiver does now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Nothing is waiting: wait for the socket.
    Block,
    /// Sleep this long, then read what has come.
    Sleep(Duration),
    /// Hand on what is waiting.
    Seal,
}

impl Coalesce {
    pub(crate) fn next(&self, waiting: &Waiting, now: Instant) -> Next {
        let Some(first_byte) = waiting.first_byte else { return Next::Block };
        let waited = now.saturating_duration_since(first_byte);
        let is_alone =
            waiting.last_seal.is_none_or(|seal| self.wait_max < first_byte.saturating_duration_since(seal));
        if is_alone || self.bytes_max <= waiting.bytes || self.wait_max <= waited {
            return Next::Seal;
        }
        Next::Sleep(self.wait_max - waited)
    }
}

impl Waiting {
    /// These bytes came, the oldest of them at `first_byte`.
    pub(crate) fn add(&mut self, bytes: usize, first_byte: Instant) {
        if 0 < bytes {
            self.bytes += bytes;
            self.first_byte = Some(self.first_byte.map_or(first_byte, |first| first.min(first_byte)));
        }
    }

    /// They are handed on, if there are any.
    pub(crate) fn seal(&mut self, now: Instant) {
        if self.first_byte.is_some() {
            *self = Waiting { bytes: 0, first_byte: None, last_seal: Some(now) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is done `waited_ms` after the first byte, which came `pause_ms` after what was handed on before.
    fn check(bytes: usize, waited_ms: Option<u64>, pause_ms: Option<u64>, expected: Next) {
        let policy = Coalesce { wait_max: Duration::from_millis(5), bytes_max: 1000 };
        let start = Instant::now();
        let first = start + Duration::from_millis(pause_ms.unwrap_or(0));
        let waiting =
            Waiting { bytes, first_byte: waited_ms.map(|_| first), last_seal: pause_ms.map(|_| start) };
        let now = first + Duration::from_millis(waited_ms.unwrap_or(0));
        assert_eq!(policy.next(&waiting, now), expected);
    }

    #[test]
    fn a_line_waits_for_company_but_not_for_long() {
        check(0, None, Some(1), Next::Block);
        check(80, Some(0), Some(1), Next::Sleep(Duration::from_millis(5)));
        check(80, Some(3), Some(5), Next::Sleep(Duration::from_millis(2)));
        check(80, Some(5), Some(1), Next::Seal);
    }

    #[test]
    fn nobody_waits_where_there_is_plenty() {
        check(1000, Some(0), Some(1), Next::Seal);
    }

    #[test]
    fn a_lone_line_of_a_sender_that_pauses_longer_than_the_wait_does_not_wait() {
        check(80, Some(0), Some(6), Next::Seal);
        check(80, Some(0), None, Next::Seal);
    }

    #[test]
    fn the_oldest_byte_counts() {
        let start = Instant::now();
        let mut waiting = Waiting::default();
        waiting.seal(start);
        waiting.add(0, start);
        assert_eq!((waiting.first_byte, waiting.last_seal), (None, None));
        waiting.add(10, start + Duration::from_millis(2));
        waiting.add(10, start + Duration::from_millis(1));
        assert_eq!((waiting.bytes, waiting.first_byte), (20, Some(start + Duration::from_millis(1))));
    }
}
