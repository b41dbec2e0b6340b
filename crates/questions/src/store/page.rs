//! The first messages of all logspaces, a page at a time.
//!
//! **Invariant:** pages that begin after one another's last messages hold each message once, also where messages of
//! several logspaces have the same time.

use super::order::{Hits, compare};
use super::streamed_stages::StreamedStages;
use super::{Coverage, GlobalPosition, Logspaces, SearchCriteria};
use logstead_indexer::{Order, Request};
use logstead_work::SearchContext;

/// The page of messages to find.
pub struct PageRequest {
    /// The order of the messages.
    pub order: Order,
    /// The maximum number of messages.
    pub limit: usize,
    /// Continues after this position.
    pub after: Option<GlobalPosition>,
}

/// Messages of several logspaces in their order.
pub struct Page {
    /// The messages of the page.
    pub hits: Hits,
    /// Whether there are more after these.
    pub more: bool,
    /// The part of the store that was searched.
    pub coverage: Coverage,
    /// For a page that was cut short, the position up to which everything was examined.
    pub reached: Option<GlobalPosition>,
}

impl Logspaces {
    /// Searches for one page.
    pub fn page(&self, wanted: SearchCriteria<'_>, request: &PageRequest, run: &SearchContext<'_>) -> Page {
        let PageRequest { order, limit, ref after } = *request;
        let mut page = Page { hits: Vec::new(), more: false, coverage: Coverage::new(), reached: None };
        let mut cuts = Vec::new();
        for of in self.each(wanted, run) {
            let Some(filter) = &of.filter else {
                page.coverage.add_unfinished(of.id);
                continue;
            };
            let after = after.as_ref().map(|place| place.position_in(of.id, order));
            let request = Request { filter, range: of.range, order, limit, after };
            let found = of.searcher.search(&request, run);
            page.more |= found.more;
            cuts.extend(
                found.hits.last().filter(|_| found.is_cut).map(|last| (of.id.to_owned(), last.clone())),
            );
            page.hits.extend(found.hits.into_iter().map(|hit| (of.id.to_owned(), hit)));
            page.coverage.add(of.id, found.coverage);
        }
        page.more |= limit < page.hits.len();
        keep_first(&mut page.hits, order, limit);
        // Messages after the end of a part that was cut short may have to come after others that are missing.
        for (id, last) in &cuts {
            page.hits.retain(|(of, hit)| compare(order, of, hit, id, last).is_le());
        }
        page
    }
}

impl Logspaces {
    /// The first messages that pass the stages, found part by part.
    pub fn page_through(
        &self,
        wanted: SearchCriteria<'_>,
        passing: Option<&StreamedStages>,
        request: &PageRequest,
        run: &SearchContext<'_>,
    ) -> Page {
        let Some(passing) = passing else { return self.page(wanted, request, run) };
        let mut whole =
            Page { hits: Vec::new(), more: false, coverage: Coverage::new(), reached: request.after.clone() };
        loop {
            let after = whole.reached.clone();
            let part = PageRequest { order: request.order, limit: request.limit.max(PART_MIN), after };
            let found = self.page(wanted, &part, run);
            let end = found.end();
            let is_cut = found.coverage.is_cut();
            whole.coverage = whole.coverage.joined(found.coverage);
            if is_cut && whole.reached != request.after {
                // The next page begins with this part, of which nothing has been returned yet.
                whole.more = true;
                return whole;
            }
            whole.hits.extend(passing.hits(found.hits));
            if request.limit < whole.hits.len() || whole.hits.len() == request.limit && end.is_some() {
                whole.hits.truncate(request.limit);
                return Page { more: true, reached: None, ..whole };
            }
            let held: usize = whole.hits.iter().map(|(_, hit)| hit.bytes()).sum();
            if run.lanes.bytes() < held && end.is_some() && !is_cut {
                return Page { more: true, reached: None, ..whole };
            }
            match end {
                Some(_) if !is_cut => whole.reached = end,
                _ => return Page { more: found.more, reached: None, ..whole },
            }
        }
    }
}

/// Minimum number of messages that are examined together.
const PART_MIN: usize = 1000;

/// Sorts messages and keeps the first ones.
pub(super) fn keep_first(hits: &mut Hits, order: Order, limit: usize) {
    hits.sort_unstable_by(|(a_id, a), (b_id, b)| compare(order, a_id, a, b_id, b));
    hits.truncate(limit);
}

impl Page {
    /// The message after which the next page begins. `None` after a page that was cut short: continuing could skip
    /// messages that this page did not reach. Damaged parts cannot be reached by any page.
    pub fn end(&self) -> Option<GlobalPosition> {
        let last = self.hits.last().filter(|_| self.more && !self.coverage.is_cut());
        last.map(|(logspace, hit)| GlobalPosition::of(logspace, hit)).or_else(|| self.reached.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Copies;
    use logstead_indexer::{Disk, Options, SimDisk, encode};
    use logstead_query::{TimeRange, parse_pipeline};
    use logstead_record::{BatchBuilder, Field, Origin, Row, Timestamp};
    use logstead_work::{Alone, Lanes};
    use std::path::Path;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    const BATCHES: usize = 12;
    const BATCH_MESSAGES: usize = 150;
    /// One of this many messages has the word `keep`.
    const KEPT: usize = 100;
    /// More checks for cancelling than any page makes.
    const LOOKS_MAX: usize = 11 * 13;
    const NOW: Timestamp = Timestamp::from_nanos(1 << 50);

    /// Two logspaces whose messages have the same times, each twice. Some contain `keep`.
    fn logspaces() -> Logspaces {
        let disk: Arc<dyn Disk> = Arc::new(SimDisk::new(0));
        let logspace = |id: &str| {
            let dir = Path::new("/data").join(id);
            let mut opened = logstead_indexer::open(&disk, &dir, Options::default(), &Alone).unwrap();
            for first in (0..BATCHES).map(|batch| batch * BATCH_MESSAGES) {
                let mut builder = BatchBuilder::new();
                builder.origin(Origin { source: b"", peer: b"", received: NOW });
                for number in first..first + BATCH_MESSAGES {
                    let text: &[u8] = if number.is_multiple_of(KEPT) { b"keep" } else { b"drop" };
                    let time = Some(Timestamp::from_nanos(number as i64 / 2));
                    builder.push(&Row { time, ..Row::text(text) }.with(Field::Message, text));
                }
                opened.appender.append(&[encode(Arc::new(builder.seal()))]).unwrap();
            }
            (id.to_owned(), opened.searcher)
        };
        ["a", "b"].map(logspace).into_iter().collect()
    }

    /// A page of the messages that a stage lets through. It is cancelled after this many checks.
    fn page(logspaces: &Logspaces, request: &PageRequest, looks_max: usize) -> Page {
        let pipeline = parse_pipeline("* | where keep").unwrap();
        let passing = StreamedStages::new(&pipeline, NOW);
        let wanted = SearchCriteria {
            query: &pipeline.filter,
            range: TimeRange::ALL,
            now: NOW,
            copies: Copies::LeftOut,
        };
        let looks = AtomicUsize::new(0);
        let cancelled = || looks_max <= looks.fetch_add(1, Ordering::Relaxed);
        let run = SearchContext { cancelled: &cancelled, ..SearchContext::alone() };
        logspaces.page_through(wanted, passing.as_ref(), request, &run)
    }

    /// The messages of all pages, one page after the other, and how many pages were cut short with a position at
    /// which to continue. A page that was cut short before it had such a position is requested again without a limit,
    /// as it has no next page.
    fn pages(
        logspaces: &Logspaces,
        order: Order,
        limit: usize,
        looks_max: usize,
    ) -> (Vec<(String, u64)>, usize) {
        let (mut found, mut cut) = (Vec::new(), 0);
        let mut request = PageRequest { order, limit, after: None };
        loop {
            let mut page = page(logspaces, &request, looks_max);
            let is_cut = |page: &Page| !page.coverage.unfinished.is_empty();
            cut += usize::from(is_cut(&page) && page.end().is_some());
            if is_cut(&page) && page.end().is_none() {
                page = self::page(logspaces, &request, usize::MAX);
            }
            assert_eq!(page.more, page.end().is_some());
            assert!(page.hits.len() <= limit && (page.hits.len() == limit || is_cut(&page) || !page.more));
            found.extend(page.hits.iter().map(|(logspace, hit)| (logspace.clone(), hit.sequence)));
            request.after = page.end();
            if request.after.is_none() {
                return (found, cut);
            }
        }
    }

    #[test]
    fn after_a_page_that_was_cut_short_the_next_one_goes_on_where_it_ended() {
        let logspaces = logspaces();
        for order in [Order::Newest, Order::Oldest] {
            let of_one = |id: &str| {
                let numbers = (0..BATCHES * BATCH_MESSAGES).step_by(KEPT);
                let of_one = numbers.map(|number| (number / 2, id.to_owned(), number as u64));
                of_one.collect::<Vec<_>>()
            };
            let mut expected = ["a", "b"].map(of_one).concat();
            expected.sort_unstable();
            if order == Order::Newest {
                expected.reverse();
            }
            let expected: Vec<(String, u64)> =
                expected.into_iter().map(|(_, id, sequence)| (id, sequence)).collect();
            // A page with the second limit consists of more than one part.
            for (limit, is_cut_between_parts) in [(7, false), (25, true)] {
                let mut cut_pages = 0;
                for looks_max in (0..=LOOKS_MAX).step_by(11) {
                    let (found, cut) = pages(&logspaces, order, limit, looks_max);
                    assert_eq!(found, expected, "{order:?}, {limit} a page, {looks_max} looks");
                    cut_pages += cut;
                    assert!(looks_max < LOOKS_MAX || cut == 0, "the end of the last page was not reached");
                }
                assert_eq!(0 < cut_pages, is_cut_between_parts, "{limit} a page");
            }
        }
    }

    /// A single thread, which may hold this many bytes of messages.
    struct SingleLane(usize);

    impl Lanes for SingleLane {
        fn count(&self) -> usize {
            1
        }

        fn bytes(&self) -> usize {
            self.0
        }

        fn run(&self, jobs: usize, job: &(dyn Fn(usize) + Sync)) {
            (0..jobs).for_each(job);
        }
    }

    #[test]
    fn pages_that_hold_as_much_as_they_may_skip_nothing_of_another_logspace() {
        let logspaces = logspaces();
        for (text, step) in [("*", 1), ("* | where keep", KEPT)] {
            let pipeline = parse_pipeline(text).unwrap();
            let passing = StreamedStages::new(&pipeline, NOW);
            let wanted = SearchCriteria {
                query: &pipeline.filter,
                range: TimeRange::ALL,
                now: NOW,
                copies: Copies::LeftOut,
            };
            for bytes in [0, 2000, 50_000] {
                let lanes = SingleLane(bytes);
                let run = SearchContext { lanes: &lanes, ..SearchContext::alone() };
                let (mut found, mut after, mut pages) = (Vec::new(), None, 0);
                loop {
                    let request = PageRequest { order: Order::Oldest, limit: 400, after };
                    let page = logspaces.page_through(wanted, passing.as_ref(), &request, &run);
                    found.extend(
                        page.hits.iter().map(|(id, hit)| (hit.sequence / 2, id.clone(), hit.sequence)),
                    );
                    pages += 1;
                    after = page.end();
                    if after.is_none() {
                        break;
                    }
                }
                let all = 2 * (BATCHES * BATCH_MESSAGES).div_ceil(step);
                assert_eq!(found.len(), all, "{text}, {bytes} bytes");
                assert!(found.is_sorted(), "{text}, {bytes} bytes");
                found.dedup();
                assert_eq!(found.len(), all, "{text}, {bytes} bytes: some are on two pages");
                assert!(50_000 <= bytes || 10 < pages, "{text}, {bytes} bytes: {pages} pages");
            }
        }
    }
}
