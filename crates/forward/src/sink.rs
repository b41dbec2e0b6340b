//! The interface to the protocols by which destinations send.
//!
//! A sink knows one protocol and nothing of queues, pauses or retries: its report decides what happens to the messages.

use logstead_config::Label;
use logstead_record::Batch;
use std::time::Duration;

/// A message to be sent.
#[derive(Clone, Copy)]
pub(super) struct OutgoingMessage<'a> {
    pub(super) batch: &'a Batch,
    /// The row of the message in that batch.
    pub(super) row: usize,
    /// Its sequence in the queue.
    pub(super) sequence: u64,
}

impl<'a> OutgoingMessage<'a> {
    /// A text that is the same whenever the message is sent, and differs from that of any other message: the
    /// sequences of a discarded queue start again, but not at the same time.
    pub(super) fn id(&self) -> String {
        format!("{:x}-{:x}", self.batch.received(self.row).nanos(), self.sequence)
    }

    /// The message's value for a label; empty if it has none.
    pub(super) fn label(&self, label: Label) -> &'a [u8] {
        let priority = self.batch.priority(self.row);
        match label {
            Label::Host => self.batch.host(self.row),
            Label::Program => self.batch.program(self.row),
            Label::Severity => priority.map_or(b"", |priority| priority.severity().name().as_bytes()),
            Label::Facility => priority.map_or(b"", |priority| priority.facility().name().as_bytes()),
            Label::Source => self.batch.source(self.row),
        }
    }
}

/// The result of sending messages. All messages that it does not mention were delivered.
#[derive(Default, Debug, PartialEq, Eq)]
pub(super) struct SendReport {
    /// The number of bytes sent for the delivered messages.
    pub(super) bytes: usize,
    /// Messages that will never be accepted as they are, by their position among those that were sent, with the
    /// reason.
    pub(super) refused: Vec<(usize, String)>,
    /// Messages that were not accepted for now, by their position, in order; they are sent again on their own.
    pub(super) again: Vec<usize>,
    /// Why those messages were not accepted, if there are any.
    pub(super) busy: Option<SendFailure>,
}

impl SendReport {
    /// A report that all messages are delivered.
    pub(super) fn all(bytes: usize) -> SendReport {
        SendReport { bytes, ..SendReport::default() }
    }
}

/// Why messages could not be sent.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SendFailure {
    /// The error, and where it happened, as shown to the operator.
    pub(super) reason: String,
    pub(super) remedy: Remedy,
}

/// The remedy for a failure.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Remedy {
    /// Try again, after this long if the other side said so. Some of the messages may have arrived.
    Wait(Option<Duration>),
    /// Send fewer at a time: the other side does not accept this many messages, or this many bytes. A message that is
    /// too large on its own is refused.
    Split,
}

impl SendFailure {
    pub(super) fn wait(reason: impl Into<String>) -> SendFailure {
        SendFailure { reason: reason.into(), remedy: Remedy::Wait(None) }
    }
}

impl From<std::io::Error> for SendFailure {
    fn from(error: std::io::Error) -> SendFailure {
        SendFailure::wait(error.to_string())
    }
}

/// Sends messages in one protocol.
pub(super) trait MessageSink: Send {
    /// Sends at least one message, in this order. Returns when the other side has accepted them, as far as its
    /// protocol shows, within a bounded time. After a failure all of them are sent again.
    fn send(&mut self, messages: &[OutgoingMessage<'_>]) -> Result<SendReport, SendFailure>;

    /// The other side's text when it last accepted messages, for protocols that have such a text.
    fn last_answer(&self) -> Option<String> {
        None
    }
}
