//! The values of one slot of one template.

use crate::bytes::{ByteReader, DecodeError, Result};
use crate::numbers::{self, NumberColumn};
use crate::scan::VariableKind;

const NATURAL: u8 = 0;
const FIXED: u8 = 1;
const EACH: u8 = 2;

const MANY: u8 = 0;
const FEW: u8 = 1;

/// Stands for the length of a number without leading zeros.
pub(super) const NATURAL_LENGTH: u8 = 0;

/// Appends the column of numbers. `lengths` has their lengths, or is empty if no number has leading zeros; `high` has
/// the high halves of wide ones.
pub(super) fn write_numbers(
    kind: VariableKind,
    low: &[u64],
    high: &[u64],
    lengths: &[u8],
    out: &mut Vec<u8>,
) {
    write_lengths(kind, low, lengths, out);
    numbers::write(low, out);
    if kind == VariableKind::Wide {
        numbers::write(high, out);
    }
}

/// Appends the column of addresses.
pub(super) fn write_addresses(places: &[u64], out: &mut Vec<u8>) {
    numbers::write(places, out);
}

/// Appends the column of a text slot with few distinct words.
pub(super) fn write_few(places: &[u64], out: &mut Vec<u8>) {
    out.push(FEW);
    numbers::write(places, out);
}

/// Appends the column of a text slot with many distinct words, which are stored elsewhere.
pub(super) fn write_many(out: &mut Vec<u8>) {
    out.push(MANY);
}

fn write_lengths(kind: VariableKind, low: &[u64], lengths: &[u8], out: &mut Vec<u8>) {
    if kind != VariableKind::Wide && lengths.iter().all(|&length| length == NATURAL_LENGTH) {
        return out.push(NATURAL);
    }
    let of = |(&low, &length): (&u64, &u8)| match length {
        NATURAL_LENGTH => kind.digits(low) as u64,
        length => u64::from(length),
    };
    let lengths: Vec<u64> = low.iter().zip(lengths).map(of).collect();
    let first = lengths.first().copied().unwrap_or(0);
    if lengths.iter().all(|&length| length == first) {
        return out.extend_from_slice(&[FIXED, first as u8]);
    }
    out.push(EACH);
    numbers::write(&lengths, out);
}

/// An open column.
pub(crate) enum SlotColumn {
    Number {
        kind: VariableKind,
        lengths: Lengths,
        low: NumberColumn,
        high: Option<NumberColumn>,
    },
    /// Positions in the list of addresses.
    Address(NumberColumn),
    /// Positions in the dictionary.
    Few(NumberColumn),
    /// Consecutive words, from this one on.
    Many(usize),
}

/// The written lengths of numbers.
pub(crate) enum Lengths {
    Natural,
    Fixed(usize),
    Each(NumberColumn),
}

impl SlotColumn {
    /// Whether its values are texts.
    pub(super) fn is_of_texts(&self) -> bool {
        matches!(self, SlotColumn::Few(_) | SlotColumn::Many(_))
    }

    /// The number of bytes of each of its values, if that is the same for all.
    pub(super) fn length(&self) -> Option<usize> {
        let SlotColumn::Number { kind, lengths, low, high } = self else { return None };
        let prefix = if *kind == VariableKind::Prefixed { 2 } else { 0 };
        match lengths {
            Lengths::Fixed(length) => Some(prefix + length),
            Lengths::Natural if high.is_none() => {
                let (least, largest) = low.bounds;
                let digits = kind.digits(least);
                (digits == kind.digits(largest)).then_some(prefix + digits)
            }
            Lengths::Natural | Lengths::Each(_) => None,
        }
    }

    /// Opens a column of `rows` rows. `words` is the number of words outside the dictionary in earlier columns; those
    /// of this column are added to it.
    pub(crate) fn read(
        input: &mut ByteReader<'_>,
        kind: VariableKind,
        rows: usize,
        words: &mut usize,
    ) -> Result<SlotColumn> {
        Ok(match kind {
            VariableKind::Address => SlotColumn::Address(NumberColumn::read(input, rows)?),
            VariableKind::Text => match input.byte()? {
                FEW => SlotColumn::Few(NumberColumn::read(input, rows)?),
                MANY => {
                    *words += rows;
                    SlotColumn::Many(*words - rows)
                }
                kind => return Err(DecodeError::Kind { what: "slot", kind }),
            },
            kind => {
                let lengths = Lengths::read(input, rows)?;
                let low = NumberColumn::read(input, rows)?;
                let high =
                    if kind == VariableKind::Wide { Some(NumberColumn::read(input, rows)?) } else { None };
                SlotColumn::Number { kind, lengths, low, high }
            }
        })
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        size_of::<SlotColumn>()
            + match self {
                SlotColumn::Number { lengths, low, high, .. } => {
                    let lengths = if let Lengths::Each(each) = lengths { each.memory_bytes() } else { 0 };
                    lengths + low.memory_bytes() + high.as_ref().map_or(0, NumberColumn::memory_bytes)
                }
                SlotColumn::Address(places) | SlotColumn::Few(places) => places.memory_bytes(),
                SlotColumn::Many(_) => 0,
            }
    }
}

impl Lengths {
    fn read(input: &mut ByteReader<'_>, rows: usize) -> Result<Lengths> {
        Ok(match input.byte()? {
            NATURAL => Lengths::Natural,
            FIXED => Lengths::Fixed(usize::from(input.byte()?)),
            EACH => Lengths::Each(NumberColumn::read(input, rows)?),
            kind => return Err(DecodeError::Kind { what: "lengths", kind }),
        })
    }

    /// The written length of the number at a position.
    pub(crate) fn of(&self, bytes: &[u8], place: usize, kind: VariableKind, low: u64) -> usize {
        match self {
            Lengths::Natural => kind.digits(low),
            Lengths::Fixed(length) => *length,
            Lengths::Each(each) => each.get(bytes, place) as usize,
        }
    }
}
