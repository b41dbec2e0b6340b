//! Builds a column of names: row by row, or a batch at once.

use super::layout::{ABSENT, COMPLETE, COMPRESSED, FILLED, FIRST, PRESENCE};
use super::planes::compressed;
use super::read::NamesColumn;
use crate::segment::packed::{PackedBuilder, PackedNumbers};
use hashbrown::{DefaultHashBuilder, HashTable};
use logstead_record::{NameColumn, TextColumn};
use std::hash::BuildHasher;
use std::ops::Range;

/// The greatest number of distinct values of a column.
pub(crate) const VALUES_MAX: usize = 65_536;
/// The greatest total size of a column's distinct values in bytes.
pub(crate) const VALUE_BYTES_MAX: usize = 4 << 20;

/// The least saving, in percent, for which rows are compressed.
const COMPRESSION_GAIN: usize = 4;
/// An entry that was not looked up yet.
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
    /// The greatest number of values, and their greatest total size. Beyond it, only presence is kept.
    values_max: usize,
    value_bytes_max: usize,
    /// The number of each value of the current batch.
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
    /// A builder that keeps all values, however many there are.
    pub(crate) fn with_all_values() -> NamesBuilder {
        NamesBuilder { values_max: usize::MAX, value_bytes_max: u32::MAX as usize, ..NamesBuilder::default() }
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

    /// Appends some rows of another column that has all its values.
    pub(crate) fn push_column(&mut self, of: &NamesColumn, rows: Range<usize>) {
        let ids = of.ids_of(rows);
        let mut numbers = vec![UNKNOWN; of.values().len()];
        numbers.push(ABSENT);
        for &id in &ids {
            if numbers[id as usize] == UNKNOWN {
                numbers[id as usize] = self.number(of.values().get(id as usize));
            }
        }
        self.push_numbers(&mut numbers, ids.iter().map(|&id| id as usize));
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

    /// Drops the values: from now on only presence is kept.
    pub(crate) fn keep_presence(&mut self) {
        self.is_complete = false;
        (self.values, self.known) = Default::default();
        self.rows.cap(FIRST);
    }

    /// The number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.rows.rows()
    }

    /// Whether some row has a value, and values are kept.
    pub(crate) fn has_values(&self) -> bool {
        !self.values.is_empty()
    }

    /// Whether the values are kept.
    pub(crate) fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// The memory that it uses.
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

    /// Appends the column to `out`. Its rows are compressed if that saves enough; they can then be read only as a
    /// whole.
    pub(crate) fn finish_compressed(self, out: &mut Vec<u8>) {
        let (start, values_bytes) = (out.len(), 5 + self.values.len() * 4 + self.values.bytes().len());
        self.finish(out);
        let rows = out.split_off(start + values_bytes);
        let packed = PackedNumbers::new(&rows).expect("what was packed is unpacked");
        let mut numbers = Vec::new();
        packed.unpack_all(&mut numbers);
        let compressed = compressed(&numbers);
        if out[start] == COMPLETE && compressed.len() * 100 < rows.len() * (100 - COMPRESSION_GAIN) {
            out[start] = COMPRESSED;
            return out.extend_from_slice(&compressed);
        }
        out.extend_from_slice(&rows);
    }

    /// The id of a value, which is added if it is new. No row has it yet.
    pub(crate) fn id_of(&mut self, value: &[u8]) -> u32 {
        self.number(value) - FIRST
    }

    fn push_numbers(&mut self, numbers: &mut [u32], rows: impl Iterator<Item = usize>) {
        if !self.is_complete {
            // Some numbers may be from before the values were dropped.
            numbers.iter_mut().for_each(|number| *number = FIRST.min(*number));
        }
        self.rows.extend(rows.map(|id| numbers[id]));
    }

    /// The number of a value, which is added if it is new.
    fn number(&mut self, value: &[u8]) -> u32 {
        self.has_empty |= value.is_empty();
        if !self.is_complete {
            return FIRST;
        }
        // In most rows, the value is that of the row before.
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
