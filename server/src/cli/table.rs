//! The forms in which commands print a table: in columns, as CSV, or as a JSON object per line.
//!
//! **Invariant:** cells and names stay in their row and column, whatever characters they contain.

use super::failure::{CommandFailure, Result};
use super::format::OutputFormat;
use super::text;
use super::text::{csv, shown};
use serde_json::{Map, Value};
use std::iter::zip;

/// A table, as the API returns it.
pub(super) struct PrintedTable {
    names: Vec<String>,
    /// For each column, whether it is aligned to the right.
    are_numbers: Vec<bool>,
    rows: Vec<Vec<Value>>,
}

impl PrintedTable {
    /// Reads `columns` and `rows`; prints `notes` and `warnings` as warnings.
    pub(super) fn new(answer: &Value) -> PrintedTable {
        let list = |name: &str| answer[name].as_array().into_iter().flatten();
        let notes = list("notes").chain(list("warnings").map(|warning| &warning["message"]));
        for note in notes.filter_map(Value::as_str) {
            text::error(&format!("warning: {note}"));
        }
        let name = |column: &Value| column["name"].as_str().unwrap_or_default().to_owned();
        let columns = list("columns").count();
        let rows = list("rows").filter_map(Value::as_array);
        PrintedTable {
            names: list("columns").map(name).collect(),
            are_numbers: list("columns").map(|column| column["kind"] == "number").collect(),
            rows: rows.filter(|row| row.len() == columns).cloned().collect(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub(super) fn print(&self, format: OutputFormat) -> Result<()> {
        self.lines(format)?.iter().try_for_each(|line| text::line(line))
    }

    fn lines(&self, format: OutputFormat) -> Result<Vec<String>> {
        let cells = self.rows.iter().map(|row| row.iter().map(cell).collect());
        let all: Vec<Vec<String>> = std::iter::once(self.names.clone()).chain(cells).collect();
        match format {
            OutputFormat::Json => Ok(self.rows.iter().map(|row| self.object(row)).collect()),
            OutputFormat::Csv => Ok(all.iter().map(|row| csv(row.iter().map(String::as_str))).collect()),
            OutputFormat::Text => Ok(self.in_columns(&all)),
            OutputFormat::Raw => Err(CommandFailure::no(
                "a query with stages makes a table: print it as text, json or csv, not raw",
            )),
        }
    }

    fn object(&self, row: &[Value]) -> String {
        Value::Object(zip(self.names.clone(), row.iter().cloned()).collect::<Map<_, _>>()).to_string()
    }

    fn in_columns(&self, all: &[Vec<String>]) -> Vec<String> {
        let all: Vec<Vec<String>> =
            all.iter().map(|row| row.iter().map(|cell| shown(cell).replace('\t', " ")).collect()).collect();
        let width = |column: usize| all.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.names.len()).map(width).collect();
        let line = |row: &Vec<String>| {
            let cells = zip(row, zip(&widths, &self.are_numbers)).map(|(cell, (&width, &is_number))| {
                if is_number { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
            });
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        };
        all.iter().map(line).collect()
    }
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(format: OutputFormat, expected: &[&str]) {
        let table = PrintedTable::new(&json!({
            "columns": [{"name": "host", "kind": "text"}, {"name": "count", "kind": "number"}],
            "rows": [["web-1", 5], ["a,\u{1b}[1m", 1000], [null, 7.5]],
        }));
        assert_eq!(table.lines(format).unwrap(), expected);
    }

    #[test]
    fn a_table_is_printed_in_every_format_of_text() {
        let text = ["host         count", "web-1            5", "a,\\u{1b}[1m   1000", "               7.5"];
        check(OutputFormat::Text, &text);
        check(OutputFormat::Csv, &["host,count", "web-1,5", "\"a,\u{1b}[1m\",1000", ",7.5"]);
        check(
            OutputFormat::Json,
            &[
                r#"{"count":5,"host":"web-1"}"#,
                r#"{"count":1000,"host":"a,\u001b[1m"}"#,
                r#"{"count":7.5,"host":null}"#,
            ],
        );
    }
}
