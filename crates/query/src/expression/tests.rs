//! The values of expressions, errors in expressions, and the property that a printed expression is read back
//! unchanged.

use super::*;
use crate::{Stage, parse_pipeline};
use logstead_record::Timestamp;
use proptest::prelude::*;
use std::borrow::Cow;

fn read(text: &str) -> Expression {
    let pipeline =
        parse_pipeline(&format!("* | eval x = {text}")).unwrap_or_else(|error| panic!("{text}: {error}"));
    match pipeline.stages.as_slice() {
        [Stage::Eval(assignments)] => assignments[0].1.clone(),
        other => panic!("{other:?}"),
    }
}

/// The fields of the row that expressions are evaluated on.
fn field(name: &FieldName) -> Cell<'static> {
    let text = |text: &'static str| Cell::Text(Cow::Borrowed(text.as_bytes()));
    match name.as_str() {
        "n" => text("12"),
        "took" => text("250ms"),
        "word" => text("Hello wörld"),
        "path" => text("/api/v1/users/42"),
        "client" => text("10.1.2.3"),
        "avg(n)" => text("7"),
        "time" => Cell::Time(Timestamp::parse_rfc3339(b"2026-11-23T22:05:09.120Z").unwrap()),
        _ => Cell::Null,
    }
}

fn shown(text: &str) -> String {
    let expression = read(text);
    let now = Timestamp::from_seconds(1000).unwrap();
    let value = expression.eval(now, &|name| field(name));
    value.text().map_or("null".to_owned(), |text| String::from_utf8_lossy(&text).into_owned())
}

#[test]
fn expressions_give_what_they_say() {
    for (text, expected) in [
        ("1 + 2 * 3", "7"),
        ("(1 + 2) * 3", "9"),
        ("7 % 4 - 10 / 4", "0.5"),
        ("-n + 2", "-10"),
        ("n / 0", "null"),
        ("nothing + 1", "null"),
        ("word + 1", "null"),
        ("took * 1000", "250"),
        ("10MB / 1000", "10000"),
        ("1e3", "1000"),
        ("n > 9", "true"),
        ("n = \"12.0\"", "true"),
        ("word = \"hello WÖRLD\"", "true"),
        ("word != \"x\" and n < 100", "true"),
        ("nothing != \"x\"", "true"),
        ("nothing = \"x\" or not n = 12", "false"),
        ("!(n = 12) || false", "false"),
        ("if(n >= 10, \"many\", \"few\")", "many"),
        ("case(n < 5, \"low\", n < 50, \"mid\", \"high\")", "mid"),
        ("case(n < 5, \"low\")", "null"),
        ("coalesce(nothing, word)", "Hello wörld"),
        ("exists(nothing)", "false"),
        ("is_null(nothing)", "true"),
        ("round(3.14159, 2)", "3.14"),
        ("round(2.5)", "3"),
        ("log(1000)", "2.9999999999999996"),
        ("log(8, 2)", "3"),
        ("sqrt(0 - 1)", "null"),
        ("pow(2, 10)", "1024"),
        ("max(1, n, nothing)", "12"),
        ("min(3, n)", "3"),
        ("upper(word)", "HELLO WÖRLD"),
        ("len(word)", "11"),
        ("concat(n, \"-\", nothing, word)", "12-Hello wörld"),
        ("substr(word, 7, 2)", "wö"),
        ("substr(word, -3)", "rld"),
        ("split(path, \"/\", 2)", "api"),
        ("split(path, \"/\", -1)", "42"),
        ("split(path, \"/\", 9)", "null"),
        ("replace(path, \"/\", \".\")", ".api.v1.users.42"),
        ("replace(path, /\\d+/, \"N\")", "/api/vN/users/N"),
        ("replace(path, /v(\\d)/, \"${1}v\")", "/api/1v/users/42"),
        ("contains(path, \"USERS\")", "true"),
        ("starts_with(path, \"/api\")", "true"),
        ("ends_with(path, \"/api\")", "false"),
        ("matches(path, /users\\/\\d+$/)", "true"),
        ("in_network(client, \"10.0.0.0/8\")", "true"),
        ("in_network(client, \"10.0.0.0\")", "null"),
        ("cidrmatch(\"10.0.0.0/8\", client)", "true"),
        ("cidrmatch(\"11.0.0.0/8\", client)", "false"),
        ("url_decode(\"a%20b+c%zz\")", "a b c%zz"),
        ("now()", "1970-01-01T00:16:40Z"),
        ("time + 1h", "2026-11-23T23:05:09.120Z"),
        ("time - to_time(\"2026-11-23T22:05:00Z\")", "9.12"),
        ("to_time(1764000000000)", "2025-11-24T16:00:00Z"),
        ("epoch(to_time(\"1970-01-01T00:01:00Z\"))", "60"),
        ("bin(time, 1h)", "2026-11-23T22:00:00Z"),
        ("bin(n, 5)", "10"),
        (
            "format_time(time, \"%Y-%m-%d %H:%M:%S.%L %a %B %q%%\")",
            "2026-11-23 22:05:09.120 Mon November %q%",
        ),
        ("hour(time) * 100 + minute(time)", "2205"),
        ("weekday(time)", "1"),
        ("year(\"nonsense\")", "null"),
        ("field(\"avg(n)\") * 2", "14"),
        ("true and null", "false"),
    ] {
        assert_eq!(shown(text), expected, "{text}");
    }
}

#[test]
fn what_is_wrong_is_said_where_it_stands() {
    for (text, expected) in [
        ("", "a value is expected here"),
        ("1 +", "a value is expected here"),
        ("(1", "this parenthesis is never closed"),
        ("1 2", "is unexpected here"),
        ("abc(1)", "`abc` is not a function of expressions"),
        ("if(1, 2)", "`if` takes a different number of arguments: for example `if("),
        ("matches(a, b)", "a regular expression is expected here"),
        ("/x/", "a regular expression is for the functions"),
        ("12abc", "`12abc` is not a number: put text in quotes"),
        ("field(a)", "`field` has a name in quotes"),
        ("matches(a, /(/)", "the regular expression is invalid"),
    ] {
        let error = parse_pipeline(&format!("* | eval x = {text}")).unwrap_err();
        assert!(error.to_string().contains(expected), "{text}: {error}");
    }
    let nested = format!("* | eval x = {}1{}", "(".repeat(100), ")".repeat(100));
    assert!(parse_pipeline(&nested).unwrap_err().to_string().contains("nested parentheses"));
    let long = format!("* | eval x = {}1", "1 + ".repeat(400));
    assert!(parse_pipeline(&long).unwrap_err().to_string().contains("at most"));
    let known = parse_pipeline("* | eval host = 1").unwrap_err();
    assert!(known.to_string().contains("`host` is a built-in field"));
}

#[test]
fn a_slash_divides_and_a_bar_ends_the_stage() {
    let pipeline = parse_pipeline("* | eval a = b / c | eval d = e / f | limit 3").unwrap();
    assert_eq!(pipeline.to_string(), "* | eval a = b / c | eval d = e / f | limit 3");
    let pipeline = parse_pipeline("* | eval a = matches(b, /x | y/), c = \"a | b\" | limit 3").unwrap();
    assert_eq!(pipeline.stages.len(), 2);
}

#[test]
fn a_result_is_bounded() {
    let long = Cell::owned_text(vec![b'a'; 50_000]);
    let expression = read("concat(word, word)");
    let of_long = |_: &FieldName| long.clone();
    let now = Timestamp::default();
    assert_eq!(expression.eval(now, &of_long).text().unwrap().len(), crate::limits::VALUE_BYTES_MAX);
    let expression = read(
        "replace(word, /a+/, \"$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0$0\")",
    );
    assert!(expression.eval(now, &of_long).text().unwrap().len() <= crate::limits::VALUE_BYTES_MAX);
}

fn expression() -> impl Strategy<Value = Expression> {
    let name = prop_oneof![
        Just("n"),
        Just("word"),
        Just("time"),
        Just("a-b"),
        Just("or"),
        Just("null"),
        Just("odd name"),
        Just("avg(x)"),
        Just("hostname"),
        Just("x.y")
    ];
    let leaf = prop_oneof![
        Just(Expression::Null),
        any::<bool>().prop_map(Expression::Bool),
        prop_oneof![Just("1"), Just("2.5"), Just("10MB"), Just("5m"), Just("1e3")]
            .prop_map(|text| Expression::Number(Number::parse(text).unwrap())),
        "[a-z\"\\\\ |/*]{0,5}".prop_map(Expression::Text),
        name.prop_map(|name| Expression::Field(FieldName::new(name))),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        let operators: Vec<Operator> = Operator::ALL.iter().map(|(operator, ..)| *operator).collect();
        let called = |name: &'static str| function_named(name).unwrap();
        prop_oneof![
            inner.clone().prop_map(|inner| Expression::Not(Box::new(inner))),
            inner.clone().prop_map(|inner| Expression::Minus(Box::new(inner))),
            (proptest::sample::select(operators), inner.clone(), inner.clone())
                .prop_map(|(operator, a, b)| Expression::Binary(operator, Box::new([a, b]))),
            proptest::collection::vec(inner.clone(), 3)
                .prop_map(move |values| Expression::Call(called("if"), values)),
            proptest::collection::vec(inner.clone(), 1..4)
                .prop_map(move |values| Expression::Call(called("concat"), values)),
            inner.prop_map(move |value| {
                let regex = Regex::new("a/b|c\\d", true).unwrap();
                Expression::Call(called("matches"), vec![value, Expression::Regex(regex)])
            }),
        ]
    })
}

proptest! {
    #[test]
    fn what_is_printed_reads_the_same(expression in expression()) {
        let text = expression.to_string();
        let pipeline = parse_pipeline(&format!("* | eval x = {text} | limit 3"));
        let pipeline = pipeline.map_err(|error| TestCaseError::fail(format!("{text}: {error}")))?;
        prop_assert_eq!(pipeline.stages.len(), 2, "{}", text);
        prop_assert_eq!(&pipeline.stages[0], &Stage::Eval(vec![("x".to_owned(), expression)]), "{}", text);
    }

    #[test]
    fn any_expression_has_a_value(expression in expression()) {
        expression.eval(Timestamp::default(), &|name| field(name));
    }
}
