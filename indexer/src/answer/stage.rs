//! What a stage or a query needs: the fields that it names, and whether it can be answered where it stands.

use super::error::AnswerError;
use logstead_record::Field;
use logstead_record::query::{Aggregate, FieldName, Function, Query, Stage};

/// Which logspaces are searched is decided before there are any messages.
pub(crate) fn check_logspace(query: &Query, stage: &Stage) -> Result<(), AnswerError> {
    if !query.uses_logspace() {
        return Ok(());
    }
    Err(AnswerError::Stage(format!(
        "`{stage}` chooses logspaces: put it before the stages that look into messages"
    )))
}

/// The fields that a query names, each once.
pub(crate) fn fields_of(query: &Query) -> Vec<FieldName> {
    let mut fields = Vec::new();
    visit(query, &mut |query| match query {
        Query::Field(field, _) if !fields.contains(field) => fields.push(field.clone()),
        _ => {}
    });
    fields
}

/// Whether it looks for a text in more than one field.
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
        Query::All | Query::Text(_) | Query::Field(..) => {}
    }
}

/// The fields that a stage looks at.
pub(crate) fn references(stage: &Stage) -> Vec<FieldName> {
    let of_functions = |functions: &[Aggregate]| {
        let field = |function: &Function| match function {
            Function::Count => None,
            Function::Of(_, field) => Some(field.clone()),
        };
        functions.iter().filter_map(|aggregate| field(&aggregate.function)).collect::<Vec<_>>()
    };
    match stage {
        Stage::Where(query) => fields_of(query),
        Stage::Fields(fields) | Stage::Uniq(fields) | Stage::Dedup(fields) => fields.clone(),
        Stage::Sort(keys) => keys.iter().map(|key| key.field.clone()).collect(),
        Stage::Limit(_) | Stage::Tail(_) => Vec::new(),
        Stage::Stats { functions, by } => by.iter().cloned().chain(of_functions(functions)).collect(),
        Stage::Timechart { functions, by, .. } => {
            let time = FieldName::Known(Field::Time);
            std::iter::once(time).chain(by.clone()).chain(of_functions(functions)).collect()
        }
        Stage::Top(ranking) | Stage::Rare(ranking) => {
            ranking.by.iter().chain(&ranking.fields).cloned().collect()
        }
        Stage::Extract { from, .. } | Stage::Parse { from, .. } => vec![from.clone()],
    }
}
