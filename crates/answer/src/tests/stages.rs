//! Random pipelines: the result does not depend on the parts of the store and their order, and a stage gives the same
//! result over messages, over a table and one message at a time.

use super::testing::*;
use crate::{AnswerError, AnswerTable, CellValue};
use logstead_query::parse_pipeline;
use logstead_record::FieldName;
use logstead_record::{SECOND, Selection, Timestamp};
use logstead_transform::Transform;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The same messages, each field with only its first value.
fn with_first_values(mut messages: Vec<Message>) -> Vec<Message> {
    for message in &mut messages {
        let mut known = BTreeSet::new();
        message.fields.retain(|(name, value)| !value.is_empty() && known.insert(name.to_lowercase()));
    }
    messages
}

/// The texts of a row; `None` for a missing value.
type Cells = Vec<Option<Vec<u8>>>;

/// Stages that pass messages on to the next stage.
fn stages() -> impl Strategy<Value = String> {
    let stages = [
        "where host=a",
        "where -host:b severity>=warning",
        "where time>2026-11-21T06:20 OR host=c",
        "sort -n, host",
        "sort severity",
        "limit 3",
        "tail 5",
        "dedup host, severity",
        "dedup n",
        "extract \"n=<m>\"",
        "parse regex /(?<letter>[a-c])/",
        "extract \"=<n>\"",
        "parse kv",
        "eval k = len(message) * 2, letter = coalesce(letter, upper(host))",
        "eval n = if(n > 3, null, concat(host, n))",
        "fields host, n, message",
        "sort m, letter",
    ];
    select(stages.to_vec()).prop_map(str::to_owned)
}

/// Stages that need one message at a time.
fn streaming() -> impl Strategy<Value = String> {
    let stages = [
        "where host=a",
        "where -n>3",
        "where m:* OR severity>=error",
        "where b",
        "extract \"n=<m>\"",
        "parse regex /(?<letter>[a-c])/",
        "parse csv letter, _ from message",
        "parse kv",
        "parse kv from user",
        "eval k = n * 2, letter = coalesce(letter, upper(host))",
        "eval n = if(n > 3, null, concat(host, n))",
        "eval m = n + k, N = len(message)",
    ];
    select(stages.to_vec()).prop_map(str::to_owned)
}

/// Stages that produce a table.
fn collecting() -> impl Strategy<Value = String> {
    let stages = [
        "stats count(), sum(n), min(n), max(time), dc(user), p50(n) by host, severity",
        "stats count() by n | stats count() as groups by count",
        "timechart span=10m count(), avg(n) by host",
        "top 2 n by host",
        "rare 3 severity",
        "uniq host, n",
        "gap host > 2m",
        "gap n, severity > 7m | stats count(), max(seconds) by n",
    ];
    select(stages.to_vec()).prop_map(str::to_owned)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn stages_that_stream_give_messages_what_a_question_shows(
        (_, parts) in messages().prop_flat_map(in_parts),
        stages in vec(streaming(), 1..4),
    ) {
        let columns = ["time", "host", "message", "n", "m", "k", "letter"];
        let text = format!("* | {}", stages.join(" | "));
        let named = columns.map(FieldName::new);
        let table = run(&format!("{text} | fields {}", columns.join(", ")), &parts, MEMORY_MAX).unwrap();
        let pipeline = parse_pipeline(&text).unwrap();
        prop_assert_eq!(pipeline.streams(), Ok(()));
        let now = Timestamp::from_nanos(START + 3600 * SECOND);
        let transform = Transform::new(&pipeline.stages, now);
        let mut rows: Vec<(i64, u64, Cells)> = Vec::new();
        for (first, batch) in &parts {
            let batch = Arc::new(batch.clone());
            let changed = transform.apply(&batch, &Selection::all(batch.rows()), "main");
            for (row, origin) in changed.rows.iter().enumerate() {
                let mut raws = (Vec::new(), Vec::new());
                batch.write_raw(*origin, &mut raws.0);
                changed.batch.write_raw(row, &mut raws.1);
                prop_assert_eq!(raws.0, raws.1, "what was received stays what it was");
                let value = |name: &FieldName| changed.batch.value(row, name).map(Cow::into_owned);
                let values = named.iter().map(value).collect();
                rows.push((batch.time(*origin).nanos(), first + *origin as u64, values));
            }
        }
        rows.sort_by_key(|(time, sequence, _)| std::cmp::Reverse((*time, *sequence)));
        let shown: Vec<Cells> = table
            .rows
            .iter()
            .map(|row| {
                let cell = |value: &CellValue| {
                    let mut text = Vec::new();
                    value.write(&mut text);
                    (*value != CellValue::Null).then_some(text)
                };
                row.iter().map(cell).collect()
            })
            .collect();
        prop_assert_eq!(shown, rows.into_iter().map(|(_, _, values)| values).collect::<Vec<Cells>>());
    }

    #[test]
    fn parts_and_their_order_do_not_show(
        (messages, parts) in messages().prop_flat_map(in_parts),
        query in select(vec![
            "*",
            "* | stats count(), sum(n), avg(n), min(user), max(time), p90(n) by severity, host",
            "* | stats count() by n | stats sum(count), count() by n | sort -count, n",
            "* | timechart span=5m count(), sum(n) by host",
            "* | timechart count(), avg(n)",
            "* | top 3 n by host",
            "* | rare 2 n",
            "* | uniq n, host",
            "* | gap host > 3m",
            "* | gap 1m by n, host",
            "* | where n>3 | parse kv | gap n > 90s",
            "* | dedup host, n",
            "* | sort -n, host | limit 7",
            "* | sort -n, host | dedup n | stats count()",
            "* | tail 5 | fields time, n",
            "* | limit 5 | stats count() by host | where count>1",
            "* | extract \"n=<m>\" | where m>5 | stats count(), max(m) by host",
            "* | parse kv | limit 20",
            "* | sort severity | fields severity, time",
        ]),
    ) {
        let whole = run(query, &[(0, batch_of(&messages))], MEMORY_MAX);
        prop_assert_eq!(run(query, &parts, MEMORY_MAX), whole);
    }

    /// The limit collects all messages, so that the stages after it work on a table, which holds only one value of
    /// each field.
    #[test]
    fn a_stage_over_a_table_is_the_stage_over_messages(
        (_, parts) in messages().prop_map(with_first_values).prop_flat_map(in_parts),
        steps in vec(stages(), 0..4),
        last in prop_oneof![collecting(), stages()],
    ) {
        let stages: Vec<String> = steps.into_iter().chain([last]).collect();
        let stages = stages.join(" | ");
        let over_messages = run(&format!("* | {stages}"), &parts, MEMORY_MAX);
        let over_table = run(&format!("* | limit 1000000 | {stages}"), &parts, MEMORY_MAX);
        match (over_messages, over_table) {
            (Ok(over_messages), Ok(over_table)) => {
                // The other columns may differ, because they hold whatever the stages needed. A computed value
                // becomes a text once it is a field of a message.
                let common = |table: &AnswerTable, other: &AnswerTable| -> Vec<Vec<Option<Vec<u8>>>> {
                    let mut shared: Vec<usize> = (0..table.columns.len()).collect();
                    shared.retain(|&index| other.columns.contains(&table.columns[index]));
                    shared.sort_by_key(|&index| &table.columns[index].name);
                    table.rows.iter().map(|row| shared.iter().map(|&index| written(&row[index])).collect()).collect()
                };
                prop_assert_eq!(
                    common(&over_messages, &over_table),
                    common(&over_table, &over_messages),
                    "{}",
                    stages
                );
            }
            (over_messages, over_table) => {
                prop_assert!(over_messages.is_err() == over_table.is_err(), "{}: {:?} {:?}", stages, over_messages, over_table);
            }
        }
    }

    #[test]
    fn little_memory_is_an_error_or_enough((_, parts) in messages().prop_flat_map(in_parts), bytes_max in 0_usize..40_000) {
        for query in ["* | stats dc(n), p50(n), min(n) by message", "* | dedup message", "* | sort n", "* | gap message > 1m"] {
            let whole = run(query, &parts, MEMORY_MAX);
            match run(query, &parts, bytes_max) {
                Err(error) => prop_assert_eq!(error, AnswerError::Memory { bytes_max }),
                found => prop_assert_eq!(found, whole),
            }
        }
    }
}

fn written(value: &CellValue) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    value.write(&mut text);
    (*value != CellValue::Null).then_some(text)
}
