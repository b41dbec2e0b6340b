//! Copies in queries: whether they are counted, and the part of a query that tests their originals.
//!
//! A copy is equal to its original, except for its logspace and the fields that mark it as a copy.

use super::ast::{FieldTest, Query};
use super::matcher::{Context, Matcher};
use logstead_record::Batch;
use logstead_record::Field;
use logstead_record::FieldName;
use logstead_record::Flags;
use logstead_record::Timestamp;
use logstead_record::columns::Columns;

impl Query {
    /// The name and the value of the clause that makes copies count.
    pub const COPIES: (&'static str, &'static str) = ("copies", "all");

    /// Whether copies are counted.
    pub fn counts_copies(&self) -> bool {
        match self {
            Query::Copies => true,
            Query::And(inner) | Query::Or(inner) => inner.iter().any(Query::counts_copies),
            Query::Not(inner) => inner.counts_copies(),
            Query::All | Query::Text(_) | Query::Field(..) => false,
        }
    }

    /// Whether it can match a copy and not its original, or the reverse.
    pub fn distinguishes_copies(&self) -> bool {
        self.any_field(&mut |field, test| test_distinguishes_copies(field, test))
    }

    /// The condition that an original in this logspace must meet for its copy to match. Tests that distinguish the
    /// two are resolved.
    #[must_use]
    pub fn of_originals_in(&self, logspace: &str) -> Query {
        match self {
            Query::And(inner) => {
                let mut left: Vec<Query> =
                    inner.iter().map(|query| query.of_originals_in(logspace)).collect();
                if left.iter().any(Query::is_nothing) {
                    return Query::nothing();
                }
                left.retain(|query| *query != Query::All);
                if left.is_empty() { Query::All } else { Query::and(left) }
            }
            Query::Or(inner) => {
                let mut left: Vec<Query> =
                    inner.iter().map(|query| query.of_originals_in(logspace)).collect();
                if left.contains(&Query::All) {
                    return Query::All;
                }
                left.retain(|query| !query.is_nothing());
                if left.is_empty() { Query::nothing() } else { Query::or(left) }
            }
            Query::Not(inner) => match inner.of_originals_in(logspace) {
                Query::Not(inner) if *inner == Query::All => Query::All,
                left => left.negate(),
            },
            Query::Field(field, test) if test_distinguishes_copies(field, test) => {
                of_original(field, test, logspace)
            }
            Query::Copies => Query::All,
            Query::All | Query::Text(_) | Query::Field(..) => self.clone(),
        }
    }

    /// A query that matches no message.
    fn nothing() -> Query {
        Query::All.negate()
    }

    /// Whether it is [`Query::nothing`].
    pub fn is_nothing(&self) -> bool {
        matches!(self, Query::Not(inner) if **inner == Query::All)
    }
}

/// Whether a test can distinguish a copy from its original.
fn test_distinguishes_copies(field: &FieldName, test: &FieldTest) -> bool {
    match (field, test) {
        (FieldName::Known(Field::Logspace | Field::CopyOf), _) => true,
        (FieldName::Known(Field::Flag), FieldTest::Flag(flag)) => *flag == Flags::COPY,
        (FieldName::Known(Field::Flag), _) => true,
        _ => false,
    }
}

fn of_original(field: &FieldName, test: &FieldTest, logspace: &str) -> Query {
    match (field, test) {
        (FieldName::Known(Field::Flag), FieldTest::Flag(_)) => Query::nothing(),
        (FieldName::Known(Field::Flag), _) => {
            let others = Flags::NAMES.into_iter().filter(|(flag, _)| *flag != Flags::COPY);
            Query::or(others.map(|(flag, _)| Query::Field(field.clone(), FieldTest::Flag(flag))).collect())
        }
        _ => {
            let query = Query::Field(field.clone(), test.clone());
            let context = Context { now: Timestamp::default(), logspace };
            let original = Batch::from_columns(Columns::empty(1)).expect("columns of one row fit each other");
            let passes = !Matcher::new(&query, &context).select(&original).is_empty();
            if passes { Query::All } else { Query::nothing() }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Query, parse};
    use logstead_record::Flags;

    #[test]
    fn a_clause_makes_copies_count_and_other_words_do_not() {
        for (text, expected) in [
            ("copies:all", true),
            ("error Copies:ALL host=a", true),
            ("(a or copies:all)", true),
            ("error", false),
            ("copies", false),
            ("copies=all", false),
            ("copies:\"all\"", false),
            ("copies:3", false),
            ("copies>=2", false),
            ("copies:(all or none)", false),
        ] {
            let query = parse(text).unwrap();
            assert_eq!(query.counts_copies(), expected, "{text}");
            assert_eq!(parse(&query.to_string()), Ok(query), "{text}");
        }
        assert_eq!(parse("copies:all").unwrap().to_string(), "copies:all");
    }

    #[test]
    fn what_differs_between_a_copy_and_its_original_is_decided() {
        let nothing = "NOT *";
        for (text, tells, left) in [
            ("error host=a", false, "error host=a"),
            ("logspace=main error", true, "error"),
            ("logspace=m* error", true, "error"),
            ("logspace=other error", true, nothing),
            ("logspace=other or error", true, "error"),
            ("logspace=main or error", true, "*"),
            ("-logspace=other error", true, "error"),
            ("-logspace=main", true, nothing),
            ("flag:copy", true, nothing),
            ("-flag:copy error", true, "error"),
            ("flag:unparsed", false, "flag=unparsed"),
            ("copy_of:x", true, nothing),
            ("-copy_of:*", true, "*"),
            ("copies:all error", false, "error"),
        ] {
            let query = parse(text).unwrap();
            assert_eq!(query.distinguishes_copies(), tells, "{text}");
            assert_eq!(query.of_originals_in("main").to_string(), left, "{text}");
        }
        let flags = parse("flag:*").unwrap().of_originals_in("main");
        assert!(matches!(&flags, Query::Or(flags) if flags.len() + 1 == Flags::NAMES.len()));
    }
}
