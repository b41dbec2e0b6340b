//! Messages in datagrams, over UDP or a unix socket: a datagram holds one message, or, if the source is configured
//! so, many lines or a chunk of a message. Datagrams that the workers cannot take in time are dropped and counted.
//! Those that the kernel drops are counted as well: its own count is read once a second, as it otherwise comes only
//! with a datagram, and after a flood there may be none.

use super::coalesce::{CoalesceStep, PendingBytes};
use super::context::{SourceContext, TOO_LONG};
use super::settings::SourceSettings;
use logstead_config::Framing;
use logstead_flow::chunk::{Chunk, ChunkOrder, MessageSender};
use logstead_flow::machine::drops;
use logstead_record::Flags;
use logstead_syslog::chunks::Chunks;
use logstead_syslog::framing::{Frame, Framer, SplitResult};
use nix::sys::socket::{ControlMessageOwned, MsgFlags, MultiHeaders, SockaddrStorage, recvmmsg};
use std::collections::HashMap;
use std::io::{self, IoSliceMut};
use std::net::{IpAddr, SocketAddrV4, SocketAddrV6};
use std::os::fd::{AsRawFd, RawFd};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::Interest;
use tokio::net::{UdpSocket, UnixDatagram};
use tokio::sync::watch;

/// Maximum number of datagrams per system call.
const DATAGRAMS_MAX: usize = 64;
/// The maximum length of a datagram.
const DATAGRAM_BYTES_MAX: usize = 1 << 16;
/// The limits on the number of messages that wait for chunks, and on their bytes: more than one message can have.
const CHUNKED_MAX: usize = 1024;
const CHUNKED_BYTES_MAX: usize = 32 << 20;
/// The interval at which the kernel's count of dropped datagrams is read.
const DROPS_INTERVAL: Duration = Duration::from_secs(1);
/// The number of senders whose names are cached.
const SENDERS_MAX: usize = 10_000;

/// A socket that receives datagrams.
pub(super) enum DatagramSocket {
    Udp(UdpSocket),
    Unix(UnixDatagram),
}

impl DatagramSocket {
    pub(super) fn udp(socket: std::net::UdpSocket) -> io::Result<DatagramSocket> {
        UdpSocket::from_std(socket).map(DatagramSocket::Udp)
    }

    pub(super) fn unix(socket: std::os::unix::net::UnixDatagram) -> io::Result<DatagramSocket> {
        UnixDatagram::from_std(socket).map(DatagramSocket::Unix)
    }

    async fn readable(&self) -> io::Result<()> {
        match self {
            DatagramSocket::Udp(socket) => socket.readable().await,
            DatagramSocket::Unix(socket) => socket.readable().await,
        }
    }

    /// The number of datagrams that the kernel has dropped so far; it makes the senders of unix datagrams wait instead.
    fn drops(&self) -> Option<u32> {
        match self {
            DatagramSocket::Udp(socket) => drops::of(socket),
            DatagramSocket::Unix(_) => None,
        }
    }

    /// Fetches the available datagrams, up to one per slot.
    fn fetch(&self, slots: &mut [u8], slot_bytes: usize) -> io::Result<Vec<Datagram>> {
        match self {
            DatagramSocket::Udp(socket) => {
                socket.try_io(Interest::READABLE, || fetch(socket.as_raw_fd(), slots, slot_bytes))
            }
            DatagramSocket::Unix(socket) => {
                socket.try_io(Interest::READABLE, || fetch(socket.as_raw_fd(), slots, slot_bytes))
            }
        }
    }
}

/// Reads datagrams until told to stop, and then the ones that arrived before that.
pub(super) async fn serve(
    shared: Arc<SourceContext>,
    socket: DatagramSocket,
    mut stopped: watch::Receiver<bool>,
) {
    let mut receiver = Receiver::default();
    let mut chunk = 0;
    let mut look = tokio::time::interval(DROPS_INTERVAL);
    look.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        let stop = tokio::select! {
            ready = socket.readable() => ready.is_err(),
            () = receiver.chunks_are_late() => false,
            _ = look.tick() => {
                receiver.look_at_drops(&shared, &socket);
                continue;
            }
            _ = stopped.wait_for(|stopped| *stopped) => true,
        };
        let frames = receiver.read_late(&shared, &socket).await;
        if !frames.frames.is_empty() {
            chunk += 1;
            shared.submit_or_drop(Chunk { order: ChunkOrder { connection: 0, chunk }, ..frames });
        } else if stop {
            receiver.look_at_drops(&shared, &socket);
            let rest = receiver.finish();
            if !rest.frames.is_empty() {
                shared
                    .submit_or_drop(Chunk { order: ChunkOrder { connection: 0, chunk: chunk + 1 }, ..rest });
            }
            return;
        }
    }
}

/// The state of one socket's reader.
struct Receiver {
    /// The buffer for datagrams, each in its own slot.
    slots: Vec<u8>,
    waiting: PendingBytes,
    senders: HashMap<Option<IpAddr>, MessageSender>,
    /// Messages with chunks that are still missing.
    chunks: Chunks<Option<IpAddr>>,
    /// The number of datagrams that the kernel has dropped so far.
    dropped: u32,
}

impl Default for Receiver {
    fn default() -> Receiver {
        let (slots, waiting, senders) = Default::default();
        let chunks = Chunks::new(CHUNKED_MAX, CHUNKED_BYTES_MAX);
        Receiver { slots, waiting, senders, chunks, dropped: 0 }
    }
}

/// The facts about one datagram in its slot.
struct Datagram {
    slot: usize,
    length: usize,
    /// The number of bytes that did not fit into the slot.
    cut_bytes: usize,
    peer: Option<IpAddr>,
    /// The number of datagrams that the kernel had dropped when it arrived.
    dropped: Option<u32>,
}

impl Receiver {
    /// Reads datagrams until the policy has enough of them.
    async fn read_late(&mut self, shared: &SourceContext, socket: &DatagramSocket) -> Chunk {
        let policy = shared.settings.load().coalesce;
        let mut read = Chunk::default();
        loop {
            let before = read.bytes.len();
            let Receiver { chunks, senders, .. } = self;
            chunks.expire(Instant::now(), &mut |peer, bytes, flags| {
                append(&mut read, senders, peer, bytes, flags)
            });
            self.read_all_there_is(shared, socket, &mut read, policy.bytes_max);
            let now = Instant::now();
            self.waiting.add(read.bytes.len() - before, now);
            match policy.next(&self.waiting, now) {
                CoalesceStep::Sleep(wait) => tokio::time::sleep(wait).await,
                CoalesceStep::Seal | CoalesceStep::Block => {
                    self.waiting.seal(now);
                    return read;
                }
            }
        }
    }

    /// Waits until a message has waited too long for its chunks.
    async fn chunks_are_late(&self) {
        match self.chunks.next_end() {
            Some(end) => tokio::time::sleep_until(end.into()).await,
            None => std::future::pending().await,
        }
    }

    /// The messages that still wait for chunks, which will no longer arrive.
    fn finish(&mut self) -> Chunk {
        let mut rest = Chunk::default();
        let Receiver { chunks, senders, .. } = self;
        chunks.finish(&mut |peer, bytes, flags| append(&mut rest, senders, peer, bytes, flags));
        rest
    }

    /// Reads the available datagrams without waiting.
    fn read_all_there_is(
        &mut self,
        shared: &SourceContext,
        socket: &DatagramSocket,
        read: &mut Chunk,
        bytes_max: usize,
    ) {
        let settings = shared.settings.load();
        // A packed message may be longer than its datagram.
        let frame_max = if settings.is_gelf { DATAGRAM_BYTES_MAX } else { settings.frame_max };
        let slot_bytes = frame_max.min(DATAGRAM_BYTES_MAX);
        if self.slots.len() != DATAGRAMS_MAX * slot_bytes {
            // The memory is fresh, so that only the parts that datagrams fill are really used.
            self.slots = vec![0; DATAGRAMS_MAX * slot_bytes];
        }
        while read.bytes.len() < bytes_max {
            // No datagram is available: a socket that only receives has no other errors.
            let Ok(datagrams) = socket.fetch(&mut self.slots, slot_bytes) else { return };
            let is_all = datagrams.len() < DATAGRAMS_MAX;
            for datagram in datagrams {
                self.add(shared, &settings, &datagram, read);
            }
            if is_all {
                return;
            }
        }
    }

    fn add(
        &mut self,
        shared: &SourceContext,
        settings: &SourceSettings,
        datagram: &Datagram,
        read: &mut Chunk,
    ) {
        let slot_bytes = self.slots.len() / DATAGRAMS_MAX;
        if let Some(dropped) = datagram.dropped {
            self.note_drops(shared, dropped);
        }
        if datagram.peer.is_some_and(|peer| !settings.allows(peer)) {
            return shared.dropped("not_allowed", 1);
        }
        let start = datagram.slot * slot_bytes;
        let Receiver { slots, chunks, senders, .. } = self;
        let bytes = &slots[start..start + datagram.length];
        if settings.is_gelf && !bytes.is_empty() {
            let now = Instant::now();
            return chunks.take(datagram.peer, bytes, now, &mut |peer, bytes, flags| {
                append(read, senders, peer, bytes, flags);
            });
        }
        let at = read.bytes.len() as u32;
        let first = read.frames.len();
        if settings.split_datagrams {
            // The last line needs no newline.
            let mut found = SplitResult::default();
            Framer::new(Framing::Newline, slot_bytes).split_all(bytes, &mut found);
            shared.counters.framing_bytes.add(found.framing_bytes);
            let placed = |line: Frame| Frame { start: line.start + at, end: line.end + at, ..line };
            read.frames.extend(found.frames.into_iter().map(placed));
        } else if !bytes.is_empty() {
            read.frames.push(Frame { start: at, end: at + bytes.len() as u32, flags: Flags::default() });
        }
        if read.frames.len() == first {
            return;
        }
        if 0 < datagram.cut_bytes
            && let Some(last) = read.frames.last_mut()
        {
            last.flags = last.flags.with(Flags::TRUNCATED);
        }
        read.bytes.extend_from_slice(bytes);
        sent_by(read, first, senders, datagram.peer);
        let sender = sender_of(senders, datagram.peer);
        shared.left_out(sender, TOO_LONG, datagram.cut_bytes, &[]);
    }

    /// Counts the datagrams that the kernel has dropped, without waiting for another datagram.
    fn look_at_drops(&mut self, shared: &SourceContext, socket: &DatagramSocket) {
        if let Some(dropped) = socket.drops() {
            self.note_drops(shared, dropped);
        }
    }

    /// A datagram states the count at its arrival, which may be lower than the current one.
    fn note_drops(&mut self, shared: &SourceContext, dropped: u32) {
        let more = dropped.wrapping_sub(self.dropped);
        if more <= u32::MAX / 2 {
            shared.lost_before("socket_buffer_full", more as usize);
            self.dropped = dropped;
        }
    }
}

/// Appends a message.
fn append(
    read: &mut Chunk,
    senders: &mut HashMap<Option<IpAddr>, MessageSender>,
    peer: Option<IpAddr>,
    bytes: &[u8],
    flags: Flags,
) {
    let (at, first) = (read.bytes.len() as u32, read.frames.len());
    read.bytes.extend_from_slice(bytes);
    read.frames.push(Frame { start: at, end: at + bytes.len() as u32, flags });
    sent_by(read, first, senders, peer);
}

/// Notes the sender of the frames, from the one with this number on.
fn sent_by(
    read: &mut Chunk,
    first: usize,
    senders: &mut HashMap<Option<IpAddr>, MessageSender>,
    peer: Option<IpAddr>,
) {
    let sender = sender_of(senders, peer);
    if read.senders.last().is_none_or(|(_, last)| !Arc::ptr_eq(&last.address, &sender.address)) {
        read.senders.push((first as u32, sender.clone()));
    }
}

fn fetch(socket: RawFd, slots: &mut [u8], slot_bytes: usize) -> io::Result<Vec<Datagram>> {
    let mut buffers: Vec<[IoSliceMut<'_>; 1]> =
        slots.chunks_exact_mut(slot_bytes).map(|slot| [IoSliceMut::new(slot)]).collect();
    let space = nix::cmsg_space!(u32);
    let mut headers = MultiHeaders::<SockaddrStorage>::preallocate(DATAGRAMS_MAX, Some(space));
    // With this flag, the kernel returns the length of the whole datagram, not only of the part that fits.
    let flags = MsgFlags::MSG_DONTWAIT | MsgFlags::MSG_TRUNC;
    let received = recvmmsg(socket, &mut headers, buffers.iter_mut(), flags, None)?;
    let datagrams = received.enumerate().map(|(slot, message)| {
        let dropped = message.cmsgs().ok().and_then(|mut controls| {
            controls.find_map(|control| match control {
                ControlMessageOwned::RxqOvfl(dropped) => Some(dropped),
                _ => None,
            })
        });
        Datagram {
            slot,
            length: message.bytes.min(slot_bytes),
            cut_bytes: message.bytes.saturating_sub(slot_bytes),
            peer: message.address.as_ref().and_then(ip_of),
            dropped,
        }
    });
    Ok(datagrams.collect())
}

fn ip_of(address: &SockaddrStorage) -> Option<IpAddr> {
    let v4 = address.as_sockaddr_in().map(|v4| IpAddr::V4(*SocketAddrV4::from(*v4).ip()));
    v4.or_else(|| address.as_sockaddr_in6().map(|v6| IpAddr::V6(*SocketAddrV6::from(*v6).ip())))
}

fn sender_of(senders: &mut HashMap<Option<IpAddr>, MessageSender>, peer: Option<IpAddr>) -> &MessageSender {
    if SENDERS_MAX <= senders.len() {
        senders.clear();
    }
    senders.entry(peer).or_insert_with(|| {
        // A datagram without an address came through a unix socket.
        peer.map_or_else(|| MessageSender::local("unix"), |address| MessageSender::at(address, "udp"))
    })
}
