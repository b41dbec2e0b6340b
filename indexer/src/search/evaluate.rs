//! Asks the index of a segment what a plan wants to know.
//!
//! **Invariant:** what comes back are [`Bounds`] that hold: where the index does not know, every row is possible.

use super::bounds::Bounds;
use super::plan::{Content, Names, Plan, Sufficient};
use super::required::Required;
use crate::segment::blocks::Blocks;
use crate::segment::bundle::IndexError;
use crate::segment::index::{Place, SegmentIndex};
use crate::segment::words::Found;
use logstead_record::query::{FieldName, TimeRange};
use logstead_record::{Batch, Columns, Selection};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// A walk over the dictionary is given up after this many terms for each row: to scan is then cheaper.
const WALKED_TERMS_PER_ROW: usize = 2;

/// A segment that is asked.
pub(crate) struct Evaluation<'a> {
    blocks: &'a Blocks,
    index: &'a SegmentIndex,
    rows: usize,
    /// Words that were looked up.
    found: RefCell<HashMap<Vec<u8>, Option<Rc<Found>>>>,
}

impl<'a> Evaluation<'a> {
    pub(crate) fn new(blocks: &'a Blocks, index: &'a SegmentIndex) -> Evaluation<'a> {
        Evaluation { blocks, index, rows: blocks.rows() as usize, found: RefCell::default() }
    }

    /// The rows whose time is in a range.
    pub(crate) fn within(&self, range: TimeRange) -> Result<Selection, IndexError> {
        let span = self.blocks.span;
        if range.contains(span.earliest) && range.contains(span.latest) {
            return Ok(Selection::all(self.rows));
        }
        self.index.times.rows_within(&(range.first.nanos()..=range.last.nanos()))
    }

    /// Which rows of `within` a plan means.
    pub(crate) fn bounds(&self, plan: &Plan, within: &Selection) -> Result<Bounds, IndexError> {
        if within.is_empty() {
            return Ok(Bounds::exact(within.clone()));
        }
        Ok(match plan {
            Plan::All => Bounds::exact(within.clone()),
            Plan::Nothing => Bounds::exact(Selection::none(self.rows)),
            Plan::Unknown => Bounds::some_of(within.clone()),
            Plan::And(plans) => self.all_of(plans, within)?,
            Plan::Or(plans) => self.any_of(plans, within)?,
            Plan::Not(plan) => self.bounds(plan, within)?.not(within),
            Plan::Time(range) => Bounds::exact(both(self.within(*range)?, within)),
            Plan::Received(range) => self.received(*range, within),
            Plan::Names(names) => self.names(names, within)?,
            Plan::Content(content) => self.content(content, within)?,
        })
    }

    /// How many rows of the whole segment a plan means, where that takes no look at rows.
    pub(crate) fn count(&self, plan: &Plan) -> Result<Option<u64>, IndexError> {
        Ok(match plan {
            Plan::All => Some(self.rows as u64),
            Plan::Nothing => Some(0),
            Plan::Not(plan) => self.count(plan)?.map(|count| self.rows as u64 - count),
            Plan::Or(plans) => self.count_any(plans)?,
            Plan::And(plans) if plans.iter().any(|plan| matches!(self.count(plan), Ok(Some(0)))) => Some(0),
            Plan::Names(names) => self.count_names(names)?,
            Plan::Content(content) if self.is_sufficient(content) => match &content.required {
                Required::Word(word) => match self.find(word)? {
                    None => Some(0),
                    Some(found) => found.exact.then_some(u64::from(found.rows)),
                },
                _ => None,
            },
            _ => None,
        })
    }

    /// About how many rows there are to look at for a plan, to take the cheapest first.
    fn cost(&self, plan: &Plan) -> Result<usize, IndexError> {
        Ok(match plan {
            Plan::Nothing => 0,
            Plan::All | Plan::Time(_) | Plan::Received(_) => self.rows / 64,
            Plan::Names(_) => self.rows / 16,
            Plan::Content(content) => self.cost_of_words(&content.required)?,
            Plan::Or(plans) => plans.iter().map(|plan| self.cost(plan)).sum::<Result<_, _>>()?,
            Plan::And(plans) => {
                let costs = plans.iter().map(|plan| self.cost(plan)).collect::<Result<Vec<_>, _>>()?;
                costs.into_iter().min().unwrap_or(0)
            }
            Plan::Not(plan) => self.cost(plan)?,
            Plan::Unknown => usize::MAX / 4096,
        })
    }

    fn cost_of_words(&self, required: &Required) -> Result<usize, IndexError> {
        Ok(match required {
            Required::Word(word) => self.find(word)?.map_or(0, |found| found.rows as usize),
            Required::All(many) => {
                let costs = many.iter().map(|one| self.cost_of_words(one)).collect::<Result<Vec<_>, _>>()?;
                costs.into_iter().min().unwrap_or(0)
            }
            Required::Any(many) => many.iter().map(|one| self.cost_of_words(one)).sum::<Result<_, _>>()?,
            Required::Like(_) => self.rows * 4,
            Required::Anything => usize::MAX / 4096,
        })
    }

    fn all_of(&self, plans: &[Plan], within: &Selection) -> Result<Bounds, IndexError> {
        let mut order = Vec::with_capacity(plans.len());
        for plan in plans {
            order.push((self.cost(plan)?, plan));
        }
        order.sort_by_key(|(cost, _)| *cost);
        let mut bounds = Bounds::exact(within.clone());
        for (_, plan) in order {
            if bounds.possible().is_empty() {
                break;
            }
            let more = self.bounds(plan, bounds.possible())?;
            bounds = bounds.and(&more);
        }
        Ok(bounds)
    }

    fn any_of(&self, plans: &[Plan], within: &Selection) -> Result<Bounds, IndexError> {
        let mut bounds = Bounds::exact(Selection::none(self.rows));
        for plan in plans {
            if self.count(plan)? != Some(0) {
                bounds = bounds.or(&self.bounds(plan, within)?);
            }
        }
        Ok(bounds)
    }

    fn count_any(&self, plans: &[Plan]) -> Result<Option<u64>, IndexError> {
        let mut only = Some(0);
        for plan in plans {
            match (self.count(plan)?, only) {
                (Some(0), _) => {}
                (count, Some(0)) => only = count,
                _ => return Ok(None),
            }
        }
        Ok(only)
    }

    /// By when blocks were received: only those that are partly in range are undecided.
    fn received(&self, range: TimeRange, within: &Selection) -> Bounds {
        let (mut certain, mut possible) = (Selection::none(self.rows), Selection::none(self.rows));
        for block in 0..self.blocks.len() {
            let span = self.blocks.entry(block).span;
            let rows = self.blocks.row_range(block);
            if range.contains(span.received_first) && range.contains(span.received_last) {
                certain.insert_range(rows.clone());
            }
            if span.received_first <= range.last && range.first <= span.received_last {
                possible.insert_range(rows);
            }
        }
        Bounds::between(both(certain, within), both(possible, within))
    }

    /// Which values of a column are meant, and whether having none is.
    fn accepted(&self, names: &Names, place: Place) -> Result<Option<(Selection, bool)>, IndexError> {
        let values = self.index.values(place)?;
        if !values.is_complete {
            return Ok(None);
        }
        let Some(batch) = Batch::of_values(&names.field, &values.texts) else { return Ok(None) };
        let accepted = names.matcher.select(&batch);
        let is_known = matches!(names.field, FieldName::Known(_));
        let accepts_none = is_known && !names.matcher.select(&nothing()).is_empty();
        Ok(Some((accepted, accepts_none)))
    }

    fn names(&self, names: &Names, within: &Selection) -> Result<Bounds, IndexError> {
        let place = self.index.place(&names.field);
        match place {
            Place::Nowhere => return Ok(Bounds::exact(Selection::none(self.rows))),
            Place::Blocks => return self.candidates(names, within.clone()),
            Place::Known(_) | Place::Dynamic(_) => {}
        }
        let Some((accepted, accepts_none)) = self.accepted(names, place)? else {
            if !self.index.knows_presence(place) {
                return Ok(Bounds::some_of(within.clone()));
            }
            let present = both(self.index.names(place)?.present(), within);
            // A known field without a value may have to be compared, too.
            let is_known = matches!(names.field, FieldName::Known(_));
            return match (names.exists, is_known) {
                (true, _) => Ok(Bounds::exact(present)),
                (false, true) => Ok(Bounds::some_of(within.clone())),
                (false, false) => self.candidates(names, present),
            };
        };
        if accepted.is_empty() && !accepts_none {
            return Ok(Bounds::exact(accepted_nowhere(self.rows)));
        }
        let column = self.index.names(place)?;
        let mut rows = column.rows_with(&accepted);
        if accepts_none {
            let mut absent = column.present();
            absent.invert();
            rows.union(&absent);
        }
        Ok(Bounds::exact(both(rows, within)))
    }

    fn count_names(&self, names: &Names) -> Result<Option<u64>, IndexError> {
        let place = self.index.place(&names.field);
        Ok(match place {
            Place::Nowhere => Some(0),
            Place::Blocks => None,
            Place::Known(_) | Place::Dynamic(_) => {
                let is_nobody =
                    |(accepted, accepts_none): (Selection, bool)| accepted.is_empty() && !accepts_none;
                self.accepted(names, place)?.is_some_and(is_nobody).then_some(0)
            }
        })
    }

    /// Of some rows, those whose words allow that a field without a column has a value that is meant.
    fn candidates(&self, names: &Names, within: Selection) -> Result<Bounds, IndexError> {
        if matches!(names.field, FieldName::Known(_)) {
            return Ok(Bounds::some_of(within));
        }
        Ok(Bounds::some_of(self.rows_with_words(&names.required, &within)?.possible().clone()))
    }

    fn is_sufficient(&self, content: &Content) -> bool {
        match content.sufficient {
            Sufficient::Yes => true,
            Sufficient::WithoutFields => self.index.fields.is_empty(),
            Sufficient::No => false,
        }
    }

    fn content(&self, content: &Content, within: &Selection) -> Result<Bounds, IndexError> {
        if self.is_sufficient(content) {
            return self.rows_with_words(&content.required, within);
        }
        let possible = self.rows_with_words(&content.required, within)?.possible().clone();
        let by_shape = match &content.shape {
            Some(shape) if !possible.is_empty() => self.index.rows_with_shape(shape)?,
            _ => None,
        };
        Ok(match by_shape {
            Some(rows) if self.index.fields.is_empty() => Bounds::exact(both(rows, within)),
            Some(rows) => Bounds::between(both(rows, &possible), possible),
            None => Bounds::some_of(possible),
        })
    }

    fn rows_with_words(&self, required: &Required, within: &Selection) -> Result<Bounds, IndexError> {
        Ok(match required {
            Required::Anything => Bounds::some_of(within.clone()),
            Required::Word(word) => match self.find(word)? {
                None => Bounds::exact(Selection::none(self.rows)),
                Some(found) => {
                    let mut rows = within.clone();
                    self.index.words.retain(&found, &mut rows)?;
                    if found.exact { Bounds::exact(rows) } else { Bounds::some_of(rows) }
                }
            },
            Required::Like(form) => {
                let accepts = &mut |word: &[u8]| form.accepts(word);
                let walked =
                    self.index.words.walk(form.prefix(), accepts, self.rows * WALKED_TERMS_PER_ROW)?;
                if !walked.complete {
                    return Ok(Bounds::some_of(within.clone()));
                }
                let mut possible = walked.rows.clone();
                possible.union(&walked.cut);
                Bounds::between(both(walked.rows, within), both(possible, within))
            }
            Required::All(many) => {
                let mut order = Vec::with_capacity(many.len());
                for one in many {
                    order.push((self.cost_of_words(one)?, one));
                }
                order.sort_by_key(|(cost, _)| *cost);
                let mut bounds = Bounds::exact(within.clone());
                for (_, one) in order {
                    if bounds.possible().is_empty() {
                        break;
                    }
                    bounds = bounds.clone().and(&self.rows_with_words(one, bounds.possible())?);
                }
                bounds
            }
            Required::Any(many) => {
                let mut bounds = Bounds::exact(Selection::none(self.rows));
                for one in many {
                    bounds = bounds.or(&self.rows_with_words(one, within)?);
                }
                bounds
            }
        })
    }

    fn find(&self, word: &[u8]) -> Result<Option<Rc<Found>>, IndexError> {
        if let Some(found) = self.found.borrow().get(word) {
            return Ok(found.clone());
        }
        let found = self.index.words.find(word)?.map(Rc::new);
        self.found.borrow_mut().insert(word.to_vec(), found.clone());
        Ok(found)
    }
}

fn both(mut rows: Selection, within: &Selection) -> Selection {
    rows.intersect(within);
    rows
}

fn accepted_nowhere(rows: usize) -> Selection {
    Selection::none(rows)
}

/// A message that says nothing.
fn nothing() -> Batch {
    Batch::from_columns(Columns::empty(1)).expect("columns of one row fit each other")
}
