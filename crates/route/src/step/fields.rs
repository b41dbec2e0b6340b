//! Changes of the dynamic fields of some rows.

use super::change::{BatchChange, ChangeResult};
use logstead_record::{Batch, NewFields, Selection};
use std::collections::BTreeMap;

/// The changes of the fields of one row.
#[derive(Default)]
pub(super) struct FieldEdit {
    bytes: Vec<u8>,
    /// The ends of names and values in the bytes; without a value, the field is removed.
    changes: Vec<(usize, Option<usize>)>,
    /// Whether values are added beside existing ones.
    adds: bool,
}

impl FieldEdit {
    /// Sets the field to this value only.
    pub(super) fn set(&mut self, name: &[u8], value: &[u8]) {
        self.set_with(name, |out| out.extend_from_slice(value));
    }

    /// Sets the field to the value that `write` appends.
    pub(super) fn set_with(&mut self, name: &[u8], write: impl FnOnce(&mut Vec<u8>)) {
        self.bytes.extend_from_slice(name);
        let name_end = self.bytes.len();
        write(&mut self.bytes);
        self.changes.push((name_end, Some(self.bytes.len())));
    }

    /// Adds a value to those of the field.
    pub(super) fn add(&mut self, name: &[u8], value: &[u8]) {
        self.adds = true;
        self.set(name, value);
    }

    /// Removes the field.
    pub(super) fn remove(&mut self, name: &[u8]) {
        self.bytes.extend_from_slice(name);
        self.changes.push((self.bytes.len(), None));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Discards all changes.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.changes.clear();
        self.adds = false;
    }

    /// The names with their new values.
    fn changes(&self) -> impl Iterator<Item = (&[u8], Option<&[u8]>)> {
        let mut start = 0;
        self.changes.iter().map(move |&(name_end, value_end)| {
            let name = &self.bytes[start..name_end];
            start = value_end.unwrap_or(name_end);
            (name, value_end.map(|end| &self.bytes[name_end..end]))
        })
    }

    fn concerns(&self, name: &[u8]) -> bool {
        !self.adds && self.changes().any(|(other, _)| other.eq_ignore_ascii_case(name))
    }

    /// Whether the row already has exactly these values.
    fn is_as_is(&self, batch: &Batch, row: usize) -> bool {
        let is_same = |(name, value): (&[u8], Option<&[u8]>)| {
            let mut old = batch.fields(row).filter(|(other, _)| other.eq_ignore_ascii_case(name));
            match (value, old.next(), old.next()) {
                (None, None, _) => true,
                (Some(value), Some((_, old)), None) => value == old,
                _ => false,
            }
        };
        !self.adds && self.changes().all(is_same)
    }

    fn write(&self, batch: &Batch, row: usize, fields: &mut NewFields<'_>) {
        if batch.fields(row).any(|(name, _)| self.concerns(name)) {
            fields.changed();
            let left = batch.fields(row).filter(|(name, _)| !self.concerns(name));
            left.for_each(|(name, value)| fields.push(name, value));
        } else {
            fields.keep(row);
        }
        for (name, value) in self.changes() {
            if let Some(value) = value {
                fields.push(name, value);
            }
        }
    }
}

/// The fields of a batch after an edit of rows, with the rows that it changed; `None` if it changed none.
pub(super) fn edited<'b>(
    batch: &'b Batch,
    rows: &Selection,
    mut edit: impl FnMut(usize, &mut FieldEdit),
) -> Option<(NewFields<'b>, Selection)> {
    let (mut fields, mut changed) = (NewFields::of(batch), Selection::none(batch.rows()));
    let mut row_edit = FieldEdit::default();
    for row in 0..batch.rows() {
        row_edit.clear();
        if rows.contains(row) {
            edit(row, &mut row_edit);
        }
        if row_edit.is_empty() || row_edit.is_as_is(batch, row) {
            fields.keep(row);
        } else {
            changed.insert(row);
            row_edit.write(batch, row, &mut fields);
        }
        fields.end_row();
    }
    (!changed.is_empty()).then_some((fields, changed))
}

/// The number of equal messages that were dropped before a message, to be recorded in it.
#[derive(Debug)]
pub(super) struct RepeatCounts(pub(super) BTreeMap<usize, u64>);

impl BatchChange for RepeatCounts {
    fn change(&self, batch: &Batch, rows: &Selection) -> ChangeResult {
        let edit = |row: usize, edit: &mut FieldEdit| {
            if let Some(times) = self.0.get(&row) {
                edit.set(b"repeated", times.to_string().as_bytes());
            }
        };
        let Some((fields, changed)) = edited(batch, rows, edit) else {
            return ChangeResult::nothing(batch.rows());
        };
        let mut rewrite = batch.rewrite();
        rewrite.fields(fields);
        ChangeResult { batch: Some(rewrite.finish()), changed, failed: Selection::none(batch.rows()) }
    }
}
