//! The most frequent values of fields, and how many different ones there are.

use crate::api::ask::fields::{ValueCount, check_field};
use crate::api::error::{ApiError, Result};
use crate::api::question::cancel::{Cancel, ask};
use crate::api::question::warning::QueryWarning;
use crate::api::question::{Asked, Parameters, Question, list};
use crate::store::Coverage;
use logstead_indexer::{self as indexer, Asked as Answer};
use logstead_record::query::FieldName;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Maximum number of fields of a request.
pub(in crate::api) const FIELDS_MAX: usize = 32;
/// Maximum number of values of a field.
const LIMIT_MAX: u32 = 10_000;
/// Default number of values of a field.
const LIMIT: u32 = 10;

/// Which values to count.
#[derive(Deserialize, utoipa::ToSchema, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct FacetsRequest {
    /// Names: 1 to 32. In a query string, separated by commas.
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

/// The values of a field. Exact if `coverage.complete` and not `partial`.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct Facet {
    /// How many different values there are.
    distinct: u64,
    /// The most frequent ones, most frequent first.
    values: Vec<ValueCount>,
    /// Why not all messages are counted, if so.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    partial: Option<String>,
}

/// Counts the values of fields.
#[utoipa::path(
    post, path = "/api/v1/facets", tag = "search", request_body = FacetsRequest,
    responses((status = 200, body = FacetsResponse))
)]
pub(crate) async fn facets(asked: Asked<FacetsRequest>) -> Result<axum::Json<FacetsResponse>> {
    let Asked { shared, caller, mut question, own, started, .. } = asked;
    let fields = own.fields.unwrap_or_default();
    if fields.is_empty() {
        let detail = "fields is empty: name the fields whose values to count, such as host";
        return Err(ApiError::bad_request(detail).path("fields"));
    }
    let mut counting = Counting::new(fields, own.limit, "limit", shared.query_memory_max())?;
    let weight = question.weight(true);
    let answer = move |cancel: &Cancel| -> Result<FacetsResponse> {
        let coverage = question.answer(cancel, &mut [counting.asked()])?;
        let fields = counting.finish(&mut question, cancel);
        if fields.values().all(|facet| facet.distinct == 0) {
            question.warn_of_unknown_fields(cancel);
        }
        let took_ms = started.elapsed().as_millis() as u64;
        Ok(FacetsResponse { fields, took_ms, coverage, warnings: question.warnings })
    };
    ask(&shared, &caller, weight, answer).await?.map(axum::Json)
}

impl Parameters for FacetsRequest {}

/// Facets that are being made.
pub(in crate::api) struct Counting {
    /// As they were asked for.
    names: Vec<String>,
    facets: indexer::Facets,
}

impl Counting {
    /// `limit_path` is where the request says the limit.
    pub(in crate::api) fn new(
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

    pub(in crate::api) fn asked(&mut self) -> Answer<'_> {
        Answer::Facets(&mut self.facets)
    }

    /// The facets. Warns if no message has a field.
    pub(in crate::api) fn finish(self, question: &mut Question, cancel: &Cancel) -> BTreeMap<String, Facet> {
        let facets = self.facets.so_far();
        let empty = facets.iter().filter(|facet| facet.distinct == 0).map(|facet| &facet.field);
        question.warn_of_unknown_names(empty, cancel);
        self.named(facets)
    }

    /// The facets of what was added.
    pub(in crate::api) fn so_far(&self) -> BTreeMap<String, Facet> {
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
