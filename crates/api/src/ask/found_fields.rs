//! The fields of the messages found, most useful first.

use crate::error::{ApiError, Result};
use crate::question::cancel::{Cancel, ask};
use crate::question::warning::QueryWarning;
use crate::question::{CallerQuestion, QuestionParameters};
use logstead_answer::{CellValue, DiscoveredField, Discovery};
use logstead_indexer::AnswerTarget as Answer;
use logstead_questions::store::Coverage;
use logstead_questions::wire::table::text;
use logstead_record::FieldName;
use serde::{Deserialize, Serialize};

/// Maximum number of fields per response.
const LIMIT_MAX: u32 = 1000;
/// Default number of fields.
const LIMIT: u32 = 40;

/// How many fields to show.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FieldsRequest {
    /// How many of the most useful fields to show.
    #[schema(default = 40, minimum = 1, maximum = 1000)]
    limit: Option<u32>,
}

/// The fields of the messages that match, besides those that every message has.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct FieldsResult {
    /// The most useful fields, most useful first.
    fields: Vec<FoundField>,
    /// How many fields there are.
    distinct: u64,
    /// Whether there may be more fields than were counted, because messages have very many.
    partial: bool,
    /// How many messages match.
    messages: u64,
    took_ms: u64,
    coverage: Coverage,
    warnings: Vec<QueryWarning>,
}

/// A field that messages have.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct FoundField {
    name: String,
    /// How many messages have it.
    messages: u64,
    /// How well its values divide the messages, from 0 to 1: the fraction of the messages that have it, times the
    /// entropy of its values, which is highest for several equally frequent values. An estimate.
    usefulness: f64,
    /// Its value, if all messages that have it have the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    value: Option<String>,
}

/// Finds the fields that messages have.
#[utoipa::path(
    post, path = "/api/v1/fields", operation_id = "list_fields", tag = "search", request_body = FieldsRequest,
    responses((status = 200, body = FieldsResult))
)]
pub(crate) async fn fields(asked: CallerQuestion<FieldsRequest>) -> Result<axum::Json<FieldsResult>> {
    let CallerQuestion { shared, caller, mut question, own, started, .. } = asked;
    let limit = own.limit.unwrap_or(LIMIT);
    if limit == 0 || LIMIT_MAX < limit {
        let detail = format!("limit is {limit}: ask for 1 to {LIMIT_MAX} fields");
        return Err(ApiError::invalid(detail).path("limit"));
    }
    let weight = question.weight(true);
    let answer = move |cancel: &Cancel| -> Result<FieldsResult> {
        // The set of values that columns leave out depends on hidden messages, too.
        let mut discovery = if question.narrowed { Discovery::exact() } else { Discovery::rough() };
        let coverage = question.answer(cancel, &mut [Answer::Discovery(&mut discovery)])?;
        let (distinct, has_more) = discovery.count();
        let found = discovery.most_useful(limit as usize);
        Ok(FieldsResult {
            fields: found.into_iter().map(|found| FoundField::new(found, question.narrowed)).collect(),
            distinct: distinct as u64,
            partial: has_more,
            messages: discovery.messages(),
            took_ms: started.elapsed().as_millis() as u64,
            coverage,
            warnings: question.warnings,
        })
    };
    ask(&shared, &caller, weight, answer).await?.map(axum::Json)
}

impl QuestionParameters for FieldsRequest {}

impl FoundField {
    fn new(
        DiscoveredField { name, messages, usefulness, only }: DiscoveredField,
        narrowed: bool,
    ) -> FoundField {
        // The spelling may come from a message that the caller may not see.
        let name = if narrowed { name.to_ascii_lowercase() } else { name };
        let value = only.map(|value| String::from_utf8_lossy(&value).into_owned());
        FoundField { name, messages, usefulness, value }
    }
}

/// A value and how many messages have it.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct ValueCount {
    value: String,
    count: u64,
}

impl ValueCount {
    pub(crate) fn new(value: &CellValue, count: u64) -> ValueCount {
        ValueCount { value: text(value), count }
    }
}

/// Looks a field up by its name.
pub(crate) fn check_field(name: &str, path: &str) -> Result<FieldName> {
    match name.trim() {
        "" => Err(ApiError::invalid("the name of a field is empty").path(path)),
        name => Ok(FieldName::new(name)),
    }
}
