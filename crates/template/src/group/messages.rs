//! Reconstructs the messages of some rows from their values.
//!
//! The values of a template are stored side by side. So the values of several rows are read from each of its columns
//! at once, and the messages are then written one after the other.

use super::column::{Lengths, OpenColumn, SlotColumn};
use super::head::{GroupHead, StoredTexts};
use super::read::TemplateGroup;
use super::stored_texts::TextReader;
use crate::bytes::{DecodeError, Result};
use crate::digits::{DIGITS_MAX, decimal};
use crate::numbers::NumberColumn;
use crate::scan::{VariableKind, write};
use logstead_record::TextColumn;
use std::ops::Range;
use std::sync::LazyLock;

/// The number of rows whose values are in memory at a time.
const ROWS: usize = 4096;
/// Marks a place that has none of the rows being read.
const NOWHERE: u32 = u32::MAX;

/// The rows of a place.
struct PlaceRows {
    template: Option<usize>,
    rows: usize,
    /// The position of its next rank, and the position of the first of its slots.
    rank: usize,
    slot: usize,
    /// The number of its rows that have been written.
    written: usize,
}

/// The approximate number of bytes of a value.
const SLOT_BYTES: usize = 12;
const SHORT_BYTES: usize = 16;
/// The minimum number of values that are read as a run.
const RUN_MIN: usize = 4;

/// The position of the first value of a slot.
pub(super) enum SlotSource {
    Number { kind: VariableKind, lengths: LengthSource, low: usize, high: Option<usize> },
    Address(usize),
    Few(usize),
    Words(usize),
}

pub(super) enum LengthSource {
    Fixed(usize),
    Each(usize),
}

/// The values read from columns.
#[derive(Default)]
pub(super) struct ColumnValues {
    numbers: Vec<u64>,
    words: TextColumn,
    /// Whether some numbers are places in the dictionary.
    has_few: bool,
}

impl TemplateGroup {
    /// The texts of some rows.
    pub fn read(&self, rows: Range<usize>) -> Result<TextColumn> {
        let mut out = TextColumn::with_capacity(rows.len(), 0);
        let mut ranks = self.rows()?.ranks_within(rows.clone());
        for first in rows.clone().step_by(ROWS) {
            self.write_rows(ranks.by_ref().take(ROWS.min(rows.end - first)), &mut out)?;
        }
        Ok(out)
    }

    /// The texts of these rows; this is fastest if they are in order.
    pub fn read_rows(&self, rows: &[u32]) -> Result<TextColumn> {
        let mut out = TextColumn::with_capacity(rows.len(), 0);
        for rows in rows.chunks(ROWS) {
            self.write_rows(self.rows()?.ranks_of(rows).into_iter(), &mut out)?;
        }
        Ok(out)
    }

    /// The texts of rows of one template.
    pub(super) fn read_ranks(&self, template: usize, ranks: &[u32]) -> Result<TextColumn> {
        let mut out = TextColumn::with_capacity(ranks.len(), 0);
        for ranks in ranks.chunks(ROWS) {
            self.write_rows(ranks.iter().map(|&rank| (template as u16 + 1, rank)), &mut out)?;
        }
        Ok(out)
    }

    /// Appends the texts at some places and ranks.
    fn write_rows(&self, rows: impl Iterator<Item = (u16, u32)>, out: &mut TextColumn) -> Result<()> {
        let mut part_of = vec![NOWHERE; self.head.templates() + 1];
        let (mut parts, mut order) = (Vec::new(), Vec::with_capacity(ROWS));
        for (place, rank) in rows {
            let at = &mut part_of[usize::from(place)];
            if *at == NOWHERE {
                *at = parts.len() as u32;
                let template = usize::from(place).checked_sub(1);
                parts.push(PlaceRows { template, rows: 0, rank: 0, slot: 0, written: 0 });
            }
            parts[*at as usize].rows += 1;
            order.push((*at, rank));
        }
        let ranks = ranks_of(&mut parts, &order);
        let (mut values, mut slots) = (ColumnValues::default(), Vec::new());
        let [mut words, mut kept] = [StoredTexts::Words, StoredTexts::Kept].map(|of| self.text_reader(of));
        for part in &mut parts {
            part.slot = slots.len();
            let ranks = &ranks[part.rank - part.rows..part.rank];
            let Some(template) = part.template else {
                slots.push(values.take_words(0, ranks, &mut kept)?);
                continue;
            };
            for slot in 0..self.head.columns_of(template).len() {
                let column = self.column(template, slot)?;
                slots.push(self.take(column, ranks, &mut words, &mut values)?);
            }
        }
        let dictionary = self.words_of(&values)?;
        let pieces = self.head.pieces();
        out.open_row().reserve(bytes_of(&self.head, &parts) + values.words.bytes().len());
        for (at, _) in order {
            let part = &mut parts[at as usize];
            let (row, slots) = (part.written, &slots[part.slot..]);
            part.written += 1;
            let out_row = out.open_row();
            match part.template {
                None => write_slot(&slots[0], row, &values, dictionary, out_row),
                Some(template) => {
                    let mut piece = self.head.pieces_of(template).start;
                    copy(pieces, piece, out_row);
                    for slot in &slots[..self.head.columns_of(template).len()] {
                        write_slot(slot, row, &values, dictionary, out_row);
                        piece += 1;
                        copy(pieces, piece, out_row);
                    }
                }
            }
            out.end_row();
        }
        Ok(())
    }

    /// The dictionary, if some of these values are places in it.
    pub(super) fn words_of(&self, values: &ColumnValues) -> Result<&TextColumn> {
        static NONE: LazyLock<TextColumn> = LazyLock::new(TextColumn::default);
        if values.has_few { self.dictionary() } else { Ok(&NONE) }
    }

    pub(super) fn take(
        &self,
        OpenColumn { column, bytes }: OpenColumn<'_>,
        ranks: &[u32],
        words: &mut TextReader<'_>,
        values: &mut ColumnValues,
    ) -> Result<SlotSource> {
        Ok(match column {
            SlotColumn::Number { kind, lengths, low, high } => {
                let low = values.take(bytes, low, ranks);
                let lengths = match lengths {
                    // A decimal number is written without leading zeros.
                    Lengths::Natural if *kind == VariableKind::Decimal => LengthSource::Fixed(0),
                    Lengths::Natural => {
                        let start = values.numbers.len();
                        values.numbers.extend_from_within(low..low + ranks.len());
                        values.numbers[start..].iter_mut().for_each(|low| *low = kind.digits(*low) as u64);
                        LengthSource::Each(start)
                    }
                    Lengths::Fixed(length) => LengthSource::Fixed(*length),
                    Lengths::Each(each) => LengthSource::Each(values.take(bytes, each, ranks)),
                };
                let high = high.as_ref().map(|high| values.take(bytes, high, ranks));
                SlotSource::Number { kind: *kind, lengths, low, high }
            }
            SlotColumn::Address(places) => {
                let start = values.take(bytes, places, ranks);
                let addresses = self.addresses()?;
                for place in &mut values.numbers[start..] {
                    let address = addresses.get(*place as usize);
                    *place = u64::from(*address.ok_or(DecodeError::Large("the place of an address"))?);
                }
                SlotSource::Address(start)
            }
            SlotColumn::Few(places) => {
                let start = values.take(bytes, places, ranks);
                let is_known = |place: &u64| *place < self.head.dictionary.len() as u64;
                if !values.numbers[start..].iter().all(is_known) {
                    return Err(DecodeError::Large("the place of a word"));
                }
                values.has_few = true;
                SlotSource::Few(start)
            }
            SlotColumn::Many(first) => values.take_words(*first, ranks, words)?,
        })
    }
}

#[inline]
pub(super) fn write_slot(
    slot: &SlotSource,
    row: usize,
    values: &ColumnValues,
    dictionary: &TextColumn,
    out: &mut Vec<u8>,
) {
    let numbers = &values.numbers;
    match slot {
        SlotSource::Number { kind, lengths, low, high } => {
            let low = numbers[low + row];
            let length = match lengths {
                LengthSource::Fixed(length) => *length,
                LengthSource::Each(each) => numbers[each + row] as usize,
            };
            match kind {
                VariableKind::Decimal if low < 10 && length < 2 => out.push(b'0' + low as u8),
                VariableKind::Decimal => write_decimal(low, length, out),
                kind => write(*kind, low, high.map_or(0, |high| numbers[high + row]), length, out),
            }
        }
        SlotSource::Address(first) => write_address(numbers[first + row] as u32, out),
        SlotSource::Few(first) => copy(dictionary, numbers[first + row] as usize, out),
        SlotSource::Words(first) => out.extend_from_slice(values.words.get(first + row)),
    }
}

impl ColumnValues {
    pub(super) fn clear(&mut self) {
        self.numbers.clear();
        self.words.truncate(0);
        self.has_few = false;
    }

    /// The number at a position.
    pub(super) fn number(&self, at: usize) -> u64 {
        self.numbers[at]
    }

    /// Adds the numbers of some ranks, and returns the position of the first one.
    fn take(&mut self, bytes: &[u8], numbers: &NumberColumn, ranks: &[u32]) -> usize {
        let start = self.numbers.len();
        let first = ranks.first().map_or(0, |rank| *rank as usize);
        // Few values are read one by one, as reading a run has a fixed cost.
        let are_neighbours = RUN_MIN <= ranks.len()
            && ranks.iter().zip(first..).all(|(rank, expected)| *rank as usize == expected);
        if are_neighbours {
            let taken = &mut self.numbers;
            numbers.for_each_run(bytes, first..first + ranks.len(), |_, run| taken.extend_from_slice(run));
        } else {
            self.numbers.extend(ranks.iter().map(|&rank| numbers.get(bytes, rank as usize)));
        }
        start
    }

    /// Adds the words of some ranks. The number of the column's first word is given.
    fn take_words(&mut self, first: usize, ranks: &[u32], words: &mut TextReader<'_>) -> Result<SlotSource> {
        let start = self.words.len();
        for &rank in ranks {
            self.words.push(words.get(first + rank as usize)?);
        }
        Ok(SlotSource::Words(start))
    }
}

/// The ranks of all parts, one part after the other; sets the end of the ranks in each part.
fn ranks_of(parts: &mut [PlaceRows], order: &[(u32, u32)]) -> Vec<u32> {
    let mut first = 0;
    for part in parts.iter_mut() {
        part.rank = first;
        first += part.rows;
    }
    let mut ranks = vec![0; order.len()];
    for &(at, rank) in order {
        let part = &mut parts[at as usize];
        ranks[part.rank] = rank;
        part.rank += 1;
    }
    ranks
}

/// The approximate number of bytes of the texts of some parts, without long words.
fn bytes_of(head: &GroupHead, parts: &[PlaceRows]) -> usize {
    let of_row = |template| {
        let key = head.keys.get(template).len();
        key + head.columns_of(template).len() * SLOT_BYTES
    };
    parts.iter().map(|part| part.rows * part.template.map_or(0, of_row)).sum()
}

/// Appends one of some texts. Most are short, so a fixed number of bytes is copied, which compiles to a few
/// instructions.
#[inline]
fn copy(texts: &TextColumn, number: usize, out: &mut Vec<u8>) {
    let (start, end) = (texts.start(number), texts.ends()[number] as usize);
    let (from, length) = (&texts.bytes()[start..], end - start);
    if length <= SHORT_BYTES
        && let Some(chunk) = from.first_chunk::<SHORT_BYTES>()
    {
        copy_chunk(chunk, length, out);
    } else if length <= 2 * SHORT_BYTES
        && let Some(chunk) = from.first_chunk::<{ 2 * SHORT_BYTES }>()
    {
        copy_chunk(chunk, length, out);
    } else {
        out.extend_from_slice(&from[..length]);
    }
}

#[inline]
fn copy_chunk<const BYTES: usize>(chunk: &[u8; BYTES], length: usize, out: &mut Vec<u8>) {
    let end = out.len() + length;
    out.extend_from_slice(chunk);
    out.truncate(end);
}

#[inline]
fn write_decimal(value: u64, length: usize, out: &mut Vec<u8>) {
    let mut text = [0; 2 * DIGITS_MAX];
    let Some((digits, _)) = text.split_first_chunk_mut() else { return };
    let length = decimal(value, length, digits).len();
    if let Some(chunk) = text[DIGITS_MAX - length..].first_chunk::<DIGITS_MAX>() {
        copy_chunk(chunk, length, out);
    }
}

#[inline]
fn write_address(address: u32, out: &mut Vec<u8>) {
    let mut text = [0; 16];
    let mut at = 0;
    for octet in address.to_be_bytes() {
        let mut digits = [0; DIGITS_MAX];
        let digits = decimal(u64::from(octet), 0, &mut digits);
        text[at..at + digits.len()].copy_from_slice(digits);
        text[at + digits.len()] = b'.';
        at += digits.len() + 1;
    }
    out.extend_from_slice(&text[..at - 1]);
}
