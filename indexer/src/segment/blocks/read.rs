//! Some columns of some rows, assembled from the sections that contain them.

use super::error::BlocksError;
use super::gather::{few_names, name_column};
use super::groups::RowGroups;
use super::layout::{
    CLOCK, HEAD, HEAD_FORM, MESSAGE, OTHER_TIME, OWN, OWN_TIME, PARTS, PID, TAIL, VALUES, of_group,
};
use super::sections::RowsOfColumn;
use super::shared::ReadScratch;
use crate::segment::column::{COLUMNS, CommonColumn, FLAGS, ORIGIN};
use crate::segment::names::NamesColumn;
use logstead_record::columns::{self, Columns};
use logstead_record::{Batch, ColumnGroup, ColumnGroups, Field, Selection, TextColumn};
use logstead_template::FieldsOfRows;
use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

impl RowGroups {
    /// Some columns of some rows of a block; the others are empty.
    pub(super) fn read(
        &self,
        rows: Range<usize>,
        groups: ColumnGroups,
        scratch: &mut ReadScratch,
    ) -> Result<Batch, BlocksError> {
        let mut columns = Columns::empty(rows.len());
        let group = self.group_of(rows.start);
        let within = rows.start - self.starts[group] as usize..rows.end - self.starts[group] as usize;
        for of in ColumnGroup::ALL.into_iter().filter(|&of| groups.has(of)) {
            match of {
                ColumnGroup::Stamps => self.read_stamps(&rows, groups, scratch, &mut columns)?,
                ColumnGroup::Names => self.read_names_of(&rows, None, groups, scratch, &mut columns)?,
                ColumnGroup::Message => {
                    let texts = self.reuse(scratch, MESSAGE, group, || self.messages(group))?;
                    columns.texts[columns::MESSAGE] = texts.read(within.clone())?.into();
                }
                ColumnGroup::Pid => {
                    self.read_texts(PID, group, &within, scratch, &mut columns.texts[columns::PID])?
                }
                ColumnGroup::Fields if self.bundle.has(&of_group(PARTS, group)) => {
                    let all = Selection::all(within.len());
                    let messages = match groups.has(ColumnGroup::Message) {
                        true => Arc::clone(&columns.texts[columns::MESSAGE]),
                        false => self.messages_with_fields(group, &within, &all, scratch)?.into(),
                    };
                    self.read_parts(group, &within, &all, &messages, scratch, &mut columns)?;
                }
                ColumnGroup::Fields => {}
                ColumnGroup::Head => {
                    let forms = self.reuse(scratch, HEAD_FORM, 0, || self.bytes_column(HEAD_FORM))?;
                    columns.bytes[columns::HEAD_FORM] = byte_values(&forms, &forms.ids_of(rows.clone()));
                    self.read_texts(HEAD, group, &within, scratch, &mut columns.texts[columns::HEAD])?;
                    self.read_texts(TAIL, group, &within, scratch, &mut columns.texts[columns::TAIL])?;
                }
            }
        }
        Ok(Batch::from_columns(columns)?)
    }

    /// The same columns, but only for some of these rows.
    pub(super) fn read_some(
        &self,
        rows: Range<usize>,
        picked: &Selection,
        groups: ColumnGroups,
        scratch: &mut ReadScratch,
    ) -> Result<Batch, BlocksError> {
        if picked.count() == rows.len() {
            return self.read(rows, groups, scratch);
        }
        let group = self.group_of(rows.start);
        let first = rows.start - self.starts[group] as usize;
        let has_parts = groups.has(ColumnGroup::Fields) && self.bundle.has(&of_group(PARTS, group));
        if !groups.has(ColumnGroup::Message) && !has_parts {
            return Ok(self.read(rows, groups, scratch)?.take(picked));
        }
        let others = groups.without(ColumnGroup::Message).without(ColumnGroup::Names);
        let others = if has_parts { others.without(ColumnGroup::Fields) } else { others };
        let mut columns = self.read(rows.clone(), others, scratch)?.take(picked).columns().clone();
        if groups.has(ColumnGroup::Names) {
            self.read_names_of(&rows, Some(picked), groups, scratch, &mut columns)?;
        }
        let within = first..first + rows.len();
        let messages = if groups.has(ColumnGroup::Message) {
            let texts = self.reuse(scratch, MESSAGE, group, || self.messages(group))?;
            let of_group: Vec<u32> = picked.iter().map(|row| (first + row) as u32).collect();
            Arc::new(texts.read_rows(&of_group)?)
        } else {
            self.messages_with_fields(group, &within, picked, scratch)?.into()
        };
        if has_parts {
            self.read_parts(group, &within, picked, &messages, scratch, &mut columns)?;
        }
        if groups.has(ColumnGroup::Message) {
            columns.texts[columns::MESSAGE] = messages;
        }
        Ok(Batch::from_columns(columns)?)
    }

    /// The messages of those picked rows whose fields need them, usually few. The other messages are empty.
    fn messages_with_fields(
        &self,
        group: usize,
        rows: &Range<usize>,
        picked: &Selection,
        scratch: &mut ReadScratch,
    ) -> Result<TextColumn, BlocksError> {
        let parts = self.reuse(scratch, PARTS, group, || self.parts(group))?;
        let texts = self.reuse(scratch, MESSAGE, group, || self.messages(group))?;
        let needed: Vec<u32> =
            picked.iter().map(|row| (rows.start + row) as u32).filter(|&row| parts.has_part(row)).collect();
        let read = texts.read_rows(&needed)?;
        let mut messages = TextColumn::with_capacity(picked.count(), 0);
        let (mut needed, mut read) = (needed.iter().peekable(), read.iter());
        for row in picked.iter().map(|row| (rows.start + row) as u32) {
            let message = needed.next_if_eq(&&row).and_then(|_| read.next());
            messages.push(message.unwrap_or_default());
        }
        Ok(messages)
    }

    fn read_stamps(
        &self,
        rows: &Range<usize>,
        groups: ColumnGroups,
        scratch: &mut ReadScratch,
        columns: &mut Columns,
    ) -> Result<(), BlocksError> {
        if groups.has_all(ColumnGroups::TIMES) {
            self.read_times(rows, scratch, columns)?;
        }
        if groups.has_all(ColumnGroups::PRIORITY) {
            let origins = self.reuse_column(scratch, ORIGIN, CommonColumn::Priority, rows)?;
            columns.bytes[columns::PRIORITY] = byte_values(origins.names(), &origins.ids_of(rows));
        }
        if groups.has_all(ColumnGroups::FLAGS) {
            let flags = self.reuse(scratch, FLAGS, 0, || self.column(CommonColumn::Flags))?;
            columns.bytes[columns::FLAGS] = byte_values(&flags, &flags.ids_of(rows.clone()));
        }
        Ok(())
    }

    fn read_times(
        &self,
        rows: &Range<usize>,
        scratch: &mut ReadScratch,
        columns: &mut Columns,
    ) -> Result<(), BlocksError> {
        let range = rows.start as u32..rows.end as u32;
        let clock = self.reuse(scratch, CLOCK, 0, || self.bytes_column(CLOCK))?;
        let clock = byte_values(&clock, &clock.ids_of(rows.clone()));
        let mut own = self.times.read(range.clone())?;
        let others = if clock.contains(&OTHER_TIME) {
            let others = self.reuse(scratch, OWN, 0, || self.own_times())?;
            others.read(range.clone())?
        } else {
            Vec::new()
        };
        for (at, (time, clock)) in own.iter_mut().zip(clock).enumerate() {
            match clock {
                OWN_TIME => {}
                OTHER_TIME => *time = others[at],
                _ => *time = i64::MIN,
            }
        }
        columns.times = [self.received.read(range)?, own];
        Ok(())
    }

    fn read_names_of(
        &self,
        rows: &Range<usize>,
        picked: Option<&Selection>,
        groups: ColumnGroups,
        scratch: &mut ReadScratch,
        columns: &mut Columns,
    ) -> Result<(), BlocksError> {
        for (column, section) in COLUMNS {
            let field = match column {
                CommonColumn::Names(field) => field,
                CommonColumn::Program => Field::Program,
                CommonColumn::Priority | CommonColumn::Flags => continue,
            };
            if !groups.has_all(ColumnGroups::of_names(field.number())) || !self.has_column(column) {
                continue;
            }
            // The section of the programs also contains the priorities.
            let name = if column == CommonColumn::Program { "program" } else { section };
            let names = self.reuse_column(scratch, name, column, rows)?;
            let mut ids = names.ids_of(rows);
            if let Some(picked) = picked {
                ids = picked.iter().map(|row| ids[row]).collect();
            }
            columns.names[field.number()] = name_column(names.names(), ids, field == Field::Program);
        }
        Ok(())
    }

    fn read_texts(
        &self,
        section: &'static str,
        group: usize,
        rows: &Range<usize>,
        scratch: &mut ReadScratch,
        out: &mut Arc<TextColumn>,
    ) -> Result<(), BlocksError> {
        if self.bundle.has(&of_group(section, group)) {
            let of = self.rows_of(group).len();
            let texts = self.reuse(scratch, section, group, || self.whole_texts(section, group, of))?;
            *out = texts.read(rows.clone())?.into();
        }
        Ok(())
    }

    /// The fields of some rows, given the messages of these rows.
    fn read_parts(
        &self,
        group: usize,
        rows: &Range<usize>,
        picked: &Selection,
        messages: &TextColumn,
        scratch: &mut ReadScratch,
        columns: &mut Columns,
    ) -> Result<(), BlocksError> {
        let parts = self.reuse(scratch, PARTS, group, || self.parts(group))?;
        let elsewhere = parts.elsewhere_of(rows, picked);
        let values = if elsewhere.is_empty() {
            TextColumn::default()
        } else {
            let of = parts.elsewhere();
            let values = self.reuse(scratch, VALUES, group, || self.whole_texts(VALUES, group, of))?;
            values.read_rows(&elsewhere)?
        };
        let FieldsOfRows { ends, names, values } = parts.read(rows, picked, messages, &values)?;
        columns.field_ends = ends;
        columns.field_names = few_names(&parts.names, names);
        columns.field_values = values;
        Ok(())
    }

    /// A column, for at least these rows of one group.
    fn reuse_column(
        &self,
        scratch: &mut ReadScratch,
        name: &'static str,
        column: CommonColumn,
        rows: &Range<usize>,
    ) -> Result<Arc<RowsOfColumn>, BlocksError> {
        let group = self.group_of(rows.start);
        let reused = if column.section() == ORIGIN { group } else { 0 };
        self.reuse(scratch, name, reused, || self.column_near(column, group).map(Arc::new))
    }

    /// Opens a part, or reuses it if the last block was read from it too, because the cache may be too small to keep
    /// it.
    fn reuse<T: Any + Send + Sync>(
        &self,
        scratch: &mut ReadScratch,
        section: &'static str,
        group: usize,
        read: impl FnOnce() -> Result<Arc<T>, BlocksError>,
    ) -> Result<Arc<T>, BlocksError> {
        if scratch.owner != Some(self.owner) {
            scratch.open.clear();
            scratch.owner = Some(self.owner);
        }
        let known = scratch.open.iter().position(|(of, ..)| *of == section);
        if let Some(at) = known {
            let (_, of, open) = &scratch.open[at];
            if *of == group
                && let Ok(open) = Arc::clone(open).downcast()
            {
                return Ok(open);
            }
            scratch.open.swap_remove(at);
        }
        let read = read()?;
        scratch.open.push((section, group, Arc::clone(&read) as Arc<dyn Any + Send + Sync>));
        Ok(read)
    }
}

/// The values with these ids in a column in which every value is a single byte.
fn byte_values(names: &NamesColumn, ids: &[u32]) -> Vec<u8> {
    let values: Vec<u8> =
        names.values().iter().map(|value| value.first().copied().unwrap_or_default()).chain([0]).collect();
    ids.iter().map(|&id| values[id as usize]).collect()
}
