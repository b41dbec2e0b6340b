//! What sampling, throttling and deduplicating remember of the messages before, for each combination of values.
//!
//! Time is when a message was received, so what is let through depends on the messages alone, and can be tried on stored
//! ones.
//!
//! **Invariant:** at most [`GROUPS_MAX`] combinations are remembered; of those beyond, the one that was seen longest ago is
//! forgotten, and counted.

use hashlink::LinkedHashMap;
use hashlink::linked_hash_map::RawEntryMut;
use logstead_record::query::FieldName;
use logstead_record::{Batch, SECOND, Selection};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::time::Duration;

/// Combinations of values that a step remembers.
pub(crate) const GROUPS_MAX: usize = 65_536;
/// A share is counted in these.
const MILLION: u32 = 1_000_000;

/// What is let through.
#[derive(Debug)]
pub(crate) enum Kind {
    /// The first of each group, and then as many as the share says.
    Sample { millionths: u32, by: Vec<FieldName> },
    /// At most this many messages per span.
    Throttle { messages: u64, seconds: u64, by: Vec<FieldName> },
    /// One within a time.
    Dedup { fields: Vec<FieldName>, within: Duration },
}

/// The memory of one step. Shared by all who route.
#[derive(Debug)]
pub(crate) struct Groups {
    kind: Kind,
    memory: Mutex<Memory>,
}

#[derive(Debug)]
struct Memory {
    /// In the order in which they were seen last.
    groups: LinkedHashMap<Vec<u8>, Group>,
    groups_max: usize,
    forgotten: u64,
}

#[derive(Debug, Default, Clone, Copy)]
struct Group {
    /// What has been saved up: shares of a message, or messages.
    credit: f64,
    /// Since when.
    since: i64,
    /// Messages that were taken out since the last one that was let through.
    repeated: u64,
}

/// What is done with messages.
#[derive(Debug)]
pub(crate) struct Thinned {
    pub(crate) dropped: Selection,
    /// Rows that are let through, and how many like them were not before.
    pub(crate) repeated: BTreeMap<usize, u64>,
}

impl Groups {
    pub(crate) fn new(kind: Kind) -> Groups {
        Groups { kind, memory: Mutex::new(Memory::of(GROUPS_MAX)) }
    }

    pub(crate) fn forgotten(&self) -> u64 {
        self.memory.lock().forgotten
    }

    /// Says which of these rows are let through.
    pub(crate) fn thin(&self, batch: &Batch, rows: &Selection) -> Thinned {
        let mut thinned = Thinned { dropped: Selection::none(batch.rows()), repeated: BTreeMap::new() };
        let mut memory = self.memory.lock();
        let mut key = Vec::new();
        for row in rows.iter() {
            self.key(batch, row, &mut key);
            let now = batch.received(row).nanos();
            let (group, is_new) = memory.group(&key);
            if !self.lets_through(group, is_new, now) {
                group.repeated += 1;
                thinned.dropped.insert(row);
            } else if matches!(self.kind, Kind::Dedup { .. }) && 0 < group.repeated {
                thinned.repeated.insert(row, std::mem::take(&mut group.repeated));
            }
        }
        thinned
    }

    fn key(&self, batch: &Batch, row: usize, key: &mut Vec<u8>) {
        let (Kind::Sample { by, .. } | Kind::Throttle { by, .. } | Kind::Dedup { fields: by, .. }) =
            &self.kind;
        key.clear();
        for field in by {
            let start = key.len();
            key.extend_from_slice(&[0; 4]);
            let mut count = 0_u32;
            for value in batch.values(row, field) {
                // With its length, so that different values never look alike together.
                key.extend_from_slice(&(value.len() as u32).to_le_bytes());
                key.extend_from_slice(&value);
                count += 1;
            }
            key[start..start + 4].copy_from_slice(&count.to_le_bytes());
        }
    }

    fn lets_through(&self, group: &mut Group, is_new: bool, now: i64) -> bool {
        match &self.kind {
            Kind::Sample { millionths, .. } => {
                let share = f64::from(*millionths) / f64::from(MILLION);
                group.credit = if is_new { 1.0 } else { group.credit + share };
                // A little less, as shares do not add up exactly.
                let passes = 1.0 - share / 2.0 <= group.credit;
                group.credit -= f64::from(u8::from(passes));
                passes
            }
            Kind::Throttle { messages, seconds, .. } => {
                let most = *messages as f64;
                let passed = now.saturating_sub(group.since).max(0) as f64 / SECOND as f64;
                let saved = passed * most / *seconds as f64;
                group.credit = if is_new { most } else { (group.credit + saved).min(most) };
                group.since = if is_new { now } else { now.max(group.since) };
                let passes = 1.0 <= group.credit;
                group.credit -= f64::from(u8::from(passes));
                passes
            }
            Kind::Dedup { within, .. } => {
                let within = i64::try_from(within.as_nanos()).unwrap_or(i64::MAX);
                let passes = is_new || within <= now.saturating_sub(group.since);
                if passes {
                    group.since = now;
                }
                passes
            }
        }
    }
}

impl Memory {
    fn of(groups_max: usize) -> Memory {
        Memory { groups: LinkedHashMap::new(), groups_max, forgotten: 0 }
    }

    /// The group of a key, and whether it is new. Only a new one copies its key.
    fn group(&mut self, key: &[u8]) -> (&mut Group, bool) {
        if self.groups_max <= self.groups.len() && !self.groups.contains_key(key) {
            self.groups.pop_front();
            self.forgotten += 1;
        }
        match self.groups.raw_entry_mut().from_key(key) {
            RawEntryMut::Occupied(mut known) => {
                known.to_back();
                (known.into_mut(), false)
            }
            RawEntryMut::Vacant(new) => (new.insert(key.to_vec(), Group::default()).1, true),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use logstead_record::{BatchBuilder, Field, Origin, Row, Timestamp};
    use proptest::collection::vec;
    use proptest::prelude::*;
    use std::time::Instant;

    /// Messages of hosts at seconds.
    fn batch(messages: &[(i64, &str)]) -> Batch {
        let mut builder = BatchBuilder::new();
        for (second, host) in messages {
            let received = Timestamp::from_nanos(second * SECOND);
            builder.origin(Origin { source: b"s", peer: b"", received });
            builder.push(&Row::text(b"m").with(Field::Host, host.as_bytes()));
        }
        builder.seal()
    }

    fn let_through(groups: &Groups, messages: &[(i64, &str)]) -> Vec<usize> {
        let batch = batch(messages);
        let dropped = groups.thin(&batch, &Selection::all(batch.rows())).dropped;
        (0..batch.rows()).filter(|row| !dropped.contains(*row)).collect()
    }

    fn by_host() -> Vec<FieldName> {
        vec![FieldName::Known(Field::Host)]
    }

    #[test]
    fn a_sample_has_the_first_of_each_group_and_its_share_of_the_others() {
        let groups = Groups::new(Kind::Sample { millionths: 250_000, by: by_host() });
        let mut messages = vec![(0, "a"); 10];
        messages.push((0, "b"));
        assert_eq!(let_through(&groups, &messages), [0, 4, 8, 10]);
        assert_eq!(let_through(&groups, &messages), [2, 6], "it goes on where it was");
        let all = Groups::new(Kind::Sample { millionths: MILLION, by: Vec::new() });
        assert_eq!(let_through(&all, &messages).len(), 11);
        let third = Groups::new(Kind::Sample { millionths: 333_333, by: Vec::new() });
        assert_eq!(let_through(&third, &vec![(0, "a"); 9000]).len(), 3000);
    }

    #[test]
    fn a_throttle_lets_a_number_through_in_a_time() {
        let groups = Groups::new(Kind::Throttle { messages: 2, seconds: 1, by: by_host() });
        let messages = [
            (0, "a"),
            (0, "a"),
            (0, "a"),
            (0, "b"),
            (1, "a"),
            (1, "a"),
            (1, "a"),
            (9, "a"),
            (9, "a"),
            (9, "a"),
        ];
        assert_eq!(let_through(&groups, &messages), [0, 1, 3, 4, 5, 7, 8]);
    }

    #[test]
    fn of_equal_messages_one_is_let_through_within_a_time_and_says_how_many_were_not() {
        let groups = Groups::new(Kind::Dedup { fields: by_host(), within: Duration::from_secs(10) });
        let batch = batch(&[(0, "a"), (1, "a"), (9, "a"), (5, "b"), (10, "a"), (11, "a")]);
        let thinned = groups.thin(&batch, &Selection::all(6));
        assert_eq!(thinned.dropped.iter().collect::<Vec<_>>(), [1, 2, 5]);
        assert_eq!(thinned.repeated, BTreeMap::from([(4, 2)]));
    }

    #[test]
    fn what_is_remembered_has_a_bound_and_says_so() {
        let groups = Groups::new(Kind::Sample { millionths: 1, by: by_host() });
        let names: Vec<String> = (0..GROUPS_MAX + 10).map(|number| number.to_string()).collect();
        let messages: Vec<(i64, &str)> = names.iter().map(|name| (0, name.as_str())).collect();
        let_through(&groups, &messages);
        assert_eq!((groups.forgotten(), groups.memory.lock().groups.len()), (10, GROUPS_MAX));
        assert_eq!(
            let_through(&groups, &[(0, "0"), (0, "20")]),
            [0],
            "the first was forgotten, a later one was not"
        );
    }

    /// The same as plainly as possible: keys in the order in which they were seen last.
    fn seen(keys: &mut Vec<Vec<u8>>, key: &[u8], groups_max: usize, forgotten: &mut u64) -> bool {
        let known = keys.iter().position(|known| known == key);
        if let Some(at) = known {
            keys.remove(at);
        } else if groups_max <= keys.len() {
            keys.remove(0);
            *forgotten += 1;
        }
        keys.push(key.to_vec());
        known.is_none()
    }

    proptest! {
        #[test]
        fn what_was_seen_longest_ago_is_forgotten_first(
            sights in vec(vec(0_u8..4, 0..3), 0..200), groups_max in 1_usize..8,
        ) {
            let (mut keys, mut forgotten) = (Vec::new(), 0);
            let mut memory = Memory::of(groups_max);
            for (sight, key) in sights.iter().enumerate() {
                let expected = seen(&mut keys, key, groups_max, &mut forgotten);
                let (group, is_new) = memory.group(key);
                prop_assert_eq!(is_new, expected);
                prop_assert_eq!(group.repeated == 0, is_new, "what is remembered is of this key");
                group.repeated = 1 + sight as u64;
                let in_order: Vec<_> = memory.groups.keys().cloned().collect();
                prop_assert_eq!(&in_order, &keys);
                prop_assert_eq!(memory.forgotten, forgotten);
            }
        }
    }

    /// Prints how long a message takes, by hand: `cargo test -p logstead-route --release -- --ignored --nocapture how_long`.
    #[test]
    #[ignore = "measures, and proves nothing"]
    fn how_long_a_message_takes() {
        for (hosts, name) in
            [(1, "one host"), (1000, "a thousand hosts"), (GROUPS_MAX * 2, "more than are remembered")]
        {
            let groups = Groups::new(Kind::Dedup { fields: by_host(), within: Duration::from_secs(10) });
            let names: Vec<String> = (0..hosts).map(|number| format!("host-{number}.example.com")).collect();
            let messages: Vec<(i64, &str)> =
                names.iter().cycle().take(1 << 18).map(|name| (0, name.as_str())).collect();
            let batches: Vec<Batch> = messages.chunks(1024).map(batch).collect();
            let rows = Selection::all(1024);
            let begin = Instant::now();
            for _ in 0..4 {
                batches.iter().for_each(|batch| drop(groups.thin(batch, &rows)));
            }
            println!("{name}: {} ns a message", begin.elapsed().as_nanos() / (4 << 18));
        }
    }
}
