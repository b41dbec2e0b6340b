//! The messages of a body in batches of bounded size, and which of them were refused.
//!
//! **Invariant:** every message becomes a row or is counted as refused.

use crate::messages::{BodyError, MessageId, MessageRefusal, Messages, NextMessage};
use logstead_record::{Batch, BatchBuilder, Origin, Timestamp};
use std::collections::VecDeque;

/// The maximum number of refusals that are listed; all are counted.
pub const REFUSALS_MAX: usize = 100;
/// A batch is sealed at this many messages …
pub const BATCH_MESSAGES_MAX: usize = 8192;
/// … or at this many bytes.
pub const BATCH_BYTES_MAX: usize = 4 << 20;

/// The size that the messages of a body may have, including parts that several of them repeat, as a multiple of the
/// body's limit …
const MADE_FACTOR_MAX: usize = 4;
/// … and the size that they may have in any case. The same size bounds bytes that are only found while the messages
/// are read.
const MADE_BYTES_MIN: usize = 4 * BATCH_BYTES_MAX;

/// The sender of a body's messages, and the time of receipt.
#[derive(Clone, Debug)]
pub struct BodySender {
    /// The id of the source.
    pub source: String,
    /// The sender's address; empty if it is not known.
    pub peer: String,
    /// The current time.
    pub received: Timestamp,
}

/// The messages of a body, batch by batch.
pub struct Batches<M> {
    messages: M,
    sender: BodySender,
    /// Gives each batch its own time of receipt.
    stamp: Option<fn() -> Timestamp>,
    /// The number of bytes by which the messages exceed their stated size, and the limit on it.
    surplus_bytes: usize,
    surplus_bytes_max: usize,
    /// The batches that a check has read and kept, in order. If there are any, nothing else is left to read.
    kept: VecDeque<Batch>,
    /// The number of messages that were refused.
    pub refused: usize,
    /// The first refused messages.
    pub refusals: Vec<MessageRefusal>,
}

impl<M: Messages> Batches<M> {
    /// Batches of messages from one sender.
    pub fn of(messages: M, sender: BodySender) -> Batches<M> {
        Batches {
            messages,
            sender,
            stamp: None,
            surplus_bytes: 0,
            surplus_bytes_max: usize::MAX,
            kept: VecDeque::new(),
            refused: 0,
            refusals: Vec::new(),
        }
    }

    /// Gives each batch its own time of receipt, which identifies the batch.
    #[must_use]
    pub fn stamped(self, stamp: fn() -> Timestamp) -> Batches<M> {
        Batches { stamp: Some(stamp), ..self }
    }

    /// Batches of a body that may have up to this length: it is refused if its messages would become much longer than
    /// that.
    pub fn within(messages: M, sender: BodySender, body_bytes_max: usize) -> Result<Batches<M>, BodyError> {
        let made_bytes_max = body_bytes_max.saturating_mul(MADE_FACTOR_MAX).max(MADE_BYTES_MIN);
        match messages.rest_bytes() {
            made_bytes if made_bytes_max < made_bytes => {
                Err(BodyError::TooMuch { made_bytes, made_bytes_max })
            }
            _ => Ok(Batches { surplus_bytes_max: MADE_BYTES_MIN, ..Batches::of(messages, sender) }),
        }
    }

    /// The number of bytes by which the batches so far exceed their stated size: `{"a": {"b": 1, "c": 2}}` names `a`
    /// twice. Fails if there are too many.
    pub fn surplus_bytes(&self) -> Result<usize, BodyError> {
        match self.surplus_bytes {
            made_bytes if self.surplus_bytes_max < made_bytes => {
                Err(BodyError::TooMuch { made_bytes, made_bytes_max: self.surplus_bytes_max })
            }
            surplus => Ok(surplus),
        }
    }

    /// The protocol's state after the messages that were read so far.
    pub fn messages(&self) -> &M {
        &self.messages
    }

    /// The ids of the messages of the last batch, if the protocol has ids.
    pub fn names(&mut self) -> Vec<Option<MessageId>> {
        self.messages.names()
    }

    /// The bytes that are left.
    pub fn rest_bytes(&self) -> usize {
        self.messages.rest_bytes().max(self.kept.len())
    }

    /// Whether a check has already read and kept the rest.
    pub fn is_kept(&self) -> bool {
        !self.kept.is_empty()
    }

    /// The next messages; an empty batch if all the remaining ones are refused.
    pub fn next_batch(&mut self) -> Batch {
        if let Some(batch) = self.kept.pop_front() {
            return batch;
        }
        let mut builder = BatchBuilder::new();
        let (mut bytes, rest_bytes) = (0, self.messages.rest_bytes());
        let BodySender { source, peer, received } = &self.sender;
        let received = self.stamp.map_or(*received, |stamp| stamp());
        builder.origin(Origin { source: source.as_bytes(), peer: peer.as_bytes(), received });
        while builder.rows() < BATCH_MESSAGES_MAX && bytes.max(builder.field_names_bytes()) < BATCH_BYTES_MAX
        {
            match self.messages.next(&mut builder) {
                Some(NextMessage::Added { bytes: more }) => bytes += more,
                Some(NextMessage::Refused(refusal)) => {
                    self.refused += 1;
                    if self.refusals.len() < REFUSALS_MAX {
                        self.refusals.push(refusal);
                    }
                }
                None => break,
            }
        }
        let said_bytes = rest_bytes.saturating_sub(self.messages.rest_bytes());
        self.surplus_bytes += builder.field_names_bytes().saturating_sub(said_bytes);
        let batch = builder.seal();
        match self.messages.marks() {
            Some(marks) => marks.restored(&batch),
            None => batch,
        }
    }

    /// Reads all messages, so that a body with a bad message can be refused before any part of it is stored; returns
    /// the number that would be refused. The batches are kept if they take no more memory than `kept_bytes_max`;
    /// otherwise none is kept, and reading starts again.
    pub fn check(&mut self, kept_bytes_max: usize) -> usize {
        let (mut kept, mut kept_bytes) = (VecDeque::new(), 0);
        while 0 < self.rest_bytes() && self.surplus_bytes().is_ok() {
            let batch = self.next_batch();
            kept_bytes += batch.memory_bytes();
            if kept_bytes_max < kept_bytes {
                kept.clear();
            } else if 0 < batch.rows() {
                kept.push_back(batch);
            }
        }
        if kept_bytes_max < kept_bytes && self.surplus_bytes().is_ok() {
            self.messages.restart();
            // The next pass counts it again.
            self.surplus_bytes = 0;
        }
        self.kept = kept;
        self.refused
    }

    /// The protocol's state after all messages.
    pub fn into_messages(self) -> M {
        self.messages
    }
}
