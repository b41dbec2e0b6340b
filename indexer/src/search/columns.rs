//! Computes answers from the columns of a segment, if there are columns for all needed fields.

use super::sweep::SegmentRows;
use crate::segment::blocks::BlocksError;
use crate::segment::bundle::{IndexError, Section};
use crate::segment::index::{FieldLocation, GroupFieldColumn, SegmentIndex};
use crate::segment::names::NamesColumn;
use crate::segment::times::Times;
use logstead_answer::{
    AnswerError, AnswerRows, CodedColumn, Facets, FieldTally, Histogram, RowTimes, TimeFrame, Unreadable,
};
use logstead_record::FieldName;
use logstead_record::{Field, Selection, Storage, TextColumn};
use logstead_work::Work;
use logstead_work::deadline::watch_late;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// The number of fields whose columns are made to list them: each takes time for every row, however few rows have it.
const TALLIED_FIELDS_MAX: usize = 256;

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
    /// The columns of each field.
    Values(Vec<Vec<CountedColumn>>),
    /// The number of rows, the fields that they have, and whether they may have others.
    Fields { rows: u64, seen: Vec<FieldTally>, has_more: bool },
}

/// A column, and the number of rows with each of its values.
pub(super) struct CountedColumn {
    values: CountedValues,
    pub(super) counts: Vec<u64>,
}

/// The values of a column that were counted.
enum CountedValues {
    /// A column that every segment has.
    Names(Arc<NamesColumn>),
    /// The column of a dynamic field in a group.
    Field(GroupFieldColumn),
    /// The name of the logspace.
    Logspace,
}

impl<'a> AnswerColumns<'a> {
    /// `None` if there is no readable index.
    pub(super) fn of(sealed: &'a SegmentRows<'_>, logspace: &'a str) -> Option<AnswerColumns<'a>> {
        let index = sealed.index.as_deref()?;
        Some(AnswerColumns { index, logspace, rows: sealed.segment.blocks.rows() as usize })
    }

    /// The location of each field; `None` if one of them has no column.
    pub(super) fn places(&self, fields: &[FieldName]) -> Option<Vec<FieldLocation>> {
        let places = fields.iter().map(|field| (field, self.index.place(field)));
        places
            .map(|(field, place)| {
                let is_logspace = *field == FieldName::Known(Field::Logspace);
                (place != FieldLocation::Blocks || is_logspace).then_some(place)
            })
            .collect()
    }

    /// The parts of the segment whose columns are read together: its groups if dynamic fields are needed.
    pub(super) fn parts(&self, places: &[FieldLocation]) -> Vec<Range<usize>> {
        let groups = self.index.groups();
        match places.iter().any(|place| matches!(place, FieldLocation::Dynamic(_))) {
            true => (0..groups.groups()).map(|group| groups.rows_of(group)).collect(),
            false => std::iter::once(0..self.rows).collect(),
        }
    }

    /// The columns of some fields for those rows of a part that are wanted; `None` if one cannot be made.
    pub(super) fn coded(
        &self,
        fields: &[FieldName],
        places: &[FieldLocation],
        part: &Range<usize>,
        rows: &Selection,
        work: &Work<'_>,
    ) -> Result<Option<Vec<CodedColumn<'static>>>, ColumnFailure> {
        let mut coded = Vec::with_capacity(fields.len());
        for (field, &place) in fields.iter().zip(places) {
            check(work, part.len())?;
            coded.push(match place {
                FieldLocation::Known(column) => {
                    let names = self.index.names(column)?;
                    values_of(field, &names, Cow::Owned(names.ids_of(part.clone())))
                }
                FieldLocation::Dynamic(number) => {
                    let group = self.index.groups().group_of(part.start);
                    let column = in_time(|| self.index.field_of(number, group, rows))?.unwrap_or_default();
                    let Some(names) = &*column else { return Ok(None) };
                    values_of(field, names, Cow::Owned(names.ids()))
                }
                FieldLocation::Blocks => CodedColumn::constant(self.logspace, part.len()),
                FieldLocation::Nowhere => {
                    CodedColumn { ids: Cow::Owned(vec![0; part.len()]), ..CodedColumn::default() }
                }
            });
        }
        Ok(Some(coded))
    }

    /// The column of a dynamic field in a group.
    fn field(&self, number: u32, group: usize) -> Result<GroupFieldColumn, ColumnFailure> {
        Ok(in_time(|| self.index.field(number, group))?.unwrap_or_default())
    }

    /// Passes rows of a part on, with their times and these fields.
    pub(super) fn with_part<T>(
        &self,
        part: &Range<usize>,
        rows: &Selection,
        fields: Vec<CodedColumn<'_>>,
        show: impl FnOnce(&AnswerRows<'_>) -> Result<T, AnswerError>,
    ) -> Result<T, ColumnFailure> {
        let times = SegmentTimes::of(&self.index.times, part);
        let part = AnswerRows { rows: part.len(), selected: rows, times: &times, fields };
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
        let counts = self.with_part(&(0..self.rows), rows, Vec::new(), |part| Ok(histogram.count(part)?))?;
        Ok(Some(SegmentCounts::Spans(counts)))
    }

    /// Counts values by their ids, without examining each row; `None` if a field has no column.
    pub(super) fn count_values(
        &self,
        facets: &Facets,
        rows: &Selection,
        work: &Work<'_>,
    ) -> Result<Option<SegmentCounts>, ColumnFailure> {
        let Some(places) = self.places(facets.needs()) else { return Ok(None) };
        let mut counted = Vec::with_capacity(places.len());
        for place in places {
            check(work, self.rows)?;
            counted.push(match place {
                FieldLocation::Known(column) => {
                    let names = self.index.names(column)?;
                    let counts = names.counts(rows);
                    vec![CountedColumn { values: CountedValues::Names(names), counts }]
                }
                FieldLocation::Dynamic(number) => match self.count_field(number, rows, work)? {
                    Some(counted) => counted,
                    None => return Ok(None),
                },
                FieldLocation::Blocks => {
                    let counts = vec![rows.count() as u64];
                    vec![CountedColumn { values: CountedValues::Logspace, counts }]
                }
                FieldLocation::Nowhere => Vec::new(),
            });
        }
        Ok(Some(SegmentCounts::Values(counted)))
    }

    /// Counts the values of a dynamic field; `None` if it has no column.
    fn count_field(
        &self,
        number: u32,
        rows: &Selection,
        work: &Work<'_>,
    ) -> Result<Option<Vec<CountedColumn>>, ColumnFailure> {
        let groups = self.index.groups();
        let mut counted = Vec::with_capacity(groups.groups());
        for group in 0..groups.groups() {
            let selected = rows.slice(groups.rows_of(group));
            if selected.is_empty() {
                continue;
            }
            check(work, selected.rows())?;
            let column = self.field(number, group)?;
            let Some(names) = &*column else { return Ok(None) };
            let counts = names.counts(&selected);
            counted.push(CountedColumn { values: CountedValues::Field(column), counts });
        }
        Ok(Some(counted))
    }

    /// Examines the fields of rows; `None` if that is not enough. For a rough discovery, it is enough to know which rows
    /// have each field.
    pub(super) fn discover(
        &self,
        rows: &Selection,
        is_rough: bool,
        work: &Work<'_>,
    ) -> Result<Option<SegmentCounts>, ColumnFailure> {
        let fields = &self.index.fields;
        let seen = match is_rough {
            true => self.present(rows, work)?,
            false if fields.is_complete() => self.tallies(rows, work)?,
            false => None,
        };
        let Some(mut seen) = seen else { return Ok(None) };
        seen.retain(|field| !field.is_empty());
        Ok(Some(SegmentCounts::Fields { rows: rows.count() as u64, seen, has_more: !fields.is_complete() }))
    }
}

impl AnswerColumns<'_> {
    /// The number of rows with each dynamic field; `None` if a group cannot be read.
    fn present(&self, rows: &Selection, work: &Work<'_>) -> Result<Option<Vec<FieldTally>>, ColumnFailure> {
        let (groups, mut seen) = (self.index.groups(), Vec::new());
        for group in (0..groups.groups()).filter(|&group| groups.has_fields(group)) {
            let selected = rows.slice(groups.rows_of(group));
            check(work, selected.rows() / 4)?;
            let Some(parts) = in_time(|| groups.parts(group))? else { return Ok(None) };
            if parts.rows() != selected.rows() {
                return Ok(None);
            }
            let counts = parts.counts(&selected);
            seen.extend(
                parts.names.iter().zip(counts).map(|(name, count)| FieldTally::of_presence(name, count)),
            );
        }
        Ok(Some(seen))
    }

    /// The values of each dynamic field; `None` if one has no column, or if there are so many that reading the messages
    /// takes less.
    fn tallies(&self, rows: &Selection, work: &Work<'_>) -> Result<Option<Vec<FieldTally>>, ColumnFailure> {
        if TALLIED_FIELDS_MAX < self.index.fields.len() {
            return Ok(None);
        }
        let mut seen = Vec::new();
        for (number, name) in (0..).zip(self.index.fields.spelled()) {
            let Some(counted) = self.count_field(number, rows, work)? else { return Ok(None) };
            for CountedColumn { values, counts } in &counted {
                let CountedValues::Field(column) = values else { continue };
                let Some(names) = &**column else { continue };
                check(work, names.values().len())?;
                seen.push(FieldTally::of_counts(name.as_bytes(), names.values(), counts));
            }
        }
        Ok(Some(seen))
    }
}

/// Reads a part of the blocks. `None` if it is damaged: its messages are then read, and that names the damage.
fn in_time<T>(read: impl FnOnce() -> Result<T, BlocksError>) -> Result<Option<T>, ColumnFailure> {
    match watch_late(read) {
        (Ok(part), _) => Ok(Some(part)),
        (Err(_), true) => Err(IndexError::Late.into()),
        (Err(_), false) => Ok(None),
    }
}

impl CountedColumn {
    /// The values as answers show them.
    pub(super) fn coded<'a>(&self, field: &FieldName, logspace: &str) -> CodedColumn<'a> {
        match &self.values {
            CountedValues::Names(names) => values_of(field, names, Cow::default()),
            CountedValues::Field(column) => column
                .as_ref()
                .as_ref()
                .map_or_else(CodedColumn::default, |names| values_of(field, names, Cow::default())),
            CountedValues::Logspace => CodedColumn::constant(logspace, 0),
        }
    }
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

/// The times of a part of a segment, which begins with its row `first`.
struct SegmentTimes<'a> {
    times: &'a Times<Section>,
    first: u32,
    frames: Vec<TimeFrame>,
}

impl SegmentTimes<'_> {
    fn of<'a>(times: &'a Times<Section>, part: &Range<usize>) -> SegmentTimes<'a> {
        let (first, end) = (part.start as u32, part.end as u32);
        let frames = times.frames().iter().filter(|frame| first < frame.rows.end && frame.rows.start < end);
        let frames = frames.map(|frame| TimeFrame {
            rows: frame.rows.start.max(first) - first..frame.rows.end.min(end) - first,
            earliest: frame.earliest,
            latest: frame.latest,
        });
        SegmentTimes { times, first, frames: frames.collect() }
    }
}

impl RowTimes for SegmentTimes<'_> {
    fn frames(&self) -> &[TimeFrame] {
        &self.frames
    }

    fn read(&self, frame: usize, out: &mut Vec<i64>) -> Result<(), Unreadable> {
        let Range { start, end } = self.frames[frame].rows;
        *out = self
            .times
            .read(self.first + start..self.first + end)
            .map_err(|error| Unreadable(error.to_string()))?;
        Ok(())
    }
}
