//! Queries as users of other tools type them, pasted texts, and common mistakes.
//!
//! Keywords: syntax of other products, mistakes, hints.

use logstead_query::{
    CLAUSES_MAX, ErrorKind, FIELD_BYTES_MAX, GLOB_CHARS_MAX, NEAR_WORDS_MAX, NESTING_MAX, QUERY_BYTES_MAX,
    Query, REGEX_CHARS_MAX, REGEXES_MAX, Unparsed, WarningKind, parse, parse_asked, parse_search,
};

/// Checks that `text` means what `canonical` says, and that `canonical` prints as itself.
fn check(text: &str, canonical: &str) {
    let query = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(query.to_string(), canonical, "{text}");
    assert_eq!(parse(canonical).as_ref(), Ok(&query), "{canonical}");
}

fn check_each(cases: &[(&str, &str)]) {
    for (text, canonical) in cases {
        check(text, canonical);
    }
}

#[test]
fn words_phrases_and_wildcards_are_looked_for_in_the_text() {
    check_each(&[
        ("", "*"),
        ("  ", "*"),
        ("*", "*"),
        ("error", "error"),
        ("failed password", "failed password"),
        ("\"connection reset by peer\"", "\"connection reset by peer\""),
        ("err*", "err*"),
        ("*nection", "*nection"),
        ("f?o**bar", "f?o*bar"),
        ("\"foo bar\"*", "\"foo bar\"*"),
        ("\"foo bar*\"", "\"foo bar\"*"),
        ("*\"foo bar\"", "*\"foo bar\""),
        ("\"*** ERROR ***\"", r#""\*\*\* ERROR \*\*\*""#),
        ("\"foo bar\"~3", "\"foo bar\"~3"),
        ("\"foo bar\"~3*", "\"foo bar\"~3*"),
        ("\"foo bar*\"~3", "\"foo bar\"~3*"),
        ("\"(Foo),  bar-baz.\"~003", "\"Foo bar baz\"~3"),
        ("cs\"Foo bar\"~0", "cs:\"Foo bar\"~0"),
        ("cs:\"Foo bar\"~0*", "cs:\"Foo bar\"~0*"),
        ("-\"a b\"~1 (\"c d\"~2 or e)", "NOT \"a b\"~1 (\"c d\"~2 OR e)"),
        ("\"foo\"~3", "foo"),
        ("\"foo:\"~3*", "foo*"),
        (r"100\*", r#""100\*""#),
        (r#""say \"hi\"""#, r#""say \"hi\"""#),
        ("cs\"Error\"", "cs:Error"),
        ("cs:Error", "cs:Error"),
        ("cs\"two words\"", "cs:\"two words\""),
        ("/user=[a-z]{8}/", "/user=[a-z]{8}/"),
        ("/foo bar/i", "/foo bar/i"),
        (r"/a\/b/", r"/a\/b/"),
    ]);
}

#[test]
fn operators_are_those_of_kibana_graylog_and_c() {
    check_each(&[
        ("a AND b", "a b"),
        ("a and b && c", "a b c"),
        ("a OR b", "a OR b"),
        ("a or b || c", "a OR b OR c"),
        ("a b OR c d", "a b OR c d"),
        ("a (b OR c)", "a (b OR c)"),
        ("NOT a", "NOT a"),
        ("not (a or b)", "NOT (a OR b)"),
        ("-a !b", "NOT a NOT b"),
        ("-\"session opened\"", "NOT \"session opened\""),
        ("NOT NOT a", "NOT NOT a"),
        ("NOT(a)", "NOT a"),
        ("\"and\" \"OR\"", "\"and\" \"OR\""),
        ("((a))", "a"),
        ("(a b) c", "a b c"),
        ("-(a OR b) c", "NOT (a OR b) c"),
    ]);
}

#[test]
fn fields_are_compared_as_kibana_graylog_and_splunk_users_write_it() {
    check_each(&[
        ("host:fw*", "host:fw*"),
        ("program=sshd", "program=sshd"),
        ("program==sshd", "program=sshd"),
        ("app:sshd hostname:x", "program:sshd host:x"),
        ("user=root", "user=root"),
        ("user:root", "user:root"),
        ("user:=root", "user=root"),
        ("user = root", "user=root"),
        ("user!=root", "NOT user=root"),
        ("-user=root", "NOT user=root"),
        ("user:\"a b\"", "user:\"a b\""),
        ("user=\"\"", "user=\"\""),
        ("user:\"\"", "user=\"\""),
        ("user:*", "user:*"),
        ("user=*", "user:*"),
        ("user!=*", "NOT user:*"),
        ("_exists_:user", "user:*"),
        ("action:(deny OR drop)", "action:(deny OR drop)"),
        ("action:(deny or not drop)", "action:deny OR NOT action:drop"),
        ("action in (deny, drop)", "action=(deny OR drop)"),
        ("action IN [deny drop]", "action=(deny OR drop)"),
        ("action:IN [deny drop]", "action=(deny OR drop)"),
        ("action:in(deny,\"x y\")", "action=(deny OR \"x y\")"),
        ("x (action in (deny, drop))", "x action=(deny OR drop)"),
        ("user~\"ro+t\"", "user:/ro+t/"),
        (r#"user~"\d\"""#, r#"user:/\d"/"#),
        ("user=~\"ro+t\"", "user:/ro+t/"),
        ("user!~\"ro+t\"", "NOT user:/ro+t/"),
        ("user:/ro+t/i", "user:/ro+t/i"),
        ("host~fw[0-9]+", "host:/fw[0-9]+/"),
        ("message:\"a b\"~3", "message:\"a b\"~3"),
        ("cs:\"odd name\":\"a b\"~3*", "cs:\"odd name\":\"a b\"~3*"),
        ("user:(\"a b\"~3 or c)", "user:(\"a b\"~3 OR c)"),
        ("user:\"a\"~3", "user:a"),
        ("cs:user=Root", "cs:user=Root"),
        ("cs:user:(Root OR Admin)", "cs:user:Root OR cs:user:Admin"),
        ("\"odd name\":x", "\"odd name\":x"),
        ("\"host\":x", "host:x"),
        ("x@1.a=b", "x@1.a=b"),
        ("raw:abc", "raw:abc"),
    ]);
}

#[test]
fn numbers_are_compared() {
    check_each(&[
        ("status>=400", "status>=400"),
        ("status:>=400", "status>=400"),
        ("status >= 400 and status < 500", "status>=400 status<500"),
        ("status:[400 TO 500}", "status:[400 TO 500}"),
        ("status:{400 TO *]", "status>400"),
        ("status:400..499", "status:[400 TO 499]"),
        ("status:(>=400 <500)", "status>=400 status<500"),
        ("bytes>10MB", "bytes>10MB"),
        ("bytes>10MiB duration>1.5s", "bytes>10MiB duration>1.5s"),
        ("pid>1000", "pid>1000"),
    ]);
}

#[test]
fn severities_are_ordered_by_urgency_and_their_numbers_by_size() {
    check_each(&[
        ("severity>=warning", "severity>=warning"),
        ("severity<=4", "severity>=warning"),
        ("severity_num<=4", "severity>=warning"),
        ("severity > warn", "severity>=err"),
        ("severity<err", "severity<=warning"),
        ("level:error", "severity=err"),
        ("level=3", "severity=err"),
        ("severity_num:3", "severity=err"),
        ("severity!=info", "NOT severity=info"),
        ("severity:(err OR crit)", "severity=err OR severity=crit"),
        ("severity in (err, critical)", "severity=err OR severity=crit"),
        ("severity:[notice TO crit]", "severity:[notice TO crit]"),
        ("severity>emerg", "severity>emerg"),
        ("severity_num>7", "severity>emerg"),
        ("severity:*", "severity:*"),
        ("facility:kern", "facility=kern"),
        ("facility=0", "facility=kern"),
        ("facility>=local0", "facility:[local0 TO local7]"),
        ("facility<0", "facility<kern"),
    ]);
}

#[test]
fn times_are_absolute_or_relative() {
    check_each(&[
        ("time:-15m", "time>=now-15m"),
        ("_time:5m", "time>=now-5m"),
        ("@timestamp>now-2w", "time>now-2w"),
        ("received>now-1h", "received>now-1h"),
        ("earliest=-5m latest=now", "time>=now-5m time<now"),
        ("time:yesterday", "time:[yesterday TO today}"),
        ("time:2026-09-01", "time:[2026-09-01T00:00:00 TO 2026-09-02T00:00:00}"),
        ("time:2026-09-01T10:00", "time:[2026-09-01T10:00:00 TO 2026-09-01T10:01:00}"),
        ("time:[2026-09-01T10:00 TO 2026-09-01T11:00]", "time:[2026-09-01T10:00:00 TO 2026-09-01T11:01:00}"),
        (
            "timestamp:[\"2026-09-01 10:00:00.000\" TO \"2026-09-01 11:00:00.000\"]",
            "time:[2026-09-01T10:00:00 TO 2026-09-01T11:00:00.001}",
        ),
        ("time:[2026-11-01 TO 2026-11-01]", "time:[2026-11-01T00:00:00 TO 2026-11-02T00:00:00}"),
        ("time:2026-11-01..2026-11-01", "time:[2026-11-01T00:00:00 TO 2026-11-02T00:00:00}"),
        ("time:{2026-11-01 TO 2026-11-03}", "time:[2026-11-02T00:00:00 TO 2026-11-03T00:00:00}"),
        ("time<=2026-11-01", "time<2026-11-02T00:00:00"),
        ("time<2026-11-01", "time<2026-11-01T00:00:00"),
        ("time>2026-11-01", "time>=2026-11-02T00:00:00"),
        ("time>=2026-11-01", "time>=2026-11-01T00:00:00"),
        ("received:>2026-11-01T10", "received>=2026-11-01T11:00:00"),
        ("time<=2026-11-01T10:30", "time<2026-11-01T10:31:00"),
        ("time<=2026-11-01T10:30:15Z", "time<2026-11-01T10:30:16Z"),
        ("time<=2026-11", "time<2026-12-01T00:00:00"),
        ("time:2026-12", "time:[2026-12-01T00:00:00 TO 2027-01-01T00:00:00}"),
        ("time>yesterday", "time>=today"),
        ("time<=today", "time<tomorrow"),
        ("time<=2026-11-01T10:30:15.123456789Z", "time<=2026-11-01T10:30:15.123456789Z"),
        ("time>2026-11-01T10:30:15.000000000Z", "time>2026-11-01T10:30:15.000000000Z"),
        ("latest=2026-11-01", "time<2026-11-01T00:00:00"),
        ("time>=2026-09-01T10:00:00.250+02:00", "time>=2026-09-01T08:00:00.250Z"),
        ("time:[now-2h TO now-1h}", "time:[now-2h TO now-1h}"),
    ]);
}

#[test]
fn networks_logspaces_sources_and_flags_have_their_own_values() {
    check_each(&[
        ("host:10.20.0.0/16", "host:10.20.0.0/16"),
        ("src_ip:10.20.1.1/16", "src_ip:10.20.0.0/16"),
        ("peer=fe80::/10", "peer:fe80::/10"),
        ("src:fe80::/10", "\"src\":fe80::/10"),
        ("host:10.0.0.1", "host:10.0.0.1"),
        ("host:\"10.0.0.0/8\"", "host:\"10.0.0.0/8\""),
        ("logspace:fw,dmz", "logspace=(fw OR dmz)"),
        ("logspace:fw*", "logspace=fw*"),
        ("-logspace:fw,dmz x", "NOT logspace=(fw OR dmz) x"),
        ("source:syslog", "source=syslog"),
        ("flag:truncated", "flag=truncated"),
        ("flag:truncated,unparsed", "flag=truncated OR flag=unparsed"),
        ("flag:*", "flag:*"),
    ]);
}

#[test]
fn pasted_log_text_is_text() {
    for text in [
        "12:30:45",
        "fe80::1",
        "fe80::1:2/64",
        "00:1b:21:aa:bb:cc",
        "aa:bb:cc:dd:ee:ff",
        "http://x/y#a=b",
        "%SYS-5-CONFIG_I:",
        "%ASA-4-106023:",
        "10.0.0.1:22",
        "/var/log/messages",
        "C:\\temp\\x.log",
        "C:/temp/x.log",
        "sshd[123]:",
        "foo(bar)[1]:",
        "foo(bar",
        "pam_unix(sshd:session):",
        "x=1,",
        "user:bob,",
        "std::vec<int>",
        "Vec<String>",
        "a=>b",
        "dGVzdA==",
        "key=",
        "word:",
        "{\"level\":\"info\"}",
        "~3",
        "a~3",
        "a\"b\"~3",
        "level=\"info\",msg=\"x\"",
        "CEF:0|vendor|product:",
        "->",
        "--",
        "--error",
        "-!error",
        "!-error",
        "--latest=2026-11-01",
        "-",
        "!",
        "100%",
        "a|b",
        "user@example.com",
        "don't",
    ] {
        let expected = Query::Text(logstead_query::TextTest::Pattern(logstead_query::Pattern::literal(text)));
        assert_eq!(parse(text), Ok(expected), "{text}");
    }
    check("blk_-123", "\"blk_-123\"".trim_matches('"'));
    check("foo(bar)[1]: x=1, y", "\"foo(bar)[1]:\" \"x=1,\" y");
    check(
        "Failed password for root from 10.0.0.1 port 22 ssh2",
        "Failed password for root from 10.0.0.1 port 22 ssh2",
    );
    check("eth0: link up - 100 Mbps", "\"eth0:\" link up \"-\" 100 Mbps");
}

#[test]
fn a_search_bar_looks_for_what_is_no_query_as_it_stands() {
    for text in [
        "connect(fd, 3) failed", "say \"hi", "\"a\"b", "\"a b\"~", "\"a b\"~x", "\"a b\"~ 3", "\"a b\"~-3",
        "\"a b\"~3.5", "\"a b\"~3x", "\"a b\"~3**", "\"a b\"*~3", "\"a b\"~3\"c\"", "user:\"a b\"~3x",
        "user=~\"a b\"~3", "and so on", "this or", "a )", "()", "NOT", "x in ()", "\"\"",
    ] {
        let error = parse(text).expect_err(text);
        assert_eq!(error.kind, ErrorKind::Syntax, "{text}");
        let search = parse_search(text).unwrap();
        assert_eq!(parse(&search.query.to_string()).as_ref(), Ok(&search.query), "{text}");
        assert_eq!(search.query.to_string().parse_back(), text, "{text}");
        let warning = &search.warnings[0];
        assert!(
            warning.message.starts_with("not a valid query, so this searched for the literal text: "),
            "{text}"
        );
        assert_eq!(warning.suggestion.as_deref(), Some(search.query.to_string().as_str()));
    }
}

/// Reads the literal that a canonical text searches for.
trait ParseBack {
    fn parse_back(&self) -> String;
}

impl ParseBack for String {
    fn parse_back(&self) -> String {
        match parse(self) {
            Ok(Query::Text(logstead_query::TextTest::Pattern(pattern))) => {
                pattern.as_literal().unwrap_or_default().to_owned()
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn what_is_asked_and_is_no_query_is_refused_with_what_may_have_been_meant() {
    for (text, at, message, suggestion) in [
        ("(a", "(", "this parenthesis is never closed", "(a)"),
        ("severity>=err AND", "D", "a term is missing here", "severity>=err"),
        ("\"open", "\"", "this quote is not closed", "\"open\""),
        ("host:", "host:", "a value is missing after `host:`", "host:*"),
        ("a host= ", "host=", "a value is missing after `host=`", "a host=*"),
        ("severity>=", "severity>=", "a value is missing after `severity>=`", "\"severity>=\""),
        (
            "status != | head 5",
            "status !=",
            "a value is missing after `status !=`",
            "\"status !=\" | limit 5",
        ),
        ("(program: ) x", "program:", "a value is missing", "\"(program: ) x\""),
        ("connect(fd, 3) failed", ")", "", "\"connect(fd, 3) failed\""),
    ] {
        let error = parse_asked(text, Unparsed::Refused).expect_err(text);
        assert_eq!(error.kind, ErrorKind::Syntax, "{text}");
        assert_eq!(error.suggestion.as_deref(), Some(suggestion), "{text}");
        if message.is_empty() {
            continue;
        }
        assert!(error.message.contains(message), "{text}: {error}");
        assert_eq!(text.get(error.span.clone()), Some(at), "{text}");
        let as_text = parse_asked(text, Unparsed::Text).unwrap();
        assert_eq!(as_text.warnings[0].kind, WarningKind::UnparsedText, "{text}");
    }
    // These are texts, as they occur in logs.
    for text in ["error:", "kernel: up", "user=", "a>", "->", "x = >", "host=>x", "host: a", "ratio: 5>="] {
        let found = parse_asked(text, Unparsed::Refused).map(|search| search.pipeline.to_string());
        assert!(found.is_ok(), "{text}: {found:?}");
    }
    let error = parse_asked("größe\n  severity>=err AND", Unparsed::Refused).unwrap_err();
    assert_eq!(error.excerpt("größe\n  severity>=err AND"), "  severity>=err AND\n                  ^");
    let long = format!("{}(", "a ".repeat(500));
    let error = parse_asked(&long, Unparsed::Refused).unwrap_err();
    assert!(
        error.excerpt(&long).ends_with("(\n                                                            ^")
    );
}

#[test]
fn a_comparison_with_what_is_nearly_a_number_is_pointed_out() {
    for text in ["took>1x", "bytes>=10kbit", "n<-5y"] {
        let warnings = parse_asked(text, Unparsed::Refused).unwrap().warnings;
        assert_eq!(
            warnings.first().map(|warning| warning.kind),
            Some(WarningKind::ComparisonAsText),
            "{text}"
        );
        assert_eq!(warnings[0].suggestion, Some(format!("\"{text}\"")), "{text}");
    }
    for text in ["bytes>10mb", "took>1S", "bytes>=10K", "took<5\u{3BC}s", "a>b", "\"took>1x\"", "<13>1"] {
        assert_eq!(parse_asked(text, Unparsed::Refused).unwrap().warnings, [], "{text}");
    }
}

#[test]
fn a_field_is_compared_with_a_network_that_begins_with_colons() {
    for (text, fields) in [
        ("src_ip:::/0", &["src_ip"][..]),
        ("src_ip:::1", &["src_ip"]),
        ("fe80::/10", &[]),
        ("fe80::1", &[]),
        ("std::vec", &[]),
    ] {
        assert_eq!(parse(text).unwrap().field_names(), fields, "{text}");
    }
    assert_eq!(parse("src_ip:::/0").unwrap().to_string(), "\"src_ip\":::/0");
}

#[test]
fn a_space_after_a_known_field_is_pointed_out() {
    let search = parse_search("error host: fw1 host: fw2").unwrap();
    assert_eq!(search.query.to_string(), "error \"host:\" fw1 \"host:\" fw2");
    assert_eq!(search.warnings.len(), 1);
    assert_eq!(search.warnings[0].span, 6..11);
    assert_eq!(search.warnings[0].suggestion.as_deref(), Some("error host:fw1 host: fw2"));
    assert_eq!(parse_search("kernel: up").unwrap().warnings, []);
}

/// Checks the error in `text` and its position, and that a search bar reports it too.
fn check_error(text: &str, at: &str, message: &str) {
    let error = parse(text).expect_err(text);
    assert_eq!(error.kind, ErrorKind::Meaning, "{text}");
    assert!(error.message.contains(message), "{text}: {error}");
    assert_eq!(text.get(error.span.clone()), Some(at), "{text}");
    assert_eq!(parse_search(text).as_ref(), Err(&error), "{text}");
}

#[test]
fn what_has_no_meaning_is_an_error_that_says_what_to_write() {
    check_error("error | stats count()", "|", "only a filter can be used here");
    check_error("a /(/ b", "/(/", "regular expression is invalid: unclosed group");
    check_error("severity>=wrong", "wrong", "`wrong` is not a severity: use emerg, alert");
    check_error("level:err*", "err*", "is not a severity");
    check_error("severity_num>=warning", "warning", "numbers 0 (emerg) to 7");
    check_error("facility=x", "x", "is not a facility");
    check_error(
        "flag:x",
        "x",
        "use truncated, unparsed, incomplete, out_of_step, undelimited, not_utf8, bad_time",
    );
    check_error("time:soon", "soon", "is not a time");
    check_error("earliest=-1d@d", "-1d@d", "is not a time");
    check_error("pid>abc", "abc", "is not a number");
    check_error("host>5", "5", "cannot be compared by order");
    check_error("severity~\"err\"", "\"err\"", "no text for a regular expression");
    check_error("\"a b\"~101", "\"a b\"~101", "the distance of words is limited to 100");
    check_error(
        &format!("\"a b\"~{}", "9".repeat(99)),
        &format!("\"a b\"~{}", "9".repeat(99)),
        "limited to 100",
    );
    check_error("x \"--\"~3", "\"--\"~3", "no letter or digit");
    check_error("\"\"~3*", "\"\"~3*", "no letter or digit");
    check_error("*\"a b\"~3", "*\"a b\"~3", "no wildcards, except");
    check_error("\"a\"?\"b\"~3", "\"a\"?\"b\"~3", "no wildcards, except");
    check_error("user=\"a b\"~3", "\"a b\"~3", "cannot be a whole value");
    check_error("user in (x, \"a b\"~3)", "\"a b\"~3", "cannot be a whole value");
    check_error("severity:\"err\"~3", "\"err\"~3", "no text with words at a distance");
    check_error("_exists_:\"user\"~3", "\"user\"~3", "no text with words at a distance");
    check_error("pid>=\"400\"~3", "\"400\"~3", "cannot be compared by order");
    check_error("pid:(>=\"400\"~3)", "\"400\"~3", "cannot be compared by order");
    check_error("host:/a{1000}{1000}/", "/a{1000}{1000}/", "needs more than");
}

#[test]
fn an_error_may_suggest_another_query() {
    let check = |text: &str, suggestion: &str| {
        assert_eq!(parse(text).unwrap_err().suggestion.as_deref(), Some(suggestion));
        assert!(parse(suggestion).is_ok());
    };
    check("a | b", "a \"|\" b");
}

#[test]
fn limits_are_named_in_the_error() {
    let check = |text: &str, message: &str| {
        let error = parse_search(text).expect_err("over a limit");
        assert!(error.message.contains(message), "{error}");
    };
    check(&"a".repeat(QUERY_BYTES_MAX + 1), "the limit is 65536");
    check(&"\"".repeat(QUERY_BYTES_MAX), "when written out");
    check(&("(".repeat(NESTING_MAX + 1) + "a" + &")".repeat(NESTING_MAX + 1)), "nest deeper than 64");
    check(&("NOT ".repeat(NESTING_MAX + 1) + "a"), "nest deeper than 64");
    check(&"-".repeat(NESTING_MAX).replace('-', "!(").to_owned(), "nest deeper than 64");
    check(&"a ".repeat(CLAUSES_MAX + 1), "more than 4096 texts");
    check(&"/a/ ".repeat(REGEXES_MAX + 1), "more than 64 regular expressions");
    check(&format!("/{}/", "a".repeat(REGEX_CHARS_MAX)), "more than 8192 characters");
    check(
        &"/\\w\\w\\w/ ".repeat(60).replace("w/", &format!("w{}/", "b".repeat(200))),
        "more than 8192 characters",
    );
    check(&format!("\"{}\":x", "a".repeat(FIELD_BYTES_MAX)), "limited to 1024 bytes");
    check(&("a*".to_owned() + &"b".repeat(GLOB_CHARS_MAX)), "limited to 512 characters");
    check(&format!("\"{}\"~3", "a ".repeat(NEAR_WORDS_MAX + 1)), "limited to 64, and these are 65");
    assert!(parse(&("(".repeat(NESTING_MAX) + "a" + &")".repeat(NESTING_MAX))).is_ok());
}

#[test]
fn an_error_knows_its_line_and_column_in_characters() {
    let text = "größe\n  severity>=wröng x";
    let error = parse(text).unwrap_err();
    assert_eq!(error.line_column(text), (2, 13, 18));
    let error = parse("a )").unwrap_err();
    assert_eq!(error.line_column("a )"), (1, 3, 4));
}

#[test]
fn the_examples_of_the_reference_are_queries_without_warnings() {
    let reference = include_str!("../../../../docs/query-language.md");
    let examples: Vec<&str> =
        reference.split("```").nth(1).unwrap().lines().filter(|line| !line.is_empty()).collect();
    assert!(examples.len() > 5);
    for example in examples {
        let text = example.split("   ").next().unwrap();
        assert_eq!(parse_search(text).unwrap().warnings, [], "{text}");
    }
}

#[test]
fn a_query_tells_which_fields_it_names() {
    let query = parse("user=a OR NOT (port>5 User:b) host:x logspace:y").unwrap();
    assert_eq!(query.field_names(), ["user", "port", "User"]);
    assert!(query.uses_logspace());
    assert!(!parse("logspace").unwrap().uses_logspace());
}
