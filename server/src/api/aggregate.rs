//! The table that the stages of a query make.

use super::Shared;
use super::access::Caller;
use super::cancel::{Cancel, ask};
use super::error::Result;
use super::extract::{Json, Query};
use super::scope::{Scope, list, target};
use super::warning::QueryWarning;
use crate::store::Coverage;
use crate::wire::table::Table;
use axum::extract::{Extension, State};
use logstead_indexer::{Aggregation, Asked, Settings};
use logstead_record::query::Pipeline;
use serde::{Deserialize, Serialize};
use std::time::Instant;

const CUT_SHORT: &str = "there was no time to make the whole table: rows are missing, and the order is that of those \
                         that are shown: group by fields with fewer values, or raise limits.search_time_max";

/// What to make a table of.
#[derive(Deserialize, utoipa::ToSchema, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct AggregateRequest {
    /// In the query language, with stages; without them the table shows messages.
    #[serde(default)]
    #[schema(example = "error | stats count() by host")]
    #[param(example = "error | stats count() by host")]
    query: String,
    /// The first time that is in range: RFC 3339, or relative as `-15m`, `now-1h`.
    from: Option<String>,
    /// End of the range, exclusive.
    to: Option<String>,
    /// The zone of days and times without one, by name: `Europe/Vienna`. UTC by default.
    timezone: Option<String>,
    /// Logspace ids, all by default. In a query string, separated by commas.
    #[serde(default, deserialize_with = "list")]
    #[param(value_type = Option<String>)]
    logspaces: Option<Vec<String>>,
}

/// A table with what was looked at for it. Exact, where `coverage.complete`.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct AggregateResponse {
    #[serde(flatten)]
    table: Table,
    took_ms: u64,
    coverage: Coverage,
    warnings: Vec<QueryWarning>,
    /// The query as it was understood.
    query: String,
}

/// Makes a table of what is found.
#[utoipa::path(
    post, path = "/api/v1/aggregate", tag = "search",
    responses((status = 200, body = AggregateResponse))
)]
pub(crate) async fn aggregate(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    Json(request): Json<AggregateRequest>,
) -> Result<axum::Json<AggregateResponse>> {
    run(&shared, &caller, request).await
}

/// Makes a table of what is found; the same as the POST, for curl.
#[utoipa::path(
    get, path = "/api/v1/aggregate", tag = "search", params(AggregateRequest),
    responses((status = 200, body = AggregateResponse))
)]
pub(crate) async fn aggregate_get(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    Query(request): Query<AggregateRequest>,
) -> Result<axum::Json<AggregateResponse>> {
    run(&shared, &caller, request).await
}

async fn run(
    shared: &Shared,
    caller: &Caller,
    request: AggregateRequest,
) -> Result<axum::Json<AggregateResponse>> {
    let started = Instant::now();
    let mut scope = Scope::with_stages(shared, caller, &target!(request))?;
    let pipeline = Pipeline { filter: scope.query.clone(), stages: std::mem::take(&mut scope.stages) };
    let shown = Pipeline { filter: scope.asked.clone(), stages: pipeline.stages.clone() }.to_string();
    let mut aggregation = compile(&mut scope, &pipeline, shared.query_memory_max())?;
    let weight = scope.weight(true);
    let answer = move |cancel: &Cancel| -> Result<AggregateResponse> {
        let mut coverage = scope.answer(cancel, &mut [Asked::Table(&mut aggregation)])?;
        let made = aggregation.finish(&cancel.run())?;
        if made.is_cut_short {
            coverage.complete = false;
            scope.warnings.push(QueryWarning::plain(CUT_SHORT.to_owned()));
        }
        let table = Table::from(made);
        if table.is_empty() {
            scope.warn_of_unknown_fields(cancel);
        }
        Ok(AggregateResponse {
            table,
            took_ms: started.elapsed().as_millis() as u64,
            coverage,
            warnings: scope.warnings,
            query: shown,
        })
    };
    ask(shared, caller, weight, answer).await?.map(axum::Json)
}

/// Makes the stages ready to run, and the scope what they search for.
pub(super) fn compile(
    scope: &mut Scope,
    pipeline: &Pipeline,
    memory_bytes_max: usize,
) -> Result<Aggregation> {
    let settings = Settings { now: scope.now, range: scope.range, memory_bytes_max };
    let (aggregation, range) = scope.logspaces.prepare(pipeline, settings)?;
    scope.query = aggregation.filter().clone();
    scope.range = range;
    Ok(aggregation)
}
