//! Makes a draft live.

use super::document_form::{DocumentForm, ExpectedRevisions, entity_tag, if_match};
use super::draft::{Draft, Problems};
use crate::access::Call;
use crate::error::{ApiError, Result};
use crate::problem_type::ProblemType;
use crate::revision::{ConfirmationTerms, LiveError, Unconfirmed};
use crate::state::ApiInner;
use crate::waiting::blocking;
use axum::http::{HeaderMap, header};
use axum::response::{AppendHeaders, IntoResponse, Response};
use logstead_config::{DocumentWarning, Period, diff};
use logstead_pipeline::ApplyError;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::Duration;

/// Minimum and maximum time for which a revision may stay unconfirmed.
const CONFIRM_WITHIN: (Duration, Duration) = (Duration::from_secs(10), Duration::from_secs(86_400));
/// Maximum length of a revision's comment.
const COMMENT_BYTES_MAX: usize = 4096;

/// The reason for a change, and whether it has to be confirmed.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ApplyParams {
    /// A comment to store with the revision.
    comment: Option<String>,
    /// How long it may stay live without being confirmed, 10s to 1d. After that the previous revision is live again,
    /// even if the server was restarted meanwhile.
    confirm_within: Option<String>,
    /// Whether it is also reverted as soon as messages fare worse than before: half as many are received, or 5 % more
    /// of them are dropped or not recognised.
    back_if_worse: Option<bool>,
}

impl ApplyParams {
    pub(super) fn motive(self, standard: impl FnOnce() -> String) -> Result<ChangeReason> {
        let ApplyParams { comment, confirm_within, back_if_worse } = self;
        let refused = |detail: String| ApiError::invalid(detail).path("confirm_within");
        let (min, max) = CONFIRM_WITHIN;
        let within = confirm_within.map(|text| {
            let period: Period = text.parse().map_err(|error| refused(format!("{error}")))?;
            let within = period.duration();
            let allowed = (min..=max).contains(&within);
            allowed.then_some(within).ok_or_else(|| refused(format!("`{text}` must be 10s to 1d")))
        });
        let within = within.transpose()?;
        if within.is_none() && back_if_worse == Some(true) {
            return Err(refused("`back_if_worse` needs `confirm_within`, such as 10m".to_owned()));
        }
        let back_if_worse = back_if_worse.unwrap_or(false);
        let terms = within.map(|within| ConfirmationTerms { within, back_if_worse });
        Ok(ChangeReason { comment: comment.unwrap_or_else(standard), terms })
    }
}

/// A change that became live.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct RouterChange {
    /// The live revision.
    revision: u64,
    /// The changes, one sentence for each.
    changes: Vec<String>,
    /// Parts of the document that are valid, but probably a mistake.
    warnings: Vec<DocumentWarning>,
    /// The confirmation that it needs, with its deadline; null if it needs none.
    unconfirmed: Option<Unconfirmed>,
}

/// The reason for a change, and whether it has to be confirmed.
pub(super) struct ChangeReason {
    pub(super) comment: String,
    pub(super) terms: Option<ConfirmationTerms>,
}

/// Makes a draft live, if it can run and `expected` is the live revision or `None`.
pub(super) async fn apply(
    call: &Call,
    draft: Problems<Draft>,
    expected: Option<u64>,
    ChangeReason { comment, terms }: ChangeReason,
) -> Result<Response> {
    if COMMENT_BYTES_MAX < comment.len() {
        let detail =
            format!("the comment has {} bytes: at most {COMMENT_BYTES_MAX} are allowed", comment.len());
        return Err(ApiError::invalid(detail).path("comment"));
    }
    let change = draft.and_then(Draft::into_change).map_err(ApiError::of_document)?;
    let before = call.shared.state.pipeline.router();
    // Warnings may be about anything that the document names.
    let warnings =
        if call.caller.grant.is_everything() { change.checked.warnings.clone() } else { Vec::new() };
    let mut applied = RouterChange {
        revision: before.revision,
        changes: diff(&before.checked, &change.checked).changes,
        warnings,
        unconfirmed: None,
    };
    // An unchanged text is not a change, so nothing is stored.
    if change.toml != before.toml {
        let (author, kept, inner) = (call.caller.name.clone(), comment.clone(), call.shared.clone());
        let made = move || {
            let revisions = &inner.state.revisions;
            let live = revisions.make_live(change, expected, &author, &kept, terms);
            let live = live.map_err(|error| refusal(&inner, error))?;
            Ok::<_, ApiError>((live, revisions.unconfirmed()?))
        };
        let (live, unconfirmed) = blocking(made).await??;
        (applied.revision, applied.unconfirmed) = (live.revision, unconfirmed);
        let confirmation = terms.map(|terms| format!(", to be confirmed within {:?}", terms.within));
        let detail = format!("revision {}{}: {comment}", applied.revision, confirmation.unwrap_or_default());
        call.audit("router.apply", detail).await;
    }
    let tag = AppendHeaders([(header::ETAG, entity_tag(applied.revision, DocumentForm::Json, false))]);
    Ok((tag, axum::Json(applied)).into_response())
}

fn refusal(shared: &ApiInner, error: LiveError) -> ApiError {
    let error = match error {
        LiveError::Meta(error) => return error.into(),
        LiveError::Apply(error) => error,
    };
    match error {
        ApplyError::Conflict { current } => conflict(current),
        ApplyError::Problems(problems) => ApiError::of_document(problems),
        ApplyError::System(reason) if shared.state.pipeline.stop_requested() => {
            ApiError::new(ProblemType::Stopping, reason)
        }
        ApplyError::System(reason) => ApiError::internal(reason),
    }
}

/// The live revision if the request names it, `None` if the request accepts any; 412 if it names others.
pub(super) fn expected(live: u64, headers: &HeaderMap) -> Result<Option<u64>> {
    match if_match(headers)? {
        None | Some(ExpectedRevisions::Any) => Ok(None),
        Some(expected) if expected.has(live) => Ok(Some(live)),
        Some(_) => Err(conflict(live)),
    }
}

/// 412: another revision is live.
pub(super) fn conflict(current: u64) -> ApiError {
    let detail = format!("revision {current} is live by now: load it, make the change again and send that");
    ApiError::new(ProblemType::StaleRevision, detail)
}

/// Makes a revision of the live document with the changes that `change` makes to it. `expected` is the revision that
/// the caller looked at.
pub(super) async fn revise(
    call: &Call,
    expected: Option<u64>,
    motive: ChangeReason,
    change: impl FnOnce(&mut Value) -> Result<()>,
) -> Result<Response> {
    let shared = call.shared.clone();
    if blocking(move || shared.state.revisions.unconfirmed()).await??.is_some() {
        let detail = "the live revision waits to be confirmed: confirm it, or wait until it has gone back";
        return Err(ApiError::new(ProblemType::AwaitsConfirmation, detail));
    }
    let live = call.shared.state.pipeline.router();
    if expected.is_some_and(|expected| expected != live.revision) {
        return Err(conflict(live.revision));
    }
    let mut document = serde_json::to_value(&live.document).map_err(ApiError::internal)?;
    change(&mut document)?;
    let draft = Draft::of_value(&document, &live);
    apply(call, draft, Some(live.revision), motive).await
}
