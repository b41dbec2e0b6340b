//! Types shared by writing and reading blocks: the bounds of messages in time, the texts of a group, and others.

use crate::bounds::TimeBounds;
use crate::bytes::time_at;
use crate::journal::frame::Hash;
use crate::segment::cache::CacheOwner;
use logstead_record::{Batch, Timestamp};
use logstead_template::{FieldParts, TemplateGroup};
use std::any::Any;
use std::sync::Arc;

/// The bounds of the times of some messages, and of the times at which they were received, all inclusive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct MessageSpan {
    pub(crate) earliest: Timestamp,
    pub(crate) latest: Timestamp,
    pub(crate) received_first: Timestamp,
    pub(crate) received_last: Timestamp,
}

/// The properties of a blocks file that are known as soon as it is open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct BlocksHead {
    pub(super) first_sequence: u64,
    pub(super) rows: u32,
    pub(super) previous_hash: Hash,
    pub(super) hash: Hash,
    pub(super) root: Hash,
    pub(super) span: MessageSpan,
    pub(super) bytes: u64,
}

/// Buffers and open parts that are reused when reading blocks.
#[derive(Default)]
pub(crate) struct ReadScratch {
    /// The parts from which the last block was read, by section and group. The next block often needs the same parts.
    pub(super) owner: Option<CacheOwner>,
    pub(super) open: Vec<(&'static str, usize, Arc<dyn Any + Send + Sync>)>,
}

impl MessageSpan {
    /// The span of no messages; any message widens it.
    pub(crate) const NONE: MessageSpan = MessageSpan {
        earliest: Timestamp::MAX,
        latest: Timestamp::from_nanos(i64::MIN),
        received_first: Timestamp::MAX,
        received_last: Timestamp::from_nanos(i64::MIN),
    };

    /// The span of the messages of a batch.
    pub(super) fn of(batch: &Batch) -> MessageSpan {
        let (earliest, latest) =
            batch.time_range().unwrap_or((MessageSpan::NONE.earliest, MessageSpan::NONE.latest));
        let received = batch.columns().received();
        let (first, last) =
            received.iter().fold((i64::MAX, i64::MIN), |(low, high), &at| (low.min(at), high.max(at)));
        MessageSpan {
            earliest,
            latest,
            received_first: Timestamp::from_nanos(first),
            received_last: Timestamp::from_nanos(last),
        }
    }

    /// The bounds of the messages' times.
    pub(crate) fn times(self) -> TimeBounds {
        TimeBounds { earliest: self.earliest, latest: self.latest }
    }

    /// A span that includes both.
    pub(crate) fn join(self, other: MessageSpan) -> MessageSpan {
        MessageSpan {
            earliest: self.earliest.min(other.earliest),
            latest: self.latest.max(other.latest),
            received_first: self.received_first.min(other.received_first),
            received_last: self.received_last.max(other.received_last),
        }
    }

    /// The span as bytes.
    pub(super) fn to_bytes(self) -> [u8; 32] {
        let mut bytes = [0; 32];
        let times = [self.earliest, self.latest, self.received_first, self.received_last];
        for (place, time) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(times) {
            *place = time.nanos().to_le_bytes();
        }
        bytes
    }

    /// Reads a span from its bytes.
    pub(super) fn read(bytes: &[u8]) -> MessageSpan {
        let time = |at| time_at(bytes, at);
        MessageSpan { earliest: time(0), latest: time(8), received_first: time(16), received_last: time(24) }
    }
}

/// The texts of a group that are indexed.
pub(crate) struct IndexedTexts {
    pub(crate) messages: Arc<TemplateGroup>,
    pub(crate) values: Option<UnsharedValues>,
    /// The dynamic fields, if there are any.
    pub(crate) fields: Option<Arc<FieldParts>>,
}

/// The values of dynamic fields that are not parts of messages, and the row of each.
///
/// **Invariant:** a value of a dynamic field that is not here is a part of its message, with all its words.
pub(crate) struct UnsharedValues {
    pub(crate) texts: Arc<TemplateGroup>,
    pub(crate) rows: Vec<u32>,
}
