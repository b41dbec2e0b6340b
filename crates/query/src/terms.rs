//! The texts that a query searches for, so that they can be highlighted in results.

use super::ast::{FieldTest, Near, Pattern, PatternPart, Query, TextTest};
use super::regex::Regex;
use super::steps;
use logstead_record::FieldName;
use std::collections::HashSet;

/// A text that a query searches for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Term {
    /// The field to search; `None` for all fields that a search without a field covers.
    pub field: Option<FieldName>,
    /// The text to highlight.
    pub sought: TermTest,
}

/// A text to highlight. Words near each other are highlighted separately.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum TermTest {
    /// A pattern, at word boundaries.
    Pattern(Pattern),
    /// The matches of an expression.
    Regex(Regex),
}

/// The texts that a query searches for, in order and each once, except those that messages must not contain.
pub fn terms(query: &Query) -> Vec<Term> {
    let (mut found, mut known) = (Vec::new(), HashSet::new());
    collect(query, true, &mut |term| {
        steps::count(1);
        if known.insert(term.clone()) {
            found.push(term);
        }
    });
    found
}

fn collect(query: &Query, positive: bool, each: &mut impl FnMut(Term)) {
    let (field, sought) = match query {
        Query::And(queries) | Query::Or(queries) => {
            return queries.iter().for_each(|query| collect(query, positive, each));
        }
        Query::Not(query) => return collect(query, !positive, each),
        Query::Text(test) => (None, sought(test)),
        Query::Field(field, FieldTest::Holds(test)) => (Some(field), sought(test)),
        Query::Field(field, FieldTest::Equals(pattern)) => {
            (Some(field), vec![TermTest::Pattern(pattern.clone())])
        }
        Query::All | Query::Copies | Query::Field(..) => return,
    };
    for sought in sought.into_iter().filter(|_| positive) {
        each(Term { field: field.cloned(), sought });
    }
}

fn sought(test: &TextTest) -> Vec<TermTest> {
    match test {
        TextTest::Pattern(pattern) => vec![TermTest::Pattern(pattern.clone())],
        TextTest::Near(near) => words_of(near).collect(),
        TextTest::Regex(regex) => vec![TermTest::Regex(regex.clone())],
    }
}

fn words_of(near: &Near) -> impl Iterator<Item = TermTest> {
    let last = near.words().len() - 1;
    near.words().iter().enumerate().map(move |(at, word)| {
        let end = (near.goes_on() && at == last).then_some(PatternPart::Run);
        let parts = std::iter::once(PatternPart::Text(word.clone())).chain(end);
        TermTest::Pattern(Pattern::new(parts, near.is_case_sensitive()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    #[test]
    fn the_texts_that_messages_must_have_are_found() {
        let check = |text: &str, expected: &[&str]| {
            let query = |Term { field, sought }: Term| {
                let test = match sought {
                    TermTest::Pattern(pattern) => TextTest::Pattern(pattern),
                    TermTest::Regex(regex) => TextTest::Regex(regex),
                };
                match field {
                    None => Query::Text(test),
                    Some(field) => Query::Field(field, FieldTest::Holds(test)),
                }
            };
            let found = terms(&parse(text).unwrap()).into_iter().map(|term| query(term).to_string());
            assert_eq!(found.collect::<Vec<_>>(), expected, "{text}");
        };
        check("failed and not password or (root) failed", &["failed", "root"]);
        check("host=web* user:/a/i -x NOT (a -b)", &["host:web*", "user:/a/i", "b"]);
        check("\"a b\"~3 user:\"b re\"~0* cs\"A b\"~1", &["a", "b", "user:b", "user:re*", "cs:A", "cs:b"]);
        check("* n>5 severity>=err time:-1h src:10.0.0.0/8 a:*", &[]);
    }
}
