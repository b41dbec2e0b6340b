//! The accounts, and the position up to which each journal is counted in them. No I/O: postings in, cells out.
//!
//! Every posting is made twice: in the account of its minute, and in that of all time. Minutes become hours and hours
//! become days as they age.

use super::account::{AccountKey, AccountPeriod, FateColumn, FateCounts, Party};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

/// The time that minutes, hours and days are kept, in minutes: two days, two months, and thirteen months.
const MINUTES_KEPT: i64 = 2 * 24 * 60;
const HOURS_KEPT: i64 = 62 * 24 * 60;
pub(super) const DAYS_KEPT: i64 = 400 * 24 * 60;
/// If there are more cells than this, minutes become hours sooner.
const MINUTE_CELLS_MAX: usize = 100_000;

/// The logspace or destination that a journal belongs to.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum JournalId {
    /// A logspace, by its id.
    Logspace(Arc<str>),
    /// A destination, by its id.
    Destination(Arc<str>),
}

/// A position in a journal: messages with a lower sequence are counted.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum JournalMark {
    /// Messages that this journal holds.
    Kept(JournalId),
    /// Messages that this destination is done with.
    Done(Arc<str>),
}

/// The source and minute of messages that are counted together.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct AccountSlot {
    /// The source's id.
    pub source: Arc<str>,
    /// The minute, counted from 1970.
    pub minute: i64,
}

#[derive(Clone, Default, PartialEq, Debug)]
pub(crate) struct Book {
    pub(super) cells: BTreeMap<AccountKey, FateCounts>,
    pub(super) marks: BTreeMap<JournalMark, u64>,
    changed_cells: BTreeSet<AccountKey>,
    changed_marks: BTreeSet<JournalMark>,
    /// Messages of each source that were received and whose fate is not known yet.
    in_flight: BTreeMap<Arc<str>, u64>,
    /// Messages that were in flight when the process ended, less those that a journal turns out to hold.
    missing: BTreeMap<AccountSlot, u64>,
}

/// The changes since the last write: removed cells and marks are `None`.
pub(super) struct BookChanges {
    pub(super) cells: Vec<(AccountKey, Option<FateCounts>)>,
    pub(super) marks: Vec<(JournalMark, Option<u64>)>,
}

impl Book {
    // The fates of a source's messages.

    pub(super) fn received(&mut self, slot: &AccountSlot, messages: u64) {
        self.post(&slot.party(), slot.minute, &FateColumn::Received, messages);
        *self.in_flight.entry(slot.source.clone()).or_default() += messages;
    }

    /// Some messages in flight met a fate.
    pub(super) fn settled(&mut self, slot: &AccountSlot, column: &FateColumn, messages: u64) {
        self.post(&slot.party(), slot.minute, column, messages);
        if let Some(in_flight) = self.in_flight.get_mut(&slot.source) {
            *in_flight = in_flight.saturating_sub(messages);
        }
    }

    /// Some messages turned out to have been received before: they are no longer counted here.
    pub(super) fn repeated(&mut self, slot: &AccountSlot, messages: u64) {
        self.take_back(&slot.party(), slot.minute, &FateColumn::Received, messages);
        if let Some(in_flight) = self.in_flight.get_mut(&slot.source) {
            *in_flight = in_flight.saturating_sub(messages);
        }
    }

    /// Counts messages that were received and dropped in the same moment.
    pub(super) fn dropped(&mut self, slot: &AccountSlot, reason: &'static str, messages: u64) {
        self.post(&slot.party(), slot.minute, &FateColumn::Received, messages);
        self.post(&slot.party(), slot.minute, &FateColumn::Dropped(reason.into()), messages);
    }

    /// Adds to an account something that is not a fate of messages in flight.
    pub(super) fn post(&mut self, party: &Party, minute: i64, column: &FateColumn, messages: u64) {
        if messages == 0 {
            return;
        }
        for key in keys(party, minute) {
            self.change(key, |cell| cell.add(column, messages));
        }
    }

    fn take_back(&mut self, party: &Party, minute: i64, column: &FateColumn, messages: u64) {
        for key in keys(party, minute) {
            self.change(key, |cell| cell.subtract(column, messages));
        }
    }

    fn change(&mut self, key: AccountKey, change: impl FnOnce(&mut FateCounts)) {
        change(self.cells.entry(key.clone()).or_default());
        self.changed_cells.insert(key);
    }

    pub(super) fn in_flight(&self, source: &Arc<str>) -> u64 {
        self.in_flight.get(source).copied().unwrap_or_default()
    }

    // The positions up to which the journals are counted.

    pub(super) fn mark(&self, mark: &JournalMark) -> Option<u64> {
        self.marks.get(mark).copied()
    }

    pub(super) fn set_mark(&mut self, mark: JournalMark, sequence: u64) {
        self.marks.insert(mark.clone(), sequence);
        self.changed_marks.insert(mark);
    }

    pub(super) fn forget_mark(&mut self, mark: &JournalMark) {
        if self.marks.remove(mark).is_some() {
            self.changed_marks.insert(mark.clone());
        }
    }

    // After a restart.

    /// Called after a restart: messages that were in flight count as missing until a journal turns out to hold them.
    pub(super) fn begin(&mut self) {
        let open = |(key, cell): (&AccountKey, &FateCounts)| {
            Some((key.slot()?, cell.open())).filter(|(_, open)| *open != 0)
        };
        let open: Vec<(AccountSlot, i64)> = self.cells.iter().filter_map(open).collect();
        for (slot, messages) in open {
            let count = messages.unsigned_abs();
            if 0 < messages {
                self.post(&slot.party(), slot.minute, &FateColumn::Unacknowledged, count);
                self.missing.insert(slot, count);
            } else {
                // The ledger lacks these messages, as a part of its file was damaged.
                self.post(&slot.party(), slot.minute, &FateColumn::Received, count);
            }
        }
        self.balance_totals();
    }

    /// A damaged file may have lost the fates of a minute, but not its total.
    fn balance_totals(&mut self) {
        let is_total =
            |key: &AccountKey| key.span == AccountPeriod::Ever && matches!(key.party, Party::Source(_));
        let totals = self.cells.iter().filter(|(key, cell)| is_total(key) && cell.open() != 0);
        let totals: Vec<(AccountKey, i64)> = totals.map(|(key, cell)| (key.clone(), cell.open())).collect();
        for (key, open) in totals {
            let column = if 0 < open { FateColumn::Unacknowledged } else { FateColumn::Received };
            self.change(key, |cell| cell.add(&column, open.unsigned_abs()));
        }
    }

    /// Counts messages that a journal has but were not counted there.
    pub(super) fn found(&mut self, slot: &AccountSlot, column: &FateColumn, messages: u64) {
        let missing = self.missing.get(slot).copied().unwrap_or_default();
        let found = missing.min(messages);
        if 0 < found {
            self.missing.insert(slot.clone(), missing - found);
            self.take_back(&slot.party(), slot.minute, &FateColumn::Unacknowledged, found);
        }
        self.post(&slot.party(), slot.minute, &FateColumn::Received, messages - found);
        self.post(&slot.party(), slot.minute, column, messages);
    }

    // The passing of time.

    /// Merges old cells into coarser ones. Accounts with messages in flight stay unchanged.
    pub(super) fn roll(&mut self, now: i64) {
        let minutes = self.range(AccountPeriod::Minute, i64::MIN, i64::MAX).count();
        let kept = if minutes <= MINUTE_CELLS_MAX { MINUTES_KEPT } else { MINUTES_KEPT / 8 };
        self.merge(AccountPeriod::Minute, AccountPeriod::Hour, AccountPeriod::Hour.floor(now - kept));
        self.merge(AccountPeriod::Hour, AccountPeriod::Day, AccountPeriod::Day.floor(now - HOURS_KEPT));
        let old: Vec<AccountKey> =
            self.range(AccountPeriod::Day, i64::MIN, now - DAYS_KEPT).map(|(key, _)| key.clone()).collect();
        for key in old {
            self.remove(key);
        }
    }

    fn merge(&mut self, from: AccountPeriod, into: AccountPeriod, before: i64) {
        let is_closed = |(key, cell): &(&AccountKey, &FateCounts)| cell.open() == 0 || key.slot().is_none();
        let old = self.range(from, i64::MIN, before).filter(is_closed).map(|(key, _)| key.clone());
        for key in old.collect::<Vec<_>>() {
            let Some(cell) = self.remove(key.clone()) else { continue };
            let key = AccountKey { span: into, minute: into.floor(key.minute), party: key.party };
            self.change(key, |sum| sum.add_all(&cell));
        }
    }

    fn remove(&mut self, key: AccountKey) -> Option<FateCounts> {
        let cell = self.cells.remove(&key);
        self.changed_cells.insert(key);
        cell
    }

    /// The accounts of this span that begin within a range of time.
    pub(super) fn range(
        &self,
        span: AccountPeriod,
        from: i64,
        to: i64,
    ) -> impl Iterator<Item = (&AccountKey, &FateCounts)> {
        let first = |minute| AccountKey { span, minute, party: Party::Source("".into()) };
        let range = (from < to).then(|| self.cells.range(first(from)..first(to)));
        range.into_iter().flatten()
    }

    pub(super) fn total(&self, party: Party) -> Option<&FateCounts> {
        self.cells.get(&AccountKey { span: AccountPeriod::Ever, minute: 0, party })
    }

    // The changes for the file.

    pub(super) fn has_changes(&self) -> bool {
        !self.changed_cells.is_empty() || !self.changed_marks.is_empty()
    }

    /// The changes since the last call.
    pub(super) fn take_changes(&mut self) -> BookChanges {
        let (cells, marks) =
            (std::mem::take(&mut self.changed_cells), std::mem::take(&mut self.changed_marks));
        BookChanges {
            cells: cells.into_iter().map(|key| (key.clone(), self.cells.get(&key).cloned())).collect(),
            marks: marks.into_iter().map(|mark| (mark.clone(), self.mark(&mark))).collect(),
        }
    }

    /// The whole book as changes; after this call there are no changes left.
    pub(super) fn take_all(&mut self) -> BookChanges {
        self.changed_cells.clear();
        self.changed_marks.clear();
        BookChanges {
            cells: self.cells.iter().map(|(key, cell)| (key.clone(), Some(cell.clone()))).collect(),
            marks: self.marks.iter().map(|(mark, sequence)| (mark.clone(), Some(*sequence))).collect(),
        }
    }

    /// Applies changes that were read from the file.
    pub(super) fn apply(&mut self, changes: BookChanges) {
        for (key, cell) in changes.cells {
            match cell {
                Some(cell) => drop(self.cells.insert(key, cell)),
                None => drop(self.cells.remove(&key)),
            }
        }
        for (mark, sequence) in changes.marks {
            match sequence {
                Some(sequence) => drop(self.marks.insert(mark, sequence)),
                None => drop(self.marks.remove(&mark)),
            }
        }
    }
}

/// The two accounts that a posting is made in.
fn keys(party: &Party, minute: i64) -> [AccountKey; 2] {
    [(AccountPeriod::Minute, minute), (AccountPeriod::Ever, 0)].map(|(span, minute)| AccountKey {
        span,
        minute,
        party: party.clone(),
    })
}

impl AccountSlot {
    pub(super) fn party(&self) -> Party {
        Party::Source(self.source.clone())
    }
}

impl AccountKey {
    /// The slot of this account, if it covers a minute of a source.
    fn slot(&self) -> Option<AccountSlot> {
        match (self.span, &self.party) {
            (AccountPeriod::Minute, Party::Source(source)) => {
                Some(AccountSlot { source: source.clone(), minute: self.minute })
            }
            _ => None,
        }
    }
}

impl JournalId {
    /// The fate of a source's messages that are counted in this journal.
    pub(super) fn column(&self) -> FateColumn {
        match self {
            JournalId::Logspace(id) => FateColumn::Stored(id.clone()),
            JournalId::Destination(id) => FateColumn::Forwarded(id.clone()),
        }
    }
}

impl JournalId {
    /// Parses the text that `Display` writes.
    pub fn parse(text: &str) -> Option<JournalId> {
        match JournalMark::parse(text)? {
            JournalMark::Kept(place) => Some(place),
            JournalMark::Done(_) => None,
        }
    }
}

impl fmt::Display for JournalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JournalId::Logspace(id) => write!(f, "logspace:{id}"),
            JournalId::Destination(id) => write!(f, "destination:{id}"),
        }
    }
}

impl fmt::Display for JournalMark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JournalMark::Kept(place) => place.fmt(f),
            JournalMark::Done(id) => write!(f, "done:{id}"),
        }
    }
}

impl JournalMark {
    pub(super) fn parse(text: &str) -> Option<JournalMark> {
        Some(match text.split_once(':')? {
            ("logspace", id) => JournalMark::Kept(JournalId::Logspace(id.into())),
            ("destination", id) => JournalMark::Kept(JournalId::Destination(id.into())),
            ("done", id) => JournalMark::Done(id.into()),
            _ => return None,
        })
    }
}
