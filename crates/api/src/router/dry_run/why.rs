//! Why a query does or does not match a message, in words: each clause is tested with the matcher.

use logstead_query::{Context, Matcher, Query, Stage};
use logstead_record::FieldName;
use logstead_record::{Batch, Selection};
use logstead_transform::Transform;
use std::sync::Arc;

/// Maximum length of a value in a sentence.
const SHOWN_BYTES_MAX: usize = 80;

/// Whether a query matches a row of a batch.
fn means(query: &Query, batch: &Batch, row: usize) -> bool {
    let mut only = Selection::none(batch.rows());
    only.insert(row);
    let context = Context { now: batch.received(row), logspace: "" };
    !Matcher::new(query, &context).select_within(batch, &only).is_empty()
}

/// The reason why a query does not match a message, in words.
pub(super) fn why_not(query: &Query, batch: &Batch, row: usize) -> String {
    let failing = query.clauses().iter().filter(|clause| !means(clause, batch, row));
    let reasons: Vec<String> = failing.map(|clause| reason(clause, batch, row)).collect();
    reasons.join("; ")
}

/// The reason why the query does not match, or the stage after it that leaves the message out.
pub(super) fn why_left_out(query: &Query, stages: &[Stage], batch: &Arc<Batch>, row: usize) -> String {
    if !means(query, batch, row) {
        return why_not(query, batch, row);
    }
    let mut only = Selection::none(batch.rows());
    only.insert(row);
    for (number, stage) in stages.iter().enumerate() {
        let Stage::Where(filter) = stage else { continue };
        let before = Transform::new(&stages[..number], batch.received(row)).apply(batch, &only, "");
        if !before.rows.is_empty() && !means(filter, &before.batch, 0) {
            return why_not(filter, &before.batch, 0);
        }
    }
    String::new()
}

fn reason(clause: &Query, batch: &Batch, row: usize) -> String {
    match clause {
        Query::Field(field, _) => format!("`{clause}`: {}", said(field, batch, row)),
        Query::Text(_) => format!("`{clause}`: the message does not contain it"),
        Query::Not(inner) => format!("`{clause}`: {}", taken(inner, batch, row)),
        Query::Or(any) => {
            let mut fields: Vec<String> =
                any.iter().flat_map(Query::fields).map(|field| said(field, batch, row)).collect();
            fields.dedup();
            let said = if fields.is_empty() { "none of these matches".to_owned() } else { fields.join(", ") };
            format!("`{clause}`: {said}")
        }
        Query::And(_) | Query::All | Query::Copies => format!("`{clause}`"),
    }
}

/// The value of a field, worded for a sentence.
fn said(field: &FieldName, batch: &Batch, row: usize) -> String {
    match batch.value(row, field) {
        Some(value) => {
            let text = String::from_utf8_lossy(&value);
            let short: String = text.chars().take(SHOWN_BYTES_MAX).collect();
            let more = if short.len() < text.len() { "…" } else { "" };
            format!("its {field} is {short}{more}")
        }
        None => format!("it has no {field}"),
    }
}

/// Why a query matches a message.
pub(super) fn taken(query: &Query, batch: &Batch, row: usize) -> String {
    if *query == Query::All {
        return "it takes every message".to_owned();
    }
    let fields: Vec<String> = query.fields().into_iter().map(|field| said(field, batch, row)).collect();
    if fields.is_empty() { "the message contains it".to_owned() } else { fields.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use logstead_query::parse;
    use logstead_record::{BatchBuilder, Field, Origin, Priority, Row, Timestamp};

    #[test]
    fn each_clause_that_does_not_hold_says_what_the_message_has() {
        let mut builder = BatchBuilder::new();
        builder.origin(Origin { source: b"in", peer: b"", received: Timestamp::default() });
        builder.field(b"user", b"ann");
        let row = Row { priority: Priority::new(13), ..Row::text(b"all is well") };
        builder.push(&row.with(Field::Host, b"web-1"));
        let batch = builder.seal();
        for (query, expected) in [
            ("severity>=error", "`severity>=err`: its severity is notice"),
            ("host=db well", "`host=db`: its host is web-1"),
            ("host=db failed", "`host=db`: its host is web-1; `failed`: the message does not contain it"),
            ("-user=ann", "`NOT user=ann`: its user is ann"),
            ("program=sshd", "`program=sshd`: it has no program"),
            ("host=a or user=b", "`host=a OR user=b`: its host is web-1, its user is ann"),
        ] {
            assert_eq!(why_not(&parse(query).unwrap(), &batch, 0), expected, "{query}");
        }
        assert_eq!(
            taken(&parse("host=web-1 user=ann").unwrap(), &batch, 0),
            "its host is web-1, its user is ann"
        );
    }
}
