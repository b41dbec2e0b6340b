//! Sampling, throttling and deduplication, with a memory of earlier messages for each combination of values.
//!
//! Time means the time of receipt, so the result depends on the messages alone, and rules can be tried on stored
//! messages.
//!
//! If an [attempt](crate::attempt) fails, its effects on the memory are undone.
//!
//! **Invariant:** at most [`GROUPS_MAX`] combinations are remembered; beyond that, the one that was seen longest ago is
//! forgotten, and counted.

use crate::attempt::BatchAttempt;
use hashbrown::HashMap;
use hashlink::LinkedHashMap;
use hashlink::linked_hash_map::RawEntryMut;
use logstead_record::FieldName;
use logstead_record::{Batch, SECOND, Selection};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

/// The maximum number of combinations of values that a step remembers.
pub(crate) const GROUPS_MAX: usize = 65_536;
/// Shares are counted in millionths.
const MILLION: u32 = 1_000_000;

/// A rule that decides which messages pass.
#[derive(Debug)]
pub(crate) enum ThinningRule {
    /// The first message of each group, and then the given share.
    Sample { millionths: u32, by: Vec<FieldName> },
    /// At most this many messages per interval.
    Throttle { messages: u64, seconds: u64, by: Vec<FieldName> },
    /// One of several equal messages within this time.
    Dedup { fields: Vec<FieldName>, within: Duration },
}

/// The rule of one step with its memory, shared by all threads that route.
#[derive(Debug)]
pub(crate) struct ThinningGroups {
    kind: ThinningRule,
    memory: Mutex<GroupMemory>,
}

#[derive(Debug)]
struct GroupMemory {
    /// The groups in the order in which they were last seen.
    groups: LinkedHashMap<Vec<u8>, ThinningGroup>,
    groups_max: usize,
    forgotten: u64,
}

#[derive(Debug, Default)]
struct ThinningGroup {
    /// The accumulated credit: shares of a message, or messages.
    credit: f64,
    /// The time of the credit; when deduplicating, the time of the last message that passed.
    since: i64,
    /// Messages dropped since the last one that passed.
    repeated: u64,
    /// The attempt with the message that passed last, as long as it may still fail.
    by: Option<Weak<BatchAttempt>>,
}

/// The effects of an attempt on the groups of a step.
#[derive(Debug, Default)]
pub(crate) struct AttemptEffects(HashMap<Vec<u8>, GroupEffect>);

#[derive(Debug, Default)]
struct GroupEffect {
    /// The credit that it used.
    spent: f64,
    /// The number of messages that it dropped.
    repeated: u64,
    /// The number of repetitions that its messages reported.
    told: u64,
}

/// The result for the messages of a batch.
#[derive(Debug)]
pub(crate) struct ThinningResult {
    pub(crate) dropped: Selection,
    /// Rows that pass, with the number of equal messages dropped before them.
    pub(crate) repeated: BTreeMap<usize, u64>,
}

impl ThinningGroups {
    pub(crate) fn new(kind: ThinningRule) -> ThinningGroups {
        ThinningGroups { kind, memory: Mutex::new(GroupMemory::of(GROUPS_MAX)) }
    }

    pub(crate) fn forgotten(&self) -> u64 {
        self.memory.lock().forgotten
    }

    /// Decides which of these rows pass. If the attempt fails, the decision is undone.
    pub(crate) fn thin(
        self: &Arc<ThinningGroups>,
        batch: &Batch,
        rows: &Selection,
        attempt: Option<&Arc<BatchAttempt>>,
    ) -> ThinningResult {
        let mut thinned =
            ThinningResult { dropped: Selection::none(batch.rows()), repeated: BTreeMap::new() };
        let mut memory = self.memory.lock();
        let (mut key, mut effects) = (Vec::new(), AttemptEffects::default());
        for row in rows.iter() {
            self.key(batch, row, &mut key);
            let now = batch.received(row).nanos();
            let group = memory.group(&key, || self.begin(now));
            let mut effect = GroupEffect::default();
            let passes = self.lets_through(group, now, attempt);
            effect.spent = self.spent(passes);
            if !passes {
                group.repeated += 1;
                effect.repeated = 1;
                thinned.dropped.insert(row);
            } else if matches!(self.kind, ThinningRule::Dedup { .. }) && 0 < group.repeated {
                effect.told = std::mem::take(&mut group.repeated);
                thinned.repeated.insert(row, effect.told);
            }
            if attempt.is_some() {
                effects.add(&key, &effect);
            }
        }
        drop(memory);
        if let Some(attempt) = attempt {
            let groups = Arc::clone(self);
            attempt.remembered(move |attempt| groups.take_back(attempt, effects));
        }
        thinned
    }

    /// Undoes the effects of an attempt that failed.
    pub(crate) fn take_back(&self, attempt: &BatchAttempt, AttemptEffects(effect): AttemptEffects) {
        let mut memory = self.memory.lock();
        for (key, GroupEffect { spent, repeated, told }) in effect {
            // The group may have been forgotten.
            let Some(group) = memory.groups.get_mut(&key) else { continue };
            group.repeated = (group.repeated + told).saturating_sub(repeated);
            match &self.kind {
                ThinningRule::Sample { .. } => group.credit += spent,
                ThinningRule::Throttle { messages, .. } => {
                    group.credit = (group.credit + spent).min(*messages as f64)
                }
                ThinningRule::Dedup { .. } => {
                    let is_own = |by: &Weak<BatchAttempt>| std::ptr::eq(by.as_ptr(), attempt);
                    if group.by.as_ref().is_some_and(is_own) {
                        (group.by, group.since) = (None, i64::MIN);
                    }
                }
            }
        }
    }

    /// The credit that a message costs its group, apart from the credit that accrues over time.
    fn spent(&self, passes: bool) -> f64 {
        let passes = f64::from(u8::from(passes));
        match &self.kind {
            ThinningRule::Sample { millionths, .. } => passes - share(*millionths),
            ThinningRule::Throttle { .. } => passes,
            ThinningRule::Dedup { .. } => 0.0,
        }
    }

    /// The state of a group before its first message.
    fn begin(&self, now: i64) -> ThinningGroup {
        let (credit, since) = match &self.kind {
            // The first message raises the credit to one.
            ThinningRule::Sample { millionths, .. } => (1.0 - share(*millionths), now),
            ThinningRule::Throttle { messages, .. } => (*messages as f64, now),
            ThinningRule::Dedup { .. } => (0.0, i64::MIN),
        };
        ThinningGroup { credit, since, ..ThinningGroup::default() }
    }

    fn key(&self, batch: &Batch, row: usize, key: &mut Vec<u8>) {
        let (ThinningRule::Sample { by, .. }
        | ThinningRule::Throttle { by, .. }
        | ThinningRule::Dedup { fields: by, .. }) = &self.kind;
        key.clear();
        for field in by {
            let start = key.len();
            key.extend_from_slice(&[0; 4]);
            let mut count = 0_u32;
            for value in batch.values(row, field) {
                // Each value is preceded by its length, so that different values never give the same key.
                key.extend_from_slice(&(value.len() as u32).to_le_bytes());
                key.extend_from_slice(&value);
                count += 1;
            }
            key[start..start + 4].copy_from_slice(&count.to_le_bytes());
        }
    }

    fn lets_through(&self, group: &mut ThinningGroup, now: i64, attempt: Option<&Arc<BatchAttempt>>) -> bool {
        match &self.kind {
            ThinningRule::Sample { millionths, .. } => {
                let share = share(*millionths);
                group.credit += share;
                // The limit is a little less than one, because shares do not add up exactly.
                let passes = 1.0 - share / 2.0 <= group.credit;
                group.credit -= f64::from(u8::from(passes));
                passes
            }
            ThinningRule::Throttle { messages, seconds, .. } => {
                let most = *messages as f64;
                let passed = now.saturating_sub(group.since).max(0) as f64 / SECOND as f64;
                let saved = passed * most / *seconds as f64;
                group.credit = (group.credit + saved).min(most);
                group.since = now.max(group.since);
                let passes = 1.0 <= group.credit;
                group.credit -= f64::from(u8::from(passes));
                passes
            }
            ThinningRule::Dedup { within, .. } => {
                let within = i64::try_from(within.as_nanos()).unwrap_or(i64::MAX);
                let passes = within <= now.saturating_sub(group.since) || !group.is_taken_for(attempt);
                if passes {
                    (group.since, group.by) = (now, attempt.map(Arc::downgrade));
                }
                passes
            }
        }
    }
}

fn share(millionths: u32) -> f64 {
    f64::from(millionths) / f64::from(MILLION)
}

impl ThinningGroup {
    /// Whether the last message that passed counts as stored for an attempt: one that is still being stored counts if the
    /// attempt can follow it to its end.
    fn is_taken_for(&mut self, attempt: Option<&Arc<BatchAttempt>>) -> bool {
        let by = self.by.as_ref().and_then(Weak::upgrade);
        // A failed attempt clears `by`, so one that has ended was accepted.
        let Some(by) = by.filter(|by| by.taken() != Some(true)) else {
            self.by = None;
            return true;
        };
        attempt.is_some_and(|attempt| attempt.follows(&by))
    }
}

impl AttemptEffects {
    fn add(&mut self, key: &[u8], effect: &GroupEffect) {
        let sum = match self.0.get_mut(key) {
            Some(sum) => sum,
            None => self.0.entry(key.to_vec()).or_default(),
        };
        sum.spent += effect.spent;
        sum.repeated += effect.repeated;
        sum.told += effect.told;
    }
}

impl GroupMemory {
    fn of(groups_max: usize) -> GroupMemory {
        GroupMemory { groups: LinkedHashMap::new(), groups_max, forgotten: 0 }
    }

    /// The group of a key. A new group is made by `begin`, and only then is the key copied.
    fn group(&mut self, key: &[u8], begin: impl FnOnce() -> ThinningGroup) -> &mut ThinningGroup {
        if self.groups_max <= self.groups.len() && !self.groups.contains_key(key) {
            self.groups.pop_front();
            self.forgotten += 1;
        }
        match self.groups.raw_entry_mut().from_key(key) {
            RawEntryMut::Occupied(mut known) => {
                known.to_back();
                known.into_mut()
            }
            RawEntryMut::Vacant(new) => new.insert(key.to_vec(), begin()).1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use logstead_record::{BatchBuilder, Field, Origin, Row, Timestamp};
    use proptest::collection::vec;
    use proptest::prelude::*;

    /// Messages of these hosts at these seconds.
    fn batch(messages: &[(i64, &str)]) -> Batch {
        let mut builder = BatchBuilder::new();
        for (second, host) in messages {
            let received = Timestamp::from_nanos(second * SECOND);
            builder.origin(Origin { source: b"s", peer: b"", received });
            builder.push(&Row::text(b"m").with(Field::Host, host.as_bytes()));
        }
        builder.seal()
    }

    fn let_through(groups: &Arc<ThinningGroups>, messages: &[(i64, &str)]) -> Vec<usize> {
        let_through_for(None, groups, messages)
    }

    fn let_through_for(
        attempt: Option<&Arc<BatchAttempt>>,
        groups: &Arc<ThinningGroups>,
        messages: &[(i64, &str)],
    ) -> Vec<usize> {
        let batch = batch(messages);
        let dropped = groups.thin(&batch, &Selection::all(batch.rows()), attempt).dropped;
        (0..batch.rows()).filter(|row| !dropped.contains(*row)).collect()
    }

    fn by_host() -> Vec<FieldName> {
        vec![FieldName::Known(Field::Host)]
    }

    #[test]
    fn a_sample_has_the_first_of_each_group_and_its_share_of_the_others() {
        let groups =
            Arc::new(ThinningGroups::new(ThinningRule::Sample { millionths: 250_000, by: by_host() }));
        let mut messages = vec![(0, "a"); 10];
        messages.push((0, "b"));
        assert_eq!(let_through(&groups, &messages), [0, 4, 8, 10]);
        assert_eq!(let_through(&groups, &messages), [2, 6], "it goes on where it was");
        let all = Arc::new(ThinningGroups::new(ThinningRule::Sample { millionths: MILLION, by: Vec::new() }));
        assert_eq!(let_through(&all, &messages).len(), 11);
        let third =
            Arc::new(ThinningGroups::new(ThinningRule::Sample { millionths: 333_333, by: Vec::new() }));
        assert_eq!(let_through(&third, &vec![(0, "a"); 9000]).len(), 3000);
    }

    #[test]
    fn a_throttle_lets_a_number_through_in_a_time() {
        let groups =
            Arc::new(ThinningGroups::new(ThinningRule::Throttle { messages: 2, seconds: 1, by: by_host() }));
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
        let groups = Arc::new(ThinningGroups::new(ThinningRule::Dedup {
            fields: by_host(),
            within: Duration::from_secs(10),
        }));
        let batch = batch(&[(0, "a"), (1, "a"), (9, "a"), (5, "b"), (10, "a"), (11, "a")]);
        let thinned = groups.thin(&batch, &Selection::all(6), None);
        assert_eq!(thinned.dropped.iter().collect::<Vec<_>>(), [1, 2, 5]);
        assert_eq!(thinned.repeated, BTreeMap::from([(4, 2)]));
    }

    #[test]
    fn what_is_remembered_has_a_bound_and_says_so() {
        let groups = Arc::new(ThinningGroups::new(ThinningRule::Sample { millionths: 1, by: by_host() }));
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

    /// The same rule in the simplest form: keys in the order in which they were last seen.
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
            let mut memory = GroupMemory::of(groups_max);
            for (sight, key) in sights.iter().enumerate() {
                let expected = seen(&mut keys, key, groups_max, &mut forgotten);
                let mut is_new = false;
                let group = memory.group(key, || {
                    is_new = true;
                    ThinningGroup::default()
                });
                prop_assert_eq!(is_new, expected);
                prop_assert_eq!(group.repeated == 0, is_new, "what is remembered is of this key");
                group.repeated = 1 + sight as u64;
                let in_order: Vec<_> = memory.groups.keys().cloned().collect();
                prop_assert_eq!(&in_order, &keys);
                prop_assert_eq!(memory.forgotten, forgotten);
            }
        }
    }

    fn dedup() -> Arc<ThinningGroups> {
        Arc::new(ThinningGroups::new(ThinningRule::Dedup {
            fields: by_host(),
            within: Duration::from_secs(10),
        }))
    }

    /// The attempt after a failed one finds the same state as that one did.
    #[test]
    fn a_failed_attempt_is_as_if_it_had_not_been() {
        let messages = [(1, "a"), (1, "a"), (2, "b"), (2, "a"), (3, "b"), (3, "c")];
        for kind in [
            || ThinningRule::Sample { millionths: 250_000, by: by_host() },
            || ThinningRule::Throttle { messages: 2, seconds: 10, by: by_host() },
            || ThinningRule::Dedup { fields: by_host(), within: Duration::from_secs(10) },
        ] {
            let (tried, untried) =
                (Arc::new(ThinningGroups::new(kind())), Arc::new(ThinningGroups::new(kind())));
            for (shift, before) in [(0, &[][..]), (30, &[(20, "a"), (20, "c"), (21, "a")])] {
                assert_eq!(let_through(&tried, before), let_through(&untried, before), "{:?}", kind());
                let messages = messages.map(|(second, host)| (second + shift, host));
                let first = BatchAttempt::new(false);
                let passed = let_through_for(Some(&first), &tried, &messages);
                assert!(!passed.is_empty(), "{:?}", kind());
                first.end(false);
                let second = BatchAttempt::new(false);
                assert_eq!(let_through_for(Some(&second), &tried, &messages), passed, "{:?}", kind());
                second.end(true);
                assert_eq!(let_through(&untried, &messages), passed, "{:?}", kind());
                let more = [(4, "a"), (4, "b"), (4, "d")].map(|(second, host)| (second + shift, host));
                assert_eq!(let_through(&tried, &more), let_through(&untried, &more), "{:?}", kind());
            }
        }
        let groups = dedup();
        let_through(&groups, &[(0, "a"), (1, "a")]);
        let tell = |attempt: &Arc<BatchAttempt>| {
            groups.thin(&batch(&[(10, "a")]), &Selection::all(1), Some(attempt)).repeated
        };
        for is_taken in [false, true] {
            let attempt = BatchAttempt::new(false);
            assert_eq!(tell(&attempt), BTreeMap::from([(0, 1)]), "how many there were is told again");
            attempt.end(is_taken);
        }
    }

    #[test]
    fn a_duplicate_of_what_is_being_stored_shares_its_fate() {
        let one = [(0, "a")];
        let (groups, first, second) = (dedup(), BatchAttempt::new(false), BatchAttempt::new(false));
        assert_eq!(let_through_for(Some(&first), &groups, &one), [0]);
        assert_eq!(let_through_for(Some(&second), &groups, &one), [0; 0]);
        assert!(Arc::ptr_eq(&second.followed()[0], &first));
        first.end(false);
        second.end(false);
        // If neither sender gets an answer, no message may be lost.
        let (first, again) = (BatchAttempt::new(false), BatchAttempt::new(false));
        assert_eq!(let_through_for(Some(&first), &groups, &one), [0]);
        assert_eq!(let_through(&groups, &one), [0]);
        first.end(false);
        assert_eq!(let_through_for(Some(&again), &groups, &one), [0; 0], "that one is there");
        assert!(again.followed().is_empty());
    }
}
