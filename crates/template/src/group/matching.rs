//! Finds the rows that match an expression.
//!
//! The text that all rows of a template share is processed once, and a slot is skipped if its values cannot make a
//! difference. From the first slot that can, each row has its own state: the values of a slot lead from the few
//! states before it to those after it. Each distinct value of a dictionary is processed once, and numbers are not
//! written out as texts.
//!
//! **Invariant:** the answer is the same as matching the expression against each message.

use super::column::{Lengths, OpenColumn, SlotColumn};
use super::head::StoredTexts;
use super::read::TemplateGroup;
use super::rows::Ranks;
use crate::automaton::{Alphabet, Automaton, StateId};
use crate::bytes::Result;
use crate::digits::{self, DIGITS_MAX};
use crate::numbers::NumberColumn;
use crate::scan::{VariableKind, write};
use logstead_record::TextColumn;

/// Marks a state that has not been computed yet. It is never a valid state, as a table has fewer entries.
const UNKNOWN: StateId = StateId::MAX;
/// A dictionary is processed before the rows if there are at least this many times as many rows as words.
const AHEAD: usize = 8;
/// The maximum number of tables of a dictionary at a time: with more states, its words are processed for each row.
const TABLES_MAX: usize = 4;
/// The number of rows that are written out at a time to be searched as texts.
const TEXTS: usize = 4096;

/// The transition from a state by a slot and the text after it.
enum SlotTransition {
    /// All values lead to the same state.
    To(StateId),
    /// The next state depends on the number of digits.
    ByLength(Box<[StateId; DIGITS_MAX + 1]>),
    /// The next state depends on the position of a word or an address; each state is found when it is needed.
    ByPlace(Vec<StateId>),
    /// The value has to be processed byte by byte.
    Walk,
}

/// Whether a text matches an expression.
fn finds(automaton: &Automaton, text: &[u8]) -> bool {
    !text.is_empty() && automaton.regex.compiled().is_match(text)
}

/// A slot of a template, and the text after it.
struct SlotWalk<'g> {
    group: &'g TemplateGroup,
    automaton: &'g Automaton,
    /// The number of its column, which is read once a value can make a difference.
    column: u32,
    kind: VariableKind,
    /// The text after the slot.
    text: &'g [u8],
    rows: usize,
}

/// The texts that the places of a column stand for.
#[derive(Clone, Copy)]
enum Placed<'g> {
    Words(&'g TextColumn),
    Addresses(&'g [u32]),
}

impl TemplateGroup {
    /// The rows whose texts match an expression, for each place. An empty text never matches. `None` if `go_on`,
    /// which is called with the approximate number of the next values, says to end.
    pub fn find_match(
        &self,
        automaton: &Automaton,
        go_on: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Option<Vec<Ranks>>> {
        let mut kept = Vec::new();
        let goes_on = self.for_each_block(StoredTexts::Kept, |first, texts| {
            let goes_on = go_on(texts.len());
            if goes_on {
                let is_match = |rank: &usize| finds(automaton, texts.get(*rank));
                kept.extend((0..texts.len()).filter(is_match).map(|rank| (first + rank) as u32));
            }
            goes_on
        })?;
        if !goes_on {
            return Ok(None);
        }
        let mut found = Vec::with_capacity(self.head.templates() + 1);
        found.push(Ranks::of(kept, self.head.kept.len()));
        for template in 0..self.head.templates() {
            let Some(ranks) = self.match_template(template, automaton, go_on)? else { return Ok(None) };
            found.push(ranks);
        }
        Ok(Some(found))
    }

    fn match_template(
        &self,
        template: usize,
        automaton: &Automaton,
        go_on: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Option<Ranks>> {
        let (rows, is_empty) = (self.head.rows_of(template), self.head.keys.get(template).is_empty());
        if rows == 0 || is_empty {
            return Ok(Some(Ranks::None));
        }
        let pieces = self.head.pieces();
        let mut texts = self.head.pieces_of(template).map(|piece| pieces.get(piece));
        let mut state = automaton.run(automaton.start, texts.next().unwrap_or_default());
        // While all rows are in one state, only that one is kept.
        let mut states: Vec<StateId> = Vec::new();
        for (&column, text) in self.head.columns_of(template).iter().zip(texts) {
            let kind = self.head.columns[column as usize].kind;
            let slot = SlotWalk { group: self, automaton, column, kind, text, rows };
            if states.is_empty() {
                if automaton.is_final(state) {
                    break;
                }
                if let SlotTransition::To(next) = slot.pass(state)? {
                    state = next;
                    continue;
                }
                states = vec![state; rows];
            }
            if !go_on(rows) {
                return Ok(None);
            }
            if !slot.walk(&mut states)? {
                break;
            }
        }
        let mut unsure: Vec<u32> = Vec::new();
        let mut ranks: Vec<u32> = Vec::new();
        if states.is_empty() {
            match state {
                state if state == automaton.quit() => unsure.extend(0..rows as u32),
                state => return Ok(Some(if automaton.accepts(state) { Ranks::All } else { Ranks::None })),
            }
        }
        for (rank, &state) in states.iter().enumerate() {
            if automaton.accepts(state) {
                ranks.push(rank as u32);
            } else if state == automaton.quit() {
                unsure.push(rank as u32);
            }
        }
        for some in unsure.chunks(TEXTS) {
            if !go_on(some.len()) {
                return Ok(None);
            }
            let texts = self.read_ranks(template, some)?;
            let is_match = |text: &[u8]| automaton.regex.compiled().is_match(text);
            ranks.extend(
                some.iter().zip(texts.iter()).filter(|(_, text)| is_match(text)).map(|(rank, _)| rank),
            );
        }
        Ok(Some(Ranks::of(ranks, rows)))
    }
}

impl<'g> SlotWalk<'g> {
    /// The state after the slot and the text that follows it, given the state after the slot.
    fn after(&self, state: StateId) -> StateId {
        self.automaton.run(state, self.text)
    }

    fn pass(&self, state: StateId) -> Result<SlotTransition> {
        let (state, alphabet) = match self.kind {
            VariableKind::Prefixed => (self.automaton.run(state, b"0x"), Alphabet::Hex),
            VariableKind::Hex => (state, Alphabet::Hex),
            VariableKind::HexUpper => (state, Alphabet::HexUpper),
            VariableKind::Decimal => (state, Alphabet::Decimal),
            VariableKind::Wide => (state, Alphabet::Wide),
            VariableKind::Address => (state, Alphabet::Address),
            VariableKind::Text => (state, Alphabet::Text),
        };
        if let Some(next) = self.only(state, alphabet) {
            return Ok(SlotTransition::To(next));
        }
        Ok(match self.group.column_at(self.column)?.column {
            SlotColumn::Number { kind: VariableKind::Wide, .. } | SlotColumn::Many(_) => SlotTransition::Walk,
            SlotColumn::Number { kind, lengths, low, .. } => {
                self.pass_number(state, alphabet, *kind, lengths, low)
            }
            SlotColumn::Address(places) | SlotColumn::Few(places) => {
                self.pass_places(state, places, self.placed()?)
            }
        })
    }

    /// The state after the slot and the text after it, if it is the same for all values of an alphabet.
    fn only(&self, state: StateId, alphabet: Alphabet) -> Option<StateId> {
        self.automaton.merged(self.automaton.reached(state, alphabet)?, self.text)
    }

    /// The texts that the places of the column stand for.
    fn placed(&self) -> Result<Placed<'g>> {
        Ok(match self.kind {
            VariableKind::Text => Placed::Words(self.group.dictionary()?),
            _ => Placed::Addresses(self.group.addresses()?),
        })
    }

    /// If all digits are equivalent, only the length of a number matters.
    fn pass_number(
        &self,
        state: StateId,
        alphabet: Alphabet,
        kind: VariableKind,
        lengths: &Lengths,
        low: &NumberColumn,
    ) -> SlotTransition {
        let digits = alphabet.bytes();
        let (least, greatest) = low.bounds;
        let (shortest, longest) = match lengths {
            Lengths::Natural => (kind.digits(least), kind.digits(greatest)),
            Lengths::Fixed(length) => (*length, *length),
            Lengths::Each(each) => (each.bounds.0 as usize, each.bounds.1 as usize),
        };
        let (shortest, longest) = (shortest.clamp(1, DIGITS_MAX), longest.clamp(1, DIGITS_MAX));
        let mut behind = Box::new([UNKNOWN; DIGITS_MAX + 1]);
        let mut state = state;
        for (length, behind) in behind.iter_mut().enumerate().take(longest + 1) {
            if 0 < length {
                let next = self.automaton.next(state, digits[0]);
                if digits.iter().any(|&digit| self.automaton.next(state, digit) != next) {
                    return SlotTransition::Walk;
                }
                state = next;
            }
            *behind = self.after(state);
        }
        let first = behind[shortest];
        if behind[shortest..=longest].iter().all(|&state| state == first) {
            return SlotTransition::To(first);
        }
        SlotTransition::ByLength(behind)
    }

    fn pass_places(&self, state: StateId, places: &NumberColumn, placed: Placed<'_>) -> SlotTransition {
        let ((least, greatest), count) = (places.bounds, placed.len());
        let mut behind = vec![UNKNOWN; count];
        let range = least as usize..count.min((greatest as usize).saturating_add(1));
        if range.is_empty() || self.rows < range.len() * AHEAD {
            return SlotTransition::ByPlace(behind);
        }
        for place in range.clone() {
            behind[place] = self.behind_place(state, placed, place);
        }
        let first = behind[range.start];
        if behind[range].iter().all(|&state| state == first) {
            return SlotTransition::To(first);
        }
        SlotTransition::ByPlace(behind)
    }

    fn behind_place(&self, state: StateId, placed: Placed<'_>, place: usize) -> StateId {
        match placed {
            Placed::Words(words) => self.after(self.automaton.run(state, words.get(place))),
            Placed::Addresses(addresses) => {
                let mut text = Vec::with_capacity(16);
                write(VariableKind::Address, u64::from(addresses[place]), 0, 0, &mut text);
                self.after(self.automaton.run(state, &text))
            }
        }
    }

    /// Moves each row from its state before the slot to the one after it. `false` if the rest does not matter.
    fn walk(&self, states: &mut [StateId]) -> Result<bool> {
        let automaton = self.automaton;
        let mut passes: Vec<Option<SlotTransition>> = Vec::new();
        passes.resize_with(automaton.states(), || None);
        let (mut is_open, mut are_alike, mut tables) = (false, true, 0);
        for &state in states.iter() {
            let pass = &mut passes[automaton.number(state)];
            if pass.is_none() {
                let new = match self.kind {
                    _ if automaton.is_final(state) => SlotTransition::To(state),
                    VariableKind::Address | VariableKind::Text if TABLES_MAX <= tables => {
                        SlotTransition::Walk
                    }
                    _ => self.pass(state)?,
                };
                tables += usize::from(matches!(new, SlotTransition::ByPlace(_)));
                is_open |= !automaton.is_final(state);
                are_alike &= matches!(new, SlotTransition::To(_));
                *pass = Some(new);
            }
        }
        if !is_open {
            return Ok(false);
        }
        if are_alike {
            // No value has to be read.
            for state in states {
                if let Some(SlotTransition::To(next)) = &passes[automaton.number(*state)] {
                    *state = *next;
                }
            }
            return Ok(true);
        }
        self.walk_values(states, &mut passes)?;
        Ok(true)
    }

    fn walk_values(&self, states: &mut [StateId], passes: &mut [Option<SlotTransition>]) -> Result<()> {
        let automaton = self.automaton;
        let OpenColumn { column, bytes } = self.group.column_at(self.column)?;
        match column {
            SlotColumn::Number { kind: VariableKind::Decimal, lengths, low, .. } => {
                low.for_each_run(bytes, 0..self.rows, |first, run| {
                    for (at, (&value, state)) in run.iter().zip(&mut states[first..]).enumerate() {
                        let length = || match lengths {
                            Lengths::Natural => digits::count(value),
                            Lengths::Fixed(length) => *length,
                            Lengths::Each(each) => each.get(bytes, first + at) as usize,
                        };
                        *state = match &passes[automaton.number(*state)] {
                            Some(SlotTransition::To(next)) => *next,
                            Some(SlotTransition::ByLength(behind)) => behind[length().min(DIGITS_MAX)],
                            _ => {
                                let mut text = [0; DIGITS_MAX];
                                // A number without padding has its natural length.
                                let length = if matches!(lengths, Lengths::Natural) { 0 } else { length() };
                                let text = digits::decimal(value, length, &mut text);
                                self.after(automaton.run(*state, text))
                            }
                        };
                    }
                });
            }
            SlotColumn::Number { kind, lengths, low, high } => {
                let mut text = Vec::new();
                low.for_each_run(bytes, 0..self.rows, |first, run| {
                    for (at, (&low, state)) in run.iter().zip(&mut states[first..]).enumerate() {
                        let length = || lengths.of(bytes, first + at, *kind, low);
                        *state = match &passes[automaton.number(*state)] {
                            Some(SlotTransition::To(next)) => *next,
                            Some(SlotTransition::ByLength(behind)) => behind[length().min(DIGITS_MAX)],
                            _ => {
                                let high = high.as_ref().map_or(0, |high| high.get(bytes, first + at));
                                text.clear();
                                write(*kind, low, high, length(), &mut text);
                                self.after(automaton.run(*state, &text))
                            }
                        };
                    }
                });
            }
            SlotColumn::Address(places) | SlotColumn::Few(places) => {
                // Positions that occur only in a damaged group are skipped.
                let placed = self.placed()?;
                let count = placed.len();
                places.for_each_run(bytes, 0..self.rows, |first, run| {
                    for (&place, state) in run.iter().zip(&mut states[first..]) {
                        let (before, place) = (*state, place as usize);
                        match &mut passes[automaton.number(before)] {
                            Some(SlotTransition::To(next)) => *state = *next,
                            _ if count <= place => {}
                            Some(SlotTransition::ByPlace(behind)) => {
                                if behind[place] == UNKNOWN {
                                    behind[place] = self.behind_place(before, placed, place);
                                }
                                *state = behind[place];
                            }
                            _ => *state = self.behind_place(before, placed, place),
                        }
                    }
                });
            }
            SlotColumn::Many(first) => {
                let mut words = self.group.text_reader(StoredTexts::Words);
                for (rank, state) in states.iter_mut().enumerate() {
                    *state = match &passes[automaton.number(*state)] {
                        Some(SlotTransition::To(next)) => *next,
                        _ => self.after(automaton.run(*state, words.get(first + rank)?)),
                    };
                }
            }
        }
        Ok(())
    }
}

impl Placed<'_> {
    fn len(self) -> usize {
        match self {
            Placed::Words(words) => words.len(),
            Placed::Addresses(addresses) => addresses.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::finds;
    use crate::automaton::tests::{EXPRESSIONS, automata};
    use crate::group::TemplateGroupWriter;
    use crate::group::read::tests::{opened, statements};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

        #[test]
        fn rows_with_a_match_are_those_that_the_expression_finds(texts in statements()) {
            let mut writer = TemplateGroupWriter::default();
            for text in &texts {
                writer.push(text);
            }
            let group = opened(&writer.finish()).unwrap();
            for automaton in (0..EXPRESSIONS.len()).flat_map(automata) {
                let found = group.find_match(&automaton, &mut |_| true).unwrap().unwrap();
                let rows = group.rows().unwrap().select(&found);
                for (row, text) in texts.iter().enumerate() {
                    let expected = finds(&automaton, text);
                    prop_assert_eq!(rows.contains(row), expected, "{} in {}",
                        automaton.regex.pattern(), String::from_utf8_lossy(text));
                }
                let mut left = 3;
                let mut go_on = |_| { left -= 1; 0 <= left };
                let ended = group.find_match(&automaton, &mut go_on).unwrap();
                prop_assert!(0 <= left || ended.is_none());
            }
        }
    }
}
