//! The accounts of a range of time, for display. No I/O: a book in, figures out.

use super::account::{AccountKey, AccountPeriod, FateColumn, FateCounts, MINUTE_NANOS, Party, minute};
use super::book::{Book, DAYS_KEPT};
use logstead_record::Timestamp;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use utoipa::ToSchema;

/// The maximum number of points in a series.
const POINTS_MAX: i64 = 5000;
/// The length of time that a point of a series covers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, serde::Deserialize, ToSchema)]
#[schema(as = Step)]
pub enum ReportStep {
    /// A row for each minute.
    #[serde(rename = "1m")]
    Minute,
    /// A row for each hour.
    #[serde(rename = "1h")]
    Hour,
    /// A row for each day.
    #[serde(rename = "1d")]
    Day,
}

/// The period and step of a report.
#[derive(Clone, Copy, Debug)]
pub struct ReportQuery {
    /// The first moment of the report.
    pub from: Timestamp,
    /// The end of the report.
    pub to: Timestamp,
    /// The step; by default the shortest that does not give too many points.
    pub step: Option<ReportStep>,
}

/// The fate of every message in a range of time.
#[derive(Clone, PartialEq, Debug, Serialize, ToSchema)]
#[schema(as = Report)]
pub struct LedgerReport {
    /// The first moment of the report.
    pub from: String,
    /// The end of the report.
    pub to: String,
    /// The step that was used. Minutes are not kept for long.
    pub step: ReportStep,
    /// The time since when messages are counted, if that is within the range or after it: the figures do not cover the
    /// time before. Null if they cover the whole range.
    #[schema(required)]
    pub(crate) known_since: Option<String>,
    /// The sources, by id.
    pub rows: Vec<SourceRow>,
    /// The sum over all sources.
    pub total: Fates,
    /// The counts over time, by source.
    pub series: Vec<FateSeries>,
    /// The counts of each destination.
    pub destinations: Vec<DestinationRow>,
}

/// The messages of a source.
#[derive(Clone, PartialEq, Debug, Serialize, ToSchema)]
pub struct SourceRow {
    /// The source's id.
    pub source: String,
    /// The fates of its messages.
    #[serde(flatten)]
    pub fates: Fates,
}

/// The fates of messages, and the number of bytes that became no message. Each message counts once: as stored if a
/// logspace has it, else as forwarded if a destination has it, else as dropped.
#[derive(Clone, Default, PartialEq, Debug, Serialize, ToSchema)]
pub struct Fates {
    pub received: u64,
    pub stored: u64,
    /// By logspace.
    pub stored_in: BTreeMap<String, u64>,
    pub forwarded: u64,
    /// By destination.
    pub forwarded_to: BTreeMap<String, u64>,
    /// By reason.
    pub dropped: BTreeMap<String, u64>,
    /// Received before a crash and lost in it; no sender was told that they were accepted.
    pub unacknowledged: u64,
    /// Lost before they were received, as far as it is known, by place. They are not among those that were received.
    pub lost_before: BTreeMap<String, u64>,
    /// Bytes that were received and that no message holds, by reason: `too_long`, of messages longer than what is kept;
    /// `out_of_step`, as nothing shows that they are a message; `unfinished`, of messages whose sender went away and was not
    /// told that they were taken.
    pub skipped_bytes: BTreeMap<String, u64>,
    /// Received, and without any other fate yet.
    pub in_flight: u64,
    /// The number of messages that these figures do not account for. Anything but 0 is a bug in the server.
    pub remainder: i64,
}

/// The fates of the messages of one point in time.
#[derive(Clone, Default, PartialEq, Debug, Serialize, ToSchema)]
#[schema(as = Series)]
pub struct FateSeries {
    pub time: String,
    pub received: u64,
    pub stored: u64,
    pub forwarded: u64,
    pub dropped: u64,
    pub unacknowledged: u64,
}

/// The messages of a destination.
#[derive(Clone, PartialEq, Debug, Serialize, ToSchema)]
pub struct DestinationRow {
    /// The destination's id.
    pub id: String,
    /// The messages that waited at the beginning of the range.
    pub waiting_before: u64,
    /// The messages that routes gave to it, including those that did not fit.
    pub queued: u64,
    /// Messages delivered.
    pub delivered: u64,
    /// Messages in quarantine.
    pub quarantined: u64,
    /// By reason.
    pub dropped: BTreeMap<String, u64>,
    /// The messages that waited at the end.
    pub waiting: u64,
    /// The number of messages that these figures do not account for. Anything but 0 is a bug in the server.
    pub remainder: i64,
}

/// The accounts of all time.
#[derive(Clone, PartialEq, Debug)]
pub struct Accounts {
    /// The counts of each source.
    pub sources: Vec<SourceRow>,
    /// The counts of each destination.
    pub destinations: Vec<DestinationRow>,
}

pub(super) fn report(book: &Book, query: &ReportQuery, now: i64) -> LedgerReport {
    // No accounts are kept outside this range.
    let kept = now - DAYS_KEPT..now + 1;
    let [from, to] = [query.from, query.to].map(|time| minute(time).clamp(kept.start, kept.end));
    let to = to + i64::from(0 < query.to.nanos().rem_euclid(MINUTE_NANOS) && to < kept.end);
    let step = step(book, from, to, query.step);
    let span = step.span();
    let (from, to) = (span.floor(from), span.floor(to + span.minutes() - 1));
    let cells: Vec<(&AccountKey, &FateCounts)> = cells(book, from, to).collect();
    let rows = of_sources(book, &cells);
    let mut total = Fates::default();
    rows.iter().for_each(|row| total.add(&row.fates));
    LedgerReport {
        from: time(from),
        to: time(to),
        step,
        known_since: Some(known_since(book).unwrap_or(now)).filter(|known| from < *known).map(time),
        rows,
        total,
        series: series(&cells, span, from, to),
        destinations: of_destinations(book, &cells, to),
    }
}

/// The first minute that has an account. A ledger without accounts knows nothing about the time before now.
fn known_since(book: &Book) -> Option<i64> {
    [AccountPeriod::Day, AccountPeriod::Hour, AccountPeriod::Minute]
        .iter()
        .filter_map(|span| book.range(*span, i64::MIN, i64::MAX).next().map(|(key, _)| key.minute))
        .min()
}

pub(super) fn accounts(book: &Book) -> Accounts {
    let cells: Vec<(&AccountKey, &FateCounts)> = book.range(AccountPeriod::Ever, 0, 1).collect();
    Accounts { sources: of_sources(book, &cells), destinations: of_destinations(book, &cells, i64::MAX) }
}

/// The requested step, or a coarser one if the range reaches further back than that step is kept.
fn step(book: &Book, from: i64, to: i64, asked: Option<ReportStep>) -> ReportStep {
    let minutes = to - from;
    let asked = asked.unwrap_or(match minutes {
        ..=360 => ReportStep::Minute,
        361..=43_200 => ReportStep::Hour,
        _ => ReportStep::Day,
    });
    let fits = |step: &ReportStep| {
        let is_kept =
            |coarser: AccountPeriod| book.range(coarser, from - coarser.minutes() + 1, to).next().is_none();
        minutes / step.span().minutes() <= POINTS_MAX
            && match step {
                ReportStep::Minute => is_kept(AccountPeriod::Hour) && is_kept(AccountPeriod::Day),
                ReportStep::Hour => is_kept(AccountPeriod::Day),
                ReportStep::Day => true,
            }
    };
    [ReportStep::Minute, ReportStep::Hour]
        .into_iter()
        .filter(|step| asked <= *step)
        .find(fits)
        .unwrap_or(ReportStep::Day)
}

/// The accounts that begin within a range of time.
fn cells(book: &Book, from: i64, to: i64) -> impl Iterator<Item = (&AccountKey, &FateCounts)> {
    [AccountPeriod::Minute, AccountPeriod::Hour, AccountPeriod::Day]
        .into_iter()
        .flat_map(move |span| book.range(span, from, to))
}

fn of_sources(book: &Book, cells: &[(&AccountKey, &FateCounts)]) -> Vec<SourceRow> {
    let mut sums: BTreeMap<&Arc<str>, FateCounts> = BTreeMap::new();
    for (key, cell) in cells {
        if let Party::Source(id) = &key.party {
            sums.entry(id).or_default().add_all(cell);
        }
    }
    let row = |(id, cell): (&Arc<str>, FateCounts)| SourceRow {
        source: id.to_string(),
        fates: fates(&cell, book.in_flight(id)),
    };
    sums.into_iter().map(row).collect()
}

/// `in_flight` is the number of the source's messages in flight, whenever they were received.
fn fates(cell: &FateCounts, in_flight: u64) -> Fates {
    let open = cell.open();
    let in_flight = in_flight.min(u64::try_from(open).unwrap_or_default());
    let mut fates = Fates { in_flight, remainder: open - in_flight as i64, ..Fates::default() };
    for (column, messages) in &cell.0 {
        match column {
            FateColumn::Received => fates.received += messages,
            FateColumn::Stored(id) => {
                fates.stored += messages;
                *fates.stored_in.entry(id.to_string()).or_default() += messages;
            }
            FateColumn::Forwarded(id) => {
                fates.forwarded += messages;
                *fates.forwarded_to.entry(id.to_string()).or_default() += messages;
            }
            FateColumn::Dropped(reason) => *fates.dropped.entry(reason.to_string()).or_default() += messages,
            FateColumn::Unacknowledged => fates.unacknowledged += messages,
            FateColumn::LostBefore(place) => {
                *fates.lost_before.entry(place.to_string()).or_default() += messages
            }
            FateColumn::Skipped(reason) => {
                *fates.skipped_bytes.entry(reason.to_string()).or_default() += messages
            }
            FateColumn::Queued | FateColumn::Delivered | FateColumn::Quarantined => {}
        }
    }
    fates
}

impl Fates {
    pub(super) fn add(&mut self, other: &Fates) {
        self.received += other.received;
        self.stored += other.stored;
        self.forwarded += other.forwarded;
        self.unacknowledged += other.unacknowledged;
        self.in_flight += other.in_flight;
        self.remainder += other.remainder;
        for (sums, others) in [
            (&mut self.stored_in, &other.stored_in),
            (&mut self.forwarded_to, &other.forwarded_to),
            (&mut self.dropped, &other.dropped),
            (&mut self.lost_before, &other.lost_before),
            (&mut self.skipped_bytes, &other.skipped_bytes),
        ] {
            others.iter().for_each(|(of, messages)| *sums.entry(of.clone()).or_default() += messages);
        }
    }
}

fn series(cells: &[(&AccountKey, &FateCounts)], span: AccountPeriod, from: i64, to: i64) -> Vec<FateSeries> {
    let mut points: BTreeMap<i64, FateSeries> = BTreeMap::new();
    let mut at = from;
    while at < to {
        points.insert(at, FateSeries { time: time(at), ..FateSeries::default() });
        at += span.minutes();
    }
    for (key, cell) in cells {
        let Party::Source(_) = key.party else { continue };
        let Some(point) = points.get_mut(&span.floor(key.minute)) else { continue };
        for (column, messages) in &cell.0 {
            match column {
                FateColumn::Received => point.received += messages,
                FateColumn::Stored(_) => point.stored += messages,
                FateColumn::Forwarded(_) => point.forwarded += messages,
                FateColumn::Dropped(_) => point.dropped += messages,
                FateColumn::Unacknowledged => point.unacknowledged += messages,
                FateColumn::LostBefore(_) | FateColumn::Skipped(_) => {}
                FateColumn::Queued | FateColumn::Delivered | FateColumn::Quarantined => {}
            }
        }
    }
    points.into_values().collect()
}

/// The number of messages that wait now is known; earlier numbers are calculated from the changes since then.
fn of_destinations(book: &Book, cells: &[(&AccountKey, &FateCounts)], to: i64) -> Vec<DestinationRow> {
    let mut sums: BTreeMap<&Arc<str>, FateCounts> = BTreeMap::new();
    for (key, _) in book.range(AccountPeriod::Ever, 0, 1) {
        if let Party::Destination(id) = &key.party {
            sums.entry(id).or_default();
        }
    }
    let mut since: BTreeMap<&Arc<str>, i64> = BTreeMap::new();
    for (key, cell) in cells {
        if let Party::Destination(id) = &key.party {
            sums.entry(id).or_default().add_all(cell);
        }
    }
    for (key, cell) in self::cells(book, to, i64::MAX) {
        if let Party::Destination(id) = &key.party {
            *since.entry(id).or_default() += cell.open();
        }
    }
    let row = |(id, cell): (&Arc<str>, FateCounts)| {
        let party = Party::Destination(id.clone());
        let waiting_now = book.under_way(&party);
        let waiting = waiting_now - since.get(id).copied().unwrap_or_default();
        let waiting_before = waiting - cell.open();
        let remainder = book.total(party).map_or(0, FateCounts::open) - waiting_now;
        let mut row = DestinationRow {
            id: id.to_string(),
            waiting_before: u64::try_from(waiting_before).unwrap_or_default(),
            queued: cell.get(&FateColumn::Queued),
            delivered: cell.get(&FateColumn::Delivered),
            quarantined: cell.get(&FateColumn::Quarantined),
            dropped: BTreeMap::new(),
            waiting: u64::try_from(waiting).unwrap_or_default(),
            remainder,
        };
        for (column, messages) in &cell.0 {
            if let FateColumn::Dropped(reason) = column {
                *row.dropped.entry(reason.to_string()).or_default() += messages;
            }
        }
        row
    };
    sums.into_iter().map(row).collect()
}

impl ReportStep {
    fn span(self) -> AccountPeriod {
        match self {
            ReportStep::Minute => AccountPeriod::Minute,
            ReportStep::Hour => AccountPeriod::Hour,
            ReportStep::Day => AccountPeriod::Day,
        }
    }
}

fn time(minute: i64) -> String {
    Timestamp::from_nanos(minute.saturating_mul(MINUTE_NANOS)).to_string()
}
