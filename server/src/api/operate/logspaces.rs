//! What logspaces hold, what a retention would remove, and whether all of it is intact.

use crate::api::access::Caller;
use crate::api::error::{ApiError, Result};
use crate::api::extract::{Json, Path};
use crate::api::question::cancel::Cancel;
use crate::api::question::unknown_logspace;
use crate::api::state::Shared;
use crate::api::waiting::blocking;
use crate::pipeline::LogspaceInfo;
use axum::extract::{Extension, State};
use axum::http::StatusCode;
use logstead_config::{Period, Retention, Size, UnitError};
use logstead_indexer::{Checked, Searcher};
use serde::{Deserialize, Serialize};
use std::str::FromStr;
use std::time::Instant;

/// How many findings are listed; all are counted.
const FINDINGS_MAX: usize = 1000;

/// Every logspace that can be searched.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct Logspaces {
    logspaces: Vec<LogspaceInfo>,
}

/// A retention, written as in the router document. Without either limit everything is kept.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RetentionRequest {
    /// At most this old, for example `90d`.
    age: Option<String>,
    /// At most this much on disk, for example `200GiB`.
    size: Option<String>,
}

/// What a retention would remove now: whole segments and journal files, the oldest first.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct RetentionPreview {
    messages: u64,
    bytes: u64,
    segments: u64,
    journal_files: u64,
    /// When the last of these messages was received; null if nothing would be removed.
    #[schema(required)]
    received_last: Option<String>,
}

/// Whether a logspace is intact.
#[derive(Default, Serialize, utoipa::ToSchema)]
pub(crate) struct Verification {
    /// Whether everything was checked and nothing is wrong.
    intact: bool,
    /// Whether everything was checked: a stopping server does not finish.
    complete: bool,
    /// Segments and journal files that were checked.
    parts: u64,
    messages: u64,
    bytes: u64,
    /// The number of problems.
    problems: u64,
    /// The first 1000 problems, the oldest first.
    findings: Vec<VerificationFinding>,
    took_ms: u64,
}

/// Something that is damaged.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct VerificationFinding {
    /// The file, in the logspace's folder.
    file: String,
    /// Where in it, and what.
    what: String,
    /// Whether messages cannot be read. A damaged index only costs time: it is rebuilt.
    loses_messages: bool,
    /// The earliest time of the affected messages, if it is known.
    #[schema(required)]
    from: Option<String>,
    /// The latest one.
    #[schema(required)]
    to: Option<String>,
}

/// Every logspace that the caller may search, with what it holds.
#[utoipa::path(get, path = "/api/v1/logspaces", tag = "logspaces", responses((status = 200, body = Logspaces)))]
pub(crate) async fn logspaces(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
) -> axum::Json<Logspaces> {
    let mut logspaces = shared.state.pipeline.logspaces();
    logspaces.retain(|logspace| caller.may_search(&logspace.id));
    axum::Json(Logspaces { logspaces })
}

/// Says what a retention would remove. Nothing is removed.
#[utoipa::path(
    post, path = "/api/v1/logspaces/{id}/retention-preview", tag = "logspaces",
    params(("id" = String, Path, description = "The logspace")),
    responses((status = 200, body = RetentionPreview))
)]
pub(crate) async fn retention_preview(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    Json(request): Json<RetentionRequest>,
) -> Result<axum::Json<RetentionPreview>> {
    caller.check_manages(&id)?;
    let retention = Retention {
        age: read::<Period>(request.age.as_deref(), "age")?,
        size: read::<Size>(request.size.as_deref(), "size")?,
    };
    let expired = shared.state.pipeline.retention_preview(&id, retention);
    let expired = expired.ok_or_else(|| unknown(&shared, &id))?;
    Ok(axum::Json(RetentionPreview {
        messages: expired.messages,
        bytes: expired.bytes,
        segments: expired.segments as u64,
        journal_files: expired.files as u64,
        received_last: expired.received_last.map(|time| time.to_string()),
    }))
}

/// Confirms that the clock is right: messages are removed by age again, although the clock had jumped.
#[utoipa::path(
    post, path = "/api/v1/retention/resume", tag = "logspaces",
    responses((status = 204, description = "Messages are removed by age"))
)]
pub(crate) async fn resume_retention(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
) -> Result<StatusCode> {
    let pipeline = shared.state.pipeline.clone();
    blocking(move || pipeline.believe_clock()).await?;
    shared.audit(caller.actor(), "retention.resume", "the clock is right".to_owned()).await;
    Ok(StatusCode::NO_CONTENT)
}

/// Reads everything that a logspace holds and checks it against its checksums and hashes. Takes as long as reading
/// it does; ends when the client disconnects.
#[utoipa::path(
    post, path = "/api/v1/logspaces/{id}/verify", tag = "logspaces",
    params(("id" = String, Path, description = "The logspace")),
    responses(
        (status = 200, body = Verification),
        (status = 409, description = "Another verification runs", body = crate::api::error::Problem,
         content_type = "application/problem+json"),
    )
)]
pub(crate) async fn verify(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
) -> Result<axum::Json<Verification>> {
    caller.check_manages(&id)?;
    let searchers = shared.state.pipeline.searchers();
    let searcher = searchers.into_iter().find(|(other, _)| *other == id);
    let (_, searcher) = searcher.ok_or_else(|| unknown(&shared, &id))?;
    let Ok(permit) = shared.verifying.clone().try_acquire_owned() else {
        let detail = "another verification runs: wait for its end";
        return Err(ApiError::new(StatusCode::CONFLICT, detail));
    };
    let (cancel, _guard) = Cancel::without_limit(&shared);
    let verification = blocking(move || {
        let _permit = permit;
        verify_all(&searcher, &cancel)
    });
    verification.await.map(axum::Json)
}

fn verify_all(searcher: &Searcher, cancel: &Cancel) -> Verification {
    let started = Instant::now();
    let mut verification = Verification::default();
    searcher.verify(&cancel.run(), &mut |checked| verification.add(checked));
    verification.complete = !cancel.is_requested();
    verification.intact = verification.complete && verification.problems == 0;
    verification.took_ms = started.elapsed().as_millis() as u64;
    verification
}

impl Verification {
    fn add(&mut self, checked: Checked) {
        self.parts += 1;
        self.messages += checked.messages;
        self.bytes += checked.bytes;
        self.problems += checked.findings.len() as u64;
        let room = FINDINGS_MAX - self.findings.len();
        let told = checked.findings.into_iter().take(room).map(|finding| VerificationFinding {
            file: checked.file.clone(),
            what: finding.what,
            loses_messages: finding.loses_messages,
            from: finding.times.map(|(from, _)| from.to_string()),
            to: finding.times.map(|(_, to)| to.to_string()),
        });
        self.findings.extend(told);
    }
}

fn read<T: FromStr<Err = UnitError>>(text: Option<&str>, path: &str) -> Result<Option<T>> {
    let read = text.map(str::parse).transpose();
    read.map_err(|error| ApiError::bad_request(format!("{path}: {error}")).path(path))
}

fn unknown(shared: &Shared, id: &str) -> ApiError {
    let known = shared.state.pipeline.searchers();
    let known: Vec<&str> = known.iter().map(|(id, _)| id.as_str()).collect();
    unknown_logspace(id, &known)
}
