//! Finds the template of a key. Keys that differ only in words share one template once there turn out to be many such
//! words.
//!
//! A table never forgets: a template never changes, and a key that has become one remains one. So a known key costs
//! one look-up, and a new one costs two, whatever there is to compare it with. When templates become scarce, a key
//! has to occur again before it becomes one.
//!
//! **Invariant:** the variables of a template and its text are those of the message: nothing is lost by a choice made
//! here. **Invariant:** the memory of a table is bounded by [`limits`](crate::limits), and its hashes cannot be guessed
//! by knowing the limits.

use crate::limits::{
    ALIASES_MAX, KEY_BYTES_MAX, MISSED_FREE, PLACES_MAX, ROWS_PER_TEMPLATE, TEMPLATES_FREE, TEMPLATES_MAX,
    is_prose,
};
use crate::scan::{Scanner, Variable, VariableKind};
use crate::skeleton::{Skeleton, SplitKey, is_letter};
use hashbrown::hash_map::Entry;
use hashbrown::{DefaultHashBuilder, HashMap, HashTable};
use std::hash::BuildHasher;
use std::ops::Range;

/// Templates, by their keys.
#[derive(Default)]
pub(crate) struct TemplateTable {
    hasher: DefaultHashBuilder,
    known: HashTable<KnownKey>,
    /// The keys of templates and their aliases, one after the other.
    keys: Vec<u8>,
    list: Vec<Template>,
    skeletons: HashMap<u64, Skeleton>,
    places: usize,
    aliases: usize,
    /// The number of look-ups for keys that were not found.
    looked: u64,
    missed: u64,
    /// The keys that have occurred once.
    once: SeenKeys,
    split: SplitKey,
    masked: Vec<u8>,
}

/// A template: text with a slot for each variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Template {
    key: Range<u32>,
    pub(crate) slots: Vec<VariableKind>,
}

#[derive(Clone)]
struct KnownKey {
    hash: u64,
    key: Range<u32>,
    template: u32,
    /// Whether this is not the template's own key, but one of those that the template stands for.
    is_alias: bool,
}

impl KnownKey {
    fn found(&self) -> KeyMatch {
        if self.is_alias { KeyMatch::Alias(self.template) } else { KeyMatch::Template(self.template) }
    }
}

/// The result of looking up a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum KeyMatch {
    /// The key of this template.
    Template(u32),
    /// A key for which this template stands: some of its words are variables in the template.
    Alias(u32),
    /// There is no template: the message is kept unchanged.
    Nothing,
    /// There is no template, but other keys with the same skeleton may get one.
    NotYet,
}

impl TemplateTable {
    /// The template of the message that a scanner has just split.
    pub(crate) fn find(&mut self, key: &[u8]) -> KeyMatch {
        self.looked += 1;
        let hash = self.hasher.hash_one(key);
        if let Some(known) = self.known(hash, key) {
            return known.found();
        }
        self.missed += 1;
        self.learn(key, hash)
    }

    /// Like `find`, but without learning.
    pub(crate) fn find_known(&self, key: &[u8]) -> KeyMatch {
        self.known(self.hasher.hash_one(key), key).map_or(KeyMatch::Nothing, KnownKey::found)
    }

    /// The number of entries.
    #[cfg(test)]
    fn len(&self) -> usize {
        self.list.len()
    }

    /// The key of a template.
    pub(crate) fn key(&self, template: u32) -> &[u8] {
        let Range { start, end } = self.list[template as usize].key;
        &self.keys[start as usize..end as usize]
    }

    /// The kinds of its variables.
    pub(crate) fn slots(&self, template: u32) -> &[VariableKind] {
        &self.list[template as usize].slots
    }

    /// The memory that it takes.
    pub(crate) fn memory_bytes(&self) -> usize {
        let slots: usize = self.list.iter().map(|template| template.slots.len()).sum();
        self.known.allocation_size()
            + self.keys.capacity()
            + size_of_val(self.list.as_slice())
            + slots
            + self.skeletons.allocation_size()
            + self.places * PLACE_BYTES
            + self.once.memory_bytes()
    }

    fn known(&self, hash: u64, key: &[u8]) -> Option<&KnownKey> {
        let keys = &self.keys;
        self.known.find(hash, |known| {
            known.hash == hash && keys[known.key.start as usize..known.key.end as usize] == *key
        })
    }

    /// Learns from a key. Its skeleton knows in which places keys differ. These become slots, and the key with these
    /// slots is looked up again.
    #[cold]
    fn learn(&mut self, key: &[u8], hash: u64) -> KeyMatch {
        let (mut split, mut masked) = (std::mem::take(&mut self.split), std::mem::take(&mut self.masked));
        split.fill(key);
        let found = self.learn_skeleton(key, hash, &split, &mut masked);
        (self.split, self.masked) = (split, masked);
        found
    }

    fn learn_skeleton(&mut self, key: &[u8], hash: u64, split: &SplitKey, masked: &mut Vec<u8>) -> KeyMatch {
        let hasher = &self.hasher;
        let of = hasher.hash_one(split.skeleton.as_slice());
        let known = match self.skeletons.entry(of) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(_) if PLACES_MAX < self.places + split.skeleton.len() => return KeyMatch::Nothing,
            Entry::Vacant(room) => room.insert(Skeleton::default()),
        };
        known.keys += 1;
        // Most keys differ from a template only in words of its slots. In this case there is nothing to learn from
        // the others.
        masked.clear();
        if known.mask(key, split, masked) {
            let masked_hash = hasher.hash_one(masked.as_slice());
            if let Some(template) = self.known(masked_hash, masked).map(|known| known.template) {
                return self.alias(key, hash, template);
            }
        }
        let Some(known) = self.skeletons.get_mut(&of) else { return KeyMatch::Nothing };
        let places = known.places();
        let learned = known.learn(key, split, |word| self.hasher.hash_one(word));
        // The skeleton itself counts as a place.
        self.places += known.places() - places + usize::from(places == 0);
        if is_prose(learned.wild, learned.places) {
            return KeyMatch::Nothing;
        }
        let (is_repeated, is_early) = (1 < known.keys, self.missed <= MISSED_FREE);
        if learned.wild == 0 {
            if !is_repeated && !is_early {
                return KeyMatch::Nothing;
            }
            return self.add(key, hash, of);
        }
        masked.clear();
        known.mask(key, split, masked);
        let masked_hash = self.hasher.hash_one(masked.as_slice());
        if let Some(template) = self.known(masked_hash, masked).map(|known| known.template) {
            return self.alias(key, hash, template);
        }
        match self.add(masked, masked_hash, of) {
            KeyMatch::Template(template) => self.alias(key, hash, template),
            other => other,
        }
    }

    /// Notes a key that a template stands for, so that it is known when it occurs again.
    fn alias(&mut self, key: &[u8], hash: u64, template: u32) -> KeyMatch {
        let is_worth_it = self.aliases < ALIASES_MAX && self.once.again(hash);
        if is_worth_it && self.insert(key, hash, template, true).is_some() {
            self.aliases += 1;
        }
        KeyMatch::Alias(template)
    }

    /// Adds a new template, if there is room for one.
    fn add(&mut self, key: &[u8], hash: u64, skeleton: u64) -> KeyMatch {
        if TEMPLATES_MAX <= self.list.len() {
            return KeyMatch::Nothing;
        }
        if let Some(skeleton) = self.skeletons.get_mut(&skeleton) {
            skeleton.wanted += 1;
        }
        let most = TEMPLATES_FREE + (self.looked / ROWS_PER_TEMPLATE as u64) as usize;
        let is_scarce = most / 2 <= self.list.len();
        if most <= self.list.len() || is_scarce && !self.once.again(hash) {
            return KeyMatch::NotYet;
        }
        let template = self.list.len() as u32;
        let Some(range) = self.insert(key, hash, template, false) else { return KeyMatch::Nothing };
        let slots = key.iter().filter_map(|&byte| VariableKind::of_marker(byte)).collect();
        self.list.push(Template { key: range, slots });
        KeyMatch::Template(template)
    }

    fn insert(&mut self, key: &[u8], hash: u64, template: u32, is_alias: bool) -> Option<Range<u32>> {
        if KEY_BYTES_MAX < self.keys.len() + key.len() {
            return None;
        }
        let start = self.keys.len() as u32;
        self.keys.extend_from_slice(key);
        let range = start..self.keys.len() as u32;
        let known = KnownKey { hash, key: range.clone(), template, is_alias };
        self.known.insert_unique(hash, known, |known| known.hash);
        Some(range)
    }
}

/// The approximate memory in bytes of a place of a skeleton.
const PLACE_BYTES: usize = 48;

/// The variables of a message for a template that stands for its key: those that the scanner found, and the words in
/// the template's other slots.
pub(crate) fn align(template: &[u8], scanner: &Scanner, out: &mut Vec<Variable>) {
    out.clear();
    let (key, mut variables) = (scanner.key(), scanner.variables.iter());
    // The positions in the key and in the message.
    let (mut at, mut start) = (0, 0);
    for &byte in template {
        if VariableKind::of_marker(byte).is_none() {
            at += 1;
            start += 1;
        } else if VariableKind::of_marker(key[at]).is_some() {
            let Some(variable) = variables.next() else { return };
            start = variable.range().end;
            out.push(*variable);
            at += 1;
        } else {
            let bytes = key[at..].iter().take_while(|&&byte| is_letter(byte)).count();
            out.push(Variable::text(start..start + bytes));
            at += bytes;
            start += bytes;
        }
    }
}

/// The number of hashes that are remembered: a newer one replaces an older one.
const SEEN_KEYS_MAX: usize = 1 << 14;

/// Remembers keys that have occurred once, by their hashes. Keys that never occur again should not replace one that
/// does.
#[derive(Default)]
struct SeenKeys {
    /// A part of each hash, at an index that the rest of it determines. Empty before the first key.
    hashes: Vec<u32>,
}

impl SeenKeys {
    /// Whether a key has occurred before. This call counts as an occurrence.
    fn again(&mut self, hash: u64) -> bool {
        self.hashes.resize(SEEN_KEYS_MAX, 0);
        // 0 marks an empty entry.
        let (place, hash) = ((hash >> 32) as usize % SEEN_KEYS_MAX, hash as u32 | 1);
        std::mem::replace(&mut self.hashes[place], hash) == hash
    }

    /// The memory that it takes.
    fn memory_bytes(&self) -> usize {
        size_of_val(self.hashes.as_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::tests::texts;
    use proptest::prelude::*;

    fn found(
        templates: &mut TemplateTable,
        scanner: &mut Scanner,
        text: &[u8],
    ) -> Option<(u32, Vec<Variable>)> {
        assert!(scanner.scan(text));
        match templates.find(scanner.key()) {
            KeyMatch::Nothing | KeyMatch::NotYet => None,
            KeyMatch::Template(template) => Some((template, scanner.variables.to_vec())),
            KeyMatch::Alias(template) => {
                let mut variables = Vec::new();
                align(templates.key(template), scanner, &mut variables);
                Some((template, variables))
            }
        }
    }

    /// Reconstructs the message.
    fn back(key: &[u8], variables: &[Variable], text: &[u8]) -> Vec<u8> {
        let mut variables = variables.iter();
        let mut out = Vec::new();
        for &byte in key {
            match VariableKind::of_marker(byte) {
                None => out.push(byte),
                Some(kind) => {
                    let variable = variables.next().unwrap();
                    assert_eq!(variable.kind, kind);
                    out.extend_from_slice(&text[variable.range()]);
                }
            }
        }
        assert!(variables.next().is_none());
        out
    }

    #[test]
    fn users_become_a_slot() {
        let (mut templates, mut scanner) = (TemplateTable::default(), Scanner::default());
        for user in 0..1000_u32 {
            let name: String = format!("{user:03}").bytes().map(|digit| char::from(digit + 49)).collect();
            let text = format!("session of {name} opened after {user} ms");
            let (template, variables) = found(&mut templates, &mut scanner, text.as_bytes()).unwrap();
            assert_eq!(back(templates.key(template), &variables, text.as_bytes()), text.as_bytes());
        }
        assert!(templates.len() < 12, "{}", templates.len());
    }

    #[test]
    fn keys_that_never_come_again_leave_room_for_those_that_do() {
        let (mut templates, mut scanner) = (TemplateTable::default(), Scanner::default());
        for row in 0..20_000_u64 {
            let mixed = (row ^ row << 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let random = (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mut text = [row, row / 20].map(|at| b"!#$%&()*+,;<=>?@[]^|"[at as usize % 20]).to_vec();
            for at in 0..8 {
                text.extend_from_slice(&[b' ', b'a' + (random >> (8 * at)) as u8 % 6]);
            }
            assert!(scanner.scan(&text));
            templates.find(scanner.key());
        }
        let opened = |text: &str| found(&mut templates, &mut scanner, text.as_bytes()).is_some();
        assert!(["valve 1 opened", "valve 2 opened", "valve 3 opened"].map(opened)[2]);
    }

    #[test]
    fn prose_and_what_never_repeats_has_no_templates_without_end() {
        let (mut templates, mut scanner) = (TemplateTable::default(), Scanner::default());
        let word = |seed: u64| -> String {
            let letters = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes();
            letters.iter().take(3 + (seed % 5) as usize).map(|byte| char::from(b'a' + byte % 26)).collect()
        };
        for row in 0..200_000_u64 {
            let words: Vec<String> = (0..row % 30 + 2).map(|at| word(row * 31 + at)).collect();
            scanner.scan(words.join(" ").as_bytes());
            templates.find(scanner.key());
        }
        assert!(templates.len() <= TEMPLATES_FREE + 200_000 / ROWS_PER_TEMPLATE, "{}", templates.len());
        assert!(templates.memory_bytes() < 40 << 20, "{}", templates.memory_bytes());
    }

    proptest! {
        #[test]
        fn a_message_comes_back_from_its_template(all in proptest::collection::vec(texts(), 1..60)) {
            let (mut templates, mut scanner) = (TemplateTable::default(), Scanner::default());
            for text in all.iter().chain(&all) {
                if scanner.scan(text)
                    && let Some((template, variables)) = found(&mut templates, &mut scanner, text)
                {
                    prop_assert_eq!(&back(templates.key(template), &variables, text), text);
                    let slots: Vec<VariableKind> = variables.iter().map(|variable| variable.kind).collect();
                    prop_assert_eq!(templates.slots(template), slots);
                }
            }
        }

        /// The words in the places of a skeleton are taken from a small set, so that slots are learned.
        #[test]
        fn slots_are_learned_and_bytes_return(
            all in proptest::collection::vec("(a|b|c|d|e|f|g|h|i|j|é|–|ü)( |=|, )(on|off|10|x1|1\\.2\\.3\\.4)( |-)(y|z|é²|q)", 1..200),
        ) {
            let (mut templates, mut scanner) = (TemplateTable::default(), Scanner::default());
            for text in &all {
                let text = text.as_bytes();
                if let Some((template, variables)) = found(&mut templates, &mut scanner, text) {
                    prop_assert_eq!(back(templates.key(template), &variables, text), text);
                }
            }
        }
    }
}
