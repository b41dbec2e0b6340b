//! The completions at each position of a query.

use super::*;
use crate::parse;
use proptest::prelude::*;

/// Checks the completion at the `‸` in `text`: the replaced range, the completions and the rest.
fn check(text: &str, replaced: &str, wanted: &str, rest: &str) {
    let at = text.chars().position(|c| c == '‸').unwrap();
    let text = text.replacen('‸', "", 1);
    let found = writing(&text, at);
    let chars: Vec<char> = text.chars().collect();
    let shown: String = chars[found.span.clone()].iter().collect();
    assert_eq!(shown, replaced, "replaced in {text} at {at}: {found:?}");
    assert_eq!(show(&found.wanted), wanted, "{text} at {at}: {found:?}");
    assert_eq!(found.rest, parse(rest).unwrap(), "{text} at {at}: {}", found.rest);
}

fn show(wanted: &Completion) -> String {
    let columns = |columns: &Option<Vec<String>>| {
        columns.as_ref().map_or(String::new(), |c| format!(" of {}", c.join(",")))
    };
    match wanted {
        Completion::Clause { columns: made, has_operator, joins } => {
            let (operator, joins) =
                (if *has_operator { " op" } else { "" }, if *joins { " joins" } else { "" });
            format!("clause{}{operator}{joins}", columns(made))
        }
        Completion::Name => "name".to_owned(),
        Completion::Value { field, quoted, ordered } => {
            let (quoted, ordered) =
                (if *quoted { " quoted" } else { "" }, if *ordered { " ordered" } else { "" });
            format!("value {field}{quoted}{ordered}")
        }
        Completion::Stage => "stage".to_owned(),
        Completion::Argument { columns: made, names, functions, words } => {
            let mut parts = Vec::new();
            parts.extend(names.then_some("names"));
            parts.extend(functions.then_some("functions"));
            parts.extend(words.iter());
            format!("{}{}", parts.join(" "), columns(made))
        }
        Completion::Computed { columns: made } => format!("computed{}", columns(made)),
        Completion::Nothing => "nothing".to_owned(),
    }
}

#[test]
fn a_word_may_become_a_clause() {
    check("‸", "", "clause", "");
    check("ho‸", "ho", "clause", "");
    check("error ho‸", "ho", "clause joins", "error");
    check("error -ho‸ x", "ho", "clause", "error x");
    check("error NOT ‸", "", "clause", "error");
    check("error OR ho‸", "ho", "clause", "");
    check("ho‸st:fw x", "host", "clause op", "x");
    check("host:fw ‸", "", "clause joins", "host:fw");
    check("(a ho‸) b", "ho", "clause joins", "a b");
    check("(a ho‸", "ho", "clause joins", "a");
    check("é OR ‸", "", "clause", "");
    check("a OR‸", "OR", "clause joins", "a");
    check("cs:ho‸", "ho", "clause", "");
}

#[test]
fn a_value_follows_a_field_and_its_operator() {
    check("host:fw‸", "fw", "value host", "");
    check("host:‸", "", "value host", "");
    check("hostname=‸", "", "value host", "");
    check("error host:f‸w -x", "fw", "value host", "error -x");
    check("-user:‸ error", "", "value user", "error");
    check("user!=a‸", "a", "value user", "");
    check("severity>=w‸", "w", "value severity ordered", "");
    check("severity >= ‸", "", "value severity ordered", "");
    check("bytes>‸", "", "value bytes ordered", "");
    check("error OR user:a‸", "a", "value user", "");
    check("x (error OR user:a‸)", "a", "value user", "x");
    check("x NOT (error OR user:a‸)", "a", "value user", "x NOT error");
    check("x NOT (error user:a‸)", "a", "value user", "x");
    check("\"x y\":a‸ b", "a", "value x y", "b");
    check("_exists_:us‸", "us", "name", "");
    check("earliest=‸", "", "value time", "");
    check("host: ‸", "", "clause joins", "\"host:\"");
    check("logspace:a,b‸", "b", "value logspace", "");
}

#[test]
fn a_value_may_stand_in_quotes_or_among_others() {
    check("user:\"an‸", "\"an", "value user quoted", "");
    check("user:\"an‸\" x", "\"an\"", "value user quoted", "x");
    check("user:\"an b‸a\" x", "\"an ba\"", "value user quoted", "x");
    check("user:\"an‸ host:\"x\"", "\"an", "value user quoted", "host:x");
    check("host:(a OR b‸) x", "b", "value host", "x");
    check("host:(a OR ‸", "", "value host", "");
    check("host in (a, b‸, c) x", "b", "value host", "x");
    check("-host in (‸) x", "", "value host", "x");
    check("x host:(a OR b) y‸", "y", "clause joins", "x host:(a OR b)");
}

#[test]
fn about_texts_expressions_and_ranges_nothing_is_known() {
    check("a \"some te‸", "", "nothing", "a");
    check("a /some te‸", "te", "clause joins", "a /some");
    check("host:/fw.‸ x", "", "nothing", "x");
    check("x host:\"a ‸b\"~3 y", "", "nothing", "x y");
    check("x \"a ‸b\"~3 y", "", "nothing", "x y");
    check("\"a b\"~3 ho‸", "ho", "clause joins", "\"a b\"~3");
    check("time:[now-1h TO n‸", "", "nothing", "");
    check("user=~x‸", "user=~x", "clause", "");
}

#[test]
fn a_stage_follows_a_pipe() {
    check("error | ‸", "", "stage", "error");
    check("error | st‸", "st", "stage", "error");
    check("error |st‸ats count()", "stats", "stage", "error");
    check("a | top 5 host | so‸", "so", "stage", "a");
    check("a (b | so‸", "so", "clause joins", "a b");
}

#[test]
fn stages_have_fields_functions_and_words() {
    check("a | stats ‸", "", "functions", "a");
    check("a | stats av‸g(bytes)", "avg", "functions", "a");
    check("a | stats avg(by‸", "by", "names", "a");
    check("a | stats avg(bytes) ‸", "", "functions by as", "a");
    check("a | stats avg(bytes) as ‸", "", "nothing", "a");
    check("a | stats count() by ho‸, x", "ho", "names", "a");
    check("a | timechart span=5m c‸", "c", "functions by as span=", "a");
    check("a | top 5 ‸", "", "names by", "a");
    check("a | top 5 host by pr‸", "pr", "names", "a");
    check("a | fields time, ‸", "", "names", "a");
    check("a | sort -co‸", "co", "names", "a");
    check("a | gap ho‸", "ho", "names", "a");
    check("a | gap host > ‸", "", "nothing", "a");
    check("a | parse ‸", "", "json kv regex csv cef leef", "a");
    check("a | parse json fr‸", "fr", "from", "a");
    check("a | parse json from pay‸", "pay", "names", "a");
    check("a | extract \"x <u‸", "", "nothing", "a");
    check("a | extract \"a | <u>\" from ‸", "", "names", "a");
    check("a | eval ‸", "", "nothing", "a");
    check("a | eval x = up‸", "up", "computed", "a");
    check("a | eval x = if(st‸, 1, 2)", "st", "computed", "a");
    check("a | limit ‸", "", "nothing", "a");
    check("a | nonsense ‸", "", "nothing", "a");
}

#[test]
fn stages_see_the_columns_of_those_before() {
    check("a | stats count(), avg(x) by host | sort ‸", "", "names of host,count,avg(x)", "a");
    check("a | top 5 user by host | where co‸", "co", "clause of host,user,count", "a");
    check("a | gap host > 1h | sort ‸", "", "names of host,from,to,seconds", "a");
    check("a | top 5 user | where user:x‸", "", "nothing", "a");
    check("a | where host:f‸", "f", "value host", "a");
    check("a | where host:f | fields host, user | dedup ‸", "", "names of host,user", "a");
}

#[test]
fn what_is_inserted_reads_back() {
    for (value, written) in
        [("web-1", "web-1"), ("a b", "\"a b\""), ("10.0.0.1:5", "\"10.0.0.1:5\""), ("*", "\"\\*\"")]
    {
        assert_eq!(written_value(value), written);
    }
    assert_eq!((written_name("hostname"), written_name("x y")), ("host".to_owned(), "\"x y\"".to_owned()));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn any_text_has_an_answer_at_any_place(
        pieces in proptest::collection::vec(proptest::sample::select(vec![
            "host", ":", "=", "\"", "(", ")", "[", "]", "{", " ", " | ", "|", "stats ", "count(", "by ", "/", "*", "é",
            "OR ", "not ", "-", "!", ">", "~", ",", "in (", "\\", "where ", "TO ", "a", "cs:", "_exists_:", "logspace:",
            "extract ", "top ", "||", "?",
        ]), 0..12),
        at in 0..60_usize,
    ) {
        let text = pieces.concat();
        let chars = text.chars().count();
        let found = writing(&text, at);
        prop_assert!(found.span.start <= at.min(chars) && at.min(chars) <= found.span.end, "{found:?}");
        prop_assert!(found.span.end <= chars, "{found:?}");
    }
}
