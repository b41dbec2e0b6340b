//! All matching messages in chronological order, read page by page.
//!
//! The pages of all logspaces are merged. The length of a page depends on the size of the messages so far, so the
//! memory needed does not depend on the number of matches.
//!
//! **Invariant:** it reads the state of the logspaces at one moment: exactly the messages that were counted, apart from
//! unreadable ones. These are left out and counted, and the part that holds them is named.

use super::order::compare_positions;
use super::streamed_stages::StreamedStages;
use super::{Logspaces, SearchCriteria};
use logstead_indexer::{Filter, Hit, Order, PageRow, PageRows, Position, Request, Searcher};
use logstead_query::TimeRange;
use logstead_record::{Batch, ColumnGroups};
use logstead_work::SearchContext;
use std::collections::BTreeSet;
use std::sync::Arc;

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
    page: PageRows,
    /// The number of rows of the page that have been written.
    written: usize,
    /// Whether there are messages after the page.
    more: bool,
}

/// Messages of one logspace that follow each other and are rows of the same batch.
pub struct MessageRun<'a> {
    /// The logspace.
    pub logspace: &'a str,
    /// The batch.
    pub batch: &'a Arc<Batch>,
    /// The messages in their order; at least one.
    pub rows: &'a [PageRow],
}

/// How much of a run was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct WrittenRows {
    /// The number of messages, beginning with the first; at least one.
    pub rows: usize,
    /// The size of these messages.
    pub bytes: usize,
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
            page: PageRows::default(),
            written: 0,
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
        let write_run = |messages: &MessageRun<'_>, out: &mut Vec<u8>| {
            messages.write_each(|logspace, hit| {
                let bytes = write(logspace, hit, out);
                (bytes, out.len() - start < PIECE_BYTES_MIN)
            })
        };
        self.next_runs(write_run, run, out)
    }

    /// Writes the next messages, some that follow each other at a time, with `write`; returns an empty piece at the end.
    pub fn next_runs(
        &mut self,
        mut write: impl FnMut(&MessageRun<'_>, &mut Vec<u8>) -> WrittenRows,
        run: &SearchContext<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), Cancelled> {
        let start = out.len();
        while 0 < self.left && out.len() - start < PIECE_BYTES_MIN {
            self.fill_pages(run)?;
            let Some((at, messages)) = self.first_run() else {
                self.missing = std::mem::take(&mut self.left);
                return Ok(());
            };
            let WrittenRows { rows, bytes } = write(&messages, out);
            assert!((1..=messages.rows.len()).contains(&rows), "some messages of the run are written");
            self.logspaces[at].written += rows;
            self.written_bytes += bytes as u64;
            self.written_messages += rows as u64;
            self.left -= rows as u64;
            self.wanted -= rows as u64;
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
            while logspace.next().is_none() && logspace.more {
                let LogspaceReader { filter, after, .. } = &*logspace;
                let request = Request { filter, range: *range, order: *order, limit, after: *after };
                let page = logspace.searcher.search_rows(&request, *groups, run);
                let coverage = &page.coverage;
                if coverage.cancelled || !coverage.late.is_empty() {
                    return Err(Cancelled);
                }
                damaged.extend(coverage.damaged.iter().map(|damage| named(&logspace.id, damage)));
                logspace.more = page.more;
                logspace.after = page.rows.last().map(PageRow::position).or(logspace.after);
                let found = page.rows.len() as u64;
                logspace.written = 0;
                logspace.page = match passing {
                    Some(passing) => passing.rows_of(&logspace.id, page),
                    None => page,
                };
                *left = left.saturating_sub(found - logspace.page.rows.len() as u64);
            }
        }
        Ok(())
    }

    /// The next messages that follow each other in one batch, and the logspace that has them.
    fn first_run(&self) -> Option<(usize, MessageRun<'_>)> {
        let next = self.logspaces.iter().enumerate().filter_map(|(at, of)| Some((at, of, of.next()?)));
        let (mut first, mut second) = (None, None);
        for candidate in next {
            let (_, of, row) = candidate;
            let is_before = |other: &Option<(usize, &LogspaceReader, &PageRow)>| {
                other.is_none_or(|(_, other, other_row)| self.is_before(of, row, other, other_row))
            };
            if is_before(&first) {
                second = first.replace(candidate);
            } else if is_before(&second) {
                second = Some(candidate);
            }
        }
        let (at, of, row) = first?;
        let is_next = |other: &&PageRow| {
            other.batch == row.batch
                && second.is_none_or(|(_, second, second_row)| self.is_before(of, other, second, second_row))
        };
        let rows = &of.page.rows[of.written..];
        let rows = &rows[..rows.len().min(usize::try_from(self.left.min(self.wanted)).unwrap_or(usize::MAX))];
        let rows = &rows[..rows.iter().take_while(is_next).count()];
        let run = MessageRun { logspace: &of.id, batch: &of.page.batches[row.batch as usize], rows };
        (!rows.is_empty()).then_some((at, run))
    }

    fn is_before(
        &self,
        of: &LogspaceReader,
        row: &PageRow,
        other: &LogspaceReader,
        other_row: &PageRow,
    ) -> bool {
        compare_positions(self.order, &of.id, row.position(), &other.id, other_row.position()).is_lt()
    }
}

impl LogspaceReader {
    /// The next message, if it is loaded.
    fn next(&self) -> Option<&PageRow> {
        self.page.rows.get(self.written)
    }
}

impl MessageRun<'_> {
    /// Writes message by message, with `write`, which returns the size of the message and whether to go on.
    pub fn write_each(&self, mut write: impl FnMut(&str, &Hit) -> (usize, bool)) -> WrittenRows {
        let mut written = WrittenRows::default();
        let [first, ..] = self.rows else { return written };
        let mut hit = Hit {
            sequence: first.sequence,
            time: first.time,
            batch: Arc::clone(self.batch),
            row: first.row as usize,
        };
        for row in self.rows {
            (hit.sequence, hit.time, hit.row) = (row.sequence, row.time, row.row as usize);
            let (bytes, goes_on) = write(self.logspace, &hit);
            written.rows += 1;
            written.bytes += bytes;
            if !goes_on {
                break;
            }
        }
        written
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
