//! Random pipelines that the parser can make.
//!
//! Keywords: pipeline, stages, strategies.

use crate::strategies::queries;
use logstead_query::{
    Aggregate, CaptureTemplate, Captures, Function, LIMIT_MAX, Measure, Pipeline, Ranking, Regex, SortKey,
    Stage, TextFormat,
};
use logstead_record::FieldName;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

pub(crate) fn pipelines() -> impl Strategy<Value = Pipeline> {
    (queries(), vec(stages(), 0..4)).prop_map(|(filter, stages)| Pipeline { filter, stages })
}

fn stages() -> impl Strategy<Value = Stage> {
    let keys = (columns(), vec(any::<bool>(), 4)).prop_map(|(fields, descending)| {
        let keys = fields.into_iter().zip(descending);
        Stage::Sort(keys.map(|(field, descending)| SortKey { field, descending }).collect())
    });
    let from = || select(vec!["message", "raw", "from", "x y", "payload"]).prop_map(FieldName::new);
    let templates =
        select(vec!["a=<a>", "<a> <b>*", "\"<_>\" \\<c d> <c-d>\\", "|<a>", "<a> äb*", "<1> <a.b>,"]);
    let sources = select(vec!["(?<a>x)", "(?P<a_b>/)|\"(?<c>\\\\)", "a (?<ä>.) | \\| (b)"]);
    let formats = prop_oneof![
        Just(TextFormat::Json),
        Just(TextFormat::KeyValue),
        (sources, any::<bool>()).prop_map(|(source, ignore_case)| {
            TextFormat::Regex(Captures::new(Regex::new(source, ignore_case).unwrap()).unwrap())
        }),
    ];
    prop_oneof![
        queries().prop_map(Stage::Where),
        columns().prop_map(Stage::Fields),
        keys,
        (1..=LIMIT_MAX).prop_map(Stage::Limit),
        (1..=LIMIT_MAX).prop_map(Stage::Tail),
        (functions(), by(), 0..3_usize).prop_map(|(functions, mut by, most)| {
            by.truncate(most);
            Stage::Stats { functions, by }
        }),
        (proptest::option::of(1..i64::MAX), functions(), by(), any::<bool>()).prop_map(
            |(span_nanos, functions, mut by, split)| {
                Stage::Timechart { span_nanos, functions, by: by.pop().filter(|_| split) }
            }
        ),
        rankings().prop_map(Stage::Top),
        rankings().prop_map(Stage::Rare),
        columns().prop_map(Stage::Uniq),
        columns().prop_map(Stage::Dedup),
        (columns(), 1..i64::MAX).prop_map(|(by, longest_nanos)| Stage::Gap { by, longest_nanos }),
        (templates, from())
            .prop_map(|(text, from)| Stage::Extract { template: CaptureTemplate::new(text).unwrap(), from }),
        (formats, from()).prop_map(|(format, from)| Stage::Parse { format, from }),
    ]
}

fn rankings() -> impl Strategy<Value = Ranking> {
    (1..=LIMIT_MAX, columns(), by(), any::<bool>()).prop_map(|(count, fields, by, grouped)| {
        let by = by.into_iter().filter(|_| grouped).collect();
        Ranking { count, fields, by }
    })
}

/// Names of columns that are neither functions nor `by`.
fn columns() -> impl Strategy<Value = Vec<FieldName>> {
    const NAMES: [&str; 12] = [
        "host", "severity", "a", "B", "x y", "as", "limit", "desc", "avg(bytes)", "in", "severity_num",
        "d@1.q\\\"",
    ];
    subsequence(NAMES.to_vec(), 1..=4)
        .prop_shuffle()
        .prop_map(|names| names.into_iter().map(FieldName::new).collect())
}

fn by() -> impl Strategy<Value = Vec<FieldName>> {
    const NAMES: [&str; 6] = ["program", "by", "span", "ä", "stats", "facility"];
    subsequence(NAMES.to_vec(), 1..=4)
        .prop_shuffle()
        .prop_map(|names| names.into_iter().map(FieldName::new).collect())
}

fn functions() -> impl Strategy<Value = Vec<Aggregate>> {
    let measures = prop_oneof![
        select(vec![
            Measure::Count,
            Measure::Sum,
            Measure::Avg,
            Measure::Min,
            Measure::Max,
            Measure::Distinct
        ]),
        prop_oneof![(0_u32..=100).prop_map(|percent| percent * 1000), 0_u32..=100_000]
            .prop_map(Measure::Percentile),
    ];
    let function = prop_oneof![
        1 => Just(Function::Count),
        4 => (measures, columns()).prop_map(|(measure, mut fields)| Function::Of(measure, fields.remove(0))),
    ];
    let aliases =
        select(vec![None, None, Some("hits"), Some("x y"), Some("From"), Some("earliest"), Some("a*")]);
    let aggregate = (function, aliases)
        .prop_map(|(function, alias)| Aggregate { function, alias: alias.map(str::to_owned) });
    vec(aggregate, 1..4).prop_filter("columns have different names", |functions| {
        let names: Vec<String> = functions.iter().map(|f| f.column().to_ascii_lowercase()).collect();
        (1..names.len()).all(|index| !names[..index].contains(&names[index]))
    })
}
