//! The frames that a source has read, and their senders.

use logstead_record::Timestamp;
use logstead_syslog::framing::Frame;
use std::net::IpAddr;
use std::sync::Arc;

/// The sender of a message, as far as it is known.
#[derive(Clone, Debug)]
pub struct MessageSender {
    /// The address that messages are filed under; empty for programs on this machine.
    pub address: Arc<str>,
    /// The host of messages that name none.
    pub host: Arc<str>,
    /// The transport of its messages: `udp`, `tls`.
    pub via: &'static str,
    /// A field that is added to each of its messages.
    pub field: Option<(&'static str, Arc<str>)>,
    /// The time when the last of its messages was written, if it differs from the time of receipt.
    pub written: Option<Timestamp>,
}

impl MessageSender {
    /// A sender that is identified by its address alone: the port says nothing about it.
    pub fn at(address: IpAddr, via: &'static str) -> MessageSender {
        let address: Arc<str> = address.to_canonical().to_string().into();
        MessageSender { host: address.clone(), address, via, field: None, written: None }
    }

    /// A program on this machine.
    pub fn local(via: &'static str) -> MessageSender {
        let host = crate::machine::host_name().into();
        MessageSender { address: "".into(), host, via, field: None, written: None }
    }
}

/// A chunk's position among those of its source: chunks of one connection that go to one worker keep their order.
#[derive(Clone, Copy, Default, Debug)]
pub struct ChunkOrder {
    /// The connection on which the frames arrived.
    pub connection: usize,
    /// The number of the chunk within its connection.
    pub chunk: usize,
}

/// Frames that were read together, on their way to a worker.
#[derive(Default)]
pub struct Chunk {
    /// The bytes as they were read.
    pub bytes: Vec<u8>,
    /// The frames within the bytes.
    pub frames: Vec<Frame>,
    /// The senders in ascending order, each with the number of its first frame.
    pub senders: Vec<(u32, MessageSender)>,
    /// The order in which the chunk is worked on.
    pub order: ChunkOrder,
}

impl Chunk {
    /// A chunk of frames from one sender.
    pub fn of(bytes: Vec<u8>, frames: Vec<Frame>, sender: &MessageSender) -> Chunk {
        Chunk { bytes, frames, senders: vec![(0, sender.clone())], order: ChunkOrder::default() }
    }

    /// The transport of a frame.
    pub fn via(&self, frame: usize) -> &'static str {
        let before = self.senders.partition_point(|(first, _)| *first as usize <= frame);
        before.checked_sub(1).map_or("", |last| self.senders[last].1.via)
    }

    /// Appends the frames of another chunk.
    pub fn append(&mut self, other: Chunk) {
        if self.frames.is_empty() {
            *self = other;
            return;
        }
        let (bytes, frames) = (self.bytes.len() as u32, self.frames.len() as u32);
        self.bytes.extend_from_slice(&other.bytes);
        let moved = |frame: Frame| Frame { start: frame.start + bytes, end: frame.end + bytes, ..frame };
        self.frames.extend(other.frames.into_iter().map(moved));
        self.senders.extend(other.senders.into_iter().map(|(first, sender)| (first + frames, sender)));
    }

    /// The memory that the frames need on their way: their bytes, and an allowance for the columns of each.
    pub fn cost_bytes(&self) -> usize {
        const COLUMNS_BYTES: usize = 64;
        self.bytes.len() + self.frames.len() * COLUMNS_BYTES
    }
}
