//! Which copies a question leaves out: those whose original it asks for too.
//!
//! Whether a message is a copy, and where its original is, was noted when it was stored; nothing is compared here. What is
//! left out is a condition on two columns, which the indexes answer ([why](../../../docs/decisions/0028-copies.md)).
//!
//! **Invariant:** a copy is left out where the question asks its original's logspace for it, and that one still holds the
//! time of receipt; else it counts.

use logstead_indexer::Searcher;
use logstead_query::{FieldTest, Pattern, PatternPart, Pipeline, Query, Stage, TimeExpr, ValueRange};
use logstead_record::FieldName;
use logstead_record::{Field, Timestamp};
use std::ops::Bound;

/// What a question makes of copies.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Copies {
    /// It leaves out those whose original it asks for too.
    #[default]
    LeftOut,
    /// Each counts like any other message.
    Counted,
}

impl Copies {
    /// What a query says.
    pub fn of(pipeline: &Pipeline) -> Copies {
        let is_said = |stage: &Stage| matches!(stage, Stage::Where(query) if query.counts_copies());
        if pipeline.filter.counts_copies() || pipeline.stages.iter().any(is_said) {
            Copies::Counted
        } else {
            Copies::LeftOut
        }
    }
}

/// The copies that one logspace leaves out of what a query finds, where it is asked beside these others; `None` where it
/// leaves out none, whatever it holds.
pub(super) fn left_out<'a>(
    query: &Query,
    others: impl Iterator<Item = (&'a str, &'a Searcher)>,
) -> Option<Query> {
    let copies: Vec<Query> =
        others.filter_map(|(id, searcher)| copies_of(query, id, searcher.holds_after())).collect();
    (!copies.is_empty()).then(|| Query::or(copies))
}

/// The copies of what a query finds in another logspace.
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
