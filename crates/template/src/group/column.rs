//! The values of one slot of one template.

use crate::bytes::{Fault, Input};
use crate::numbers::{self, Numbers};
use crate::scan::Kind;

const NATURAL: u8 = 0;
const FIXED: u8 = 1;
const EACH: u8 = 2;

const MANY: u8 = 0;
const FEW: u8 = 1;

/// Of a number, that it is written without zeros before it.
pub(super) const NATURAL_LENGTH: u8 = 0;

/// Appends the column of numbers. `lengths` are theirs, none where all are natural, and `high` the high halves of wide ones.
pub(super) fn write_numbers(kind: Kind, low: &[u64], high: &[u64], lengths: &[u8], out: &mut Vec<u8>) {
    write_lengths(kind, low, lengths, out);
    numbers::write(low, out);
    if kind == Kind::Wide {
        numbers::write(high, out);
    }
}

/// Appends the column of addresses.
pub(super) fn write_addresses(places: &[u64], out: &mut Vec<u8>) {
    numbers::write(places, out);
}

/// Appends the column of a text with few words.
pub(super) fn write_few(places: &[u64], out: &mut Vec<u8>) {
    out.push(FEW);
    numbers::write(places, out);
}

/// Appends the column of a text with many words, which stand elsewhere.
pub(super) fn write_many(out: &mut Vec<u8>) {
    out.push(MANY);
}

fn write_lengths(kind: Kind, low: &[u64], lengths: &[u8], out: &mut Vec<u8>) {
    if kind != Kind::Wide && lengths.iter().all(|&length| length == NATURAL_LENGTH) {
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
pub(crate) enum Column {
    Number {
        kind: Kind,
        lengths: Lengths,
        low: Numbers,
        high: Option<Numbers>,
    },
    /// Places among the addresses.
    Address(Numbers),
    /// Places in the dictionary.
    Few(Numbers),
    /// The words from this one on.
    Many(usize),
}

/// How long numbers are written.
pub(crate) enum Lengths {
    Natural,
    Fixed(usize),
    Each(Numbers),
}

impl Column {
    /// Whether its values are texts.
    pub(super) fn is_of_texts(&self) -> bool {
        matches!(self, Column::Few(_) | Column::Many(_))
    }

    /// Opens a column of `rows` rows. `words` counts the words that stand outside the dictionary, before this column and
    /// then including it.
    pub(crate) fn read(
        input: &mut Input<'_>,
        kind: Kind,
        rows: usize,
        words: &mut usize,
    ) -> Result<Column, Fault> {
        Ok(match kind {
            Kind::Address => Column::Address(Numbers::read(input, rows)?),
            Kind::Text => match input.byte()? {
                FEW => Column::Few(Numbers::read(input, rows)?),
                MANY => {
                    *words += rows;
                    Column::Many(*words - rows)
                }
                kind => return Err(Fault::Kind { what: "slot", kind }),
            },
            kind => {
                let lengths = Lengths::read(input, rows)?;
                let low = Numbers::read(input, rows)?;
                let high = if kind == Kind::Wide { Some(Numbers::read(input, rows)?) } else { None };
                Column::Number { kind, lengths, low, high }
            }
        })
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        size_of::<Column>()
            + match self {
                Column::Number { lengths, low, high, .. } => {
                    let lengths = if let Lengths::Each(each) = lengths { each.memory_bytes() } else { 0 };
                    lengths + low.memory_bytes() + high.as_ref().map_or(0, Numbers::memory_bytes)
                }
                Column::Address(places) | Column::Few(places) => places.memory_bytes(),
                Column::Many(_) => 0,
            }
    }
}

impl Lengths {
    fn read(input: &mut Input<'_>, rows: usize) -> Result<Lengths, Fault> {
        Ok(match input.byte()? {
            NATURAL => Lengths::Natural,
            FIXED => Lengths::Fixed(usize::from(input.byte()?)),
            EACH => Lengths::Each(Numbers::read(input, rows)?),
            kind => return Err(Fault::Kind { what: "lengths", kind }),
        })
    }

    /// How long the number at a place is written.
    pub(crate) fn of(&self, bytes: &[u8], place: usize, kind: Kind, low: u64) -> usize {
        match self {
            Lengths::Natural => kind.digits(low),
            Lengths::Fixed(length) => *length,
            Lengths::Each(each) => each.get(bytes, place) as usize,
        }
    }
}
