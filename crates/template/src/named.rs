//! Templates as users see them: a text with a word for each slot, and an id that never changes.
//!
//! **Invariant:** the id depends on the key alone, so the same statement has one id in every segment and on every
//! machine.

use crate::scan::VariableKind;

/// The id of a template: the first eight bytes of the BLAKE3 hash of its key.
pub fn template_id(key: &[u8]) -> u64 {
    let hash = blake3::hash(key);
    hash.as_bytes().first_chunk().map_or(0, |first| u64::from_le_bytes(*first))
}

/// A key as text, with the kind of each slot in angle brackets.
pub fn template_text(key: &[u8]) -> String {
    let mut text = Vec::with_capacity(key.len() + 32);
    for &byte in key {
        match VariableKind::of_marker(byte) {
            None => text.push(byte),
            Some(kind) => text.extend_from_slice(placeholder(kind).as_bytes()),
        }
    }
    String::from_utf8_lossy(&text).into_owned()
}

fn placeholder(kind: VariableKind) -> &'static str {
    match kind {
        VariableKind::Decimal => "<number>",
        VariableKind::Hex | VariableKind::HexUpper | VariableKind::Prefixed => "<hex>",
        VariableKind::Address => "<address>",
        VariableKind::Wide => "<id>",
        VariableKind::Text => "<text>",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::Scanner;

    #[test]
    fn slots_are_named_by_their_kind() {
        let mut scanner = Scanner::default();
        assert!(scanner.scan(b"user ana7 from 10.0.0.1:22 took 0x1f ms of deadbeef00, 5"));
        let expected = "user <text> from <address>:<number> took <hex> ms of <hex>, <number>";
        assert_eq!(template_text(scanner.key()), expected);
    }

    /// A stored id refers to the same statement in the next version.
    #[test]
    fn an_id_never_changes() {
        assert_eq!(template_id(b"took \x01 ms"), 6_229_455_078_759_713_203);
        assert_ne!(template_id(b"took \x02 ms"), template_id(b"took \x01 ms"));
    }
}
