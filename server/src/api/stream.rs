//! Bodies that are made while they are read.
//!
//! **Invariant:** a body that has to be whole and is not breaks the connection, so that nobody takes it for whole.

use super::scope::Guard;
use crate::web::AtLength;
use axum::body::{Body, Bytes};
use axum::response::{IntoResponse, Response};
use futures_core::Stream;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::sync::mpsc;

/// What comes next in a body.
pub(super) enum Piece {
    Data(Bytes),
    /// Nothing: it is whole.
    End,
}

/// A body: ends the work when it is dropped.
pub(super) struct Pieces {
    pieces: mpsc::Receiver<Piece>,
    /// Whether it is wrong without [`Piece::End`].
    has_end: bool,
    _guard: Guard,
}

impl Pieces {
    /// One that may end anywhere.
    pub(super) fn endless(pieces: mpsc::Receiver<Piece>, guard: Guard) -> Pieces {
        Pieces { pieces, has_end: false, _guard: guard }
    }

    /// One that has to be whole.
    pub(super) fn whole(pieces: mpsc::Receiver<Piece>, guard: Guard) -> Pieces {
        Pieces { pieces, has_end: true, _guard: guard }
    }

    pub(super) fn into_response(self) -> Response {
        let mut response = Body::from_stream(self).into_response();
        response.extensions_mut().insert(AtLength);
        response
    }
}

impl Stream for Pieces {
    type Item = io::Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Poll::Ready(piece) = self.pieces.poll_recv(context) else { return Poll::Pending };
        Poll::Ready(match piece {
            Some(Piece::Data(bytes)) => Some(Ok(bytes)),
            None if self.has_end => {
                self.has_end = false;
                Some(Err(io::Error::other("the answer could not be made to its end")))
            }
            Some(Piece::End) | None => {
                self.has_end = false;
                None
            }
        })
    }
}
