//! The parts of a query as they are written, with their positions in characters.

use logstead_query as query;
use logstead_query::{Outline, Query};
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
    /// If the clause only requires that one field has one of these values, as `host in (a, b)` does, or, if negated,
    /// none of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    values: Vec<String>,
    /// The lower bound of the number in its field, as in `took>=2.5s`: in seconds or bytes if it has a unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    low: Option<f64>,
    /// The upper bound of the number.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    high: Option<f64>,
}

/// A stage, as it is written.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct WrittenStage {
    /// The text without the `|` before it.
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

/// The parts of a query with their positions in characters.
pub(crate) fn written(text: &str, outline: &Outline) -> (Vec<WrittenClause>, Vec<WrittenStage>) {
    // The parts come in order, so that the text between them is counted only once.
    let (mut counted_bytes, mut counted) = (0, 0);
    let mut part = move |span: &Range<usize>| {
        let chars = |range: Range<usize>| text.get(range).map_or(0, |text| text.chars().count());
        let start = counted + chars(counted_bytes..span.start);
        let end = start + chars(span.clone());
        (counted_bytes, counted) = (span.end, end);
        (text.get(span.clone()).unwrap_or_default().to_owned(), start, end)
    };
    let clauses: Vec<WrittenClause> = outline
        .clauses
        .iter()
        .map(|clause| {
            let (text, start, end) = part(&clause.span);
            let meant = query::parse(&text).ok();
            let values = meant.as_ref().map(Query::chosen_values).unwrap_or_default();
            let (low, high) = meant.as_ref().map(Query::chosen_numbers).unwrap_or_default();
            let (negated, fields) = (clause.negated, clause.fields.clone());
            WrittenClause { text, start, end, negated, fields, values, low, high }
        })
        .collect();
    let stages = outline.stages.iter().map(|stage| {
        let (text, start, end) = part(&stage.span);
        WrittenStage { text, start, end, name: stage.name.to_owned() }
    });
    let stages = stages.collect();
    (clauses, stages)
}
