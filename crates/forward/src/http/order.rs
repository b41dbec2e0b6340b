//! Brings messages that have something in common next to each other.

use crate::sink::OutgoingMessage;

/// The places of all messages, ordered by `key` and then as they were; `places` is used again for every batch.
pub(super) fn arrange<'m, K: Ord>(
    places: &mut Vec<usize>,
    messages: &'m [OutgoingMessage<'m>],
    key: impl Fn(&'m OutgoingMessage<'m>) -> K,
) {
    places.clear();
    places.extend(0..messages.len());
    places.sort_unstable_by(|&a, &b| key(&messages[a]).cmp(&key(&messages[b])).then(a.cmp(&b)));
}
