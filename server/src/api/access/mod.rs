//! Who is asking, whether they may, and what of the store they may see.
//!
//! **Invariant:** a route is reached only through [`require`] with the role it needs, or is one of the few that
//! answer everybody; see the table in [`super::routes`].
//! **Invariant:** whoever's [`Grant`] withholds anything reaches messages only through [`Caller::logspaces`] and within
//! [`Caller::scope`]; what is about the store as a whole needs [`Needs::Everything`].
//! **Invariant:** a change that is made with a session's cookie carries the session's CSRF token.

pub(super) mod accounts;
pub(super) mod session;
pub(super) mod throttle;

use super::error::{ApiError, Result};
use super::peer::Client;
use super::{Inner, Shared};
use crate::machine::clock;
use crate::meta::{Account, Actor, Grant, Role, Secret};
use crate::store::Logspaces;
use crate::web::Pulse;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use logstead_indexer::Hit;
use logstead_record::query::{self, Context, Matcher, Query};
use logstead_record::{Selection, Timestamp};
use std::sync::Arc;

/// The cookie that holds a session's secret.
pub(crate) const COOKIE: &str = "logstead_session";
/// The same over TLS. Of this name, browsers take it only from us, and only encrypted.
pub(crate) const SECURE_COOKIE: &str = "__Host-logstead_session";
/// The header that changes made with the cookie carry.
const CSRF_HEADER: &str = "x-csrf-token";

/// What a route needs of who asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Needs {
    /// Nothing: it answers everybody.
    Nothing,
    /// This role. An analyst's answers are within the grant.
    Role(Role),
    /// The right to search everything, as what it answers cannot be narrowed to a part of the store.
    Everything,
}

/// Who is asking.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    /// What it owns things by.
    pub(crate) account: Account,
    /// For the audit log and as author: a user's name, or `token:` and the token's.
    pub(crate) name: String,
    pub(crate) role: Role,
    /// What of the store the caller may search.
    pub(crate) grant: Arc<Grant>,
    /// The filter of the grant, ready to run.
    scope: Option<Arc<Query>>,
    /// The hash of the session's secret, for those that have one.
    pub(crate) session: Option<[u8; 32]>,
    /// When the session or the token ends.
    pub(crate) expires_at: Option<Timestamp>,
    /// Whether the session has just been made to end later, so that the cookie has to as well.
    prolonged: bool,
}

impl Caller {
    pub(super) fn new(account: Account, name: String, role: Role, grant: Grant) -> Result<Caller> {
        let scope = grant.scope.as_deref().map(|text| {
            // It was checked when it was granted; a grammar that has changed since must not widen it.
            query::parse(text).map(Arc::new).map_err(|error| {
                let reason = format!("the scope of {name} is not understood any more ({error})");
                ApiError::forbidden(format!("{reason}: an administrator can grant another one under /users"))
            })
        });
        let scope = scope.transpose()?;
        let grant = Arc::new(grant);
        Ok(Caller { account, name, role, grant, scope, session: None, expires_at: None, prolonged: false })
    }

    /// For what is written down about it.
    pub(crate) fn actor(&self) -> Actor {
        Actor { account: Some(self.account), name: self.name.clone() }
    }

    /// The logspaces that it may search.
    pub(crate) fn logspaces(&self, shared: &Inner) -> Logspaces {
        let all = shared.state.pipeline.searchers().into_iter();
        all.filter(|(id, _)| self.may_search(id)).collect()
    }

    /// The filter that everything it sees is within; `None` for all messages.
    pub(crate) fn scope(&self) -> Option<&Query> {
        self.scope.as_deref()
    }

    /// Whether it may know of a logspace.
    pub(crate) fn may_search(&self, logspace: &str) -> bool {
        self.grant.logspaces.as_ref().is_none_or(|granted| granted.iter().any(|id| id == logspace))
    }

    /// Whether it may see a message that was found by its id. For who may not, it does not exist.
    pub(crate) fn may_see(&self, logspace: &str, hit: &Hit) -> bool {
        let Some(scope) = self.scope() else { return self.may_search(logspace) };
        let matcher = Matcher::new(scope, &Context { now: clock::now(), logspace });
        let mut row = Selection::none(hit.batch.rows());
        row.insert(hit.row);
        self.may_search(logspace) && !matcher.select_within(&hit.batch, &row).is_empty()
    }

    /// 403 for a logspace that is not granted, whether or not there is one of this name.
    pub(crate) fn check_logspace(&self, logspace: &str) -> Result<()> {
        if self.may_search(logspace) {
            return Ok(());
        }
        let detail = format!(
            "the logspace `{logspace}` is not granted to {}: an administrator can grant it under /users",
            self.name
        );
        Err(ApiError::forbidden(detail).path("logspaces"))
    }

    fn check(&self, needs: Needs) -> Result<()> {
        let Caller { name, role, grant, .. } = self;
        match needs {
            Needs::Role(needed) if *role < needed => {
                Err(ApiError::forbidden(format!("this needs the role {needed}; {name} has the role {role}")))
            }
            Needs::Everything if !grant.is_everything() => Err(ApiError::forbidden(format!(
                "this is about the whole store, of which {name} may search a part: an administrator can grant all of \
                 it under /users"
            ))),
            Needs::Nothing | Needs::Role(_) | Needs::Everything => Ok(()),
        }
    }
}

/// The middleware that lets pass who has what the route needs. Handlers find the [`Caller`] among the extensions.
pub(crate) async fn require(
    State((shared, needs)): State<(Shared, Needs)>,
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
    caller.check(needs)?;
    if let Some(pulse) = request.extensions().get::<Arc<Pulse>>() {
        pulse.authenticated();
    }
    let client = request.extensions().get::<Client>().copied();
    let cookie = renewed_cookie(&shared, &caller, request.headers(), client);
    request.extensions_mut().insert(caller);
    let mut response = next.run(request).await;
    if let Some(cookie) = cookie.and_then(|cookie| cookie.try_into().ok()) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    Ok(response)
}

/// The cookie anew, where the session now ends later than the browser knows.
pub(crate) fn renewed_cookie(
    shared: &Inner,
    caller: &Caller,
    headers: &HeaderMap,
    client: Option<Client>,
) -> Option<String> {
    let secret = session_secret(headers).filter(|_| caller.prolonged)?;
    let max_age_seconds = shared.session_limits().idle_max.as_secs();
    Some(session::cookie(secret.reveal(), max_age_seconds, is_encrypted(shared, client)))
}

/// Whether the browser reaches us over TLS, so that its cookies need never travel without.
pub(crate) fn is_encrypted(shared: &Inner, client: Option<Client>) -> bool {
    shared.state.settings.web.is_https() || client.is_some_and(|client| client.is_encrypted)
}

/// Who sent these headers; `None` for nobody. A token that is wrong is an error even beside a good cookie.
pub(crate) async fn authenticate(shared: &Shared, headers: &HeaderMap) -> Result<Option<Caller>> {
    if headers.contains_key(header::AUTHORIZATION) {
        return by_token(shared, headers).await.map(Some);
    }
    let Some(secret) = session_secret(headers) else { return Ok(None) };
    let hash = secret.hash();
    let limits = shared.session_limits();
    let session = shared.meta(move |meta| meta.use_session(hash, &limits, clock::now())).await?;
    let Some(session) = session else { return Ok(None) };
    Ok(Some(Caller {
        session: Some(hash),
        expires_at: Some(session.expires_at),
        prolonged: session.prolonged,
        ..Caller::new(session.account, session.user, session.role, session.grant)?
    }))
}

/// The secret of the session's cookie.
pub(crate) fn session_secret(headers: &HeaderMap) -> Option<Secret> {
    cookie(headers, SECURE_COOKIE).or_else(|| cookie(headers, COOKIE))
}

/// The secret in a cookie.
pub(crate) fn cookie(headers: &HeaderMap, name: &str) -> Option<Secret> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(found, _)| *found == name).map(|(_, value)| Secret::presented(value))
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
        let name = "LOGSTEAD_ADMIN_TOKEN".to_owned();
        return Caller::new(Account::Environment, name, Role::Admin, Grant::default());
    }
    let hash = Secret::presented(token).hash();
    let token = shared.meta(move |meta| meta.use_token(hash, clock::now())).await?.ok_or_else(refused)?;
    let name = format!("token:{}", token.name);
    let caller = Caller::new(Account::Token(token.id), name, token.role, token.grant)?;
    Ok(Caller { expires_at: token.expires_at, ..caller })
}

fn bearer(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}
