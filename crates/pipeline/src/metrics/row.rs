//! A row of a table of metrics, and its output in Prometheus' text format.
//!
//! **Invariant:** the values of one metric have one unit and exclude each other, so that `sum()` counts nothing twice. A
//! value that is not known is not written.

use logstead_flow::counters::Sizes;
use std::collections::BTreeMap;
use std::fmt::{self, Write};

/// A metric: its name without prefix, its kind and help, and the function that reads its values.
pub(super) struct MetricRow<R> {
    name: &'static str,
    kind: &'static str,
    help: &'static str,
    read: R,
}

/// The values of a metric for one source, logspace or other object.
pub(super) enum MetricValues {
    One(u64),
    /// A number with this many decimals.
    Decimal(f64, usize),
    /// One value for each value of a further label.
    By(&'static str, Vec<(String, u64)>),
    /// Cumulative buckets with their bounds, the sum and the count.
    Histogram(Vec<(f64, u64)>, f64, u64),
    /// Nothing.
    None,
}

pub(super) const fn counter<R: Copy>(name: &'static str, help: &'static str, read: R) -> MetricRow<R> {
    MetricRow { name, kind: "counter", help, read }
}

pub(super) const fn gauge<R: Copy>(name: &'static str, help: &'static str, read: R) -> MetricRow<R> {
    MetricRow { name, kind: "gauge", help, read }
}

pub(super) const fn histogram<R: Copy>(name: &'static str, help: &'static str, read: R) -> MetricRow<R> {
    MetricRow { name, kind: "histogram", help, read }
}

impl From<u64> for MetricValues {
    fn from(value: u64) -> MetricValues {
        MetricValues::One(value)
    }
}

impl From<usize> for MetricValues {
    fn from(value: usize) -> MetricValues {
        MetricValues::One(value as u64)
    }
}

/// By reason.
impl From<BTreeMap<String, u64>> for MetricValues {
    fn from(reasons: BTreeMap<String, u64>) -> MetricValues {
        MetricValues::By("reason", reasons.into_iter().collect())
    }
}

impl From<&Sizes> for MetricValues {
    fn from(sizes: &Sizes) -> MetricValues {
        let (buckets, sum, count) = sizes.get();
        let buckets = buckets.into_iter().map(|(bound, count)| (bound as f64, count)).collect();
        MetricValues::Histogram(buckets, sum as f64, count)
    }
}

impl<T: Into<MetricValues>> From<Option<T>> for MetricValues {
    fn from(value: Option<T>) -> MetricValues {
        value.map_or(MetricValues::None, Into::into)
    }
}

/// Writes metrics with their values for all objects. `label` is the label that names the objects; it is empty for the
/// process, of which only one exists.
pub(super) fn write<R: Copy, T>(
    out: &mut String,
    rows: &[MetricRow<R>],
    label: &str,
    things: &[(String, T)],
    read: impl Fn(R, &T) -> MetricValues,
) {
    for row in rows {
        let MetricRow { name, kind, help, .. } = row;
        let name = &full_name(name);
        // Writing to a string cannot fail.
        writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}").ok();
        for (id, thing) in things {
            let of_thing = if label.is_empty() { String::new() } else { labelled(label, id) };
            write_values(out, name, &of_thing, read(row.read, thing)).ok();
        }
    }
}

/// The name with our prefix, unless client libraries expose the metric for every program.
fn full_name(name: &str) -> String {
    if name.starts_with("process_") { name.to_owned() } else { format!("logstead_{name}") }
}

/// A label with its value, in which a quote, a backslash and a line feed are escaped.
fn labelled(label: &str, value: &str) -> String {
    let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("{label}=\"{value}\"")
}

fn write_values(out: &mut String, name: &str, labels: &str, values: MetricValues) -> fmt::Result {
    let mut sample = |suffix: &str, further: &str, value: &dyn fmt::Display| {
        let comma = if labels.is_empty() || further.is_empty() { "" } else { "," };
        match (labels, further) {
            ("", "") => writeln!(out, "{name}{suffix} {value}"),
            _ => writeln!(out, "{name}{suffix}{{{labels}{comma}{further}}} {value}"),
        }
    };
    match values {
        MetricValues::None => Ok(()),
        MetricValues::One(value) => sample("", "", &value),
        MetricValues::Decimal(value, decimals) => sample("", "", &format_args!("{value:.decimals$}")),
        MetricValues::By(label, values) => {
            values.iter().try_for_each(|(which, value)| sample("", &labelled(label, which), value))
        }
        MetricValues::Histogram(buckets, sum, count) => {
            for (bound, count) in buckets {
                sample("_bucket", &format!("le=\"{bound}\""), &count)?;
            }
            sample("_bucket", "le=\"+Inf\"", &count)?;
            sample("_sum", "", &sum)?;
            sample("_count", "", &count)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_is_written_with_its_labels() {
        let check = |label: &str, values: fn() -> MetricValues, expected: &str| {
            let mut out = String::new();
            write(&mut out, &[gauge("x", "A thing.", values)], label, &[("a".to_owned(), ())], |read, ()| {
                read()
            });
            assert_eq!(out, format!("# HELP logstead_x A thing.\n# TYPE logstead_x gauge\n{expected}"));
        };
        check("", || MetricValues::One(1), "logstead_x 1\n");
        check("source", || MetricValues::One(1), "logstead_x{source=\"a\"} 1\n");
        check("source", || MetricValues::Decimal(1.5, 3), "logstead_x{source=\"a\"} 1.500\n");
        check("source", || MetricValues::None, "");
        let reasons = || MetricValues::By("reason", vec![("full".to_owned(), 2)]);
        check("", reasons, "logstead_x{reason=\"full\"} 2\n");
        check("source", reasons, "logstead_x{source=\"a\",reason=\"full\"} 2\n");
        let strange = || MetricValues::By("reason", vec![("a\"b\\c\nd".to_owned(), 1)]);
        check("", strange, "logstead_x{reason=\"a\\\"b\\\\c\\nd\"} 1\n");
        check(
            "source",
            || MetricValues::Histogram(vec![(1.0, 2)], 5.0, 3),
            "logstead_x_bucket{source=\"a\",le=\"1\"} 2\nlogstead_x_bucket{source=\"a\",le=\"+Inf\"} 3\n\
             logstead_x_sum{source=\"a\"} 5\nlogstead_x_count{source=\"a\"} 3\n",
        );
    }
}
