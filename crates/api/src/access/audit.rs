//! The log of the actions of accounts, searched in the query language.
//!
//! **Invariant:** a query means the same as in a search: the same matcher decides, over entries as messages with the
//! fields `user`, `account` and `action`, whose text is the detail.

use crate::error::{ApiError, Result};
use crate::extract::Query;
use crate::list::{ListIdentity, page_size};
use crate::problem_type::ProblemType;
use crate::state::SharedState;
use crate::waiting::blocking;
use axum::extract::State;
use logstead_accounts as accounts;
use logstead_accounts::Meta;
use logstead_flow::machine::clock;
use logstead_query as query;
use logstead_query::{Context, Matcher, parse_time};
use logstead_record::{Batch, BatchBuilder, Origin, Row, Timestamp};
use serde::{Deserialize, Serialize};

/// Maximum number of entries in one answer.
const AUDIT_LIMIT_MAX: usize = 10_000;
const AUDIT_LIMIT: usize = 100;
/// Maximum length of a query.
const QUERY_BYTES_MAX: usize = 8192;
/// Number of entries examined in one step.
const PAGE: u32 = 1000;
/// Maximum number of entries examined for one answer, which says whether there are more.
const LOOKED_AT_MAX: u32 = 1_000_000;

/// The part of the audit log to show.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct AuditQuery {
    /// Which entries to show, in the query language: `action:session.refused user:ana`. An entry has the fields
    /// `user`, `account` and `action`, and its detail is the text. All by default.
    query: Option<String>,
    /// The earliest time: RFC 3339, or relative, such as `-7d`.
    from: Option<String>,
    /// The end of the time range, exclusive.
    to: Option<String>,
    /// 1 to 10000.
    #[param(default = 100, minimum = 1, maximum = 10000)]
    limit: Option<usize>,
    /// The start of the page: the `cursor` of the previous page of the same list.
    cursor: Option<String>,
}

/// An entry of the audit log.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct AuditEntry {
    #[schema(format = DateTime)]
    time: String,
    /// The account: `user:7`, `token:3` or `environment`; null if nobody was logged in, and in entries of versions that
    /// did not record it. Unlike a name, it is never reused.
    #[schema(required)]
    account: Option<String>,
    /// The account's name at that time.
    user: String,
    action: String,
    detail: String,
}

/// Entries, newest first.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct Audit {
    entries: Vec<AuditEntry>,
    /// Whether all entries that could match were examined. False if the limit was reached, or after a million
    /// entries.
    complete: bool,
    /// The cursor of the next page, which may be empty; null if `complete`.
    #[schema(required)]
    cursor: Option<String>,
}

/// The audit log: who did what, newest first.
#[utoipa::path(
    get, path = "/api/v1/audit", operation_id = "list_audit_entries", tag = "accounts", params(AuditQuery), responses((status = 200, body = Audit))
)]
pub(crate) async fn audit(
    State(shared): State<SharedState>,
    Query(asked): Query<AuditQuery>,
) -> Result<axum::Json<Audit>> {
    let list = ListIdentity::new("audit", (&asked.query, &asked.from, &asked.to));
    let before = list.last_number(asked.cursor.as_deref())?;
    let now = clock::now();
    let wanted = AuditFilter {
        query: parsed(asked.query.as_deref().unwrap_or_default())?,
        from: time(asked.from.as_deref(), "from", now)?.unwrap_or(Timestamp::from_nanos(i64::MIN)),
        to: time(asked.to.as_deref(), "to", now)?.unwrap_or(Timestamp::from_nanos(i64::MAX)),
        now,
        before: before.map(|number| i64::try_from(number).unwrap_or(i64::MAX)),
        limit: page_size(asked.limit, AUDIT_LIMIT, AUDIT_LIMIT_MAX)?,
    };
    if wanted.to <= wanted.from {
        return Err(ApiError::invalid("from must be before to").path("from"));
    }
    let meta = shared.state.meta.clone();
    let (entries, next) = blocking(move || wanted.of(&meta)).await??;
    let entries = entries.into_iter().map(|entry| AuditEntry {
        time: entry.time.to_string(),
        account: entry.account.map(|account| account.to_string()),
        user: entry.user,
        action: entry.action,
        detail: entry.detail,
    });
    let cursor = next.map(|number| list.cursor(&number.to_string()));
    Ok(axum::Json(Audit { entries: entries.collect(), complete: cursor.is_none(), cursor }))
}

/// The entries to list.
struct AuditFilter {
    query: query::Query,
    from: Timestamp,
    to: Timestamp,
    now: Timestamp,
    /// The number before which the page begins; `None` for the first page.
    before: Option<i64>,
    limit: usize,
}

impl AuditFilter {
    /// The matching entries, and the number before which others may match.
    fn of(&self, meta: &Meta) -> accounts::Result<(Vec<accounts::AuditEntry>, Option<i64>)> {
        let matcher = Matcher::new(&self.query, &Context { now: self.now, logspace: "" });
        let (mut found, mut looked_at, mut before) = (Vec::new(), 0, self.before);
        while looked_at < LOOKED_AT_MAX {
            let (page, next) = meta.audit_before(before, PAGE)?;
            looked_at += page.len() as u32;
            let selected = matcher.select(&as_messages(&page));
            let matches = page.into_iter().enumerate().filter(|(row, entry)| {
                selected.contains(*row) && self.from <= entry.time && entry.time < self.to
            });
            found.extend(matches.map(|(_, entry)| entry));
            if self.limit < found.len() {
                return Ok(cut(found, self.limit));
            }
            before = next;
            if before.is_none() {
                return Ok((found, None));
            }
        }
        Ok((found, before))
    }
}

/// The first entries, and the number before which the others continue. Entries that are not written yet have no number
/// at which a page could begin, so the first page has them all; if they are written before the next page is read, that
/// one may repeat them.
fn cut(mut found: Vec<accounts::AuditEntry>, limit: usize) -> (Vec<accounts::AuditEntry>, Option<i64>) {
    let waiting = found.iter().take_while(|entry| entry.number.is_none()).count();
    found.truncate(limit.max(waiting));
    let next = found.last().map(|last| last.number.unwrap_or(i64::MAX));
    (found, next)
}

/// Entries in the form in which the matcher sees messages.
fn as_messages(entries: &[accounts::AuditEntry]) -> Batch {
    let mut builder = BatchBuilder::new();
    for entry in entries {
        builder.origin(Origin { source: b"audit", peer: b"", received: entry.time });
        builder.field(b"user", entry.user.as_bytes());
        builder.field(b"action", entry.action.as_bytes());
        if let Some(account) = entry.account {
            builder.field(b"account", account.to_string().as_bytes());
        }
        builder.push(&Row { time: Some(entry.time), ..Row::text(entry.detail.as_bytes()) });
    }
    builder.seal()
}

/// Unlike in a search, a query that does not parse is not searched for as text: an auditor wants exactly what the
/// query says.
fn parsed(text: &str) -> Result<query::Query> {
    if QUERY_BYTES_MAX < text.len() {
        let detail = format!("the query has {} bytes: at most {QUERY_BYTES_MAX} are allowed", text.len());
        return Err(ApiError::new(ProblemType::QuerySyntax, detail).path("query"));
    }
    query::parse(text).map_err(|error| ApiError::of_query(&error, text, "query"))
}

fn time(text: Option<&str>, name: &str, now: Timestamp) -> Result<Option<Timestamp>> {
    let Some(text) = text else { return Ok(None) };
    match parse_time(text.trim()) {
        Some(time) => Ok(Some(time.resolve(now))),
        None => {
            Err(ApiError::invalid(format!("{name} is not a time: write it as 2027-01-31T00:00:00Z or -7d"))
                .path(name))
        }
    }
}
