//! Tables that a step looks values up in: CSV with a line of names first.
//!
//! **Invariant:** a table is replaced as a whole, so that a step sees the old one or the new one.

use hashbrown::HashMap;
use logstead_parse::Pair;
use parking_lot::RwLock;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The largest file.
pub const LOOKUP_BYTES_MAX: usize = 64 << 20;
/// Most lines of a file.
pub const LOOKUP_ROWS_MAX: usize = 1_000_000;

/// A table, by the values of its first column or of another.
#[derive(Debug, Default)]
pub struct LookupTable {
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
    by_first: HashMap<String, usize>,
}

/// Why a text is not a table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct LookupError(String);

/// A row that was found.
#[derive(Debug)]
pub struct Found<'a> {
    table: &'a LookupTable,
    row: usize,
}

impl LookupTable {
    /// Reads a file. `key` is its first column.
    pub fn parse(text: &[u8]) -> Result<LookupTable, LookupError> {
        if LOOKUP_BYTES_MAX < text.len() {
            return Err(LookupError(format!(
                "it has {} bytes, and the limit is {LOOKUP_BYTES_MAX} (64 MiB)",
                text.len()
            )));
        }
        let text = std::str::from_utf8(text).map_err(|_| LookupError("it is not UTF-8".to_owned()))?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let (_, first) = lines
            .next()
            .ok_or_else(|| LookupError("it is empty: the first line names its columns".to_owned()))?;
        let columns: Vec<String> =
            first.split(',').map(|name| name.trim().trim_matches('"').to_owned()).collect();
        if columns.len() < 2 || columns.iter().any(String::is_empty) {
            return Err(LookupError(
                "the first line must name two or more columns, with commas between them".to_owned(),
            ));
        }
        let mut table = LookupTable { columns, ..LookupTable::default() };
        for (number, line) in lines {
            if LOOKUP_ROWS_MAX <= table.rows.len() {
                return Err(LookupError(format!("it has more than {LOOKUP_ROWS_MAX} lines")));
            }
            let mut values: Vec<Pair> = Vec::new();
            if logstead_parse::csv(line.as_bytes(), &table.columns, &mut values).is_none() {
                let columns = table.columns.len();
                return Err(LookupError(format!(
                    "line {} does not have {columns} values, as the first line",
                    number + 1
                )));
            }
            let values: Vec<String> = values
                .into_iter()
                .map(|(_, value)| String::from_utf8_lossy(&value).trim().to_owned())
                .collect();
            // The last line of a key counts.
            table.by_first.insert(values.first().cloned().unwrap_or_default(), table.rows.len());
            table.rows.push(values);
        }
        Ok(table)
    }

    /// The names of its columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// How many lines it has.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// The row whose first column has this value.
    pub fn find(&self, key: &[u8]) -> Option<Found<'_>> {
        let row = *self.by_first.get(std::str::from_utf8(key).ok()?)?;
        Some(Found { table: self, row })
    }
}

impl<'a> Found<'a> {
    /// The value of a column.
    pub fn get(&self, column: &str) -> Option<&'a str> {
        let at = self.table.columns.iter().position(|name| name == column)?;
        self.table.rows[self.row].get(at).map(String::as_str).filter(|value| !value.is_empty())
    }
}

/// A table that may be replaced.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lookup(Arc<RwLock<Arc<LookupTable>>>);

impl Lookup {
    pub(crate) fn load(&self) -> Arc<LookupTable> {
        self.0.read().clone()
    }
}

/// All tables, by the names of their files.
#[derive(Clone, Debug, Default)]
pub struct Lookups(Arc<RwLock<BTreeMap<String, Lookup>>>);

impl Lookups {
    /// Puts a table there, for steps that run as well.
    pub fn put(&self, file: &str, table: LookupTable) {
        let lookup = self.get(file);
        *lookup.0.write() = Arc::new(table);
    }

    /// The table of a file; empty as long as there is none.
    pub(crate) fn get(&self, file: &str) -> Lookup {
        self.0.write().entry(file.to_owned()).or_default().clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_found_by_its_first_column() {
        let table = LookupTable::parse(
            "\u{feff}host, owner,site\nweb-1,ann,\"a, b\"\n\nweb-2,bob,\nweb-1,carl,c\n".as_bytes(),
        )
        .unwrap();
        assert_eq!((table.columns(), table.rows()), (&["host", "owner", "site"].map(str::to_owned)[..], 3));
        let get = |key: &str, column: &str| table.find(key.as_bytes()).and_then(|found| found.get(column));
        assert_eq!(get("web-1", "owner"), Some("carl"), "the last line counts");
        assert_eq!((get("web-2", "site"), get("web-2", "other"), get("web-3", "owner")), (None, None, None));
        for (text, why) in [
            ("", "empty"),
            ("a\n1\n", "two or more"),
            ("a,b\n1\n", "line 2 does not have 2"),
            ("a,b\n\u{fffd}\"", "line 2"),
        ] {
            assert!(LookupTable::parse(text.as_bytes()).unwrap_err().to_string().contains(why), "{text}");
        }
        assert!(LookupTable::parse(b"a,b\n\xff,1").unwrap_err().to_string().contains("UTF-8"));
    }
}
