//! What of a logspace is too old or too much to keep. Pure: the caller brings the limits and removes the files.
//!
//! **Invariant:** what expires is the old end of a logspace, without a gap; the open journal file stays.

use crate::store::manifest::{Extent, Manifest};
use crate::store::part::{Part, parts};
use crate::store::view::View;
use logstead_record::Timestamp;

/// What of a logspace may be removed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Expiry {
    /// Messages that were received before this.
    pub received_before: Option<Timestamp>,
    /// The oldest, while all files together are larger than this.
    pub bytes_max: Option<u64>,
    /// Messages with a sequence below this.
    pub before: u64,
}

/// What was removed, or would be.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Expired {
    /// Segments.
    pub segments: usize,
    /// Journal files.
    pub files: usize,
    /// Their messages.
    pub messages: u64,
    /// Their length.
    pub bytes: u64,
    /// When the last of them was received.
    pub received_last: Option<Timestamp>,
}

impl Expired {
    /// Of these parts.
    pub(crate) fn of(parts: &[Part]) -> Expired {
        let mut expired = Expired::default();
        parts.iter().for_each(|part| expired.add(part));
        expired
    }

    fn add(&mut self, part: &Part) {
        match part {
            Part::Segment(_) | Part::Lost(_) => self.segments += 1,
            Part::File(_) => self.files += 1,
        }
        self.messages += part.messages();
        self.bytes += part.bytes();
        self.received_last = self.received_last.max(part.received());
    }
}

/// What may go, oldest first: all that is too old, and as much as is too much. The open journal file stays.
pub(crate) fn old_parts(view: &View, expiry: &Expiry) -> Vec<Part> {
    let open = view.files.last();
    let mut left = open.map_or(0, |file| file.bytes);
    let mut parts = parts(view);
    parts.retain(|part| {
        part.id().is_some() || open.is_some_and(|open| part.first_sequence() != open.first_sequence)
    });
    left += parts.iter().map(Part::bytes).sum::<u64>();
    // What cannot be read is as old as what follows it.
    let mut received: Vec<Option<Timestamp>> = parts.iter().map(Part::received).collect();
    for at in (1..received.len()).rev() {
        received[at - 1] = received[at - 1].or(received[at]);
    }
    // One that is damaged at its end reaches up to what follows it.
    let firsts = parts.iter().skip(1).map(Part::first_sequence);
    let ends: Vec<u64> = firsts.chain(open.map(|open| open.first_sequence)).collect();
    let keep_from = parts.iter().zip(received).zip(ends).position(|((part, received), end)| {
        let is_old = expiry.received_before.zip(received).is_some_and(|(before, received)| received < before);
        let is_too_much = expiry.bytes_max.is_some_and(|max| max < left);
        left -= part.bytes();
        let is_done = end <= expiry.before;
        !is_old && !is_too_much && !is_done
    });
    parts.truncate(keep_from.unwrap_or(parts.len()));
    parts
}

/// When the last of what has expired was received. Where that is not known, it was not after what the first part that is left
/// ends with.
pub(crate) fn expired_until(extent: Extent, view: &View) -> Option<Timestamp> {
    let first_left = || parts(view).iter().find_map(Part::received);
    (0 < extent.first).then(|| extent.expired.or_else(first_left).unwrap_or(Timestamp::MAX))
}

/// The same once these oldest parts have expired too.
pub(crate) fn expired_with(view: &View, expired: &[Part]) -> Option<Timestamp> {
    let received: Option<Vec<Timestamp>> = expired.iter().map(Part::received).collect();
    let last = match received {
        Some(received) => received.into_iter().max(),
        // What cannot be read is as old as what follows it.
        None => {
            let left = parts(view).into_iter().skip(expired.len()).find_map(|part| part.received());
            Some(left.unwrap_or(Timestamp::MAX))
        }
    };
    view.expired.max(last)
}

/// A manifest once everything has expired up to a part, that one too. What is missing up to the next goes with it.
pub(crate) fn without_expired(manifest: &Manifest, view: &View, parts: &[Part]) -> Manifest {
    let last_expired = parts.last().map_or(0, Part::first_sequence);
    let expired = expired_with(view, parts);
    let segments = view.segment_ids().map(|id| id.first_sequence);
    let files = view.files.iter().map(|file| file.first_sequence);
    let first =
        segments.chain(files).filter(|first| last_expired < *first).min().unwrap_or(view.next_sequence);
    let extent = manifest.extent.unwrap_or_default();
    let left = manifest.segments.iter().filter(|id| first <= id.first_sequence);
    Manifest { extent: Some(Extent { first, expired, ..extent }), segments: left.copied().collect() }
}
