//! Which part of the store can be granted to an account.
//!
//! **Invariant:** a grant means what it says: its logspaces exist and its filter parses, so that a slip grants nothing
//! unintended.

use crate::api::error::{ApiError, Result};
use crate::api::state::Inner;
use crate::meta::{Grant, Role};
use axum::http::StatusCode;
use logstead_record::query;

/// Maximum length of a grant's filter.
pub(in crate::api) const SCOPE_BYTES_MAX: usize = 8192;

/// The grant, if an account of this role can have it.
pub(super) fn check_grant(
    shared: &Inner,
    role: Role,
    logspaces: Option<Vec<String>>,
    scope: Option<String>,
) -> Result<Grant> {
    let scope = scope.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    let path = if logspaces.is_some() { "logspaces" } else { "scope" };
    if role == Role::Ingest && scope.is_some() {
        let detail = "a token that only sends finds nothing: leave out scope for the role ingest";
        return Err(ApiError::bad_request(detail).path("scope"));
    }
    if !matches!(role, Role::Analyst | Role::Ingest) && (logspaces.is_some() || scope.is_some()) {
        let detail = format!(
            "only an analyst can be limited to a part of the store: leave out {path} for the role {role}"
        );
        return Err(ApiError::bad_request(detail).path(path));
    }
    let logspaces = logspaces.map(|ids| check_granted_logspaces(shared, ids)).transpose()?;
    if let Some(text) = &scope {
        check_scope(text)?;
    }
    Ok(Grant { logspaces, scope })
}

/// 422 for a role that only tokens can have.
pub(super) fn check_role_of_user(role: Role) -> Result<()> {
    if role != Role::Ingest {
        return Ok(());
    }
    let detail = "the role ingest is for tokens: nobody can log in with it";
    Err(ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, detail).path("role"))
}

/// Without duplicates. A logspace that does not exist is misspelt: it would silently grant less than was meant.
fn check_granted_logspaces(shared: &Inner, mut ids: Vec<String>) -> Result<Vec<String>> {
    let searchers = shared.state.pipeline.searchers();
    let known: Vec<&str> = searchers.iter().map(|(id, _)| id.as_str()).collect();
    if ids.is_empty() {
        let detail = format!("logspaces is empty: name some of {}, or send null for all", known.join(", "));
        return Err(ApiError::bad_request(detail).path("logspaces"));
    }
    if let Some(unknown) = ids.iter().find(|id| !known.contains(&id.as_str())) {
        let detail = format!("there is no logspace `{unknown}` to grant: there are {}", known.join(", "));
        return Err(ApiError::bad_request(detail).path("logspaces"));
    }
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}

fn check_scope(text: &str) -> Result<()> {
    if SCOPE_BYTES_MAX < text.len() {
        let detail = format!("the scope has {} bytes: at most {SCOPE_BYTES_MAX} are kept", text.len());
        return Err(ApiError::bad_request(detail).path("scope"));
    }
    // Unlike in a search, what does not parse is not taken as text: a scope has to mean what it says.
    match query::parse(text) {
        Ok(_) => Ok(()),
        Err(error) => Err(ApiError::of_query(&error, text, "scope")),
    }
}

/// For the audit log.
pub(super) fn access_of(role: Role, Grant { logspaces, scope }: &Grant) -> String {
    let logspaces = logspaces.as_ref().map(|ids| format!(", logspaces {}", ids.join(" ")));
    let scope = scope.as_ref().map(|text| format!(", scope {text}"));
    format!("role {role}{}{}", logspaces.unwrap_or_default(), scope.unwrap_or_default())
}
