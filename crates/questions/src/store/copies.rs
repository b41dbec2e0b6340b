//! The copies that a question leaves out: those whose original is in another of its logspaces.
//!
//! Whether a message is a copy, and which logspace has its original, was recorded when it was stored; nothing is
//! compared at query time. Copies are left out by a condition on two columns, which the indexes answer
//! ([why](../../../docs/decisions/0028-copies.md)).
//!
//! **Invariant:** a copy is left out where the question asks its original's logspace for it, and that one still holds the
//! time of receipt; else it counts.

use logstead_indexer::Searcher;
use logstead_query::{FieldTest, Pattern, PatternPart, Pipeline, Query, Stage, TimeExpr, ValueRange};
use logstead_record::FieldName;
use logstead_record::{Field, Timestamp};
use std::ops::Bound;

/// How a question treats copies.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Copies {
    /// Copies whose original is in another logspace of the question are left out.
    #[default]
    LeftOut,
    /// Each copy counts like any other message.
    Counted,
}

impl Copies {
    /// The treatment that a query requests.
    pub fn of(pipeline: &Pipeline) -> Copies {
        let is_said = |stage: &Stage| matches!(stage, Stage::Where(query) if query.counts_copies());
        if pipeline.filter.counts_copies() || pipeline.stages.iter().any(is_said) {
            Copies::Counted
        } else {
            Copies::LeftOut
        }
    }
}

/// The copies that one logspace leaves out of a query's matches if it is searched together with these others; `None`
/// if it never leaves out any, whatever it holds.
pub(super) fn left_out<'a>(
    query: &Query,
    others: impl Iterator<Item = (&'a str, &'a Searcher)>,
) -> Option<Query> {
    let copies: Vec<Query> =
        others.filter_map(|(id, searcher)| copies_of(query, id, searcher.holds_after())).collect();
    (!copies.is_empty()).then(|| Query::or(copies))
}

/// The copies of a query's matches in another logspace.
fn copies_of(query: &Query, logspace: &str, held_after: Timestamp) -> Option<Query> {
    let asked = if query.distinguishes_copies() { query.of_originals_in(logspace) } else { Query::All };
    if held_after == Timestamp::MAX || asked.is_nothing() {
        return None;
    }
    let known = |field, test| Query::Field(FieldName::Known(field), test);
    let name = Pattern::new([PatternPart::Text(logspace.to_owned())], true);
    let mut all = vec![known(Field::CopyOf, FieldTest::Equals(name))];
    if held_after != Timestamp::MIN {
        let after = ValueRange::low(Bound::Excluded(TimeExpr::At(held_after)));
        all.push(known(Field::Received, FieldTest::Time(after)));
    }
    if asked != Query::All {
        all.push(asked);
    }
    Some(Query::and(all))
}
