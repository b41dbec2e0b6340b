//! Tells those who follow what is stored that there is more, and when to end.
//!
//! **Invariant:** who waits is woken by what was stored after it began to wait, and finds it: the call comes after the
//! messages are searchable.

use tokio::sync::watch;

/// Wakes everybody who watches. Clones wake the same.
#[derive(Clone)]
pub(crate) struct Wake {
    stored: watch::Sender<()>,
    ending: watch::Sender<bool>,
}

/// Waits for what is stored.
pub(crate) struct Stored(watch::Receiver<()>);

/// Waits for the end.
pub(crate) struct Ending(watch::Receiver<bool>);

impl Wake {
    pub(crate) fn new() -> Wake {
        Wake { stored: watch::Sender::new(()), ending: watch::Sender::new(false) }
    }

    /// More messages are searchable.
    pub(crate) fn stored(&self) {
        self.stored.send_replace(());
    }

    /// Nobody shall go on watching.
    pub(crate) fn end(&self) {
        self.ending.send_replace(true);
    }

    pub(crate) fn watch(&self) -> (Stored, Ending) {
        (Stored(self.stored.subscribe()), Ending(self.ending.subscribe()))
    }
}

impl Stored {
    /// Returns when messages were stored since the last call, in whichever logspace.
    pub(crate) async fn changed(&mut self) {
        if self.0.changed().await.is_err() {
            // Nobody is left who could store anything.
            std::future::pending::<()>().await;
        }
    }
}

impl Ending {
    /// Returns when the server is about to stop.
    pub(crate) async fn requested(&mut self) {
        // Without a sender it has stopped.
        self.0.wait_for(|ending| *ending).await.ok();
    }
}
