//! Who is asking, and whether they may.
//!
//! **Invariant:** a route is reached only through [`require`] with the role it needs, or is one of the few that
//! answer everybody; see the table in [`super::routes`].
//! **Invariant:** a change that is made with a session's cookie carries the session's CSRF token.

use super::error::{ApiError, Result};
use super::{Inner, Shared};
use crate::clock;
use crate::meta::{Role, Secret};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use logstead_indexer::Searcher;

/// The cookie that holds a session's secret.
pub(crate) const COOKIE: &str = "logstead_session";
/// The header that changes made with the cookie carry.
const CSRF_HEADER: &str = "x-csrf-token";

/// Who is asking.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    /// For the audit log and as author: a user's name, or `token:` and the token's.
    pub(crate) name: String,
    pub(crate) role: Role,
    /// The hash of the session's secret, for those that have one.
    pub(crate) session: Option<[u8; 32]>,
}

impl Caller {
    /// The logspaces that it may search.
    pub(crate) fn searchers(&self, shared: &Inner) -> Vec<(String, Searcher)> {
        shared.state.pipeline.searchers()
    }
}

/// The middleware that lets pass who has at least this role. Handlers find the [`Caller`] among the extensions.
pub(crate) async fn require(
    State((shared, role)): State<(Shared, Role)>,
    mut request: Request,
    next: Next,
) -> Result<Response> {
    let Some(caller) = authenticate(&shared, request.headers()).await? else {
        return Err(ApiError::new(
            StatusCode::UNAUTHORIZED,
            "log in first, or send an API token as `Authorization: Bearer TOKEN`",
        ));
    };
    if caller.session.is_some() && !request.method().is_safe() {
        check_csrf(request.headers())?;
    }
    if caller.role < role {
        let Caller { name, role: has, .. } = caller;
        return Err(ApiError::forbidden(format!("this needs the role {role}; {name} has the role {has}")));
    }
    request.extensions_mut().insert(caller);
    Ok(next.run(request).await)
}

/// Who sent these headers; `None` for nobody. A token that is wrong is an error even beside a good cookie.
pub(crate) async fn authenticate(shared: &Shared, headers: &HeaderMap) -> Result<Option<Caller>> {
    if headers.contains_key(header::AUTHORIZATION) {
        return by_token(shared, headers).await.map(Some);
    }
    let Some(secret) = session_secret(headers) else { return Ok(None) };
    let hash = secret.hash();
    let lifetime = shared.session_lifetime();
    let session = shared.meta(move |meta| meta.use_session(hash, lifetime, clock::now())).await?;
    Ok(session.map(|session| Caller { name: session.user, role: session.role, session: Some(hash) }))
}

/// The secret of the session's cookie.
pub(crate) fn session_secret(headers: &HeaderMap) -> Option<Secret> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == COOKIE).map(|(_, value)| Secret::presented(value))
}

/// Refuses what does not carry the session's CSRF token.
pub(crate) fn check_csrf(headers: &HeaderMap) -> Result<()> {
    let expected = session_secret(headers).map(|secret| secret.csrf_token());
    let sent = headers.get(CSRF_HEADER).and_then(|value| value.to_str().ok());
    match (expected, sent) {
        (Some(expected), Some(sent)) if same(&expected, sent) => Ok(()),
        _ => Err(ApiError::forbidden(
            "a change made with the session's cookie needs the header X-CSRF-Token: `csrf_token` of GET /api/v1/session",
        )),
    }
}

/// Whether two secrets are the same, in a time that does not tell how much of them is.
pub(crate) fn same(a: &str, b: &str) -> bool {
    // Comparing blake3 hashes takes the same time for all of them.
    blake3::hash(a.as_bytes()) == blake3::hash(b.as_bytes())
}

async fn by_token(shared: &Shared, headers: &HeaderMap) -> Result<Caller> {
    let refused = || ApiError::new(StatusCode::UNAUTHORIZED, "this API token is unknown or has expired");
    let value = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let Some(token) = bearer(value) else {
        return Err(ApiError::new(
            StatusCode::UNAUTHORIZED,
            "the header Authorization is not understood: send `Authorization: Bearer TOKEN`",
        ));
    };
    if shared.state.admin_token.as_deref().is_some_and(|admin| same(admin, token)) {
        return Ok(Caller { name: "LOGSTEAD_ADMIN_TOKEN".to_owned(), role: Role::Admin, session: None });
    }
    let hash = Secret::presented(token).hash();
    let token = shared.meta(move |meta| meta.use_token(hash, clock::now())).await?.ok_or_else(refused)?;
    Ok(Caller { name: format!("token:{}", token.name), role: token.role, session: None })
}

fn bearer(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}
