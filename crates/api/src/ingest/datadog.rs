//! Datadog's log intake: `POST /api/v2/logs`, answered with 202.
//!
//! Either all messages of a body are accepted or none, as clients do not check which ones were.

use super::incoming::Incoming;
use super::route::ProtocolRoute;
use crate::error::{ApiError, RefusalDetail, Result};
use crate::extract::{media_type, unsupported};
use crate::problem_type::ProblemType;
use axum::Json;
use axum::body::Body;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use logstead_ingest::datadog::Datadog;
use serde_json::json;

pub(super) const ROUTES: &[ProtocolRoute] = &[
    ProtocolRoute::new(&["POST"], &["/api/v2/logs", "/v1/input"], || post(logs)),
    ProtocolRoute::new(&["GET"], &["/api/v1/validate"], || get(validate)),
];

async fn logs(incoming: Incoming, body: Body) -> Result<Response> {
    match media_type(&incoming.headers).as_deref() {
        Some("application/json") | None => {}
        other => return Err(unsupported(other, "application/json")),
    }
    let (body, _room) = incoming.read(body, None).await?;
    let batches = incoming.decode(move |sender, max| Datadog::of(body, sender, max)).await?;
    let (batches, _kept) = incoming.check(batches).await?;
    if let Some(first) = batches.refusals.first() {
        let detail = format!("nothing is stored: message {}: {}", first.number, first.reason);
        return Err(ApiError::new(ProblemType::MessagesRefused, detail));
    }
    incoming.store(batches, None).await?.complete()?;
    Ok((StatusCode::ACCEPTED, Json(json!({}))).into_response())
}

/// Confirms that the key is valid, which the authentication has already checked.
async fn validate() -> Response {
    Json(json!({"valid": true})).into_response()
}

/// A refusal in Datadog's format.
pub(super) fn refused(refusal: &RefusalDetail) -> Response {
    (refusal.status, Json(json!({"errors": [refusal.detail]}))).into_response()
}
