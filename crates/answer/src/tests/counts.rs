//! Histograms count each message once, and facets are the most frequent values.

use super::naive::texts;
use super::sample::endless;
use super::testing::*;
use crate::{
    AnswerRows, BY_VALUES_MAX, CellValue, Facets, Histogram, RowTimes, TimeFrame, Unreadable, Width,
};
use logstead_record::FieldName;
use logstead_record::{Batch, SECOND, Selection};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// All messages except every third one.
fn some_of(batch: &Batch, first: u64) -> Selection {
    Selection::from_fn(batch.rows(), |row| (first as usize + row) % 3 != 1)
}

fn chosen(messages: &[Message]) -> Vec<&Message> {
    messages.iter().enumerate().filter(|(index, _)| index % 3 != 1).map(|(_, message)| message).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_histogram_counts_each_message_once((messages, parts) in messages().prop_flat_map(in_parts), width in 1_i64..1800) {
        let by = FieldName::new("n");
        let mut histogram =
            Histogram::new(HOUR, Width::Nanos(width * SECOND), Some(by), MEMORY_MAX).unwrap();
        for (first, batch) in &parts {
            let needs = histogram.needs().to_vec();
            with_part(batch, &some_of(batch, *first), &needs, |part| histogram.add(part, &endless())).unwrap();
        }
        let counts = histogram.finish();
        let mut expected = vec![0; counts.counts.len()];
        let mut series: BTreeMap<Vec<u8>, Vec<u64>> = BTreeMap::new();
        for message in chosen(&messages) {
            let bucket = (message.time / SECOND / width - START / SECOND / width) as usize;
            expected[bucket] += 1;
            for value in texts(message, "n") {
                series.entry(value).or_insert_with(|| vec![0; counts.counts.len()])[bucket] += 1;
            }
        }
        prop_assert_eq!(counts.total, chosen(&messages).len() as u64);
        prop_assert_eq!(&counts.counts, &expected);
        prop_assert!(counts.starts.windows(2).all(|two| two[1].nanos() - two[0].nanos() == width * SECOND));
        let found: BTreeMap<Vec<u8>, Vec<u64>> = counts
            .series
            .iter()
            .map(|series| {
                let mut value = Vec::new();
                series.value.write(&mut value);
                (value, series.counts.clone())
            })
            .collect();
        prop_assert_eq!(found, series);
    }

    #[test]
    fn facets_are_the_most_frequent_values((messages, parts) in messages().prop_flat_map(in_parts), limit in 0_usize..5) {
        let fields = vec![FieldName::new("n"), FieldName::new("host")];
        let mut facets = Facets::new(fields, limit, MEMORY_MAX);
        for (first, batch) in &parts {
            facets.add(batch, &some_of(batch, *first), "main");
        }
        for facet in facets.finish() {
            let mut counts: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
            for value in chosen(&messages).iter().flat_map(|message| texts(message, facet.field.as_str())) {
                *counts.entry(value).or_default() += 1;
            }
            prop_assert_eq!(facet.distinct, counts.len() as u64);
            let mut expected: Vec<(Vec<u8>, u64)> = counts.into_iter().collect();
            expected.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
            let expected: Vec<(CellValue, u64)> =
                expected.into_iter().take(limit).map(|(value, count)| (CellValue::text(&value), count)).collect();
            prop_assert_eq!(facet.values, expected);
            prop_assert_eq!(facet.partial, None);
        }
    }
}

#[test]
fn times_are_read_only_where_a_frame_is_in_several_spans() {
    struct Times(Vec<TimeFrame>);
    impl RowTimes for Times {
        fn frames(&self) -> &[TimeFrame] {
            &self.0
        }
        fn read(&self, frame: usize, out: &mut Vec<i64>) -> Result<(), Unreadable> {
            assert_ne!(frame, 0, "it lies in one span");
            if frame == 2 {
                return Err(Unreadable("page 7 is damaged".to_owned()));
            }
            out.clear();
            out.extend([START, START + 61 * SECOND]);
            Ok(())
        }
    }
    let frame = |rows, last: i64| TimeFrame { rows, earliest: START, latest: START + last * SECOND };
    let times = Times(vec![frame(0..100, 59), frame(100..102, 61), frame(102..104, 61)]);
    let mut selected = Selection::from_fn(104, |row| row % 2 == 1 && row < 102);
    let mut histogram = Histogram::new(HOUR, Width::Nanos(60 * SECOND), None, MEMORY_MAX).unwrap();
    let mut add = |selected: &Selection| {
        histogram.add(&AnswerRows { rows: 104, selected, times: &times, fields: Vec::new() }, &endless())
    };
    add(&selected).unwrap();
    selected.insert(102);
    assert_eq!(add(&selected).unwrap_err().to_string(), "page 7 is damaged");
    let counts = histogram.finish();
    assert_eq!(
        (counts.counts[0], counts.counts[1], counts.total),
        (50, 1, 51),
        "a part counts whole or not at all"
    );
}

#[test]
fn many_values_are_counted_together() {
    let many: Vec<Message> = (0..300)
        .map(|index| Message {
            time: START + index % 2,
            message: format!("{}", index / 2),
            ..Message::default()
        })
        .collect();
    let field = FieldName::new("message");
    let batch = batch_of(&many);
    let all = Selection::all(300);
    let mut histogram = Histogram::new(HOUR, Width::AtMost(60), Some(field.clone()), MEMORY_MAX).unwrap();
    with_part(&batch, &all, std::slice::from_ref(&field), |part| histogram.add(part, &endless())).unwrap();
    let counts = histogram.finish();
    assert_eq!((counts.series.len(), counts.other_values, counts.other[0]), (BY_VALUES_MAX, 50, 100));

    let mut facets = Facets::new(vec![field.clone()], 10, 2000);
    facets.add(&batch, &all, "main");
    let facet = &facets.finish()[0];
    assert!(facet.distinct < 150);
    assert!(facet.partial.as_ref().unwrap().contains("messages are not counted"));
}
