//! Decides when a receiver passes its bytes on. No I/O: the caller supplies the time.
//!
//! A receiver reads deliberately late: after a small read it waits a few milliseconds, so that the next read finds
//! many messages. This gives fewer system calls, bigger batches and warmer caches. It does not wait if that gains
//! nothing: if there is plenty already, or if the sender pauses for longer than the wait.
//!
//! All connections of a source wait until shared ticks, so that they pass on their bytes together.

use std::time::{Duration, Instant};

/// The policy of one source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coalesce {
    /// The time for which the oldest byte may wait for more, which is also the time between ticks.
    pub wait_max: Duration,
    /// The time of the first tick.
    pub(crate) first_tick: Instant,
    /// The number of bytes that are passed on without waiting.
    pub bytes_max: usize,
}

/// The bytes that wait to be passed on.
#[derive(Clone, Copy, Debug, Default)]
pub struct PendingBytes {
    /// The number of waiting bytes.
    pub bytes: usize,
    /// When the oldest of these bytes arrived; `None` if there are none.
    pub first_byte: Option<Instant>,
    /// When bytes were last passed on.
    pub(crate) last_seal: Option<Instant>,
}

/// The next step of a receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoalesceStep {
    /// Nothing is waiting: wait for the socket.
    Block,
    /// Sleep this long, then read the bytes that have arrived.
    Sleep(Duration),
    /// Pass on the waiting bytes.
    Seal,
}

impl Coalesce {
    pub(crate) fn next(&self, waiting: &PendingBytes, now: Instant) -> CoalesceStep {
        let Some(first_byte) = waiting.first_byte else { return CoalesceStep::Block };
        let tick = self.tick_after(first_byte);
        if tick <= now || self.is_enough(waiting) {
            return CoalesceStep::Seal;
        }
        CoalesceStep::Sleep(tick - now)
    }

    /// Whether waiting would gain nothing.
    pub(crate) fn is_enough(&self, waiting: &PendingBytes) -> bool {
        let pause = |first: Instant| waiting.last_seal.map(|seal| first.saturating_duration_since(seal));
        let is_alone =
            waiting.first_byte.is_some_and(|first| pause(first).is_none_or(|pause| self.wait_max < pause));
        is_alone || self.bytes_max <= waiting.bytes
    }

    /// The next tick; `moment` itself if there are no ticks.
    fn tick_after(&self, moment: Instant) -> Instant {
        let since = moment.saturating_duration_since(self.first_tick).as_nanos();
        let Some(into) = since.checked_rem(self.wait_max.as_nanos()) else { return moment };
        // The value is below the wait, so it fits.
        moment + self.wait_max - Duration::from_nanos(into as u64)
    }
}

impl PendingBytes {
    /// Notes bytes that arrived, the oldest of them at `first_byte`.
    pub fn add(&mut self, bytes: usize, first_byte: Instant) {
        if 0 < bytes {
            self.bytes += bytes;
            self.first_byte = Some(self.first_byte.map_or(first_byte, |first| first.min(first_byte)));
        }
    }

    /// Notes that all waiting bytes are passed on.
    pub fn seal(&mut self, now: Instant) {
        if self.first_byte.is_some() {
            *self = PendingBytes { bytes: 0, first_byte: None, last_seal: Some(now) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the step `waited_ms` after the first byte, which arrived `pause_ms` after bytes were last passed on,
    /// which was at a tick.
    fn check(bytes: usize, waited_ms: Option<u64>, pause_ms: Option<u64>, expected: CoalesceStep) {
        let start = Instant::now();
        let policy = Coalesce { wait_max: Duration::from_millis(5), first_tick: start, bytes_max: 1000 };
        let first = start + Duration::from_millis(pause_ms.unwrap_or(0));
        let waiting =
            PendingBytes { bytes, first_byte: waited_ms.map(|_| first), last_seal: pause_ms.map(|_| start) };
        let now = first + Duration::from_millis(waited_ms.unwrap_or(0));
        assert_eq!(policy.next(&waiting, now), expected);
    }

    #[test]
    fn a_line_waits_for_company_but_not_for_long() {
        check(0, None, Some(1), CoalesceStep::Block);
        check(80, Some(0), Some(0), CoalesceStep::Sleep(Duration::from_millis(5)));
        check(80, Some(1), Some(2), CoalesceStep::Sleep(Duration::from_millis(2)));
        check(80, Some(0), Some(5), CoalesceStep::Sleep(Duration::from_millis(5)));
        check(80, Some(4), Some(1), CoalesceStep::Seal);
        check(80, Some(5), Some(1), CoalesceStep::Seal);
    }

    #[test]
    fn nobody_waits_where_there_is_plenty() {
        check(1000, Some(0), Some(1), CoalesceStep::Seal);
    }

    #[test]
    fn a_lone_line_of_a_sender_that_pauses_longer_than_the_wait_does_not_wait() {
        check(80, Some(0), Some(6), CoalesceStep::Seal);
        check(80, Some(0), None, CoalesceStep::Seal);
    }

    #[test]
    fn without_a_wait_there_is_none() {
        let now = Instant::now();
        let policy = Coalesce { wait_max: Duration::ZERO, first_tick: now, bytes_max: 1000 };
        let waiting = PendingBytes { bytes: 80, first_byte: Some(now), last_seal: Some(now) };
        assert_eq!(policy.next(&waiting, now), CoalesceStep::Seal);
    }

    #[test]
    fn the_oldest_byte_counts() {
        let start = Instant::now();
        let mut waiting = PendingBytes::default();
        waiting.seal(start);
        waiting.add(0, start);
        assert_eq!((waiting.first_byte, waiting.last_seal), (None, None));
        waiting.add(10, start + Duration::from_millis(2));
        waiting.add(10, start + Duration::from_millis(1));
        assert_eq!((waiting.bytes, waiting.first_byte), (20, Some(start + Duration::from_millis(1))));
    }
}
