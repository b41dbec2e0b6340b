//! Answers a plan from the index of a segment.
//!
//! Conditions joined by OR are answered together: their wildcards by one walk through the dictionary, and their
//! values of a column by one pass over its rows. A negated OR is treated likewise, the other way round. Conditions
//! joined by AND may share a walk, within a limit of memory.
//!
//! | module        | owns                                                                        |
//! |---------------|-----------------------------------------------------------------------------|
//! | `by_template` | plans that need no row                                                      |
//! | `count`       | the number of rows that a plan matches, and an estimate of those it reads   |
//! | `conditions`  | plans joined by AND and by OR                                               |
//! | `columns`     | conditions on fields that every segment has a column of                     |
//! | `fields`      | conditions on dynamic fields                                                |
//! | `content`     | conditions on texts, answered by words, shapes and templates                |
//! | `walks`       | words of some form, gathered by a walk over the dictionary                  |
//!
//! **Invariant:** the [`RowBounds`] that are returned always hold: if the index does not know, or if the search has
//! been cancelled, every row is possible.

mod by_template;
mod columns;
mod conditions;
mod content;
mod count;
mod fields;
mod pids;
mod walks;

use super::bounds::RowBounds;
use super::plan::Plan;
use crate::segment::blocks::Blocks;
use crate::segment::bundle::IndexError;
use crate::segment::index::SegmentIndex;
use crate::segment::lexicon::{ShapeMatches, WordMatch};
use logstead_query::TimeRange;
use logstead_record::FieldName;
use logstead_record::{Batch, Selection};
use logstead_template::WordForm;
use logstead_work::Work;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// The work that examining one condition counts as.
const PLAN_WORK: usize = 256;
/// The number of rows of a packed column, or of a word, that are unpacked in the time of any other work on one row.
const PACKED_ROWS: usize = 8;

/// The evaluation of plans for one segment.
pub(crate) struct Evaluation<'a> {
    blocks: &'a Blocks,
    index: &'a SegmentIndex,
    rows: usize,
    work: Work<'a>,
    /// The words that have been looked up.
    found: RefCell<HashMap<Vec<u8>, Option<Rc<WordMatch>>>>,
    /// The distinct values of the columns that have been used, if they are kept.
    values: RefCell<Vec<(FieldName, Option<Rc<Batch>>)>>,
    /// The results of the last walk that was made for several conditions.
    ahead: RefCell<Vec<CachedWalk>>,
    /// The matches of each condition in the shapes of templates.
    by_shape: RefCell<HashMap<usize, Option<Rc<ShapeMatches>>>>,
}

/// Forms, and the rows that have a word of one of them; `None` if the walk was given up.
struct CachedWalk {
    forms: Vec<WordForm>,
    found: Option<RowBounds>,
}

impl<'a> Evaluation<'a> {
    pub(crate) fn new(blocks: &'a Blocks, index: &'a SegmentIndex, work: Work<'a>) -> Evaluation<'a> {
        Evaluation {
            blocks,
            index,
            rows: blocks.rows() as usize,
            work,
            found: RefCell::default(),
            values: RefCell::default(),
            ahead: RefCell::default(),
            by_shape: RefCell::default(),
        }
    }

    /// Whether everything was examined before the work was cancelled.
    pub(crate) fn is_through(&self) -> bool {
        self.work.go_on(0)
    }

    /// Whether the work may continue.
    fn goes_on(&self) -> bool {
        self.work.go_on(PLAN_WORK)
    }

    /// The rows whose time is in a range.
    pub(crate) fn within(&self, range: TimeRange) -> Result<Selection, IndexError> {
        if self.blocks.span.times().are_within(range) {
            return Ok(Selection::all(self.rows));
        }
        self.index.times.rows_within(&(range.first.nanos()..=range.last.nanos()))
    }

    /// The rows of `within` that match a plan.
    pub(crate) fn bounds(&self, plan: &Plan, within: &Selection) -> Result<RowBounds, IndexError> {
        if within.is_empty() {
            return Ok(RowBounds::exact(within.clone()));
        }
        if !self.work.go_on(PLAN_WORK) {
            return Ok(RowBounds::some_of(within.clone()));
        }
        match plan {
            Plan::All => return Ok(RowBounds::exact(within.clone())),
            Plan::Nothing => return Ok(RowBounds::exact(Selection::none(self.rows))),
            _ => {}
        }
        if let Some(templates) = self.templates(plan)? {
            return Ok(RowBounds::exact(both(self.index.words.rows_of(&templates)?, within)));
        }
        Ok(match plan {
            Plan::All => RowBounds::exact(within.clone()),
            Plan::Nothing => RowBounds::exact(Selection::none(self.rows)),
            Plan::Unknown => RowBounds::some_of(within.clone()),
            Plan::And(plans) => self.all_of(plans, within)?,
            Plan::Or(plans) => self.any_of(plans.iter(), within)?,
            Plan::Not(plan) => self.bounds(plan, within)?.not(within),
            Plan::Time(range) => RowBounds::exact(both(self.within(*range)?, within)),
            Plan::Received(range) => self.received(*range, within),
            Plan::Names(names) => self.any_name(&names.field, &[names], within)?,
            Plan::Content(content) => self.content(content, within)?,
            Plan::Pids(pids) => self.pids(pids, within)?,
        })
    }

    /// Compares the times at which blocks were received. Only blocks that are partly in the range remain undecided.
    fn received(&self, range: TimeRange, within: &Selection) -> RowBounds {
        let (mut certain, mut possible) = (Selection::none(self.rows), Selection::none(self.rows));
        for block in 0..self.blocks.len() {
            let span = self.blocks.span_of(block);
            let rows = self.blocks.row_range(block);
            if range.contains(span.received_first) && range.contains(span.received_last) {
                certain.insert_range(rows.clone());
            }
            if span.received_first <= range.last && range.first <= span.received_last {
                possible.insert_range(rows);
            }
        }
        RowBounds::between(both(certain, within), both(possible, within))
    }
}

fn both(mut rows: Selection, within: &Selection) -> Selection {
    rows.intersect(within);
    rows
}

fn is_dynamic(field: &FieldName) -> bool {
    matches!(field, FieldName::Dynamic(_))
}
