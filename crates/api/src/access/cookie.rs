//! The browser's cookies: one for the session, and one by which the browser is recognised at the next login.
//!
//! If Logstead is served below a path of a host, its cookies are only sent there: other services of the host do not
//! see them, and another Logstead on the same host keeps its own.
//!
//! **Invariant:** a change that is made with a session's cookie carries the session's CSRF token.

use crate::error::{ApiError, Result};
use crate::problem_type::ProblemType;
use axum::http::{HeaderMap, header};
use logstead_accounts::Secret;
use logstead_config::settings::Web;
use std::time::Duration;

/// The cookie that holds a session's secret.
pub(crate) const COOKIE: &str = "logstead_session";
/// The same cookie over TLS. Browsers accept a cookie of this name only from this host, and only encrypted.
const SECURE_COOKIE: &str = "__Host-logstead_session";
/// The same cookie below a path, where browsers do not allow `__Host-`. It is accepted only encrypted, but also from
/// other hosts of the domain.
const SECURE_COOKIE_BELOW: &str = "__Secure-logstead_session";
/// The header required for changes that are authenticated by the cookie.
const CSRF_HEADER: &str = "x-csrf-token";

/// The cookie by which a browser in which a user has logged in before is recognised. It is only sent to the login.
const DEVICE_COOKIE: &str = "logstead_device";
/// The name of the cookie for a login with an OpenID provider; the provider's id is appended.
const PROVIDER_COOKIE: &str = "logstead_oidc_";
/// How long a browser keeps the device cookie: the maximum that browsers allow.
const DEVICE_LIFETIME: Duration = Duration::from_hours(24 * 400);

/// The secret in the session's cookie. If browsers reach us over TLS only, the plain cookie name is ignored: another
/// host of the domain, or anyone who can change an unencrypted response, can set a cookie of that name.
pub(crate) fn session_secret(headers: &HeaderMap, web: &Web) -> Option<Secret> {
    let plain = || secret(headers, COOKIE).filter(|_| !web.is_https());
    secret(headers, secure_name(web)).or_else(plain)
}

fn secure_name(web: &Web) -> &'static str {
    if web.base().is_empty() { SECURE_COOKIE } else { SECURE_COOKIE_BELOW }
}

/// The secret by which a browser is recognised.
pub(crate) fn device_secret(headers: &HeaderMap) -> Option<Secret> {
    secret(headers, DEVICE_COOKIE)
}

fn secret(headers: &HeaderMap, name: &str) -> Option<Secret> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(found, _)| *found == name).map(|(_, value)| Secret::presented(value))
}

/// Refuses a request without the session's CSRF token.
pub(crate) fn check_csrf(headers: &HeaderMap, web: &Web) -> Result<()> {
    let expected = session_secret(headers, web).map(|secret| secret.csrf_token());
    let sent = headers.get(CSRF_HEADER).and_then(|value| value.to_str().ok());
    match (expected, sent) {
        (Some(expected), Some(sent)) if Secret::same(&expected, sent) => Ok(()),
        _ => Err(ApiError::new(
            ProblemType::Csrf,
            "a change made with the session's cookie needs the header X-CSRF-Token, with the `csrf_token` of GET \
             /api/v1/session",
        )),
    }
}

/// Sets the session's cookie; an empty value with a lifetime of zero removes it.
pub(crate) fn session(web: &Web, value: &str, max_age_seconds: u64, secure: bool) -> String {
    let (name, secure) = if secure { (secure_name(web), "; Secure") } else { (COOKIE, "") };
    let path = if web.base().is_empty() { "/" } else { web.base() };
    format!("{name}={value}; HttpOnly; SameSite=Strict; Path={path}; Max-Age={max_age_seconds}{secure}")
}

/// The value that a browser keeps for a login that it began with an OpenID provider.
pub(crate) fn provider_value(headers: &HeaderMap, id: &str) -> Option<String> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let name = format!("{PROVIDER_COOKIE}{id}");
    pairs.find(|(found, _)| *found == name).map(|(_, value)| value.to_owned())
}

/// Sets the cookie of a login in progress, which the browser must send when it comes back from another site; an empty
/// value with a lifetime of zero removes it.
pub(crate) fn provider(web: &Web, id: &str, value: &str, max_age_seconds: u64, secure: bool) -> String {
    let (base, secure) = (web.base(), if secure { "; Secure" } else { "" });
    format!(
        "{PROVIDER_COOKIE}{id}={value}; HttpOnly; SameSite=Lax; Path={base}/api/v1/oidc/{id}; \
         Max-Age={max_age_seconds}{secure}"
    )
}

/// Sets the cookie by which a browser is recognised.
pub(crate) fn device(web: &Web, value: &str, secure: bool) -> String {
    let (seconds, secure) = (DEVICE_LIFETIME.as_secs(), if secure { "; Secure" } else { "" });
    let path = format!("{}/api/v1/session", web.base());
    format!("{DEVICE_COOKIE}={value}; HttpOnly; SameSite=Strict; Path={path}; Max-Age={seconds}{secure}")
}
