//! The values of one slot of one template.

use crate::bytes::{Fault, Input};
use crate::numbers::{self, Numbers};
use crate::scan::{Kind, Variable};

const NATURAL: u8 = 0;
const FIXED: u8 = 1;
const EACH: u8 = 2;

const MANY: u8 = 0;
const FEW: u8 = 1;

/// Gathers the values.
pub(crate) struct Values {
    pub(crate) kind: Kind,
    /// Of an address and of a text its number; else the low half.
    pub(crate) low: Vec<u64>,
    high: Vec<u64>,
    lengths: Vec<u16>,
}

impl Values {
    pub(crate) fn new(kind: Kind) -> Values {
        Values { kind, low: Vec::new(), high: Vec::new(), lengths: Vec::new() }
    }

    #[inline]
    pub(crate) fn push(&mut self, variable: &Variable, low: u64) {
        self.low.push(low);
        match self.kind {
            Kind::Address | Kind::Text => {}
            Kind::Wide => {
                self.high.push(variable.high);
                self.lengths.push(variable.bytes);
            }
            _ => self.lengths.push(variable.bytes),
        }
    }

    /// Appends the column of a number or an address, or of a text with few words: `low` are then places.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        match self.kind {
            Kind::Text => out.push(FEW),
            Kind::Address => {}
            _ => self.write_lengths(out),
        }
        numbers::write(&self.low, out);
        if self.kind == Kind::Wide {
            numbers::write(&self.high, out);
        }
    }

    /// Appends the column of a text with many words, which stand elsewhere.
    pub(crate) fn write_many(out: &mut Vec<u8>) {
        out.push(MANY);
    }

    fn write_lengths(&self, out: &mut Vec<u8>) {
        let is_natural = self.kind != Kind::Wide
            && self
                .low
                .iter()
                .zip(&self.lengths)
                .all(|(&low, &length)| self.kind.digits(low) == usize::from(length));
        if is_natural {
            return out.push(NATURAL);
        }
        let first = self.lengths.first().copied().unwrap_or(0);
        if self.lengths.iter().all(|&length| length == first) {
            return out.extend_from_slice(&[FIXED, first as u8]);
        }
        out.push(EACH);
        let lengths: Vec<u64> = self.lengths.iter().map(|&length| u64::from(length)).collect();
        numbers::write(&lengths, out);
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        size_of::<Values>() + (self.low.capacity() + self.high.capacity()) * 8 + self.lengths.capacity() * 2
    }
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
