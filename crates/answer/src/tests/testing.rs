//! Helpers for the tests of answers: random messages, batches of them, and running a pipeline over them.

use crate::{
    Aggregation, AnswerError, AnswerRows, AnswerSettings, AnswerTable, BatchLocation, BatchTimes, CodedColumn,
};
use logstead_query::{Context, Matcher, TimeRange, parse_pipeline};
use logstead_record::FieldName;
use logstead_record::{
    Batch, BatchBuilder, Facility, Field, Origin, Priority, Row, SECOND, Severity, Timestamp,
};
use logstead_work::SearchContext;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

pub(crate) const MEMORY_MAX: usize = 64 << 20;
/// 2026-11-21T06:00:00Z.
pub(crate) const START: i64 = 1_795_240_800 * SECOND;
pub(crate) const HOUR: TimeRange =
    TimeRange { first: Timestamp::from_nanos(START), last: Timestamp::from_nanos(START + 3600 * SECOND - 1) };

/// A message as tests write it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Message {
    pub time: i64,
    pub severity: Option<u8>,
    pub host: &'static str,
    pub message: String,
    pub fields: Vec<(&'static str, Vec<u8>)>,
}

/// Random messages within one hour.
pub(crate) fn messages() -> impl Strategy<Value = Vec<Message>> {
    let value = prop_oneof![
        4 => (-5_i32..20).prop_map(|number| number.to_string().into_bytes()),
        2 => (-1e6..1e6).prop_map(|number: f64| number.to_string().into_bytes()),
        2 => select(vec!["", "a", "b", "NaN", "inf", "1e400", "10ms", "1KiB", "é", " 7 "])
            .prop_map(|text| text.as_bytes().to_vec()),
        1 => vec(any::<u8>(), 0..3),
    ];
    let field = (select(vec!["n", "N", "user"]), value);
    let message = (
        0..3600_i64,
        prop::option::of(0_u8..8),
        select(vec!["", "a", "b", "c"]),
        "[a-c]{0,2}( n=[0-9]{1,2})?",
        vec(field, 0..3),
    );
    let message = message.prop_map(|(second, severity, host, message, fields)| Message {
        time: START + second * SECOND,
        severity,
        host,
        message,
        fields,
    });
    vec(message, 0..60)
}

/// The same messages, split into parts that are in another order, each with the index of its first message.
pub(crate) fn in_parts(messages: Vec<Message>) -> impl Strategy<Value = (Vec<Message>, Vec<(u64, Batch)>)> {
    let rows = messages.len();
    let cuts = vec(0..=rows, 0..5);
    (Just(messages), cuts).prop_flat_map(move |(messages, mut cuts)| {
        cuts.extend([0, rows]);
        cuts.sort_unstable();
        let part = |cut: &[usize]| (cut[0] as u64, batch_of(&messages[cut[0]..cut[1]]));
        let parts: Vec<(u64, Batch)> = cuts.windows(2).map(part).collect();
        (Just(messages), Just(parts).prop_shuffle())
    })
}

pub(crate) fn batch_of(messages: &[Message]) -> Batch {
    let mut builder = BatchBuilder::new();
    let received = Timestamp::from_nanos(START + 3600 * SECOND);
    builder.origin(Origin { source: b"syslog", peer: b"10.0.0.1:514", received });
    for message in messages {
        for (name, value) in &message.fields {
            builder.field(name.as_bytes(), value);
        }
        let facility = Facility::new(1).unwrap();
        let severity = message.severity.and_then(Severity::new);
        builder.push(
            &Row {
                time: Some(Timestamp::from_nanos(message.time)),
                priority: severity.map(|severity| Priority::of(facility, severity)),
                ..Row::text(message.message.as_bytes())
            }
            .with(Field::Host, message.host.as_bytes()),
        );
    }
    builder.seal()
}

/// Passes the selected rows of a batch on as a part with these columns.
pub(crate) fn with_part<T>(
    batch: &Batch,
    selected: &logstead_record::Selection,
    needs: &[FieldName],
    take: impl FnOnce(&AnswerRows<'_>) -> T,
) -> T {
    let times = BatchTimes::of(batch);
    let fields = needs.iter().map(|field| CodedColumn::of_batch(batch, field, "main")).collect();
    take(&AnswerRows { rows: batch.rows(), selected, times: &times, fields })
}

/// Runs a pipeline over batches. Only columns are passed if they are enough.
pub(crate) fn run(
    text: &str,
    parts: &[(u64, Batch)],
    memory_bytes_max: usize,
) -> Result<AnswerTable, AnswerError> {
    let pipeline = parse_pipeline(text).unwrap();
    let now = Timestamp::from_nanos(START + 3600 * SECOND);
    let mut aggregation =
        Aggregation::compile(&pipeline, AnswerSettings { now, range: HOUR, asked: HOUR, memory_bytes_max })?;
    let matcher = Matcher::new(aggregation.filter(), &Context { now, logspace: "main" });
    let work = SearchContext::alone().work();
    for (first_sequence, batch) in parts {
        let selected = matcher.select(batch);
        if aggregation.needs_batches() || first_sequence % 2 == 0 {
            let place = BatchLocation { logspace: "main", sequence: &|row| first_sequence + row as u64 };
            aggregation.add_batch(batch, &selected, place, &work)?;
        } else {
            let needs = aggregation.needs().to_vec();
            with_part(batch, &selected, &needs, |part| aggregation.add(part, &work))?;
        }
    }
    aggregation.finish(&SearchContext::alone())
}

/// A table as text, with columns separated by ` | ` and the notes below.
pub(crate) fn shown(table: &AnswerTable) -> Vec<String> {
    let mut lines =
        vec![table.columns.iter().map(|column| column.name.clone()).collect::<Vec<_>>().join(" | ")];
    for row in &table.rows {
        let cell = |value: &crate::CellValue| {
            let mut text = Vec::new();
            value.write(&mut text);
            let shown = String::from_utf8_lossy(&text).into_owned();
            if *value == crate::CellValue::Null { "-".to_owned() } else { shown }
        };
        lines.push(row.iter().map(cell).collect::<Vec<_>>().join(" | "));
    }
    lines.extend(table.notes.iter().map(|note| format!("note: {note}")));
    lines
}
