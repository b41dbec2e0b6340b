//! The needs of a stage or a query: the fields that it names, and whether it can be answered where it stands.

use super::error::AnswerError;
use logstead_query::{Query, Stage};

/// Refuses a condition on logspaces, because these are chosen before any message is read.
pub(crate) fn check_logspace(query: &Query, stage: &Stage) -> Result<(), AnswerError> {
    if !query.uses_logspace() {
        return Ok(());
    }
    Err(AnswerError::Stage(format!(
        "`{stage}` selects logspaces: put it before the stages that look into messages"
    )))
}

/// Whether a query looks for a text in more than one field.
pub(crate) fn uses_text(query: &Query) -> bool {
    let mut found = false;
    visit(query, &mut |query| found |= matches!(query, Query::Text(_)));
    found
}

fn visit(query: &Query, visitor: &mut impl FnMut(&Query)) {
    visitor(query);
    match query {
        Query::And(inner) | Query::Or(inner) => inner.iter().for_each(|query| visit(query, visitor)),
        Query::Not(inner) => visit(inner, visitor),
        Query::All | Query::Copies | Query::Text(_) | Query::Field(..) => {}
    }
}
