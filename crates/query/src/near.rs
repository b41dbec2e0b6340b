//! Decides whether words occur in a text in order and near each other.
//!
//! The words of the text are visited once. For each wanted word, only the beginning of the latest run that ends with
//! it is kept, so the time is at most proportional to the length of the text times the number of words.

use super::ast::Near;
use super::limits::NEAR_WORDS_MAX;
use logstead_record::word;
use std::ops::Range;

/// Words prepared for the search.
#[derive(Clone, Debug)]
pub(super) struct NearMatcher {
    words: Vec<Vec<char>>,
    distance: usize,
    goes_on: bool,
    case_sensitive: bool,
}

impl NearMatcher {
    pub(super) fn new(near: &Near) -> NearMatcher {
        let case_sensitive = near.is_case_sensitive();
        let fold = |c| if case_sensitive { c } else { word::fold_char(c) };
        let words: Vec<Vec<char>> =
            near.words().iter().map(|word| word.chars().map(fold).collect()).collect();
        assert!(words.len() <= NEAR_WORDS_MAX, "the number of words is checked when they are parsed");
        NearMatcher { words, distance: near.distance(), goes_on: near.goes_on(), case_sensitive }
    }

    pub(super) fn is_match(&self, text: &[u8]) -> bool {
        let last = self.words.len() - 1;
        // For each wanted word, the beginning of the run that ends with it, in words of the text. The latest run is
        // always the shortest.
        let mut begins = [None; NEAR_WORDS_MAX];
        for (at, range) in word::words(text).enumerate() {
            // The loop goes backwards, so that one word of the text does not count twice in a run.
            for number in (0..=last).rev() {
                let begin = if number == 0 { Some(at) } else { begins[number - 1] };
                let Some(begin) = begin.filter(|_| self.is_word(number, text, &range)) else { continue };
                begins[number] = Some(begin);
                if number == last && at - begin - last <= self.distance {
                    return true;
                }
            }
        }
        false
    }

    /// Whether the word of the text at `range` is the wanted word with this number.
    fn is_word(&self, number: usize, text: &[u8], range: &Range<usize>) -> bool {
        let goes_on = self.goes_on && number + 1 == self.words.len();
        let end = word::end_of(text, range.start, &self.words[number], self.case_sensitive);
        end.is_some_and(|end| goes_on || end == range.end)
    }
}
