//! Computes answers from the columns of a segment, if there are columns for all needed fields.

use super::sweep::SegmentRows;
use crate::segment::bundle::{IndexError, Section};
use crate::segment::index::{FieldLocation, SegmentIndex};
use crate::segment::names::NamesColumn;
use crate::segment::times::Times;
use logstead_answer::{
    AnswerError, AnswerRows, CodedColumn, Facets, FieldTally, Histogram, RowTimes, TimeFrame, Unreadable,
};
use logstead_record::FieldName;
use logstead_record::{Field, Selection, Storage, TextColumn};
use logstead_work::Work;
use std::borrow::Cow;
use std::sync::Arc;

/// The reasons why columns gave no answer.
pub(super) enum ColumnFailure {
    /// There can be no answer at all.
    Answer(AnswerError),
    /// The index cannot be read.
    Index(IndexError),
}

impl From<IndexError> for ColumnFailure {
    fn from(error: IndexError) -> ColumnFailure {
        ColumnFailure::Index(error)
    }
}

/// The columns of a segment's index.
pub(super) struct AnswerColumns<'a> {
    index: &'a SegmentIndex,
    logspace: &'a str,
    rows: usize,
}

/// The counts that a segment contributes to an answer.
pub(super) enum SegmentCounts {
    /// The count for each bucket of a histogram.
    Spans(Vec<u64>),
    /// The column of each field, if it has one, and the number of rows with each value.
    Values(Vec<(Option<Arc<NamesColumn>>, Vec<u64>)>),
    /// The number of rows, the fields that they have, and whether they have fields without a column.
    Fields { rows: u64, seen: Vec<FieldTally>, has_more: bool },
}

impl<'a> AnswerColumns<'a> {
    /// `None` if there is no readable index.
    pub(super) fn of(sealed: &'a SegmentRows<'_>, logspace: &'a str) -> Option<AnswerColumns<'a>> {
        let index = sealed.index.as_deref()?;
        Some(AnswerColumns { index, logspace, rows: sealed.segment.blocks.rows() as usize })
    }

    /// The location of each field; `None` if one of them has no column with values.
    fn places(&self, fields: &[FieldName]) -> Result<Option<Vec<FieldLocation>>, ColumnFailure> {
        let mut places = Vec::with_capacity(fields.len());
        for field in fields {
            let place = self.index.place(field);
            let is_logspace = *field == FieldName::Known(Field::Logspace);
            match place {
                FieldLocation::Blocks if is_logspace => {}
                FieldLocation::Blocks => return Ok(None),
                FieldLocation::Nowhere => {}
                FieldLocation::Known(_) | FieldLocation::Dynamic(_) => {
                    if !self.index.values(place)?.is_complete {
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
    ) -> Result<Option<Vec<CodedColumn<'static>>>, ColumnFailure> {
        let Some(places) = self.places(fields)? else { return Ok(None) };
        let mut coded = Vec::with_capacity(fields.len());
        for (field, place) in fields.iter().zip(places) {
            check(work, self.rows)?;
            coded.push(match place {
                FieldLocation::Known(_) | FieldLocation::Dynamic(_) => {
                    let names = self.index.names(place)?;
                    let ids = Cow::Owned(names.ids());
                    values_of(field, &names, ids)
                }
                FieldLocation::Blocks => CodedColumn::constant(self.logspace, self.rows),
                FieldLocation::Nowhere => {
                    CodedColumn { ids: Cow::Owned(vec![0; self.rows]), ..CodedColumn::default() }
                }
            });
        }
        Ok(Some(coded))
    }

    /// Passes rows on as a part, with their times and these fields.
    pub(super) fn with_part<T>(
        &self,
        rows: &Selection,
        fields: Vec<CodedColumn<'_>>,
        show: impl FnOnce(&AnswerRows<'_>) -> Result<T, AnswerError>,
    ) -> Result<T, ColumnFailure> {
        let times = SegmentTimes::of(&self.index.times);
        let part = AnswerRows { rows: self.rows, selected: rows, times: &times, fields };
        show(&part).map_err(|error| match error {
            AnswerError::Unreadable(Unreadable(why)) => ColumnFailure::Index(IndexError::Format(why)),
            error => ColumnFailure::Answer(error),
        })
    }

    pub(super) fn count_spans(
        &self,
        histogram: &Histogram,
        rows: &Selection,
        work: &Work<'_>,
    ) -> Result<Option<SegmentCounts>, ColumnFailure> {
        check(work, self.rows / 4)?;
        let counts = self.with_part(rows, Vec::new(), |part| Ok(histogram.count(part)?))?;
        Ok(Some(SegmentCounts::Spans(counts)))
    }

    /// Counts values by their ids, without examining each row; `None` if a field has no column with values.
    pub(super) fn count_values(
        &self,
        facets: &Facets,
        rows: &Selection,
        work: &Work<'_>,
    ) -> Result<Option<SegmentCounts>, ColumnFailure> {
        let Some(places) = self.places(facets.needs())? else { return Ok(None) };
        let mut counted = Vec::with_capacity(places.len());
        for place in places {
            check(work, self.rows)?;
            counted.push(match place {
                FieldLocation::Known(_) | FieldLocation::Dynamic(_) => {
                    let names = self.index.names(place)?;
                    let counts = names.counts(rows);
                    (Some(names), counts)
                }
                FieldLocation::Blocks => (None, vec![rows.count() as u64]),
                FieldLocation::Nowhere => (None, Vec::new()),
            });
        }
        Ok(Some(SegmentCounts::Values(counted)))
    }

    /// Examines the column of every dynamic field; `None` if that is not enough. Every field must have a column with
    /// values; for a rough discovery, each column must say at least which rows have the field.
    pub(super) fn discover(
        &self,
        rows: &Selection,
        is_rough: bool,
        work: &Work<'_>,
    ) -> Result<Option<SegmentCounts>, ColumnFailure> {
        let fields = &self.index.fields;
        if !is_rough && !fields.have_columns() {
            return Ok(None);
        }
        let mut seen = Vec::new();
        for (number, name) in fields.with_column.iter().enumerate() {
            check(work, self.rows / 4)?;
            let names = self.index.names(FieldLocation::Dynamic(number))?;
            let suffices = names.is_complete() || is_rough && names.is_filled();
            if !suffices {
                return Ok(None);
            }
            let counts = names.counts(rows);
            check(work, names.values().len())?;
            seen.push(match names.is_complete() {
                true => FieldTally::of_counts(name.as_bytes(), names.values(), &counts),
                false => FieldTally::of_presence(name.as_bytes(), counts.first().copied().unwrap_or(0)),
            });
        }
        seen.retain(|field| !field.is_empty());
        Ok(Some(SegmentCounts::Fields { rows: rows.count() as u64, seen, has_more: !fields.have_columns() }))
    }
}

/// The values of a field that were counted: those of its column, or the name of the logspace.
pub(super) fn counted_values<'a>(
    field: &FieldName,
    names: Option<&NamesColumn>,
    logspace: &str,
) -> CodedColumn<'a> {
    names.map_or_else(|| CodedColumn::constant(logspace, 0), |names| values_of(field, names, Cow::default()))
}

/// Checks whether there is time to examine a column of this many rows.
fn check(work: &Work<'_>, rows: usize) -> Result<(), ColumnFailure> {
    if work.go_on(rows) { Ok(()) } else { Err(ColumnFailure::Answer(AnswerError::Cancelled)) }
}

/// The values of a column as answers show them.
fn values_of<'a>(field: &FieldName, names: &NamesColumn, ids: Cow<'a, [u32]>) -> CodedColumn<'a> {
    let codes = |values: &TextColumn| {
        values.iter().map(|value| value.first().copied().unwrap_or(0)).collect::<Vec<_>>()
    };
    match field {
        FieldName::Known(field) if matches!(field.storage(), Storage::Priority(_) | Storage::Flags) => {
            CodedColumn::of_codes(*field, codes(names.values()), ids)
        }
        _ => CodedColumn { values: Cow::Owned(names.values().clone()), ids, ..CodedColumn::default() },
    }
}

/// The times of a segment.
struct SegmentTimes<'a> {
    times: &'a Times<Section>,
    frames: Vec<TimeFrame>,
}

impl SegmentTimes<'_> {
    fn of(times: &Times<Section>) -> SegmentTimes<'_> {
        let frames = times.frames().iter();
        let frames = frames.map(|frame| TimeFrame {
            rows: frame.rows.clone(),
            earliest: frame.earliest,
            latest: frame.latest,
        });
        SegmentTimes { times, frames: frames.collect() }
    }
}

impl RowTimes for SegmentTimes<'_> {
    fn frames(&self) -> &[TimeFrame] {
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
