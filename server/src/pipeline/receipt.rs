//! Follows a chunk of messages to the disk: it holds the chunk's share of its source's byte budget, and tells
//! a waiting sender when everything is durable.
//!
//! Every part of a chunk that is under way carries a clone. When the last one is dropped, the share is given
//! back and the sender hears the outcome. So nothing calls back up the pipe, a stuck logspace or a stuck
//! flow-controlled destination slows down exactly the sources that feed it, and all bytes in flight are
//! bounded by the sources' budgets.
//!
//! **Invariant:** what still has to be done with a part is [`Pending`]. A part that is dropped, forgotten in a
//! queue or unwound by a panic without being done is a failure, so no sender ever hears `Ok` by accident.

use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

/// Budgets are counted in units of this many bytes: a semaphore counts to 2³² at most.
const UNIT_BYTES: usize = 1024;

/// The bytes of one source that may be under way between its sockets and the disk.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    units: Arc<Semaphore>,
    units_max: usize,
}

impl Budget {
    pub(crate) fn new(bytes_max: usize) -> Budget {
        let units_max = (bytes_max / UNIT_BYTES).clamp(1, Semaphore::MAX_PERMITS.min(u32::MAX as usize));
        Budget { units: Arc::new(Semaphore::new(units_max)), units_max }
    }

    /// Waits until `bytes` may be under way. A chunk larger than the whole budget waits for all of it.
    pub(crate) async fn reserve(&self, bytes: usize) -> OwnedSemaphorePermit {
        let reserved = self.units.clone().acquire_many_owned(self.units_for(bytes)).await;
        reserved.expect("the semaphore is never closed")
    }

    /// As [`Budget::reserve`], but `None` instead of waiting.
    pub(crate) fn try_reserve(&self, bytes: usize) -> Option<OwnedSemaphorePermit> {
        self.units.clone().try_acquire_many_owned(self.units_for(bytes)).ok()
    }

    /// Bytes that are under way.
    pub(crate) fn used_bytes(&self) -> usize {
        (self.units_max - self.units.available_permits().min(self.units_max)) * UNIT_BYTES
    }

    /// Bytes that may be under way.
    pub(crate) fn bytes_max(&self) -> usize {
        self.units_max * UNIT_BYTES
    }

    fn units_for(&self, bytes: usize) -> u32 {
        bytes.div_ceil(UNIT_BYTES).clamp(1, self.units_max) as u32
    }
}

/// What a waiting sender hears: everything is durable, or why not.
pub(crate) type Outcome = Result<(), String>;

/// A share in a chunk that is under way.
#[derive(Clone, Debug)]
pub(crate) struct Receipt(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    _reserved: OwnedSemaphorePermit,
    since: Instant,
    failure: Mutex<Option<String>>,
    waiting: Mutex<Option<oneshot::Sender<Outcome>>>,
    is_impatient: bool,
}

impl Receipt {
    fn new(
        reserved: OwnedSemaphorePermit,
        waiting: Option<oneshot::Sender<Outcome>>,
        is_impatient: bool,
    ) -> Receipt {
        Receipt(Arc::new(Shared {
            _reserved: reserved,
            since: Instant::now(),
            failure: Mutex::new(None),
            is_impatient,
            waiting: Mutex::new(waiting),
        }))
    }

    /// Whether a sender waits that wants to hear of a failure at once, instead of being held back.
    pub(crate) fn is_impatient(&self) -> bool {
        self.0.is_impatient
    }

    /// When the chunk was received; chunks of one connection in their order, whatever the clock does.
    pub(crate) fn since(&self) -> Instant {
        self.0.since
    }

    /// A part of the chunk that is yet to be done.
    pub(crate) fn pending(&self) -> Pending {
        Pending { receipt: self.clone(), done: false }
    }

    /// A part of the chunk is lost. The first reason is the one that the sender hears.
    pub(crate) fn fail(&self, reason: &str) {
        self.0.failure.lock().get_or_insert_with(|| reason.to_owned());
    }
}

/// A part of a chunk that something still has to be done with.
#[derive(Debug)]
pub(crate) struct Pending {
    receipt: Receipt,
    done: bool,
}

impl Pending {
    /// For a sender that does not wait for an answer.
    pub(crate) fn silent(reserved: OwnedSemaphorePermit) -> Pending {
        Pending { receipt: Receipt::new(reserved, None, false), done: false }
    }

    /// For a sender that waits: the receiver hears `Ok` when everything is durable, and of a failure at once.
    pub(crate) fn answering(reserved: OwnedSemaphorePermit) -> (Pending, oneshot::Receiver<Outcome>) {
        let (sender, receiver) = oneshot::channel();
        (Pending { receipt: Receipt::new(reserved, Some(sender), true), done: false }, receiver)
    }

    /// For a sender that waits and can be held back: what can not be stored now is tried again.
    pub(crate) fn confirming(reserved: OwnedSemaphorePermit) -> (Pending, oneshot::Receiver<Outcome>) {
        let (sender, receiver) = oneshot::channel();
        (Pending { receipt: Receipt::new(reserved, Some(sender), false), done: false }, receiver)
    }

    /// It is done.
    pub(crate) fn done(mut self) {
        self.done = true;
    }

    /// It can not be done, and why.
    pub(crate) fn fail(self, reason: &str) {
        self.receipt.fail(reason);
    }

    pub(crate) fn receipt(&self) -> &Receipt {
        &self.receipt
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if !self.done {
            self.receipt.fail("it was not stored: the server stopped, or its log says why");
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        if let Some(waiting) = self.waiting.get_mut().take() {
            let outcome = self.failure.get_mut().take().map_or(Ok(()), Err);
            // The sender may have gone away meanwhile: nobody is left to tell.
            waiting.send(outcome).ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sender_hears_the_outcome_when_the_last_part_is_done() {
        let budget = Budget::new(10 * UNIT_BYTES);
        let (chunk, mut outcome) = Pending::answering(budget.try_reserve(3000).unwrap());
        let part = chunk.receipt().clone();
        chunk.done();
        assert!(outcome.try_recv().is_err() && budget.used_bytes() == 3 * UNIT_BYTES);
        part.fail("disk full");
        drop(part);
        assert_eq!(outcome.try_recv(), Ok(Err("disk full".to_owned())));
        assert_eq!(budget.used_bytes(), 0);
    }

    #[test]
    fn a_part_that_is_forgotten_is_a_failure() {
        let budget = Budget::new(UNIT_BYTES);
        for (is_done, expected_ok) in [(true, true), (false, false)] {
            let (chunk, mut outcome) = Pending::answering(budget.try_reserve(1).unwrap());
            let part = chunk.receipt().pending();
            chunk.done();
            if is_done {
                part.done()
            } else {
                drop(part)
            }
            assert_eq!(outcome.try_recv().unwrap().is_ok(), expected_ok);
        }
    }

    #[test]
    fn a_chunk_larger_than_the_budget_takes_all_of_it() {
        let budget = Budget::new(2 * UNIT_BYTES);
        let all = budget.try_reserve(usize::MAX).unwrap();
        assert!(budget.try_reserve(1).is_none());
        drop(all);
        assert!(budget.try_reserve(1).is_some());
    }
}
