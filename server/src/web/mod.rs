//! The web listener: accepts connections, gives the API their requests, and ends those that keep it waiting.
//!
//! ```text
//! accept ─▶ table: a place, or somebody gives way ─▶ (what encrypts) ─▶ watched ─▶ HTTP/1.1 ─▶ API
//!             └─ sweep, every second: who has kept us waiting for too long?
//! ```
//!
//! A connection is anything that can be read and written; TLS goes where the arrow says so.
//!
//! **Invariant:** a connection on which we wait for the peer has a deadline, whatever it is at; see [`pulse`].
//! **Invariant:** all connections are in the [`table`], which holds no more than its limits.

mod body;
mod credit;
mod farewell;
mod pace;
mod pulse;
mod table;
mod watched;

pub(crate) use body::TooSlow;
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
use ipnet::IpNet;
use logstead_config::settings;
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

/// The longest head of a request, about: it is read in pieces.
const HEAD_BYTES_MAX: usize = 32 << 10;
/// The most that is read of a connection before it is taken.
const READ_BYTES_MAX: usize = 64 << 10;
/// How much longer than other answers one may rest that goes on for as long as somebody reads it.
const LONG_STALL_FACTOR: u32 = 10;
/// How often connections are looked at.
const SWEEP_INTERVAL_MAX: Duration = Duration::from_secs(1);
/// How long a newcomer waits for those who were asked to leave, which takes no longer than their task takes to run.
const LEAVING_WAIT_MAX: Duration = Duration::from_secs(1);
/// How long accepting pauses when the system has no file descriptor left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// How often it is said in the log that there is no place.
const COMPLAINT_INTERVAL: Duration = Duration::from_secs(10);

/// What the web port may hold and how long it waits.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    /// Connections.
    pub(crate) connections_max: usize,
    /// Of them, those of one address.
    pub(crate) connections_of_address_max: usize,
    /// Who speaks for many others.
    trusted_proxies: Arc<[IpNet]>,
    pub(crate) timeouts: Timeouts,
}

/// How long a peer may keep us waiting.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timeouts {
    /// For the head of a request.
    pub(crate) header: Duration,
    /// For the next request.
    pub(crate) idle: Duration,
    /// For the next bytes of a body, or until it takes more of an answer.
    pub(crate) stall: Duration,
    /// Until it takes more of an answer without an end.
    pub(crate) long_stall: Duration,
}

impl Limits {
    /// What the settings say, where no more than `sockets_max` can be open.
    pub(crate) fn of(web: &settings::Web, sockets_max: usize) -> Limits {
        let connections_max = (web.connections_max as usize).min(sockets_max).max(1);
        let stall = web.stall_timeout.duration();
        Limits {
            connections_max,
            connections_of_address_max: (connections_max / 2).max(1),
            trusted_proxies: web.trusted_proxies.as_slice().into(),
            timeouts: Timeouts {
                header: web.header_timeout.duration(),
                idle: web.idle_timeout.duration(),
                stall,
                long_stall: stall * LONG_STALL_FACTOR,
            },
        }
    }

    /// Whose share of the connections one takes. Proxies have no share, as all their users come from one address, and
    /// neither has this machine, where a proxy may run.
    fn share_of(&self, peer: IpAddr) -> Option<IpAddr> {
        let is_of_many = peer.to_canonical().is_loopback() || is_trusted(peer, &self.trusted_proxies);
        (!is_of_many).then(|| network(peer))
    }
}

/// Marks an answer that goes on for as long as somebody reads it: who reads it may rest for a while.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AtLength;

/// Who counts as one peer: an address, of IPv6 the network that one customer has.
pub(crate) fn network(peer: IpAddr) -> IpAddr {
    match peer.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6((address.to_bits() >> 64 << 64).into()),
        address => address,
    }
}

/// Whether an address is one of the proxies whose word counts.
pub(crate) fn is_trusted(peer: IpAddr, proxies: &[IpNet]) -> bool {
    let address = peer.to_canonical();
    proxies.iter().any(|network| network.contains(&address))
}

/// What every connection needs.
#[derive(Clone)]
struct Door {
    app: Router,
    table: Arc<Table>,
    limits: Limits,
    stopped: watch::Receiver<bool>,
}

/// Accepts connections until told to stop, then waits for those that are open.
pub(crate) async fn serve(
    listener: TcpListener,
    app: Router,
    limits: Limits,
    (sockets, counters): (Arc<Sockets>, Arc<Counters>),
    stopped: watch::Receiver<bool>,
) {
    counters.web.connections_max.add(limits.connections_max as i64);
    let timeouts = limits.timeouts;
    let table = Arc::new(Table::new(limits.clone(), sockets, counters.clone()));
    let door = Door { app, table, limits, stopped };
    let mut stopped = door.stopped.clone();
    let mut connections = JoinSet::new();
    let shortest = timeouts.header.min(timeouts.idle).min(timeouts.stall);
    let mut sweep =
        tokio::time::interval(SWEEP_INTERVAL_MAX.min(shortest / 4).max(Duration::from_millis(10)));
    let mut complained: Option<Instant> = None;
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
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!("a connection to the web port could not be accepted: {error}");
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        counters.web.accepted.add(1);
        match door.seat(peer.ip()).await {
            Ok(seat) => drop(connections.spawn(door.clone().receive(stream, peer, seat))),
            Err(full) => {
                counters.web.refused.add(full.reason(), 1);
                let detail = door.detail(full);
                // What a new socket does not take at once is not worth waiting for.
                stream.try_write(farewell::no_place(&detail).as_bytes()).ok();
                if complained.is_none_or(|last| COMPLAINT_INTERVAL <= last.elapsed()) {
                    complained = Some(Instant::now());
                    tracing::warn!("a connection of {peer} to the web port is refused: {detail}");
                }
            }
        }
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
}

impl Door {
    /// A place for a new connection. Where there is none, somebody who keeps us waiting is asked to leave first.
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

    fn detail(&self, full: Full) -> String {
        let Limits { connections_max, connections_of_address_max, .. } = self.limits;
        match full {
            Full::Connections => format!("{connections_max} connections are open"),
            Full::Address => format!("{connections_of_address_max} connections of this address are open"),
            Full::Descriptors => "the process may open no more files".to_owned(),
        }
    }

    async fn receive(mut self, stream: TcpStream, peer: SocketAddr, seat: Seat) {
        stream.set_nodelay(true).ok();
        // Who says nothing costs no more than its place.
        tokio::select! {
            ready = stream.readable() => if ready.is_err() { return },
            _ = seat.pulse.ended() => return,
            _ = self.stopped.wait_for(|stopped| *stopped) => return,
        }
        self.converse(stream, peer, &seat.pulse).await;
    }

    /// Speaks HTTP until one of both has had enough.
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
                // What goes wrong between both is the peer's to see.
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
    /// Whether requests without a login wait where they are many.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_of_ipv6_is_one_place() {
        let place = |text: &str| network(text.parse().unwrap()).to_string();
        assert_eq!(place("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
        assert_eq!(place("192.0.2.7"), "192.0.2.7");
    }

    #[test]
    fn a_customer_counts_as_one_and_who_speaks_for_many_does_not_count() {
        let set = vec!["web.trusted_proxies=10.0.0.0/8,2001:db8:ffff::1".to_owned()];
        let settings = settings::load(&settings::Layers { set, ..settings::Layers::default() }).unwrap();
        let limits = Limits::of(&settings.web, 100);
        let check = |peer: &str, expected: Option<&str>| {
            let expected = expected.map(|address| address.parse().unwrap());
            assert_eq!(limits.share_of(peer.parse().unwrap()), expected, "{peer}");
        };
        check("192.0.2.7", Some("192.0.2.7"));
        check("::ffff:192.0.2.7", Some("192.0.2.7"));
        check("2001:db8:1:2:3:4:5:6", Some("2001:db8:1:2::"));
        check("2001:db8:ffff::2", Some("2001:db8:ffff::"));
        for of_many in
            ["127.0.0.1", "::1", "::ffff:127.0.0.1", "10.1.2.3", "::ffff:10.1.2.3", "2001:db8:ffff::1"]
        {
            check(of_many, None);
        }
    }
}
