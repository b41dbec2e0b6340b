//! Follows a logspace in the order in which it is stored, reading a little after each step of its history.

use crate::logspace::{Logspace, is_meant, row_of};
use crate::questions::CONTEXT;
use logstead_indexer::{Filter, FollowEvent, Follower};
use logstead_query::{Query, TimeRange};
use logstead_record::Batch;
use logstead_work::SearchContext;
use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

pub(crate) struct Following {
    query: Query,
    /// The number of rows of a part beyond which reading stops in its middle.
    rows_max: usize,
    next: u64,
    seen: Vec<(u64, Arc<Batch>)>,
    missing: Vec<Range<u64>>,
    /// Every message that was ever stored.
    stored: BTreeMap<u64, Batch>,
}

impl Following {
    pub(crate) fn new(query: &Query, rows_max: usize) -> Following {
        let (seen, missing, stored) = (Vec::new(), Vec::new(), BTreeMap::new());
        Following { query: query.clone(), rows_max, next: 0, seen, missing, stored }
    }

    pub(crate) fn remember(&mut self, logspace: &Logspace) {
        for (sequence, row) in logspace.stored() {
            self.stored.entry(sequence).or_insert_with(|| row.clone());
        }
    }

    /// Reads this many parts, as a client that has only the position.
    pub(crate) fn read(&mut self, logspace: &Logspace, parts_max: usize) {
        let filter = Filter::new(&self.query, &CONTEXT);
        let mut follower = Follower::new(logspace.searcher().clone(), filter, self.next);
        for _ in 0..parts_max {
            follower.read(&SearchContext::alone(), &mut |followed| self.take(followed));
            assert_eq!(follower.next, self.next);
            if follower.behind() == 0 {
                return;
            }
        }
    }

    fn take(&mut self, followed: FollowEvent<'_>) -> ControlFlow<u64> {
        let (sequences, matched) = match followed {
            FollowEvent::Missing { sequences, .. } => {
                self.missing.push(sequences.clone());
                (sequences, None)
            }
            FollowEvent::Messages { sequences, matched } => (sequences, matched),
        };
        assert_eq!(sequences.start, self.next, "parts adjoin");
        self.next = match matched {
            Some(_) => sequences.end.min(sequences.start + self.rows_max as u64),
            None => sequences.end,
        };
        if let Some(matched) = matched {
            for row in matched.rows.iter() {
                let sequence = matched.first_sequence + row as u64;
                assert!(sequences.contains(&sequence), "{sequence} is not in {sequences:?}");
                if sequence < self.next {
                    self.seen.push((sequence, row_of(matched.batch, row)));
                }
            }
        }
        // Some parts that are taken completely are the last ones of their read as well.
        let is_enough = self.next < sequences.end || self.next.is_multiple_of(3);
        if is_enough { ControlFlow::Break(self.next) } else { ControlFlow::Continue(()) }
    }

    pub(crate) fn check(&self, logspace: &Logspace) {
        assert_eq!(self.next, logspace.searcher().next_sequence());
        let is_missing = |sequence: &u64| self.missing.iter().any(|missing| missing.contains(sequence));
        let expected: Vec<(u64, &Batch)> = self
            .stored
            .iter()
            .filter(|(sequence, row)| !is_missing(sequence) && is_meant(&self.query, TimeRange::ALL, row))
            .map(|(sequence, row)| (*sequence, row))
            .collect();
        let seen: Vec<(u64, &Batch)> = self.seen.iter().map(|(sequence, row)| (*sequence, &**row)).collect();
        assert!(seen == expected, "{} of {} messages that {} means", seen.len(), expected.len(), self.query);
        let there = logspace.stored().next().map_or(self.next, |(sequence, _)| sequence);
        assert!(self.missing.iter().all(|missing| missing.end <= there), "what is there is not missing");
    }
}
