//! Measures the decoding of the same messages for each protocol: `cargo run --release -p logstead-ingest --example
//! decode`.
//!
//! Prints the best of several rounds, as other work on the machine only makes a round slower.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "it is run by hand")]

use logstead_ingest::batches::{Batches, BodySender};
use logstead_ingest::bulk::Bulk;
use logstead_ingest::encoding::snappy_block;
use logstead_ingest::hec::{Hec, HecFormat as HecForm, HecMetadata};
use logstead_ingest::loki::{LokiBody, LokiEncoding as LokiForm};
use logstead_ingest::messages::Messages;
use logstead_ingest::native::{NativeBody, NativeFormat, ReadOptions};
use logstead_record::Timestamp;
use std::fmt::Write;
use std::time::{Duration, Instant};

const MESSAGES: usize = 100_000;
const ROUNDS: usize = 15;

fn text(number: usize) -> String {
    format!(
        "Accepted publickey for deploy from 10.1.{}.{} port {} ssh2: RSA SHA256:{:016x}",
        number % 200,
        number % 250,
        30_000 + number % 20_000,
        number.wrapping_mul(0x9E37_79B9_7F4A_7C15)
    )
}

fn sender() -> BodySender {
    let received = Timestamp::from_nanos(1_790_000_000_000_000_000);
    BodySender { source: "http".to_owned(), peer: "10.0.0.9".to_owned(), received }
}

/// Measures the time for each message in microseconds.
fn measure<M: Messages>(name: &str, bytes: usize, decode: impl Fn() -> M) {
    let mut best = Duration::MAX;
    for _ in 0..ROUNDS {
        let begin = Instant::now();
        let mut batches = Batches::of(decode(), sender());
        let mut rows = 0;
        while 0 < batches.rest_bytes() {
            rows += batches.next_batch().rows();
        }
        assert_eq!(rows, MESSAGES);
        best = best.min(begin.elapsed());
    }
    let each = best.as_secs_f64() * 1e6 / MESSAGES as f64;
    println!("{name:22} {each:6.3} us a message  {:4} bytes", bytes / MESSAGES);
}

fn number(mut number: u64, out: &mut Vec<u8>) {
    while 0x80 <= number {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn field(field: u64, bytes: &[u8], out: &mut Vec<u8>) {
    number(field << 3 | 2, out);
    number(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

fn protobuf() -> Vec<u8> {
    let mut stream = Vec::new();
    field(1, b"{app=\"sshd\", host=\"web-1\", level=\"info\"}", &mut stream);
    for at in 0..MESSAGES {
        let mut time = vec![1 << 3];
        number(1_790_000_000, &mut time);
        time.push(2 << 3);
        number(at as u64, &mut time);
        let mut entry = Vec::new();
        field(1, &time, &mut entry);
        field(2, text(at).as_bytes(), &mut entry);
        field(2, &entry, &mut stream);
    }
    let mut body = Vec::new();
    field(1, &stream, &mut body);
    body
}

fn main() {
    let document = |number: usize| {
        format!(
            "{{\"@timestamp\":\"2026-09-21T14:13:20.{:06}Z\",\"host\":\"web-1\",\"app\":\"sshd\",\"level\":\"info\",\"message\":\"{}\"}}",
            number,
            text(number)
        )
    };
    let each = |one: &dyn Fn(usize) -> String| (0..MESSAGES).map(one).collect::<String>();
    let lines = each(&|at| text(at) + "\n").into_bytes();
    let ndjson = each(&|at| document(at) + "\n").into_bytes();
    let bulk = each(&|at| format!("{{\"create\":{{\"_index\":\"logs\"}}}}\n{}\n", document(at))).into_bytes();
    let events =
        each(&|at| format!("{{\"time\":1790000000.{at:06},\"host\":\"web-1\",\"event\":\"{}\"}}", text(at)))
            .into_bytes();
    let mut loki = String::from(
        "{\"streams\":[{\"stream\":{\"app\":\"sshd\",\"host\":\"web-1\",\"level\":\"info\"},\"values\":[",
    );
    for at in 0..MESSAGES {
        let comma = if at == 0 { "" } else { "," };
        write!(loki, "{comma}[\"1790000000000{at:06}\",\"{}\"]", text(at)).unwrap();
    }
    let loki = (loki + "]}]}").into_bytes();
    let protobuf = protobuf();
    let packed = snap::raw::Encoder::new().compress_vec(&protobuf).unwrap();

    let native = |form: NativeFormat, body: &Vec<u8>| {
        NativeBody::of(body.clone(), form, ReadOptions::default(), sender(), MESSAGES).unwrap()
    };
    measure("text", lines.len(), || native(NativeFormat::Text, &lines));
    measure("ndjson", ndjson.len(), || native(NativeFormat::JsonLines, &ndjson));
    measure("_bulk", bulk.len(), || Bulk::of(bulk.clone(), None, sender(), MESSAGES).unwrap());
    measure("loki json", loki.len(), || {
        LokiBody::of(loki.clone(), LokiForm::Json, sender(), MESSAGES).unwrap()
    });
    measure("loki protobuf, snappy", packed.len(), || {
        let body = snappy_block(&packed, usize::MAX).unwrap();
        LokiBody::of(body, LokiForm::Protobuf, sender(), MESSAGES).unwrap()
    });
    let hec = |form: HecForm, body: &Vec<u8>| {
        Hec::of(body.clone(), form, HecMetadata::default(), sender(), MESSAGES)
    };
    measure("hec raw", lines.len(), || hec(HecForm::Lines, &lines));
    measure("hec events", events.len(), || hec(HecForm::Events, &events));
}
