//! The position after the last message of a page, where the next page begins, as text that a client hands back.
//!
//! Text of a cursor: base64url of `version u8 | order u8 | question u64 LE | time i64 LE | sequence u64 LE |
//! logspace`. It is opaque to callers and only denotes a position, so it needs no signature. It includes the question
//! it belongs to, so that it cannot be used to continue another one.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use logstead_indexer::Order;
use logstead_questions::store::GlobalPosition;
use logstead_record::Timestamp;

const VERSION: u8 = 2;

/// The text to give to the client.
pub(crate) fn encode(order: Order, question: u64, place: &GlobalPosition) -> String {
    let mut bytes = vec![VERSION, u8::from(order == Order::Oldest)];
    bytes.extend_from_slice(&question.to_le_bytes());
    bytes.extend_from_slice(&place.time.nanos().to_le_bytes());
    bytes.extend_from_slice(&place.sequence.to_le_bytes());
    bytes.extend_from_slice(place.logspace.as_bytes());
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Parses a text that was handed out before; `None` for any other.
pub(crate) fn decode(text: &str) -> Option<(Order, u64, GlobalPosition)> {
    let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
    let (&[version, order], rest) = bytes.split_first_chunk()?;
    let (question, rest) = rest.split_first_chunk()?;
    let (time, rest) = rest.split_first_chunk()?;
    let (sequence, logspace) = rest.split_first_chunk()?;
    let order = match (version, order) {
        (VERSION, 0) => Order::Newest,
        (VERSION, 1) => Order::Oldest,
        _ => return None,
    };
    let place = GlobalPosition {
        time: Timestamp::from_nanos(i64::from_le_bytes(*time)),
        logspace: std::str::from_utf8(logspace).ok()?.to_owned(),
        sequence: u64::from_le_bytes(*sequence),
    };
    Some((order, u64::from_le_bytes(*question), place))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_was_not_handed_out_is_refused() {
        for text in ["", "AAAA", "not base64!", "AgAAAAAAAAAAAAAAAAAAAAAAAAAA", "{}"] {
            assert_eq!(decode(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_cursor_reads_back(
            order in prop_oneof![Just(Order::Newest), Just(Order::Oldest)],
            question in any::<u64>(), time in any::<i64>(), logspace in "[a-z0-9_-]{0,20}", sequence in any::<u64>()
        ) {
            let place = GlobalPosition { time: Timestamp::from_nanos(time), logspace, sequence };
            prop_assert_eq!(decode(&encode(order, question, &place)), Some((order, question, place)));
        }

        #[test]
        fn any_text_is_a_cursor_or_refused(text in "[A-Za-z0-9_-]{0,60}") {
            if let Some((order, question, place)) = decode(&text) {
                prop_assert_eq!(decode(&encode(order, question, &place)), Some((order, question, place)));
            }
        }
    }
}
