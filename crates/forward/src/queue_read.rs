//! One read of a queue: as many messages as one request carries efficiently.

use super::gather::ReadLimit;
use super::sink::OutgoingMessage;
use logstead_indexer::{FollowEvent, MissingCause, QueueReader};
use logstead_record::{Batch, Selection};
use logstead_work::SearchContext;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

/// Consecutive messages of a queue.
#[derive(Default)]
pub(super) struct QueueRead {
    parts: Vec<BatchPart>,
    /// The sequence after its last message.
    pub(super) end: u64,
    /// Messages before it that no longer exist.
    pub(super) missing: Vec<MissingMessages>,
    /// Why it ends at that point, if the messages that follow cannot be read.
    pub(super) unreadable: Option<MissingMessages>,
}

struct BatchPart {
    batch: Arc<Batch>,
    first_sequence: u64,
    rows: Selection,
}

/// Messages that cannot be sent.
pub(super) struct MissingMessages {
    pub(super) sequences: Range<u64>,
    pub(super) why: String,
    pub(super) cause: MissingCause,
}

impl QueueRead {
    /// Reads the next messages: whole batches, until there are enough messages or bytes.
    pub(super) fn read(reader: &mut QueueReader, limit: &ReadLimit) -> QueueRead {
        let mut read = QueueRead::default();
        let (mut messages, mut bytes) = (0, 0);
        reader.read(&SearchContext::alone(), &mut |followed| match followed {
            FollowEvent::Missing { sequences, why, cause } => {
                let missing = MissingMessages { sequences: sequences.clone(), why: why.to_owned(), cause };
                if cause == MissingCause::Expired {
                    read.missing.push(missing);
                    return ControlFlow::Continue(());
                }
                // The messages that were already read are handled first.
                read.unreadable = Some(missing);
                ControlFlow::Break(sequences.start)
            }
            FollowEvent::Messages { sequences, matched } => {
                if let Some(matched) = matched {
                    let (batch, rows) = (matched.batch.clone(), matched.rows.clone());
                    messages += rows.count();
                    bytes += batch.memory_bytes();
                    read.parts.push(BatchPart { batch, first_sequence: matched.first_sequence, rows });
                }
                let enough = limit.messages <= messages || limit.bytes <= bytes;
                if enough { ControlFlow::Break(sequences.end) } else { ControlFlow::Continue(()) }
            }
        });
        read.end = reader.next();
        read
    }

    pub(super) fn messages(&self) -> Vec<OutgoingMessage<'_>> {
        self.parts.iter().flat_map(BatchPart::messages).collect()
    }

    /// The number of its messages with a lower sequence.
    pub(super) fn messages_before(&self, end: u64) -> usize {
        self.parts
            .iter()
            .map(|part| part.messages().take_while(|message| message.sequence < end).count())
            .sum()
    }
}

impl BatchPart {
    fn messages(&self) -> impl Iterator<Item = OutgoingMessage<'_>> {
        let message =
            |row| OutgoingMessage { batch: &self.batch, row, sequence: self.first_sequence + row as u64 };
        self.rows.iter().map(message)
    }
}
