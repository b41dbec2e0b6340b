//! The cost of an answer, estimated beforehand.

use logstead_indexer::Explanation;
use logstead_query::Query;
use logstead_questions::store::{Logspaces, SearchCriteria};
use logstead_work::SearchContext;
use serde::Serialize;

/// How long an answer over all matches will take, judging by the number of messages that have to be read one by one:
/// a core reads about ten million per second. A page of the newest messages is often faster, and data on a slow disk
/// that was not read recently is slower.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = Cost)]
pub(crate) enum AnswerCost {
    /// Under a tenth of a second: at most a million messages.
    Instant,
    /// Under a second: at most ten million.
    Quick,
    /// Under ten seconds: at most a hundred million.
    Slow,
    /// Ten seconds or more.
    VerySlow,
}

/// The work for an answer.
#[derive(Clone, Default, Serialize, utoipa::ToSchema)]
pub(crate) struct Effort {
    /// The number of sealed segments in range.
    segments: u64,
    /// The segments that were examined for this estimate; the others are extrapolated.
    asked_segments: u64,
    /// The number of sealed segments that are out of range.
    skipped_segments: u64,
    /// Sealed segments without an index, of which all messages are read.
    unindexed_segments: u64,
    /// Messages of segments that are in range.
    pub(crate) messages: u64,
    /// Messages that certainly match, without being read. For callers limited by a grant, this and everything else
    /// that depends on the contents of messages is 0, and the cost is that of reading all messages in range.
    certain_messages: u64,
    /// Messages that have to be read.
    undecided_messages: u64,
    /// Blocks that are decompressed for them.
    blocks: u64,
    /// Their length in bytes.
    blocks_bytes: u64,
    /// Messages that are not in a segment yet, which are all read.
    pub(crate) tail_messages: u64,
}

/// The maximum number of texts and fields that are compared.
fn conditions(query: &Query) -> u64 {
    match query {
        Query::All | Query::Copies => 0,
        Query::And(queries) | Query::Or(queries) => queries.iter().map(conditions).sum(),
        Query::Not(query) => conditions(query),
        Query::Text(_) | Query::Field(..) => 1,
    }
}

impl AnswerCost {
    pub(crate) fn of(messages: u64) -> AnswerCost {
        match messages {
            0..=1_000_000 => AnswerCost::Instant,
            1_000_001..=10_000_000 => AnswerCost::Quick,
            10_000_001..=100_000_000 => AnswerCost::Slow,
            _ => AnswerCost::VerySlow,
        }
    }
}

impl Effort {
    /// Estimates the effort for an answer over all matches, from the logspaces that can be examined in time.
    pub(crate) fn estimate(
        logspaces: &Logspaces,
        wanted: SearchCriteria<'_>,
        run: &SearchContext<'_>,
    ) -> Effort {
        let each = logspaces.each(wanted, run);
        let each = each.filter_map(|of| Some(Effort::of(&of.searcher.estimate(&of.filter?, of.range, run))));
        each.fold(Effort::default(), |sum, effort| sum.plus(&effort))
    }

    /// Segments that were not examined are assumed to be like those that were.
    pub(crate) fn of(explained: &Explanation) -> Effort {
        let all = |asked: u64| {
            let all = u128::from(asked) * u128::from(explained.segments);
            u64::try_from(all / u128::from(explained.asked_segments.max(1))).unwrap_or(u64::MAX)
        };
        Effort {
            segments: explained.segments,
            asked_segments: explained.asked_segments,
            skipped_segments: explained.skipped_segments,
            unindexed_segments: all(explained.unindexed_segments),
            messages: all(explained.messages),
            certain_messages: all(explained.certain_messages),
            undecided_messages: all(explained.undecided_messages),
            blocks: all(explained.blocks),
            blocks_bytes: all(explained.blocks_bytes),
            tail_messages: explained.tail_messages,
        }
    }

    /// Messages that are read one by one.
    pub(crate) fn looked_at(&self) -> u64 {
        self.undecided_messages.saturating_add(self.tail_messages)
    }

    /// Whether an answer is instant, which depends on the number of conditions that are compared, and for some
    /// answers also on the number of matching messages.
    pub(crate) fn is_instant(&self, query: &Query, looks_at_all: bool) -> bool {
        let matching = if looks_at_all { self.certain_messages } else { 0 };
        let looked_at = self.looked_at().saturating_mul(conditions(query));
        AnswerCost::of(looked_at.saturating_add(matching)) == AnswerCost::Instant
    }

    /// The sum of both.
    pub(crate) fn plus(self, other: &Effort) -> Effort {
        Effort {
            segments: self.segments + other.segments,
            asked_segments: self.asked_segments + other.asked_segments,
            skipped_segments: self.skipped_segments + other.skipped_segments,
            unindexed_segments: self.unindexed_segments + other.unindexed_segments,
            messages: self.messages + other.messages,
            certain_messages: self.certain_messages + other.certain_messages,
            undecided_messages: self.undecided_messages + other.undecided_messages,
            blocks: self.blocks + other.blocks,
            blocks_bytes: self.blocks_bytes + other.blocks_bytes,
            tail_messages: self.tail_messages + other.tail_messages,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_that_were_not_asked_are_like_those_that_were() {
        let explained = Explanation {
            segments: 100,
            asked_segments: 32,
            messages: 3200,
            undecided_messages: 32,
            tail_messages: 7,
            ..Explanation::default()
        };
        let effort = Effort::of(&explained);
        assert_eq!((effort.messages, effort.looked_at()), (10_000, 107));
        assert_eq!(Effort::of(&Explanation::default()).looked_at(), 0);
    }

    #[test]
    fn what_is_looked_at_longer_costs_more() {
        let costs = [0, 1_000_001, 10_000_001, u64::MAX].map(AnswerCost::of);
        assert_eq!(costs, [AnswerCost::Instant, AnswerCost::Quick, AnswerCost::Slow, AnswerCost::VerySlow]);
        assert!(costs.is_sorted());
    }
}
