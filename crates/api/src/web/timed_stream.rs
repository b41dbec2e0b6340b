//! The byte stream of a connection, which reports reads and writes to the connection's [`Deadlines`].
//!
//! The HTTP library answers malformed or oversized heads with a bare status. Such a response is held back here, so
//! that it can be [sent](super::closing_response) as a problem like all others.

use super::deadlines::Deadlines;
use logstead_flow::counters::Counters;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Instant;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// A stream with its deadlines.
pub(super) struct TimedStream<S> {
    stream: S,
    deadlines: Arc<Deadlines>,
    counters: Arc<Counters>,
    /// The status with which the HTTP library itself refused a request.
    refused: Option<u16>,
}

impl<S> TimedStream<S> {
    pub(super) fn new(stream: S, deadlines: Arc<Deadlines>, counters: Arc<Counters>) -> TimedStream<S> {
        TimedStream { stream, deadlines, counters, refused: None }
    }

    /// The stream, and the status that has yet to be sent.
    pub(super) fn into_parts(self) -> (S, Option<u16>) {
        (self.stream, self.refused)
    }

    fn written(&self, polled: &Poll<io::Result<usize>>) {
        match polled {
            Poll::Ready(Ok(bytes)) => {
                self.counters.web.sent_bytes.add(*bytes);
                self.deadlines.writing(|credit| credit.moved(*bytes, Instant::now()));
            }
            Poll::Ready(Err(_)) => {}
            Poll::Pending => self.deadlines.writing(|credit| credit.wait(Instant::now())),
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for TimedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        let bytes = buffer.filled().len() - before;
        if 0 < bytes {
            self.counters.web.received_bytes.add(bytes);
            self.deadlines.read(bytes, Instant::now());
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for TimedStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if 0 < self.deadlines.head_bytes()
            && let Some(status) = bare_refusal(bytes)
        {
            self.refused = Some(status);
            return Poll::Ready(Ok(bytes.len()));
        }
        let polled = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.written(&polled);
        polled
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if let [only] = parts {
            return self.poll_write(context, only);
        }
        let polled = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.written(&polled);
        polled
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.refused.is_some() {
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// The status of a refusal without a body, which the API itself never sends.
fn bare_refusal(answer: &[u8]) -> Option<u16> {
    let head = std::str::from_utf8(answer).ok()?.strip_suffix("\r\n\r\n")?;
    let status = head.strip_prefix("HTTP/1.1 4")?.get(..2)?.parse::<u16>().ok()?;
    head.to_ascii_lowercase().contains("\r\ncontent-length: 0").then_some(400 + status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_answers_of_http_itself_are_kept_back() {
        let check =
            |answer: &str, expected| assert_eq!(bare_refusal(answer.as_bytes()), expected, "{answer}");
        check("HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\n\r\n", Some(431));
        check(
            "HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\ndate: x\r\n\r\n",
            Some(400),
        );
        check("HTTP/1.1 404 Not Found\r\ncontent-length: 2\r\n\r\n{}", None);
        check("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", None);
        check("HTTP/1.1 100 Continue\r\n\r\n", None);
    }
}
