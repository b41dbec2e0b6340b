//! Wrappers around the two bodies of a request: the incoming one, which has to make progress, and the outgoing one,
//! whose end is the end of the request.

use super::credit::Credit;
use super::deadlines::{Deadlines, RequestInProgress};
use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, Incoming, SizeHint};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Instant;
use tokio::time::Sleep;

/// Maximum size of a piece of a response on a shared connection. A piece is kept until the peer takes it, and only
/// then is the next one requested, which shows whether the peer takes anything.
const PIECE_BYTES_MAX: usize = 32 << 10;

/// Marks a response that continues for as long as it is read: its reader may pause for a while.
#[derive(Clone, Copy, Debug)]
pub struct LongAnswer;

/// The error if the sender of a body keeps us waiting too long.
#[derive(Debug, thiserror::Error)]
#[error("the body comes too slowly: at least 1 KiB a second is expected")]
pub struct TooSlow;

/// The body of a request.
pub(super) struct RequestBody {
    body: Incoming,
    deadlines: Arc<Deadlines>,
    credit: Credit,
    /// Wakes us when the credit is used up while we wait.
    sleep: Option<Pin<Box<Sleep>>>,
}

impl RequestBody {
    pub(super) fn new(body: Incoming, deadlines: Arc<Deadlines>) -> RequestBody {
        let credit = deadlines.body_credit();
        RequestBody { body, deadlines, credit, sleep: None }
    }

    /// Ready when we have waited long enough.
    fn poll_too_slow(&mut self, context: &mut Context<'_>) -> Poll<()> {
        self.credit.wait(Instant::now());
        let Some(end) = self.credit.ends_at() else { return Poll::Pending };
        let deadlines = &self.deadlines;
        let sleep = self.sleep.get_or_insert_with(|| {
            deadlines.body_rests(true);
            Box::pin(tokio::time::sleep_until(end.into()))
        });
        sleep.as_mut().poll(context)
    }

    fn goes_on(&mut self) {
        if self.sleep.take().is_some() {
            self.deadlines.body_rests(false);
        }
    }
}

impl HttpBody for RequestBody {
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
        self.goes_on();
        let bytes = match &frame {
            Some(Ok(frame)) => frame.data_ref().map_or(0, Bytes::len),
            Some(Err(_)) | None => 0,
        };
        self.credit.moved(bytes, Instant::now());
        Poll::Ready(frame.map(|frame| frame.map_err(Into::into)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for RequestBody {
    /// Nothing waits for this body any more.
    fn drop(&mut self) {
        self.goes_on();
    }
}

/// The body of a response. By the time HTTP drops it, all of it has been produced.
pub(super) struct ResponseBody {
    body: Body,
    turn: RequestInProgress,
    /// On a shared connection: data that was produced but not handed over yet.
    rest: Option<Bytes>,
    /// The size of the piece that the peer is to take.
    offered_bytes: usize,
}

impl ResponseBody {
    pub(super) fn new(body: Body, turn: RequestInProgress, is_shared: bool) -> ResponseBody {
        if is_shared {
            // The time counts from the start, because a peer may take nothing at all.
            turn.offered(Instant::now());
        }
        ResponseBody { body, turn, rest: is_shared.then(Bytes::new), offered_bytes: 0 }
    }
}

impl HttpBody for ResponseBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = &mut *self;
        let Some(rest) = &mut this.rest else { return Pin::new(&mut this.body).poll_frame(context) };
        this.turn.taken(std::mem::take(&mut this.offered_bytes), Instant::now());
        if rest.is_empty() {
            match ready!(Pin::new(&mut this.body).poll_frame(context)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(bytes) => *rest = bytes,
                    Err(other) => return Poll::Ready(Some(Ok(other))),
                },
                ended => return Poll::Ready(ended),
            }
        }
        let piece = rest.split_to(rest.len().min(PIECE_BYTES_MAX));
        this.offered_bytes = piece.len();
        this.turn.offered(Instant::now());
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.as_ref().is_none_or(Bytes::is_empty) && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (rest, hint) = (self.rest.as_ref().map_or(0, Bytes::len) as u64, self.body.size_hint());
        let mut whole = SizeHint::new();
        whole.set_lower(hint.lower() + rest);
        if let Some(upper) = hint.upper() {
            whole.set_upper(upper + rest);
        }
        whole
    }
}
