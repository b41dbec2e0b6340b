//! Changes a single logspace of the live document, for operators who are granted some logspaces and see nothing else
//! of the document.

use super::apply::{ChangeReason, RouterChange, expected, revise};
use crate::access::Call;
use crate::error::{ApiError, Result};
use crate::extract::{Json, Path, Query};
use crate::question::unknown_logspace;
use axum::http::HeaderMap;
use axum::response::Response;
use logstead_config::{Durability, Retention};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The retention and the durability of a logspace, as in the router document. Omitted keys have their defaults.
#[derive(Deserialize, Serialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LogspaceRequest {
    /// The limits `age`, such as `90d`, and `size`, such as `200GiB`; without either, everything is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Retention>)]
    retention: Option<Map<String, Value>>,
    /// The time at which a message is acknowledged.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Durability>)]
    durability: Option<String>,
}

/// The reason for the change.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct LogspaceParams {
    /// A comment to store with the revision.
    comment: Option<String>,
}

/// Changes the retention and the durability of a logspace. This makes a revision of the router document like any
/// other.
#[utoipa::path(
    put, path = "/api/v1/logspaces/{id}", tag = "logspaces", request_body = LogspaceRequest,
    params(
        ("id" = String, Path, description = "The logspace"), LogspaceParams,
        ("If-Match" = Option<String>, Header, description =
            "ETag of the document that the change is based on"),
    ),
    responses(
        (
            status = 200, body = RouterChange,
            headers(("ETag" = String, description = "The new revision, for If-Match"))
        ),
        (status = 409, description = "A revision waits to be confirmed"),
    )
)]
pub(crate) async fn put_logspace(
    call: Call,
    Path(id): Path<String>,
    Query(params): Query<LogspaceParams>,
    headers: HeaderMap,
    Json(request): Json<LogspaceRequest>,
) -> Result<Response> {
    call.caller.check_manages(&id)?;
    let expected = expected(call.shared.state.pipeline.router().revision, &headers)?;
    let comment = params.comment.unwrap_or_else(|| format!("logspace `{id}`"));
    let change = |document: &mut Value| put(document, &id, &request);
    revise(&call, expected, ChangeReason { comment, terms: None }, change).await
}

/// Changes the logspace to the requested settings.
fn put(document: &mut Value, id: &str, request: &LogspaceRequest) -> Result<()> {
    let logspaces = document["logspaces"].as_array_mut().map(Vec::as_mut_slice).unwrap_or_default();
    match logspaces.iter_mut().find(|logspace| logspace["id"] == *id) {
        Some(logspace) => {
            *logspace = serde_json::to_value(request).map_err(ApiError::internal)?;
            logspace["id"] = id.into();
            Ok(())
        }
        None => {
            let known: Vec<&str> = logspaces.iter().filter_map(|logspace| logspace["id"].as_str()).collect();
            Err(unknown_logspace(id, &known))
        }
    }
}
