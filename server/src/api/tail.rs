//! Messages as they are stored, to whoever watches.

use super::Shared;
use super::access::Caller;
use super::error::{ApiError, Problem, Result};
use super::extract::Query;
use super::message::Message;
use super::scope::list;
use axum::extract::{Extension, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde::{Deserialize, Serialize};

/// Which messages to follow, and from where on.
#[derive(Deserialize, utoipa::ToSchema, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct TailRequest {
    /// In the query language, without stages; empty or `*` means all.
    #[serde(default)]
    query: String,
    /// Ids; all logspaces where it is missing. In an address with commas between them.
    #[serde(default, deserialize_with = "list")]
    #[param(value_type = Option<String>)]
    logspaces: Option<Vec<String>>,
    /// Goes on after this position: the `id` of an event. The header `Last-Event-ID`, which browsers send by
    /// themselves, says the same and wins.
    since: Option<String>,
    /// Begins with so many of the newest messages that are stored already. Not beside a position.
    #[schema(default = 0, maximum = 1000)]
    #[param(default = 0, maximum = 1000)]
    last: Option<u32>,
}

/// The data of an event: `messages`, `status`, `gap` or `problem`.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "describes what is sent")]
pub(crate) enum TailEvent {
    Messages(TailMessages),
    Status(TailStatus),
    Gap(TailGap),
    Problem(Problem),
}

/// The data of an event `messages`. Its `id` is the position after them.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct TailMessages {
    /// In the order in which they were stored, at most 500.
    messages: Vec<Message>,
}

/// The data of an event `status`, the first of all and one every second. Counts are since the one before.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct TailStatus {
    /// Messages that were stored in the logspaces asked for.
    received: u64,
    /// Those of them that match, exactly.
    matched: u64,
    /// Those of them that were sent.
    shown: u64,
    /// Where not all of them are sent: every so manieth is. Null where all are.
    #[schema(required)]
    sampled_one_in: Option<u64>,
    /// Messages that are stored and were not looked at yet.
    behind: u64,
    /// The time of the last message that matched; null where none did yet.
    #[schema(required, format = DateTime)]
    last_match: Option<String>,
}

/// The data of an event `gap`: some messages after the position that was asked for can not be sent.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct TailGap {
    /// So many were stored there, whether they matched or not.
    messages: u64,
    /// Why they are missing.
    reason: String,
}

/// Follows what is stored, as server-sent events: `messages`, `status` every second, `gap` where messages are missing,
/// and `problem` before the server ends the stream.
#[utoipa::path(
    get, path = "/api/v1/tail", tag = "search",
    params(TailRequest, ("Last-Event-ID" = Option<String>, Header, description = "Goes on after this position")),
    responses((status = 200, body = TailEvent, content_type = "text/event-stream"))
)]
pub(crate) async fn tail(
    State(_shared): State<Shared>,
    Extension(_caller): Extension<Caller>,
    Query(_request): Query<TailRequest>,
) -> Result<Response> {
    Err(ApiError::new(StatusCode::NOT_IMPLEMENTED, "not yet"))
}
