//! A document before it means anything: tables, lists and values, alike for TOML, JSON and the environment.
//!
//! **Invariant:** a node knows where in its text it stands, so that a finding needs to carry no more than a path.

use std::ops::Range;

use serde_json::Value as Json;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::problem::{Aim, Finding, PROBLEMS_MAX, Problem, Step, and_more};

/// The largest document that is read.
pub const DOCUMENT_BYTES_MAX: usize = 1 << 20;

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Node {
    pub(crate) value: Value,
    pub(crate) origin: Origin,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Value {
    Null,
    Boolean(bool),
    Integer(i64),
    Text(String),
    /// From the environment or the command line: whatever type the key wants.
    Bare(String),
    /// A number with a fraction.
    Fraction(f64),
    /// A number out of range, or a date: no key wants one.
    Other(&'static str),
    List(Vec<Node>),
    Table(Vec<Entry>),
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) key_origin: Origin,
    pub(crate) node: Node,
}

/// Where a node was written.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Origin {
    /// Nowhere that could be shown: JSON, or what we ship.
    Unplaced,
    /// These bytes of the text.
    Text(Range<usize>),
    /// An environment variable or argument of this name.
    Named(String),
}

impl Node {
    pub(crate) fn from_toml(text: &str) -> Result<Node, Vec<Problem>> {
        fits(text.len())?;
        let (table, errors) = DeTable::parse_recoverable(text);
        if errors.is_empty() {
            return Ok(from_toml_table(table.get_ref(), Origin::Text(table.span())));
        }
        let problem = |error: &toml::de::Error| {
            let at = error.span().map_or(0, |span| span.start);
            Problem::whole(format!("not TOML: {}", error.message())).placed(text, at)
        };
        let mut problems: Vec<Problem> = errors.iter().take(PROBLEMS_MAX).map(problem).collect();
        problems.extend(and_more(errors.len().saturating_sub(PROBLEMS_MAX)));
        Err(problems)
    }

    pub(crate) fn from_json(text: &[u8]) -> Result<Node, Vec<Problem>> {
        fits(text.len())?;
        match serde_json::from_slice::<Json>(text) {
            Ok(json) => Ok(from_json_value(json)),
            Err(error) => {
                let count = |number: usize| u32::try_from(number).ok();
                let mut problem = Problem::whole(format!("not JSON: {error}"));
                (problem.line, problem.column) = (count(error.line()), count(error.column()));
                Err(vec![problem])
            }
        }
    }

    pub(crate) fn table(entries: Vec<Entry>, origin: Origin) -> Node {
        Node { value: Value::Table(entries), origin }
    }

    pub(crate) fn bare(text: &str, origin: Origin) -> Node {
        Node { value: Value::Bare(text.to_owned()), origin }
    }

    /// What it is, for a sentence such as "must be a string, not a list".
    pub(crate) fn type_name(&self) -> &'static str {
        match &self.value {
            Value::Null => "null",
            Value::Boolean(_) => "true or false",
            Value::Integer(_) => "a number",
            Value::Text(_) | Value::Bare(_) => "a string",
            Value::Fraction(_) => "a number with a fraction",
            Value::Other(name) => name,
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
        }
    }

    /// Turns a finding about this document into a problem with its place in `text`.
    pub(crate) fn place(&self, finding: &Finding, text: &str) -> Problem {
        let problem = Problem {
            path: finding.path.to_string(),
            message: finding.message.clone(),
            line: None,
            column: None,
        };
        match self.origin_of(finding, text) {
            Origin::Text(range) => problem.placed(text, range.start),
            Origin::Named(name) => {
                Problem { message: format!("{} (set by {name})", problem.message), ..problem }
            }
            Origin::Unplaced => problem,
        }
    }

    /// Where the finding's value is written, or the nearest table that should hold it.
    fn origin_of(&self, finding: &Finding, text: &str) -> Origin {
        let mut node = self;
        let mut origin = &self.origin;
        let mut depth = 0;
        for step in &finding.path.0 {
            let Some((key_origin, below)) = node.child(step) else { break };
            depth += 1;
            origin = if matches!(finding.aim, Aim::Key) { key_origin } else { &below.origin };
            node = below;
        }
        match (&finding.aim, origin, &node.value) {
            (Aim::Inside(inner), Origin::Text(outer), Value::Text(value))
                if depth == finding.path.0.len() =>
            {
                Origin::Text(inside(text, outer, value, inner))
            }
            _ => origin.clone(),
        }
    }

    /// What stands there, and where its key is written.
    pub(crate) fn child(&self, step: &Step) -> Option<(&Origin, &Node)> {
        match (&self.value, step) {
            (Value::Table(entries), Step::Key(key)) => {
                entries.iter().find(|entry| entry.key == *key).map(|entry| (&entry.key_origin, &entry.node))
            }
            (Value::List(nodes), Step::Index(index)) => nodes.get(*index).map(|node| (&node.origin, node)),
            _ => None,
        }
    }
}

fn fits(bytes: usize) -> Result<(), Vec<Problem>> {
    if bytes <= DOCUMENT_BYTES_MAX {
        return Ok(());
    }
    Err(vec![Problem::whole(format!(
        "the document has {bytes} bytes, and the limit is {DOCUMENT_BYTES_MAX} (1 MiB)"
    ))])
}

/// The bytes of `text` that hold bytes `inner` of a string `value` written at `outer`; the whole string when it
/// is written with escapes.
fn inside(text: &str, outer: &Range<usize>, value: &str, inner: &Range<usize>) -> Range<usize> {
    match text.get(outer.clone()).and_then(|written| written.find(value)) {
        Some(begin) => outer.start + begin + inner.start..outer.start + begin + inner.end,
        None => outer.clone(),
    }
}

fn from_toml_table(table: &DeTable<'_>, origin: Origin) -> Node {
    let mut entries: Vec<Entry> = table
        .iter()
        .map(|(key, value)| Entry {
            key: key.get_ref().to_string(),
            key_origin: Origin::Text(key.span()),
            node: from_toml_value(value),
        })
        .collect();
    // The parser sorts by name; problems are reported in the order in which things are written.
    entries.sort_by_key(|entry| match &entry.key_origin {
        Origin::Text(range) => range.start,
        _ => 0,
    });
    Node::table(entries, origin)
}

fn from_toml_value(spanned: &Spanned<DeValue<'_>>) -> Node {
    let origin = Origin::Text(spanned.span());
    let value = match spanned.get_ref() {
        DeValue::Table(table) => return from_toml_table(table, origin),
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(integer) => i64::from_str_radix(integer.as_str(), integer.radix())
            .map_or(Value::Other("a number out of range"), Value::Integer),
        DeValue::Float(float) => {
            float.as_str().replace('_', "").parse().map_or(Value::Other("a number"), Value::Fraction)
        }
        DeValue::Boolean(value) => Value::Boolean(*value),
        DeValue::Datetime(_) => Value::Other("a date or time"),
        DeValue::Array(array) => Value::List(array.iter().map(from_toml_value).collect()),
    };
    Node { value, origin }
}

fn from_json_value(json: Json) -> Node {
    let value = match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Boolean(value),
        Json::Number(number) => {
            let fraction = || number.as_f64().filter(|_| number.is_f64());
            let other = || fraction().map_or(Value::Other("a number out of range"), Value::Fraction);
            number.as_i64().map_or_else(other, Value::Integer)
        }
        Json::String(text) => Value::Text(text),
        Json::Array(list) => Value::List(list.into_iter().map(from_json_value).collect()),
        Json::Object(table) => {
            let entry =
                |(key, json)| Entry { key, key_origin: Origin::Unplaced, node: from_json_value(json) };
            Value::Table(table.into_iter().map(entry).collect())
        }
    };
    Node { value, origin: Origin::Unplaced }
}
