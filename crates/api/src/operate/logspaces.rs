//! The contents of logspaces, and the effect of a retention setting on them.

use crate::access::Call;
use crate::error::{ApiError, Result};
use crate::extract::{Json, Path};
use crate::jobs::job::{Job, JobKind, JobProgress};
use crate::question::unknown_logspace;
use crate::state::SharedState;
use crate::waiting::blocking;
use axum::http::StatusCode;
use logstead_config::{Period, Retention, Size, UnitError};
use logstead_pipeline::LogspaceInfo;
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// Every logspace that can be searched.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct Logspaces {
    logspaces: Vec<LogspaceInfo>,
    /// The running verification or reindexing; null if there is none.
    #[schema(required)]
    work: Option<LogspaceWork>,
}

/// The running verification or reindexing of a logspace, whoever started it.
#[derive(Serialize, utoipa::ToSchema)]
#[schema(as = Work)]
pub(crate) struct LogspaceWork {
    /// The id of the job.
    job: String,
    logspace: String,
    kind: JobKind,
    progress: JobProgress,
}

impl LogspaceWork {
    fn of(job: Job) -> Option<LogspaceWork> {
        let Job { id, kind, logspaces, progress, .. } = job;
        let logspace = logspaces.into_iter().next()?;
        Some(LogspaceWork { job: id, logspace, kind, progress })
    }
}

/// A retention, written as in the router document. Without either limit everything is kept.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RetentionRequest {
    /// The maximum age, for example `90d`.
    age: Option<String>,
    /// The maximum size on disk, for example `200GiB`.
    size: Option<String>,
}

/// The messages that a retention would remove, now and later: whole segments and journal files, the oldest first. Age
/// is measured from the time of receipt.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct RetentionPreview {
    messages: u64,
    bytes: u64,
    segments: u64,
    journal_files: u64,
    /// When the last of these messages was received; null if nothing would be removed.
    #[schema(required)]
    received_last: Option<String>,
    /// When more of the messages stored now will be removed by age; null if none will, because there is no age limit
    /// or nothing is left.
    #[schema(required)]
    next_at: Option<String>,
    /// How many messages will be removed then.
    next_messages: u64,
    /// The time by which everything stored now will have been removed by age; null if that never happens.
    #[schema(required)]
    all_at: Option<String>,
}

/// Every logspace that the caller may search, and its contents.
#[utoipa::path(get, path = "/api/v1/logspaces", operation_id = "list_logspaces", tag = "logspaces", responses((status = 200, body = Logspaces)))]
pub(crate) async fn logspaces(call: Call) -> axum::Json<Logspaces> {
    let mut logspaces = call.shared.state.pipeline.logspaces();
    logspaces.retain(|logspace| call.caller.may_search(&logspace.id));
    let work = call.shared.jobs.upkeep().and_then(LogspaceWork::of);
    let work = work.filter(|work| call.caller.may_search(&work.logspace));
    axum::Json(Logspaces { logspaces, work })
}

/// The messages that a retention would remove, and when. Nothing is removed.
#[utoipa::path(
    post, path = "/api/v1/logspaces/{id}/retention-preview", operation_id = "preview_retention", tag = "logspaces", request_body = RetentionRequest,
    params(("id" = String, Path, description = "The logspace")),
    responses((status = 200, body = RetentionPreview))
)]
pub(crate) async fn retention_preview(
    call: Call,
    Path(id): Path<String>,
    Json(request): Json<RetentionRequest>,
) -> Result<axum::Json<RetentionPreview>> {
    call.caller.check_manages(&id)?;
    let retention = Retention {
        age: read::<Period>(request.age.as_deref(), "age")?,
        size: read::<Size>(request.size.as_deref(), "size")?,
    };
    let outlook = call.shared.state.pipeline.retention_preview(&id, retention);
    let outlook = outlook.ok_or_else(|| unknown(&call.shared, &id))?;
    let expired = outlook.now;
    Ok(axum::Json(RetentionPreview {
        messages: expired.messages,
        bytes: expired.bytes,
        segments: expired.segments as u64,
        journal_files: expired.files as u64,
        received_last: expired.received_last.map(|time| time.to_string()),
        next_at: outlook.next.map(|(at, _)| at.to_string()),
        next_messages: outlook.next.map_or(0, |(_, messages)| messages),
        all_at: outlook.all_at.map(|time| time.to_string()),
    }))
}

/// Confirms that the clock is right: messages are removed by age again, after that was suspended because the clock
/// had jumped.
#[utoipa::path(
    post, path = "/api/v1/retention/resume", tag = "logspaces",
    responses((status = 204, description = "Messages are removed by age again"))
)]
pub(crate) async fn resume_retention(call: Call) -> Result<StatusCode> {
    let pipeline = call.shared.state.pipeline.clone();
    blocking(move || pipeline.believe_clock()).await?;
    call.audit("retention.resume", "confirmed that the clock is right").await;
    Ok(StatusCode::NO_CONTENT)
}

fn read<T: FromStr<Err = UnitError>>(text: Option<&str>, path: &str) -> Result<Option<T>> {
    let read = text.map(str::parse).transpose();
    read.map_err(|error| ApiError::invalid(format!("{path}: {error}")).path(path))
}

pub(super) fn unknown(shared: &SharedState, id: &str) -> ApiError {
    let known = shared.state.pipeline.searchers();
    let known: Vec<&str> = known.iter().map(|(id, _)| id.as_str()).collect();
    unknown_logspace(id, &known)
}
