//! What is stored from a position on, in each logspace.

use super::page::{Hits, keep_first};
use super::{Logspaces, Wanted};
use logstead_indexer::{Follower, Order, Request, Run, Searcher};

impl Logspaces {
    /// Follows each logspace from a sequence on.
    pub(crate) fn follow(
        self,
        wanted: Wanted<'_>,
        from: impl Fn(&str, &Searcher) -> u64,
    ) -> impl Iterator<Item = (String, Follower)> {
        self.into_iter().map(move |(id, searcher)| {
            let (filter, next) = (wanted.filter(&id), from(&id, &searcher));
            (id, Follower::new(searcher, filter, next))
        })
    }

    /// Follows each logspace from now on, after the newest messages that are stored, the oldest of them first.
    pub(crate) fn follow_after_newest(
        self,
        wanted: Wanted<'_>,
        limit: usize,
        run: &Run<'_>,
    ) -> (Vec<(String, Follower)>, Hits) {
        let (mut followers, mut newest) = (Vec::new(), Vec::new());
        for (id, searcher) in self {
            let filter = wanted.filter(&id);
            let (range, order) = (wanted.range, Order::Newest);
            let request = Request { filter: &filter, range, order, limit, after: None };
            let (found, next) = searcher.search_and_next(&request, run);
            newest.extend(found.hits.into_iter().map(|hit| (id.clone(), hit)));
            followers.push((id, Follower::new(searcher, filter, next)));
        }
        keep_first(&mut newest, Order::Newest, limit);
        newest.reverse();
        (followers, newest)
    }
}
