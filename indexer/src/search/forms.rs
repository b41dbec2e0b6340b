//! Many forms of words, looked for together: however many wildcards a query has, the dictionary is walked once for them.
//!
//! What words may hold is one automaton, what they may end with is one table, and the beginnings are places in the
//! dictionary. They are no larger than a query may be long.

use super::required::Form;
use aho_corasick::AhoCorasick;
use std::collections::{BTreeSet, HashSet};

/// Forms of which a word has to have one.
#[derive(Default)]
pub(super) struct Forms {
    beginnings: Vec<Vec<u8>>,
    endings: HashSet<Vec<u8>>,
    /// How long endings are.
    lengths: BTreeSet<usize>,
    parts: Option<AhoCorasick>,
    count: usize,
}

impl Forms {
    pub(super) fn new<'a>(forms: impl IntoIterator<Item = &'a Form>) -> Forms {
        let mut all = Forms::default();
        let mut parts: BTreeSet<&[u8]> = BTreeSet::new();
        for form in forms {
            all.count += 1;
            match form {
                Form::Begins(text) => all.beginnings.push(text.clone()),
                Form::Ends(text) => {
                    all.lengths.insert(text.len());
                    all.endings.insert(text.clone());
                }
                Form::Holds(text) => {
                    parts.insert(text);
                }
            }
        }
        all.beginnings.sort_unstable();
        // What begins with one that is kept is found there.
        all.beginnings.dedup_by(|longer, kept| longer.starts_with(kept));
        if !parts.is_empty() {
            let automaton = AhoCorasick::new(parts);
            all.parts = Some(automaton.expect("a query is too short for an automaton that is too large"));
        }
        all
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// The places in the dictionary where to walk: what the words there begin with, and whether all of them are meant.
    pub(super) fn walks(&self) -> Vec<(&[u8], bool)> {
        if self.parts.is_some() || !self.endings.is_empty() {
            return vec![(b"", false)];
        }
        self.beginnings.iter().map(|beginning| (beginning.as_slice(), true)).collect()
    }

    /// Whether a word has one of the forms.
    pub(super) fn accept(&self, word: &[u8]) -> bool {
        self.begins(word) || self.ends(word) || self.parts.as_ref().is_some_and(|parts| parts.is_match(word))
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

    fn form() -> impl Strategy<Value = Form> {
        let text = "[ab]{1,3}".prop_map(String::into_bytes);
        (text, 0..3).prop_map(|(text, kind)| match kind {
            0 => Form::Begins(text),
            1 => Form::Ends(text),
            _ => Form::Holds(text),
        })
    }

    proptest! {
        #[test]
        fn forms_together_accept_what_one_of_them_accepts(
            forms in vec(form(), 1..6), words in vec("[abc]{0,6}".prop_map(String::into_bytes), 0..20)
        ) {
            let together = Forms::new(&forms);
            prop_assert_eq!(together.len(), forms.len());
            for word in words {
                let expected = forms.iter().any(|form| form.accepts(&word));
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
    }
}
