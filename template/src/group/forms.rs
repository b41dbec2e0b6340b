//! Words in slots by their forms.

use super::column::Column;
use super::read::TextGroup;
use super::rows::Ranks;
use crate::bytes::Fault;
use logstead_record::word;

/// How a word begins, ends, or what it holds, in lower case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WordForm {
    /// It begins with this.
    Begins(Vec<u8>),
    /// It ends with this.
    Ends(Vec<u8>),
    /// It holds this.
    Holds(Vec<u8>),
}

/// A word is in the set if it has one of the forms.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WordSet {
    /// The forms.
    pub forms: Vec<WordForm>,
}

impl WordForm {
    fn is_of(&self, word: &[u8]) -> bool {
        match self {
            WordForm::Begins(text) => word.starts_with(text),
            WordForm::Ends(text) => word.ends_with(text),
            WordForm::Holds(text) => memchr::memmem::find(word, text).is_some(),
        }
    }
}

impl TextGroup {
    /// For each set the rows that have a word of it in a slot, for each place. None where `go_on` says to stop.
    pub fn find_words(
        &self,
        sets: &[WordSet],
        go_on: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Option<Vec<Vec<Ranks>>>, Fault> {
        let mut found = vec![vec![Ranks::None; self.templates.len() + 1]; sets.len()];
        let (mut scratch, mut text) = (Vec::new(), Vec::new());
        let mut words = self.words.reader(&self.bytes);
        for (at, template) in self.templates.iter().enumerate() {
            if !go_on(template.rows * template.columns.len()) {
                return Ok(None);
            }
            let mut ranks = vec![Vec::new(); sets.len()];
            for column in &template.columns {
                for rank in 0..template.rows {
                    text.clear();
                    match column {
                        Column::Many(first) => text.extend_from_slice(words.get(first + rank)?),
                        column => self.write_value(column, rank, &mut text)?,
                    }
                    word::for_each_folded(&text, &mut scratch, |word| {
                        for (set, ranks) in sets.iter().zip(&mut ranks) {
                            if set.forms.iter().any(|form| form.is_of(word)) {
                                ranks.push(rank as u32);
                            }
                        }
                    });
                }
            }
            for (found, ranks) in found.iter_mut().zip(ranks) {
                found[at + 1] = Ranks::some(ranks);
            }
        }
        Ok(Some(found))
    }
}
