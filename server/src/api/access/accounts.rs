//! Users, API tokens and the audit log.

use super::session;
use crate::api::access::Caller;
use crate::api::access::throttle::Attempt;
use crate::api::error::{ApiError, Result};
use crate::api::extract::{Json, Path, Peer, Query};
use crate::api::question::refusal;
use crate::api::{Inner, Shared};
use crate::machine::clock;
use crate::meta::{self, Grant, NewToken, Role, name, password};
use axum::extract::{Extension, State};
use axum::http::StatusCode;
use logstead_record::{Timestamp, query};
use serde::{Deserialize, Serialize};

/// Longest filter of a grant.
pub(in crate::api) const SCOPE_BYTES_MAX: usize = 8192;
/// Most entries of the audit log in one answer.
const AUDIT_LIMIT_MAX: u32 = 10_000;

/// A user to make.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewUser {
    /// At most 64 small letters (a to z), digits and `. _ - @`; it begins with a letter or a digit.
    #[schema(min_length = 1, max_length = 64, pattern = "^[a-z0-9][a-z0-9._@-]*$")]
    name: String,
    role: Role,
    /// At least 8 characters, and none of the first that anybody would try.
    #[schema(min_length = 8, max_length = 1024)]
    password: String,
    /// Ids of the logspaces that may be searched; all where it is missing. For analysts only.
    #[serde(default)]
    logspaces: Option<Vec<String>>,
    /// A filter that everything found is within; none where it is missing. For analysts only.
    #[serde(default)]
    #[schema(example = "host:web-*")]
    scope: Option<String>,
}

/// What a user may do from now on. All of it has to be said, so that nothing is granted by leaving it out.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UserChange {
    role: Role,
    /// Ids of the logspaces that may be searched; null for all. For analysts only.
    #[serde(deserialize_with = "Option::deserialize")]
    #[schema(required)]
    logspaces: Option<Vec<String>>,
    /// A filter that everything found is within; null for none. For analysts only.
    #[serde(deserialize_with = "Option::deserialize")]
    #[schema(required, example = "host:web-*")]
    scope: Option<String>,
}

/// A user.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct User {
    name: String,
    role: Role,
    /// Ids of the logspaces that may be searched; null for all.
    #[schema(required)]
    logspaces: Option<Vec<String>>,
    /// A filter that everything found is within; null for none.
    #[schema(required)]
    scope: Option<String>,
    #[schema(format = DateTime)]
    created_at: String,
}

/// All users.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct Users {
    users: Vec<User>,
}

/// A user's new password.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewPassword {
    /// At least 8 characters, and none of the first that anybody would try.
    #[schema(min_length = 8, max_length = 1024)]
    password: String,
    /// The one that is to be replaced. Needed for one's own.
    #[serde(default)]
    current_password: Option<String>,
}

/// A token to make.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TokenRequest {
    /// What to call it, as no other token that works is called: at most 64 small letters (a to z), digits and
    /// `. _ - @`; it begins with a letter or a digit.
    #[schema(min_length = 1, max_length = 64, pattern = "^[a-z0-9][a-z0-9._@-]*$")]
    name: String,
    role: Role,
    /// Ids of the logspaces that may be searched; all where it is missing. For analysts only.
    #[serde(default)]
    logspaces: Option<Vec<String>>,
    /// A filter that everything found is within; none where it is missing. For analysts only.
    #[serde(default)]
    #[schema(example = "host:web-*")]
    scope: Option<String>,
    /// When it ends (RFC 3339); never where it is missing.
    #[serde(default)]
    #[schema(format = DateTime)]
    expires_at: Option<String>,
}

/// A new token: the only time that its secret is shown.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct CreatedToken {
    id: i64,
    name: String,
    role: Role,
    /// To send as `Authorization: Bearer TOKEN`.
    token: String,
}

/// A token without its secret.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct Token {
    id: i64,
    name: String,
    role: Role,
    /// Ids of the logspaces that may be searched; null for all.
    #[schema(required)]
    logspaces: Option<Vec<String>>,
    /// A filter that everything found is within; null for none.
    #[schema(required)]
    scope: Option<String>,
    created_by: String,
    #[schema(format = DateTime)]
    created_at: String,
    #[schema(format = DateTime, required)]
    expires_at: Option<String>,
    /// To the minute.
    #[schema(format = DateTime, required)]
    last_used: Option<String>,
}

/// All tokens.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct Tokens {
    tokens: Vec<Token>,
}

/// How much of the audit log.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct AuditQuery {
    /// 1 to 10000.
    #[param(default = 100, minimum = 1, maximum = 10000)]
    limit: Option<u32>,
}

/// One thing that somebody did.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct AuditEntry {
    #[schema(format = DateTime)]
    time: String,
    /// Whose account: `user:7`, `token:3` or `environment`; null where nobody had logged in, and in entries of versions
    /// that did not write it. Unlike a name, it is never given to anybody else.
    #[schema(required)]
    account: Option<String>,
    /// What the account was called then.
    user: String,
    action: String,
    detail: String,
}

/// The newest entries, newest first.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct Audit {
    entries: Vec<AuditEntry>,
}

/// All users.
#[utoipa::path(get, path = "/api/v1/users", tag = "accounts", responses((status = 200, body = Users)))]
pub(crate) async fn list_users(State(shared): State<Shared>) -> Result<axum::Json<Users>> {
    let users = shared.meta(|meta| meta.users()).await?;
    Ok(axum::Json(Users { users: users.into_iter().map(User::from).collect() }))
}

/// Makes a user.
#[utoipa::path(post, path = "/api/v1/users", tag = "accounts", responses((status = 201, body = User)))]
pub(crate) async fn create_user(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    Json(new): Json<NewUser>,
) -> Result<(StatusCode, axum::Json<User>)> {
    check_name(&new.name)?;
    let NewUser { name, role, password, logspaces, scope } = new;
    let grant = check_grant(&shared, role, logspaces, scope)?;
    let hash = hash_password(&shared, &name, password).await?;
    let created_at = clock::now();
    let user = meta::User { name, role, grant, created_at };
    let added = user.clone();
    shared
        .meta(move |meta| meta.add_granted_user(&added.name, role, &added.grant, &hash, created_at))
        .await?;
    let detail = format!("{}, {}", user.name, access_of(role, &user.grant));
    shared.audit(caller.actor(), "user.create", detail).await;
    Ok((StatusCode::CREATED, axum::Json(user.into())))
}

/// Changes what a user may do and search. It holds from the next request on, also in sessions that have begun.
#[utoipa::path(
    put, path = "/api/v1/users/{name}", tag = "accounts",
    params(("name" = String, Path)), responses((status = 200, body = User))
)]
pub(crate) async fn change_user(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    Path(name): Path<String>,
    Json(change): Json<UserChange>,
) -> Result<axum::Json<User>> {
    let UserChange { role, logspaces, scope } = change;
    let grant = check_grant(&shared, role, logspaces, scope)?;
    let (before, after) = shared.meta(move |meta| meta.change_user(&name, role, &grant)).await?;
    let (was, is) = (access_of(before.role, &before.grant), access_of(after.role, &after.grant));
    shared.audit(caller.actor(), "user.change", format!("{}: {was}; now {is}", after.name)).await;
    Ok(axum::Json(after.into()))
}

/// Removes a user and ends the user's sessions.
#[utoipa::path(
    delete, path = "/api/v1/users/{name}", tag = "accounts",
    params(("name" = String, Path)), responses((status = 204))
)]
pub(crate) async fn remove_user(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    Path(name): Path<String>,
) -> Result<StatusCode> {
    let user = name.clone();
    shared.meta(move |meta| meta.remove_user(&user)).await?;
    shared.audit(caller.actor(), "user.remove", name).await;
    Ok(StatusCode::NO_CONTENT)
}

/// Changes a password: one's own, or anybody's for an administrator. Ends the user's other sessions. Whoever changes their
/// own has to know it: a session that was left open is not enough.
#[utoipa::path(
    put, path = "/api/v1/users/{name}/password", tag = "accounts",
    params(("name" = String, Path)), responses((status = 204))
)]
pub(crate) async fn change_password(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    peer: Peer,
    Path(name): Path<String>,
    Json(new): Json<NewPassword>,
) -> Result<StatusCode> {
    let is_own = caller.session.is_some() && caller.name.eq_ignore_ascii_case(&name);
    if !is_own && caller.role < Role::Admin {
        let detail = format!("changing another user's password needs the role {}", Role::Admin);
        return Err(ApiError::forbidden(detail));
    }
    if is_own {
        check_current(&shared, &name, peer, new.current_password).await?;
    }
    let hash = hash_password(&shared, &name, new.password).await?;
    let (user, keep) = (name.clone(), caller.session);
    shared.meta(move |meta| meta.set_password(&user, &hash, keep)).await?;
    shared.audit(caller.actor(), "user.password", name).await;
    Ok(StatusCode::NO_CONTENT)
}

/// Refuses who does not know the password that is to be replaced, and makes guessing it as slow as at the login.
async fn check_current(shared: &Shared, name: &str, peer: Peer, password: Option<String>) -> Result<()> {
    let refused =
        |detail: &str| ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, detail).path("current_password");
    let password = password.ok_or_else(|| refused("send your current password too, as current_password"))?;
    let attempt = Attempt::new(name, peer.0, None);
    match session::check_password(shared, &attempt, name, password).await? {
        Some(_) => Ok(()),
        None => Err(refused("this is not your current password")),
    }
}

/// All tokens, without their secrets.
#[utoipa::path(get, path = "/api/v1/tokens", tag = "accounts", responses((status = 200, body = Tokens)))]
pub(crate) async fn list_tokens(State(shared): State<Shared>) -> Result<axum::Json<Tokens>> {
    let tokens = shared.meta(|meta| meta.tokens()).await?;
    let tokens = tokens.into_iter().map(|token| Token {
        id: token.id,
        name: token.name,
        role: token.role,
        logspaces: token.grant.logspaces,
        scope: token.grant.scope,
        created_by: token.created_by,
        created_at: token.created_at.to_string(),
        expires_at: token.expires_at.map(|time| time.to_string()),
        last_used: token.last_used.map(|time| time.to_string()),
    });
    Ok(axum::Json(Tokens { tokens: tokens.collect() }))
}

/// Makes a token and shows its secret this one time.
#[utoipa::path(
    post, path = "/api/v1/tokens", tag = "accounts", responses((status = 201, body = CreatedToken))
)]
pub(crate) async fn create_token(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    Json(new): Json<TokenRequest>,
) -> Result<(StatusCode, axum::Json<CreatedToken>)> {
    check_name(&new.name)?;
    let now = clock::now();
    let expires_at = new.expires_at.as_deref().map(|text| check_expiry(text, now)).transpose()?;
    let TokenRequest { name, role, logspaces, scope, .. } = new;
    let grant = check_grant(&shared, role, logspaces, scope)?;
    let detail = access_of(role, &grant);
    let (token_name, created_by) = (name.clone(), caller.actor());
    let (id, secret) = shared
        .meta(move |meta| {
            let new = NewToken { name: &token_name, role, created_by, expires_at };
            meta.add_granted_token(&new, &grant, now)
        })
        .await?;
    shared.audit(caller.actor(), "token.create", format!("{name} (id {id}), {detail}")).await;
    let token = secret.reveal().to_owned();
    Ok((StatusCode::CREATED, axum::Json(CreatedToken { id, name, role, token })))
}

/// Removes a token: it stops working at once.
#[utoipa::path(
    delete, path = "/api/v1/tokens/{id}", tag = "accounts",
    params(("id" = i64, Path)), responses((status = 204))
)]
pub(crate) async fn remove_token(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<i64>,
) -> Result<StatusCode> {
    let name = shared.meta(move |meta| meta.remove_token(id)).await?;
    let name = name.ok_or_else(|| ApiError::not_found(format!("there is no token {id}")))?;
    shared.audit(caller.actor(), "token.remove", format!("{name} (id {id})")).await;
    Ok(StatusCode::NO_CONTENT)
}

/// Who did what, newest first.
#[utoipa::path(
    get, path = "/api/v1/audit", tag = "accounts", params(AuditQuery), responses((status = 200, body = Audit))
)]
pub(crate) async fn audit(
    State(shared): State<Shared>,
    Query(query): Query<AuditQuery>,
) -> Result<axum::Json<Audit>> {
    let limit = query.limit.unwrap_or(100);
    if !(1..=AUDIT_LIMIT_MAX).contains(&limit) {
        return Err(ApiError::bad_request(format!("limit is {limit}: it must be 1 to {AUDIT_LIMIT_MAX}")));
    }
    let entries = shared.meta(move |meta| meta.audit(limit)).await?;
    let entries = entries.into_iter().map(|entry| AuditEntry {
        time: entry.time.to_string(),
        account: entry.account.map(|account| account.to_string()),
        user: entry.user,
        action: entry.action,
        detail: entry.detail,
    });
    Ok(axum::Json(Audit { entries: entries.collect() }))
}

impl From<meta::User> for User {
    fn from(user: meta::User) -> User {
        let meta::User { name, role, grant: Grant { logspaces, scope }, created_at } = user;
        User { name, role, logspaces, scope, created_at: created_at.to_string() }
    }
}

/// What may be searched, where it can be granted to somebody of this role.
fn check_grant(
    shared: &Inner,
    role: Role,
    logspaces: Option<Vec<String>>,
    scope: Option<String>,
) -> Result<Grant> {
    let scope = scope.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    let path = if logspaces.is_some() { "logspaces" } else { "scope" };
    if role != Role::Analyst && (logspaces.is_some() || scope.is_some()) {
        let detail = format!(
            "only an analyst can be kept to a part of the store: leave out {path} for the role {role}"
        );
        return Err(ApiError::bad_request(detail).path(path));
    }
    let logspaces = logspaces.map(|ids| check_granted_logspaces(shared, ids)).transpose()?;
    if let Some(text) = &scope {
        check_scope(text)?;
    }
    Ok(Grant { logspaces, scope })
}

/// Each once. One that does not exist is a misspelt one: it would grant less than was meant, and nobody would notice.
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
    // What does not parse is no text to look for here, as it is in a search: a scope has to mean what it says.
    match query::parse(text) {
        Ok(_) => Ok(()),
        Err(error) => Err(refusal(&error, text, "scope")),
    }
}

/// For the audit log.
fn access_of(role: Role, Grant { logspaces, scope }: &Grant) -> String {
    let logspaces = logspaces.as_ref().map(|ids| format!(", logspaces {}", ids.join(" ")));
    let scope = scope.as_ref().map(|text| format!(", scope {text}"));
    format!("role {role}{}{}", logspaces.unwrap_or_default(), scope.unwrap_or_default())
}

/// 422 for a name that a new user or token cannot have.
pub(crate) fn check_name(name: &str) -> Result<()> {
    match name::flaw(name) {
        Some(flaw) => Err(ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, flaw).path("name")),
        None => Ok(()),
    }
}

/// The hash of a password that the user `name` wants to have; 422 where it is too weak.
pub(crate) async fn hash_password(shared: &Shared, name: &str, password: String) -> Result<String> {
    if let Some(weakness) = password::weakness(&password, name) {
        return Err(ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, weakness).path("password"));
    }
    let _permit = shared.password_permit().await?;
    Ok(crate::api::blocking(move || password::hash(&password)).await??)
}

fn check_expiry(text: &str, now: Timestamp) -> Result<Timestamp> {
    let refused = |reason: &str| {
        let detail = format!("expires_at `{text}` {reason}");
        ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, detail).path("expires_at")
    };
    match Timestamp::parse_rfc3339(text.as_bytes()) {
        None => Err(refused("is no time: write it as 2027-01-31T00:00:00Z")),
        Some(time) if time <= now => Err(refused("is in the past")),
        Some(time) => Ok(time),
    }
}
