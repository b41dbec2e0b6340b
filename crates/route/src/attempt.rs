//! An attempt to accept a batch whose sender is told how it ends, and sends it again if it fails. A failure undoes
//! what steps remembered of the batch, so that the next attempt finds them in the same state.
//!
//! A message that is dropped as the repetition of one that is still being stored shares its fate: the attempt
//! [follows](Attempt::followed) the one that is storing it, and fails with it. Attempts follow only older ones, so that none
//! waits for itself.
//!
//! **Invariant:** a message dropped as a repetition repeats one that was stored, or its own sender hears that it was not.

use parking_lot::Mutex;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The maximum length of a chain of attempts in which each ends because the one before it does.
const ROW_MAX: usize = 16;

/// An attempt; it fails when it is dropped before it has [ended](Attempt::end).
#[derive(Debug)]
pub struct BatchAttempt {
    /// An older attempt has a lower number.
    number: u64,
    /// Whether its sender waits for as long as necessary.
    is_patient: bool,
    state: Mutex<AttemptState>,
}

#[derive(Debug, Default)]
struct AttemptState {
    /// Whether its messages were accepted, once it has ended.
    taken: Option<bool>,
    undo: UndoCalls,
    followed: Vec<Arc<BatchAttempt>>,
    /// The length of the chain of attempts that ends with this one.
    row: usize,
    calls: EndCalls,
}

type UndoCall = Box<dyn FnOnce(&BatchAttempt) + Send>;
type EndCall = Box<dyn FnOnce(bool) + Send>;

/// The functions to call if the attempt fails.
#[derive(Default)]
struct UndoCalls(Vec<UndoCall>);

impl fmt::Debug for UndoCalls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} steps", self.0.len())
    }
}

/// The functions to call when the attempt ends.
#[derive(Default)]
struct EndCalls(Vec<EndCall>);

impl fmt::Debug for EndCalls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} calls", self.0.len())
    }
}

impl BatchAttempt {
    /// Begins an attempt. Its sender either waits for as long as necessary, or is told of a failure at once.
    pub fn new(is_patient: bool) -> Arc<BatchAttempt> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Arc::new(BatchAttempt { number, is_patient, state: Mutex::default() })
    }

    /// Ends the attempt: its messages were accepted or not.
    pub fn end(&self, is_taken: bool) {
        let (undo, calls) = {
            let mut state = self.state.lock();
            if state.taken.is_some() {
                return;
            }
            state.taken = Some(is_taken);
            state.followed.clear();
            (std::mem::take(&mut state.undo), std::mem::take(&mut state.calls))
        };
        if !is_taken {
            undo.0.into_iter().for_each(|undo| undo(self));
        }
        calls.0.into_iter().for_each(|call| call(is_taken));
    }

    /// Calls `call` once the attempt has ended, with whether its messages were accepted.
    pub fn when_ended(&self, call: impl FnOnce(bool) + Send + 'static) {
        let mut state = self.state.lock();
        match state.taken {
            None => state.calls.0.push(Box::new(call)),
            Some(is_taken) => {
                drop(state);
                call(is_taken);
            }
        }
    }

    /// The attempts whose messages this one repeats: it must end after them, and fail if any of them fails.
    pub fn followed(&self) -> Vec<Arc<BatchAttempt>> {
        std::mem::take(&mut self.state.lock().followed)
    }

    /// Whether its messages were accepted; `None` if it has not ended.
    pub(crate) fn taken(&self) -> Option<bool> {
        self.state.lock().taken
    }

    /// Whether a message of this attempt may be dropped as a repetition of one in the other.
    pub(crate) fn follows(&self, other: &Arc<BatchAttempt>) -> bool {
        if self.number == other.number {
            return true;
        }
        if self.number < other.number || (other.is_patient && !self.is_patient) {
            return other.taken() == Some(true);
        }
        let row = {
            let state = other.state.lock();
            match state.taken {
                Some(is_taken) => return is_taken,
                None => state.row + 1,
            }
        };
        if ROW_MAX < row {
            return false;
        }
        let mut state = self.state.lock();
        state.row = state.row.max(row);
        if !state.followed.iter().any(|known| Arc::ptr_eq(known, other)) {
            state.followed.push(other.clone());
        }
        true
    }

    /// Adds a function to call if the attempt fails, by which a step undoes its memory of the batch.
    pub(crate) fn remembered(&self, undo: impl FnOnce(&BatchAttempt) + Send + 'static) {
        self.state.lock().undo.0.push(Box::new(undo));
    }
}

impl Drop for BatchAttempt {
    fn drop(&mut self) {
        self.end(false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    #[test]
    fn an_attempt_follows_older_ones_as_far_as_its_sender_waits() {
        let [first, second] = [BatchAttempt::new(false), BatchAttempt::new(false)];
        assert!(second.follows(&first) && first.follows(&first));
        assert!(!first.follows(&second), "two would wait for each other");
        assert_eq!((second.followed().len(), first.followed().len()), (1, 0));
        let patient = BatchAttempt::new(true);
        assert!(!BatchAttempt::new(false).follows(&patient), "its sender would wait for another's queue");
        assert!(BatchAttempt::new(true).follows(&patient) && patient.follows(&second));
        second.end(true);
        assert!(first.follows(&second), "it is taken");
        first.end(false);
        assert!(!BatchAttempt::new(false).follows(&first), "it is not");
    }

    #[test]
    fn attempts_that_wait_for_each_other_end_in_short_rows() {
        let mut all = vec![BatchAttempt::new(false)];
        for _ in 0..100 {
            let next = BatchAttempt::new(false);
            next.follows(all.last().unwrap());
            all.push(next);
        }
        let rows: Vec<usize> = all.iter().map(|attempt| attempt.state.lock().row).collect();
        assert_eq!(rows.iter().max(), Some(&ROW_MAX));
        assert!(rows.iter().filter(|row| **row == 0).count() > 3, "others begin anew: {rows:?}");
    }

    #[test]
    fn whoever_waits_hears_of_the_end_whenever_it_asks() {
        for is_taken in [true, false] {
            let heard = Arc::new(AtomicUsize::new(0));
            let attempt = BatchAttempt::new(false);
            let call = || {
                let heard = heard.clone();
                move |told: bool| {
                    heard.fetch_add(usize::from(told == is_taken), Ordering::Relaxed);
                }
            };
            attempt.when_ended(call());
            assert_eq!(heard.load(Ordering::Relaxed), 0);
            attempt.end(is_taken);
            attempt.end(!is_taken);
            attempt.when_ended(call());
            assert_eq!(heard.load(Ordering::Relaxed), 2);
        }
        let (heard, attempt) = (Arc::new(AtomicUsize::new(0)), BatchAttempt::new(false));
        let told = heard.clone();
        attempt.when_ended(move |is_taken| {
            told.fetch_add(usize::from(!is_taken), Ordering::Relaxed);
        });
        drop(attempt);
        assert_eq!(heard.load(Ordering::Relaxed), 1, "one that is forgotten has failed");
    }
}
