//! A request of a known caller, as handlers take it.

use super::Caller;
use crate::error::{ApiError, Result};
use crate::state::SharedState;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use logstead_accounts::Meta;

/// The state that handlers share, and who calls.
#[derive(Clone)]
pub(crate) struct Call {
    pub(crate) shared: SharedState,
    pub(crate) caller: Caller,
}

impl Call {
    /// Runs a database call on a blocking thread.
    pub(crate) async fn meta<T: Send + 'static>(
        &self,
        run: impl FnOnce(&Meta) -> logstead_accounts::Result<T> + Send + 'static,
    ) -> Result<T> {
        self.shared.meta(run).await
    }

    /// Records an action of the caller, also in our own log.
    pub(crate) async fn audit(&self, action: &'static str, detail: impl Into<String>) {
        self.shared.audit(self.caller.actor(), action, detail.into()).await;
    }
}

impl FromRequestParts<SharedState> for Call {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, shared: &SharedState) -> Result<Call> {
        let caller = Caller::from_request_parts(parts, shared).await?;
        Ok(Call { shared: shared.clone(), caller })
    }
}
