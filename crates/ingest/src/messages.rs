//! The interface of every protocol: the messages of a body in order.

use crate::marks::Marks;
use logstead_record::BatchBuilder;
use std::borrow::Cow;

/// The limits on a message.
pub const LIMITS: logstead_syslog::format::json::ObjectLimits =
    logstead_syslog::format::json::ObjectLimits { line_bytes_max: 1 << 20, fields_max: 1000, depth_max: 32 };

/// The messages of a body that was accepted as a whole.
pub trait Messages: Send + 'static {
    /// Adds the next message as a row, or returns the reason for its refusal; `None` at the end. Nothing of a refused
    /// message is left in the builder.
    fn next(&mut self, builder: &mut BatchBuilder) -> Option<NextMessage>;

    /// A lower bound of the bytes of the remaining messages, including the parts of the body that each of them
    /// repeats: the labels of a stream, the attributes of a resource, the parameters of a request. It is 0 only at
    /// the end.
    fn rest_bytes(&self) -> usize;

    /// Starts again at the beginning.
    fn restart(&mut self);

    /// The marks that stand for bytes in the added rows, if there are any.
    fn marks(&self) -> Option<Marks> {
        None
    }

    /// The ids of the rows that were added since the last call, for protocols whose messages have ids. The same
    /// message always has the same id.
    fn names(&mut self) -> Vec<Option<MessageId>> {
        Vec::new()
    }
}

/// The id of a message: a hash.
pub type MessageId = [u8; 16];

/// The result of reading a message.
#[derive(Debug)]
pub enum NextMessage {
    /// The message is the last row of the builder.
    Added {
        /// The message's size in bytes, with its fields.
        bytes: usize,
    },
    /// It is refused.
    Refused(MessageRefusal),
}

/// A refused message, and the reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MessageRefusal {
    /// Its line, or its number, from 1.
    pub number: usize,
    /// The reason.
    pub reason: Cow<'static, str>,
}

impl NextMessage {
    /// A refusal of the message with this number, for this reason.
    pub fn refused(number: usize, reason: impl Into<Cow<'static, str>>) -> NextMessage {
        NextMessage::Refused(MessageRefusal { number, reason: reason.into() })
    }
}

/// The reason why a body is refused as a whole.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BodyError {
    /// It is malformed.
    #[error("{detail}")]
    Malformed {
        /// The error, and what to send instead.
        detail: String,
        /// Line and column, if they are known.
        place: Option<(usize, usize)>,
    },
    /// It holds too many messages.
    #[error(
        "the body holds more than {messages_max} messages: send it in parts, or raise the setting \
         limits.ingest_messages_max"
    )]
    TooMany {
        /// The maximum number of messages.
        messages_max: usize,
    },
    /// Its messages repeat too much of it.
    #[error(
        "with the labels, resources or parameters that they share, the messages of the body would take {made_bytes} \
         bytes, and {made_bytes_max} are allowed: send it in parts, or with less shared data"
    )]
    TooMuch {
        /// The number of bytes that they would have.
        made_bytes: usize,
        /// The number of bytes that they may have.
        made_bytes_max: usize,
    },
    /// It cannot be unpacked.
    #[error(transparent)]
    Packed(#[from] crate::encoding::UnpackError),
}

impl BodyError {
    /// The error for a malformed body.
    pub fn malformed(detail: impl Into<String>) -> BodyError {
        BodyError::Malformed { detail: detail.into(), place: None }
    }

    /// The error for a body that is not JSON; `hint` says what to send.
    pub fn of_json(error: &serde_json::Error, hint: &str) -> BodyError {
        let detail = format!("the body is not JSON: {error}; {hint}");
        BodyError::Malformed { detail, place: Some((error.line(), error.column())) }
    }

    /// Refuses more messages than are allowed.
    pub fn above(messages: usize, messages_max: usize) -> Result<(), BodyError> {
        if messages <= messages_max { Ok(()) } else { Err(BodyError::TooMany { messages_max }) }
    }
}
