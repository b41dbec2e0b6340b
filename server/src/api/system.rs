//! How the server is: for operators, probes and Prometheus.

use super::Shared;
use super::error::Result;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;

/// This description.
#[utoipa::path(get, path = "/api/v1/openapi.json", tag = "system", responses((status = 200, body = Object)))]
pub(crate) async fn openapi_json() -> impl IntoResponse {
    axum::Json(super::openapi())
}

/// Whether the process is alive.
#[utoipa::path(
    get, path = "/healthz", tag = "system", responses((status = 200, body = String, content_type = "text/plain"))
)]
pub(crate) async fn healthz() -> &'static str {
    "ok\n"
}

/// Whether it takes and stores messages; what stands against it otherwise.
#[utoipa::path(
    get, path = "/readyz", tag = "system", responses(
        (status = 200, body = String, content_type = "text/plain"),
        (status = 503, body = String, content_type = "text/plain", description = "A reason a line"),
    )
)]
pub(crate) async fn readyz(State(shared): State<Shared>) -> Result<impl IntoResponse> {
    let pipeline = shared.state.pipeline.clone();
    Ok(match super::blocking(move || pipeline.ready()).await? {
        Ok(()) => (StatusCode::OK, "ready\n".to_owned()),
        Err(reasons) => (StatusCode::SERVICE_UNAVAILABLE, reasons.join("\n") + "\n"),
    })
}

/// All counters in Prometheus' text format.
#[utoipa::path(
    get, path = "/metrics", tag = "system", responses((status = 200, body = String, content_type = "text/plain"))
)]
pub(crate) async fn metrics(State(shared): State<Shared>) -> impl IntoResponse {
    let text = shared.state.pipeline.metrics_text();
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text)
}
