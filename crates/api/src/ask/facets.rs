//! The most frequent values of fields, and the number of distinct ones.

use crate::ask::found_fields::{ValueCount, check_field};
use crate::error::{ApiError, Result};
use crate::question::cancel::{Cancel, ask};
use crate::question::warning::QueryWarning;
use crate::question::{CallerQuestion, QuestionParameters, StoreQuestion, list};
use logstead_answer::AnswerError;
use logstead_indexer::AnswerTarget as Answer;
use logstead_query::{Query, Unit};
use logstead_questions::store::Coverage;
use logstead_record::FieldName;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Maximum number of fields per request.
pub(crate) const FIELDS_MAX: usize = 32;
/// Maximum number of values per field.
const LIMIT_MAX: u32 = 10_000;
/// Default number of values per field.
const LIMIT: u32 = 10;

/// The values to count.
#[derive(Deserialize, utoipa::ToSchema, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct FacetsRequest {
    /// The names of 1 to 32 fields; separated by commas in a query string.
    #[serde(default, deserialize_with = "list")]
    #[schema(value_type = Vec<String>, required)]
    #[param(value_type = String, required)]
    fields: Option<Vec<String>>,
    /// How many values of each field to show.
    #[schema(default = 10, minimum = 1, maximum = 10000)]
    #[param(default = 10, minimum = 1, maximum = 10000)]
    limit: Option<u32>,
    /// Whether clauses of the query that are about a single field also limit the values of that field. If not,
    /// `host=a` still counts the other hosts, which could be chosen instead.
    #[schema(default = true)]
    #[param(default = true)]
    own_clauses: Option<bool>,
    /// Whether to show the distribution of numbers.
    #[serde(default)]
    #[schema(default = false)]
    #[param(default = false)]
    numbers: bool,
}

/// The values of fields.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct FacetsResult {
    /// The facets, by the names that were asked for.
    fields: BTreeMap<String, Facet>,
    /// How many copies are not counted: messages that another of these logspaces has as well.
    copies: u64,
    took_ms: u64,
    coverage: Coverage,
    warnings: Vec<QueryWarning>,
}

/// The values of a field. Exact if `coverage.complete` and not `partial`.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct Facet {
    /// How many messages have the field.
    messages: u64,
    /// How many different values there are.
    distinct: u64,
    /// The most frequent values, most frequent first.
    values: Vec<ValueCount>,
    /// The numbers among all values, if they were asked for and nearly all values are numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    numbers: Option<NumberSummary>,
    /// The reason why not all messages are counted, if they are not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    partial: Option<String>,
}

/// The distribution of the numbers among the values of a field; sizes in bytes and durations in seconds.
#[derive(Serialize, utoipa::ToSchema)]
#[schema(as = Numbers)]
pub(crate) struct NumberSummary {
    /// How many messages have a number in the field.
    messages: u64,
    /// The kind of the numbers that have a unit: `size` or `duration`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "duration")]
    unit: Option<&'static str>,
    min: f64,
    median: f64,
    p95: f64,
    max: f64,
    /// Up to 32 buckets in order, of equal width or, if the numbers differ by powers, of equal width on a logarithmic
    /// scale. The last ends with `max`.
    buckets: Vec<NumberBucket>,
}

/// A range of numbers.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct NumberBucket {
    /// The lower end.
    from: f64,
    count: u64,
}

/// Counts the values of fields.
#[utoipa::path(
    post, path = "/api/v1/facets", operation_id = "compute_facets", tag = "search", request_body = FacetsRequest,
    responses((status = 200, body = FacetsResult))
)]
pub(crate) async fn facets(asked: CallerQuestion<FacetsRequest>) -> Result<axum::Json<FacetsResult>> {
    let CallerQuestion { shared, caller, mut question, own, started, .. } = asked;
    let fields = own.fields.unwrap_or_default();
    if fields.is_empty() {
        let detail = "fields is empty: name the fields whose values to count, such as host";
        return Err(ApiError::invalid(detail).path("fields"));
    }
    let wanted = FacetSelection {
        fields,
        limit: own.limit,
        limit_path: "limit",
        own_clauses: own.own_clauses,
        numbers: own.numbers,
    };
    let mut counting = FacetCounting::new(wanted, &question, shared.query_memory_max())?;
    let weight = question.weight(true);
    let answer = move |cancel: &Cancel| -> Result<FacetsResult> {
        let coverage = question.answer(cancel, &mut [counting.asked()])?;
        let coverage = counting.answer_apart(coverage, &mut question, cancel)?;
        let fields = counting.finish(&mut question, cancel);
        if fields.values().all(|facet| facet.distinct == 0) {
            question.warn_of_unknown_fields(cancel);
        }
        let copies = question.count_copies(cancel);
        let took_ms = started.elapsed().as_millis() as u64;
        Ok(FacetsResult { fields, copies, took_ms, coverage, warnings: question.warnings })
    };
    ask(&shared, &caller, weight, answer).await?.map(axum::Json)
}

impl QuestionParameters for FacetsRequest {}

/// The values to count.
pub(crate) struct FacetSelection {
    pub(crate) fields: Vec<String>,
    pub(crate) limit: Option<u32>,
    /// The path of the limit in the request, for errors.
    pub(crate) limit_path: &'static str,
    pub(crate) own_clauses: Option<bool>,
    pub(crate) numbers: bool,
}

/// Facets that are being computed.
pub(crate) struct FacetCounting {
    /// The fields that the whole query limits, with their names as they were asked for.
    whole: NamedFacets,
    /// The other fields, each with the query that limits it.
    apart: Vec<(Query, NamedFacets)>,
}

struct NamedFacets {
    names: Vec<String>,
    facets: logstead_answer::Facets,
}

impl FacetCounting {
    pub(crate) fn new(
        values: FacetSelection,
        question: &StoreQuestion,
        memory_bytes_max: usize,
    ) -> Result<FacetCounting> {
        let FacetSelection { fields: mut names, limit, limit_path, own_clauses, numbers } = values;
        let limit = limit.unwrap_or(LIMIT);
        if limit == 0 || LIMIT_MAX < limit {
            let detail = format!("{limit_path} is {limit}: ask for 1 to {LIMIT_MAX} values of each field");
            return Err(ApiError::invalid(detail).path(limit_path));
        }
        names.sort_unstable();
        names.dedup();
        if FIELDS_MAX < names.len() {
            let detail = format!("fields names {} fields: ask for at most {FIELDS_MAX}", names.len());
            return Err(ApiError::invalid(detail).path("fields"));
        }
        let share = memory_bytes_max / names.len().max(1);
        let counted = |fields: Vec<(String, FieldName)>| {
            let memory_bytes_max = share * fields.len();
            let (names, fields) = fields.into_iter().unzip();
            let facets =
                logstead_answer::Facets::new(fields, limit as usize, memory_bytes_max).with_numbers(numbers);
            NamedFacets { names, facets }
        };
        let (mut whole, mut apart) = (Vec::new(), Vec::new());
        for name in names {
            let field = check_field(&name, "fields")?;
            let query = if own_clauses.unwrap_or(true) { None } else { question.without(&field) };
            match query {
                None => whole.push((name, field)),
                Some(query) => apart.push((query, counted(vec![(name, field)]))),
            }
        }
        Ok(FacetCounting { whole: counted(whole), apart })
    }

    pub(crate) fn asked(&mut self) -> Answer<'_> {
        Answer::Facets(&mut self.whole.facets)
    }

    /// Counts the fields that have a query of their own. Returns the coverage of all these queries.
    pub(crate) fn answer_apart(
        &mut self,
        mut coverage: Coverage,
        question: &mut StoreQuestion,
        cancel: &Cancel,
    ) -> Result<Coverage, AnswerError> {
        for (query, counted) in &mut self.apart {
            let asked = &mut [Answer::Facets(&mut counted.facets)];
            coverage = coverage.joined(question.answer_to(query, cancel, asked)?);
        }
        Ok(coverage)
    }

    /// Returns the facets. Warns if no message has one of the fields.
    pub(crate) fn finish(self, question: &mut StoreQuestion, cancel: &Cancel) -> BTreeMap<String, Facet> {
        let facets = self.so_far();
        let names =
            facets.iter().filter(|(_, facet)| facet.distinct == 0).map(|(name, _)| FieldName::new(name));
        question.warn_of_unknown_names(names.collect::<Vec<_>>().iter(), cancel);
        facets
    }

    /// The facets of the messages added so far.
    pub(crate) fn so_far(&self) -> BTreeMap<String, Facet> {
        let all = std::iter::once(&self.whole).chain(self.apart.iter().map(|(_, counted)| counted));
        all.flat_map(NamedFacets::so_far).collect()
    }
}

impl NamedFacets {
    fn so_far(&self) -> impl Iterator<Item = (String, Facet)> {
        self.names.iter().cloned().zip(self.facets.so_far().into_iter().map(Facet::new))
    }
}

impl Facet {
    fn new(facet: logstead_answer::Facet) -> Facet {
        let values = facet.values.iter().map(|(value, count)| ValueCount::new(value, *count));
        Facet {
            messages: facet.rows,
            distinct: facet.distinct,
            values: values.collect(),
            numbers: facet.numbers.map(NumberSummary::new),
            partial: facet.partial,
        }
    }
}

impl NumberSummary {
    fn new(of: logstead_answer::Distribution) -> NumberSummary {
        let buckets = of.buckets.into_iter().map(|(from, count)| NumberBucket { from, count });
        NumberSummary {
            messages: of.messages,
            unit: match of.unit {
                Unit::Plain => None,
                Unit::Size => Some("size"),
                Unit::Duration => Some("duration"),
            },
            min: of.min,
            median: of.median,
            p95: of.p95,
            max: of.max,
            buckets: buckets.collect(),
        }
    }
}
