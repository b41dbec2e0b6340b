//! The most frequent values of fields, and how many different ones there are.

use super::Shared;
use super::access::Caller;
use super::cancel::{Cancel, ask};
use super::error::{ApiError, Result};
use super::extract::{Json, Query};
use super::histogram::check_field;
use super::scope::{Scope, list, target};
use super::warning::QueryWarning;
use crate::store::Coverage;
use crate::wire::table::text;
use axum::extract::{Extension, State};
use logstead_indexer::{self as indexer, Asked, Value};
use logstead_record::query::FieldName;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Instant;

/// Most fields of one request.
pub(super) const FIELDS_MAX: usize = 32;
/// Most values of one field.
const LIMIT_MAX: u32 = 10_000;
/// Values of a field, where a request does not say how many.
const LIMIT: u32 = 10;

/// Which values to count.
#[derive(Deserialize, utoipa::ToSchema, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct FacetsRequest {
    /// In the query language; empty or `*` means all.
    #[serde(default)]
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
    /// Names: 1 to 32. In an address with commas between them.
    #[serde(default, deserialize_with = "list")]
    #[schema(value_type = Vec<String>, required)]
    #[param(value_type = String, required)]
    fields: Option<Vec<String>>,
    /// How many values of each field to show.
    #[schema(default = 10, minimum = 1, maximum = 10000)]
    #[param(default = 10, minimum = 1, maximum = 10000)]
    limit: Option<u32>,
}

/// The values of fields.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct FacetsResponse {
    /// By the names that were asked for.
    fields: BTreeMap<String, Facet>,
    took_ms: u64,
    coverage: Coverage,
    warnings: Vec<QueryWarning>,
}

/// The values of a field. Exact, where `coverage.complete` and not `partial`.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct Facet {
    /// How many different values there are.
    distinct: u64,
    /// The most frequent ones, most frequent first.
    values: Vec<ValueCount>,
    /// Why not all messages are counted, where they are not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    partial: Option<String>,
}

/// A value and how many messages have it.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct ValueCount {
    value: String,
    count: u64,
}

/// Counts the values of fields.
#[utoipa::path(
    post, path = "/api/v1/facets", tag = "search",
    responses((status = 200, body = FacetsResponse))
)]
pub(crate) async fn facets(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    Json(request): Json<FacetsRequest>,
) -> Result<axum::Json<FacetsResponse>> {
    run(&shared, &caller, request).await
}

/// Counts the values of fields; the same as the POST, for curl.
#[utoipa::path(
    get, path = "/api/v1/facets", tag = "search", params(FacetsRequest),
    responses((status = 200, body = FacetsResponse))
)]
pub(crate) async fn facets_get(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    Query(request): Query<FacetsRequest>,
) -> Result<axum::Json<FacetsResponse>> {
    run(&shared, &caller, request).await
}

async fn run(shared: &Shared, caller: &Caller, request: FacetsRequest) -> Result<axum::Json<FacetsResponse>> {
    let started = Instant::now();
    let mut scope = Scope::new(shared, caller, &target!(request))?;
    let fields = request.fields.unwrap_or_default();
    if fields.is_empty() {
        let detail = "fields is empty: name the fields whose values to count, such as host";
        return Err(ApiError::bad_request(detail).path("fields"));
    }
    let mut counting = Counting::new(fields, request.limit, "limit", shared.query_memory_max())?;
    let weight = scope.weight(true);
    let answer = move |cancel: &Cancel| -> Result<FacetsResponse> {
        let coverage = scope.answer(cancel, &mut [counting.asked()])?;
        let fields = counting.finish(&mut scope, cancel);
        if fields.values().all(|facet| facet.distinct == 0) {
            scope.warn_of_unknown_fields(cancel);
        }
        let took_ms = started.elapsed().as_millis() as u64;
        Ok(FacetsResponse { fields, took_ms, coverage, warnings: scope.warnings })
    };
    ask(shared, caller, weight, answer).await?.map(axum::Json)
}

/// Facets that are being made.
pub(super) struct Counting {
    /// As they were asked for.
    names: Vec<String>,
    facets: indexer::Facets,
}

impl Counting {
    /// `limit_path` is where the request says the limit.
    pub(super) fn new(
        mut names: Vec<String>,
        limit: Option<u32>,
        limit_path: &str,
        memory_bytes_max: usize,
    ) -> Result<Counting> {
        let limit = limit.unwrap_or(LIMIT);
        if limit == 0 || LIMIT_MAX < limit {
            let detail = format!("{limit_path} is {limit}: ask for 1 to {LIMIT_MAX} values of each field");
            return Err(ApiError::bad_request(detail).path(limit_path));
        }
        names.sort_unstable();
        names.dedup();
        if FIELDS_MAX < names.len() {
            let detail = format!("fields names {} fields: ask for at most {FIELDS_MAX}", names.len());
            return Err(ApiError::bad_request(detail).path("fields"));
        }
        let fields: Result<Vec<FieldName>> = names.iter().map(|name| check_field(name, "fields")).collect();
        let facets = indexer::Facets::new(fields?, limit as usize, memory_bytes_max);
        Ok(Counting { names, facets })
    }

    pub(super) fn asked(&mut self) -> Asked<'_> {
        Asked::Facets(&mut self.facets)
    }

    /// The facets. Says so where no message has a field.
    pub(super) fn finish(self, scope: &mut Scope, cancel: &Cancel) -> BTreeMap<String, Facet> {
        let facets = self.facets.so_far();
        let empty = facets.iter().filter(|facet| facet.distinct == 0).map(|facet| &facet.field);
        scope.warn_of_unknown_names(empty, cancel);
        self.named(facets)
    }

    /// The facets of what was added.
    pub(super) fn so_far(&self) -> BTreeMap<String, Facet> {
        self.named(self.facets.so_far())
    }

    fn named(&self, facets: Vec<indexer::Facet>) -> BTreeMap<String, Facet> {
        self.names.iter().cloned().zip(facets.into_iter().map(Facet::new)).collect()
    }
}

impl Facet {
    fn new(facet: indexer::Facet) -> Facet {
        let values = facet.values.iter().map(|(value, count)| ValueCount::new(value, *count));
        Facet { distinct: facet.distinct, values: values.collect(), partial: facet.partial }
    }
}

impl ValueCount {
    pub(super) fn new(value: &Value, count: u64) -> ValueCount {
        ValueCount { value: text(value), count }
    }
}
