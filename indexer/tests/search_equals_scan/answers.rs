//! Compares histograms, facets and groups with the results of counting every message.

use crate::questions::CONTEXT;
use logstead_answer::{
    Aggregation, AnswerSettings, AnswerTable, CellValue, Discovery, Facets, Histogram, Width,
};
use logstead_indexer::{AnswerTarget, Filter, Searcher};
use logstead_query::{FieldTest, Pattern, PatternPart, Query, TimeRange, parse, parse_pipeline};
use logstead_record::FieldName;
use logstead_record::{Batch, Field, Flags};
use logstead_work::SearchContext;
use std::collections::{BTreeMap, BTreeSet};

const MEMORY_MAX: usize = 64 << 20;
/// Fields with a column, without a column, and of neither kind.
const FIELDS: [&str; 10] =
    ["host", "program", "severity", "facility", "msgid", "flag", "pid", "message", "source", "copy_of"];

/// Compares the answers of a logspace with those computed from the expected messages.
pub(crate) fn check(
    searcher: &Searcher,
    filter: &Filter,
    range: TimeRange,
    run: &SearchContext<'_>,
    dynamic: &[&str],
    meant: &[&Batch],
) {
    let names: Vec<FieldName> = FIELDS.iter().chain(dynamic).map(|name| FieldName::new(name)).collect();
    let mut facets = Facets::new(names.clone(), usize::MAX, MEMORY_MAX);
    let mut histogram = Histogram::new(range, Width::AtMost(20), None, MEMORY_MAX).ok();
    let mut asked = vec![AnswerTarget::Facets(&mut facets)];
    asked.extend(histogram.as_mut().map(AnswerTarget::Histogram));
    let coverage = searcher.answer("main", filter, range, run, &mut asked).unwrap();
    assert!(coverage.complete, "{coverage:?}");
    for (name, facet) in names.iter().zip(facets.finish()) {
        let found: BTreeMap<Vec<u8>, u64> = facet
            .values
            .iter()
            .map(|(value, count)| {
                let mut text = Vec::new();
                value.write(&mut text);
                (text, *count)
            })
            .collect();
        let mut expected: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
        for value in meant.iter().flat_map(|row| values_of(row, name)) {
            *expected.entry(value).or_default() += 1;
        }
        assert_eq!(found, expected, "facet {name}");
        assert_eq!(facet.distinct, expected.len() as u64, "distinct {name}");
        let rows = meant.iter().filter(|row| !values_of(row, name).is_empty()).count();
        assert_eq!(facet.rows, rows as u64, "rows {name}");
    }
    check_groups(searcher, filter, range, run, meant);
    check_fields(searcher, (filter, range), run, meant);
    let Some(counts) = histogram.map(Histogram::finish) else { return };
    let mut expected = vec![0; counts.starts.len()];
    for row in meant {
        let bucket = counts.starts.partition_point(|start| *start <= row.time(0)) - 1;
        expected[bucket] += 1;
    }
    assert_eq!(counts.counts, expected, "histogram");
    assert_eq!(counts.total, meant.len() as u64);
}

/// Compares the dynamic fields, the number of messages with each, and the value if it is always the same.
fn check_fields(
    searcher: &Searcher,
    (filter, range): (&Filter, TimeRange),
    run: &SearchContext<'_>,
    meant: &[&Batch],
) {
    let mut expected: BTreeMap<String, (u64, BTreeSet<Vec<u8>>)> = BTreeMap::new();
    for row in meant {
        let columns = row.columns();
        let mut of_row: BTreeSet<String> = BTreeSet::new();
        for at in row.field_range(0).filter(|&at| !columns.field_values.get(at).is_empty()) {
            let name = String::from_utf8_lossy(columns.field_names.get(at)).to_ascii_lowercase();
            let (messages, values) = expected.entry(name.clone()).or_default();
            *messages += u64::from(of_row.insert(name));
            values.insert(columns.field_values.get(at).to_vec());
        }
    }
    let counts: BTreeMap<String, u64> =
        expected.iter().map(|(name, (count, _))| (name.clone(), *count)).collect();
    for (mut discovery, is_exact) in [(Discovery::exact(), true), (Discovery::rough(), false)] {
        searcher.answer("main", filter, range, run, &mut [AnswerTarget::Discovery(&mut discovery)]).unwrap();
        assert_eq!(discovery.messages(), meant.len() as u64);
        let fields = discovery.most_useful(usize::MAX);
        let found = fields.iter().map(|found| (found.name.to_ascii_lowercase(), found.messages));
        let found: BTreeMap<String, u64> = found.collect();
        if is_exact || !discovery.count().1 {
            assert_eq!(found, counts, "fields");
        } else {
            // If a segment has more fields than columns, the result says that there may be others.
            let is_there =
                |(name, messages): (&String, &u64)| counts.get(name).is_some_and(|all| messages <= all);
            assert!(found.iter().all(is_there), "rough fields");
        }
        for field in fields.iter().filter(|_| is_exact) {
            let (_, values) = &expected[&field.name.to_ascii_lowercase()];
            let only = values.first().filter(|value| values.len() == 1 && value.len() <= 256);
            assert_eq!(field.only.as_deref(), only.map(Vec::as_slice), "{}", field.name);
        }
    }
}

/// Checks groups by two fields, either of which may have several values in a message.
fn check_groups(
    searcher: &Searcher,
    filter: &Filter,
    range: TimeRange,
    run: &SearchContext<'_>,
    meant: &[&Batch],
) {
    let found = table("* | stats count() by shared, flag", searcher, (filter, range), run);
    let mut expected: BTreeMap<Vec<Option<Vec<u8>>>, u64> = BTreeMap::new();
    for row in meant {
        let values = |name: &str| -> Vec<Option<Vec<u8>>> {
            let values = values_of(row, &FieldName::new(name));
            if values.is_empty() { vec![None] } else { values.into_iter().map(Some).collect() }
        };
        let flags = values("flag");
        for shared in values("shared") {
            let pairs = flags.iter().map(|flag| vec![shared.clone(), flag.clone()]);
            pairs.for_each(|pair| *expected.entry(pair).or_default() += 1);
        }
    }
    assert_eq!(counted(&found), expected, "groups");
}

/// Checks that a search for a value finds as many messages as a table and a facet count for it.
pub(crate) fn check_values(searcher: &Searcher, names: &[&str]) {
    let all = (&Filter::new(&Query::All, &CONTEXT), TimeRange::ALL);
    for name in names {
        let field = FieldName::new(name);
        let by = if name.contains(' ') { format!("\"{name}\"") } else { (*name).to_owned() };
        let stages = ["stats count() by", "top 1000000", "rare 1000000"];
        let [groups, top, rare] = stages.map(|stage| {
            counted(&table(&format!("* | {stage} {by}"), searcher, all, &SearchContext::alone()))
        });
        assert_eq!(top, rare);
        for (values, count) in &groups {
            let Some(value) = &values[0] else { continue };
            assert_eq!(top.get(values), Some(count), "{name}");
            let Ok(text) = std::str::from_utf8(value) else { continue };
            let query = if *name == "flag" {
                parse(&format!("flag={text}")).unwrap()
            } else {
                let pattern = Pattern::new([PatternPart::Text(text.to_owned())], true);
                Query::Field(field.clone(), FieldTest::Equals(pattern))
            };
            let filter = Filter::new(&query, &CONTEXT);
            assert_eq!(
                searcher.count(&filter, TimeRange::ALL, &SearchContext::alone()).count,
                *count,
                "{query}"
            );
        }
    }
}

fn table(
    text: &str,
    searcher: &Searcher,
    (filter, range): (&Filter, TimeRange),
    run: &SearchContext<'_>,
) -> AnswerTable {
    let (now, all) = (CONTEXT.now, TimeRange::ALL);
    let settings = AnswerSettings { now, range: all, asked: all, memory_bytes_max: MEMORY_MAX };
    let mut aggregation = Aggregation::compile(&parse_pipeline(text).unwrap(), settings).unwrap();
    searcher.answer("main", filter, range, run, &mut [AnswerTarget::Table(&mut aggregation)]).unwrap();
    let table = aggregation.finish(run).unwrap();
    assert!(table.notes.is_empty(), "{:?}", table.notes);
    table
}

/// The counts of the rows, by the texts before the count.
fn counted(table: &AnswerTable) -> BTreeMap<Vec<Option<Vec<u8>>>, u64> {
    let text = |value: &CellValue| if let CellValue::Text(text) = value { Some(text.to_vec()) } else { None };
    let row = |row: &Vec<CellValue>| match row.split_last() {
        Some((CellValue::Count(count), values)) => (values.iter().map(text).collect(), *count),
        _ => panic!("{row:?} has no count"),
    };
    table.rows.iter().map(row).collect()
}

/// The different non-empty values of a field.
fn values_of(row: &Batch, name: &FieldName) -> BTreeSet<Vec<u8>> {
    let text = match name {
        FieldName::Dynamic(name) => {
            let named = row.fields(0).filter(|field| field.0.eq_ignore_ascii_case(name.as_bytes()));
            return named.map(|(_, value)| value.to_vec()).filter(|value| !value.is_empty()).collect();
        }
        FieldName::Known(Field::Host) => row.host(0).to_vec(),
        FieldName::Known(Field::Program) => row.program(0).to_vec(),
        FieldName::Known(Field::Msgid) => row.msgid(0).to_vec(),
        FieldName::Known(Field::Pid) => row.pid(0).to_vec(),
        FieldName::Known(Field::Source) => row.source(0).to_vec(),
        FieldName::Known(Field::CopyOf) => row.text(Field::CopyOf, 0).to_vec(),
        FieldName::Known(Field::Message) => row.message(0).to_vec(),
        FieldName::Known(Field::Severity) => {
            row.priority(0).map(|it| it.severity().to_string().into_bytes()).unwrap_or_default()
        }
        FieldName::Known(Field::Facility) => {
            row.priority(0).map(|it| it.facility().to_string().into_bytes()).unwrap_or_default()
        }
        FieldName::Known(Field::Flag) => {
            return Flags::names(row.flags(0)).map(|name| name.as_bytes().to_vec()).collect();
        }
        FieldName::Known(_) => Vec::new(),
    };
    BTreeSet::from([text]).into_iter().filter(|text| !text.is_empty()).collect()
}
