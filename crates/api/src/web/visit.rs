//! One connection: encryption if the listener has it, then HTTP/1.1 or HTTP/2 until either side ends it.
//!
//! **Invariant:** whatever a connection does, it is ended at once when its [`Pulse`] says so.

use super::body::{AtLength, Received, Sent};
use super::farewell;
use super::house::House;
use super::limits::is_trusted;
use super::listener::{Serves, Stream};
use super::pulse::{Ending, Pulse};
use super::table::Seat;
use super::watched::Watched;
use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::Service;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;

/// Approximate maximum size of a request's head: it is read in pieces.
const HEAD_BYTES_MAX: usize = 32 << 10;
/// Maximum size of what is read ahead on a connection, and of what is kept of an answer on a shared one.
const READ_BYTES_MAX: usize = 64 << 10;
/// What a sender may have sent on a shared connection that we have not read yet. A stranger's costs memory until it is
/// refused; with 1 ms to the sender it is 128 MB/s.
const WINDOW_BYTES_MAX: u32 = 128 << 10;
/// Requests at a time on a shared connection.
const REQUESTS_MAX: u32 = 100;
/// Requests on a shared connection that were given up and that we have not got round to: more end the connection
/// ("rapid reset", CVE-2023-44487).
const RESETS_MAX: usize = 20;
/// How long the last frames of a shared connection may take.
const PARTING_WAIT_MAX: Duration = Duration::from_secs(1);
/// What the first byte of a TLS handshake is.
const HANDSHAKE: u8 = 22;

/// How a request came in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrival {
    /// The address of the peer.
    pub peer: SocketAddr,
    /// Through a unix socket, which only those can open who are let in: a proxy.
    pub(crate) is_unix: bool,
    /// Whether the connection is encrypted.
    pub is_encrypted: bool,
}

/// A connection that is served.
pub(super) struct Visit {
    house: Arc<House>,
    serves: Serves,
    stopped: watch::Receiver<bool>,
}

impl Visit {
    pub(super) fn new(house: Arc<House>, serves: Serves, stopped: watch::Receiver<bool>) -> Visit {
        Visit { house, serves, stopped }
    }

    pub(super) async fn receive(mut self, stream: Stream, seat: Seat) {
        stream.hurry();
        // A silent peer costs no more than its place.
        tokio::select! {
            ready = stream.readable() => if ready.is_err() { return },
            _ = seat.pulse.ended() => return,
            _ = self.stopped.wait_for(|stopped| *stopped) => return,
        }
        let (apps, pulse) = (&self.house.apps, &seat.pulse);
        let arrival = Arrival { peer: stream.peer(), is_unix: stream.is_unix(), is_encrypted: false };
        let app = match self.serves {
            Serves::Console { is_encrypted: false } => &apps.console,
            Serves::Redirect => &apps.redirect,
            Serves::Metrics => &apps.metrics,
            Serves::Console { is_encrypted: true } => {
                let first = tokio::select! {
                    first = stream.first_byte() => first,
                    _ = pulse.ended() => return,
                };
                match first {
                    Ok(Some(HANDSHAKE)) => return self.encrypt(stream, arrival, pulse).await,
                    // HTTP at the port of HTTPS: it is told where to go.
                    Ok(Some(_)) => &apps.redirect,
                    Ok(None) | Err(_) => return,
                }
            }
        };
        let app = app.clone();
        self.converse(stream, arrival, app, pulse).await;
    }

    async fn encrypt(self, stream: Stream, arrival: Arrival, pulse: &Arc<Pulse>) {
        let Some(certificates) = &self.house.certificates else { return };
        let accepted = tokio::select! {
            accepted = certificates.acceptor().accept(stream) => accepted,
            _ = pulse.ended() => return,
        };
        let stream = match accepted {
            Ok(stream) => stream,
            Err(error) => {
                self.house.counters.web.refused.add("tls", 1);
                tracing::debug!("a connection of {} to the web port is not encrypted: {error}", arrival.peer);
                return;
            }
        };
        let arrival = Arrival { is_encrypted: true, ..arrival };
        let app = self.house.apps.console.clone();
        let is_shared = stream.get_ref().1.alpn_protocol() == Some(b"h2");
        if is_shared {
            self.converse_shared(stream, arrival, app, pulse).await;
        } else {
            self.converse(stream, arrival, app, pulse).await;
        }
    }

    fn answers(&self, arrival: Arrival, app: Router, pulse: &Arc<Pulse>) -> Answers {
        // The users of a proxy share its connections, so the proxy has to pace them.
        let is_proxy = arrival.is_unix || is_trusted(arrival.peer.ip(), &self.house.limits.trusted_proxies);
        let app = TowerToHyperService::new(app);
        Answers { app, arrival, pulse: pulse.clone(), is_paced: !is_proxy }
    }

    /// Speaks HTTP/1.1 until either side ends it.
    async fn converse(
        mut self,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        arrival: Arrival,
        app: Router,
        pulse: &Arc<Pulse>,
    ) {
        let service = self.answers(arrival, app, pulse);
        let io = TokioIo::new(Watched::new(stream, pulse.clone(), self.house.counters.clone()));
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
            (Some(ending), _) => farewell::words(ending, head_bytes, &self.house.limits),
            (None, Some(status)) => Some(farewell::refusal(status)),
            (None, None) => Some(String::new()),
        };
        if let Some(words) = words
            && !is_stopping
        {
            farewell::say(&mut stream, &words).await;
        }
    }

    /// Speaks HTTP/2 until either side ends it.
    async fn converse_shared(
        mut self,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        arrival: Arrival,
        app: Router,
        pulse: &Arc<Pulse>,
    ) {
        pulse.shares();
        let service = self.answers(arrival, app, pulse);
        let io = TokioIo::new(Watched::new(stream, pulse.clone(), self.house.counters.clone()));
        let mut connection = http2::Builder::new(TokioExecutor::new())
            .timer(TokioTimer::new())
            .max_concurrent_streams(REQUESTS_MAX)
            .max_pending_accept_reset_streams(RESETS_MAX)
            .max_header_list_size(HEAD_BYTES_MAX as u32)
            .initial_stream_window_size(WINDOW_BYTES_MAX)
            .initial_connection_window_size(WINDOW_BYTES_MAX)
            .max_send_buf_size(READ_BYTES_MAX)
            .serve_connection(io, service);
        let mut is_stopping = false;
        let ending = loop {
            tokio::select! {
                // An error here is for the peer to see.
                _ = &mut connection => return,
                ending = pulse.ended() => break ending,
                _ = self.stopped.wait_for(|stopped| *stopped), if !is_stopping => {
                    is_stopping = true;
                    Pin::new(&mut connection).graceful_shutdown();
                }
            }
        };
        if ending != Ending::AnswerUnread {
            Pin::new(&mut connection).graceful_shutdown();
            tokio::time::timeout(PARTING_WAIT_MAX, connection).await.ok();
        }
    }
}

/// The API, as one connection sees it.
struct Answers {
    app: TowerToHyperService<Router>,
    arrival: Arrival,
    pulse: Arc<Pulse>,
    /// Whether requests without a login are slowed down when there are many.
    is_paced: bool,
}

impl Service<Request<Incoming>> for Answers {
    type Response = Response<Sent>;
    type Error = std::convert::Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Sent>, Self::Error>> + Send>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let (pulse, is_paced) = (self.pulse.clone(), self.is_paced);
        let turn = pulse.asked(Instant::now());
        let mut request = request.map(|body| Body::new(Received::new(body, pulse.clone())));
        let extensions = request.extensions_mut();
        extensions.insert(ConnectInfo(self.arrival.peer));
        extensions.insert(self.arrival);
        extensions.insert(pulse.clone());
        let app = self.app.clone();
        Box::pin(async move {
            if is_paced && !turn.wait.is_zero() {
                tokio::time::sleep(turn.wait).await;
            }
            let answer = app.call(request).await?;
            if answer.extensions().get::<AtLength>().is_some() {
                turn.answers_at_length();
            }
            let is_shared = pulse.is_shared();
            Ok(answer.map(|body| Sent::new(body, turn, is_shared)))
        })
    }
}
