//! A logspace together with everything that was stored in it, which gives the expected answer to each question.

use crate::answers;
use crate::common::{SEGMENTS, open_all};
use crate::messages::{self, Message};
use crate::questions::{CONTEXT, Question};
use crate::reference;
use crate::strategies::NOW;
use logstead_indexer::{
    Disk, Expiry, Filter, Hit, OpenLogspace, Options, Order, Position, Request, Searcher, SimDisk, Task,
    encode,
};
use logstead_query::{FieldTest, Matcher, Query, TimeExpr, TimeRange, ValueRange, parse};
use logstead_record::FieldName;
use logstead_record::{Batch, BatchBuilder, ColumnGroups, Field, Timestamp};
use logstead_work::{Lanes, SearchContext};
use std::ops::Bound;
use std::path::Path;
use std::sync::Arc;

/// The greatest length of a message that is compared character by character.
const REFERENCE_BYTES_MAX: usize = 1000;

#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// Appends these batches at once.
    Append(Vec<Vec<Message>>),
    /// Ends the journal file.
    Roll,
    /// Runs some tasks, in idle times or not.
    Keep { tasks: usize, idle: bool },
    /// Expires messages received before one of them.
    ExpireOlder(proptest::sample::Index),
    /// Expires the oldest messages until this share is left.
    ExpireLarger(proptest::sample::Index),
    /// Damages or removes one of the indexes.
    SpoilIndex(proptest::sample::Index, Spoil),
    /// Rebuilds all indexes.
    Reindex,
    /// Restarts the process.
    Restart,
    /// Cuts the power, and restarts the machine.
    PowerCut(u64),
}

#[derive(Clone, Debug)]
pub(crate) enum Spoil {
    Remove,
    Flip(proptest::sample::Index),
}

/// An acknowledged message, as the only row of a batch.
struct Stored {
    sequence: u64,
    row: Arc<Batch>,
}

pub(crate) struct Logspace {
    disk: SimDisk,
    options: Options,
    opened: OpenLogspace,
    stored: Vec<Stored>,
    /// The time at which the last of the expired messages was received.
    expired: Timestamp,
    now: i64,
}

impl Logspace {
    pub(crate) fn new(options: Options) -> Logspace {
        let disk = SimDisk::new(0);
        let opened = open_all(&disk, options).unwrap();
        let (stored, expired) = (Vec::new(), Timestamp::MIN);
        Logspace { disk, options, opened, stored, expired, now: NOW.nanos() }
    }

    pub(crate) fn take(&mut self, step: &Step) {
        match step {
            Step::Append(batches) => self.append(batches),
            Step::Roll => self.opened.appender.close_old(Timestamp::MAX).unwrap(),
            Step::Keep { tasks, idle } => self.keep(*tasks, *idle),
            Step::ExpireOlder(which) if !self.stored.is_empty() => {
                let received_before = Some(which.get(&self.stored).row.received(0));
                self.expire(&Expiry { received_before, ..Expiry::default() });
            }
            Step::ExpireLarger(part) => {
                let bytes_max = Some(part.index(self.disk.used_bytes() as usize + 1) as u64);
                self.expire(&Expiry { bytes_max, ..Expiry::default() });
            }
            Step::SpoilIndex(which, spoil) => self.spoil_index(which, spoil),
            Step::Reindex => self.opened.keeper.reindex_tasks().iter().for_each(|task| self.run(task)),
            Step::Restart => self.restart(self.disk.after_kill()),
            Step::PowerCut(seed) => self.restart(self.disk.after_power_cut(*seed)),
            Step::ExpireOlder(_) => {}
        }
        let stats = self.opened.searcher.stats();
        assert_eq!(stats.messages, self.stored.len() as u64);
        assert_eq!(stats.damaged, 0);
        let held_after = if stats.next_sequence == 0 { Timestamp::MAX } else { self.expired };
        assert_eq!(self.opened.searcher.holds_after(), held_after);
    }

    fn append(&mut self, batches: &[Vec<Message>]) {
        let batches: Vec<Arc<Batch>> =
            batches.iter().map(|messages| Arc::new(messages::batch(messages, &mut self.now))).collect();
        let ready: Vec<_> = batches.iter().map(|batch| encode(Arc::clone(batch))).collect();
        let sequences = self.opened.appender.append(&ready).unwrap();
        let rows = batches.iter().flat_map(|batch| (0..batch.rows()).map(|row| row_of(batch, row)));
        self.stored.extend(sequences.zip(rows).map(|(sequence, row)| Stored { sequence, row }));
    }

    fn keep(&self, tasks: usize, idle: bool) {
        for done in 0..tasks {
            let Some(task) = self.opened.keeper.next_task(idle) else { return };
            self.run(&task);
            assert!(done < 1000, "there is always something to do: {}", task.describe());
        }
    }

    fn run(&self, task: &Task) {
        self.opened.keeper.run(task, &|| false).unwrap();
    }

    fn expire(&mut self, expiry: &Expiry) {
        let OpenLogspace { appender, keeper, searcher, .. } = &mut self.opened;
        if let Some(before) = expiry.received_before {
            appender.close_old(before).unwrap();
        }
        let preview = keeper.preview(expiry);
        let expired = appender.expire(expiry).unwrap();
        assert_eq!(expired, preview);
        let kept = self.stored.split_off(expired.messages as usize);
        self.expired = self.stored.iter().map(|stored| stored.row.received(0)).fold(self.expired, Ord::max);
        if let Some(before) = expiry.received_before {
            assert!(self.stored.iter().all(|stored| stored.row.received(0) < before), "too much expired");
        }
        self.stored = kept;
        let first = self.stored.first().map_or(appender.next_sequence, |stored| stored.sequence);
        assert_eq!(searcher.stats().first_sequence, first);
    }

    fn spoil_index(&self, which: &proptest::sample::Index, spoil: &Spoil) {
        let mut names = self.disk.list(Path::new(SEGMENTS)).unwrap();
        names.retain(|name| name.ends_with(".index"));
        if names.is_empty() {
            return;
        }
        let path = Path::new(SEGMENTS).join(which.get(&names));
        match spoil {
            Spoil::Remove => self.disk.remove(&path).unwrap(),
            Spoil::Flip(bit) => {
                let bytes = self.disk.open(&path).unwrap().bytes().unwrap();
                self.disk.flip(&path, bit.index(bytes as usize * 8));
            }
        }
    }

    fn restart(&mut self, disk: SimDisk) {
        self.disk = disk;
        self.opened = open_all(&self.disk, self.options).unwrap();
        let recovery = &self.opened.recovery;
        assert!(recovery.damaged.is_empty() && recovery.cut.is_none(), "{recovery:?}");
    }

    /// Asks a question in every possible way, with all messages and without some copies.
    pub(crate) fn check(&self, question: &Question) {
        let Question { query, range, .. } = question;
        let meant: Vec<&Stored> =
            self.stored.iter().filter(|stored| is_meant(query, *range, &stored.row)).collect();
        self.check_with(question, &Filter::new(query, &CONTEXT), &meant);
        // A question over several logspaces excludes the copies in one of them that were received after some time.
        let after = self.stored.get(self.stored.len() / 3).map_or(NOW, |stored| stored.row.received(0));
        let received = ValueRange::low(Bound::Excluded(TimeExpr::At(after)));
        let received = Query::Field(FieldName::Known(Field::Received), FieldTest::Time(received));
        for copies in
            [parse("copy_of=main").unwrap(), Query::and(vec![parse("copy_of=main").unwrap(), received])]
        {
            let (left_out, left): (Vec<&Stored>, Vec<&Stored>) =
                meant.iter().partition(|stored| is_meant(&copies, TimeRange::ALL, &stored.row));
            let filter = Filter::leaving_out(query, &copies, &CONTEXT, &SearchContext::alone()).unwrap();
            self.check_with(question, &filter, &left);
            let filter = Filter::of_copies(query, &copies, &CONTEXT, &SearchContext::alone()).unwrap();
            let counted = self.opened.searcher.count(&filter, *range, &SearchContext::alone());
            assert_eq!(counted.count, left_out.len() as u64, "copies of {query} in {range:?}");
        }
    }

    fn check_with(&self, question: &Question, filter: &Filter, meant: &[&Stored]) {
        let Question { query, range, .. } = question;
        self.check_page(question, filter, meant);
        let searcher = &self.opened.searcher;
        for run in [SearchContext::alone(), SearchContext { lanes: &Backwards, ..SearchContext::alone() }] {
            let counted = searcher.count(filter, *range, &run);
            assert!(counted.coverage.complete, "{:?}", counted.coverage);
            assert_eq!(counted.count, meant.len() as u64, "count of {query} in {range:?}");
            let mut shown = Vec::new();
            let coverage = searcher.scan(filter, *range, ColumnGroups::ALL, &run, &mut |batch, rows| {
                shown.extend(rows.iter().map(|row| row_of(batch, row)));
            });
            assert!(coverage.complete, "{coverage:?}");
            let expected: Vec<_> = meant.iter().map(|stored| Arc::clone(&stored.row)).collect();
            assert!(shown == expected, "scan for {query} in {range:?}: {} shown", shown.len());
        }
        let rows: Vec<&Batch> = meant.iter().map(|stored| &*stored.row).collect();
        answers::check(searcher, filter, *range, &SearchContext::alone(), &messages::NAMES, &rows);
    }

    fn check_page(&self, question: &Question, filter: &Filter, meant: &[&Stored]) {
        let &Question { ref query, range, limit, order, ref after } = question;
        let after = after.as_ref().filter(|_| !self.stored.is_empty());
        let after = after.map(|which| position(which.get(&self.stored)));
        let mut expected: Vec<(Position, &Batch)> =
            meant.iter().map(|stored| (position(stored), &*stored.row)).collect();
        expected.sort_by_key(|(position, _)| *position);
        match order {
            Order::Newest => {
                expected.retain(|(position, _)| after.is_none_or(|after| *position < after));
                expected.reverse();
            }
            Order::Oldest => expected.retain(|(position, _)| after.is_none_or(|after| after < *position)),
        }
        let request = Request { filter, range, order, limit, after };
        for run in [SearchContext::alone(), SearchContext { lanes: &Backwards, ..SearchContext::alone() }] {
            let found = self.opened.searcher.search(&request, &run);
            assert!(found.coverage.complete, "{:?}", found.coverage);
            assert_eq!(found.more, limit < expected.len(), "{query}");
            let hits: Vec<(Position, Arc<Batch>)> = found.hits.iter().map(hit).collect();
            let hits: Vec<(Position, &Batch)> = hits.iter().map(|(at, row)| (*at, &**row)).collect();
            assert_eq!(hits, expected[..limit.min(expected.len())], "{order:?} of {query} in {range:?}");
        }
    }

    pub(crate) fn searcher(&self) -> &Searcher {
        &self.opened.searcher
    }

    /// Every stored message with its sequence.
    pub(crate) fn stored(&self) -> impl Iterator<Item = (u64, &Batch)> {
        self.stored.iter().map(|stored| (stored.sequence, &*stored.row))
    }

    /// Gets every message by its sequence.
    pub(crate) fn check_each_message(&self) {
        let searcher = &self.opened.searcher;
        for stored in &self.stored {
            let found = searcher.get(stored.sequence).unwrap().unwrap();
            assert_eq!(hit(&found), (position(stored), Arc::clone(&stored.row)));
        }
        let Some(first) = self.stored.first() else { return };
        assert!(first.sequence == 0 || searcher.get(first.sequence - 1).unwrap().is_none());
        assert!(searcher.get(self.opened.appender.next_sequence).unwrap().is_none());
    }
}

/// Whether a message is expected, according to the reference matcher if that is fast enough.
pub(crate) fn is_meant(query: &Query, range: TimeRange, row: &Batch) -> bool {
    if !range.contains(row.time(0)) {
        return false;
    }
    if row.memory_bytes() < REFERENCE_BYTES_MAX {
        return reference::matches(query, row, 0, &CONTEXT);
    }
    !Matcher::new(query, &CONTEXT).select(row).is_empty()
}

fn position(stored: &Stored) -> Position {
    Position { time: stored.row.time(0), sequence: stored.sequence }
}

fn hit(hit: &Hit) -> (Position, Arc<Batch>) {
    (hit.position(), row_of(&hit.batch, hit.row))
}

pub(crate) fn row_of(batch: &Batch, row: usize) -> Arc<Batch> {
    let mut builder = BatchBuilder::new();
    builder.extend(batch, row..row + 1);
    Arc::new(builder.seal())
}

/// Runs jobs in an order that is possible in parallel: the last job first.
struct Backwards;

impl Lanes for Backwards {
    fn count(&self) -> usize {
        3
    }

    fn run(&self, jobs: usize, job: &(dyn Fn(usize) + Sync)) {
        (0..jobs).rev().for_each(job);
    }
}
