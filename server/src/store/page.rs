//! The first messages of all logspaces, a page at a time.
//!
//! **Invariant:** pages that begin after one another's last messages hold each message once, also where messages of
//! several logspaces have the same time.

use super::order::{Hits, compare};
use super::passing::Passing;
use super::{Coverage, Logspaces, Place, Wanted};
use logstead_indexer::{Order, Request, Run};

/// Which page of messages is asked for.
pub(crate) struct PageRequest {
    pub(crate) order: Order,
    pub(crate) limit: usize,
    pub(crate) after: Option<Place>,
}

/// Messages of several logspaces in their order.
pub(crate) struct Page {
    pub(crate) hits: Hits,
    /// Whether there are more after these.
    pub(crate) more: bool,
    pub(crate) coverage: Coverage,
    /// Up to where everything was looked at, of a page that was cut short.
    pub(crate) reached: Option<Place>,
}

impl Logspaces {
    pub(crate) fn page(&self, wanted: Wanted<'_>, request: &PageRequest, run: &Run<'_>) -> Page {
        let PageRequest { order, limit, ref after } = *request;
        let mut page = Page { hits: Vec::new(), more: false, coverage: Coverage::new(), reached: None };
        for of in self.each(wanted) {
            let after = after.as_ref().map(|place| place.position_in(of.id, order));
            let request = Request { filter: &of.filter, range: of.range, order, limit, after };
            let found = of.searcher.search(&request, run);
            page.more |= found.more;
            page.hits.extend(found.hits.into_iter().map(|hit| (of.id.to_owned(), hit)));
            page.coverage.add(of.id, found.coverage);
        }
        page.more |= limit < page.hits.len();
        keep_first(&mut page.hits, order, limit);
        page
    }
}

impl Logspaces {
    /// The first messages that stages leave, found a part at a time.
    pub(crate) fn page_through(
        &self,
        wanted: Wanted<'_>,
        passing: Option<&Passing>,
        request: &PageRequest,
        run: &Run<'_>,
    ) -> Page {
        let Some(passing) = passing else { return self.page(wanted, request, run) };
        let mut whole =
            Page { hits: Vec::new(), more: false, coverage: Coverage::new(), reached: request.after.clone() };
        loop {
            let after = whole.reached.clone();
            let part = PageRequest { order: request.order, limit: request.limit.max(PART_MIN), after };
            let found = self.page(wanted, &part, run);
            let end = found.end();
            let is_cut = !found.coverage.unfinished.is_empty();
            whole.coverage = whole.coverage.joined(found.coverage);
            if is_cut && whole.reached != request.after {
                // The next page begins with this part, of which nothing is given out yet.
                whole.more = true;
                return whole;
            }
            whole.hits.extend(passing.hits(found.hits));
            if request.limit < whole.hits.len() || whole.hits.len() == request.limit && end.is_some() {
                whole.hits.truncate(request.limit);
                return Page { more: true, reached: None, ..whole };
            }
            match end {
                Some(_) if !is_cut => whole.reached = end,
                _ => return Page { more: found.more, reached: None, ..whole },
            }
        }
    }
}

/// At least this many messages are looked at together.
const PART_MIN: usize = 1000;

/// Puts messages in their order and keeps the first.
pub(super) fn keep_first(hits: &mut Hits, order: Order, limit: usize) {
    hits.sort_unstable_by(|(a_id, a), (b_id, b)| compare(order, (a_id, a), (b_id, b)));
    hits.truncate(limit);
}

impl Page {
    /// After which message the next page begins. There is none after a page that was cut short: it could skip messages
    /// that this one did not reach. Damaged parts are out of reach for every page.
    pub(crate) fn end(&self) -> Option<Place> {
        let last = self.hits.last().filter(|_| self.more && self.coverage.unfinished.is_empty());
        last.map(|(logspace, hit)| Place::of(logspace, hit)).or_else(|| self.reached.clone())
    }
}
