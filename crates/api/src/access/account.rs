//! The user's own account: their sessions and their second factor. (A new password is set in [`super::users`], where
//! administrators set those of others.)
//!
//! **Invariant:** anything that an unattended session could be misused for asks for the password: setting up, removing
//! and renewing the factors of a login. Ending sessions does not.

use super::credentials::{check_current, succeeded, use_code};
use crate::access::throttle::LoginAttempt;
use crate::access::{Call, Caller};
use crate::error::{ApiError, Result};
use crate::extract::{Json, Path, Peer};
use crate::state::ApiInner;
use axum::http::StatusCode;
use logstead_accounts::{Account as Owner, ListedSession, Role, TotpSecret, typed};
use logstead_flow::machine::clock;
use serde::{Deserialize, Serialize};

/// The caller's own account.
#[derive(Serialize, utoipa::ToSchema)]
#[schema(as = Account)]
pub(crate) struct OwnAccount {
    name: String,
    role: Role,
    /// Ids of the logspaces that may be searched; null for all.
    #[schema(required)]
    logspaces: Option<Vec<String>>,
    /// A filter that limits everything that is found; null for none.
    #[schema(required)]
    scope: Option<String>,
    /// The provider that keeps the password: `oidc:ID` or `ldap:ID`; null if Logstead keeps it, so that it can be
    /// changed here.
    #[schema(required)]
    origin: Option<String>,
    /// The second factor; null without one.
    #[schema(required)]
    second_factor: Option<SecondFactor>,
    /// The role requires a second factor, so it cannot be given up.
    second_factor_demanded: bool,
}

/// A second factor.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct SecondFactor {
    /// When it was set up.
    #[schema(format = DateTime)]
    since: String,
    /// Recovery codes that were not used yet.
    recovery_codes_left: u32,
}

/// A session.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct ListedSessionBody {
    /// The id by which it can be ended.
    id: String,
    /// Whether it is the session of this request.
    current: bool,
    #[schema(format = DateTime)]
    began_at: String,
    /// The time of the last use, to the minute.
    #[schema(format = DateTime)]
    last_used: String,
    /// The time when it ends if it is not used.
    #[schema(format = DateTime)]
    expires_at: String,
    /// The address from which the login came; null if that is not known.
    #[schema(required)]
    address: Option<String>,
    /// The browser's User-Agent; null if it sent none.
    #[schema(required)]
    user_agent: Option<String>,
}

/// Sessions, the last used first.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct Sessions {
    sessions: Vec<ListedSessionBody>,
}

/// The password again.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CurrentPassword {
    /// Required as at a login.
    #[serde(default)]
    current_password: Option<String>,
}

/// A secret to give to an authenticator app.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct TotpEnrolment {
    /// The secret in base 32, to type in: 30 seconds, 6 digits, SHA-1.
    secret: String,
    /// The URI for a QR code.
    uri: String,
}

/// The first code shown by the app.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FirstCode {
    /// Six digits.
    code: String,
}

/// Codes to use if the app is lost. They are shown only this once.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct RecoveryCodes {
    /// The codes; each works once.
    recovery_codes: Vec<String>,
}

/// A password and a code, as at a login.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BothFactors {
    /// Required as at a login.
    #[serde(default)]
    current_password: Option<String>,
    /// A code from the app, or a recovery code.
    code: String,
}

/// The caller's own account.
#[utoipa::path(get, path = "/api/v1/account", tag = "account", responses((status = 200, body = OwnAccount)))]
pub(crate) async fn get_account(call: Call) -> Result<axum::Json<OwnAccount>> {
    let (name, id) = (call.caller.name.clone(), user_id(&call.caller)?);
    let read = call.meta(move |meta| Ok((meta.credentials(&name)?, meta.second_factor(id)?)));
    let (credentials, second_factor) = read.await?;
    let origin = credentials.and_then(|user| user.origin);
    let second_factor_demanded = call.shared.must_enrol(call.caller.role, origin.as_deref(), false);
    Ok(axum::Json(OwnAccount {
        name: call.caller.name,
        role: call.caller.role,
        logspaces: call.caller.grant.logspaces.clone(),
        scope: call.caller.grant.scope.clone(),
        origin,
        second_factor: second_factor.map(|factor| SecondFactor {
            since: factor.since.to_string(),
            recovery_codes_left: factor.recovery_codes_left,
        }),
        second_factor_demanded,
    }))
}

/// The caller's own sessions, the last used first.
#[utoipa::path(get, path = "/api/v1/account/sessions", tag = "account", responses((status = 200, body = Sessions)))]
pub(crate) async fn list_sessions(call: Call) -> Result<axum::Json<Sessions>> {
    let name = call.caller.name.clone();
    let sessions = call.meta(move |meta| meta.sessions_of(&name, clock::now())).await?;
    Ok(axum::Json(listed(sessions, call.caller.session)))
}

/// Ends all of the caller's sessions except the one that sent the request.
#[utoipa::path(delete, path = "/api/v1/account/sessions", tag = "account", responses((status = 204)))]
pub(crate) async fn end_other_sessions(call: Call) -> Result<StatusCode> {
    let (name, keep) = (call.caller.name.clone(), call.caller.session);
    let ended = call.meta(move |meta| meta.end_sessions_of(&name, keep, clock::now())).await?;
    call.audit("session.revoke", format!("{ended} others")).await;
    Ok(StatusCode::NO_CONTENT)
}

/// Ends one of the caller's sessions.
#[utoipa::path(delete, path = "/api/v1/account/sessions/{id}", tag = "account", params(("id" = String, Path)), responses((status = 204)))]
pub(crate) async fn end_session(call: Call, Path(id): Path<String>) -> Result<StatusCode> {
    let (name, session) = (call.caller.name.clone(), id.clone());
    if !call.meta(move |meta| meta.end_session_of(&name, &session, clock::now())).await? {
        return Err(ApiError::not_found(format!("you have no session {id}: it may have ended")));
    }
    call.audit("session.revoke", id).await;
    Ok(StatusCode::NO_CONTENT)
}

/// Begins to set up a second factor: returns a secret for an authenticator app. It takes effect once its first code
/// was sent.
#[utoipa::path(post, path = "/api/v1/account/totp", tag = "account", request_body = CurrentPassword, responses((status = 200, body = TotpEnrolment)))]
pub(crate) async fn begin_totp(
    call: Call,
    peer: Peer,
    Json(asked): Json<CurrentPassword>,
) -> Result<axum::Json<TotpEnrolment>> {
    let id = user_id(&call.caller)?;
    check_current(&call, peer, asked.current_password.as_deref()).await?;
    let secret = TotpSecret::new()?;
    let (secret_text, uri) = (secret.base32(), secret.uri(host(&call.shared), &call.caller.name));
    call.meta(move |meta| meta.begin_totp(id, &secret, clock::now())).await?;
    Ok(axum::Json(TotpEnrolment { secret: secret_text, uri }))
}

/// Finishes setting up a second factor, and shows the recovery codes this once.
#[utoipa::path(put, path = "/api/v1/account/totp", tag = "account", request_body = FirstCode, responses((status = 200, body = RecoveryCodes)))]
pub(crate) async fn confirm_totp(
    call: Call,
    Json(first): Json<FirstCode>,
) -> Result<axum::Json<RecoveryCodes>> {
    // Guessing is pointless here: a caller who could ask for the secret can compute the codes.
    let id = user_id(&call.caller)?;
    let wrong = || {
        let detail =
            "this code is wrong: type the one that the app shows now, and check the clock of its device";
        ApiError::invalid(detail).path("code")
    };
    let code = typed(&first.code).ok_or_else(wrong)?;
    let confirmed = call.meta(move |meta| meta.confirm_totp(id, &code, clock::now())).await?;
    let recovery_codes = confirmed.ok_or_else(wrong)?;
    call.audit("totp.enable", "").await;
    Ok(axum::Json(RecoveryCodes { recovery_codes }))
}

/// Gives up the second factor.
#[utoipa::path(post, path = "/api/v1/account/totp/remove", tag = "account", request_body = BothFactors, responses((status = 204)))]
pub(crate) async fn remove_totp(
    call: Call,
    peer: Peer,
    Json(asked): Json<BothFactors>,
) -> Result<StatusCode> {
    let id = user_id(&call.caller)?;
    check_current(&call, peer, asked.current_password.as_deref()).await?;
    let attempt = LoginAttempt::new(&call.caller.name, peer.0, None);
    if !use_code(&call.shared, &attempt, id, &call.caller.name, asked.code.trim()).await? {
        let detail = "this code is wrong, or was used before";
        return Err(ApiError::invalid(detail).path("code"));
    }
    succeeded(&call.shared, &attempt);
    call.meta(move |meta| meta.remove_totp(id)).await?;
    call.audit("totp.disable", "").await;
    Ok(StatusCode::NO_CONTENT)
}

/// Creates new recovery codes, which are shown only this once; all older ones stop working.
#[utoipa::path(
    post, path = "/api/v1/account/recovery-codes", tag = "account", request_body = CurrentPassword, responses((status = 200, body = RecoveryCodes))
)]
pub(crate) async fn renew_recovery_codes(
    call: Call,
    peer: Peer,
    Json(asked): Json<CurrentPassword>,
) -> Result<axum::Json<RecoveryCodes>> {
    let id = user_id(&call.caller)?;
    check_current(&call, peer, asked.current_password.as_deref()).await?;
    let recovery_codes = call.meta(move |meta| meta.renew_recovery_codes(id)).await?;
    call.audit("totp.codes", "new recovery codes").await;
    Ok(axum::Json(RecoveryCodes { recovery_codes }))
}

/// Sessions as the API shows them; `current` is the hash of the one that sent the request.
pub(super) fn listed(sessions: Vec<ListedSession>, current: Option<[u8; 32]>) -> Sessions {
    let listed = sessions.into_iter().map(|session| ListedSessionBody {
        current: Some(session.hash) == current,
        id: session.id,
        began_at: session.began_at.to_string(),
        last_used: session.seen_at.to_string(),
        expires_at: session.expires_at.to_string(),
        address: session.browser.address,
        user_agent: session.browser.agent,
    });
    Sessions { sessions: listed.collect() }
}

/// The id of the caller's user. Only sessions of users reach the routes of one's own account.
pub(super) fn user_id(caller: &Caller) -> Result<i64> {
    match caller.account {
        Owner::User(id) => Ok(id),
        Owner::Token(_) | Owner::Environment => Err(ApiError::internal("a session that is not a user's")),
    }
}

/// The host that an authenticator app shows beside the user's name, which distinguishes several installations.
fn host(shared: &ApiInner) -> &str {
    let url = shared.state.settings.web.public_url.as_str();
    url.split_once("://").map_or("", |(_, host)| host.trim_end_matches('/'))
}
