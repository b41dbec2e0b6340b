//! The canonical text of a pipeline.

use super::kinds::WORDS;
use super::{Aggregate, Function, Measure, Pipeline, Ranking, SortKey, Stage, TextFormat};
use crate::print::{PrintedName, Quoted};
use crate::time::Duration;
use logstead_record::Field;
use logstead_record::FieldName;
use std::fmt::{self, Display, Formatter};

impl Display for Pipeline {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{filter}", filter = self.filter)?;
        self.stages.iter().try_for_each(|stage| write!(f, " | {stage}"))
    }
}

impl Display for Stage {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Stage::Where(query) => write!(f, "where {query}"),
            Stage::Fields(fields) => write!(f, "fields {fields}", fields = names(fields)),
            Stage::Sort(keys) => write!(f, "sort {keys}", keys = PrintedList(keys)),
            Stage::Limit(count) => write!(f, "limit {count}"),
            Stage::Tail(count) => write!(f, "tail {count}"),
            Stage::Stats { functions, by } => {
                write!(f, "stats {functions}{by}", functions = PrintedList(functions), by = ByClause(by))
            }
            Stage::Timechart { span_nanos, functions, by } => {
                f.write_str("timechart ")?;
                if let Some(nanos) = span_nanos {
                    write!(f, "span={span} ", span = Duration(nanos.unsigned_abs()))?;
                }
                write!(f, "{functions}{by}", functions = PrintedList(functions), by = ByClause(by.as_slice()))
            }
            Stage::Top(ranking) => write!(f, "top {ranking}"),
            Stage::Rare(ranking) => write!(f, "rare {ranking}"),
            Stage::Uniq(fields) => write!(f, "uniq {fields}", fields = names(fields)),
            Stage::Dedup(fields) => write!(f, "dedup {fields}", fields = names(fields)),
            Stage::Gap { by, longest_nanos } => {
                let longest = Duration(longest_nanos.unsigned_abs());
                write!(f, "gap {fields} > {longest}", fields = names(by))
            }
            Stage::Extract { template, from } => {
                write!(f, "extract {text}{from}", text = Quoted(&template.text), from = FromClause(from))
            }
            Stage::Parse { format, from } => write!(f, "parse {format}{from}", from = FromClause(from)),
            Stage::Eval(assignments) => {
                f.write_str("eval ")?;
                assignments.iter().enumerate().try_for_each(|(number, (name, expression))| {
                    let comma = if number == 0 { "" } else { ", " };
                    write!(f, "{comma}{name} = {expression}", name = PrintedColumn(&FieldName::new(name)))
                })
            }
        }
    }
}

impl Display for SortKey {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let sign = if self.descending { "-" } else { "" };
        write!(f, "{sign}{field}", field = PrintedColumn(&self.field))
    }
}

impl Display for Aggregate {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{function}", function = self.function)?;
        match &self.alias {
            Some(alias) => write!(f, " as {alias}", alias = PrintedColumn(&FieldName::new(alias))),
            None => Ok(()),
        }
    }
}

impl Display for Function {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Function::Count => f.write_str("count()"),
            Function::Of(measure, field) => write!(f, "{measure}({field})", field = PrintedColumn(field)),
        }
    }
}

impl Display for Measure {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Measure::Count => f.write_str("count"),
            Measure::Sum => f.write_str("sum"),
            Measure::Avg => f.write_str("avg"),
            Measure::Min => f.write_str("min"),
            Measure::Max => f.write_str("max"),
            Measure::Distinct => f.write_str("dc"),
            Measure::Percentile(percent) => {
                write!(f, "p{whole}", whole = percent / 1000)?;
                let rest = format!(".{rest:03}", rest = percent % 1000);
                f.write_str(rest.trim_end_matches(['.', '0']))
            }
        }
    }
}

impl Display for Ranking {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{count} {fields}{by}",
            count = self.count,
            fields = names(&self.fields),
            by = ByClause(&self.by)
        )
    }
}

impl Display for TextFormat {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            TextFormat::Json => f.write_str("json"),
            TextFormat::KeyValue => f.write_str("kv"),
            TextFormat::Regex(captures) => write!(f, "regex {regex}", regex = &captures.regex),
            TextFormat::Cef => f.write_str("cef"),
            TextFormat::Leef => f.write_str("leef"),
            TextFormat::Csv(columns) => {
                let name = |column: &String| match column.as_str() {
                    "" => "_".to_owned(),
                    name => PrintedColumn(&FieldName::new(name)).to_string(),
                };
                write!(f, "csv ({names})", names = columns.iter().map(name).collect::<Vec<_>>().join(", "))
            }
        }
    }
}

/// A field in a stage, in quotes if it would be read as something else.
struct PrintedColumn<'a>(&'a FieldName);

impl Display for PrintedColumn<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            FieldName::Dynamic(name) if WORDS.contains(&name.to_ascii_lowercase().as_str()) => {
                write!(f, "{name}", name = Quoted(name))
            }
            name => write!(f, "{name}", name = PrintedName(name)),
        }
    }
}

fn names(fields: &[FieldName]) -> String {
    fields.iter().map(|field| PrintedColumn(field).to_string()).collect::<Vec<_>>().join(", ")
}

struct PrintedList<'a, T>(&'a [T]);

impl<T: Display> Display for PrintedList<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.iter().enumerate().try_for_each(|(index, item)| {
            let separator = if index == 0 { "" } else { ", " };
            write!(f, "{separator}{item}")
        })
    }
}

struct ByClause<'a>(&'a [FieldName]);

impl Display for ByClause<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, " by {fields}", fields = names(self.0)) }
    }
}

/// The field that a text is taken from; the message is the default.
struct FromClause<'a>(&'a FieldName);

impl Display for FromClause<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            FieldName::Known(Field::Message) => Ok(()),
            field => write!(f, " from {field}", field = PrintedColumn(field)),
        }
    }
}
