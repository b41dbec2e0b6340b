//! The part of the store that an account may search: some logspaces, and in them the messages that a filter finds.
//!
//! **Invariant:** a grant that cannot be read is an error, never "everything".

use super::columns::JsonColumn;
use rusqlite::Row;

/// The messages that an account may search. The default is everything.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Grant {
    /// The ids of the logspaces; `None` for all, including future ones.
    pub logspaces: Option<Vec<String>>,
    /// A filter that limits every answer; `None` for all messages.
    pub scope: Option<String>,
}

impl Grant {
    /// Whether the grant withholds nothing.
    pub fn is_everything(&self) -> bool {
        *self == Grant::default()
    }

    /// Reads the columns `logspaces` and `scope`; `at` is the index of the first.
    pub(super) fn read(row: &Row<'_>, at: usize) -> rusqlite::Result<Grant> {
        let logspaces: Option<JsonColumn<Vec<String>>> = row.get(at)?;
        Ok(Grant { logspaces: logspaces.map(|list| list.0), scope: row.get(at + 1)? })
    }

    /// The value for the column `logspaces`.
    pub(super) fn logspaces_column(&self) -> Option<JsonColumn<&Vec<String>>> {
        self.logspaces.as_ref().map(JsonColumn)
    }
}
