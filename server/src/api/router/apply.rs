//! Makes a draft live.

use super::draft::{Draft, Problems};
use super::form::entity_tag;
use crate::api::access::Caller;
use crate::api::error::{ApiError, Result};
use crate::api::state::{Inner, Shared};
use crate::api::waiting::{blocking, busy};
use crate::machine::clock;
use crate::pipeline::{ApplyError, Change, Live};
use axum::http::{StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse, Response};
use logstead_config::{Problem, diff};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Maximum length of a revision's comment.
const COMMENT_BYTES_MAX: usize = 4096;

/// Why a change is made.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct CommentParams {
    /// Kept with the revision.
    pub(super) comment: Option<String>,
}

/// A change that is live.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct RouterChange {
    /// The live revision.
    revision: u64,
    /// What changed, a sentence for each.
    changes: Vec<String>,
    /// Valid, but probably a mistake.
    warnings: Vec<String>,
}

/// Makes a draft live, if it can run and `expected` is the live revision.
pub(super) async fn apply(
    shared: &Shared,
    caller: Caller,
    draft: Problems<Draft>,
    expected: Option<u64>,
    comment: String,
) -> Result<Response> {
    if COMMENT_BYTES_MAX < comment.len() {
        let detail = format!("the comment has {} bytes: at most {COMMENT_BYTES_MAX} are kept", comment.len());
        return Err(ApiError::bad_request(detail).path("comment"));
    }
    let change = draft.and_then(Draft::into_change).map_err(unprocessable)?;
    let before = shared.state.pipeline.router();
    let mut applied = RouterChange {
        revision: before.revision,
        changes: diff(&before.checked, &change.checked).changes,
        warnings: change.checked.warnings.clone(),
    };
    // The same text again is not a change: there is nothing to store.
    if change.toml != before.toml {
        let (author, kept, inner) = (caller.name.clone(), comment.clone(), shared.clone());
        let live = blocking(move || make_live(&inner, change, expected, &author, &kept));
        applied.revision = live.await??.revision;
        let detail = format!("revision {}: {comment}", applied.revision);
        shared.audit(caller.actor(), "router.apply", detail).await;
    }
    let tag = AppendHeaders([(header::ETAG, entity_tag(applied.revision))]);
    Ok((tag, axum::Json(applied)).into_response())
}

/// Stores a change between preparing and committing it: so exactly what is stored becomes live.
fn make_live(
    shared: &Inner,
    change: Change,
    expected: Option<u64>,
    author: &str,
    comment: &str,
) -> Result<Arc<Live>> {
    let (pipeline, meta) = (&shared.state.pipeline, &shared.state.meta);
    let prepared = pipeline.prepare(change, expected).map_err(|error| refusal(shared, error))?;
    let revision = meta.add_revision(prepared.toml(), author, comment, clock::now())?;
    let live = prepared.commit(revision);
    crate::meta::kept::keep_or_say(pipeline.data(), meta);
    Ok(live)
}

fn refusal(shared: &Inner, error: ApplyError) -> ApiError {
    match error {
        ApplyError::Conflict { current } => conflict(current),
        ApplyError::Problems(problems) => unprocessable(problems),
        ApplyError::System(reason) if shared.state.pipeline.stop_requested() => busy(&reason),
        ApplyError::System(reason) => ApiError::internal(reason),
    }
}

/// 412: another revision is live.
pub(super) fn conflict(current: u64) -> ApiError {
    let detail = format!("revision {current} is live by now: load it, make the change again and send it");
    ApiError::new(StatusCode::PRECONDITION_FAILED, detail)
}

/// 422 with every problem; the first one is also in the body itself.
pub(super) fn unprocessable(problems: Vec<Problem>) -> ApiError {
    let detail = match problems.as_slice() {
        [] => "the document cannot be used".to_owned(),
        [only] => only.to_string(),
        [first, more @ ..] => format!("{first} (and {} more problems)", more.len()),
    };
    ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, detail).problems(problems)
}
