//! The grammar of functions and of the names of fields and columns in stages.

use super::reader::StageReader;
use super::{Aggregate, Function, Measure};
use crate::error::ParseError;
use crate::parse::Parsed;
use crate::suggest::nearest;
use crate::syntax::subject::SubjectName;
use logstead_record::Field;
use logstead_record::FieldName;
use std::ops::Range;

/// The functions, by the names that messages use.
const FUNCTIONS: [&str; 11] =
    ["count", "sum", "avg", "min", "max", "dc", "median", "p90", "p95", "p99", "percentile"];

/// An argument of a function.
enum Argument {
    Name(FieldName),
    Number(String),
}

/// Whether this is the name of a function.
pub(crate) fn names_function(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    measure(&name).is_some() || matches!(name.as_str(), "percentile" | "perc" | "quantile")
}

impl StageReader<'_> {
    /// Reads `count(), avg(bytes) as size`, at least one, whose columns must differ from `others`.
    pub(super) fn functions(&mut self, others: Vec<&str>) -> Parsed<Vec<Aggregate>> {
        self.skip();
        let mut functions = Vec::new();
        while !self.peek_word().is_empty() && self.peek_word() != "by" && !self.is_at_option() {
            functions.push(self.aggregate()?);
            self.skip();
        }
        if functions.is_empty() {
            return Err(self.missing("a function"));
        }
        self.check_columns(others, &functions)?;
        Ok(functions)
    }

    /// Checks that no two columns have the same name.
    pub(super) fn check_columns(&self, others: Vec<&str>, functions: &[Aggregate]) -> Parsed<()> {
        let columns: Vec<String> = functions.iter().map(Aggregate::column).collect();
        let names = others.into_iter().chain(columns.iter().map(String::as_str));
        self.check_items(names)
    }

    /// Whether `name=` is at the cursor.
    pub(super) fn is_at_option(&self) -> bool {
        let cursor = &self.cursor;
        cursor.char_at(cursor.space_end(cursor.identifier_end(cursor.at))) == Some('=')
    }

    fn aggregate(&mut self) -> Parsed<Aggregate> {
        let function = self.function()?;
        self.cursor.skip_space();
        let alias = if self.keyword("as") { Some(self.new_name()?) } else { None };
        Ok(Aggregate { function, alias })
    }

    /// Reads the name of a new field or column.
    pub(super) fn new_name(&mut self) -> Parsed<String> {
        let at = self.cursor.at;
        match self.plain_name()? {
            FieldName::Dynamic(name) => Ok(name),
            FieldName::Known(field) => Err(self.known_name(at..self.cursor.at, field)),
        }
    }

    fn known_name(&self, range: Range<usize>, field: Field) -> ParseError {
        self.error(range, format!("`{field}` is a built-in field: choose another name"))
    }

    /// Reads the name of a field or a column: `host`, `"odd name"`, `avg(bytes)`.
    pub(super) fn name(&mut self) -> Parsed<FieldName> {
        let end = self.cursor.identifier_end(self.cursor.at);
        let is_call = self.cursor.at < end && self.cursor.char_at(end) == Some('(');
        if !is_call {
            return self.plain_name();
        }
        let function = self.function()?;
        Ok(FieldName::Dynamic(Aggregate { function, alias: None }.column()))
    }

    fn plain_name(&mut self) -> Parsed<FieldName> {
        let at = self.cursor.at;
        if self.cursor.peek(0) == Some('"') {
            let name = self.cursor.plain_quoted().filter(|name| !name.is_empty());
            return match name {
                Some(name) => Ok(FieldName::new(&name)),
                None => Err(self.error(at..self.cursor.at, "this is not the name of a field")),
            };
        }
        let end = self.cursor.identifier_end(at);
        if at == end {
            return Err(self.missing("the name of a field"));
        }
        self.cursor.at = end;
        let text = self.cursor.text(at..end);
        match SubjectName::new(&text, false) {
            SubjectName::Field(field) => Ok(field),
            _ => {
                Err(self
                    .error(at..end, format!("`{text}` works only in filters: it is not a field in a stage")))
            }
        }
    }

    fn function(&mut self) -> Parsed<Function> {
        let at = self.cursor.at;
        let name = self.peek_word();
        let name_end = self.cursor.identifier_end(at);
        self.cursor.at = name_end;
        let is_call = self.cursor.peek(0) == Some('(');
        let arguments = if is_call { self.arguments()? } else { Vec::new() };
        let range = at..self.cursor.at;
        if !names_function(&name) {
            return Err(self.unknown_function(at..name_end, &name));
        }
        let function = match (name.as_str(), arguments.as_slice()) {
            ("percentile" | "perc", [Argument::Name(field), Argument::Number(percent)]) => {
                percentile(percent).map(|measure| Function::Of(measure, field.clone()))
            }
            ("quantile", [Argument::Number(part), Argument::Name(field)]) => {
                let percent = part.parse().ok().and_then(|part: f64| of_percent(part * 100.0));
                percent.map(|measure| Function::Of(measure, field.clone()))
            }
            (_, []) => (measure(&name) == Some(Measure::Count)).then_some(Function::Count),
            (_, [Argument::Name(field)]) => {
                measure(&name).map(|measure| Function::Of(measure, field.clone()))
            }
            _ => None,
        };
        let usage = match name.as_str() {
            "percentile" | "perc" => "percentile(took, 95)",
            "quantile" => "quantile(0.95, took)",
            _ => "avg(bytes)",
        };
        function.ok_or_else(|| self.error(range, format!("`{name}` takes one field: for example `{usage}`")))
    }

    fn unknown_function(&self, range: Range<usize>, name: &str) -> ParseError {
        let meant = nearest(name, FUNCTIONS.into_iter());
        let suggestion = meant.map(|meant| self.cursor.rewritten(range.clone(), meant));
        let message = format!("`{name}` is not a function: use {names}", names = FUNCTIONS.join(", "));
        ParseError { suggestion, ..self.error(range, message) }
    }

    /// Reads the arguments in parentheses; `*` is the same as none.
    fn arguments(&mut self) -> Parsed<Vec<Argument>> {
        let open = self.cursor.at;
        let mut arguments = Vec::new();
        self.eat('(');
        self.eat('*');
        loop {
            self.skip();
            match self.cursor.peek(0) {
                Some(')') => break,
                Some(c) if c.is_ascii_digit() => arguments.push(Argument::Number(self.digits())),
                Some(_) if !self.cursor.is_at_end() => arguments.push(Argument::Name(self.plain_name()?)),
                _ => return Err(self.error(open..open + 1, "this parenthesis is never closed")),
            }
        }
        self.cursor.at += 1;
        Ok(arguments)
    }

    fn digits(&mut self) -> String {
        let at = self.cursor.at;
        while self.cursor.peek(0).is_some_and(|c| c.is_ascii_digit() || c == '.') {
            self.cursor.at += 1;
        }
        self.cursor.text(at..self.cursor.at)
    }
}

/// The measure with this name, in lower case.
fn measure(name: &str) -> Option<Measure> {
    match name {
        "count" | "c" => Some(Measure::Count),
        "sum" => Some(Measure::Sum),
        "avg" | "mean" => Some(Measure::Avg),
        "min" => Some(Measure::Min),
        "max" => Some(Measure::Max),
        "dc" | "distinct" | "uniq" | "count_distinct" | "distinct_count" | "count_uniq" => {
            Some(Measure::Distinct)
        }
        "median" => of_percent(50.0),
        _ => percentile(name.strip_prefix("perc").or_else(|| name.strip_prefix('p'))?),
    }
}

/// Reads a percentage such as `95` or `99.9`.
fn percentile(percent: &str) -> Option<Measure> {
    let is_number = percent.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let is_whole = percent.starts_with(|c: char| c.is_ascii_digit()) && !percent.ends_with('.');
    percent.parse().ok().filter(|_| is_number && is_whole).and_then(of_percent)
}

/// The percentile for a percentage that, apart from rounding, has at most three decimals.
fn of_percent(percent: f64) -> Option<Measure> {
    let thousandths = percent * 1000.0;
    let is_one = (thousandths - thousandths.round()).abs() < 1e-6;
    let thousandths = thousandths.round() as u32;
    (is_one && thousandths <= 100_000).then_some(Measure::Percentile(thousandths))
}
