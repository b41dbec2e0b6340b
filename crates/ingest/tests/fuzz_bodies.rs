//! Runs the bodies of the fuzz targets over random bytes and over texts that resemble real input, for as long as is
//! reasonable in a test.
//!
//! Keywords: fuzz, random bodies.

#[expect(unreachable_pub, reason = "they are public in the crate of the fuzz targets")]
#[path = "../fuzz/src/bodies.rs"]
mod bodies;

use logstead_ingest::batches::{Batches, BodySender};
use logstead_ingest::bulk::Bulk;
use logstead_ingest::datadog::Datadog;
use logstead_ingest::gelf::GelfBody;
use logstead_ingest::hec::{self, Hec, HecMetadata};
use logstead_ingest::loki::{self, LokiBody};
use logstead_ingest::messages::Messages;
use logstead_ingest::native::{NativeBody, NativeFormat, ReadOptions};
use logstead_ingest::otlp::{self, OtlpBody};
use logstead_record::{Flags, Timestamp};
use proptest::prelude::*;
use std::io::Write;

/// Pieces of JSON and of lines.
const TEXTS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\",
    "\n",
    "\r\n",
    " ",
    "1",
    "-1.5e9",
    "null",
    "true",
    "\u{feff}",
    "ä",
    "\0",
    "\"\\ud800\"",
    "\"\\n\"",
    "nonsense",
    // Elasticsearch
    "{\"create\":{}}\n",
    "{\"index\":{\"_index\":\"a\",\"_id\":7}}\n",
    "{\"update\":{}}\n",
    "{\"delete\":{\"_id\":\"x\"}}\n",
    "{\"message\":\"m\"}\n",
    "{\"@timestamp\":\"2026-11-21T06:13:00Z\",\"host\":{\"name\":\"h\"}}\n",
    "{\"message\":\"\"}",
    // Loki
    "{\"streams\":[",
    "{\"stream\":{\"app\":\"a\"},\"values\":[",
    "[\"1790000000000000001\",\"line\"]",
    "[\"1\",\"a\\\"b\",{\"k\":\"v\"}]",
    "]}",
    "]}]}",
    // Splunk
    "{\"event\":\"e\"}",
    "{\"event\":{\"msg\":\"m\",\"a\":[1]},\"time\":\"1790000000.5\"}",
    "{\"time\":1}",
    "{\"event\":\"e\",\"fields\":7}",
    "{\"event\":7,\"host\":\"h\",\"source\":\"s\"}",
    // OpenTelemetry
    "{\"resourceLogs\":[",
    "{\"resource\":{\"attributes\":[{\"key\":\"host.name\",\"value\":{\"stringValue\":\"h\"}}]},",
    "\"scopeLogs\":[{\"logRecords\":[",
    "{\"body\":{\"stringValue\":\"b\"}}",
    "{\"timeUnixNano\":\"1\",\"severityNumber\":9}",
    "{\"body\":{\"kvlistValue\":{\"values\":[]}}}",
    "]}]}",
    // GELF, Datadog
    "{\"version\":\"1.1\",\"host\":\"h\",\"short_message\":\"m\"}",
    "{\"ddtags\":\"a:b,c\",\"message\":\"m\"}",
];

/// Texts in JSON that are not UTF-8: single bytes, letters of Latin-1, and letters and escapes that look like the marks
/// for them.
const BYTES: &[&[u8]] = &[
    b"\xff",
    b"\xe4",
    b"\xde",
    "\u{7c4}\u{7ff}".as_bytes(),
    b"\"\\u078E\"",
    b"{\"message\":\"gr\xfc\xdfe\"}\n",
    b"{\"event\":\"gr\xfc\xdfe\",\"fields\":{\"a\xe4\":\"b\xe4\"}}",
    b"{\"short_message\":\"gr\xfc\xdfe\",\"host\":\"h\xe4\"}",
    b"[\"1\",\"a\\n\xfcb\"]",
    b"{\"body\":{\"stringValue\":\"\xfc\"}}",
];

/// Pieces of messages of Protocol Buffers: keys of fields, lengths, numbers, texts.
const BINARY: &[&[u8]] = &[
    b"\x0a",
    b"\x12",
    b"\x1a",
    b"\x2a",
    b"\x08",
    b"\x10",
    b"\x09",
    b"\x52",
    b"\x5a",
    b"\x4a",
    b"\x00",
    b"\x01",
    b"\x02",
    b"\x05",
    b"\x0a\x07{a=\"b\"}",
    b"\x12\x03abc",
    b"\x12\x05\x0a\x03abc",
    b"\x12\x05\x12\x03a\xe4c",
    b"\x0a\x05\x12\x03\x12\x01\x00",
    b"\x12\x09\x0a\x02\x08\x01\x12\x03abc",
    b"\x80",
    b"\xff",
    b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
    b"\x09\x01\0\0\0\0\0\0\0",
    b"\x12\x07\x12\x05\x2a\x03\x0a\x01x",
    b"\x0b",
    b"\x0d\0\0\0\0",
];

/// Pieces of a journal.
const JOURNAL: &[&[u8]] = &[
    b"\n",
    b"=",
    b"MESSAGE=",
    b"MESSAGE\n",
    b"PRIORITY=3\n",
    b"_HOSTNAME=h\n",
    b"__REALTIME_TIMESTAMP=1790000000000000\n",
    b"\x03\0\0\0\0\0\0\0abc\n",
    b"\x00\0\0\0\0\0\0\0\n",
    b"\x50\0\0\0\0\0\0\0",
    b"\xff\xff\xff\xff\xff\xff\xff\xff",
    b"abc",
    b"a=b\n",
    b"0123456789012345678901234567890123456789",
    b"\0",
    b"\xff",
];

fn pieces<P: AsRef<[u8]> + Clone + std::fmt::Debug + 'static>(
    of: Vec<P>,
    count: usize,
) -> impl Strategy<Value = Vec<u8>> {
    let pieces = proptest::collection::vec(proptest::sample::select(of), 0..count);
    let text = pieces.prop_map(|pieces| pieces.iter().flat_map(|piece| piece.as_ref().to_vec()).collect());
    prop_oneof![4 => text, 1 => proptest::collection::vec(any::<u8>(), 0..80)]
}

fn texts() -> impl Strategy<Value = Vec<u8>> {
    let texts = TEXTS.iter().map(|text| text.as_bytes());
    pieces(texts.chain(BYTES.iter().copied()).collect::<Vec<&[u8]>>(), 14)
}

fn binary() -> impl Strategy<Value = Vec<u8>> {
    pieces(BINARY.to_vec(), 14)
}

/// Data packed in each encoding, with possibly one changed byte.
fn packed() -> impl Strategy<Value = Vec<u8>> {
    let of = (any::<u8>(), 0..4_u8, "[ab]{0,300}", proptest::option::of((any::<usize>(), any::<u8>())));
    of.prop_map(|(max, kind, text, wrong)| {
        let mut body = match kind {
            0 => {
                let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
                packer.write_all(text.as_bytes()).expect("memory takes everything");
                packer.finish().expect("memory takes everything")
            }
            1 => {
                let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
                packer.write_all(text.as_bytes()).expect("memory takes everything");
                packer.finish().expect("memory takes everything")
            }
            2 => zstd::encode_all(text.as_bytes(), 1).expect("memory takes everything"),
            _ => snap::raw::Encoder::new().compress_vec(text.as_bytes()).expect("it is short"),
        };
        if let Some((at, byte)) = wrong.filter(|_| !body.is_empty()) {
            let at = at % body.len();
            body[at] = byte;
        }
        [&[max], &body[..]].concat()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_body_of_ours_is_read_or_refused(data in texts()) {
        bodies::native(&data);
    }

    #[test]
    fn any_body_of_bulk_is_answered_with_an_item_for_each_action(data in texts()) {
        bodies::bulk(&data);
    }

    #[test]
    fn any_body_of_loki_is_read_or_refused(data in prop_oneof![texts(), binary()]) {
        bodies::loki(&data);
    }

    #[test]
    fn any_body_of_splunk_is_read_up_to_its_fault(data in texts()) {
        bodies::hec(&data);
    }

    #[test]
    fn any_body_of_opentelemetry_is_read_or_refused(data in prop_oneof![texts(), binary()]) {
        bodies::otlp(&data);
    }

    #[test]
    fn any_objects_of_gelf_and_datadog_are_read_or_refused(data in texts()) {
        bodies::gelf(&data);
        bodies::datadog(&data);
    }

    #[test]
    fn where_a_journal_is_cut_makes_no_difference(data in pieces(JOURNAL.to_vec(), 14)) {
        bodies::journal(&data);
    }

    #[test]
    fn no_more_is_unpacked_than_may_be(data in prop_oneof![packed(), pieces(BINARY.to_vec(), 14)]) {
        bodies::unpack(&data);
    }
}

/// The messages of a body: the text, the raw bytes, and whether it is flagged.
type Rows = Vec<(String, Vec<u8>, bool)>;

fn rows<M: Messages>(messages: M) -> Rows {
    let received = Timestamp::from_nanos(1_790_000_000_000_000_000);
    let mut batches =
        Batches::of(messages, BodySender { source: "http".to_owned(), peer: String::new(), received });
    let mut rows = Vec::new();
    while 0 < batches.rest_bytes() {
        let batch = batches.next_batch();
        for row in 0..batch.rows() {
            let mut raw = Vec::new();
            batch.write_raw(row, &mut raw);
            let message = std::str::from_utf8(batch.message(row)).expect("a text").to_owned();
            rows.push((message, raw, batch.flags(row).has(Flags::NOT_UTF8)));
        }
    }
    assert_eq!(batches.refused, 0);
    rows
}

#[test]
fn a_byte_that_is_not_utf_8_costs_no_protocol_its_message_or_the_others() {
    let sender = || BodySender {
        source: "http".to_owned(),
        peer: String::new(),
        received: Timestamp::from_nanos(1_790_000_000_000_000_000),
    };
    // `gr\xfc\xdfe` is Latin-1, `grün` is not.
    let check = |what: &str, found: Rows, bad: &[u8], good: &str| {
        let expected = [
            ("gr\u{fffd}\u{fffd}e".to_owned(), bad.to_vec(), true),
            ("gr\u{fc}n".to_owned(), good.as_bytes().to_vec(), false),
        ];
        assert_eq!(found, expected, "{what}");
    };
    let object = |key: &str| {
        let bad = [b"{\"", key.as_bytes(), b"\":\"gr\xfc\xdfe\"}"].concat();
        (bad, format!("{{\"{key}\":\"grün\"}}"))
    };
    let (bad, good) = object("message");
    let lines = [&bad, &b"\n"[..], good.as_bytes()].concat();
    let native =
        |body, form| NativeBody::of(body, form, ReadOptions::default(), sender(), 9).expect("a body");
    check("ndjson", rows(native(lines, NativeFormat::JsonLines)), &bad, &good);
    let list = [&b"["[..], &bad, b", ", good.as_bytes(), b"]"].concat();
    check("json", rows(native(list.clone(), NativeFormat::Json)), &bad, &good);
    check("datadog", rows(Datadog::of(list, sender(), 9).expect("a body")), &bad, &good);
    let bulk = [&b"{\"create\":{}}\n"[..], &bad, b"\n{\"create\":{}}\n", good.as_bytes(), b"\n"].concat();
    check("_bulk", rows(Bulk::of(bulk, None, sender(), 9).expect("a body")), &bad, &good);
    let (bad, good) = object("event");
    let events = [&bad, good.as_bytes()].concat();
    check(
        "hec",
        rows(Hec::of(events, hec::HecFormat::Events, HecMetadata::default(), sender(), 9)),
        &bad,
        &good,
    );
    let (bad, good) = object("short_message");
    let objects = [&bad, &b"\n"[..], good.as_bytes()].concat();
    check("gelf", rows(GelfBody::of(objects, sender(), 9).expect("a body")), &bad, &good);
    let loki = |body: Vec<u8>, form| rows(LokiBody::of(body, form, sender(), 9).expect("a body"));
    let push = b"{\"streams\":[{\"stream\":{\"app\":\"a\"},\"values\":[[\"1\",\"gr\xfc\xdfe\"],[\"2\",\"gr\xc3\xbcn\"]]}]}";
    check("loki json", loki(push.to_vec(), loki::LokiEncoding::Json), b"gr\xfc\xdfe", "grün");
    let push = b"\x0a\x1b\x0a\x07{a=\"b\"}\x12\x07\x12\x05gr\xfc\xdfe\x12\x07\x12\x05gr\xc3\xbcn";
    check("loki protobuf", loki(push.to_vec(), loki::LokiEncoding::Protobuf), b"gr\xfc\xdfe", "grün");
    let record = |text: &[u8]| [b"{\"body\":{\"stringValue\":\"", text, b"\"}}"].concat();
    let (bad, good) = (record(b"gr\xfc\xdfe"), record("grün".as_bytes()));
    let logs =
        [&b"{\"resourceLogs\":[{\"scopeLogs\":[{\"logRecords\":["[..], &bad, b",", &good, b"]}]}]}"].concat();
    let otlp = OtlpBody::of(logs, otlp::Encoding::Json, "", 9).expect("a body");
    check("otlp json", rows(otlp), &bad, std::str::from_utf8(&good).expect("a text"));
}

/// Streams without entries take memory, too.
#[test]
fn streams_of_loki_count_as_messages_in_both_of_its_forms() {
    let json = |streams: usize| {
        let streams = vec![r#"{"stream":{},"values":[]}"#; streams].join(",");
        (format!("{{\"streams\":[{streams}]}}").into_bytes(), loki::LokiEncoding::Json)
    };
    let sender =
        || BodySender { source: "http".into(), peer: String::new(), received: Timestamp::from_nanos(0) };
    let protobuf = |streams: usize| ([0x0a, 0].repeat(streams), loki::LokiEncoding::Protobuf);
    for (few, many) in [(json(9), json(10)), (protobuf(9), protobuf(10))] {
        assert!(LokiBody::of(few.0, few.1, sender(), 9).is_ok());
        let refused = LokiBody::of(many.0, many.1, sender(), 9).err().map(|refused| refused.to_string());
        assert!(refused.as_ref().is_some_and(|text| text.contains("more than 9 messages")), "{refused:?}");
    }
}
