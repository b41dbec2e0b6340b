//! Searches for many forms of words together: the dictionary is walked only once, however many wildcards a query has.
//!
//! All infixes are one automaton, all suffixes are one table, and the prefixes are positions in the dictionary. Their
//! size is limited by the length of a query. Conditions joined by AND have one set of forms each, and one walk can
//! look for several sets.

use crate::segment::words::WordSets;
use aho_corasick::AhoCorasick;
use logstead_template::WordForm;
use std::collections::{BTreeSet, HashSet};

/// Sets of forms; a word is in a set if it has one of its forms.
#[derive(Default)]
pub(super) struct FormSets {
    sets: Vec<FormSet>,
    /// The infixes, and the set to which each belongs.
    parts: Option<(AhoCorasick, Vec<usize>)>,
    count: usize,
}

/// A set of forms that can be decided by the beginning or the end of a word.
#[derive(Default)]
struct FormSet {
    beginnings: Vec<Vec<u8>>,
    endings: HashSet<Vec<u8>>,
    /// The lengths of the endings.
    lengths: BTreeSet<usize>,
    forms: Vec<WordForm>,
}

impl FormSets {
    /// Makes a single set of these forms.
    pub(super) fn new<'a>(forms: impl IntoIterator<Item = &'a WordForm>) -> FormSets {
        FormSets::of_sets([forms])
    }

    pub(super) fn of_sets<'a>(
        sets: impl IntoIterator<Item = impl IntoIterator<Item = &'a WordForm>>,
    ) -> FormSets {
        let mut all = FormSets::default();
        let (mut parts, mut set_of_part) = (Vec::new(), Vec::new());
        for (number, forms) in sets.into_iter().enumerate() {
            let mut held = BTreeSet::new();
            all.sets.push(FormSet::new(forms.into_iter().inspect(|_| all.count += 1), &mut held));
            set_of_part.extend(held.iter().map(|_| number));
            parts.extend(held);
        }
        if !parts.is_empty() {
            let automaton = AhoCorasick::new(parts);
            let automaton = automaton.expect("a query is too short for an automaton that is too large");
            all.parts = Some((automaton, set_of_part));
        }
        all
    }

    /// The number of entries.
    pub(super) fn len(&self) -> usize {
        self.count
    }
}

impl WordSets for FormSets {
    fn sets(&self) -> usize {
        self.sets.len()
    }

    fn walks(&self) -> Vec<(&[u8], bool)> {
        match self.sets.as_slice() {
            [set] if self.parts.is_none() && set.endings.is_empty() => {
                set.beginnings.iter().map(|beginning| (beginning.as_slice(), true)).collect()
            }
            _ => vec![(b"", false)],
        }
    }

    fn sets_of(&self, word: &[u8], sets: &mut Vec<usize>) {
        let by_ends = |&set: &usize| self.sets[set].begins(word) || self.sets[set].ends(word);
        sets.extend((0..self.sets.len()).filter(by_ends));
        let Some((parts, set_of)) = &self.parts else { return };
        for found in parts.find_overlapping_iter(word) {
            let set = set_of[found.pattern().as_usize()];
            if !sets.contains(&set) {
                sets.push(set);
            }
        }
    }

    fn forms(&self, set: usize) -> Vec<WordForm> {
        self.sets[set].forms.clone()
    }
}

impl FormSet {
    /// Builds a set of those forms that can be decided by the beginning or the end of a word. Infixes are added to
    /// `held`.
    fn new<'a>(forms: impl Iterator<Item = &'a WordForm>, held: &mut BTreeSet<&'a [u8]>) -> FormSet {
        let mut set = FormSet::default();
        for form in forms {
            set.forms.push(form.clone());
            match form {
                WordForm::Begins(text) => set.beginnings.push(text.clone()),
                WordForm::Ends(text) => {
                    set.lengths.insert(text.len());
                    set.endings.insert(text.clone());
                }
                WordForm::Holds(text) => {
                    held.insert(text);
                }
            }
        }
        set.beginnings.sort_unstable();
        // A prefix is redundant if a shorter one that is kept is a prefix of it.
        set.beginnings.dedup_by(|longer, kept| longer.starts_with(kept));
        set
    }

    fn begins(&self, word: &[u8]) -> bool {
        let after = self.beginnings.partition_point(|beginning| beginning.as_slice() <= word);
        after.checked_sub(1).is_some_and(|at| word.starts_with(&self.beginnings[at]))
    }

    fn ends(&self, word: &[u8]) -> bool {
        let fits = |&length: &usize| word.len().checked_sub(length).map(|start| &word[start..]);
        self.lengths.iter().map_while(fits).any(|end| self.endings.contains(end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    impl FormSets {
        /// Whether a word has one of the forms.
        fn accept(&self, word: &[u8]) -> bool {
            self.sets.iter().any(|set| set.begins(word) || set.ends(word))
                || self.parts.as_ref().is_some_and(|(parts, _)| parts.is_match(word))
        }
    }

    /// Whether a word has a form, implemented as simply as possible.
    fn accepts(form: &WordForm, word: &[u8]) -> bool {
        match form {
            WordForm::Begins(text) => word.starts_with(text),
            WordForm::Ends(text) => word.ends_with(text),
            WordForm::Holds(text) => memchr::memmem::find(word, text).is_some(),
        }
    }

    fn form() -> impl Strategy<Value = WordForm> {
        let text = "[ab]{1,3}".prop_map(String::into_bytes);
        (text, 0..3).prop_map(|(text, kind)| match kind {
            0 => WordForm::Begins(text),
            1 => WordForm::Ends(text),
            _ => WordForm::Holds(text),
        })
    }

    proptest! {
        #[test]
        fn forms_together_accept_what_one_of_them_accepts(
            forms in vec(form(), 1..6), words in vec("[abc]{0,6}".prop_map(String::into_bytes), 0..20)
        ) {
            let together = FormSets::new(&forms);
            prop_assert_eq!(together.len(), forms.len());
            for word in words {
                let expected = forms.iter().any(|form| accepts(form, &word));
                prop_assert_eq!(together.accept(&word), expected);
                let walked: Vec<bool> = together
                    .walks()
                    .into_iter()
                    .filter(|(beginning, _)| word.starts_with(beginning))
                    .map(|(_, all)| all || together.accept(&word))
                    .collect();
                prop_assert_eq!(walked.iter().filter(|accepted| **accepted).count(), usize::from(expected));
            }
        }

        #[test]
        fn a_word_is_in_the_sets_that_accept_it_alone(
            sets in vec(vec(form(), 1..4), 1..5), words in vec("[abc]{0,6}".prop_map(String::into_bytes), 0..20)
        ) {
            let together = FormSets::of_sets(&sets);
            for word in words {
                let mut found = Vec::new();
                together.sets_of(&word, &mut found);
                found.sort_unstable();
                let expected = (0..sets.len()).filter(|set| FormSets::new(&sets[*set]).accept(&word));
                prop_assert_eq!(found, expected.collect::<Vec<_>>());
            }
        }
    }
}
