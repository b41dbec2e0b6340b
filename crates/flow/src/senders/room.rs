//! Chooses the senders to forget when the registry is full. No I/O: the caller supplies the time.
//!
//! 1. If many sent for a moment only, some of those: from the address with the most of them, until no address has more
//!    than others, and of these the ones that were silent the longest. Several at a time, so that a flood of names does
//!    not cost a search for each.
//! 2. Otherwise one of the address with the most senders, if that has more than the address of the new sender.
//! 3. Otherwise one that sent for a moment only.
//!
//! **Invariant:** a sender that invents names, from one address or from many, replaces only names that were invented
//! before.

use super::registry::Registry;
use super::sender::{SenderKey, SenderRecord};
use logstead_record::Timestamp;
use std::cmp::Reverse;
use std::collections::HashMap;

/// The maximum number of senders that are removed at a time to make room.
const LEAVING_MAX: usize = 500;
/// The number of senders that sent only for a moment from which on there are enough of them to make room.
const MANY: usize = 1000;
/// The pause between two searches for senders that could make room.
const PAUSE_NANOS: i64 = 1_000_000_000;

/// Makes room for a sender of a source with an address; `false` if that is not possible. The messages of removed
/// senders count as left out.
pub(super) fn make(registry: &mut Registry, source: &str, address: &[u8], now: Timestamp) -> bool {
    if now.nanos() < registry.full_until {
        return false;
    }
    let for_a_moment = |sender: &SenderRecord| !sender.goes_on();
    let leaving = match registry.senders.values().filter(|sender| for_a_moment(sender)).count() {
        many if MANY <= many => first_to_leave(registry, for_a_moment, LEAVING_MAX),
        few => {
            registry.full_until = now.nanos().saturating_add(PAUSE_NANOS);
            let is_of = |key: &SenderKey, sender: &SenderRecord| {
                &*key.source == source && sender.address.as_bytes() == address
            };
            let beside = registry.senders.iter().filter(|(key, sender)| is_of(key, sender)).count();
            let mut leaving = first_to_leave(registry, |_| true, 1);
            leaving.retain(|(rank, _)| beside < *rank);
            if leaving.is_empty() && 0 < few {
                leaving = first_to_leave(registry, for_a_moment, 1);
            }
            leaving
        }
    };
    for (_, key) in &leaving {
        registry.left_out += registry.senders.remove(key).map_or(0, |sender| sender.messages);
    }
    !leaving.is_empty()
}

/// The senders to remove first, each with the number of others of the same source and address that were heard from
/// more recently.
fn first_to_leave(
    registry: &Registry,
    is_one: impl Fn(&SenderRecord) -> bool,
    leaving_max: usize,
) -> Vec<(usize, SenderKey)> {
    let mut senders: Vec<(&SenderKey, &SenderRecord)> =
        registry.senders.iter().filter(|(_, sender)| is_one(sender)).collect();
    senders.sort_by_key(|(_, sender)| Reverse(sender.last_seen));
    let mut of_address: HashMap<(&str, &str), usize> = HashMap::new();
    let mut ranked = Vec::with_capacity(senders.len());
    for (key, sender) in senders {
        let before = of_address.entry((&key.source, &sender.address)).or_default();
        ranked.push((*before, key));
        *before += 1;
    }
    // Among equals, the one that has been silent for the longest comes first.
    ranked.reverse();
    ranked.sort_by_key(|(rank, _)| Reverse(*rank));
    ranked.into_iter().take(leaving_max).map(|(rank, key)| (rank, key.clone())).collect()
}
