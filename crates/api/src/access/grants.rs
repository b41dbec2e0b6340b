//! The parts of the store that can be granted to an account, and the accounts that may grant them.
//!
//! **Invariant:** a grant means exactly its text: its logspaces exist and its filter parses, so that a slip grants
//! nothing unintended.
//! **Invariant:** administrators who are granted a part of the store give and take nothing beyond it.

use crate::access::{Call, Caller};
use crate::error::{ApiError, Result};
use crate::problem_type::ProblemType;
use crate::state::ApiInner;
use logstead_accounts::{ApiToken, Grant, Role, User};
use logstead_query as query;
use logstead_query::Query;

/// Maximum length of a grant's filter.
pub(crate) const SCOPE_BYTES_MAX: usize = 8192;

/// The grant, if an account of this role may have it and the caller may give it.
pub(super) fn check_grant(
    Call { shared, caller }: &Call,
    role: Role,
    logspaces: Option<Vec<String>>,
    scope: Option<String>,
) -> Result<Grant> {
    let scope = scope.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    if role == Role::Ingest && scope.is_some() {
        let detail = "a token with the role ingest cannot search: leave out scope";
        return Err(ApiError::invalid(detail).path("scope"));
    }
    let logspaces = logspaces.map(|ids| check_granted_logspaces(shared, caller, ids)).transpose()?;
    if let Some(text) = &scope {
        check_scope(text)?;
    }
    let grant = Grant { logspaces, scope };
    let name = &caller.name;
    if may_manage(caller, role, &grant) {
        Ok(grant)
    } else if role == Role::Ingest {
        Err(ApiError::forbidden(format!(
            "messages sent with this token may go to any part of the store, and {name} is granted only a part: an \
             administrator with access to all of it can create the token"
        ))
        .path("role"))
    } else {
        Err(ApiError::forbidden(format!(
            "this grants more of the store than {name} has: name no other logspaces, and repeat the scope, adding \
             only conditions that narrow it"
        ))
        .path("logspaces"))
    }
}

/// Whether an account has no more rights than the caller may give to others.
pub(super) fn may_manage(caller: &Caller, role: Role, grant: &Grant) -> bool {
    caller.grant.is_everything() || role != Role::Ingest && is_within(grant, &caller.grant)
}

/// The user of this name; 403 for one whom the caller may not manage.
pub(super) async fn managed_user(Call { shared, caller }: &Call, name: &str) -> Result<User> {
    let wanted = name.to_owned();
    let user = shared.meta(move |meta| meta.user(&wanted)).await?;
    check_manages(caller, &format!("the user {}", user.name), user.role, &user.grant)?;
    Ok(user)
}

/// The token with this id; 403 for one that the caller may not manage.
pub(super) async fn managed_token(Call { shared, caller }: &Call, id: i64) -> Result<ApiToken> {
    let token = shared.meta(move |meta| meta.token(id)).await?;
    let token = token.ok_or_else(|| ApiError::not_found(format!("there is no token {id}")))?;
    check_manages(caller, &format!("the token {}", token.name), token.role, &token.grant)?;
    Ok(token)
}

fn check_manages(caller: &Caller, account: &str, role: Role, grant: &Grant) -> Result<()> {
    if may_manage(caller, role, grant) {
        return Ok(());
    }
    Err(ApiError::forbidden(format!(
        "{account} has access to more of the store than {}: an administrator with access to all of it can do this",
        caller.name
    )))
}

/// Whether everything that one grant shows is also shown by the other.
fn is_within(inner: &Grant, outer: &Grant) -> bool {
    let has_its_logspaces = outer.logspaces.as_ref().is_none_or(|outer| {
        inner.logspaces.as_ref().is_some_and(|inner| inner.iter().all(|id| outer.contains(id)))
    });
    let has_its_scope = outer
        .scope
        .as_ref()
        .is_none_or(|outer| inner.scope.as_ref().is_some_and(|inner| demands(inner, outer)));
    has_its_logspaces && has_its_scope
}

/// Whether a query implies another one: each part of that one's conjunction is also a part of its own.
fn demands(inner: &str, outer: &str) -> bool {
    let (Ok(inner), Ok(outer)) = (query::parse(inner), query::parse(outer)) else { return false };
    let has = conjuncts(&inner);
    conjuncts(&outer).iter().all(|needed| has.contains(needed))
}

fn conjuncts(query: &Query) -> Vec<&Query> {
    match query {
        Query::And(parts) => parts.iter().flat_map(conjuncts).collect(),
        one => vec![one],
    }
}

/// 422 for a role that only tokens can have.
pub(super) fn check_role_of_user(role: Role) -> Result<()> {
    if role != Role::Ingest {
        return Ok(());
    }
    let detail = "the role ingest is for tokens: nobody can log in with it";
    Err(ApiError::invalid(detail).path("role"))
}

/// Checks the ids and removes duplicates. A logspace that does not exist must be a typing error, which would silently
/// grant less than intended. Logspaces that the caller may not search do not exist for the caller.
fn check_granted_logspaces(shared: &ApiInner, caller: &Caller, mut ids: Vec<String>) -> Result<Vec<String>> {
    let searchers = shared.state.pipeline.searchers();
    let known = searchers.iter().map(|(id, _)| id.as_str());
    let known: Vec<&str> = known.filter(|id| caller.may_search(id)).collect();
    if ids.is_empty() {
        let detail = format!("logspaces is empty: name some of {}, or send null for all", known.join(", "));
        return Err(ApiError::invalid(detail).path("logspaces"));
    }
    if let Some(unknown) = ids.iter().find(|id| !known.contains(&id.as_str())) {
        let detail = format!("there is no logspace `{unknown}` to grant: there are {}", known.join(", "));
        return Err(ApiError::invalid(detail).path("logspaces"));
    }
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}

fn check_scope(text: &str) -> Result<()> {
    if SCOPE_BYTES_MAX < text.len() {
        let detail = format!("the scope has {} bytes: at most {SCOPE_BYTES_MAX} are allowed", text.len());
        return Err(ApiError::new(ProblemType::QuerySyntax, detail).path("scope"));
    }
    // Unlike in a search, a filter that does not parse is not taken as text: a scope has to be exact.
    match query::parse(text) {
        Ok(_) => Ok(()),
        Err(error) => Err(ApiError::of_query(&error, text, "scope")),
    }
}

/// The text of a grant for the audit log.
pub(super) fn access_of(role: Role, Grant { logspaces, scope }: &Grant) -> String {
    let logspaces = logspaces.as_ref().map(|ids| format!(", logspaces {}", ids.join(" ")));
    let scope = scope.as_ref().map(|text| format!(", scope {text}"));
    format!("role {role}{}{}", logspaces.unwrap_or_default(), scope.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes a grant of logspaces, given as text (`*` for all), and a scope (empty for none).
    fn grant(logspaces: &str, scope: &str) -> Grant {
        let logspaces =
            (logspaces != "*").then(|| logspaces.split(' ').map(str::to_owned).collect::<Vec<_>>());
        Grant { logspaces, scope: Some(scope.to_owned()).filter(|scope| !scope.is_empty()) }
    }

    #[test]
    fn a_grant_is_within_another_that_withholds_no_more() {
        for (inner, outer, expected) in [
            (("main", ""), ("*", ""), true),
            (("main", ""), ("main other", ""), true),
            (("main third", ""), ("main other", ""), false),
            (("*", ""), ("main", ""), false),
            (("main", "host:a"), ("main", ""), true),
            (("main", ""), ("main", "host:a"), false),
            (("main", "host:a"), ("main", "host:a"), true),
            (("main", "host:a (user:x OR user:y)"), ("*", "host:a"), true),
            (("main", "user:x AND (host:a AND severity>=err)"), ("*", "host:a user:x"), true),
            (("main", "host:a OR user:x"), ("*", "host:a"), false),
            (("main", "host:b"), ("*", "host:a"), false),
            (("main", "-host:a"), ("*", "host:a"), false),
            (("*", "host:a"), ("main", "host:a"), false),
        ] {
            assert_eq!(
                is_within(&grant(inner.0, inner.1), &grant(outer.0, outer.1)),
                expected,
                "{inner:?} within {outer:?}"
            );
        }
    }
}
