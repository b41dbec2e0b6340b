//! Reads one stream of syslog: it reads late and in large pieces, splits the bytes into frames, and gathers them with
//! those of the source's other connections.

use super::coalesce::{Coalesce, CoalesceStep, PendingBytes};
use super::connection::SourceConnection;
use super::context::SourceContext;
use logstead_flow::chunk::{Chunk, MessageSender};
use logstead_syslog::framing::{Framer, SplitResult};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// The time to wait for the rest of a message whose end is not marked.
const NEXT_LINE_WAIT_MAX: Duration = Duration::from_secs(1);
/// The time for which the final read waits to learn whether bytes have arrived: for a connection that was just made,
/// the runtime does not know yet.
const LAST_NEWS_WAIT_MAX: Duration = Duration::from_millis(5);
/// The maximum size of the final read: more than a socket holds, so everything that has arrived is kept.
const LAST_BYTES_MAX: usize = 16 << 20;

/// Reads a connection to its end, or until told to stop.
pub(super) async fn read(
    shared: &SourceContext,
    mut connection: SourceConnection,
    sender: MessageSender,
    mut stopped: watch::Receiver<bool>,
) {
    let settings = shared.settings.load_full();
    let framer = Framer::new(settings.framing, settings.frame_max);
    let number = shared.next_connection();
    let mut stream = ChunkedStream { shared, number, sender, framer, reader: BufferedReader::new() };
    loop {
        let ready = tokio::select! {
            ready = wait(&connection, &stream.reader, &stream.framer) => ready,
            _ = stopped.wait_for(|stopped| *stopped) => ReadReason::Last,
        };
        let is_last = match ready {
            ReadReason::Bytes => false,
            ReadReason::Last => {
                tokio::time::timeout(LAST_NEWS_WAIT_MAX, connection.readable()).await.ok();
                true
            }
            ReadReason::NoMoreLines => {
                stream.give_up_waiting().await;
                continue;
            }
        };
        if stream.read(&mut connection, is_last).await {
            return connection.close().await;
        }
    }
}

/// The bytes read from a connection, on their way into chunks.
struct ChunkedStream<'a> {
    shared: &'a SourceContext,
    number: usize,
    sender: MessageSender,
    framer: Framer,
    reader: BufferedReader,
}

impl ChunkedStream<'_> {
    /// Reads the available bytes and passes them on; returns whether the stream has ended.
    async fn read(&mut self, connection: &mut SourceConnection, is_last: bool) -> bool {
        let mut policy = self.shared.settings.load().coalesce;
        if is_last {
            policy = Coalesce { wait_max: Duration::ZERO, bytes_max: LAST_BYTES_MAX, ..policy };
        }
        let ended = self.reader.read_late(connection, policy).await || is_last;
        let first_byte = self.reader.waiting.first_byte.unwrap_or_else(Instant::now);
        self.reader.waiting.seal(Instant::now());
        let mut found = SplitResult::default();
        let taken = self.framer.split(&self.reader.pending, &mut found);
        self.hand_on(taken, found, first_byte).await;
        if ended {
            let mut found = SplitResult::default();
            self.framer.finish(&self.reader.pending, &mut found);
            self.hand_on(self.reader.pending.len(), found, first_byte).await;
        }
        ended
    }

    /// Takes the pending message, as nothing followed that continues it.
    async fn give_up_waiting(&mut self) {
        let mut found = SplitResult::default();
        let taken = self.framer.give_up_waiting(&self.reader.pending, &mut found);
        self.hand_on(taken, found, Instant::now()).await;
    }

    /// Takes the first of the pending bytes; if no message is complete, they are left in place.
    async fn hand_on(&mut self, taken: usize, found: SplitResult, first_byte: Instant) {
        if taken == 0 {
            return;
        }
        let rest = self.reader.pending[taken..].to_vec();
        let mut bytes = std::mem::replace(&mut self.reader.pending, rest);
        bytes.truncate(taken);
        let SplitResult { frames, skipped, framing_bytes } = found;
        self.shared.counters.framing_bytes.add(framing_bytes);
        self.shared.skipped(&self.sender, &bytes, &skipped);
        self.shared.gather(self.number, Chunk::of(bytes, frames, &self.sender), first_byte).await;
    }
}

/// The reason for reading a connection.
enum ReadReason {
    Bytes,
    /// Nothing followed that continues the pending message.
    NoMoreLines,
    /// The source was told to stop, or the connection is broken: nothing more will arrive.
    Last,
}

async fn wait(connection: &SourceConnection, reader: &BufferedReader, framer: &Framer) -> ReadReason {
    if reader.was_full && connection.may_hold_more() {
        return ReadReason::Bytes;
    }
    let readable = connection.readable();
    let ready = if framer.may_go_on(&reader.pending) {
        match tokio::time::timeout(NEXT_LINE_WAIT_MAX, readable).await {
            Ok(ready) => ready,
            Err(_) => return ReadReason::NoMoreLines,
        }
    } else {
        readable.await
    };
    if ready.is_ok() { ReadReason::Bytes } else { ReadReason::Last }
}

/// The bytes that were read and are not framed yet.
pub(super) struct BufferedReader {
    pub(super) pending: Vec<u8>,
    pub(super) waiting: PendingBytes,
    /// Whether the last read stopped at its limit.
    pub(super) was_full: bool,
    /// The size of the last read, for which the next one reserves room.
    expected_bytes: usize,
}

impl BufferedReader {
    /// A reader that has read nothing yet, so there may be more than the socket reports: the first message can arrive
    /// together with the end of the handshake.
    pub(super) fn new() -> BufferedReader {
        BufferedReader {
            pending: Vec::new(),
            waiting: PendingBytes::default(),
            was_full: true,
            expected_bytes: 0,
        }
    }

    /// Appends bytes as they arrive until the policy is satisfied; returns whether the stream has ended.
    pub(super) async fn read_late(&mut self, connection: &mut SourceConnection, policy: Coalesce) -> bool {
        let start = self.pending.len();
        self.pending.reserve(self.expected_bytes);
        loop {
            let before = self.pending.len();
            let ended = connection.read_all_there_is(&mut self.pending, start + policy.bytes_max);
            let now = Instant::now();
            self.waiting.add(self.pending.len() - before, now);
            self.was_full = start + policy.bytes_max <= self.pending.len();
            let next = policy.next(&self.waiting, now);
            if let (false, CoalesceStep::Sleep(wait)) = (ended, next) {
                tokio::time::sleep(wait).await;
                continue;
            }
            self.expected_bytes = (self.pending.len() - start).next_power_of_two();
            return ended;
        }
    }
}
