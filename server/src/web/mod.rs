//! The web listener: accepts connections, gives the API their requests, and ends those that keep it waiting.
//!
//! ```text
//! accept ─▶ table: a place, or another gives way ─▶ (encryption) ─▶ watched ─▶ HTTP/1.1 ─▶ API
//!             └─ sweep, every second: who has kept us waiting too long?
//! ```
//!
//! A connection is anything that can be read and written, so TLS can be added where the arrow says.
//!
//! **Invariant:** a connection on which we wait for the peer always has a deadline; see [`pulse`].
//! **Invariant:** all connections are in the [`table`], which holds no more than its limits.

mod body;
mod credit;
mod farewell;
mod limits;
mod pace;
mod pulse;
mod table;
mod watched;

pub(crate) use body::TooSlow;
pub(crate) use limits::{Limits, is_trusted, network};
pub(crate) use pulse::Pulse;

use crate::flow::counters::Counters;
use crate::machine::sockets::Sockets;
use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Request, Response};
use body::{Received, Sent};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::Service;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};
use table::{Full, Seat, Table};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use watched::Watched;

/// Approximate maximum size of a request's head: it is read in pieces.
const HEAD_BYTES_MAX: usize = 32 << 10;
/// Maximum size of what is read ahead on a connection.
const READ_BYTES_MAX: usize = 64 << 10;
/// How long a newcomer waits for those who were asked to leave, which only takes until their task runs.
const LEAVING_WAIT_MAX: Duration = Duration::from_secs(1);
/// How long accepting pauses when the system has no file descriptor left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// How often a lack of places is logged.
const COMPLAINT_INTERVAL: Duration = Duration::from_secs(10);

/// Marks an answer that continues for as long as it is read: its reader may pause for a while.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AtLength;

/// What every connection needs.
#[derive(Clone)]
struct Visit {
    app: Router,
    limits: Limits,
    stopped: watch::Receiver<bool>,
}

/// Where connections come in.
struct Door {
    visit: Visit,
    table: Arc<Table>,
    counters: Arc<Counters>,
    /// When a lack of places was last logged.
    complained: Option<Instant>,
}

/// Accepts connections until told to stop, then waits for those that are open.
pub(crate) async fn serve(
    listener: TcpListener,
    app: Router,
    limits: Limits,
    (sockets, counters): (Arc<Sockets>, Arc<Counters>),
    mut stopped: watch::Receiver<bool>,
) {
    counters.web.connections_max.add(limits.connections_max as i64);
    let mut sweep = tokio::time::interval(limits.timeouts.sweep_interval());
    let table = Arc::new(Table::new(limits.clone(), sockets, counters.clone()));
    let visit = Visit { app, limits, stopped: stopped.clone() };
    let mut door = Door { visit, table, counters, complained: None };
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = sweep.tick() => {
                door.table.sweep(Instant::now());
                continue;
            }
            _ = stopped.wait_for(|stopped| *stopped) => break,
            Some(_) = connections.join_next() => continue,
        };
        match accepted {
            Ok((stream, peer)) => door.admit(stream, peer, &mut connections).await,
            Err(error) => {
                tracing::warn!("a connection to the web port could not be accepted: {error}");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
}

impl Door {
    /// Serves a connection, or tells it that there is no place.
    async fn admit(&mut self, stream: TcpStream, peer: SocketAddr, connections: &mut JoinSet<()>) {
        self.counters.web.accepted.add(1);
        match self.seat(peer.ip()).await {
            Ok(seat) => drop(connections.spawn(self.visit.clone().receive(stream, peer, seat))),
            Err(full) => self.refuse(&stream, peer, full),
        }
    }

    fn refuse(&mut self, stream: &TcpStream, peer: SocketAddr, full: Full) {
        self.counters.web.refused.add(full.reason(), 1);
        let detail = self.visit.limits.detail(full);
        // If a new socket does not take it at once, it is not worth waiting for.
        stream.try_write(farewell::no_place(&detail).as_bytes()).ok();
        if self.complained.is_none_or(|last| COMPLAINT_INTERVAL <= last.elapsed()) {
            self.complained = Some(Instant::now());
            tracing::warn!("a connection of {peer} to the web port is refused: {detail}");
        }
    }

    /// A place for a new connection. If there is none, a connection that keeps us waiting is asked to leave first.
    async fn seat(&self, peer: IpAddr) -> Result<Seat, Full> {
        let full = match self.table.admit(peer, Instant::now()) {
            Ok(seat) => return Ok(seat),
            Err(full) => full,
        };
        let end = Instant::now() + LEAVING_WAIT_MAX;
        let is_leaving = self.table.make_way(full, peer);
        while is_leaving && Instant::now() < end {
            tokio::time::timeout_at(end.into(), self.table.left()).await.ok();
            if let Ok(seat) = self.table.admit(peer, Instant::now()) {
                return Ok(seat);
            }
        }
        Err(full)
    }
}

impl Limits {
    /// Why a connection is refused, for its peer and the log.
    fn detail(&self, full: Full) -> String {
        let Limits { connections_max, connections_of_address_max, .. } = *self;
        match full {
            Full::Connections => format!("{connections_max} connections are open"),
            Full::Address => format!("{connections_of_address_max} connections of this address are open"),
            Full::Descriptors => "the process may open no more files".to_owned(),
        }
    }
}

impl Visit {
    async fn receive(mut self, stream: TcpStream, peer: SocketAddr, seat: Seat) {
        stream.set_nodelay(true).ok();
        // A silent peer costs no more than its place.
        tokio::select! {
            ready = stream.readable() => if ready.is_err() { return },
            _ = seat.pulse.ended() => return,
            _ = self.stopped.wait_for(|stopped| *stopped) => return,
        }
        self.converse(stream, peer, &seat.pulse).await;
    }

    /// Speaks HTTP until either side ends it.
    async fn converse(
        mut self,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        peer: SocketAddr,
        pulse: &Arc<Pulse>,
    ) {
        // The users of a proxy share its connections, so the proxy has to pace them.
        let is_paced = !is_trusted(peer.ip(), &self.limits.trusted_proxies);
        let service =
            Answers { app: TowerToHyperService::new(self.app), peer, pulse: pulse.clone(), is_paced };
        let io = TokioIo::new(Watched::new(stream, pulse.clone()));
        let mut connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(None)
            .max_buf_size(READ_BYTES_MAX)
            .max_header_size(HEAD_BYTES_MAX)
            .serve_connection(io, service);
        let mut is_stopping = false;
        let ending = loop {
            tokio::select! {
                // An error here is for the peer to see.
                _ = &mut connection => break None,
                ending = pulse.ended() => break Some(ending),
                _ = self.stopped.wait_for(|stopped| *stopped), if !is_stopping => {
                    is_stopping = true;
                    Pin::new(&mut connection).graceful_shutdown();
                }
            }
        };
        let head_bytes = pulse.head_bytes();
        let (mut stream, refused) = connection.into_parts().io.into_inner().into_parts();
        let words = match (ending, refused) {
            (Some(ending), _) => farewell::words(ending, head_bytes, &self.limits),
            (None, Some(status)) => Some(farewell::refusal(status)),
            (None, None) => Some(String::new()),
        };
        if let Some(words) = words
            && !is_stopping
        {
            farewell::say(&mut stream, &words).await;
        }
    }
}

/// The API, as one connection sees it.
struct Answers {
    app: TowerToHyperService<Router>,
    peer: SocketAddr,
    pulse: Arc<Pulse>,
    /// Whether requests without a login are slowed down when there are many.
    is_paced: bool,
}

impl Service<Request<Incoming>> for Answers {
    type Response = Response<Sent>;
    type Error = std::convert::Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Sent>, Self::Error>> + Send>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let pulse = self.pulse.clone();
        let wait = Some(pulse.asked(Instant::now())).filter(|wait| self.is_paced && !wait.is_zero());
        let mut request = request.map(|body| Body::new(Received::new(body, pulse.clone())));
        request.extensions_mut().insert(ConnectInfo(self.peer));
        request.extensions_mut().insert(pulse.clone());
        let app = self.app.clone();
        Box::pin(async move {
            if let Some(wait) = wait {
                tokio::time::sleep(wait).await;
            }
            let answer = app.call(request).await?;
            if answer.extensions().get::<AtLength>().is_some() {
                pulse.answers_at_length();
            }
            Ok(answer.map(|body| Sent::new(body, pulse)))
        })
    }
}
