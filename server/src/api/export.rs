//! All messages that match, as a file.
//!
//! The client takes one piece after the other; while it takes none nothing is read. An export holds no search's turn but
//! one of its own.
//!
//! **Invariant:** an answer that ends as answers end is whole: it holds as many messages as `X-Logstead-Count` says. What
//! fails midway breaks the connection.

use super::access::Caller;
use super::aggregate::compile;
use super::error::{ApiError, Result};
use super::export_read::{ReadError, Reading, Wanted};
use super::export_write::{self, Writing};
use super::extract::Query;
use super::scope::{Cancel, Guard, Scope, Weight, ask, list, target};
use super::search::Order;
use super::stream::{Piece, Pieces};
use super::table::Table;
use super::{Shared, blocking, busy};
use axum::body::{Body, Bytes};
use axum::extract::{Extension, State};
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use logstead_indexer::{self as indexer, Asked, Run};
use logstead_record::Timestamp;
use logstead_record::query::Pipeline;
use serde::Deserialize;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, mpsc};

/// How many messages, or rows, an answer holds.
const COUNT: HeaderName = HeaderName::from_static("x-logstead-count");
/// How many parts of the store are missing in it, because they can not be read.
const DAMAGED: HeaderName = HeaderName::from_static("x-logstead-damaged");
/// Pieces that wait for a slow client.
const PIECES_MAX: usize = 2;
/// How long a client may take nothing: what it keeps others from is worth more.
const STALL_MAX: Duration = Duration::from_secs(60);

/// Which messages to export, and how.
#[derive(Deserialize, utoipa::ToSchema, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExportRequest {
    /// In the query language; empty or `*` means all. With stages their table is exported,
    /// where `order` and `columns` say nothing.
    #[serde(default)]
    query: String,
    /// The first time that is in range: RFC 3339, or relative as `-15m`, `now-1h`.
    from: Option<String>,
    /// The first time that is not in range any more.
    to: Option<String>,
    /// Ids; all logspaces where it is missing. In an address with commas between them.
    #[serde(default, deserialize_with = "list")]
    #[param(value_type = Option<String>)]
    logspaces: Option<Vec<String>>,
    #[schema(default = "ndjson")]
    #[param(default = "ndjson", inline)]
    format: Option<ExportFormat>,
    #[schema(default = "newest")]
    #[param(default = "newest", inline)]
    order: Option<Order>,
    /// Columns of `csv`: any fields, with commas between them. `time`, `received`, `host`, `program`, `pid`, `severity`,
    /// `facility`, `message` and `logspace` where it is missing.
    #[serde(default, deserialize_with = "list")]
    #[param(value_type = Option<String>)]
    columns: Option<Vec<String>>,
    /// At most so many; all where it is missing.
    #[schema(minimum = 1)]
    #[param(minimum = 1)]
    limit: Option<u64>,
}

/// What an export is written as.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ExportFormat {
    /// A message a line, as JSON.
    #[default]
    Ndjson,
    /// RFC 4180, with a line of headings.
    Csv,
    /// The bytes as they were received, each message with a line feed after it.
    Raw,
}

/// All messages that match, without a limit. An answer that ends before its end was cut off.
#[utoipa::path(
    get, path = "/api/v1/export", tag = "search", params(ExportRequest),
    responses((
        status = 200, description = "The messages, or the table",
        headers(
            ("X-Logstead-Count" = u64, description = "How many messages, or rows, the answer holds"),
            ("X-Logstead-Damaged" = u64, description = "How many parts of the store it lacks, as they can not be read"),
            ("Content-Disposition" = String, description = "With the name for the file"),
        ),
        content(
            (String = "application/x-ndjson"),
            (String = "text/csv"),
            (String = "application/octet-stream"),
        )
    ))
)]
pub(crate) async fn export(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    Query(request): Query<ExportRequest>,
) -> Result<Response> {
    let scope = Scope::with_stages(&shared, &caller, &target!(request))?;
    if request.limit == Some(0) {
        return Err(ApiError::bad_request("limit is 0: it must be at least 1").path("limit"));
    }
    let format = request.format.unwrap_or_default();
    let limit = request.limit.unwrap_or(u64::MAX);
    if !scope.stages.is_empty() {
        return export_table(&shared, &caller, scope, format, limit).await;
    }
    let writing = match format {
        ExportFormat::Ndjson => Writing::Ndjson,
        ExportFormat::Csv => Writing::csv(request.columns)?,
        ExportFormat::Raw => Writing::Raw,
    };
    let Ok(permit) = shared.exports.clone().try_acquire_owned() else {
        return Err(busy("too many exports run (limits.exports_max)"));
    };
    let order = match request.order.unwrap_or_default() {
        Order::Newest => indexer::Order::Newest,
        Order::Oldest => indexer::Order::Oldest,
    };
    let (cancel, guard) = Cancel::without_limit(&shared);
    let now = scope.now;
    let begin = move || {
        let Scope { query, range, searchers, .. } = &scope;
        let wanted = Wanted { query, now, range: *range, order, limit };
        let begun = Reading::begin(searchers, &wanted, &run(&cancel, &|| cancel.is_requested()));
        begun.map(|reading| Exporting { reading, writing, cancel, is_begun: false })
    };
    let exporting = blocking(begin).await?.map_err(unreadable)?;
    Ok(exporting.answer(format, now, permit, guard))
}

/// The table of a query with stages: it is made before the first byte is sent.
async fn export_table(
    shared: &Shared,
    caller: &Caller,
    mut scope: Scope,
    format: ExportFormat,
    rows_max: u64,
) -> Result<Response> {
    if format == ExportFormat::Raw {
        let detail = "a query with stages makes a table: export it as ndjson or csv";
        return Err(ApiError::bad_request(detail).path("format"));
    }
    let now = scope.now;
    let pipeline = Pipeline { filter: scope.query.clone(), stages: std::mem::take(&mut scope.stages) };
    let mut aggregation = compile(&mut scope, &pipeline, shared.query_memory_max())?;
    let made = move |cancel: &Cancel| -> Result<(u64, Vec<u8>)> {
        let coverage = scope.answer(cancel, &mut [Asked::Table(&mut aggregation)])?;
        if !coverage.is_complete() {
            let reasons = scope.warnings.iter().map(|warning| warning.message());
            let reasons: Vec<&str> = reasons.collect();
            return Err(busy(&format!("the table is not complete: {}", reasons.join("; "))));
        }
        let cancelled = || cancel.is_requested();
        let table = aggregation.finish(&run(cancel, &cancelled))?;
        if table.is_cut_short {
            return Err(busy("there was no time to make the whole table"));
        }
        let table = Table::from(table);
        export_write::table(&table, rows_max, format == ExportFormat::Csv).map_err(ApiError::internal)
    };
    let (count, text) = ask(shared, caller, Weight::Heavy, made).await??;
    let mut response = Body::from(text).into_response();
    format.describe(&mut response, now, count);
    Ok(response)
}

fn run<'a>(cancel: &'a Cancel, cancelled: &'a (dyn Fn() -> bool + Sync)) -> Run<'a> {
    Run { cancelled, lanes: cancel.lanes() }
}

fn unreadable(error: ReadError) -> ApiError {
    match error {
        ReadError::Cancelled => busy("the server is stopping"),
        other => ApiError::internal(other),
    }
}

/// An export that runs.
struct Exporting {
    reading: Reading,
    writing: Writing,
    cancel: Cancel,
    /// Whether the heading is written.
    is_begun: bool,
}

impl Exporting {
    /// The answer, which is made as its client takes it.
    fn answer(
        self,
        format: ExportFormat,
        now: Timestamp,
        permit: OwnedSemaphorePermit,
        guard: Guard,
    ) -> Response {
        let (count, damaged) = (self.reading.left(), self.reading.damaged().count());
        for damage in self.reading.damaged() {
            tracing::warn!("an export lacks what can not be read: {damage}");
        }
        let (pieces, received) = mpsc::channel(PIECES_MAX);
        tokio::spawn(async move {
            let _permit = permit;
            self.send(&pieces).await;
        });
        let mut response = Pieces::whole(received, guard).into_response();
        format.describe(&mut response, now, count);
        if 0 < damaged {
            response.headers_mut().insert(DAMAGED, damaged.into());
        }
        response
    }

    async fn send(mut self, pieces: &mpsc::Sender<Piece>) {
        loop {
            let made = blocking(move || {
                let piece = self.next_piece();
                (self, piece)
            });
            let piece;
            (self, piece) = match made.await {
                Ok((exporting, Ok(piece))) => (exporting, piece),
                // The client has gone, and hears nothing.
                Ok((_, Err(ReadError::Cancelled))) => return,
                Ok((_, Err(error))) => return tracing::error!("an export was broken off: {error}"),
                Err(_) => return tracing::error!("an export was broken off by a panic"),
            };
            let is_end = piece.is_empty();
            let piece = if is_end { Piece::End } else { Piece::Data(piece) };
            match tokio::time::timeout(STALL_MAX, pieces.send(piece)).await {
                Ok(Ok(())) if !is_end => {}
                Ok(_) => return,
                Err(_) => {
                    let seconds = STALL_MAX.as_secs();
                    return tracing::warn!(
                        "an export was broken off: its client took nothing for {seconds} s"
                    );
                }
            }
        }
    }

    /// What comes next; nothing at the end.
    fn next_piece(&mut self) -> std::result::Result<Bytes, ReadError> {
        let mut out = Vec::new();
        if !self.is_begun {
            self.writing.heading(&mut out);
            self.is_begun = true;
        }
        let cancelled = || self.cancel.is_requested();
        self.reading.next_piece(&self.writing, &run(&self.cancel, &cancelled), &mut out)?;
        Ok(out.into())
    }
}

impl ExportFormat {
    /// Adds the headers of a file.
    fn describe(self, response: &mut Response, now: Timestamp, count: u64) {
        let (media_type, suffix) = match self {
            ExportFormat::Ndjson => ("application/x-ndjson", "ndjson"),
            ExportFormat::Csv => ("text/csv; charset=utf-8", "csv"),
            ExportFormat::Raw => ("application/octet-stream", "log"),
        };
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
        headers.insert(COUNT, count.into());
        let disposition = format!("attachment; filename=\"{}.{suffix}\"", file_name(now));
        if let Ok(disposition) = disposition.try_into() {
            headers.insert(header::CONTENT_DISPOSITION, disposition);
        }
    }
}

/// `logstead-YYYYMMDDTHHMMSSZ`.
fn file_name(now: Timestamp) -> String {
    let text = now.to_string();
    let seconds = text.split(['.', 'Z']).next().unwrap_or_default();
    format!("logstead-{}Z", seconds.replace(['-', ':'], ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_after_its_time() {
        assert_eq!(file_name(Timestamp::from_nanos(0)), "logstead-19700101T000000Z");
        assert_eq!(file_name(Timestamp::from_nanos(61_500_000_000)), "logstead-19700101T000101Z");
    }
}
