//! Tables in which a step looks up values: CSV, with the names in the first line.
//!
//! **Invariant:** a table is replaced as a whole, so that a step sees the old one or the new one.

use hashbrown::HashMap;
use parking_lot::RwLock;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The maximum size of a file.
pub const LOOKUP_BYTES_MAX: usize = 64 << 20;
/// The maximum number of lines in a file.
pub const LOOKUP_ROWS_MAX: usize = 1_000_000;

/// A table, with its rows by the values of the first column.
#[derive(Debug, Default)]
pub struct LookupTable {
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
    by_first: HashMap<String, usize>,
}

/// The reason why a text is not a table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct LookupError(String);

/// A row of a table.
#[derive(Debug)]
pub struct LookupRow<'a> {
    table: &'a LookupTable,
    row: usize,
}

/// The lines of a table that are not blank, by the rules of RFC 4180: quoted values may contain commas and line breaks.
struct CsvLines<'t>(csv::Reader<&'t [u8]>);

impl CsvLines<'_> {
    fn of(text: &str) -> CsvLines<'_> {
        let mut builder = csv::ReaderBuilder::new();
        CsvLines(builder.has_headers(false).flexible(true).trim(csv::Trim::All).from_reader(text.as_bytes()))
    }

    /// The number of the line at which the next row begins, and its values.
    fn next(&mut self) -> Result<Option<(u64, Vec<String>)>, LookupError> {
        let mut record = csv::StringRecord::new();
        loop {
            let found = self.0.read_record(&mut record).map_err(|error| LookupError(error.to_string()))?;
            if !found {
                return Ok(None);
            }
            if record.len() != 1 || record.get(0).is_some_and(|value| !value.is_empty()) {
                let number = record.position().map_or(0, csv::Position::line);
                return Ok(Some((number, record.iter().map(str::to_owned).collect())));
            }
        }
    }
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
        let mut lines = CsvLines::of(text);
        let (_, columns) = lines
            .next()?
            .ok_or_else(|| LookupError("it is empty: the first line names its columns".to_owned()))?;
        if columns.len() < 2 || columns.iter().any(String::is_empty) {
            return Err(LookupError(
                "the first line must name two or more columns, with commas between them".to_owned(),
            ));
        }
        let mut table = LookupTable { columns, ..LookupTable::default() };
        while let Some((number, values)) = lines.next()? {
            if LOOKUP_ROWS_MAX <= table.rows.len() {
                return Err(LookupError(format!("it has more than {LOOKUP_ROWS_MAX} lines")));
            }
            let columns = table.columns.len();
            if values.len() != columns {
                return Err(LookupError(format!(
                    "line {number} does not have {columns} values, as the first line does"
                )));
            }
            // If lines have the same key, the last one counts.
            table.by_first.insert(values.first().cloned().unwrap_or_default(), table.rows.len());
            table.rows.push(values);
        }
        Ok(table)
    }

    /// The names of its columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// The row whose first column has this value.
    pub fn find(&self, key: &[u8]) -> Option<LookupRow<'_>> {
        let row = *self.by_first.get(std::str::from_utf8(key).ok()?)?;
        Some(LookupRow { table: self, row })
    }
}

impl<'a> LookupRow<'a> {
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
    /// Replaces the table of a file, also for steps that are running.
    pub fn put(&self, file: &str, table: LookupTable) {
        let lookup = self.get(file);
        *lookup.0.write() = Arc::new(table);
    }

    /// The table of a file; it is empty until `put` sets it.
    pub(crate) fn get(&self, file: &str) -> Lookup {
        self.0.write().entry(file.to_owned()).or_default().clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_hold_commas_line_breaks_and_quotes_also_in_the_names() {
        let text = "host,\"owner, first\",note\r\n\"web-1\",ann,\"two\nlines, and \"\"quotes\"\"\"\r\n \r\n\"a\nb\",bob,x\n";
        let table = LookupTable::parse(text.as_bytes()).unwrap();
        assert_eq!(
            (table.columns(), table.rows()),
            (&["host", "owner, first", "note"].map(str::to_owned)[..], 2)
        );
        let get = |key: &str, column: &str| table.find(key.as_bytes()).and_then(|found| found.get(column));
        assert_eq!(get("web-1", "owner, first"), Some("ann"));
        assert_eq!(get("web-1", "note"), Some("two\nlines, and \"quotes\""));
        assert_eq!(get("a\nb", "owner, first"), Some("bob"));
    }

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
            ("\n \n", "empty"),
            ("a,b\n1,\"2\n\n3\"\n4\n", "line 5 does not have 2"),
            ("a\n1\n", "two or more"),
            ("a,b\n1\n", "line 2 does not have 2"),
            ("a,b\n\u{fffd}\"", "line 2"),
        ] {
            assert!(LookupTable::parse(text.as_bytes()).unwrap_err().to_string().contains(why), "{text}");
        }
        assert!(LookupTable::parse(b"a,b\n\xff,1").unwrap_err().to_string().contains("UTF-8"));
    }
}
