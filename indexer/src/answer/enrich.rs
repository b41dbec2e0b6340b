//! The stages `extract` and `parse`: fields that stand in the text of another one.
//!
//! **Invariant:** an added field stands for those of its name that were there. But it never stands for a field that every
//! message has: `host` in a JSON text is passed over.

use super::pairs::{self, Pair};
use super::table::{Column, Table};
use super::value::Value;
use super::{AnswerError, Coded, Kind};
use hashbrown::{HashMap, HashSet};
use logstead_record::query::{Captures, FieldName, Format, Stage};
use logstead_record::{Batch, Field, NameColumn, Selection, TextColumn};

/// Most columns that a table gets in all.
const COLUMNS_MAX: usize = 200;

/// Where fields are found.
#[derive(Clone, Debug)]
pub(crate) struct Enrich {
    format: Format,
    from: FieldName,
}

/// What later stages look at.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    /// Names of dynamic fields; `None` for all. What a pattern names is wanted anyway.
    pub(crate) fields: Option<Vec<FieldName>>,
    /// Whether the raw bytes are wanted.
    pub(crate) raw: bool,
}

impl Wanted {
    fn wants(&self, name: &[u8]) -> bool {
        let is_name = |field: &FieldName| field.as_str().as_bytes().eq_ignore_ascii_case(name);
        self.fields.as_ref().is_none_or(|fields| fields.iter().any(is_name))
    }
}

impl Enrich {
    /// Of a stage, if it is one of these.
    pub(crate) fn of(stage: &Stage) -> Option<Enrich> {
        match stage {
            Stage::Extract { template, from } => {
                Some(Enrich { format: Format::Regex(template.captures().clone()), from: from.clone() })
            }
            Stage::Parse { format, from } => Some(Enrich { format: format.clone(), from: from.clone() }),
            _ => None,
        }
    }

    /// The fields it may add; `None` where that depends on the text.
    pub(crate) fn adds(&self) -> Option<Vec<FieldName>> {
        match &self.format {
            Format::Regex(captures) => {
                Some(captures.fields().iter().map(|(_, name)| FieldName::Dynamic(name.clone())).collect())
            }
            Format::Json | Format::KeyValue => None,
        }
    }

    /// The batch with the fields of its selected rows.
    pub(crate) fn batch(
        &self,
        batch: &Batch,
        selected: &Selection,
        logspace: &str,
        wanted: &Wanted,
    ) -> Batch {
        let coded = Coded::of_batch(batch, &self.from, logspace);
        let is_named = self.adds().is_some();
        let mut fields = FieldsBuilder::default();
        let is_wanted = |pair: &Pair| counts(pair) && (is_named || wanted.wants(&pair.0));
        for row in 0..batch.rows() {
            let text = coded.key_of_row(row).filter(|_| selected.contains(row));
            let mut pairs = text.map(|text| self.pairs(text)).unwrap_or_default();
            pairs.retain(is_wanted);
            let added: HashSet<Vec<u8>> = pairs.iter().map(|(name, _)| name.to_ascii_lowercase()).collect();
            let is_left = |(name, _): &(&[u8], &[u8])| !added.contains(&name.to_ascii_lowercase());
            pairs.iter().for_each(|(name, value)| fields.push(name, value));
            batch.fields(row).filter(is_left).for_each(|(name, value)| fields.push(name, value));
            fields.end_row();
        }
        fields.build(batch, wanted.raw)
    }

    /// The same for a table.
    pub(crate) fn table(&self, table: &mut Table) -> Result<(), AnswerError> {
        let from = table.column(&self.from)?;
        let mut at: HashMap<Vec<u8>, Option<usize>> = HashMap::new();
        for name in self.adds().into_iter().flatten() {
            at.insert(name.as_str().as_bytes().to_ascii_lowercase(), add_column(table, name.as_str()));
        }
        for row in 0..table.rows.len() {
            let mut text = Vec::new();
            table.rows[row][from].write(&mut text);
            let mut found = Vec::new();
            for (name, value) in self.pairs(&text).into_iter().filter(counts) {
                let lower = name.to_ascii_lowercase();
                let column =
                    *at.entry(lower).or_insert_with(|| add_column(table, &String::from_utf8_lossy(&name)));
                // The first value of a name counts.
                if let Some(column) = column.filter(|column| !found.contains(column)) {
                    table.rows[row][column] = Value::text(&value);
                    found.push(column);
                }
            }
        }
        table.is_open |= self.adds().is_none();
        if at.values().any(Option::is_none) {
            table
                .notes
                .push(format!("only the first {COLUMNS_MAX} columns are shown: choose some with `fields`"));
        }
        Ok(())
    }

    fn pairs(&self, text: &[u8]) -> Vec<Pair> {
        match &self.format {
            Format::Json => pairs::json(text),
            Format::KeyValue => pairs::key_value(text),
            Format::Regex(captures) => captured(captures, text),
        }
    }
}

/// Whether it is a value, of a field of its own.
fn counts((name, value): &Pair) -> bool {
    let is_known = std::str::from_utf8(name).is_ok_and(|name| Field::from_name(name).is_some());
    !value.is_empty() && !is_known
}

fn captured(captures: &Captures, text: &[u8]) -> Vec<Pair> {
    let Some(found) = captures.regex().compiled().captures(text) else { return Vec::new() };
    let pair = |(group, name): &(usize, String)| {
        found.get(*group).map(|value| (name.as_bytes().to_vec(), value.as_bytes().to_vec()))
    };
    captures.fields().iter().filter_map(pair).collect()
}

/// The column of a name, added where there is none; `None` where there are too many.
pub(crate) fn add_column(table: &mut Table, name: &str) -> Option<usize> {
    let known = table.find(&FieldName::Dynamic(name.to_owned()));
    if known.is_some() || COLUMNS_MAX <= table.columns.len() {
        return known;
    }
    table.columns.push(Column { name: name.to_owned(), kind: Kind::Text });
    table.rows.iter_mut().for_each(|row| row.push(Value::Null));
    Some(table.columns.len() - 1)
}

/// Builds the dynamic fields of a batch.
#[derive(Default)]
struct FieldsBuilder {
    ends: Vec<u32>,
    names: TextColumn,
    name_ids: Vec<u32>,
    known: HashMap<Vec<u8>, u32>,
    values: TextColumn,
}

impl FieldsBuilder {
    fn push(&mut self, name: &[u8], value: &[u8]) {
        let id = match self.known.get(name) {
            Some(&id) => id,
            None => {
                let id = self.names.len() as u32;
                self.names.push(name);
                self.known.insert(name.to_vec(), id);
                id
            }
        };
        self.name_ids.push(id);
        self.values.push(value);
    }

    fn end_row(&mut self) {
        self.ends.push(self.name_ids.len() as u32);
    }

    /// The batch with these dynamic fields instead of its own.
    fn build(self, batch: &Batch, keep_raw: bool) -> Batch {
        let mut columns = batch.columns().clone();
        columns.field_ends = self.ends;
        columns.field_names = NameColumn::from_parts(self.names, self.name_ids)
            .expect("each id is the number of a name that was pushed");
        columns.field_values = self.values;
        // A head may be written from the fields, which are others now.
        let raw = |row: usize, out: &mut Vec<u8>| batch.write_raw(row, out);
        columns.set_raw(keep_raw.then(|| Coded::written(batch.rows(), raw).values.into_owned()));
        Batch::from_columns(columns).expect("every column has a value for each row")
    }
}
