//! Columns of text: one arena of bytes for all rows, so that a search can sweep it in one pass.

use crate::bits;
use crate::selection::Selection;
use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;
use std::ops::Range;

/// A column with one text per row, stored back to back.
///
/// **Invariant:** `ends` never decreases and its last value is the arena's length.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TextColumn {
    bytes: Vec<u8>,
    ends: Vec<u32>,
}

/// A column with few distinct texts: each value once, and an id for each row.
///
/// **Invariant:** every id is below the number of values. Values are distinct.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NameColumn {
    values: TextColumn,
    ids: Vec<u32>,
}

/// A defect in the parts of a column that were read from a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ColumnError {
    /// The ends decrease or do not fit the arena.
    #[error("row ends do not fit an arena of {arena_bytes} bytes")]
    Ends {
        /// The length of the arena.
        arena_bytes: usize,
    },
    /// An id has no value.
    #[error("value {id} of {values} does not exist")]
    Id {
        /// The id.
        id: u32,
        /// The number of values.
        values: usize,
    },
    /// The form of a head is unknown: a later version wrote it.
    #[error("head form {code} is not known to this version")]
    HeadForm {
        /// Its code.
        code: u8,
    },
    /// A column has a different number of rows than the batch.
    #[error("a column has {rows} rows, and {expected} are expected")]
    Rows {
        /// The number of rows of the column.
        rows: usize,
        /// The batch's rows.
        expected: usize,
    },
}

impl TextColumn {
    /// An empty column with room for `rows` rows and `bytes` bytes.
    pub fn with_capacity(rows: usize, bytes: usize) -> TextColumn {
        TextColumn { bytes: Vec::with_capacity(bytes), ends: Vec::with_capacity(rows) }
    }

    /// Makes a column of its parts, as they are stored in a file.
    pub fn from_parts(bytes: Vec<u8>, ends: Vec<u32>) -> Result<TextColumn, ColumnError> {
        let fits = ends.is_sorted() && ends.last().map_or(0, |&end| end as usize) == bytes.len();
        if fits {
            Ok(TextColumn { bytes, ends })
        } else {
            Err(ColumnError::Ends { arena_bytes: bytes.len() })
        }
    }

    /// Appends a row.
    pub fn push(&mut self, text: &[u8]) {
        self.bytes.extend_from_slice(text);
        self.end_row();
    }

    /// The arena, to append to a row that [`TextColumn::end_row`] ends.
    pub fn open_row(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// Ends the row that was appended to through [`TextColumn::open_row`].
    pub fn end_row(&mut self) {
        let end = u32::try_from(self.bytes.len()).expect("a batch is far below 4 GiB: see BATCH_BYTES_MAX");
        self.ends.push(end);
    }

    /// Drops the rows after the first `rows`.
    pub fn truncate(&mut self, rows: usize) {
        if rows < self.len() {
            self.bytes.truncate(self.start(rows));
            self.ends.truncate(rows);
        }
    }

    /// Appends some rows of another column.
    pub fn extend(&mut self, other: &TextColumn, rows: Range<usize>) {
        let Some(last) = rows.end.checked_sub(1).filter(|_| !rows.is_empty()) else { return };
        let (start, end) = (other.start(rows.start), other.ends[last] as usize);
        let shift = self.bytes.len();
        self.bytes.extend_from_slice(&other.bytes[start..end]);
        u32::try_from(self.bytes.len()).expect("a batch is far below 4 GiB: see BATCH_BYTES_MAX");
        self.ends.extend(other.ends[rows].iter().map(|&end| (end as usize - start + shift) as u32));
    }

    /// A column with `rows` empty rows.
    pub fn empty(rows: usize) -> TextColumn {
        TextColumn { bytes: Vec::new(), ends: vec![0; rows] }
    }

    /// The text of a row.
    #[inline]
    pub fn get(&self, row: usize) -> &[u8] {
        &self.bytes[self.start(row)..self.ends[row] as usize]
    }

    /// The offset in the arena at which a row begins.
    #[inline]
    pub fn start(&self, row: usize) -> usize {
        row.checked_sub(1).map_or(0, |before| self.ends[before] as usize)
    }

    /// The row that holds a byte of the arena: `from` or a later one, most likely near it.
    pub fn row_of(&self, byte: usize, mut from: usize) -> usize {
        let is_before = |end: &u32| *end as usize <= byte;
        let mut rows = 1;
        while self.ends.get(from + rows).is_some_and(is_before) {
            (from, rows) = (from + rows, rows * 2);
        }
        let near = &self.ends[from..self.ends.len().min(from + rows)];
        from + near.partition_point(is_before)
    }

    /// The arena: all rows back to back.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The offset in the arena at which each row ends.
    pub fn ends(&self) -> &[u32] {
        &self.ends
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// All rows in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map(|row| self.get(row))
    }

    /// The rows at `rows`, in that order.
    #[must_use]
    pub fn take(&self, rows: &[usize]) -> TextColumn {
        let mut taken = TextColumn::with_capacity(rows.len(), 0);
        for &row in rows {
            taken.push(self.get(row));
        }
        taken
    }

    /// The bytes of memory that it holds.
    pub fn memory_bytes(&self) -> usize {
        self.bytes.capacity() + self.ends.capacity() * size_of::<u32>()
    }
}

impl NameColumn {
    /// Makes a column of its parts, as they are stored in a file.
    pub fn from_parts(values: TextColumn, ids: Vec<u32>) -> Result<NameColumn, ColumnError> {
        match ids.iter().find(|&&id| values.len() <= id as usize) {
            Some(&id) => Err(ColumnError::Id { id, values: values.len() }),
            None => Ok(NameColumn { values, ids }),
        }
    }

    /// A column with `rows` empty rows.
    pub fn empty(rows: usize) -> NameColumn {
        NameColumn { values: TextColumn::empty(1), ids: vec![0; rows] }
    }

    /// A column in which `rows` rows have the first of these values.
    pub(crate) fn repeated(values: TextColumn, rows: usize) -> NameColumn {
        NameColumn { values, ids: vec![0; rows] }
    }

    /// A column with one row for each of these distinct values.
    pub fn of_values(values: TextColumn) -> NameColumn {
        NameColumn { ids: (0..values.len() as u32).collect(), values }
    }

    /// The text of a row.
    #[inline]
    pub fn get(&self, row: usize) -> &[u8] {
        self.values.get(self.ids[row] as usize)
    }

    /// The distinct values. Not every value needs to be used by a row.
    pub fn values(&self) -> &TextColumn {
        &self.values
    }

    /// The id of each row's value.
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The rows of `within` that have one of the accepted values.
    pub fn rows_of(&self, accepted: &Selection, within: &Selection) -> Selection {
        if accepted.is_empty() {
            return Selection::none(within.rows());
        }
        // Looking up a byte is faster than looking up a bit.
        let mut is_accepted = vec![0; self.values.len()];
        accepted.iter().for_each(|id| is_accepted[id] = 1);
        let rows_of_word = |(&wanted, ids): (&u64, &[u32])| {
            if wanted == 0 {
                return 0;
            }
            let mut found = [0; 64];
            found.iter_mut().zip(ids).for_each(|(found, &id)| *found = is_accepted[id as usize]);
            wanted & bits::gather(&found)
        };
        let words = within.words().iter().zip(self.ids.chunks(64)).map(rows_of_word);
        Selection::from_words(within.rows(), words.collect())
    }

    /// The rows at `rows`, in that order, with only the values they use.
    #[must_use]
    pub fn take(&self, rows: &[usize]) -> NameColumn {
        let mut new_ids = vec![u32::MAX; self.values.len()];
        let mut taken = NameColumn::default();
        for &row in rows {
            let id = self.ids[row] as usize;
            if new_ids[id] == u32::MAX {
                new_ids[id] = taken.values.len() as u32;
                taken.values.push(self.values.get(id));
            }
            taken.ids.push(new_ids[id]);
        }
        taken
    }

    /// The bytes of memory that it holds.
    pub fn memory_bytes(&self) -> usize {
        self.values.memory_bytes() + self.ids.capacity() * size_of::<u32>()
    }
}

/// Builds a [`NameColumn`], and finds the ids of values that are already in it.
#[derive(Default)]
pub(crate) struct NameColumnBuilder {
    column: NameColumn,
    known: HashTable<u32>,
    hasher: DefaultHashBuilder,
    last: u32,
}

impl NameColumnBuilder {
    /// Room for this many rows.
    pub(crate) fn with_capacity(rows: usize) -> NameColumnBuilder {
        let column = NameColumn { values: TextColumn::default(), ids: Vec::with_capacity(rows) };
        NameColumnBuilder { column, ..NameColumnBuilder::default() }
    }

    /// Appends a row.
    pub(crate) fn push(&mut self, value: &[u8]) {
        let id = self.id(value);
        self.column.ids.push(id);
    }

    /// Appends a row with the id that [`NameColumnBuilder::id`] gave.
    pub(crate) fn push_id(&mut self, id: u32) {
        self.column.ids.push(id);
    }

    /// Appends empty rows until there are this many.
    pub(crate) fn fill(&mut self, rows: usize) {
        if self.len() < rows {
            let none = self.id(b"");
            self.column.ids.resize(rows, none);
        }
    }

    /// Whether an id has this value.
    pub(crate) fn is(&self, id: u32, value: &[u8]) -> bool {
        let values = &self.column.values;
        (id as usize) < values.len() && same(values.get(id as usize), value)
    }

    /// The number of distinct values.
    pub(crate) fn values(&self) -> usize {
        self.column.values.len()
    }

    /// The id of a value, which is added if it is new.
    pub(crate) fn id(&mut self, value: &[u8]) -> u32 {
        let NameColumnBuilder { column: NameColumn { values, .. }, known, hasher, last } = self;
        // In most rows, the value is that of the row before.
        if (*last as usize) < values.len() && same(values.get(*last as usize), value) {
            return *last;
        }
        let hash = hasher.hash_one(value);
        let entry = known.entry(
            hash,
            |&id| same(values.get(id as usize), value),
            |&id| hasher.hash_one(values.get(id as usize)),
        );
        *last = *entry
            .or_insert_with(|| {
                values.push(value);
                values.len() as u32 - 1
            })
            .get();
        *last
    }

    /// The id of a value that is already in the column.
    pub(crate) fn find(&self, value: &[u8]) -> Option<u32> {
        let values = &self.column.values;
        let hash = self.hasher.hash_one(value);
        self.known.find(hash, |&id| same(values.get(id as usize), value)).copied()
    }

    /// Appends some rows of another column. `new_ids` is a buffer.
    pub(crate) fn extend(&mut self, other: &NameColumn, rows: Range<usize>, new_ids: &mut Vec<u32>) {
        new_ids.clear();
        new_ids.resize(other.values.len(), u32::MAX);
        self.column.ids.reserve(rows.len());
        for &id in &other.ids[rows] {
            let new_id = &mut new_ids[id as usize];
            if *new_id == u32::MAX {
                *new_id = self.id(other.values.get(id as usize));
            }
            self.column.ids.push(*new_id);
        }
    }

    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        self.column.ids.len()
    }

    /// The rows so far.
    pub(crate) fn column(&self) -> &NameColumn {
        &self.column
    }

    /// Drops the rows after the first `rows`; their values stay.
    pub(crate) fn truncate(&mut self, rows: usize) {
        self.column.ids.truncate(rows);
    }

    /// The column of rows with ids that [`NameColumnBuilder::id`] gave.
    pub(crate) fn finish_with(mut self, ids: Vec<u32>) -> NameColumn {
        self.column.ids = ids;
        self.column
    }

    /// The finished column; the builder is empty afterwards and keeps its table's memory.
    pub(crate) fn finish(&mut self) -> NameColumn {
        self.known.clear();
        self.last = 0;
        std::mem::take(&mut self.column)
    }
}

/// Whether two short texts are equal, compared in words of eight bytes. It is called three to five times for every
/// message; with `memcmp`, whose masked vector loads stall here, parsing takes half as long again (measured: 290
/// against 198 ns per message).
fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let (a, b) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    a.0.iter().zip(b.0).all(|(a, b)| u64::from_le_bytes(*a) == u64::from_le_bytes(*b))
        && a.1.iter().zip(b.1).all(|(a, b)| a == b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_dictionary_has_each_value_once(rows in proptest::collection::vec("[ab]{0,20}", 0..60)) {
            let mut builder = NameColumnBuilder::default();
            rows.iter().for_each(|row| builder.push(row.as_bytes()));
            let column = builder.finish();
            prop_assert!(rows.iter().enumerate().all(|(row, text)| column.get(row) == text.as_bytes()));
            let distinct: std::collections::BTreeSet<&String> = rows.iter().collect();
            prop_assert_eq!(column.values().len(), distinct.len());
        }

        #[test]
        fn texts_are_the_same_when_they_are_equal(a in "[ab]{0,20}", b in "[ab]{0,20}") {
            prop_assert_eq!(same(a.as_bytes(), b.as_bytes()), a == b);
            prop_assert!(same(a.as_bytes(), a.as_bytes()));
        }
    }
}
