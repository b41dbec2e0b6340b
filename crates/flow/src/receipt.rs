//! Follows a chunk of messages to the disk: it holds the chunk's share of its source's byte budget, and notifies a
//! waiting sender once everything is durable.
//!
//! Every part of a chunk that is under way carries a clone. When the last one is dropped, the share is given
//! back and the sender hears the outcome. So nothing calls back up the pipe, a stuck logspace or a stuck
//! flow-controlled destination slows down exactly the sources that feed it, and all bytes in flight are
//! bounded by the sources' budgets.
//!
//! It also notes in the [ledger](super::ledger) the fate of the messages that no journal has in the end.
//!
//! **Invariant:** a part of the chunk that is not done yet is a [`Pending`]. A part that is dropped, forgotten in a
//! queue or unwound by a panic without being done is a failure, so no sender ever hears `Ok` by accident.

use crate::ledger::{AccountSlot, JournalId, Ledger};
use crate::sequel::Sequel;
use logstead_route::BatchAttempt;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;
use tokio::sync::{OwnedSemaphorePermit, oneshot};

/// The answer for a waiting sender: either everything is durable, or there is a failure.
pub type StoreOutcome = Result<StoreSummary, StoreFailure>;

/// A summary of accepted messages.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct StoreSummary {
    /// The number of messages that no route took, or that a step of a route dropped; they are counted.
    pub dropped: usize,
}

/// The reason why messages are not stored everywhere.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct StoreFailure {
    /// The error, and where it happened.
    pub reason: String,
    /// The journals that have the messages nevertheless, and need not get them again.
    pub had: Vec<JournalId>,
}

impl StoreFailure {
    /// A failure after which no journal has the messages.
    pub fn nowhere(reason: impl Into<String>) -> StoreFailure {
        StoreFailure { reason: reason.into(), had: Vec::new() }
    }
}

impl std::fmt::Display for StoreFailure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.reason)
    }
}

/// A share in a chunk that is being processed.
#[derive(Clone, Debug)]
pub struct Receipt(Arc<ReceiptState>);

#[derive(Debug)]
struct ReceiptState {
    _reserved: OwnedSemaphorePermit,
    since: Instant,
    failure: Mutex<Option<String>>,
    unrouted: AtomicUsize,
    /// The messages that steps of routes dropped, by reason.
    dropped: Mutex<Vec<(String, usize)>>,
    account: OnceLock<ReceiptAccount>,
    waiting: Mutex<Option<oneshot::Sender<StoreOutcome>>>,
    is_awaited: bool,
    is_impatient: bool,
    /// The journals that have their whole part of the chunk.
    had: Mutex<Vec<JournalId>>,
    /// The notes that steps of routes keep about the chunk until the outcome is known.
    attempt: OnceLock<Arc<BatchAttempt>>,
}

/// The account of the messages in the ledger.
#[derive(Debug)]
struct ReceiptAccount {
    ledger: Arc<Ledger>,
    slot: AccountSlot,
    messages: usize,
    /// The number of messages that a journal has.
    kept: AtomicUsize,
}

impl Receipt {
    fn new(
        reserved: OwnedSemaphorePermit,
        waiting: Option<oneshot::Sender<StoreOutcome>>,
        is_impatient: bool,
    ) -> Receipt {
        Receipt(Arc::new(ReceiptState {
            _reserved: reserved,
            since: Instant::now(),
            failure: Mutex::new(None),
            unrouted: AtomicUsize::new(0),
            dropped: Mutex::default(),
            account: OnceLock::new(),
            is_impatient,
            is_awaited: waiting.is_some(),
            waiting: Mutex::new(waiting),
            had: Mutex::default(),
            attempt: OnceLock::new(),
        }))
    }

    /// The handle by which steps of routes remember the chunk, in case its sender sends it again after a failure.
    pub fn attempt(&self) -> Option<&Arc<BatchAttempt>> {
        self.0.is_awaited.then(|| self.0.attempt.get_or_init(|| BatchAttempt::new(!self.0.is_impatient)))
    }

    /// Whether a sender waits for the outcome, and sends messages again if it gets none.
    pub fn is_awaited(&self) -> bool {
        self.0.is_awaited
    }

    /// Whether the sender that waited has left: it sends the messages again if it got no answer.
    pub(crate) fn is_abandoned(&self) -> bool {
        self.0.waiting.lock().as_ref().is_some_and(oneshot::Sender::is_closed)
    }

    /// Whether the waiting sender wants to learn of a failure at once, instead of being held back.
    pub fn is_impatient(&self) -> bool {
        self.0.is_impatient
    }

    /// When the chunk was received. This orders the chunks of a connection even if the clock is changed.
    pub fn since(&self) -> Instant {
        self.0.since
    }

    /// A part of the chunk that is still to be done.
    pub fn pending(&self) -> Pending {
        Pending { receipt: self.clone(), done: false, sequel: None }
    }

    /// Opens the account of these messages: each is stored in a journal, or dropped.
    pub fn received(&self, ledger: &Arc<Ledger>, slot: AccountSlot, messages: usize) {
        ledger.received(&slot, messages);
        let account = ReceiptAccount { ledger: ledger.clone(), slot, messages, kept: AtomicUsize::new(0) };
        self.0.account.set(account).expect("messages are received once");
    }

    /// The slot that the messages are counted in, if they are.
    pub fn slot(&self) -> Option<&AccountSlot> {
        self.0.account.get().map(|account| &account.slot)
    }

    /// Notes that a journal has its part of the chunk and the ledger knows of it; `messages` of them are counted there.
    pub fn note_stored(&self, journal: &JournalId, messages: usize) {
        self.0.had.lock().push(journal.clone());
        if let Some(account) = self.0.account.get() {
            account.kept.fetch_add(messages, Ordering::Relaxed);
        }
    }

    /// Notes messages that were received before, and are already counted in the journals that stored them.
    pub fn repeated(&self, messages: usize) {
        if let Some(account) = self.0.account.get() {
            account.ledger.repeated(&account.slot, messages);
            account.kept.fetch_add(messages, Ordering::Relaxed);
        }
    }

    /// Notes messages that no route took.
    pub fn unrouted(&self, messages: usize) {
        self.0.unrouted.fetch_add(messages, Ordering::Relaxed);
    }

    /// Notes messages that a step of a route dropped, so that no target gets them.
    pub fn dropped(&self, reason: String, messages: usize) {
        self.0.dropped.lock().push((reason, messages));
    }

    /// Notes that a part of the chunk is lost. The sender is told the first reason.
    pub fn fail(&self, reason: &str) {
        self.0.failure.lock().get_or_insert_with(|| reason.to_owned());
    }
}

/// A part of a chunk that still has to be dealt with.
#[derive(Debug)]
pub struct Pending {
    /// The receipt that it settles.
    pub receipt: Receipt,
    done: bool,
    /// The sequel that runs after this part.
    sequel: Option<Sequel>,
}

impl Pending {
    /// A part for a sender that does not wait for an answer.
    pub fn silent(reserved: OwnedSemaphorePermit) -> Pending {
        Pending { receipt: Receipt::new(reserved, None, false), done: false, sequel: None }
    }

    /// A part for a sender that waits: the receiver gets `Ok` once everything is durable, and a failure at once.
    pub fn answering(reserved: OwnedSemaphorePermit) -> (Pending, oneshot::Receiver<StoreOutcome>) {
        let (sender, receiver) = oneshot::channel();
        (Pending { receipt: Receipt::new(reserved, Some(sender), true), done: false, sequel: None }, receiver)
    }

    /// A part for a sender that waits and can be held back: messages that cannot be stored now are tried again.
    pub fn confirming(reserved: OwnedSemaphorePermit) -> (Pending, oneshot::Receiver<StoreOutcome>) {
        let (sender, receiver) = oneshot::channel();
        (
            Pending { receipt: Receipt::new(reserved, Some(sender), false), done: false, sequel: None },
            receiver,
        )
    }

    /// Lets the sequel run only once this part is done.
    pub fn come_before(&mut self, sequel: &Sequel) {
        self.sequel = Some(sequel.clone());
    }

    /// Marks the part as done.
    pub fn done(mut self) {
        self.done = true;
    }

    /// Marks the part as failed, with the reason.
    pub fn fail(self, reason: &str) {
        self.receipt.fail(reason);
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if !self.done {
            self.receipt.fail("it was not stored: the server stopped, or its log says why");
            self.sequel.iter().for_each(Sequel::cancel);
        }
    }
}

impl Drop for ReceiptState {
    fn drop(&mut self) {
        let (unrouted, dropped) = (*self.unrouted.get_mut(), std::mem::take(self.dropped.get_mut()));
        let taken =
            StoreSummary { dropped: unrouted + dropped.iter().map(|(_, messages)| messages).sum::<usize>() };
        let had = std::mem::take(self.had.get_mut());
        let failed = |reason| Err(StoreFailure { reason, had: had.clone() });
        let outcome = self.failure.get_mut().take().map_or(Ok(taken), failed);
        if let Some(attempt) = self.attempt.get() {
            attempt.end(outcome.is_ok());
        }
        let waiting = self.waiting.get_mut().take();
        let dropped = self
            .account
            .take()
            .and_then(|account| account.close(&outcome, unrouted, dropped, waiting.is_some()));
        match (waiting, &outcome, dropped) {
            // The record of the drop has to be as durable as the stored messages.
            (Some(waiting), Ok(_), Some(ledger)) => {
                let outcome = move |written: Result<(), String>| match written {
                    Ok(()) => Ok(taken),
                    Err(reason) => Err(StoreFailure { reason, had }),
                };
                ledger.when_written(move |written| drop(waiting.send(outcome(written))));
            }
            // The sender may have left by now.
            (Some(waiting), ..) => drop(waiting.send(outcome)),
            (None, ..) => {}
        }
    }
}

impl ReceiptAccount {
    /// Accounts for the messages that no journal has. Returns the ledger if it counts any of them as dropped.
    fn close(
        mut self,
        outcome: &StoreOutcome,
        unrouted: usize,
        dropped: Vec<(String, usize)>,
        was_awaited: bool,
    ) -> Option<Arc<Ledger>> {
        let mut left = self.messages.saturating_sub(*self.kept.get_mut());
        if left == 0 {
            return None;
        }
        match outcome {
            Ok(_) => {
                for (reason, messages) in std::iter::once(("no_route".to_owned(), unrouted)).chain(dropped) {
                    let messages = messages.min(left);
                    left -= messages;
                    self.ledger.lost(&self.slot, reason, messages);
                }
                self.ledger.lost(&self.slot, "queue_full", left);
            }
            // The sender learns of the failure, and may send them again.
            Err(_) if was_awaited => self.ledger.lost(&self.slot, "refused", left),
            Err(_) => self.ledger.lost(&self.slot, "failed", left),
        }
        Some(self.ledger)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::{Budget, UNIT_BYTES};

    #[test]
    fn the_sender_hears_the_outcome_when_the_last_part_is_done() {
        let budget = Budget::new(10 * UNIT_BYTES);
        let (chunk, mut outcome) = Pending::answering(budget.try_reserve(3000).unwrap());
        let part = chunk.receipt.clone();
        chunk.done();
        assert!(outcome.try_recv().is_err() && budget.used_bytes() == 3 * UNIT_BYTES);
        part.fail("disk full");
        drop(part);
        assert_eq!(outcome.try_recv(), Ok(Err(StoreFailure { reason: "disk full".to_owned(), had: vec![] })));
        assert_eq!(budget.used_bytes(), 0);
    }

    #[test]
    fn a_part_that_is_forgotten_is_a_failure() {
        let budget = Budget::new(UNIT_BYTES);
        for (is_done, expected_ok) in [(true, true), (false, false)] {
            let (chunk, mut outcome) = Pending::answering(budget.try_reserve(1).unwrap());
            let part = chunk.receipt.pending();
            chunk.done();
            if is_done {
                part.done()
            } else {
                drop(part)
            }
            assert_eq!(outcome.try_recv().unwrap().is_ok(), expected_ok);
        }
    }
}
