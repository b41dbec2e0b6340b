//! The state that all connections share: the applications, the limits, the certificate.

use super::limits::WebLimits;
use super::listener::Apps;
use logstead_flow::counters::Counters;
use logstead_flow::listen::Certificates;
use logstead_flow::listen::tls::LOOK_INTERVAL;
use logstead_flow::machine::sockets::SocketLimit;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The state that all connections share.
pub struct ConnectionContext {
    /// The applications that listeners serve.
    pub apps: Apps,
    /// The limits of connections.
    pub limits: WebLimits,
    /// The certificates of the listeners that encrypt.
    pub certificates: Option<Arc<Certificates>>,
    /// The process's share of sockets.
    pub sockets: Arc<SocketLimit>,
    /// The counters of the web listener.
    pub counters: Arc<Counters>,
}

impl ConnectionContext {
    /// Reads the certificates again; on failure the old ones stay.
    pub fn reload(certificates: &Certificates) {
        match certificates.reload() {
            Ok(()) => tracing::info!("the certificate of the web port was read again"),
            Err(error) => tracing::error!("the certificate of the web port stays as it was: {error}"),
        }
    }

    /// Reads the certificates again when their files change, and shows when they end, for as long as it is polled.
    pub(super) async fn watch_certificates(self: Arc<ConnectionContext>) {
        let Some(certificates) = &self.certificates else { return };
        let mut interval = tokio::time::interval(LOOK_INTERVAL);
        loop {
            interval.tick().await;
            if certificates.changed() {
                ConnectionContext::reload(certificates);
            }
            self.counters.web.certificate_expires.store(certificates.expires_at(), Ordering::Relaxed);
        }
    }
}
