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
use super::compress::Uncompressed;
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
use logstead_answer::{Aggregation, AnswerTable};
use logstead_columnar::ColumnarFormat;
use logstead_flow::request_id;
use logstead_indexer::AnswerTarget as Answer;
use logstead_query::Pipeline;
use logstead_questions::store::{Cancelled, MessageReader, MessageRun, StreamedStages};
use logstead_questions::wire::columnar::UnfitColumn;
use logstead_questions::wire::file::{self, MessageFormat};
use logstead_questions::wire::table::TableJson;
use logstead_record::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};
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
/// How many values cannot be read as the types of their columns, and are null.
const UNFIT: HeaderName = HeaderName::from_static("x-logstead-unfit");
const TRAILERS: &str = "X-Logstead-Damaged, X-Logstead-Missing, X-Logstead-Unfit";
/// The key of the summary in a Parquet file.
const SUMMARY_NOTE: &str = "logstead.summary";
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
    /// By default, the first of these formats whose media type `Accept` names, or `ndjson`.
    #[param(inline)]
    format: Option<ExportFormat>,
    #[schema(default = "newest")]
    #[param(default = "newest", inline)]
    order: Option<ResultOrder>,
    /// The columns, or the members of `ndjson`, in this order: any fields, separated by commas. By default, `ndjson` has
    /// whole messages, and the others have `time`, `received`, `host`, `program`, `pid`, `severity`, `facility`, `message`
    /// and `logspace`. In `arrow` and `parquet`, a type may stand behind a name, such as `status:integer`: one of `text`,
    /// `integer` (or `int`), `number` (or `float`), `boolean` (or `bool`), `time` and `list`. A value that cannot be read as
    /// that type is null, and counted in `X-Logstead-Unfit`.
    #[serde(default, deserialize_with = "list")]
    #[param(value_type = Option<String>)]
    columns: Option<Vec<String>>,
    /// Maximum number of messages; no limit by default.
    #[schema(minimum = 1)]
    #[param(minimum = 1)]
    limit: Option<u64>,
    /// Whether a last line describes the end of the export as a JSON object: how many `messages` it contains, how
    /// many matches are `missing`, which parts of the store are `damaged`, how many `copies` are left out, and which
    /// columns have values that do not fit (`unfit`). For clients that cannot read trailers. Behind `arrow` and `parquet`,
    /// a line feed comes before that line.
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
    /// An Arrow IPC stream of typed columns. A stream that broke off lacks the mark of the end.
    Arrow,
    /// A Parquet file of typed columns. A file that broke off lacks its end, and cannot be read.
    Parquet,
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
            ("X-Logstead-Unfit" = u64, description =
                "The number of values that cannot be read as the types of their columns, and are null. Known and sent \
                 before a table; otherwise, a trailer"),
            ("Content-Disposition" = String, description = "The name for the file"),
        ),
        content(
            (BTreeMap<String, Value> = "application/x-ndjson"),
            (String = "text/csv"),
            (String = "application/octet-stream"),
            (String = "application/vnd.apache.arrow.stream"),
            (String = "application/vnd.apache.parquet"),
        )
    ))
)]
pub(crate) async fn export(headers: HeaderMap, asked: CallerQuestion<ExportRequest>) -> Result<Response> {
    let CallerQuestion { shared, caller, question, mut own, .. } = asked;
    own.format.get_or_insert_with(|| ExportFormat::accepted(&headers));
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

/// A table as a file, and what it lacks.
pub(super) struct ExportedTable {
    pub(super) rows: u64,
    pub(super) bytes: Vec<u8>,
    pub(super) unfit: Vec<UnfitColumn>,
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
        let passing = question.exported(format.has_columns());
        if passing.is_none() && !question.stages.is_empty() {
            return TableExport::new(shared, question, format, limit, own.summary)
                .map(Box::new)
                .map(ExportPlan::Table);
        }
        let writing = format.writing(&question, passing.as_ref(), own.columns);
        let writing = writing.map_err(|detail| ApiError::invalid(detail).path("columns"))?;
        let writing = writing.with_memory_max(shared.query_memory_max());
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
        let MessageExport { format, question, passing, writing, order, limit } = self;
        let logspaces = question.logspaces.clone();
        let reading = logspaces.read(question.wanted(), passing, order.into(), limit, &cancel.run())?;
        let reading = reading.with_columns(writing.groups());
        Ok(RunningExport { format, reading, writing, cancel, has_summary, stage: FileStage::Beginning })
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
            let detail = "a query with stages makes a table: export it as ndjson, csv, arrow or parquet";
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
        let mut file = ExportedTable::new(table, format, rows_max).map_err(ApiError::internal)?;
        if has_summary {
            let end = ExportEnd { messages: file.rows, missing: 0, copies, unfit: &file.unfit };
            let line = end.line(format, damaged.iter());
            file.bytes.extend_from_slice(&line);
        }
        Ok(ExportedTable { damaged, copies, ..file })
    }

    async fn answer(self, shared: &SharedState, caller: &Caller) -> Result<Response> {
        let (now, format) = (self.question.now, self.format);
        let ExportedTable { rows, bytes, unfit, damaged, copies } = self.make(shared, caller).await?;
        let mut response = Body::from(bytes).into_response();
        if !damaged.is_empty() {
            response.headers_mut().insert(DAMAGED, damaged.len().into());
        }
        if !unfit.is_empty() {
            response.headers_mut().insert(UNFIT, unfit_values(&unfit).into());
        }
        format.describe(&mut response, now, Some(rows), copies);
        Ok(response)
    }
}

impl ExportedTable {
    fn new(table: AnswerTable, format: ExportFormat, rows_max: u64) -> serde_json::Result<ExportedTable> {
        let (rows, bytes, unfit) = match format.columnar() {
            Some(columnar) => file::typed_table(&table, rows_max, columnar),
            None => {
                let written = file::table(&TableJson::from(table), rows_max, format == ExportFormat::Csv)?;
                (written.0, written.1, Vec::new())
            }
        };
        Ok(ExportedTable { rows, bytes, unfit, damaged: Vec::new(), copies: 0 })
    }
}

pub(super) fn unfit_values(unfit: &[UnfitColumn]) -> u64 {
    unfit.iter().map(UnfitColumn::values).sum()
}

/// The figures of a complete export.
struct ExportEnd<'a> {
    messages: u64,
    missing: u64,
    copies: u64,
    unfit: &'a [UnfitColumn],
}

impl ExportEnd<'_> {
    fn json<'a>(&self, damaged: impl ExactSizeIterator<Item = &'a String>) -> Value {
        let parts = damaged.len();
        let damaged: Vec<&String> = damaged.take(NAMED_MAX).collect();
        json!({
            "messages": self.messages, "copies": self.copies, "missing": self.missing,
            "damaged_parts": parts, "damaged": damaged, "unfit": self.unfit,
        })
    }

    /// The last line, for clients that asked for a summary.
    fn line<'a>(&self, format: ExportFormat, damaged: impl ExactSizeIterator<Item = &'a String>) -> Vec<u8> {
        let before = if format.columnar().is_some() { "\n" } else { "" };
        format!("{before}{}\n", self.json(damaged)).into_bytes()
    }
}

/// A running export.
pub(super) struct RunningExport {
    format: ExportFormat,
    pub(super) reading: MessageReader,
    writing: MessageFormat,
    cancel: Cancel,
    has_summary: bool,
    stage: FileStage,
}

/// How much of a file has been written.
#[derive(PartialEq)]
enum FileStage {
    Beginning,
    Messages,
    Complete,
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
        if self.stage == FileStage::Beginning {
            self.writing.begin(&mut out);
            self.stage = FileStage::Messages;
        }
        let writing = &mut self.writing;
        let write = |run: &MessageRun<'_>, out: &mut Vec<u8>| writing.run(run, out);
        self.reading.next_runs(write, &self.cancel.run(), &mut out)?;
        if self.stage == FileStage::Messages && self.reading.left() == 0 {
            self.stage = FileStage::Complete;
            self.end(&mut out);
        }
        Ok(out.into())
    }

    fn end(&mut self, out: &mut Vec<u8>) {
        let RunningExport { format, reading, writing, has_summary, .. } = self;
        let end = ExportEnd {
            messages: reading.written(),
            missing: reading.missing(),
            copies: reading.copies(),
            unfit: &writing.unfit(),
        };
        let note = end.json(reading.damaged().iter()).to_string();
        writing.end(&[(SUMMARY_NOTE, note)], out);
        if *has_summary {
            out.extend_from_slice(&end.line(*format, reading.damaged().iter()));
        }
    }

    /// How many values cannot be read as the types of their columns, and are null.
    pub(super) fn unfit(&self) -> u64 {
        unfit_values(&self.writing.unfit())
    }

    /// The figures that are only known after reading, as trailers.
    fn trailers(&self) -> HeaderMap {
        let (parts, missing) = (self.reading.damaged().len(), self.reading.missing());
        if 0 < missing {
            tracing::warn!("an export lacks {missing} messages in damaged parts of the store");
        }
        [(DAMAGED, parts.into()), (MISSING, missing.into()), (UNFIT, self.unfit().into())]
            .into_iter()
            .collect()
    }
}

impl ExportFormat {
    /// Each format with its media type and the ending of file names.
    const ALL: [(ExportFormat, &str, &str); 5] = [
        (ExportFormat::Ndjson, "application/x-ndjson", "ndjson"),
        (ExportFormat::Csv, "text/csv; charset=utf-8", "csv"),
        (ExportFormat::Raw, "application/octet-stream", "log"),
        (ExportFormat::Arrow, "application/vnd.apache.arrow.stream", "arrows"),
        (ExportFormat::Parquet, "application/vnd.apache.parquet", "parquet"),
    ];

    /// The first format whose media type the client names.
    fn accepted(headers: &HeaderMap) -> ExportFormat {
        let all = headers.get_all(header::ACCEPT).into_iter().filter_map(|value| value.to_str().ok());
        let mut wanted = all.flat_map(|value| value.split(',')).map(essence);
        let known = |wanted: &str| {
            let mut formats = ExportFormat::ALL.into_iter();
            formats.find(|(_, media_type, _)| essence(media_type).eq_ignore_ascii_case(wanted))
        };
        wanted.find_map(known).map(|(format, ..)| format).unwrap_or_default()
    }

    fn columnar(self) -> Option<ColumnarFormat> {
        match self {
            ExportFormat::Ndjson | ExportFormat::Csv | ExportFormat::Raw => None,
            ExportFormat::Arrow => Some(ColumnarFormat::Arrow),
            ExportFormat::Parquet => Some(ColumnarFormat::Parquet),
        }
    }

    /// Whether every row has the same columns.
    fn has_columns(self) -> bool {
        self == ExportFormat::Csv || self.columnar().is_some()
    }

    /// The way to write messages; an error if the columns are not possible.
    fn writing(
        self,
        question: &StoreQuestion,
        passing: Option<&StreamedStages>,
        columns: Option<Vec<String>>,
    ) -> std::result::Result<MessageFormat, String> {
        let of_rows = |columns| file::row_columns(&question.pipeline(), columns);
        match (self, self.columnar()) {
            (_, Some(format)) => MessageFormat::columnar(format, of_rows(columns)),
            (ExportFormat::Csv, _) => MessageFormat::csv(of_rows(columns)),
            (ExportFormat::Raw, _) => Ok(MessageFormat::Raw),
            _ => MessageFormat::ndjson(passing.and_then(StreamedStages::names).or(columns)),
        }
    }

    pub(super) fn media_type(self) -> &'static str {
        ExportFormat::ALL[self as usize].1
    }

    /// The name for a file that is made at this time.
    pub(super) fn file_name(self, now: Timestamp) -> String {
        format!("{}.{}", stem(now), ExportFormat::ALL[self as usize].2)
    }

    /// Adds the headers of a file download.
    fn describe(self, response: &mut Response, now: Timestamp, count: Option<u64>, copies: u64) {
        if self == ExportFormat::Parquet {
            // Its pages are compressed.
            response.extensions_mut().insert(Uncompressed);
        }
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

/// A media type without its parameters.
fn essence(media_type: &str) -> &str {
    media_type.split(';').next().unwrap_or_default().trim()
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
