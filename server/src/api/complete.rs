//! What may be written next in a query: fields, values that there are, stages and functions.

use super::Shared;
use super::access::Caller;
use super::error::{ApiError, Result};
use super::extract::Json;
use super::scope::list;
use axum::extract::{Extension, State};
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};

/// What to complete, and where in it.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CompleteRequest {
    /// As far as it is written; it need not be right yet.
    #[serde(default)]
    query: String,
    /// Before which character something is written, from 0; at the end where it is missing.
    cursor: Option<usize>,
    /// The first time that is in range: RFC 3339, or relative as `-15m`, `now-1h`.
    from: Option<String>,
    /// The first time that is not in range any more.
    to: Option<String>,
    /// Ids; all logspaces where it is missing.
    #[serde(default, deserialize_with = "list")]
    logspaces: Option<Vec<String>>,
    /// How many options to offer.
    #[schema(default = 20, minimum = 1, maximum = 200)]
    limit: Option<u32>,
}

/// What may stand there.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct CompleteResponse {
    /// The first character that an option replaces, from 0.
    from: usize,
    /// The first character after those.
    to: usize,
    /// Most useful first.
    options: Vec<CompleteOption>,
    took_ms: u64,
    /// Whether all was looked at that could be offered. Otherwise the time was up: there may be other values, and
    /// those that are here have no counts.
    complete: bool,
}

/// Something that may stand there.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct CompleteOption {
    /// To show.
    #[schema(example = "web-1")]
    label: String,
    /// To write, with quotes where it needs them.
    insert: String,
    kind: OptionKind,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    detail: Option<String>,
    /// What the values of a field are.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    value_type: Option<ValueType>,
    /// How many different values a field has in the messages that the rest of the query finds, where that was
    /// quickly known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    distinct: Option<u64>,
    /// How many of the messages that the rest of the query finds have a value.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    count: Option<u64>,
}

/// What an option is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum OptionKind {
    Field,
    Value,
    Stage,
    Function,
    Keyword,
    Operator,
}

/// What the values of a field are, by those that were looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ValueType {
    Text,
    Number,
    /// An IP address, perhaps with a port, or a network.
    Address,
    Time,
    Severity,
    Facility,
    Flag,
    Logspace,
}

/// Says what may stand at a place in a query. Answers within some 300 ms with what it has.
#[utoipa::path(
    post, path = "/api/v1/complete", tag = "search",
    responses((status = 200, body = CompleteResponse))
)]
pub(crate) async fn complete(
    State(_shared): State<Shared>,
    Extension(_caller): Extension<Caller>,
    Json(_request): Json<CompleteRequest>,
) -> Result<axum::Json<CompleteResponse>> {
    Err(ApiError::new(StatusCode::NOT_IMPLEMENTED, "this is not answered yet"))
}
