//! Decides whether words stand in a text in order and near each other.
//!
//! The words of the text are passed once. For each word that is looked for, it is enough to know where the latest run
//! up to it began, so the time is bounded by the text times the words, whatever they are.

use super::ast::Near;
use super::limits::NEAR_WORDS_MAX;
use logstead_record::word;
use std::ops::Range;

/// Words made ready to be found.
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
        // Where the run up to each word began, in words of the text: the latest run is the shortest from here on.
        let mut begins = [None; NEAR_WORDS_MAX];
        for (at, range) in word::words(text).enumerate() {
            // Backwards, so that one word of the text is not two of a run.
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

    /// Whether the word of the text at `range` is this one of ours.
    fn is_word(&self, number: usize, text: &[u8], range: &Range<usize>) -> bool {
        let goes_on = self.goes_on && number + 1 == self.words.len();
        let end = word::end_of(text, range.start, &self.words[number], self.case_sensitive);
        end.is_some_and(|end| goes_on || end == range.end)
    }
}
