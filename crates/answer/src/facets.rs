//! The most frequent values of fields, and the number of different values. A message with several values counts once
//! for each: the number of a value is the number of messages in which the field equals it.
//!
//! Rows are counted by the ids of their values in a vector; only the values that occur are looked up by text.

use super::value_dictionary::ValueDictionary;
use super::{CellValue, CodedColumn, Distribution, ValueKind};
use logstead_record::FieldName;
use logstead_record::{Batch, Selection};

/// Counts the values of fields.
pub struct Facets {
    needs: Vec<FieldName>,
    limit: usize,
    memory_bytes_max: usize,
    /// Whether the distribution of numbers is computed.
    numbers: bool,
    counts: Vec<FieldCounts>,
}

/// The values of one field.
#[derive(Default)]
struct FieldCounts {
    values: ValueDictionary,
    counts: Vec<u64>,
    /// The number of rows that have a value.
    rows: u64,
    /// The number of rows whose values did not fit in memory.
    left_out: u64,
}

/// The values of a field.
#[derive(Clone, PartialEq, Debug)]
pub struct Facet {
    /// The field.
    pub field: FieldName,
    /// The number of different values; at least this many if `partial` is set.
    pub distinct: u64,
    /// The number of rows that have a value.
    pub rows: u64,
    /// The most frequent values, most frequent first, and the number of rows with each.
    pub values: Vec<(CellValue, u64)>,
    /// The distribution of the numbers among all values, if requested and most values are numbers.
    pub numbers: Option<Distribution>,
    /// The reason why this is incomplete, if it is.
    pub partial: Option<String>,
}

impl Facets {
    /// Facets that count the values of these fields, and show `limit` of each.
    pub fn new(fields: Vec<FieldName>, limit: usize, memory_bytes_max: usize) -> Facets {
        let counts = fields.iter().map(|_| FieldCounts::default()).collect();
        Facets { needs: fields, limit, memory_bytes_max, numbers: false, counts }
    }

    /// The same facets, with or without the distribution of numbers.
    #[must_use]
    pub fn with_numbers(self, numbers: bool) -> Facets {
        Facets { numbers, ..self }
    }

    /// The columns that parts must have.
    pub fn needs(&self) -> &[FieldName] {
        &self.needs
    }

    /// Counts the selected rows of a batch.
    pub fn add(&mut self, batch: &Batch, selected: &Selection, logspace: &str) {
        let share = self.share();
        for (counts, field) in self.counts.iter_mut().zip(&self.needs) {
            counts.add(&CodedColumn::of_batch(batch, field, logspace), selected, share);
        }
    }

    /// Adds rows of the field with this index, given as the number of rows for each id of its values.
    pub fn add_counts(&mut self, field: usize, coded: &CodedColumn<'_>, counts: &[u64]) {
        let share = self.share();
        self.counts[field].add_counts(coded, counts.iter().copied(), share);
    }

    /// The memory that each field may use. It is the same for all, so the values that one field keeps do not depend
    /// on the others.
    fn share(&self) -> usize {
        self.memory_bytes_max / self.counts.len().max(1)
    }

    /// The values of all parts.
    pub fn finish(self) -> Vec<Facet> {
        self.so_far()
    }

    /// The values from the parts added so far.
    pub fn so_far(&self) -> Vec<Facet> {
        let counts = self.needs.iter().zip(&self.counts);
        counts.map(|(field, counts)| counts.facet(field.clone(), self.limit, self.numbers)).collect()
    }
}

impl FieldCounts {
    fn add(&mut self, coded: &CodedColumn<'_>, selected: &Selection, memory_bytes_max: usize) {
        let mut by_id = vec![0_u32; coded.ids_end()];
        if selected.is_all() {
            coded.ids.iter().for_each(|&id| by_id[id as usize] += 1);
        } else {
            selected.iter().for_each(|row| by_id[coded.ids[row] as usize] += 1);
        }
        self.add_counts(coded, by_id.into_iter().map(u64::from), memory_bytes_max);
    }

    fn add_counts(
        &mut self,
        coded: &CodedColumn<'_>,
        by_id: impl Iterator<Item = u64>,
        memory_bytes_max: usize,
    ) {
        for (id, count) in by_id.enumerate().filter(|(_, count)| 0 < *count) {
            let mut has_value = false;
            for key in coded.each(id as u32).filter_map(|id| coded.key(id)) {
                has_value = true;
                self.count(key, count, memory_bytes_max);
            }
            self.rows += if has_value { count } else { 0 };
        }
    }

    fn count(&mut self, key: &[u8], count: u64, memory_bytes_max: usize) {
        let texts_max = memory_bytes_max.saturating_sub(self.counts.capacity() * size_of::<u64>());
        match self.values.number(key, texts_max) {
            Ok(number) => {
                self.counts.resize(self.values.len(), 0);
                self.counts[number as usize] += count;
            }
            Err(_) => self.left_out += count,
        }
    }

    fn facet(&self, field: FieldName, limit: usize, with_numbers: bool) -> Facet {
        let mut numbers: Vec<u32> = (0..self.counts.len() as u32).collect();
        let rank =
            |number: &u32| (std::cmp::Reverse(self.counts[*number as usize]), self.values.get(*number));
        if limit < numbers.len() {
            numbers.select_nth_unstable_by_key(limit, rank);
            numbers.truncate(limit);
        }
        numbers.sort_unstable_by_key(rank);
        let kind = ValueKind::of(&field);
        let is_text = matches!(kind, ValueKind::Text | ValueKind::Number);
        let distribution = (with_numbers && is_text).then(|| self.distribution()).flatten();
        let value =
            |number: u32| self.values.get(number).map(|key| (kind.value(key), self.counts[number as usize]));
        Facet {
            distinct: self.values.len() as u64,
            rows: self.rows,
            numbers: distribution,
            values: numbers.into_iter().filter_map(value).collect(),
            partial: (0 < self.left_out).then(|| {
                format!(
                    "`{field}` has more distinct values than fit in the memory of a query: {left_out} messages are \
                     not counted. Narrow the filter or the time range",
                    left_out = self.left_out
                )
            }),
            field,
        }
    }

    fn distribution(&self) -> Option<Distribution> {
        let key = |number: usize| self.values.get(number as u32).unwrap_or_default();
        Distribution::of(self.counts.iter().enumerate().map(|(number, &count)| (key(number), count)))
    }
}
