//! A document sent by a client, parsed and checked.

use crate::error::Result;
use crate::extract::{DocumentText, unsupported};
use logstead_config::{Checked, Document, Problem, draft_json, draft_toml, merge_into_toml};
use logstead_pipeline::{LiveRevision, RevisionChange};

/// A document sent by a client, its checked form, and the text that would be stored.
pub(super) struct Draft {
    pub(super) document: Document,
    pub(super) checked: Problems<Checked>,
    pub(super) toml: String,
}

/// A value, or the problems of a document that does not yield it.
pub(super) type Problems<T> = std::result::Result<T, Vec<Problem>>;

impl Draft {
    pub(super) fn read(
        DocumentText { media_type, text }: DocumentText,
        live: &LiveRevision,
    ) -> Result<Problems<Draft>> {
        match media_type.as_deref() {
            Some("application/json") => Ok(Draft::of_json(&text, live)),
            Some("application/toml") => Ok(Draft::of_toml(text)),
            other => Err(unsupported(other, "application/json or application/toml")),
        }
    }

    /// Reads a draft from a value in a request: TOML in a string, or the document as JSON.
    pub(super) fn of_value(value: &serde_json::Value, live: &LiveRevision) -> Problems<Draft> {
        match value {
            serde_json::Value::String(toml) => Draft::of_toml(toml.clone()),
            json => Draft::of_json(&json.to_string(), live),
        }
    }

    /// The checked document, which can run.
    pub(super) fn checked(self) -> Problems<Checked> {
        self.checked
    }

    pub(super) fn of_toml(toml: String) -> Problems<Draft> {
        let logstead_config::Draft { document, checked } = draft_toml(&toml)?;
        Ok(Draft { document, checked, toml })
    }

    /// The text keeps the comments of the live document if possible.
    fn of_json(text: &str, live: &LiveRevision) -> Problems<Draft> {
        let logstead_config::Draft { document, checked } = draft_json(text.as_bytes())?;
        let toml = merge_into_toml(&live.toml, &document);
        Ok(Draft { document, checked, toml })
    }

    pub(super) fn into_change(self) -> Problems<RevisionChange> {
        let Draft { document, checked, toml } = self;
        checked.map(|checked| RevisionChange { toml, document, checked })
    }
}
