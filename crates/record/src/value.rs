//! The values of a message's fields, as text.

use crate::FieldName;
use crate::batch::Batch;
use crate::field::{Field, Storage};
use std::borrow::Cow;

impl Batch {
    /// The value of a field, the first one if there are several; `None` if there is none. The logspace is not stored
    /// in a message.
    pub fn value(&self, row: usize, field: &FieldName) -> Option<Cow<'_, [u8]>> {
        let value = match field {
            FieldName::Dynamic(name) => {
                let is_it = |(other, value): &(&[u8], &[u8])| {
                    !value.is_empty() && other.eq_ignore_ascii_case(name.as_bytes())
                };
                Cow::Borrowed(self.fields(row).find(is_it)?.1)
            }
            FieldName::Known(field) => self.known_value(row, *field)?,
        };
        (!value.is_empty()).then_some(value)
    }

    /// All values of a field, in their order.
    pub fn values<'a>(
        &'a self,
        row: usize,
        field: &'a FieldName,
    ) -> impl Iterator<Item = Cow<'a, [u8]>> + use<'a> {
        let (known, name) = match field {
            FieldName::Known(field) => (self.known_value(row, *field), None),
            FieldName::Dynamic(name) => (None, Some(name.as_bytes())),
        };
        let named = name.into_iter().flat_map(move |name| {
            let is_it = move |(other, _): &(&[u8], &[u8])| other.eq_ignore_ascii_case(name);
            self.fields(row).filter(is_it).map(|(_, value)| Cow::Borrowed(value))
        });
        known.into_iter().chain(named).filter(|value| !value.is_empty())
    }

    fn known_value(&self, row: usize, field: Field) -> Option<Cow<'_, [u8]>> {
        Some(match field.storage() {
            Storage::Name(_) | Storage::Text(_) => Cow::Borrowed(self.text(field, row)),
            Storage::Priority(half) => Cow::Borrowed(half.name(self.priority(row)?).as_bytes()),
            Storage::Time => Cow::Owned(self.time(row).to_string().into_bytes()),
            Storage::Received => Cow::Owned(self.received(row).to_string().into_bytes()),
            Storage::Raw => {
                let mut raw = Vec::new();
                self.write_raw(row, &mut raw);
                Cow::Owned(raw)
            }
            Storage::Flags => Cow::Owned(self.flags(row).names().collect::<Vec<_>>().join(",").into_bytes()),
            Storage::Logspace => return None,
        })
    }
}
