//! Syslog over UDP: a datagram is a message. What the workers can not take in time is dropped and counted.

use super::coalesce::Next;
use super::framing::Frame;
use super::{Frames, Shared, peer_name};
use logstead_record::Flags;
use socket2::{Domain, Protocol, Socket, Type};
use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Instant;
use tokio::net::UdpSocket;
use tokio::sync::watch;

/// What the kernel is asked to hold while we read late.
const RECEIVE_BUFFER_BYTES: usize = 16 << 20;
/// The longest datagram there is.
const DATAGRAM_BYTES_MAX: usize = 1 << 16;
/// Names of senders that are remembered.
const PEERS_MAX: usize = 10_000;

pub(super) fn bind(address: SocketAddr) -> io::Result<std::net::UdpSocket> {
    let socket = Socket::new(Domain::for_address(address), Type::DGRAM, Some(Protocol::UDP))?;
    socket.set_nonblocking(true)?;
    socket.set_recv_buffer_size(RECEIVE_BUFFER_BYTES)?;
    socket.bind(&address.into())?;
    let granted_bytes = socket.recv_buffer_size()?;
    if granted_bytes < RECEIVE_BUFFER_BYTES {
        tracing::info!(
            "udp://{address}: the kernel grants a receive buffer of {granted_bytes} bytes; for bursts, raise \
             net.core.rmem_max to {RECEIVE_BUFFER_BYTES}"
        );
    }
    Ok(socket.into())
}

/// Reads datagrams until told to stop, and then what has come until then.
pub(super) async fn serve(
    shared: Arc<Shared>,
    socket: std::net::UdpSocket,
    mut stopped: watch::Receiver<bool>,
) {
    let socket = match UdpSocket::from_std(socket) {
        Ok(socket) => socket,
        Err(error) => return tracing::error!(source = %shared.id, "the socket can not be used: {error}"),
    };
    let mut names = HashMap::new();
    for number in 0.. {
        let stop = tokio::select! {
            ready = socket.readable() => ready.is_err(),
            _ = stopped.wait_for(|stopped| *stopped) => true,
        };
        let frames = read_late(&shared, &socket, &mut names, number).await;
        if !frames.frames.is_empty() {
            shared.hand_on_or_drop(frames);
        } else if stop {
            return;
        }
    }
}

/// Reads datagrams until the policy says that it is enough.
async fn read_late(
    shared: &Shared,
    socket: &UdpSocket,
    names: &mut HashMap<IpAddr, Arc<str>>,
    number: usize,
) -> Frames {
    let policy = shared.settings.load().coalesce;
    let mut read = Frames { bytes: Vec::new(), frames: Vec::new(), peers: Vec::new(), turn: (0, number) };
    let mut first_byte = None;
    loop {
        read_all_there_is(shared, socket, &mut read, names, policy.bytes_max);
        let now = Instant::now();
        if !read.bytes.is_empty() {
            first_byte.get_or_insert(now);
        }
        match policy.next(read.bytes.len(), first_byte, now) {
            Next::Sleep(wait) => tokio::time::sleep(wait).await,
            Next::Seal | Next::Block => return read,
        }
    }
}

/// Reads without waiting.
fn read_all_there_is(
    shared: &Shared,
    socket: &UdpSocket,
    read: &mut Frames,
    names: &mut HashMap<IpAddr, Arc<str>>,
    bytes_max: usize,
) {
    let settings = shared.settings.load();
    while read.bytes.len() < bytes_max {
        let start = read.bytes.len();
        if read.bytes.capacity() - start < DATAGRAM_BYTES_MAX {
            read.bytes.reserve(DATAGRAM_BYTES_MAX.max(start));
        }
        // An error here is an earlier answer of ours that could not be delivered: nothing was received.
        let Ok((length, peer)) = socket.try_recv_buf_from(&mut read.bytes) else { return };
        if !settings.allows(peer) {
            shared.counters.dropped.add("not_allowed", 1);
            read.bytes.truncate(start);
        } else if 0 < length {
            add(read, start, length, settings.config.max_message.as_usize(), name_of(names, peer));
        }
    }
}

fn add(read: &mut Frames, start: usize, length: usize, length_max: usize, peer: Arc<str>) {
    let flags = if length_max < length { Flags::TRUNCATED } else { Flags::default() };
    let end = start + length.min(length_max);
    if read.peers.last().is_none_or(|(_, last)| *last != peer) {
        read.peers.push((read.frames.len() as u32, peer));
    }
    read.frames.push(Frame { start: start as u32, end: end as u32, flags });
}

fn name_of(names: &mut HashMap<IpAddr, Arc<str>>, peer: SocketAddr) -> Arc<str> {
    if PEERS_MAX <= names.len() {
        names.clear();
    }
    names.entry(peer.ip()).or_insert_with(|| peer_name(peer)).clone()
}
