//! Logging in with an OpenID provider: a browser goes there, and comes back with a code.
//!
//! **Invariant:** a browser can only finish the login that it began itself, and only at the provider where it began.
//! **Invariant:** a failed login shows one of our own reasons; the provider's words are in the log.

use super::credentials::refuse_the_impatient;
use super::external::known;
use super::session::{begin, known_device};
use super::{authenticate, cookie};
use crate::access::throttle::LoginAttempt;
use crate::error::{ApiError, Result};
use crate::extract::{Path, Peer, Query};
use crate::peer::Client;
use crate::state::SharedState;
use crate::waiting::{blocking, places};
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use logstead_accounts as accounts;
use logstead_accounts::identity::Person;
use logstead_accounts::identity::oidc::{LoginReturn, Provider};
use logstead_accounts::{Account, Actor, Credentials, Secret};
use logstead_config::settings::Web;
use logstead_flow::machine::clock;
use serde::Deserialize;
use std::sync::Arc;
use std::time::Instant;

/// The page that a login leads to if no page asked for it.
const FIRST_PAGE: &str = "/search";
/// How long a login may take at the provider.
const LOGIN_SECONDS_MAX: u64 = 900;
/// Maximum length of the page to come back to, of a code, and of a state.
const TEXT_BYTES_MAX: usize = 4000;

/// The page to show after the login.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct LoginQuery {
    /// A page of the console, such as `/search?q=error`.
    #[param(default = "/search")]
    to: Option<String>,
}

/// The parameters that a provider sends along; there may be others.
#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct CallbackQuery {
    code: Option<String>,
    state: Option<String>,
    iss: Option<String>,
    error: Option<String>,
    error_description: Option<String>,
}

/// Why a login was refused: a word in the address that the console translates into a text.
#[derive(Clone, Copy)]
enum Reason {
    Denied,
    Expired,
    NoGroup,
    NameTaken,
    Disabled,
    Failed,
}

impl Reason {
    fn word(self) -> &'static str {
        match self {
            Reason::Denied => "denied",
            Reason::Expired => "expired",
            Reason::NoGroup => "no_group",
            Reason::NameTaken => "name_taken",
            Reason::Disabled => "disabled",
            Reason::Failed => "failed",
        }
    }
}

/// Sends a browser to an OpenID provider to log in there.
#[utoipa::path(
    get, path = "/api/v1/oidc/{id}/login", operation_id = "start_oidc_login", tag = "session",
    params(("id" = String, Path), LoginQuery), responses((status = 303))
)]
pub(crate) async fn log_in_with(
    State(shared): State<SharedState>,
    Extension(client): Extension<Client>,
    Path(id): Path<String>,
    Query(query): Query<LoginQuery>,
) -> Result<Response> {
    let (provider, web) = (provider(&shared, &id)?, &shared.state.settings.web);
    let to = query.to.filter(|to| is_page(to)).unwrap_or_else(|| FIRST_PAGE.to_owned());
    let secret = Secret::session()?;
    let value = format!("{}.{}", secret.reveal(), URL_SAFE_NO_PAD.encode(&to));
    let _turn = places(&shared.providers_asked, 1, "too many people are logging in at once").await?;
    let address = match blocking(move || provider.address(&secret)).await? {
        Ok(address) => address,
        Err(error) => {
            tracing::warn!("nobody can log in with {id}: {error}");
            return Ok(see(&away(web, &to, Reason::Failed)).into_response());
        }
    };
    let is_encrypted = authenticate::is_encrypted(&shared, Some(client));
    let cookie = cookie::provider(web, &id, &value, LOGIN_SECONDS_MAX, is_encrypted);
    Ok((AppendHeaders([(header::SET_COOKIE, cookie)]), see(&address)).into_response())
}

/// Receives a browser that an OpenID provider sends back. Begins a session and redirects to the page that was asked
/// for.
#[utoipa::path(
    get, path = "/api/v1/oidc/{id}/callback", operation_id = "finish_oidc_login", tag = "session",
    params(("id" = String, Path), CallbackQuery), responses((status = 303))
)]
pub(crate) async fn come_back(
    State(shared): State<SharedState>,
    Extension(client): Extension<Client>,
    peer: Peer,
    Path(id): Path<String>,
    Query(query): Query<CallbackQuery>,
    headers: HeaderMap,
) -> Result<Response> {
    let (provider, web) = (provider(&shared, &id)?, &shared.state.settings.web);
    let begun = cookie::provider_value(&headers, &id).and_then(|value| begun(&value));
    let (secret, to) = begun.map_or((None, FIRST_PAGE.to_owned()), |(secret, to)| (Some(secret), to));
    // A login is finished only once, whether it succeeds or not.
    let is_encrypted = authenticate::is_encrypted(&shared, Some(client));
    let forget = AppendHeaders([(header::SET_COOKIE, cookie::provider(web, &id, "", 0, is_encrypted))]);
    let origin = format!("oidc:{id}");
    match admitted(&shared, provider, secret, peer, &headers, query).await {
        Ok(user) => {
            let actor = Actor { account: Some(Account::User(user.id)), name: user.name.clone() };
            shared.audit(actor, "session.begin", format!("from {peer} with {origin}")).await;
            let device = known_device(&shared, &user.name, &headers).await?;
            let (cookies, _) = begin(&shared, user, client, &headers, device).await?;
            Ok((forget, cookies, see(&(web.base().to_owned() + &to))).into_response())
        }
        Err((reason, told)) => {
            tracing::warn!("a login with {origin} from {peer} failed: {told}");
            let detail = format!("from {peer} with {origin}: {}", reason.word());
            shared.audit("".into(), "session.refused", detail).await;
            Ok((forget, see(&away(web, &to, reason))).into_response())
        }
    }
}

/// The user who came back, or the reason for refusing them and the entry to log.
async fn admitted(
    shared: &SharedState,
    provider: Arc<Provider>,
    secret: Option<Secret>,
    peer: Peer,
    headers: &HeaderMap,
    query: CallbackQuery,
) -> Result<Credentials, (Reason, String)> {
    let expired = || (Reason::Expired, "this browser has no login to finish".to_owned());
    let (secret, state) = (secret.ok_or_else(expired)?, query.state.unwrap_or_default());
    if !provider.is_state_of(&secret, &state) {
        return Err((Reason::Expired, "the state does not belong to this login".to_owned()));
    }
    if let Some(error) = query.error {
        let told = format!("the provider says {error}: {}", query.error_description.unwrap_or_default());
        return Err((Reason::Denied, shortened(&told)));
    }
    let code = query.code.filter(|code| code.len() <= TEXT_BYTES_MAX);
    let code = code.ok_or_else(|| (Reason::Failed, "the provider sent no code".to_owned()))?;
    let failed = |told: String| (Reason::Failed, told);
    let device = device(shared, headers)
        .await
        .map_err(|_| failed("too many people are logging in at once".to_owned()))?;
    let attempt = attempt(peer, &secret, device);
    refuse_the_impatient(shared, &attempt).map_err(|_| failed("too many failed attempts".to_owned()))?;
    let back = LoginReturn { code, state, iss: query.iss };
    let asked = provider.clone();
    let person = {
        let turn = places(&shared.providers_asked, 1, "too many people are logging in at once").await;
        let _turn = turn.map_err(|_| failed("too many people are logging in at once".to_owned()))?;
        blocking(move || asked.person(&secret, &back)).await
    };
    let person = match person {
        Ok(Ok(person)) => person,
        Ok(Err(told)) => {
            shared.throttle.lock().failed(&attempt, Instant::now());
            return Err(failed(shortened(&told)));
        }
        Err(_) => return Err(failed("it could not be reached".to_owned())),
    };
    shared.throttle.lock().succeeded(&attempt);
    let settings = &provider.settings;
    admit(shared, &person, &format!("oidc:{}", settings.id), &settings.grants).await
}

/// The attempt as the throttle counts it. Every code makes us ask the provider, so a browser that sends wrong ones
/// has to wait, by the rules for passwords. Each login that a browser began counts as a name of its own, so others in
/// its network only wait once the network has reached its limit of failures. A browser in which somebody has logged
/// in before waits for its own failures alone.
fn attempt(peer: Peer, login: &Secret, known_device: Option<[u8; 32]>) -> LoginAttempt {
    match known_device {
        Some(device) => LoginAttempt::new("oidc", peer.0, Some(device)),
        None => LoginAttempt::new(&format!("oidc {}", URL_SAFE_NO_PAD.encode(login.hash())), peer.0, None),
    }
}

/// The browser, if anybody has logged in with it before.
async fn device(shared: &SharedState, headers: &HeaderMap) -> Result<Option<[u8; 32]>> {
    let Some(hash) = cookie::device_secret(headers).map(|secret| secret.hash()) else { return Ok(None) };
    Ok(shared.meta(move |meta| meta.is_device(hash)).await?.then_some(hash))
}

async fn admit(
    shared: &SharedState,
    person: &Person,
    origin: &str,
    grants: &[logstead_config::accounts::GroupGrant],
) -> Result<Credentials, (Reason, String)> {
    let known = known(person, origin, grants).map_err(|told| (Reason::NoGroup, told))?;
    let user = shared.state.meta.clone();
    let admitted = blocking(move || user.admit(&known, clock::now())).await;
    match admitted {
        Ok(Ok(user)) if user.is_disabled => Err((Reason::Disabled, format!("{} is disabled", user.name))),
        Ok(Ok(user)) => Ok(user),
        Ok(Err(error @ accounts::Error::NameTaken(_))) => Err((Reason::NameTaken, error.to_string())),
        Ok(Err(error)) => Err((Reason::Failed, error.to_string())),
        Err(_) => Err((Reason::Failed, "the database could not be read or written".to_owned())),
    }
}

fn provider(shared: &SharedState, id: &str) -> Result<Arc<Provider>> {
    let found = shared.providers.iter().find(|provider| provider.settings.id == id);
    found.cloned().ok_or_else(|| ApiError::not_found(format!("there is no OpenID provider `{id}`")))
}

/// The secret and the page of a login that a browser began.
fn begun(value: &str) -> Option<(Secret, String)> {
    let (secret, page) = value.split_once('.')?;
    let page = String::from_utf8(URL_SAFE_NO_PAD.decode(page).ok()?).ok()?;
    Some((Secret::presented(secret), page)).filter(|(_, page)| is_page(page))
}

/// Whether it is a page of ours, as seen from the root of the host. Browsers take `//host` and `/\host` for other
/// hosts, and a `..`, however it is written, may lead to something else on ours.
fn is_page(to: &str) -> bool {
    let path = to.split(['?', '#']).next().unwrap_or_default().to_ascii_lowercase().replace("%2e", ".");
    let steps_up = path.split('/').any(|name| name == "..");
    let is_ours = to.starts_with('/') && !to.starts_with("//") && !to.contains('\\') && !steps_up;
    is_ours && to.len() <= TEXT_BYTES_MAX && to.bytes().all(|byte| byte.is_ascii_graphic())
}

/// The address of the page, with the reason why the login was refused.
fn away(web: &Web, page: &str, reason: Reason) -> String {
    let joint = if page.contains('?') { '&' } else { '?' };
    format!("{}{page}{joint}sso={}", web.base(), reason.word())
}

fn see(address: &str) -> impl IntoResponse + use<> {
    (StatusCode::SEE_OTHER, AppendHeaders([(header::LOCATION, address.to_owned())]))
}

/// A text from outside, shortened for a line of the log.
fn shortened(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(1000).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use logstead_config::settings::Layers;

    #[test]
    fn who_fails_behind_a_shared_address_does_not_keep_the_others_there_waiting() {
        let (peer, now) = (Peer(Some([10, 0, 0, 1].into())), Instant::now());
        let login = || attempt(peer, &Secret::session().unwrap(), None);
        let mut throttle = crate::access::throttle::Throttle::default();
        let wrong = login();
        // The same login is tried again and again.
        (0..8).for_each(|_| throttle.failed(&wrong, now));
        assert!(throttle.wait(&wrong, now).is_some());
        assert_eq!(throttle.wait(&login(), now), None, "another browser of the network");
        // Ever new logins are limited by network, like guesses at passwords of ever new names.
        (0..40).for_each(|_| throttle.failed(&login(), now));
        assert!(throttle.wait(&login(), now).is_some());
        let known = attempt(peer, &Secret::session().unwrap(), Some([7; 32]));
        assert_eq!(throttle.wait(&known, now), None, "somebody has logged in there before");
        let elsewhere = attempt(Peer(Some([10, 0, 0, 2].into())), &Secret::session().unwrap(), None);
        assert_eq!(throttle.wait(&elsewhere, now), None, "another network");
        (0..8).for_each(|_| throttle.failed(&known, now));
        assert!(throttle.wait(&known, now).is_some(), "its own failures");
    }

    #[test]
    fn a_login_leads_to_pages_of_ours_only() {
        for page in ["/", "/search?q=a%20b&from=-1h", "/router", "/search?q=/../a"] {
            assert!(is_page(page), "{page}");
            let value = format!("secret.{}", URL_SAFE_NO_PAD.encode(page));
            assert_eq!(begun(&value).map(|(_, page)| page).as_deref(), Some(page));
        }
        for elsewhere in [
            "",
            "search",
            "//evil.example",
            "/\\evil.example",
            "https://evil.example",
            "javascript:alert(1)",
            "/../other",
            "/search/%2E./.%2e/other?a",
            "/a b",
            "/a\r\nSet-Cookie: x=y",
            "/\u{e4}",
            &format!("/{}", "x".repeat(TEXT_BYTES_MAX)),
        ] {
            assert!(!is_page(elsewhere), "{elsewhere}");
            assert!(begun(&format!("secret.{}", URL_SAFE_NO_PAD.encode(elsewhere))).is_none());
        }
        for broken in ["", ".", "secret", "secret.%%", "secret.__8"] {
            assert!(begun(broken).is_none(), "{broken}");
        }
        let mut web = logstead_config::settings::load(&Layers::default()).unwrap().web;
        assert_eq!(away(&web, "/search?q=a", Reason::NoGroup), "/search?q=a&sso=no_group");
        assert_eq!(away(&web, "/", Reason::Failed), "/?sso=failed");
        web.public_url = "https://intra/logs/".to_owned();
        assert_eq!(away(&web, "/", Reason::Failed), "/logs/?sso=failed");
    }
}
