//! Operators' actions on a destination: pausing and resuming it, retrying at once, viewing and discarding waiting
//! messages, and dealing with those that the other side refused.

use crate::access::{Call, Caller};
use crate::error::{ApiError, Result};
use crate::extract::{Json, Path, Query};
use crate::list::{ListIdentity, page_size};
use crate::problem_type::ProblemType;
use crate::state::SharedState;
use crate::waiting::blocking;
use axum::extract::State;
use axum::http::StatusCode;
use logstead_config::{Document, RouteTarget};
use logstead_forward::Destination;
use logstead_indexer::Hit;
use logstead_questions::wire::message::MessageJson;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Maximum number of messages that are shown at a time.
pub(crate) const LIMIT_MAX: usize = 1000;
const LIMIT: usize = 100;

/// Which messages to show.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ShownPage {
    /// How many.
    #[param(default = 100, minimum = 1, maximum = 1000)]
    limit: Option<usize>,
    /// The start of the page: the `cursor` of the previous page of the same list.
    cursor: Option<String>,
}

/// How many of the oldest messages to act on, as the operator saw them.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Oldest {
    messages: u64,
}

/// Messages that are waiting or were refused, oldest first.
#[derive(Serialize, utoipa::ToSchema)]
#[schema(as = Waiting)]
pub(crate) struct WaitingMessages {
    /// All of them.
    total: u64,
    /// The oldest messages. In the quarantine, each has the other side's reason in the field `logstead.refused`.
    messages: Vec<MessageJson>,
    /// The messages among the oldest that the caller may not search.
    withheld: WithheldMessages,
    /// The cursor of the next page; null on the last page.
    #[schema(required)]
    cursor: Option<String>,
}

/// Messages of which only the number and the size are shown: routes also store messages of their sources in logspaces
/// that the caller may not search.
#[derive(Default, Serialize, utoipa::ToSchema)]
#[schema(as = Withheld)]
pub(crate) struct WithheldMessages {
    messages: u64,
    /// Their size as received.
    bytes: u64,
}

/// How many messages the action affected.
#[derive(Serialize, utoipa::ToSchema)]
#[schema(as = Done)]
pub(crate) struct AffectedMessages {
    messages: u64,
}

/// Sends nothing until the destination is resumed, even after a restart. Messages wait in its queue.
#[utoipa::path(
    post, path = "/api/v1/destinations/{id}/pause", operation_id = "pause_destination", tag = "destinations",
    params(("id" = String, Path, description = "The destination")),
    responses((status = 204, description = "The destination is paused"))
)]
pub(crate) async fn pause(call: Call, Path(id): Path<String>) -> Result<StatusCode> {
    set_paused(&call, id, true).await
}

/// Starts sending the waiting messages again.
#[utoipa::path(
    post, path = "/api/v1/destinations/{id}/resume", operation_id = "resume_destination", tag = "destinations",
    params(("id" = String, Path, description = "The destination")),
    responses((status = 204, description = "It sends"))
)]
pub(crate) async fn resume(call: Call, Path(id): Path<String>) -> Result<StatusCode> {
    set_paused(&call, id, false).await
}

async fn set_paused(call: &Call, id: String, is_paused: bool) -> Result<StatusCode> {
    let destination = find(&call.shared, &id)?;
    blocking(move || destination.set_paused(is_paused)).await?.map_err(|error| cannot("note it", &error))?;
    let action = if is_paused { "destination.pause" } else { "destination.resume" };
    call.audit(action, id).await;
    Ok(StatusCode::NO_CONTENT)
}

/// Tries to send at once instead of waiting for the end of the current pause.
#[utoipa::path(
    post, path = "/api/v1/destinations/{id}/retry", operation_id = "retry_destination", tag = "destinations",
    params(("id" = String, Path, description = "The destination")),
    responses((status = 204, description = "The next attempt begins"))
)]
pub(crate) async fn retry(State(shared): State<SharedState>, Path(id): Path<String>) -> Result<StatusCode> {
    find(&shared, &id)?.retry();
    Ok(StatusCode::NO_CONTENT)
}

/// Drops the oldest messages of the queue. `messages` is the number that the operator saw.
#[utoipa::path(
    post, path = "/api/v1/destinations/{id}/discard", operation_id = "discard_queue", tag = "destinations", request_body = Oldest,
    params(("id" = String, Path, description = "The destination")),
    responses((status = 200, body = AffectedMessages))
)]
pub(crate) async fn discard(
    call: Call,
    Path(id): Path<String>,
    Json(Oldest { messages }): Json<Oldest>,
) -> Result<axum::Json<AffectedMessages>> {
    let destination = find(&call.shared, &id)?;
    if !destination.discard(messages) {
        return Err(fewer(messages, destination.depth().messages));
    }
    call.audit("destination.discard", format!("{id}: {messages} messages")).await;
    Ok(axum::Json(AffectedMessages { messages }))
}

/// The oldest waiting messages.
#[utoipa::path(
    get, path = "/api/v1/destinations/{id}/queue", operation_id = "list_queue", tag = "destinations",
    params(("id" = String, Path, description = "The destination"), ShownPage),
    responses((status = 200, body = WaitingMessages))
)]
pub(crate) async fn queue(
    call: Call,
    Path(id): Path<String>,
    Query(page): Query<ShownPage>,
) -> Result<axum::Json<WaitingMessages>> {
    let list = ListIdentity::new("queue", &id);
    show(&call, &id, &list, &page, |destination, from, limit| {
        (destination.depth().messages, destination.waiting(from, limit))
    })
    .await
}

/// The oldest messages that the other side refused.
#[utoipa::path(
    get, path = "/api/v1/destinations/{id}/quarantine", operation_id = "list_quarantine", tag = "destinations",
    params(("id" = String, Path, description = "The destination"), ShownPage),
    responses((status = 200, body = WaitingMessages))
)]
pub(crate) async fn quarantine(
    call: Call,
    Path(id): Path<String>,
    Query(page): Query<ShownPage>,
) -> Result<axum::Json<WaitingMessages>> {
    let list = ListIdentity::new("quarantine", &id);
    show(&call, &id, &list, &page, |destination, from, limit| {
        (destination.quarantined(), destination.quarantine(from, limit))
    })
    .await
}

async fn show(
    Call { shared, caller }: &Call,
    id: &str,
    list: &ListIdentity,
    page: &ShownPage,
    read: fn(&Destination, u64, usize) -> (u64, Vec<Hit>),
) -> Result<axum::Json<WaitingMessages>> {
    let limit = page_size(page.limit, LIMIT, LIMIT_MAX)?;
    let from = list.last_number(page.cursor.as_deref())?.unwrap_or_default();
    let destination = find(shared, id)?;
    let (total, mut hits) = blocking(move || read(&destination, from, limit + 1)).await?;
    let next = hits.get(limit).map(|next| list.cursor(&next.sequence.to_string()));
    hits.truncate(limit);
    let live = shared.state.pipeline.router();
    let (mut messages, mut withheld) = (Vec::new(), WithheldMessages::default());
    for hit in &hits {
        let source = String::from_utf8_lossy(hit.batch.source(hit.row));
        if may_see_what_comes_from(&source, caller, &live.document) {
            messages.push(MessageJson::new(id, hit));
        } else {
            let mut raw = Vec::new();
            hit.batch.write_raw(hit.row, &mut raw);
            withheld.messages += 1;
            withheld.bytes += raw.len() as u64;
        }
    }
    Ok(axum::Json(WaitingMessages { total, messages, withheld, cursor: next }))
}

/// Whether every logspace in which routes store messages of a source may be searched by the caller. The route of a
/// single message is not considered, as steps may have changed the message since.
fn may_see_what_comes_from(source: &str, caller: &Caller, document: &Document) -> bool {
    let is_withheld = |target: &String| {
        let is_logspace = document.logspaces.iter().any(|logspace| logspace.id == *target);
        is_logspace && !caller.may_search(target)
    };
    let listens = |from: &[String]| from.is_empty() || from.iter().any(|id| id == source);
    !document.routes.iter().any(|route| listens(&route.from) && route.to.iter().any(is_withheld))
}

/// Puts the oldest messages that were refused back into the queue.
#[utoipa::path(
    post, path = "/api/v1/destinations/{id}/quarantine/replay", tag = "destinations", request_body = Oldest,
    params(("id" = String, Path, description = "The destination")),
    responses((status = 200, body = AffectedMessages))
)]
pub(crate) async fn replay_quarantine(
    call: Call,
    Path(id): Path<String>,
    Json(Oldest { messages }): Json<Oldest>,
) -> Result<axum::Json<AffectedMessages>> {
    let destination = quarantined(&call.shared, &id, messages)?;
    check_enabled(&call.shared, &id)?;
    let replayed = destination.replay_quarantined(messages).await;
    replayed.map_err(|error| cannot("queue them", &error))?;
    call.audit("quarantine.replay", format!("{id}: {messages} messages")).await;
    Ok(axum::Json(AffectedMessages { messages }))
}

/// Forgets the oldest messages that were refused.
#[utoipa::path(
    post, path = "/api/v1/destinations/{id}/quarantine/discard", tag = "destinations", request_body = Oldest,
    params(("id" = String, Path, description = "The destination")),
    responses((status = 200, body = AffectedMessages))
)]
pub(crate) async fn discard_quarantine(
    call: Call,
    Path(id): Path<String>,
    Json(Oldest { messages }): Json<Oldest>,
) -> Result<axum::Json<AffectedMessages>> {
    let destination = quarantined(&call.shared, &id, messages)?;
    let forgotten = blocking(move || destination.forget_quarantined(messages)).await?;
    forgotten.map_err(|error| cannot("forget them", &error))?;
    call.audit("quarantine.discard", format!("{id}: {messages} messages")).await;
    Ok(axum::Json(AffectedMessages { messages }))
}

fn quarantined(shared: &SharedState, id: &str, messages: u64) -> Result<Arc<Destination>> {
    let destination = find(shared, id)?;
    let there = destination.quarantined();
    if there < messages { Err(fewer(messages, there)) } else { Ok(destination) }
}

/// 409 for a destination that is not enabled, which accepts no messages.
pub(super) fn check_enabled(shared: &SharedState, id: &str) -> Result<()> {
    let live = shared.state.pipeline.router();
    if live.checked.is_disabled(&RouteTarget::Destination(id.to_owned())) {
        let detail = format!("destination `{id}` is disabled and takes nothing: enable it first");
        return Err(ApiError::new(ProblemType::DestinationDisabled, detail));
    }
    Ok(())
}

pub(super) fn find(shared: &SharedState, id: &str) -> Result<Arc<Destination>> {
    shared.state.pipeline.destination(id).ok_or_else(|| {
        let known = shared.state.pipeline.destination_ids().join(", ");
        let known = if known.is_empty() { "there are none".to_owned() } else { format!("there are {known}") };
        ApiError::new(ProblemType::NotFound, format!("there is no destination `{id}`: {known}"))
    })
}

fn fewer(messages: u64, there: u64) -> ApiError {
    let detail = format!(
        "there are only {there} messages, not {messages}: look again, and send the request with the right number"
    );
    ApiError::new(ProblemType::FewerMessages, detail).path("messages")
}

fn cannot(what: &str, error: &str) -> ApiError {
    ApiError::new(ProblemType::NotWritable, format!("the server could not {what}: {error}"))
}
