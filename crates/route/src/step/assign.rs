//! `set`, `unset`, `rename`, `tag` and `lookup`: fields get values or new names, or are removed.
//!
//! **Invariant:** a step reads all values from the message as it was before the step, so their order does not matter.

use super::change::{BatchChange, ChangeResult};
use super::fields::{FieldEdit, edited};
use crate::lookup::{Lookup, Lookups};
use logstead_config::{CheckedAction, TemplatePiece, TextTemplate, facility_of, severity_of, time_of};
use logstead_record::FieldName;
use logstead_record::{Batch, Field, Priority, Selection, Storage, TextColumn};
use std::borrow::Cow;

#[derive(Debug)]
pub(super) enum Assign {
    Set(Vec<(FieldName, TextTemplate)>),
    Unset(Vec<FieldName>),
    Rename(Vec<(FieldName, FieldName)>),
    Tag(Vec<String>),
    Lookup { table: Lookup, key: FieldName, set: Vec<String> },
}

/// A field and its new value; `None` removes the field.
type FieldValue<'b> = (Cow<'b, FieldName>, Option<Cow<'b, [u8]>>);

impl Assign {
    pub(super) fn new(action: &CheckedAction, lookups: &Lookups) -> Assign {
        match action {
            CheckedAction::Set(values) => Assign::Set(values.clone()),
            CheckedAction::Unset(fields) => Assign::Unset(fields.clone()),
            CheckedAction::Rename(names) => Assign::Rename(names.clone()),
            CheckedAction::Lookup { file, key, set } => {
                Assign::Lookup { table: lookups.get(file), key: key.clone(), set: set.clone() }
            }
            CheckedAction::Tag(tags) => Assign::Tag(tags.clone()),
            _ => Assign::Tag(Vec::new()),
        }
    }

    /// The fields kept as names whose new value depends on one other such field, together with that field: they have
    /// few new values.
    fn names(&self) -> Vec<(Field, Field, &TextTemplate)> {
        let Assign::Set(values) = self else { return Vec::new() };
        let is_name = |field: &Field| matches!(field.storage(), Storage::Name(_));
        let named = values.iter().filter_map(|(field, template)| {
            let FieldName::Known(field) = field else { return None };
            let mut read = template.pieces().iter().filter_map(|piece| match piece {
                TemplatePiece::Field(field) => Some(field),
                TemplatePiece::Text(_) => None,
            });
            let by = match (read.next(), read.next()) {
                (None, _) => *field,
                (Some(FieldName::Known(by)), None) => *by,
                _ => return None,
            };
            [*field, by].iter().all(is_name).then_some((*field, by, template))
        });
        named.collect()
    }

    /// The new values for a message; `None` if they cannot be determined.
    fn values<'b>(&'b self, batch: &'b Batch, row: usize) -> Option<Vec<FieldValue<'b>>> {
        Some(match self {
            Assign::Unset(fields) => fields.iter().map(|field| (Cow::Borrowed(field), None)).collect(),
            Assign::Rename(names) => {
                let mut moved = Vec::new();
                for (from, to) in names {
                    let mut values: Vec<_> = batch.values(row, from).collect();
                    if values.is_empty() {
                        continue;
                    }
                    // A known field can have only one text.
                    if let (FieldName::Known(_), [_, _, ..]) = (to, values.as_slice()) {
                        let mut joined = Vec::new();
                        write_values(from, batch, row, &mut joined);
                        values = vec![Cow::Owned(joined)];
                    }
                    moved.push((Cow::Borrowed(from), None));
                    moved.extend(values.into_iter().map(|value| (Cow::Borrowed(to), Some(value))));
                }
                moved
            }
            Assign::Set(_) | Assign::Tag(_) => Vec::new(),
            Assign::Lookup { table, key, set } => {
                let table = table.load();
                let found = table.find(batch.value(row, key)?.trim_ascii())?;
                let values = set.iter().filter_map(|name| {
                    let value = found.get(name)?;
                    Some((Cow::Owned(FieldName::new(name)), Some(Cow::Owned(value.as_bytes().to_vec()))))
                });
                values.collect()
            }
        })
    }
}

impl BatchChange for Assign {
    fn change(&self, batch: &Batch, rows: &Selection) -> ChangeResult {
        if let Assign::Tag(tags) = self {
            return tag(batch, rows, tags);
        }
        let all = batch.rows();
        let mut known = KnownFieldValues::default();
        let mut failed = Selection::none(all);
        let names = self.names();
        let is_name = |field: &FieldName| names.iter().any(|(name, ..)| *field == FieldName::Known(*name));
        let others: Vec<_> = match self {
            Assign::Set(values) => values.iter().filter(|(field, _)| !is_name(field)).collect(),
            _ => Vec::new(),
        };
        let read = |row: usize, edit: &mut FieldEdit| {
            if let Assign::Set(_) = self {
                for (field, template) in &others {
                    let write = |out: &mut Vec<u8>| write_template(template, batch, row, out);
                    match field {
                        FieldName::Dynamic(name) => edit.set_with(name.as_bytes(), write),
                        FieldName::Known(field) => known.note(*field, row, write),
                    }
                }
                return;
            }
            let Some(values) = self.values(batch, row) else { return failed.insert(row) };
            for (field, value) in values {
                match field.as_ref() {
                    FieldName::Dynamic(name) => match value {
                        Some(value) => edit.set(name.as_bytes(), &value),
                        None => edit.remove(name.as_bytes()),
                    },
                    FieldName::Known(field) => known.note(*field, row, |out| {
                        out.extend_from_slice(value.as_deref().unwrap_or_default());
                    }),
                }
            }
        };
        let is_done = matches!(self, Assign::Set(_)) && others.is_empty();
        let fields = if is_done { None } else { edited(batch, rows, read) };
        let mut rewrite = batch.rewrite();
        let mut changed = Selection::none(all);
        if let Some((fields, with_fields)) = fields {
            rewrite.fields(fields);
            changed = with_fields;
        }
        for (field, by, template) in names {
            let text = |row| {
                let mut text = Vec::new();
                write_template(template, batch, row, &mut text);
                text.into()
            };
            changed.union(&rewrite.name(field, by, rows, text));
        }
        known.write(batch, &mut rewrite, &mut changed, &mut failed);
        let batch = (!changed.is_empty()).then(|| rewrite.finish());
        ChangeResult { batch, changed, failed }
    }
}

/// Rows with their new values, in the order of the rows.
#[derive(Default)]
struct RowValues {
    rows: Vec<usize>,
    values: TextColumn,
}

impl RowValues {
    fn iter(&self) -> impl Iterator<Item = (usize, &[u8])> {
        self.rows.iter().copied().zip(self.values.iter())
    }
}

/// New values of fields that every message has.
#[derive(Default)]
struct KnownFieldValues(Vec<(Field, RowValues)>);

impl KnownFieldValues {
    fn note(&mut self, field: Field, row: usize, write: impl FnOnce(&mut Vec<u8>)) {
        let at = self.0.iter().position(|(other, _)| *other == field).unwrap_or_else(|| {
            self.0.push((field, RowValues::default()));
            self.0.len() - 1
        });
        let RowValues { rows, values } = &mut self.0[at].1;
        rows.push(row);
        write(values.open_row());
        values.end_row();
    }

    fn write(
        self,
        batch: &Batch,
        rewrite: &mut logstead_record::Rewrite<'_>,
        changed: &mut Selection,
        failed: &mut Selection,
    ) {
        for (field, values) in self.0 {
            match field {
                Field::Severity | Field::Facility => {
                    for (row, value) in values.iter() {
                        match priority(field, batch.priority(row), value) {
                            Some(new) if Some(new) == batch.priority(row) => {}
                            Some(new) => {
                                rewrite.priority(row, Some(new));
                                changed.insert(row);
                            }
                            None => failed.insert(row),
                        }
                    }
                }
                Field::Time => {
                    for (row, value) in values.iter() {
                        match time_of(value) {
                            Some(new) if Some(new) == batch.own_time(row) => {}
                            Some(new) => {
                                rewrite.time(row, Some(new));
                                changed.insert(row);
                            }
                            None => failed.insert(row),
                        }
                    }
                }
                field => {
                    let mut rows = Selection::none(batch.rows());
                    let is_new = |(row, value): &(usize, &[u8])| batch.text(field, *row) != *value;
                    values.iter().filter(is_new).for_each(|(row, _)| rows.insert(row));
                    if rows.is_empty() {
                        continue;
                    }
                    let mut values = values.iter().filter(|(row, _)| rows.contains(*row));
                    rewrite.text(field, &rows, |_| values.next().map_or(&b""[..], |(_, value)| value));
                    changed.union(&rows);
                }
            }
        }
    }
}

/// The priority with one half replaced.
fn priority(field: Field, old: Option<Priority>, value: &[u8]) -> Option<Priority> {
    let old = old.unwrap_or(Priority::DEFAULT);
    match field {
        Field::Severity => Some(Priority::of(old.facility(), severity_of(value)?)),
        _ => Some(Priority::of(facility_of(value)?, old.severity())),
    }
}

/// The values set by a step that do not fit their fields, with these fields.
pub fn unfit(action: &CheckedAction, batch: &Batch, row: usize) -> Vec<(Field, String)> {
    let CheckedAction::Set(values) = action else { return Vec::new() };
    let text = |(field, template): &(FieldName, TextTemplate)| {
        let FieldName::Known(field) = field else { return None };
        let mut text = Vec::new();
        write_template(template, batch, row, &mut text);
        let text = String::from_utf8_lossy(&text).into_owned();
        (!logstead_config::fits(*field, &text)).then_some((*field, text))
    };
    values.iter().filter_map(text).collect()
}

/// Adds the values of the field `tags` that are missing.
fn tag(batch: &Batch, rows: &Selection, tags: &[String]) -> ChangeResult {
    const TAGS: &[u8] = b"tags";
    let fields = edited(batch, rows, |row, edit: &mut FieldEdit| {
        let has = |tag: &str| {
            batch.fields(row).any(|(name, value)| name.eq_ignore_ascii_case(TAGS) && value == tag.as_bytes())
        };
        tags.iter().filter(|tag| !has(tag)).for_each(|tag| edit.add(TAGS, tag.as_bytes()));
    });
    let Some((fields, changed)) = fields else { return ChangeResult::nothing(batch.rows()) };
    let mut rewrite = batch.rewrite();
    rewrite.fields(fields);
    ChangeResult { batch: Some(rewrite.finish()), changed, failed: Selection::none(batch.rows()) }
}

/// Appends the text of the template for a row.
fn write_template(template: &TextTemplate, batch: &Batch, row: usize, out: &mut Vec<u8>) {
    for piece in template.pieces() {
        match piece {
            TemplatePiece::Text(text) => out.extend_from_slice(text.as_bytes()),
            TemplatePiece::Field(field) => write_values(field, batch, row, out),
        }
    }
}

/// Appends all values of a field, with `, ` between them.
fn write_values(field: &FieldName, batch: &Batch, row: usize, out: &mut Vec<u8>) {
    for (number, value) in batch.values(row, field).enumerate() {
        if 0 < number {
            out.extend_from_slice(b", ");
        }
        out.extend_from_slice(&value);
    }
}
