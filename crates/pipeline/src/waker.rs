//! Wakes the sealers.

use crossbeam_channel::{Receiver, Sender, bounded};
use std::time::Duration;

/// Signals that sealers may have something to seal.
#[derive(Clone)]
pub(crate) struct Waker(Sender<()>);

/// Receives the signals of [`Waker`].
pub(crate) struct Wakeups(Receiver<()>);

pub(crate) fn new() -> (Waker, Wakeups) {
    let (sender, receiver) = bounded(1);
    (Waker(sender), Wakeups(receiver))
}

impl Waker {
    /// Wakes one sealer. A single signal is enough: a sealer that finds work passes it on.
    pub(crate) fn wake(&self) {
        self.0.try_send(()).ok();
    }
}

impl Wakeups {
    /// Returns after a signal, or when this time has passed.
    pub(crate) fn wait(&self, wait_max: Duration) {
        self.0.recv_timeout(wait_max).ok();
    }
}
