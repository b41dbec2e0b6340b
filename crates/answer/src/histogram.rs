//! The number of rows in each span of time, optionally for each value of a field.
//!
//! A message that has several values of the field is counted under each, and once in its span.
//!
//! A frame of rows that lies within one span is counted by the bits of the selection, without reading its times.

use super::answer_rows::AnswerRows;
use super::finish::check;
use super::groups::{GroupPlan, GroupTable};
use super::interval::{Buckets, Width};
use super::{AnswerError, BY_VALUES_MAX, CellValue, Unreadable, ValueKind};
use logstead_query::TimeRange;
use logstead_record::FieldName;
use logstead_record::Timestamp;
use logstead_work::Work;

/// Counts rows in spans of time.
pub struct Histogram {
    buckets: Buckets,
    /// The count of each bucket, and one for messages dated after the last bucket.
    counts: Vec<u64>,
    by: Option<HistogramSplit>,
}

struct HistogramSplit {
    needs: [FieldName; 1],
    groups: GroupTable,
}

/// A finished histogram.
#[derive(Clone, PartialEq, Debug)]
pub struct HistogramCounts {
    /// The length of each bucket, in nanoseconds.
    pub interval_nanos: i64,
    /// The start of each bucket.
    pub starts: Vec<Timestamp>,
    /// The number of rows in each bucket.
    pub counts: Vec<u64>,
    /// The number of all rows, including those dated after the last bucket.
    pub total: u64,
    /// The number of rows dated after the last bucket.
    pub later: u64,
    /// The most frequent values, most frequent first, if the histogram counts by a field.
    pub series: Vec<HistogramSeries>,
    /// The counts of all values that are too many to have their own series; a row counts once for each of them. Empty
    /// if there are none.
    pub other: Vec<u64>,
    /// The number of those values.
    pub other_values: usize,
}

/// The rows with one value.
#[derive(Clone, PartialEq, Debug)]
pub struct HistogramSeries {
    /// The value.
    pub value: CellValue,
    /// The number of rows in each bucket.
    pub counts: Vec<u64>,
}

impl Histogram {
    /// A histogram of the rows of a range.
    pub fn new(
        range: TimeRange,
        width: Width,
        by: Option<FieldName>,
        memory_bytes_max: usize,
    ) -> Result<Histogram, AnswerError> {
        let buckets = Buckets::of(range, width)?;
        let by = by.map(|field| HistogramSplit {
            groups: GroupTable::new(
                GroupPlan::of_rows(vec![ValueKind::Time, ValueKind::of(&field)]),
                memory_bytes_max,
            ),
            needs: [field],
        });
        Ok(Histogram { counts: vec![0; buckets.count + 1], buckets, by })
    }

    /// The columns that parts must have.
    pub fn needs(&self) -> &[FieldName] {
        self.by.as_ref().map_or(&[], |by| &by.needs)
    }

    /// The number of buckets.
    pub fn buckets(&self) -> usize {
        self.buckets.count
    }

    /// The start of a bucket.
    pub fn start(&self, bucket: usize) -> Timestamp {
        Timestamp::from_nanos(self.buckets.interval.start(self.buckets.first.saturating_add(bucket as i64)))
    }

    /// Counts the selected rows of a part, except those before the first bucket. An unreadable part adds nothing;
    /// after any other error there is no answer.
    pub fn add(&mut self, part: &AnswerRows<'_>, work: &Work<'_>) -> Result<(), AnswerError> {
        check(work, part.rows / 4)?;
        let counts = self.count(part)?;
        if let Some(by) = &mut self.by {
            let spans = self.buckets.interval.coded(part)?;
            let rows: Vec<u32> = part.selected.iter().map(|row| row as u32).collect();
            by.groups.add(&rows, &[&spans, &part.fields[0]], &[], work)?;
        }
        self.add_counts(&counts);
        Ok(())
    }

    /// Whether rows are counted only by their time.
    pub fn is_plain(&self) -> bool {
        self.by.is_none()
    }

    /// The number of selected rows of a part in each bucket and after the last one.
    pub fn count(&self, part: &AnswerRows<'_>) -> Result<Vec<u64>, Unreadable> {
        let mut counts = vec![0; self.counts.len()];
        let alike = |time| self.buckets.times_like(time);
        part.visit_times(alike, |rows, time| {
            if let Some(bucket) = self.buckets.index_or_later(time) {
                counts[bucket] += part.selected.count_within(rows) as u64;
            }
        })?;
        Ok(counts)
    }

    /// Adds the result of [`Histogram::count`].
    pub fn add_counts(&mut self, counts: &[u64]) {
        for (sum, count) in self.counts.iter_mut().zip(counts) {
            *sum += count;
        }
    }

    /// The counts of all parts.
    pub fn finish(self) -> HistogramCounts {
        self.so_far()
    }

    /// The counts from the parts added so far.
    pub fn so_far(&self) -> HistogramCounts {
        let count = self.buckets.count;
        let mut counts = HistogramCounts {
            interval_nanos: self.buckets.interval.nanos(),
            starts: (0..count).map(|bucket| self.start(bucket)).collect(),
            total: 0,
            later: self.counts[count],
            counts: self.counts[..count].to_vec(),
            series: Vec::new(),
            other: Vec::new(),
            other_values: 0,
        };
        if let Some(by) = &self.by {
            by.add_to(&mut counts, &self.buckets);
        }
        counts.total = counts.counts.iter().sum::<u64>() + counts.later;
        counts
    }
}

impl HistogramSplit {
    fn add_to(&self, counts: &mut HistogramCounts, buckets: &Buckets) {
        let groups = &self.groups;
        let place_of = |group| match groups.value(group, 0) {
            CellValue::Time(start) => buckets.index_or_later(start.nanos()),
            _ => None,
        };
        let bucket_of = |group| place_of(group).filter(|&bucket| bucket < buckets.count);
        let mut totals: hashbrown::HashMap<&[u8], u64> = hashbrown::HashMap::new();
        for group in 0..groups.len() {
            if let (Some(_), Some(key)) = (bucket_of(group), groups.key(group, 1)) {
                *totals.entry(key).or_default() += groups.rows(group);
            }
        }
        let mut ranking: Vec<(&[u8], u64)> = totals.into_iter().collect();
        ranking.sort_unstable_by(|(a_key, a), (b_key, b)| b.cmp(a).then(a_key.cmp(b_key)));
        counts.other_values = ranking.len().saturating_sub(BY_VALUES_MAX);
        ranking.truncate(BY_VALUES_MAX);
        // Only these values get a count for each bucket; counts for all values could exceed the memory.
        let places: hashbrown::HashMap<&[u8], usize> =
            ranking.iter().enumerate().map(|(at, (key, _))| (*key, at)).collect();
        let mut series = vec![vec![0; buckets.count]; ranking.len()];
        let mut other = vec![0; buckets.count];
        for group in 0..groups.len() {
            let (Some(bucket), Some(key)) = (bucket_of(group), groups.key(group, 1)) else { continue };
            let counts = places.get(key).map_or(&mut other, |&at| &mut series[at]);
            counts[bucket] += groups.rows(group);
        }
        if 0 < counts.other_values {
            counts.other = other;
        }
        let kind = ValueKind::of(&self.needs[0]);
        let series = ranking.into_iter().zip(series);
        counts.series =
            series.map(|((key, _), counts)| HistogramSeries { value: kind.value(key), counts }).collect();
    }
}
