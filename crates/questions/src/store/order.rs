//! The order of the messages of all logspaces: by time, then by logspace, then by sequence.
//!
//! **Invariant:** there is no other order, and no two messages have the same place in it.

use logstead_indexer::{Hit, Order, Position};
use logstead_record::Timestamp;
use std::cmp::Ordering;

/// Messages with their logspaces.
pub type Hits = Vec<(String, Hit)>;

/// A message's position in the order of all messages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GlobalPosition {
    /// The message's time.
    pub time: Timestamp,
    /// The logspace's id.
    pub logspace: String,
    /// The message's sequence number in its logspace.
    pub sequence: u64,
}

impl GlobalPosition {
    /// The position of a hit.
    pub fn of(logspace: &str, hit: &Hit) -> GlobalPosition {
        GlobalPosition { time: hit.time, logspace: logspace.to_owned(), sequence: hit.sequence }
    }

    /// The position in a logspace's own order after which it continues.
    pub(super) fn position_in(&self, logspace: &str, order: Order) -> Position {
        let at = |time: Timestamp, sequence: u64| Position { time, sequence };
        match (order, logspace.cmp(&self.logspace)) {
            (_, Ordering::Equal) => at(self.time, self.sequence),
            // The logspace sorts later: all its messages with this exact time are still to come.
            (Order::Newest, Ordering::Less) => at(self.time, u64::MAX),
            (Order::Oldest, Ordering::Greater) => at(self.time.saturating_add(-1), u64::MAX),
            // The logspace sorts first: all its messages with this exact time have been returned.
            (Order::Newest, Ordering::Greater) => at(self.time, 0),
            (Order::Oldest, Ordering::Less) => at(self.time, u64::MAX),
        }
    }
}

/// Compares two messages in the order of all messages.
pub(super) fn compare(order: Order, a_id: &str, a: &Hit, b_id: &str, b: &Hit) -> Ordering {
    compare_positions(order, a_id, a.position(), b_id, b.position())
}

/// The same for their positions in their logspaces.
pub(super) fn compare_positions(order: Order, a_id: &str, a: Position, b_id: &str, b: Position) -> Ordering {
    let ascending = (a.time, a_id, a.sequence).cmp(&(b.time, b_id, b.sequence));
    match order {
        Order::Oldest => ascending,
        Order::Newest => ascending.reverse(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use logstead_record::{BatchBuilder, Row};
    use proptest::prelude::*;
    use std::sync::Arc;

    fn hit(time: i64, sequence: u64) -> Hit {
        let mut builder = BatchBuilder::new();
        builder.push(&Row::text(b""));
        Hit { sequence, time: Timestamp::from_nanos(time), batch: Arc::new(builder.seal()), row: 0 }
    }

    proptest! {
        /// Checks for any message of any logspace: it comes after its logspace's position exactly if it comes after
        /// the position in the order of all.
        #[test]
        fn a_logspace_goes_on_where_the_order_of_all_does(
            order in prop_oneof![Just(Order::Newest), Just(Order::Oldest)],
            (time, space, sequence) in (-3_i64..3, "[a-c]", 0_u64..4),
            (other_time, other_space, other_sequence) in (-3_i64..3, "[a-c]", 0_u64..4),
        ) {
            let (one, other) = (hit(time, sequence), hit(other_time, other_sequence));
            let expected = compare(order, &space, &one, &other_space, &other) == Ordering::Less;
            let position = GlobalPosition::of(&space, &one).position_in(&other_space, order);
            let found = match order {
                Order::Newest => other.position() < position,
                Order::Oldest => position < other.position(),
            };
            prop_assert_eq!(found, expected);
        }
    }
}
