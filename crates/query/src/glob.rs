//! Matches a pattern with wildcards against a text.
//!
//! All partial matches are followed at once, one bit each, so the time is at most proportional to the length of the text
//! times that of the pattern.

use super::ast::{Pattern, PatternPart};
use super::limits::GLOB_CHARS_MAX;
use logstead_record::word;

/// A prepared pattern.
#[derive(Clone, Debug)]
pub(super) struct Glob {
    steps: Vec<GlobStep>,
    begin: Edge,
    end: Edge,
    case_sensitive: bool,
}

/// The condition at an end of a match.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Edge {
    /// A word boundary.
    Word,
    /// The end of the text.
    Text,
    /// Anything.
    Free,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum GlobStep {
    Char(char),
    One,
    Run,
}

/// The numbers of pattern steps completed by the partial matches, one bit per number.
type GlobStates<const WORDS: usize> = [u64; WORDS];

/// The number of words for the longest pattern.
const WORDS_MAX: usize = GLOB_CHARS_MAX / 64 + 1;

impl Glob {
    /// Finds the pattern anywhere in a text, its ends at word boundaries unless they are `*`.
    pub(super) fn within(pattern: &Pattern) -> Glob {
        let mut steps = steps(pattern);
        let edge =
            |step: Option<&GlobStep>| if step == Some(&GlobStep::Run) { Edge::Free } else { Edge::Word };
        let (begin, end) = (edge(steps.first()), edge(steps.last()));
        if begin == Edge::Free {
            steps.remove(0);
        }
        if end == Edge::Free {
            steps.pop();
        }
        Glob { steps, begin, end, case_sensitive: pattern.is_case_sensitive() }
    }

    /// Matches the whole of a text.
    pub(super) fn whole(pattern: &Pattern) -> Glob {
        Glob {
            steps: steps(pattern),
            begin: Edge::Text,
            end: Edge::Text,
            case_sensitive: pattern.is_case_sensitive(),
        }
    }

    pub(super) fn is_match(&self, text: &[u8]) -> bool {
        if self.steps.len() < 64 { self.fits::<1>(text) } else { self.fits::<WORDS_MAX>(text) }
    }

    fn fits<const WORDS: usize>(&self, text: &[u8]) -> bool {
        let mut states: GlobStates<WORDS> = [0; WORDS];
        let mut at = 0;
        loop {
            if self.may_begin(text, at) {
                self.enter(&mut states, 0);
            }
            if is_set(&states, self.steps.len()) && self.may_end(text, at) {
                return true;
            }
            if at == text.len() || (self.begin == Edge::Text && states == [0; WORDS]) {
                return false;
            }
            let (c, bytes) = word::char_from(text, at);
            states = self.after(&states, if self.case_sensitive { c } else { c.map(word::fold_char) });
            at += bytes;
        }
    }

    /// The states after one more character, which is folded; `None` is a byte that is not UTF-8.
    fn after<const WORDS: usize>(&self, states: &GlobStates<WORDS>, c: Option<char>) -> GlobStates<WORDS> {
        let is_space = c.is_some_and(char::is_whitespace);
        let mut next = [0; WORDS];
        for (index, &bits) in states.iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                let state = index * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                match self.steps.get(state) {
                    Some(GlobStep::Char(wanted)) if Some(*wanted) == c => self.enter(&mut next, state + 1),
                    Some(GlobStep::One) if !is_space => self.enter(&mut next, state + 1),
                    Some(GlobStep::Run) if !is_space => self.enter(&mut next, state),
                    _ => {}
                }
            }
        }
        next
    }

    /// Sets a state, and the one after it if a run comes next, because a run may be empty.
    fn enter(&self, states: &mut [u64], state: usize) {
        states[state / 64] |= 1 << (state % 64);
        if self.steps.get(state) == Some(&GlobStep::Run) {
            self.enter(states, state + 1);
        }
    }

    fn may_begin(&self, text: &[u8], at: usize) -> bool {
        match self.begin {
            Edge::Word => word::may_begin(text, at),
            Edge::Text => at == 0,
            Edge::Free => true,
        }
    }

    fn may_end(&self, text: &[u8], at: usize) -> bool {
        match self.end {
            Edge::Word => word::may_end(text, at),
            Edge::Text => at == text.len(),
            Edge::Free => true,
        }
    }
}

fn is_set(states: &[u64], state: usize) -> bool {
    states[state / 64] >> (state % 64) & 1 == 1
}

fn steps(pattern: &Pattern) -> Vec<GlobStep> {
    let mut steps = Vec::new();
    for part in pattern.parts() {
        match part {
            PatternPart::Run => steps.push(GlobStep::Run),
            PatternPart::One => steps.push(GlobStep::One),
            PatternPart::Text(text) if pattern.is_case_sensitive() => {
                steps.extend(text.chars().map(GlobStep::Char))
            }
            PatternPart::Text(text) => steps.extend(text.chars().map(word::fold_char).map(GlobStep::Char)),
        }
    }
    assert!(steps.len() <= GLOB_CHARS_MAX, "a pattern with wildcards is checked when it is parsed");
    steps
}
