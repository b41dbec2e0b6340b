//! Finds the rows that contain a word, without reconstructing messages.
//!
//! **Invariant:** the answer is the same as looking for the word among the [words](logstead_record::word) of each
//! message; likewise for an address, except for templates that [may hold others](super::others): their rows with its
//! four numbers in slots match too.

use super::column::{Lengths, OpenColumn, SlotColumn};
use super::head::{OTHER_ADDRESSES, StoredTexts, kind_bit};
use super::read::TemplateGroup;
use super::rows::Ranks;
use super::word_finder::{WordFinder, is_in};
use crate::bytes::Result;
use crate::numbers::NumberColumn;
use crate::scan::{Variable, VariableKind};
use logstead_record::word;

/// The number of digits and the shift of each part of a UUID.
pub(super) const UUID_PARTS: [(u32, u32); 5] = [(8, 96), (4, 80), (4, 64), (4, 48), (12, 0)];
/// The length of a written UUID.
pub(super) const UUID_BYTES: usize = 36;

/// A word to search for, as text and as a value.
pub struct WantedWord {
    pub(super) folded: Vec<u8>,
    /// The word as a variable of its own, which is a text if it has no other kind.
    pub(super) own: Variable,
    /// Whether it is one of the [addresses](word::addresses) of a text, and not a word.
    is_address: bool,
    /// The word as a part of an address.
    octet: Option<u8>,
    /// The word as a part of a UUID.
    part: Option<(usize, u64)>,
}

/// A variable that consists of a word in lower case, or of an address.
pub(super) fn own(folded: &[u8]) -> Variable {
    let digits = folded.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let address = Variable::address(folded, 0..digits).filter(|all| all.range() == (0..folded.len()));
    // The length of an address is redundant, and its hash must not depend on it.
    let address = address.map(|address| Variable { bytes: 0, ..address });
    address.unwrap_or_else(|| Variable::of_word(folded, 0))
}

impl WantedWord {
    /// The search for a word in lower case, or for an address.
    pub fn new(folded: &[u8]) -> WantedWord {
        let own = own(folded);
        let is_address = word::addresses(folded).next() == Some(0..folded.len());
        let text = std::str::from_utf8(folded).ok();
        let octet = text
            .and_then(|text| text.parse().ok())
            .filter(|octet: &u8| octet.to_string().as_bytes() == folded);
        let is_hex = folded.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let part = matches!(folded.len(), 4 | 8 | 12).then_some(text).flatten().filter(|_| is_hex);
        let part = part.and_then(|text| Some((text.len(), u64::from_str_radix(text, 16).ok()?)));
        WantedWord { folded: folded.to_vec(), own, is_address, octet, part }
    }

    /// The word, in lower case.
    pub fn word(&self) -> &[u8] {
        &self.folded
    }

    /// The kinds of slots that it may be in, as bits, given the addresses and words that contain it.
    fn kinds(&self, addresses: &Marks, few: &Marks, many: &[usize]) -> u8 {
        let mut kinds = match self.own.kind {
            // In lower case, both hexadecimal kinds are the same.
            VariableKind::Hex => kind_bit(VariableKind::Hex) | kind_bit(VariableKind::HexUpper),
            VariableKind::Address | VariableKind::Text => 0,
            kind => kind_bit(kind),
        };
        if self.part.is_some() {
            kinds |= kind_bit(VariableKind::Wide);
        }
        if !addresses.is_empty() {
            kinds |= kind_bit(VariableKind::Address);
        }
        if !few.is_empty() || !many.is_empty() {
            kinds |= kind_bit(VariableKind::Text);
        }
        kinds
    }

    /// Whether it is among the words or the addresses of a text.
    fn is_in(&self, text: &[u8], scratch: &mut Vec<u8>) -> bool {
        if self.is_address {
            return word::addresses(text).any(|range| text[range] == self.folded);
        }
        is_in(&self.folded, text, scratch)
    }
}

impl TemplateGroup {
    /// The rows whose text contains a word, for each place: in the text that all rows of a template share, in its
    /// slots, and in texts that are kept unchanged.
    pub fn find(&self, wanted: &WantedWord) -> Result<Vec<Ranks>> {
        let mut scratch = Vec::new();
        let (mut found, _) = self.find_in_slots(wanted)?;
        found[0] = self.kept_with(wanted, &mut scratch)?;
        let pieces = self.head.pieces();
        for (template, ranks) in found[1..].iter_mut().enumerate() {
            let mut pieces = self.head.pieces_of(template).map(|piece| pieces.get(piece));
            if pieces.any(|text| wanted.is_in(text, &mut scratch)) {
                *ranks = Ranks::All;
            }
        }
        Ok(found)
    }

    /// Like `find`, but in slots only; also returns whether all of the rows are certain to contain the word.
    pub fn find_in_slots(&self, wanted: &WantedWord) -> Result<(Vec<Ranks>, bool)> {
        let marks = self.marks_of(wanted)?;
        if marks.kinds == 0 && !wanted.is_address {
            return Ok((vec![Ranks::None; self.head.templates() + 1], true));
        }
        let mut found = Vec::with_capacity(self.head.templates() + 1);
        found.push(Ranks::None);
        for (template, kinds) in self.head.kinds.iter().enumerate() {
            found.push(match kinds & marks.kinds {
                0 => Ranks::None,
                _ => self.ranks_with(template, wanted, &marks)?,
            });
        }
        let has_others = wanted.is_address && self.add_other_addresses(wanted, &mut found)?;
        Ok((found, !has_others))
    }

    /// The values that contain a word.
    fn marks_of(&self, wanted: &WantedWord) -> Result<WordMarks> {
        let (few, many) = self.texts_with(wanted)?;
        let addresses = self.addresses_with(wanted)?;
        let kinds = wanted.kinds(&addresses, &few, &many);
        Ok(WordMarks { addresses, few, many, kinds })
    }

    /// The words of the dictionary that contain a word, and the positions of those in slots with many words.
    fn texts_with(&self, wanted: &WantedWord) -> Result<(Marks, Vec<usize>)> {
        let (mut places, mut many) = (Vec::new(), Vec::new());
        if let Some(mut look) = WordFinder::new(&wanted.folded) {
            look.for_each(self.dictionary()?, |word| places.push(word as u64));
            self.for_each_block(StoredTexts::Words, |first, texts| {
                look.for_each(texts, |word| many.push(first + word));
                true
            })?;
        }
        Ok((Marks::new(places, self.head.dictionary.len()), many))
    }

    /// Adds the rows of templates that may hold other addresses, if all four numbers of an address are in slots.
    /// Returns whether there are any.
    fn add_other_addresses(&self, wanted: &WantedWord, found: &mut [Ranks]) -> Result<bool> {
        let numbers: Vec<WantedWord> =
            wanted.folded.split(|&byte| byte == b'.').map(WantedWord::new).collect();
        let mut with_texts: Vec<Option<WordMarks>> = numbers.iter().map(|_| None).collect();
        let mut has_others = false;
        for (template, ranks) in found[1..].iter_mut().enumerate() {
            let kinds = self.head.kinds[template];
            if kinds & OTHER_ADDRESSES == 0 {
                continue;
            }
            // Searching texts takes the longest, and few of these templates have any.
            let has_texts = kinds & kind_bit(VariableKind::Text) != 0;
            let mut all = Ranks::All;
            for (number, with_texts) in numbers.iter().zip(&mut with_texts) {
                if has_texts && with_texts.is_none() {
                    let (few, many) = self.texts_with(number)?;
                    *with_texts = Some(WordMarks::without_addresses(number, few, many));
                }
                let numbers_only = || WordMarks::without_addresses(number, Marks::default(), Vec::new());
                let with = match with_texts {
                    Some(marks) => self.ranks_with(template, number, marks)?,
                    None => self.ranks_with(template, number, &numbers_only())?,
                };
                all = all.and(&with);
                if all == Ranks::None {
                    break;
                }
            }
            has_others |= all != Ranks::None;
            *ranks = std::mem::take(ranks).or(all, self.head.rows_of(template));
        }
        Ok(has_others)
    }

    /// The rows of a template with a word. Columns that cannot contain it are not read.
    fn ranks_with(&self, template: usize, wanted: &WantedWord, marks: &WordMarks) -> Result<Ranks> {
        let (mut ranks, rows) = (Vec::new(), self.head.rows_of(template));
        for &number in self.head.columns_of(template) {
            let entry = &self.head.columns[number as usize];
            if kind_bit(entry.kind) & marks.kinds == 0 {
                continue;
            }
            if let Some(first) = entry.words_before {
                let (from, to) = (marks.many.partition_point(|&word| word < first), first + rows);
                let words = marks.many[from..].iter().take_while(|&&word| word < to);
                ranks.extend(words.map(|word| (word - first) as u32));
                continue;
            }
            let OpenColumn { column, bytes } = self.column_at(number)?;
            let are_all = match column {
                SlotColumn::Number { kind, lengths, low, high: None } => {
                    numbers_with(wanted, *kind, lengths, low, bytes, &mut ranks)
                }
                SlotColumn::Number { lengths, low, high: Some(high), .. } => {
                    wide_with(wanted, lengths, low, high, bytes, &mut ranks);
                    false
                }
                SlotColumn::Address(places) => places_with(places, &marks.addresses, bytes, &mut ranks),
                SlotColumn::Few(places) => places_with(places, &marks.few, bytes, &mut ranks),
                SlotColumn::Many(_) => false,
            };
            if are_all {
                return Ok(Ranks::All);
            }
        }
        Ok(Ranks::of(ranks, rows))
    }

    fn kept_with(&self, wanted: &WantedWord, scratch: &mut Vec<u8>) -> Result<Ranks> {
        let (mut look, mut ranks) = (WordFinder::new(&wanted.folded), Vec::new());
        self.for_each_block(StoredTexts::Kept, |first, texts| {
            match &mut look {
                Some(look) => look.for_each(texts, |rank| ranks.push((first + rank) as u32)),
                None => {
                    let with = texts.iter().enumerate().filter(|(_, text)| wanted.is_in(text, scratch));
                    ranks.extend(with.map(|(rank, _)| (first + rank) as u32));
                }
            }
            true
        })?;
        Ok(Ranks::of(ranks, self.head.kept.len()))
    }

    fn addresses_with(&self, wanted: &WantedWord) -> Result<Marks> {
        let places = match (wanted.own.kind, wanted.octet) {
            // The addresses are in order.
            (VariableKind::Address, _) => {
                let place = self.addresses()?.binary_search(&(wanted.own.low as u32));
                place.ok().map(|place| place as u64).into_iter().collect()
            }
            (_, Some(octet)) => self.addresses_of(|octets| octets.contains(&octet))?,
            // A word that is not a number up to 255 is in no address.
            (_, None) => Vec::new(),
        };
        Ok(Marks::new(places, self.head.addresses))
    }

    /// The positions of the addresses whose four numbers match.
    pub(super) fn addresses_of(&self, are_meant: impl Fn(&[u8; 4]) -> bool) -> Result<Vec<u64>> {
        let meant = (0..).zip(self.addresses()?).filter(|(_, address)| are_meant(&address.to_be_bytes()));
        Ok(meant.map(|(place, _)| place).collect())
    }
}

/// Adds the ranks whose value is marked, or states that all are.
pub(super) fn places_with(places: &NumberColumn, marks: &Marks, bytes: &[u8], ranks: &mut Vec<u32>) -> bool {
    let (least, greatest) = places.bounds;
    match marks.within(least, greatest) {
        [] => return false,
        marked if marked.len() as u64 == greatest.min(marks.last()) - least + 1 => return true,
        [one] => places.find(bytes, *one, |rank| ranks.push(rank as u32)),
        _ => places.for_each_run(bytes, 0..places.len(), |first, run| {
            let marked = run.iter().enumerate().filter(|(_, place)| marks.has(**place));
            ranks.extend(marked.map(|(at, _)| (first + at) as u32));
        }),
    }
    false
}

/// Adds the ranks with a number, or states that all rows have it.
fn numbers_with(
    wanted: &WantedWord,
    kind: VariableKind,
    lengths: &Lengths,
    low: &NumberColumn,
    bytes: &[u8],
    ranks: &mut Vec<u32>,
) -> bool {
    let own = &wanted.own;
    // In lower case, both hexadecimal kinds are the same.
    if own.kind != kind && (own.kind != VariableKind::Hex || kind != VariableKind::HexUpper) {
        return false;
    }
    let length = usize::from(own.bytes);
    let has_length = match lengths {
        Lengths::Natural => kind.digits(own.low) == length,
        Lengths::Fixed(fixed) => *fixed == length,
        Lengths::Each(_) => true,
    };
    let is_same = !matches!(lengths, Lengths::Each(_)) && low.bounds == (own.low, own.low);
    if !has_length || is_same {
        return has_length;
    }
    low.find(bytes, own.low, |rank| {
        if lengths.of(bytes, rank, kind, own.low) == length {
            ranks.push(rank as u32);
        }
    });
    false
}

fn wide_with(
    wanted: &WantedWord,
    lengths: &Lengths,
    low: &NumberColumn,
    high: &NumberColumn,
    bytes: &[u8],
    ranks: &mut Vec<u32>,
) {
    let mut add = |rank: usize, length: usize| {
        if lengths.of(bytes, rank, VariableKind::Wide, 0) == length {
            ranks.push(rank as u32);
        }
    };
    let own = &wanted.own;
    if own.kind == VariableKind::Wide {
        low.find(bytes, own.low, |rank| {
            if high.get(bytes, rank) == own.high {
                add(rank, usize::from(own.bytes));
            }
        });
    }
    let Some((digits, part)) = wanted.part else { return };
    if matches!(lengths, Lengths::Fixed(length) if *length != UUID_BYTES) {
        return;
    }
    for (_, shift) in UUID_PARTS.iter().filter(|(length, _)| *length as usize == digits) {
        let (half, shift) = if *shift < u64::BITS { (low, *shift) } else { (high, shift - u64::BITS) };
        let mask = (1_u64 << (4 * digits)) - 1;
        half.for_each_run(bytes, 0..half.len(), |first, run| {
            let with = run.iter().enumerate().filter(|(_, value)| **value >> shift & mask == part);
            with.for_each(|(at, _)| add(first + at, UUID_BYTES));
        });
    }
}

/// The values of a group that contain a word.
struct WordMarks {
    addresses: Marks,
    few: Marks,
    /// The positions of those of the words that are in no dictionary.
    many: Vec<usize>,
    /// The kinds of slots that may contain it, as bits.
    kinds: u8,
}

impl WordMarks {
    fn without_addresses(wanted: &WantedWord, few: Marks, many: Vec<usize>) -> WordMarks {
        let addresses = Marks::default();
        let kinds = wanted.kinds(&addresses, &few, &many);
        WordMarks { addresses, few, many, kinds }
    }
}

/// Some of the words of a dictionary, or of the addresses.
#[derive(Default)]
pub(super) struct Marks {
    marked: Vec<u64>,
    /// Whether each position is marked; empty if fewer than two are.
    is_marked: Vec<bool>,
    count: usize,
}

impl Marks {
    /// Marks positions. `marked` is in order, may contain duplicates, and is below `count`.
    pub(super) fn new(mut marked: Vec<u64>, count: usize) -> Marks {
        marked.dedup();
        let mut is_marked = Vec::new();
        if 1 < marked.len() {
            is_marked.resize(count, false);
            marked.iter().for_each(|&place| is_marked[place as usize] = true);
        }
        Marks { marked, is_marked, count }
    }

    /// Whether it is empty.
    pub(super) fn is_empty(&self) -> bool {
        self.marked.is_empty()
    }

    fn has(&self, place: u64) -> bool {
        self.is_marked.get(place as usize).copied().unwrap_or(false)
    }

    fn last(&self) -> u64 {
        (self.count as u64).saturating_sub(1)
    }

    fn within(&self, least: u64, greatest: u64) -> &[u64] {
        let from = self.marked.partition_point(|&place| place < least);
        let to = self.marked.partition_point(|&place| place <= greatest);
        &self.marked[from..to.max(from)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::TemplateGroupWriter;
    use crate::group::read::tests::{alike, opened, statements};
    use proptest::prelude::*;

    fn words(text: &[u8]) -> Vec<Vec<u8>> {
        let (mut scratch, mut words) = (Vec::new(), Vec::new());
        word::for_each_folded(text, &mut scratch, |word| words.push(word.to_vec()));
        words
    }

    /// Searches for words of the texts, and for some others.
    fn check(texts: &[Vec<u8>], others: &[String]) -> Result<(), TestCaseError> {
        let mut writer = TemplateGroupWriter::default();
        for text in texts {
            writer.push(text);
        }
        let group = opened(&writer.finish()).unwrap();
        let all: Vec<Vec<Vec<u8>>> = texts.iter().map(|text| words(text)).collect();
        let mut asked: Vec<&[u8]> = all.iter().flatten().map(Vec::as_slice).collect();
        asked.sort_unstable();
        asked.dedup();
        let step = asked.len() / 60 + 1;
        for word in asked.into_iter().step_by(step).chain(others.iter().map(String::as_bytes)) {
            let ranks = group.find(&WantedWord::new(word)).unwrap();
            let found: Vec<usize> = group.rows().unwrap().select(&ranks).iter().collect();
            prop_assert_eq!(group.rows().unwrap().count(&ranks), found.len() as u64);
            let expected: Vec<usize> =
                (0..texts.len()).filter(|&row| all[row].iter().any(|one| one == word)).collect();
            prop_assert_eq!(found, expected, "{}", String::from_utf8_lossy(word));
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

        #[test]
        fn rows_with_a_word_are_those_that_a_look_finds(
            texts in statements(), absent in "[0-9a-f]{1,12}|0x[0-9a-f]{1,4}|[a-z]{1,4}",
        ) {
            check(&texts, &[absent])?;
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

        #[test]
        fn words_that_begin_as_they_end_are_found_too(
            texts in alike(), others in proptest::collection::vec("[a1]{1,4}|[w1]{1,3}|0{1,36}", 0..4),
        ) {
            check(&texts, &others)?;
        }
    }

    /// The words in the slots contain the wanted one only if they are joined; none of them does alone.
    #[test]
    fn a_word_is_found_behind_a_place_where_two_others_meet_as_it() {
        for texts in [
            &["{\"msg\":\"W1W 1W1\"}"][..],
            &["aa a1a1", "1a1 aa"],
            &["1000000000000000000000000 0000000000000000000000000"],
            &["a aAAAA", "AA aAA"],
        ] {
            let texts: Vec<Vec<u8>> = texts.iter().map(|text| text.as_bytes().to_vec()).collect();
            check(&texts, &[]).unwrap();
        }
    }
}
