//! Logging in and out, and setting up the first administrator.

use super::credentials::{
    check_name, check_password, check_second_factor, hash_password, refuse_the_impatient, succeeded,
};
use super::{authenticate, cookie};
use crate::access::Caller;
use crate::access::throttle::LoginAttempt;
use crate::error::{ApiError, Result};
use crate::extract::{Peer, StrangersJson as Json};
use crate::peer::Client;
use crate::problem_type::ProblemType;
use crate::state::SharedState;
use crate::web::Deadlines;
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse, Response};
use logstead_accounts::{Account, Actor, Browser, Credentials, Grant, Role, Secret, name};
use logstead_flow::machine::clock;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Instant;

/// The name under which failures with the set-up code are counted; names of users have no spaces.
const SETUP: &str = "set up";
/// Maximum number of characters of a browser's User-Agent that are kept.
const AGENT_CHARS_MAX: usize = 300;

/// The login of this browser.
#[derive(Serialize, utoipa::ToSchema)]
#[schema(as = Session)]
pub(crate) struct SessionState {
    authenticated: bool,
    /// Whether no user exists yet; then create the first administrator with `POST /api/v1/setup`.
    setup_required: bool,
    #[schema(required)]
    user: Option<SessionUser>,
    /// The token to send as `X-CSRF-Token` with every change; only present with the session's cookie.
    #[schema(required)]
    csrf_token: Option<String>,
    /// When the session, or the token that was sent, ends; null for a token without an end. Using a session prolongs it
    /// by its whole lifetime, to the minute, up to the age in the setting `web.session_max`.
    #[schema(format = DateTime, required)]
    expires_at: Option<String>,
    /// The user's role requires a second factor, and the user has none: nothing else is answered until it is set up
    /// with `POST /api/v1/account/totp`.
    second_factor_required: bool,
    /// Other ways to log in: each with `GET /api/v1/oidc/{id}/login`, in a browser.
    providers: Vec<Provider>,
    /// The version of the server.
    version: &'static str,
}

/// An OpenID provider.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct Provider {
    id: String,
    /// The text for its button.
    label: String,
}

/// The user of a session.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct SessionUser {
    name: String,
    role: Role,
    /// Ids of the logspaces that the user may search; null for all.
    #[schema(required)]
    logspaces: Option<Vec<String>>,
    /// A filter that limits everything the user finds; null for none.
    #[schema(required)]
    scope: Option<String>,
}

/// A name and a password.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Login {
    name: String,
    password: String,
    /// A code from the authenticator app, or a recovery code; for users with a second factor. Without it, a right
    /// password is answered with 401 and the `path` `code`.
    #[serde(default)]
    code: Option<String>,
}

/// The first administrator to create.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Setup {
    /// The code that the server printed when it started.
    code: String,
    #[serde(default = "admin")]
    #[schema(default = "admin", min_length = 1, max_length = 64, pattern = "^[a-z0-9][a-z0-9._@-]*$")]
    name: String,
    /// The password: at least 8 characters, and not easy to guess.
    #[schema(min_length = 8, max_length = 1024)]
    password: String,
}

fn admin() -> String {
    "admin".to_owned()
}

/// The login of this browser, and whether the first administrator has to be created.
#[utoipa::path(get, path = "/api/v1/session", tag = "session", responses((status = 200, body = SessionState)))]
pub(crate) async fn get_session(
    State(shared): State<SharedState>,
    Extension(client): Extension<Client>,
    deadlines: Option<Extension<Arc<Deadlines>>>,
    headers: HeaderMap,
) -> Result<Response> {
    let caller = authenticate::authenticate(&shared, &headers).await?;
    if let Some(Extension(deadlines)) = deadlines.filter(|_| caller.is_some()) {
        deadlines.authenticated();
    }
    let is_set_up = shared.is_set_up().await?;
    let csrf_token = caller
        .as_ref()
        .and_then(|caller| caller.session)
        .and_then(|_| cookie::session_secret(&headers, &shared.state.settings.web))
        .map(|secret| secret.csrf_token());
    let renewed = |caller| authenticate::renewed_cookie(&shared, caller, &headers, Some(client));
    let cookie = caller.as_ref().and_then(renewed);
    let session = SessionState {
        authenticated: caller.is_some(),
        setup_required: !is_set_up,
        csrf_token,
        expires_at: caller.as_ref().and_then(|caller| caller.expires_at).map(|time| time.to_string()),
        second_factor_required: caller.as_ref().is_some_and(|caller| caller.must_enrol),
        user: caller.map(|Caller { name, role, grant, .. }| SessionUser::new(name, role, &grant)),
        providers: providers(&shared),
        version: env!("CARGO_PKG_VERSION"),
    };
    let cookie = AppendHeaders(cookie.map(|cookie| (header::SET_COOKIE, cookie)));
    Ok((cookie, axum::Json(session)).into_response())
}

/// Logs in: sets the session's cookie.
#[utoipa::path(post, path = "/api/v1/session", tag = "session", request_body = Login, responses((status = 200, body = SessionState)))]
pub(crate) async fn log_in(
    State(shared): State<SharedState>,
    Extension(client): Extension<Client>,
    peer: Peer,
    headers: HeaderMap,
    Json(login): Json<Login>,
) -> Result<impl IntoResponse> {
    let device = known_device(&shared, &login.name, &headers).await?;
    let attempt = LoginAttempt::new(&login.name, peer.0, device.as_ref().map(Secret::hash));
    let Some(user) = check_password(&shared, &attempt, &login.name, login.password).await? else {
        let name: String = login.name.chars().take(name::NAME_CHARS_MAX).collect();
        shared.audit(name.as_str().into(), "session.refused", format!("from {peer}")).await;
        return Err(ApiError::new(ProblemType::WrongPassword, "name or password is wrong"));
    };
    check_second_factor(&shared, &attempt, &user, login.code.as_deref()).await?;
    succeeded(&shared, &attempt);
    let actor = Actor { account: Some(Account::User(user.id)), name: user.name.clone() };
    shared.audit(actor, "session.begin", format!("from {peer}")).await;
    begin(&shared, user, client, &headers, device).await
}

/// Logs out: ends the session and removes the cookie.
#[utoipa::path(delete, path = "/api/v1/session", tag = "session", responses((status = 204)))]
pub(crate) async fn log_out(
    State(shared): State<SharedState>,
    headers: HeaderMap,
) -> Result<impl IntoResponse> {
    let caller = authenticate::authenticate(&shared, &headers).await?;
    if let Some((hash, caller)) = caller.and_then(|caller| Some((caller.session?, caller))) {
        cookie::check_csrf(&headers, &shared.state.settings.web)?;
        shared.meta(move |meta| meta.remove_session(hash)).await?;
        shared.audit(caller.actor(), "session.end", String::new()).await;
    }
    let web = &shared.state.settings.web;
    let forgotten = [false, true].map(|secure| (header::SET_COOKIE, cookie::session(web, "", 0, secure)));
    Ok((StatusCode::NO_CONTENT, AppendHeaders(forgotten)))
}

/// Creates the first administrator and logs in.
#[utoipa::path(post, path = "/api/v1/setup", operation_id = "set_up_server", tag = "session", request_body = Setup, responses((status = 200, body = SessionState)))]
pub(crate) async fn set_up(
    State(shared): State<SharedState>,
    Extension(client): Extension<Client>,
    peer: Peer,
    headers: HeaderMap,
    Json(setup): Json<Setup>,
) -> Result<impl IntoResponse> {
    if shared.is_set_up().await? {
        return Err(logstead_accounts::Error::AlreadySetUp.into());
    }
    let attempt = LoginAttempt::new(SETUP, peer.0, None);
    refuse_the_impatient(&shared, &attempt)?;
    let code = letters(&setup.code);
    if !shared.state.setup_code.as_deref().is_some_and(|expected| Secret::same(&letters(expected), &code)) {
        shared.throttle.lock().failed(&attempt, Instant::now());
        shared.audit("".into(), "setup.refused", format!("from {peer}")).await;
        let detail = "the code is wrong: the server printed it when it started";
        return Err(ApiError::new(ProblemType::WrongSetupCode, detail).path("code"));
    }
    check_name(&setup.name)?;
    let hash = hash_password(&shared, &setup.name, setup.password).await?;
    let name = setup.name.clone();
    let made = shared.meta(move |meta| {
        meta.add_first_admin(&name, &hash, clock::now())?;
        meta.credentials(&name)
    });
    let user = made.await?.ok_or_else(|| {
        ApiError::internal("the first administrator was created, and does not exist any more")
    })?;
    let actor = Actor { account: Some(Account::User(user.id)), name: setup.name };
    shared.audit(actor, "setup", format!("first administrator, from {peer}")).await;
    begin(&shared, user, client, &headers, None).await
}

/// The significant characters of a typed code: dashes are ignored, and so is case.
fn letters(code: &str) -> String {
    code.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_uppercase()).collect()
}

/// Sets the cookies of a session.
pub(super) type Cookies = AppendHeaders<[(header::HeaderName, String); 2]>;

fn providers(shared: &SharedState) -> Vec<Provider> {
    let providers = shared.state.settings.accounts.oidc.iter();
    providers.map(|oidc| Provider { id: oidc.id.clone(), label: oidc.label.clone() }).collect()
}

/// The facts about a browser that the list of sessions shows.
fn browser(client: Client, headers: &HeaderMap) -> Browser {
    let agent = headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok());
    Browser {
        address: client.address.map(|address| address.to_string()),
        agent: agent.map(|text| text.chars().take(AGENT_CHARS_MAX).collect()),
    }
}

/// The secret of a browser in which this user has logged in before.
pub(super) async fn known_device(
    shared: &SharedState,
    name: &str,
    headers: &HeaderMap,
) -> Result<Option<Secret>> {
    let Some(secret) = cookie::device_secret(headers) else { return Ok(None) };
    let (name, hash) = (name.to_owned(), secret.hash());
    let is_known = shared.meta(move |meta| meta.knows_device(&name, hash)).await?;
    Ok(is_known.then_some(secret))
}

/// Begins a session in a browser, which is remembered from now on. If the browser presents a secret that is unknown
/// for this user, it gets a new one: the secret may have been planted.
pub(super) async fn begin(
    shared: &SharedState,
    user: Credentials,
    client: Client,
    headers: &HeaderMap,
    known_device: Option<Secret>,
) -> Result<(Cookies, axum::Json<SessionState>)> {
    let secret = Secret::session()?;
    let device = known_device.map_or_else(Secret::session, Ok)?;
    let (id, hash, device_hash) = (user.id, secret.hash(), device.hash());
    let (limits, browser) = (shared.session_limits(), browser(client, headers));
    let begun = shared.meta(move |meta| {
        let now = clock::now();
        let expires_at = meta.add_session(id, hash, &browser, &limits, now)?;
        // The login succeeds even if the browser cannot be remembered.
        if let Err(error) = meta.add_device(id, device_hash, now) {
            tracing::debug!("a browser cannot be remembered: {error}");
        }
        Ok(expires_at)
    });
    let expires_at = begun.await?;
    let (web, is_encrypted) = (&shared.state.settings.web, authenticate::is_encrypted(shared, Some(client)));
    let cookies = [
        (header::SET_COOKIE, cookie::session(web, secret.reveal(), limits.idle_max.as_secs(), is_encrypted)),
        (header::SET_COOKIE, cookie::device(web, device.reveal(), is_encrypted)),
    ];
    let session = SessionState {
        authenticated: true,
        setup_required: false,
        second_factor_required: shared.must_enrol(user.role, user.origin.as_deref(), user.has_second_factor),
        user: Some(SessionUser::new(user.name, user.role, &user.grant)),
        providers: providers(shared),
        csrf_token: Some(secret.csrf_token()),
        expires_at: Some(expires_at.to_string()),
        version: env!("CARGO_PKG_VERSION"),
    };
    Ok((AppendHeaders(cookies), axum::Json(session)))
}

impl SessionUser {
    fn new(name: String, role: Role, grant: &Grant) -> SessionUser {
        SessionUser { name, role, logspaces: grant.logspaces.clone(), scope: grant.scope.clone() }
    }
}
