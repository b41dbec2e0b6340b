//! Edits of clauses, the parts of a query that they keep, and edits that are refused.

use super::*;

/// Splits the marks `‹›` from a text, and returns the range that they enclose.
fn ranged(text: &str) -> (String, Range<usize>) {
    let start = text.find('‹').unwrap();
    let text = text.replacen('‹', "", 1);
    let end = text.find('›').unwrap();
    (text.replacen('›', "", 1), start..end)
}

fn check(text: &str, change: &Edit, expected: &str) {
    assert_eq!(edit(text, change).as_deref(), Ok(expected), "{text} {change:?}");
}

fn value(text: &str) -> FieldContent {
    FieldContent::Value(text.to_owned())
}

#[test]
fn a_value_is_included_or_excluded() {
    let host = || FieldName::new("host");
    let include = |text: &str, expected: &str| check(text, &Edit::Include(host(), value("x")), expected);
    include("", "host=x");
    include("*", "host=x");
    include("failed", "failed host=x");
    include(" a  AND b ", "a  AND b host=x");
    include("a | top 5 host", "a host=x | top 5 host");
    include("| top 5 host", "host=x | top 5 host");
    include("a or b", "(a or b) host=x");
    include("\"a b\"~3*", "\"a b\"~3* host=x");
    include("\"a or b\"", "\"a or b\" host=x");
    include("(a or (b or c)) d", "(a or (b or c)) d host=x");
    include("host=x  a", "host=x  a");
    include("x =", "x \"=\" host=x");
    include("fw (open", "\"fw (open\" host=x");
    check("a", &Edit::Exclude(host(), value("x")), "a -host=x");
    check("a OR b | top 5 user", &Edit::Only(host(), value("x")), "host=x | top 5 user");
}

#[test]
fn values_are_put_on_a_list_and_taken_from_it() {
    let toggle = |text: &str, field: &str, value: &str, expected: &str| {
        check(text, &Edit::Toggle(FieldName::new(field), value.to_owned()), expected);
    };
    toggle("", "host", "a", "host=a");
    toggle("x | top 5 user", "host", "a", "x host=a | top 5 user");
    toggle("x host=a y", "host", "b", "x host in (a, b) y");
    toggle("x host in (a, b) y", "host", "c", "x host in (a, b, c) y");
    toggle("x host:(a) host=(a OR b)", "host", "a", "x host:(a) host=b");
    toggle("host=a y", "host", "a", "y");
    toggle("host=a", "host", "a", "");
    toggle("host=a", "host", "b c", "host in (a, \"b c\")");
    toggle("host=a", "host", "b, c=d) or (", "host in (a, \"b, c=d) or (\")");
    toggle("severity=err", "severity", "warning", "severity in (err, warning)");
    toggle("severity>=warning", "severity", "err", "severity>=warning severity=err");
    toggle("User=a", "user", "b", "User in (a, b)");
    toggle("\"odd name\"=a", "odd name", "b", "\"odd name\" in (a, b)");
    toggle("\"a=b\"=a", "a=b", "b", "\"a=b\"=(a OR b)");
    toggle("a -host=x", "host", "x", "a");
    toggle("a or b", "host", "x", "(a or b) host=x");
}

#[test]
fn numbers_are_limited_to_a_range() {
    let number = |text: &str| Number::parse(text);
    let between = |text: &str, low: Option<&str>, high: Option<&str>, expected: &str| {
        let edit = Edit::Between(FieldName::new("took"), low.and_then(number), high.and_then(number));
        check(text, &edit, expected);
    };
    between("a", Some("2.5s"), None, "a took>=2.5s");
    between("a took>=2.5s b", Some("1"), Some("2"), "a took:[1 TO 2} b");
    between("a took>=1 took<5", None, Some("2"), "a took<2");
    between("a took>=1 b", None, None, "a b");
    between("a", None, None, "a");
    between("took=5", Some("1"), None, "took=5 took>=1");
}

#[test]
fn values_are_quoted_where_they_could_be_read_as_something_else() {
    let check = |field: &str, held: FieldContent, expected: &str| {
        check("", &Edit::Include(FieldName::new(field), held), expected);
    };
    check("path", value("C:\\temp"), "path=\"C:\\temp\"");
    check("path", value("C:\\"), "path=\"C:\\\\\"");
    check("path", value("conn*"), "path=\"conn\\*\"");
    check("odd name", value("a"), "\"odd name\"=a");
    check("pid", value(""), "pid=\"\"");
    check("severity", value(""), "-severity:*");
    check("severity", value("err"), "severity=err");
    check("user", FieldContent::Nothing, "-user:*");
    check("user", FieldContent::Part("a/b.c".to_owned()), "user:/a\\/b\\.c/i");
    assert!(edit("", &Edit::Include(FieldName::new("severity"), value("x"))).is_err());
}

#[test]
fn a_part_is_taken_out_with_what_joined_it() {
    let check = |text: &str, expected: &str| {
        let (text, range) = ranged(text);
        check(&text, &Edit::Remove(range), expected);
    };
    check("‹a› b", "b");
    check("a ‹b› c", "a c");
    check("a AND ‹b›", "a");
    check("‹a› && b", "b");
    check("🌲 ‹b› c", "🌲 c");
    check("‹a›", "");
    check("‹*›", "");
    check("a | ‹top 5 host›", "a");
    check("a | ‹top 5 host› | limit 2", "a | limit 2");
    check("‹a› | top 5 host", "| top 5 host");
    check("‹a or b› | top 5 host", "| top 5 host");
    assert!(edit("a b", &Edit::Remove(0..2)).is_err());
}

#[test]
fn a_clause_is_turned_round_and_back() {
    let check = |text: &str, expected: &str| {
        let (text, range) = ranged(text);
        check(&text, &Edit::Negate(range), expected);
    };
    check("a ‹host=x› b", "a -host=x b");
    check("a ‹-host=x› b", "a host=x b");
    check("‹NOT b›", "b");
    check("‹a or b›", "-(a or b)");
    check("‹-(a or b)› c", "(a or b) c");
    check("‹user!=a› c", "user=a c");
    check("‹--x›", "-(--x)");
}

#[test]
fn what_was_switched_off_is_put_back() {
    let add = |part: &str| Edit::Add(part.to_owned());
    check("a", &add("b or c"), "a (b or c)");
    check("a | top 5 host", &add("b"), "a b | top 5 host");
    check("a", &add("| top 5 host"), "a | top 5 host");
    check("", &add("b or c"), "b or c");
}

#[test]
fn the_range_of_a_query_is_set_and_lifted() {
    let range =
        |from: Option<i64>, to: Option<i64>| Edit::SetRange(from.map(TimeExpr::Now), to.map(TimeExpr::Now));
    check("a time:-1h AND b", &range(None, None), "a b");
    check("a AND b", &range(None, None), "a AND b");
    check("time:-1h a", &range(Some(-1_000_000_000), None), "a time>=now-1s");
    check("a | top 5 b", &range(Some(-1_000_000_000), Some(0)), "a time:[now-1s TO now} | top 5 b");
    check("time:-1h OR b", &range(None, None), "time:-1h OR b");
}

#[test]
fn tables_are_made_and_left() {
    let field = || FieldName::new("by");
    check("a | limit 5", &Edit::Top(field(), 20), "a | top 20 \"by\"");
    check("", &Edit::Top(FieldName::new("host"), 20), "| top 20 host");
    let stats = "a | stats min(\"by\") as min, avg(\"by\") as avg, p95(\"by\") as p95, max(\"by\") as max";
    check("a", &Edit::Summarize(field()), stats);
    check("a | where b or c | stats count() by host | where count>5", &Edit::Messages, "a (b OR c)");
    check("a | parse json | where b:c | top 5 host", &Edit::Messages, "a");
}
