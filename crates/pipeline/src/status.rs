//! The current state of the pipeline, as the API shows it.
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
    /// The time since which it has been live.
    pub applied_at: String,
    /// When these figures were read.
    pub time: String,
    /// The fates of all messages so far.
    pub totals: Totals,
    /// Messages that no route matched: they are dropped.
    pub unrouted_messages: u64,
    /// Why no messages are removed by age for now: the clock cannot be trusted.
    pub expiry_held: Option<String>,
    /// The sources of the document.
    pub sources: Vec<SourceStatus>,
    /// The routes, in order.
    pub routes: Vec<RouteStatus>,
    /// The destinations to which messages are forwarded.
    pub destinations: Vec<DestinationStatus>,
    /// Messages that wait for destinations that are no longer in the document, until they are discarded.
    pub queues_left: Vec<QueueLeft>,
    /// The logspaces in which messages are stored.
    pub logspaces: Vec<LogspaceStatus>,
}

/// The fates of all messages since the ledger began, each counted once: `received` is the sum of the others except
/// `lost_before` and `skipped_bytes`.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct Totals {
    /// Messages that arrived.
    pub received: u64,
    /// Messages of these that a logspace has.
    pub stored: u64,
    /// Messages that only destinations have.
    pub forwarded: u64,
    /// Messages that were dropped, by reason.
    pub dropped: BTreeMap<String, u64>,
    /// Messages lost in a crash; no sender was told that they had been accepted.
    pub unacknowledged: u64,
    /// Messages lost before they were received, as far as is known.
    pub lost_before: u64,
    /// Bytes that were received but belong to no message, by reason: `too_long`, `out_of_step`, `unfinished`.
    pub skipped_bytes: BTreeMap<String, u64>,
    /// Messages in flight.
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
    /// Messages received since the start of the process.
    pub messages: u64,
    /// The bytes of messages that were received since the start of the process.
    pub bytes: u64,
    /// The average over the last seconds; null until it is measured, between two requests a second to a minute apart.
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
    /// Pieces found in place of the beginning of a frame: their senders count wrongly.
    pub out_of_step: u64,
    /// The bytes of these pieces.
    pub out_of_step_bytes: u64,
    /// Bytes that belong to no message, by reason: `too_long`, `out_of_step`, `unfinished`. With `bytes` and
    /// `framing_bytes`, they add up to everything that was read from streams.
    pub skipped_bytes: BTreeMap<String, u64>,
    /// Bytes between messages: delimiters, lengths and empty lines.
    pub framing_bytes: u64,
    /// Messages of senders that do not delimit messages.
    pub undelimited: u64,
    /// Messages that no route matched.
    pub unrouted: u64,
    /// Coalesced reads, each of which a worker parsed as one batch.
    pub reads: u64,
    /// The messages that were dropped or refused, by reason.
    pub dropped: BTreeMap<String, u64>,
    /// The time when the last message arrived.
    pub last_seen: Option<String>,
    /// How many milliseconds the last message's own time was behind ours, including the time it took to arrive; null
    /// until a message with a time has arrived.
    #[schema(required)]
    pub clock_skew_ms: Option<i64>,
    /// The last thing that went wrong with a sender.
    pub last_error: Option<String>,
    /// Bytes in memory between the sockets and the disk.
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
    /// Whether it is in use.
    pub enabled: bool,
    /// Messages that matched since the start of the process.
    pub messages: u64,
    /// The average over the last seconds; null until it is measured, between two requests a second to a minute apart.
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
    /// Messages of these that it changed.
    pub changed: u64,
    /// Messages of these that it removed.
    pub dropped: u64,
    /// Messages that the step could not process: they went on as they were.
    pub failed: u64,
    /// Combinations of values that it had to forget, because it had too many at once.
    pub forgotten: u64,
}

/// A forward destination.
#[derive(Debug, Serialize, ToSchema)]
pub struct DestinationStatus {
    /// Its id.
    pub id: String,
    /// Whether it accepts and sends messages.
    pub enabled: bool,
    /// How it sends.
    pub kind: DestinationType,
    /// The server, bucket or file that it sends to.
    pub to: String,
    /// Whether it sends.
    pub state: DestinationState,
    /// Why it is paused, if it is: by an operator, or at the start of the server.
    pub paused_because: Option<String>,
    /// The last thing that went wrong.
    pub last_error: Option<String>,
    /// The time since which nothing can be sent.
    pub failing_since: Option<String>,
    /// The time of the next attempt.
    pub next_try: Option<String>,
    /// Messages put into its queue since the start of the process.
    pub queued: u64,
    /// Sent since the start of the process.
    pub messages: u64,
    /// Sent since the start of the process.
    pub bytes: u64,
    /// The average over the last seconds; null until it is measured, between two requests a second to a minute apart.
    #[schema(required)]
    pub messages_per_second: Option<f64>,
    /// The messages that were dropped, by reason.
    pub dropped: BTreeMap<String, u64>,
    /// Waiting messages.
    pub queue_messages: u64,
    /// Bytes of the waiting messages, on disk.
    pub queue_bytes: u64,
    /// Limit for the bytes of waiting messages.
    pub queue_bytes_max: u64,
    /// How long the oldest message has been waiting.
    pub oldest_ms: Option<u64>,
    /// Why nothing more can be queued.
    pub queue_error: Option<String>,
    /// Messages that the other side refused, which are kept until they are sent again or discarded.
    pub quarantined: u64,
}

/// Messages that wait for a destination that is no longer in the document.
#[derive(Debug, Serialize, ToSchema)]
pub struct QueueLeft {
    /// The destination's id. If the document contains it again, they are sent.
    pub id: String,
    /// Waiting messages.
    pub queue_messages: u64,
    /// Bytes of the waiting messages, on disk.
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
    /// Whether messages are being stored.
    pub state: LogspaceState,
    /// Why it fails.
    pub last_error: Option<String>,
    /// The number of its messages.
    pub messages: u64,
    /// Messages stored per second, averaged over the last seconds; null until it is measured, between two requests a
    /// second to a minute apart.
    #[schema(required)]
    pub messages_per_second: Option<f64>,
    /// Size of the journal on disk.
    pub journal_bytes: u64,
    /// Size of everything on disk: segments, their indexes and the journal.
    pub stored_bytes: u64,
    /// The number of sealed segments.
    pub segments: u64,
    /// How far sealing is behind: the number of messages in full journal files, which are slower to search.
    pub unsealed_messages: u64,
    /// Why segments cannot be made. Messages can still be stored and searched.
    pub sealing_error: Option<String>,
    /// The earliest message's time.
    pub first_time: Option<String>,
    /// The latest message's time.
    pub last_time: Option<String>,
}

/// A logspace and its contents.
#[derive(Debug, Serialize, ToSchema)]
pub struct LogspaceInfo {
    /// Its id.
    pub id: String,
    /// Whether it is in the live router document. If not, it can be searched, but not written to.
    pub in_router: bool,
    /// The number of its messages.
    pub messages: u64,
    /// The number of these that are in sealed segments.
    pub sealed_messages: u64,
    /// The number of sealed segments.
    pub segments: u64,
    /// Size of the compressed messages of the segments on disk.
    pub blocks_bytes: u64,
    /// Size of the indexes of the segments on disk.
    pub index_bytes: u64,
    /// Size of the journal on disk.
    pub journal_bytes: u64,
    /// Full journal files that have yet to become segments.
    pub unsealed: Unsealed,
    /// Why segments cannot be made. Messages can still be stored and searched.
    pub sealing_error: Option<String>,
    /// The number of parts that are known to be damaged; `verify` finds all.
    pub damaged_parts: u64,
    /// Size of the batches that are kept in memory for quick searches.
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

/// Full journal files that have yet to become segments.
#[derive(Debug, Serialize, ToSchema)]
pub struct Unsealed {
    /// The number of files.
    pub files: u64,
    /// The number of their messages.
    pub messages: u64,
    /// Their length in bytes.
    pub bytes: u64,
}

/// How long messages are kept.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct RetentionInfo {
    /// Maximum age.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub age: Option<String>,
    /// Maximum size.
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
    /// It is receiving.
    Listening,
    /// It could not be opened when the process started, and this is tried again.
    Failed,
}

/// Whether a destination sends.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DestinationState {
    /// Nothing has been sent yet.
    Idle,
    /// Messages are sent.
    Ok,
    /// The last attempt failed: messages wait.
    Retrying,
    /// It is paused, for the reason in `paused_because`: messages wait.
    Paused,
    /// It is disabled in the router document: waiting messages are kept, and none are added.
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
