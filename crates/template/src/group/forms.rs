//! Forms of words: prefixes, suffixes and infixes.

use super::column::Lengths;
use crate::numbers::NumberColumn;
use crate::scan::VariableKind;
use memchr::memmem::Finder;

/// The maximum number of digits of a number.
const DIGITS_MAX: usize = 20;
const TEN: u128 = 10;

/// The form of a word, in lower case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WordForm {
    /// It begins with this.
    Begins(Vec<u8>),
    /// It ends with this.
    Ends(Vec<u8>),
    /// It contains this.
    Holds(Vec<u8>),
}

/// A set of all words that have any of these forms.
#[derive(Clone, Debug)]
pub struct WordSet {
    forms: Vec<(WordForm, Finder<'static>)>,
}

impl WordSet {
    /// The set of the words with these forms.
    pub fn new(forms: Vec<WordForm>) -> WordSet {
        let with_finder = |form: WordForm| {
            let finder = Finder::new(form.text()).into_owned();
            (form, finder)
        };
        WordSet { forms: forms.into_iter().map(with_finder).collect() }
    }

    /// Whether a word in lower case is in the set.
    pub fn accepts(&self, word: &[u8]) -> bool {
        self.forms.iter().any(|(form, finder)| match form {
            WordForm::Begins(text) => word.starts_with(text),
            WordForm::Ends(text) => word.ends_with(text),
            WordForm::Holds(_) => finder.find(word).is_some(),
        })
    }

    /// The finders for the texts of the forms.
    pub(super) fn finders(&self) -> impl Iterator<Item = &Finder<'static>> {
        self.forms.iter().map(|(_, finder)| finder)
    }

    /// Whether a variable of a kind can be in the set.
    pub(super) fn can_be(&self, kind: VariableKind) -> bool {
        self.forms.iter().any(|(form, _)| form.can_be(kind))
    }

    /// The conditions for a decimal number to be one of the words.
    pub(super) fn decimals(&self) -> Vec<Decimals> {
        self.forms
            .iter()
            .filter(|(form, _)| form.can_be(VariableKind::Decimal))
            .map(|(form, _)| form.decimals())
            .collect()
    }
}

impl WordForm {
    fn text(&self) -> &[u8] {
        let (WordForm::Begins(text) | WordForm::Ends(text) | WordForm::Holds(text)) = self;
        text
    }

    fn can_be(&self, kind: VariableKind) -> bool {
        let text = self.text();
        let is_hex = |text: &[u8], most| {
            text.len() <= most && text.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        };
        let is_decimal = |most| text.len() <= most && text.iter().all(u8::is_ascii_digit);
        match kind {
            VariableKind::Decimal => is_decimal(DIGITS_MAX - 1),
            VariableKind::Address => is_decimal(3),
            VariableKind::Hex | VariableKind::HexUpper => is_hex(text, 16),
            VariableKind::Wide => is_hex(text, 32),
            VariableKind::Prefixed => match (self, text) {
                (_, []) | (WordForm::Begins(_), b"0") => true,
                (WordForm::Begins(_), [b'0', b'x', rest @ ..]) => is_hex(rest, 16),
                (WordForm::Begins(_), _) => false,
                (_, [b'0', b'x', rest @ ..] | [b'x', rest @ ..] | rest) => is_hex(rest, 17),
            },
            VariableKind::Text => true,
        }
    }

    /// The condition if the form's text is a number of at most 19 digits.
    fn decimals(&self) -> Decimals {
        let text = self.text();
        let value = text.iter().fold(0, |value, digit| value * 10 + u64::from(digit - b'0'));
        match self {
            _ if text.is_empty() => Decimals::Any,
            WordForm::Begins(_) => Decimals::Begins { value, digits: text.len() },
            WordForm::Ends(_) => {
                Decimals::Ends { value, digits: text.len(), modulus: 10_u64.pow(text.len() as u32) }
            }
            WordForm::Holds(_) => Decimals::Holds { value, digits: Digits::new(text) },
        }
    }
}

/// A condition on a decimal number.
pub(super) enum Decimals {
    Any,
    Begins { value: u64, digits: usize },
    Ends { value: u64, digits: usize, modulus: u64 },
    Holds { value: u64, digits: Digits },
}

impl Decimals {
    /// Adds the ranks of the numbers in a column that fulfil the condition, or states that all do.
    pub(super) fn add(
        &self,
        bytes: &[u8],
        low: &NumberColumn,
        lengths: &Lengths,
        ranks: &mut Vec<u32>,
    ) -> bool {
        let length = |rank, value| lengths.of(bytes, rank, VariableKind::Decimal, value);
        let mut each = |accepts: &dyn Fn(usize, u64) -> bool| {
            low.for_each_run(bytes, 0..low.len(), |first, run| {
                let found = run.iter().enumerate().filter(|(at, value)| accepts(first + at, **value));
                ranks.extend(found.map(|(at, _)| (first + at) as u32));
            });
        };
        let (least, greatest) = low.bounds;
        match self {
            Decimals::Any => return true,
            Decimals::Begins { value, digits } => {
                let of_length = |length: usize| begins(*value, *digits, length);
                let ranges: Vec<(u64, u64)> = match lengths {
                    Lengths::Natural => (*digits..DIGITS_MAX)
                        .filter_map(|length| {
                            let (low, high) = of_length(length)?;
                            (VariableKind::Decimal.digits(low) == length).then_some((low, high))
                        })
                        .collect(),
                    Lengths::Fixed(length) => of_length(*length).into_iter().collect(),
                    Lengths::Each(_) => {
                        each(&|rank, value| {
                            of_length(length(rank, value))
                                .is_some_and(|(low, high)| (low..=high).contains(&value))
                        });
                        return false;
                    }
                };
                let ranges: Vec<(u64, u64)> =
                    ranges.into_iter().filter(|&(low, high)| low <= greatest && least <= high).collect();
                if let [(low, high)] = ranges[..]
                    && low <= least
                    && greatest <= high
                {
                    return true;
                }
                if !ranges.is_empty() {
                    add_within(&ranges, bytes, low, ranks);
                }
            }
            Decimals::Ends { value, .. } | Decimals::Holds { value, .. } if greatest < *value => {}
            Decimals::Ends { value, digits, modulus } => {
                each(&|rank, found| found % modulus == *value && *digits <= length(rank, found));
            }
            Decimals::Holds { value, digits } => {
                each(&|rank, found| *value <= found && digits.are_in(found, length(rank, found)));
            }
        }
        false
    }
}

/// Adds the ranks of the numbers that are within any of these ranges.
fn add_within(ranges: &[(u64, u64)], bytes: &[u8], numbers: &NumberColumn, ranks: &mut Vec<u32>) {
    numbers.for_each_run(bytes, 0..numbers.len(), |first, run| {
        for (number, values) in run.chunks(u64::BITS as usize).enumerate() {
            // The bits are computed first: most values are in no range, and are skipped without a branch for each.
            let mut found = 0;
            for (low, high) in ranges {
                let is_in =
                    |(at, value): (usize, &u64)| u64::from(value.wrapping_sub(*low) <= high - low) << at;
                found = values.iter().enumerate().map(is_in).fold(found, |all, bit| all | bit);
            }
            while found != 0 {
                let at = number * u64::BITS as usize + found.trailing_zeros() as usize;
                ranks.push((first + at) as u32);
                found &= found - 1;
            }
        }
    });
}

/// The range of the numbers with `length` digits that begin with `value`, which has `digits` digits.
fn begins(value: u64, digits: usize, length: usize) -> Option<(u64, u64)> {
    let scale = TEN.pow(length.checked_sub(digits).filter(|_| length <= DIGITS_MAX)? as u32);
    let low = u64::try_from(u128::from(value) * scale).ok()?;
    let high = (u128::from(value) + 1) * scale - 1;
    Some((low, u64::try_from(high).unwrap_or(u64::MAX)))
}

/// A sequence of digits that a number must contain. It is matched from the number's last digit on, two digits at a
/// time. A state is the number of digits that have been matched.
pub(super) struct Digits {
    found: u8,
    one: Vec<[u8; 10]>,
    two: Vec<[u8; 100]>,
}

impl Digits {
    fn new(text: &[u8]) -> Digits {
        let wanted: Vec<u8> = text.iter().rev().map(|digit| digit - b'0').collect();
        let next = |state: usize, digit: u8| -> u8 {
            if state == wanted.len() {
                return state as u8;
            }
            // The longest end of the matched digits, including this one, that is a beginning of the sequence.
            let mut seen = [&wanted[..state], &[digit]].concat();
            while !wanted.starts_with(&seen) {
                seen.remove(0);
            }
            seen.len() as u8
        };
        let one: Vec<[u8; 10]> =
            (0..=wanted.len()).map(|state| std::array::from_fn(|digit| next(state, digit as u8))).collect();
        let pair = |state: &[u8; 10], pair: usize| one[usize::from(state[pair % 10])][pair / 10];
        let two = one.iter().map(|state| std::array::from_fn(|at| pair(state, at))).collect();
        Digits { found: wanted.len() as u8, one, two }
    }

    /// Whether a number contains the digits if it is written with `length` digits.
    #[inline]
    fn are_in(&self, mut value: u64, length: usize) -> bool {
        let (mut state, length) = (0, length.min(DIGITS_MAX));
        for _ in 0..length / 2 {
            state = self.two[usize::from(state)][(value % 100) as usize];
            value /= 100;
        }
        if length % 2 == 1 {
            state = self.one[usize::from(state)][(value % 10) as usize];
        }
        state == self.found
    }
}
