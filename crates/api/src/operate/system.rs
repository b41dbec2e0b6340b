//! The state of the server, for operators, probes and Prometheus.

use crate::error::Result;
use crate::state::{ApiInner, SharedState};
use crate::waiting::blocking;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use logstead_accounts::BooksStatus;
use std::path::Path;

/// Whether the process is alive.
#[utoipa::path(
    get, path = "/healthz", operation_id = "get_health", tag = "system", responses((status = 200, body = String, content_type = "text/plain"))
)]
pub(crate) async fn healthz() -> &'static str {
    "ok\n"
}

/// Whether the server accepts and stores messages, and if not, why.
#[utoipa::path(
    get, path = "/readyz", operation_id = "get_readiness", tag = "system", responses(
        (status = 200, body = String, content_type = "text/plain"),
        (status = 503, body = String, content_type = "text/plain", description = "One reason per line"),
    )
)]
pub(crate) async fn readyz(State(shared): State<SharedState>) -> Result<impl IntoResponse> {
    let pipeline = shared.state.pipeline.clone();
    let (ready, failed) = blocking(move || (pipeline.ready(), pipeline.partly_failed())).await?;
    Ok(match ready {
        Ok(()) => {
            let failed: Vec<String> = failed.into_iter().map(|reason| reason + "\n").collect();
            let failed = without_place(&failed.concat(), &shared.state.settings.data);
            (StatusCode::OK, "ready\n".to_owned() + &failed)
        }
        Err(reasons) => {
            let reasons = without_place(&(reasons.join("\n") + "\n"), &shared.state.settings.data);
            (StatusCode::SERVICE_UNAVAILABLE, reasons)
        }
    })
}

/// The text with paths relative to the data directory, since its location on the machine is not public.
fn without_place(text: &str, data: &Path) -> String {
    let absolute = data.canonicalize().unwrap_or_else(|_| data.to_owned());
    let places = [absolute, data.to_owned()].map(|place| place.display().to_string());
    let places = places.iter().filter(|place| place.len() > 1);
    places.fold(text.to_owned(), |text, place| text.replace(place.as_str(), "data"))
}

/// All counters in Prometheus' text format.
#[utoipa::path(
    get, path = "/metrics", operation_id = "get_metrics", tag = "system", responses((status = 200, body = String, content_type = "text/plain"))
)]
pub(crate) async fn metrics(State(shared): State<SharedState>) -> Result<impl IntoResponse> {
    let pipeline = shared.state.pipeline.clone();
    let mut text = blocking(move || pipeline.metrics_text()).await?;
    let books = shared.meta(|meta| Ok(meta.books_status())).await?;
    for (name, kind, help, value) in rows(&shared, &books) {
        text += &format!(
            "# HELP logstead_{name} {help}\n# TYPE logstead_{name} {kind}\nlogstead_{name} {value}\n"
        );
    }
    Ok(([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text))
}

/// The counters of the API and the database: name, kind, help and value.
fn rows(shared: &ApiInner, books: &BooksStatus) -> [(&'static str, &'static str, &'static str, u64); 10] {
    let limits = &shared.state.settings.limits;
    let (running, waiting) = [&shared.searches, &shared.instant_searches]
        .map(|lane| lane.load())
        .into_iter()
        .fold((0, 0), |sum, lane| (sum.0 + lane.0, sum.1 + lane.1));
    let taken = |max: u32, free: usize| u64::from(max).saturating_sub(free as u64);
    let tails = taken(limits.tails_max, shared.tails.available_permits());
    let exports = taken(limits.exports_max, shared.exports.available_permits());
    [
        ("searches_running", "gauge", "Searches that are running.", running as u64),
        ("searches_waiting", "gauge", "Searches that are waiting for their turn.", waiting as u64),
        (
            "searches_max",
            "gauge",
            "The most searches that may run at once, not counting small ones.",
            limits.searches_max.into(),
        ),
        ("tails_open", "gauge", "Live tails that are open.", tails),
        ("tails_max", "gauge", "The most live tails that may be open at once.", limits.tails_max.into()),
        ("exports_running", "gauge", "Exports that are running.", exports),
        ("exports_max", "gauge", "The most exports that may run at once.", limits.exports_max.into()),
        (
            "books_waiting",
            "gauge",
            "Sessions and audit entries that are waiting for the disk.",
            books.waiting as u64,
        ),
        (
            "audit_dropped_total",
            "counter",
            "Audit entries that were lost and only counted.",
            books.audit_dropped,
        ),
        ("reserve_bytes", "gauge", "Disk space that is reserved for the database.", books.reserve_bytes),
    ]
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
