//! The final response on a connection: why it ends, as a problem (RFC 9457) if a request had started.

use super::deadlines::ConnectionEnd;
use super::limits::WebLimits;
use crate::problem_type::{ProblemEntry, ProblemType};
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
            Some(problem(ProblemType::TooSlow, &format!("the request did not come within {seconds} s")))
        }
        ConnectionEnd::HeadTooSlow
        | ConnectionEnd::Idle
        | ConnectionEnd::AnswerUnread
        | ConnectionEnd::GaveWay => None,
    }
}

/// The response on a connection for which there is no room.
pub(super) fn no_place(detail: &str) -> String {
    problem(ProblemType::Busy, &format!("{detail}: try again"))
}

/// The response if HTTP itself refuses a request.
pub(super) fn refusal(status: u16) -> String {
    let (kind, detail) = match status {
        414 => (ProblemType::AddressTooLong, "the address of the request is too long"),
        431 => {
            (ProblemType::HeaderTooLong, "the head of the request is too long, or has more than 100 fields")
        }
        _ => (ProblemType::InvalidHttp, "the request is not valid HTTP/1.1"),
    };
    problem(kind, detail)
}

fn problem(kind: ProblemType, detail: &str) -> String {
    let ProblemEntry { status, title, .. } = *kind.entry();
    let id = Id::random();
    let body = serde_json::json!({
        "type": kind, "title": title, "status": status.as_u16(), "detail": detail, FIELD: id.as_str()
    });
    let body = body.to_string();
    let retry = if kind == ProblemType::Busy { "retry-after: 1\r\n" } else { "" };
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/problem+json\r\ncontent-length: {}\r\n\
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
