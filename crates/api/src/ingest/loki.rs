//! Grafana Loki: push, and the requests that clients send first.
//!
//! Push is answered with 204. A push with some unacceptable entries is answered with 400 and a text, like in Loki,
//! and the others are stored: clients do not send it again.

use super::incoming::Incoming;
use super::route::ProtocolRoute;
use crate::error::{ApiError, RefusalDetail, Result};
use crate::extract::{media_type, unsupported};
use crate::problem_type::ProblemType;
use crate::state::SharedState;
use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use logstead_ingest::encoding::Encoding;
use logstead_ingest::loki::{LokiBody, LokiEncoding};
use serde_json::json;

pub(super) const ROUTES: &[ProtocolRoute] =
    &[ProtocolRoute::new(&["POST"], &["/loki/api/v1/push", "/api/prom/push"], || post(push))];

pub(super) const PUBLIC: &[ProtocolRoute] = &[
    ProtocolRoute::new(&["GET"], &["/ready"], || get(ready)),
    ProtocolRoute::new(&["GET"], &["/loki/api/v1/status/buildinfo"], || get(build_info)),
];

async fn push(incoming: Incoming, body: Body) -> Result<Response> {
    let (form, implied) = match media_type(&incoming.headers).as_deref() {
        Some("application/json") => (LokiEncoding::Json, None),
        // Always a block of snappy, although clients do not declare it.
        Some("application/x-protobuf") | None => (LokiEncoding::Protobuf, Some(Encoding::Snappy)),
        other => return Err(unsupported(other, "application/x-protobuf or application/json")),
    };
    let (body, _room) = incoming.read(body, implied).await?;
    let batches = incoming.decode(move |sender, max| LokiBody::of(body, form, sender, max)).await?;
    let stored = incoming.store(batches, None).await?.complete()?;
    match stored.refusals.first() {
        None => Ok(StatusCode::NO_CONTENT.into_response()),
        Some(first) => Err(ApiError::new(
            ProblemType::MessagesRefused,
            format!(
                "{} of {} entries were not accepted, and the others are stored; the first one, entry {}: {}",
                stored.refused,
                stored.refused + stored.taken(),
                first.number,
                first.reason
            ),
        )),
    }
}

async fn ready(State(shared): State<SharedState>) -> Response {
    match shared.state.pipeline.ready() {
        Ok(()) => "ready\n".into_response(),
        Err(_) => (StatusCode::SERVICE_UNAVAILABLE, "not ready\n").into_response(),
    }
}

async fn build_info() -> Response {
    let info = json!({
        "version": "3.4.0", "revision": "logstead", "branch": "main", "buildUser": "", "buildDate": "", "goVersion": "",
    });
    Json(info).into_response()
}

/// A refusal in Loki's format: plain text.
pub(super) fn refused(refusal: &RefusalDetail) -> Response {
    let text = [(header::CONTENT_TYPE, "text/plain; charset=utf-8")];
    (refusal.status, text, format!("{}\n", refusal.detail)).into_response()
}
