//! An expression as a table of states, by which a message is matched byte by byte.
//!
//! A text with a match leads to [`Automaton::MATCH`] or to a state that [accepts](Automaton::accepts) its end. If
//! Unicode's classes would make the table large, or if a word boundary depends on them, bytes beyond ASCII lead to
//! [`Automaton::QUIT`]: then the expression itself has to decide.
//!
//! **Invariant:** a text that does not end there has a match for the table if and only if it has one for the
//! expression.

use hashbrown::HashMap;
use logstead_query::Regex;
use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson;
use regex_automata::util::syntax;
use regex_automata::{Input, MatchKind};
use std::fmt;
use std::sync::OnceLock;

/// The limits on the time for making a table: on the steps from a state by a class of bytes,
const STEPS_MAX: usize = 1 << 14;
/// and on the bytes that each step goes through.
const NFA_BYTES_MAX: usize = 1 << 20;
const CACHE_BYTES: usize = 4 << 20;
/// The number of steps that take about as long as parsing an expression and preparing to make its states.
const BUILD_STEPS: usize = 1 << 14;
/// The number of states after a slot above which they are not expected to converge to one.
const REACHED_MAX: usize = 32;
const BEYOND_ASCII: u8 = 0x80;

/// A state, as the index of its first entry in the table.
pub(crate) type StateId = u32;

/// An expression that is ready to search groups.
pub struct Automaton {
    /// The expression.
    pub(crate) regex: Regex,
    classes: [u8; 256],
    /// The next state for each state and class of bytes; each state has 2 to the power of `shift` entries.
    next: Vec<StateId>,
    shift: u32,
    accepts: Vec<bool>,
    pub(crate) start: StateId,
    /// The states that each alphabet can lead to from each state, computed when they are first needed.
    reached: Vec<OnceLock<Option<Box<[StateId]>>>>,
}

/// The bytes that a kind of variable may contain.
#[derive(Clone, Copy)]
pub(crate) enum Alphabet {
    Decimal,
    Address,
    Hex,
    HexUpper,
    Wide,
    Text,
}

impl Alphabet {
    const ALL: usize = 6;

    pub(crate) fn bytes(self) -> &'static [u8] {
        const TEXT: [u8; 64 + 128] = {
            let mut bytes = [0; 64 + 128];
            let (mut at, mut byte) = (0, 0);
            while byte <= u8::MAX as usize {
                let one = byte as u8;
                if !one.is_ascii() || one.is_ascii_alphanumeric() || matches!(one, b'+' | b'/') {
                    bytes[at] = one;
                    at += 1;
                }
                byte += 1;
            }
            bytes
        };
        match self {
            Alphabet::Decimal => b"0123456789",
            Alphabet::Address => b"0123456789.",
            Alphabet::Hex => b"0123456789abcdef",
            Alphabet::HexUpper => b"0123456789ABCDEF",
            Alphabet::Wide => b"0123456789abcdef-",
            Alphabet::Text => &TEXT,
        }
    }
}

impl fmt::Debug for Automaton {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Automaton").field(&self.regex.pattern()).finish()
    }
}

impl Automaton {
    /// Makes the table; `None` if it would be too large, or if `go_on` says to end. `go_on` is called before each
    /// state is made, with the approximate number of steps for it.
    pub fn new(regex: &Regex, go_on: &dyn Fn(usize) -> bool) -> Option<Automaton> {
        Automaton::build(regex, false, go_on).or_else(|| Automaton::build(regex, true, go_on))
    }

    fn build(regex: &Regex, quits_beyond_ascii: bool, go_on: &dyn Fn(usize) -> bool) -> Option<Automaton> {
        if !go_on(BUILD_STEPS) {
            return None;
        }
        let mut config = DFA::config()
            .match_kind(MatchKind::All)
            .unicode_word_boundary(true)
            .cache_capacity(CACHE_BYTES)
            .minimum_cache_clear_count(Some(0));
        if quits_beyond_ascii {
            config = (BEYOND_ASCII..=u8::MAX).fold(config, |config, byte| config.quit(byte, true));
        }
        let dfa = DFA::builder()
            .configure(config)
            .syntax(syntax::Config::new().case_insensitive(regex.ignores_case()).utf8(false))
            .thompson(thompson::Config::new().utf8(false).nfa_size_limit(Some(NFA_BYTES_MAX)))
            .build(regex.pattern())
            .ok()?;
        TableBuilder::new(&dfa, &mut dfa.create_cache(), regex, go_on)?.finish()
    }

    /// The state of a text whose beginning already has a match.
    pub(crate) const MATCH: StateId = 0;

    /// The state from which no continuation has a match.
    pub(crate) fn dead(&self) -> StateId {
        1 << self.shift
    }

    /// The state in which the table cannot decide.
    pub(crate) fn quit(&self) -> StateId {
        2 << self.shift
    }

    /// Whether the rest of the text does not matter.
    #[inline]
    pub(crate) fn is_final(&self, state: StateId) -> bool {
        state <= self.quit()
    }

    pub(crate) fn states(&self) -> usize {
        self.accepts.len()
    }

    /// The number of a state.
    #[inline]
    pub(crate) fn number(&self, state: StateId) -> usize {
        (state >> self.shift) as usize
    }

    #[inline]
    pub(crate) fn next(&self, state: StateId, byte: u8) -> StateId {
        self.next[state as usize + usize::from(self.classes[usize::from(byte)])]
    }

    #[inline]
    pub(crate) fn run(&self, state: StateId, bytes: &[u8]) -> StateId {
        bytes.iter().fold(state, |state, &byte| self.next(state, byte))
    }

    /// Whether a text that leads to a state has a match.
    pub(crate) fn accepts(&self, state: StateId) -> bool {
        self.accepts[self.number(state)]
    }

    /// The states after all non-empty texts of an alphabet, unless there are many.
    pub(crate) fn reached(&self, state: StateId, alphabet: Alphabet) -> Option<&[StateId]> {
        let known = &self.reached[self.number(state) * Alphabet::ALL + alphabet as usize];
        known.get_or_init(|| self.reach(state, alphabet.bytes())).as_deref()
    }

    fn reach(&self, state: StateId, bytes: &[u8]) -> Option<Box<[StateId]>> {
        let mut reached: Vec<StateId> = Vec::new();
        let mut from = Some(state);
        let mut walked = 0;
        while let Some(state) = from {
            for &byte in bytes {
                let next = self.next(state, byte);
                if !reached.contains(&next) {
                    reached.push(next);
                }
            }
            if REACHED_MAX < reached.len() {
                return None;
            }
            from = reached.get(walked).copied();
            walked += 1;
        }
        Some(reached.into_boxed_slice())
    }

    /// The state that a text leads to from each of some states, if it is the same for all.
    pub(crate) fn merged(&self, states: &[StateId], text: &[u8]) -> Option<StateId> {
        if let [one] = states {
            return Some(self.run(*one, text));
        }
        let mut states = states.to_vec();
        let mut rest = text.iter();
        while 1 < states.len() {
            let &byte = rest.next()?;
            states.iter_mut().for_each(|state| *state = self.next(*state, byte));
            states.sort_unstable();
            states.dedup();
        }
        Some(self.run(*states.first()?, rest.as_slice()))
    }
}

/// Makes a table of all states that can be reached.
struct TableBuilder<'d> {
    dfa: &'d DFA,
    made: Automaton,
    known: HashMap<LazyStateID, StateId>,
    open: Vec<LazyStateID>,
}

impl<'d> TableBuilder<'d> {
    fn new(
        dfa: &'d DFA,
        cache: &mut Cache,
        regex: &Regex,
        go_on: &dyn Fn(usize) -> bool,
    ) -> Option<TableBuilder<'d>> {
        let of_byte = dfa.byte_classes();
        let mut classes = [0; 256];
        (0..=u8::MAX).for_each(|byte| classes[usize::from(byte)] = of_byte.get(byte));
        let count = of_byte.alphabet_len() - 1;
        let shift = count.next_power_of_two().trailing_zeros();
        let made = Automaton {
            regex: regex.clone(),
            classes,
            next: Vec::new(),
            shift,
            accepts: Vec::new(),
            start: 0,
            reached: Vec::new(),
        };
        let mut maker = TableBuilder { dfa, made, known: HashMap::new(), open: Vec::new() };
        for state in [Automaton::MATCH, maker.made.dead(), maker.made.quit()] {
            maker.made.next.extend(vec![state; 1 << shift]);
            maker.made.accepts.push(state == Automaton::MATCH);
        }
        let start = dfa.start_state_forward(cache, &Input::new(b"")).ok()?;
        maker.made.start = maker.state(start);
        let bytes: Vec<u8> = of_byte.representatives(0..=u8::MAX).filter_map(|unit| unit.as_u8()).collect();
        let mut steps = 0;
        while let Some(id) = maker.open.pop() {
            let from = maker.known[&id];
            steps += bytes.len();
            // One step may have to go through all of a large expression.
            if STEPS_MAX < steps || !go_on(bytes.len() * (1 + dfa.get_nfa().states().len() / 8)) {
                return None;
            }
            for &byte in &bytes {
                let next = dfa.next_state(cache, id, byte).ok()?;
                let next = maker.state(next);
                maker.made.next[from as usize + usize::from(classes[usize::from(byte)])] = next;
            }
            let number = maker.made.number(from);
            maker.made.accepts[number] = dfa.next_eoi_state(cache, id).ok()?.is_match();
        }
        (cache.clear_count() == 0).then_some(maker)
    }

    fn state(&mut self, id: LazyStateID) -> StateId {
        if id.is_match() {
            return Automaton::MATCH;
        }
        if id.is_dead() {
            return self.made.dead();
        }
        if id.is_quit() {
            return self.made.quit();
        }
        let made = &mut self.made;
        *self.known.entry(id).or_insert_with(|| {
            self.open.push(id);
            let state = made.next.len() as StateId;
            made.next.resize(made.next.len() + (1 << made.shift), state);
            made.accepts.push(false);
            state
        })
    }

    /// A match is noticed one byte late: states from which all bytes lead to a match count as matches already, and
    /// likewise for those without a match.
    fn finish(mut self) -> Option<Automaton> {
        let made = &mut self.made;
        let classes = self.dfa.byte_classes().alphabet_len() - 1;
        loop {
            let mut decided = HashMap::new();
            for number in 3..made.states() {
                let state = (number << made.shift) as StateId;
                let next = &made.next[state as usize..][..classes];
                let is_all = |only: StateId| next.iter().all(|&next| next == only);
                if made.accepts[number] && is_all(Automaton::MATCH) {
                    decided.insert(state, Automaton::MATCH);
                } else if !made.accepts[number] && is_all(made.dead()) {
                    decided.insert(state, made.dead());
                }
            }
            let is_in_use = |state: &StateId| decided.contains_key(state);
            if !made.next.iter().any(is_in_use) && !is_in_use(&made.start) {
                made.reached.resize_with(made.states() * Alphabet::ALL, OnceLock::new);
                return Some(self.made);
            }
            let replace = |state: &mut StateId| *state = decided.get(state).copied().unwrap_or(*state);
            made.next.iter_mut().for_each(replace);
            replace(&mut made.start);
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::scan::tests::texts;
    use proptest::prelude::*;

    /// Expressions, and whether they ignore case.
    pub(crate) const EXPRESSIONS: [(&str, bool); 36] = [
        ("took [0-9]+ ms", false),
        ("[0-9]{5,}", false),
        ("^[a-z].*[0-9]$", false),
        ("^$", false),
        ("x*", false),
        ("^(id|key)=?", false),
        ("10\\.0\\.[01]", false),
        ("(1|22|3[4-6])+ ", false),
        ("[a-f][0-9][a-f]", true),
        ("USER[0-9]+$", true),
        ("k[a-z]* of", true),
        ("\\bms\\b", false),
        ("\\b[0-9]\\b", false),
        ("\\B1", false),
        ("(?-u:\\b)1(?-u:\\b)", false),
        ("\\w{3} \\d", false),
        ("\\w+é", false),
        ("[^a-z0-9 ]", false),
        (".", false),
        ("(?s).\\n", false),
        ("(?m)^a", false),
        ("(?m)[0-9]$", false),
        ("0x[0-9a-f]{2,}", false),
        ("[0-9a-f]{8}-[0-9a-f]{4}", false),
        ("-1[0-9a-f]", false),
        ("1.*2.*3", false),
        ("(?-u)[\\x80-\\xff]{2}", false),
        ("\\p{Greek}|\\p{Lu}", false),
        ("A{2,3}|[+/]", false),
        ("opened at [0-9]{1,2}\\.", false),
        ("session of [a-e] ", false),
        ("\\s(a|b|ü)\\s", false),
        ("^[^0-9]*$", false),
        ("(a|é|1)$", false),
        ("(?-u)^[^\\n]{10,30}[a-k]", false),
        ("^([^ ]* ){2}[a-z0-9]{0,7}([^ ]* )*.{4,9}$", false),
    ];

    pub(crate) fn automata(which: usize) -> impl Iterator<Item = Automaton> {
        let (pattern, ignores_case) = EXPRESSIONS[which];
        let regex = Regex::new(pattern, ignores_case).unwrap();
        [false, true].into_iter().filter_map(move |quits| Automaton::build(&regex, quits, &|_| true))
    }

    #[test]
    fn most_expressions_have_a_table_and_each_has_one_for_ascii() {
        for (which, (pattern, _)) in EXPRESSIONS.iter().enumerate() {
            assert_ne!(automata(which).count(), 0, "{pattern}");
        }
        assert!(Automaton::new(&Regex::new("[ab]*a[ab]{200}", false).unwrap(), &|_| true).is_none());
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

        #[test]
        fn a_table_finds_what_the_expression_finds(all in proptest::collection::vec(texts(), 1..20)) {
            for automaton in (0..EXPRESSIONS.len()).flat_map(automata) {
                for text in &all {
                    let end = automaton.run(automaton.start, text);
                    let expected = automaton.regex.compiled().is_match(text);
                    if end == automaton.quit() {
                        prop_assert!(!text.is_ascii());
                    } else {
                        prop_assert_eq!(automaton.accepts(end), expected, "{}", automaton.regex.pattern());
                    }
                }
            }
        }
    }
}
