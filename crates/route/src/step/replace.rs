//! `replace`: replaces the matches of an expression in fields.

use super::change::{BatchChange, ChangeResult};
use super::fields::edited;
use logstead_query::Regex;
use logstead_record::FieldName;
use logstead_record::{Batch, Field, Selection};
use std::borrow::Cow;

#[derive(Debug)]
pub(super) struct Replace {
    regex: Regex,
    with: Vec<u8>,
    known: Vec<Field>,
    dynamic: Vec<String>,
}

impl Replace {
    pub(super) fn new(regex: &Regex, with: &str, fields: &[FieldName]) -> Replace {
        let (mut known, mut dynamic) = (Vec::new(), Vec::new());
        for field in fields {
            match field {
                FieldName::Known(field) => known.push(*field),
                FieldName::Dynamic(name) => dynamic.push(name.clone()),
            }
        }
        Replace { regex: regex.clone(), with: with.as_bytes().to_vec(), known, dynamic }
    }

    fn is_named(&self, name: &[u8]) -> bool {
        self.dynamic.iter().any(|dynamic| dynamic.as_bytes().eq_ignore_ascii_case(name))
    }

    fn replaced<'t>(&self, text: &'t [u8]) -> Cow<'t, [u8]> {
        self.regex.compiled().replace_all(text, self.with.as_slice())
    }
}

impl BatchChange for Replace {
    fn candidates(&self, batch: &Batch, rows: &Selection) -> Selection {
        let regex = self.regex.compiled();
        Selection::from_fn(batch.rows(), |row| {
            rows.contains(row)
                && (self.known.iter().any(|field| regex.is_match(batch.text(*field, row)))
                    || batch.fields(row).any(|(name, value)| self.is_named(name) && regex.is_match(value)))
        })
    }

    fn change(&self, batch: &Batch, rows: &Selection) -> ChangeResult {
        let mut changed = Selection::none(batch.rows());
        let mut rewrite = batch.rewrite();
        for &field in &self.known {
            let new: Vec<(usize, Cow<'_, [u8]>)> = rows
                .iter()
                .map(|row| (row, self.replaced(batch.text(field, row))))
                .filter(|(row, new)| new.as_ref() != batch.text(field, *row))
                .collect();
            let mut of_field = Selection::none(batch.rows());
            new.iter().for_each(|(row, _)| of_field.insert(*row));
            if !new.is_empty() {
                let mut new = new.iter();
                rewrite.text(field, &of_field, |_| new.next().map_or(&b""[..], |(_, new)| new));
            }
            changed.union(&of_field);
        }
        let fields = edited(batch, rows, |row, edit| {
            let mut fields = batch
                .fields(row)
                .filter(|(name, value)| self.is_named(name) && self.replaced(value).as_ref() != *value);
            if fields.next().is_some() {
                // All values of these names are set, so that values without a match are kept beside the others.
                let named = batch.fields(row).filter(|(name, _)| self.is_named(name));
                named.for_each(|(name, value)| edit.set(name, &self.replaced(value)));
            }
        });
        if let Some((fields, with_fields)) = fields {
            rewrite.fields(fields);
            changed.union(&with_fields);
        }
        let new = (!changed.is_empty()).then(|| rewrite.finish());
        ChangeResult { batch: new, changed, failed: Selection::none(batch.rows()) }
    }
}
