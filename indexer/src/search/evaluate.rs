//! Asks the index of a segment what a plan wants to know.
//!
//! Conditions joined by OR are answered together: their wildcards by one walk over the dictionary, their
//! values of a column by one pass over its rows. Many of which none may hold are those turned round. Where all have to hold,
//! some of them share a walk, within a bound of memory.
//!
//! **Invariant:** what comes back are [`Bounds`] that hold: where the index does not know, or where nobody wants to
//! know any more, every row is possible.

use super::bounds::Bounds;
use super::forms::Forms;
use super::plan::{Content, Names, Plan, Sufficient};
use super::required::{Form, Required};
use crate::segment::blocks::Blocks;
use crate::segment::bundle::IndexError;
use crate::segment::index::{Place, SegmentIndex};
use crate::segment::lexicon::Found;
use crate::work::Work;
use crate::work::run::Run;
use logstead_record::query::{FieldName, TimeRange};
use logstead_record::{Batch, Selection};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// A walk over the dictionary is given up after this many terms for each row: to scan is then cheaper.
const WALKED_TERMS_PER_ROW: usize = 2;
/// What looking at a condition counts.
const PLAN_WORK: usize = 256;
/// So many rows of a packed column, or of a word, are unpacked in the time of other work on one.
const PACKED_ROWS: usize = 8;
/// Most conditions that share a walk over the dictionary: each keeps a bit for each row.
const SETS_MAX: usize = 32;
/// Most fields whose columns are read to know which rows have one.
const FIELDS_MAX: usize = 64;
/// Most columns whose values are kept while a segment is asked.
const VALUES_KEPT_MAX: usize = 16;

/// A segment that is asked.
pub(crate) struct Evaluation<'a> {
    blocks: &'a Blocks,
    pub(super) index: &'a SegmentIndex,
    rows: usize,
    work: Work<'a>,
    /// Words that were looked up.
    found: RefCell<HashMap<Vec<u8>, Option<Rc<Found>>>>,
    /// The distinct values of the columns that were asked, where they are kept.
    values: RefCell<Vec<(FieldName, Option<Rc<Batch>>)>>,
    /// What the last walk for several conditions found.
    ahead: RefCell<Vec<Ahead>>,
}

/// Forms, and the rows that have a word of one of them; nothing where the walk was given up.
struct Ahead {
    forms: Vec<Form>,
    found: Option<Bounds>,
}

/// Conditions joined by OR, by how they are answered.
#[derive(Default)]
struct AnyOf<'a> {
    /// Words of one of these forms are what is meant.
    sufficient: Vec<&'a Form>,
    /// Words of one of these forms are required.
    required: Vec<&'a Form>,
    /// By the values of a column.
    names: Vec<(&'a FieldName, Vec<&'a Names>)>,
    others: Vec<&'a Plan>,
}

impl<'a> Evaluation<'a> {
    pub(crate) fn new(blocks: &'a Blocks, index: &'a SegmentIndex, run: &Run<'a>) -> Evaluation<'a> {
        Evaluation {
            blocks,
            index,
            rows: blocks.rows() as usize,
            work: run.work(),
            found: RefCell::default(),
            values: RefCell::default(),
            ahead: RefCell::default(),
        }
    }

    /// Whether the work goes on.
    pub(super) fn goes_on(&self) -> bool {
        self.work.go_on(PLAN_WORK)
    }

    /// The rows whose time is in a range.
    pub(crate) fn within(&self, range: TimeRange) -> Result<Selection, IndexError> {
        if self.blocks.span.times().are_within(range) {
            return Ok(Selection::all(self.rows));
        }
        self.index.times.rows_within(&(range.first.nanos()..=range.last.nanos()))
    }

    /// Which rows of `within` a plan means.
    pub(crate) fn bounds(&self, plan: &Plan, within: &Selection) -> Result<Bounds, IndexError> {
        if within.is_empty() {
            return Ok(Bounds::exact(within.clone()));
        }
        if !self.work.go_on(PLAN_WORK) {
            return Ok(Bounds::some_of(within.clone()));
        }
        if let Some(templates) = self.templates(plan)? {
            return Ok(Bounds::exact(both(self.index.words.rows_of(&templates)?, within)));
        }
        Ok(match plan {
            Plan::All => Bounds::exact(within.clone()),
            Plan::Nothing => Bounds::exact(Selection::none(self.rows)),
            Plan::Unknown => Bounds::some_of(within.clone()),
            Plan::And(plans) => self.all_of(plans, within)?,
            Plan::Or(plans) => self.any_of(plans.iter(), within)?,
            Plan::Not(plan) => self.bounds(plan, within)?.not(within),
            Plan::Time(range) => Bounds::exact(both(self.within(*range)?, within)),
            Plan::Received(range) => self.received(*range, within),
            Plan::Names(names) => self.names(names, within)?,
            Plan::Content(content) => self.content(content, within)?,
        })
    }

    /// How many rows of the whole segment a plan means, if it can be told without reading rows.
    pub(crate) fn count(&self, plan: &Plan) -> Result<Option<u64>, IndexError> {
        if !self.work.go_on(PLAN_WORK) {
            return Ok(None);
        }
        if let Some(templates) = self.templates(plan)? {
            return Ok(Some(self.index.words.count_of(&templates)));
        }
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
                    Some(found) => self.index.words.count(&found).map(u64::from),
                },
                _ => None,
            },
            _ => None,
        })
    }

    /// About how many rows there are to look at for a plan, to take the cheapest first.
    fn cost(&self, plan: &Plan) -> Result<usize, IndexError> {
        if !self.work.go_on(PLAN_WORK) {
            return Ok(0);
        }
        Ok(match plan {
            Plan::Nothing => 0,
            Plan::All | Plan::Time(_) | Plan::Received(_) => self.rows / 64,
            Plan::Names(_) => self.rows / 16,
            Plan::Content(content) => self.cost_of_words(&content.required)?,
            Plan::Or(plans) => {
                let costs = plans.iter().map(|plan| self.cost(plan)).collect::<Result<Vec<_>, _>>()?;
                costs.into_iter().fold(0, usize::saturating_add)
            }
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
            Required::Any(many) => {
                let costs = many.iter().map(|one| self.cost_of_words(one)).collect::<Result<Vec<_>, _>>()?;
                costs.into_iter().fold(0, usize::saturating_add)
            }
            Required::Like(_) => self.rows * 4,
            Required::Anything => usize::MAX / 4096,
        })
    }

    fn all_of(&self, plans: &[Plan], within: &Selection) -> Result<Bounds, IndexError> {
        let (mut order, mut without) = (Vec::with_capacity(plans.len()), Vec::new());
        for plan in plans {
            match plan {
                Plan::Not(plan) => without.push(&**plan),
                plan => order.push((self.cost(plan)?, plan)),
            }
        }
        order.sort_by_key(|(cost, _)| *cost);
        let mut bounds = Bounds::exact(within.clone());
        for (at, (_, plan)) in order.iter().enumerate() {
            if bounds.possible().is_empty() {
                break;
            }
            self.walk_ahead(&order[at..])?;
            let more = self.bounds(plan, bounds.possible())?;
            bounds = bounds.and(&more);
        }
        if without.is_empty() || bounds.possible().is_empty() {
            return Ok(bounds);
        }
        let left = self.any_of(without, bounds.possible())?.not(bounds.possible());
        Ok(bounds.and(&left))
    }

    /// Looks for the words of the first of these conditions, and in the same walk for those of the next ones.
    fn walk_ahead(&self, order: &[(usize, &Plan)]) -> Result<(), IndexError> {
        let mut sets: Vec<Vec<Form>> = Vec::new();
        for (at, (_, plan)) in order.iter().enumerate() {
            if SETS_MAX <= sets.len() || !self.work.go_on(PLAN_WORK) {
                break;
            }
            for set in self.sets_of(plan) {
                if !self.is_ahead(&set) && !sets.contains(&set) {
                    sets.push(set);
                }
            }
            if at == 0 && sets.is_empty() {
                return Ok(());
            }
        }
        if sets.len() < 2 {
            return Ok(());
        }
        let forms = Forms::of_sets(&sets);
        let terms_max = self.rows.saturating_mul(WALKED_TERMS_PER_ROW).saturating_mul(forms.len());
        let walked = self.index.words.walk(&forms, terms_max, &self.work)?;
        let bounds = |rows: Selection| {
            let mut possible = walked.cut.clone();
            possible.union(&rows);
            walked.complete.then(|| Bounds::between(rows, possible))
        };
        let found = sets.into_iter().zip(walked.rows);
        *self.ahead.borrow_mut() = found.map(|(forms, rows)| Ahead { forms, found: bounds(rows) }).collect();
        Ok(())
    }

    /// The forms that a condition looks for by a walk over all words.
    fn sets_of(&self, plan: &Plan) -> Vec<Vec<Form>> {
        if !matches!(plan, Plan::Content(_) | Plan::Names(_) | Plan::Or(_)) {
            return Vec::new();
        }
        let mut any = AnyOf::default();
        self.sort_out(plan, &mut any);
        let walks = |forms: &&Vec<&Form>| forms.iter().any(|form| !matches!(form, Form::Begins(_)));
        let sets = [any.sufficient, any.required];
        sets.iter().filter(walks).map(|forms| forms.iter().map(|form| (*form).clone()).collect()).collect()
    }

    fn is_ahead(&self, forms: &[Form]) -> bool {
        self.ahead.borrow().iter().any(|known| known.forms == forms)
    }

    fn any_of<'p>(
        &self,
        plans: impl IntoIterator<Item = &'p Plan>,
        within: &Selection,
    ) -> Result<Bounds, IndexError> {
        let mut any = AnyOf::default();
        plans.into_iter().for_each(|plan| self.sort_out(plan, &mut any));
        let mut bounds = self.rows_with_forms(&any.sufficient, within)?;
        if !any.required.is_empty() {
            let required = self.rows_with_forms(&any.required, within)?;
            bounds = bounds.or(&Bounds::some_of(required.possible().clone()));
        }
        for (field, names) in &any.names {
            bounds = bounds.or(&self.any_name(field, names, within)?);
        }
        for plan in any.others {
            if bounds.certain == *within || !self.work.go_on(PLAN_WORK) {
                // The rest makes no difference, or none that anybody wants to know.
                return Ok(bounds.or(&Bounds::some_of(within.clone())));
            }
            if self.count(plan)? != Some(0) {
                bounds = bounds.or(&self.bounds(plan, within)?);
            }
        }
        Ok(bounds)
    }

    fn sort_out<'p>(&self, plan: &'p Plan, any: &mut AnyOf<'p>) {
        match plan {
            Plan::Or(plans) => plans.iter().for_each(|plan| self.sort_out(plan, any)),
            Plan::Content(content) => match &content.required {
                Required::Like(form) if self.is_sufficient(content) => any.sufficient.push(form),
                Required::Like(form) if content.expression.is_none() => any.required.push(form),
                _ => any.others.push(plan),
            },
            Plan::Names(names) => match (&names.required, self.index.place(&names.field)) {
                (_, Place::Nowhere) => {}
                (_, Place::Known(_) | Place::Dynamic(_)) => any.add_names(names),
                (Required::Like(form), Place::Blocks) if is_dynamic(&names.field) => any.required.push(form),
                (_, Place::Blocks) => any.others.push(plan),
            },
            plan => any.others.push(plan),
        }
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
            let span = self.blocks.span_of(block);
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

    /// The distinct values of a column, as a batch that a matcher can look at; none where they are not kept.
    fn values(&self, field: &FieldName) -> Result<Option<Rc<Batch>>, IndexError> {
        if let Some((_, values)) = self.values.borrow().iter().find(|(known, _)| known == field) {
            return Ok(values.clone());
        }
        let values = self.index.values(self.index.place(field))?;
        let batch = values.is_complete.then(|| Batch::of_values(field, &values.texts)).flatten().map(Rc::new);
        let mut kept = self.values.borrow_mut();
        kept.truncate(VALUES_KEPT_MAX - 1);
        kept.push((field.clone(), batch.clone()));
        Ok(batch)
    }

    /// Which values of a column are meant; none where the values are not kept, or the work has ended.
    fn accepted(&self, names: &Names) -> Result<Option<Selection>, IndexError> {
        let Some(batch) = self.values(&names.field)? else { return Ok(None) };
        let all = Selection::all(batch.rows());
        Ok(names.matcher.select_while(&batch, &all, &|rows| self.work.go_on(rows)))
    }

    /// The rows that have one of these values of a field, or none where that is accepted.
    fn rows_with_values(
        &self,
        field: &FieldName,
        accepted: &Selection,
        accepts_none: bool,
        within: &Selection,
    ) -> Result<Bounds, IndexError> {
        if accepted.is_empty() && !accepts_none {
            return Ok(Bounds::exact(Selection::none(self.rows)));
        }
        if !self.work.go_on(self.rows / PACKED_ROWS) {
            return Ok(Bounds::some_of(within.clone()));
        }
        let column = self.index.names(self.index.place(field))?;
        let mut rows = column.rows_with(accepted);
        if accepts_none {
            let mut absent = column.present();
            absent.invert();
            rows.union(&absent);
        }
        Ok(Bounds::exact(both(rows, within)))
    }

    /// Where one of several conditions on the same field holds.
    fn any_name(
        &self,
        field: &FieldName,
        names: &[&Names],
        within: &Selection,
    ) -> Result<Bounds, IndexError> {
        let mut bounds = Bounds::exact(Selection::none(self.rows));
        let Some(values) = self.values(field)? else {
            for names in names {
                bounds = bounds.or(&self.names(names, within)?);
            }
            return Ok(bounds);
        };
        let mut accepted = Selection::none(values.rows());
        for names in names {
            match self.accepted(names)? {
                Some(more) => accepted.union(&more),
                None => return Ok(Bounds::some_of(within.clone())),
            }
        }
        let accepts_none = names.iter().any(|names| names.accepts_none);
        self.rows_with_values(field, &accepted, accepts_none, within)
    }

    fn names(&self, names: &Names, within: &Selection) -> Result<Bounds, IndexError> {
        let place = self.index.place(&names.field);
        match place {
            Place::Nowhere => return Ok(Bounds::exact(Selection::none(self.rows))),
            Place::Blocks => return self.candidates(names, within.clone()),
            Place::Known(_) | Place::Dynamic(_) => {}
        }
        if let Some(accepted) = self.accepted(names)? {
            return self.rows_with_values(&names.field, &accepted, names.accepts_none, within);
        }
        if !self.index.knows_presence(place) || !self.work.go_on(PLAN_WORK) {
            return Ok(Bounds::some_of(within.clone()));
        }
        let column = self.index.names(place)?;
        let present = both(column.present(), within);
        match (names.exists, is_dynamic(&names.field)) {
            (true, is_dynamic) if column.is_filled() || !is_dynamic => Ok(Bounds::exact(present)),
            // A value may be empty, which is as if there were none.
            (true, _) => Ok(Bounds::some_of(present)),
            // A known field without a value may have to be compared, too.
            (false, false) => Ok(Bounds::some_of(within.clone())),
            (false, true) => self.candidates(names, present),
        }
    }

    pub(super) fn count_names(&self, names: &Names) -> Result<Option<u64>, IndexError> {
        Ok(match self.index.place(&names.field) {
            Place::Nowhere => Some(0),
            Place::Blocks => None,
            Place::Known(_) | Place::Dynamic(_) if names.accepts_none => None,
            Place::Known(_) | Place::Dynamic(_) => {
                self.accepted(names)?.is_some_and(|accepted| accepted.is_empty()).then_some(0)
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

    pub(super) fn is_sufficient(&self, content: &Content) -> bool {
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
        if let Some(expression) = &content.expression
            && let Some((certain, mut may_be)) =
                self.index.words.rows_matching(expression, &possible, &self.work)?
        {
            if content.in_fields && !self.index.fields.is_empty() {
                may_be.union(&self.rows_with_fields()?);
            }
            may_be.union(&certain);
            return Ok(Bounds::between(both(certain, &possible), both(may_be, &possible)));
        }
        let by_shape = match &content.shape {
            Some(shape) if !possible.is_empty() && self.work.go_on(self.rows) => {
                let mut words = Vec::new();
                let are_all = content.required.collect_words(&mut words) && words.len() == shape.words;
                self.index.rows_with_shape(&shape.matcher, (&words, are_all && shape.is_plain))?
            }
            _ => None,
        };
        let Some((certain, may_be)) = by_shape else { return Ok(Bounds::some_of(possible)) };
        Ok(Bounds::between(both(certain, &possible), both(may_be, &possible)))
    }

    /// The rows that may have a dynamic field.
    fn rows_with_fields(&self) -> Result<Selection, IndexError> {
        let fields = &self.index.fields;
        if !fields.have_columns() || FIELDS_MAX < fields.with_column.len() {
            return Ok(Selection::all(self.rows));
        }
        let mut rows = Selection::none(self.rows);
        for number in 0..fields.with_column.len() {
            rows.union(&self.index.names(Place::Dynamic(number))?.present());
        }
        Ok(rows)
    }

    fn rows_with_words(&self, required: &Required, within: &Selection) -> Result<Bounds, IndexError> {
        Ok(match required {
            Required::Anything => Bounds::some_of(within.clone()),
            Required::Word(word) => match self.find(word)? {
                None => Bounds::exact(Selection::none(self.rows)),
                Some(found) if !self.work.go_on(found.rows as usize / PACKED_ROWS) => {
                    Bounds::some_of(within.clone())
                }
                Some(found) => {
                    let mut rows = within.clone();
                    let is_exact = self.index.words.retain(&found, &mut rows)?;
                    if is_exact { Bounds::exact(rows) } else { Bounds::some_of(rows) }
                }
            },
            Required::Like(form) => self.rows_with_forms(&[form], within)?,
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
                    if !self.work.go_on(PLAN_WORK) {
                        return Ok(Bounds::some_of(within.clone()));
                    }
                    bounds = bounds.or(&self.rows_with_words(one, within)?);
                }
                bounds
            }
        })
    }

    /// The rows with a word of one of these forms: a walk over the dictionary, however many they are.
    fn rows_with_forms(&self, forms: &[&Form], within: &Selection) -> Result<Bounds, IndexError> {
        let none = Selection::none(self.rows);
        if forms.is_empty() {
            return Ok(Bounds::exact(none));
        }
        let is_meant = |known: &&Ahead| known.forms.iter().eq(forms.iter().copied());
        if let Some(known) = self.ahead.borrow().iter().find(is_meant) {
            let within = Bounds::exact(within.clone());
            return Ok(match &known.found {
                Some(found) => within.and(found),
                None => Bounds::some_of(within.certain),
            });
        }
        let forms = Forms::new(forms.iter().copied());
        let terms_max = self.rows.saturating_mul(WALKED_TERMS_PER_ROW).saturating_mul(forms.len());
        let mut walked = self.index.words.walk(&forms, terms_max, &self.work)?;
        if !walked.complete {
            return Ok(Bounds::some_of(within.clone()));
        }
        let (rows, mut cut) = (walked.rows.remove(0), walked.cut);
        cut.union(&rows);
        Ok(Bounds::between(both(rows, within), both(cut, within)))
    }

    pub(super) fn find(&self, word: &[u8]) -> Result<Option<Rc<Found>>, IndexError> {
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

fn is_dynamic(field: &FieldName) -> bool {
    matches!(field, FieldName::Dynamic(_))
}

impl<'a> AnyOf<'a> {
    fn add_names(&mut self, names: &'a Names) {
        match self.names.iter_mut().find(|(field, _)| **field == names.field) {
            Some((_, same)) => same.push(names),
            None => self.names.push((&names.field, vec![names])),
        }
    }
}
