//! The positions of a query's parts in its text, for a console that shows, changes and removes them one by one.
//!
//! **Invariant:** the texts of the clauses, joined by spaces, mean the same as the filter. If clauses would run together
//! (`host AND = x`), the whole filter is one.

use super::ast::Query;
use super::error::ParseError;
use super::parse::parse;
use super::stage::read_search;
use std::ops::Range;

/// The parts of a query, as written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outline {
    /// The clauses of the filter that are joined by AND; a single one if it has an `OR` or is searched for as text.
    pub clauses: Vec<WrittenClause>,
    /// The stages.
    pub stages: Vec<WrittenStage>,
}

/// A clause of a filter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WrittenClause {
    /// Its bytes in the text.
    pub span: Range<usize>,
    /// Whether it is negated.
    pub negated: bool,
    /// The fields it compares, each once.
    pub fields: Vec<String>,
}

/// A stage.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WrittenStage {
    /// Its bytes in the text, without the `|` before it.
    pub span: Range<usize>,
    /// The first of its names.
    pub name: &'static str,
}

/// The parts of a text from a search bar.
pub fn outline(text: &str) -> Result<Outline, ParseError> {
    let (search, places) = read_search(text)?;
    let clauses = match separate(text, &places.clauses, &search.pipeline.filter) {
        Some(clauses) => clauses,
        None => whole(&places.clauses, &search.pipeline.filter).into_iter().collect(),
    };
    let stages = places.stages.into_iter().map(|(span, name)| WrittenStage { span, name });
    Ok(Outline { clauses, stages: stages.collect() })
}

/// The clauses, if they mean the same when joined by spaces.
fn separate(text: &str, spans: &[Range<usize>], filter: &Query) -> Option<Vec<WrittenClause>> {
    let texts: Vec<&str> = spans.iter().map(|span| text.get(span.clone())).collect::<Option<_>>()?;
    if parse(&texts.join(" ")).as_ref() != Ok(filter) {
        return None;
    }
    let clauses = spans.iter().zip(texts);
    clauses.map(|(span, text)| Some(WrittenClause::new(span.clone(), &parse(text).ok()?))).collect()
}

fn whole(spans: &[Range<usize>], filter: &Query) -> Option<WrittenClause> {
    Some(WrittenClause::new(spans.first()?.start..spans.last()?.end, filter))
}

impl WrittenClause {
    fn new(span: Range<usize>, query: &Query) -> WrittenClause {
        let fields = query.fields().into_iter().map(|field| field.as_str().to_owned());
        WrittenClause { span, negated: is_negated(query), fields: fields.collect() }
    }
}

fn is_negated(query: &Query) -> bool {
    match query {
        Query::Not(inner) => !is_negated(inner),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the clauses, with `!` before those that are negated, and the names of the stages with their texts.
    fn check(text: &str, clauses: &[&str], stages: &[(&str, &str)]) {
        let found = outline(text).unwrap();
        let shown = found.clauses.iter().map(|clause| {
            let sign = if clause.negated { "!" } else { "" };
            format!("{sign}{}", text.get(clause.span.clone()).unwrap())
        });
        assert_eq!(shown.collect::<Vec<_>>(), clauses, "{text}");
        let shown: Vec<_> =
            found.stages.iter().map(|stage| (stage.name, text.get(stage.span.clone()).unwrap())).collect();
        assert_eq!(shown, stages, "{text}");
    }

    #[test]
    fn clauses_stand_side_by_side() {
        check("", &[], &[]);
        check("  ", &[], &[]);
        check("*", &["*"], &[]);
        check("error  host:fw* ", &["error", "host:fw*"], &[]);
        check("error AND NOT host:fw && x", &["error", "!NOT host:fw", "x"], &[]);
        check("-a !b NOT NOT c host!=d", &["!-a", "!!b", "NOT NOT c", "!host!=d"], &[]);
        check("(a OR b) c", &["(a OR b)", "c"], &[]);
        check("x >= 5 user:\"a b\" p in (1, 2)", &["x >= 5", "user:\"a b\"", "p in (1, 2)"], &[]);
        check("\"a b\"~3 user:\"a b\"~3* -\"c d\"~1", &["\"a b\"~3", "user:\"a b\"~3*", "!-\"c d\"~1"], &[]);
        check("é \"ü ä\" b", &["é", "\"ü ä\"", "b"], &[]);
        check("host:(a OR b) c", &["host:(a OR b)", "c"], &[]);
    }

    #[test]
    fn a_disjunction_is_one_clause() {
        check("a OR b c", &["a OR b c"], &[]);
        check(" a b || c ", &["a b || c"], &[]);
    }

    #[test]
    fn what_would_run_together_is_one_clause() {
        check("host AND = x", &["host AND = x"], &[]);
    }

    #[test]
    fn what_is_searched_for_as_it_stands_is_one_clause() {
        check(" fw (open ", &["fw (open"], &[]);
        check("fw (open| head 5", &["fw (open| head 5"], &[]);
        check(" a \"open | head 5", &["a \"open"], &[("limit", "head 5")]);
    }

    #[test]
    fn stages_stand_without_their_pipes() {
        check(
            "a b |where x:1 OR y | stats count() by host |  sort 5 -count ",
            &["a", "b"],
            &[("where", "where x:1 OR y"), ("stats", "stats count() by host"), ("sort", "sort 5 -count")],
        );
        check("| top host", &[], &[("top", "top host")]);
    }

    #[test]
    fn clauses_name_their_fields() {
        let found = outline("host:a -(level>5 OR user:b host=c) x").unwrap();
        let fields: Vec<_> = found.clauses.iter().map(|clause| clause.fields.join(",")).collect();
        assert_eq!(fields, ["host", "severity,user,host", ""]);
    }
}
