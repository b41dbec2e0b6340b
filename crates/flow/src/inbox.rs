//! A queue that one thread takes from, and that wakes it only if it waits.
//!
//! The thread sleeps at once if there is nothing: the channels of other crates first look again a few times, giving way to
//! other threads in between, which costs more than the wake-up that it saves if messages come a millisecond apart.

use parking_lot::{Condvar, Mutex};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

/// The end that puts in; when it is dropped, the other end learns of it.
pub(crate) struct InboxSender<T>(Arc<SharedItems<T>>);

/// The end that takes out; when it is dropped, so are the items.
pub(crate) struct Inbox<T>(Arc<SharedItems<T>>);

struct SharedItems<T> {
    state: Mutex<InboxState<T>>,
    filled: Condvar,
}

struct InboxState<T> {
    items: VecDeque<T>,
    /// Whether the taking thread sleeps.
    is_waiting: bool,
    /// Whether one of the ends is gone.
    is_closed: bool,
}

/// The reason why there is no item.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NoItem {
    /// None came in time.
    Timeout,
    /// None will come.
    Closed,
}

/// Both ends of a new queue. It has no bound: what is put in is bounded by those who put it in.
pub(crate) fn inbox<T>() -> (InboxSender<T>, Inbox<T>) {
    let state = InboxState { items: VecDeque::new(), is_waiting: false, is_closed: false };
    let shared = Arc::new(SharedItems { state: Mutex::new(state), filled: Condvar::new() });
    (InboxSender(shared.clone()), Inbox(shared))
}

impl<T> InboxSender<T> {
    /// Puts in an item; gives it back if nobody takes any more.
    pub(crate) fn send(&self, item: T) -> Result<(), T> {
        let mut state = self.0.state.lock();
        if state.is_closed {
            return Err(item);
        }
        state.items.push_back(item);
        let has_to_wake = std::mem::take(&mut state.is_waiting);
        drop(state);
        if has_to_wake {
            self.0.filled.notify_one();
        }
        Ok(())
    }
}

impl<T> Inbox<T> {
    /// The oldest item, if there is one.
    pub(crate) fn try_recv(&self) -> Option<T> {
        self.0.state.lock().items.pop_front()
    }

    /// The oldest item; waits for one until this time.
    pub(crate) fn recv_until(&self, until: Instant) -> Result<T, NoItem> {
        let mut state = self.0.state.lock();
        loop {
            if let Some(item) = state.items.pop_front() {
                return Ok(item);
            }
            if state.is_closed {
                return Err(NoItem::Closed);
            }
            state.is_waiting = true;
            let waited = self.0.filled.wait_until(&mut state, until);
            state.is_waiting = false;
            if waited.timed_out() {
                return state.items.pop_front().ok_or(NoItem::Timeout);
            }
        }
    }
}

impl<T> Drop for InboxSender<T> {
    fn drop(&mut self) {
        self.0.state.lock().is_closed = true;
        self.0.filled.notify_one();
    }
}

impl<T> Drop for Inbox<T> {
    fn drop(&mut self) {
        let mut state = self.0.state.lock();
        state.is_closed = true;
        let items = std::mem::take(&mut state.items);
        drop(state);
        // To drop an item may call back, so it is done without the lock.
        drop(items);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn items_come_in_order_and_wake_the_thread_that_waits() {
        let (sender, inbox) = inbox();
        std::thread::scope(|scope| {
            let taken = scope.spawn(move || {
                let items = std::iter::from_fn(|| inbox.recv_until(Instant::now() + LONG).ok());
                items.collect::<Vec<u32>>()
            });
            (0..1000).for_each(|item| sender.send(item).unwrap());
            drop(sender);
            assert_eq!(taken.join().unwrap(), (0..1000).collect::<Vec<u32>>());
        });
    }

    #[test]
    fn nothing_comes_in_time_or_ever() {
        let (sender, inbox) = inbox::<u32>();
        assert_eq!(inbox.recv_until(Instant::now() + Duration::from_millis(1)), Err(NoItem::Timeout));
        sender.send(1).unwrap();
        drop(sender);
        assert_eq!((inbox.try_recv(), inbox.try_recv()), (Some(1), None));
        assert_eq!(inbox.recv_until(Instant::now() + LONG), Err(NoItem::Closed));
    }

    #[test]
    fn what_nobody_takes_is_dropped_or_given_back() {
        let (sender, inbox) = inbox();
        let item = Arc::new(());
        sender.send(item.clone()).unwrap();
        drop(inbox);
        assert_eq!(Arc::strong_count(&item), 1);
        assert!(sender.send(item).is_err());
    }
}
