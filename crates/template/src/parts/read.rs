//! Opens the fields of a group.

use super::kind_spans::KindSpans;
use super::{OutlineValue, ValueEnd};
use crate::bytes::{ByteReader, DecodeError, Result};
use crate::group::{PlacedNumbers, Rows, TEXTS_MAX};
use crate::{ordered, packet, texts};
use hashbrown::HashMap;
use logstead_record::{Selection, TextColumn};
use memchr::memchr;
use std::ops::Range;
use std::sync::OnceLock;

/// The maximum number of values of all outlines.
const VALUES_MAX: usize = 1 << 24;
/// The maximum number of bytes of all outlines: a value takes two varints and two bytes.
const OUTLINES_BYTES_MAX: usize = VALUES_MAX * 12;
/// The number of rows of a chunk: the offsets before each chunk are known.
const CHUNK_ROWS: usize = 1024;

/// The fields of a group.
pub struct FieldParts {
    /// The distinct names.
    pub names: TextColumn,
    /// The values of all outlines, one after the other, and the end of each outline.
    values: Vec<OutlineValue>,
    pub(super) ends: Vec<u32>,
    /// The number of items in a row of each outline.
    pub(super) each: Vec<RowOffsets>,
    /// The kinds of rows, and the kind of each row.
    pub(super) kinds: Vec<RowKind>,
    pub(super) rows: Vec<u32>,
    /// The number of values of all kinds.
    kind_values: usize,
    /// The numbers that outlines leave open.
    pub(super) numbers: Vec<u32>,
    /// The number of items before each chunk of rows, and after the last one.
    before: Vec<RowOffsets>,
    /// The parts of templates that values are, once a column was asked for.
    pub(super) spans: OnceLock<KindSpans>,
}

/// The rows that have the same template and the same outline, so that their fields are found in the same way.
#[derive(Clone, Copy)]
pub(super) struct RowKind {
    pub(super) place: u16,
    pub(super) outline: u32,
    /// The number of rows.
    pub(super) rows: u32,
}

/// The number of items before a row.
#[derive(Clone, Copy, Default)]
pub(super) struct RowOffsets {
    values: usize,
    pub(super) elsewhere: usize,
    pub(super) numbers: usize,
}

/// The fields of some rows.
#[derive(Default)]
pub struct FieldsOfRows {
    /// The end of the fields of each row.
    pub ends: Vec<u32>,
    /// The number of the name of each field.
    pub names: Vec<u32>,
    /// The value of each field.
    pub values: TextColumn,
}

impl FieldParts {
    /// Opens the fields of rows whose messages are in these templates.
    pub fn open(bytes: &[u8], rows: &Rows) -> Result<FieldParts> {
        let mut input = ByteReader::new(bytes);
        let names = texts::TextBlocks::read(&mut input)?.all(bytes)?;
        let (values, ends) = read_outlines(&mut input, names.len())?;
        let placed = input.count(bytes.len(), "outlines of rows")?;
        let placed = PlacedNumbers::read(rows, input.take(placed)?.to_vec(), ends.len())?;
        let mut parts = FieldParts {
            names,
            values,
            ends,
            each: Vec::new(),
            kinds: Vec::new(),
            kind_values: 0,
            rows: Vec::with_capacity(rows.len()),
            numbers: Vec::new(),
            before: Vec::new(),
            spans: OnceLock::new(),
        };
        parts.sort_out(&placed, rows);
        parts.count()?;
        let numbers = parts.before.last().map_or(0, |all| all.numbers);
        ordered::read(&mut input, numbers, u64::from(u32::MAX), |number| parts.numbers.push(number as u32))?;
        input.end()?;
        Ok(parts)
    }

    /// The number of values that are not parts of a message.
    pub fn elsewhere(&self) -> usize {
        self.before.last().map_or(0, |all| all.elsewhere)
    }

    /// The row of each value that is not a part of its message.
    pub fn rows_elsewhere(&self) -> Vec<u32> {
        let mut rows = Vec::with_capacity(self.elsewhere());
        for (row, outline) in (0..).zip(self.outlines_of(0..self.rows.len())) {
            let elsewhere = self.outline(outline).iter().filter(|value| value.end == ValueEnd::Elsewhere);
            rows.extend(elsewhere.map(|_| row));
        }
        rows
    }

    /// Whether a value of a row is a part of its message.
    pub fn has_part(&self, row: u32) -> bool {
        self.outline(self.outline_of(row as usize)).iter().any(|value| value.end.is_of_part())
    }

    /// The numbers of the values in the picked rows that are not parts of a message.
    pub fn elsewhere_of(&self, rows: &Range<usize>, picked: &Selection) -> Vec<u32> {
        let mut next = self.before(rows.start).elsewhere;
        let mut found = Vec::new();
        for (at, outline) in self.outlines_of(rows.clone()).enumerate() {
            let end = next + self.each[outline as usize].elsewhere;
            if picked.contains(at) {
                found.extend(next as u32..end as u32);
            }
            next = end;
        }
        found
    }

    /// The fields of the picked rows, from their messages and from the values that are not parts of them.
    pub fn read(
        &self,
        rows: &Range<usize>,
        picked: &Selection,
        messages: &TextColumn,
        elsewhere: &TextColumn,
    ) -> Result<FieldsOfRows> {
        let mut numbers = self.numbers[self.before(rows.start).numbers..].iter().copied();
        let (mut messages, mut elsewhere) = (messages.iter(), elsewhere.iter());
        let mut fields = FieldsOfRows::default();
        for (at, outline) in self.outlines_of(rows.clone()).enumerate() {
            let values = self.outline(outline);
            if !picked.contains(at) {
                numbers.by_ref().take(self.each[outline as usize].numbers).for_each(drop);
                continue;
            }
            let (message, mut end) = (messages.next().ok_or(DecodeError::Short)?, 0);
            for value in values {
                let text = match value.end {
                    ValueEnd::Elsewhere => elsewhere.next().ok_or(DecodeError::Short)?,
                    ValueEnd::Empty => &[],
                    ends => {
                        let gap = value.gap.or_else(|| numbers.next()).ok_or(DecodeError::Short)? as usize;
                        let part = part(message, end + gap, ends, &mut numbers)?;
                        end += gap + part.len();
                        part
                    }
                };
                fields.names.push(value.name);
                fields.values.push(text);
            }
            fields.ends.push(fields.names.len() as u32);
        }
        Ok(fields)
    }

    /// A reader of the parts that a field is of messages. `at` is its position in each outline.
    pub(super) fn part_reader<'p>(&'p self, at: &'p [Option<usize>]) -> PartReader<'p> {
        PartReader { parts: self, at, row: None, before: RowOffsets::default() }
    }

    /// The memory that it takes.
    pub fn memory_bytes(&self) -> usize {
        self.names.memory_bytes()
            + size_of_val(self.values.as_slice())
            + size_of_val(self.ends.as_slice())
            + size_of_val(self.each.as_slice())
            + size_of_val(self.kinds.as_slice())
            + size_of_val(self.rows.as_slice())
            + size_of_val(self.numbers.as_slice())
            + size_of_val(self.before.as_slice())
            + KindSpans::memory_bytes(self.kind_values, self.kinds.len())
    }

    pub(super) fn outline(&self, outline: u32) -> &[OutlineValue] {
        let start = outline.checked_sub(1).map_or(0, |before| self.ends[before as usize]);
        &self.values[start as usize..self.ends[outline as usize] as usize]
    }

    fn before(&self, row: usize) -> RowOffsets {
        let chunk = row / CHUNK_ROWS;
        self.and(self.before[chunk], chunk * CHUNK_ROWS..row)
    }

    fn and(&self, before: RowOffsets, rows: Range<usize>) -> RowOffsets {
        self.outlines_of(rows).fold(before, |before, outline| before.and(self.each[outline as usize]))
    }

    /// The outline of a row.
    pub(super) fn outline_of(&self, row: usize) -> u32 {
        self.kinds[self.rows[row] as usize].outline
    }

    fn outlines_of(&self, rows: Range<usize>) -> impl Iterator<Item = u32> + '_ {
        self.rows[rows].iter().map(|&kind| self.kinds[kind as usize].outline)
    }

    /// Finds the kinds of rows, given the outline of each.
    fn sort_out(&mut self, outlines: &PlacedNumbers, rows: &Rows) {
        let mut known: HashMap<(u16, u32), u32> = HashMap::new();
        // The kind of the last row of each place, as most rows of a place have the same outline.
        let mut last = vec![u32::MAX; rows.counts().len()];
        for (&place, outline) in rows.places.iter().zip(outlines.in_rows(rows)) {
            let last = &mut last[usize::from(place)];
            if self.kinds.get(*last as usize).is_none_or(|kind| kind.outline != outline) {
                *last = *known.entry((place, outline)).or_insert(self.kinds.len() as u32);
                if *last as usize == self.kinds.len() {
                    self.kinds.push(RowKind { place, outline, rows: 0 });
                }
            }
            self.kinds[*last as usize].rows += 1;
            self.rows.push(*last);
        }
    }

    /// Counts the items of each outline, and those before each chunk.
    fn count(&mut self) -> Result<()> {
        let of = |values: &[OutlineValue]| RowOffsets {
            values: values.len(),
            elsewhere: values.iter().filter(|value| value.end == ValueEnd::Elsewhere).count(),
            numbers: values.iter().map(|value| value.numbers()).sum(),
        };
        self.each = (0..self.ends.len() as u32).map(|outline| of(self.outline(outline))).collect();
        let mut before = RowOffsets::default();
        let of_kinds: Vec<RowOffsets> =
            self.kinds.iter().map(|kind| self.each[kind.outline as usize]).collect();
        self.kind_values = of_kinds.iter().map(|of_kind| of_kind.values).sum();
        for rows in self.rows.chunks(CHUNK_ROWS) {
            self.before.push(before);
            before = rows.iter().fold(before, |before, &kind| before.and(of_kinds[kind as usize]));
            if VALUES_MAX < before.values {
                return Err(DecodeError::Large("a number of fields"));
            }
        }
        // The row after the last one can be requested, too: in a chunk that is not full, the items are counted up to
        // it.
        self.before.push(before);
        Ok(())
    }
}

/// Reads the parts that a field is of messages, whose rows are in ascending order.
pub(super) struct PartReader<'p> {
    parts: &'p FieldParts,
    at: &'p [Option<usize>],
    /// The last row, and the number of items before it.
    row: Option<usize>,
    before: RowOffsets,
}

impl PartReader<'_> {
    /// The part of the message of a row.
    pub(super) fn read<'m>(&mut self, row: u32, message: &'m [u8]) -> Result<&'m [u8]> {
        let (row, parts) = (row as usize, self.parts);
        self.before = match self.row.replace(row) {
            Some(last) => parts.and(self.before, last..row),
            None => parts.before(row),
        };
        let mut numbers = parts.numbers.iter().skip(self.before.numbers).copied();
        let outline = parts.outline_of(row);
        let end = self.at[outline as usize].ok_or(DecodeError::Short)? + 1;
        let mut found = 0..0;
        for value in parts.outline(outline)[..end].iter().filter(|value| value.end.is_of_part()) {
            let gap = value.gap.or_else(|| numbers.next()).ok_or(DecodeError::Short)? as usize;
            let start = found.end + gap;
            found = start..start + part(message, start, value.end, &mut numbers)?.len();
        }
        Ok(&message[found])
    }
}

impl RowOffsets {
    fn and(self, other: RowOffsets) -> RowOffsets {
        RowOffsets {
            values: self.values + other.values,
            elsewhere: self.elsewhere + other.elsewhere,
            numbers: self.numbers + other.numbers,
        }
    }
}

fn part<'m>(
    message: &'m [u8],
    start: usize,
    end: ValueEnd,
    numbers: &mut impl Iterator<Item = u32>,
) -> Result<&'m [u8]> {
    let beyond = || DecodeError::Large("a part of a message");
    let rest = message.get(start..).ok_or_else(beyond)?;
    let length = match end {
        ValueEnd::Before(byte) => memchr(byte, rest).ok_or_else(beyond)?,
        ValueEnd::Length => numbers.next().ok_or(DecodeError::Short)? as usize,
        _ => rest.len(),
    };
    rest.get(..length).ok_or_else(beyond)
}

fn read_outlines(input: &mut ByteReader<'_>, names: usize) -> Result<(Vec<OutlineValue>, Vec<u32>)> {
    let count = input.count(TEXTS_MAX, "a number of outlines")?;
    let bytes = input.count(OUTLINES_BYTES_MAX, "outlines")?;
    let plain = packet::read(input, bytes)?;
    let mut input = ByteReader::new(&plain);
    let (mut ends, mut end) = (Vec::with_capacity(count), 0);
    for _ in 0..count {
        end += input.count(plain.len(), "an outline")?;
        if VALUES_MAX < end {
            return Err(DecodeError::Large("a number of fields"));
        }
        ends.push(end as u32);
    }
    let mut values = Vec::with_capacity(end.min(plain.len()));
    for _ in 0..end {
        let name = input.count(names.saturating_sub(1), "a name")? as u32;
        values.push(OutlineValue { name, gap: None, end: ValueEnd::Empty });
    }
    for value in &mut values {
        let gap = input.count(u32::MAX as usize, "a gap")?;
        value.gap = gap.checked_sub(1).map(|gap| gap as u32);
    }
    for value in &mut values {
        value.end = ValueEnd::of_code(input.byte()?)?;
    }
    for value in &mut values {
        if let ValueEnd::Before(byte) = &mut value.end {
            *byte = input.byte()?;
        }
    }
    input.end()?;
    Ok((values, ends))
}
