//! Parsing and changing a query without searching the store.
//!
//! **Invariant:** the answer depends on the request alone, if there is one in time.

use crate::ask::parts::{WrittenClause, WrittenStage, written};
use crate::error::{ApiError, Result};
use crate::extract::Json;
use crate::problem_type::ProblemType;
use crate::question::Unparsed;
use crate::question::cancel::reading;
use crate::state::SharedState;
use axum::extract::State;
use logstead_query as query;
use logstead_query::{
    Edit, FieldContent, LIMIT_MAX, Number, Pattern, PatternPart, QUERY_BYTES_MAX, Term, TermTest, TimeExpr,
};
use logstead_record::FieldName;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Maximum number of edits per request.
pub(crate) const EDITS_MAX: usize = 64;
/// Default number of rows in a ranking.
const RANKED: u64 = 20;

/// A query, and the changes to make to it.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct QueryRequest {
    /// The query, in the query language, optionally with stages.
    #[serde(default)]
    query: String,
    /// The treatment of a query that cannot be parsed.
    #[schema(default = "refuse")]
    unparsed: Option<Unparsed>,
    /// The changes, applied in order: at most 64. Positions refer to the text after the previous change.
    #[serde(default)]
    edits: Vec<QueryEdit>,
}

/// A change to a query. Values and names are as in messages: nothing has to be quoted.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum QueryEdit {
    /// Restricts the query to messages whose field is `value`, or contains `part` in any case; without either, to
    /// those that lack the field.
    Include {
        #[schema(min_length = 1)]
        field: String,
        value: Option<String>,
        part: Option<String>,
    },
    /// Restricts the query to all other messages.
    Exclude {
        #[schema(min_length = 1)]
        field: String,
        value: Option<String>,
        part: Option<String>,
    },
    /// Like `include`, but replaces the whole filter.
    Only {
        #[schema(min_length = 1)]
        field: String,
        value: Option<String>,
        part: Option<String>,
    },
    /// Adds a value to those that a clause allows for the field, as in `host in (a, b)`, or removes it if it is one
    /// of them.
    Toggle {
        #[schema(min_length = 1)]
        field: String,
        value: String,
    },
    /// Restricts the query to messages whose field is a number from `from` to below `to`, replacing existing ranges
    /// of the field; without either, removes these.
    Between {
        #[schema(min_length = 1)]
        field: String,
        from: Option<String>,
        to: Option<String>,
    },
    /// Negates the clause at this position.
    Negate { start: usize, end: usize },
    /// Removes the clause or stage at this position.
    Remove { start: usize, end: usize },
    /// Adds a clause or, if it begins with a `|`, a stage.
    Add { text: String },
    /// Replaces the time range that the query names; without `from` and `to`, removes it.
    SetRange { from: Option<String>, to: Option<String> },
    /// Replaces the stages by a ranking of the most frequent values of a field.
    Top {
        #[schema(min_length = 1)]
        field: String,
        #[schema(minimum = 1, maximum = 1000000)]
        count: Option<u64>,
    },
    /// Replaces the stages by the minimum, the mean, the 95th percentile and the maximum of a field.
    Summarize {
        #[schema(min_length = 1)]
        field: String,
    },
    /// Removes the stages, so that the query shows the messages instead of a table made of them.
    // With braces, because serde would take unknown fields of a unit.
    Messages {},
}

/// A query as it is understood.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct QueryResult {
    /// The text, after all changes.
    query: String,
    /// The part of it before the stages.
    filter: String,
    /// The tokens of the text in order, for highlighting: only white space lies between them.
    tokens: Vec<QueryToken>,
    /// The top-level clauses of the filter.
    clauses: Vec<WrittenClause>,
    /// The stages.
    stages: Vec<WrittenStage>,
    /// The texts to search for, in the order of the query.
    terms: Vec<QueryTerm>,
    /// Whether the query names its own time range, in which case `from` and `to` of a search do not apply.
    sets_range: bool,
}

/// A token of a query.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct QueryToken {
    /// `word`, `wildcard`, `field`, `operator`, `quoted`, `regex`, `number`, `keyword`, `bracket`, `pipe`, `stage` or
    /// `function`.
    #[schema(example = "field")]
    kind: &'static str,
    /// Its first character, from 0.
    start: usize,
    /// The first character after it.
    end: usize,
}

/// A text to search for: `parts` at word boundaries, or `regex` anywhere.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct QueryTerm {
    /// The field; if missing, all fields in which text without a field is searched for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    field: Option<String>,
    /// The pieces in order, each with `text` or `wildcard`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    parts: Option<Vec<TermPart>>,
    /// The source of a regular expression.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    regex: Option<String>,
    /// Whether the comparison is case-sensitive.
    case_sensitive: bool,
}

/// A piece of a text to search for.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TermPart {
    /// Literal text.
    Text(String),
    /// `*`: any number of characters other than white space. `?`: one such character.
    Wildcard(char),
}

/// Parses a query and changes it, without running it.
#[utoipa::path(post, path = "/api/v1/query", operation_id = "parse_query", tag = "search", request_body = QueryRequest, responses((status = 200, body = QueryResult)))]
pub(crate) async fn query(
    State(shared): State<SharedState>,
    Json(request): Json<QueryRequest>,
) -> Result<axum::Json<QueryResult>> {
    if EDITS_MAX < request.edits.len() {
        let detail =
            format!("{count} edits are too many: send at most {EDITS_MAX}", count = request.edits.len());
        return Err(ApiError::invalid(detail).path("edits"));
    }
    if QUERY_BYTES_MAX < request.query.len() {
        let bytes = request.query.len();
        let detail = format!("the query has {bytes} bytes and the limit is {QUERY_BYTES_MAX}: shorten it");
        return Err(ApiError::new(ProblemType::QuerySyntax, detail).path("query"));
    }
    reading(&shared, move || edited(request)).await.map(|(read, _)| axum::Json(read))
}

fn edited(request: QueryRequest) -> Result<QueryResult> {
    let mut text = request.query;
    let unparsed = request.unparsed.unwrap_or_default();
    query::parse_asked(&text, unparsed.into()).map_err(|error| ApiError::of_query(&error, &text, "query"))?;
    for (at, edit) in request.edits.into_iter().enumerate() {
        let path = format!("edits[{at}]");
        let edit = edit.meant(&text).map_err(|detail| ApiError::invalid(detail).path(path.clone()))?;
        text = query::edit(&text, &edit).map_err(|error| ApiError::invalid(error.message).path(path))?;
    }
    QueryResult::new(text)
}

impl QueryEdit {
    fn meant(self, text: &str) -> Result<Edit, String> {
        Ok(match self {
            QueryEdit::Include { field, value, part } => Edit::Include(name(&field)?, held(value, part)?),
            QueryEdit::Exclude { field, value, part } => Edit::Exclude(name(&field)?, held(value, part)?),
            QueryEdit::Only { field, value, part } => Edit::Only(name(&field)?, held(value, part)?),
            QueryEdit::Toggle { field, value } => Edit::Toggle(name(&field)?, value),
            QueryEdit::Between { field, from, to } => {
                Edit::Between(name(&field)?, number(from)?, number(to)?)
            }
            QueryEdit::Negate { start, end } => Edit::Negate(bytes(text, start, end)),
            QueryEdit::Remove { start, end } => Edit::Remove(bytes(text, start, end)),
            QueryEdit::Add { text } => Edit::Add(text),
            QueryEdit::SetRange { from, to } => Edit::SetRange(time(from)?, time(to)?),
            QueryEdit::Top { field, count } => match count.unwrap_or(RANKED) {
                count @ 1..=LIMIT_MAX => Edit::Top(name(&field)?, count),
                count => return Err(format!("count is {count}: ask for 1 to {LIMIT_MAX} rows")),
            },
            QueryEdit::Summarize { field } => Edit::Summarize(name(&field)?),
            QueryEdit::Messages {} => Edit::Messages,
        })
    }
}

fn name(field: &str) -> Result<FieldName, String> {
    if field.is_empty() {
        Err("the name of a field is missing".to_owned())
    } else {
        Ok(FieldName::new(field))
    }
}

fn held(value: Option<String>, part: Option<String>) -> Result<FieldContent, String> {
    match (value, part) {
        (None, None) => Ok(FieldContent::Nothing),
        (Some(value), None) => Ok(FieldContent::Value(value)),
        (None, Some(part)) => Ok(FieldContent::Part(part)),
        (Some(_), Some(_)) => Err("send `value` or `part`, not both".to_owned()),
    }
}

fn number(text: Option<String>) -> Result<Option<Number>, String> {
    let read = |text: String| {
        Number::parse(text.trim())
            .ok_or_else(|| format!("`{text}` is not a number: write it as 400, 1.5s or 10MB"))
    };
    text.map(read).transpose()
}

fn time(text: Option<String>) -> Result<Option<TimeExpr>, String> {
    let read = |text: String| {
        query::parse_time(text.trim()).ok_or_else(|| {
            format!("`{text}` is not a time: write it as 2026-11-21T06:13:00Z, -15m or now-1h")
        })
    };
    text.map(read).transpose()
}

/// Converts positions from characters to bytes; positions beyond the end mean the end.
fn bytes(text: &str, start: usize, end: usize) -> Range<usize> {
    let byte = |at: usize| text.char_indices().nth(at).map_or(text.len(), |(byte, _)| byte);
    byte(start)..byte(end)
}

impl QueryResult {
    fn new(text: String) -> Result<QueryResult> {
        let refused = |error| ApiError::of_query(&error, &text, "query");
        let search = query::parse_pipeline_search(&text).map_err(refused)?;
        let outline = query::outline(&text).map_err(refused)?;
        let (clauses, stages) = written(&text, &outline);
        let filter_end = outline.clauses.last().map_or(0, |clause| clause.span.end);
        let tokens = query::tokens(&text).into_iter().map(|token| QueryToken {
            kind: token.kind.name(),
            start: token.range.start,
            end: token.range.end,
        });
        Ok(QueryResult {
            filter: text.get(..filter_end).unwrap_or_default().trim().to_owned(),
            tokens: tokens.collect(),
            clauses,
            stages,
            terms: query::terms(&search.pipeline.filter).into_iter().map(QueryTerm::new).collect(),
            sets_range: search.pipeline.filter.sets_range(),
            query: text,
        })
    }
}

impl QueryTerm {
    fn new(Term { field, sought }: Term) -> QueryTerm {
        let field = field.map(|field| field.as_str().to_owned());
        match sought {
            TermTest::Pattern(pattern) => QueryTerm {
                field,
                case_sensitive: pattern.is_case_sensitive(),
                parts: Some(parts(&pattern)),
                regex: None,
            },
            TermTest::Regex(regex) => QueryTerm {
                field,
                case_sensitive: !regex.ignores_case(),
                parts: None,
                regex: Some(regex.pattern().to_owned()),
            },
        }
    }
}

fn parts(pattern: &Pattern) -> Vec<TermPart> {
    let part = |part: &PatternPart| match part {
        PatternPart::Text(text) => TermPart::Text(text.clone()),
        PatternPart::Run => TermPart::Wildcard('*'),
        PatternPart::One => TermPart::Wildcard('?'),
    };
    pattern.parts().iter().map(part).collect()
}
