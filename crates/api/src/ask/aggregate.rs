//! The table that the stages of a query produce.

use crate::error::Result;
use crate::question::cancel::{Cancel, ask};
use crate::question::warning::{QueryWarning, WarningCode};
use crate::question::{AllowedStages, CallerQuestion, QuestionParameters, StoreQuestion};
use logstead_answer::{Aggregation, AnswerSettings};
use logstead_indexer::AnswerTarget as Answer;
use logstead_query::Pipeline;
use logstead_questions::store::Coverage;
use logstead_questions::wire::table::TableJson;
use serde::{Deserialize, Serialize};

const CUT_SHORT: &str = "the time was not enough for the whole table: rows are missing, and only those shown \
                         are in order. Group by fields with fewer values, or raise limits.search_time_max";

/// The query that produces the table.
#[derive(Deserialize, utoipa::ToSchema, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct AggregateRequest {}

/// A table, with the work done for it. Exact if `coverage.complete`.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct AggregateResult {
    #[serde(flatten)]
    table: TableJson,
    /// How many copies are not counted: messages that another of these logspaces has as well.
    copies: u64,
    took_ms: u64,
    coverage: Coverage,
    warnings: Vec<QueryWarning>,
    /// The query as it was understood.
    query: String,
}

/// Makes a table of the messages found. A query without stages shows messages.
#[utoipa::path(
    post, path = "/api/v1/aggregate", operation_id = "aggregate_messages", tag = "search", request_body = AggregateRequest,
    responses((status = 200, body = AggregateResult))
)]
pub(crate) async fn aggregate(
    asked: CallerQuestion<AggregateRequest>,
) -> Result<axum::Json<AggregateResult>> {
    let CallerQuestion { shared, caller, mut question, started, .. } = asked;
    let pipeline = Pipeline { filter: question.query.clone(), stages: std::mem::take(&mut question.stages) };
    let shown = Pipeline { filter: question.asked.clone(), stages: pipeline.stages.clone() }.to_string();
    let mut aggregation = compile(&mut question, &pipeline, shared.query_memory_max())?;
    let weight = question.weight(true);
    let answer = move |cancel: &Cancel| -> Result<AggregateResult> {
        let mut coverage = question.answer(cancel, &mut [Answer::Table(&mut aggregation)])?;
        let made = aggregation.finish(&cancel.run())?;
        if made.is_cut_short {
            coverage.complete = false;
            question.warnings.push(QueryWarning::new(WarningCode::Unfinished, CUT_SHORT.to_owned()));
        }
        let copies = question.count_copies(cancel);
        let table = TableJson::from(made);
        if table.is_empty() {
            question.warn_of_unknown_fields(cancel);
        }
        Ok(AggregateResult {
            table,
            copies,
            took_ms: started.elapsed().as_millis() as u64,
            coverage,
            warnings: question.warnings,
            query: shown,
        })
    };
    ask(&shared, &caller, weight, answer).await?.map(axum::Json)
}

impl QuestionParameters for AggregateRequest {
    const STAGES: AllowedStages = AllowedStages::All;
}

/// Prepares the stages, and narrows the question to the messages that they need.
pub(crate) fn compile(
    question: &mut StoreQuestion,
    pipeline: &Pipeline,
    memory_bytes_max: usize,
) -> Result<Aggregation> {
    let (now, range) = (question.now, question.range);
    let settings = AnswerSettings { now, range, asked: range, memory_bytes_max };
    let (aggregation, range) = question.logspaces.prepare(pipeline, settings)?;
    question.query = aggregation.filter().clone();
    question.range = range;
    Ok(aggregation)
}
