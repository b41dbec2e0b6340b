//! The reply to a request: over HTTP a status and a body, over gRPC a message and trailers.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use hyper::body::{Body, Bytes, Frame, SizeHint};
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use hyper::{Response, StatusCode};
use logstead_ingest::otlp::{Code, Encoding, OtlpReply, Status};
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

const GRPC_STATUS: HeaderName = HeaderName::from_static("grpc-status");
const GRPC_MESSAGE: HeaderName = HeaderName::from_static("grpc-message");
const GRPC_DETAILS: HeaderName = HeaderName::from_static("grpc-status-details-bin");
const GRPC_ENCODINGS: HeaderName = HeaderName::from_static("grpc-accept-encoding");

/// The failure because of which a request is not accepted.
#[derive(Debug)]
pub(super) struct RequestFailure {
    pub(super) status: Status,
    /// The HTTP status, if it does not follow from the code.
    pub(super) http: Option<u16>,
}

impl From<Status> for RequestFailure {
    fn from(status: Status) -> RequestFailure {
        RequestFailure { status, http: None }
    }
}

/// A body with trailers.
#[derive(Default)]
pub(super) struct Reply {
    data: Option<Bytes>,
    trailers: Option<HeaderMap>,
}

impl Body for Reply {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let data = self.data.take().map(Frame::data);
        Poll::Ready(data.or_else(|| self.trailers.take().map(Frame::trailers)).map(Ok))
    }

    fn is_end_stream(&self) -> bool {
        self.data.is_none() && self.trailers.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        match (&self.data, &self.trailers) {
            (data, None) => SizeHint::with_exact(data.as_ref().map_or(0, Bytes::len) as u64),
            _ => SizeHint::default(),
        }
    }
}

/// Over HTTP.
pub(super) fn http(stored: Result<OtlpReply, RequestFailure>, encoding: Encoding) -> Response<Reply> {
    let (status, body, retry_after) = match stored {
        Ok(answer) => (StatusCode::OK, answer.encode(encoding), None),
        Err(RequestFailure { status, http }) => {
            let number = http.unwrap_or_else(|| http_status(&status));
            let number = StatusCode::from_u16(number).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            (number, status.encode(encoding), status.retry_after)
        }
    };
    let mut response = Response::new(Reply { data: Some(body.into()), trailers: None });
    *response.status_mut() = status;
    let media = match encoding {
        Encoding::Protobuf => "application/x-protobuf",
        Encoding::Json => "application/json",
    };
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media));
    if let Some(after) = retry_after {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(after.as_secs().max(1)));
    }
    response
}

fn http_status(status: &Status) -> u16 {
    match status.code {
        Code::InvalidArgument => 400,
        Code::Unauthenticated => 401,
        Code::PermissionDenied => 403,
        Code::ResourceExhausted if status.retry_after.is_some() => 429,
        Code::ResourceExhausted => 413,
        Code::Unimplemented => 501,
        Code::Unavailable => 503,
    }
}

/// The reply over gRPC.
pub(super) fn grpc(stored: Result<OtlpReply, RequestFailure>) -> Response<Reply> {
    let mut response = Response::new(Reply::default());
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
    response.headers_mut().insert(GRPC_ENCODINGS, HeaderValue::from_static("identity,gzip,deflate,zstd"));
    match stored {
        Ok(answer) => {
            let message = answer.encode(Encoding::Protobuf);
            let mut data = vec![0];
            data.extend_from_slice(&(message.len() as u32).to_be_bytes());
            data.extend_from_slice(&message);
            let trailers = HeaderMap::from_iter([(GRPC_STATUS, HeaderValue::from_static("0"))]);
            *response.body_mut() = Reply { data: Some(data.into()), trailers: Some(trailers) };
        }
        // If there is no message, the trailers are sent in the head.
        Err(RequestFailure { status, .. }) => {
            let details = STANDARD_NO_PAD.encode(status.encode(Encoding::Protobuf));
            let headers = response.headers_mut();
            headers.insert(GRPC_STATUS, HeaderValue::from(status.code as u16));
            for (name, text) in [(GRPC_MESSAGE, percent_encoded(&status.message)), (GRPC_DETAILS, details)] {
                headers.insert(name, HeaderValue::from_str(&text).expect("it is printable ASCII"));
            }
        }
    }
    response
}

/// A message in the encoding that gRPC uses in headers: everything but printable ASCII is percent-encoded.
fn percent_encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'%' | ..0x20 | 0x7F.. => encoded += &format!("%{byte:02X}"),
            _ => encoded.push(char::from(byte)),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn full() -> RequestFailure {
        let retry_after = Some(Duration::from_secs(2));
        Status { retry_after, ..Status::new(Code::Unavailable, "50 % full: später") }.into()
    }

    #[test]
    fn a_failure_says_over_http_when_to_come_again() {
        let response = http(Err(full()), Encoding::Json);
        assert_eq!(
            (response.status().as_u16(), &response.headers()[RETRY_AFTER]),
            (503, &HeaderValue::from(2))
        );
        assert_eq!(response.headers()[CONTENT_TYPE], "application/json");
        for (code, expected) in [(Code::InvalidArgument, 400), (Code::ResourceExhausted, 413)] {
            let response = http(Err(Status::new(code, "").into()), Encoding::Protobuf);
            assert_eq!(response.status().as_u16(), expected);
            assert_eq!(response.headers()[CONTENT_TYPE], "application/x-protobuf");
        }
    }

    #[test]
    fn a_failure_is_the_head_of_an_answer_over_grpc() {
        let response = grpc(Err(full()));
        assert_eq!((response.status().as_u16(), response.body().is_end_stream()), (200, true));
        assert_eq!(response.headers()[GRPC_STATUS], "14");
        assert_eq!(response.headers()[GRPC_MESSAGE], "50 %25 full: sp%C3%A4ter");
        let details = STANDARD_NO_PAD.decode(&response.headers()[GRPC_DETAILS]).unwrap();
        assert_eq!(details, full().status.encode(Encoding::Protobuf));
    }

    #[test]
    fn an_answer_over_grpc_has_its_length_before_it() {
        let response = grpc(Ok(OtlpReply { rejected: 1, message: "x".to_owned() }));
        let body = response.into_body();
        assert_eq!(body.data.unwrap(), &b"\0\0\0\0\x07\x0a\x05\x08\x01\x12\x01x"[..]);
        assert_eq!(body.trailers.unwrap()[GRPC_STATUS], "0");
    }
}
