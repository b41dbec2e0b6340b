//! Decides which parts of a logspace are too old or too large to keep. The code is pure: the caller supplies the
//! limits and removes the files.
//!
//! **Invariant:** a part goes only if it is proven to be beyond a limit, and all parts before it go too: the old end of
//! a logspace is removed, without a gap. The journal file at the other end stays, as it may be appended to. If the
//! newest journal file is missing, nobody knows what is left, and nothing goes.
//!
//! Expiry waits, within limits, for readers that are behind: an unread part beyond the first limits is kept until it
//! exceeds these limits as well. Then it is removed nevertheless, so that a reader that is never used does not fill
//! the disk.

use crate::store::manifest::{Manifest, ManifestExtent};
use crate::store::part::{StorePart, parts};
use crate::store::view::View;
use logstead_record::Timestamp;

/// The limits beyond which parts of a logspace may be removed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Expiry {
    /// Messages received before this time may be removed.
    pub received_before: Option<Timestamp>,
    /// The oldest messages may be removed while all files together are larger than this.
    pub bytes_max: Option<u64>,
    /// Messages before this sequence may be removed, whether read or not.
    pub before: u64,
    /// The limits for messages that wait for readers; `None` if expiry does not wait.
    pub hold_back: Option<HoldBack>,
}

/// The limits within which expiry waits for readers that are behind.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct HoldBack {
    /// Messages received before this time are removed nevertheless.
    pub received_before: Option<Timestamp>,
    /// The oldest messages are removed nevertheless while the waiting ones are larger than this.
    pub bytes_max: u64,
}

/// The properties of a part that decide whether it is removed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct DatedPart {
    first_sequence: u64,
    bytes: u64,
    received: ReceivedTime,
    is_file: bool,
}

/// The time at which the last message of a part was received.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ReceivedTime {
    At(Timestamp),
    /// Some of its messages cannot be read. The last one was received at this time or later, and before the messages
    /// of the next part.
    After(Timestamp),
    /// Never, because it has no messages.
    Never,
}

/// The parts that were removed, or would be.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ExpiredParts {
    /// The number of segments.
    pub segments: usize,
    /// The number of journal files.
    pub files: usize,
    /// The number of their messages.
    pub messages: u64,
    /// Their length in bytes.
    pub bytes: u64,
    /// The time at which the last of them was received.
    pub received_last: Option<Timestamp>,
    /// The number of these messages that the slowest reader of the logspace had not read.
    pub unread: u64,
}

impl ExpiredParts {
    /// The totals of these parts.
    pub(crate) fn of(parts: &[StorePart]) -> ExpiredParts {
        let mut expired = ExpiredParts::default();
        parts.iter().for_each(|part| expired.add(part));
        expired
    }

    fn add(&mut self, part: &StorePart) {
        match part {
            StorePart::Segment(_) | StorePart::Lost(_) => self.segments += 1,
            StorePart::File(_) => self.files += 1,
        }
        self.messages += part.messages();
        self.bytes += part.bytes();
        self.received_last = self.received_last.max(part.received());
    }
}

/// The parts that may be removed, oldest first: all that are too old, and enough to get below the size limit.
/// `slowest` is the sequence up to which all readers have read; `None` if there are no readers.
pub(crate) fn old_parts(view: &View, expiry: &Expiry, slowest: Option<u64>) -> Vec<StorePart> {
    let mut parts = parts(view);
    let dated: Vec<DatedPart> = parts.iter().map(DatedPart::of).collect();
    let going =
        if view.newest_missing.is_some() { 0 } else { going(&dated, view.next_sequence, expiry, slowest) };
    parts.truncate(going);
    parts
}

/// The number of parts, from the first one on, that may be removed.
fn going(parts: &[DatedPart], next_sequence: u64, expiry: &Expiry, slowest: Option<u64>) -> usize {
    let beyond = beyond(parts, next_sequence, expiry);
    let Some((slowest, hold_back)) = slowest.zip(expiry.hold_back) else { return beyond };
    let is_free = |end: &u64| *end <= slowest.max(expiry.before);
    let free = ends(parts, next_sequence).take(beyond).take_while(is_free).count();
    let mut waiting: u64 = parts[free..beyond].iter().map(|part| part.bytes).sum();
    let goes_nevertheless = |(part, received): &(&DatedPart, Option<Timestamp>)| {
        let is_too_old =
            hold_back.received_before.zip(*received).is_some_and(|(before, received)| received < before);
        let is_too_much = hold_back.bytes_max < waiting;
        waiting -= part.bytes;
        is_too_old || is_too_much
    };
    let received = received_at_most(parts);
    let behind = parts[free..beyond].iter().zip(received[free..].iter().copied());
    free + behind.take_while(goes_nevertheless).count()
}

/// The sequence at which each part ends.
fn ends(parts: &[DatedPart], next_sequence: u64) -> impl Iterator<Item = u64> + '_ {
    parts.iter().skip(1).map(|part| part.first_sequence).chain([next_sequence])
}

/// The number of parts, from the first one on, that are beyond a limit, whether or not a reader still needs them.
fn beyond(parts: &[DatedPart], next_sequence: u64, expiry: &Expiry) -> usize {
    let mut left: u64 = parts.iter().map(|part| part.bytes).sum();
    let may_go = |((part, end), received): ((&DatedPart, u64), Option<Timestamp>)| {
        let is_old = expiry.received_before.zip(received).is_some_and(|(before, received)| received < before);
        let is_too_much = expiry.bytes_max.is_some_and(|max| max < left);
        left -= part.bytes;
        is_old || is_too_much || end <= expiry.before
    };
    let going = parts
        .iter()
        .zip(ends(parts, next_sequence))
        .zip(received_at_most(parts))
        .map(may_go)
        .take_while(|goes| *goes);
    going.count().min(parts.len() - usize::from(parts.last().is_some_and(|last| last.is_file)))
}

/// A time by which all messages of each part had certainly been received; `None` if it is unknown.
fn received_at_most(parts: &[DatedPart]) -> Vec<Option<Timestamp>> {
    let mut next = None;
    let mut received: Vec<Option<Timestamp>> = Vec::with_capacity(parts.len());
    for part in parts.iter().rev() {
        match part.received {
            ReceivedTime::At(time) => next = Some(time),
            // An unreadable part was stored before the parts after it.
            ReceivedTime::After(time) => next = next.map(|next: Timestamp| next.max(time)),
            ReceivedTime::Never => {
                received.push(Some(Timestamp::MIN));
                continue;
            }
        }
        received.push(next);
    }
    received.reverse();
    received
}

impl DatedPart {
    fn of(part: &StorePart) -> DatedPart {
        let received = match part {
            StorePart::Segment(segment) => ReceivedTime::At(segment.blocks.span.received_last),
            StorePart::Lost(_) => ReceivedTime::After(Timestamp::MIN),
            StorePart::File(file) if !file.damaged.is_empty() => ReceivedTime::After(file.received),
            StorePart::File(file) if file.messages == 0 => ReceivedTime::Never,
            StorePart::File(file) => ReceivedTime::At(file.received),
        };
        let is_file = part.id().is_none();
        DatedPart { first_sequence: part.first_sequence(), bytes: part.bytes(), received, is_file }
    }
}

/// The time at which the last of the expired messages was received. If it is unknown, it was not after the remaining
/// messages.
pub(crate) fn expired_until(extent: ManifestExtent, view: &View) -> Option<Timestamp> {
    let dated: Vec<DatedPart> = parts(view).iter().map(DatedPart::of).collect();
    let is_said = |received: &Timestamp| *received != Timestamp::MIN;
    let first_left = || received_at_most(&dated).into_iter().flatten().find(is_said);
    (0 < extent.first).then(|| extent.expired.or_else(first_left).unwrap_or(Timestamp::MAX))
}

/// The same time, after this many of the oldest parts have expired as well.
fn expired_with(view: &View, parts: &[StorePart], expired: usize) -> Option<Timestamp> {
    let dated: Vec<DatedPart> = parts.iter().map(DatedPart::of).collect();
    let received = received_at_most(&dated).into_iter().take(expired);
    view.expired.max(received.map(|received| received.unwrap_or(Timestamp::MAX)).max())
}

/// The manifest after these first parts have expired, together with a gap between them and the next part.
pub(crate) fn without_expired(manifest: &Manifest, view: &View, expired: &[StorePart]) -> Manifest {
    let parts = parts(view);
    let first = parts.get(expired.len()).map_or(view.next_sequence, StorePart::first_sequence);
    let received = expired_with(view, &parts, expired.len());
    let extent = manifest.extent.unwrap_or_default();
    let left = manifest.segments.iter().filter(|segment| first <= segment.id.first_sequence);
    let segments = left.copied().collect();
    let extent = Some(ManifestExtent { first, expired: received, ..extent });
    Manifest { extent, identity: manifest.identity, segments }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn received() -> impl Strategy<Value = ReceivedTime> {
        let time = || (-5_i64..30).prop_map(Timestamp::from_nanos);
        prop_oneof![
            4 => time().prop_map(ReceivedTime::At),
            1 => time().prop_map(ReceivedTime::After),
            1 => Just(ReceivedTime::After(Timestamp::MIN)),
            1 => Just(ReceivedTime::Never),
        ]
    }

    /// Parts in order, with gaps between some, and the sequence of the next message.
    fn stored() -> impl Strategy<Value = (Vec<DatedPart>, u64)> {
        let part = (0_u64..3, 1_u64..4, 0_u64..50, received(), any::<bool>());
        (proptest::collection::vec(part, 0..10), 0_u64..3).prop_map(|(parts, gap)| {
            let mut next = 0;
            let place = |(gap, messages, bytes, received, is_file)| {
                let first_sequence = next + gap;
                next = first_sequence + messages;
                DatedPart { first_sequence, bytes, received, is_file }
            };
            let parts = parts.into_iter().map(place).collect();
            (parts, next + gap)
        })
    }

    fn hold_back() -> impl Strategy<Value = HoldBack> {
        let time = prop_oneof![
            8 => (-10_i64..40).prop_map(Timestamp::from_nanos),
            1 => Just(Timestamp::MIN),
            1 => Just(Timestamp::MAX),
        ];
        let bytes_max = prop_oneof![8 => 0_u64..200, 1 => Just(u64::MAX)];
        (proptest::option::of(time), bytes_max)
            .prop_map(|(received_before, bytes_max)| HoldBack { received_before, bytes_max })
    }

    /// The sequence up to which the slowest reader has read, if there is one.
    fn slowest() -> impl Strategy<Value = Option<u64>> {
        proptest::option::of(prop_oneof![8 => 0_u64..40, 1 => Just(u64::MAX)])
    }

    fn expiry() -> impl Strategy<Value = Expiry> {
        let time = prop_oneof![
            8 => (-10_i64..40).prop_map(Timestamp::from_nanos),
            1 => Just(Timestamp::MIN),
            1 => Just(Timestamp::MAX),
        ];
        let bytes_max = prop_oneof![8 => 0_u64..400, 1 => Just(u64::MAX)];
        let before = prop_oneof![4 => Just(0_u64), 4 => 0_u64..40, 1 => Just(u64::MAX)];
        (
            proptest::option::of(time),
            proptest::option::of(bytes_max),
            before,
            proptest::option::of(hold_back()),
        )
            .prop_map(|(received_before, bytes_max, before, hold_back)| Expiry {
                received_before,
                bytes_max,
                before,
                hold_back,
            })
    }

    /// Whether each message of a part was certainly received before a time. An unreadable part was received before
    /// the next readable part.
    fn is_proven_old(parts: &[DatedPart], at: usize, before: Timestamp) -> bool {
        let own = match parts[at].received {
            ReceivedTime::At(time) => return time < before,
            ReceivedTime::Never => return true,
            ReceivedTime::After(time) => time,
        };
        let following = parts[at + 1..].iter().filter(|part| part.received != ReceivedTime::Never);
        let mut times = vec![own];
        for part in following {
            match part.received {
                ReceivedTime::At(time) => {
                    times.push(time);
                    return times.iter().all(|time| *time < before);
                }
                ReceivedTime::After(time) => times.push(time),
                ReceivedTime::Never => {}
            }
        }
        false
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

        /// This must hold for any parts, any limits and any clock.
        #[test]
        fn only_what_is_proven_too_old_or_too_much_goes((parts, next_sequence) in stored(), expiry in expiry()) {
            let gone = going(&parts, next_sequence, &expiry, None);
            prop_assert!(gone <= parts.len());
            if (Expiry { hold_back: None, ..expiry }) == Expiry::default() {
                prop_assert_eq!(gone, 0);
            }
            if parts.last().is_some_and(|last| last.is_file) {
                prop_assert!(gone < parts.len(), "the file that may be appended to stays");
            }
            for at in 0..gone {
                let left: u64 = parts[at..].iter().map(|part| part.bytes).sum();
                let end = parts.get(at + 1).map_or(next_sequence, |next| next.first_sequence);
                let is_old = expiry.received_before.is_some_and(|before| is_proven_old(&parts, at, before));
                let is_too_much = expiry.bytes_max.is_some_and(|max| max < left);
                prop_assert!(is_old || is_too_much || end <= expiry.before, "part {at} went: {parts:?}");
            }
        }

        /// A readable part beyond a limit is removed, unless a part before it stays.
        #[test]
        fn what_is_too_old_or_too_much_goes((parts, next_sequence) in stored(), expiry in expiry()) {
            let gone = going(&parts, next_sequence, &expiry, None);
            let may_go = parts.len() - usize::from(parts.last().is_some_and(|last| last.is_file));
            if let Some(kept) = parts.get(gone).filter(|_| gone < may_go) {
                let left: u64 = parts[gone..].iter().map(|part| part.bytes).sum();
                let is_old = expiry.received_before.is_some_and(|before| {
                    matches!(kept.received, ReceivedTime::At(time) if time < before)
                });
                prop_assert!(!is_old && expiry.bytes_max.is_none_or(|max| left <= max));
            }
        }

        /// Damage to a part must never make messages expire earlier.
        #[test]
        fn damage_lets_nothing_go_sooner(
            (mut parts, next_sequence) in stored(), expiry in expiry(), damaged in any::<u16>(),
        ) {
            for (at, part) in parts.iter_mut().enumerate() {
                part.received = ReceivedTime::At(Timestamp::from_nanos(3 * at as i64));
            }
            let whole = going(&parts, next_sequence, &expiry, None);
            for (_, part) in parts.iter_mut().enumerate().filter(|(at, _)| damaged >> at & 1 == 1) {
                part.received = ReceivedTime::After(Timestamp::MIN);
            }
            prop_assert!(going(&parts, next_sequence, &expiry, None) <= whole);
        }

        /// Readers never cause the removal of messages within the limits, and messages that are read, or for which no
        /// reader waits, are removed as usual.
        #[test]
        fn readers_only_ever_hold_back((parts, next_sequence) in stored(), expiry in expiry(), slowest in slowest()) {
            let gone = going(&parts, next_sequence, &expiry, slowest);
            let beyond = going(&parts, next_sequence, &expiry, None);
            prop_assert!(gone <= beyond);
            if let Some(kept) = parts.get(gone).filter(|_| gone < beyond) {
                let end = parts.get(gone + 1).map_or(next_sequence, |next| next.first_sequence);
                prop_assert!(expiry.hold_back.is_some(), "nobody is waited for: {kept:?}");
                prop_assert!(slowest.is_some_and(|slowest| slowest < end), "everybody has read it: {kept:?}");
                prop_assert!(expiry.before < end, "it goes, read or not: {kept:?}");
            }
        }

        /// Waiting messages are always limited in size, and in time if that is configured.
        #[test]
        fn what_waits_for_a_reader_is_bounded((parts, next_sequence) in stored(), expiry in expiry(), slowest in slowest()) {
            let gone = going(&parts, next_sequence, &expiry, slowest);
            let beyond = going(&parts, next_sequence, &expiry, None);
            let hold_back = expiry.hold_back.unwrap_or_default();
            if gone < beyond {
                let waiting: u64 = parts[gone..beyond].iter().map(|part| part.bytes).sum();
                prop_assert!(waiting <= hold_back.bytes_max);
                let oldest = parts[gone].received;
                let is_too_old =
                    |before: Timestamp| matches!(oldest, ReceivedTime::At(received) if received < before);
                prop_assert!(!hold_back.received_before.is_some_and(is_too_old));
            }
        }

        /// Messages that a reader has not read are removed only if they are beyond a limit and also beyond the limits
        /// of waiting.
        #[test]
        fn nothing_unread_goes_before_its_time((parts, next_sequence) in stored(), expiry in expiry(), slowest in slowest()) {
            let gone = going(&parts, next_sequence, &expiry, slowest);
            let beyond = going(&parts, next_sequence, &expiry, None);
            let (Some(slowest), Some(hold_back)) = (slowest, expiry.hold_back) else { return Ok(()) };
            for at in 0..gone {
                let end = parts.get(at + 1).map_or(next_sequence, |next| next.first_sequence);
                let waiting: u64 = parts[at..beyond].iter().map(|part| part.bytes).sum();
                let is_old = hold_back.received_before.is_some_and(|before| is_proven_old(&parts, at, before));
                prop_assert!(
                    end <= slowest || end <= expiry.before || is_old || hold_back.bytes_max < waiting,
                    "part {at} went: {parts:?}"
                );
            }
        }

        /// A reader that has read more never holds back more.
        #[test]
        fn who_reads_on_holds_back_no_more(
            (parts, next_sequence) in stored(), expiry in expiry(), slowest in 0_u64..40, further in 0_u64..10,
        ) {
            let gone = going(&parts, next_sequence, &expiry, Some(slowest));
            prop_assert!(gone <= going(&parts, next_sequence, &expiry, Some(slowest + further)));
        }
    }
}
