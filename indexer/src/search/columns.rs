//! What answers are made of where a segment has columns of the fields that they ask for.

use super::sweep::Sealed;
use crate::segment::bundle::{IndexError, Section};
use crate::segment::index::{Place, SegmentIndex};
use crate::segment::names::Names;
use crate::segment::times::Times;
use logstead_answer::{AnswerError, Coded, Facets, Frame, Histogram, Part, RowTimes, Seen, Unreadable};
use logstead_record::FieldName;
use logstead_record::{Field, Selection, Storage, TextColumn};
use logstead_work::Work;
use std::borrow::Cow;
use std::sync::Arc;

/// Why columns did not give an answer.
pub(super) enum Failed {
    /// There is none at all.
    Answer(AnswerError),
    /// The index cannot be read.
    Index(IndexError),
}

/// The columns of a segment's index.
pub(super) struct Columns<'a> {
    index: &'a SegmentIndex,
    logspace: &'a str,
    rows: usize,
}

/// What a segment adds to an answer that is a sum of counts.
pub(super) enum Counted {
    /// For each bucket of a histogram.
    Spans(Vec<u64>),
    /// For each field its column, if it has one, and how many rows have each value.
    Values(Vec<(Option<Arc<Names>>, Vec<u64>)>),
    /// How many rows there are, the fields that they have, and whether there are some without a column.
    Fields { rows: u64, seen: Vec<Seen>, has_more: bool },
}

impl<'a> Columns<'a> {
    /// None where there is no index that can be read.
    pub(super) fn of(sealed: &'a Sealed<'_>, logspace: &'a str) -> Option<Columns<'a>> {
        let index = sealed.index.as_deref()?;
        Some(Columns { index, logspace, rows: sealed.segment.blocks.rows() as usize })
    }

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

    pub(super) fn coded(
        &self,
        fields: &[FieldName],
        work: &Work<'_>,
    ) -> Result<Option<Vec<Coded<'static>>>, Failed> {
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

    /// Shows rows with the times and these fields of theirs.
    pub(super) fn with_part<T>(
        &self,
        rows: &Selection,
        fields: Vec<Coded<'_>>,
        show: impl FnOnce(&Part<'_>) -> Result<T, AnswerError>,
    ) -> Result<T, Failed> {
        let times = SegmentTimes::of(&self.index.times);
        let part = Part { rows: self.rows, selected: rows, times: &times, fields };
        show(&part).map_err(|error| match error {
            AnswerError::Unreadable(Unreadable(why)) => Failed::Index(IndexError::Format(why)),
            error => Failed::Answer(error),
        })
    }

    pub(super) fn count_spans(
        &self,
        histogram: &Histogram,
        rows: &Selection,
        work: &Work<'_>,
    ) -> Result<Option<Counted>, Failed> {
        check(work, self.rows / 4)?;
        let counts = self.with_part(rows, Vec::new(), |part| Ok(histogram.count(part)?))?;
        Ok(Some(Counted::Spans(counts)))
    }

    /// Counts by ids, which takes no look at each row. None where a field has no column with values.
    pub(super) fn count_values(
        &self,
        facets: &Facets,
        rows: &Selection,
        work: &Work<'_>,
    ) -> Result<Option<Counted>, Failed> {
        let Some(places) = self.places(facets.needs())? else { return Ok(None) };
        let mut counted = Vec::with_capacity(places.len());
        for place in places {
            check(work, self.rows)?;
            counted.push(match place {
                Place::Known(_) | Place::Dynamic(_) => {
                    let names = self.index.names(place).map_err(Failed::Index)?;
                    let counts = names.counts(rows);
                    (Some(names), counts)
                }
                Place::Blocks => (None, vec![rows.count() as u64]),
                Place::Nowhere => (None, Vec::new()),
            });
        }
        Ok(Some(Counted::Values(counted)))
    }

    /// Looks at the column of every dynamic field. None where those do not suffice: all fields must have one with values,
    /// or if it may be rough, those that have a column one that says which rows have one.
    pub(super) fn discover(
        &self,
        rows: &Selection,
        is_rough: bool,
        work: &Work<'_>,
    ) -> Result<Option<Counted>, Failed> {
        let fields = &self.index.fields;
        if !is_rough && !fields.have_columns() {
            return Ok(None);
        }
        let mut seen = Vec::new();
        for (number, name) in fields.with_column.iter().enumerate() {
            check(work, self.rows / 4)?;
            let names = self.index.names(Place::Dynamic(number)).map_err(Failed::Index)?;
            let suffices = names.is_complete() || is_rough && names.is_filled();
            if !suffices {
                return Ok(None);
            }
            let counts = names.counts(rows);
            check(work, names.values().len())?;
            seen.push(match names.is_complete() {
                true => Seen::of_counts(name.as_bytes(), names.values(), &counts),
                false => Seen::of_presence(name.as_bytes(), counts.first().copied().unwrap_or(0)),
            });
        }
        seen.retain(|field| !field.is_empty());
        Ok(Some(Counted::Fields { rows: rows.count() as u64, seen, has_more: !fields.have_columns() }))
    }
}

/// The values that were counted of a field: those of its column, or the logspace.
pub(super) fn counted_values<'a>(field: &FieldName, names: Option<&Names>, logspace: &str) -> Coded<'a> {
    names.map_or_else(|| Coded::constant(logspace, 0), |names| values_of(field, names, Cow::default()))
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
