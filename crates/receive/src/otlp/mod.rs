//! One connection of an OpenTelemetry exporter: HTTP/1.1 or HTTP/2, with either gRPC's `LogsService/Export` or `POST
//! /v1/logs`.
//!
//! **Invariant:** an answer that says "taken" is sent when all records are durable, or were refused by name.

mod reply;
mod store;

use super::connection::SourceConnection;
use super::context::SourceContext;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, header};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use logstead_flow::chunk::MessageSender;
use logstead_flow::gate::{GateError, SendToken};
use logstead_ingest::encoding::Encoding as Packing;
use logstead_ingest::otlp::{Code, Encoding, Status};
use reply::{Reply, RequestFailure};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;

/// The path of the gRPC method, and the path for plain HTTP.
const METHOD: &str = "/opentelemetry.proto.collector.logs.v1.LogsService/Export";
const PATH: &str = "/v1/logs";
/// The time that the head of a request may take, and the time for which a connection over HTTP/1.1 may be idle
/// between two requests.
const HEAD_WAIT_MAX: Duration = Duration::from_secs(60);
const HEAD_BYTES_MAX: usize = 32 << 10;
/// The interval between pings to a silent peer, and the time that it may take to answer.
const PING_INTERVAL: Duration = Duration::from_secs(60);
const PING_WAIT_MAX: Duration = Duration::from_secs(20);
/// The maximum number of requests under way on one connection.
const REQUESTS_MAX: u32 = 16;
/// The number of bytes of its requests that a peer may send before we read them.
const REQUEST_WINDOW_BYTES: u32 = 256 << 10;
const CONNECTION_WINDOW_BYTES: u32 = 512 << 10;
/// The time for which a stop waits for received messages to become durable.
const STOP_WAIT_MAX: Duration = Duration::from_secs(1);

/// Serves a connection to its end, or until told to stop.
pub(crate) async fn serve(
    shared: &Arc<SourceContext>,
    connection: SourceConnection,
    sender: MessageSender,
    stopped: watch::Receiver<bool>,
) {
    match connection {
        SourceConnection::Tcp(stream) => serve_over(stream, shared, sender, stopped).await,
        SourceConnection::Unix(stream) => serve_over(stream, shared, sender, stopped).await,
        SourceConnection::Tls(stream) => serve_over(*stream, shared, sender, stopped).await,
    }
}

async fn serve_over<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
    stream: S,
    shared: &Arc<SourceContext>,
    sender: MessageSender,
    mut stopped: watch::Receiver<bool>,
) {
    let address = sender.address.clone();
    let service = service_fn(|request| {
        let (shared, sender) = (shared.clone(), sender.clone());
        async move { Ok::<_, Infallible>(answer(&shared, &sender, request).await) }
    });
    let mut http = auto::Builder::new(TokioExecutor::new());
    http.http1().timer(TokioTimer::new()).header_read_timeout(HEAD_WAIT_MAX).max_buf_size(HEAD_BYTES_MAX);
    http.http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(PING_INTERVAL)
        .keep_alive_timeout(PING_WAIT_MAX)
        .max_concurrent_streams(REQUESTS_MAX)
        .max_header_list_size(HEAD_BYTES_MAX as u32)
        .initial_stream_window_size(REQUEST_WINDOW_BYTES)
        .initial_connection_window_size(CONNECTION_WINDOW_BYTES);
    let connection = http.serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    // The future returns a lock, which must not be held while waiting.
    let stop = async { drop(stopped.wait_for(|stopped| *stopped).await) };
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = stop => {
            connection.as_mut().graceful_shutdown();
            // Requests that are not answered by then are sent again.
            tokio::time::timeout(STOP_WAIT_MAX, connection).await.unwrap_or(Ok(()))
        }
    };
    if let Err(error) = ended {
        tracing::debug!(source = %shared.id, "{address}: a connection has ended: {error}");
    }
}

/// The encoding and packing of a request.
#[derive(Clone, Copy)]
struct RequestFormat {
    encoding: Encoding,
    is_grpc: bool,
    packing: Packing,
}

async fn answer(
    shared: &SourceContext,
    sender: &MessageSender,
    request: Request<Incoming>,
) -> Response<Reply> {
    let media = text(&request, &header::CONTENT_TYPE).split(';').next().unwrap_or_default().trim();
    let is_grpc = media.eq_ignore_ascii_case("application/grpc")
        || media.to_ascii_lowercase().starts_with("application/grpc+proto");
    let encoding = match media.eq_ignore_ascii_case("application/json") {
        true => Encoding::Json,
        false => Encoding::Protobuf,
    };
    let form = match form(&request, media, encoding, is_grpc) {
        Ok(form) => admit(shared, &request).await.map(|pass| (form, pass)),
        Err(failure) => Err(failure),
    };
    let mut body = request.into_body();
    let stored = match form {
        Ok((form, pass)) => store::store(shared, sender, pass.as_deref(), &mut body, form).await,
        Err(failure) => Err(failure),
    };
    if let Err(failure) = &stored {
        store::drain(&mut body).await;
        shared.refused_request(&sender.address, &failure.status.message);
    }
    match is_grpc {
        true => reply::grpc(stored),
        false => reply::http(stored, encoding),
    }
}

/// Refuses a request without the token of the source, if the source has one, and a request that comes too soon after
/// others.
async fn admit(
    shared: &SourceContext,
    request: &Request<Incoming>,
) -> Result<Option<Box<dyn SendToken>>, RequestFailure> {
    let Some(name) = shared.settings.load().token.clone() else { return Ok(None) };
    let (gates, authorization) = (shared.gates.clone(), text(request, &header::AUTHORIZATION).to_owned());
    let asked = store::blocking(move || gates.admits(&authorization, &name)).await?;
    asked.map(Some).map_err(|barred| match barred {
        GateError::Unknown(message) => Status::new(Code::Unauthenticated, message).into(),
        GateError::Forbidden(message) => Status::new(Code::PermissionDenied, message).into(),
        GateError::TooFast(message, wait) => {
            Status { retry_after: Some(wait), ..Status::new(Code::ResourceExhausted, message) }.into()
        }
        GateError::Unavailable(message) => store::held_back(&message),
    })
}

/// Refuses a request for an unknown path.
fn form(
    request: &Request<Incoming>,
    media: &str,
    encoding: Encoding,
    is_grpc: bool,
) -> Result<RequestFormat, RequestFailure> {
    let path = request.uri().path();
    if is_grpc {
        if path != METHOD {
            return Err(
                Status::new(Code::Unimplemented, format!("there is no method `{path}`: send logs")).into()
            );
        }
        let packing = packing(text(request, &header::HeaderName::from_static("grpc-encoding")))?;
        return Ok(RequestFormat { encoding: Encoding::Protobuf, is_grpc, packing });
    }
    let refused = |http: u16, message: String| RequestFailure {
        http: Some(http),
        ..Status::new(Code::Unimplemented, message).into()
    };
    if path != PATH {
        return Err(refused(404, format!("nothing is served at `{path}`: send logs to `{PATH}`")));
    }
    if request.method() != Method::POST {
        return Err(refused(405, format!("`{PATH}` takes POST")));
    }
    if encoding == Encoding::Protobuf && !media.eq_ignore_ascii_case("application/x-protobuf") {
        let message = format!("`{media}` is not supported: send application/x-protobuf or application/json");
        return Err(refused(415, message));
    }
    let packing = packing(text(request, &header::CONTENT_ENCODING))?;
    Ok(RequestFormat { encoding, is_grpc, packing })
}

fn packing(name: &str) -> Result<Packing, RequestFailure> {
    Packing::named(name).map_err(|error| RequestFailure {
        http: Some(415),
        ..Status::new(Code::Unimplemented, error.to_string()).into()
    })
}

fn text<'r>(request: &'r Request<Incoming>, name: &header::HeaderName) -> &'r str {
    request.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}
