//! Ends work that takes too long, whatever it is waiting for, by a thread that sleeps until the deadline.

use parking_lot::{Condvar, Mutex};
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A time limit. Dropping it in time cancels it.
pub(super) struct Deadline(Arc<DeadlineState>);

#[derive(Default)]
struct DeadlineState {
    is_over: Mutex<bool>,
    changed: Condvar,
}

impl Deadline {
    /// Calls `late` after this time.
    pub(super) fn start(wait: Duration, late: impl FnOnce() + Send + 'static) -> io::Result<Deadline> {
        let state = Arc::<DeadlineState>::default();
        let (watched, until) = (state.clone(), Instant::now() + wait);
        std::thread::Builder::new().name("deadline".to_owned()).spawn(move || {
            let mut is_over = watched.is_over.lock();
            while !*is_over {
                if watched.changed.wait_until(&mut is_over, until).timed_out() {
                    break;
                }
            }
            if !*is_over {
                late();
            }
        })?;
        Ok(Deadline(state))
    }
}

impl Drop for Deadline {
    fn drop(&mut self) {
        *self.0.is_over.lock() = true;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{RecvTimeoutError, channel};

    #[test]
    fn it_calls_when_its_time_is_over_and_not_when_it_is_dropped_before() {
        let (called, calls) = channel();
        let kept = Deadline::start(Duration::ZERO, move || called.send(()).unwrap()).unwrap();
        calls.recv_timeout(Duration::from_secs(30)).unwrap();
        drop(kept);
        let (called, calls) = channel::<()>();
        drop(Deadline::start(Duration::from_secs(3600), move || called.send(()).unwrap()).unwrap());
        assert_eq!(calls.recv_timeout(Duration::from_secs(30)), Err(RecvTimeoutError::Disconnected));
    }
}
