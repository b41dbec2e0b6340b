//! The web listener: accepts connections, passes their requests to the API, and ends those that keep it waiting.
//!
//! ```text
//! accept ─▶ table: a place, or another gives way ─▶ (TLS) ─▶ timed stream ─▶ HTTP/1.1 or HTTP/2 ─▶ API
//!             └─ sweep, every second: ends connections that have kept us waiting too long
//! ```
//!
//! | module               | owns                                                                |
//! |----------------------|---------------------------------------------------------------------|
//! | `listener`           | the sockets: opening them, their roles, and the next connection     |
//! | `connection_context` | the state that all connections share                                |
//! | `connection_table`, `limits` | the open connections, their limits, and the definition of one peer |
//! | `deadlines`, `credit`, `pace` | the phase of one connection, and when it has to end        |
//! | `connection`         | one connection: encryption, protocol, `closing_response`            |
//! | `timed_stream`, `body` | the bytes and bodies that pass, reported to `deadlines`           |
//!
//! **Invariant:** a connection on which we wait for the peer always has a deadline; see [`deadlines`].
//! **Invariant:** all connections are in the [`connection_table`], which holds no more than its limits.

mod body;
mod closing_response;
mod connection;
mod connection_context;
mod connection_table;
mod credit;
mod deadlines;
mod limits;
mod listener;
mod pace;
mod timed_stream;

pub use body::{LongAnswer, TooSlow};
pub use connection::Arrival;
pub use connection_context::ConnectionContext;
pub use deadlines::Deadlines;
pub use limits::{WebLimits, is_trusted, network};
pub use listener::{Apps, BoundListener, ListenerRole};

use connection::WebConnection;
use connection_table::{ConnectionSlot, ConnectionTable, NoSlot, TooManyLeaving};
use listener::{AcceptedStream, accept};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// Maximum time that a newcomer waits for connections that are leaving, which only takes until their task runs.
const LEAVING_WAIT_MAX: Duration = Duration::from_secs(1);
/// The time for which accepting pauses if the system has no file descriptor left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// Minimum time between two log entries about a lack of places.
const COMPLAINT_INTERVAL: Duration = Duration::from_secs(10);

/// Accepts connections and serves them.
struct ListenerTask {
    context: Arc<ConnectionContext>,
    table: Arc<ConnectionTable>,
    stopped: watch::Receiver<bool>,
    /// When a lack of places was last logged.
    complained: Option<Instant>,
}

/// Accepts connections until told to stop, then waits for the open ones to end.
pub async fn serve(
    context: ConnectionContext,
    listeners: Vec<BoundListener>,
    mut stopped: watch::Receiver<bool>,
) {
    let ConnectionContext { limits, sockets, counters, .. } = &context;
    counters.web.connections_max.add(limits.connections_max as i64);
    listeners.iter().for_each(|listener| counters.web.listeners.add(listener.kind(), 1));
    let mut sweep = tokio::time::interval(limits.timeouts.sweep_interval());
    let table = Arc::new(ConnectionTable::new(limits.clone(), sockets.clone(), counters.clone()));
    let context = Arc::new(context);
    let watching = tokio::spawn(context.clone().watch_certificates());
    let mut task = ListenerTask { context, table, stopped: stopped.clone(), complained: None };
    let mut connections = JoinSet::new();
    let mut next = 0;
    loop {
        let accepted = tokio::select! {
            accepted = accept(&listeners, &mut next) => accepted,
            _ = sweep.tick() => {
                task.table.sweep(Instant::now());
                continue;
            }
            _ = stopped.wait_for(|stopped| *stopped) => break,
            Some(_) = connections.join_next() => continue,
        };
        match accepted {
            Ok((listener, stream)) => task.admit(listener, stream, &mut connections).await,
            Err(error) => {
                tracing::warn!("a connection to the web port could not be accepted: {error}");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    drop(listeners);
    watching.abort();
    // Open requests are answered as before, and connections that keep us waiting are ended.
    loop {
        tokio::select! {
            ended = connections.join_next() => if ended.is_none() { return },
            _ = sweep.tick() => task.table.sweep(Instant::now()),
        }
    }
}

impl ListenerTask {
    /// Serves a connection, or replies that no place is free.
    async fn admit(
        &mut self,
        listener: &BoundListener,
        stream: AcceptedStream,
        connections: &mut JoinSet<()>,
    ) {
        self.context.counters.web.accepted.add(1);
        let peer = stream.peer().ip();
        match self.slot(peer).await {
            Ok(slot) => {
                let connection =
                    WebConnection::new(self.context.clone(), listener.serves, self.stopped.clone());
                connections.spawn(connection.receive(stream, slot));
            }
            Err(full) => self.refuse(listener, &stream, peer, full),
        }
    }

    fn refuse(&mut self, listener: &BoundListener, stream: &AcceptedStream, peer: IpAddr, full: NoSlot) {
        self.context.counters.web.refused.add(full.reason(), 1);
        let detail = self.context.limits.detail(full);
        // If a new socket does not accept this at once, it is not worth waiting. Without a TLS handshake nothing can
        // be said.
        if !listener.is_encrypted() {
            stream.try_write(closing_response::no_place(&detail).as_bytes()).ok();
        }
        if self.complained.is_none_or(|last| COMPLAINT_INTERVAL <= last.elapsed()) {
            self.complained = Some(Instant::now());
            tracing::warn!("a connection from {peer} to the web port is refused: {detail}");
        }
    }

    /// A place for a new connection. If none is free, it gets the place of a connection that keeps us waiting.
    async fn slot(&self, peer: IpAddr) -> Result<ConnectionSlot, NoSlot> {
        let end = Instant::now() + LEAVING_WAIT_MAX;
        loop {
            let now = Instant::now();
            let full = match self.table.admit(peer, now) {
                Ok(slot) => return Ok(slot),
                Err(full) => full,
            };
            match self.table.replace(full, peer, now) {
                Some(Ok(slot)) => return Ok(slot),
                Some(Err(TooManyLeaving)) if now < end => {
                    tokio::time::timeout_at(end.into(), self.table.left()).await.ok();
                }
                Some(Err(TooManyLeaving)) | None => return Err(full),
            }
        }
    }
}

impl WebLimits {
    /// Why a connection is refused, for its peer and the log.
    fn detail(&self, full: NoSlot) -> String {
        let WebLimits { connections_max, connections_of_address_max, .. } = *self;
        match full {
            NoSlot::Connections => format!("{connections_max} connections are open"),
            NoSlot::Address => format!("{connections_of_address_max} connections from this address are open"),
            NoSlot::Descriptors => "the process cannot open more files".to_owned(),
        }
    }
}
