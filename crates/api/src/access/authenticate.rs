//! Finds the [`Caller`] of a request by its headers.
//!
//! **Invariant:** a token that is wrong is refused, even beside a good cookie.

use super::cookie;
use crate::access::{Caller, Needs};
use crate::error::{ApiError, Result};
use crate::ingest::rate_limit;
use crate::own_calls::OwnCaller;
use crate::peer::Client;
use crate::problem_type::ProblemType;
use crate::state::{ApiInner, SharedState};
use crate::web::Deadlines;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, header};
use axum::middleware::Next;
use axum::response::Response;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use logstead_accounts::{Account, Grant, Role, Secret};
use logstead_flow::machine::clock;
use std::sync::Arc;
use std::time::Instant;

/// The header in which Datadog's clients send their key.
const DATADOG: HeaderName = HeaderName::from_static("dd-api-key");

/// The middleware that admits callers who meet the requirement of the route. Handlers find the [`Caller`] among the
/// extensions.
pub(crate) async fn require(
    State((shared, needs)): State<(SharedState, Needs)>,
    mut request: Request,
    next: Next,
) -> Result<Response> {
    let own = request.extensions().get::<OwnCaller>().map(|own| own.0.clone());
    let known = match own {
        Some(own) => Some(own),
        None => authenticate(&shared, request.headers()).await?,
    };
    let Some(caller) = known else {
        return Err(ApiError::new(
            ProblemType::NotSignedIn,
            "log in first, or send an API token as `Authorization: Bearer TOKEN`",
        ));
    };
    if caller.session.is_some() && !request.method().is_safe() {
        cookie::check_csrf(request.headers(), &shared.state.settings.web)?;
    }
    caller.check(needs)?;
    if let Some(deadlines) = request.extensions().get::<Arc<Deadlines>>() {
        deadlines.authenticated();
    }
    let client = request.extensions().get::<Client>().copied();
    let cookie = renewed_cookie(&shared, &caller, request.headers(), client);
    let is_limited = matches!(needs, Needs::Ingest(_)) && caller.limits.limit_pace();
    let limited = is_limited.then_some((caller.account, caller.limits));
    request.extensions_mut().insert(caller);
    let mut response = next.run(request).await;
    if let Some((account, limits)) = limited {
        let allowances = shared.pace.lock().allowances(account, &limits, Instant::now());
        rate_limit::add(response.headers_mut(), &allowances);
    }
    if let Some(cookie) = cookie.and_then(|cookie| cookie.try_into().ok()) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    Ok(response)
}

/// The renewed cookie, if the session now ends later than the browser knows.
pub(crate) fn renewed_cookie(
    shared: &ApiInner,
    caller: &Caller,
    headers: &HeaderMap,
    client: Option<Client>,
) -> Option<String> {
    let web = &shared.state.settings.web;
    let secret = cookie::session_secret(headers, web).filter(|_| caller.prolonged)?;
    let max_age_seconds = shared.session_limits().idle_max.as_secs();
    Some(cookie::session(web, secret.reveal(), max_age_seconds, is_encrypted(shared, client)))
}

/// Whether the browser reaches us over TLS, so that its cookies can require it.
pub(crate) fn is_encrypted(shared: &ApiInner, client: Option<Client>) -> bool {
    shared.state.settings.web.is_https() || client.is_some_and(|client| client.is_encrypted)
}

/// The caller who sent these headers; `None` without a login. A wrong token is an error even if there is a valid
/// cookie.
pub(crate) async fn authenticate(shared: &SharedState, headers: &HeaderMap) -> Result<Option<Caller>> {
    if headers.contains_key(header::AUTHORIZATION) || headers.contains_key(DATADOG) {
        return by_token(shared, headers).await.map(Some);
    }
    let Some(secret) = cookie::session_secret(headers, &shared.state.settings.web) else { return Ok(None) };
    let hash = secret.hash();
    let limits = shared.session_limits();
    let session = shared.meta(move |meta| meta.use_session(hash, &limits, clock::now())).await?;
    let Some(session) = session else { return Ok(None) };
    let must_enrol = shared.must_enrol(session.role, session.origin.as_deref(), session.has_second_factor);
    let caller = Caller::new(session.account, session.user, session.role, session.grant)?;
    Ok(Some(caller.in_session(hash, session.expires_at, session.prolonged).enrolling(must_enrol)))
}

async fn by_token(shared: &SharedState, headers: &HeaderMap) -> Result<Caller> {
    let refused = || ApiError::new(ProblemType::InvalidToken, "this API token is unknown or has expired");
    let Some(token) = presented(headers) else {
        return Err(ApiError::new(
            ProblemType::InvalidToken,
            "the header Authorization cannot be read: send `Authorization: Bearer TOKEN`, or the token with Splunk, \
             ApiKey or Basic (as the password)",
        ));
    };
    if shared.state.admin_token.as_deref().is_some_and(|admin| Secret::same(admin, &token)) {
        let name = "LOGSTEAD_ADMIN_TOKEN".to_owned();
        return Caller::new(Account::Environment, name, Role::Admin, Grant::default());
    }
    let hash = Secret::presented(&token).hash();
    let token = shared.meta(move |meta| meta.use_token(hash, clock::now())).await?.ok_or_else(refused)?;
    let name = format!("token:{}", token.name);
    let caller = Caller::new(Account::Token(token.id), name, token.role, token.grant)?;
    Ok(caller.until(token.expires_at).limited(token.limits))
}

/// The token in a request's headers, in the form that its protocol uses.
///
/// | header                             | of                                              |
/// |------------------------------------|-------------------------------------------------|
/// | `Authorization: Bearer TOKEN`      | the API, Loki, OpenTelemetry                    |
/// | `Authorization: Splunk TOKEN`      | Splunk                                          |
/// | `Authorization: Basic …`           | everything that has a user and a password: the token is the password |
/// | `Authorization: ApiKey TOKEN`      | Elasticsearch, also as `ID:TOKEN` in Base64     |
/// | `DD-API-KEY: TOKEN`                | Datadog                                         |
pub(super) fn presented(headers: &HeaderMap) -> Option<String> {
    let Some(value) = headers.get(header::AUTHORIZATION) else {
        return headers.get(DATADOG)?.to_str().ok().map(str::to_owned);
    };
    let (scheme, token) = value.to_str().ok()?.trim().split_once(' ')?;
    let token = token.trim();
    let behind_colon = || {
        let text = String::from_utf8(STANDARD.decode(token).ok()?).ok()?;
        text.split_once(':').map(|(_, token)| token.to_owned())
    };
    let token = match scheme.to_ascii_lowercase().as_str() {
        "bearer" | "splunk" => Some(token.to_owned()),
        "basic" => behind_colon(),
        "apikey" => Some(behind_colon().unwrap_or_else(|| token.to_owned())),
        _ => None,
    };
    token.filter(|token| !token.is_empty())
}

/// A caller who was authenticated when the request began.
#[derive(Clone)]
pub(crate) struct CallerRecheck {
    shared: SharedState,
    headers: HeaderMap,
    caller: Caller,
}

impl CallerRecheck {
    /// The caller of a request with these headers.
    pub(crate) fn new(shared: &SharedState, headers: &HeaderMap, caller: &Caller) -> CallerRecheck {
        CallerRecheck { shared: shared.clone(), headers: headers.clone(), caller: caller.clone() }
    }

    /// The caller as of now, with the present limits. 401 once the login or the token has ended, 403 once the caller's
    /// rights have changed.
    pub(crate) async fn check(&self) -> Result<Caller> {
        let ended = || ApiError::new(ProblemType::NotSignedIn, "the session has ended: log in again");
        let now = authenticate(&self.shared, &self.headers).await?.ok_or_else(ended)?;
        if now.account == self.caller.account && now.has_rights_of(&self.caller) {
            return Ok(now);
        }
        Err(ApiError::new(
            ProblemType::RightsChanged,
            "the rights of this login or token have changed: send the request again",
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_read_from_the_header_of_every_protocol() {
        let basic = |text: &str| STANDARD.encode(text);
        for (name, value, expected) in [
            ("authorization", "Bearer lst_a", Some("lst_a")),
            ("authorization", "bearer  lst_a ", Some("lst_a")),
            ("authorization", "Splunk lst_a", Some("lst_a")),
            ("authorization", "ApiKey lst_a", Some("lst_a")),
            ("authorization", &format!("ApiKey {}", basic("id:lst_a")), Some("lst_a")),
            ("authorization", &format!("Basic {}", basic("anyone:lst_a")), Some("lst_a")),
            ("authorization", &format!("Basic {}", basic(":lst:a")), Some("lst:a")),
            ("dd-api-key", "lst_a", Some("lst_a")),
            ("authorization", "Basic nonsense", None),
            ("authorization", &format!("Basic {}", basic("lst_a")), None),
            ("authorization", "Bearer ", None),
            ("authorization", "Digest lst_a", None),
            ("authorization", "lst_a", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(HeaderName::from_static(name), value.parse().unwrap());
            assert_eq!(presented(&headers).as_deref(), expected, "{value}");
        }
    }
}
