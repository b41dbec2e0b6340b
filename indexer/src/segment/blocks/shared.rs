//! The bounds of messages in time, and what writing and reading blocks share.

use crate::bounds::TimeBounds;
use crate::bytes::time_at;
use crate::journal::frame::Hash;
use crate::segment::cache::Owner;
use logstead_record::{Batch, Timestamp};
use std::any::Any;
use std::sync::Arc;

/// The bounds of what some messages count by, and of when they were received; all included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Span {
    pub(crate) earliest: Timestamp,
    pub(crate) latest: Timestamp,
    pub(crate) received_first: Timestamp,
    pub(crate) received_last: Timestamp,
}

/// What is known of a blocks file as soon as it is open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Head {
    pub(super) first_sequence: u64,
    pub(super) rows: u32,
    pub(super) previous_hash: Hash,
    pub(super) hash: Hash,
    pub(super) root: Hash,
    pub(super) span: Span,
    pub(super) bytes: u64,
}

/// What reading blocks needs again and again.
#[derive(Default)]
pub(crate) struct Scratch {
    /// What the last block was read from, by its section and group: it is often that of the next one.
    pub(super) owner: Option<Owner>,
    pub(super) open: Vec<(&'static str, usize, Arc<dyn Any + Send + Sync>)>,
}

impl Span {
    /// Of no message: every message widens it.
    pub(crate) const NONE: Span = Span {
        earliest: Timestamp::MAX,
        latest: Timestamp::from_nanos(i64::MIN),
        received_first: Timestamp::MAX,
        received_last: Timestamp::from_nanos(i64::MIN),
    };

    /// Of the messages of a batch.
    pub(super) fn of(batch: &Batch) -> Span {
        let (earliest, latest) = batch.time_range().unwrap_or((Span::NONE.earliest, Span::NONE.latest));
        let received = batch.columns().received();
        let (first, last) =
            received.iter().fold((i64::MAX, i64::MIN), |(low, high), &at| (low.min(at), high.max(at)));
        Span {
            earliest,
            latest,
            received_first: Timestamp::from_nanos(first),
            received_last: Timestamp::from_nanos(last),
        }
    }

    /// The times that they count by.
    pub(crate) fn times(self) -> TimeBounds {
        TimeBounds { earliest: self.earliest, latest: self.latest }
    }

    /// Of these and those.
    pub(crate) fn join(self, other: Span) -> Span {
        Span {
            earliest: self.earliest.min(other.earliest),
            latest: self.latest.max(other.latest),
            received_first: self.received_first.min(other.received_first),
            received_last: self.received_last.max(other.received_last),
        }
    }

    /// As bytes.
    pub(super) fn to_bytes(self) -> [u8; 32] {
        let mut bytes = [0; 32];
        let times = [self.earliest, self.latest, self.received_first, self.received_last];
        for (place, time) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(times) {
            *place = time.nanos().to_le_bytes();
        }
        bytes
    }

    /// From its bytes.
    pub(super) fn read(bytes: &[u8]) -> Span {
        let time = |at| time_at(bytes, at);
        Span { earliest: time(0), latest: time(8), received_first: time(16), received_last: time(24) }
    }
}
