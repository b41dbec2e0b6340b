//! Filters of routes and steps: a query, and stages that messages must pass.

use logstead_query::{Context, Matcher, Query, Stage};
use logstead_record::{Batch, Selection, Timestamp};
use logstead_transform::Transform;
use std::sync::Arc;

/// A compiled filter.
#[derive(Debug)]
pub(crate) struct CompiledFilter {
    query: FilterQuery,
    /// The stages that matching messages pass through.
    stages: Option<FilterStages>,
}

#[derive(Debug)]
enum FilterQuery {
    /// Every message.
    All,
    Fixed(Matcher),
    /// A query that depends on the time of day. The time of receipt of a batch is used, so routing stays a pure
    /// function of the batch.
    Moving(Query),
}

#[derive(Debug)]
enum FilterStages {
    Fixed(Transform),
    Moving(Vec<Stage>),
}

impl CompiledFilter {
    pub(crate) fn new(query: &Query) -> CompiledFilter {
        CompiledFilter::with_stages(query, &[])
    }

    /// A filter for the messages that match the query and pass all stages.
    pub(crate) fn with_stages(query: &Query, stages: &[Stage]) -> CompiledFilter {
        let query = match query {
            Query::All | Query::Copies => FilterQuery::All,
            query if query.uses_now() => FilterQuery::Moving(query.clone()),
            query => {
                FilterQuery::Fixed(Matcher::new(query, &Context { now: Timestamp::default(), logspace: "" }))
            }
        };
        let stages = match stages {
            [] => None,
            stages if stages.iter().any(Stage::uses_now) => Some(FilterStages::Moving(stages.to_vec())),
            stages => Some(FilterStages::Fixed(Transform::new(stages, Timestamp::default()))),
        };
        CompiledFilter { query, stages }
    }

    pub(crate) fn select_within(&self, batch: &Arc<Batch>, within: &Selection) -> Selection {
        let meant = self.query.select_within(batch, within);
        match &self.stages {
            Some(_) if meant.is_empty() => meant,
            Some(FilterStages::Fixed(transform)) => left(transform, batch, &meant),
            Some(FilterStages::Moving(stages)) => {
                left(&Transform::new(stages, batch.received(0)), batch, &meant)
            }
            None => meant,
        }
    }
}

impl FilterQuery {
    fn select_within(&self, batch: &Batch, within: &Selection) -> Selection {
        match self {
            FilterQuery::All => within.clone(),
            FilterQuery::Fixed(matcher) => matcher.select_within(batch, within),
            FilterQuery::Moving(_) if batch.is_empty() => within.clone(),
            FilterQuery::Moving(query) => {
                let context = Context { now: batch.received(0), logspace: "" };
                Matcher::new(query, &context).select_within(batch, within)
            }
        }
    }
}

/// The messages that pass the stages, unchanged: a filter selects, only steps change messages.
fn left(transform: &Transform, batch: &Arc<Batch>, meant: &Selection) -> Selection {
    if transform.keeps_all() {
        return meant.clone();
    }
    let mut left = Selection::none(batch.rows());
    transform.apply(batch, meant, "").rows.into_iter().for_each(|row| left.insert(row));
    left
}
