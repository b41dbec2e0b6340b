//! Where a destination sends its messages.
//!
//! A sink knows one protocol and nothing of queues, pauses or retries: what it says of the messages that it was given
//! decides what becomes of them.

use logstead_config::Label;
use logstead_record::Batch;
use std::time::Duration;

/// A message that is sent.
#[derive(Clone, Copy)]
pub(super) struct Message<'a> {
    pub(super) batch: &'a Batch,
    /// Its row there.
    pub(super) row: usize,
    /// Its place in the queue.
    pub(super) sequence: u64,
}

impl<'a> Message<'a> {
    /// The same text whenever the message is sent, and that of no other message: a queue that was discarded begins to
    /// count again, but not at the same time.
    pub(super) fn id(&self) -> String {
        format!("{:x}-{:x}", self.batch.received(self.row).nanos(), self.sequence)
    }

    /// What it has there; empty if it has nothing.
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

/// What became of messages that were sent. Those that are not named are delivered.
#[derive(Default, Debug, PartialEq, Eq)]
pub(super) struct Sent {
    /// How many bytes they took.
    pub(super) bytes: usize,
    /// Messages that will never be accepted as they are, by their place among those that were sent, and why.
    pub(super) refused: Vec<(usize, String)>,
    /// Messages that were not accepted for now, by their place, in order; they are sent again on their own.
    pub(super) again: Vec<usize>,
    /// Why not, if there are any.
    pub(super) busy: Option<Failure>,
}

impl Sent {
    /// All of them are delivered.
    pub(super) fn all(bytes: usize) -> Sent {
        Sent { bytes, ..Sent::default() }
    }
}

/// Why messages could not be sent.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Failure {
    /// What happened, and where; it is shown to the operator.
    pub(super) reason: String,
    pub(super) remedy: Remedy,
}

/// What may help.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Remedy {
    /// To try again, after this long if the other side said so. Some of the messages may have arrived.
    Wait(Option<Duration>),
    /// To send fewer at a time: the other side takes none that are this many or this large. A message that is too large
    /// on its own is refused.
    Split,
}

impl Failure {
    pub(super) fn wait(reason: impl Into<String>) -> Failure {
        Failure { reason: reason.into(), remedy: Remedy::Wait(None) }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Failure {
        Failure::wait(error.to_string())
    }
}

/// Something that takes messages.
pub(super) trait Sink: Send {
    /// Sends messages, in this order; at least one. Returns when the other side has accepted them, as far as its
    /// protocol tells, within a bounded time. After a failure all of them are sent again.
    fn send(&mut self, messages: &[Message<'_>]) -> Result<Sent, Failure>;

    /// What the other side said when it accepted messages last, for protocols in which it says something.
    fn said(&self) -> Option<String> {
        None
    }
}
