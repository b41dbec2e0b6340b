//! Computes answers from all matching messages: from the columns of segments if they are enough, otherwise from the
//! messages.
//!
//! **Invariant:** an answer is the same from columns and from messages.

use super::columns::{AnswerColumns, ColumnFailure, SegmentCounts};
use super::coverage::Coverage;
use super::question::{Filter, RowQuestion};
use super::searcher::Searcher;
use super::sweep::{self, SegmentRows, Visitor};
use crate::segment::asked_in_time;
use logstead_answer::{
    Aggregation, AnswerError, AnswerRows, BatchLocation as StoredAt, BatchTimes, CodedColumn, Discovery,
    Facets, Histogram,
};
use logstead_query::TimeRange;
use logstead_record::FieldName;
use logstead_record::{Batch, ColumnGroup, ColumnGroups, Selection, Timestamp};
use logstead_work::SearchContext;
use logstead_work::{Work, lanes};
use std::sync::Arc;

/// The number of segments that each lane counts before they are added. The columns of all of them are in memory at
/// the same time.
const SEGMENTS_AHEAD: usize = 4;

/// An answer to which the matching messages are added.
pub enum AnswerTarget<'a> {
    /// A histogram of the messages over time.
    Histogram(&'a mut Histogram),
    /// The most frequent values of fields.
    Facets(&'a mut Facets),
    /// The fields that the messages have.
    Discovery(&'a mut Discovery),
    /// The table of a pipeline.
    Table(&'a mut Aggregation),
}

impl Searcher {
    /// Adds all matching messages to some answers, in one pass. Several logspaces may be added to the same answers,
    /// one after the other.
    pub fn answer(
        &self,
        logspace: &str,
        filter: &Filter,
        range: TimeRange,
        run: &SearchContext<'_>,
        asked: &mut [AnswerTarget<'_>],
    ) -> Result<Coverage, AnswerError> {
        let mut answers = AnswerVisitor { logspace, asked, work: run.work(), error: None };
        let coverage = sweep::sweep(&self.view(), RowQuestion { filter, range, run: *run }, &mut answers);
        match answers.error {
            Some(AnswerError::Cancelled) => Ok(Coverage { complete: false, cancelled: true, ..coverage }),
            error => error.map_or(Ok(coverage), Err),
        }
    }
}

struct AnswerVisitor<'a, 'b> {
    logspace: &'a str,
    asked: &'a mut [AnswerTarget<'b>],
    work: Work<'a>,
    /// The error that ended the answer, if one did.
    error: Option<AnswerError>,
}

impl Visitor for AnswerVisitor<'_, '_> {
    fn newest_first(&self) -> bool {
        true
    }

    fn floor(&self) -> Option<Timestamp> {
        match &*self.asked {
            [AnswerTarget::Table(table)] => table.floor(),
            _ => None,
        }
    }

    fn segments(&mut self, found: &[(SegmentRows<'_>, Selection)], run: &SearchContext<'_>) -> Coverage {
        let mut coverage = Coverage::default();
        for found in found.chunks(SEGMENTS_AHEAD * run.lanes.count().max(1)) {
            let (asked, logspace) = (&*self.asked, self.logspace);
            let counted = lanes::map(run.lanes, found.len(), |at| {
                let (sealed, rows) = &found[at];
                let columns = AnswerColumns::of(sealed, logspace)?;
                Some(
                    asked
                        .iter()
                        .map(|asked| asked_in_time(|| asked.count(&columns, rows, &run.work())))
                        .collect::<Vec<_>>(),
                )
            });
            for ((sealed, rows), counted) in found.iter().zip(counted) {
                coverage.add(self.segment(sealed, rows, counted.unwrap_or_default(), run));
            }
        }
        coverage
    }

    fn batch(&mut self, first_sequence: u64, batch: &Arc<Batch>, rows: &Selection, _: &SearchContext<'_>) {
        let sequence = |row: usize| first_sequence + row as u64;
        (0..self.asked.len()).for_each(|at| self.add_batch(at, &sequence, batch, rows));
    }
}

impl AnswerVisitor<'_, '_> {
    /// Adds rows of a segment; for some answers they may have been counted already.
    fn segment(
        &mut self,
        sealed: &SegmentRows<'_>,
        rows: &Selection,
        counted: Vec<Result<Option<SegmentCounts>, ColumnFailure>>,
        run: &SearchContext<'_>,
    ) -> Coverage {
        if self.error.is_some() {
            return Coverage::default();
        }
        let mut counted = counted.into_iter();
        let left: Vec<(usize, Selection)> = (0..self.asked.len())
            .map(|at| (at, self.add_by_columns(at, sealed, rows, counted.next().unwrap_or(Ok(None)))))
            .filter(|(_, left)| !left.is_empty())
            .collect();
        if left.is_empty() || self.error.is_some() {
            return Coverage::default();
        }
        let groups = left.iter().map(|(at, _)| self.asked[*at].groups());
        let groups = groups.fold(ColumnGroups::TIMES, ColumnGroups::and);
        let mut all = Selection::none(rows.rows());
        left.iter().for_each(|(_, left)| all.union(left));
        let first = sealed.segment.id.first_sequence;
        sealed.read(&all, groups, run, &mut |sequence, batch, rows| {
            for (at, left) in &left {
                if *left == all {
                    self.add_batch(*at, sequence, batch, rows);
                    continue;
                }
                let is_left = |row| rows.contains(row) && left.contains((sequence(row) - first) as usize);
                self.add_batch(*at, sequence, batch, &Selection::from_fn(rows.rows(), is_left));
            }
        })
    }

    /// Adds rows of a segment by its columns. Returns the rows for which these did not give the answer all that it needs.
    fn add_by_columns(
        &mut self,
        at: usize,
        sealed: &SegmentRows<'_>,
        rows: &Selection,
        counted: Result<Option<SegmentCounts>, ColumnFailure>,
    ) -> Selection {
        let Some(columns) = AnswerColumns::of(sealed, self.logspace) else { return rows.clone() };
        let (asked, work) = (&mut self.asked[at], &self.work);
        let mut left = rows.clone();
        let added = counted.and_then(|counted| match counted {
            Some(counted) => {
                asked.add_counted(&counted, self.logspace);
                left = Selection::none(rows.rows());
                Ok(())
            }
            None => asked_in_time(|| asked.add_columns(&columns, &mut left, work)),
        });
        match added {
            Ok(()) => left,
            Err(ColumnFailure::Answer(error)) => {
                self.error = Some(error);
                Selection::none(rows.rows())
            }
            Err(ColumnFailure::Index(error)) => {
                sealed.segment.distrust_index(error);
                left
            }
        }
    }

    fn add_batch(&mut self, at: usize, sequence: &dyn Fn(usize) -> u64, batch: &Batch, rows: &Selection) {
        if self.error.is_none() {
            let place = StoredAt { logspace: self.logspace, sequence };
            self.error = self.asked[at].add_batch(batch, rows, place, &self.work).err();
        }
    }
}

impl AnswerTarget<'_> {
    /// Counts rows of a segment by its columns, for an answer that is a sum of counts.
    fn count(
        &self,
        columns: &AnswerColumns<'_>,
        rows: &Selection,
        work: &Work<'_>,
    ) -> Result<Option<SegmentCounts>, ColumnFailure> {
        match self {
            AnswerTarget::Histogram(histogram) if histogram.is_plain() => {
                columns.count_spans(histogram, rows, work)
            }
            AnswerTarget::Facets(facets) => columns.count_values(facets, rows, work),
            AnswerTarget::Discovery(discovery) => columns.discover(rows, discovery.is_rough(), work),
            AnswerTarget::Histogram(_) | AnswerTarget::Table(_) => Ok(None),
        }
    }

    fn add_counted(&mut self, counted: &SegmentCounts, logspace: &str) {
        match (self, counted) {
            (AnswerTarget::Histogram(histogram), SegmentCounts::Spans(counts)) => {
                histogram.add_counts(counts)
            }
            (AnswerTarget::Facets(facets), SegmentCounts::Values(fields)) => {
                for (at, field) in fields.iter().enumerate() {
                    for counted in field {
                        let values = counted.coded(&facets.needs()[at], logspace);
                        facets.add_counts(at, &values, &counted.counts);
                    }
                }
            }
            (AnswerTarget::Discovery(discovery), SegmentCounts::Fields { rows, seen, has_more }) => {
                discovery.add_fields(*rows, seen.iter().cloned(), *has_more);
            }
            _ => {}
        }
    }

    /// Adds rows of a segment by its columns, and removes from `rows` those that were added.
    fn add_columns(
        &mut self,
        columns: &AnswerColumns<'_>,
        rows: &mut Selection,
        work: &Work<'_>,
    ) -> Result<(), ColumnFailure> {
        if matches!(self, AnswerTarget::Facets(_) | AnswerTarget::Discovery(_))
            || matches!(self, AnswerTarget::Table(table) if table.needs_batches())
        {
            return Ok(());
        }
        let Some(places) = columns.places(self.needs()) else { return Ok(()) };
        for part in columns.parts(&places) {
            let selected = rows.slice(part.clone());
            if selected.is_empty() {
                continue;
            }
            let Some(fields) = columns.coded(self.needs(), &places, &part, &selected, work)? else {
                continue;
            };
            columns.with_part(&part, &selected, fields, |part| match self {
                AnswerTarget::Histogram(histogram) => histogram.add(part, work),
                AnswerTarget::Table(table) => table.add(part, work),
                AnswerTarget::Facets(_) | AnswerTarget::Discovery(_) => Ok(()),
            })?;
            part.for_each(|row| rows.remove(row));
        }
        Ok(())
    }

    fn add_batch(
        &mut self,
        batch: &Batch,
        rows: &Selection,
        place: StoredAt<'_>,
        work: &Work<'_>,
    ) -> Result<(), AnswerError> {
        if let AnswerTarget::Table(table) = self {
            return table.add_batch(batch, rows, place, work);
        }
        if let AnswerTarget::Facets(facets) = self {
            facets.add(batch, rows, place.logspace);
            return Ok(());
        }
        if let AnswerTarget::Discovery(discovery) = self {
            discovery.add(batch, rows);
            return Ok(());
        }
        let fields =
            self.needs().iter().map(|field| CodedColumn::of_batch(batch, field, place.logspace)).collect();
        let times = BatchTimes::of(batch);
        let part = AnswerRows { rows: batch.rows(), selected: rows, times: &times, fields };
        match self {
            AnswerTarget::Histogram(histogram) => histogram.add(&part, work),
            AnswerTarget::Facets(_) | AnswerTarget::Discovery(_) | AnswerTarget::Table(_) => Ok(()),
        }
    }

    fn needs(&self) -> &[FieldName] {
        match self {
            AnswerTarget::Histogram(histogram) => histogram.needs(),
            AnswerTarget::Facets(facets) => facets.needs(),
            AnswerTarget::Discovery(_) => &[],
            AnswerTarget::Table(table) => table.needs(),
        }
    }

    /// The columns of messages that the answer reads.
    fn groups(&self) -> ColumnGroups {
        let fields = match self {
            AnswerTarget::Discovery(_) => return ColumnGroup::Fields.into(),
            AnswerTarget::Table(table) => table.reads(),
            other => Some(other.needs()),
        };
        fields.map_or(ColumnGroups::ALL, |fields| {
            fields.iter().map(FieldName::groups).fold(ColumnGroups::NONE, ColumnGroups::and)
        })
    }
}
