//! Forward destinations: each has a queue on disk and a thread that drains it in order. A message leaves the queue
//! when the other side has accepted it, as far as its protocol shows; after a failure it is sent again. So the other
//! side may receive messages twice, but none is skipped.
//!
//! A destination that was removed from the router document keeps its queue until it is discarded.

mod control;
mod delivery;
mod drain;
mod file;
mod gather;
mod groups;
mod http;
mod kinds;
mod naming;
mod pace;
mod packing;
mod quarantine;
mod queue;
mod queue_deps;
mod queue_read;
mod sink;
mod stream;
mod test_message;
mod tls;

pub use queue::{QueueDepth, QueueError};
pub use queue_deps::{QueueDeps, pause_all};
pub use test_message::send_test;

use control::Control;
use drain::Drain;
use logstead_config::{Destination as Config, Queue as QueueConfig};
use logstead_flow::budget::Budget;
use logstead_flow::count_claim::CountClaim;
use logstead_flow::counters::DestinationCounters;
use logstead_flow::machine::clock;
use logstead_flow::machine::folders::Folders;
use logstead_flow::receipt::Pending;
use logstead_flow::writer::Append;
use logstead_indexer::{EncodedBatch, Hit, encode, oldest};
use logstead_record::{Batch, BatchBuilder};
use parking_lot::Mutex;
use quarantine::Quarantine;
use queue::{Queue, QueueParts};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a stop waits for messages that are being sent. They are on disk, and are sent after the next start.
const STOP_WAIT_MAX: Duration = Duration::from_secs(3);
/// How long a stop then still waits for a server that does not answer.
const END_WAIT_MAX: Duration = Duration::from_secs(1);

/// Number of messages that are put back into the queue at a time.
const REPLAYED_AT_ONCE: usize = 4096;

/// A running destination.
pub struct Destination {
    /// Its id.
    pub id: String,
    folders: Arc<Folders>,
    deps: QueueDeps,
    control: Arc<Control>,
    why_paused: Mutex<Option<String>>,
    queue: Queue,
    quarantine: Arc<Mutex<Quarantine>>,
    /// The destination's counters.
    pub counters: Arc<DestinationCounters>,
    /// Allows one replay at a time.
    replays: Budget,
}

impl Destination {
    /// Opens the queue of a destination and starts its threads. Nothing is sent until it is configured. If the queue
    /// cannot be opened, this is tried again later, unless it has to be open.
    pub fn open(
        id: &str,
        deps: &QueueDeps,
        folders: &Arc<Folders>,
        counters: Arc<DestinationCounters>,
        has_to_open: bool,
    ) -> Result<Destination, QueueError> {
        let control = Arc::new(Control::default());
        let why_paused = deps.why_paused(id);
        control.set_paused(why_paused.is_some());
        let mut quarantine = Quarantine::new(deps, id);
        let config = QueueConfig::default();
        let QueueParts { queue, reader, fill } =
            Queue::open(id, &config, deps, &control, &counters, has_to_open)?;
        match quarantine.open() {
            Err(error) if has_to_open => {
                queue.stop();
                queue.join(id);
                return Err(error.into());
            }
            // The failure was logged, and another attempt will follow.
            _ => {}
        }
        let quarantine = Arc::new(Mutex::new(quarantine));
        let drain = Drain {
            id: id.into(),
            folders: folders.clone(),
            control: control.clone(),
            reader,
            fill,
            quarantine: quarantine.clone(),
            counters: counters.clone(),
            ledger: deps.ledger.clone(),
            makes_room: deps.makes_room.clone(),
        };
        std::thread::Builder::new().name(format!("to {id}")).spawn(|| drain.run())?;
        Ok(Destination {
            id: id.to_owned(),
            folders: folders.clone(),
            deps: deps.clone(),
            control,
            why_paused: Mutex::new(why_paused),
            queue,
            quarantine,
            counters,
            replays: Budget::new(0),
        })
    }

    /// Sets the configuration with which queued messages are sent; without one, or if it is not enabled, they wait.
    pub fn configure(&self, config: Option<&Config>) {
        let sends = config.filter(|config| config.enabled);
        if let Some(config) = config {
            if sends.is_none() {
                self.counters.recovered();
            } else if let Some(refused) = self.folders.refused_sink(&config.kind) {
                tracing::error!(destination = self.id, "messages cannot be written: {refused}");
                self.counters.failed(&refused, clock::now(), None);
            }
            self.queue.configure(&config.queue);
        }
        self.control.configure(sends);
    }

    /// Queues messages. If there is no room for them, they wait if their sources may be held back, and are dropped
    /// otherwise.
    pub fn append(&self, encoded: EncodedBatch, claim: CountClaim, flow_control: bool, pending: Pending) {
        self.queue.append(Append { encoded, pending, claim, may_drop: !flow_control });
    }

    /// Why its queue accepts no messages for now, if it does not.
    pub fn refusal(&self) -> Option<String> {
        queue::refusal(&self.id, &self.queue.fill, &self.deps)
    }

    /// The amount that is queued.
    pub fn depth(&self) -> QueueDepth {
        let fill = &self.queue.fill;
        let messages = fill.messages();
        let oldest = self.queue.searcher.get(fill.done()).ok().flatten();
        let age =
            |hit: Hit| clock::now().nanos().saturating_sub(hit.batch.received(hit.row).nanos()).max(0) as u64;
        QueueDepth {
            messages,
            bytes: fill.bytes(),
            bytes_max: fill.bytes_max(),
            oldest: oldest.map(|hit| Duration::from_nanos(age(hit))),
        }
    }

    /// Whether messages would be lost if the destination were removed.
    pub fn holds_messages(&self) -> bool {
        0 < self.queue.fill.messages() || 0 < self.quarantined()
    }

    /// Whether the destination may hold messages, which is also true if its queue cannot be opened and its contents
    /// are unknown.
    pub fn may_hold_messages(&self) -> bool {
        self.holds_messages() || self.unopened().is_some()
    }

    /// Why its queue or its quarantine cannot be opened, if that is so.
    pub fn unopened(&self) -> Option<String> {
        self.queue.unopened().or_else(|| self.quarantine.lock().unopened())
    }

    /// The memory used by its queue.
    pub fn memory_bytes(&self) -> usize {
        self.queue.searcher.stats().memory_bytes
    }

    /// The oldest waiting messages, from a sequence on.
    pub fn waiting(&self, from: u64, limit: usize) -> Vec<Hit> {
        oldest(&self.queue.searcher, from.max(self.queue.fill.done()), limit)
    }

    /// Pauses sending until it is resumed, even after a restart.
    pub fn set_paused(&self, is_paused: bool) -> Result<(), String> {
        self.control.set_paused(is_paused);
        let noted = self.deps.note_paused(&self.id, is_paused).map_err(|error| error.to_string());
        *self.why_paused.lock() = match &noted {
            Ok(why) => why.clone(),
            Err(error) => is_paused
                .then(|| format!("only until the next start, because the pause cannot be saved: {error}")),
        };
        noted.map(drop)
    }

    /// Why the destination is paused, if it is.
    pub fn why_paused(&self) -> Option<String> {
        self.why_paused.lock().clone()
    }

    /// Tries to send at once, whatever the current pause is.
    pub fn retry(&self) {
        self.control.retry();
    }

    /// Discards the oldest waiting messages; `false` if there are fewer.
    pub fn discard(&self, messages: u64) -> bool {
        let fill = &self.queue.fill;
        let enough = messages <= fill.messages();
        if enough {
            self.control.discard(fill.done() + messages);
        }
        enough
    }

    /// The number of messages that the other side refused.
    pub fn quarantined(&self) -> u64 {
        self.quarantine.lock().messages()
    }

    /// The oldest messages that the other side refused, from a sequence on.
    pub fn quarantine(&self, from: u64, limit: usize) -> Vec<Hit> {
        self.quarantine.lock().oldest(from, limit)
    }

    /// Forgets the oldest refused messages.
    pub fn forget_quarantined(&self, messages: u64) -> Result<(), String> {
        let mut quarantine = self.quarantine.lock();
        let before = quarantine.first() + messages;
        quarantine.forget(before)
    }

    /// Puts the oldest refused messages back into the queue, and then forgets them.
    pub async fn replay_quarantined(&self, messages: u64) -> Result<(), String> {
        let alone = self.replays.reserve(0).await;
        let mut left = usize::try_from(messages).unwrap_or(usize::MAX);
        while 0 < left {
            let hits = self.quarantine(0, left.min(REPLAYED_AT_ONCE));
            let Some(last) = hits.last() else { break };
            self.queue_again(together(&hits)).await?;
            self.quarantine.lock().forget(last.sequence + 1)?;
            left -= hits.len();
        }
        drop(alone);
        Ok(())
    }

    /// Puts messages into the queue, however long they have to wait for room; returns when they are on disk.
    pub async fn queue_again(&self, batch: Batch) -> Result<(), String> {
        let (pending, outcome) = Pending::confirming(Budget::new(0).reserve(0).await);
        // The messages were counted when they were first received.
        self.append(encode(Arc::new(batch)), CountClaim::none(), true, pending.receipt.pending());
        pending.done();
        let queued = outcome.await.map_err(|_| "the server is stopping".to_owned())?;
        queued.map(drop).map_err(|failed| failed.to_string())
    }

    /// Accepts no more messages, and sends waiting ones for a little longer. [`Destination::join`] waits for that to
    /// end.
    pub fn stop(&self) {
        self.queue.stop();
        self.control.stop(Instant::now() + STOP_WAIT_MAX);
    }

    /// Waits until everything that was given to a stopped destination is in its queue.
    pub fn join_queue(&self) {
        self.queue.join(&self.id);
        self.control.written();
    }

    /// Waits for the threads of a stopped destination.
    pub fn join(&self) {
        self.join_queue();
        if !self.control.await_end(END_WAIT_MAX) {
            tracing::warn!(
                destination = self.id,
                "the other side does not answer: messages without an acknowledgement will be sent again"
            );
        }
    }
}

/// Combines messages into one batch.
fn together(hits: &[Hit]) -> Batch {
    let mut builder = BatchBuilder::new();
    hits.iter().for_each(|hit| builder.extend(&hit.batch, hit.row..hit.row + 1));
    builder.seal()
}
