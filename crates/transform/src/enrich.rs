//! The stages `extract`, `parse` and `eval`, which add fields to messages.
//!
//! **Invariant:** an added field replaces existing fields of its name. But it never replaces a known field: `host` in a JSON
//! text is ignored.

use hashbrown::HashSet;
use logstead_parse::Pair;
use logstead_query::{AddedFields, Captures, Cell, Expression, Stage, TextFormat};
use logstead_record::FieldName;
use logstead_record::{Batch, Field, NewFields, Selection, Storage, Timestamp};
use std::borrow::Cow;

/// A stage that adds fields.
#[derive(Clone, Debug)]
pub struct Enrich {
    source: FieldSource,
    adds: AddedFields,
    now: Timestamp,
}

#[derive(Clone, Debug)]
enum FieldSource {
    Text { format: TextFormat, from: FieldName },
    Computed(Vec<(String, Expression)>),
}

/// The fields that later stages need.
#[derive(Clone, Debug)]
pub struct WantedFields {
    /// Names of dynamic fields; `None` for all. Fields that the stage itself names are always added.
    pub fields: Option<Vec<FieldName>>,
}

impl WantedFields {
    /// All fields.
    pub const ALL: WantedFields = WantedFields { fields: None };

    fn wants(&self, name: &[u8]) -> bool {
        let is_name = |field: &FieldName| field.as_str().as_bytes().eq_ignore_ascii_case(name);
        self.fields.as_ref().is_none_or(|fields| fields.iter().any(is_name))
    }
}

impl Enrich {
    /// Makes an `Enrich` of a stage, if the stage adds fields.
    pub fn of(stage: &Stage, now: Timestamp) -> Option<Enrich> {
        let text = |format, from: &FieldName| FieldSource::Text { format, from: from.clone() };
        let source = match stage {
            Stage::Extract { template, from } => text(TextFormat::Regex(template.captures.clone()), from),
            Stage::Parse { format, from } => text(format.clone(), from),
            Stage::Eval(assignments) => FieldSource::Computed(assignments.clone()),
            _ => return None,
        };
        Some(Enrich { source, now, adds: stage.adds() })
    }

    /// Makes an `Enrich` that removes the fields that this stage takes away from the `later` ones, if there are any.
    pub fn without(stage: &Stage, later: &[Stage], now: Timestamp) -> Option<Enrich> {
        let taken = stage.takes_away(later);
        let nothing = |name: &FieldName| (name.as_str().to_owned(), Expression::Null);
        let emptied = (!taken.is_empty()).then(|| Stage::Eval(taken.iter().map(nothing).collect()))?;
        Enrich::of(&emptied, now)
    }

    /// The fields that it may add.
    pub fn adds(&self) -> &AddedFields {
        &self.adds
    }

    /// The field whose text is parsed; `None` if fields are computed.
    pub fn reads_text(&self) -> Option<&FieldName> {
        match &self.source {
            FieldSource::Text { from, .. } => Some(from),
            FieldSource::Computed(_) => None,
        }
    }

    /// The fields that are read from a text.
    pub fn found(&self, text: &[u8]) -> Vec<Pair> {
        match &self.source {
            FieldSource::Text { format, .. } => text_fields(format, text),
            FieldSource::Computed(_) => Vec::new(),
        }
    }

    /// The fields computed from the values of a row's fields.
    pub fn computed<'a>(&'a self, field: &dyn Fn(&FieldName) -> Cell<'a>) -> Vec<(&'a str, Cell<'a>)> {
        let mut made: Vec<(&str, Cell<'a>)> = Vec::new();
        let FieldSource::Computed(assignments) = &self.source else { return made };
        for (name, expression) in assignments {
            let value = {
                let known = |field_name: &FieldName| {
                    let is_it =
                        |(other, _): &&(&str, Cell<'a>)| other.eq_ignore_ascii_case(field_name.as_str());
                    made.iter().rfind(is_it).map_or_else(|| field(field_name), |(_, cell)| cell.clone())
                };
                expression.eval(self.now, &known)
            };
            made.retain(|(other, _)| !other.eq_ignore_ascii_case(name));
            made.push((name, value));
        }
        made
    }

    /// The batch with the added fields of its selected rows.
    pub fn batch(&self, batch: &Batch, selected: &Selection, logspace: &str, wanted: &WantedFields) -> Batch {
        let mut fields = NewFields::of(batch);
        for row in 0..batch.rows() {
            let pairs =
                if selected.contains(row) { self.pairs(batch, row, logspace, wanted) } else { Vec::new() };
            let added: HashSet<Vec<u8>> = pairs.iter().map(|(name, _)| name.to_ascii_lowercase()).collect();
            let is_left = |name: &[u8]| added.is_empty() || !added.contains(&name.to_ascii_lowercase());
            if batch.fields(row).all(|(name, _)| is_left(name)) {
                fields.keep(row);
            } else {
                fields.changed();
                let left = batch.fields(row).filter(|(name, _)| is_left(name));
                left.for_each(|(name, value)| fields.push(name, value));
            }
            let values = pairs.iter().filter(|(_, value)| !value.is_empty());
            values.for_each(|(name, value)| fields.push(name, value));
            fields.end_row();
        }
        let mut rewrite = batch.rewrite();
        rewrite.fields(fields);
        rewrite.finish()
    }

    /// The added fields of a row; an empty value removes the field.
    fn pairs(&self, batch: &Batch, row: usize, logspace: &str, wanted: &WantedFields) -> Vec<Pair> {
        match &self.source {
            FieldSource::Text { format, from } => {
                let Some(text) = value(batch, row, from, logspace) else { return Vec::new() };
                let is_named = self.adds != AddedFields::Any;
                let mut pairs = text_fields(format, &text);
                pairs.retain(|pair| counts(pair) && (is_named || wanted.wants(&pair.0)));
                pairs
            }
            FieldSource::Computed(_) => {
                let computed = self.computed(&|field| cell(batch, row, field, logspace));
                let text = |cell: &Cell<'_>| cell.text().map(Cow::into_owned).unwrap_or_default();
                computed.iter().map(|(name, cell)| (name.as_bytes().to_vec(), text(cell))).collect()
            }
        }
    }
}

/// Whether a pair has a value, and a name that is not that of a known field.
pub fn counts(pair: &Pair) -> bool {
    let (name, value) = pair;
    let is_known = std::str::from_utf8(name).is_ok_and(|name| Field::from_name(name).is_some());
    !value.is_empty() && !is_known
}

/// The value of a field of a message in a logspace.
fn value<'b>(batch: &'b Batch, row: usize, field: &FieldName, logspace: &str) -> Option<Cow<'b, [u8]>> {
    match field {
        FieldName::Known(Field::Logspace) => Some(Cow::Owned(logspace.as_bytes().to_vec())),
        field => batch.value(row, field),
    }
}

/// The value of a field as a value of an expression.
fn cell<'b>(batch: &'b Batch, row: usize, field: &FieldName, logspace: &str) -> Cell<'b> {
    match field {
        FieldName::Known(known) if known.storage() == Storage::Time => Cell::Time(batch.time(row)),
        FieldName::Known(known) if known.storage() == Storage::Received => Cell::Time(batch.received(row)),
        field => value(batch, row, field, logspace).map_or(Cell::Null, Cell::Text),
    }
}

/// Reads the fields of a text, in order.
fn text_fields(format: &TextFormat, text: &[u8]) -> Vec<Pair> {
    let mut pairs = Vec::new();
    match format {
        TextFormat::Json => return logstead_parse::json(text),
        TextFormat::KeyValue => return logstead_parse::key_value(text),
        TextFormat::Regex(captures) => return captured(captures, text),
        TextFormat::Cef => {
            logstead_parse::cef(text, &mut pairs);
        }
        TextFormat::Leef => {
            logstead_parse::leef(text, &mut pairs);
        }
        TextFormat::Csv(columns) => {
            logstead_parse::csv(text, columns, &mut pairs);
        }
    }
    pairs
}

fn captured(captures: &Captures, text: &[u8]) -> Vec<Pair> {
    let pair = |(name, value): (&str, &[u8])| (name.as_bytes().to_vec(), value.to_vec());
    captures.find(text).into_iter().map(pair).collect()
}
