//! One logspace of the live document, changed alone: for operators who are granted some logspaces and see nothing else of
//! the document.

use super::apply::{Motive, RouterChange, apply, conflict};
use super::draft::Draft;
use super::form::if_match;
use crate::api::access::Caller;
use crate::api::error::{ApiError, Result};
use crate::api::extract::{Json, Path, Query};
use crate::api::question::unknown_logspace;
use crate::api::state::Shared;
use crate::api::waiting::blocking;
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use logstead_config::Document;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What a logspace keeps and when it acknowledges, as in the router document. What is left out has its default.
#[derive(Deserialize, Serialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LogspaceRequest {
    /// `age`, such as `90d`, and `size`, such as `200GiB`; without either limit everything is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>, example = json!({"age": "90d"}))]
    retention: Option<Map<String, Value>>,
    /// `fsync` or `os`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "fsync")]
    durability: Option<String>,
}

/// Why it is changed.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct LogspaceParams {
    /// Kept with the revision.
    comment: Option<String>,
}

/// Changes what a logspace keeps and when it acknowledges: a revision of the router document like any other.
#[utoipa::path(
    put, path = "/api/v1/logspaces/{id}", tag = "logspaces",
    params(
        ("id" = String, Path, description = "The logspace"), LogspaceParams,
        ("If-Match" = Option<String>, Header, description = "ETag of the document that was looked at"),
    ),
    responses(
        (status = 200, body = RouterChange),
        (status = 409, description = "A revision waits to be confirmed", body = crate::api::error::Problem,
         content_type = "application/problem+json"),
    )
)]
pub(crate) async fn put_logspace(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    Query(params): Query<LogspaceParams>,
    headers: HeaderMap,
    Json(request): Json<LogspaceRequest>,
) -> Result<Response> {
    caller.check_manages(&id)?;
    let inner = shared.clone();
    if blocking(move || inner.state.revisions.unconfirmed()).await??.is_some() {
        let detail = "the live revision waits to be confirmed: confirm it, or wait until it has gone back";
        return Err(ApiError::new(StatusCode::CONFLICT, detail));
    }
    let live = shared.state.pipeline.router();
    if if_match(&headers)?.flatten().is_some_and(|expected| expected != live.revision) {
        return Err(conflict(live.revision));
    }
    let draft = Draft::of_value(&with(&live.document, &id, &request)?, &live);
    let motive =
        Motive { comment: params.comment.unwrap_or_else(|| format!("logspace `{id}`")), trial: None };
    apply(&shared, caller, draft, Some(live.revision), motive).await
}

/// The document with this logspace as it is wanted.
fn with(document: &Document, id: &str, request: &LogspaceRequest) -> Result<Value> {
    let Some(at) = document.logspaces.iter().position(|logspace| logspace.id == id) else {
        let known: Vec<&str> = document.logspaces.iter().map(|logspace| logspace.id.as_str()).collect();
        return Err(unknown_logspace(id, &known));
    };
    let mut whole = serde_json::to_value(document).map_err(ApiError::internal)?;
    let mut wanted = serde_json::to_value(request).map_err(ApiError::internal)?;
    wanted["id"] = id.into();
    whole["logspaces"][at] = wanted;
    Ok(whole)
}
