//! The dynamic fields of a segment: a column of names for each, found by its name in lower case.
//!
//! Fields come and go with the messages, and hostile messages can have any number of them. So there are limits on the
//! number of fields with a column, on the names remembered beyond those, and on the memory of all columns together.
//! Beyond a limit the answer becomes coarser, but never wrong: a field without a column is answered from the
//! messages.
//!
//! **Invariant:** a column knows for every row whether it has the field, and its value, unless the column keeps
//! presence only. A column of a field that some row has twice keeps presence only.

use super::names::NamesBuilder;
use hashbrown::{DefaultHashBuilder, HashTable};
use logstead_record::{Columns, TextColumn};
use std::hash::BuildHasher;

/// The greatest number of fields with a column.
pub(crate) const FIELDS_MAX: usize = 1024;
/// The greatest total size of the names of fields without a column.
pub(crate) const OTHER_BYTES_MAX: usize = 4 << 20;
/// The greatest memory of all columns together while they are built. Beyond it, the largest columns keep only the
/// presence of values.
pub(crate) const COLUMNS_BYTES_MAX: usize = 256 << 20;

/// An entry that was not looked up yet.
const UNKNOWN: u32 = u32::MAX;

/// Builds the columns of all dynamic fields.
pub(crate) struct FieldsBuilder {
    columns: Vec<NamesBuilder>,
    /// The names as first spelled, in the order of `columns`.
    names: FieldNames,
    /// The fields for which there was no column left, because there were already [`FIELDS_MAX`].
    others: FieldNames,
    others_known: bool,
    rows: usize,
    columns_bytes_max: usize,
}

/// The dynamic fields of a segment.
#[derive(Debug)]
pub(crate) struct FieldColumns {
    /// The name of each field in its first spelling, and the bytes of its column.
    pub(crate) columns: Vec<(Vec<u8>, Vec<u8>)>,
    /// The names of fields without a column, as first spelled.
    pub(crate) others: TextColumn,
    /// Whether `others` is complete; if not, any name may be that of a field.
    pub(crate) others_known: bool,
}

impl Default for FieldsBuilder {
    fn default() -> FieldsBuilder {
        FieldsBuilder {
            columns: Vec::new(),
            names: FieldNames::default(),
            others: FieldNames::default(),
            others_known: true,
            rows: 0,
            columns_bytes_max: COLUMNS_BYTES_MAX,
        }
    }
}

impl FieldsBuilder {
    /// Appends the rows of a batch.
    pub(crate) fn push_batch(&mut self, batch: &Columns) {
        let names = &batch.field_names;
        let mut columns = vec![UNKNOWN; names.values().len()];
        let mut start = 0;
        for &end in &batch.field_ends {
            for at in start..end as usize {
                let id = names.ids()[at] as usize;
                if columns[id] == UNKNOWN {
                    columns[id] = self.column_of(names.values().get(id));
                }
                if let Some(column) = self.columns.get_mut(columns[id] as usize) {
                    push(column, self.rows, batch.field_values.get(at));
                }
            }
            start = end as usize;
            self.rows += 1;
        }
        self.keep_within_memory();
    }

    /// The number of rows.
    #[cfg(test)]
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// The columns as bytes.
    pub(crate) fn finish(self) -> FieldColumns {
        let rows = self.rows;
        let columns = self.columns.into_iter().zip(self.names.spelled.iter()).map(|(mut column, name)| {
            column.push_absent(rows - column.rows());
            let mut bytes = Vec::new();
            column.finish(&mut bytes);
            (name.to_vec(), bytes)
        });
        FieldColumns {
            columns: columns.collect(),
            others: self.others.spelled,
            others_known: self.others_known,
        }
    }

    /// The number of a field's column; a number beyond all columns if it has none.
    fn column_of(&mut self, name: &[u8]) -> u32 {
        let lower = name.to_ascii_lowercase();
        if let Some(column) = self.names.find(&lower) {
            return column;
        }
        if self.columns.len() < FIELDS_MAX {
            self.columns.push(NamesBuilder::default());
            return self.names.insert(name, &lower);
        }
        if self.others.find(&lower).is_none() {
            let fits = name.len() <= OTHER_BYTES_MAX - self.others.bytes;
            if fits {
                self.others.insert(name, &lower);
            }
            self.others_known &= fits;
        }
        FIELDS_MAX as u32
    }

    /// Removes the values of the largest columns until all are within the limit.
    fn keep_within_memory(&mut self) {
        let mut bytes: usize = self.columns.iter().map(NamesBuilder::memory_bytes).sum();
        while self.columns_bytes_max < bytes {
            let complete = self.columns.iter_mut().filter(|column| column.is_complete());
            let Some(largest) = complete.max_by_key(|column| column.memory_bytes()) else { return };
            bytes -= largest.memory_bytes();
            largest.keep_presence();
            bytes += largest.memory_bytes();
        }
    }
}

/// Adds a value for `row`. The rows before it that have none are filled with missing values.
fn push(column: &mut NamesBuilder, row: usize, value: &[u8]) {
    if column.rows() <= row {
        column.push_absent(row - column.rows());
        column.push(value);
    } else if column.is_complete() {
        // The row already has a value, and a column has only one id for each row.
        column.keep_presence();
    }
}

/// Distinct names in the order in which they came.
#[derive(Default)]
struct FieldNames {
    spelled: TextColumn,
    lower: TextColumn,
    known: HashTable<u32>,
    hasher: DefaultHashBuilder,
    /// The number of bytes counted towards the limit.
    bytes: usize,
}

impl FieldNames {
    fn find(&self, lower: &[u8]) -> Option<u32> {
        let hash = self.hasher.hash_one(lower);
        self.known.find(hash, |&id| self.lower.get(id as usize) == lower).copied()
    }

    fn insert(&mut self, name: &[u8], lower: &[u8]) -> u32 {
        let FieldNames { spelled, lower: lowers, known, hasher, bytes } = self;
        let id = lowers.len() as u32;
        spelled.push(name);
        lowers.push(lower);
        let hash_of = |&id: &u32| hasher.hash_one(lowers.get(id as usize));
        known.insert_unique(hasher.hash_one(lower), id, hash_of);
        // Even a short name takes an entry in each of the vectors.
        *bytes += name.len() + 16;
        id
    }
}

#[cfg(test)]
mod tests {
    use super::super::names::NamesColumn;
    use super::*;
    use logstead_record::{Batch, BatchBuilder, Origin, Row, Timestamp};
    use proptest::collection::vec;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    type Named = Vec<(String, String)>;

    fn batch(rows: &[Named]) -> Batch {
        let mut builder = BatchBuilder::new();
        builder.origin(Origin { source: b"s", peer: b"p", received: Timestamp::from_nanos(1) });
        for fields in rows {
            fields.iter().for_each(|(name, value)| builder.field(name.as_bytes(), value.as_bytes()));
            builder.push(&Row::text(b"x"));
        }
        builder.seal()
    }

    fn field(name: &str, value: &str) -> (String, String) {
        (name.to_owned(), value.to_owned())
    }

    fn built(rows: &[Named], at_once: usize) -> FieldColumns {
        let mut builder = FieldsBuilder::default();
        rows.chunks(at_once).for_each(|rows| builder.push_batch(batch(rows).columns()));
        assert_eq!(builder.rows(), rows.len());
        builder.finish()
    }

    /// The value of each row of a column; `Some(None)` if the value is unknown.
    fn values_of(bytes: &[u8], rows: usize) -> Vec<Option<Option<String>>> {
        let column = NamesColumn::new(bytes, rows as u32).unwrap();
        let value_of = |id: u32| {
            let text = || String::from_utf8(column.values().get(id as usize).to_vec()).unwrap();
            (id != column.absent()).then(|| column.is_complete().then(text))
        };
        column.ids().into_iter().map(value_of).collect()
    }

    #[test]
    fn a_field_that_a_row_has_twice_keeps_presence_only() {
        let rows =
            [vec![field("User", "a"), field("id", "")], vec![], vec![field("user", "b"), field("USER", "c")]];
        let fields = built(&rows, 2);
        let names: Vec<&[u8]> = fields.columns.iter().map(|(name, _)| name.as_slice()).collect();
        assert_eq!(names, [&b"User"[..], b"id"]);
        assert_eq!(values_of(&fields.columns[0].1, 3), [Some(None), None, Some(None)]);
        assert_eq!(values_of(&fields.columns[1].1, 3), [Some(Some(String::new())), None, None]);
        assert!(fields.others.is_empty() && fields.others_known);
    }

    #[test]
    fn names_beyond_the_limit_are_remembered_without_a_column() {
        let mut row: Named = (0..FIELDS_MAX).map(|number| field(&format!("f{number}"), "x")).collect();
        row.extend([field("Other", "x"), field("other", "x"), field("F0", "y")]);
        let fields = built(&[row], 1);
        assert_eq!(fields.columns.len(), FIELDS_MAX);
        assert_eq!(fields.others.iter().collect::<Vec<_>>(), [b"Other"]);
        assert_eq!(values_of(&fields.columns[0].1, 1), [Some(None)]);
        assert!(fields.others_known);
    }

    #[test]
    fn names_that_are_too_many_to_remember_are_said_to_be() {
        let mut row: Named = (0..FIELDS_MAX).map(|number| field(&format!("f{number}"), "x")).collect();
        let long = "n".repeat(OTHER_BYTES_MAX - 16);
        row.push(field(&long, "x"));
        assert!(built(&[row.clone()], 1).others_known);
        row.push(field("one more", "x"));
        let fields = built(&[row], 1);
        assert!(!fields.others_known);
        assert_eq!(fields.others.len(), 1);
    }

    #[test]
    fn the_largest_columns_forget_their_values_first() {
        let rows: Vec<Named> =
            (0..2000).map(|row| vec![field("few", "x"), field("many", &format!("value {row}"))]).collect();
        let mut builder = FieldsBuilder { columns_bytes_max: 40_000, ..FieldsBuilder::default() };
        builder.push_batch(batch(&rows).columns());
        let complete: Vec<bool> = builder.columns.iter().map(NamesBuilder::is_complete).collect();
        assert_eq!(complete, [true, false]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

        #[test]
        fn a_field_has_the_values_of_its_rows(
            rows in vec(vec(("[aAbc]", "[x-z]{0,2}"), 0..3), 0..300), at_once in 1_usize..300,
        ) {
            let mut expected: BTreeMap<String, Vec<Option<Option<String>>>> = BTreeMap::new();
            for (row, fields) in rows.iter().enumerate() {
                for (name, value) in fields {
                    let column = expected.entry(name.to_lowercase()).or_insert_with(|| vec![None; rows.len()]);
                    column[row] = Some(if column[row].is_some() { None } else { Some(value.clone()) });
                }
            }
            let fields = built(&rows, at_once);
            prop_assert_eq!(fields.columns.len(), expected.len());
            for (name, bytes) in &fields.columns {
                let mut expected = expected[&String::from_utf8_lossy(name).to_lowercase()].clone();
                if expected.contains(&Some(None)) {
                    expected.iter_mut().flatten().for_each(|value| *value = None);
                }
                prop_assert_eq!(values_of(bytes, rows.len()), expected);
            }
        }
    }
}
