//! The interface to the protocols by which destinations send.
//!
//! A sink knows one protocol and nothing of queues, pauses or retries: its report decides what happens to the messages.

use logstead_config::Label;
use logstead_record::Batch;
use std::time::Duration;

/// A message that is sent.
#[derive(Clone, Copy)]
pub(super) struct OutgoingMessage<'a> {
    pub(super) batch: &'a Batch,
    /// Its row there.
    pub(super) row: usize,
    /// Its place in the queue.
    pub(super) sequence: u64,
}

impl<'a> OutgoingMessage<'a> {
    /// The same text whenever the message is sent, and that of no other message: a queue that was discarded begins to
    /// count again, but not at the same time.
    pub(super) fn id(&self) -> String {
        format!("{:x}-{:x}", self.batch.received(self.row).nanos(), self.sequence)
    }

    /// The message's value of a label; empty if it has none.
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

/// The result of sending messages. Messages that it does not name are delivered.
#[derive(Default, Debug, PartialEq, Eq)]
pub(super) struct SendReport {
    /// The number of bytes that they took.
    pub(super) bytes: usize,
    /// Messages that will never be accepted as they are, by their place among those that were sent, and why.
    pub(super) refused: Vec<(usize, String)>,
    /// Messages that were not accepted for now, by their place, in order; they are sent again on their own.
    pub(super) again: Vec<usize>,
    /// Why not, if there are any.
    pub(super) busy: Option<SendFailure>,
}

impl SendReport {
    /// All of them are delivered.
    pub(super) fn all(bytes: usize) -> SendReport {
        SendReport { bytes, ..SendReport::default() }
    }
}

/// Why messages could not be sent.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SendFailure {
    /// The error, and where it happened; it is shown to the operator.
    pub(super) reason: String,
    pub(super) remedy: Remedy,
}

/// The remedy for a failure.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Remedy {
    /// To try again, after this long if the other side said so. Some of the messages may have arrived.
    Wait(Option<Duration>),
    /// To send fewer at a time: the other side takes none that are this many or this large. A message that is too large
    /// on its own is refused.
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

/// Sends messages by one protocol.
pub(super) trait MessageSink: Send {
    /// Sends messages, in this order; at least one. Returns when the other side has accepted them, as far as its
    /// protocol tells, within a bounded time. After a failure all of them are sent again.
    fn send(&mut self, messages: &[OutgoingMessage<'_>]) -> Result<SendReport, SendFailure>;

    /// The other side's text when it last accepted messages, for protocols that have one.
    fn last_answer(&self) -> Option<String> {
        None
    }
}
