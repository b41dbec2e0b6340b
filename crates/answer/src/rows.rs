//! Messages that are kept because a later stage needs their order: the first or last ones, or the first for each
//! combination of values. They arrive in the order in which they are found, and leave as the rows of a table.
//!
//! Without `sort`, the newest message comes first; among equal times, the one stored last.
//!
//! **Invariant:** the order is total, so that the kept rows depend only on the messages.

use super::coded::CodedColumn;
use super::finish::{TableFinisher, check};
use super::table::{AnswerTable, Rank, TableColumn};
use super::value::{CellValue, ValueKind, key_of};
use super::{AnswerError, ROWS_MAX};
use hashbrown::HashMap;
use logstead_query::SortKey;
use logstead_record::FieldName;
use logstead_record::{Batch, Selection, Timestamp};
use logstead_work::Work;
use std::cmp::Ordering;

/// The rule for the messages to keep.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum KeepRule {
    /// The first messages, at most this many.
    First(usize),
    /// The last messages, at most this many.
    Last(usize),
    /// The first messages, up to the limit of a table, and whether there were more.
    Shown,
    /// The first message for each combination of values of these fields.
    Distinct(Vec<FieldName>),
}

/// Keeps messages in order, as chosen by a rule.
pub(crate) struct Rows {
    columns: Vec<FieldName>,
    /// The kind of the values of each column.
    kinds: Vec<ValueKind>,
    order: Vec<(usize, bool)>,
    keep: KeepRule,
    /// The positions in `columns` of the fields of [`KeepRule::Distinct`].
    distinct: Vec<usize>,
    kept: Vec<KeptRow>,
    /// The time and sequence of the worst kept row, once there are enough rows that nothing worse is kept.
    floor: Option<RowPosition>,
    logspaces: Vec<String>,
    by_key: HashMap<Vec<u8>, KeptRow>,
    seen: u64,
    bytes: usize,
    memory_bytes_max: usize,
}

/// The time and sequence of a row.
type RowPosition = (i64, u64);

/// The number of rows that may always wait to be compared; low in tests, so that they reach it.
const KEPT_MIN: usize = if cfg!(test) { 4 } else { 1024 };

struct KeptRow {
    ranks: Vec<Option<Rank>>,
    time: i64,
    sequence: u64,
    /// The position of its name in [`Rows::logspaces`].
    logspace: usize,
    values: Vec<CellValue>,
}

impl Rows {
    /// Keeps these columns of messages in this order. Fields that are needed only to sort or distinguish messages
    /// become columns too.
    pub(crate) fn new(
        mut columns: Vec<FieldName>,
        sort: &[SortKey],
        keep: KeepRule,
        kind: &dyn Fn(&FieldName) -> ValueKind,
        memory_bytes_max: usize,
    ) -> Rows {
        let order = sort.iter().map(|key| (index_of(&key.field, &mut columns), key.descending)).collect();
        let distinct = match &keep {
            KeepRule::Distinct(fields) => fields.iter().map(|field| index_of(field, &mut columns)).collect(),
            KeepRule::First(_) | KeepRule::Last(_) | KeepRule::Shown => Vec::new(),
        };
        Rows {
            kinds: columns.iter().map(kind).collect(),
            columns,
            order,
            keep,
            distinct,
            kept: Vec::new(),
            floor: None,
            logspaces: Vec::new(),
            by_key: HashMap::new(),
            seen: 0,
            bytes: 0,
            memory_bytes_max,
        }
    }

    /// Offers the selected rows of a batch of a logspace.
    pub(crate) fn add(
        &mut self,
        batch: &Batch,
        selected: &Selection,
        sequence: &dyn Fn(usize) -> u64,
        logspace: &str,
        work: &Work<'_>,
    ) -> Result<(), AnswerError> {
        self.seen += selected.count() as u64;
        let position = |row: usize| (batch.time(row).nanos(), sequence(row));
        let is_worse =
            |floor: Option<RowPosition>, row: usize| floor.is_some_and(|floor| position(row) < floor);
        if selected.iter().all(|row| is_worse(self.floor, row)) {
            return Ok(());
        }
        let logspace_index = self.logspace_index(logspace);
        let coded: Vec<CodedColumn<'_>> =
            self.columns.iter().map(|field| CodedColumn::of_batch(batch, field, logspace)).collect();
        let kinds = self.kinds.clone();
        for row in selected.iter().rev() {
            if is_worse(self.floor, row) {
                continue;
            }
            let (time, sequence) = position(row);
            let ranks =
                self.order.iter().map(|&(column, _)| Rank::of(coded[column].key_of_row(row), kinds[column]));
            let value = |(coded, kind): (&CodedColumn<'_>, &ValueKind)| {
                coded.key_of_row(row).map_or(CellValue::Null, |key| kind.value(key))
            };
            let values = coded.iter().zip(&kinds).map(value).collect();
            let kept = KeptRow { ranks: ranks.collect(), time, sequence, logspace: logspace_index, values };
            check(work, self.columns.len())?;
            self.offer(kept, work)?;
        }
        Ok(())
    }

    /// The rows that are kept, in their order.
    pub(crate) fn finish(mut self, finish: &TableFinisher<'_>) -> AnswerTable {
        self.kept.extend(std::mem::take(&mut self.by_key).into_values());
        self.prune(finish);
        if let KeepRule::Last(_) = self.keep {
            self.kept.reverse();
        }
        let (mut notes, mut left_out) = (Vec::new(), 0);
        if self.keep == KeepRule::Shown && (ROWS_MAX as u64) < self.seen {
            left_out = self.seen - ROWS_MAX as u64;
            notes.push(format!(
                "{seen} messages match; these are the first {ROWS_MAX}: narrow the filter, or let `stats` count them",
                seen = self.seen
            ));
        }
        AnswerTable {
            columns: self.columns(),
            rows: self.kept.into_iter().map(|kept| kept.values).collect(),
            notes,
            left_out,
            ..AnswerTable::default()
        }
    }

    /// A time before which no more messages are kept or counted.
    pub(crate) fn floor(&self) -> Option<Timestamp> {
        let (time, _) = self.floor.filter(|_| matches!(self.keep, KeepRule::First(_)))?;
        Some(Timestamp::from_nanos(time))
    }

    /// The fields that it keeps.
    pub(crate) fn fields(&self) -> &[FieldName] {
        &self.columns
    }

    /// The columns of the table that it makes.
    pub(crate) fn columns(&self) -> Vec<TableColumn> {
        let column = |(field, kind): (&FieldName, &ValueKind)| TableColumn::new(field.as_str(), *kind);
        self.columns.iter().zip(&self.kinds).map(column).collect()
    }

    fn limit(&self) -> usize {
        match self.keep {
            KeepRule::First(count) | KeepRule::Last(count) => count,
            KeepRule::Shown => ROWS_MAX,
            KeepRule::Distinct(_) => usize::MAX,
        }
    }

    fn logspace_index(&mut self, logspace: &str) -> usize {
        let known = self.logspaces.iter().position(|known| known == logspace);
        known.unwrap_or_else(|| {
            self.logspaces.push(logspace.to_owned());
            self.logspaces.len() - 1
        })
    }

    fn offer(&mut self, kept: KeptRow, work: &Work<'_>) -> Result<(), AnswerError> {
        self.bytes += kept.memory_bytes();
        if let KeepRule::Distinct(_) = self.keep {
            self.offer_distinct(kept);
        } else {
            self.kept.push(kept);
        }
        let is_full = self.memory_bytes_max < self.bytes;
        if is_full || self.limit().saturating_mul(2).max(KEPT_MIN) <= self.kept.len() {
            self.prune(&TableFinisher::new(work));
        }
        // Half of the memory is for rows that have not been compared yet.
        if is_full && self.memory_bytes_max / 2 < self.bytes {
            return Err(AnswerError::Memory { bytes_max: self.memory_bytes_max });
        }
        Ok(())
    }

    fn offer_distinct(&mut self, kept: KeptRow) {
        let key = key_of(self.distinct.iter().map(|&column| &kept.values[column]));
        let Some(known) = self.by_key.get(&key) else {
            self.bytes += key.len();
            self.by_key.insert(key, kept);
            return;
        };
        let is_first = self.compare(&kept, known).is_lt();
        let other = if is_first { self.by_key.insert(key, kept) } else { Some(kept) };
        self.bytes -= other.map_or(0, |other| other.memory_bytes());
    }

    /// Drops rows that are not among the first or last ones, and sorts the rest.
    fn prune(&mut self, finish: &TableFinisher<'_>) {
        let kept = std::mem::take(&mut self.kept);
        let is_last = matches!(self.keep, KeepRule::Last(_));
        let mut order: Vec<usize> = (0..kept.len()).collect();
        finish.sort(&mut order, |a, b| {
            let (a, b) = if is_last { (b, a) } else { (a, b) };
            self.compare(&kept[a], &kept[b])
        });
        order.truncate(self.limit());
        let mut kept: Vec<Option<KeptRow>> = kept.into_iter().map(Some).collect();
        let kept: Vec<KeptRow> = order.into_iter().filter_map(|at| kept[at].take()).collect();
        let is_newest_first =
            self.order.is_empty() && matches!(self.keep, KeepRule::First(_) | KeepRule::Shown);
        let worst = kept.last().filter(|_| is_newest_first && kept.len() == self.limit());
        self.floor = worst.map(|worst| (worst.time, worst.sequence));
        self.kept = kept;
        let keys = self.by_key.iter().map(|(key, kept)| key.len() + kept.memory_bytes());
        self.bytes = self.kept.iter().map(KeptRow::memory_bytes).sum::<usize>() + keys.sum::<usize>();
    }

    /// The order of two messages.
    fn compare(&self, a: &KeptRow, b: &KeptRow) -> Ordering {
        let ranks = self.order.iter().zip(a.ranks.iter().zip(&b.ranks));
        let mut by_keys =
            ranks.map(|((_, descending), (a, b))| Rank::compare(a.as_ref(), b.as_ref(), *descending));
        let newest_first = || {
            let logspace = |kept: &KeptRow| &self.logspaces[kept.logspace];
            (b.time, b.sequence).cmp(&(a.time, a.sequence)).then_with(|| logspace(a).cmp(logspace(b)))
        };
        by_keys.find(|order| order.is_ne()).unwrap_or_else(newest_first)
    }
}

impl KeptRow {
    fn memory_bytes(&self) -> usize {
        let rank_bytes = |rank: &Option<Rank>| match rank {
            Some(Rank::Text(text)) => size_of::<Option<Rank>>() + text.len(),
            _ => size_of::<Option<Rank>>(),
        };
        size_of::<KeptRow>()
            + self.ranks.iter().map(rank_bytes).sum::<usize>()
            + self.values.iter().map(CellValue::memory_bytes).sum::<usize>()
    }
}

fn index_of(field: &FieldName, columns: &mut Vec<FieldName>) -> usize {
    let known = columns.iter().position(|known| known.as_str().eq_ignore_ascii_case(field.as_str()));
    known.unwrap_or_else(|| {
        columns.push(field.clone());
        columns.len() - 1
    })
}
