//! Fields that are found in texts, computed, compared and shown.

use super::sample::{check, message, sample};
use super::testing::*;
use logstead_query::parse_pipeline;
use logstead_record::{
    BatchBuilder, Field, FieldName, Flags, Origin, Priority, Row, SECOND, Selection, Timestamp,
};
use logstead_transform::Transform;

#[test]
fn what_a_text_says_of_a_field_stands_for_what_the_message_said() {
    check(
        "host=fw1 | extract \"from <bytes>\" | top bytes",
        &["bytes | count", "10.0.0.1 | 1", "10.0.0.2 | 1"],
    );
}

#[test]
fn fields_are_found_in_texts() {
    check(
        "* | extract \"user=<user> from <ip>\" | where user=eve | fields user, ip",
        &["user | ip", "eve | 10.0.0.2"],
    );
    check(
        "* | parse json | where status>=400 | stats count() by path.name",
        &["path.name | count", "/x | 1"],
    );
    check(
        "* | parse json | where status>=400",
        &[
            "time | host | program | severity | message | status | path.name",
            r#"2026-11-21T06:02:00Z | web | - | emerg | {"status":404,"path":{"name":"/x"}} | 404 | /x"#,
        ],
    );
    let names = r#"{"host":"other","level":"x","N":1}"#;
    let named = [(0, batch_of(&[message(0, "h", names, &[])]))];
    let lines = shown(&run("* | parse json | fields host, severity, n", &named, MEMORY_MAX).unwrap());
    assert_eq!(lines[1], "h | emerg | 1");
    check("host=fw1 | parse kv | dedup host | fields user", &["user", "eve"]);
    check(
        "* | parse regex /(?<last>[0-9])$/ | stats count() by last | sort last | limit 1",
        &["last | count", "1 | 1"],
    );
    check("host=web | limit 2 | parse json | fields status", &["status", "200", "404"]);
    check("host=fw1 | stats max(message) as m | extract \"user=<u> \" from m | fields u", &["u", "root"]);
    check(
        "host=fw1 | extract \"from <ip>\" | fields raw, ip | limit 1",
        &["raw | ip", "user=eve from 10.0.0.2 | 10.0.0.2"],
    );
}

/// The name has been `letter`, and the text has no other.
#[test]
fn a_field_that_was_taken_away_does_not_come_back() {
    let parts = [(0, batch_of(&[message(0, "h", "{}", &[("letter", "a")])]))];
    let find = "extract \"(<letter>)\"";
    for first in
        ["fields host, message", "eval letter = 1 | fields host, message", "limit 1 | fields host, message"]
    {
        for (rest, found) in [
            (find.to_owned(), vec!["host | message | letter", "h | {} | -"]),
            (format!("{find} | stats count(letter)"), vec!["count(letter)", "0"]),
            ("parse json | stats count(letter)".to_owned(), vec!["count(letter)", "0"]),
            ("parse json | where letter=a | fields host".to_owned(), vec!["host"]),
        ] {
            let text = format!("* | {first} | {rest}");
            assert_eq!(shown(&run(&text, &parts, MEMORY_MAX).unwrap()), found, "{text}");
        }
    }
    let stages = parse_pipeline(&format!("* | fields host, message | {find}")).unwrap().stages;
    let batch = std::sync::Arc::new(parts[0].1.clone());
    let changed = Transform::new(&stages, Timestamp::default()).apply(&batch, &Selection::all(1), "main");
    assert_eq!(changed.batch.value(0, &FieldName::new("letter")), None);
}

#[test]
fn fields_are_computed() {
    check(
        "host=fw1 | extract \"user=<user> \" | eval who = upper(coalesce(user, \"nobody\")), n = bytes * 2 | fields who, n",
        &["who | n", "EVE | 18", "ROOT | 20"],
    );
    check(
        "* | eval size = if(bytes > 9, \"big\", \"small\") | stats count() by size | sort size",
        &["size | count", "big | 1", "small | 4"],
    );
    check(
        "* | stats count() by host | eval share = round(count / 6 * 100) | where share>20 | fields host, share",
        &["host | share", "fw1 | 33", "web | 33"],
    );
    check(
        "* | stats count() as n, max(time) as last | eval day = format_time(last, \"%F\"), next = last + 1h | fields day, next",
        &["day | next", "2026-11-21 | 2026-11-21T07:59:59Z"],
    );
    check("host=web | limit 1 | eval a = 1, b = a + 1, a = a * 10 | fields a, b", &["a | b", "10 | 2"]);
    check("host=web | limit 1 | parse json | eval status = status * 2 | fields status", &["status", "400"]);
    check(
        "host=web | parse json | eval status = status * 2 | where status>500",
        &[
            "time | host | program | severity | message | status | path.name",
            r#"2026-11-21T06:02:00Z | web | - | emerg | {"status":404,"path":{"name":"/x"}} | 808 | /x"#,
        ],
    );
    check("host=web | fields host | eval x = host | limit 1", &["host | x", "web | web"]);
    check(
        "* | stats count() | eval line = \"1,two words,3\" | parse csv a, _, c from line | fields a, c",
        &["a | c", "1 | 3"],
    );
    let hidden = run("* | fields host | eval x = user", &sample(), MEMORY_MAX).unwrap_err();
    assert!(hidden.to_string().contains("`eval x = user` needs `user`"), "{hidden}");
}

#[test]
fn where_sees_what_is_there() {
    check("* | where host:fw* | where bytes>9 | stats count()", &["count", "1"]);
    check("* | parse kv | where eve | stats count()", &["count", "1"]);
    check(
        "* | stats count() as n, max(time) as last by host, severity | where n=1 severity>=alert host:fw1",
        &["host | severity | n | last", "fw1 | emerg | 1 | 2026-11-21T06:00:00Z"],
    );
    check(
        "* | timechart span=30m count() | where time>2026-11-21T06:15",
        &["time | count", "2026-11-21T06:30:00Z | 1"],
    );
    check("host=fw1 | stats max(message) as m | parse json from m | where status>1", &["m | status"]);
    check("* | stats count() by host | where web", &["host | count", "web | 2"]);
}

#[test]
fn every_field_has_the_text_that_the_api_shows() {
    let mut builder = BatchBuilder::new();
    let received = Timestamp::from_nanos(START + SECOND);
    builder.origin(Origin { source: b"syslog", peer: b"10.0.0.1:514", received });
    builder.push(
        &Row {
            time: Some(Timestamp::from_nanos(START)),
            priority: Priority::new(4 * 8 + 3),
            message_at: Some(4),
            flags: Flags::TRUNCATED.with(Flags::INCOMPLETE),
            ..Row::text(b"raw text\xFF")
        }
        .with(Field::Program, b"sshd")
        .with(Field::Pid, b"77")
        .with(Field::Msgid, b"ID")
        .with(Field::Message, b"text"),
    );
    builder.push(&Row::text(b"bare"));
    let parts = [(0, builder.seal())];
    let fields = "time, received, severity, facility, flag, program, pid, msgid, host, message, raw, source, peer, logspace";
    for query in [format!("* | fields {fields}"), format!("* | extract \"te<a>\" | fields {fields}")] {
        let lines = shown(&run(&query, &parts, MEMORY_MAX).unwrap());
        assert_eq!(
            lines[1..],
            [
                "2026-11-21T06:00:01Z | 2026-11-21T06:00:01Z | - | - | - | - | - | - | - | bare | bare | syslog \
             | 10.0.0.1:514 | main",
                "2026-11-21T06:00:00Z | 2026-11-21T06:00:01Z | err | auth | truncated,incomplete | sshd | 77 | ID | - \
             | text | raw text\u{fffd} | syslog | 10.0.0.1:514 | main",
            ]
        );
    }
    for query in ["* | top flag", "* | limit 2 | top flag"] {
        let lines = shown(&run(query, &parts, MEMORY_MAX).unwrap());
        assert_eq!(lines, ["flag | count", "incomplete | 1", "truncated | 1"], "{query}");
    }
    let table = run(
        &format!(
            "* | limit 2 | where severity=err facility=auth flag:incomplete pid>70 msgid:id raw:raw \
        source=syslog peer:10.0.0.0/8 received>2026-11-20 time<2026-11-22 program:sshd message:text | fields {fields}"
        ),
        &parts,
        MEMORY_MAX,
    );
    assert_eq!(table.unwrap().rows.len(), 1);
}
