//! Where a message is counted that several journals get: once.
//!
//! A message counts as stored if a logspace gets it, in the first one that does. If only destinations get it, it counts
//! for the first that has it in its queue, as another may drop it. Everywhere else it is a copy.

use logstead_record::Selection;
use parking_lot::Mutex;
use std::sync::Arc;

/// Which of the messages that a journal gets are counted there.
#[derive(Debug, Default)]
pub struct Share {
    /// This many, whatever happens elsewhere.
    counted: usize,
    /// And of these, those that no other journal has by then.
    contested: Option<Contested>,
}

#[derive(Debug)]
struct Contested {
    rows: Selection,
    /// Messages that no journal has yet.
    unclaimed: Arc<Mutex<Selection>>,
    claimed: Selection,
}

impl Share {
    /// None: all of them are copies.
    pub fn none() -> Share {
        Share::default()
    }

    /// This many.
    pub fn all(messages: usize) -> Share {
        Share { counted: messages, contested: None }
    }

    /// How many messages are counted here. It is asked before they are written, so that what is written says it too.
    pub fn claim(&mut self) -> usize {
        let Some(Contested { rows, unclaimed, claimed }) = &mut self.contested else { return self.counted };
        let mut unclaimed = unclaimed.lock();
        let mut won = rows.clone();
        won.intersect(&unclaimed);
        unclaimed.subtract(&won);
        claimed.union(&won);
        self.counted + claimed.count()
    }

    /// They were written in an earlier attempt: how many were counted then.
    pub fn kept_before(mut self) -> usize {
        let counted = self.claim();
        self.keep();
        counted
    }

    /// They are written.
    pub fn keep(mut self) {
        self.contested.take().into_iter().for_each(|contested| contested.unclaimed_stays());
    }
}

impl Contested {
    fn unclaimed_stays(mut self) {
        self.claimed = Selection::none(self.rows.rows());
    }
}

impl Drop for Contested {
    /// What was claimed and not written is there for the others.
    fn drop(&mut self) {
        self.unclaimed.lock().union(&self.claimed);
    }
}

/// What a target gets of a batch.
pub struct Given<'a> {
    /// Whether the target is a logspace.
    pub is_logspace: bool,
    /// The rows of the batch that go there.
    pub rows: &'a Selection,
}

/// Where the messages of a batch are counted, for each of its targets.
pub fn shares(targets: &[Given<'_>]) -> Vec<Share> {
    if let [only] = targets {
        return vec![Share::all(only.rows.count())];
    }
    let Some(first) = targets.first() else { return Vec::new() };
    let none = Selection::none(first.rows.rows());
    let (mut stored, mut forwarded, mut contested) = (none.clone(), none.clone(), none.clone());
    for target in targets {
        if target.is_logspace {
            stored.union(target.rows);
        } else {
            let mut again = target.rows.clone();
            again.intersect(&forwarded);
            contested.union(&again);
            forwarded.union(target.rows);
        }
    }
    contested.subtract(&stored);
    let unclaimed = Arc::new(Mutex::new(contested.clone()));
    let mut counted = none.clone();
    let share = |target: &Given<'_>| {
        let mut rows = target.rows.clone();
        if target.is_logspace {
            rows.subtract(&counted);
            counted.union(target.rows);
            return Share::all(rows.count());
        }
        rows.subtract(&stored);
        let mut several = rows.clone();
        several.intersect(&contested);
        rows.subtract(&contested);
        let contested = (!several.is_empty()).then(|| Contested {
            rows: several,
            unclaimed: unclaimed.clone(),
            claimed: none.clone(),
        });
        Share { counted: rows.count(), contested }
    };
    targets.iter().map(share).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Whatever the order in which journals are written, and whichever drop their messages: a message is counted at
        /// exactly one of those that have it.
        #[test]
        fn a_message_is_counted_once(
            targets in proptest::collection::vec((any::<bool>(), any::<u16>(), any::<bool>()), 1..6),
            order in any::<u64>(),
        ) {
            const ROWS: usize = 16;
            let rows = |bits: u16| Selection::from_fn(ROWS, |row| bits >> row & 1 == 1);
            let selections: Vec<_> = targets.iter().map(|(_, bits, _)| rows(*bits)).collect();
            let given = targets.iter().zip(&selections);
            let given: Vec<_> = given.map(|((is_logspace, ..), rows)| Given { is_logspace: *is_logspace, rows }).collect();
            let mut shares: Vec<_> = shares(&given).into_iter().enumerate().collect();
            shares.sort_by_key(|(target, _)| order.wrapping_mul(0x9E37_79B9_7F4A_7C15 + *target as u64));
            let mut had = Selection::none(ROWS);
            let mut counted = 0;
            for (target, mut share) in shares {
                let (is_logspace, _, drops) = targets[target];
                let claimed = share.claim();
                prop_assert!(claimed <= selections[target].count());
                // Logspaces drop nothing.
                if is_logspace || !drops {
                    counted += claimed;
                    share.keep();
                    had.union(&selections[target]);
                }
            }
            prop_assert_eq!(counted, had.count());
        }
    }
}
