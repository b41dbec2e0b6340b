//! The final response on a connection: why it ends, as a problem (RFC 9457) if a request had started.

use super::deadlines::ConnectionEnd;
use super::limits::WebLimits;
use logstead_flow::request_id::{FIELD, Id};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// How long a peer may take to read the final response.
const LISTEN_WAIT_MAX: Duration = Duration::from_secs(1);

/// The final response before a connection ends; `None` if there was no request.
pub(super) fn words(ending: ConnectionEnd, head_bytes: usize, limits: &WebLimits) -> Option<String> {
    let seconds = limits.timeouts.header.as_secs_f64();
    match ending {
        ConnectionEnd::HeadTooSlow if 0 < head_bytes => {
            Some(problem(408, &format!("the request did not come within {seconds} s")))
        }
        ConnectionEnd::HeadTooSlow
        | ConnectionEnd::Idle
        | ConnectionEnd::AnswerUnread
        | ConnectionEnd::GaveWay => None,
    }
}

/// The response on a connection for which there is no room.
pub(super) fn no_place(detail: &str) -> String {
    problem(503, &format!("{detail}: try again"))
}

/// The response if HTTP itself refuses a request.
pub(super) fn refusal(status: u16) -> String {
    let detail = match status {
        414 => "the address of the request is too long",
        431 => "the head of the request is too long, or has more than 100 fields",
        _ => "the request is not valid HTTP/1.1",
    };
    problem(status, detail)
}

fn problem(status: u16, detail: &str) -> String {
    let title = match status {
        408 => "Request Timeout",
        414 => "URI Too Long",
        431 => "Request Header Fields Too Large",
        503 => "Service Unavailable",
        _ => "Bad Request",
    };
    let id = Id::random();
    let body = serde_json::json!({
        "type": "about:blank", "title": title, "status": status, "detail": detail, FIELD: id.as_str()
    });
    let body = body.to_string();
    let retry = if status == 503 { "retry-after: 1\r\n" } else { "" };
    format!(
        "HTTP/1.1 {status} {title}\r\ncontent-type: application/problem+json\r\ncontent-length: {}\r\n\
         cache-control: no-store\r\nx-content-type-options: nosniff\r\nx-request-id: {id}\r\n{retry}connection: close\r\n\r\n{body}",
        body.len()
    )
}

/// Sends the final response, and then reads for a moment until the peer has closed: a peer whose connection is closed
/// while it is sending never sees the response.
pub(super) async fn say(stream: &mut (impl AsyncRead + AsyncWrite + Unpin), words: &str) {
    let said = async {
        stream.write_all(words.as_bytes()).await?;
        stream.shutdown().await?;
        let mut rest = [0; 4096];
        while 0 < stream.read(&mut rest).await? {}
        std::io::Result::Ok(())
    };
    // The peer may be gone, or may not be reading.
    tokio::time::timeout(LISTEN_WAIT_MAX, said).await.ok();
}
