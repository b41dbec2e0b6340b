//! What waits for a forward destination: in order, bounded in bytes, in memory.
//!
//! When the queue is full, a batch under flow control waits in it all the same but keeps its receipt, which
//! holds its source back; any other batch is refused and counted. So nothing blocks here.

use crate::flow::receipt::Receipt;
use logstead_record::Batch;
use parking_lot::{Condvar, Mutex};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The queue of one destination.
pub(crate) struct Queue {
    bytes_max: AtomicUsize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    items: VecDeque<Item>,
    /// Bytes of the items, those that are being sent included.
    bytes: usize,
    messages: usize,
    stop: Option<Instant>,
}

struct Item {
    batch: Arc<Batch>,
    bytes: usize,
    since: Instant,
    /// Held while the queue is over its limit: dropped when the item is sent.
    _held: Option<Receipt>,
}

/// What waits, to be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Depth {
    pub(crate) messages: usize,
    pub(crate) bytes: usize,
    pub(crate) bytes_max: usize,
    pub(crate) oldest: Option<Duration>,
}

impl Queue {
    pub(crate) fn new(bytes_max: usize) -> Queue {
        Queue { bytes_max: AtomicUsize::new(bytes_max), state: Mutex::default(), changed: Condvar::new() }
    }

    /// Changes the limit for batches that come from now on.
    pub(crate) fn set_bytes_max(&self, bytes_max: usize) {
        self.bytes_max.store(bytes_max, Ordering::Relaxed);
    }

    /// Adds a batch; `false` when it was refused because the queue is full.
    pub(crate) fn push(&self, batch: Arc<Batch>, flow_control: bool, receipt: &Receipt) -> bool {
        let bytes = batch.memory_bytes();
        let mut state = self.state.lock();
        let full = self.bytes_max.load(Ordering::Relaxed) < state.bytes + bytes && !state.items.is_empty();
        if (full && !flow_control) || state.stop.is_some() {
            return false;
        }
        state.bytes += bytes;
        state.messages += batch.rows();
        let held = full.then(|| receipt.clone());
        state.items.push_back(Item { batch, bytes, since: Instant::now(), _held: held });
        self.changed.notify_one();
        true
    }

    /// Waits for the oldest batch and returns it without taking it; `None` when the queue is stopped and empty
    /// or its time to empty itself is over.
    pub(crate) fn peek(&self) -> Option<Arc<Batch>> {
        let mut state = self.state.lock();
        loop {
            if state.stop.is_some_and(|until| state.items.is_empty() || until <= Instant::now()) {
                return None;
            }
            if let Some(item) = state.items.front() {
                return Some(item.batch.clone());
            }
            self.changed.wait(&mut state);
        }
    }

    /// Takes the batch that [`Queue::peek`] returned: it is sent.
    pub(crate) fn pop(&self) {
        let mut state = self.state.lock();
        if let Some(item) = state.items.pop_front() {
            state.bytes -= item.bytes;
            state.messages -= item.batch.rows();
        }
    }

    /// Accepts no more batches; what waits may still be sent until `until`.
    pub(crate) fn stop(&self, until: Instant) {
        self.state.lock().stop = Some(until);
        self.changed.notify_all();
    }

    /// Waits a while, or until the queue is stopped; says whether there is time left to go on.
    pub(crate) fn pause(&self, wait: Duration) -> bool {
        let deadline = Instant::now() + wait;
        let mut state = self.state.lock();
        while Instant::now() < deadline {
            let until = state.stop.map_or(deadline, |stop| stop.min(deadline));
            if state.stop.is_some_and(|stop| stop <= Instant::now()) {
                return false;
            }
            self.changed.wait_until(&mut state, until);
        }
        state.stop.is_none_or(|stop| Instant::now() < stop)
    }

    pub(crate) fn depth(&self) -> Depth {
        let state = self.state.lock();
        Depth {
            messages: state.messages,
            bytes: state.bytes,
            bytes_max: self.bytes_max.load(Ordering::Relaxed),
            oldest: state.items.front().map(|item| item.since.elapsed()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::budget::Budget;
    use crate::flow::receipt::Pending;
    use logstead_record::{BatchBuilder, Origin, Row, Timestamp};

    fn batch() -> Arc<Batch> {
        let mut builder = BatchBuilder::new();
        builder.origin(Origin { source: b"s", peer: b"p", received: Timestamp::default() });
        builder.push(&Row::text(b"x"));
        Arc::new(builder.seal())
    }

    #[test]
    fn a_full_queue_holds_the_sender_back_or_refuses() {
        let queue = Queue::new(batch().memory_bytes());
        let budget = Budget::new(1024);
        let push = |flow_control| {
            let chunk = Pending::silent(budget.try_reserve(1).unwrap());
            queue.push(batch(), flow_control, chunk.receipt())
        };
        assert!(push(true));
        assert_eq!(budget.used_bytes(), 0, "there is room: the sender may go on");
        assert!(!push(false), "full: refused");
        assert!(push(true));
        assert_eq!(budget.used_bytes(), 1024, "full: the sender is held back");
        queue.pop();
        queue.pop();
        assert_eq!(budget.used_bytes(), 0);
        assert_eq!((queue.depth().bytes, queue.depth().messages), (0, 0));
    }

    #[test]
    fn a_stopped_queue_gives_out_what_waits_and_takes_nothing() {
        let queue = Queue::new(1 << 20);
        let budget = Budget::new(1024);
        let chunk = Pending::silent(budget.try_reserve(1).unwrap());
        assert!(queue.push(batch(), true, chunk.receipt()));
        queue.stop(Instant::now() + Duration::from_secs(60));
        assert!(!queue.push(batch(), true, chunk.receipt()));
        assert!(queue.peek().is_some());
        queue.pop();
        assert!(queue.peek().is_none());
    }
}
