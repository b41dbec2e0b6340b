//! A search of a logspace: the filter, the time range, and the context that limits the search.

use super::filter_name::FilterName;
use super::plan::Plan;
use crate::bounds::TimeBounds;
use logstead_query::{Context, Matcher, Query, TimeRange};
use logstead_record::{Batch, Selection, Timestamp};
use logstead_work::SearchContext;
use std::sync::Arc;

/// A filter, compiled for messages and for indexes.
#[derive(Clone, Debug)]
pub struct Filter {
    /// The filter to use if no message is a copy, in case this one excludes copies.
    without_copies: Option<Arc<Filter>>,
    pub(super) query: Query,
    /// The matcher that decides about single messages.
    pub matcher: Matcher,
    pub(super) plan: Plan,
    /// Its name, if the rows that it matches are remembered.
    pub(super) name: Option<FilterName>,
}

/// A filter in a range, with the context of its search.
#[derive(Clone, Copy)]
pub(crate) struct RowQuestion<'a> {
    pub(crate) filter: &'a Filter,
    pub(crate) range: TimeRange,
    pub(crate) run: SearchContext<'a>,
}

/// The order of the messages of a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Order {
    /// The newest first: by time, then by the order in which messages were stored.
    #[default]
    Newest,
    /// The oldest first: the reverse order.
    Oldest,
}

/// The position of a message in the order of all messages.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Position {
    /// The time of the message.
    pub time: Timestamp,
    /// Its sequence.
    pub sequence: u64,
}

/// A search for one page of messages.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The filter.
    pub filter: &'a Filter,
    /// The range of their times.
    pub range: TimeRange,
    /// The order of the messages.
    pub order: Order,
    /// The greatest number of messages on the page.
    pub limit: usize,
    /// The position after which the page begins; `None` for the first page.
    pub after: Option<Position>,
}

impl Filter {
    /// The filter for a query, for all its searches in this context.
    pub fn new(query: &Query, context: &Context<'_>) -> Filter {
        Filter::new_while(query, context, &SearchContext::alone()).expect("nothing ends it")
    }

    /// The same filter; `None` if the run is cancelled before it is ready.
    pub fn new_while(query: &Query, context: &Context<'_>, run: &SearchContext<'_>) -> Option<Filter> {
        let work = run.work();
        let matcher = Matcher::new_while(query, context, &|steps| work.go_on(steps))?;
        let plan = Plan::new(query, context, &work);
        let name = FilterName::of(query);
        work.go_on(0).then(|| Filter { without_copies: None, query: query.clone(), matcher, plan, name })
    }

    /// A filter for a query that excludes the messages of `copies`, all of which are copies.
    pub fn leaving_out(
        query: &Query,
        copies: &Query,
        context: &Context<'_>,
        run: &SearchContext<'_>,
    ) -> Option<Filter> {
        let without_copies = Some(Arc::new(Filter::new_while(query, context, run)?));
        let others = copies.clone().negate();
        let left = if *query == Query::All { others } else { Query::and(vec![query.clone(), others]) };
        Some(Filter { without_copies, ..Filter::new_while(&left, context, run)? })
    }

    /// A filter for the messages of `copies`, all of which are copies, that a query matches.
    pub fn of_copies(
        query: &Query,
        copies: &Query,
        context: &Context<'_>,
        run: &SearchContext<'_>,
    ) -> Option<Filter> {
        let without_copies = Some(Arc::new(Filter::new(&Query::All.negate(), context)));
        let both = Query::and(vec![copies.clone(), query.clone()]);
        Some(Filter { without_copies, ..Filter::new_while(&both, context, run)? })
    }
}

impl<'a> RowQuestion<'a> {
    /// The same question for messages with or without copies among them. Without copies, excluding them takes no
    /// time.
    pub(super) fn where_copies(&self, are_there: bool) -> RowQuestion<'a> {
        match &self.filter.without_copies {
            Some(filter) if !are_there => RowQuestion { filter, ..*self },
            _ => *self,
        }
    }

    /// Whether messages within these times may be in range.
    pub(super) fn concerns(&self, times: TimeBounds) -> bool {
        times.overlap(self.range)
    }

    /// The rows of a batch that are in range.
    pub(super) fn within(&self, batch: &Batch, times: TimeBounds) -> Selection {
        if times.are_within(self.range) {
            return Selection::all(batch.rows());
        }
        Selection::from_fn(batch.rows(), |row| self.range.contains(batch.time(row)))
    }

    /// The rows of `within` that match; `None` if the run ends first.
    pub(super) fn select(&self, batch: &Batch, within: &Selection) -> Option<Selection> {
        if within.is_empty() {
            return Some(within.clone());
        }
        let work = self.run.work();
        self.filter.matcher.select_while(batch, within, &|rows| work.go_on(rows))
    }
}

impl<'a> Request<'a> {
    /// The question without the order of the messages.
    pub(super) fn question(&self, run: &SearchContext<'a>) -> RowQuestion<'a> {
        RowQuestion { filter: self.filter, range: self.range, run: *run }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use logstead_query::parse_search;
    use rustix::time::{ClockId, clock_gettime};

    /// The factor by which the longer of two compared queries is longer.
    const LONGER: usize = 16;
    /// The factor by which the processor time of the longer query may be greater. It is far below the square of the
    /// factor of the length.
    const LONGER_MAX: u64 = 64;
    /// The processor time in nanoseconds that any query may take in addition.
    const NANOS_OF_ALL: u64 = 5_000_000;

    /// The least processor time of this thread in several tries, because each of them can be disturbed.
    fn work_nanos(text: &str) -> u64 {
        let now = || {
            let time = clock_gettime(ClockId::ThreadCPUTime);
            time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs()
        };
        let query = parse_search(text).unwrap().query;
        let context = Context { now: Timestamp::default(), logspace: "main" };
        let once = || {
            let begin = now();
            std::hint::black_box(Filter::new(&query, &context));
            now() - begin
        };
        (0..3).map(|_| once()).min().unwrap_or_default()
    }

    #[test]
    fn what_it_takes_to_make_a_filter_ready_is_bounded_by_its_length() {
        for piece in
            ["1.", "1.1.1.1 ", "=", "0", "7f", "a", "ab ", "-1.2", "\u{212A}", "\u{e9}.", "a1.b2-", "(a"]
        {
            let quoted = |bytes: usize| format!("\"{}z\"", piece.repeat(bytes / piece.len()));
            let (few, many) = (work_nanos(&quoted(60_000 / LONGER)), work_nanos(&quoted(60_000)));
            let max = few * LONGER_MAX + NANOS_OF_ALL;
            assert!(many <= max, "{piece:?}: {few} ns, {LONGER} times as long {many} ns");
        }
    }
}
