//! The present state of the pipeline, as the API shows it.
//!
//! **Invariant:** states are closed types, so that the console has to deal with each.

use logstead_config::{DestinationType, Durability, SourceType};
use serde::Serialize;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// Counters and states of everything that the live router document names.
#[derive(Debug, Serialize, ToSchema)]
pub struct Status {
    /// The live revision.
    pub revision: u64,
    /// Since when it is live.
    pub applied_at: String,
    /// When these figures were read.
    pub time: String,
    /// The fates of all messages so far.
    pub totals: Totals,
    /// Messages that no route matched: they are dropped.
    pub unrouted_messages: u64,
    /// Why no messages are removed by age for now: the clock cannot be trusted.
    pub expiry_held: Option<String>,
    /// Receivers.
    pub sources: Vec<SourceStatus>,
    /// Rules, in order.
    pub routes: Vec<RouteStatus>,
    /// The destinations that messages are forwarded to.
    pub destinations: Vec<DestinationStatus>,
    /// Messages that wait for destinations that the document no longer has, until they are discarded.
    pub queues_left: Vec<QueueLeft>,
    /// The logspaces that messages are stored in.
    pub logspaces: Vec<LogspaceStatus>,
}

/// The fates of all messages since the ledger began, each counted once: `received` is the sum of the others except
/// `lost_before` and `skipped_bytes`.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct Totals {
    /// Messages that came.
    pub received: u64,
    /// Those of them that a logspace has.
    pub stored: u64,
    /// Those that only destinations have.
    pub forwarded: u64,
    /// Those that were dropped, by reason.
    pub dropped: BTreeMap<String, u64>,
    /// Gone with a crash; no sender was told that they were accepted.
    pub unacknowledged: u64,
    /// Lost before they were received, as far as it is known.
    pub lost_before: u64,
    /// Bytes that were received and that no message holds, by reason: `too_long`, `out_of_step`, `unfinished`.
    pub skipped_bytes: BTreeMap<String, u64>,
    /// On their way.
    pub in_flight: u64,
}

/// A source.
#[derive(Debug, Serialize, ToSchema)]
pub struct SourceStatus {
    /// Its id.
    pub id: String,
    /// Whether it receives anything.
    pub enabled: bool,
    /// How it receives.
    pub kind: SourceType,
    /// Its sockets.
    pub listeners: Vec<ListenerStatus>,
    /// Open connections.
    pub connections: u64,
    /// Received since the start of the process.
    pub messages: u64,
    /// The bytes of messages that were received since the start of the process.
    pub bytes: u64,
    /// Over the last seconds; null until it is measured, between two requests a second to a minute apart.
    #[schema(required)]
    pub messages_per_second: Option<f64>,
    /// Messages whose format was not recognised.
    pub unparsed: u64,
    /// Messages that a bug of a parser left unparsed; the log says more.
    pub parser_failures: u64,
    /// Messages that were longer than the limit.
    pub truncated: u64,
    /// Messages that were cut off when their sender disconnected.
    pub incomplete: u64,
    /// Pieces found where a frame should begin: their senders count wrongly.
    pub out_of_step: u64,
    /// The bytes of these pieces.
    pub out_of_step_bytes: u64,
    /// Bytes that no message holds, by reason: `too_long`, `out_of_step`, `unfinished`. With `bytes` and `framing_bytes`,
    /// they are all that was read of streams.
    pub skipped_bytes: BTreeMap<String, u64>,
    /// Bytes between messages: delimiters, lengths and empty lines.
    pub framing_bytes: u64,
    /// Messages of senders that put nothing between them.
    pub undelimited: u64,
    /// Messages that no route matched.
    pub unrouted: u64,
    /// Coalesced reads, each of which a worker parsed as one batch.
    pub reads: u64,
    /// The messages that were dropped or refused, by reason.
    pub dropped: BTreeMap<String, u64>,
    /// When the last message came.
    pub last_seen: Option<String>,
    /// How many milliseconds the last message's own time was behind ours, including the time it took to arrive; null
    /// until a message with a time has come.
    #[schema(required)]
    pub clock_skew_ms: Option<i64>,
    /// The last thing that went wrong with a sender.
    pub last_error: Option<String>,
    /// Bytes between the sockets and the disk.
    pub queue_bytes: u64,
    /// Limit above which senders are held back.
    pub queue_bytes_max: u64,
}

/// A socket of a source.
#[derive(Debug, Serialize, ToSchema)]
pub struct ListenerStatus {
    /// The address that senders connect to.
    pub url: String,
    /// Whether it is open.
    pub state: ListenerState,
    /// Why it failed, and what to do.
    pub error: Option<String>,
}

/// A route.
#[derive(Debug, Serialize, ToSchema)]
pub struct RouteStatus {
    /// Its id.
    pub id: String,
    /// Whether it takes anything.
    pub enabled: bool,
    /// Matched since the start of the process.
    pub messages: u64,
    /// Over the last seconds; null until it is measured, between two requests a second to a minute apart.
    #[schema(required)]
    pub messages_per_second: Option<f64>,
    /// The figures of its steps since the start of the process, in order.
    pub steps: Vec<StepStatus>,
}

/// A step of a route.
#[derive(Debug, Serialize, ToSchema)]
pub struct StepStatus {
    /// The kind of step.
    pub kind: String,
    /// Messages that reached the step and matched its condition.
    pub messages: u64,
    /// Those of them that it changed.
    pub changed: u64,
    /// Those that it took out.
    pub dropped: u64,
    /// Messages that the step could not process: they went on as they were.
    pub failed: u64,
    /// Combinations of values that it had to forget, as there were too many at once.
    pub forgotten: u64,
}

/// A forward destination.
#[derive(Debug, Serialize, ToSchema)]
pub struct DestinationStatus {
    /// Its id.
    pub id: String,
    /// Whether it takes and sends anything.
    pub enabled: bool,
    /// How it sends.
    pub kind: DestinationType,
    /// The server, bucket or file that it sends to.
    pub to: String,
    /// Whether it sends.
    pub state: DestinationState,
    /// Why it is paused, if it is: by an operator, or by the start of the server.
    pub paused_because: Option<String>,
    /// The last thing that went wrong.
    pub last_error: Option<String>,
    /// Since when nothing can be sent.
    pub failing_since: Option<String>,
    /// When that is tried again.
    pub next_try: Option<String>,
    /// Put into its queue since the start of the process.
    pub queued: u64,
    /// Sent since the start of the process.
    pub messages: u64,
    /// Sent since the start of the process.
    pub bytes: u64,
    /// Over the last seconds; null until it is measured, between two requests a second to a minute apart.
    #[schema(required)]
    pub messages_per_second: Option<f64>,
    /// The messages that were dropped, by reason.
    pub dropped: BTreeMap<String, u64>,
    /// Messages that wait.
    pub queue_messages: u64,
    /// Bytes that wait, on disk.
    pub queue_bytes: u64,
    /// Limit for the bytes that wait.
    pub queue_bytes_max: u64,
    /// How long the oldest message has been waiting.
    pub oldest_ms: Option<u64>,
    /// Why nothing more can be queued.
    pub queue_error: Option<String>,
    /// Messages that the other side refused, and that are kept until they are sent again or discarded.
    pub quarantined: u64,
}

/// Messages that wait for a destination that the document no longer has.
#[derive(Debug, Serialize, ToSchema)]
pub struct QueueLeft {
    /// The destination's id. If the document has it again, they are sent.
    pub id: String,
    /// Messages that wait.
    pub queue_messages: u64,
    /// Bytes that wait, on disk.
    pub queue_bytes: u64,
    /// How long the oldest message has been waiting.
    pub oldest_ms: Option<u64>,
    /// Messages that the other side had refused.
    pub quarantined: u64,
}

/// A logspace, as the router page shows it.
#[derive(Debug, Serialize, ToSchema)]
pub struct LogspaceStatus {
    /// Its id.
    pub id: String,
    /// Whether it stores.
    pub state: LogspaceState,
    /// Why it fails.
    pub last_error: Option<String>,
    /// Messages it holds.
    pub messages: u64,
    /// Stored over the last seconds; null until it is measured, between two requests a second to a minute apart.
    #[schema(required)]
    pub messages_per_second: Option<f64>,
    /// Journal on disk.
    pub journal_bytes: u64,
    /// Everything on disk: segments, their indexes, journal.
    pub stored_bytes: u64,
    /// Sealed segments.
    pub segments: u64,
    /// How far sealing is behind: messages in full journal files, which are slower to search.
    pub unsealed_messages: u64,
    /// Why segments cannot be made. Messages can still be stored and searched.
    pub sealing_error: Option<String>,
    /// The earliest message's time.
    pub first_time: Option<String>,
    /// The latest message's time.
    pub last_time: Option<String>,
}

/// A logspace with its content.
#[derive(Debug, Serialize, ToSchema)]
pub struct LogspaceInfo {
    /// Its id.
    pub id: String,
    /// Whether the live router document has it. If not, it can be searched, but not written to.
    pub in_router: bool,
    /// Messages it holds.
    pub messages: u64,
    /// Those of them that are in sealed segments.
    pub sealed_messages: u64,
    /// Sealed segments.
    pub segments: u64,
    /// The messages of the segments, compressed, on disk.
    pub blocks_bytes: u64,
    /// The indexes of the segments, on disk.
    pub index_bytes: u64,
    /// Journal on disk.
    pub journal_bytes: u64,
    /// Full journal files that wait to become segments.
    pub unsealed: Unsealed,
    /// Why segments cannot be made. Messages can still be stored and searched.
    pub sealing_error: Option<String>,
    /// Parts that are known to be damaged; `verify` finds all.
    pub damaged_parts: u64,
    /// Batches that are kept in memory for quick search.
    pub memory_bytes: u64,
    /// The earliest message's time.
    pub first_time: Option<String>,
    /// The latest message's time.
    pub last_time: Option<String>,
    /// When messages are acknowledged.
    pub durability: Option<Durability>,
    /// How long messages are kept.
    pub retention: RetentionInfo,
}

/// Full journal files that wait to become segments.
#[derive(Debug, Serialize, ToSchema)]
pub struct Unsealed {
    /// How many.
    pub files: u64,
    /// Their messages.
    pub messages: u64,
    /// Their length.
    pub bytes: u64,
}

/// How long messages are kept.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct RetentionInfo {
    /// At most this old.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub age: Option<String>,
    /// At most this much.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<String>,
    /// Why no messages are removed by age for now: the clock cannot be trusted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held: Option<String>,
}

/// Whether a socket is open.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ListenerState {
    /// It receives.
    Listening,
    /// It could not be opened when the process started, and is tried again.
    Failed,
}

/// Whether a destination sends.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DestinationState {
    /// Nothing was sent yet.
    Idle,
    /// Messages are sent.
    Ok,
    /// The last attempt failed: messages wait.
    Retrying,
    /// It is paused, as `paused_because` says: messages wait.
    Paused,
    /// Disabled by the router document: waiting messages are kept, and none are added.
    Disabled,
}

/// Whether a logspace stores.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum LogspaceState {
    /// Messages are stored.
    Ok,
    /// Messages cannot be stored, and senders are held back.
    Failing,
}
