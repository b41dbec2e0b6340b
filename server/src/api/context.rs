//! What happened around a message: the messages before it and after it.

use super::Shared;
use super::access::Caller;
use super::error::{ApiError, Result};
use super::extract::{Path, Query};
use super::message::Message;
use super::scope::{Coverage, QueryWarning, list};
use axum::extract::{Extension, State};
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};

/// Which messages around one.
#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct ContextRequest {
    /// How many messages before it.
    #[param(default = 20, minimum = 0, maximum = 1000)]
    before: Option<u32>,
    /// How many messages after it.
    #[param(default = 20, minimum = 0, maximum = 1000)]
    after: Option<u32>,
    /// Names of fields, with commas between them: only messages that have the same values there. A field that the
    /// message itself lacks is an error.
    #[serde(default, deserialize_with = "list")]
    #[param(value_type = Option<String>, example = "host,program")]
    same: Option<Vec<String>>,
    /// Only messages that match this, in the query language; empty or `*` means all. The message itself need not.
    #[serde(default)]
    query: String,
    /// Ids, with commas between them; the message's own logspace where it is missing.
    #[serde(default, deserialize_with = "list")]
    #[param(value_type = Option<String>)]
    logspaces: Option<Vec<String>>,
}

/// A message and those around it. For more of them ask again with the id of the outermost.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct ContextResponse {
    message: Message,
    /// The nearest ones before it, oldest first.
    before: Vec<Message>,
    /// The nearest ones after it, oldest first.
    after: Vec<Message>,
    /// Whether there are more before those.
    more_before: bool,
    /// Whether there are more after those.
    more_after: bool,
    took_ms: u64,
    coverage: Coverage,
    warnings: Vec<QueryWarning>,
}

/// The messages around one, by time: those of one time by logspace and by the order in which they were stored.
#[utoipa::path(
    get, path = "/api/v1/messages/{id}/context", tag = "search",
    params(("id" = String, Path, description = "`LOGSPACE:SEQUENCE`", example = "main:42"), ContextRequest),
    responses((status = 200, body = ContextResponse))
)]
pub(crate) async fn context(
    State(_shared): State<Shared>,
    Extension(_caller): Extension<Caller>,
    Path(_id): Path<String>,
    Query(_request): Query<ContextRequest>,
) -> Result<axum::Json<ContextResponse>> {
    Err(ApiError::new(StatusCode::NOT_IMPLEMENTED, "this is not answered yet"))
}
