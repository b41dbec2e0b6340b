//! Refusals in the format of the request's protocol, so that its clients understand them.
//!
//! Handlers and the authentication refuse with an [`ApiError`](crate::error::ApiError), whatever the protocol. Its
//! response carries a [`RefusalDetail`], from which the outermost layer builds the refusal of the protocol.

use super::protocol::{CredentialPlace, IngestProtocol};
use super::{datadog, elastic, loki, otlp, rate_limit, splunk};
use crate::error::RefusalDetail;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, header};
use axum::middleware::Next;
use axum::response::Response;

/// The middleware that converts refusals.
pub(crate) async fn apply(State(protocol): State<IngestProtocol>, request: Request, next: Next) -> Response {
    let presented = presented(request.headers(), request.uri().query());
    let encoding = otlp::encoding(request.headers());
    let plain = next.run(request).await;
    let refusal = plain.extensions().get::<RefusalDetail>().cloned();
    let limits = plain.headers().clone();
    let dressed = |said: fn(&RefusalDetail) -> Response, plain: Response| match &refusal {
        Some(refusal) => again(refusal, &limits, said(refusal)),
        None => plain,
    };
    match protocol {
        IngestProtocol::Ours | IngestProtocol::Gelf | IngestProtocol::Journal => plain,
        IngestProtocol::Elastic => elastic::named(dressed(elastic::refused, plain)),
        IngestProtocol::Loki => dressed(loki::refused, plain),
        IngestProtocol::Datadog => dressed(datadog::refused, plain),
        IngestProtocol::Otlp => match &refusal {
            Some(refusal) => again(refusal, &limits, otlp::refused(refusal, encoding)),
            None => plain,
        },
        IngestProtocol::Splunk => match &refusal {
            Some(refusal) => again(refusal, &limits, splunk::refused(refusal, presented)),
            None => plain,
        },
    }
}

/// Adds the headers that refusals of all protocols have.
fn again(refusal: &RefusalDetail, limits: &HeaderMap, mut response: Response) -> Response {
    rate_limit::copy(limits, response.headers_mut());
    if let Some(seconds) = refusal.retry_after_seconds {
        response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    }
    response
}

fn presented(headers: &HeaderMap, query: Option<&str>) -> CredentialPlace {
    let value = headers.get(header::AUTHORIZATION).map(|value| value.to_str().unwrap_or_default());
    match value {
        Some(value) if value.trim().contains(' ') => CredentialPlace::Token,
        Some(_) => CredentialPlace::Unreadable,
        None if query.unwrap_or_default().split('&').any(|part| part.starts_with("token=")) => {
            CredentialPlace::InAddress
        }
        None => CredentialPlace::Nothing,
    }
}
