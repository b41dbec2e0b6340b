//! Reads one stream of syslog: late and much at a time, split into frames, gathered with those of the source's
//! other connections.

use super::Shared;
use super::coalesce::{Coalesce, Next, Waiting};
use super::connection::Connection;
use crate::flow::chunk::{Chunk, Sender};
use logstead_syslog::framing::Framer;
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// How long a message is waited for that may go on, since nothing shows its end.
const NEXT_LINE_WAIT_MAX: Duration = Duration::from_secs(1);
/// As many bytes are read last: more than a socket holds, so that all that had come is kept.
const LAST_BYTES_MAX: usize = 16 << 20;

/// Reads a connection to its end, or until told to stop.
pub(super) async fn read(
    shared: &Shared,
    mut connection: Connection,
    sender: Sender,
    mut stopped: watch::Receiver<bool>,
) {
    let settings = shared.settings.load_full();
    let mut framer = Framer::new(settings.framing, settings.frame_max);
    let number = shared.next_connection();
    let mut reader = Reader::new();
    loop {
        let ready = tokio::select! {
            ready = wait(&connection, &reader, &framer) => ready,
            _ = stopped.wait_for(|stopped| *stopped) => Ready::Last,
        };
        if matches!(ready, Ready::NoMoreLines) {
            let mut frames = Vec::new();
            if 0 < framer.give_up_waiting(&reader.pending, &mut frames) {
                let bytes = std::mem::take(&mut reader.pending);
                shared.gather(number, Chunk::of(bytes, frames, &sender), Instant::now()).await;
            }
            continue;
        }
        let is_last = matches!(ready, Ready::Last);
        let mut policy = shared.settings.load().coalesce;
        if is_last {
            policy = Coalesce { wait_max: Duration::ZERO, bytes_max: LAST_BYTES_MAX, ..policy };
        }
        let ended = reader.read_late(&mut connection, policy).await || is_last;
        let first_byte = reader.waiting.first_byte.unwrap_or_else(Instant::now);
        reader.waiting.seal(Instant::now());
        let mut frames = Vec::new();
        let taken = framer.split(&reader.pending, &mut frames);
        // Where nothing is complete, the bytes stay where they are.
        if 0 < taken {
            let rest = reader.pending[taken..].to_vec();
            let mut bytes = std::mem::replace(&mut reader.pending, rest);
            bytes.truncate(taken);
            shared.gather(number, Chunk::of(bytes, frames, &sender), first_byte).await;
        }
        if ended {
            let mut frames = Vec::new();
            framer.finish(&reader.pending, &mut frames);
            let bytes = std::mem::take(&mut reader.pending);
            shared.gather(number, Chunk::of(bytes, frames, &sender), first_byte).await;
            return connection.close().await;
        }
    }
}

/// Why a connection is looked at.
enum Ready {
    Bytes,
    /// The message that is there did not go on.
    NoMoreLines,
    /// We are told to stop, or the connection is broken: what has come is all there will be.
    Last,
}

async fn wait(connection: &Connection, reader: &Reader, framer: &Framer) -> Ready {
    if reader.was_full && connection.may_hold_more() {
        return Ready::Bytes;
    }
    let readable = connection.readable();
    let ready = if framer.may_go_on(&reader.pending) {
        match tokio::time::timeout(NEXT_LINE_WAIT_MAX, readable).await {
            Ok(ready) => ready,
            Err(_) => return Ready::NoMoreLines,
        }
    } else {
        readable.await
    };
    if ready.is_ok() { Ready::Bytes } else { Ready::Last }
}

/// What was read and is not taken yet.
pub(super) struct Reader {
    pub(super) pending: Vec<u8>,
    pub(super) waiting: Waiting,
    /// Whether the last read stopped because it was enough.
    pub(super) was_full: bool,
    /// What the last read brought: the next one gets as much room at once.
    expected_bytes: usize,
}

impl Reader {
    /// Nothing was read yet, so there may be more than the socket tells of: the first message can come together with the
    /// end of the handshake.
    pub(super) fn new() -> Reader {
        Reader { pending: Vec::new(), waiting: Waiting::default(), was_full: true, expected_bytes: 0 }
    }

    /// Appends what comes until the policy says that it is enough; says whether the stream has ended.
    pub(super) async fn read_late(&mut self, connection: &mut Connection, policy: Coalesce) -> bool {
        let start = self.pending.len();
        self.pending.reserve(self.expected_bytes);
        loop {
            let before = self.pending.len();
            let ended = connection.read_all_there_is(&mut self.pending, start + policy.bytes_max);
            let now = Instant::now();
            self.waiting.add(self.pending.len() - before, now);
            self.was_full = start + policy.bytes_max <= self.pending.len();
            let next = policy.next(&self.waiting, now);
            if let (false, Next::Sleep(wait)) = (ended, next) {
                tokio::time::sleep(wait).await;
                continue;
            }
            self.expected_bytes = (self.pending.len() - start).next_power_of_two();
            return ended;
        }
    }
}
