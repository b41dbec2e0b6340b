//! The number of messages in each time span, optionally for each value of a field.

use crate::ask::found_fields::{ValueCount, check_field};
use crate::error::{ApiError, Result};
use crate::question::cancel::{Cancel, ask};
use crate::question::warning::QueryWarning;
use crate::question::{CallerQuestion, QuestionParameters, StoreQuestion};
use logstead_answer::{BUCKETS_MAX, HistogramCounts, Width};
use logstead_config::Period;
use logstead_indexer::AnswerTarget as Answer;
use logstead_questions::store::Coverage;
use logstead_questions::wire::table::text;
use logstead_record::FieldName;
use logstead_record::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Default number of buckets.
const BUCKETS: usize = 60;

/// The query to count, and the spans to count in.
#[derive(Deserialize, utoipa::ToSchema, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct HistogramRequest {
    /// Maximum number of buckets; the shortest round length that fits is used.
    #[schema(default = 60, minimum = 1, maximum = 10000)]
    #[param(default = 60, minimum = 1, maximum = 10000)]
    buckets: Option<u32>,
    /// The length of each bucket, such as `5m`; replaces `buckets`.
    interval: Option<String>,
    /// A field whose most frequent values are counted separately in each bucket.
    by: Option<String>,
}

/// How many messages match, over time.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct HistogramResult {
    #[serde(flatten)]
    histogram: Histogram,
    /// How many copies are not counted: messages that another of these logspaces has as well.
    copies: u64,
    took_ms: u64,
    coverage: Coverage,
    warnings: Vec<QueryWarning>,
}

/// Counts in time spans. Exact if `coverage.complete`.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct Histogram {
    /// Length of a bucket; 0 if no stored message could be shown.
    interval_ms: u64,
    /// Consecutive buckets, including empty ones. They begin at multiples of the interval since 1970.
    buckets: Vec<Bucket>,
    /// The number of all messages that match.
    total: u64,
    /// Matches dated after the last bucket: without `to`, the buckets end now.
    later: u64,
    /// The values that are counted separately in each bucket, most frequent first: at most 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    values: Option<Vec<ValueCount>>,
    /// How many more values there are; their messages are in `other` of each bucket.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    other_values: Option<u64>,
}

/// A time span.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct Bucket {
    /// The time when it begins.
    #[schema(format = DateTime)]
    time: String,
    count: u64,
    /// How many messages have each value; values without messages here are left out. Messages without a value only
    /// count in `count`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    by: Option<BTreeMap<String, u64>>,
    /// How many messages have another value, if there are too many values to count separately.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    other: Option<u64>,
}

/// Counts messages in time spans.
///
/// Without `from`, the first bucket begins at the first stored message. Without `to`, the buckets end now, and
/// messages dated later count in `total` and `later`.
#[utoipa::path(
    post, path = "/api/v1/histogram", operation_id = "compute_histogram", tag = "search", request_body = HistogramRequest,
    responses((status = 200, body = HistogramResult))
)]
pub(crate) async fn histogram(
    asked: CallerQuestion<HistogramRequest>,
) -> Result<axum::Json<HistogramResult>> {
    let CallerQuestion { shared, caller, mut question, own, started, .. } = asked;
    let mut drawing = HistogramBuilder::new(&question, &own.spans(), shared.query_memory_max())?;
    let weight = question.weight(true);
    let answer = move |cancel: &Cancel| -> Result<HistogramResult> {
        let coverage = question.answer(cancel, &mut drawing.asked().into_iter().collect::<Vec<_>>())?;
        let histogram = drawing.finish(&mut question, cancel);
        if histogram.total == 0 {
            question.warn_of_unknown_fields(cancel);
        }
        let copies = question.count_copies(cancel);
        let took_ms = started.elapsed().as_millis() as u64;
        Ok(HistogramResult { histogram, copies, took_ms, coverage, warnings: question.warnings })
    };
    ask(&shared, &caller, weight, answer).await?.map(axum::Json)
}

impl QuestionParameters for HistogramRequest {}

impl HistogramRequest {
    fn spans(&self) -> HistogramShape<'_> {
        HistogramShape { buckets: self.buckets, interval: self.interval.as_deref(), by: self.by.as_deref() }
    }
}

/// The shape of a histogram, as given in a request.
pub(crate) struct HistogramShape<'a> {
    pub(crate) buckets: Option<u32>,
    pub(crate) interval: Option<&'a str>,
    pub(crate) by: Option<&'a str>,
}

/// A histogram that is being computed; none if no stored message could be shown.
pub(crate) struct HistogramBuilder {
    histogram: Option<logstead_answer::Histogram>,
    by: Option<FieldName>,
}

impl HistogramBuilder {
    pub(crate) fn new(
        question: &StoreQuestion,
        spans: &HistogramShape<'_>,
        memory_bytes_max: usize,
    ) -> Result<HistogramBuilder> {
        let (width, path) = spans.width()?;
        let by = spans.by.map(|name| check_field(name, "by")).transpose()?;
        let histogram = question
            .drawn_range()
            .map(|range| logstead_answer::Histogram::new(range, width, by.clone(), memory_bytes_max));
        let histogram = histogram.transpose().map_err(|error| ApiError::from(error).path(path))?;
        Ok(HistogramBuilder { histogram, by })
    }

    pub(crate) fn asked(&mut self) -> Option<Answer<'_>> {
        self.histogram.as_mut().map(Answer::Histogram)
    }

    /// The times at which the buckets begin.
    pub(crate) fn starts(&self) -> Vec<Timestamp> {
        let starts = self.histogram.iter().flat_map(|of| (0..of.buckets()).map(|bucket| of.start(bucket)));
        starts.collect()
    }

    /// The histogram of the messages added so far.
    pub(crate) fn so_far(&self) -> Histogram {
        Histogram::new(self.histogram.as_ref().map(logstead_answer::Histogram::so_far), self.by.is_some())
    }

    /// Returns the histogram. Warns if no message has the field that it is split by.
    pub(crate) fn finish(self, question: &mut StoreQuestion, cancel: &Cancel) -> Histogram {
        let counts = self.histogram.map(logstead_answer::Histogram::finish);
        if counts.as_ref().is_none_or(|counts| counts.series.is_empty()) {
            question.warn_of_unknown_names(self.by.iter(), cancel);
        }
        Histogram::new(counts, self.by.is_some())
    }
}

impl HistogramShape<'_> {
    /// The width of the buckets, and the parameter that determines it.
    fn width(&self) -> Result<(Width, &'static str)> {
        match (self.buckets, self.interval) {
            (Some(_), Some(_)) => {
                Err(ApiError::invalid("send buckets or interval, not both").path("interval"))
            }
            (buckets, None) => match buckets.map_or(BUCKETS, |buckets| buckets as usize) {
                buckets @ 1..=BUCKETS_MAX => Ok((Width::AtMost(buckets), "buckets")),
                buckets => {
                    let detail = format!("buckets is {buckets}: it must be 1 to {BUCKETS_MAX}");
                    Err(ApiError::invalid(detail).path("buckets"))
                }
            },
            (None, Some(text)) => {
                let period: Period = text
                    .parse()
                    .map_err(|error| ApiError::invalid(format!("interval {error}")).path("interval"))?;
                let nanos = i64::try_from(period.duration().as_nanos()).unwrap_or(i64::MAX);
                Ok((Width::Nanos(nanos), "interval"))
            }
        }
    }
}

impl Histogram {
    fn new(counts: Option<HistogramCounts>, is_by: bool) -> Histogram {
        let Some(counts) = counts else {
            let values = is_by.then(Vec::new);
            return Histogram {
                interval_ms: 0,
                buckets: Vec::new(),
                total: 0,
                later: 0,
                values,
                other_values: None,
            };
        };
        let values =
            counts.series.iter().map(|series| ValueCount::new(&series.value, series.counts.iter().sum()));
        Histogram {
            interval_ms: counts.interval_nanos.unsigned_abs() / 1_000_000,
            buckets: (0..counts.starts.len()).map(|at| Bucket::new(&counts, at, is_by)).collect(),
            total: counts.total,
            later: counts.later,
            values: is_by.then(|| values.collect()),
            other_values: Some(counts.other_values as u64).filter(|values| 0 < *values),
        }
    }
}

impl Bucket {
    fn new(counts: &HistogramCounts, at: usize, is_by: bool) -> Bucket {
        let by = || {
            let mut by = BTreeMap::new();
            for series in counts.series.iter().filter(|series| 0 < series.counts[at]) {
                // Values that differ only in bytes that are not valid text are shown as one.
                *by.entry(text(&series.value)).or_default() += series.counts[at];
            }
            by
        };
        Bucket {
            time: counts.starts[at].to_string(),
            count: counts.counts[at],
            by: is_by.then(by),
            other: counts.other.get(at).copied(),
        }
    }
}
