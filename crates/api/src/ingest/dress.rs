//! Refusals in the words of the protocol that was spoken, so that its clients understand them.
//!
//! Handlers and the login refuse with an [`ApiError`](crate::error::ApiError), whatever the protocol. Its response
//! carries a [`Refusal`], which is said again here, outermost.

use super::protocol::{Presented, Protocol};
use super::{datadog, elastic, loki, otlp, splunk};
use crate::error::Refusal;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, header};
use axum::middleware::Next;
use axum::response::Response;

/// The middleware that does it.
pub(crate) async fn dress(State(protocol): State<Protocol>, request: Request, next: Next) -> Response {
    let presented = presented(request.headers(), request.uri().query());
    let encoding = otlp::encoding(request.headers());
    let plain = next.run(request).await;
    let refusal = plain.extensions().get::<Refusal>().cloned();
    let dressed = |said: fn(&Refusal) -> Response, plain: Response| match &refusal {
        Some(refusal) => again(refusal, said(refusal)),
        None => plain,
    };
    match protocol {
        Protocol::Ours | Protocol::Gelf | Protocol::Journal => plain,
        Protocol::Elastic => elastic::named(dressed(elastic::refused, plain)),
        Protocol::Loki => dressed(loki::refused, plain),
        Protocol::Datadog => dressed(datadog::refused, plain),
        Protocol::Otlp => match &refusal {
            Some(refusal) => again(refusal, otlp::refused(refusal, encoding)),
            None => plain,
        },
        Protocol::Splunk => match &refusal {
            Some(refusal) => again(refusal, splunk::refused(refusal, presented)),
            None => plain,
        },
    }
}

/// What all protocols have in common.
fn again(refusal: &Refusal, mut response: Response) -> Response {
    if let Some(seconds) = refusal.retry_after_seconds {
        response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    }
    response
}

fn presented(headers: &HeaderMap, query: Option<&str>) -> Presented {
    let value = headers.get(header::AUTHORIZATION).map(|value| value.to_str().unwrap_or_default());
    match value {
        Some(value) if value.trim().contains(' ') => Presented::Token,
        Some(_) => Presented::Unreadable,
        None if query.unwrap_or_default().split('&').any(|part| part.starts_with("token=")) => {
            Presented::InAddress
        }
        None => Presented::Nothing,
    }
}
