//! Gives every request an id, and every response the id of its request.

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;
use logstead_flow::request_id::{self, Id};

const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The middleware.
pub(super) async fn name(request: Request, next: Next) -> Response {
    let id = of(request.headers()).unwrap_or_else(Id::random);
    // An id only has characters that are allowed in a header.
    let value = HeaderValue::from_str(id.as_str());
    let mut response = request_id::within(id, next.run(request)).await;
    response.headers_mut().extend(value.ok().map(|value| (X_REQUEST_ID, value)));
    response
}

/// The id that a client sends. If it sends two, both are ignored: otherwise the log and the client could each use a
/// different one.
fn of(headers: &HeaderMap) -> Option<Id> {
    let mut given = headers.get_all(X_REQUEST_ID).iter();
    match (given.next(), given.next()) {
        (Some(one), None) => Id::from_client(one.as_bytes()),
        _ => None,
    }
}
