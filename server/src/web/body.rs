//! The two bodies of a request in passing: the incoming one, which has to make progress, and the outgoing one, whose
//! end is the end of the request.

use super::pulse::Pulse;
use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, Incoming, SizeHint};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Instant;
use tokio::time::Sleep;

/// The sender of a body keeps us waiting too long.
#[derive(Debug, thiserror::Error)]
#[error("the body comes too slowly: at least 1 KiB a second is expected")]
pub(crate) struct TooSlow;

/// The body of a request.
pub(super) struct Received {
    body: Incoming,
    pulse: Arc<Pulse>,
    /// Fires when the credit is used up while we wait.
    sleep: Option<Pin<Box<Sleep>>>,
}

impl Received {
    pub(super) fn new(body: Incoming, pulse: Arc<Pulse>) -> Received {
        Received { body, pulse, sleep: None }
    }

    /// Ready when we have waited long enough.
    fn poll_too_slow(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let end = self.pulse.reading(|credit| {
            credit.wait(Instant::now());
            credit.ends_at()
        });
        let Some(end) = end else { return Poll::Pending };
        let sleep = self.sleep.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(end.into())));
        sleep.as_mut().poll(context)
    }
}

impl HttpBody for Received {
    type Data = Bytes;
    type Error = Box<dyn std::error::Error + Send + Sync>;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) else {
            ready!(self.poll_too_slow(context));
            return Poll::Ready(Some(Err(TooSlow.into())));
        };
        self.sleep = None;
        let bytes = match &frame {
            Some(Ok(frame)) => frame.data_ref().map_or(0, Bytes::len),
            Some(Err(_)) | None => 0,
        };
        self.pulse.reading(|credit| credit.moved(bytes, Instant::now()));
        Poll::Ready(frame.map(|frame| frame.map_err(Into::into)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Received {
    /// No longer waited for.
    fn drop(&mut self) {
        self.pulse.reading(|credit| credit.moved(0, Instant::now()));
    }
}

/// The body of an answer. When HTTP drops it, it has been produced completely.
pub(super) struct Sent {
    body: Body,
    pulse: Arc<Pulse>,
}

impl Sent {
    pub(super) fn new(body: Body, pulse: Arc<Pulse>) -> Sent {
        Sent { body, pulse }
    }
}

impl HttpBody for Sent {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Sent {
    fn drop(&mut self) {
        self.pulse.answered(Instant::now());
    }
}
