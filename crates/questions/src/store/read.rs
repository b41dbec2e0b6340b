//! All matching messages in chronological order, read page by page.
//!
//! The pages of all logspaces are merged. The length of a page depends on the size of the messages so far, so the
//! memory needed does not depend on the number of matches.
//!
//! **Invariant:** it reads the state of the logspaces at one moment: exactly the messages that were counted, apart from
//! unreadable ones. These are left out and counted, and the part that holds them is named.

use super::order::compare;
use super::streamed_stages::StreamedStages;
use super::{Logspaces, SearchCriteria};
use logstead_indexer::{Filter, Hit, Order, Position, Request, ResultPage, Searcher};
use logstead_query::TimeRange;
use logstead_record::ColumnGroups;
use logstead_work::SearchContext;
use std::collections::{BTreeSet, VecDeque};

/// Minimum length of a piece of text.
const PIECE_BYTES_MIN: usize = 256 << 10;
/// Approximate size of a page as written.
const PAGE_BYTES: u64 = 16 << 20;
/// Number of messages on a logspace's first page, when their size is unknown.
const FIRST_PAGE_MESSAGES: usize = 1000;
/// Maximum number of messages on a page; longer pages are not faster.
const PAGE_MESSAGES_MAX: u64 = 20_000;
/// Minimum number of messages on a page; shorter pages are not much smaller.
const PAGE_MESSAGES_MIN: u64 = 16;

/// Messages that are being read.
pub struct MessageReader {
    order: Order,
    range: TimeRange,
    /// The columns that messages are wanted with.
    groups: ColumnGroups,
    logspaces: Vec<LogspaceReader>,
    passing: Option<StreamedStages>,
    /// The number of messages that were counted and not examined yet.
    left: u64,
    /// How many more messages are wanted.
    wanted: u64,
    /// The number of copies that are left out.
    copies: u64,
    /// The number of messages that were counted but cannot be read.
    missing: u64,
    /// Parts that cannot be read, as far as is known.
    damaged: BTreeSet<String>,
    written_bytes: u64,
    written_messages: u64,
}

struct LogspaceReader {
    id: String,
    searcher: Searcher,
    filter: Filter,
    after: Option<Position>,
    page: VecDeque<Hit>,
    more: bool,
}

/// The error if reading ended early, because the messages are no longer wanted.
#[derive(Debug, thiserror::Error)]
#[error("it was cancelled")]
pub struct Cancelled;

impl Logspaces {
    /// Starts reading at most `limit` messages of logspaces in their current state, after they have passed through
    /// the stages. Counts the matches.
    pub fn read(
        self,
        wanted: SearchCriteria<'_>,
        passing: Option<StreamedStages>,
        order: Order,
        limit: u64,
        run: &SearchContext<'_>,
    ) -> Result<MessageReader, Cancelled> {
        let frozen: Logspaces = self.into_iter().map(|(id, searcher)| (id, searcher.frozen())).collect();
        let (count, coverage) = frozen.count(wanted, run);
        let (copies, of_copies) = frozen.count_copies(wanted, run);
        if coverage.is_cut() || of_copies.is_cut() {
            return Err(Cancelled);
        }
        let filters: Option<Vec<Filter>> =
            frozen.iter().map(|(id, _)| frozen.filter(wanted, id, run)).collect();
        let in_logspace = |((id, searcher), filter): ((String, Searcher), Filter)| LogspaceReader {
            id,
            searcher,
            filter,
            after: None,
            page: VecDeque::new(),
            more: true,
        };
        Ok(MessageReader {
            order,
            range: wanted.range,
            groups: ColumnGroups::ALL,
            logspaces: frozen.into_iter().zip(filters.ok_or(Cancelled)?).map(in_logspace).collect(),
            left: if passing.as_ref().is_none_or(StreamedStages::keeps_all) {
                count.min(limit)
            } else {
                count
            },
            wanted: limit,
            passing,
            copies,
            missing: 0,
            damaged: coverage.damaged.into_iter().map(|(id, damage)| named(&id, &damage)).collect(),
            written_bytes: 0,
            written_messages: 0,
        })
    }
}

impl MessageReader {
    /// The same messages, with these columns only. Stages may need any column.
    #[must_use]
    pub fn with_columns(self, groups: ColumnGroups) -> MessageReader {
        let groups = if self.passing.is_none() { groups } else { ColumnGroups::ALL };
        MessageReader { groups, ..self }
    }

    /// How many messages are still to be examined.
    pub fn left(&self) -> u64 {
        self.left
    }

    /// The number of copies that are left out.
    pub fn copies(&self) -> u64 {
        self.copies
    }

    /// Whether all counted messages will be written.
    pub fn is_counted(&self) -> bool {
        self.passing.as_ref().is_none_or(StreamedStages::keeps_all)
    }

    /// How many messages were written.
    pub fn written(&self) -> u64 {
        self.written_messages
    }

    /// How many matching messages could not be read, as far as is known.
    pub fn missing(&self) -> u64 {
        self.missing
    }

    /// Parts that cannot be read, each with its logspace.
    pub fn damaged(&self) -> &BTreeSet<String> {
        &self.damaged
    }

    /// Writes the next messages, each with `write`, which returns the size of the message; returns an empty piece at the
    /// end.
    pub fn next_piece(
        &mut self,
        mut write: impl FnMut(&str, &Hit, &mut Vec<u8>) -> usize,
        run: &SearchContext<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), Cancelled> {
        let start = out.len();
        while 0 < self.left && out.len() - start < PIECE_BYTES_MIN {
            self.fill_pages(run)?;
            let next = self.first().and_then(|at| {
                let LogspaceReader { id, page, .. } = &mut self.logspaces[at];
                Some((id, page.pop_front()?))
            });
            let Some((id, hit)) = next else {
                self.missing = std::mem::take(&mut self.left);
                return Ok(());
            };
            self.written_bytes += write(id, &hit, out) as u64;
            self.written_messages += 1;
            self.left -= 1;
            self.wanted -= 1;
            if self.wanted == 0 {
                self.left = 0;
            }
        }
        Ok(())
    }

    /// Ensures that the next message of each logspace is loaded, if it has one.
    fn fill_pages(&mut self, run: &SearchContext<'_>) -> Result<(), Cancelled> {
        let limit = page_messages(self.written_bytes, self.written_messages, self.logspaces.len());
        let limit = limit.min(usize::try_from(self.left).unwrap_or(usize::MAX));
        let MessageReader { logspaces, damaged, range, order, passing, left, groups, .. } = self;
        for logspace in logspaces {
            while logspace.page.is_empty() && logspace.more {
                let LogspaceReader { filter, after, .. } = &*logspace;
                let request = Request { filter, range: *range, order: *order, limit, after: *after };
                let ResultPage { hits, more, coverage, .. } =
                    logspace.searcher.search_columns(&request, *groups, run);
                if coverage.cancelled || !coverage.late.is_empty() {
                    return Err(Cancelled);
                }
                damaged.extend(coverage.damaged.iter().map(|damage| named(&logspace.id, damage)));
                logspace.more = more;
                logspace.after = hits.last().map(Hit::position).or(logspace.after);
                let found = hits.len() as u64;
                logspace.page = match passing {
                    Some(passing) => passing.hits_of(&logspace.id, hits).into(),
                    None => hits.into(),
                };
                *left = left.saturating_sub(found - logspace.page.len() as u64);
            }
        }
        Ok(())
    }

    /// The logspace whose next message comes first.
    fn first(&self) -> Option<usize> {
        let next = self.logspaces.iter().enumerate().filter_map(|(at, of)| {
            let hit = of.page.front()?;
            Some((at, (of.id.as_str(), hit)))
        });
        next.min_by(|(_, a), (_, b)| compare(self.order, a.0, a.1, b.0, b.1)).map(|(at, _)| at)
    }
}

fn named(logspace: &str, damage: &str) -> String {
    format!("{logspace}: {damage}")
}

/// How many messages a page of each logspace should have, if this many logspaces are read.
fn page_messages(written_bytes: u64, written_messages: u64, logspaces: usize) -> usize {
    if written_messages == 0 {
        return FIRST_PAGE_MESSAGES;
    }
    let message_bytes = (written_bytes / written_messages).max(1);
    let messages = PAGE_BYTES / message_bytes / logspaces.max(1) as u64;
    messages.clamp(PAGE_MESSAGES_MIN, PAGE_MESSAGES_MAX) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_messages_make_short_pages() {
        let check = |bytes, messages, logspaces, expected| {
            assert_eq!(page_messages(bytes, messages, logspaces), expected);
        };
        check(0, 0, 1, 1000);
        check(500 * 1000, 1000, 1, 20_000);
        check(1000 * 4096, 1000, 1, 4096);
        check(1000 * 4096, 1000, 4, 1024);
        check(10 << 20, 1, 1, 16);
    }
}
