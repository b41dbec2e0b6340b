//! Makes answers of everything that matches: from the columns of segments where they suffice, otherwise from the
//! messages.
//!
//! **Invariant:** an answer is the same from columns and from messages.

use super::coverage::Coverage;
use super::question::{Filter, Question};
use super::searcher::Searcher;
use super::sweep::{self, Sealed, Visitor};
use crate::answer::{
    Aggregation, AnswerError, BatchTimes, Coded, Facets, Frame, Histogram, Part, Place as StoredAt, RowTimes,
    Unreadable,
};
use crate::segment::bundle::{IndexError, Section};
use crate::segment::index::{Place, SegmentIndex};
use crate::segment::names::Names;
use crate::segment::times::Times;
use crate::work::Work;
use crate::work::run::Run;
use logstead_record::query::{FieldName, TimeRange};
use logstead_record::{Batch, Field, Group, Groups, Selection, Storage, TextColumn, Timestamp};
use std::borrow::Cow;
use std::sync::Arc;

/// An answer that is asked for.
pub enum Asked<'a> {
    /// How many messages there are in each span of time.
    Histogram(&'a mut Histogram),
    /// The most frequent values of fields.
    Facets(&'a mut Facets),
    /// The table of a pipeline.
    Table(&'a mut Aggregation),
}

impl Searcher {
    /// Adds all messages that match to some answers, in one pass. Answers may be added to by several logspaces,
    /// one after the other.
    pub fn answer(
        &self,
        (logspace, filter, range): (&str, &Filter, TimeRange),
        run: &Run<'_>,
        asked: &mut [Asked<'_>],
    ) -> Result<Coverage, AnswerError> {
        let mut answers = Answers { logspace, asked, work: run.work(), error: None };
        let coverage = sweep::sweep(&self.view(), Question { filter, range, run: *run }, &mut answers);
        match answers.error {
            Some(AnswerError::Cancelled) => Ok(Coverage { complete: false, cancelled: true, ..coverage }),
            error => error.map_or(Ok(coverage), Err),
        }
    }
}

struct Answers<'a, 'b> {
    logspace: &'a str,
    asked: &'a mut [Asked<'b>],
    work: Work<'a>,
    /// There is no answer after this.
    error: Option<AnswerError>,
}

/// Why columns did not give an answer.
enum Failed {
    /// There is none at all.
    Answer(AnswerError),
    /// The index cannot be read.
    Index(IndexError),
}

impl Visitor for Answers<'_, '_> {
    fn newest_first(&self) -> bool {
        true
    }

    fn floor(&self) -> Option<Timestamp> {
        match &*self.asked {
            [Asked::Table(table)] => table.floor(),
            _ => None,
        }
    }

    fn segment(&mut self, sealed: &Sealed<'_>, rows: &Selection, run: &Run<'_>) -> Coverage {
        if self.error.is_some() {
            return Coverage::default();
        }
        let by_messages: Vec<usize> =
            (0..self.asked.len()).filter(|&at| !self.add_by_columns(at, sealed, rows)).collect();
        if by_messages.is_empty() || self.error.is_some() {
            return Coverage::default();
        }
        let groups = by_messages.iter().map(|&at| self.asked[at].groups());
        let groups = groups.fold(Group::Stamps.into(), Groups::and);
        sealed.read(rows, groups, run, &mut |first_sequence, batch, rows| {
            for &at in &by_messages {
                self.add_batch(at, first_sequence, batch, rows);
            }
        })
    }

    fn batch(&mut self, first_sequence: u64, batch: &Arc<Batch>, rows: &Selection, _: &Run<'_>) {
        (0..self.asked.len()).for_each(|at| self.add_batch(at, first_sequence, batch, rows));
    }
}

impl Answers<'_, '_> {
    /// Whether the columns of a segment gave an answer what it needs.
    fn add_by_columns(&mut self, at: usize, sealed: &Sealed<'_>, rows: &Selection) -> bool {
        let Some(index) = sealed.index.as_deref() else { return false };
        let columns = Columns { index, logspace: self.logspace, rows: rows.rows() };
        match self.asked[at].add_columns(&columns, rows, &self.work) {
            Ok(added) => added,
            Err(Failed::Answer(error)) => {
                self.error = Some(error);
                true
            }
            Err(Failed::Index(error)) => {
                sealed.segment.distrust_index(error);
                false
            }
        }
    }

    fn add_batch(&mut self, at: usize, first_sequence: u64, batch: &Batch, rows: &Selection) {
        if self.error.is_none() {
            let place = StoredAt { logspace: self.logspace, first_sequence };
            self.error = self.asked[at].add_batch(batch, rows, place, &self.work).err();
        }
    }
}

impl Asked<'_> {
    /// Adds rows of a segment by its columns; `false` where those do not suffice.
    fn add_columns(
        &mut self,
        columns: &Columns<'_>,
        rows: &Selection,
        work: &Work<'_>,
    ) -> Result<bool, Failed> {
        if let Asked::Table(table) = self
            && table.needs_batches()
        {
            return Ok(false);
        }
        if let Asked::Facets(facets) = self {
            return columns.add_facets(facets, rows, work);
        }
        let Some(fields) = columns.coded(self.needs(), work)? else { return Ok(false) };
        let times = SegmentTimes::of(&columns.index.times);
        let part = Part { rows: rows.rows(), selected: rows, times: &times, fields };
        let added = match self {
            Asked::Histogram(histogram) => histogram.add(&part, work),
            Asked::Table(table) => table.add(&part, work),
            Asked::Facets(_) => Ok(()),
        };
        match added {
            Ok(()) => Ok(true),
            Err(AnswerError::Unreadable(Unreadable(why))) => Err(Failed::Index(IndexError::Format(why))),
            Err(error) => Err(Failed::Answer(error)),
        }
    }

    fn add_batch(
        &mut self,
        batch: &Batch,
        rows: &Selection,
        place: StoredAt<'_>,
        work: &Work<'_>,
    ) -> Result<(), AnswerError> {
        if let Asked::Table(table) = self {
            return table.add_batch(batch, rows, place, work);
        }
        if let Asked::Facets(facets) = self {
            facets.add(batch, rows, place.logspace);
            return Ok(());
        }
        let fields = self.needs().iter().map(|field| Coded::of_batch(batch, field, place.logspace)).collect();
        let times = BatchTimes::of(batch);
        let part = Part { rows: batch.rows(), selected: rows, times: &times, fields };
        match self {
            Asked::Histogram(histogram) => histogram.add(&part, work),
            Asked::Facets(_) | Asked::Table(_) => Ok(()),
        }
    }

    fn needs(&self) -> &[FieldName] {
        match self {
            Asked::Histogram(histogram) => histogram.needs(),
            Asked::Facets(facets) => facets.needs(),
            Asked::Table(table) => table.needs(),
        }
    }

    /// The columns of messages that it looks at.
    fn groups(&self) -> Groups {
        let fields = match self {
            Asked::Table(table) => table.reads(),
            other => Some(other.needs()),
        };
        fields.map_or(Groups::ALL, |fields| {
            fields.iter().map(FieldName::groups).fold(Groups::NONE, Groups::and)
        })
    }
}

/// The columns of a segment's index.
struct Columns<'a> {
    index: &'a SegmentIndex,
    logspace: &'a str,
    rows: usize,
}

impl Columns<'_> {
    /// Where each field is; none where one of them has no column with values.
    fn places(&self, fields: &[FieldName]) -> Result<Option<Vec<Place>>, Failed> {
        let mut places = Vec::with_capacity(fields.len());
        for field in fields {
            let place = self.index.place(field);
            let is_logspace = *field == FieldName::Known(Field::Logspace);
            match place {
                Place::Blocks if is_logspace => {}
                Place::Blocks => return Ok(None),
                Place::Nowhere => {}
                Place::Known(_) | Place::Dynamic(_) => {
                    if !self.index.values(place).map_err(Failed::Index)?.is_complete {
                        return Ok(None);
                    }
                }
            }
            places.push(place);
        }
        Ok(Some(places))
    }

    fn coded(&self, fields: &[FieldName], work: &Work<'_>) -> Result<Option<Vec<Coded<'static>>>, Failed> {
        let Some(places) = self.places(fields)? else { return Ok(None) };
        let mut coded = Vec::with_capacity(fields.len());
        for (field, place) in fields.iter().zip(places) {
            check(work, self.rows)?;
            coded.push(match place {
                Place::Known(_) | Place::Dynamic(_) => {
                    let names = self.index.names(place).map_err(Failed::Index)?;
                    let ids = Cow::Owned(names.ids());
                    values_of(field, &names, ids)
                }
                Place::Blocks => Coded::constant(self.logspace, self.rows),
                Place::Nowhere => Coded { ids: Cow::Owned(vec![0; self.rows]), ..Coded::default() },
            });
        }
        Ok(Some(coded))
    }

    /// Counts by ids, which takes no look at each row.
    fn add_facets(&self, facets: &mut Facets, rows: &Selection, work: &Work<'_>) -> Result<bool, Failed> {
        let fields = facets.needs().to_vec();
        let Some(places) = self.places(&fields)? else { return Ok(false) };
        for (at, (field, place)) in fields.iter().zip(places).enumerate() {
            check(work, self.rows)?;
            match place {
                Place::Known(_) | Place::Dynamic(_) => {
                    let names = self.index.names(place).map_err(Failed::Index)?;
                    let counts = names.counts(rows);
                    facets.add_counts(at, &values_of(field, &names, Cow::default()), &counts);
                }
                Place::Blocks => {
                    facets.add_counts(at, &Coded::constant(self.logspace, 0), &[rows.count() as u64]);
                }
                Place::Nowhere => {}
            }
        }
        Ok(true)
    }
}

/// Whether to look at a column of this many rows.
fn check(work: &Work<'_>, rows: usize) -> Result<(), Failed> {
    if work.go_on(rows) { Ok(()) } else { Err(Failed::Answer(AnswerError::Cancelled)) }
}

/// The values of a column as answers show them.
fn values_of<'a>(field: &FieldName, names: &Names, ids: Cow<'a, [u32]>) -> Coded<'a> {
    let codes = |values: &TextColumn| {
        values.iter().map(|value| value.first().copied().unwrap_or(0)).collect::<Vec<_>>()
    };
    match field {
        FieldName::Known(field) if matches!(field.storage(), Storage::Priority(_) | Storage::Flags) => {
            Coded::of_codes(*field, codes(names.values()), ids)
        }
        _ => Coded { values: Cow::Owned(names.values().clone()), ids, ..Coded::default() },
    }
}

/// The times of a segment.
struct SegmentTimes<'a> {
    times: &'a Times<Section>,
    frames: Vec<Frame>,
}

impl SegmentTimes<'_> {
    fn of(times: &Times<Section>) -> SegmentTimes<'_> {
        let frames = times.frames().iter();
        let frames = frames.map(|frame| Frame {
            rows: frame.rows.clone(),
            earliest: frame.earliest,
            latest: frame.latest,
        });
        SegmentTimes { times, frames: frames.collect() }
    }
}

impl RowTimes for SegmentTimes<'_> {
    fn frames(&self) -> &[Frame] {
        &self.frames
    }

    fn read(&self, frame: usize, out: &mut Vec<i64>) -> Result<(), Unreadable> {
        *out = self
            .times
            .read(self.frames[frame].rows.clone())
            .map_err(|error| Unreadable(error.to_string()))?;
        Ok(())
    }
}
