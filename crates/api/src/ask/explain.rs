//! How a query is answered and what that costs, before it runs.

use crate::ask::aggregate::compile;
use crate::ask::parts::{WrittenClause, WrittenStage, written};
use crate::error::{ApiError, Result};
use crate::question::cancel::{Cancel, ask};
use crate::question::warning::{QueryWarning, WarningCode};
use crate::question::{AllowedStages, AnswerCost, CallerQuestion, Effort, QuestionParameters};
use logstead_indexer::{self as indexer, Explanation};
use logstead_query::{Pipeline, outline};
use logstead_questions::store::Copies;
use serde::{Deserialize, Serialize};

/// The query to explain.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExplainRequest {}

/// How a query is answered.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct ExplainResult {
    /// The query as it was understood.
    query: String,
    /// The filter that is applied to the store. Stages process the messages that it finds, and their cost is not
    /// included.
    filter: String,
    /// The top-level clauses of the filter, as they are written: a message has to match all of them. A single clause
    /// if the filter is an `OR`.
    clauses_of_query: Vec<WrittenClause>,
    /// The stages, as they are written.
    stages: Vec<WrittenStage>,
    cost: AnswerCost,
    /// The sum over all logspaces.
    sum: Effort,
    logspaces: Vec<LogspaceExplained>,
    took_ms: u64,
    warnings: Vec<QueryWarning>,
}

/// How one logspace answers.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct LogspaceExplained {
    logspace: String,
    #[serde(flatten)]
    effort: Effort,
    /// The clauses of the filter, each followed by its parts; at most 64.
    clauses: Vec<ExplainedClause>,
    /// The templates whose messages match in the segments searched, most frequent first; at most 20. Empty if
    /// templates alone do not answer the filter.
    templates: Vec<MessageTemplate>,
    /// How many templates match.
    templates_found: usize,
}

/// The constant part of the messages that one statement of a program writes.
#[derive(Serialize, utoipa::ToSchema)]
#[schema(as = Template)]
pub(crate) struct MessageTemplate {
    /// 16 hexadecimal digits; the same in every segment and on every server.
    #[schema(example = "5f0c9d2ab1e34478")]
    id: String,
    /// The text of the template, with the kind of each variable in angle brackets.
    #[schema(example = "connection from <address> port <number>")]
    text: String,
    /// Messages of the segments searched that have it, at any time.
    messages: u64,
}

/// One clause of a filter.
#[derive(Serialize, utoipa::ToSchema)]
#[schema(as = Clause)]
pub(crate) struct ExplainedClause {
    query: String,
    /// Its depth: 0 for the whole filter.
    depth: usize,
    /// The index or other method that answers it.
    #[schema(example = "column host")]
    how: String,
    /// The number of messages of the examined segments that certainly match.
    certain_messages: u64,
    /// Messages of the segments searched that may match.
    possible_messages: u64,
}

/// Says how a query is answered and what that costs, without running it.
#[utoipa::path(
    post, path = "/api/v1/explain", operation_id = "explain_query", tag = "search", request_body = ExplainRequest,
    responses((status = 200, body = ExplainResult))
)]
pub(crate) async fn explain(asked: CallerQuestion<ExplainRequest>) -> Result<axum::Json<ExplainResult>> {
    let CallerQuestion { shared, caller, mut question, common, started, .. } = asked;
    let text = common.query.unwrap_or_default();
    // The query is explained as it was written, even for callers limited by a grant, because nothing is searched.
    question.query = question.asked.clone();
    let pipeline = Pipeline { filter: question.asked.clone(), stages: std::mem::take(&mut question.stages) };
    if !pipeline.stages.is_empty() {
        compile(&mut question, &pipeline, shared.query_memory_max())?;
    }
    let (narrowed, weight) = (question.narrowed, question.heavy());
    let answer = move |cancel: &Cancel| {
        let Some(outline) = cancel.while_wanted(|| outline(&text)) else {
            return Err(cancel.unread());
        };
        let outline = outline.map_err(ApiError::internal)?;
        let (clauses_of_query, stages) = written(&text, &outline);
        let (mut logspaces, mut unfinished) = (Vec::new(), Vec::new());
        // Leaving out copies is not part of the query, and takes next to no time.
        question.copies = Copies::Counted;
        for of in question.logspaces.each(question.wanted(), &cancel.run()) {
            let Some(filter) = &of.filter else {
                unfinished.push(QueryWarning::new(WarningCode::Unfinished, cancel.reason(of.id)));
                continue;
            };
            let explained = of.searcher.explain(filter, of.range, &cancel.run());
            let explained = if narrowed { without_contents(explained) } else { explained };
            logspaces.push(LogspaceExplained::new(of.id, &explained));
        }
        question.warnings.append(&mut unfinished);
        question.warn_of_unknown_fields(cancel);
        let sum = logspaces.iter().fold(Effort::default(), |sum, of| sum.plus(&of.effort));
        Ok(axum::Json(ExplainResult {
            query: pipeline.to_string(),
            filter: question.query.to_string(),
            clauses_of_query,
            stages,
            cost: AnswerCost::of(if narrowed { sum.messages + sum.tail_messages } else { sum.looked_at() }),
            sum,
            logspaces,
            took_ms: started.elapsed().as_millis() as u64,
            warnings: question.warnings,
        }))
    };
    ask(&shared, &caller, weight, answer).await?
}

impl QuestionParameters for ExplainRequest {
    const STAGES: AllowedStages = AllowedStages::All;
}

/// The explanation without the numbers that depend on the contents of messages, for callers limited by a grant.
fn without_contents(explained: Explanation) -> Explanation {
    let clauses = explained.clauses.into_iter().map(|clause| indexer::ClauseExplanation {
        certain_messages: 0,
        possible_messages: 0,
        ..clause
    });
    Explanation {
        certain_messages: 0,
        undecided_messages: 0,
        blocks: 0,
        blocks_bytes: 0,
        clauses: clauses.collect(),
        templates: Vec::new(),
        templates_found: 0,
        ..explained
    }
}

impl LogspaceExplained {
    fn new(logspace: &str, explained: &Explanation) -> LogspaceExplained {
        let clauses = explained.clauses.iter().map(|clause| ExplainedClause {
            query: clause.query.clone(),
            depth: clause.depth,
            how: clause.how.clone(),
            certain_messages: clause.certain_messages,
            possible_messages: clause.possible_messages,
        });
        let templates = explained.templates.iter().map(|template| MessageTemplate {
            id: format!("{:016x}", template.id),
            text: template.text.clone(),
            messages: template.messages,
        });
        LogspaceExplained {
            logspace: logspace.to_owned(),
            clauses: clauses.collect(),
            templates: templates.collect(),
            templates_found: explained.templates_found,
            effort: Effort::of(explained),
        }
    }
}
