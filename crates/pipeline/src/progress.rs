//! Makes a logspace wait for the [sealers](super::sealers) while messages arrive faster than they are sealed.
//!
//! **Invariant:** it never stops storing. A wait has an end, and no thread waits for sealers that are not at work.

use parking_lot::{Condvar, Mutex};
use std::time::{Duration, Instant};

/// Tells waiters that the sealers have made progress.
#[derive(Default)]
pub(crate) struct SealProgress {
    has_ended: Mutex<bool>,
    changed: Condvar,
}

impl SealProgress {
    /// Notes that something was sealed.
    pub(crate) fn note(&self) {
        // Takes the lock: a waiting thread checks while it holds it, and so cannot miss this signal.
        let _looking = self.has_ended.lock();
        self.changed.notify_all();
    }

    /// Notes that nothing more will be sealed.
    pub(crate) fn end(&self) {
        *self.has_ended.lock() = true;
        self.changed.notify_all();
    }

    /// Waits for as long as sealing is behind, up to this time; returns how long that was.
    pub(crate) fn wait_while(&self, is_behind: impl Fn() -> bool, wait_max: Duration) -> Duration {
        let mut has_ended = self.has_ended.lock();
        if *has_ended || !is_behind() {
            return Duration::ZERO;
        }
        let since = Instant::now();
        let until = since + wait_max;
        while !*has_ended && is_behind() && !self.changed.wait_until(&mut has_ended, until).timed_out() {}
        since.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicBool, Ordering};

    const LONG: Duration = Duration::from_secs(600);

    #[test]
    fn who_is_behind_waits_until_something_is_sealed() {
        let (progress, is_behind, waits) = (SealProgress::default(), AtomicBool::new(true), Barrier::new(2));
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| {
                let is_behind = || {
                    let is_behind = is_behind.load(Ordering::Relaxed);
                    if is_behind {
                        waits.wait();
                    }
                    is_behind
                };
                progress.wait_while(is_behind, LONG)
            });
            // The first check before waiting, and the second one.
            waits.wait();
            waits.wait();
            is_behind.store(false, Ordering::Relaxed);
            progress.note();
            assert!(waiting.join().unwrap() < LONG);
        });
    }

    #[test]
    fn nobody_waits_for_longer_than_allowed_or_for_sealers_that_have_ended() {
        let progress = SealProgress::default();
        assert_eq!(progress.wait_while(|| false, LONG), Duration::ZERO);
        assert!(Duration::ZERO < progress.wait_while(|| true, Duration::from_millis(1)));
        progress.end();
        assert_eq!(progress.wait_while(|| true, LONG), Duration::ZERO);
    }
}
