//! The big claims, on random queries and messages.

use crate::reference;
use crate::strategies::{NOW, batches, garbage, pipelines, queries};
use logstead_record::Selection;
use logstead_record::query::{
    Context, Matcher, ParseError, outline, parse, parse_pipeline, parse_pipeline_search, parse_search,
};
use proptest::prelude::*;

const CONTEXT: Context<'_> = Context { now: NOW, logspace: "ab" };

fn has_a_place(error: &ParseError, text: &str) -> Result<(), TestCaseError> {
    prop_assert!(error.span.end <= text.len());
    prop_assert!(text.get(error.span.clone()).is_some());
    let (line, column, end) = error.line_column(text);
    prop_assert!(1 <= line && 1 <= column && column <= end);
    Ok(())
}

fn side_by_side(text: &str) -> Result<(), TestCaseError> {
    let (Ok(search), Ok(found)) = (parse_pipeline_search(text), outline(text)) else {
        prop_assert!(parse_pipeline_search(text).is_err() && outline(text).is_err());
        return Ok(());
    };
    let texts: Vec<&str> = found.clauses.iter().map(|clause| &text[clause.span.clone()]).collect();
    let joined = texts.join(" ");
    match parse(text) {
        Err(_) if parse_pipeline(text).is_err() => prop_assert_eq!(texts.len(), 1, "{}", text),
        _ => prop_assert_eq!(parse(&joined), Ok(search.pipeline.filter), "{} as {}", text, joined),
    }
    let negated = found.clauses.iter().zip(&texts).filter(|(clause, _)| clause.negated);
    for (_, clause) in negated {
        prop_assert!(!clause.is_empty());
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn what_a_query_prints_as_parses_to_it(query in queries()) {
        let text = query.to_string();
        prop_assert_eq!(parse(&text), Ok(query), "{}", text);
    }

    #[test]
    fn any_text_is_a_search_or_a_clear_error(text in garbage()) {
        match parse_search(&text) {
            Ok(search) => {
                let printed = search.query.to_string();
                prop_assert_eq!(parse(&printed), Ok(search.query), "{} printed as {}", text, printed);
            }
            Err(error) => has_a_place(&error, &text)?,
        }
    }

    #[test]
    fn what_a_pipeline_prints_as_parses_to_it(pipeline in pipelines()) {
        let text = pipeline.to_string();
        prop_assert_eq!(parse_pipeline(&text), Ok(pipeline), "{}", text);
    }

    #[test]
    fn any_text_is_a_pipeline_or_a_clear_error(text in garbage()) {
        match parse_pipeline_search(&text) {
            Ok(search) => {
                let printed = search.pipeline.to_string();
                prop_assert_eq!(parse_pipeline(&printed), Ok(search.pipeline), "{} printed as {}", text, printed);
            }
            Err(error) => has_a_place(&error, &text)?,
        }
    }

    #[test]
    fn a_query_is_a_pipeline_without_stages(text in garbage()) {
        if let Ok(query) = parse(&text) {
            let pipeline = parse_pipeline(&text);
            prop_assert!(pipeline.is_ok_and(|pipeline| pipeline.filter == query && pipeline.stages.is_empty()));
        }
    }

    #[test]
    fn the_clauses_of_a_query_side_by_side_mean_the_same(query in queries()) {
        side_by_side(&query.to_string())?;
    }

    #[test]
    fn the_clauses_of_any_text_side_by_side_mean_the_same(text in garbage()) {
        side_by_side(&text)?;
    }

    #[test]
    fn the_matcher_selects_what_the_meaning_says(batch in batches(), query in queries()) {
        let expected = Selection::from_fn(batch.rows(), |row| reference::matches(&query, &batch, row, &CONTEXT));
        let matcher = Matcher::new(&query, &CONTEXT);
        prop_assert_eq!(&matcher.select(&batch), &expected, "{}", query);
        // Few rows are looked at one by one, many in a sweep.
        for step in [2, 20] {
            let some = Selection::from_fn(batch.rows(), |row| row % step == 0);
            let mut among = expected.clone();
            among.intersect(&some);
            prop_assert_eq!(matcher.select_within(&batch, &some), among, "{} within some rows", &query);
        }
        prop_assert!(!matcher.selects_all() || expected.is_all());
        prop_assert!(!matcher.selects_none() || expected.is_empty());
    }

    #[test]
    fn a_query_and_its_complement_part_the_messages(batch in batches(), query in queries()) {
        let mut selected = Matcher::new(&query, &CONTEXT).select(&batch);
        selected.invert();
        prop_assert_eq!(Matcher::new(&query.negate(), &CONTEXT).select(&batch), selected);
    }

    #[test]
    fn no_message_outside_the_time_range_of_a_query_matches(batch in batches(), query in queries()) {
        let range = query.time_range(NOW);
        for row in Matcher::new(&query, &CONTEXT).select(&batch).iter() {
            prop_assert!(range.contains(batch.time(row)), "{}", query);
        }
    }
}
