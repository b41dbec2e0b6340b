//! Stages as users of SPL and LogsQL write them, and common mistakes.
//!
//! Keywords: stages, eval, stats, parse.

use logstead_query::{
    CaptureTemplate, ErrorKind, LIMIT_MAX, QUERY_BYTES_MAX, REGEXES_MAX, STAGE_ITEMS_MAX, STAGES_MAX, Stage,
    TextFormat, parse, parse_pipeline, parse_pipeline_search,
};
use logstead_record::Field;
use logstead_record::FieldName;

/// Checks that `text` means what `canonical` says, and that `canonical` prints as itself.
fn check(text: &str, canonical: &str) {
    let pipeline = parse_pipeline(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(pipeline.to_string(), canonical, "{text}");
    assert_eq!(parse_pipeline(canonical).as_ref(), Ok(&pipeline), "{canonical}");
    let search = parse_pipeline_search(text).unwrap();
    assert_eq!((search.pipeline, search.warnings), (pipeline, vec![]), "{text}");
}

/// The same check for stages alone.
fn check_each(cases: &[(&str, &str)]) {
    for (text, canonical) in cases {
        check(&format!("* | {text}"), &format!("* | {canonical}"));
    }
}

#[test]
fn stages_follow_a_filter() {
    for (text, canonical) in [
        ("", "*"),
        ("error", "error"),
        ("error | limit 5", "error | limit 5"),
        ("error |limit 5|tail 2", "error | limit 5 | tail 2"),
        ("| limit 5", "* | limit 5"),
        ("(a OR b) | limit 5", "a OR b | limit 5"),
        ("a OR b | limit 5", "a OR b | limit 5"),
        ("a || b | limit 5", "a OR b | limit 5"),
        ("NOT a | limit 5", "NOT a | limit 5"),
        ("x | LIMIT 5 | Where y", "x | limit 5 | where y"),
        ("a|b", "\"a|b\""),
        ("\"|\" | limit 1", "\"|\" | limit 1"),
        ("error\n| stats count()\n  by host\n| sort -count", "error | stats count() by host | sort -count"),
    ] {
        check(text, canonical);
    }
}

#[test]
fn rows_are_kept_ordered_and_cut() {
    check_each(&[
        ("where status>=500 user:*", "where status>=500 user:*"),
        ("filter a OR b | search c", "where a OR b | where c"),
        ("stats count | where count > 100", "stats count() | where count>100"),
        ("where x \"avg(y)\">5", "where x \"avg(y)\">5"),
        ("fields time, host, msg", "fields time, host, message"),
        ("fields + host user", "fields host, user"),
        ("table _time host", "fields time, host"),
        ("fields \"odd name\", \"by\", a-b", "fields \"odd name\", \"by\", a-b"),
        ("sort -count, host", "sort -count, host"),
        ("sort - count + host", "sort -count, host"),
        ("sort by count desc, host asc", "sort -count, host"),
        ("order by (count desc, host)", "sort -count, host"),
        ("sort by (a, -b) desc", "sort -a, b"),
        ("sort 10 -count", "sort -count | limit 10"),
        ("sort by (count) desc limit 10", "sort -count | limit 10"),
        ("sort -avg(bytes), count()", "sort -\"avg(bytes)\", count"),
        ("limit 10", "limit 10"),
        ("head", "limit 10"),
        ("head 5", "limit 5"),
        ("head limit=5", "limit 5"),
        ("take 5", "limit 5"),
        ("tail 3", "tail 3"),
        ("dedup host user", "dedup host, user"),
        ("uniq by (host, program)", "uniq host, program"),
        ("uniq by (host) limit 5", "uniq host | limit 5"),
    ]);
}

#[test]
fn groups_are_counted_as_splunk_and_victorialogs_users_write_it() {
    check_each(&[
        ("stats count", "stats count()"),
        ("stats count by host", "stats count() by host"),
        ("stats count() by host, program", "stats count() by host, program"),
        ("stats count BY host program", "stats count() by host, program"),
        ("stats by (host) count()", "stats count() by host"),
        ("stats by (host, program) count() as hits", "stats count() as hits by host, program"),
        ("stats count(*)", "stats count()"),
        (
            "stats count as hits avg(bytes) AS \"mean size\" by host",
            "stats count() as hits, avg(bytes) as \"mean size\" by host",
        ),
        ("stats count(user), sum(bytes), mean(bytes)", "stats count(user), sum(bytes), avg(bytes)"),
        ("stats min(took), max(took)", "stats min(took), max(took)"),
        ("stats dc(user)", "stats dc(user)"),
        ("stats count_distinct(user)", "stats dc(user)"),
        ("stats distinct(user)", "stats dc(user)"),
        ("stats uniq(user)", "stats dc(user)"),
        ("stats median(took), p90(took), perc95(took)", "stats p50(took), p90(took), p95(took)"),
        ("stats percentile(took, 99)", "stats p99(took)"),
        ("stats quantile(0.95, took)", "stats p95(took)"),
        ("stats avg(\"odd name\") by \"by\"", "stats avg(\"odd name\") by \"by\""),
        ("stats count by level", "stats count() by severity"),
        ("stats count by host | stats max(count)", "stats count() by host | stats max(count)"),
        ("timechart count", "timechart count()"),
        ("timechart span=5m count by host", "timechart span=5m count() by host"),
        ("timechart span=90m count(), avg(took) by host", "timechart span=90m count(), avg(took) by host"),
        ("timechart count by host span=300s", "timechart span=5m count() by host"),
        ("stats by (_time:5m) count()", "timechart span=5m count()"),
        ("stats by (_time:1h, host) count() as hits", "timechart span=1h count() as hits by host"),
        ("top host", "top 10 host"),
        ("top 5 host", "top 5 host"),
        ("top limit=5 host", "top 5 host"),
        ("top host limit=5", "top 5 host"),
        ("top 5 host by program", "top 5 host by program"),
        ("top 5 by (host, program)", "top 5 host, program"),
        ("top 5 (host)", "top 5 host"),
        ("top host, user by program, severity", "top 10 host, user by program, severity"),
        ("rare host", "rare 10 host"),
        ("rare 3 dst_port by src", "rare 3 dst_port by src"),
        ("gap host > 10m", "gap host > 10m"),
        ("gap host, program>600s", "gap host, program > 10m"),
        ("gap by (host) > 1h30m", "gap host > 90m"),
        ("gap host 10m", "gap host > 10m"),
        ("gap 10m by host program", "gap host, program > 10m"),
        ("gap > 1d level", "gap severity > 1d"),
        ("gap \"by\" > 1s | sort \"from\"", "gap \"by\" > 1s | sort \"from\""),
    ]);
}

#[test]
fn fields_are_found_in_texts() {
    check_each(&[
        ("extract \"user=<user> from <ip>\"", "extract \"user=<user> from <ip>\""),
        ("extract \"user=<user>\" from raw", "extract \"user=<user>\" from raw"),
        ("extract \"user=<user>\" from message", "extract \"user=<user>\""),
        (r#"extract "say \"<what>\" *<_>*""#, r#"extract "say \"<what>\" \*<_>\*""#),
        ("parse json", "parse json"),
        ("parse json from payload", "parse json from payload"),
        ("parse json payload", "parse json from payload"),
        ("parse kv", "parse kv"),
        ("parse logfmt from raw", "parse kv from raw"),
        (r"parse regex /user=(?<user>\w+)/", r"parse regex /user=(?<user>\w+)/"),
        (r"parse regex /(?P<user>\w+)/i payload", r"parse regex /(?P<user>\w+)/i from payload"),
        (r#"parse regex "(?<user>\w+)" from raw"#, r"parse regex /(?<user>\w+)/ from raw"),
        (r#"rex "(?<user>\w+)""#, r"parse regex /(?<user>\w+)/"),
        (r#"rex field=raw "(?<user>\w+)""#, r"parse regex /(?<user>\w+)/ from raw"),
        (r#"extract_regexp "(?P<user>\w+)" from raw"#, r"parse regex /(?P<user>\w+)/ from raw"),
    ]);
}

#[test]
fn the_columns_of_functions_are_called_by_their_names() {
    let pipeline =
        parse_pipeline("* | stats count, mean(bytes), count(\"odd name\"), median(took) as typical").unwrap();
    let Some(Stage::Stats { functions, by }) = pipeline.stages.first() else { panic!("{pipeline}") };
    let columns: Vec<String> = functions.iter().map(|function| function.column()).collect();
    assert_eq!(columns, ["count", "avg(bytes)", "count(odd name)", "typical"]);
    assert!(by.is_empty());
}

#[test]
fn stages_that_make_tables_are_told_from_those_that_keep_rows() {
    let check = |stage: &str, expected: bool| {
        let pipeline = parse_pipeline(&format!("* | {stage}")).unwrap();
        assert_eq!(pipeline.stages[0].aggregates(), expected, "{stage}");
    };
    for stage in ["stats count()", "timechart count()", "top host", "rare host", "uniq host", "gap host > 1m"]
    {
        check(stage, true);
    }
    for stage in
        ["where a", "fields a", "sort a", "limit 1", "tail 1", "dedup a", "extract \"a<b>\"", "parse kv"]
    {
        check(stage, false);
    }
}

/// Checks the error in a stage and its position, and that a search bar reports it too.
fn check_error(stage: &str, at: &str, message: &str) {
    let text = format!("größe | {stage}");
    let error = parse_pipeline(&text).expect_err(stage);
    assert_eq!(error.kind, ErrorKind::Meaning, "{stage}");
    assert!(error.message.contains(message), "{stage}: {error}");
    assert_eq!(text.get(error.span.clone()), Some(at), "{stage}: {error}");
    assert_eq!(parse_pipeline_search(&text).as_ref(), Err(&error), "{stage}");
}

#[test]
fn what_is_wrong_in_a_stage_is_an_error_that_says_what_to_write() {
    check_error("", "|", "a stage is missing here: use where, fields, sort");
    check_error("200 OK", "|", "a stage is missing here");
    check_error("limit 1 | ", "|", "a stage is missing here");
    check_error("sats count()", "sats", "`sats` is not a stage: use where, fields, sort, limit, tail, stats");
    for later in ["patterns", "new_patterns since=-24h", "context before=5"] {
        check_error(later, later.split(' ').next().unwrap(), "is not available yet");
    }
    check_error("parse csv", "v", "the name of a field is expected here");
    check_error("parse csv (a, a)", "parse csv (a, a)", "`a` is given twice");
    check_error("parse csv (a, host)", "host", "`host` is a built-in field");
    check_error("fields - host", "-", "leaving fields out is not available yet");
    check_error("where", "e", "a filter is expected here: for example `where status>=500");
    check_error("where (a", "(", "this parenthesis is never closed");
    check_error("where a)", ")", "this closing parenthesis has no match");
    check_error("where severity>=wrong", "wrong", "is not a severity");
    check_error("stats avg(bytes) | where avg(bytes)>5", "avg(bytes)>5", "must be in quotes");
    check_error("stats", "s", "a function is expected here: for example `stats count(), avg(bytes) by host`");
    check_error("stats by host", "t", "a function is expected here");
    check_error("stats count by", "y", "the name of a field is expected here");
    check_error("stats count by host)", ")", "`)` is unexpected here");
    check_error("stats count by (host", "(", "this parenthesis is never closed");
    check_error("stats avrg(x)", "avrg", "`avrg` is not a function: use count, sum, avg");
    check_error("stats avg", "avg", "`avg` takes one field: for example `avg(bytes)`");
    check_error("stats avg()", "avg()", "`avg` takes one field");
    check_error("stats avg(a, b)", "avg(a, b)", "`avg` takes one field");
    check_error("stats avg(a", "(", "this parenthesis is never closed");
    check_error("stats p101(a)", "p101", "is not a function");
    check_error("stats percentile(a, 101)", "percentile(a, 101)", "for example `percentile(took, 95)`");
    check_error("stats quantile(95, a)", "quantile(95, a)", "for example `quantile(0.95, took)`");
    check_error("stats count() count()", "stats count() count()", "`count` is given twice");
    check_error("stats count() by COUNT", "stats count() by COUNT", "`count` is given twice");
    check_error("stats max(a) as level", "level", "`severity` is a built-in field");
    check_error("timechart count by a, b", "b", "one field, and this names more than one");
    check_error("timechart span=5x count", "5x", "`5x` is not a duration: write 30s, 5m");
    check_error("timechart span=0s count", "0s", "is not a duration");
    check_error("top", "p", "the name of a field is expected here: for example `top 10 host");
    check_error("top 0 host", "0", "`0` is not a number between 1 and 1000000");
    check_error("top 10 host showperc=f", "showperc=f", "`showperc=f` is unexpected here");
    check_error("top count", "top count", "`count` is given twice");
    check_error("top host limit=", "=", "a number is expected here");
    check_error("timechart span=", "=", "a span is expected here");
    check_error("gap", "p", "the name of a field is expected here: for example `gap host > 10m`");
    check_error("gap host", "t", "`>` and a span is expected here: for example `gap host > 10m`");
    check_error("gap host >", ">", "a span is expected here: for example `gap host > 10m`");
    check_error("gap host >= 10m", ">=", "`>=` is unexpected here: for example `gap host > 10m`");
    check_error("gap host < 10m", "<", "`<` is unexpected here");
    check_error("gap host > 10x", "10x", "`10x` is not a duration: write 30s, 5m");
    check_error("gap host > 0s", "0s", "is not a duration");
    check_error("gap 10m", "m", "the name of a field is expected here");
    check_error("gap 10m by host > 5m", ">", "`>` is unexpected here");
    check_error("gap 5m by a, A", "gap 5m by a, A", "`A` is given twice");
    check_error("gap host, seconds > 5m", "gap host, seconds > 5m", "`seconds` is given twice");
    check_error("limit x", "x", "`x` is unexpected here: for example `limit 10`");
    check_error("limit 10x", "10x", "`10x` is not a number");
    check_error("sort severity_num", "severity_num", "works only in filters");
    check_error("sort a, -A", "sort a, -A", "`A` is given twice");
    check_error("dedup 3 host", "3", "the name of a field is expected here");
    check_error("limit 5 or 6", "or", "`or` is unexpected here");
    check_error("limit 5 || 6", "|", "`|` is unexpected here");
    check_error("uniq \"\"", "\"\"", "this is not the name of a field");
}

#[test]
fn what_extracts_nothing_is_an_error() {
    check_error("extract", "t", "a text in quotes is expected here");
    check_error("extract \"\"", "\"\"", "this names no field");
    check_error("extract \"a <b c\"", "\"a <b c\"", "this names no field");
    check_error("extract \"a <_>\"", "\"a <_>\"", "this names no field");
    check_error("extract \"<a>\"", "\"<a>\"", "no text that marks where it begins or ends");
    check_error("extract \"<a><b>\"", "\"<a><b>\"", "`<a>` and `<b>` need text between them");
    check_error("extract \"<a> <A>\"", "\"<a> <A>\"", "`A` is used twice");
    check_error("extract \"x <host>\"", "\"x <host>\"", "`host` is a built-in field");
    check_error("parse", "e", "json, kv, regex, csv, cef or leef is expected here");
    check_error("parse xml", "xml", "json, kv, regex, csv, cef or leef is expected here");
    check_error("parse regex", "x", "a regular expression such as");
    check_error("parse regex /a(b)/", "/a(b)/", "names no field");
    check_error("parse regex /(?<a>/", "/(?<a>/", "is invalid");
    check_error("parse regex /(?<level>a)/", "/(?<level>a)/", "`severity` is a built-in field");
    check_error("parse regex /(?<a>b{1000}{1000})/", "/(?<a>b{1000}{1000})/", "needs more than");
}

#[test]
fn an_error_may_suggest_another_pipeline() {
    let check = |text: &str, suggestion: Option<&str>| {
        let error = parse_pipeline(text).expect_err(text);
        assert_eq!(error.suggestion.as_deref(), suggestion, "{text}");
        assert!(suggestion.is_none_or(|text| parse_pipeline(text).is_ok()), "{text}");
    };
    check("a | sats count", Some("a | stats count"));
    check("a | limit 5 | wehre b", Some("a | limit 5 | where b"));
    check("a | 200", Some("a \"|\" 200"));
    check("a | OK b", Some("a \"|\" OK b"));
    check("a (b | c)", Some("a (b \"|\" c)"));
    check("a | stats cuont()", Some("a | stats count()"));
    check("a | stats x()", None);
}

#[test]
fn a_search_bar_looks_for_a_filter_that_is_none_as_it_stands_and_runs_the_stages() {
    let check = |text: &str, canonical: &str| {
        assert_eq!(parse_pipeline(text).unwrap_err().kind, ErrorKind::Syntax, "{text}");
        let search = parse_pipeline_search(text).unwrap();
        assert_eq!(search.pipeline.to_string(), canonical, "{text}");
        let warning = &search.warnings[0];
        assert!(
            warning.message.starts_with("not a valid query, so this searched for the literal text: "),
            "{text}"
        );
        assert_eq!(warning.suggestion.as_deref(), Some(canonical), "{text}");
    };
    check("connect(fd, 3) failed", "\"connect(fd, 3) failed\"");
    check("connect(fd, 3) failed | top host", "\"connect(fd, 3) failed\" | top 10 host");
    check("say \"hi | stats count", r#""say \"hi" | stats count()"#);
    check("say \"hi | nothing", r#""say \"hi | nothing""#);
    check("and so on|limit 5 | limit 6", "\"and so on|limit 5\" | limit 6");
}

#[test]
fn a_stage_that_is_joined_to_a_text_is_pointed_out() {
    let check = |text: &str, suggestion: Option<&str>| {
        let search = parse_pipeline_search(text).unwrap();
        let suggested = search.warnings.first().and_then(|warning| warning.suggestion.as_deref());
        assert_eq!(suggested, suggestion, "{text}");
    };
    check("error| top 5 host", Some("error | top 5 host"));
    check("host:fw1|top 5 host", Some("host:fw1 | top 5 host"));
    check("error|top 5 host | limit 3", Some("error | top 5 host | limit 3"));
    check("a|b", None);
    check("a|limit", Some("a | limit"));
    check("a|limit x", None);
    check("\"a|top b\"", None);
    check("/a|top b/", None);
}

#[test]
fn a_filter_alone_has_no_stages() {
    let error = parse("error | stats count()").unwrap_err();
    assert!(
        error.message.contains("stages work only in the console's search and in `POST /aggregate`"),
        "{error}"
    );
    assert_eq!(error.span, 6..7);
}

#[test]
fn the_examples_of_the_reference_are_pipelines_without_warnings() {
    let reference = include_str!("../../../../docs/query-language.md");
    let (_, section) = reference.split_once("## Stages").unwrap();
    let examples: Vec<&str> =
        section.split("```").nth(1).unwrap().lines().filter(|line| !line.is_empty()).collect();
    assert!(examples.len() > 5);
    for text in examples {
        let search = parse_pipeline_search(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert!(search.warnings.is_empty() && !search.pipeline.stages.is_empty(), "{text}");
    }
    let (section, _) = section.split_once("\n### ").unwrap();
    let names = section.lines().filter_map(|line| line.strip_prefix("| `")?.split([' ', '`']).next());
    let names: Vec<&str> = names.collect();
    assert_eq!(names.len(), 16, "{names:?}");
    for name in names {
        let read = parse_pipeline(&format!("| {name} ?"));
        assert!(
            read.is_err_and(|error| !error.message.contains("is not a stage")) || name == "where",
            "{name}"
        );
    }
}

#[test]
fn limits_are_named_in_the_error() {
    let check = |text: &str, message: &str| {
        let error = parse_pipeline_search(text).expect_err("over a limit");
        assert!(error.message.contains(message), "{error}");
    };
    check(&"| limit 1 ".repeat(STAGES_MAX + 1), "more than 32 stages");
    let many = |item: &str| (0..=STAGE_ITEMS_MAX).map(|n| format!("{item}{n}) ")).collect::<String>();
    check(&format!("| fields {}", many("f").replace(')', "")), "at most 32 columns");
    check(&format!("| stats {}", many("sum(f")), "at most 32 columns");
    check(&format!("| limit {}", LIMIT_MAX + 1), "not a number between 1 and 1000000");
    check(&format!("| limit {}", "9".repeat(100)), "not a number between 1 and 1000000");
    check(&format!("| fields \"{}\"", "\\\"".repeat(QUERY_BYTES_MAX / 2)), "the limit is 65536");
    check(&"| where /a/ /b/ /c/ ".repeat(REGEXES_MAX / 3 + 1), "more than 64 regular expressions");
    check(&format!("| where {}a", "(".repeat(65)), "nest deeper than 64");
    assert!(parse_pipeline(&"| limit 1 ".repeat(STAGES_MAX)).is_ok());
    assert!(parse_pipeline(&format!("| extract \"{}a>\"", "<".repeat(32_000))).is_ok());
    check(&format!("| extract \"{}<a>\"", "<_> ".repeat(16_000)), "needs more than");
    check(
        &format!("| extract \"{}\"", (0..=STAGE_ITEMS_MAX).map(|n| format!("<a{n}> ")).collect::<String>()),
        "at most 32 fields",
    );
}

/// Checks the fields that a template finds in a text.
fn check_template(template: &str, text: &[u8], expected: &[(&str, &[u8])]) {
    let template = CaptureTemplate::new(template).unwrap();
    assert_eq!(template.captures.find(text), expected, "{}", template.text);
}

#[test]
fn a_template_finds_its_fields_anywhere_in_a_text() {
    let line = b"sshd: user=John Smith from 10.0.0.1 port 22";
    check_template("user=<user> from <ip>", line, &[("user", b"John Smith"), ("ip", b"10.0.0.1")]);
    check_template("user=<_> from <ip>", line, &[("ip", b"10.0.0.1")]);
    check_template("<user> from", line, &[("user", b"Smith")]);
    check_template("from <ip> port <src-port>", line, &[("ip", b"10.0.0.1"), ("src-port", b"22")]);
    check_template("user=<user> to", line, &[]);
    check_template("a=<a>,b=<b>", b"a=,b=", &[("a", b""), ("b", b"")]);
    check_template("[<a>]", b"x [1.*\xFF\n2] y]", &[("a", b"1.*\xFF\n2")]);
    check_template("<13>a < b <c>", b"<13>a < b d e", &[("c", b"d")]);
    check_template("(<a>)|", b"(.*)|", &[("a", b".*")]);
}

#[test]
fn a_stage_tells_what_it_reads() {
    let stage = |text: &str| parse_pipeline(&format!("* | {text}")).unwrap().stages.remove(0);
    let Stage::Extract { from, .. } = stage("extract \"a=<a>\"") else { panic!("no extract") };
    assert_eq!(from, FieldName::Known(Field::Message));
    let Stage::Parse { format: TextFormat::Regex(captures), from } = stage("parse regex /(x)(?<a>y)/ b")
    else {
        panic!("no regex")
    };
    assert_eq!(captures.fields, [(2, "a".to_owned())]);
    assert_eq!(from, FieldName::Dynamic("b".to_owned()));
}
