//! Decides when a receiver hands its bytes on. Pure: the caller brings the clock.
//!
//! A receiver reads deliberately late: after a small read it waits a few milliseconds, so that the next read
//! finds many messages. Fewer system calls, bigger batches, warmer caches.

use std::time::{Duration, Instant};

/// The policy of one source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Coalesce {
    /// How long the oldest byte may wait for company.
    pub(crate) wait_max: Duration,
    /// How many bytes are handed on at once.
    pub(crate) bytes_max: usize,
}

/// What a receiver does now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Nothing is pending: wait for the socket.
    Block,
    /// Sleep this long, then read what has come.
    Sleep(Duration),
    /// Hand on what is pending.
    Seal,
}

impl Coalesce {
    /// `first_byte` is when the oldest pending byte arrived, `None` when nothing is pending.
    pub(crate) fn next(&self, pending_bytes: usize, first_byte: Option<Instant>, now: Instant) -> Next {
        let Some(first_byte) = first_byte else { return Next::Block };
        let waited = now.saturating_duration_since(first_byte);
        if self.bytes_max <= pending_bytes || self.wait_max <= waited {
            return Next::Seal;
        }
        Next::Sleep(self.wait_max - waited)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pending_bytes: usize, waited_ms: Option<u64>, expected: Next) {
        let policy = Coalesce { wait_max: Duration::from_millis(5), bytes_max: 1000 };
        let start = Instant::now();
        let now = start + Duration::from_millis(waited_ms.unwrap_or(0));
        assert_eq!(policy.next(pending_bytes, waited_ms.map(|_| start), now), expected);
    }

    #[test]
    fn a_lone_line_waits_for_company_but_not_for_long() {
        check(0, None, Next::Block);
        check(80, Some(0), Next::Sleep(Duration::from_millis(5)));
        check(80, Some(3), Next::Sleep(Duration::from_millis(2)));
        check(80, Some(5), Next::Seal);
        check(1000, Some(0), Next::Seal);
    }
}
