//! Makes answers of everything that matches: from the columns of segments where they suffice, otherwise from the
//! messages.
//!
//! **Invariant:** an answer is the same from columns and from messages.

use super::columns::{Columns, Counted, Failed, counted_values};
use super::coverage::Coverage;
use super::question::{Filter, Question};
use super::searcher::Searcher;
use super::sweep::{self, Sealed, Visitor};
use logstead_answer::{
    Aggregation, AnswerError, BatchTimes, Coded, Discovery, Facets, Histogram, Part, Place as StoredAt,
};
use logstead_query::TimeRange;
use logstead_record::FieldName;
use logstead_record::{Batch, Group, Groups, Selection, Timestamp};
use logstead_work::Run;
use logstead_work::{Work, lanes};
use std::sync::Arc;

/// Segments that each lane counts before they are added: the columns of all of them are in memory at the same time.
const SEGMENTS_AHEAD: usize = 4;

/// An answer that is asked for.
pub enum Asked<'a> {
    /// How many messages there are in each span of time.
    Histogram(&'a mut Histogram),
    /// The most frequent values of fields.
    Facets(&'a mut Facets),
    /// Which fields there are.
    Discovery(&'a mut Discovery),
    /// The table of a pipeline.
    Table(&'a mut Aggregation),
}

impl Searcher {
    /// Adds all messages that match to some answers, in one pass. Answers may be added to by several logspaces,
    /// one after the other.
    pub fn answer(
        &self,
        logspace: &str,
        filter: &Filter,
        range: TimeRange,
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

    fn segments(&mut self, found: &[(Sealed<'_>, Selection)], run: &Run<'_>) -> Coverage {
        let mut coverage = Coverage::default();
        for found in found.chunks(SEGMENTS_AHEAD * run.lanes.count().max(1)) {
            let (asked, logspace) = (&*self.asked, self.logspace);
            let counted = lanes::map(run.lanes, found.len(), |at| {
                let (sealed, rows) = &found[at];
                let columns = Columns::of(sealed, logspace)?;
                Some(asked.iter().map(|asked| asked.count(&columns, rows, &run.work())).collect::<Vec<_>>())
            });
            for ((sealed, rows), counted) in found.iter().zip(counted) {
                coverage.add(self.segment(sealed, rows, counted.unwrap_or_default(), run));
            }
        }
        coverage
    }

    fn batch(&mut self, first_sequence: u64, batch: &Arc<Batch>, rows: &Selection, _: &Run<'_>) {
        (0..self.asked.len()).for_each(|at| self.add_batch(at, first_sequence, batch, rows));
    }
}

impl Answers<'_, '_> {
    /// Adds rows of a segment, of which some answers may have been counted.
    fn segment(
        &mut self,
        sealed: &Sealed<'_>,
        rows: &Selection,
        counted: Vec<Result<Option<Counted>, Failed>>,
        run: &Run<'_>,
    ) -> Coverage {
        if self.error.is_some() {
            return Coverage::default();
        }
        let mut counted = counted.into_iter();
        let by_messages: Vec<usize> = (0..self.asked.len())
            .filter(|&at| !self.add_by_columns(at, sealed, rows, counted.next().unwrap_or(Ok(None))))
            .collect();
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

    /// Whether the columns of a segment gave an answer what it needs.
    fn add_by_columns(
        &mut self,
        at: usize,
        sealed: &Sealed<'_>,
        rows: &Selection,
        counted: Result<Option<Counted>, Failed>,
    ) -> bool {
        let Some(columns) = Columns::of(sealed, self.logspace) else { return false };
        let added = counted.and_then(|counted| match counted {
            Some(counted) => {
                self.asked[at].add_counted(&counted, self.logspace);
                Ok(true)
            }
            None => self.asked[at].add_columns(&columns, rows, &self.work),
        });
        match added {
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
    /// Counts rows of a segment by its columns, for an answer that is a sum of counts.
    fn count(
        &self,
        columns: &Columns<'_>,
        rows: &Selection,
        work: &Work<'_>,
    ) -> Result<Option<Counted>, Failed> {
        match self {
            Asked::Histogram(histogram) if histogram.is_plain() => columns.count_spans(histogram, rows, work),
            Asked::Facets(facets) => columns.count_values(facets, rows, work),
            Asked::Discovery(discovery) => columns.discover(rows, discovery.is_rough(), work),
            Asked::Histogram(_) | Asked::Table(_) => Ok(None),
        }
    }

    fn add_counted(&mut self, counted: &Counted, logspace: &str) {
        match (self, counted) {
            (Asked::Histogram(histogram), Counted::Spans(counts)) => histogram.add_counts(counts),
            (Asked::Facets(facets), Counted::Values(fields)) => {
                for (at, (names, counts)) in fields.iter().enumerate() {
                    let values = counted_values(&facets.needs()[at], names.as_deref(), logspace);
                    facets.add_counts(at, &values, counts);
                }
            }
            (Asked::Discovery(discovery), Counted::Fields { rows, seen, has_more }) => {
                discovery.add_fields(*rows, seen.iter().cloned(), *has_more);
            }
            _ => {}
        }
    }

    /// Adds rows of a segment by its columns; `false` where those do not suffice.
    fn add_columns(
        &mut self,
        columns: &Columns<'_>,
        rows: &Selection,
        work: &Work<'_>,
    ) -> Result<bool, Failed> {
        if matches!(self, Asked::Facets(_) | Asked::Discovery(_))
            || matches!(self, Asked::Table(table) if table.needs_batches())
        {
            return Ok(false);
        }
        let Some(fields) = columns.coded(self.needs(), work)? else { return Ok(false) };
        columns.with_part(rows, fields, |part| match self {
            Asked::Histogram(histogram) => histogram.add(part, work),
            Asked::Table(table) => table.add(part, work),
            Asked::Facets(_) | Asked::Discovery(_) => Ok(()),
        })?;
        Ok(true)
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
        if let Asked::Discovery(discovery) = self {
            discovery.add(batch, rows);
            return Ok(());
        }
        let fields = self.needs().iter().map(|field| Coded::of_batch(batch, field, place.logspace)).collect();
        let times = BatchTimes::of(batch);
        let part = Part { rows: batch.rows(), selected: rows, times: &times, fields };
        match self {
            Asked::Histogram(histogram) => histogram.add(&part, work),
            Asked::Facets(_) | Asked::Discovery(_) | Asked::Table(_) => Ok(()),
        }
    }

    fn needs(&self) -> &[FieldName] {
        match self {
            Asked::Histogram(histogram) => histogram.needs(),
            Asked::Facets(facets) => facets.needs(),
            Asked::Discovery(_) => &[],
            Asked::Table(table) => table.needs(),
        }
    }

    /// The columns of messages that it looks at.
    fn groups(&self) -> Groups {
        let fields = match self {
            Asked::Discovery(_) => return Group::Fields.into(),
            Asked::Table(table) => table.reads(),
            other => Some(other.needs()),
        };
        fields.map_or(Groups::ALL, |fields| {
            fields.iter().map(FieldName::groups).fold(Groups::NONE, Groups::and)
        })
    }
}
