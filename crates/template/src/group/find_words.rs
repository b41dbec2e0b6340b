//! Finds the rows that have a word of a given form in a slot, for several sets of forms at once.
//!
//! Forms that a kind of number cannot have are skipped. Others are checked on the values, and a few of these as
//! texts. All texts are searched together for the infixes.
//!
//! **Invariant:** the answer is the same as checking each word of each slot.

use super::column::{OpenColumn, SlotColumn};
use super::find::{Marks, places_with};
use super::forms::{Decimals, WordSet};
use super::head::{ColumnEntry, StoredTexts};
use super::read::TemplateGroup;
use super::rows::Ranks;
use super::word_finder::lowered;
use crate::bytes::Result;
use crate::scan::{VariableKind, write};
use logstead_record::{TextColumn, word};
use std::array;

/// The tests of one set on the slots of a group.
struct SetTests<'s> {
    set: &'s WordSet,
    decimals: Vec<Decimals>,
    few: Marks,
    addresses: Marks,
    /// The numbers of matching words that are in no dictionary.
    many: Vec<usize>,
}

impl TemplateGroup {
    /// The rows that have a word of each set in a slot, for each place; none for texts that are kept unchanged.
    /// `None` if `go_on`, which is called with the approximate number of the next values, says to end.
    pub fn find_words(
        &self,
        sets: &[WordSet],
        go_on: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Option<Vec<Vec<Ranks>>>> {
        let mut scratch = WordScratch::default();
        let mut asks = Vec::with_capacity(sets.len());
        for set in sets {
            if !go_on(self.head.dictionary.len()) {
                return Ok(None);
            }
            asks.push(self.ask(set, &mut scratch)?);
        }
        let goes_on = self.for_each_block(StoredTexts::Words, |first, texts| {
            let goes_on = go_on(texts.len());
            if goes_on {
                for ask in &mut asks {
                    scratch.for_each(ask.set, texts, |word| ask.many.push(first + word));
                }
            }
            goes_on
        })?;
        if !goes_on {
            return Ok(None);
        }
        let mut found = Vec::with_capacity(sets.len());
        for ask in &asks {
            let Some(ranks) = self.answer(ask, go_on)? else { return Ok(None) };
            found.push(ranks);
        }
        Ok(Some(found))
    }

    fn ask<'s>(&self, set: &'s WordSet, scratch: &mut WordScratch) -> Result<SetTests<'s>> {
        let mut few = Vec::new();
        scratch.for_each(set, self.dictionary()?, |word| few.push(word as u64));
        let few = Marks::new(few, self.head.dictionary.len());
        let mut addresses = Vec::new();
        if set.can_be(VariableKind::Address) {
            let octets: [bool; 256] = array::from_fn(|octet| set.accepts(octet.to_string().as_bytes()));
            if octets.contains(&true) {
                addresses =
                    self.addresses_of(|address| address.iter().any(|&octet| octets[usize::from(octet)]))?;
            }
        }
        let addresses = Marks::new(addresses, self.head.addresses);
        Ok(SetTests { set, decimals: set.decimals(), few, addresses, many: Vec::new() })
    }

    fn answer(&self, ask: &SetTests<'_>, go_on: &mut dyn FnMut(usize) -> bool) -> Result<Option<Vec<Ranks>>> {
        let mut found = Vec::with_capacity(self.head.templates() + 1);
        found.push(Ranks::None);
        for template in 0..self.head.templates() {
            let (mut ranks, rows) = (Vec::new(), self.head.rows_of(template));
            let mut are_all = false;
            for &number in self.head.columns_of(template) {
                let entry = &self.head.columns[number as usize];
                if are_all || !ask.is_about(entry) {
                    continue;
                }
                if let Some(first) = entry.words_before {
                    ask.add_many(first, rows, &mut ranks);
                    continue;
                }
                if !go_on(rows) {
                    return Ok(None);
                }
                are_all = ask.add_ranks(self.column_at(number)?, rows, &mut ranks);
            }
            found.push(if are_all { Ranks::All } else { Ranks::of(ranks, rows) });
        }
        Ok(Some(found))
    }
}

impl SetTests<'_> {
    /// Whether a column may contain such a word. The others are not read.
    fn is_about(&self, entry: &ColumnEntry) -> bool {
        match entry.kind {
            VariableKind::Decimal => !self.decimals.is_empty(),
            VariableKind::Address => !self.addresses.is_empty(),
            VariableKind::Text if entry.words_before.is_some() => !self.many.is_empty(),
            VariableKind::Text => !self.few.is_empty(),
            kind => self.set.can_be(kind),
        }
    }

    /// Adds the ranks of a column that match, or states that all rows do.
    fn add_ranks(&self, open: OpenColumn<'_>, rows: usize, ranks: &mut Vec<u32>) -> bool {
        let OpenColumn { column, bytes } = open;
        match column {
            SlotColumn::Number { kind: VariableKind::Decimal, lengths, low, .. } => {
                return self.decimals.iter().any(|decimals| decimals.add(bytes, low, lengths, ranks));
            }
            SlotColumn::Number { kind, lengths, low, high } => {
                let kind = if *kind == VariableKind::HexUpper { VariableKind::Hex } else { *kind };
                let mut text = Vec::new();
                low.for_each_run(bytes, 0..rows, |first, run| {
                    for (at, &low) in run.iter().enumerate() {
                        let rank = first + at;
                        let high = high.as_ref().map_or(0, |high| high.get(bytes, rank));
                        text.clear();
                        write(kind, low, high, lengths.of(bytes, rank, kind, low), &mut text);
                        // A UUID consists of several words.
                        if text.split(|&byte| byte == b'-').any(|word| self.set.accepts(word)) {
                            ranks.push(rank as u32);
                        }
                    }
                });
            }
            SlotColumn::Address(places) => return places_with(places, &self.addresses, bytes, ranks),
            SlotColumn::Few(places) => return places_with(places, &self.few, bytes, ranks),
            SlotColumn::Many(first) => self.add_many(*first, rows, ranks),
        }
        false
    }

    fn add_many(&self, first: usize, rows: usize, ranks: &mut Vec<u32>) {
        let from = self.many.partition_point(|&word| word < first);
        let words = self.many[from..].iter().take_while(|&&word| word < first + rows);
        ranks.extend(words.map(|word| (word - first) as u32));
    }
}

#[derive(Default)]
struct WordScratch {
    lower: Vec<u8>,
    folded: Vec<u8>,
}

impl WordScratch {
    /// Calls `each` with the number of every text that has a word of a set, in order.
    fn for_each(&mut self, set: &WordSet, texts: &TextColumn, mut each: impl FnMut(usize)) {
        let WordScratch { lower, folded } = self;
        let mut has_word = |row: usize| {
            let mut has_word = false;
            word::for_each_folded(texts.get(row), folded, |word| has_word |= set.accepts(word));
            has_word
        };
        // Beyond ASCII, the length of a letter may differ in lower case.
        if !texts.bytes().is_ascii() || set.finders().any(|finder| finder.needle().is_empty()) {
            return (0..texts.len()).filter(|&row| has_word(row)).for_each(each);
        }
        let lower = lowered(texts.bytes(), lower);
        let mut rows = Vec::new();
        for finder in set.finders() {
            let (mut row, mut from) = (0, 0);
            while let Some(at) = finder.find(&lower[from..]) {
                row += texts.ends()[row..].partition_point(|&end| end as usize <= from + at);
                rows.push(row);
                from = texts.ends()[row] as usize;
            }
        }
        rows.sort_unstable();
        rows.dedup();
        rows.into_iter().filter(|&row| has_word(row)).for_each(&mut each);
    }
}

#[cfg(test)]
mod tests {
    use crate::group::read::tests::{alike, opened, statements};
    use crate::group::{TemplateGroupWriter, WordForm, WordSet};
    use logstead_record::word;
    use proptest::prelude::*;

    fn has_word(text: &[u8], set: &WordSet) -> bool {
        let mut has_word = false;
        word::for_each_folded(text, &mut Vec::new(), |word| has_word |= set.accepts(word));
        has_word
    }

    /// A form made of a part of a word in some text, or one that may occur nowhere.
    fn form(texts: &[Vec<u8>], which: &[prop::sample::Index; 4], absent: &str) -> WordForm {
        let mut words = Vec::new();
        if !texts.is_empty() {
            let text = &texts[which[0].index(texts.len())];
            word::for_each_folded(text, &mut Vec::new(), |word| words.push(word.to_vec()));
        }
        words.push(absent.as_bytes().to_vec());
        let word = &words[which[1].index(words.len())];
        let at = which[2].index(word.len() + 1);
        match which[3].index(4) {
            0 => WordForm::Begins(word[..at].to_vec()),
            1 => WordForm::Ends(word[at..].to_vec()),
            2 => WordForm::Holds(word[at / 2..at].to_vec()),
            _ => WordForm::Holds(word[at..].to_vec()),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

        #[test]
        fn rows_with_a_word_of_a_form_are_those_that_a_look_finds(
            texts in prop_oneof![statements(), alike()],
            asked in proptest::collection::vec(proptest::collection::vec(
                (any::<[prop::sample::Index; 4]>(), "[0-9]{1,6}|0x[0-9a-f]{1,4}|[a-f]{1,2}"), 0..3), 0..12),
        ) {
            let mut writer = TemplateGroupWriter::default();
            for text in &texts {
                writer.push(text);
            }
            let group = opened(&writer.finish()).unwrap();
            let set = |forms: &Vec<([prop::sample::Index; 4], String)>| {
                WordSet::new(forms.iter().map(|(which, absent)| form(&texts, which, absent)).collect())
            };
            let sets: Vec<WordSet> = asked.iter().map(set).collect();
            let found = group.find_words(&sets, &mut |_| true).unwrap().unwrap();
            for (set, ranks) in sets.iter().zip(&found) {
                let rows = group.rows().unwrap().select(ranks);
                for (row, text) in texts.iter().enumerate() {
                    let place = usize::from(group.rows().unwrap().places[row]);
                    let expected = has_word(text, set);
                    let is_static = place.checked_sub(1).is_none_or(|template| has_word(group.keys().get(template), set));
                    prop_assert!(expected || !rows.contains(row), "{:?} is not in {:?}", set, text);
                    prop_assert!(!expected || is_static || rows.contains(row), "{:?} is in {:?}", set, text);
                }
            }
            let mut left = 1;
            let mut go_on = |_| { left -= 1; 0 <= left };
            let ended = group.find_words(&sets, &mut go_on).unwrap();
            prop_assert!(0 <= left || ended.is_none());
        }
    }
}
