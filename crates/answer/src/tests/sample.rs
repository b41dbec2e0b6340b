//! A few messages, and the tables that pipelines make of them.

use super::testing::*;
use logstead_record::{Batch, SECOND};
use logstead_work::SearchContext;
use logstead_work::Work;

pub(super) fn message(
    second: i64,
    host: &'static str,
    text: &str,
    fields: &[(&'static str, &str)],
) -> Message {
    Message {
        time: START + second * SECOND,
        severity: Some((second % 8) as u8),
        host,
        message: text.to_owned(),
        fields: fields.iter().map(|(name, value)| (*name, value.as_bytes().to_vec())).collect(),
    }
}

pub(super) fn sample() -> Vec<(u64, Batch)> {
    vec![(
        0,
        batch_of(&[
            message(0, "fw1", "user=root from 10.0.0.1", &[("bytes", "10"), ("ms", "250ms")]),
            message(61, "fw1", "user=eve from 10.0.0.2", &[("bytes", "9"), ("ms", "1.5s")]),
            message(120, "web", r#"{"status":404,"path":{"name":"/x"}}"#, &[("bytes", "NaN")]),
            message(
                3599,
                "web",
                r#"{"status":200,"path":{"name":"/"}}"#,
                &[("bytes", "1e400"), ("bytes", "7")],
            ),
            message(121, "", "plain", &[]),
        ]),
    )]
}

pub(super) fn check(query: &str, expected: &[&str]) {
    let table = run(query, &sample(), MEMORY_MAX).unwrap();
    assert_eq!(shown(&table), expected, "{query}");
}

pub(super) fn endless() -> Work<'static> {
    SearchContext::alone().work()
}
