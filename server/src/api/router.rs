//! The router document over HTTP: reading, checking, changing, and restoring an earlier revision.
//!
//! **Invariant:** a change names the revision that it is based on, and becomes live only while that one is live.
//! **Invariant:** what is live is stored as a revision with author and comment.

use super::access::Caller;
use super::error::{ApiError, DocumentProblem, Result};
use super::extract::{DocumentText, Path, Query, unsupported};
use super::state::{Inner, Shared};
use super::waiting::{blocking, busy};
use crate::machine::clock;
use crate::meta::Revision;
use crate::pipeline::{ApplyError, Change, Live, Status};
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse, Response};
use logstead_config::{
    Checked, Document, Problem, check_toml, diff, draft_json, draft_toml, from_toml, merge_into_toml,
};
use serde::{Deserialize, Serialize};
use similar::TextDiff;
use std::sync::Arc;

/// Maximum length of a revision's comment.
const COMMENT_BYTES_MAX: usize = 4096;

/// The form of the answer.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct FormParams {
    /// `application/toml` in Accept has the same effect.
    #[param(inline)]
    format: Option<Form>,
}

/// A form of the document.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Form {
    /// For programs.
    Json,
    /// As it was written, with comments.
    Toml,
}

/// Why a change is made.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct CommentParams {
    /// Kept with the revision.
    comment: Option<String>,
}

/// Which revisions to compare.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct DifferenceParams {
    from: u64,
    to: u64,
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

/// What applying a document would do.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct Validation {
    valid: bool,
    problems: Vec<DocumentProblem>,
    /// Valid, but probably a mistake.
    warnings: Vec<String>,
    /// What would change, a sentence for each.
    changes: Vec<String>,
    /// The document, if it can be read as one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    document: Option<Document>,
    /// The text that would be stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    toml: Option<String>,
}

impl Validation {
    fn of(draft: Draft, live: &Live) -> Validation {
        let validation = match draft.checked {
            Ok(checked) => Validation {
                valid: true,
                problems: Vec::new(),
                changes: diff(&live.checked, &checked).changes,
                warnings: checked.warnings,
                document: None,
                toml: None,
            },
            Err(problems) => Validation::refused(problems),
        };
        Validation { document: Some(draft.document), toml: Some(draft.toml), ..validation }
    }

    fn refused(problems: Vec<Problem>) -> Validation {
        Validation {
            valid: false,
            problems: problems.into_iter().map(DocumentProblem::from).collect(),
            changes: Vec::new(),
            warnings: Vec::new(),
            document: None,
            toml: None,
        }
    }
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
    /// Whether it is the live one.
    live: bool,
}

/// All revisions, newest first.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct Revisions {
    revisions: Vec<RevisionSummary>,
}

/// What differs between two revisions.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct RevisionDiff {
    /// A sentence for each difference; empty if one of the two can no longer be read.
    changes: Vec<String>,
    /// Of the texts, as `diff -u` writes it.
    text: String,
}

/// The live document.
#[utoipa::path(
    get, path = "/api/v1/router", tag = "router", params(FormParams),
    responses((
        status = 200, headers(("ETag" = String, description = "The revision, for If-Match")),
        content((Document = "application/json"), (String = "application/toml")),
    ))
)]
pub(crate) async fn get_router(
    State(shared): State<Shared>,
    Query(params): Query<FormParams>,
    headers: HeaderMap,
) -> Response {
    let live = shared.state.pipeline.router();
    let tag = AppendHeaders([(header::ETAG, entity_tag(live.revision))]);
    match params.form(&headers) {
        Form::Json => (tag, axum::Json(&live.document)).into_response(),
        Form::Toml => (tag, toml(live.toml.clone())).into_response(),
    }
}

/// Makes a document live. `If-Match` names the revision that it is based on.
#[utoipa::path(
    put, path = "/api/v1/router", tag = "router",
    params(CommentParams, ("If-Match" = String, Header, description = "ETag of the document that was edited")),
    request_body(content((Document = "application/json"), (String = "application/toml"))),
    responses((status = 200, body = RouterChange))
)]
pub(crate) async fn put_router(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    Query(params): Query<CommentParams>,
    headers: HeaderMap,
    document: DocumentText,
) -> Result<Response> {
    let expected = if_match(&headers)?.ok_or_else(|| {
        let detail = "If-Match is missing: send the ETag of the document that was edited";
        ApiError::new(StatusCode::PRECONDITION_REQUIRED, detail)
    })?;
    let live = shared.state.pipeline.router();
    if expected.is_some_and(|expected| expected != live.revision) {
        return Err(conflict(live.revision));
    }
    let draft = Draft::read(document, &live)?;
    apply(&shared, caller, draft, expected, params.comment.unwrap_or_default()).await
}

/// Says what applying a document would do, and converts it between its forms.
#[utoipa::path(
    post, path = "/api/v1/router/validate", tag = "router",
    request_body(content((Document = "application/json"), (String = "application/toml"))),
    responses((status = 200, body = Validation))
)]
pub(crate) async fn validate(
    State(shared): State<Shared>,
    document: DocumentText,
) -> Result<axum::Json<Validation>> {
    let live = shared.state.pipeline.router();
    Ok(axum::Json(match Draft::read(document, &live)? {
        Ok(draft) => Validation::of(draft, &live),
        Err(problems) => Validation::refused(problems),
    }))
}

/// Every document that was ever live, newest first.
#[utoipa::path(
    get, path = "/api/v1/router/revisions", tag = "router", responses((status = 200, body = Revisions))
)]
pub(crate) async fn revisions(State(shared): State<Shared>) -> Result<axum::Json<Revisions>> {
    let live = shared.state.pipeline.router().revision;
    let revisions = shared.meta(|meta| meta.revisions()).await?;
    let revisions = revisions.into_iter().map(|revision| RevisionSummary {
        revision: revision.number,
        author: revision.author,
        comment: revision.comment,
        created_at: revision.created_at.to_string(),
        live: revision.number == live,
    });
    Ok(axum::Json(Revisions { revisions: revisions.collect() }))
}

/// The document of a revision.
#[utoipa::path(
    get, path = "/api/v1/router/revisions/{revision}", tag = "router",
    params(("revision" = u64, Path), FormParams),
    responses((status = 200, content((Document = "application/json"), (String = "application/toml"))))
)]
pub(crate) async fn revision(
    State(shared): State<Shared>,
    Path(number): Path<u64>,
    Query(params): Query<FormParams>,
    headers: HeaderMap,
) -> Result<Response> {
    let text = stored(&shared, number).await?.toml;
    match params.form(&headers) {
        Form::Toml => Ok(toml(text).into_response()),
        Form::Json => match from_toml(&text) {
            Ok(document) => Ok(axum::Json(document).into_response()),
            Err(problems) => Err(unprocessable(problems)),
        },
    }
}

/// What differs between two revisions.
#[utoipa::path(
    get, path = "/api/v1/router/diff", tag = "router", params(DifferenceParams),
    responses((status = 200, body = RevisionDiff))
)]
pub(crate) async fn difference(
    State(shared): State<Shared>,
    Query(DifferenceParams { from, to }): Query<DifferenceParams>,
) -> Result<axum::Json<RevisionDiff>> {
    let (old, new) = (stored(&shared, from).await?.toml, stored(&shared, to).await?.toml);
    let changes = match (check_toml(&old), check_toml(&new)) {
        (Ok((_, old)), Ok((_, new))) => diff(&old, &new).changes,
        (Err(_), _) | (_, Err(_)) => Vec::new(),
    };
    let text = TextDiff::from_lines(&old, &new)
        .unified_diff()
        .header(&format!("revision {from}"), &format!("revision {to}"))
        .to_string();
    Ok(axum::Json(RevisionDiff { changes, text }))
}

/// Makes an earlier revision's document live again, as a new revision.
#[utoipa::path(
    post, path = "/api/v1/router/rollback/{revision}", tag = "router",
    params(("revision" = u64, Path), CommentParams),
    responses((status = 200, body = RouterChange))
)]
pub(crate) async fn roll_back(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    Path(number): Path<u64>,
    Query(params): Query<CommentParams>,
    headers: HeaderMap,
) -> Result<Response> {
    let expected = if_match(&headers)?.flatten();
    let draft = Draft::of_toml(stored(&shared, number).await?.toml);
    let comment = params.comment.unwrap_or_else(|| format!("back to revision {number}"));
    apply(&shared, caller, draft, expected, comment).await
}

/// Counters and states of everything that the live document names.
#[utoipa::path(get, path = "/api/v1/router/status", tag = "router", responses((status = 200, body = Status)))]
pub(crate) async fn status(State(shared): State<Shared>) -> axum::Json<Status> {
    axum::Json(shared.state.pipeline.status())
}

/// A document that was sent, what it means, and the text that would be stored.
struct Draft {
    document: Document,
    checked: Problems<Checked>,
    toml: String,
}

/// A value, or why the document does not yield it.
type Problems<T> = std::result::Result<T, Vec<Problem>>;

impl Draft {
    fn read(DocumentText { media_type, text }: DocumentText, live: &Live) -> Result<Problems<Draft>> {
        match media_type.as_deref() {
            Some("application/json") => Ok(Draft::of_json(&text, live)),
            Some("application/toml") => Ok(Draft::of_toml(text)),
            other => Err(unsupported(other, "application/json or application/toml")),
        }
    }

    fn of_toml(toml: String) -> Problems<Draft> {
        let logstead_config::Draft { document, checked } = draft_toml(&toml)?;
        Ok(Draft { document, checked, toml })
    }

    /// The text keeps the comments of the live one where possible.
    fn of_json(text: &str, live: &Live) -> Problems<Draft> {
        let logstead_config::Draft { document, checked } = draft_json(text.as_bytes())?;
        let toml = merge_into_toml(&live.toml, &document);
        Ok(Draft { document, checked, toml })
    }

    fn into_change(self) -> Problems<Change> {
        let Draft { document, checked, toml } = self;
        checked.map(|checked| Change { toml, document, checked })
    }
}

impl FormParams {
    fn form(&self, headers: &HeaderMap) -> Form {
        let accept = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
        self.format.unwrap_or(if accept.contains("application/toml") { Form::Toml } else { Form::Json })
    }
}

async fn apply(
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

fn conflict(current: u64) -> ApiError {
    let detail = format!("revision {current} is live by now: load it, make the change again and send it");
    ApiError::new(StatusCode::PRECONDITION_FAILED, detail)
}

/// 422 with every problem; the first one is also in the body itself.
fn unprocessable(problems: Vec<Problem>) -> ApiError {
    let detail = match problems.as_slice() {
        [] => "the document cannot be used".to_owned(),
        [only] => only.to_string(),
        [first, more @ ..] => format!("{first} (and {} more problems)", more.len()),
    };
    ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, detail).problems(problems)
}

async fn stored(shared: &Inner, number: u64) -> Result<Revision> {
    let revision = shared.meta(move |meta| meta.revision(number)).await?;
    revision.ok_or_else(|| ApiError::not_found(format!("there is no revision {number}")))
}

fn toml(text: String) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/toml; charset=utf-8")], text)
}

fn entity_tag(revision: u64) -> String {
    format!("\"{revision}\"")
}

/// The revision that the header If-Match names: `None` without the header, `Some(None)` for any (`*`).
fn if_match(headers: &HeaderMap) -> Result<Option<Option<u64>>> {
    let Some(value) = headers.get(header::IF_MATCH) else { return Ok(None) };
    let text = value.to_str().unwrap_or_default().trim();
    let number = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(text);
    match number.parse() {
        Ok(number) => Ok(Some(Some(number))),
        Err(_) if text == "*" => Ok(Some(None)),
        Err(_) => {
            Err(ApiError::bad_request(format!("If-Match `{text}` is no revision: send \"7\" for the 7th")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(value: &'static str, expected: Option<Option<u64>>) {
        let headers = HeaderMap::from_iter([(header::IF_MATCH, value.parse().unwrap())]);
        assert_eq!(if_match(&headers).ok(), expected.map(Some), "{value}");
    }

    #[test]
    fn if_match_names_a_revision() {
        check("\"7\"", Some(Some(7)));
        check("7", Some(Some(7)));
        check("*", Some(None));
        check("\"x\"", None);
        check("", None);
        assert_eq!(if_match(&HeaderMap::new()).unwrap(), None);
    }
}
