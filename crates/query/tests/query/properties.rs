//! The main properties of queries, on random queries and messages.
//!
//! Keywords: property test, parse and print.

use crate::pipelines::pipelines;
use crate::reference;
use crate::strategies::{
    NOW, batches, batches_that_repeat, few_words, garbage, messages_of_few_words, queries, words_with_numbers,
};
use logstead_query::{
    Context, Edit, FieldContent, Matcher, ParseError, Query, edit, outline, parse, parse_pipeline,
    parse_pipeline_search, parse_search, tokens,
};
use logstead_record::FieldName;
use logstead_record::Selection;
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
    let texts: Vec<&str> =
        found.clauses.iter().map(|clause| text.get(clause.span.clone()).unwrap()).collect();
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

/// Values that a message may have: characters and words that have a meaning in queries, and any others.
fn values() -> impl Strategy<Value = String> {
    let pieces = proptest::sample::select(vec![
        "\\", "\"", "*", "?", "\n", " ", "a", "B1", "/", ":", "=", "-", "!", "(", ")", "[", "|", ",", "..",
        "and", "OR", "not", "in", "TO", "cs", "é", "🌲", "{", "~", "<", "now", "1", "10.0.0.0/8", "::1",
        "\t", "\u{85}",
    ]);
    let pieces = proptest::collection::vec(pieces, 0..8).prop_map(|pieces| pieces.concat());
    prop_oneof![3 => pieces, 1 => any::<String>()]
}

/// The query for a text with a clause added to it.
fn with_clause(text: &str, clause: &str) -> Query {
    let filter = parse_pipeline_search(text).unwrap().pipeline.filter;
    let clause = parse(clause).unwrap();
    match filter {
        Query::All => clause,
        filter if filter.clauses().contains(&clause) => filter,
        filter => Query::and(vec![filter, clause]),
    }
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
        // A few rows are examined one by one, many in a sweep.
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
    fn words_are_found_where_one_of_all_ways_finds_them(batch in messages_of_few_words(), query in few_words()) {
        let expected = Selection::from_fn(batch.rows(), |row| reference::matches(&query, &batch, row, &CONTEXT));
        prop_assert_eq!(Matcher::new(&query, &CONTEXT).select(&batch), expected, "{}", query);
    }

    #[test]
    fn what_is_found_in_shapes_is_found_in_messages(
        batch in batches_that_repeat(), query in prop_oneof![queries(), few_words(), words_with_numbers()]
    ) {
        let shaped = batch.clone();
        let bytes = shaped.memory_bytes();
        shaped.find_shapes();
        prop_assert!(bytes < shaped.memory_bytes(), "there are few shapes");
        let matcher = Matcher::new(&query, &CONTEXT);
        for step in [1, 2, 100] {
            let some = Selection::from_fn(batch.rows(), |row| row % step == 0);
            prop_assert_eq!(
                matcher.select_within(&shaped, &some), matcher.select_within(&batch, &some), "{} of each {}", query, step,
            );
        }
    }

    #[test]
    fn what_is_said_to_follow_from_words_follows(
        batch in messages_of_few_words(), queries in proptest::collection::vec(few_words(), 6)
    ) {
        for from in &queries {
            for to in queries.iter().filter(|to| from.implies(to)) {
                let mut rest = Matcher::new(from, &CONTEXT).select(&batch);
                rest.subtract(&Matcher::new(to, &CONTEXT).select(&batch));
                prop_assert!(rest.is_empty(), "{} does not imply {}", from, to);
            }
        }
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

    #[test]
    fn the_tokens_of_any_text_cover_all_but_white_space(text in prop_oneof![garbage(), values()]) {
        let chars: Vec<char> = text.chars().collect();
        let is_space = |range: std::ops::Range<usize>| chars[range].iter().all(|c| c.is_whitespace());
        let mut end = 0;
        for token in tokens(&text) {
            prop_assert!(end <= token.range.start && token.range.start < token.range.end, "{token:?} of {text}");
            prop_assert!(is_space(end..token.range.start), "{text} before {token:?}");
            end = token.range.end;
        }
        prop_assert!(is_space(end..chars.len()), "{text} from {end} on");
    }

    #[test]
    fn a_value_is_found_by_the_clause_that_was_made_of_it(name in values(), value in values(), text in garbage()) {
        let field = FieldName::new(&format!("x {name}"));
        let clause = edit("", &Edit::Include(field.clone(), FieldContent::Value(value.clone()))).unwrap();
        let meant = Query::Field(
            field.clone(),
            logstead_query::FieldTest::Equals(logstead_query::Pattern::literal(&value)),
        );
        prop_assert_eq!(parse(&clause), Ok(meant.clone()), "{}", clause);
        let Ok(before) = parse_pipeline_search(&text) else { return Ok(()) };
        let Ok(edited) = edit(&text, &Edit::Include(field.clone(), FieldContent::Value(value.clone()))) else { return Ok(()) };
        let after = parse_pipeline(&edited).unwrap();
        prop_assert_eq!(after.filter, with_clause(&text, &clause), "{} to {}", text, edited);
        prop_assert_eq!(after.stages, before.pipeline.stages);
        let only = edit(&text, &Edit::Only(field, FieldContent::Value(value))).unwrap();
        prop_assert_eq!(parse_pipeline(&only).unwrap().filter, meant);
    }

    #[test]
    fn a_clause_that_is_taken_out_or_turned_round_leaves_the_others_alone(text in garbage()) {
        let (Ok(pipeline), Ok(found)) = (parse_pipeline(&text), outline(&text)) else { return Ok(()) };
        let clauses: Vec<Query> = pipeline.filter.clauses().to_vec();
        for (at, clause) in found.clauses.iter().enumerate().filter(|_| found.clauses.len() == clauses.len()) {
            let mut others = clauses.clone();
            let this = others.remove(at);
            let without = edit(&text, &Edit::Remove(clause.span.clone())).unwrap();
            let left = if others.is_empty() { Query::All } else { Query::and(others.clone()) };
            let after = parse_pipeline(&without).unwrap();
            prop_assert_eq!((after.filter, &after.stages), (left, &pipeline.stages), "{}", without);
            let opposite = match this {
                Query::Not(inner) => *inner,
                other => other.negate(),
            };
            others.insert(at, opposite);
            let turned = edit(&text, &Edit::Negate(clause.span.clone())).unwrap();
            prop_assert_eq!(parse_pipeline(&turned).unwrap().filter, Query::and(others), "{} to {}", text, turned);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn what_is_said_to_follow_follows(first in queries(), second in queries(), third in queries(), batch in batches()) {
        let select = |query: &Query| Matcher::new(query, &CONTEXT).select(&batch);
        // These queries are related, because two random ones rarely have anything to do with each other.
        let both = Query::and(vec![first.clone(), second.clone()]);
        let either = Query::or(vec![first.clone(), third.clone()]);
        let queries =
            [both.clone(), either.clone(), first.clone().negate(), Query::and(vec![either, second.negate()]), first, third];
        for from in &queries {
            let meant = select(from);
            prop_assert!(!from.is_impossible() || meant.is_empty(), "{} is not impossible", from);
            for to in queries.iter().filter(|to| from.implies(to)) {
                let mut rest = meant.clone();
                rest.subtract(&select(to));
                prop_assert!(rest.is_empty(), "{} does not imply {}", from, to);
            }
        }
        prop_assert!(both.implies(&queries[4]), "{} implies {}", both, queries[4]);
    }
}
