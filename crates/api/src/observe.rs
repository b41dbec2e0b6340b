//! Counts requests by endpoint, by status, and by the time until the response begins.

use super::state::SharedState;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use logstead_flow::counters::Counters;
use std::sync::Arc;
use std::time::Instant;

/// The status of requests whose client disconnected before there was a response; no client ever sees it.
const GIVEN_UP: u16 = 499;
/// The label of all requests without a route: files of the console, and wrong addresses.
const NO_ROUTE: &str = "/*";

/// A request that is not answered yet.
struct OpenRequest {
    counters: Arc<Counters>,
    endpoint: String,
    began: Instant,
    status: u16,
}

/// The middleware.
pub(super) async fn observe(State(shared): State<SharedState>, request: Request, next: Next) -> Response {
    let counters = shared.state.pipeline.counters.clone();
    let path = request.extensions().get::<MatchedPath>().map_or(NO_ROUTE, MatchedPath::as_str);
    let endpoint = format!("{} {path}", method(request.method()));
    let mut open = OpenRequest::begin(counters, endpoint);
    let response = next.run(request).await;
    open.status = response.status().as_u16();
    response
}

/// Unknown methods share a label, since anybody can invent methods.
fn method(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        Method::PATCH => "PATCH",
        _ => "OTHER",
    }
}

impl OpenRequest {
    fn begin(counters: Arc<Counters>, endpoint: String) -> OpenRequest {
        counters.web.requests.begin();
        OpenRequest { counters, endpoint, began: Instant::now(), status: GIVEN_UP }
    }

    /// Why a login was refused, if the request was a refused login.
    fn refused_login(&self) -> Option<&'static str> {
        let is_login = ["POST /api/v1/session", "POST /api/v1/setup"]
            .iter()
            .any(|login| self.endpoint.starts_with(login));
        match StatusCode::from_u16(self.status) {
            Ok(StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) if is_login => Some("wrong"),
            Ok(StatusCode::TOO_MANY_REQUESTS) if is_login => Some("too_often"),
            _ => None,
        }
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        let web = &self.counters.web;
        if let Some(reason) = self.refused_login() {
            web.logins_refused.add(reason, 1);
        }
        web.requests.end(&self.endpoint, self.status, self.began.elapsed());
    }
}
