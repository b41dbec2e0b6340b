//! The syntax of a document: tables, lists and values, in one form for TOML, JSON and the environment.
//!
//! **Invariant:** a node knows its position in the text, so a finding needs only a path.

use std::ops::Range;

use serde_json::Value as Json;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::problem::{Finding, FindingTarget, PROBLEMS_MAX, PathStep, Problem, and_more};

/// The largest document that is read.
pub const DOCUMENT_BYTES_MAX: usize = 1 << 20;

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct DocumentNode {
    pub(crate) value: NodeValue,
    pub(crate) origin: NodeOrigin,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum NodeValue {
    Null,
    Boolean(bool),
    Integer(i64),
    Text(String),
    /// A value from the environment or the command line, of the type that the key expects.
    Bare(String),
    /// A number with a fraction.
    Fraction(f64),
    /// A number out of range, or a date, which no key accepts.
    Other(&'static str),
    List(Vec<DocumentNode>),
    Table(Vec<TableEntry>),
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct TableEntry {
    pub(crate) key: String,
    pub(crate) key_origin: NodeOrigin,
    pub(crate) node: DocumentNode,
}

/// The origin of a node.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum NodeOrigin {
    /// No position can be shown, because the node comes from JSON or the shipped defaults.
    Unplaced,
    /// A range of bytes of the text.
    Text(Range<usize>),
    /// The environment variable or argument with this name.
    Named(String),
}

impl DocumentNode {
    pub(crate) fn from_toml(text: &str) -> Result<DocumentNode, Vec<Problem>> {
        fits(text.len())?;
        let (table, errors) = DeTable::parse_recoverable(text);
        if errors.is_empty() {
            return Ok(from_toml_table(table.get_ref(), NodeOrigin::Text(table.span())));
        }
        let problem = |error: &toml::de::Error| {
            let at = error.span().map_or(0, |span| span.start);
            Problem::whole(format!("not TOML: {}", error.message())).placed(text, at)
        };
        let mut problems: Vec<Problem> = errors.iter().take(PROBLEMS_MAX).map(problem).collect();
        problems.extend(and_more(errors.len().saturating_sub(PROBLEMS_MAX)));
        Err(problems)
    }

    pub(crate) fn from_json(text: &[u8]) -> Result<DocumentNode, Vec<Problem>> {
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

    pub(crate) fn table(entries: Vec<TableEntry>, origin: NodeOrigin) -> DocumentNode {
        DocumentNode { value: NodeValue::Table(entries), origin }
    }

    pub(crate) fn bare(text: &str, origin: NodeOrigin) -> DocumentNode {
        DocumentNode { value: NodeValue::Bare(text.to_owned()), origin }
    }

    /// The name of its type, for a sentence such as "must be a string, not a list".
    pub(crate) fn type_name(&self) -> &'static str {
        match &self.value {
            NodeValue::Null => "null",
            NodeValue::Boolean(_) => "true or false",
            NodeValue::Integer(_) => "a number",
            NodeValue::Text(_) | NodeValue::Bare(_) => "a string",
            NodeValue::Fraction(_) => "a number with a fraction",
            NodeValue::Other(name) => name,
            NodeValue::List(_) => "a list",
            NodeValue::Table(_) => "a table",
        }
    }

    /// Turns a finding about this document into a problem with its position in `text`.
    pub(crate) fn place(&self, finding: &Finding, text: &str) -> Problem {
        let problem = Problem {
            path: finding.path.to_string(),
            message: finding.message.clone(),
            line: None,
            column: None,
        };
        match self.origin_of(finding, text) {
            NodeOrigin::Text(range) => problem.placed(text, range.start),
            NodeOrigin::Named(name) => {
                Problem { message: format!("{} (set by {name})", problem.message), ..problem }
            }
            NodeOrigin::Unplaced => problem,
        }
    }

    /// The origin of the finding's value, or of the nearest table that should contain it.
    fn origin_of(&self, finding: &Finding, text: &str) -> NodeOrigin {
        let mut node = self;
        let mut origin = &self.origin;
        let mut depth = 0;
        for step in &finding.path.0 {
            let Some((key_origin, below)) = node.child(step) else { break };
            depth += 1;
            origin = if matches!(finding.target, FindingTarget::Key) { key_origin } else { &below.origin };
            node = below;
        }
        match (&finding.target, origin, &node.value) {
            (FindingTarget::Inside(inner), NodeOrigin::Text(outer), NodeValue::Text(value))
                if depth == finding.path.0.len() =>
            {
                NodeOrigin::Text(inside(text, outer, value, inner))
            }
            _ => origin.clone(),
        }
    }

    /// The child at this step of a path, and the origin of its key.
    pub(crate) fn child(&self, step: &PathStep) -> Option<(&NodeOrigin, &DocumentNode)> {
        match (&self.value, step) {
            (NodeValue::Table(entries), PathStep::Key(key)) => {
                entries.iter().find(|entry| entry.key == *key).map(|entry| (&entry.key_origin, &entry.node))
            }
            (NodeValue::List(nodes), PathStep::Index(index)) => {
                nodes.get(*index).map(|node| (&node.origin, node))
            }
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

/// The range in `text` of the bytes `inner` of a string `value` that is written at `outer`; the whole string if it is
/// written with escapes.
fn inside(text: &str, outer: &Range<usize>, value: &str, inner: &Range<usize>) -> Range<usize> {
    match text.get(outer.clone()).and_then(|written| written.find(value)) {
        Some(begin) => outer.start + begin + inner.start..outer.start + begin + inner.end,
        None => outer.clone(),
    }
}

fn from_toml_table(table: &DeTable<'_>, origin: NodeOrigin) -> DocumentNode {
    let mut entries: Vec<TableEntry> = table
        .iter()
        .map(|(key, value)| TableEntry {
            key: key.get_ref().to_string(),
            key_origin: NodeOrigin::Text(key.span()),
            node: from_toml_value(value),
        })
        .collect();
    // The parser sorts by name; problems are reported in the order in which things are written.
    entries.sort_by_key(|entry| match &entry.key_origin {
        NodeOrigin::Text(range) => range.start,
        _ => 0,
    });
    DocumentNode::table(entries, origin)
}

fn from_toml_value(spanned: &Spanned<DeValue<'_>>) -> DocumentNode {
    let origin = NodeOrigin::Text(spanned.span());
    let value = match spanned.get_ref() {
        DeValue::Table(table) => return from_toml_table(table, origin),
        DeValue::String(text) => NodeValue::Text(text.to_string()),
        DeValue::Integer(integer) => i64::from_str_radix(integer.as_str(), integer.radix())
            .map_or(NodeValue::Other("a number out of range"), NodeValue::Integer),
        DeValue::Float(float) => {
            float.as_str().replace('_', "").parse().map_or(NodeValue::Other("a number"), NodeValue::Fraction)
        }
        DeValue::Boolean(value) => NodeValue::Boolean(*value),
        DeValue::Datetime(_) => NodeValue::Other("a date or time"),
        DeValue::Array(array) => NodeValue::List(array.iter().map(from_toml_value).collect()),
    };
    DocumentNode { value, origin }
}

fn from_json_value(json: Json) -> DocumentNode {
    let value = match json {
        Json::Null => NodeValue::Null,
        Json::Bool(value) => NodeValue::Boolean(value),
        Json::Number(number) => {
            let fraction = || number.as_f64().filter(|_| number.is_f64());
            let other = || fraction().map_or(NodeValue::Other("a number out of range"), NodeValue::Fraction);
            number.as_i64().map_or_else(other, NodeValue::Integer)
        }
        Json::String(text) => NodeValue::Text(text),
        Json::Array(list) => NodeValue::List(list.into_iter().map(from_json_value).collect()),
        Json::Object(table) => {
            let entry = |(key, json)| TableEntry {
                key,
                key_origin: NodeOrigin::Unplaced,
                node: from_json_value(json),
            };
            NodeValue::Table(table.into_iter().map(entry).collect())
        }
    };
    DocumentNode { value, origin: NodeOrigin::Unplaced }
}
