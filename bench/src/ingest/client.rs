//! A client that sends bodies like an agent does: with a number of requests in flight, each answered before the next
//! is sent.
//!
//! Over HTTP/1.1 each request in flight has a connection of its own, which is kept open as agents do; over gRPC they
//! share one; a stream has one connection and no answers.

use super::protocol::Packing;
use crate::server::TOKEN;
use anyhow::{Context as _, Result, bail, ensure};
use h2::client::SendRequest;
use std::io::{Cursor, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::task::JoinSet;

const METHOD: &str = "/opentelemetry.proto.collector.logs.v1.LogsService/Export";
/// How many bytes are written to a stream at a time.
const WRITE_BYTES: usize = 64 << 10;

/// Sends bodies to an HTTP address until all are answered.
pub(super) fn http(
    url: &str,
    media: &str,
    packing: Packing,
    bodies: &[Vec<u8>],
    in_flight: usize,
) -> Result<()> {
    let next = AtomicUsize::new(0);
    let send = || {
        let agent: ureq::Agent =
            ureq::Agent::config_builder().proxy(None).http_status_as_error(false).build().into();
        while let Some(body) = bodies.get(next.fetch_add(1, Ordering::Relaxed)) {
            let mut request = agent.post(url).header("Content-Type", media);
            request = request.header("Authorization", format!("Bearer {TOKEN}"));
            if let Some(packing) = packing.header() {
                request = request.header("Content-Encoding", packing);
            }
            let mut answer = request.send(&body[..])?;
            let said = answer.body_mut().read_to_string()?;
            ensure!(answer.status().is_success(), "{url} answers {}: {said}", answer.status());
            ensure!(!said.contains("\"errors\":true"), "{url} refuses a document: {said}");
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let senders: Vec<_> = (0..in_flight).map(|_| scope.spawn(send)).collect();
        senders.into_iter().try_for_each(|sender| match sender.join() {
            Ok(sent) => sent,
            Err(_) => bail!("a sender has panicked"),
        })
    })
}

/// Sends bodies as gRPC calls until all are answered.
pub(super) fn grpc(
    address: SocketAddr,
    packing: Packing,
    bodies: &Arc<Vec<Vec<u8>>>,
    in_flight: usize,
) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    runtime.block_on(async {
        let stream = tokio::net::TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let (requests, connection) = h2::client::Builder::new().handshake(stream).await?;
        // An error of the connection shows in its calls.
        tokio::spawn(async move { connection.await.ok() });
        let next = Arc::new(AtomicUsize::new(0));
        let mut callers = JoinSet::new();
        for _ in 0..in_flight {
            let (mut requests, bodies, next) = (requests.clone(), bodies.clone(), next.clone());
            callers.spawn(async move {
                while let Some(body) = bodies.get(next.fetch_add(1, Ordering::Relaxed)) {
                    requests = requests.ready().await?;
                    call(&mut requests, address, packing, body).await?;
                }
                anyhow::Ok(())
            });
        }
        callers.join_all().await.into_iter().collect()
    })
}

async fn call(
    requests: &mut SendRequest<Cursor<Vec<u8>>>,
    address: SocketAddr,
    packing: Packing,
    body: &[u8],
) -> Result<()> {
    let mut request = ureq::http::Request::post(format!("http://{address}{METHOD}"));
    request = request.header("content-type", "application/grpc").header("te", "trailers");
    if let Some(packing) = packing.header() {
        request = request.header("grpc-encoding", packing);
    }
    let (answer, mut stream) = requests.send_request(request.body(())?, false)?;
    let mut message = vec![u8::from(packing != Packing::None)];
    message.extend_from_slice(&(body.len() as u32).to_be_bytes());
    message.extend_from_slice(body);
    stream.send_data(Cursor::new(message), true)?;
    let answer = answer.await?;
    let mut status = answer.headers().get("grpc-status").cloned();
    let mut body = answer.into_body();
    while let Some(data) = body.data().await {
        body.flow_control().release_capacity(data?.len())?;
    }
    if let Some(trailers) = body.trailers().await? {
        status = trailers.get("grpc-status").cloned().or(status);
    }
    let status = status.context("an answer without a status")?;
    ensure!(status == "0", "a call is answered with the status {status:?}");
    Ok(())
}

/// Writes bodies to a stream.
pub(super) fn stream(address: SocketAddr, bodies: &[Vec<u8>]) -> Result<()> {
    let mut stream = TcpStream::connect(address)?;
    for body in bodies {
        for part in body.chunks(WRITE_BYTES) {
            stream.write_all(part)?;
        }
    }
    Ok(())
}
