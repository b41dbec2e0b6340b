//! Searching and counting in one or several logspaces.

use super::cursor;
use crate::access::{Call, Caller};
use crate::error::{ApiError, Result};
use crate::extract::Path;
use crate::problem_type::ProblemType;
use crate::question::cancel::{Cancel, ask};
use crate::question::warning::QueryWarning;
use crate::question::{AllowedStages, CallerQuestion, QuestionParameters, StoreQuestion, list};
use crate::state::SharedState;
use crate::waiting::blocking;
use logstead_indexer::{self as indexer, Hit};
use logstead_questions::store::{Coverage, GlobalPosition, PageRequest, StreamedStages};
use logstead_questions::wire::columns::MessageColumns;
use logstead_questions::wire::message::{FieldValue, MessageJson};
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// Maximum number of messages on a page.
const LIMIT_MAX: u32 = 10_000;

/// The messages to find, and how many.
#[derive(Deserialize, utoipa::ToSchema, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchRequest {
    /// Maximum number of messages on the page.
    #[schema(default = 100, minimum = 1, maximum = 10000)]
    #[param(default = 100, minimum = 1, maximum = 10000)]
    limit: Option<u32>,
    #[schema(default = "newest")]
    #[param(default = "newest", inline)]
    order: Option<ResultOrder>,
    /// The start of the page: the `cursor` of the previous page, for the same question.
    cursor: Option<String>,
    /// Fields to return instead of whole messages, in this order: at most 256. The answer then has `rows`.
    #[serde(default, deserialize_with = "list")]
    #[param(value_type = Option<String>)]
    columns: Option<Vec<String>>,
}

impl QuestionParameters for SearchRequest {
    const STAGES: AllowedStages = AllowedStages::Streaming;
}

/// The order of messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = Order)]
pub enum ResultOrder {
    #[default]
    Newest,
    Oldest,
}

/// A page of messages.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct SearchResult {
    /// The messages; none if `columns` were asked for.
    messages: Vec<MessageJson>,
    /// For each message, the values of the columns that were asked for; null if none were.
    #[schema(required)]
    rows: Option<Vec<MessageRow>>,
    /// The cursor of the next page; null on the last page.
    #[schema(required)]
    cursor: Option<String>,
    /// How many copies are left out of the whole answer: messages that another of these logspaces has as well. Null
    /// if counting them takes longer than finding the page; `/count` returns their number.
    #[schema(required)]
    copies: Option<u64>,
    took_ms: u64,
    coverage: Coverage,
    warnings: Vec<QueryWarning>,
    /// The query as it was understood.
    query: String,
    /// The columns of `rows`; without rows, the columns to show according to the stage `fields`, or null. Messages are
    /// complete nevertheless.
    #[schema(required)]
    columns: Option<Vec<String>>,
}

/// The wanted fields of a message.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct MessageRow {
    /// The id, in the form `LOGSPACE:SEQUENCE`.
    #[schema(example = "main:42")]
    id: String,
    /// The values in the order of `columns`: a text, several for a field whose name repeats, or null.
    values: Vec<Option<FieldValue>>,
}

/// The messages to count.
#[derive(Deserialize, utoipa::ToSchema, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct CountRequest {}

impl QuestionParameters for CountRequest {}

/// How many messages match.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct CountResult {
    /// The number of messages; exact if `coverage.complete`.
    count: u64,
    /// How many copies are not counted: messages that another of these logspaces has as well.
    copies: u64,
    took_ms: u64,
    coverage: Coverage,
    warnings: Vec<QueryWarning>,
}

/// Finds messages.
#[utoipa::path(
    post, path = "/api/v1/search", operation_id = "search_messages", tag = "search", request_body = SearchRequest,
    responses((status = 200, body = SearchResult))
)]
pub(crate) async fn search(asked: CallerQuestion<SearchRequest>) -> Result<axum::Json<SearchResult>> {
    let CallerQuestion { shared, caller, mut question, own, started, .. } = asked;
    let page = page_request(own.limit, own.order, own.cursor.as_deref().map(|text| (text, question.key)))?;
    let columns = own.columns.map(MessageColumns::new).transpose();
    let columns = columns.map_err(|detail| ApiError::invalid(detail).path("columns"))?;
    let weight = question.weight(false);
    let answer =
        move |cancel: &Cancel| SearchResult::new(&mut question, &page, columns.as_ref(), started, cancel);
    ask(&shared, &caller, weight, answer).await.map(axum::Json)
}

/// Counts messages.
#[utoipa::path(
    post, path = "/api/v1/count", operation_id = "count_messages", tag = "search", request_body = CountRequest,
    responses((status = 200, body = CountResult))
)]
pub(crate) async fn count(asked: CallerQuestion<CountRequest>) -> Result<axum::Json<CountResult>> {
    let CallerQuestion { shared, caller, mut question, started, .. } = asked;
    let weight = question.weight(false);
    let counted = move |cancel: &Cancel| {
        let (count, coverage) = question.count(cancel);
        let copies = question.count_copies(cancel);
        let took_ms = started.elapsed().as_millis() as u64;
        CountResult { count, copies, took_ms, coverage, warnings: question.warnings }
    };
    ask(&shared, &caller, weight, counted).await.map(axum::Json)
}

/// One message by its id.
#[utoipa::path(
    get, path = "/api/v1/messages/{id}", operation_id = "get_message", tag = "search",
    params(("id" = String, Path, description = "`LOGSPACE:SEQUENCE`", example = "main:42")),
    responses((status = 200, body = MessageJson))
)]
pub(crate) async fn message(call: Call, Path(id): Path<String>) -> Result<axum::Json<MessageJson>> {
    let (logspace, hit) = by_id(&call.shared, &call.caller, id).await?;
    Ok(axum::Json(MessageJson::new(&logspace, &hit)))
}

/// The message with an id, and its logspace.
pub(crate) async fn by_id(shared: &SharedState, caller: &Caller, id: String) -> Result<(String, Hit)> {
    let missing = || ApiError::not_found(format!("there is no message `{id}`"));
    let (logspace, sequence) = id.rsplit_once(':').ok_or_else(missing)?;
    let sequence = sequence.parse().map_err(|_| missing())?;
    let logspaces = caller.logspaces(&shared.state.pipeline);
    let (logspace, searcher) = logspaces.into_iter().find(|(id, _)| id == logspace).ok_or_else(missing)?;
    let found = blocking(move || searcher.get(sequence)).await?;
    let hit = found
        .map_err(ApiError::internal)?
        .filter(|hit| caller.may_see(&logspace, hit))
        .ok_or_else(missing)?;
    Ok((logspace, hit))
}

/// The page that a request asks for; a cursor is only valid for the question that it came from.
pub(crate) fn page_request(
    limit: Option<u32>,
    order: Option<ResultOrder>,
    cursor: Option<(&str, u64)>,
) -> Result<PageRequest> {
    let order = order.unwrap_or_default().into();
    let after = cursor.map(|(text, question)| check_cursor(text, order, question)).transpose()?;
    Ok(PageRequest { order, limit: check_limit(limit)?, after })
}

impl SearchResult {
    /// The page, with all warnings so far.
    pub(crate) fn new(
        question: &mut StoreQuestion,
        request: &PageRequest,
        columns: Option<&MessageColumns>,
        started: Instant,
        cancel: &Cancel,
    ) -> SearchResult {
        let page = question.page(request, cancel);
        if page.hits.is_empty() {
            question.warn_of_unknown_fields(cancel);
        }
        let copies = question.count_copies_of_page(&page, cancel);
        let row = |columns: &MessageColumns, (logspace, hit): &(String, Hit)| MessageRow {
            id: format!("{logspace}:{}", hit.sequence),
            values: columns.values(logspace, hit),
        };
        let rows = columns.map(|columns| page.hits.iter().map(|hit| row(columns, hit)).collect());
        SearchResult {
            messages: if columns.is_some() { Vec::new() } else { messages(&page.hits) },
            rows,
            copies,
            cursor: page.end().map(|place| cursor::encode(request.order, question.key, &place)),
            took_ms: started.elapsed().as_millis() as u64,
            coverage: page.coverage,
            warnings: std::mem::take(&mut question.warnings),
            query: question.shown(),
            columns: columns
                .map(MessageColumns::names)
                .or_else(|| question.passing().as_ref().and_then(StreamedStages::names)),
        }
    }
}

impl From<ResultOrder> for indexer::Order {
    fn from(order: ResultOrder) -> indexer::Order {
        match order {
            ResultOrder::Newest => indexer::Order::Newest,
            ResultOrder::Oldest => indexer::Order::Oldest,
        }
    }
}

/// The messages as they are returned.
pub(crate) fn messages(hits: &[(String, Hit)]) -> Vec<MessageJson> {
    hits.iter().map(|(logspace, hit)| MessageJson::new(logspace, hit)).collect()
}

fn check_limit(limit: Option<u32>) -> Result<usize> {
    match limit.unwrap_or(100) {
        0 => Err(ApiError::invalid("limit is 0: it must be at least 1").path("limit")),
        limit @ 1..=LIMIT_MAX => Ok(limit as usize),
        limit => Err(ApiError::invalid(format!(
            "limit is {limit}: ask for at most {LIMIT_MAX} messages and for the next page with `cursor`"
        ))
        .path("limit")),
    }
}

fn check_cursor(text: &str, order: indexer::Order, question: u64) -> Result<GlobalPosition> {
    let refused = |detail: &str| ApiError::new(ProblemType::UnusableCursor, detail).path("cursor");
    match cursor::decode(text) {
        Some((of, asked, place)) if of == order && asked == question => Ok(place),
        Some((of, ..)) if of == order => Err(refused(
            "the cursor is from a page of another search: send the same query, range, time zone and logspaces with \
             it, or start again without it",
        )),
        Some(_) => Err(refused("the cursor is from a page in the other order: start again without it")),
        None => Err(refused("the cursor is not one that a search returned: start again without it")),
    }
}
