//! The texts that a query looks for, so that they can be marked where they are found.

use super::ast::{FieldName, FieldTest, Query, TextTest};

/// A text that is looked for.
#[derive(Clone, PartialEq, Debug)]
pub struct Term {
    /// In which field; without one in all that a text without a field is looked for in.
    pub field: Option<FieldName>,
    /// What it is.
    pub test: TextTest,
}

/// The texts that a query looks for, in order and each once; not those that messages must lack.
pub fn terms(query: &Query) -> Vec<Term> {
    let mut found = Vec::new();
    collect(query, true, &mut found);
    found
}

fn collect(query: &Query, positive: bool, found: &mut Vec<Term>) {
    let term = match query {
        Query::And(queries) | Query::Or(queries) => {
            return queries.iter().for_each(|query| collect(query, positive, found));
        }
        Query::Not(query) => return collect(query, !positive, found),
        Query::Text(test) => Term { field: None, test: test.clone() },
        Query::Field(field, FieldTest::Holds(test)) => {
            Term { field: Some(field.clone()), test: test.clone() }
        }
        Query::Field(field, FieldTest::Equals(pattern)) => {
            Term { field: Some(field.clone()), test: TextTest::Pattern(pattern.clone()) }
        }
        Query::All | Query::Field(..) => return,
    };
    if positive && !found.contains(&term) {
        found.push(term);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::parse;

    #[test]
    fn the_texts_that_messages_must_have_are_found() {
        let check = |text: &str, expected: &[&str]| {
            let query = |Term { field, test }: Term| match field {
                None => Query::Text(test),
                Some(field) => Query::Field(field, FieldTest::Holds(test)),
            };
            let found = terms(&parse(text).unwrap()).into_iter().map(|term| query(term).to_string());
            assert_eq!(found.collect::<Vec<_>>(), expected, "{text}");
        };
        check("failed and not password or (root) failed", &["failed", "root"]);
        check("host=web* user:/a/i -x NOT (a -b)", &["host:web*", "user:/a/i", "b"]);
        check("* n>5 severity>=err time:-1h src:10.0.0.0/8 a:*", &[]);
    }
}
