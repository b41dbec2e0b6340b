//! The values of one slot of one template.

use crate::bytes::{ByteReader, DecodeError, Result};
use crate::numbers::{self, NumberColumn};
use crate::scan::VariableKind;

const NATURAL: u8 = 0;
const FIXED: u8 = 1;
const EACH: u8 = 2;

/// Stands for the length of a number without leading zeros.
pub(super) const NATURAL_LENGTH: u8 = 0;

/// Appends the column of numbers. `lengths` has their lengths, or is empty if no number has leading zeros; `high` has
/// the high halves of wide ones. Returns the length of all texts, or 0 if they differ.
pub(super) fn write_numbers(
    kind: VariableKind,
    low: &[u64],
    high: &[u64],
    lengths: &[u8],
    out: &mut Vec<u8>,
) -> usize {
    let digits = write_lengths(kind, low, lengths, out);
    numbers::write(low, out);
    if kind == VariableKind::Wide {
        numbers::write(high, out);
    }
    if digits == 0 { 0 } else { prefix_bytes(kind) + digits }
}

fn prefix_bytes(kind: VariableKind) -> usize {
    if kind == VariableKind::Prefixed { 2 } else { 0 }
}

/// Appends the column of places among the addresses or in the dictionary.
pub(super) fn write_places(places: &[u64], out: &mut Vec<u8>) {
    numbers::write(places, out);
}

/// Appends the lengths. Returns the number of digits of all numbers, or 0 if they differ.
fn write_lengths(kind: VariableKind, low: &[u64], lengths: &[u8], out: &mut Vec<u8>) -> usize {
    if kind != VariableKind::Wide && lengths.iter().all(|&length| length == NATURAL_LENGTH) {
        out.push(NATURAL);
        let digits = |of: Option<&u64>| of.map_or(0, |&number| kind.digits(number));
        let (least, most) = (digits(low.iter().min()), digits(low.iter().max()));
        return if least == most { most } else { 0 };
    }
    let of = |(&low, &length): (&u64, &u8)| match length {
        NATURAL_LENGTH => kind.digits(low) as u64,
        length => u64::from(length),
    };
    let lengths: Vec<u64> = low.iter().zip(lengths).map(of).collect();
    let first = lengths.first().copied().unwrap_or(0);
    if lengths.iter().all(|&length| length == first) {
        out.extend_from_slice(&[FIXED, first as u8]);
        return first as usize;
    }
    out.push(EACH);
    numbers::write(&lengths, out);
    0
}

/// An open column.
pub(crate) enum SlotColumn {
    Number {
        kind: VariableKind,
        lengths: Lengths,
        low: NumberColumn,
        /// Few columns are wide, so it is not stored here.
        high: Option<Box<NumberColumn>>,
    },
    /// Positions in the list of addresses.
    Address(NumberColumn),
    /// Positions in the dictionary.
    Few(NumberColumn),
    /// Consecutive words, from this one on.
    Many(usize),
}

/// An open column, and the bytes from which it was opened.
#[derive(Clone, Copy)]
pub(crate) struct OpenColumn<'g> {
    pub(crate) column: &'g SlotColumn,
    pub(crate) bytes: &'g [u8],
}

/// Neighbouring columns, and the bytes from which they were opened.
pub(super) struct ColumnRun {
    pub(super) bytes: Vec<u8>,
    pub(super) columns: Vec<SlotColumn>,
}

impl ColumnRun {
    /// The column with this number in the run.
    #[inline]
    pub(super) fn column(&self, number: usize) -> Result<OpenColumn<'_>> {
        let column = self.columns.get(number).ok_or(DecodeError::Short)?;
        Ok(OpenColumn { column, bytes: &self.bytes })
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.bytes.capacity() + self.columns.iter().map(SlotColumn::memory_bytes).sum::<usize>()
    }
}

/// The written lengths of numbers.
pub(crate) enum Lengths {
    Natural,
    Fixed(usize),
    Each(Box<NumberColumn>),
}

impl SlotColumn {
    /// Opens a column of `rows` rows.
    pub(super) fn read(input: &mut ByteReader<'_>, kind: VariableKind, rows: usize) -> Result<SlotColumn> {
        Ok(match kind {
            VariableKind::Address => SlotColumn::Address(NumberColumn::read(input, rows)?),
            VariableKind::Text => SlotColumn::Few(NumberColumn::read(input, rows)?),
            kind => {
                let lengths = Lengths::read(input, rows)?;
                let low = NumberColumn::read(input, rows)?;
                let high = if kind == VariableKind::Wide {
                    Some(NumberColumn::read(input, rows)?.into())
                } else {
                    None
                };
                SlotColumn::Number { kind, lengths, low, high }
            }
        })
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        size_of::<SlotColumn>()
            + match self {
                SlotColumn::Number { lengths, low, high, .. } => {
                    let lengths = if let Lengths::Each(each) = lengths { boxed_bytes(each) } else { 0 };
                    lengths + low.memory_bytes() + high.as_deref().map_or(0, boxed_bytes)
                }
                SlotColumn::Address(places) | SlotColumn::Few(places) => places.memory_bytes(),
                SlotColumn::Many(_) => 0,
            }
    }
}

fn boxed_bytes(numbers: &NumberColumn) -> usize {
    size_of::<NumberColumn>() + numbers.memory_bytes()
}

impl Lengths {
    fn read(input: &mut ByteReader<'_>, rows: usize) -> Result<Lengths> {
        Ok(match input.byte()? {
            NATURAL => Lengths::Natural,
            FIXED => Lengths::Fixed(usize::from(input.byte()?)),
            EACH => Lengths::Each(NumberColumn::read(input, rows)?.into()),
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
