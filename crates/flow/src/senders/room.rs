//! Who makes room in a full registry. Pure: the caller brings the time.
//!
//! 1. Where many sent for a moment only, some of those: from the address with the most of them, until no address has more
//!    than others, and of these, who was heard least lately. Some at a time, so that a flood of names is not a search for
//!    each.
//! 2. Otherwise one of the address with the most senders, if that has more than the address of who comes.
//! 3. Otherwise one who sent for a moment only.
//!
//! **Invariant:** whoever invents names, from one address or from many, replaces names that were invented before.

use super::registry::{Key, Registry};
use super::sender::Sender;
use logstead_record::Timestamp;
use std::cmp::Reverse;
use std::collections::HashMap;

/// How many make room at a time.
const LEAVING_MAX: usize = 500;
/// How many are many.
const MANY: usize = 1000;
/// After one was found, or none, how long nobody is looked for.
const PAUSE_NANOS: i64 = 1_000_000_000;

/// Whether there is room now for a sender of a source who comes from an address. What those had sent who left counts as left
/// out.
pub(super) fn make(registry: &mut Registry, source: &str, address: &[u8], now: Timestamp) -> bool {
    if now.nanos() < registry.full_until {
        return false;
    }
    let for_a_moment = |sender: &Sender| !sender.goes_on();
    let leaving = match registry.senders.values().filter(|sender| for_a_moment(sender)).count() {
        many if MANY <= many => first_to_leave(registry, for_a_moment, LEAVING_MAX),
        few => {
            registry.full_until = now.nanos().saturating_add(PAUSE_NANOS);
            let is_of =
                |key: &Key, sender: &Sender| &*key.source == source && sender.address.as_bytes() == address;
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

/// Those of these who leave first, each with how many of the same source and address were heard more lately.
fn first_to_leave(
    registry: &Registry,
    is_one: impl Fn(&Sender) -> bool,
    leaving_max: usize,
) -> Vec<(usize, Key)> {
    let mut senders: Vec<(&Key, &Sender)> =
        registry.senders.iter().filter(|(_, sender)| is_one(sender)).collect();
    senders.sort_by_key(|(_, sender)| Reverse(sender.last_seen));
    let mut of_address: HashMap<(&str, &str), usize> = HashMap::new();
    let mut ranked = Vec::with_capacity(senders.len());
    for (key, sender) in senders {
        let before = of_address.entry((&key.source, &sender.address)).or_default();
        ranked.push((*before, key));
        *before += 1;
    }
    // Of equals, the one who was heard least lately comes first.
    ranked.reverse();
    ranked.sort_by_key(|(rank, _)| Reverse(*rank));
    ranked.into_iter().take(leaving_max).map(|(rank, key)| (rank, key.clone())).collect()
}
