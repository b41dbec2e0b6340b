//! Senders, and the last messages of each.

use crate::access::Call;
use crate::error::{ApiError, Result};
use crate::extract::{Path, Query as Parameters};
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
const SENDERS_MAX: usize = 10_000;
const FRAMES: usize = 20;
const FRAMES_MAX: usize = 200;
/// How far back the last messages are looked for.
const SPANS: [i64; 4] = [10 * SECOND, 600 * SECOND, DAY, 36_500 * DAY];

/// The senders to list.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct SendersParams {
    /// Only those that sent something after this time, like `-1h` or RFC 3339.
    from: Option<String>,
    /// Only those that sent something before this time.
    to: Option<String>,
    /// Only those whose host, source, address or certificate's subject contains this.
    query: Option<String>,
    /// How many are listed, 1 to 10000; 1000 by default. All are counted.
    limit: Option<usize>,
    /// Whether each has its `series`; true by default. Without them, an answer has a third of the bytes.
    series: Option<bool>,
    /// Whether only those are listed that are silent, skewed or new, or seem to be in another zone; false by default. All
    /// are counted.
    unusual: Option<bool>,
}

/// How many messages to show.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct FramesParams {
    /// 1 to 200; 20 by default.
    limit: Option<usize>,
}

/// The last messages of a sender, the newest first.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct Frames {
    frames: Vec<SentFrame>,
}

/// A message as it came.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct SentFrame {
    /// Its id, for `/messages/{id}`.
    id: String,
    received: String,
    /// The time that it says; null if it says none.
    #[schema(required)]
    device_time: Option<String>,
    address: String,
    /// The bytes in base64.
    bytes: String,
    recognised: Recognised,
    /// The fields that were read out of it, by name.
    fields: BTreeMap<String, FieldValue>,
}

/// Every host of every source, with how much it sends, whether that has become unusual, and how its clock goes.
#[utoipa::path(
    get, path = "/api/v1/senders", tag = "senders", params(SendersParams), responses((status = 200, body = Report))
)]
pub(crate) async fn senders(
    State(shared): State<SharedState>,
    Parameters(params): Parameters<SendersParams>,
) -> Result<axum::Json<Report>> {
    let (now, clocks) = (clock::now(), Clocks::new(None)?);
    let time = |text: Option<&String>, name| text.map(|text| time(text, name, &clocks, now)).transpose();
    let (from, to) = (time(params.from.as_ref(), "from")?, time(params.to.as_ref(), "to")?);
    let limit = within(params.limit, SENDERS, SENDERS_MAX)?;
    let (text, has_series) = (params.query.unwrap_or_default(), params.series.unwrap_or(true));
    let unusual = params.unusual.unwrap_or(false);
    blocking(move || {
        axum::Json(listed(&shared, &SenderFilter { text, from, to, limit, has_series, unusual }))
    })
    .await
}

/// The filter for the list of senders.
pub(super) struct SenderFilter {
    pub(super) text: String,
    pub(super) from: Option<Timestamp>,
    pub(super) to: Option<Timestamp>,
    pub(super) limit: usize,
    pub(super) has_series: bool,
    pub(super) unusual: bool,
}

pub(super) fn listed(shared: &ApiInner, wanted: &SenderFilter) -> Report {
    let (pipeline, now) = (&shared.state.pipeline, clock::now());
    let live = pipeline.router();
    let source = |id: &str| {
        // A source that was removed still has rows until it is forgotten.
        match live.checked.sources.iter().find(|source| source.id == id) {
            Some(source) => facts(source, now),
            None => Some(SourceFacts { kind: "removed", offset_seconds: 0 }),
        }
    };
    let SenderFilter { ref text, from, to, limit, has_series, unusual } = *wanted;
    pipeline.senders.report(&senders::SenderQuery {
        source: &source,
        text,
        from,
        to,
        limit,
        has_series,
        unusual,
    })
}

/// `None` for our own log: nobody sends that.
fn facts(source: &Source, now: Timestamp) -> Option<SourceFacts> {
    if source.kind == SourceKind::Internal {
        return None;
    }
    let zone = source.kind.timezone().and_then(|name| time_zone(name).ok());
    let now = jiff::Timestamp::from_nanosecond(now.nanos().into()).unwrap_or_default();
    let offset_seconds = zone.map_or(0, |zone| zone.to_offset(now).seconds().into());
    Some(SourceFacts { kind: source.kind.tag().name(), offset_seconds })
}

/// The last stored messages of a sender, as they came, with the fields that were read out of them.
#[utoipa::path(
    get, path = "/api/v1/senders/{source}/{host}/frames", tag = "senders",
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
    let limit = within(params.limit, FRAMES, FRAMES_MAX)?;
    let logspaces = call.caller.logspaces(&call.shared.state.pipeline);
    let key = SenderKey { source: source.as_str().into(), host: host.clone() };
    let last_seen = call.shared.state.pipeline.senders.last_seen(&key).unwrap_or_else(clock::now);
    let answer = move |cancel: &Cancel| last_frames(&logspaces, &key, last_seen, limit, cancel);
    let frames =
        ask(&call.shared, &call.caller, Weight { is_instant: None, spent: Duration::ZERO }, answer).await?;
    Ok(axum::Json(Frames { frames }))
}

/// The last bytes from an address that no message holds, the newest first.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct SkippedPieces {
    pieces: Vec<SkippedPiece>,
}

/// Bytes that no message holds.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct SkippedPiece {
    received: String,
    /// Why: `too_long`, `out_of_step` or `unfinished`.
    reason: String,
    /// How many there were.
    bytes: u64,
    /// The first of them, in base64: at most 1 KiB.
    head: String,
}

/// The last bytes from an address that belong to no message, at most eight pieces, since the start of the process. They
/// are as they came, also if a route masks what it stores: for operators.
#[utoipa::path(
    get, path = "/api/v1/senders/{source}/{host}/skipped", tag = "senders",
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

/// Pages are in the order of the times that messages say, which is wrong where a sender's clock is. So they are looked for
/// by the time of receipt, in ever longer spans.
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
    /// Syslog of RFC 3164, or a relative of it.
    Rfc3164,
    /// Something without a head of syslog.
    Other,
    /// Nothing that is known: all of it is the text.
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

/// Forgets the counts of a sender that is no longer there. If it sends again, it is new. Its messages stay.
#[utoipa::path(
    delete, path = "/api/v1/senders/{source}/{host}", tag = "senders",
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
    /// Those whose host, source, address or certificate's subject contains this.
    query: Option<String>,
    /// Only those whose messages all came within a minute; false by default.
    once: Option<bool>,
}

/// How many were forgotten.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct Forgotten {
    senders: usize,
}

/// Forgets the counts of many senders, for names that somebody invented. `query` or `once` has to say which.
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
        return Err(ApiError::bad_request(detail).path("query"));
    }
    let what = format!("those with `{text}`{}", if only_once { " that sent once" } else { "" });
    let inner = call.shared.clone();
    let senders = blocking(move || inner.state.pipeline.senders.forget_all(&text, only_once)).await?;
    call.audit("sender.forget", format!("{senders} senders: {what}")).await;
    Ok(axum::Json(Forgotten { senders }))
}

fn within(limit: Option<usize>, default: usize, max: usize) -> Result<usize> {
    match limit.unwrap_or(default) {
        limit if (1..=max).contains(&limit) => Ok(limit),
        _ => Err(ApiError::bad_request(format!("must be 1 to {max}")).path("limit")),
    }
}
