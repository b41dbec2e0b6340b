//! Counts a message once, however many journals get it.
//!
//! A message that is stored in logspaces is counted in the first of them. A message that only goes to destinations is
//! counted at the first one that queues it, as the others may drop it. Everywhere else it is a copy.

use logstead_record::Selection;
use parking_lot::Mutex;
use std::sync::Arc;

/// The messages of a batch that a journal counts.
#[derive(Debug, Default)]
pub struct CountClaim {
    /// The number of messages that are counted here in any case.
    counted: usize,
    /// Messages that are also counted here, unless another journal has them by then.
    contested: Option<ContestedRows>,
}

#[derive(Debug)]
struct ContestedRows {
    rows: Selection,
    /// Messages that no journal has yet.
    unclaimed: Arc<Mutex<Selection>>,
    claimed: Selection,
}

impl CountClaim {
    /// A claim to no messages: all of them are copies.
    pub fn none() -> CountClaim {
        CountClaim::default()
    }

    /// A claim to this many messages, whatever happens elsewhere.
    pub fn all(messages: usize) -> CountClaim {
        CountClaim { counted: messages, contested: None }
    }

    /// Claims the messages that are counted here, and returns their number. It is called before they are written, so
    /// that the claim is part of the written batch.
    pub fn claim(&mut self) -> usize {
        let Some(ContestedRows { rows, unclaimed, claimed }) = &mut self.contested else {
            return self.counted;
        };
        let mut unclaimed = unclaimed.lock();
        let mut won = rows.clone();
        won.intersect(&unclaimed);
        unclaimed.subtract(&won);
        claimed.union(&won);
        self.counted + claimed.count()
    }

    /// Keeps the claim to messages that an earlier attempt wrote, and returns the number that was counted.
    pub fn kept_before(mut self) -> usize {
        let counted = self.claim();
        self.keep();
        counted
    }

    /// Called when the messages are written: they stay counted here.
    pub fn keep(mut self) {
        self.contested.take().into_iter().for_each(|contested| contested.unclaimed_stays());
    }
}

impl ContestedRows {
    fn unclaimed_stays(mut self) {
        self.claimed = Selection::none(self.rows.rows());
    }
}

impl Drop for ContestedRows {
    /// Messages that were claimed and not written are left for the other targets.
    fn drop(&mut self) {
        self.unclaimed.lock().union(&self.claimed);
    }
}

/// The rows of a batch that one target gets.
pub struct TargetRows<'a> {
    /// Whether the target is a logspace.
    pub is_logspace: bool,
    /// The rows of the batch that this target gets.
    pub rows: &'a Selection,
}

/// The claims of a batch's targets: each message is counted by one of them.
pub fn claims(targets: &[TargetRows<'_>]) -> Vec<CountClaim> {
    if let [only] = targets {
        return vec![CountClaim::all(only.rows.count())];
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
    let claim = |target: &TargetRows<'_>| {
        let mut rows = target.rows.clone();
        if target.is_logspace {
            rows.subtract(&counted);
            counted.union(target.rows);
            return CountClaim::all(rows.count());
        }
        rows.subtract(&stored);
        let mut several = rows.clone();
        several.intersect(&contested);
        rows.subtract(&contested);
        let contested = (!several.is_empty()).then(|| ContestedRows {
            rows: several,
            unclaimed: unclaimed.clone(),
            claimed: none.clone(),
        });
        CountClaim { counted: rows.count(), contested }
    };
    targets.iter().map(claim).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// A message is counted at exactly one of the journals that have it, in whatever order they are written and
        /// whichever of them drop it.
        #[test]
        fn a_message_is_counted_once(
            targets in proptest::collection::vec((any::<bool>(), any::<u16>(), any::<bool>()), 1..6),
            order in any::<u64>(),
        ) {
            const ROWS: usize = 16;
            let rows = |bits: u16| Selection::from_fn(ROWS, |row| bits >> row & 1 == 1);
            let selections: Vec<_> = targets.iter().map(|(_, bits, _)| rows(*bits)).collect();
            let given = targets.iter().zip(&selections);
            let given: Vec<_> = given.map(|((is_logspace, ..), rows)| TargetRows { is_logspace: *is_logspace, rows }).collect();
            let mut claims: Vec<_> = claims(&given).into_iter().enumerate().collect();
            claims.sort_by_key(|(target, _)| order.wrapping_mul(0x9E37_79B9_7F4A_7C15 + *target as u64));
            let mut had = Selection::none(ROWS);
            let mut counted = 0;
            for (target, mut claim) in claims {
                let (is_logspace, _, drops) = targets[target];
                let claimed = claim.claim();
                prop_assert!(claimed <= selections[target].count());
                // Logspaces drop nothing.
                if is_logspace || !drops {
                    counted += claimed;
                    claim.keep();
                    had.union(&selections[target]);
                }
            }
            prop_assert_eq!(counted, had.count());
        }
    }
}
