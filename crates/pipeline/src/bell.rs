//! Wakes the sealers.

use crossbeam_channel::{Receiver, Sender, bounded};
use std::time::Duration;

/// Says that there may be something to seal.
#[derive(Clone)]
pub(crate) struct Bell(Sender<()>);

/// Hears it.
pub(crate) struct Rung(Receiver<()>);

pub(crate) fn new() -> (Bell, Rung) {
    let (ring, rung) = bounded(1);
    (Bell(ring), Rung(rung))
}

impl Bell {
    /// One ring is enough for all: a sealer that finds work rings on.
    pub(crate) fn ring(&self) {
        self.0.try_send(()).ok();
    }
}

impl Rung {
    /// Returns when the bell rings, or after this time.
    pub(crate) fn wait(&self, wait_max: Duration) {
        self.0.recv_timeout(wait_max).ok();
    }
}
