//! A column as an answer uses it: its values, and for each row the number of its value. A decision about a value is
//! made once for all rows that have it.
//!
//! Values are in their [key form](super::value). A row shows only its first value that is not empty, but can be
//! counted or grouped by several different ones.
//!
//! **Invariant:** a value is absent if its id has none, or if its text is empty.

use super::value::{severity_key, time_key};
use hashbrown::HashMap;
use logstead_record::FieldName;
use logstead_record::columns::PRIORITY;
use logstead_record::{Batch, Field, Flags, NameColumn, Priority, PriorityHalf, Storage, TextColumn};
use std::borrow::Cow;
use std::ops::Range;

/// Values, possibly with duplicates, and an id for each row.
#[derive(Clone, Debug, Default)]
pub struct CodedColumn<'a> {
    /// The values in key form.
    pub values: Cow<'a, TextColumn>,
    /// The id of each row's value; `values.len()` if it has none.
    pub ids: Cow<'a, [u32]>,
    /// The ids that an id stands for, if there is more than one.
    pub several: HashMap<u32, Range<u32>>,
}

impl<'a> CodedColumn<'a> {
    /// The values of a field of a batch's messages.
    pub fn of_batch(batch: &'a Batch, field: &FieldName, logspace: &str) -> CodedColumn<'a> {
        let columns = batch.columns();
        let field = match field {
            FieldName::Known(field) => *field,
            FieldName::Dynamic(name) => return CodedColumn::of_dynamic(batch, name),
        };
        match field.storage() {
            Storage::Name(number) => CodedColumn::of_names(&columns.names[number]),
            Storage::Text(number) => CodedColumn::of_texts(&columns.texts[number]),
            Storage::Priority(_) => CodedColumn::of_all_codes(field, &columns.bytes[PRIORITY]),
            Storage::Flags => CodedColumn::of_all_codes(field, columns.flags()),
            Storage::Time => CodedColumn::of_times((0..batch.rows()).map(|row| batch.time(row).nanos())),
            Storage::Received => CodedColumn::of_times(columns.received().iter().copied()),
            Storage::Raw => {
                let write = |row: usize, out: &mut Vec<u8>| batch.write_raw(row, out);
                CodedColumn::written(batch.rows(), write)
            }
            Storage::Logspace => CodedColumn::constant(logspace, batch.rows()),
        }
    }

    /// A column with a text for each row.
    pub(crate) fn of_texts(texts: &'a TextColumn) -> CodedColumn<'a> {
        CodedColumn { ids: ids_of_rows(texts.len()), values: Cow::Borrowed(texts), ..CodedColumn::default() }
    }

    /// A column of names.
    pub(crate) fn of_names(names: &'a NameColumn) -> CodedColumn<'a> {
        CodedColumn {
            values: Cow::Borrowed(names.values()),
            ids: Cow::Borrowed(names.ids()),
            ..CodedColumn::default()
        }
    }

    /// A column of severities, facilities or flags, from the bytes that stand for them.
    pub fn of_codes(
        field: Field,
        codes: impl IntoIterator<Item = u8>,
        ids: Cow<'a, [u32]>,
    ) -> CodedColumn<'a> {
        let mut values = TextColumn::default();
        for code in codes {
            write_code(field, code, values.open_row());
            values.end_row();
        }
        let coded = CodedColumn { values: Cow::Owned(values), ids, ..CodedColumn::default() };
        if field == Field::Flag { coded.with_lists() } else { coded }
    }

    fn of_all_codes(field: Field, codes: &[u8]) -> CodedColumn<'a> {
        CodedColumn::of_codes(field, 0..=u8::MAX, codes.iter().map(|&code| u32::from(code)).collect())
    }

    /// A column with a time for each row.
    pub(crate) fn of_times(times: impl IntoIterator<Item = i64>) -> CodedColumn<'a> {
        let mut values = TextColumn::default();
        times.into_iter().for_each(|nanos| values.push(&time_key(nanos)));
        CodedColumn { ids: ids_of_rows(values.len()), values: Cow::Owned(values), ..CodedColumn::default() }
    }

    /// A column with one text for all rows.
    pub fn constant(text: &str, rows: usize) -> CodedColumn<'a> {
        let mut values = TextColumn::default();
        values.push(text.as_bytes());
        CodedColumn { values: Cow::Owned(values), ids: Cow::Owned(vec![0; rows]), ..CodedColumn::default() }
    }

    /// A column of texts, which `write` writes for each row.
    pub fn written(rows: usize, mut write: impl FnMut(usize, &mut Vec<u8>)) -> CodedColumn<'a> {
        let mut values = TextColumn::with_capacity(rows, 0);
        for row in 0..rows {
            write(row, values.open_row());
            values.end_row();
        }
        CodedColumn { ids: ids_of_rows(rows), values: Cow::Owned(values), ..CodedColumn::default() }
    }

    /// The different non-empty values that each row's dynamic fields of this name have, in their order.
    fn of_dynamic(batch: &Batch, name: &str) -> CodedColumn<'a> {
        let columns = batch.columns();
        let (names, texts) = (&columns.field_names, &columns.field_values);
        let is_named: Vec<bool> =
            names.values().iter().map(|known| known.eq_ignore_ascii_case(name.as_bytes())).collect();
        let mut coded = CodedColumn::default();
        let mut ids = vec![u32::MAX; batch.rows()];
        if is_named.contains(&true) {
            let mut of_row: Vec<&[u8]> = Vec::new();
            for (row, id) in ids.iter_mut().enumerate() {
                let named = batch.field_range(row).filter(|&at| is_named[names.ids()[at] as usize]);
                of_row.extend(named.map(|at| texts.get(at)).filter(|text| !text.is_empty()));
                *id = coded.push_different(&mut of_row).unwrap_or(u32::MAX);
            }
        }
        let absent = coded.values.len() as u32;
        ids.iter_mut().for_each(|id| *id = (*id).min(absent));
        CodedColumn { ids: Cow::Owned(ids), ..coded }
    }

    /// The id that stands for these texts; the first of them is shown. The list is emptied.
    fn push_different(&mut self, texts: &mut Vec<&[u8]>) -> Option<u32> {
        let first = *texts.first()?;
        texts.sort_unstable();
        texts.dedup();
        let id = self.values.len() as u32;
        let values = self.values.to_mut();
        values.push(first);
        texts.drain(..).filter(|text| *text != first).for_each(|text| values.push(text));
        let end = self.values.len() as u32;
        if id + 1 < end {
            self.several.insert(id, id..end);
        }
        Some(id)
    }

    /// The column with lists split: if a value is a list with commas, its id stands for the items.
    pub(crate) fn with_lists(mut self) -> CodedColumn<'a> {
        let is_list = |id: &usize| self.values.get(*id).contains(&b',');
        let lists: Vec<usize> = (0..self.values.len()).filter(is_list).collect();
        if lists.is_empty() {
            return self;
        }
        let values = self.values.to_mut();
        // The id for rows without a value becomes that of an empty text.
        values.push(b"");
        for id in lists {
            let start = values.len() as u32;
            let list = values.get(id).to_vec();
            list.split(|&byte| byte == b',').for_each(|value| values.push(value));
            self.several.insert(id as u32, start..values.len() as u32);
        }
        self
    }

    /// The ids that an id stands for, which may be only itself.
    pub fn each(&self, id: u32) -> Range<u32> {
        self.several.get(&id).cloned().unwrap_or(id..id + 1)
    }

    /// The key that an id stands for.
    pub fn key(&self, id: u32) -> Option<&[u8]> {
        let id = id as usize;
        (id < self.values.len()).then(|| self.values.get(id)).filter(|key| !key.is_empty())
    }

    /// The key of a row.
    pub(crate) fn key_of_row(&self, row: usize) -> Option<&[u8]> {
        self.key(self.ids[row])
    }

    /// The number of ids, including the one for rows without a value.
    pub(crate) fn ids_end(&self) -> usize {
        self.values.len() + 1
    }
}

/// A column in which every row has its own value.
fn ids_of_rows<'a>(rows: usize) -> Cow<'a, [u32]> {
    (0..rows as u32).collect()
}

/// The key of a byte that stands for a severity, a facility or flags; nothing if it stands for none.
fn write_code(field: Field, code: u8, out: &mut Vec<u8>) {
    match (field.storage(), Priority::new(code)) {
        (Storage::Flags, _) => {
            for (index, name) in Flags(code).names().enumerate() {
                out.extend_from_slice(if index == 0 { b"" } else { b"," });
                out.extend_from_slice(name.as_bytes());
            }
        }
        (Storage::Priority(PriorityHalf::Severity), Some(priority)) => {
            out.extend_from_slice(&severity_key(priority.severity()));
        }
        (Storage::Priority(half), Some(priority)) => out.extend_from_slice(half.name(priority).as_bytes()),
        _ => {}
    }
}
