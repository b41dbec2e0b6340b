//! The test cases of the grammar in `grammar.json`, which the console uses too.
//!
//! Keywords: grammar, shared test corpus.

#![expect(clippy::unwrap_used, reason = "a helper of tests fails as a test does")]

use logstead_query::{
    Edit, FieldContent, Number, PatternPart, Term, TermTest, edit, parse, parse_pipeline, parse_time, terms,
    tokens, written_name, written_value,
};
use logstead_record::FieldName;
use serde_json::{Value, json};

fn corpus() -> Value {
    serde_json::from_str(include_str!("../grammar.json")).unwrap()
}

fn cases(name: &str) -> Vec<Value> {
    corpus()[name].as_array().unwrap().clone()
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_else(|| panic!("{key} of {value}"))
}

#[test]
fn texts_have_these_tokens() {
    for case in cases("tokens") {
        let text = text(&case, "text");
        let chars: Vec<char> = text.chars().collect();
        let shown = |range: std::ops::Range<usize>| chars[range].iter().collect::<String>();
        let found = tokens(text).into_iter().map(|token| json!([shown(token.range), token.kind.name()]));
        assert_eq!(Value::from(found.collect::<Vec<_>>()), case["tokens"], "{text}");
    }
}

#[test]
fn values_and_names_are_written_so_that_they_read_back() {
    for case in cases("values") {
        let (value, written) = (text(&case, "value"), text(&case, "written"));
        assert_eq!(written_value(value), written);
    }
    for case in cases("names") {
        let (name, written) = (text(&case, "name"), text(&case, "written"));
        assert_eq!(written_name(name), written);
        assert!(parse(&format!("{written}:x")).unwrap().fields()[0].as_str().eq_ignore_ascii_case(name));
    }
}

#[test]
fn edits_make_these_texts() {
    for case in cases("edits") {
        let change = change(&case["edit"], text(&case, "text"));
        let edited = edit(text(&case, "text"), &change).unwrap_or_else(|error| panic!("{case}: {error}"));
        assert_eq!(edited, text(&case, "becomes"), "{case}");
    }
}

#[test]
fn queries_look_for_these_texts() {
    for case in cases("terms") {
        let filter = parse_pipeline(text(&case, "text")).unwrap().filter;
        let found: Vec<Value> = terms(&filter).iter().map(term).collect();
        assert_eq!(Value::from(found), case["terms"], "{case}");
    }
}

/// A term as the API writes it.
fn term(Term { field, sought }: &Term) -> Value {
    let part = |part: &PatternPart| match part {
        PatternPart::Text(text) => json!({"text": text}),
        PatternPart::Run => json!({"wildcard": "*"}),
        PatternPart::One => json!({"wildcard": "?"}),
    };
    let mut term = match sought {
        TermTest::Pattern(pattern) => json!({
            "parts": pattern.parts().iter().map(part).collect::<Vec<_>>(),
            "case_sensitive": pattern.is_case_sensitive(),
        }),
        TermTest::Regex(regex) => {
            json!({"regex": regex.pattern(), "case_sensitive": !regex.ignores_case()})
        }
    };
    if let Some(field) = field {
        term["field"] = field.as_str().into();
    }
    term
}

/// An edit as the API writes it, with positions in characters.
fn change(edit: &Value, of: &str) -> Edit {
    let field = || FieldName::new(text(edit, "field"));
    let held = || match (edit.get("part"), edit.get("value")) {
        (Some(part), _) => FieldContent::Part(part.as_str().unwrap().to_owned()),
        (None, Some(value)) if !value.is_null() => FieldContent::Value(value.as_str().unwrap().to_owned()),
        _ => FieldContent::Nothing,
    };
    let byte = |key: &str| {
        let at = edit[key].as_u64().unwrap() as usize;
        of.char_indices().nth(at).map_or(of.len(), |(byte, _)| byte)
    };
    let time = |key: &str| edit[key].as_str().map(|time| parse_time(time).unwrap());
    let number = |key: &str| edit[key].as_str().map(|text| Number::parse(text).unwrap());
    match text(edit, "op") {
        "include" => Edit::Include(field(), held()),
        "exclude" => Edit::Exclude(field(), held()),
        "only" => Edit::Only(field(), held()),
        "toggle" => Edit::Toggle(field(), text(edit, "value").to_owned()),
        "between" => Edit::Between(field(), number("from"), number("to")),
        "negate" => Edit::Negate(byte("start")..byte("end")),
        "remove" => Edit::Remove(byte("start")..byte("end")),
        "add" => Edit::Add(text(edit, "text").to_owned()),
        "set_range" => Edit::SetRange(time("from"), time("to")),
        "top" => Edit::Top(field(), edit["count"].as_u64().unwrap()),
        "summarize" => Edit::Summarize(field()),
        "messages" => Edit::Messages,
        other => panic!("{other} is not an edit"),
    }
}
