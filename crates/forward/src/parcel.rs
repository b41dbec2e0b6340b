//! What is read from a queue at a time: as many messages as one request carries well.

use super::gather::Portion;
use super::sink::Message;
use logstead_indexer::{FollowEvent, MissingCause, QueueReader};
use logstead_record::{Batch, Selection};
use logstead_work::SearchContext;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

/// Messages that stand one behind the other.
#[derive(Default)]
pub(super) struct Parcel {
    parts: Vec<Part>,
    /// The sequence behind its last message.
    pub(super) end: u64,
    /// Messages before it that are no longer there.
    pub(super) gone: Vec<Gone>,
    /// Why it ends where it does, if what follows cannot be read.
    pub(super) unreadable: Option<Gone>,
}

struct Part {
    batch: Arc<Batch>,
    first_sequence: u64,
    rows: Selection,
}

/// Messages that cannot be sent.
pub(super) struct Gone {
    pub(super) sequences: Range<u64>,
    pub(super) why: String,
    pub(super) cause: MissingCause,
}

impl Parcel {
    /// Reads what comes next: whole batches, until there are enough messages or bytes.
    pub(super) fn read(reader: &mut QueueReader, portion: &Portion) -> Parcel {
        let mut parcel = Parcel::default();
        let (mut messages, mut bytes) = (0, 0);
        reader.read(&SearchContext::alone(), &mut |followed| match followed {
            FollowEvent::Missing { sequences, why, cause } => {
                let gone = Gone { sequences: sequences.clone(), why: why.to_owned(), cause };
                if cause == MissingCause::Expired {
                    parcel.gone.push(gone);
                    return ControlFlow::Continue(());
                }
                // What was read before comes first.
                parcel.unreadable = Some(gone);
                ControlFlow::Break(sequences.start)
            }
            FollowEvent::Messages { sequences, matched } => {
                if let Some(matched) = matched {
                    let (batch, rows) = (matched.batch.clone(), matched.rows.clone());
                    messages += rows.count();
                    bytes += batch.memory_bytes();
                    parcel.parts.push(Part { batch, first_sequence: matched.first_sequence, rows });
                }
                let enough = portion.messages <= messages || portion.bytes <= bytes;
                if enough { ControlFlow::Break(sequences.end) } else { ControlFlow::Continue(()) }
            }
        });
        parcel.end = reader.next();
        parcel
    }

    pub(super) fn messages(&self) -> Vec<Message<'_>> {
        self.parts.iter().flat_map(Part::messages).collect()
    }

    /// How many of them have a sequence below this.
    pub(super) fn messages_before(&self, end: u64) -> usize {
        self.parts
            .iter()
            .map(|part| part.messages().take_while(|message| message.sequence < end).count())
            .sum()
    }
}

impl Part {
    fn messages(&self) -> impl Iterator<Item = Message<'_>> {
        let message = |row| Message { batch: &self.batch, row, sequence: self.first_sequence + row as u64 };
        self.rows.iter().map(message)
    }
}
