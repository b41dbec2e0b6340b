//! A message as it looks at one point of its way through the routes.

use logstead_record::Batch;
use serde::Serialize;
use std::collections::BTreeMap;

/// A message at one point of its way through the routes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Shown)]
pub(super) struct ShownMessage {
    #[schema(format = DateTime)]
    time: String,
    host: String,
    program: String,
    /// The name of the severity; empty if it has none.
    severity_name: &'static str,
    message: String,
    raw: String,
    /// Its other fields, by name; several values are joined by commas.
    fields: BTreeMap<String, String>,
}

impl ShownMessage {
    pub(super) fn of(batch: &Batch, row: usize) -> ShownMessage {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let mut fields: BTreeMap<String, String> = BTreeMap::new();
        for (name, value) in batch.fields(row) {
            let value = text(value);
            fields
                .entry(text(name))
                .and_modify(|values| {
                    values.push_str(", ");
                    values.push_str(&value);
                })
                .or_insert(value);
        }
        let mut raw = Vec::new();
        batch.write_raw(row, &mut raw);
        ShownMessage {
            time: batch.time(row).to_string(),
            host: text(batch.host(row)),
            program: text(batch.program(row)),
            severity_name: batch.priority(row).map_or("", |priority| priority.severity().name()),
            message: text(batch.message(row)),
            raw: text(&raw),
            fields,
        }
    }

    /// The names of the parts that differ.
    pub(super) fn differs<'a>(&'a self, other: &'a ShownMessage) -> Vec<&'a str> {
        let known = [
            ("time", self.time != other.time),
            ("host", self.host != other.host),
            ("program", self.program != other.program),
            ("severity", self.severity_name != other.severity_name),
            ("message", self.message != other.message),
            ("raw", self.raw != other.raw),
        ];
        let mut names: Vec<&str> =
            known.iter().filter(|(_, differs)| *differs).map(|(name, _)| *name).collect();
        let fields = self.fields.keys().chain(other.fields.keys());
        names.extend(
            fields.filter(|name| self.fields.get(*name) != other.fields.get(*name)).map(String::as_str),
        );
        names.sort_unstable();
        names.dedup();
        names
    }
}
