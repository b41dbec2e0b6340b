//! Asks again who asks, while a request or its answer takes long: a login ends, a token is removed, a grant changes.
//!
//! **Invariant:** a handler that asks before each part takes or gives nothing more once the caller has lost a right.

use super::Caller;
use super::authenticate::authenticate;
use crate::error::{ApiError, Result};
use crate::state::SharedState;
use axum::http::{HeaderMap, StatusCode};

/// A caller who was known when the request began.
#[derive(Clone)]
pub(crate) struct CallerRecheck {
    shared: SharedState,
    headers: HeaderMap,
    caller: Caller,
}

impl CallerRecheck {
    /// The asker of a request with these headers.
    pub(crate) fn new(shared: &SharedState, headers: &HeaderMap, caller: &Caller) -> CallerRecheck {
        CallerRecheck { shared: shared.clone(), headers: headers.clone(), caller: caller.clone() }
    }

    /// 401 once the login or the token has ended, 403 once it may do or see something else than before.
    pub(crate) async fn check(&self) -> Result<()> {
        let ended = || ApiError::new(StatusCode::UNAUTHORIZED, "the session has ended: log in again");
        let now = authenticate(&self.shared, &self.headers).await?.ok_or_else(ended)?;
        if now.account == self.caller.account && now.has_rights_of(&self.caller) {
            return Ok(());
        }
        Err(ApiError::forbidden("the rights of this login or token have changed: send the request again"))
    }
}
