//! The dynamic fields of a message by name, with all values of a name that repeats, as the API shows them.

use super::json::{ObjectWriter, array, string};
use logstead_record::Batch;

/// Sorts fields by name; its buffer is reused for every message.
#[derive(Default)]
pub(super) struct SortedFields {
    /// Their positions in the columns of the batch.
    order: Vec<usize>,
}

impl SortedFields {
    /// Calls `tell` with each name and the positions of its values.
    pub(super) fn each(&mut self, batch: &Batch, row: usize, mut tell: impl FnMut(&[u8], FieldValues<'_>)) {
        let columns = batch.columns();
        let name = |at: &usize| columns.field_names.get(*at);
        self.order.clear();
        self.order.extend(batch.field_range(row));
        self.order.sort_unstable_by(|a, b| name(a).cmp(name(b)).then(a.cmp(b)));
        for places in self.order.chunk_by(|a, b| name(a) == name(b)) {
            tell(name(&places[0]), FieldValues { batch, places });
        }
    }

    /// Writes each field as a member: a string, or an array of strings.
    pub(super) fn write(&mut self, batch: &Batch, row: usize, object: &mut ObjectWriter<'_>) {
        self.each(batch, row, |name, values| {
            let out = object.member(name);
            match values.only() {
                Some(value) => string(out, value),
                None => array(out, values.iter(), string),
            }
        });
    }
}

/// The values of one name, of which there is at least one.
#[derive(Clone, Copy)]
pub(super) struct FieldValues<'a> {
    batch: &'a Batch,
    places: &'a [usize],
}

impl<'a> FieldValues<'a> {
    pub(super) fn iter(self) -> impl Iterator<Item = &'a [u8]> {
        self.places.iter().map(move |&at| self.batch.columns().field_values.get(at))
    }

    /// The value, if there is exactly one.
    pub(super) fn only(self) -> Option<&'a [u8]> {
        match self.places {
            &[at] => Some(self.batch.columns().field_values.get(at)),
            _ => None,
        }
    }
}
