//! Matches of queries, by example.
//!
//! Keywords: matcher, query semantics.

use logstead_query::{Context, DISTANCE_MAX, Matcher, NEAR_WORDS_MAX, parse};
use logstead_record::{Batch, BatchBuilder, Field, Origin, Priority, Row, Selection, Timestamp};
use std::cell::Cell;
use std::time::{Duration, Instant};

fn context() -> Context<'static> {
    Context { now: time("2026-11-21T12:00:00Z"), logspace: "fw" }
}

fn time(text: &str) -> Timestamp {
    Timestamp::parse_rfc3339(text.as_bytes()).unwrap()
}

/// One message of host `fw-7`, program `sshd`.
fn one(message: &[u8], fields: &[(&str, &str)]) -> Batch {
    let mut builder = BatchBuilder::new();
    builder.origin(Origin {
        source: b"syslog",
        peer: b"10.1.2.3:514",
        received: time("2026-11-21T11:59:00Z"),
    });
    for (name, value) in fields {
        builder.field(name.as_bytes(), value.as_bytes());
    }
    builder.push(
        &Row {
            time: Some(time("2026-11-21T11:30:00Z")),
            priority: Priority::new(4 * 8 + 3),
            ..Row::text(message)
        }
        .with(Field::Host, b"fw-7")
        .with(Field::Program, b"sshd")
        .with(Field::Pid, b"77"),
    );
    builder.seal()
}

fn finds(query: &str, batch: &Batch) -> bool {
    Matcher::new(&parse(query).unwrap(), &context()).select(batch).contains(0)
}

/// Checks that `query` finds each message of `found` and none of `missed`.
fn check(query: &str, found: &[&str], missed: &[&str]) {
    for (texts, expected) in [(found, true), (missed, false)] {
        for text in texts {
            assert_eq!(finds(query, &one(text.as_bytes(), &[])), expected, "{query} in {text}");
        }
    }
}

#[test]
fn a_text_is_found_in_any_case_at_word_boundaries() {
    check("error", &["error", "Error: x", "an error_count", "(ERROR)"], &["errors", "terror", "err or", ""]);
    check("\"session opened\"", &["x Session opened."], &["session  opened", "session openeds"]);
    check("10.0.0.1", &["from 10.0.0.1:22"], &["110.0.0.1", "10.0.0.12"]);
    check("blk_-123", &["got blk_-123 ok"], &["blk_-1234"]);
    check("größe", &["Die GRÖSSE? Größe!", "GRÖßE"], &["GRÖSSE", "größen"]);
    check("kelvin", &["\u{212A}elvin"], &[]);
    check("aaab", &["aaaaab x aaab"], &["aaaaab"]);
    check("cs\"Error\"", &["an Error"], &["an error"]);
    check("\"*\"", &["5 * 5"], &["5 x 5"]);
    check("%ASA-4-106023:", &["<1>: %ASA-4-106023: Deny"], &["%ASA-4-106024:"]);
}

#[test]
fn wildcards_stay_inside_a_run_without_space() {
    check("conn*", &["Connection", "conn lost"], &["reconnect", "con"]);
    check("*nection", &["connection"], &["connections"]);
    check("*nect*", &["reconnected"], &["nec t"]);
    check("a*z", &["abcz", "az", "abz z"], &["ab z", "abzx"]);
    check("f?o", &["foo", "f-o"], &["fo", "f o", "fooo"]);
    check("\"foo ba\"*", &["foo bar"], &["foo  bar"]);
}

#[test]
fn words_stand_in_their_order_with_few_others_between_them() {
    check(
        "\"connection reset\"~3",
        &["connection reset", "Connection was RESET", "connection a b c reset", "(connection),reset!"],
        &[
            "reset connection",
            "connection a b c d reset",
            "connections reset",
            "connection resets",
            "reset",
            "",
        ],
    );
    // Separators between words do not count, however many there are.
    check("\"a b\"~0", &["a b", "a  b", "a, b", "a-b", "a_b", "a=\"b\""], &["a x b", "b a", "ab", "a bc"]);
    check("\"a-b\"~0", &["a b", "a+b"], &["a x b"]);
    check("\"a b\"~1", &["a x b", "a-x-b", "a x.y a b"], &["a x.y b", "a 10.0.0.1 b"]);
    check("\"a b\"~4", &["a 10.0.0.1 b"], &["a x 10.0.0.1 b"]);
    // The distance limits all gaps together.
    check("\"a b c\"~2", &["a b c", "a x b x c", "a x x b c", "a b x x c"], &["a x x b x c", "a b x x x c"]);
    // Words that do not fit do not hide later ones that do.
    check("\"a b\"~1", &["a x x a x b", "a a x b", "b a b"], &["a x x b a"]);
    check("\"a b c\"~1", &["a x x b a b x c", "a b a b c"], &["a b x x c b a"]);
    check("\"a b c\"~1", &["a b x b c a b c"], &["a b x b x c"]);
    // One word of a text matches only one word of the query.
    check("\"a a\"~1", &["a a", "a x a"], &["a", "a x x a"]);
    check("\"a a b\"~0", &["a a b", "a a a b"], &["a b", "a x a b"]);
    check("\"a\"~5", &["x a y"], &["ab"]);
    check("cs\"A b\"~1", &["A x b"], &["a x b", "A x B"]);
    check("\"größe \u{212A}\"~1", &["GRÖSSE GRÖßE x k"], &["größen k"]);
    check("\"fw sshd\"~9", &[], &["x"]);
    check("-\"a b\"~0", &["a x b"], &["a b"]);
}

#[test]
fn the_last_of_several_words_may_go_on() {
    check(
        "\"connection re\"*",
        &["connection re", "connection reset", "a connection refused by peer"],
        &["connection was reset", "connection  reset", "connection x", "connection are"],
    );
    for query in ["\"a re\"~1*", "\"a re*\"~1", "\"a re*\"~1*"] {
        check(query, &["a re", "a reset", "a x REFUSED.", "a re-x"], &["a x x reset", "a are", "ab reset"]);
    }
    check("\"a\"~1*", &["abc", "x a"], &["ba"]);
    check("\"a a\"~0*", &["a ab", "a a"], &["ab a", "ab"]);
    check("cs\"a Re\"~0*", &["a Reset"], &["a reset"]);
}

#[test]
fn words_near_each_other_are_looked_for_in_one_text() {
    let batch = one(b"link of eth0", &[("reason", "timed out twice"), ("reason", "link down")]);
    let cases = [
        ("\"link eth0\"~1", true),
        ("\"timed twice\"~1", true),
        ("\"eth0 timed\"~9", false),
        ("\"twice link\"~9", false),
        ("reason:\"timed twice\"~1", true),
        ("reason:\"link d\"~0*", true),
        ("reason:(\"x y\"~3 OR \"link down\"~3)", true),
        ("reason:\"link eth0\"~1", false),
        ("message:\"link eth0\"~1", true),
        ("message:\"link eth0\"~0", false),
        ("raw:\"link eth\"~1*", true),
        ("host:\"fw 7\"~0 source:\"syslog\"~0 peer:\"10 514\"~3", true),
        ("NOT message:\"timed twice\"~1", true),
    ];
    for (query, expected) in cases {
        assert_eq!(finds(query, &batch), expected, "{query}");
    }
}

#[test]
fn many_ways_to_combine_words_take_no_time() {
    let words = vec!["a"; NEAR_WORDS_MAX - 1].join(" ");
    let message = |others| format!("{}{}b", "a ".repeat(500_000), "x ".repeat(others));
    let near = one(message(DISTANCE_MAX).as_bytes(), &[]);
    let far = one(message(DISTANCE_MAX + 1).as_bytes(), &[]);
    for (query, in_near, in_far) in [
        (format!("\"{words}\"~0"), true, true),
        (format!("\"{words} b\"~{DISTANCE_MAX}"), true, false),
        (format!("\"{words} b\"~99"), false, false),
    ] {
        assert_eq!((finds(&query, &near), finds(&query, &far)), (in_near, in_far), "{query}");
    }
}

#[test]
fn a_text_is_looked_for_in_host_program_and_fields_too() {
    check("fw", &["x"], &[]);
    check("sshd", &["x"], &[]);
    check("fw sshd x", &["x"], &["y"]);
    check("/fw-[0-9]/", &["x"], &[]);
    check("\"fw sshd\"", &[], &["x"]);
    let batch = one(b"x", &[("user", "Root Admin")]);
    assert!(finds("admin", &batch) && finds("x root", &batch) && !finds("user", &batch));
}

#[test]
fn fields_are_compared_by_their_kind() {
    let batch = one(
        b"hello world",
        &[
            ("user", "root"),
            ("user", "Bob Lee"),
            ("bytes", "12MiB"),
            ("took", "1600ms"),
            ("n", "7"),
            ("ip", "10.9.9.9"),
            ("empty", ""),
            ("some", ""),
            ("some", "x"),
        ],
    );
    let cases = [
        ("empty=\"\" -empty:* -_exists_:empty -empty:[* TO *] -empty:/^$/ empty!=x", true),
        ("some=\"\" some:* some=x _exists_:some some:[* TO *]", true),
        ("host:fw host:FW-7 host=fw-7 host:fw-*", true),
        ("host=fw", false),
        ("user=ROOT user:bob user=\"bob lee\"", true),
        ("user=bob", false),
        ("user!=root", false),
        ("nobody!=x NOT nobody:*", true),
        ("cs:user=root", true),
        ("cs:user=Root", false),
        ("USER:root", true),
        ("bytes>10MB", true),
        ("bytes>1", false),
        ("took>1.5s took<2s", true),
        ("n>6.5 n:[7 TO 8} n:5..7", true),
        ("n>7", false),
        ("pid>=77 pid:77", true),
        ("ip:10.0.0.0/8", true),
        ("ip:11.0.0.0/8", false),
        ("peer:10.1.0.0/16 peer=10.1.2.3 peer:10.1.2.3 peer=\"10.1.2.3:514\"", true),
        ("severity=err severity>=warning severity_num<=3", true),
        ("severity>=crit", false),
        ("facility=auth facility:4", true),
        ("source=syslog logspace:fw,dmz", true),
        ("logspace:dmz", false),
        ("flag:*", false),
        ("time:-30m", true),
        ("time:-29m", false),
        ("received>now-2m time:today time:2026-11-21T11:30", true),
        ("time:yesterday", false),
        ("earliest=-1h latest=now", true),
        ("message=\"hello world\" message:hello", true),
        ("message=hello", false),
        ("raw:/^hello world$/", true),
        ("msgid:*", false),
        ("user:(root OR nobody) user in (x, root)", true),
    ];
    for (query, expected) in cases {
        assert_eq!(finds(query, &batch), expected, "{query}");
    }
}

#[test]
fn an_address_is_in_a_network_however_it_is_written() {
    let in_network = [
        "10.20.0.185",
        "10.20.0.1:80",
        "::ffff:10.20.0.185",
        "[::ffff:10.20.0.185]:80",
        "10.20.1.0/24",
        "10.20.0.0/16",
    ];
    for (value, expected) in in_network.map(|value| (value, true)).into_iter().chain([
        ("10.21.0.1", false),
        ("10.0.0.0/8", false),
        ("on 10.20.0.1", false),
        ("::10.20.0.185", false),
    ]) {
        let batch = one(b"m", &[("src", value)]);
        for query in ["src:10.20.0.0/16", "src=10.20.0.0/16"] {
            assert_eq!(finds(query, &batch), expected, "{query} of {value}");
        }
        assert_eq!(finds("src=\"10.20.0.0/16\"", &batch), value == "10.20.0.0/16", "in quotes it is a text");
    }
}

#[test]
fn spaces_around_a_number_do_not_count() {
    let batch = one(b"m", &[("status", " 12"), ("late", "\t7 "), ("two", "1 2")]);
    for (query, expected) in [
        ("status:[1 TO 20]", true),
        ("status>11", true),
        ("status=12", false),
        ("late<8", true),
        ("two>0", false),
    ] {
        assert_eq!(finds(query, &batch), expected, "{query}");
    }
}

#[test]
fn letters_are_compared_each_by_itself() {
    for (text, query, expected) in [
        ("İ", "i", true),
        ("i", "İ", true),
        ("ı", "i", false),
        ("i", "ı", false),
        ("I", "ı", false),
        ("İ", "/İ/i", true),
        ("i", "/İ/i", false),
    ] {
        assert_eq!(finds(query, &one(text.as_bytes(), &[])), expected, "{query} in {text}");
    }
}

#[test]
fn a_hit_does_not_cross_from_one_message_to_the_next() {
    let mut builder = BatchBuilder::new();
    builder.origin(Origin { source: b"s", peer: b"p", received: Timestamp::from_nanos(0) });
    for text in [b"con".as_slice(), b"nection", b"", b"x connection", b"connection"] {
        builder.push(&Row::text(text));
    }
    let batch = builder.seal();
    let rows = |query: &str| {
        Matcher::new(&parse(query).unwrap(), &context()).select(&batch).iter().collect::<Vec<_>>()
    };
    assert_eq!(rows("connection"), [3, 4]);
    assert_eq!(rows("*connection*"), [3, 4]);
    assert_eq!(rows("*onnection"), [3, 4]);
    assert_eq!(rows("con"), [0]);
    assert_eq!(rows("-con"), [1, 2, 3, 4]);
}

#[test]
fn a_matcher_knows_when_it_selects_all_or_none() {
    let check = |query: &str, all: bool, none: bool| {
        let matcher = Matcher::new(&parse(query).unwrap(), &context());
        assert_eq!((matcher.selects_all(), matcher.selects_none()), (all, none), "{query}");
    };
    check("*", true, false);
    check("logspace:fw", true, false);
    check("logspace:dmz error", false, true);
    check("logspace:dmz OR *", true, false);
    check("-logspace:fw", false, true);
    check("severity>emerg", false, true);
    check("error", false, false);
}

#[test]
fn a_look_at_a_batch_ends_between_conditions() {
    let batch = one(b"hello world", &[("user", "root")]);
    let within = Selection::all(batch.rows());
    let matcher = Matcher::new(&parse("a OR b OR NOT (world user:root) OR zebra").unwrap(), &context());
    let asked = Cell::new(0);
    let select = |asks_max: usize| {
        asked.set(0);
        let go_on = |_: usize| {
            asked.set(asked.get() + 1);
            asked.get() <= asks_max
        };
        matcher.select_while(&batch, &within, &go_on)
    };
    assert_eq!(select(usize::MAX), Some(matcher.select(&batch)));
    let asks = asked.get();
    assert!(1 < asks);
    for asks_max in 0..asks {
        assert_eq!(select(asks_max), None);
        assert_eq!(asked.get(), asks_max + 1, "nothing is looked at after the end");
    }
}

#[test]
fn a_query_that_is_no_longer_wanted_is_not_made_ready_to_the_end() {
    let words: Vec<String> = (0..100).map(|number| format!("field{number}=word{number}")).collect();
    let query = parse(&words.join(" OR ")).unwrap();
    let asked = Cell::new(0);
    let ready_within = |questions: usize| {
        asked.set(0);
        let go_on = |_| {
            asked.set(asked.get() + 1);
            asked.get() < questions
        };
        Matcher::new_while(&query, &context(), &go_on).is_some()
    };
    assert!(ready_within(usize::MAX) && 100 <= asked.get(), "{}", asked.get());
    assert!(!ready_within(10));
    assert_eq!(asked.get(), 10);
}

/// Comparing at each position separately would take more than a billion steps.
#[test]
#[expect(clippy::disallowed_methods, reason = "a test may look at the clock")]
fn a_long_text_that_repeats_itself_is_looked_for_in_one_pass() {
    let nearly = format!("{}x", "=".repeat(3999)).repeat(15);
    let batch = one(nearly.as_bytes(), &[]);
    let query = parse(&format!("\"{}\"", "=".repeat(4000))).unwrap();
    let matcher = Matcher::new(&query, &context());
    let began = Instant::now();
    (0..100).for_each(|_| assert!(!matcher.select(&batch).contains(0)));
    assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
}
