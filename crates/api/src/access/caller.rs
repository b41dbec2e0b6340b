//! The caller of a request, and the part of the store that it may see.
//!
//! **Invariant:** a caller cannot reach messages that its [`Grant`] withholds: logspaces are reached only through
//! [`Caller::logspaces`], messages only within [`Caller::scope`].

use crate::error::{ApiError, Result};
use crate::ingest::protocol::IngestProtocol;
use crate::problem_type::ProblemType;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use logstead_accounts::{Account, Actor, Grant, Role, TokenLimits};
use logstead_flow::machine::clock;
use logstead_indexer::Hit;
use logstead_pipeline::Pipeline;
use logstead_query as query;
use logstead_query::{Context, Matcher, Query};
use logstead_questions::store::Logspaces;
use logstead_record::{Selection, Timestamp};
use std::sync::Arc;

/// The requirement of a route for its callers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Needs {
    /// No requirement: the route answers everyone.
    Nothing,
    /// A session of a user, who need not have set up a second factor yet.
    Session,
    /// At least this role. Answers and changes stay within the grant.
    Role(Role),
    /// At least this role and an unrestricted grant, as the route's answers or changes cannot be limited to a part of
    /// the store.
    Everything(Role),
    /// The right to send messages: a token for only that, or the right to search everything. A caller who sees only a
    /// part of the store must not be able to fill the rest.
    Ingest(IngestProtocol),
}

/// The caller of a request.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    /// The account, as the owner of things.
    pub account: Account,
    /// The name for the audit log and for authorship: a user's name, or `token:` and the token's name.
    pub name: String,
    pub role: Role,
    /// The part of the store that the caller may search.
    pub grant: Arc<Grant>,
    /// The filter of the grant, ready to run.
    scope: Option<Arc<Query>>,
    /// The hash of the session's secret, if the caller has a session.
    pub session: Option<[u8; 32]>,
    /// When the session or the token ends.
    pub expires_at: Option<Timestamp>,
    /// Whether the user has to set up a second factor before anything else.
    pub(crate) must_enrol: bool,
    /// Whether the session has just been prolonged, so that the cookie has to be renewed as well.
    pub(super) prolonged: bool,
    /// How much it may send.
    pub limits: TokenLimits,
}

/// Handlers take it as a parameter.
impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Caller> {
        let caller = parts.extensions.get().cloned();
        caller.ok_or_else(|| ApiError::internal("a route that needs a caller has none"))
    }
}

impl Caller {
    pub(crate) fn new(account: Account, name: String, role: Role, grant: Grant) -> Result<Caller> {
        let scope = grant.scope.as_deref().map(|text| {
            // The filter was checked when it was granted; if the grammar has changed since, that must not widen it.
            query::parse(text).map(Arc::new).map_err(|error| {
                let reason = format!("the scope of {name} is no longer valid ({error})");
                ApiError::forbidden(format!("{reason}: ask an administrator for another one"))
            })
        });
        let scope = scope.transpose()?;
        let grant = Arc::new(grant);
        Ok(Caller { grant, scope, ..Caller::unrestricted(account, name, role) })
    }

    /// A caller who may see everything.
    pub(crate) fn unrestricted(account: Account, name: String, role: Role) -> Caller {
        Caller {
            account,
            name,
            role,
            grant: Arc::default(),
            scope: None,
            session: None,
            expires_at: None,
            must_enrol: false,
            prolonged: false,
            limits: TokenLimits::default(),
        }
    }

    /// The same caller, identified by a session.
    pub(super) fn in_session(self, secret_hash: [u8; 32], expires_at: Timestamp, prolonged: bool) -> Caller {
        Caller { session: Some(secret_hash), expires_at: Some(expires_at), prolonged, ..self }
    }

    /// The same caller, who may have to set up a second factor first.
    pub(super) fn enrolling(self, must_enrol: bool) -> Caller {
        Caller { must_enrol, ..self }
    }

    /// The same caller, until the token ends.
    pub(super) fn until(self, expires_at: Option<Timestamp>) -> Caller {
        Caller { expires_at, ..self }
    }

    /// The same caller, with limits on what may be sent.
    pub(super) fn limited(self, limits: TokenLimits) -> Caller {
        Caller { limits, ..self }
    }

    /// The name of the caller's token, if there is one.
    pub(crate) fn token(&self) -> Option<&str> {
        self.name.strip_prefix("token:").filter(|_| matches!(self.account, Account::Token(_)))
    }

    /// The caller as an actor, for the audit log.
    pub(crate) fn actor(&self) -> Actor {
        Actor { account: Some(self.account), name: self.name.clone() }
    }

    /// Whether the caller may do and see the same as another.
    pub(crate) fn has_rights_of(&self, other: &Caller) -> bool {
        (self.role, &self.grant) == (other.role, &other.grant)
    }

    /// The logspaces that the caller may search.
    pub(crate) fn logspaces(&self, pipeline: &Pipeline) -> Logspaces {
        let all = pipeline.searchers().into_iter();
        all.filter(|(id, _)| self.may_search(id)).collect()
    }

    /// The filter that limits everything the caller sees; `None` for all messages.
    pub(crate) fn scope(&self) -> Option<&Query> {
        self.scope.as_deref()
    }

    /// Whether the caller may know of a logspace.
    pub(crate) fn may_search(&self, logspace: &str) -> bool {
        match &self.grant.logspaces {
            Some(granted) => granted.iter().any(|id| id == logspace),
            None => self.role == Role::Admin || !logstead_config::is_private(logspace),
        }
    }

    /// Whether the caller may see a message that was found by its id. For callers who may not see it, it does not
    /// exist.
    pub(crate) fn may_see(&self, logspace: &str, hit: &Hit) -> bool {
        let Some(scope) = self.scope() else { return self.may_search(logspace) };
        let matcher = Matcher::new(scope, &Context { now: clock::now(), logspace });
        let mut row = Selection::none(hit.batch.rows());
        row.insert(hit.row);
        self.may_search(logspace) && !matcher.select_within(&hit.batch, &row).is_empty()
    }

    /// 403 for a logspace that is not granted, whether or not a logspace of this name exists.
    pub(crate) fn check_logspace(&self, logspace: &str) -> Result<()> {
        if self.may_search(logspace) {
            return Ok(());
        }
        let detail = format!(
            "the logspace `{logspace}` is not granted to {}: an administrator can grant it",
            self.name
        );
        Err(ApiError::forbidden(detail).path("logspaces"))
    }

    /// 403 for a logspace that the caller may not manage. Retention applies to a whole logspace, so a caller who sees
    /// only a filtered part of it must not set it.
    pub(crate) fn check_manages(&self, logspace: &str) -> Result<()> {
        self.check_logspace(logspace)?;
        if self.scope.is_none() {
            return Ok(());
        }
        Err(ApiError::forbidden(format!(
            "this needs the whole logspace `{logspace}`, and {} may see only part of it: an administrator can grant \
             it without a scope",
            self.name
        )))
    }

    /// 403 for a caller who does not meet the requirement of a route.
    pub(super) fn check(&self, needs: Needs) -> Result<()> {
        let Caller { name, role, grant, .. } = self;
        match needs {
            Needs::Session if self.session.is_none() => {
                let detail = format!(
                    "this is only for a user who is logged in, and {name} is not a user: log in with name and \
                     password"
                );
                Err(ApiError::new(ProblemType::NeedsSession, detail))
            }
            Needs::Role(_) | Needs::Everything(_) | Needs::Ingest(_) if self.must_enrol => {
                let detail = format!(
                    "users with the role {role} need a second factor: set it up with POST /api/v1/account/totp, or \
                     on the page that the console shows"
                );
                Err(ApiError::new(ProblemType::MustSetUpSecondFactor, detail))
            }
            Needs::Ingest(_) if *role == Role::Ingest => Ok(()),
            Needs::Everything(_) if *role == Role::Ingest => {
                Err(ApiError::forbidden(format!("{name} may send messages, and nothing else")))
            }
            Needs::Role(needed) | Needs::Everything(needed) if *role < needed => {
                Err(ApiError::forbidden(format!("this needs the role {needed}; {name} has the role {role}")))
            }
            Needs::Everything(_) | Needs::Ingest(_) if !grant.is_everything() => {
                Err(ApiError::forbidden(format!(
                    "this needs access to all logspaces, and {name} may see only part of the store: an \
                     administrator can grant all of it"
                )))
            }
            Needs::Nothing | Needs::Session | Needs::Role(_) | Needs::Everything(_) | Needs::Ingest(_) => {
                Ok(())
            }
        }
    }
}
