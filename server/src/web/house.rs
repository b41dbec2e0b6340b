//! What all connections share: what answers them, their limits, the certificate.

use super::limits::Limits;
use super::listener::Apps;
use crate::flow::counters::Counters;
use crate::machine::sockets::Sockets;
use crate::source::{Certificates, LOOK_INTERVAL};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// What all connections share.
pub(crate) struct House {
    pub(crate) apps: Apps,
    pub(crate) limits: Limits,
    /// Of the listeners that encrypt.
    pub(crate) certificates: Option<Arc<Certificates>>,
    pub(crate) sockets: Arc<Sockets>,
    pub(crate) counters: Arc<Counters>,
}

impl House {
    /// Reads the certificates again; on failure the old ones stay.
    pub(crate) fn reload(certificates: &Certificates) {
        match certificates.reload() {
            Ok(()) => tracing::info!("the certificate of the web port was read again"),
            Err(error) => tracing::error!("the certificate of the web port stays as it was: {error}"),
        }
    }

    /// Reads the certificates again when their files change, and shows when they end, for as long as it is polled.
    pub(super) async fn watch_certificates(self: Arc<House>) {
        let Some(certificates) = &self.certificates else { return };
        let mut interval = tokio::time::interval(LOOK_INTERVAL);
        loop {
            interval.tick().await;
            if certificates.changed() {
                House::reload(certificates);
            }
            self.counters.web.certificate_expires.store(certificates.expires_at(), Ordering::Relaxed);
        }
    }
}
