//! Groups messages: by the file or object that they are written to, or by a property that they share.
//!
//! **Invariant:** every message is in one group, in the order in which they were given; the number of groups is bounded,
//! however many different messages there are.

use super::naming;
use super::sink::OutgoingMessage;
use logstead_config::NameTemplate;
use std::collections::HashMap;

/// Maximum number of names; the messages of all others form one more group.
const GROUPS_MAX: usize = 256;

/// Messages with the same name.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NameGroup {
    pub(super) name: String,
    /// The positions of its messages, in order; at least one.
    pub(super) places: Vec<usize>,
}

/// Groups messages by name, in the order of their first messages.
pub(super) fn groups(template: &NameTemplate, messages: &[OutgoingMessage<'_>]) -> Vec<NameGroup> {
    let mut groups: Vec<NameGroup> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    let mut name = String::new();
    for (place, message) in messages.iter().enumerate() {
        // Rendering the same name for each of many thousand messages would be wasteful.
        if place == 0 || !template.is_constant() {
            name.clear();
            naming::write(template, message, &mut name);
        }
        if GROUPS_MAX <= groups.len() && !known.contains_key(&name) {
            name = naming::others(template);
        }
        let at = match known.get(&name) {
            Some(at) => *at,
            None => {
                known.insert(name.clone(), groups.len());
                groups.push(NameGroup { name: name.clone(), places: Vec::new() });
                groups.len() - 1
            }
        };
        groups[at].places.push(place);
    }
    groups
}

/// Sorts the positions of all messages by `key`, keeping the order of equal ones; `places` is reused for every batch.
pub(crate) fn arrange<'m, K: Ord>(
    places: &mut Vec<usize>,
    messages: &'m [OutgoingMessage<'m>],
    key: impl Fn(&'m OutgoingMessage<'m>) -> K,
) {
    places.clear();
    places.extend(0..messages.len());
    places.sort_unstable_by(|&a, &b| key(&messages[a]).cmp(&key(&messages[b])).then(a.cmp(&b)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use logstead_record::{Batch, BatchBuilder, Field, Row};
    use proptest::prelude::*;

    fn batch(hosts: &[u16]) -> Batch {
        let mut builder = BatchBuilder::new();
        for host in hosts {
            builder.push(&Row::text(b"x").with(Field::Host, format!("web-{host}").as_bytes()));
        }
        builder.seal()
    }

    fn groups_of(template: &str, batch: &Batch) -> Vec<NameGroup> {
        let messages: Vec<_> =
            (0..batch.rows()).map(|row| OutgoingMessage { batch, row, sequence: row as u64 }).collect();
        groups(&NameTemplate::parse(template).unwrap(), &messages)
    }

    #[test]
    fn messages_with_the_same_name_come_together() {
        let batch = batch(&[1, 2, 1, 1, 3]);
        let group = |name: &str, places: &[usize]| NameGroup { name: name.to_owned(), places: places.into() };
        assert_eq!(
            groups_of("a/{host}/", &batch),
            [group("a/web-1/", &[0, 2, 3]), group("a/web-2/", &[1]), group("a/web-3/", &[4])]
        );
        assert_eq!(groups_of("a/", &batch), [group("a/", &[0, 1, 2, 3, 4])]);
    }

    proptest! {
        #[test]
        fn every_message_is_in_one_group_and_there_are_not_too_many(
            hosts in proptest::collection::vec(0..600_u16, 1..1500),
        ) {
            let groups = groups_of("{host}/", &batch(&hosts));
            prop_assert!(groups.len() <= GROUPS_MAX + 1);
            prop_assert!(groups.iter().all(|group| group.places.is_sorted() && !group.places.is_empty()));
            let mut places: Vec<usize> = groups.into_iter().flat_map(|group| group.places).collect();
            places.sort_unstable();
            prop_assert!(places.into_iter().eq(0..hosts.len()));
        }
    }
}
