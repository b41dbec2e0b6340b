//! Builds a column of names: row by row, or a batch at once.

use super::layout::{ABSENT, COMPRESSED, FIRST, PACKED};
use super::planes::compressed;
use super::read::NamesColumn;
use crate::segment::packed::{PackedBuilder, PackedNumbers};
use hashbrown::{DefaultHashBuilder, HashTable};
use logstead_record::{NameColumn, TextColumn};
use std::hash::BuildHasher;
use std::ops::Range;

/// The least saving, in percent, for which rows are compressed.
const COMPRESSION_GAIN: usize = 4;
/// An entry that was not looked up yet.
const UNKNOWN: u32 = u32::MAX;

/// Builds a column.
#[derive(Default)]
pub(crate) struct NamesBuilder {
    values: TextColumn,
    known: HashTable<u32>,
    hasher: DefaultHashBuilder,
    last: usize,
    rows: PackedBuilder,
    /// The number of each value of the current batch.
    numbers: Vec<u32>,
}

/// Appends a column whose rows are compressed. Each row is the number of its value plus 1, or 0 if it has none.
pub(crate) fn write_compressed(values: &TextColumn, numbers: &[u32], out: &mut Vec<u8>) {
    write_values(COMPRESSED, values, out);
    out.extend_from_slice(&compressed(numbers));
}

fn write_values(kind: u8, values: &TextColumn, out: &mut Vec<u8>) {
    out.push(kind);
    out.extend_from_slice(&(values.len() as u32).to_le_bytes());
    values.ends().iter().for_each(|end| out.extend_from_slice(&end.to_le_bytes()));
    out.extend_from_slice(values.bytes());
}

impl NamesBuilder {
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
        self.push_numbers(&numbers, names.ids().iter().map(|&id| id as usize));
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
        self.push_numbers(&numbers, ids.iter().map(|&id| id as usize));
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
        self.push_numbers(&numbers, bytes.iter().map(|&byte| usize::from(byte)));
    }

    /// Appends a row with a value, which may be empty.
    #[cfg(test)]
    pub(super) fn push(&mut self, value: &[u8]) {
        let number = self.number(value);
        self.rows.push(number);
    }

    /// Appends rows without a value.
    #[cfg(test)]
    pub(super) fn push_absent(&mut self, rows: usize) {
        self.rows.repeat(ABSENT, rows);
    }

    /// The number of rows.
    #[cfg(test)]
    pub(super) fn rows(&self) -> usize {
        self.rows.rows()
    }

    /// Whether some row has a value.
    pub(crate) fn has_values(&self) -> bool {
        !self.values.is_empty()
    }

    /// The memory that it uses.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.values.memory_bytes() + self.known.allocation_size() + self.rows.memory_bytes()
    }

    /// Appends the column to `out`.
    pub(crate) fn finish(self, out: &mut Vec<u8>) {
        write_values(PACKED, &self.values, out);
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
        if compressed.len() * 100 < rows.len() * (100 - COMPRESSION_GAIN) {
            out[start] = COMPRESSED;
            return out.extend_from_slice(&compressed);
        }
        out.extend_from_slice(&rows);
    }

    /// The id of a value, which is added if it is new. No row has it yet.
    pub(crate) fn id_of(&mut self, value: &[u8]) -> u32 {
        self.number(value) - FIRST
    }

    fn push_numbers(&mut self, numbers: &[u32], rows: impl Iterator<Item = usize>) {
        self.rows.extend(rows.map(|id| numbers[id]));
    }

    /// The number of a value, which is added if it is new.
    fn number(&mut self, value: &[u8]) -> u32 {
        // In most rows, the value is that of the row before.
        if self.last < self.values.len() && self.values.get(self.last) == value {
            return self.last as u32 + FIRST;
        }
        let NamesBuilder { values, known, hasher, .. } = self;
        let hash = hasher.hash_one(value);
        if let Some(&id) = known.find(hash, |&id| values.get(id as usize) == value) {
            self.last = id as usize;
            return id + FIRST;
        }
        self.last = values.len();
        values.push(value);
        known.insert_unique(hash, self.last as u32, |&id| hasher.hash_one(values.get(id as usize)));
        self.last as u32 + FIRST
    }
}
