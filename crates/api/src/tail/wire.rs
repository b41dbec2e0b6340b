//! The output of a tail: server-sent events and their data.

use crate::error::Problem;
use crate::tail::position::TailPosition;
use axum::body::Bytes;
use logstead_questions::wire::message::MessageJson;
use serde::Serialize;

/// The data of an event. Its `kind` is the name of the event.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(crate) enum TailEvent {
    Messages(TailMessages),
    Status(TailStatus),
    Gap(TailGap),
    Problem(Problem),
}

impl TailEvent {
    fn name(&self) -> &'static str {
        match self {
            TailEvent::Messages(_) => "messages",
            TailEvent::Status(_) => "status",
            TailEvent::Gap(_) => "gap",
            TailEvent::Problem(_) => "problem",
        }
    }
}

/// The data of an event `messages`. Its `id` is the position after them.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct TailMessages {
    /// The messages in the order in which they were stored, at most 500.
    pub(super) messages: Vec<MessageJson>,
    /// The columns to show according to the stage `fields`; absent without it. Messages are complete nevertheless.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(super) columns: Option<Vec<String>>,
}

/// The data of an event `status`, which comes first and then every second. Counts are since the previous one.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct TailStatus {
    /// Messages that were stored in the requested logspaces.
    pub(super) received: u64,
    /// The exact number of these that match.
    pub(super) matched: u64,
    /// How many of the matches were sent.
    pub(super) shown: u64,
    /// If not all matches are sent, every n-th is. Null if all are.
    #[schema(required)]
    pub(super) sampled_one_in: Option<u64>,
    /// Stored messages that were not read yet.
    pub(super) behind: u64,
    /// The time of the last match; null if there was none yet.
    #[schema(required, format = DateTime)]
    pub(super) last_match: Option<String>,
}

/// The data of an event `gap`: some messages after the requested position cannot be sent.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct TailGap {
    /// How many messages were stored in the gap, whether they matched or not.
    pub(super) messages: u64,
    /// Why they are missing.
    pub(super) reason: String,
}

/// The text of an event.
pub(crate) fn event(position: Option<&TailPosition>, data: &TailEvent) -> Bytes {
    let name = data.name();
    let data = serde_json::to_string(data).expect("events have names for keys, and every number is finite");
    let id = position.map_or(String::new(), |position| format!("id: {position}\n"));
    format!("event: {name}\n{id}data: {data}\n\n").into()
}
