//! Those that hold a part of a bounded memory and may wait for more of it.
//!
//! **Invariant:** they never all wait at once: the last one is told to give up what it holds, so that the others
//! continue.

use std::sync::atomic::{AtomicUsize, Ordering};

/// How many hold a part of a memory, and how many of them wait for more.
#[derive(Default, Debug)]
pub struct Holders {
    holding: AtomicUsize,
    waiting: AtomicUsize,
}

/// One that holds a part of a memory, for as long as this exists.
#[derive(Debug)]
pub struct Holder<'a>(&'a Holders);

/// A holder that waits, for as long as this exists.
#[derive(Debug)]
pub struct WaitingHolder<'a>(&'a Holders);

impl Holders {
    /// Counts one more holder.
    pub fn join(&self) -> Holder<'_> {
        self.holding.fetch_add(1, Ordering::SeqCst);
        Holder(self)
    }
}

impl<'a> Holder<'a> {
    /// Lets the holder wait for more; `None` if all others are waiting already, so that none would ever get it.
    pub fn wait(&self) -> Option<WaitingHolder<'a>> {
        let waiting = self.0.waiting.fetch_add(1, Ordering::SeqCst) + 1;
        let waits = WaitingHolder(self.0);
        (waiting < self.0.holding.load(Ordering::SeqCst)).then_some(waits)
    }
}

impl Drop for Holder<'_> {
    fn drop(&mut self) {
        self.0.holding.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Drop for WaitingHolder<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_all_holders_does_not_wait() {
        let holders = Holders::default();
        let (first, second) = (holders.join(), holders.join());
        let waits = first.wait();
        assert!(waits.is_some());
        assert!(second.wait().is_none(), "the other one waits already");
        assert!(second.wait().is_none(), "a refused wait is not counted");
        drop(waits);
        assert!(second.wait().is_some());
        drop(second);
        assert!(first.wait().is_none(), "nobody else could free anything");
    }
}
