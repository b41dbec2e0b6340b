//! The range of times of a query.
//!
//! **Invariant:** no message that matches is outside the range of its query.

use super::ast::{FieldTest, Query, ValueRange};
use super::time::{TimeExpr, TimeRange, Zone};
use logstead_record::Field;
use logstead_record::FieldName;
use logstead_record::Timestamp;
use std::ops::Bound;

impl ValueRange<TimeExpr> {
    /// The times of this range, resolved at `now`.
    pub fn resolve(&self, now: Timestamp) -> TimeRange {
        let first = match self.low {
            Bound::Unbounded => Some(Timestamp::MIN),
            Bound::Included(time) => Some(time.resolve(now)),
            Bound::Excluded(time) => after(time.resolve(now)),
        };
        let last = match self.high {
            Bound::Unbounded => Some(Timestamp::MAX),
            Bound::Included(time) => Some(time.resolve(now)),
            Bound::Excluded(time) => before(time.resolve(now)),
        };
        first.zip(last).map_or(TimeRange::NONE, |(first, last)| TimeRange { first, last })
    }
}

fn after(time: Timestamp) -> Option<Timestamp> {
    time.nanos().checked_add(1).map(Timestamp::from_nanos)
}

fn before(time: Timestamp) -> Option<Timestamp> {
    time.nanos().checked_sub(1).map(Timestamp::from_nanos)
}

impl Query {
    /// The range to search: that of a clause on time, otherwise that of the request.
    pub fn range_within(&self, requested: TimeRange, now: Timestamp) -> TimeRange {
        let requested = if self.sets_range() { TimeRange::ALL } else { requested };
        requested.intersect(self.time_range(now))
    }

    /// Whether a clause on time overrides the range of the request.
    pub fn sets_range(&self) -> bool {
        self.clauses().iter().any(Query::is_time)
    }

    /// The same query, with days and times without a zone interpreted in this zone.
    #[must_use]
    pub fn in_zone(self, zone: &dyn Zone, now: Timestamp) -> Query {
        let each = |queries: Vec<Query>| queries.into_iter().map(|query| query.in_zone(zone, now)).collect();
        match self {
            Query::And(queries) => Query::And(each(queries)),
            Query::Or(queries) => Query::Or(each(queries)),
            Query::Not(query) => query.in_zone(zone, now).negate(),
            Query::Field(field, FieldTest::Time(ValueRange { low, high })) => {
                let end = |bound: Bound<TimeExpr>| bound.map(|time| time.in_zone(zone, now));
                Query::Field(field, FieldTest::Time(ValueRange { low: end(low), high: end(high) }))
            }
            other => other,
        }
    }

    /// The range of times outside which no message can match. It follows from the conditions on `time` that always
    /// apply, so it may be wider than the query if some are under OR or NOT.
    pub fn time_range(&self, now: Timestamp) -> TimeRange {
        match self {
            Query::Field(FieldName::Known(Field::Time), FieldTest::Time(bounds)) => bounds.resolve(now),
            Query::And(inner) => {
                inner.iter().fold(TimeRange::ALL, |range, query| range.intersect(query.time_range(now)))
            }
            _ => TimeRange::ALL,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;
    use logstead_record::SECOND;

    const NOW: &str = "2026-11-21T06:13:00.5Z";

    fn at(text: &str) -> Timestamp {
        Timestamp::parse_rfc3339(text.as_bytes()).unwrap()
    }

    /// A zone two hours ahead of UTC, so that its day begins before that of UTC.
    struct East;

    impl Zone for East {
        fn instant(&self, local: Timestamp) -> Timestamp {
            local.saturating_add(-2 * 3600 * SECOND)
        }

        fn local(&self, instant: Timestamp) -> Timestamp {
            instant.saturating_add(2 * 3600 * SECOND)
        }
    }

    #[test]
    fn what_has_no_zone_is_in_the_zone_of_the_request() {
        let check = |text: &str, now: &str, expected: &str| {
            let query = parse(text).unwrap().in_zone(&East, at(now));
            assert_eq!(query.to_string(), expected, "{text}");
        };
        check("time>=2026-11-01", NOW, "time>=2026-10-31T22:00:00Z");
        check("a NOT time<2026-11-01T10:30", NOW, "a NOT time<2026-11-01T08:30:00Z");
        check("time>=2026-11-01T00:00:00Z", NOW, "time>=2026-11-01T00:00:00Z");
        check("received<2026-11-01T10:00:00-03:00", NOW, "received<2026-11-01T13:00:00Z");
        check("time>=today", "2026-11-21T23:00:00Z", "time>=2026-11-21T22:00:00Z");
        check("time>=today-1d", NOW, "time>=2026-11-19T22:00:00Z");
        check("time>=now-1h", NOW, "time>=now-1h");
    }

    #[test]
    fn a_clause_about_time_counts_instead_of_the_range_of_the_request() {
        let day = TimeRange { first: at("2026-11-21T00:00:00Z"), last: at(NOW) };
        let check = |text: &str, first: &str, last: Timestamp| {
            let found = parse(text).unwrap().range_within(day, at(NOW));
            assert_eq!(found, TimeRange { first: at(first), last }, "{text}");
        };
        check("error", "2026-11-21T00:00:00Z", at(NOW));
        check("error time>=2026-11-01T00:00:00Z", "2026-11-01T00:00:00Z", Timestamp::MAX);
        check("error time:-1w", "2026-11-14T06:13:00.5Z", Timestamp::MAX);
        check("error OR time:-1w", "2026-11-21T00:00:00Z", at(NOW));
        check("NOT time:-1h", "2026-11-21T00:00:00Z", at(NOW));
        check("received:-1w", "2026-11-21T00:00:00Z", at(NOW));
    }

    #[test]
    fn a_query_has_the_times_of_the_conditions_that_always_apply() {
        let check = |text: &str, first: Option<&str>, last: Option<&str>| {
            let expected =
                TimeRange { first: first.map_or(Timestamp::MIN, at), last: last.map_or(Timestamp::MAX, at) };
            assert_eq!(parse(text).unwrap().time_range(at(NOW)), expected, "{text}");
        };
        check("error", None, None);
        check("error time:-13m", Some("2026-11-21T06:00:00.5Z"), None);
        check(
            "time>=2026-11-01 a (b time<2026-11-02 c)",
            Some("2026-11-01T00:00:00Z"),
            Some("2026-11-01T23:59:59.999999999Z"),
        );
        check("time>now-1h OR error", None, None);
        check("NOT time>now-1h", None, None);
        check("received>now-1h", None, None);
    }
}
