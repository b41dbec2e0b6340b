//! Follows the messages of each logspace that are stored after a position.

use super::order::{GlobalPosition, Hits};
use super::page::{PageRequest, keep_first};
use super::streamed_stages::StreamedStages;
use super::{Logspaces, SearchCriteria};
use logstead_indexer::{Filter, Follower, Hit, Order, Request, Searcher};
use logstead_work::SearchContext;
use std::collections::BTreeMap;

impl Logspaces {
    /// Follows each logspace from its sequence on, if it has one; `None` if the run is told to end before all are
    /// ready.
    pub fn follow(
        &self,
        wanted: SearchCriteria<'_>,
        from: impl Fn(&str, &Searcher) -> Option<u64>,
        run: &SearchContext<'_>,
    ) -> Option<Vec<(String, Follower)>> {
        let follower = |(id, searcher): (&str, &Searcher)| {
            let next = from(id, searcher)?;
            let filter = self.filter(wanted, id, run);
            Some(filter.map(|filter| (id.to_owned(), Follower::new(searcher.clone(), filter, next))))
        };
        self.iter().filter_map(follower).collect()
    }

    /// The filter for each of these logspaces; `None` if the run is told to end before all are ready.
    pub fn filters(
        &self,
        wanted: SearchCriteria<'_>,
        run: &SearchContext<'_>,
    ) -> Option<BTreeMap<String, Filter>> {
        self.iter().map(|(id, _)| Some((id.to_owned(), self.filter(wanted, id, run)?))).collect()
    }

    /// Follows each logspace from now on, and also returns the newest stored messages that pass the stages, oldest
    /// first; `None` if the run is told to end before all are ready.
    pub fn follow_after_newest(
        self,
        wanted: SearchCriteria<'_>,
        passing: Option<&StreamedStages>,
        limit: usize,
        run: &SearchContext<'_>,
    ) -> Option<(Vec<(String, Follower)>, Hits)> {
        let (mut followers, mut newest) = (Vec::new(), Vec::new());
        let logspaces = self.clone();
        for (id, searcher) in self {
            let filter = logspaces.filter(wanted, &id, run)?;
            let (range, order) = (wanted.range, Order::Newest);
            let request = Request { filter: &filter, range, order, limit, after: None };
            let (found, next) = searcher.search_and_next(&request, run);
            newest.extend(found.hits.into_iter().map(|hit| (id.clone(), hit)));
            followers.push((id, Follower::new(searcher, filter, next)));
        }
        keep_first(&mut newest, Order::Newest, limit);
        if let Some(passing) = passing {
            let after = newest.last().map(|(id, hit)| GlobalPosition::of(id, hit));
            newest = passing.hits(newest);
            let limit = limit - newest.len();
            if after.is_some() && 0 < limit {
                let older = PageRequest { order: Order::Newest, limit, after };
                let page = logspaces.page_through(wanted, Some(passing), &older, run);
                // Messages stored after that point are followed instead.
                let is_before = |(id, hit): &(String, Hit)| {
                    followers.iter().any(|(of, follower)| of == id && hit.sequence < follower.next)
                };
                newest.extend(page.hits.into_iter().filter(is_before));
            }
        }
        newest.reverse();
        Some((followers, newest))
    }
}
