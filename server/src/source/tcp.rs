//! Syslog over TCP: accepts connections, reads each late and much, and splits the stream into frames.

use super::coalesce::{Coalesce, Next};
use super::framing::{Frame, Framer};
use super::{Frames, Shared, peer_name};
use socket2::{Domain, Protocol, Socket, TcpKeepalive, Type};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// Connections that wait to be accepted.
const BACKLOG_MAX: i32 = 1024;
/// Idle connections stay for days: this finds those whose peer has vanished.
const KEEPALIVE: Duration = Duration::from_secs(60);
/// The least room that a read gets.
const READ_BYTES_MIN: usize = 4 << 10;
/// How long accepting pauses when the system has no file descriptor left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

pub(super) fn bind(address: SocketAddr) -> io::Result<std::net::TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    socket.set_reuse_address(true)?;
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG_MAX)?;
    Ok(socket.into())
}

/// Accepts connections until told to stop, then waits for those that are open.
pub(super) async fn serve(
    shared: Arc<Shared>,
    listener: std::net::TcpListener,
    mut stopped: watch::Receiver<bool>,
) {
    let listener = match TcpListener::from_std(listener) {
        Ok(listener) => listener,
        Err(error) => return tracing::error!(source = %shared.id, "the listener can not be used: {error}"),
    };
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stopped.wait_for(|stopped| *stopped) => break,
            Some(_) = connections.join_next() => continue,
        };
        match accepted {
            Ok((stream, peer)) => {
                if let Some(reason) = refusal(&shared, peer) {
                    shared.counters.dropped.add(reason, 1);
                    continue;
                }
                shared.counters.connections.add(1);
                connections.spawn(read_counted(shared.clone(), stream, peer, stopped.clone()));
            }
            Err(error) => {
                tracing::warn!(source = %shared.id, "a connection could not be accepted: {error}");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
}

/// Why a connection is closed at once.
fn refusal(shared: &Shared, peer: SocketAddr) -> Option<&'static str> {
    let settings = shared.settings.load();
    let open = shared.counters.connections.get();
    if !settings.allows(peer) {
        Some("connection_not_allowed")
    } else if i64::from(settings.config.max_connections) <= open {
        Some("connection_limit")
    } else {
        None
    }
}

async fn read_counted(
    shared: Arc<Shared>,
    stream: TcpStream,
    peer: SocketAddr,
    stopped: watch::Receiver<bool>,
) {
    let keepalive = TcpKeepalive::new().with_time(KEEPALIVE).with_interval(KEEPALIVE);
    if let Err(error) = socket2::SockRef::from(&stream).set_tcp_keepalive(&keepalive) {
        tracing::debug!(source = %shared.id, %peer, "no keep-alive: {error}");
    }
    read(&shared, &stream, peer, stopped).await;
    shared.counters.connections.add(-1);
}

/// Reads one connection to its end.
async fn read(shared: &Shared, stream: &TcpStream, peer: SocketAddr, mut stopped: watch::Receiver<bool>) {
    let settings = shared.settings.load_full();
    let mut framer = Framer::new(settings.config.framing, settings.config.max_message.as_usize());
    let mut turn = (shared.next_connection(), 0);
    let peer = peer_name(peer);
    let mut pending = Vec::new();
    let mut expected_bytes = READ_BYTES_MIN;
    loop {
        let stop = tokio::select! {
            ready = stream.readable() => ready.is_err(),
            _ = stopped.wait_for(|stopped| *stopped) => true,
        };
        let before = pending.len();
        pending.reserve(expected_bytes);
        let policy = shared.settings.load().coalesce;
        let ended = read_late(stream, &mut pending, policy).await || stop;
        expected_bytes = (pending.len() - before).next_power_of_two().max(READ_BYTES_MIN);

        let mut frames = Vec::new();
        let taken = framer.split(&pending, &mut frames);
        // Where nothing is complete, the bytes stay where they are.
        if 0 < taken {
            let rest = pending[taken..].to_vec();
            let mut bytes = std::mem::replace(&mut pending, rest);
            bytes.truncate(taken);
            hand_on(shared, bytes, frames, &peer, turn).await;
            turn.1 += 1;
        }
        if ended {
            let mut frames = Vec::new();
            framer.finish(&pending, &mut frames);
            return hand_on(shared, pending, frames, &peer, turn).await;
        }
    }
}

async fn hand_on(shared: &Shared, bytes: Vec<u8>, frames: Vec<Frame>, peer: &Arc<str>, turn: (usize, usize)) {
    if !frames.is_empty() {
        shared.hand_on(Frames { bytes, frames, peers: vec![(0, peer.clone())], turn }).await;
    }
}

/// Appends what comes until the policy says that it is enough; says whether the stream has ended.
async fn read_late(stream: &TcpStream, bytes: &mut Vec<u8>, policy: Coalesce) -> bool {
    let start = bytes.len();
    let mut first_byte = None;
    loop {
        let ended = read_all_there_is(stream, bytes, start + policy.bytes_max);
        let now = Instant::now();
        if start < bytes.len() {
            first_byte.get_or_insert(now);
        }
        match policy.next(bytes.len() - start, first_byte, now) {
            _ if ended => return true,
            Next::Sleep(wait) => tokio::time::sleep(wait).await,
            Next::Seal | Next::Block => return false,
        }
    }
}

/// Reads without waiting; says whether the stream has ended.
fn read_all_there_is(stream: &TcpStream, bytes: &mut Vec<u8>, bytes_max: usize) -> bool {
    while bytes.len() < bytes_max {
        if bytes.capacity() - bytes.len() < READ_BYTES_MIN {
            bytes.reserve(bytes.len().max(READ_BYTES_MIN));
        }
        match stream.try_read_buf(bytes) {
            Ok(0) => return true,
            Ok(_) => {}
            Err(error) => return error.kind() != io::ErrorKind::WouldBlock,
        }
    }
    false
}
