//! A dry run of a draft: messages are read, and run through the live document and through the draft.
//!
//! **Invariant:** what several logspaces hold of one message is tried once, as a search finds it once.

use super::compare::Comparison;
use super::report::{DryRunReport, TestedRange};
use super::sample::{CountedRange, bounded, margin, parts, shares};
use super::source_reader::SourceReader;
use crate::question::StoreQuestion;
use crate::question::cancel::Cancel;
use logstead_config::Checked;
use logstead_flow::machine::clock;
use logstead_indexer::{Hit, Order};
use logstead_query::{Query, TimeRange};
use logstead_questions::store::{Cancelled, Copies, Logspaces, MessageReader, PageRequest, SearchCriteria};
use logstead_record::{Batch, BatchBuilder, Selection, Timestamp};
use logstead_route::Lookups;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Time limit for finding out how the messages are distributed over the range.
const PARTS_TIME_MAX: Duration = Duration::from_millis(500);
/// Maximum number of messages of a sample that are read at once.
const PAGE_MESSAGES_MAX: usize = 5_000;

/// The documents to compare, and the options.
pub(super) struct DryRunSetup {
    pub(super) live: Arc<Checked>,
    pub(super) draft: Checked,
    pub(super) lookups: Lookups,
    pub(super) examples_max: usize,
}

/// A dry run: its messages, and the results so far.
pub(super) struct DryRun {
    ground: DryRunSetup,
    reader: SourceReader,
    comparison: Comparison,
    started: Instant,
    stored: Option<StoredMessages>,
    /// The report of the sample, until all messages have been tried.
    sample: Option<DryRunReport>,
}

/// The stored messages to try.
struct StoredMessages {
    logspaces: Logspaces,
    query: Query,
    now: Timestamp,
    copies: Copies,
    /// The range, limited to the times at which anything is stored.
    range: Option<TimeRange>,
    reading: MessageReader,
    /// The number of these messages.
    total: u64,
    /// Whether they are only the newest ones.
    is_limited: bool,
    is_done: bool,
    parts: Vec<CountedRange>,
}

impl DryRunSetup {
    /// Stateful steps start with an empty state, so that the running ones are not affected.
    fn comparison(&self) -> Comparison {
        Comparison::new(&self.live, &self.draft, &self.lookups, self.examples_max)
    }

    /// Reservations about the figures.
    fn notes(&self, is_of_sample: bool) -> Vec<String> {
        let thins = |kind: &str| matches!(kind, "sample" | "throttle" | "dedup");
        let mut steps = self.draft.routes.iter().flat_map(|route| &route.steps);
        let note = if is_of_sample {
            "with a sample, the effect of throttle and dedup is only a rough estimate, because they see only part \
             of the messages"
        } else {
            "the steps sample, throttle and dedup start afresh with the first message of the range, as after a \
             restart"
        };
        steps.any(|step| thins(step.step.action.kind())).then(|| note.to_owned()).into_iter().collect()
    }
}

impl DryRun {
    pub(super) fn new(ground: DryRunSetup, reader: SourceReader, started: Instant) -> DryRun {
        let comparison = ground.comparison();
        DryRun { ground, reader, comparison, started, stored: None, sample: None }
    }

    /// Tries messages that are not stored, each with the id of its source.
    pub(super) fn paste<'a>(mut self, messages: impl Iterator<Item = (&'a str, &'a str)>) -> DryRunReport {
        let now = clock::now();
        // One by one, because their sources may alternate and their order matters.
        for (raw, source) in messages {
            let mut builder = BatchBuilder::new();
            self.reader.pasted(raw, source, now, &mut builder);
            self.comparison.add(&Arc::new(builder.seal()), source, &[]);
        }
        self.report()
    }

    /// Determines the messages that a question refers to.
    pub(super) fn begin(
        &mut self,
        question: StoreQuestion,
        limit: Option<u64>,
        cancel: &Cancel,
    ) -> Result<(), Cancelled> {
        let order = if limit.is_some() { Order::Newest } else { Order::Oldest };
        let messages_max = limit.unwrap_or(u64::MAX);
        let reading =
            question.logspaces.clone().read(question.wanted(), None, order, messages_max, &cancel.run())?;
        let total = reading.left();
        let range = bounded(question.range, question.logspaces.stored());
        let StoreQuestion { logspaces, query, now, copies, .. } = question;
        let (is_limited, is_done, parts) = (limit.is_some(), false, Vec::new());
        self.stored = Some(StoredMessages {
            logspaces,
            query,
            now,
            copies,
            range,
            reading,
            total,
            is_limited,
            is_done,
            parts,
        });
        Ok(())
    }

    /// The number of messages.
    pub(super) fn total(&self) -> u64 {
        self.stored.as_ref().map_or(0, |stored| stored.total)
    }

    /// The results so far.
    pub(super) fn report(&self) -> DryRunReport {
        let mut report = match &self.sample {
            Some(sample) => sample.clone(),
            None => self.comparison.report(),
        };
        match &self.stored {
            None => {
                (report.fraction, report.complete) = (1.0, true);
                report.total = report.messages;
            }
            Some(stored) => {
                let read = stored.reading.written();
                report.complete = stored.is_done;
                let fraction = read as f64 / stored.total.max(1) as f64;
                report.fraction = if stored.is_done { 1.0 } else { fraction.min(0.999) };
                report.sampled |= stored.is_limited;
                if self.sample.is_none() {
                    report.total = if stored.is_done { report.messages } else { stored.total };
                }
                report.range = stored
                    .range
                    .map(|range| TestedRange { from: range.first.to_string(), to: range.last.to_string() });
            }
        }
        report.took_ms = self.started.elapsed().as_millis() as u64;
        report.problems = self.ground.notes(self.sample.is_some());
        report
    }

    /// Tries a sample of messages from the whole range. Its report is used until all of them have been tried.
    pub(super) fn sample(&mut self, size: u64, cancel: &Cancel) -> Result<(), Cancelled> {
        let Some(mut stored) = self.stored.take() else { return Err(Cancelled) };
        let sampled = self.sample_of(&mut stored, size, cancel);
        self.stored = Some(stored);
        // All messages are then tried from the beginning, with a new comparison.
        let sampled_in = std::mem::replace(&mut self.comparison, self.ground.comparison());
        let (looked_at, read) = sampled?;
        let mut report = sampled_in.report();
        let total = self.total();
        report.sampled = true;
        report.margin = margin(&looked_at, total);
        report.total = (u128::from(total) * u128::from(report.messages) / u128::from(read.max(1))) as u64;
        self.sample = Some(report);
        Ok(())
    }

    /// The number of messages tried in each part and the number of those that change; also the number of messages
    /// read.
    fn sample_of(
        &mut self,
        stored: &mut StoredMessages,
        size: u64,
        cancel: &Cancel,
    ) -> Result<(Vec<(u64, u64)>, u64), Cancelled> {
        let Some(range) = stored.range else { return Ok((Vec::new(), 0)) };
        if stored.parts.is_empty() {
            stored.parts = stored.parts_of(range, cancel);
        }
        self.comparison = self.ground.comparison();
        let (mut looked_at, mut read) = (Vec::new(), 0);
        for (part, share) in stored.parts.iter().zip(shares(&stored.parts, size)) {
            let (query, range, now) = (&stored.query, part.range, stored.now);
            let wanted = SearchCriteria { query, range, now, copies: stored.copies };
            let before = self.comparison.counts();
            read += self.first_of(&stored.logspaces, wanted, share, cancel)?;
            let after = self.comparison.counts();
            looked_at.push((after.0 - before.0, after.1 - before.1));
        }
        Ok((looked_at, read))
    }

    /// Tries the first of the requested messages. Returns their number.
    fn first_of(
        &mut self,
        logspaces: &Logspaces,
        wanted: SearchCriteria<'_>,
        messages: u64,
        cancel: &Cancel,
    ) -> Result<u64, Cancelled> {
        let (mut read, mut after) = (0, None);
        while read < messages {
            let limit = usize::try_from(messages - read).unwrap_or(PAGE_MESSAGES_MAX).min(PAGE_MESSAGES_MAX);
            let page =
                logspaces.page(wanted, &PageRequest { order: Order::Oldest, limit, after }, &cancel.run());
            if page.coverage.is_cut() {
                return Err(Cancelled);
            }
            let mut builder = BatchBuilder::new();
            for (_, hit) in &page.hits {
                self.reader.stored(&hit.batch, hit.row, &mut builder);
            }
            read += page.hits.len() as u64;
            after = page.end();
            let ids: Vec<_> = page.hits.into_iter().map(|(logspace, hit)| (logspace, hit.sequence)).collect();
            self.add(&builder.seal(), &ids);
            if after.is_none() {
                break;
            }
        }
        Ok(read)
    }

    /// Tries the next messages. Returns whether those were the last.
    pub(super) fn next_piece(&mut self, cancel: &Cancel) -> Result<bool, Cancelled> {
        let Some(mut stored) = self.stored.take() else { return Err(Cancelled) };
        let taken = self.take(&mut stored.reading, cancel);
        stored.is_done = !*taken.as_ref().unwrap_or(&true);
        if stored.is_done {
            self.sample = None;
        }
        self.stored = Some(stored);
        taken.map(|more| !more)
    }

    /// Tries the next messages of a reader. Returns whether there were any.
    fn take(&mut self, reading: &mut MessageReader, cancel: &Cancel) -> Result<bool, Cancelled> {
        let (mut builder, mut ids, reader) = (BatchBuilder::new(), Vec::new(), &mut self.reader);
        let take = |logspace: &str, hit: &Hit, out: &mut Vec<u8>| {
            reader.stored(&hit.batch, hit.row, &mut builder);
            ids.push((logspace.to_owned(), hit.sequence));
            // The length of a piece is measured by the raw bytes of its messages.
            let start = out.len();
            hit.batch.write_raw(hit.row, out);
            out.len() - start
        };
        reading.next_piece(take, &cancel.run(), &mut Vec::new())?;
        let batch = builder.seal();
        self.add(&batch, &ids);
        Ok(!batch.is_empty())
    }

    /// Tries stored messages, each with its logspace and its sequence in it.
    fn add(&mut self, batch: &Batch, ids: &[(String, u64)]) {
        let mut by_source: BTreeMap<Vec<u8>, Selection> = BTreeMap::new();
        for row in 0..batch.rows() {
            let rows = by_source.entry(batch.source(row).to_vec());
            rows.or_insert_with(|| Selection::none(batch.rows())).insert(row);
        }
        for (source, rows) in by_source {
            let source = String::from_utf8_lossy(&source).into_owned();
            let ids: Vec<Option<String>> =
                rows.iter().map(|row| Some(format!("{}:{}", ids[row].0, ids[row].1))).collect();
            self.comparison.add(&Arc::new(batch.take(&rows)), &source, &ids);
        }
    }
}

impl StoredMessages {
    fn parts_of(&self, range: TimeRange, cancel: &Cancel) -> Vec<CountedRange> {
        let begun = Instant::now();
        let mut count = |range: TimeRange| {
            let wanted = SearchCriteria { query: &self.query, range, now: self.now, copies: self.copies };
            let (count, coverage) = self.logspaces.count(wanted, &cancel.run());
            (!coverage.is_cut() && begun.elapsed() < PARTS_TIME_MAX).then_some(count)
        };
        parts(CountedRange { range, messages: self.total }, &mut count)
    }
}
