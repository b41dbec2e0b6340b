//! The needs of a pipeline, and the reason why one is refused, are both known before a message is read.

use super::testing::*;
use crate::{Aggregation, AnswerSettings};
use logstead_query::parse_pipeline;
use logstead_record::FieldName;
use logstead_record::Timestamp;

#[test]
fn a_pipeline_says_what_it_needs() {
    let check = |query: &str, needs_batches: bool, reads: Option<&str>| {
        let pipeline = parse_pipeline(query).unwrap();
        let now = Timestamp::from_nanos(START);
        let settings = AnswerSettings { now, range: HOUR, asked: HOUR, memory_bytes_max: MEMORY_MAX };
        let aggregation = Aggregation::compile(&pipeline, settings).unwrap();
        assert_eq!(aggregation.needs_batches(), needs_batches, "{query}");
        let names = aggregation
            .reads()
            .map(|fields| fields.iter().map(FieldName::as_str).collect::<Vec<_>>().join(","));
        assert_eq!(names.as_deref(), reads, "{query}");
    };
    check("a | where b | stats count(), avg(n) by host, time", false, Some("host,n"));
    check("* | timechart count()", false, Some(""));
    check("*", true, Some("time,host,program,severity,message"));
    check("* | extract \"x<y>\" | where y>1 | top y", true, Some("message,y"));
    check("* | parse json | where b | stats count()", true, None);
}

#[test]
fn what_can_not_be_answered_says_why() {
    let check = |query: &str, expected: &str| {
        let error = run(query, &[], MEMORY_MAX).unwrap_err().to_string();
        assert!(error.contains(expected), "{query}: {error}");
    };
    check(
        "* | stats count() by host | sort bytes",
        "there is no column `bytes` at this stage; the columns are host, count",
    );
    check("* | stats count() | where n>1", "there is no column `n`");
    check("* | fields host | stats count() by program", "`fields` before it leaves out");
    check("* | stats count() by host | gap host > 1m", "there is no column `time`");
    check("* | limit 5 | where error", "name a field as in `message:text`");
    check("* | parse kv | where logspace:main", "put it before");
    check("* | limit 3 | where logspace:main", "put it before");
}
