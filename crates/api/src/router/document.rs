//! The live document: returning, checking and replacing it.

use super::apply::{ApplyParams, RouterChange, apply, conflict, expected};
use super::document_form::{DocumentForm, FormParams, entity_tag, toml};
use super::draft::Draft;
use crate::access::{Call, Caller};
use crate::conditional::is_known;
use crate::error::{ApiError, DocumentProblem, Result};
use crate::extract::{DocumentText, Query};
use crate::problem_type::ProblemType;
use crate::revision::Unconfirmed;
use crate::waiting::blocking;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse, Response};
use logstead_accounts::Role;
use logstead_config::{
    Checked, Document, DocumentWarning, Problem, diff, from_toml, placed, redacted, redacted_document,
    to_toml,
};
use logstead_pipeline::{DestinationStatus, LiveRevision, Status};
use serde::Serialize;

/// The effect of applying a document.
#[derive(Debug, Default, Serialize, utoipa::ToSchema)]
pub(crate) struct Validation {
    valid: bool,
    problems: Vec<DocumentProblem>,
    /// Parts of the document that are valid, but probably a mistake.
    warnings: Vec<DocumentWarning>,
    /// The changes that applying it would make, one sentence for each.
    changes: Vec<String>,
    /// The document, if the draft is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    document: Option<Document>,
    /// The text that would be stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    toml: Option<String>,
}

impl Validation {
    /// Builds the answer for a draft; `unfit` returns the reasons why a document cannot run on this machine.
    fn of(draft: Draft, live: &LiveRevision, unfit: impl Fn(&Checked) -> Vec<Problem>) -> Validation {
        let validation = match draft.checked {
            Ok(checked) => Validation {
                changes: diff(&live.checked, &checked).changes,
                problems: unfit(&checked).into_iter().map(DocumentProblem::from).collect(),
                warnings: checked.warnings,
                ..Validation::default()
            },
            Err(problems) => Validation::refused(problems),
        };
        let valid = validation.problems.is_empty();
        Validation { valid, document: Some(draft.document), toml: Some(draft.toml), ..validation }
    }

    fn refused(problems: Vec<Problem>) -> Validation {
        let problems = problems.into_iter().map(DocumentProblem::from).collect();
        Validation { problems, ..Validation::default() }
    }
}

/// The state of the live document's parts.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct RouterStatus {
    #[serde(flatten)]
    status: Status,
    /// The confirmation that the live revision needs, if it needs one.
    unconfirmed: Option<Unconfirmed>,
}

/// The live document.
#[utoipa::path(
    get, path = "/api/v1/router", tag = "router",
    params(FormParams, ("If-None-Match" = Option<String>, Header, description = "ETag of the known document")),
    responses(
        (
            status = 200, headers(("ETag" = String, description = "The revision, for If-Match")),
            content((Document = "application/json"), (String = "application/toml")),
        ),
        (status = 304, description = "The document still has the ETag in If-None-Match"),
    )
)]
pub(crate) async fn get_router(call: Call, Query(params): Query<FormParams>, headers: HeaderMap) -> Response {
    let live = call.shared.state.pipeline.router();
    let (form, is_redacted) = (params.form(&headers), !may_see_secrets(&call.caller));
    let tag = entity_tag(live.revision, form, is_redacted);
    let is_known = is_known(&headers, &tag);
    // The response depends on the caller and on the requested form.
    let about = AppendHeaders([
        (header::ETAG, tag),
        (header::VARY, "Accept, Authorization, Cookie".to_owned()),
        (header::CACHE_CONTROL, "private, no-cache".to_owned()),
    ]);
    match form {
        _ if is_known => (StatusCode::NOT_MODIFIED, about).into_response(),
        DocumentForm::Json if is_redacted => (about, axum::Json(redacted(&live.document))).into_response(),
        DocumentForm::Toml if is_redacted => (about, toml(without_secrets(&live.document))).into_response(),
        DocumentForm::Json => (about, axum::Json(&live.document)).into_response(),
        DocumentForm::Toml => (about, toml(live.toml.clone())).into_response(),
    }
}

/// Makes a document live. `If-Match` names the revision that it is based on.
#[utoipa::path(
    put, path = "/api/v1/router", tag = "router",
    params(ApplyParams, ("If-Match" = String, Header, description = "ETag of the document that was edited, or `*`")),
    request_body(content((Document = "application/json"), (String = "application/toml"))),
    responses((
        status = 200, body = RouterChange, headers(("ETag" = String, description = "The new revision, for If-Match"))
    ))
)]
pub(crate) async fn put_router(
    call: Call,
    Query(params): Query<ApplyParams>,
    headers: HeaderMap,
    document: DocumentText,
) -> Result<Response> {
    if !headers.contains_key(header::IF_MATCH) {
        let detail = "If-Match is missing: send the ETag of the document that was edited";
        return Err(ApiError::new(ProblemType::MissingIfMatch, detail));
    }
    let live = call.shared.state.pipeline.router();
    let expected = expected(live.revision, &headers)?;
    // `If-None-Match: *` requires that no revision exists yet.
    if is_known(&headers, "") {
        return Err(conflict(live.revision));
    }
    let draft = Draft::read(document, &live)?;
    apply(&call, draft, expected, params.motive(String::new)?).await
}

/// Shows what applying a document would do, and converts it between its forms. Callers who may apply it are also told
/// whether it fits this machine: ports, certificates, paths.
#[utoipa::path(
    post, path = "/api/v1/router/validate", operation_id = "validate_router", tag = "router",
    request_body(content((Document = "application/json"), (String = "application/toml"))),
    responses((status = 200, body = Validation))
)]
pub(crate) async fn validate(call: Call, document: DocumentText) -> Result<axum::Json<Validation>> {
    let pipeline = call.shared.state.pipeline.clone();
    let live = pipeline.router();
    let is_toml = document.media_type.as_deref() == Some("application/toml");
    let toml = is_toml.then(|| document.text.clone());
    let draft = Draft::read(document, &live)?;
    // Only those who may apply a document learn how much space is free on this machine.
    let may_apply = Role::Operator <= call.caller.role;
    let unfit = move |checked: &Checked| {
        let problems = if may_apply { pipeline.unfit(checked) } else { Vec::new() };
        toml.iter().fold(problems, |problems, toml| placed(problems, toml))
    };
    let validate = move || match draft {
        Ok(draft) => Validation::of(draft, &live, unfit),
        Err(problems) => Validation::refused(problems),
    };
    Ok(axum::Json(blocking(validate).await?))
}

/// Counters and states of everything that the live document names, and whether it has to be confirmed.
#[utoipa::path(
    get, path = "/api/v1/router/status", operation_id = "get_router_status", tag = "router", responses((status = 200, body = RouterStatus))
)]
pub(crate) async fn status(call: Call) -> Result<axum::Json<RouterStatus>> {
    let inner = call.shared.clone();
    let unconfirmed = blocking(move || inner.state.revisions.unconfirmed()).await??;
    let mut status = call.shared.state.pipeline.status();
    if !may_see_secrets(&call.caller) {
        status.destinations.iter_mut().for_each(hide_what_it_heard);
    }
    Ok(axum::Json(RouterStatus { status, unconfirmed }))
}

/// Hides answers of other systems, which may contain anything, and the part of an address after `?`.
fn hide_what_it_heard(destination: &mut DestinationStatus) {
    if let Some(error) = &mut destination.last_error {
        "it cannot send; operators see why".clone_into(error);
    }
    if let Some((address, _)) = destination.to.split_once('?') {
        destination.to = address.to_owned();
    }
}

/// Whether the caller may see the secrets.
pub(super) fn may_see_secrets(caller: &Caller) -> bool {
    Role::Operator <= caller.role
}

/// A document as TOML, without its secrets and without its comments, which may contain some.
pub(super) fn without_secrets(document: &Document) -> String {
    to_toml(&redacted_document(document))
}

/// The text of a document as the caller may see it. A text that can no longer be parsed is not shown to callers who
/// may not see secrets.
pub(super) fn shown(toml: String, caller: &Caller) -> String {
    if may_see_secrets(caller) {
        return toml;
    }
    from_toml(&toml).map_or_else(|_| String::new(), |document| without_secrets(&document))
}
