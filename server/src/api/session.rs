//! Logging in and out, and setting up the first administrator.

use super::access::{self, COOKIE, Caller};
use super::error::{ApiError, Result};
use super::extract::{Json, Peer};
use super::{Shared, accounts};
use crate::clock;
use crate::meta::{Grant, Role, Secret, password};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse, Response};
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// Stands for the set-up code where failures are counted by user; no user's name has a space.
const SETUP: &str = "set up";

/// Who is logged in.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct Session {
    authenticated: bool,
    /// There is no user yet: make the first administrator with `POST /api/v1/setup`.
    setup_required: bool,
    #[schema(required)]
    user: Option<SessionUser>,
    /// To send as `X-CSRF-Token` with every change; only with the session's cookie.
    #[schema(required)]
    csrf_token: Option<String>,
    /// When the session, or the token that was sent, ends; null for a token without an end. Using a session prolongs
    /// it by its whole lifetime, to the minute.
    #[schema(format = DateTime, required)]
    expires_at: Option<String>,
    /// Of the server.
    version: &'static str,
}

/// The user of a session.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct SessionUser {
    name: String,
    role: Role,
    /// Ids of the logspaces that the user may search; null for all.
    #[schema(required)]
    logspaces: Option<Vec<String>>,
    /// A filter that everything the user finds is within; null for none.
    #[schema(required)]
    scope: Option<String>,
}

/// Name and password.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Login {
    name: String,
    password: String,
}

/// What makes the first administrator.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Setup {
    /// The code that the server printed when it started.
    code: String,
    #[serde(default = "admin")]
    #[schema(default = "admin")]
    name: String,
    /// At least 8 characters.
    password: String,
}

fn admin() -> String {
    "admin".to_owned()
}

/// Who is logged in, and whether the first administrator is still to be made.
#[utoipa::path(get, path = "/api/v1/session", tag = "session", responses((status = 200, body = Session)))]
pub(crate) async fn get_session(State(shared): State<Shared>, headers: HeaderMap) -> Result<Response> {
    let caller = access::authenticate(&shared, &headers).await?;
    let has_users = shared.meta(|meta| meta.has_users()).await?;
    let csrf_token = caller
        .as_ref()
        .and_then(|caller| caller.session)
        .and_then(|_| access::session_secret(&headers))
        .map(|secret| secret.csrf_token());
    let cookie = caller.as_ref().and_then(|caller| access::renewed_cookie(&shared, caller, &headers));
    let session = Session {
        authenticated: caller.is_some(),
        setup_required: !has_users,
        csrf_token,
        expires_at: caller.as_ref().and_then(|caller| caller.expires_at).map(|time| time.to_string()),
        user: caller.map(|Caller { name, role, grant, .. }| SessionUser::new(name, role, &grant)),
        version: env!("CARGO_PKG_VERSION"),
    };
    let cookie = AppendHeaders(cookie.map(|cookie| (header::SET_COOKIE, cookie)));
    Ok((cookie, axum::Json(session)).into_response())
}

/// Logs in: sets the session's cookie.
#[utoipa::path(post, path = "/api/v1/session", tag = "session", responses((status = 200, body = Session)))]
pub(crate) async fn log_in(
    State(shared): State<Shared>,
    peer: Peer,
    Json(login): Json<Login>,
) -> Result<impl IntoResponse> {
    refuse_the_impatient(&shared, &login.name, peer)?;
    let permit = shared.password_permit().await?;
    // Again: of many attempts at once, those that waited here know by now how the first ones ended.
    refuse_the_impatient(&shared, &login.name, peer)?;
    let Some(user) = check_password(&shared, &login).await? else {
        shared.throttle.lock().failed(&login.name, peer.0, Instant::now());
        let name: String = login.name.chars().take(accounts::NAME_CHARS_MAX).collect();
        shared.audit(name, "session.refused", format!("from {peer}")).await?;
        return Err(ApiError::new(StatusCode::UNAUTHORIZED, "name or password is wrong"));
    };
    drop(permit);
    shared.throttle.lock().succeeded(&login.name, peer.0);
    shared.audit(user.name.clone(), "session.begin", format!("from {peer}")).await?;
    begin(&shared, user).await
}

/// Logs out: ends the session and forgets the cookie.
#[utoipa::path(delete, path = "/api/v1/session", tag = "session", responses((status = 204)))]
pub(crate) async fn log_out(State(shared): State<Shared>, headers: HeaderMap) -> Result<impl IntoResponse> {
    if let Some(Caller { session: Some(hash), name, .. }) = access::authenticate(&shared, &headers).await? {
        access::check_csrf(&headers)?;
        shared.meta(move |meta| meta.remove_session(hash)).await?;
        shared.audit(name, "session.end", String::new()).await?;
    }
    let cookie = cookie("", 0, shared.state.secure_cookie);
    Ok((StatusCode::NO_CONTENT, AppendHeaders([(header::SET_COOKIE, cookie)])))
}

/// Makes the first administrator and logs in.
#[utoipa::path(post, path = "/api/v1/setup", tag = "session", responses((status = 200, body = Session)))]
pub(crate) async fn set_up(
    State(shared): State<Shared>,
    peer: Peer,
    Json(setup): Json<Setup>,
) -> Result<impl IntoResponse> {
    if shared.meta(|meta| meta.has_users()).await? {
        return Err(crate::meta::Error::AlreadySetUp.into());
    }
    refuse_the_impatient(&shared, SETUP, peer)?;
    let code = setup.code.trim().to_ascii_uppercase();
    if !shared.state.setup_code.as_deref().is_some_and(|expected| access::same(expected, &code)) {
        shared.throttle.lock().failed(SETUP, peer.0, Instant::now());
        shared.audit(String::new(), "setup.refused", format!("from {peer}")).await?;
        return Err(ApiError::forbidden("the code is wrong: the server printed it when it started"));
    }
    accounts::check_name(&setup.name)?;
    let hash = accounts::hash_password(&shared, setup.password).await?;
    let name = setup.name.clone();
    shared.meta(move |meta| meta.add_first_admin(&name, &hash, clock::now())).await?;
    shared.audit(setup.name.clone(), "setup", format!("first administrator, from {peer}")).await?;
    begin(&shared, SessionUser::new(setup.name, Role::Admin, &Grant::default())).await
}

fn refuse_the_impatient(shared: &Shared, name: &str, peer: Peer) -> Result<()> {
    let Some(wait) = shared.throttle.lock().wait(name, peer.0, Instant::now()) else { return Ok(()) };
    let seconds = wait.as_secs() + 1;
    let detail = format!("too many failed attempts: try again in {seconds} s");
    Err(ApiError::new(StatusCode::TOO_MANY_REQUESTS, detail).retry_after_seconds(seconds))
}

/// The user as stored, where the password fits.
async fn check_password(shared: &Shared, login: &Login) -> Result<Option<SessionUser>> {
    let (name, password) = (login.name.clone(), login.password.clone());
    shared
        .meta(move |meta| {
            let found = meta.credentials(&name)?;
            let fits = password::verify(&password, found.as_ref().map(|user| user.password_hash.as_str()));
            Ok(found.filter(|_| fits).map(|user| SessionUser::new(user.name, user.role, &user.grant)))
        })
        .await
}

async fn begin(shared: &Shared, user: SessionUser) -> Result<impl IntoResponse + use<>> {
    let secret = Secret::session()?;
    let (hash, name) = (secret.hash(), user.name.clone());
    let lifetime = shared.session_lifetime();
    let expires_at = shared.meta(move |meta| meta.add_session(&name, hash, lifetime, clock::now())).await?;
    let cookie = cookie(secret.reveal(), lifetime.as_secs(), shared.state.secure_cookie);
    let session = Session {
        authenticated: true,
        setup_required: false,
        user: Some(user),
        csrf_token: Some(secret.csrf_token()),
        expires_at: Some(expires_at.to_string()),
        version: env!("CARGO_PKG_VERSION"),
    };
    Ok((AppendHeaders([(header::SET_COOKIE, cookie)]), axum::Json(session)))
}

impl SessionUser {
    fn new(name: String, role: Role, grant: &Grant) -> SessionUser {
        SessionUser { name, role, logspaces: grant.logspaces.clone(), scope: grant.scope.clone() }
    }
}

pub(crate) fn cookie(value: &str, max_age_seconds: u64, secure: bool) -> String {
    let secure = if secure { "; Secure" } else { "" };
    format!("{COOKIE}={value}; HttpOnly; SameSite=Strict; Path=/; Max-Age={max_age_seconds}{secure}")
}
