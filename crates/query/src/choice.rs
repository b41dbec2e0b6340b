//! The values and numbers that a clause allows, which the console shows as selected.

use super::ast::{FieldTest, Pattern, PatternPart, Query};
use logstead_record::Field;
use logstead_record::FieldName;
use logstead_record::{Facility, Severity};
use std::ops::Bound;

impl Query {
    /// The values among which this clause requires that of its field to be, or not to be if it is negated; empty for
    /// any other clause. All are of the same field.
    pub fn chosen_values(&self) -> Vec<String> {
        let queries = match self.positive() {
            Query::Or(queries) => queries.as_slice(),
            one => std::slice::from_ref(one),
        };
        let mut field = None;
        let values = queries.iter().map(|query| {
            let Query::Field(name, test) = query else { return None };
            let is_same = field.get_or_insert(name).is(name);
            value_of(name, test).filter(|_| is_same)
        });
        values.collect::<Option<Vec<String>>>().unwrap_or_default()
    }

    /// The least and the greatest number that this clause allows its field.
    pub fn chosen_numbers(&self) -> (Option<f64>, Option<f64>) {
        let Query::Field(_, FieldTest::Number(bounds)) = self else { return (None, None) };
        let value = |bound: &Bound<super::number::Number>| match bound {
            Bound::Included(number) | Bound::Excluded(number) => Some(number.value()),
            Bound::Unbounded => None,
        };
        (value(&bounds.low), value(&bounds.high))
    }

    fn positive(&self) -> &Query {
        match self {
            Query::Not(inner) => inner,
            other => other,
        }
    }
}

/// The value that is tested for, if it is exactly one.
fn value_of(field: &FieldName, test: &FieldTest) -> Option<String> {
    match test {
        FieldTest::Equals(pattern) if !pattern.is_case_sensitive() => text_of(pattern),
        FieldTest::Flag(flag) => flag.names().next().map(str::to_owned),
        FieldTest::Code(codes) if codes.first() == codes.last() => {
            let code = codes.first();
            let name = match field {
                FieldName::Known(Field::Facility) => Facility::new(code).map(Facility::name),
                _ => Severity::new(code).map(Severity::name),
            };
            name.map(str::to_owned)
        }
        _ => None,
    }
}

fn text_of(pattern: &Pattern) -> Option<String> {
    match pattern.parts() {
        [] => Some(String::new()),
        [PatternPart::Text(text)] => Some(text.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse;

    #[test]
    fn values_are_those_of_lists_and_equals_signs() {
        for (text, values) in [
            ("host=a", &["a"][..]),
            ("host in (a, \"b c\")", &["a", "b c"]),
            ("-host=(a OR b)", &["a", "b"]),
            ("host!=a", &["a"]),
            ("severity=err", &["err"]),
            ("severity in (err, warning)", &["err", "warning"]),
            ("facility=local1", &["local1"]),
            ("flag=unparsed", &["unparsed"]),
            ("pid=\"\"", &[""]),
            ("severity>=err", &[]),
            ("host:a", &[]),
            ("host=a*", &[]),
            ("host=a or user=b", &[]),
            ("a", &[]),
            ("host=a user=b", &[]),
        ] {
            assert_eq!(parse(text).unwrap().chosen_values(), values, "{text}");
        }
    }

    #[test]
    fn numbers_have_their_units() {
        for (text, numbers) in [
            ("took>=250ms", (Some(0.25), None)),
            ("took:[1 TO 2}", (Some(1.0), Some(2.0))),
            ("took<5", (None, Some(5.0))),
            ("took=5", (None, None)),
        ] {
            assert_eq!(parse(text).unwrap().chosen_numbers(), numbers, "{text}");
        }
    }
}
