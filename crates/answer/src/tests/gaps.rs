//! Gaps: the times between consecutive messages with the same value, and after the last one.

use super::naive::texts;
use super::sample::{check, endless, message};
use super::testing::*;
use crate::{Aggregation, AnswerSettings, CellValue};
use logstead_query::{TimeRange, parse_pipeline};
use logstead_record::{SECOND, Selection, Timestamp};
use logstead_work::SearchContext;
use proptest::prelude::*;
use std::collections::BTreeMap;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn gaps_are_the_times_between_neighbours((messages, parts) in messages().prop_flat_map(in_parts), minutes in 1_i64..20) {
        let table = run(&format!("* | gap n > {minutes}m"), &parts, MEMORY_MAX).unwrap();
        let mut times: BTreeMap<Vec<u8>, Vec<i64>> = BTreeMap::new();
        for message in &messages {
            texts(message, "n").into_iter().for_each(|n| times.entry(n).or_default().push(message.time));
        }
        let mut expected = Vec::new();
        for (value, mut times) in times {
            times.sort_unstable();
            let ends = times[1..].iter().map(|&time| Some(time)).chain([None]);
            for (&from, to) in times.iter().zip(ends) {
                let seconds = (to.unwrap_or(START + 3600 * SECOND) - from) / SECOND;
                if minutes * 60 < seconds {
                    expected.push((seconds, value.clone(), from, to));
                }
            }
        }
        let mut found = Vec::new();
        for row in &table.rows {
            let [CellValue::Text(value), CellValue::Time(from), to, CellValue::Number(seconds)] = row.as_slice() else {
                panic!("{row:?}")
            };
            let to = if let CellValue::Time(to) = to { Some(to.nanos()) } else { None };
            found.push((*seconds as i64, value.to_vec(), from.nanos(), to));
        }
        prop_assert!(found.is_sorted_by_key(|(seconds, ..)| std::cmp::Reverse(*seconds)), "{found:?}");
        expected.sort();
        found.sort();
        prop_assert_eq!(found, expected);
    }
}

#[test]
fn gaps_are_silences_of_a_sender() {
    check(
        "* | gap host > 57m",
        &[
            "host | from | to | seconds",
            "fw1 | 2026-11-21T06:01:01Z | - | 3539",
            "web | 2026-11-21T06:02:00Z | 2026-11-21T06:59:59Z | 3479",
        ],
    );
    check(
        "* | gap host > 3478s | sort host, \"from\" | fields host, seconds",
        &["host | seconds", "fw1 | 3539", "web | 3479"],
    );
    check("* | gap host > 3479s | fields host", &["host", "fw1"]);
    check("* | gap host > 3539s", &["host | from | to | seconds"]);
    check(
        "time<2026-11-21T06:30 | gap host > 20m | fields host, to, seconds",
        &["host | to | seconds", "fw1 | - | 1739", "web | - | 1680"],
    );
    check(
        "* | limit 4 | gap host, bytes > 57m | where seconds>3500",
        &["host | bytes | from | to | seconds", "fw1 | 9 | 2026-11-21T06:01:01Z | - | 3539"],
    );
}

#[test]
fn a_silence_lasts_until_now_or_the_end_of_the_question_whatever_is_stored() {
    let lasting = |now: i64, asked: i64| {
        let time = |second: i64| Timestamp::from_nanos(START + second * SECOND);
        let range = TimeRange { first: time(0), last: time(121) };
        let asked = TimeRange { first: time(0), last: Timestamp::from_nanos(time(asked).nanos() - 1) };
        let settings = AnswerSettings { now: time(now), range, asked, memory_bytes_max: MEMORY_MAX };
        let pipeline = parse_pipeline("* | gap host > 10m").unwrap();
        let mut aggregation = Aggregation::compile(&pipeline, settings).unwrap();
        let batch = batch_of(&[message(0, "fw1", "x", &[]), message(120, "fw1", "y", &[])]);
        let all = Selection::all(batch.rows());
        let needs = aggregation.needs().to_vec();
        with_part(&batch, &all, &needs, |part| aggregation.add(part, &endless())).unwrap();
        shown(&aggregation.finish(&SearchContext::alone()).unwrap())[1..].to_vec()
    };
    assert_eq!(lasting(7200, 3600), ["fw1 | 2026-11-21T06:02:00Z | - | 3480"]);
    assert_eq!(lasting(1000, 3600), ["fw1 | 2026-11-21T06:02:00Z | - | 880"]);
    assert!(lasting(720, 3600).is_empty());
    assert!(lasting(60, 3600).is_empty(), "a clock that is behind makes no gap");
}
