//! OpenTelemetry over HTTP: `POST /v1/logs`, in protobuf or JSON. Records that are not accepted are reported in a
//! response with 200, as they must not be sent again.

use super::incoming::Incoming;
use super::route::ProtocolRoute;
use crate::error::{RefusalDetail, Result};
use crate::extract::{media_type, unsupported};
use axum::body::Body;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use logstead_ingest::otlp::{Code, Encoding, OtlpBody, OtlpReply, Status};
use std::time::Duration;

pub(super) const ROUTES: &[ProtocolRoute] =
    &[ProtocolRoute::new(&["POST"], &["/v1/logs", "/otlp/v1/logs"], || post(export))];

async fn export(incoming: Incoming, body: Body) -> Result<Response> {
    let encoding = match media_type(&incoming.headers).as_deref() {
        Some("application/x-protobuf") => Encoding::Protobuf,
        Some("application/json") => Encoding::Json,
        other => return Err(unsupported(other, "application/x-protobuf or application/json")),
    };
    let (body, _room) = incoming.read(body, None).await?;
    let batches = incoming.decode(move |sender, max| OtlpBody::of(body, encoding, &sender.peer, max)).await?;
    let stored = incoming.store(batches, None).await?.complete()?;
    let first = stored.refusals.first();
    let message = first.map(|first| {
        format!("{} not accepted; the first one, record {}: {}", stored.refused, first.number, first.reason)
    });
    let answer = OtlpReply { rejected: stored.refused, message: message.unwrap_or_default() };
    Ok(body_of(StatusCode::OK, answer.encode(encoding), encoding))
}

/// The encoding of a request that is refused.
pub(super) fn encoding(headers: &HeaderMap) -> Encoding {
    match media_type(headers).as_deref() {
        Some("application/json") => Encoding::Json,
        _ => Encoding::Protobuf,
    }
}

/// A refusal in OpenTelemetry's format: `google.rpc.Status` in the encoding of the request.
pub(super) fn refused(refusal: &RefusalDetail, encoding: Encoding) -> Response {
    let code = match refusal.status {
        StatusCode::UNAUTHORIZED => Code::Unauthenticated,
        StatusCode::FORBIDDEN => Code::PermissionDenied,
        StatusCode::PAYLOAD_TOO_LARGE | StatusCode::TOO_MANY_REQUESTS => Code::ResourceExhausted,
        StatusCode::UNSUPPORTED_MEDIA_TYPE | StatusCode::METHOD_NOT_ALLOWED => Code::Unimplemented,
        status if status.is_client_error() => Code::InvalidArgument,
        _ => Code::Unavailable,
    };
    let retry_after = refusal.retry_after_seconds.map(Duration::from_secs);
    let status = Status { retry_after, ..Status::new(code, refusal.detail.clone()) };
    // Exporters give up on 408 and 409, and lose their messages.
    let number = match refusal.status {
        StatusCode::REQUEST_TIMEOUT | StatusCode::CONFLICT => StatusCode::SERVICE_UNAVAILABLE,
        number => number,
    };
    body_of(number, status.encode(encoding), encoding)
}

fn body_of(status: StatusCode, body: Vec<u8>, encoding: Encoding) -> Response {
    let media = match encoding {
        Encoding::Protobuf => "application/x-protobuf",
        Encoding::Json => "application/json",
    };
    (status, [(header::CONTENT_TYPE, media)], body).into_response()
}
