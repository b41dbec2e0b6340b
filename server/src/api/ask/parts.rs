//! The parts of a query as they are written, with their places in characters.

use logstead_record::query::Outline;
use serde::Serialize;
use std::ops::Range;

/// A clause of the filter, as it is written.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct WrittenClause {
    #[schema(example = "-host:fw*")]
    text: String,
    /// Its first character in the query, from 0.
    start: usize,
    /// The first character after it.
    end: usize,
    /// Whether it is negated: by `-`, `!`, `NOT`, or by an operator such as `!=`.
    negated: bool,
    /// The fields that it compares.
    fields: Vec<String>,
}

/// A stage, as it is written.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct WrittenStage {
    /// Without the `|` before it.
    #[schema(example = "top 5 host")]
    text: String,
    /// Its first character in the query, from 0.
    start: usize,
    /// The first character after it.
    end: usize,
    /// Its canonical name: `limit` for `head`.
    #[schema(example = "top")]
    name: String,
}

/// The parts of a query with their places in characters.
pub(in crate::api) fn written(text: &str, outline: &Outline) -> (Vec<WrittenClause>, Vec<WrittenStage>) {
    let part = |span: &Range<usize>| {
        let part = text.get(span.clone()).unwrap_or_default();
        let start = text.get(..span.start).map_or(0, |before| before.chars().count());
        (part.to_owned(), start, start + part.chars().count())
    };
    let clauses = outline.clauses.iter().map(|clause| {
        let (text, start, end) = part(&clause.span);
        WrittenClause { text, start, end, negated: clause.negated, fields: clause.fields.clone() }
    });
    let stages = outline.stages.iter().map(|stage| {
        let (text, start, end) = part(&stage.span);
        WrittenStage { text, start, end, name: stage.name.to_owned() }
    });
    (clauses.collect(), stages.collect())
}
