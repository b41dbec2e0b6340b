//! Histograms and facets, as counting every message gives them.

use logstead_indexer::{Asked, Facets, Filter, Histogram, Run, Searcher, Width};
use logstead_record::query::{FieldName, TimeRange};
use logstead_record::{Batch, Field, Flags};
use std::collections::{BTreeMap, BTreeSet};

const MEMORY_MAX: usize = 64 << 20;
/// With a column, without one, and neither.
const FIELDS: [&str; 9] =
    ["host", "program", "severity", "facility", "msgid", "flag", "pid", "message", "source"];

/// Compares the answers of a logspace with those of the messages that are meant.
pub(crate) fn check(
    searcher: &Searcher,
    filter: &Filter,
    range: TimeRange,
    run: &Run<'_>,
    dynamic: &[&str],
    meant: &[&Batch],
) {
    let names: Vec<FieldName> = FIELDS.iter().chain(dynamic).map(|name| FieldName::new(name)).collect();
    let mut facets = Facets::new(names.clone(), usize::MAX, MEMORY_MAX);
    let mut histogram = Histogram::new(range, Width::AtMost(20), None, MEMORY_MAX).ok();
    let mut asked = vec![Asked::Facets(&mut facets)];
    asked.extend(histogram.as_mut().map(Asked::Histogram));
    let coverage = searcher.answer(("main", filter, range), run, &mut asked).unwrap();
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
    }
    let Some(counts) = histogram.map(Histogram::finish) else { return };
    let mut expected = vec![0; counts.starts.len()];
    for row in meant {
        let bucket = counts.starts.partition_point(|start| *start <= row.time(0)) - 1;
        expected[bucket] += 1;
    }
    assert_eq!(counts.counts, expected, "histogram");
    assert_eq!(counts.total, meant.len() as u64);
}

/// Each different value of a field that says something.
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
