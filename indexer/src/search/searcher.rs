//! The entry point of all searches in a logspace.
//!
//! **Invariant:** each answer is about one moment: messages that are stored, moved or removed meanwhile make no
//! difference.

use super::coverage::Coverage;
use super::field_names::field_names;
use super::question::{Filter, Request, RowQuestion};
use super::results::{CountResult, Hit, PageRows, ResultPage, SearchError};
use super::sweep::{SegmentRows, Visitor, sweep};
use super::{get, page};
use crate::store::stats::Stats;
use crate::store::tally::{Tally, tally};
use crate::store::verify::{self, VerifyReport};
use crate::store::view::{SharedView, View};
use logstead_query::TimeRange;
use logstead_record::{Batch, ColumnGroups, Selection, Timestamp};
use logstead_work::SearchContext;
use std::sync::Arc;

/// Searches a logspace. Cheap to clone, one for each thread.
#[derive(Clone)]
pub struct Searcher {
    shared: Arc<SharedView>,
}

impl Searcher {
    pub(crate) fn new(shared: Arc<SharedView>) -> Searcher {
        Searcher { shared }
    }

    /// The first messages that match.
    pub fn search(&self, request: &Request<'_>, run: &SearchContext<'_>) -> ResultPage {
        self.search_rows(request, ColumnGroups::ALL, run).into()
    }

    /// The same messages as rows of batches. Those in segments have only the columns of `groups`.
    pub fn search_rows(
        &self,
        request: &Request<'_>,
        groups: ColumnGroups,
        run: &SearchContext<'_>,
    ) -> PageRows {
        run.deadline.during(|| page::search(&self.view(), request, groups, run))
    }

    /// Like `search`, and also returns the sequence of the first message that was stored too late for this page.
    pub fn search_and_next(&self, request: &Request<'_>, run: &SearchContext<'_>) -> (ResultPage, u64) {
        let view = self.view();
        let page = run.deadline.during(|| page::search(&view, request, ColumnGroups::ALL, run));
        (page.into(), view.next_sequence)
    }

    /// The number of messages that match.
    pub fn count(&self, filter: &Filter, range: TimeRange, run: &SearchContext<'_>) -> CountResult {
        let mut count = RowCounter(0);
        let coverage = sweep(&self.view(), RowQuestion { filter, range, run: *run }, &mut count);
        CountResult { count: count.0, coverage }
    }

    /// Passes all matching messages to `visit`, batch by batch, in the order in which they were stored. Messages in
    /// segments have only the columns of `groups`.
    pub fn scan(
        &self,
        filter: &Filter,
        range: TimeRange,
        groups: ColumnGroups,
        run: &SearchContext<'_>,
        visit: &mut dyn FnMut(&Arc<Batch>, &Selection),
    ) -> Coverage {
        sweep(&self.view(), RowQuestion { filter, range, run: *run }, &mut BatchVisitor { groups, visit })
    }

    /// The message with this sequence, or `None` if it does not exist (yet, or any more).
    pub fn get(&self, sequence: u64) -> Result<Option<Hit>, SearchError> {
        get::get(&self.view(), sequence)
    }

    /// The names of the dynamic fields that messages of a range may have, in their first spelling. If `run` ends
    /// early, only the names known so far.
    pub fn field_names(&self, range: TimeRange, run: &SearchContext<'_>) -> Vec<String> {
        run.deadline.during(|| field_names(&self.view(), range, run))
    }

    /// The contents of the logspace in figures.
    pub fn stats(&self) -> Stats {
        Stats::of(&self.view())
    }

    /// The time after which all received messages are present, if they were stored here and are not damaged; earlier
    /// ones may have expired. If nothing was ever stored, the latest possible time.
    pub fn holds_after(&self) -> Timestamp {
        let view = self.view();
        let nothing = (view.next_sequence == 0).then_some(Timestamp::MAX);
        nothing.or(view.expired).unwrap_or(Timestamp::MIN)
    }

    /// The sequence of the next message.
    pub fn next_sequence(&self) -> u64 {
        self.shared.read().next_sequence
    }

    /// Passes every frame of the journal with messages from the sequence `from` on to `visit`. Returns the number of
    /// such messages that were not passed because they are sealed, damaged or removed.
    pub fn tally(&self, from: u64, visit: &mut dyn FnMut(&Tally<'_>)) -> u64 {
        tally(&self.view(), from, visit)
    }

    /// The number of bytes to check.
    pub fn verify_bytes(&self) -> u64 {
        verify::bytes(&self.view())
    }

    /// Checks everything, oldest first, and reports each part that was checked. Ends early if it is cancelled.
    pub fn verify(&self, run: &SearchContext<'_>, visit: &mut dyn FnMut(VerifyReport)) {
        verify::verify(&self.view(), run, visit);
    }

    /// A searcher of the logspace as it is now, whatever is stored, moved or removed later. It keeps files open, but no
    /// messages in memory.
    #[must_use]
    pub fn frozen(&self) -> Searcher {
        let mut view = View::clone(&self.view());
        view.evict(0);
        Searcher::new(Arc::new(SharedView::new(Arc::new(view))))
    }

    pub(crate) fn view(&self) -> Arc<View> {
        Arc::clone(&self.shared.read())
    }
}

/// Counts the matching rows.
struct RowCounter(u64);

impl Visitor for RowCounter {
    fn counts_only(&self) -> bool {
        true
    }

    fn counted(&mut self, count: u64) {
        self.0 += count;
    }

    fn segments(&mut self, found: &[(SegmentRows<'_>, Selection)], _: &SearchContext<'_>) -> Coverage {
        self.0 += found.iter().map(|(_, rows)| rows.count() as u64).sum::<u64>();
        Coverage::default()
    }

    fn batch(&mut self, _: u64, _: &Arc<Batch>, rows: &Selection, _: &SearchContext<'_>) {
        self.0 += rows.count() as u64;
    }
}

/// Passes matching rows on as batches.
struct BatchVisitor<'a> {
    groups: ColumnGroups,
    visit: &'a mut dyn FnMut(&Arc<Batch>, &Selection),
}

impl Visitor for BatchVisitor<'_> {
    fn segments(&mut self, found: &[(SegmentRows<'_>, Selection)], run: &SearchContext<'_>) -> Coverage {
        let mut coverage = Coverage::default();
        for (sealed, rows) in found {
            coverage
                .add(sealed.read(rows, self.groups, run, &mut |_, batch, rows| (self.visit)(batch, rows)));
        }
        coverage
    }

    fn batch(&mut self, _: u64, batch: &Arc<Batch>, rows: &Selection, _: &SearchContext<'_>) {
        (self.visit)(batch, rows);
    }
}
