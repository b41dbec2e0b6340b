//! Wakes readers that follow stored messages when more are stored, and when the readers have to end.
//!
//! **Invariant:** a waiting follower is woken by messages that were stored after it began to wait, and finds them: the
//! call comes after they are searchable.

use tokio::sync::watch;

/// Wakes all watchers. Clones wake the same ones.
#[derive(Clone)]
pub(crate) struct Wake {
    stored: watch::Sender<()>,
    ending: watch::Sender<bool>,
}

/// Waits for stored messages.
pub struct StoredSignal(watch::Receiver<()>);

/// Waits for the end.
pub struct EndSignal(watch::Receiver<bool>);

impl Wake {
    pub(crate) fn new() -> Wake {
        Wake { stored: watch::Sender::new(()), ending: watch::Sender::new(false) }
    }

    /// Signals that more messages are searchable.
    pub(crate) fn stored(&self) {
        self.stored.send_replace(());
    }

    /// Ends all watching.
    pub(crate) fn end(&self) {
        self.ending.send_replace(true);
    }

    pub(crate) fn watch(&self) -> (StoredSignal, EndSignal) {
        (StoredSignal(self.stored.subscribe()), EndSignal(self.ending.subscribe()))
    }
}

impl StoredSignal {
    /// Returns once messages were stored since the last call, in any logspace.
    pub async fn changed(&mut self) {
        if self.0.changed().await.is_err() {
            // No part is left that could store messages.
            std::future::pending::<()>().await;
        }
    }
}

impl EndSignal {
    /// Returns when the server is about to stop.
    pub async fn requested(&mut self) {
        // If the sender is gone, the server has stopped.
        self.0.wait_for(|ending| *ending).await.ok();
    }
}
