//! Calls of the process to its own API, with all rights and without a socket.

use crate::access::Caller;
use axum::body::{Body, Bytes, to_bytes};
use axum::http::{HeaderMap, Request, StatusCode};
use axum::{BoxError, Router};
use hyper::service::Service;
use hyper_util::service::TowerToHyperService;
use logstead_accounts::{Account, Role};

/// The longest answer that is read.
const ANSWER_MAX: usize = 64 << 20;

/// The caller of such a request, among its extensions. Requests that come from outside have no extensions.
#[derive(Clone)]
pub(crate) struct OwnCaller(pub(crate) Caller);

/// The API, as the process itself calls it.
pub struct OwnCalls {
    app: TowerToHyperService<Router>,
    caller: OwnCaller,
}

/// An answer that was read whole.
pub struct OwnAnswer {
    /// Its status.
    pub status: StatusCode,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body.
    pub body: Bytes,
}

impl OwnCalls {
    /// Calls to this application. The audit log has them under this name.
    pub fn new(app: Router, name: &str) -> OwnCalls {
        let caller = Caller::unrestricted(Account::Environment, name.to_owned(), Role::Admin);
        OwnCalls { app: TowerToHyperService::new(app), caller: OwnCaller(caller) }
    }

    /// Sends a request.
    pub async fn call(&self, mut request: Request<Body>) -> Result<OwnAnswer, BoxError> {
        request.extensions_mut().insert(self.caller.clone());
        let (parts, body) = self.app.call(request).await?.into_parts();
        let body = to_bytes(body, ANSWER_MAX).await?;
        Ok(OwnAnswer { status: parts.status, headers: parts.headers, body })
    }
}
