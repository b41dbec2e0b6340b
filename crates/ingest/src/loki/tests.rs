//! Pushes in both forms, valid and broken.

use super::*;
use crate::batches::Batches;
use crate::protobuf::tests::{bytes, number};
use logstead_record::Batch;
use proptest::prelude::*;

fn loki(body: &[u8], form: LokiEncoding, messages_max: usize) -> Result<Batches<LokiBody>, BodyError> {
    let received = Timestamp::from_nanos(1_790_000_000_000_000_000);
    let sender = BodySender { source: "http".to_owned(), peer: "10.0.0.9".to_owned(), received };
    Ok(Batches::of(LokiBody::of(body.to_vec(), form, sender.clone(), messages_max)?, sender))
}

fn all(batches: &mut Batches<LokiBody>) -> Vec<Batch> {
    std::iter::from_fn(|| (0 < batches.rest_bytes()).then(|| batches.next_batch())).collect()
}

/// The rows of a body, each as `nanoseconds host program severity message | name=value …`.
fn rows(body: &[u8], form: LokiEncoding) -> Vec<String> {
    let batches = all(&mut loki(body, form, 100).unwrap());
    let row = |batch: &Batch, row: usize| {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let severity = batch.priority(row).map_or("-", |priority| priority.severity().name());
        let time = batch.own_time(row).map_or(0, Timestamp::nanos);
        let [host, program, message] = [batch.host(row), batch.program(row), batch.message(row)].map(text);
        let mut shown = format!("{time} {host} {program} {severity} {message} |");
        for (name, value) in batch.fields(row) {
            shown += &format!(" {}={}", text(name), text(value));
        }
        shown
    };
    batches.iter().flat_map(|batch| (0..batch.rows()).map(|at| row(batch, at)).collect::<Vec<_>>()).collect()
}

type Pair = (&'static str, &'static str);
/// The seconds, line and metadata of an entry.
type Sent<'a> = (u64, &'a str, &'a [Pair]);

/// Streams as Protocol Buffers, each with entries of seconds, line and metadata.
pub(crate) fn push_request(streams: &[(&str, &[Sent<'_>])]) -> Vec<u8> {
    let mut body = Vec::new();
    for (labels, entries) in streams {
        let mut stream = Vec::new();
        bytes(1, labels.as_bytes(), &mut stream);
        for (seconds, line, metadata) in *entries {
            let mut time = vec![1 << 3];
            number(*seconds, &mut time);
            time.push(2 << 3);
            number(7, &mut time);
            let mut entry = Vec::new();
            bytes(1, &time, &mut entry);
            bytes(2, line.as_bytes(), &mut entry);
            for (name, value) in *metadata {
                let mut pair = Vec::new();
                bytes(1, name.as_bytes(), &mut pair);
                bytes(2, value.as_bytes(), &mut pair);
                bytes(3, &pair, &mut entry);
            }
            bytes(2, &entry, &mut stream);
        }
        number(3 << 3, &mut stream);
        number(99, &mut stream);
        bytes(1, &stream, &mut body);
    }
    body
}

const EXPECTED: [&str; 4] = [
    "1000000007 10.0.0.9 api - first | app=api",
    "2000000007 10.0.0.9 api err second \"ä\"\n | app=api trace_id=abc",
    "3000000007 web-1 api - third | path=C:\\x",
    "4000000007 web-1 api - fourth | path=C:\\x",
];

#[test]
fn both_forms_give_the_same_rows() {
    let json = r#" {"streams": [
        {"stream": {"app": "api"}, "values": [
            ["1000000007", "first"] , ["2000000007","second \"\u00e4\"\n",{"level":"error","trace_id":"abc"}]
        ]},
        {"values": [], "stream": {}},
        {"values": [["3000000007","third",{}],["4000000007","fourth"]], "stream": {"host":"web-1","program":"api","path":"C:\\x"}}
    ]}"#;
    let shown: Vec<String> = EXPECTED.iter().map(|row| row.replace(" | app=api", " |")).collect();
    assert_eq!(rows(json.as_bytes(), LokiEncoding::Json), shown);
    let protobuf = push_request(&[
        (
            "{app=\"api\"}",
            &[(1, "first", &[]), (2, "second \"ä\"\n", &[("level", "error"), ("trace_id", "abc")])],
        ),
        ("{}", &[]),
        (r#"{host="web-1", program="api", path="C:\\x",}"#, &[(3, "third", &[]), (4, "fourth", &[])]),
    ]);
    assert_eq!(rows(&protobuf, LokiEncoding::Protobuf), shown);
}

#[test]
fn a_body_that_is_none_is_refused_as_a_whole() {
    for (body, expected) in [
        ("", "JSON"),
        ("[]", "JSON"),
        ("{}", "streams"),
        (r#"{"streams":[{"stream":{},"values":[[1000,"a"]]}]}"#, "a string"),
        (r#"{"streams":[{"stream":{},"values":[["x","a"]]}]}"#, "nanoseconds"),
        (r#"{"streams":[{"stream":{},"values":[["1"]]}]}"#, "no line"),
        (r#"{"streams":[{"stream":{},"values":[["1","a",{"n":{"e":"sted"}}]]}]}"#, "string"),
        (r#"{"streams":[{"stream":{"a":1},"values":[]}]}"#, "string"),
        (r#"{"streams":[{"stream":{},"values":{}}]}"#, "array"),
        (r#"{"streams":[{"stream":{},"values":[["1","a",{},{}]]}]}"#, "more than"),
    ] {
        let refused = loki(body.as_bytes(), LokiEncoding::Json, 9).err().unwrap().to_string();
        assert!(refused.contains(expected), "{body}: {refused}");
    }
    for labels in ["", "{", "{a}", "{a=b}", "{a=\"b}", "{a=\"b\" c=\"d\"}", "{a=\"\\u12\"}"] {
        assert!(loki(&push_request(&[(labels, &[])]), LokiEncoding::Protobuf, 9).is_err(), "{labels}");
    }
    assert!(loki(b"\x0a\x05\x0a\x01", LokiEncoding::Protobuf, 9).is_err());
    let many = push_request(&[("{}", &[(1, "a", &[]), (1, "b", &[])])]);
    assert_eq!(loki(&many, LokiEncoding::Protobuf, 1).err(), Some(BodyError::TooMany { messages_max: 1 }));
    let deep = "[".repeat(100_000);
    assert!(loki(deep.as_bytes(), LokiEncoding::Json, 9).is_err());
}

#[test]
fn an_entry_that_is_too_long_is_refused_alone() {
    let long = "x".repeat(LIMITS.line_bytes_max + 1);
    let body = push_request(&[("{a=\"b\"}", &[(1, "first", &[]), (2, &long, &[]), (3, "last", &[])])]);
    let mut batches = loki(&body, LokiEncoding::Protobuf, 9).unwrap();
    assert_eq!(all(&mut batches).iter().map(Batch::rows).sum::<usize>(), 2);
    assert_eq!((batches.refused, batches.refusals[0].number), (1, 2));
}

#[test]
fn labels_that_every_entry_repeats_are_counted_each_time() {
    let long = format!("{{a=\"{}\"}}", "x".repeat(60 << 10));
    let entries: Vec<(u64, &str, &[Pair])> = (0..500).map(|at| (at, "m", &[][..])).collect();
    let mut batches = loki(&push_request(&[(&long, &entries)]), LokiEncoding::Protobuf, 500).unwrap();
    assert!(500 * (60 << 10) < batches.rest_bytes());
    let all = all(&mut batches);
    assert!(all.iter().all(|batch| batch.memory_bytes() < 16 << 20) && 5 < all.len());
    let many = format!("{{a=\"{}\"}}", "x".repeat(VALUES_BYTES_MAX));
    assert!(loki(&push_request(&[(&many, &[])]), LokiEncoding::Protobuf, 9).is_err());
}

proptest! {
    #[test]
    fn any_bytes_are_entries_or_refused(
        noise in proptest::collection::vec(any::<u8>(), 0..60),
        pieces in proptest::collection::vec(proptest::sample::select(vec![
            "{\"streams\":[", "{\"stream\":{\"a\":\"b\"},\"values\":[", "[\"1\",\"a\"]", "]}", "]", ",", "{", "}", "[\"1\",\"a\",{\"b\":\"c\"}]",
        ]), 0..12),
        (at, with) in (any::<prop::sample::Index>(), any::<u8>()),
    ) {
        let mut valid = push_request(&[("{a=\"b\"}", &[(1, "line", &[("x", "y")]), (2, "line", &[])]), ("{}", &[(3, "l", &[])])]);
        let at = at.index(valid.len());
        valid[at] = with;
        for (body, form) in [
            (noise.as_slice(), LokiEncoding::Json), (&noise, LokiEncoding::Protobuf), (pieces.concat().as_bytes(), LokiEncoding::Json), (&valid, LokiEncoding::Protobuf),
        ] {
            let Ok(mut batches) = loki(body, form, 50) else { continue };
            let entries = batches.rest_bytes();
            let rows: usize = all(&mut batches).iter().map(Batch::rows).sum();
            prop_assert!(rows + batches.refused <= 50 && (0 < entries) == (0 < rows + batches.refused));
        }
    }

    #[test]
    fn labels_are_read_as_they_are_quoted(value in "[a-z\"\\\\\n\tä,}=]{0,12}") {
        let text = format!("{{a={}, b=`raw`}}", serde_json::to_string(&value).unwrap());
        prop_assert_eq!(label_pairs(&text), Ok(vec![("a".to_owned(), value), ("b".to_owned(), "raw".to_owned())]));
    }
}
