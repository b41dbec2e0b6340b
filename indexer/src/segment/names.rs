//! A column of names of a segment: the distinct values once, and one packed id a row.
//!
//! Everything is little endian.
//!
//! | bytes       | field       | meaning                                                            |
//! |-------------|-------------|--------------------------------------------------------------------|
//! | 1           | kind        | 0: only which rows have a value; 1: which value each row has; 2: as 0, and no value is empty; 3: as 1, with rows that are u8 the bytes of a number, and zstd of the lowest byte of all rows, then of the next |
//! | 4           | values      | how many distinct values there are; 0 for the kinds 0 and 2        |
//! | 4 a value   | ends        | where each value ends in the bytes of all                          |
//! | to last end | value bytes | the values back to back                                            |
//! | the rest    | rows        | packed numbers: 0 for a row without a value, else its value's id + 1, for the kinds 0 and 2 always 1 |
//!
//! In an index, a column of more than [`VALUES_MAX`] values, or of more than [`VALUE_BYTES_MAX`] bytes of them, is of
//! kind 0 or 2; beside messages a column always has all values. Before there was a kind 2, all of those were of kind 0.
//!
//! **Invariant:** every row of an open [`Names`] has a value that exists or none.

use super::packed::{ColumnFault, FRAME_ROWS, Packed, PackedBuilder};
use super::times::ReadRange;
use hashbrown::{DefaultHashBuilder, HashTable};
use logstead_record::{NameColumn, Selection, TextColumn};
use std::hash::BuildHasher;
use std::ops::Range;

/// Most distinct values of a column.
pub(crate) const VALUES_MAX: usize = 65_536;
/// Most bytes of a column's distinct values together.
pub(crate) const VALUE_BYTES_MAX: usize = 4 << 20;

/// Values that take no more than this may stay in memory.
const SMALL_BYTES: usize = 64 << 10;

const PRESENCE: u8 = 0;
const COMPLETE: u8 = 1;
const FILLED: u8 = 2;
const COMPRESSED: u8 = 3;
/// Rows are compressed where that saves this part of a hundred.
const COMPRESSION_GAIN: usize = 4;
const ZSTD_LEVEL: i32 = 1;
/// Among the packed numbers: no value.
const ABSENT: u32 = 0;
/// Among the packed numbers: the first value, or any where only presence is kept.
const FIRST: u32 = 1;
/// Not yet looked up.
const UNKNOWN: u32 = u32::MAX;

/// Builds a column.
pub(crate) struct NamesBuilder {
    values: TextColumn,
    known: HashTable<u32>,
    hasher: DefaultHashBuilder,
    last: usize,
    rows: PackedBuilder,
    is_complete: bool,
    has_empty: bool,
    /// Most values, and most bytes of them: with more, only which rows have one is kept.
    values_max: usize,
    value_bytes_max: usize,
    /// For the batch at hand: the number of each of its values.
    numbers: Vec<u32>,
}

impl Default for NamesBuilder {
    fn default() -> NamesBuilder {
        NamesBuilder {
            values: TextColumn::default(),
            known: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
            last: 0,
            rows: PackedBuilder::default(),
            is_complete: true,
            has_empty: false,
            values_max: VALUES_MAX,
            value_bytes_max: VALUE_BYTES_MAX,
            numbers: Vec::new(),
        }
    }
}

impl NamesBuilder {
    /// One that keeps all values, however many there are.
    pub(crate) fn with_all_values() -> NamesBuilder {
        NamesBuilder { values_max: usize::MAX, value_bytes_max: u32::MAX as usize, ..NamesBuilder::default() }
    }

    /// Appends a row with a value; an empty one means none.
    pub(crate) fn push_name(&mut self, value: &[u8]) {
        if value.is_empty() { self.push_absent(1) } else { self.push(value) }
    }

    /// Appends the rows of a batch's column. An empty text means no value.
    pub(crate) fn push_names(&mut self, names: &NameColumn) {
        let mut numbers = std::mem::take(&mut self.numbers);
        numbers.clear();
        numbers.resize(names.values().len(), UNKNOWN);
        for &id in names.ids() {
            let number = &mut numbers[id as usize];
            if *number == UNKNOWN {
                let value = names.values().get(id as usize);
                *number = if value.is_empty() { ABSENT } else { self.number(value) };
            }
        }
        self.push_numbers(&mut numbers, names.ids().iter().map(|&id| id as usize));
        self.numbers = numbers;
    }

    /// Appends rows whose values are single bytes; `absent` means no value.
    pub(crate) fn push_bytes(&mut self, bytes: &[u8], absent: Option<u8>) {
        let mut numbers = [UNKNOWN; 256];
        if let Some(absent) = absent {
            numbers[usize::from(absent)] = ABSENT;
        }
        for &byte in bytes {
            if numbers[usize::from(byte)] == UNKNOWN {
                numbers[usize::from(byte)] = self.number(&[byte]);
            }
        }
        self.push_numbers(&mut numbers, bytes.iter().map(|&byte| usize::from(byte)));
    }

    /// Appends a row with a value, which may be empty.
    pub(crate) fn push(&mut self, value: &[u8]) {
        let number = self.number(value);
        self.rows.push(number);
    }

    /// Appends rows without a value.
    pub(crate) fn push_absent(&mut self, rows: usize) {
        self.rows.repeat(ABSENT, rows);
    }

    /// Forgets the values: from now on only which rows have one is kept.
    pub(crate) fn keep_presence(&mut self) {
        self.is_complete = false;
        (self.values, self.known) = Default::default();
        self.rows.cap(FIRST);
    }

    /// How many rows there are.
    pub(crate) fn rows(&self) -> usize {
        self.rows.rows()
    }

    /// Whether the values are kept.
    pub(crate) fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Memory it holds.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.values.memory_bytes() + self.known.allocation_size() + self.rows.memory_bytes()
    }

    /// Appends the column to `out`.
    pub(crate) fn finish(self, out: &mut Vec<u8>) {
        out.push(match (self.is_complete, self.has_empty) {
            (true, _) => COMPLETE,
            (false, true) => PRESENCE,
            (false, false) => FILLED,
        });
        out.extend_from_slice(&(self.values.len() as u32).to_le_bytes());
        self.values.ends().iter().for_each(|end| out.extend_from_slice(&end.to_le_bytes()));
        out.extend_from_slice(self.values.bytes());
        self.rows.finish(out);
    }

    /// Appends the column to `out`, its rows compressed where that pays: they are then read as a whole.
    pub(crate) fn finish_compressed(self, out: &mut Vec<u8>) {
        let (start, values_bytes) = (out.len(), 5 + self.values.len() * 4 + self.values.bytes().len());
        self.finish(out);
        let rows = out.split_off(start + values_bytes);
        let packed = Packed::new(&rows).expect("what was packed is unpacked");
        let mut numbers = Vec::new();
        packed.unpack_all(&mut numbers);
        let compressed = compressed(&numbers);
        if out[start] == COMPLETE && compressed.len() * 100 < rows.len() * (100 - COMPRESSION_GAIN) {
            out[start] = COMPRESSED;
            return out.extend_from_slice(&compressed);
        }
        out.extend_from_slice(&rows);
    }

    /// The number of a value, for [`NamesBuilder::push_number`].
    pub(crate) fn number_of(&mut self, value: &[u8]) -> u32 {
        self.number(value)
    }

    /// Appends a row with the value of a number.
    pub(crate) fn push_number(&mut self, number: u32) {
        self.rows.push(number);
    }

    fn push_numbers(&mut self, numbers: &mut [u32], rows: impl Iterator<Item = usize>) {
        if !self.is_complete {
            // Some may be from before the values were forgotten.
            numbers.iter_mut().for_each(|number| *number = FIRST.min(*number));
        }
        self.rows.extend(rows.map(|id| numbers[id]));
    }

    /// The number of a value, which is added where it is new.
    fn number(&mut self, value: &[u8]) -> u32 {
        self.has_empty |= value.is_empty();
        if !self.is_complete {
            return FIRST;
        }
        // Most rows repeat the value before them.
        if self.last < self.values.len() && self.values.get(self.last) == value {
            return self.last as u32 + FIRST;
        }
        let NamesBuilder { values, known, hasher, values_max, value_bytes_max, .. } = self;
        let hash = hasher.hash_one(value);
        if let Some(&id) = known.find(hash, |&id| values.get(id as usize) == value) {
            self.last = id as usize;
            return id + FIRST;
        }
        if values.len() == *values_max || *value_bytes_max - values.bytes().len() < value.len() {
            self.keep_presence();
            return FIRST;
        }
        self.last = values.len();
        values.push(value);
        known.insert_unique(hash, self.last as u32, |&id| hasher.hash_one(values.get(id as usize)));
        self.last as u32 + FIRST
    }
}

/// A column of names.
///
/// An *id* is the place of a value in [`Names::values`]; [`Names::absent`] is the id of having none.
pub(crate) struct Names {
    values: TextColumn,
    kind: u8,
    /// Ids + 1, and 0 for none: so absence is known before all values are.
    rows: Packed,
}

/// The distinct values of a column, without its rows.
pub(crate) struct Values {
    pub(crate) texts: TextColumn,
    /// False where only which rows have a value is kept.
    pub(crate) is_complete: bool,
}

impl Values {
    /// Reads no more of a column than its values.
    pub(crate) fn read<R: ReadRange>(column: &R) -> Result<Values, R::Error> {
        let short = ColumnFault::Short { bytes: column.bytes() };
        let bytes = |range: Range<u64>| match range.end <= column.bytes() {
            true => column.read(range),
            false => Err(short.into()),
        };
        let head = bytes(0..5)?;
        let count = head[1..].first_chunk().copied().map_or(0, u32::from_le_bytes);
        let ends_end = 5 + 4 * u64::from(count);
        let ends: Vec<u32> =
            bytes(5..ends_end)?.as_chunks().0.iter().map(|&end| u32::from_le_bytes(end)).collect();
        let values_end = ends_end + ends.last().map_or(0, |&end| u64::from(end));
        let texts = TextColumn::from_parts(bytes(ends_end..values_end)?, ends).map_err(ColumnFault::from)?;
        Ok(Values { texts, is_complete: matches!(head[0], COMPLETE | COMPRESSED) })
    }

    /// Whether it costs little to keep them in memory.
    pub(crate) fn is_small(&self) -> bool {
        self.texts.memory_bytes() <= SMALL_BYTES
    }
}

impl Names {
    /// From its bytes, for a segment of `rows` rows.
    pub(crate) fn new(bytes: &[u8], rows: u32) -> Result<Names, ColumnFault> {
        let short = ColumnFault::Short { bytes: bytes.len() as u64 };
        let (&kind, rest) = bytes.split_first().ok_or(short)?;
        let (&count, rest) = rest.split_first_chunk().ok_or(short)?;
        let count = u32::from_le_bytes(count) as usize;
        let is_complete = matches!(kind, COMPLETE | COMPRESSED);
        if COMPRESSED < kind || (!is_complete && count != 0) {
            return Err(ColumnFault::Kind(kind));
        }
        let (ends, rest) = count.checked_mul(4).and_then(|ends| rest.split_at_checked(ends)).ok_or(short)?;
        let ends: Vec<u32> = ends.as_chunks().0.iter().map(|&end| u32::from_le_bytes(end)).collect();
        let value_bytes = ends.last().map_or(0, |&end| end as usize);
        let (value_bytes, packed) = rest.split_at_checked(value_bytes).ok_or(short)?;
        let values = TextColumn::from_parts(value_bytes.to_vec(), ends)?;
        let (kind, packed) = match kind {
            COMPRESSED => (COMPLETE, decompressed(packed, rows)?),
            kind => (kind, Packed::new(packed)?),
        };
        let names = Names { values, kind, rows: packed };
        names.check(rows)?;
        Ok(names)
    }

    /// The same rows with the same number of other values, which need not be distinct.
    #[must_use]
    pub(crate) fn map_values(self, map: impl FnOnce(TextColumn) -> TextColumn) -> Names {
        let count = self.values.len();
        let names = Names { values: map(self.values), ..self };
        assert_eq!(names.values.len(), count, "an id stands for a value");
        names
    }

    /// The same with its rows in another order: `order` gets a number for each row, and gives them back.
    pub(crate) fn reordered(self, order: impl FnOnce(Vec<u32>) -> Vec<u32>) -> Result<Names, ColumnFault> {
        let mut numbers = Vec::new();
        self.rows.unpack_all(&mut numbers);
        let mut builder = PackedBuilder::default();
        builder.extend(order(numbers).into_iter());
        let mut bytes = Vec::new();
        builder.finish(&mut bytes);
        Ok(Names { rows: Packed::new(&bytes)?, ..self })
    }

    /// The distinct values; none where only presence is kept.
    pub(crate) fn values(&self) -> &TextColumn {
        &self.values
    }

    /// Whether the values are kept, and not only which rows have one.
    pub(crate) fn is_complete(&self) -> bool {
        self.kind == COMPLETE
    }

    /// Whether it is known that no row has an empty value, where values are not kept.
    pub(crate) fn is_filled(&self) -> bool {
        self.kind == FILLED
    }

    /// How many rows there are.
    pub(crate) fn rows(&self) -> usize {
        self.rows.rows()
    }

    /// The id of a row without a value: the number of values. Where only presence is kept it is 1, and 0
    /// is any value.
    pub(crate) fn absent(&self) -> u32 {
        if self.is_complete() { self.values.len() as u32 } else { 1 }
    }

    /// The id of each row.
    pub(crate) fn ids(&self) -> Vec<u32> {
        let mut ids = Vec::new();
        self.rows.unpack_all(&mut ids);
        let absent = self.absent();
        // None is 0, which becomes the largest number.
        ids.iter_mut().for_each(|number| *number = number.wrapping_sub(FIRST).min(absent));
        ids
    }

    /// The id of each of some rows.
    pub(crate) fn ids_of(&self, rows: Range<usize>) -> Vec<u32> {
        let absent = self.absent();
        let (first, mut numbers) = (rows.start / FRAME_ROWS, [0; FRAME_ROWS]);
        let mut ids = Vec::with_capacity(rows.len() + 2 * FRAME_ROWS);
        for frame in first..rows.end.div_ceil(FRAME_ROWS) {
            self.rows.unpack_frame(frame, &mut numbers);
            ids.extend(numbers.iter().map(|number| number.wrapping_sub(FIRST).min(absent)));
        }
        let before = rows.start - first * FRAME_ROWS;
        ids.truncate(before + rows.len());
        ids.drain(..before);
        ids
    }

    /// The rows that have a value.
    pub(crate) fn present(&self) -> Selection {
        let known = |least, largest| match (least, largest) {
            (ABSENT, ABSENT) => Some(false),
            (ABSENT, _) => None,
            _ => Some(true),
        };
        self.rows_where(known, |number| number != ABSENT)
    }

    /// The rows that have one of the `accepted` values.
    pub(crate) fn rows_with(&self, accepted: &Selection) -> Selection {
        assert_eq!(accepted.rows(), self.values.len(), "a selection of other values");
        let mut ids = accepted.iter();
        match (ids.next(), ids.next()) {
            (None, _) => Selection::none(self.rows()),
            _ if accepted.is_all() => self.present(),
            (Some(only), None) => self.rows_of(only as u32 + FIRST),
            _ => {
                let mut accepts = vec![false; self.values.len() + FIRST as usize];
                accepted.iter().for_each(|id| accepts[id + FIRST as usize] = true);
                let known = |least, largest| (least == largest).then(|| accepts[least as usize]);
                self.rows_where(known, |number| accepts[number as usize])
            }
        }
    }

    /// How many of the selected rows have each id; the last count is of those that have no value.
    pub(crate) fn counts(&self, selected: &Selection) -> Vec<u64> {
        assert_eq!(selected.rows(), self.rows(), "a selection of other rows");
        let mut counts = vec![0; self.absent() as usize + 1];
        for (frame, words) in selected.words().chunks(FRAME_ROWS / 64).enumerate() {
            self.count_frame(frame, words, &mut counts);
        }
        counts.rotate_left(FIRST as usize);
        counts
    }

    /// Memory it holds.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.values.memory_bytes() + self.rows.memory_bytes()
    }

    /// Every number of every frame must have a value, or be none.
    fn check(&self, rows: u32) -> Result<(), ColumnFault> {
        if self.rows() != rows as usize {
            return Err(ColumnFault::Rows { rows: self.rows() as u32, expected: rows });
        }
        let values = self.absent();
        let mut numbers = [0; FRAME_ROWS];
        for frame in 0..self.rows.frames() {
            if self.rows.frame_bounds(frame).1 <= values {
                continue;
            }
            self.rows.unpack_frame(frame, &mut numbers);
            let largest = numbers.iter().copied().fold(0, u32::max);
            if values < largest {
                return Err(ColumnFault::Id { id: largest - FIRST, values });
            }
        }
        Ok(())
    }

    fn rows_of(&self, wanted: u32) -> Selection {
        let known = |least, largest| match () {
            () if wanted < least || largest < wanted => Some(false),
            () if least == largest => Some(true),
            () => None,
        };
        self.rows_where(known, |number| number == wanted)
    }

    /// The rows whose number is accepted. `known` says from the least and the largest number that a frame can
    /// have whether all or none of it are.
    fn rows_where(
        &self,
        known: impl Fn(u32, u32) -> Option<bool>,
        accepts: impl Fn(u32) -> bool,
    ) -> Selection {
        let mut words = Vec::with_capacity(self.rows.frames() * (FRAME_ROWS / 64));
        let mut numbers = [0; FRAME_ROWS];
        for frame in 0..self.rows.frames() {
            let (least, largest) = self.rows.frame_bounds(frame);
            match known(least, largest) {
                Some(true) => words.extend([u64::MAX; FRAME_ROWS / 64]),
                Some(false) => words.extend([0; FRAME_ROWS / 64]),
                None => {
                    self.rows.unpack_frame(frame, &mut numbers);
                    words.extend(numbers.as_chunks().0.iter().map(|rows| word_of(rows, &accepts)));
                }
            }
        }
        words.truncate(self.rows().div_ceil(64));
        Selection::from_words(self.rows(), words)
    }

    fn count_frame(&self, frame: usize, selected: &[u64], counts: &mut [u64]) {
        let rows: u32 = selected.iter().map(|word| word.count_ones()).sum();
        if rows == 0 {
            return;
        }
        let (least, largest) = self.rows.frame_bounds(frame);
        if least == largest {
            counts[least as usize] += u64::from(rows);
            return;
        }
        let mut numbers = [0; FRAME_ROWS];
        self.rows.unpack_frame(frame, &mut numbers);
        if rows as usize == FRAME_ROWS {
            numbers.iter().for_each(|&number| counts[number as usize] += 1);
            return;
        }
        for (rows, &word) in numbers.as_chunks::<64>().0.iter().zip(selected) {
            let mut left = word;
            while left != 0 {
                counts[rows[left.trailing_zeros() as usize] as usize] += 1;
                left &= left - 1;
            }
        }
    }
}

/// Rows as planes of bytes.
fn compressed(numbers: &[u32]) -> Vec<u8> {
    let most = numbers.iter().copied().max().unwrap_or(0);
    let width = (u32::BITS - most.leading_zeros()).div_ceil(8).max(1);
    let planes: Vec<u8> = (0..width)
        .flat_map(|plane| numbers.iter().map(move |number| (number >> (8 * plane)) as u8))
        .collect();
    let mut out = vec![width as u8];
    out.extend(
        zstd::bulk::compress(&planes, ZSTD_LEVEL)
            .expect("there is room for what zstd makes of bytes in memory"),
    );
    out
}

/// The rows of a column that are compressed.
fn decompressed(rest: &[u8], rows: u32) -> Result<Packed, ColumnFault> {
    let short = ColumnFault::Short { bytes: rest.len() as u64 };
    let (&width, packed) = rest.split_first().ok_or(short)?;
    if !(1..=4).contains(&width) {
        return Err(ColumnFault::Width(width));
    }
    let (rows, width) = (rows as usize, usize::from(width));
    let planes = zstd::bulk::decompress(packed, rows * width).map_err(|_| short)?;
    if planes.len() != rows * width {
        return Err(short);
    }
    let number = |row: usize| {
        (0..width).rev().fold(0, |number, plane| number << 8 | u32::from(planes[plane * rows + row]))
    };
    let mut builder = PackedBuilder::default();
    builder.extend((0..rows).map(number));
    let mut bytes = Vec::new();
    builder.finish(&mut bytes);
    Packed::new(&bytes)
}

/// One bit for each number, the first in the lowest.
fn word_of(numbers: &[u32; 64], accepts: impl Fn(u32) -> bool) -> u64 {
    // Bytes first: so the compiler compares many numbers at once.
    let mut bytes = [0_u8; 64];
    for (byte, &number) in bytes.iter_mut().zip(numbers) {
        *byte = u8::from(accepts(number));
    }
    // The product has the lowest bits of the eight bytes side by side in its highest byte.
    let eights = bytes
        .as_chunks()
        .0
        .iter()
        .map(|&eight| u64::from_le_bytes(eight).wrapping_mul(0x0102_0408_1020_4080) >> 56);
    eights.rev().fold(0, |word, bits| word << 8 | bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use logstead_record::{Batch, BatchBuilder, Field, Origin, Row, Timestamp};
    use proptest::collection::vec;
    use proptest::prelude::*;

    type Values = Vec<Option<Vec<u8>>>;

    /// A batch whose rows have these hosts; empty where they have none.
    fn batch(hosts: &[Option<Vec<u8>>]) -> Batch {
        let mut builder = BatchBuilder::new();
        builder.origin(Origin { source: b"s", peer: b"p", received: Timestamp::from_nanos(1) });
        for host in hosts {
            builder.push(&Row::text(b"x").with(Field::Host, host.as_deref().unwrap_or_default()));
        }
        builder.seal()
    }

    fn bytes_of(builder: NamesBuilder) -> Vec<u8> {
        let mut bytes = Vec::new();
        builder.finish(&mut bytes);
        bytes
    }

    fn written(rows: &Values) -> Vec<u8> {
        let mut builder = NamesBuilder::default();
        for value in rows {
            match value {
                Some(value) => builder.push(value),
                None => builder.push_absent(1),
            }
        }
        bytes_of(builder)
    }

    fn open(builder: NamesBuilder) -> Names {
        let rows = builder.rows() as u32;
        Names::new(&bytes_of(builder), rows).unwrap()
    }

    fn values_of(names: &Names) -> Values {
        let text = |id| (id != names.absent()).then(|| names.values().get(id as usize).to_vec());
        names.ids().into_iter().map(text).collect()
    }

    /// Rows in runs, some without a value.
    fn rows() -> impl Strategy<Value = Values> {
        let value = prop_oneof![2 => Just(None), 5 => vec(97_u8..104, 1..3).prop_map(Some)];
        vec((value, prop_oneof![4 => 1_usize..4, 1 => 100_usize..400]), 0..40)
            .prop_map(|runs| runs.into_iter().flat_map(|(v, count)| std::iter::repeat_n(v, count)).collect())
    }

    /// Everything a column answers is what a look at each row gives.
    fn check(names: &Names, rows: &Values, accepted: &Selection, selected: &Selection) {
        let id_of = |value: &Vec<u8>| names.values().iter().position(|known| known == value).unwrap();
        let ids: Vec<usize> =
            rows.iter().map(|value| value.as_ref().map_or(names.absent() as usize, id_of)).collect();
        let select = |test: &dyn Fn(usize) -> bool| Selection::from_fn(rows.len(), test);
        assert_eq!(values_of(names), *rows);
        assert_eq!(names.present(), select(&|row| rows[row].is_some()));
        assert_eq!(names.rows_with(accepted), select(&|row| accepted.contains(ids[row])));
        for (id, count) in names.counts(selected).into_iter().enumerate() {
            let expected = selected.iter().filter(|&row| ids[row] == id).count();
            assert_eq!(count, expected as u64, "of {id}");
        }
    }

    #[test]
    fn a_column_of_too_many_values_keeps_which_rows_have_one() {
        let mut builder = NamesBuilder::default();
        for number in 0..VALUES_MAX {
            builder.push(&number.to_le_bytes());
        }
        assert!(builder.is_complete());
        let hosts = [Some(b"known".to_vec()), None, Some(b"last".to_vec())];
        builder.push_names(&batch(&hosts).columns().names[Field::Host.number()]);
        assert!(!builder.is_complete());
        builder.push_bytes(&[7, 255], Some(255));
        let names = open(builder);
        assert!(!names.is_complete() && names.values().is_empty());
        let absent: Vec<usize> = (0..names.rows()).filter(|&row| !names.present().contains(row)).collect();
        assert_eq!(absent, [VALUES_MAX + 1, VALUES_MAX + 4]);
        assert_eq!(names.ids()[VALUES_MAX..], [0, 1, 0, 0, 1]);
        assert_eq!(names.counts(&Selection::all(names.rows())), [VALUES_MAX as u64 + 3, 2]);
        assert!(names.rows_with(&Selection::none(0)).is_empty());
    }

    #[test]
    fn a_column_of_too_many_bytes_keeps_which_rows_have_a_value() {
        for (bytes, is_complete) in [(VALUE_BYTES_MAX - 1, true), (VALUE_BYTES_MAX, false)] {
            let mut builder = NamesBuilder::default();
            builder.push(b"x");
            builder.push(&vec![b'y'; bytes]);
            assert_eq!(open(builder).is_complete(), is_complete);
        }
    }

    #[test]
    fn a_column_without_values_knows_whether_one_may_be_empty() {
        let check = |values: &[&[u8]], is_filled: bool| {
            let mut builder = NamesBuilder::default();
            values.iter().for_each(|value| builder.push(value));
            builder.keep_presence();
            builder.push_absent(1);
            let names = open(builder);
            assert_eq!((names.is_complete(), names.is_filled()), (false, is_filled), "{values:?}");
            assert_eq!(names.present().count(), values.len());
        };
        check(&[b"a", b"b", b"a"], true);
        check(&[b"a", b""], false);
        check(&[], true);
        let mut builder = NamesBuilder::default();
        builder.push(b"a");
        builder.keep_presence();
        builder.push(b"");
        assert!(!open(builder).is_filled());
    }

    #[test]
    fn bytes_are_values() {
        let mut builder = NamesBuilder::default();
        builder.push_bytes(&[13, 255, 0, 13], Some(255));
        builder.push_bytes(&[255], None);
        let expected =
            [Some(13), None, Some(0), Some(13), Some(255)].map(|byte: Option<u8>| byte.map(|b| vec![b]));
        assert_eq!(values_of(&open(builder)), expected);
    }

    #[test]
    fn what_claims_more_than_it_holds_is_refused() {
        let check = |bytes: &[u8], rows, expected| {
            assert_eq!(Names::new(bytes, rows).err(), Some(expected), "{bytes:?}");
        };
        let one = written(&vec![Some(b"x".to_vec())]);
        check(&[], 0, ColumnFault::Short { bytes: 0 });
        check(&[1, 0xff, 0xff, 0xff, 0xff], 0, ColumnFault::Short { bytes: 5 });
        check(&[4, 0, 0, 0, 0, 0, 0, 0, 0, 0], 0, ColumnFault::Kind(4));
        check(&[3, 0, 0, 0, 0, 5, 0], 0, ColumnFault::Width(5));
        check(&[3, 0, 0, 0, 0, 1, 0], 0, ColumnFault::Short { bytes: 2 });
        check(&[2, 1, 0, 0, 0, 0, 0, 0, 0, 0], 0, ColumnFault::Kind(2));
        check(&[0, 1, 0, 0, 0, 0, 0, 0, 0, 0], 0, ColumnFault::Kind(0));
        check(&one, 2, ColumnFault::Rows { rows: 1, expected: 2 });
        let mut beyond = one;
        let number = beyond.len() - 4;
        beyond[number] = 2;
        check(&beyond, 1, ColumnFault::Id { id: 1, values: 1 });
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

        #[test]
        fn a_column_answers_as_its_rows_do(
            rows in rows(), accepted in vec(any::<bool>(), 64), selected in vec(any::<bool>(), 1..99), at_once in 1_usize..500,
        ) {
            let mut builder = NamesBuilder::default();
            rows.chunks(at_once).for_each(|hosts| builder.push_names(&batch(hosts).columns().names[Field::Host.number()]));
            let bytes = bytes_of(builder);
            prop_assert_eq!(&bytes, &written(&rows));
            let names = Names::new(&bytes, rows.len() as u32).unwrap();
            let mut builder = NamesBuilder::with_all_values();
            rows.chunks(at_once).for_each(|hosts| builder.push_names(&batch(hosts).columns().names[Field::Host.number()]));
            let mut compressed = Vec::new();
            builder.finish_compressed(&mut compressed);
            let same = Names::new(&compressed, rows.len() as u32).unwrap();
            prop_assert_eq!((same.values(), same.ids()), (names.values(), names.ids()));
            prop_assert_eq!(same.ids_of(rows.len() / 3..rows.len()), &names.ids()[rows.len() / 3..]);
            let values = names.values().len();
            let some = Selection::from_fn(rows.len(), |row| selected[row % selected.len()]);
            check(&names, &rows, &Selection::from_fn(values, |id| accepted[id]), &some);
            check(&names, &rows, &Selection::from_fn(values, |id| id == at_once % 7), &Selection::all(rows.len()));
        }

        #[test]
        fn changed_bytes_are_refused_or_are_a_sound_column(
            rows in rows(), changes in vec((any::<prop::sample::Index>(), 1..=u8::MAX), 1..40), end in any::<prop::sample::Index>(),
        ) {
            let bytes = written(&rows);
            prop_assert!(Names::new(&bytes[..end.index(bytes.len())], rows.len() as u32).is_err());
            let mut builder = NamesBuilder::with_all_values();
            rows.iter().for_each(|row| builder.push_name(row.as_deref().unwrap_or_default()));
            let mut compressed = Vec::new();
            builder.finish_compressed(&mut compressed);
            for (at, change) in &changes {
                let at = at.index(compressed.len());
                compressed[at] ^= change;
                if let Ok(names) = Names::new(&compressed, rows.len() as u32) {
                    prop_assert_eq!(names.ids().len(), rows.len());
                }
            }
            for (at, change) in changes {
                let mut changed = bytes.clone();
                changed[at.index(bytes.len())] ^= change;
                let Ok(names) = Names::new(&changed, rows.len() as u32) else { continue };
                prop_assert!(names.memory_bytes() <= 100 + bytes.len() * 12);
                prop_assert!(names.ids().iter().all(|&id| id <= names.absent()));
                let all = Selection::all(rows.len());
                prop_assert_eq!(names.counts(&all).iter().sum::<u64>(), rows.len() as u64);
                prop_assert!(names.rows_with(&Selection::all(names.values().len())).rows() == rows.len());
            }
        }
    }
}
