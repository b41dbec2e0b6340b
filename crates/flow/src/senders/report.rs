//! The registry, for display. No I/O: a registry in, figures out.

use super::registry::Registry;
use super::sender::{SenderKey, SenderRecord};
use super::series::{self, STEP_SECONDS};
use super::skew::{Bin, Shift};
use super::skipped::SkippedTotals;
use logstead_record::Timestamp;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::Duration;
use utoipa::ToSchema;

/// A sender counts as new for this long.
const NEW_NANOS: i64 = 86_400 * 1_000_000_000;
/// A clock that is off by at least this much is skewed: syslog often has whole seconds only, and networks add delays.
const SKEWED_MS: i64 = 30_000;

/// The choice of senders for a report.
pub struct SenderQuery<'a> {
    /// The facts of a source; `None` leaves its senders out.
    pub source: &'a dyn Fn(&str) -> Option<SourceFacts>,
    /// A part of the host, source, address or subject.
    pub text: &'a str,
    /// Only senders that sent since this time.
    pub from: Option<Timestamp>,
    /// The end of the period.
    pub to: Option<Timestamp>,
    /// The sender after which the list begins. All are counted.
    pub after: Option<SenderKey>,
    /// The maximum number of senders.
    pub limit: usize,
    /// Whether the figures of each sender over time are included.
    pub has_series: bool,
    /// Whether only unusual senders are listed.
    pub unusual: bool,
}

/// The facts of a source that a report needs.
#[derive(Clone)]
pub struct SourceFacts {
    /// The kind of the source.
    pub kind: &'static str,
    /// The offset of the source's time zone, in seconds.
    pub offset_seconds: i64,
}

/// The period in which messages were received.
pub(super) struct ListeningPeriod {
    pub(super) now: Timestamp,
    pub(super) listening_since: Timestamp,
    pub(super) silent_after: Duration,
}

/// The senders that match a request.
#[derive(Serialize, ToSchema)]
#[schema(as = Senders)]
pub struct SenderReport {
    /// The senders, by source and host.
    senders: Vec<SenderRow>,
    /// The cursor of the next page; null on the last page.
    #[schema(required)]
    pub cursor: Option<String>,
    /// The last sender of the list, if others follow it.
    #[serde(skip)]
    pub continued_after: Option<SenderKey>,
    /// The number of senders, including those beyond `limit`.
    total: u64,
    /// The number of all senders that are silent; the next fields count those that are skewed, unparsed and new.
    silent: u64,
    skewed: u64,
    unparsed: u64,
    new: u64,
    /// When each `series` begins; each of its numbers covers `step_seconds`.
    series_from: String,
    step_seconds: u64,
    /// Messages of hosts that are not listed, because 10 000 were known already.
    left_out: u64,
    /// The addresses whose bytes are in no message, those with the most first. Their hosts are not known.
    skipped: Vec<SkippedRow>,
    /// Bytes of addresses that are not listed there, because 1 000 were known already.
    skipped_left_out: u64,
}

/// Bytes that came from an address and that no message holds.
#[derive(Serialize, ToSchema)]
pub(crate) struct SkippedRow {
    source: String,
    /// The address, or the name of this machine for programs on it.
    host: String,
    bytes: u64,
    /// By reason: `too_long`, of messages longer than what is kept; `out_of_step`, as nothing shows that they are a
    /// message; `unfinished`, of messages whose sender went away and was not told that they were taken.
    reasons: BTreeMap<String, u64>,
    first_seen: String,
    last_seen: String,
}

/// A host of a source.
#[derive(Serialize, ToSchema)]
pub(crate) struct SenderRow {
    source: String,
    host: String,
    /// The address that its last message came from; empty for programs on this machine.
    address: String,
    /// The transport of its last message, for example `udp`, `tls`, `relp` or `http`.
    protocol: String,
    /// The subject of its certificate.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    tls_subject: Option<String>,
    messages: u64,
    /// The total bytes of its messages' texts.
    bytes: u64,
    /// Messages per second, over the last minute.
    rate: f64,
    /// Messages in each step of the last day, the oldest first; empty unless it is asked for.
    series: Vec<u32>,
    first_seen: String,
    last_seen: String,
    /// Whether nothing has come for more than twice its longest pause of the last days.
    silent: bool,
    /// The time for which nothing has come, not counting the time in which the server was not running.
    quiet_seconds: u64,
    /// Its longest pause of the last eight days.
    usual_pause_seconds: u64,
    /// Whether it was first seen within the last day, by a registry that is older than that.
    new: bool,
    /// Messages whose format was not recognised.
    unparsed: u64,
    /// Messages that were cut.
    truncated: u64,
    /// Bytes that came from its address and that no message holds.
    skipped_bytes: u64,
    /// The median by which its clock is behind ours; negative if it is ahead. Null if its messages have no time.
    #[schema(required)]
    skew_ms: Option<i64>,
    /// Whether this skew is unusually large.
    skewed: bool,
    /// The last messages by how far they are behind, in ascending order.
    skew_bins: Vec<SkewBin>,
    /// Set if its clock is off by an amount that could be a time zone.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    zone: Option<ZoneGuess>,
}

/// Messages whose skew is at least `from_ms` and less than `to_ms`.
#[derive(Serialize, ToSchema)]
pub(crate) struct SkewBin {
    /// Null if there is no limit.
    #[schema(required)]
    from_ms: Option<i64>,
    /// Null if there is no limit.
    #[schema(required)]
    to_ms: Option<i64>,
    messages: u64,
}

/// The zone that a sender seems to write its times in.
#[derive(Serialize, ToSchema)]
pub(crate) struct ZoneGuess {
    /// For example `+02:00`.
    guess: String,
    /// The time by which it is ahead of ours; negative if it is behind.
    seconds_ahead: i64,
    /// The number of its last messages that agree.
    messages: u64,
    /// The number of messages compared.
    of: u64,
}

pub(super) fn report(registry: &Registry, wanted: &SenderQuery<'_>, heard: &ListeningPeriod) -> SenderReport {
    let mut report = SenderReport {
        senders: Vec::new(),
        cursor: None,
        continued_after: None,
        total: 0,
        silent: 0,
        skewed: 0,
        unparsed: 0,
        new: 0,
        series_from: series::beginning(heard.now).to_string(),
        step_seconds: STEP_SECONDS as u64,
        left_out: registry.left_out,
        skipped: skipped(registry, wanted),
        skipped_left_out: registry.skipped_left_out,
    };
    let text = wanted.text.to_lowercase();
    let mut last: Option<&SenderKey> = None;
    for (key, sender) in &registry.senders {
        if !matches(key, sender, &text) || !was_there(sender, wanted) {
            continue;
        }
        let Some(facts) = (wanted.source)(&key.source) else { continue };
        let row = row(key, sender, &facts, registry, heard);
        report.total += 1;
        report.silent += u64::from(row.silent);
        report.skewed += u64::from(row.skewed);
        report.unparsed += u64::from(row.is_unparsed());
        report.new += u64::from(row.new);
        let is_listed = (!wanted.unusual || row.is_unusual()) && wanted.after.as_ref() < Some(key);
        if !is_listed {
            continue;
        }
        if wanted.limit <= report.senders.len() {
            report.continued_after = last.cloned();
        } else {
            let series = if wanted.has_series { sender.series.until(heard.now) } else { Vec::new() };
            report.senders.push(SenderRow { series, ..row });
            last = Some(key);
        }
    }
    report
}

fn skipped(registry: &Registry, wanted: &SenderQuery<'_>) -> Vec<SkippedRow> {
    let text = wanted.text.to_lowercase();
    let is_wanted = |key: &SenderKey, skipped: &SkippedTotals| {
        let names = [&*key.source, &key.host];
        names.iter().any(|name| name.to_lowercase().contains(&text))
            && (wanted.source)(&key.source).is_some()
            && wanted.from.is_none_or(|from| from.nanos() <= skipped.last_seen)
            && wanted.to.is_none_or(|to| skipped.first_seen < to.nanos())
    };
    let time = |nanos| Timestamp::from_nanos(nanos).to_string();
    let listed = registry.skipped.iter().filter(|(key, skipped)| is_wanted(key, skipped));
    let mut rows: Vec<SkippedRow> = listed
        .map(|(key, skipped)| SkippedRow {
            source: key.source.to_string(),
            host: key.host.clone(),
            bytes: skipped.total(),
            reasons: skipped.bytes.clone(),
            first_seen: time(skipped.first_seen),
            last_seen: time(skipped.last_seen),
        })
        .collect();
    rows.sort_by_key(|row| Reverse(row.bytes));
    rows.truncate(wanted.limit);
    rows
}

pub(super) fn matches(key: &SenderKey, sender: &SenderRecord, text: &str) -> bool {
    let subject = sender.tls_subject.as_deref().unwrap_or_default();
    let names = [&*key.source, &key.host, &sender.address, subject];
    text.is_empty() || names.iter().any(|name| name.to_lowercase().contains(text))
}

fn was_there(sender: &SenderRecord, wanted: &SenderQuery<'_>) -> bool {
    wanted.from.is_none_or(|from| from.nanos() <= sender.last_seen)
        && wanted.to.is_none_or(|to| sender.first_seen < to.nanos())
}

fn row(
    key: &SenderKey,
    sender: &SenderRecord,
    facts: &SourceFacts,
    registry: &Registry,
    heard: &ListeningPeriod,
) -> SenderRow {
    let ListeningPeriod { now, listening_since, silent_after } = *heard;
    let recent = now.nanos() - NEW_NANOS;
    let time = |nanos| Timestamp::from_nanos(nanos).to_string();
    let skew_ms = sender.skew.median();
    SenderRow {
        source: key.source.to_string(),
        host: key.host.clone(),
        address: sender.address.clone(),
        protocol: if sender.via.is_empty() { facts.kind.to_owned() } else { sender.via.clone() },
        tls_subject: sender.tls_subject.clone(),
        messages: sender.messages,
        bytes: sender.bytes,
        rate: sender.rate(now),
        series: Vec::new(),
        first_seen: time(sender.first_seen),
        last_seen: time(sender.last_seen),
        silent: sender.is_silent(now, listening_since, silent_after),
        quiet_seconds: sender.quiet(now, listening_since).as_secs(),
        usual_pause_seconds: sender.habit.longest_pause().as_secs(),
        new: recent < sender.first_seen && registry.began.is_some_and(|began| began < recent),
        unparsed: sender.unparsed,
        truncated: sender.truncated,
        skipped_bytes: skipped_bytes(key, sender, registry),
        skew_ms,
        skewed: skew_ms.is_some_and(|skew| SKEWED_MS <= skew.saturating_abs()),
        skew_bins: sender.skew.bins().into_iter().map(SkewBin::from).collect(),
        zone: sender.skew.shift().map(|shift| guess(shift, facts.offset_seconds)),
    }
}

/// The skipped bytes of its address; a program on this machine has none.
fn skipped_bytes(key: &SenderKey, sender: &SenderRecord, registry: &Registry) -> u64 {
    let host = if sender.address.is_empty() { &key.host } else { &sender.address };
    let key = SenderKey { source: key.source.clone(), host: host.clone() };
    registry.skipped.get(&key).map_or(0, SkippedTotals::total)
}

/// A sender whose times are ahead by this shift probably writes them in a zone that far east of the zone of its
/// source.
fn guess(shift: Shift, offset_seconds: i64) -> ZoneGuess {
    let Shift { seconds_ahead, messages, of } = shift;
    let offset = offset_seconds + seconds_ahead;
    let (sign, minutes) = (if offset < 0 { '-' } else { '+' }, offset.abs() / 60);
    let guess = format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60);
    ZoneGuess { guess, seconds_ahead, messages, of }
}

impl SenderRow {
    /// At least one message in a hundred is unparsed: a single odd line does not deserve attention.
    fn is_unparsed(&self) -> bool {
        self.messages <= 100 * self.unparsed
    }

    /// Whether the sender is unusual, so that the operator should know of it.
    fn is_unusual(&self) -> bool {
        self.silent || self.skewed || self.new || self.zone.is_some()
    }
}

impl From<Bin> for SkewBin {
    fn from(Bin { from, to, messages }: Bin) -> SkewBin {
        let limit = |edge: i64| (edge.saturating_abs() != i64::MAX).then_some(edge);
        SkewBin { from_ms: limit(from), to_ms: limit(to), messages }
    }
}
