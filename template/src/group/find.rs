//! Which rows have a word, without writing a message again.
//!
//! **Invariant:** the answer is that of looking for the word among the [words](logstead_record::word) of each message.

use super::column::{Column, Lengths};
use super::read::TextGroup;
use super::rows::Ranks;
use crate::bytes::Fault;
use crate::numbers::Numbers;
use crate::scan::{Kind, Variable};
use logstead_record::word;

/// Digits of the parts of a UUID.
pub(super) const UUID_PARTS: [(u32, u32); 5] = [(8, 96), (4, 80), (4, 64), (4, 48), (12, 0)];
/// How long a UUID is written.
pub(super) const UUID_BYTES: usize = 36;

/// A word that is looked for, and what it is as a value.
pub struct Wanted {
    pub(super) folded: Vec<u8>,
    /// As a variable of its own; a text where it is nothing else.
    pub(super) own: Variable,
    /// As a part of an address.
    octet: Option<u8>,
    /// As a part of a UUID.
    part: Option<(usize, u128)>,
}

impl Wanted {
    /// A word in lower case, or an address.
    pub fn new(folded: &[u8]) -> Wanted {
        let digits = folded.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let address = Variable::address(folded, 0..digits).filter(|all| all.range() == (0..folded.len()));
        let own = address.unwrap_or_else(|| Variable::of_word(folded, 0));
        let text = std::str::from_utf8(folded).ok();
        let octet = text
            .and_then(|text| text.parse().ok())
            .filter(|octet: &u8| octet.to_string().as_bytes() == folded);
        let is_hex = folded.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let part = matches!(folded.len(), 4 | 8 | 12).then_some(text).flatten().filter(|_| is_hex);
        let part = part.and_then(|text| Some((text.len(), u128::from_str_radix(text, 16).ok()?)));
        Wanted { folded: folded.to_vec(), own, octet, part }
    }

    /// Whether it is among the words of a text.
    fn is_in(&self, text: &[u8], scratch: &mut Vec<u8>) -> bool {
        let mut is_in = false;
        word::for_each_folded(text, scratch, |word| is_in |= word == self.folded);
        is_in
    }
}

impl TextGroup {
    /// The rows whose text has a word, for each place: in what is the same in all texts of a template, in its slots,
    /// and in texts that are kept as they are.
    pub fn find(&self, wanted: &Wanted) -> Result<Vec<Ranks>, Fault> {
        let mut scratch = Vec::new();
        let mut found = self.find_in_slots(wanted)?;
        found[0] = self.kept_with(wanted, &mut scratch)?;
        for (ranks, template) in found[1..].iter_mut().zip(&self.templates) {
            if template.texts.iter().any(|text| wanted.is_in(text, &mut scratch)) {
                *ranks = Ranks::All;
            }
        }
        Ok(found)
    }

    /// The same, in slots alone.
    pub fn find_in_slots(&self, wanted: &Wanted) -> Result<Vec<Ranks>, Fault> {
        let mut scratch = Vec::new();
        let addresses = self.addresses_with(wanted);
        let few = self.few_with(wanted, &mut scratch);
        let mut found = Vec::with_capacity(self.templates.len() + 1);
        found.push(Ranks::None);
        let mut words = self.words.reader(&self.bytes);
        for template in &self.templates {
            let mut ranks = Vec::new();
            for column in &template.columns {
                match column {
                    Column::Number { kind, lengths, low, high } => {
                        self.numbers_with(wanted, (*kind, lengths), low, high.as_ref(), &mut ranks);
                    }
                    Column::Address(places) => self.places_with(places, &addresses, &mut ranks),
                    Column::Few(places) => self.places_with(places, &few, &mut ranks),
                    Column::Many(first) => {
                        for rank in 0..template.rows {
                            if wanted.is_in(words.get(first + rank)?, &mut scratch) {
                                ranks.push(rank as u32);
                            }
                        }
                    }
                }
            }
            found.push(Ranks::some(ranks));
        }
        Ok(found)
    }

    fn kept_with(&self, wanted: &Wanted, scratch: &mut Vec<u8>) -> Result<Ranks, Fault> {
        let mut kept = self.kept.reader(&self.bytes);
        let mut ranks = Vec::new();
        for rank in 0..self.kept.len() {
            if wanted.is_in(kept.get(rank)?, scratch) {
                ranks.push(rank as u32);
            }
        }
        Ok(Ranks::some(ranks))
    }

    /// The places of addresses, in order.
    fn addresses_with(&self, wanted: &Wanted) -> Vec<u64> {
        if wanted.own.kind == Kind::Address {
            return places(self.addresses.iter().map(|&address| u64::from(address) == wanted.own.low));
        }
        let Some(octet) = wanted.octet else { return Vec::new() };
        let has_it = |address: &u32| address.to_be_bytes().contains(&octet);
        places(self.addresses.iter().map(has_it))
    }

    /// The places of words of the dictionary, in order.
    fn few_with(&self, wanted: &Wanted, scratch: &mut Vec<u8>) -> Vec<u64> {
        places(self.dictionary.iter().map(|text| wanted.is_in(text, scratch)))
    }

    fn places_with(&self, places: &Numbers, wanted: &[u64], ranks: &mut Vec<u32>) {
        let (least, greatest) = places.bounds();
        let from = wanted.partition_point(|&place| place < least);
        let wanted = &wanted[from..wanted.partition_point(|&place| place <= greatest).max(from)];
        if wanted.is_empty() {
            return;
        }
        let mut rank = 0;
        places.for_each(&self.bytes, 0..places.len(), |place| {
            if wanted.binary_search(&place).is_ok() {
                ranks.push(rank);
            }
            rank += 1;
        });
    }

    fn numbers_with(
        &self,
        wanted: &Wanted,
        (kind, lengths): (Kind, &Lengths),
        low: &Numbers,
        high: Option<&Numbers>,
        ranks: &mut Vec<u32>,
    ) {
        let own = &wanted.own;
        let length = |rank| lengths.of(&self.bytes, rank, kind, low.get(&self.bytes, rank));
        if let Some(high) = high {
            // Few columns are wide, so each value is looked at.
            for rank in 0..low.len() {
                let value =
                    u128::from(high.get(&self.bytes, rank)) << 64 | u128::from(low.get(&self.bytes, rank));
                let is_found = match length(rank) {
                    UUID_BYTES => wanted.part.is_some_and(|(digits, part)| {
                        let parts = UUID_PARTS.iter().filter(|(length, _)| *length as usize == digits);
                        parts
                            .clone()
                            .any(|(length, shift)| value >> shift & ((1 << (4 * length)) - 1) == part)
                    }),
                    length => {
                        let is_it = own.kind == Kind::Wide && usize::from(own.bytes) == length;
                        is_it && value == u128::from(own.high) << 64 | u128::from(own.low)
                    }
                };
                if is_found {
                    ranks.push(rank as u32);
                }
            }
            return;
        }
        // In lower case both hexadecimal kinds are the same.
        let is_of_kind = own.kind == kind || (own.kind == Kind::Hex && kind == Kind::HexUpper);
        if is_of_kind {
            low.find(&self.bytes, own.low, |rank| {
                if length(rank) == usize::from(own.bytes) {
                    ranks.push(rank as u32);
                }
            });
        }
    }
}

fn places(are_wanted: impl Iterator<Item = bool>) -> Vec<u64> {
    are_wanted.enumerate().filter(|(_, is_wanted)| *is_wanted).map(|(place, _)| place as u64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::TextGroupWriter;
    use crate::group::read::tests::{opened, statements};
    use proptest::prelude::*;

    fn words(text: &[u8]) -> Vec<Vec<u8>> {
        let (mut scratch, mut words) = (Vec::new(), Vec::new());
        word::for_each_folded(text, &mut scratch, |word| words.push(word.to_vec()));
        words
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

        #[test]
        fn rows_with_a_word_are_those_that_a_look_finds(
            texts in statements(), absent in "[0-9a-f]{1,12}|0x[0-9a-f]{1,4}|[a-z]{1,4}",
        ) {
            let mut writer = TextGroupWriter::default();
            for text in &texts {
                writer.push(text);
            }
            let group = opened(&writer.finish()).unwrap();
            let all: Vec<Vec<Vec<u8>>> = texts.iter().map(|text| words(text)).collect();
            let mut asked: Vec<&[u8]> = all.iter().flatten().map(Vec::as_slice).collect();
            asked.sort_unstable();
            asked.dedup();
            let step = asked.len() / 60 + 1;
            for word in asked.into_iter().step_by(step).chain([absent.as_bytes()]) {
                let ranks = group.find(&Wanted::new(word)).unwrap();
                let found: Vec<usize> = group.rows().select(&ranks).iter().collect();
                prop_assert_eq!(group.rows().count(&ranks), found.len() as u64);
                let expected: Vec<usize> =
                    (0..texts.len()).filter(|&row| all[row].iter().any(|one| one == word)).collect();
                prop_assert_eq!(found, expected, "{}", String::from_utf8_lossy(word));
            }
        }
    }
}
