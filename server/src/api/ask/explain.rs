//! How a query is answered and what that costs, before it runs.

use crate::api::ask::aggregate::compile;
use crate::api::ask::parts::{WrittenClause, WrittenStage, written};
use crate::api::error::{ApiError, Result};
use crate::api::question::cancel::{Cancel, Weight, ask};
use crate::api::question::warning::QueryWarning;
use crate::api::question::{Asked, Parameters};
use crate::store::{Logspaces, Wanted};
use logstead_indexer::{self as indexer, Explained, Run};
use logstead_record::query::{Pipeline, Query, outline};
use serde::{Deserialize, Serialize};

/// What to explain.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExplainRequest {}

/// How a query is answered.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct ExplainResponse {
    /// The query as it was understood.
    query: String,
    /// What the store is searched for. Stages work on what that finds, and their cost is not in this answer.
    filter: String,
    /// The clauses that stand side by side in the filter, as they are written: together they find what it finds. One
    /// where the filter says `OR`.
    clauses_of_query: Vec<WrittenClause>,
    /// The stages, as they are written.
    stages: Vec<WrittenStage>,
    cost: Cost,
    /// All logspaces together.
    sum: Effort,
    logspaces: Vec<LogspaceExplained>,
    took_ms: u64,
    warnings: Vec<QueryWarning>,
}

/// How long an answer over everything that matches will take, by the messages that must be looked at one by one: one
/// core looks at some ten million a second. A page of the newest messages is often faster, and what is stored on a
/// slow disk and was not read lately is slower.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Cost {
    /// Under a tenth of a second: at most a million messages.
    Instant,
    /// Under a second: at most ten million.
    Quick,
    /// Under ten seconds: at most a hundred million.
    Slow,
    /// More.
    VerySlow,
}

/// What is done for an answer.
#[derive(Clone, Default, Serialize, utoipa::ToSchema)]
pub(crate) struct Effort {
    /// Sealed segments in range.
    segments: u64,
    /// Those that were asked for this; from them the others are estimated.
    asked_segments: u64,
    /// Sealed segments that are out of range.
    skipped_segments: u64,
    /// Sealed segments without an index: all their messages are looked at.
    unindexed_segments: u64,
    /// Messages of segments that are in range.
    messages: u64,
    /// Those that certainly match, without a look at them. For callers limited by a grant, this and everything that
    /// depends on what the messages say is 0, and the cost is that of a look at all messages in range.
    certain_messages: u64,
    /// Those that are looked at to be sure.
    undecided_messages: u64,
    /// Blocks that are decompressed for them.
    blocks: u64,
    /// Their length.
    blocks_bytes: u64,
    /// Messages that are in no segment yet: all are looked at.
    tail_messages: u64,
}

/// How one logspace answers.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct LogspaceExplained {
    logspace: String,
    #[serde(flatten)]
    effort: Effort,
    /// The clauses of the filter, each followed by its parts: at most 64.
    clauses: Vec<Clause>,
}

/// One clause of a filter by itself.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct Clause {
    query: String,
    /// How deep it stands: 0 for the whole filter.
    depth: usize,
    /// What answers it.
    #[schema(example = "column host")]
    how: String,
    /// Messages of the asked segments that certainly match.
    certain_messages: u64,
    /// Those that may.
    possible_messages: u64,
}

/// Says how a query is answered and what that costs, without running it.
#[utoipa::path(
    post, path = "/api/v1/explain", tag = "search", request_body = ExplainRequest,
    responses((status = 200, body = ExplainResponse))
)]
pub(crate) async fn explain(asked: Asked<ExplainRequest>) -> Result<axum::Json<ExplainResponse>> {
    let Asked { shared, caller, mut question, common, started, .. } = asked;
    let text = common.query.unwrap_or_default();
    let outline = outline(&text).map_err(ApiError::internal)?;
    let (clauses_of_query, stages) = written(&text, &outline);
    // What the caller wrote is explained, also where less of it may be seen: nothing is searched for here.
    question.query = question.asked.clone();
    let pipeline = Pipeline { filter: question.asked.clone(), stages: std::mem::take(&mut question.stages) };
    if !pipeline.stages.is_empty() {
        compile(&mut question, &pipeline, shared.query_memory_max())?;
    }
    let narrowed = question.narrowed;
    let answer = move |cancel: &Cancel| {
        let mut logspaces = Vec::new();
        for of in question.logspaces.each(question.wanted()) {
            let explained = of.searcher.explain(&of.filter, of.range, &cancel.run());
            let explained = if narrowed { without_contents(explained) } else { explained };
            logspaces.push(LogspaceExplained::new(of.id, &explained));
        }
        question.warn_of_unknown_fields(cancel);
        let sum = logspaces.iter().fold(Effort::default(), |sum, of| sum.plus(&of.effort));
        ExplainResponse {
            query: pipeline.to_string(),
            filter: question.query.to_string(),
            clauses_of_query,
            stages,
            cost: Cost::of(if narrowed { sum.messages + sum.tail_messages } else { sum.looked_at() }),
            sum,
            logspaces,
            took_ms: started.elapsed().as_millis() as u64,
            warnings: question.warnings,
        }
    };
    ask(&shared, &caller, Weight::Heavy, answer).await.map(axum::Json)
}

impl Parameters for ExplainRequest {
    const STAGES: bool = true;
}

/// Without the numbers that depend on what the messages say: for who may see a part of them.
fn without_contents(explained: Explained) -> Explained {
    let clauses = explained.clauses.into_iter().map(|clause| indexer::Clause {
        certain_messages: 0,
        possible_messages: 0,
        ..clause
    });
    Explained {
        certain_messages: 0,
        undecided_messages: 0,
        blocks: 0,
        blocks_bytes: 0,
        clauses: clauses.collect(),
        ..explained
    }
}

/// What is done for an answer over everything that matches.
pub(in crate::api) fn effort(logspaces: &Logspaces, wanted: Wanted<'_>, run: &Run<'_>) -> Effort {
    let of = logspaces.each(wanted).map(|of| Effort::of(&of.searcher.explain(&of.filter, of.range, run)));
    of.fold(Effort::default(), |sum, effort| sum.plus(&effort))
}

/// How many texts and fields are compared at most.
fn conditions(query: &Query) -> u64 {
    match query {
        Query::All => 0,
        Query::And(queries) | Query::Or(queries) => queries.iter().map(conditions).sum(),
        Query::Not(query) => conditions(query),
        Query::Text(_) | Query::Field(..) => 1,
    }
}

impl Cost {
    fn of(messages: u64) -> Cost {
        match messages {
            0..=1_000_000 => Cost::Instant,
            1_000_001..=10_000_000 => Cost::Quick,
            10_000_001..=100_000_000 => Cost::Slow,
            _ => Cost::VerySlow,
        }
    }
}

impl Effort {
    /// Messages that are looked at one by one.
    pub(in crate::api) fn looked_at(&self) -> u64 {
        self.undecided_messages.saturating_add(self.tail_messages)
    }

    /// Whether an answer takes no time, which depends on how many conditions a look compares, and for some answers also on
    /// how many messages match.
    pub(in crate::api) fn is_instant(&self, query: &Query, looks_at_all: bool) -> bool {
        let matching = if looks_at_all { self.certain_messages } else { 0 };
        let looked_at = self.looked_at().saturating_mul(conditions(query));
        Cost::of(looked_at.saturating_add(matching)) == Cost::Instant
    }

    fn plus(self, other: &Effort) -> Effort {
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

impl LogspaceExplained {
    fn new(logspace: &str, explained: &Explained) -> LogspaceExplained {
        let clauses = explained.clauses.iter().map(|clause| Clause {
            query: clause.query.clone(),
            depth: clause.depth,
            how: clause.how.clone(),
            certain_messages: clause.certain_messages,
            possible_messages: clause.possible_messages,
        });
        LogspaceExplained {
            logspace: logspace.to_owned(),
            clauses: clauses.collect(),
            effort: Effort::of(explained),
        }
    }
}

impl Effort {
    /// Segments that were not asked are taken to be like those that were.
    fn of(explained: &Explained) -> Effort {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_that_were_not_asked_are_like_those_that_were() {
        let explained = Explained {
            segments: 100,
            asked_segments: 32,
            messages: 3200,
            undecided_messages: 32,
            tail_messages: 7,
            ..Explained::default()
        };
        let effort = Effort::of(&explained);
        assert_eq!((effort.messages, effort.looked_at()), (10_000, 107));
        assert_eq!(Effort::of(&Explained::default()).looked_at(), 0);
    }

    #[test]
    fn what_is_looked_at_longer_costs_more() {
        let costs = [0, 1_000_001, 10_000_001, u64::MAX].map(Cost::of);
        assert_eq!(costs, [Cost::Instant, Cost::Quick, Cost::Slow, Cost::VerySlow]);
        assert!(costs.is_sorted());
    }
}
