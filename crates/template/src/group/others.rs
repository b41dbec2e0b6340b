//! Addresses that are not variables: `010.0.0.1`, `300.0.0.1`, and any four numbers out of more in a row. They extend
//! over several slots.
//!
//! **Invariant:** an [address](logstead_record::word::addresses) of a message that has a template is a variable of it,
//! or the template may hold others. A variable that is an address has no number before or after it, so that no other
//! address overlaps it. The rest are four words of digits with a dot between each, and such a word is a number: a text
//! has a digit and something else. Only the first and the last may be the end of a longer text, one of base64.

use crate::scan::VariableKind;

/// Whether messages with this key may contain an address that is not in a single slot.
pub fn may_hold_other_addresses(key: &[u8]) -> bool {
    let is_number = |byte| VariableKind::of_marker(byte) == Some(VariableKind::Decimal);
    let may_be =
        |byte| matches!(VariableKind::of_marker(byte), Some(VariableKind::Decimal | VariableKind::Text));
    key.windows(7).any(|part| {
        matches!(*part, [first, b'.', second, b'.', third, b'.', fourth]
            if may_be(first) && is_number(second) && is_number(third) && may_be(fourth))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::read::tests::{alike, opened, statements};
    use crate::group::{Ranks, TemplateGroupWriter, WantedWord};
    use logstead_record::word;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

        #[test]
        fn no_address_is_missed(texts in prop_oneof![statements(), alike()], seed in any::<u64>()) {
            let mut writer = TemplateGroupWriter::default();
            for text in &texts {
                writer.push(text);
            }
            let group = opened(&writer.finish()).unwrap();
            let addresses_of = |text: &[u8]| -> BTreeSet<Vec<u8>> {
                word::addresses(text).map(|range| text[range].to_vec()).collect()
            };
            let of_rows: Vec<BTreeSet<Vec<u8>>> = texts.iter().map(|text| addresses_of(text)).collect();
            let mut hashes = BTreeSet::new();
            group.hashes(seed, &mut |hash| { hashes.insert(hash); }).unwrap();
            let may_hold_others: Vec<bool> = group.keys().iter().map(may_hold_other_addresses).collect();
            prop_assert_eq!(may_hold_others.contains(&true), group.may_hold_other_addresses());
            let all: BTreeSet<&Vec<u8>> = of_rows.iter().flatten().collect();
            for address in all {
                let wanted = WantedWord::new(address);
                let (in_slots, is_exact) = group.find_in_slots(&wanted).unwrap();
                let is_told = group.may_hold_other_addresses() || hashes.contains(&wanted.hash(seed));
                prop_assert!(is_told || in_slots.iter().all(|ranks| *ranks == Ranks::None));
                let found = group.rows().unwrap().select(&group.find(&wanted).unwrap());
                for (row, addresses) in of_rows.iter().enumerate() {
                    let place = usize::from(group.rows().unwrap().places[row]);
                    let is_any = place.checked_sub(1).is_some_and(|template| may_hold_others[template]);
                    let has = addresses.contains(address);
                    prop_assert!(!has || found.contains(row), "{}", String::from_utf8_lossy(&texts[row]));
                    prop_assert!(has || is_any && !is_exact || !found.contains(row), "{}", String::from_utf8_lossy(&texts[row]));
                }
            }
        }
    }

    #[test]
    fn keys_of_four_numbers_with_dots_between_may_hold_addresses() {
        for (key, expected) in [
            (&b"\x01.\x01.\x01.\x01"[..], true),
            (b"from \x07.\x01.\x01.\x07 port", true),
            (b"\x05.\x01.\x01.\x01", false),
            (b"\x01.\x01.\x01", false),
            (b"\x01.\x07.\x01.\x01", false),
            (b"\x05 \x05", false),
        ] {
            assert_eq!(may_hold_other_addresses(key), expected, "{key:?}");
        }
    }
}
