//! One connection: encryption if the listener has it, then HTTP/1.1 or HTTP/2 until either side ends it.
//!
//! **Invariant:** a connection is ended as soon as its [`Deadlines`] say so, whatever it is doing.

use super::body::{LongAnswer, RequestBody, ResponseBody};
use super::closing_response;
use super::connection_context::ConnectionContext;
use super::connection_table::ConnectionSlot;
use super::deadlines::{ConnectionEnd, Deadlines};
use super::limits::is_trusted;
use super::listener::{AcceptedStream, ListenerRole};
use super::timed_stream::TimedStream;
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

/// Approximate maximum size of the head of a request, which is read in pieces.
const HEAD_BYTES_MAX: usize = 32 << 10;
/// Maximum size of data read ahead on a connection, and of data of a response kept on a shared one.
const READ_BYTES_MAX: usize = 64 << 10;
/// Maximum amount of data that a sender may have sent on a shared connection and that is not read yet. That of a
/// stranger takes memory until it is refused; at a distance of 1 ms to the sender this allows 128 MB/s.
const WINDOW_BYTES_MAX: u32 = 128 << 10;
/// Maximum number of simultaneous requests on a shared connection.
const REQUESTS_MAX: u32 = 100;
/// Maximum number of requests on a shared connection that were reset before we handled them: more end the connection
/// ("rapid reset", CVE-2023-44487).
const RESETS_MAX: usize = 20;
/// How long the last frames of a shared connection may take.
const PARTING_WAIT_MAX: Duration = Duration::from_secs(1);
/// The first byte of a TLS handshake.
const HANDSHAKE: u8 = 22;

/// The way in which a request arrived.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrival {
    /// The address of the peer.
    pub peer: SocketAddr,
    /// Whether it came through a unix socket, which only permitted users can open: a proxy.
    pub(crate) is_unix: bool,
    /// Whether the connection is encrypted.
    pub is_encrypted: bool,
}

/// A connection that is being served.
pub(super) struct WebConnection {
    context: Arc<ConnectionContext>,
    serves: ListenerRole,
    stopped: watch::Receiver<bool>,
}

impl WebConnection {
    pub(super) fn new(
        context: Arc<ConnectionContext>,
        serves: ListenerRole,
        stopped: watch::Receiver<bool>,
    ) -> WebConnection {
        WebConnection { context, serves, stopped }
    }

    pub(super) async fn receive(mut self, stream: AcceptedStream, slot: ConnectionSlot) {
        stream.hurry();
        // A silent peer costs no more than its place in the table.
        tokio::select! {
            ready = stream.readable() => if ready.is_err() { return },
            _ = slot.deadlines.ended() => return,
            _ = self.stopped.wait_for(|stopped| *stopped) => return,
        }
        let (apps, deadlines) = (&self.context.apps, &slot.deadlines);
        let arrival = Arrival { peer: stream.peer(), is_unix: stream.is_unix(), is_encrypted: false };
        let app = match self.serves {
            ListenerRole::Console { is_encrypted: false } => &apps.console,
            ListenerRole::Redirect => &apps.redirect,
            ListenerRole::Metrics => &apps.metrics,
            ListenerRole::Console { is_encrypted: true } => {
                let first = tokio::select! {
                    first = stream.first_byte() => first,
                    _ = deadlines.ended() => return,
                };
                match first {
                    Ok(Some(HANDSHAKE)) => return self.encrypt(stream, arrival, deadlines).await,
                    // Plain HTTP on the HTTPS port is redirected.
                    Ok(Some(_)) => &apps.redirect,
                    Ok(None) | Err(_) => return,
                }
            }
        };
        let app = app.clone();
        self.converse(stream, arrival, app, deadlines).await;
    }

    async fn encrypt(self, stream: AcceptedStream, arrival: Arrival, deadlines: &Arc<Deadlines>) {
        let Some(certificates) = &self.context.certificates else { return };
        let accepted = tokio::select! {
            accepted = certificates.acceptor().accept(stream) => accepted,
            _ = deadlines.ended() => return,
        };
        let stream = match accepted {
            Ok(stream) => stream,
            Err(error) => {
                self.context.counters.web.refused.add("tls", 1);
                tracing::debug!(
                    "the TLS handshake of a connection from {} to the web port failed: {error}",
                    arrival.peer
                );
                return;
            }
        };
        let arrival = Arrival { is_encrypted: true, ..arrival };
        let app = self.context.apps.console.clone();
        let is_shared = stream.get_ref().1.alpn_protocol() == Some(b"h2");
        if is_shared {
            self.converse_shared(stream, arrival, app, deadlines).await;
        } else {
            self.converse(stream, arrival, app, deadlines).await;
        }
    }

    fn answers(&self, arrival: Arrival, app: Router, deadlines: &Arc<Deadlines>) -> ConnectionApi {
        // The users of a proxy share its connections, so the proxy has to pace them.
        let is_proxy = arrival.is_unix || is_trusted(arrival.peer.ip(), &self.context.limits.trusted_proxies);
        let app = TowerToHyperService::new(app);
        ConnectionApi { app, arrival, deadlines: deadlines.clone(), is_paced: !is_proxy }
    }

    /// Speaks HTTP/1.1 until either side ends it.
    async fn converse(
        mut self,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        arrival: Arrival,
        app: Router,
        deadlines: &Arc<Deadlines>,
    ) {
        let service = self.answers(arrival, app, deadlines);
        let io = TokioIo::new(TimedStream::new(stream, deadlines.clone(), self.context.counters.clone()));
        let mut connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(None)
            .max_buf_size(READ_BYTES_MAX)
            .max_header_size(HEAD_BYTES_MAX)
            .serve_connection(io, service);
        let mut is_stopping = false;
        let ending = loop {
            tokio::select! {
                // The peer sees such an error by itself.
                _ = &mut connection => break None,
                ending = deadlines.ended() => break Some(ending),
                _ = self.stopped.wait_for(|stopped| *stopped), if !is_stopping => {
                    is_stopping = true;
                    Pin::new(&mut connection).graceful_shutdown();
                }
            }
        };
        let head_bytes = deadlines.head_bytes();
        let (mut stream, refused) = connection.into_parts().io.into_inner().into_parts();
        let words = match (ending, refused) {
            (Some(ending), _) => closing_response::words(ending, head_bytes, &self.context.limits),
            (None, Some(status)) => Some(closing_response::refusal(status)),
            (None, None) => Some(String::new()),
        };
        if let Some(words) = words
            && !is_stopping
        {
            closing_response::say(&mut stream, &words).await;
        }
    }

    /// Speaks HTTP/2 on a shared connection until either side ends it.
    async fn converse_shared(
        mut self,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        arrival: Arrival,
        app: Router,
        deadlines: &Arc<Deadlines>,
    ) {
        deadlines.shares();
        let service = self.answers(arrival, app, deadlines);
        let io = TokioIo::new(TimedStream::new(stream, deadlines.clone(), self.context.counters.clone()));
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
                // The peer sees such an error by itself.
                _ = &mut connection => return,
                ending = deadlines.ended() => break ending,
                _ = self.stopped.wait_for(|stopped| *stopped), if !is_stopping => {
                    is_stopping = true;
                    Pin::new(&mut connection).graceful_shutdown();
                }
            }
        };
        if ending != ConnectionEnd::AnswerUnread {
            Pin::new(&mut connection).graceful_shutdown();
            tokio::time::timeout(PARTING_WAIT_MAX, connection).await.ok();
        }
    }
}

/// The API service for one connection.
struct ConnectionApi {
    app: TowerToHyperService<Router>,
    arrival: Arrival,
    deadlines: Arc<Deadlines>,
    /// Whether requests without a login are slowed down if there are many.
    is_paced: bool,
}

impl Service<Request<Incoming>> for ConnectionApi {
    type Response = Response<ResponseBody>;
    type Error = std::convert::Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<ResponseBody>, Self::Error>> + Send>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let (deadlines, is_paced) = (self.deadlines.clone(), self.is_paced);
        let turn = deadlines.asked(Instant::now());
        let mut request = request.map(|body| Body::new(RequestBody::new(body, deadlines.clone())));
        let extensions = request.extensions_mut();
        extensions.insert(ConnectInfo(self.arrival.peer));
        extensions.insert(self.arrival);
        extensions.insert(deadlines.clone());
        let app = self.app.clone();
        Box::pin(async move {
            if is_paced && !turn.wait.is_zero() {
                tokio::time::sleep(turn.wait).await;
            }
            let answer = app.call(request).await?;
            if answer.extensions().get::<LongAnswer>().is_some() {
                turn.answers_at_length();
            }
            let is_shared = deadlines.is_shared();
            Ok(answer.map(|body| ResponseBody::new(body, turn, is_shared)))
        })
    }
}
