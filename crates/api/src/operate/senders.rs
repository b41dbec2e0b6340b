//! Senders, and the last messages of each.

use crate::access::Call;
use crate::error::{ApiError, Result};
use crate::extract::{Path, Query as Parameters};
use crate::list::{ListIdentity, page_size};
use crate::question::cancel::{Cancel, Weight, ask};
use crate::question::clocks::Clocks;
use crate::question::time;
use crate::state::{ApiInner, SharedState};
use crate::waiting::blocking;
use axum::extract::State;
use axum::http::StatusCode;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use logstead_config::{Source, SourceKind};
use logstead_flow::machine::clock;
use logstead_flow::senders::{self, Report, SenderKey, SkippedSample, SourceFacts};
use logstead_indexer::Order;
use logstead_query::{FieldTest, Pattern, Query, TimeExpr, TimeRange, ValueRange};
use logstead_questions::store::{Copies, Hits, Logspaces, PageRequest, SearchCriteria};
use logstead_questions::wire::message::{FieldValue, by_name};
use logstead_receive::time_zone;
use logstead_record::FieldName;
use logstead_record::{Batch, DAY, Field, Flags, SECOND, Timestamp};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Bound;
use std::time::Duration;

const SENDERS: usize = 1000;
pub(crate) const SENDERS_MAX: usize = 10_000;
const FRAMES: usize = 20;
pub(crate) const FRAMES_MAX: usize = 200;
/// The time spans in which the last messages are looked for, one after the other.
const SPANS: [i64; 4] = [10 * SECOND, 600 * SECOND, DAY, 36_500 * DAY];

/// The senders to list.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct SendersParams {
    /// Only senders that sent something after this time, such as `-1h` or RFC 3339.
    from: Option<String>,
    /// Only senders that sent something before this time.
    to: Option<String>,
    /// Only senders whose host, source, address or certificate subject contains this text.
    query: Option<String>,
    /// How many senders to list. All are counted.
    #[param(default = 1000, minimum = 1, maximum = 10000)]
    limit: Option<usize>,
    /// The start of the page: the `cursor` of the previous page of the same list.
    cursor: Option<String>,
    /// Whether to include the `series` of each sender; true by default. Without them, an answer is a third of the
    /// size.
    series: Option<bool>,
    /// Whether to list only senders that are silent, skewed or new, or seem to be in another time zone; false by
    /// default. All are counted.
    unusual: Option<bool>,
}

/// How many messages to show.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct FramesParams {
    /// How many.
    #[param(default = 20, minimum = 1, maximum = 200)]
    limit: Option<usize>,
}

/// The last messages of a sender, the newest first.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct Frames {
    frames: Vec<SentFrame>,
}

/// A message as it was received.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct SentFrame {
    /// Its id, for `/messages/{id}`.
    id: String,
    received: String,
    /// The time that the message states; null if it states none.
    #[schema(required)]
    device_time: Option<String>,
    address: String,
    /// The bytes in base64.
    bytes: String,
    recognised: Recognised,
    /// The fields that were parsed from it, by name.
    fields: BTreeMap<String, FieldValue>,
}

/// Every host of every source, with the amount that it sends, whether that has become unusual, and the deviation of
/// its clock.
#[utoipa::path(
    get, path = "/api/v1/senders", operation_id = "list_senders", tag = "senders", params(SendersParams), responses((status = 200, body = Report))
)]
pub(crate) async fn senders(
    State(shared): State<SharedState>,
    Parameters(params): Parameters<SendersParams>,
) -> Result<axum::Json<Report>> {
    let (now, clocks) = (clock::now(), Clocks::new(None)?);
    let time = |text: Option<&String>, name| text.map(|text| time(text, name, &clocks, now)).transpose();
    let (from, to) = (time(params.from.as_ref(), "from")?, time(params.to.as_ref(), "to")?);
    let limit = page_size(params.limit, SENDERS, SENDERS_MAX)?;
    let list = ListIdentity::new("senders", (&params.from, &params.to, &params.query, params.unusual));
    let after = list.last(params.cursor.as_deref())?.map(|last| sender_of(&last));
    let (text, has_series) = (params.query.unwrap_or_default(), params.series.unwrap_or(true));
    let unusual = params.unusual.unwrap_or(false);
    blocking(move || {
        let filter = SenderFilter { text, from, to, after, limit, has_series, unusual };
        let mut report = listed(&shared, &filter);
        let last = report.continued_after.as_ref();
        report.cursor = last.map(|last| list.cursor(&format!("{}\0{}", last.source, last.host)));
        axum::Json(report)
    })
    .await
}

/// The sender in a cursor. Ids of sources contain no zero byte.
fn sender_of(last: &str) -> SenderKey {
    let (source, host) = last.split_once('\0').unwrap_or((last, ""));
    SenderKey { source: source.into(), host: host.to_owned() }
}

/// The filter for the list of senders.
#[derive(Default)]
pub(super) struct SenderFilter {
    pub(super) text: String,
    pub(super) from: Option<Timestamp>,
    pub(super) to: Option<Timestamp>,
    pub(super) after: Option<SenderKey>,
    pub(super) limit: usize,
    pub(super) has_series: bool,
    pub(super) unusual: bool,
}

pub(super) fn listed(shared: &ApiInner, wanted: &SenderFilter) -> Report {
    let (pipeline, now) = (&shared.state.pipeline, clock::now());
    let live = pipeline.router();
    let source = |id: &str| {
        // The rows of a source that was removed remain until they are forgotten.
        match live.checked.sources.iter().find(|source| source.id == id) {
            Some(source) => facts(source, now),
            None => Some(SourceFacts { kind: "removed", offset_seconds: 0 }),
        }
    };
    let SenderFilter { ref text, from, to, ref after, limit, has_series, unusual } = *wanted;
    pipeline.senders.report(&senders::SenderQuery {
        source: &source,
        text,
        from,
        to,
        after: after.clone(),
        limit,
        has_series,
        unusual,
    })
}

/// `None` for our own log, which has no senders.
fn facts(source: &Source, now: Timestamp) -> Option<SourceFacts> {
    if source.kind == SourceKind::Internal {
        return None;
    }
    let zone = source.kind.timezone().and_then(|name| time_zone(name).ok());
    let now = jiff::Timestamp::from_nanosecond(now.nanos().into()).unwrap_or_default();
    let offset_seconds = zone.map_or(0, |zone| zone.to_offset(now).seconds().into());
    Some(SourceFacts { kind: source.kind.tag().name(), offset_seconds })
}

/// The last stored messages of a sender, as they were received, with the fields that were parsed from them.
#[utoipa::path(
    get, path = "/api/v1/senders/{source}/{host}/frames", operation_id = "list_sender_frames", tag = "senders",
    params(
        ("source" = String, Path, description = "The source"),
        ("host" = String, Path, description = "The host"),
        FramesParams,
    ),
    responses((status = 200, body = Frames))
)]
pub(crate) async fn frames(
    call: Call,
    Path((source, host)): Path<(String, String)>,
    Parameters(params): Parameters<FramesParams>,
) -> Result<axum::Json<Frames>> {
    let limit = page_size(params.limit, FRAMES, FRAMES_MAX)?;
    let logspaces = call.caller.logspaces(&call.shared.state.pipeline);
    let key = SenderKey { source: source.as_str().into(), host: host.clone() };
    let last_seen = call.shared.state.pipeline.senders.last_seen(&key).unwrap_or_else(clock::now);
    let answer = move |cancel: &Cancel| last_frames(&logspaces, &key, last_seen, limit, cancel);
    let frames =
        ask(&call.shared, &call.caller, Weight { is_instant: None, spent: Duration::ZERO }, answer).await?;
    Ok(axum::Json(Frames { frames }))
}

/// The last bytes from an address that do not belong to a message, newest first.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct SkippedPieces {
    pieces: Vec<SkippedPiece>,
}

/// Bytes that do not belong to a message.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct SkippedPiece {
    received: String,
    /// The reason: `too_long`, `out_of_step` or `unfinished`.
    reason: String,
    /// Their number.
    bytes: u64,
    /// The first of them, in base64: at most 1 KiB.
    head: String,
}

/// The last bytes from an address that do not belong to a message, at most eight pieces, since the start of the
/// process. They are shown as they were received, even if a route masks the messages that it stores: for operators
/// only.
#[utoipa::path(
    get, path = "/api/v1/senders/{source}/{host}/skipped", operation_id = "list_skipped_pieces", tag = "senders",
    params(
        ("source" = String, Path, description = "The source"),
        ("host" = String, Path, description = "The address"),
    ),
    responses((status = 200, body = SkippedPieces))
)]
pub(crate) async fn skipped(
    State(shared): State<SharedState>,
    Path((source, host)): Path<(String, String)>,
) -> axum::Json<SkippedPieces> {
    let samples = shared.state.pipeline.senders.samples(&SenderKey { source: source.into(), host });
    let piece = |SkippedSample { received, reason, bytes, head }: SkippedSample| SkippedPiece {
        received: received.to_string(),
        reason: reason.to_owned(),
        bytes,
        head: STANDARD.encode(head),
    };
    axum::Json(SkippedPieces { pieces: samples.into_iter().map(piece).collect() })
}

/// The last messages of a sender. Pages are ordered by the time that messages state, which is wrong if a sender's
/// clock is. So the messages are looked for by the time of receipt, in ever longer spans.
fn last_frames(
    logspaces: &Logspaces,
    key: &SenderKey,
    last_seen: Timestamp,
    limit: usize,
    cancel: &Cancel,
) -> Vec<SentFrame> {
    let is =
        |field, text: &str| Query::Field(FieldName::Known(field), FieldTest::Equals(Pattern::literal(text)));
    let mut hits: Hits = Vec::new();
    for span in SPANS {
        let since = TimeExpr::At(last_seen.saturating_add(-span));
        let bounds = ValueRange { low: Bound::Included(since), high: Bound::Unbounded };
        let received = Query::Field(FieldName::Known(Field::Received), FieldTest::Time(bounds));
        let query = Query::and(vec![is(Field::Source, &key.source), is(Field::Host, &key.host), received]);
        let (range, copies) = (TimeRange::ALL, Copies::LeftOut);
        let wanted = SearchCriteria { query: &query, range, now: clock::now(), copies };
        let request = PageRequest { order: Order::Newest, limit: FRAMES_MAX, after: None };
        hits = logspaces.page(wanted, &request, &cancel.run()).hits;
        if limit <= hits.len() {
            break;
        }
    }
    hits.sort_by_key(|(_, hit)| Reverse((hit.batch.received(hit.row), hit.sequence)));
    hits.truncate(limit);
    hits.iter().map(|(id, hit)| SentFrame::of(id, &hit.batch, hit.row, hit.sequence)).collect()
}

/// The format that a message was recognised as.
#[derive(Clone, Copy, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Recognised {
    /// Syslog of RFC 5424.
    Rfc5424,
    /// Syslog of RFC 3164, or a variant of it.
    Rfc3164,
    /// A known format without a syslog header.
    Other,
    /// No known format: the whole message is taken as text.
    Unparsed,
}

impl SentFrame {
    fn of(logspace: &str, batch: &Batch, row: usize, sequence: u64) -> SentFrame {
        let mut raw = Vec::new();
        batch.write_raw(row, &mut raw);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let known = [Field::Host, Field::Program, Field::Pid, Field::Msgid, Field::Message];
        let known = known.map(|field| (field.name().to_owned(), text(batch.text(field, row))));
        let known = known.into_iter().filter(|(_, value)| !value.is_empty());
        let priority = batch.priority(row).map(|priority| {
            let (severity, facility) = (priority.severity().name(), priority.facility().name());
            [("severity".to_owned(), severity.to_owned()), ("facility".to_owned(), facility.to_owned())]
        });
        let own = batch.fields(row).map(|(name, value)| (text(name), text(value)));
        let fields = by_name(known.chain(priority.into_iter().flatten()).chain(own));
        SentFrame {
            id: format!("{logspace}:{sequence}"),
            received: batch.received(row).to_string(),
            device_time: batch.own_time(row).map(|time| time.to_string()),
            address: text(batch.peer(row)),
            recognised: recognised(&raw, batch.flags(row)),
            bytes: STANDARD.encode(&raw),
            fields,
        }
    }
}

fn recognised(raw: &[u8], flags: Flags) -> Recognised {
    let behind_priority = raw.iter().position(|byte| *byte == b'>').filter(|at| raw[0] == b'<' && *at <= 4);
    match behind_priority.map(|at| &raw[at + 1..]) {
        _ if flags.has(Flags::UNPARSED) => Recognised::Unparsed,
        Some(rest) if rest.starts_with(b"1 ") => Recognised::Rfc5424,
        Some(_) => Recognised::Rfc3164,
        None => Recognised::Other,
    }
}

/// Forgets the counts of a sender that no longer exists. If it sends again, it counts as new. Its messages stay.
#[utoipa::path(
    delete, path = "/api/v1/senders/{source}/{host}", operation_id = "forget_sender", tag = "senders",
    params(
        ("source" = String, Path, description = "The source"),
        ("host" = String, Path, description = "The host"),
    ),
    responses((status = 204, description = "The sender is forgotten"))
)]
pub(crate) async fn forget(call: Call, Path((source, host)): Path<(String, String)>) -> Result<StatusCode> {
    let key = SenderKey { source: source.as_str().into(), host: host.clone() };
    if !call.shared.state.pipeline.senders.forget(&key) {
        return Err(ApiError::not_found(format!("source `{source}` knows no sender `{host}`")));
    }
    call.audit("sender.forget", format!("{host} of {source}")).await;
    Ok(StatusCode::NO_CONTENT)
}

/// The senders to forget.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ForgetParams {
    /// Only senders whose host, source, address or certificate subject contains this text.
    query: Option<String>,
    /// Only senders whose messages all arrived within one minute; false by default.
    once: Option<bool>,
}

/// The number of senders that were forgotten.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct Forgotten {
    senders: usize,
}

/// Forgets the counts of many senders, for example of hosts whose names were invented. `query` or `once` is required.
#[utoipa::path(
    delete, path = "/api/v1/senders", tag = "senders", operation_id = "forget_senders", params(ForgetParams),
    responses((status = 200, body = Forgotten))
)]
pub(crate) async fn forget_all(
    call: Call,
    Parameters(ForgetParams { query, once }): Parameters<ForgetParams>,
) -> Result<axum::Json<Forgotten>> {
    let (text, only_once) = (query.unwrap_or_default(), once.unwrap_or(false));
    if text.is_empty() && !only_once {
        let detail = "this would forget all senders: say which with `query`, or `once=true`";
        return Err(ApiError::invalid(detail).path("query"));
    }
    let what = format!("those with `{text}`{}", if only_once { " that sent once" } else { "" });
    let inner = call.shared.clone();
    let senders = blocking(move || inner.state.pipeline.senders.forget_all(&text, only_once)).await?;
    call.audit("sender.forget", format!("{senders} senders: {what}")).await;
    Ok(axum::Json(Forgotten { senders }))
}
