//! Where the next page begins: after the last message of this one, by time, logspace and sequence.
//!
//! Text of a cursor: base64url of `version u8 | order u8 | time i64 LE | sequence u64 LE | logspace`. It is
//! opaque to callers and means nothing but a place, so it needs no signature.
//!
//! **Invariant:** pages that begin after one another's cursors hold each message once, also where messages of
//! several logspaces have the same time.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use logstead_indexer::{Order, Position};
use logstead_record::Timestamp;
use std::cmp::Ordering;

const VERSION: u8 = 1;

/// A place in the order of all messages of all logspaces.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Cursor {
    pub(crate) order: Order,
    pub(crate) time: Timestamp,
    pub(crate) logspace: String,
    pub(crate) sequence: u64,
}

impl Cursor {
    /// The text to hand out.
    pub(crate) fn encode(&self) -> String {
        let mut bytes = vec![VERSION, u8::from(self.order == Order::Oldest)];
        bytes.extend_from_slice(&self.time.nanos().to_le_bytes());
        bytes.extend_from_slice(&self.sequence.to_le_bytes());
        bytes.extend_from_slice(self.logspace.as_bytes());
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// From a text that was handed out; `None` for any other.
    pub(crate) fn decode(text: &str) -> Option<Cursor> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (&[version, order], rest) = bytes.split_first_chunk()?;
        let (time, rest) = rest.split_first_chunk()?;
        let (sequence, logspace) = rest.split_first_chunk()?;
        let order = match (version, order) {
            (VERSION, 0) => Order::Newest,
            (VERSION, 1) => Order::Oldest,
            _ => return None,
        };
        Some(Cursor {
            order,
            time: Timestamp::from_nanos(i64::from_le_bytes(*time)),
            sequence: u64::from_le_bytes(*sequence),
            logspace: std::str::from_utf8(logspace).ok()?.to_owned(),
        })
    }

    /// After which of its own messages a logspace goes on.
    pub(crate) fn position_in(&self, logspace: &str) -> Position {
        let at = |time: Timestamp, sequence: u64| Position { time, sequence };
        match (self.order, logspace.cmp(&self.logspace)) {
            (_, Ordering::Equal) => at(self.time, self.sequence),
            // Of this very time it comes later: all its messages of this time are still to come.
            (Order::Newest, Ordering::Less) => at(self.time, u64::MAX),
            (Order::Oldest, Ordering::Greater) => at(self.time.saturating_add(-1), u64::MAX),
            // It came first: its messages of this time have all been there.
            (Order::Newest, Ordering::Greater) => at(self.time, 0),
            (Order::Oldest, Ordering::Less) => at(self.time, u64::MAX),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_was_not_handed_out_is_refused() {
        for text in ["", "AAAA", "not base64!", "AgAAAAAAAAAAAAAAAAAAAAAAAAAA", "{}"] {
            assert_eq!(Cursor::decode(text), None, "{text}");
        }
    }

    fn order() -> impl Strategy<Value = Order> {
        prop_oneof![Just(Order::Newest), Just(Order::Oldest)]
    }

    proptest! {
        #[test]
        fn a_cursor_reads_back(
            order in order(), time in any::<i64>(), logspace in "[a-z0-9_-]{0,20}", sequence in any::<u64>()
        ) {
            let cursor = Cursor { order, time: Timestamp::from_nanos(time), logspace, sequence };
            prop_assert_eq!(Cursor::decode(&cursor.encode()), Some(cursor));
        }

        #[test]
        fn any_text_is_a_cursor_or_refused(text in "[A-Za-z0-9_-]{0,60}") {
            if let Some(cursor) = Cursor::decode(&text) {
                prop_assert_eq!(Cursor::decode(&cursor.encode()), Some(cursor));
            }
        }

        /// For any message of any logspace: it comes after its logspace's position exactly if it comes after
        /// the cursor in the order of all.
        #[test]
        fn a_logspace_goes_on_where_the_order_of_all_does(
            order in order(),
            (time, space, sequence) in (-3_i64..3, "[a-c]", 0_u64..4),
            (other_time, other_space, other_sequence) in (-3_i64..3, "[a-c]", 0_u64..4),
        ) {
            let is_after = |a: Ordering| match order {
                Order::Newest => a == Ordering::Less,
                Order::Oldest => a == Ordering::Greater,
            };
            let expected = is_after(
                (other_time, &other_space, other_sequence).cmp(&(time, &space, sequence))
            );
            let cursor = Cursor { order, time: Timestamp::from_nanos(time), logspace: space, sequence };
            let Position { time, sequence } = cursor.position_in(&other_space);
            let found = is_after((other_time, other_sequence).cmp(&(time.nanos(), sequence)));
            prop_assert_eq!(found, expected);
        }
    }
}
