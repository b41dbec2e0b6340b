//! The context of a message: the messages before it and after it.

use crate::ask::found_fields::check_field;
use crate::ask::search::{by_id, messages};
use crate::error::{ApiError, Result};
use crate::extract::Path;
use crate::question::cancel::{Cancel, ask};
use crate::question::warning::QueryWarning;
use crate::question::{CallerQuestion, QuestionParameters, list, select_logspaces};
use logstead_indexer::{Hit, Order};
use logstead_query::{Codes, FieldTest, Pattern, PatternPart, Query as Meant, TimeExpr, ValueRange};
use logstead_questions::store::{Coverage, GlobalPosition, PageRequest};
use logstead_questions::wire::message::MessageJson;
use logstead_record::FieldName;
use logstead_record::{Field, Flags, Storage};
use serde::{Deserialize, Serialize};

/// Maximum number of messages on each side.
const LIMIT_MAX: u32 = 1000;
/// Default number of messages on each side.
const LIMIT: u32 = 20;

/// The message, and how many of its neighbours to show.
#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct ContextRequest {
    /// How many messages before it to show.
    #[param(default = 20, minimum = 0, maximum = 1000)]
    before: Option<u32>,
    /// How many messages after it to show.
    #[param(default = 20, minimum = 0, maximum = 1000)]
    after: Option<u32>,
    /// Names of fields, separated by commas. Only messages with the same values of these fields are shown. A field
    /// that the message itself lacks is an error.
    #[serde(default, deserialize_with = "list")]
    #[param(value_type = Option<String>, example = "host,program")]
    same: Option<Vec<String>>,
    /// Ids of the logspaces, separated by commas; by default the message's own.
    #[serde(default, deserialize_with = "list")]
    #[param(value_type = Option<String>)]
    logspaces: Option<Vec<String>>,
}

/// A message and its neighbours. For more of them, ask again with the id of the outermost.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct ContextResult {
    message: MessageJson,
    /// The nearest ones before it, oldest first.
    before: Vec<MessageJson>,
    /// The nearest ones after it, oldest first.
    after: Vec<MessageJson>,
    /// Whether there are more before those.
    more_before: bool,
    /// Whether there are more after those.
    more_after: bool,
    took_ms: u64,
    coverage: Coverage,
    warnings: Vec<QueryWarning>,
}

/// The messages around one that match a query, which the message itself need not match. They are ordered by time;
/// those of the same time by logspace and by the order in which they were stored.
#[utoipa::path(
    get, path = "/api/v1/messages/{id}/context", operation_id = "get_message_context", tag = "search",
    params(("id" = String, Path, description = "`LOGSPACE:SEQUENCE`", example = "main:42"), ContextRequest),
    responses((status = 200, body = ContextResult))
)]
pub(crate) async fn context(
    Path(id): Path<String>,
    asked: CallerQuestion<ContextRequest>,
) -> Result<axum::Json<ContextResult>> {
    let CallerQuestion { shared, caller, mut question, own, started, .. } = asked;
    let before = check_limit(own.before, "before")?;
    let after = check_limit(own.after, "after")?;
    let (logspace, hit) = by_id(&shared, &caller, id).await?;
    let logspaces = own.logspaces.unwrap_or_else(|| vec![logspace.clone()]);
    question.logspaces = select_logspaces(&shared, &caller, Some(&logspaces))?;
    for name in own.same.iter().flatten() {
        question.narrow(same(&check_field(name, "same")?, &logspace, &hit)?);
    }
    let weight = question.weight(false);
    let answer = move |cancel: &Cancel| {
        let mut side = |order: Order, limit: usize| {
            question
                .page(&PageRequest { order, limit, after: Some(GlobalPosition::of(&logspace, &hit)) }, cancel)
        };
        let mut before = side(Order::Newest, before);
        let after = side(Order::Oldest, after);
        before.hits.reverse();
        ContextResult {
            message: MessageJson::new(&logspace, &hit),
            before: messages(&before.hits),
            after: messages(&after.hits),
            more_before: before.more,
            more_after: after.more,
            took_ms: started.elapsed().as_millis() as u64,
            coverage: before.coverage.plus(after.coverage),
            warnings: question.warnings,
        }
    };
    ask(&shared, &caller, weight, answer).await.map(axum::Json)
}

impl QuestionParameters for ContextRequest {
    const COMMON: &'static [&'static str] = &["query", "unparsed", "copies"];
}

fn check_limit(limit: Option<u32>, path: &str) -> Result<usize> {
    match limit.unwrap_or(LIMIT) {
        limit @ 0..=LIMIT_MAX => Ok(limit as usize),
        limit => Err(ApiError::invalid(format!(
            "{path} is {limit}: ask for at most {LIMIT_MAX} messages, and for more with the id of the outermost one"
        ))
        .path(path)),
    }
}

/// A filter for messages that have all values of a field that one message has.
fn same(name: &FieldName, logspace: &str, hit: &Hit) -> Result<Meant> {
    let lacking = || {
        let detail = format!("the message has no `{name}` that other messages could share: leave it out");
        ApiError::invalid(detail).path("same")
    };
    let (batch, row) = (&hit.batch, hit.row);
    let text = |bytes: &[u8]| text_test(name, bytes);
    let time = |time| FieldTest::Time(ValueRange::closed(TimeExpr::At(time), TimeExpr::At(time)));
    let tests = match name {
        FieldName::Dynamic(wanted) => {
            let values = batch.fields(row).filter(|(name, _)| name.eq_ignore_ascii_case(wanted.as_bytes()));
            values.map(|(_, value)| text(value)).collect::<Result<Vec<_>>>()?
        }
        FieldName::Known(field) => match field.storage() {
            Storage::Priority(half) => {
                let number = half.number(batch.priority(row).ok_or_else(lacking)?);
                vec![FieldTest::Code(Codes::new(number, number))]
            }
            Storage::Time => vec![time(hit.time)],
            Storage::Received => vec![time(batch.received(row))],
            Storage::Flags => flags(batch.flags(row)),
            Storage::Logspace => vec![text(logspace.as_bytes())?],
            // A message may be empty; an empty value of another text field carries no information.
            Storage::Name(_) | Storage::Text(_) => match batch.text(*field, row) {
                b"" if *field != Field::Message => Vec::new(),
                value => vec![text(value)?],
            },
            Storage::Raw => {
                let mut raw = Vec::new();
                batch.write_raw(row, &mut raw);
                vec![text(&raw)?]
            }
        },
    };
    if tests.is_empty() {
        return Err(lacking());
    }
    Ok(Meant::and(tests.into_iter().map(|test| Meant::Field(name.clone(), test)).collect()))
}

fn text_test(name: &FieldName, value: &[u8]) -> Result<FieldTest> {
    let text = std::str::from_utf8(value).map_err(|_| {
        let detail =
            format!("the value of `{name}` is not UTF-8 text, which cannot be searched for: leave it out");
        ApiError::invalid(detail).path("same")
    })?;
    Ok(FieldTest::Equals(Pattern::new([PatternPart::Text(text.to_owned())], true)))
}

/// One test for each flag that is set.
fn flags(set: Flags) -> Vec<FieldTest> {
    Flags::NAMES.iter().filter(|(flag, _)| set.has(*flag)).map(|(flag, _)| FieldTest::Flag(*flag)).collect()
}
