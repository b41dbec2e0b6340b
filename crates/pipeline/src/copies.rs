//! Finds the messages of a batch that are copies: if several logspaces get a message, it is a copy in all but the
//! first of them. Pure.
//!
//! **Invariant:** a message has one original, whatever the routes that store it make of it.

use logstead_record::{Batch, Selection};
use std::sync::Arc;

/// The rows of a batch that a logspace gets.
pub(super) struct LogspaceRows<'a, 'r> {
    pub(super) logspace: &'a str,
    /// Its position among all logspaces of the document.
    pub(super) place: usize,
    /// The rows of the routed batch.
    pub(super) rows: &'r Selection,
}

/// Those of a logspace's messages that are copies, by their position among its messages, with the logspace of their
/// originals.
pub(super) type Copies<'a> = Vec<(Selection, &'a str)>;

/// For each of these logspaces, which of its messages are copies.
pub(super) fn copies<'a>(stored: &[LogspaceRows<'a, '_>]) -> Vec<Copies<'a>> {
    let mut order: Vec<usize> = (0..stored.len()).collect();
    order.sort_by_key(|&at| stored[at].place);
    let mut copies: Vec<Copies<'a>> = stored.iter().map(|_| Vec::new()).collect();
    for (nth, &at) in order.iter().enumerate() {
        let mut left = stored[at].rows.clone();
        for &first in &order[..nth] {
            let mut shared = left.clone();
            shared.intersect(stored[first].rows);
            if !shared.is_empty() {
                left.subtract(&shared);
                copies[at].push((within(&shared, stored[at].rows), stored[first].logspace));
            }
        }
    }
    copies
}

/// The batch with its copies marked.
pub(super) fn noted(batch: Arc<Batch>, copies: &[(Selection, &str)]) -> Arc<Batch> {
    if copies.is_empty() { batch } else { Arc::new(batch.with_copies(copies)) }
}

/// Converts rows of a batch to their positions among the rows that were taken from it.
fn within(rows: &Selection, taken: &Selection) -> Selection {
    let mut places = Selection::none(taken.count());
    let shared = taken.iter().enumerate().filter(|(_, row)| rows.contains(*row));
    shared.for_each(|(place, _)| places.insert(place));
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_message_is_the_original_in_the_first_logspace_that_gets_it(
            gets in proptest::collection::vec(proptest::collection::vec(any::<bool>(), 9), 0..4),
            shift in 0_usize..4,
        ) {
            let count = gets.len();
            let names: Vec<String> = (0..count).map(|at| format!("l{at}")).collect();
            let rows: Vec<Selection> =
                gets.iter().map(|gets| Selection::from_fn(9, |row| gets[row])).collect();
            let place = |at: usize| (at + shift) % count;
            let stored: Vec<LogspaceRows<'_, '_>> = (0..count)
                .map(|at| LogspaceRows { logspace: &names[at], place: place(at), rows: &rows[at] })
                .collect();
            let copies = copies(&stored);
            for at in 0..count {
                for (nth, row) in rows[at].iter().enumerate() {
                    let all = (0..count).filter(|&other| gets[other][row]);
                    let first = all.min_by_key(|&other| place(other)).unwrap_or(at);
                    let told: Vec<&str> =
                        copies[at].iter().filter(|(rows, _)| rows.contains(nth)).map(|(_, of)| *of).collect();
                    let expected: &[&str] = if first == at { &[] } else { &[&names[first]] };
                    prop_assert_eq!(&told, &expected, "row {} in {}", row, names[at]);
                }
            }
        }
    }
}
