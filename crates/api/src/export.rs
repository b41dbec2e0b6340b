//! Exports all matching messages as a file.
//!
//! The client reads piece by piece; while it pauses, nothing is read from the store. Exports have a limit of their
//! own and do not take turns with searches.
//!
//! **Invariant:** a response that terminates normally is complete: it holds as many messages as `X-Logstead-Count`
//! says, apart from those in damaged parts, which its end names. A failure midway breaks the connection.

use super::access::Caller;
use super::access::authenticate::CallerRecheck;
use super::ask::aggregate::compile;
use super::ask::search::ResultOrder;
use super::error::{ApiError, Result};
use super::problem_type::ProblemType;
use super::question::cancel::{Cancel, Guard, ask};
use super::question::{AllowedStages, CallerQuestion, QuestionParameters, StoreQuestion, list};
use super::state::SharedState;
use super::stream::{BodyPiece, StreamedBody};
use super::waiting::{blocking, busy};
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use logstead_answer::Aggregation;
use logstead_flow::request_id;
use logstead_indexer::{AnswerTarget as Answer, Hit};
use logstead_query::Pipeline;
use logstead_questions::store::{Cancelled, MessageReader, StreamedStages};
use logstead_questions::wire::file::{self, MessageFormat};
use logstead_questions::wire::table::TableJson;
use logstead_record::Timestamp;
use serde::Deserialize;
use serde_json::json;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, mpsc};

/// How many messages or rows a response contains.
const COUNT: HeaderName = HeaderName::from_static("x-logstead-count");
/// How many parts of the store are missing because they cannot be read: the number known at the beginning and, as a
/// trailer, at the end.
const DAMAGED: HeaderName = HeaderName::from_static("x-logstead-damaged");
/// How many of the counted messages were in those parts. Known only at the end.
const MISSING: HeaderName = HeaderName::from_static("x-logstead-missing");
/// The number of copies that are left out.
const COPIES: HeaderName = HeaderName::from_static("x-logstead-copies");
const TRAILERS: &str = "X-Logstead-Damaged, X-Logstead-Missing";
/// Maximum number of damaged parts that a summary names.
pub(super) const NAMED_MAX: usize = 100;
/// Maximum number of pieces that wait for a slow client.
const PIECES_MAX: usize = 2;
/// How long a client may pause, because it occupies a place that others could use.
const STALL_MAX: Duration = Duration::from_secs(60);

/// The messages to export, and the format.
#[derive(Deserialize, utoipa::ToSchema, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExportRequest {
    #[schema(default = "ndjson")]
    #[param(default = "ndjson", inline)]
    format: Option<ExportFormat>,
    #[schema(default = "newest")]
    #[param(default = "newest", inline)]
    order: Option<ResultOrder>,
    /// The columns of `csv` and the members of `ndjson`, in this order: any fields, separated by commas. By default,
    /// `csv` has `time`, `received`, `host`, `program`, `pid`, `severity`, `facility`, `message` and `logspace`, and
    /// `ndjson` whole messages.
    #[serde(default, deserialize_with = "list")]
    #[param(value_type = Option<String>)]
    columns: Option<Vec<String>>,
    /// Maximum number of messages; no limit by default.
    #[schema(minimum = 1)]
    #[param(minimum = 1)]
    limit: Option<u64>,
    /// Whether a last line describes the end of the export as a JSON object: how many `messages` it contains, how
    /// many matches are `missing`, which parts of the store are `damaged`, and how many `copies` are left out. For
    /// clients that cannot read trailers.
    #[serde(default)]
    summary: bool,
}

/// The format of an export.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ExportFormat {
    /// One message per line, as JSON.
    #[default]
    Ndjson,
    /// RFC 4180, with a header line.
    Csv,
    /// The bytes as they were received, each message followed by a line feed.
    Raw,
}

/// All matching messages without a limit, even after stages that work on messages one by one. With other stages,
/// their table; `order` and `columns` then have no effect. A response that breaks off is incomplete.
#[utoipa::path(
    get, path = "/api/v1/export", operation_id = "export_messages", tag = "search", params(ExportRequest),
    responses((
        status = 200, description = "The messages, or the table",
        headers(
            ("X-Logstead-Count" = u64, description =
                "The number of messages or rows in the answer, not counting messages that turn out to be damaged; \
                 absent if the stages determine it only while the answer is made"),
            ("X-Logstead-Copies" = u64, description =
                "The number of copies that are left out, if any: messages that another of the logspaces has as well"),
            ("X-Logstead-Damaged" = u64, description =
                "The number of parts of the store that the answer lacks because they cannot be read, as far as that \
                 is known. Also sent as a trailer, together with `X-Logstead-Missing`, the number of missing \
                 messages"),
            ("Content-Disposition" = String, description = "The name for the file"),
        ),
        content(
            (String = "application/x-ndjson"),
            (String = "text/csv"),
            (String = "application/octet-stream"),
        )
    ))
)]
pub(crate) async fn export(headers: HeaderMap, asked: CallerQuestion<ExportRequest>) -> Result<Response> {
    let CallerQuestion { shared, caller, question, own, .. } = asked;
    let (now, has_summary) = (question.now, own.summary);
    let export = match ExportPlan::new(&shared, question, own)? {
        ExportPlan::Table(table) => return table.answer(&shared, &caller).await,
        ExportPlan::Messages(export) => export,
    };
    let Ok(permit) = shared.exports.clone().try_acquire_owned() else {
        return Err(busy("too many exports are running (limits.exports_max)"));
    };
    let (cancel, guard) = Cancel::without_limit(&shared);
    let asker = CallerRecheck::new(&shared, &headers, &caller);
    let format = export.format;
    let stopping = |Cancelled| busy("the server is stopping");
    let exporting = blocking(move || export.begin(cancel, has_summary)).await?.map_err(stopping)?;
    Ok(exporting.answer(format, now, asker, permit, guard))
}

impl ExportRequest {
    pub(super) fn format_or_default(&self) -> ExportFormat {
        self.format.unwrap_or_default()
    }
}

impl QuestionParameters for ExportRequest {
    const STAGES: AllowedStages = AllowedStages::All;
}

/// An export that can be made.
pub(super) enum ExportPlan {
    Messages(Box<MessageExport>),
    Table(Box<TableExport>),
}

/// An export of messages, one by one.
pub(super) struct MessageExport {
    pub(super) format: ExportFormat,
    question: StoreQuestion,
    passing: Option<StreamedStages>,
    writing: MessageFormat,
    order: ResultOrder,
    limit: u64,
}

/// An export of the table of a query with stages, which is complete before the first byte is sent.
pub(super) struct TableExport {
    pub(super) format: ExportFormat,
    question: StoreQuestion,
    aggregation: Aggregation,
    rows_max: u64,
    has_summary: bool,
}

/// The text of a table, and what it lacks.
pub(super) struct ExportedTable {
    pub(super) rows: u64,
    pub(super) text: Vec<u8>,
    pub(super) damaged: Vec<String>,
    pub(super) copies: u64,
}

impl ExportPlan {
    pub(super) fn new(
        shared: &SharedState,
        mut question: StoreQuestion,
        own: ExportRequest,
    ) -> Result<ExportPlan> {
        if own.limit == Some(0) {
            return Err(ApiError::invalid("limit is 0: it must be at least 1").path("limit"));
        }
        let format = own.format_or_default();
        let limit = own.limit.unwrap_or(u64::MAX);
        let passing = question.exported(format == ExportFormat::Csv);
        if passing.is_none() && !question.stages.is_empty() {
            return TableExport::new(shared, question, format, limit, own.summary)
                .map(Box::new)
                .map(ExportPlan::Table);
        }
        let writing = match format {
            ExportFormat::Ndjson => {
                let kept = passing.as_ref().and_then(StreamedStages::names);
                MessageFormat::ndjson(kept.or(own.columns))
            }
            ExportFormat::Csv => MessageFormat::csv(file::csv_columns(&question.pipeline(), own.columns)),
            ExportFormat::Raw => Ok(MessageFormat::Raw),
        };
        let writing = writing.map_err(|detail| ApiError::invalid(detail).path("columns"))?;
        let order = own.order.unwrap_or_default();
        let export = MessageExport { format, question, passing, writing, order, limit };
        Ok(ExportPlan::Messages(Box::new(export)))
    }
}

impl MessageExport {
    /// Counts the messages, and begins to read them.
    pub(super) fn begin(
        self,
        cancel: Cancel,
        has_summary: bool,
    ) -> std::result::Result<RunningExport, Cancelled> {
        let MessageExport { question, passing, writing, order, limit, .. } = self;
        let logspaces = question.logspaces.clone();
        let reading = logspaces.read(question.wanted(), passing, order.into(), limit, &cancel.run())?;
        Ok(RunningExport { reading, writing, cancel, has_summary, is_begun: false })
    }
}

impl TableExport {
    fn new(
        shared: &SharedState,
        mut question: StoreQuestion,
        format: ExportFormat,
        rows_max: u64,
        has_summary: bool,
    ) -> Result<TableExport> {
        if format == ExportFormat::Raw {
            let detail = "a query with stages makes a table: export it as ndjson or csv";
            return Err(ApiError::invalid(detail).path("format"));
        }
        let pipeline =
            Pipeline { filter: question.query.clone(), stages: std::mem::take(&mut question.stages) };
        let aggregation = compile(&mut question, &pipeline, shared.query_memory_max())?;
        Ok(TableExport { format, question, aggregation, rows_max, has_summary })
    }

    /// Makes the table, once its turn among the searches has come.
    pub(super) async fn make(self, shared: &SharedState, caller: &Caller) -> Result<ExportedTable> {
        let weight = self.question.heavy();
        ask(shared, caller, weight, move |cancel| self.table(cancel)).await?
    }

    fn table(self, cancel: &Cancel) -> Result<ExportedTable> {
        let TableExport { format, mut question, mut aggregation, rows_max, has_summary } = self;
        let coverage = question.answer(cancel, &mut [Answer::Table(&mut aggregation)])?;
        let copies = question.count_copies(cancel);
        let reasons =
            question.warnings.iter().map(|warning| warning.message().to_owned()).collect::<Vec<_>>();
        if coverage.is_cut() {
            return Err(busy(&format!("the table is not complete: {}", reasons.join("; "))));
        }
        let damaged = if coverage.complete { Vec::new() } else { reasons };
        let table = aggregation.finish(&cancel.run())?;
        if table.is_cut_short {
            return Err(busy("the time was not enough for the whole table"));
        }
        if let Some(flaw) = table.flaw_as_file(rows_max) {
            return Err(ApiError::new(ProblemType::UnsuitableQuery, flaw).path("query"));
        }
        let written = file::table(&TableJson::from(table), rows_max, format == ExportFormat::Csv);
        let (rows, mut text) = written.map_err(ApiError::internal)?;
        if has_summary {
            text.extend_from_slice(&summary(rows, 0, copies, damaged.iter()));
        }
        Ok(ExportedTable { rows, text, damaged, copies })
    }

    async fn answer(self, shared: &SharedState, caller: &Caller) -> Result<Response> {
        let (now, format) = (self.question.now, self.format);
        let ExportedTable { rows, text, damaged, copies } = self.make(shared, caller).await?;
        let mut response = Body::from(text).into_response();
        if !damaged.is_empty() {
            response.headers_mut().insert(DAMAGED, damaged.len().into());
        }
        format.describe(&mut response, now, Some(rows), copies);
        Ok(response)
    }
}

/// The last line, for clients that asked for a summary.
fn summary<'a>(
    messages: u64,
    missing: u64,
    copies: u64,
    damaged: impl ExactSizeIterator<Item = &'a String>,
) -> Vec<u8> {
    let parts = damaged.len();
    let damaged: Vec<&String> = damaged.take(NAMED_MAX).collect();
    let summary = json!({
        "messages": messages, "copies": copies, "missing": missing, "damaged_parts": parts, "damaged": damaged
    });
    format!("{summary}\n").into_bytes()
}

/// A running export.
pub(super) struct RunningExport {
    pub(super) reading: MessageReader,
    writing: MessageFormat,
    cancel: Cancel,
    has_summary: bool,
    /// Whether the header line has been written.
    is_begun: bool,
}

impl RunningExport {
    /// The response, whose body is produced as the client takes it.
    fn answer(
        self,
        format: ExportFormat,
        now: Timestamp,
        asker: CallerRecheck,
        permit: OwnedSemaphorePermit,
        guard: Guard,
    ) -> Response {
        let count = self.reading.is_counted().then(|| self.reading.left());
        let (damaged, copies) = (self.reading.damaged().len(), self.reading.copies());
        for damage in self.reading.damaged() {
            tracing::warn!("an export lacks messages that cannot be read: {damage}");
        }
        let (pieces, received) = mpsc::channel(PIECES_MAX);
        tokio::spawn(request_id::followed(async move {
            let _permit = permit;
            self.send(&pieces, &asker).await;
        }));
        let mut response = StreamedBody::whole(received, guard).into_response();
        format.describe(&mut response, now, count, copies);
        response.headers_mut().insert(header::TRAILER, HeaderValue::from_static(TRAILERS));
        if 0 < damaged {
            response.headers_mut().insert(DAMAGED, damaged.into());
        }
        response
    }

    /// Sends the export piece by piece. Each piece waits for its slot first, so that the caller is checked at the
    /// last moment.
    async fn send(mut self, pieces: &mpsc::Sender<BodyPiece>, asker: &CallerRecheck) {
        loop {
            let place = match tokio::time::timeout(STALL_MAX, pieces.reserve()).await {
                Ok(Ok(place)) => place,
                Ok(Err(_)) => return,
                Err(_) => {
                    let seconds = STALL_MAX.as_secs();
                    return tracing::warn!(
                        "an export was broken off: its client read nothing for {seconds} s"
                    );
                }
            };
            let made = blocking(move || {
                let piece = self.next_piece();
                (self, piece)
            });
            let piece;
            (self, piece) = match made.await {
                Ok((exporting, Ok(piece))) => (exporting, piece),
                // The client has disconnected.
                Ok((_, Err(Cancelled))) => return,
                Err(_) => return tracing::error!("an export was broken off by a panic"),
            };
            let is_end = piece.is_empty();
            if let Err(error) = asker.check().await {
                return tracing::warn!("an export was broken off: {}", error.detail());
            }
            place.send(if is_end { BodyPiece::End(self.trailers()) } else { BodyPiece::Data(piece) });
            if is_end {
                return;
            }
        }
    }

    /// The next piece; empty at the end.
    pub(super) fn next_piece(&mut self) -> std::result::Result<Bytes, Cancelled> {
        let mut out = Vec::new();
        if !self.is_begun {
            self.writing.heading(&mut out);
            self.is_begun = true;
        }
        let write = |logspace: &str, hit: &Hit, out: &mut Vec<u8>| self.writing.message(logspace, hit, out);
        self.reading.next_piece(write, &self.cancel.run(), &mut out)?;
        if self.has_summary && self.reading.left() == 0 {
            self.has_summary = false;
            let RunningExport { reading, .. } = self;
            out.extend_from_slice(&summary(
                reading.written(),
                reading.missing(),
                reading.copies(),
                reading.damaged().iter(),
            ));
        }
        Ok(out.into())
    }

    /// The figures that are only known after reading, as trailers.
    fn trailers(&self) -> HeaderMap {
        let (parts, missing) = (self.reading.damaged().len(), self.reading.missing());
        if 0 < missing {
            tracing::warn!("an export lacks {missing} messages in damaged parts of the store");
        }
        [(DAMAGED, parts.into()), (MISSING, missing.into())].into_iter().collect()
    }
}

impl ExportFormat {
    pub(super) fn media_type(self) -> &'static str {
        match self {
            ExportFormat::Ndjson => "application/x-ndjson",
            ExportFormat::Csv => "text/csv; charset=utf-8",
            ExportFormat::Raw => "application/octet-stream",
        }
    }

    /// The name for a file that is made at this time.
    pub(super) fn file_name(self, now: Timestamp) -> String {
        let suffix = match self {
            ExportFormat::Ndjson => "ndjson",
            ExportFormat::Csv => "csv",
            ExportFormat::Raw => "log",
        };
        format!("{}.{suffix}", stem(now))
    }

    /// Adds the headers of a file download.
    fn describe(self, response: &mut Response, now: Timestamp, count: Option<u64>, copies: u64) {
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.media_type()));
        if let Some(count) = count {
            headers.insert(COUNT, count.into());
        }
        if 0 < copies {
            headers.insert(COPIES, copies.into());
        }
        let disposition = format!("attachment; filename=\"{}\"", self.file_name(now));
        if let Ok(disposition) = disposition.try_into() {
            headers.insert(header::CONTENT_DISPOSITION, disposition);
        }
    }
}

/// The file name without its suffix, such as `logstead-YYYYMMDDTHHMMSSZ`.
fn stem(now: Timestamp) -> String {
    let text = now.to_string();
    let seconds = text.split(['.', 'Z']).next().unwrap_or_default();
    format!("logstead-{}Z", seconds.replace(['-', ':'], ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_after_its_time() {
        assert_eq!(stem(Timestamp::from_nanos(0)), "logstead-19700101T000000Z");
        assert_eq!(stem(Timestamp::from_nanos(61_500_000_000)), "logstead-19700101T000101Z");
    }
}
