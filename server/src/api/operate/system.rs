//! The state of the server: for operators, probes and Prometheus.

use crate::api::error::Result;
use crate::api::state::Shared;
use crate::api::waiting::blocking;
use crate::meta::BooksStatus;
use axum::extract::{Extension, State};
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use std::path::Path;
use utoipa::openapi::OpenApi;

/// Describes the API. It is passed in, as it is built from all handlers.
#[derive(Clone)]
pub(in crate::api) struct Description(pub(in crate::api) fn() -> OpenApi);

/// This description.
#[utoipa::path(get, path = "/api/v1/openapi.json", tag = "system", responses((status = 200, body = Object)))]
pub(crate) async fn openapi_json(
    Extension(Description(describe)): Extension<Description>,
) -> impl IntoResponse {
    axum::Json(describe())
}

/// Whether the process is alive.
#[utoipa::path(
    get, path = "/healthz", tag = "system", responses((status = 200, body = String, content_type = "text/plain"))
)]
pub(crate) async fn healthz() -> &'static str {
    "ok\n"
}

/// Whether it takes and stores messages, and if not, why.
#[utoipa::path(
    get, path = "/readyz", tag = "system", responses(
        (status = 200, body = String, content_type = "text/plain"),
        (status = 503, body = String, content_type = "text/plain", description = "A reason a line"),
    )
)]
pub(crate) async fn readyz(State(shared): State<Shared>) -> Result<impl IntoResponse> {
    let pipeline = shared.state.pipeline.clone();
    let deaf: Vec<String> = pipeline.partly_deaf().into_iter().map(|reason| reason + "\n").collect();
    Ok(match blocking(move || pipeline.ready()).await? {
        Ok(()) => {
            let deaf = without_place(&deaf.concat(), &shared.state.settings.data);
            (StatusCode::OK, "ready\n".to_owned() + &deaf)
        }
        Err(reasons) => {
            let reasons = without_place(&(reasons.join("\n") + "\n"), &shared.state.settings.data);
            (StatusCode::SERVICE_UNAVAILABLE, reasons)
        }
    })
}

/// The text with paths relative to the data directory: its place on the machine is not public.
fn without_place(text: &str, data: &Path) -> String {
    let absolute = data.canonicalize().unwrap_or_else(|_| data.to_owned());
    let places = [absolute, data.to_owned()].map(|place| place.display().to_string());
    let places = places.iter().filter(|place| place.len() > 1);
    places.fold(text.to_owned(), |text, place| text.replace(place.as_str(), "data"))
}

/// All counters in Prometheus' text format.
#[utoipa::path(
    get, path = "/metrics", tag = "system", responses((status = 200, body = String, content_type = "text/plain"))
)]
pub(crate) async fn metrics(State(shared): State<Shared>) -> Result<impl IntoResponse> {
    let mut text = shared.state.pipeline.metrics_text();
    let BooksStatus { waiting, audit_dropped, reserve_bytes } =
        shared.meta(|meta| Ok(meta.books_status())).await?;
    for (name, kind, value) in [
        ("books_waiting", "gauge", waiting as u64),
        ("audit_dropped_total", "counter", audit_dropped),
        ("reserve_bytes", "gauge", reserve_bytes),
    ] {
        text += &format!("# TYPE logstead_{name} {kind}\nlogstead_{name} {value}\n");
    }
    Ok(([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_says_where_in_the_data_directory_and_not_where_that_is() {
        let data = tempfile::tempdir().unwrap();
        let shown = |path: &Path| {
            let text = format!("7 bytes do not fit in {}/logspaces/main/journal/1.journal", path.display());
            without_place(&text, data.path())
        };
        let expected = "7 bytes do not fit in data/logspaces/main/journal/1.journal";
        assert_eq!(shown(data.path()), expected);
        assert_eq!(shown(&data.path().canonicalize().unwrap()), expected);
        assert_eq!(without_place("cannot sync data/lock", Path::new("data")), "cannot sync data/lock");
        assert_eq!(without_place("cannot sync /a/b", Path::new("/")), "cannot sync /a/b");
    }
}
