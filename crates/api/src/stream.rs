//! Bodies that are produced while the client reads them.
//!
//! **Invariant:** a body that has to be complete and is not breaks the connection, so that no client takes it for
//! complete.

use super::question::cancel::Guard;
use crate::web::LongAnswer;
use axum::body::{Body, Bytes, HttpBody};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use http_body::Frame;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::sync::mpsc;

/// The next piece of a body, or its end.
pub(super) enum BodyPiece {
    Data(Bytes),
    /// The end of a complete body. The trailers go to clients that asked for them with `TE: trailers`.
    End(HeaderMap),
}

/// A body, which ends the work when it is dropped.
pub(super) struct StreamedBody {
    pieces: mpsc::Receiver<BodyPiece>,
    /// Whether [`BodyPiece::End`] is required and has not come yet.
    has_end: bool,
    _guard: Guard,
}

impl StreamedBody {
    /// A body that may end anywhere.
    pub(super) fn endless(pieces: mpsc::Receiver<BodyPiece>, guard: Guard) -> StreamedBody {
        StreamedBody { pieces, has_end: false, _guard: guard }
    }

    /// A body that has to be complete.
    pub(super) fn whole(pieces: mpsc::Receiver<BodyPiece>, guard: Guard) -> StreamedBody {
        StreamedBody { pieces, has_end: true, _guard: guard }
    }

    pub(super) fn into_response(self) -> Response {
        let mut response = Body::new(self).into_response();
        response.extensions_mut().insert(LongAnswer);
        response
    }
}

impl HttpBody for StreamedBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let Poll::Ready(piece) = self.pieces.poll_recv(context) else { return Poll::Pending };
        if let Some(BodyPiece::Data(bytes)) = piece {
            return Poll::Ready(Some(Ok(Frame::data(bytes))));
        }
        let had_end = !std::mem::take(&mut self.has_end);
        Poll::Ready(match piece {
            Some(BodyPiece::End(trailers)) if !trailers.is_empty() => Some(Ok(Frame::trailers(trailers))),
            Some(_) => None,
            None if had_end => None,
            None => Some(Err(io::Error::other("the answer could not be completed"))),
        })
    }
}
