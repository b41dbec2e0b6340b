//! Earlier documents: listing, comparing and restoring them.

use super::apply::{ApplyParams, RouterChange, apply, expected};
use super::document::shown;
use super::document_form::{DocumentForm, FormParams, toml};
use super::draft::Draft;
use crate::access::Call;
use crate::error::{ApiError, Result};
use crate::extract::{Path, Query};
use crate::list::{ListIdentity, ListParams, PAGE_MAX, page_size};
use crate::problem_type::ProblemType;
use crate::state::{ApiInner, SharedState};
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use logstead_accounts::Revision;
use logstead_config::{Document, check_toml, diff, from_toml};
use serde::{Deserialize, Serialize};
use similar::TextDiff;

/// The revisions to compare.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct DifferenceParams {
    from: u64,
    to: u64,
}

/// A revision without its text.
#[derive(Serialize, utoipa::ToSchema)]
#[schema(as = Revision)]
pub(crate) struct RevisionSummary {
    revision: u64,
    author: String,
    comment: String,
    #[schema(format = DateTime)]
    created_at: String,
    /// Whether it is the live revision.
    live: bool,
}

/// Revisions, newest first.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct Revisions {
    revisions: Vec<RevisionSummary>,
    /// The cursor of the next page; null on the last page.
    #[schema(required)]
    cursor: Option<String>,
}

/// The differences between two revisions.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct RevisionDiff {
    /// A sentence for each difference; empty if one of the two can no longer be read.
    changes: Vec<String>,
    /// The difference of the texts, in the format of `diff -u`.
    text: String,
}

/// The documents that have been live, newest first: the last thousand.
#[utoipa::path(
    get, path = "/api/v1/router/revisions", operation_id = "list_revisions", tag = "router", params(ListParams),
    responses((status = 200, body = Revisions))
)]
pub(crate) async fn revisions(
    State(shared): State<SharedState>,
    Query(ListParams { limit, cursor }): Query<ListParams>,
) -> Result<axum::Json<Revisions>> {
    let list = ListIdentity::new("revisions", ());
    let before = list.last_number(cursor.as_deref())?.unwrap_or(u64::MAX);
    let limit = page_size(limit, PAGE_MAX, PAGE_MAX)?;
    let live = shared.state.pipeline.router().revision;
    let mut revisions = shared.meta(move |meta| meta.revisions_before(before, limit + 1)).await?;
    let has_more = limit < revisions.len();
    revisions.truncate(limit);
    let last = revisions.last().filter(|_| has_more);
    let cursor = last.map(|last| list.cursor(&last.number.to_string()));
    let revisions = revisions.into_iter().map(|revision| RevisionSummary {
        revision: revision.number,
        author: revision.author,
        comment: revision.comment,
        created_at: revision.created_at.to_string(),
        live: revision.number == live,
    });
    Ok(axum::Json(Revisions { revisions: revisions.collect(), cursor }))
}

/// The document of a revision.
#[utoipa::path(
    get, path = "/api/v1/router/revisions/{revision}", operation_id = "get_revision", tag = "router",
    params(("revision" = u64, Path), FormParams),
    responses((status = 200, content((Document = "application/json"), (String = "application/toml"))))
)]
pub(crate) async fn revision(
    call: Call,
    Path(number): Path<u64>,
    Query(params): Query<FormParams>,
    headers: HeaderMap,
) -> Result<Response> {
    let text = shown(stored(&call.shared, number).await?.toml, &call.caller);
    match params.form(&headers) {
        DocumentForm::Toml => Ok(toml(text).into_response()),
        DocumentForm::Json => match from_toml(&text) {
            Ok(document) => Ok(axum::Json(document).into_response()),
            Err(problems) => Err(ApiError::of_document(problems)),
        },
    }
}

/// The differences between two revisions.
#[utoipa::path(
    get, path = "/api/v1/router/diff", operation_id = "diff_revisions", tag = "router", params(DifferenceParams),
    responses((status = 200, body = RevisionDiff))
)]
pub(crate) async fn difference(
    call: Call,
    Query(DifferenceParams { from, to }): Query<DifferenceParams>,
) -> Result<axum::Json<RevisionDiff>> {
    let (old, new) = (stored(&call.shared, from).await?.toml, stored(&call.shared, to).await?.toml);
    let changes = match (check_toml(&old), check_toml(&new)) {
        (Ok((_, old)), Ok((_, new))) => diff(&old, &new).changes,
        (Err(_), _) | (_, Err(_)) => Vec::new(),
    };
    let (old, new) = (shown(old, &call.caller), shown(new, &call.caller));
    let text = TextDiff::from_lines(&old, &new)
        .unified_diff()
        .header(&format!("revision {from}"), &format!("revision {to}"))
        .to_string();
    Ok(axum::Json(RevisionDiff { changes, text }))
}

/// Makes an earlier revision's document live again, as a new revision.
#[utoipa::path(
    post, path = "/api/v1/router/rollback/{revision}", operation_id = "roll_back_router", tag = "router",
    params(
        ("revision" = u64, Path), ApplyParams,
        ("If-Match" = Option<String>, Header, description = "ETag of the document that this replaces")
    ),
    responses((
        status = 200, body = RouterChange, headers(("ETag" = String, description = "The new revision, for If-Match"))
    ))
)]
pub(crate) async fn roll_back(
    call: Call,
    Path(number): Path<u64>,
    Query(params): Query<ApplyParams>,
    headers: HeaderMap,
) -> Result<Response> {
    let expected = expected(call.shared.state.pipeline.router().revision, &headers)?;
    let draft = Draft::of_toml(stored(&call.shared, number).await?.toml);
    let motive = params.motive(|| format!("back to revision {number}"))?;
    apply(&call, draft, expected, motive).await
}

/// The revision that was confirmed.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct Confirmed {
    revision: u64,
}

/// Confirms the live revision: it will not be rolled back automatically. `If-Match` may name the revision that the
/// caller looked at.
#[utoipa::path(
    post, path = "/api/v1/router/confirm", operation_id = "confirm_router", tag = "router",
    params(("If-Match" = Option<String>, Header, description = "ETag of the document that was looked at")),
    responses((status = 200, body = Confirmed))
)]
pub(crate) async fn confirm(call: Call, headers: HeaderMap) -> Result<axum::Json<Confirmed>> {
    let live = call.shared.state.pipeline.router().revision;
    expected(live, &headers)?;
    if !call.meta(move |meta| meta.confirm_revision(live)).await? {
        let detail = format!("revision {live} is live, and does not have to be confirmed");
        return Err(ApiError::new(ProblemType::NothingToConfirm, detail));
    }
    call.audit("router.confirm", format!("revision {live}")).await;
    Ok(axum::Json(Confirmed { revision: live }))
}

async fn stored(shared: &ApiInner, number: u64) -> Result<Revision> {
    let revision = shared.meta(move |meta| meta.revision(number)).await?;
    revision.ok_or_else(|| ApiError::not_found(format!("there is no revision {number}")))
}
