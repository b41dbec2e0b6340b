//! Malicious bodies: each is answered, and takes a bounded amount of memory.
//!
//! Keywords: hostile input, malformed body, limits.

use super::calls::Server;
use super::protobuf::field;
use crate::in_process::TOKEN as ADMIN;
use axum::body::Body;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_core::Stream;
use std::io::Write;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

const PATHS: [(&str, &str); 6] = [
    ("/api/v1/ingest", "application/json"),
    ("/_bulk", "application/x-ndjson"),
    ("/loki/api/v1/push", "application/json"),
    ("/services/collector", "application/json"),
    ("/services/collector/raw", "text/plain"),
    ("/api/v2/logs", "application/json"),
];

/// Starts a server with a small limit, so that the tests are fast.
fn start() -> Server {
    Server::start(|settings| settings.limits.ingest_body_max = logstead_config::Size::mib(2))
}

/// A body of a gigabyte, which is generated as it is read; the number of bytes is counted.
struct Endless(usize, Arc<AtomicUsize>);

impl Stream for Endless {
    type Item = Result<Vec<u8>, std::io::Error>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some(left) = self.0.checked_sub(64 << 10) else { return Poll::Ready(None) };
        self.0 = left;
        self.1.fetch_add(64 << 10, Ordering::Relaxed);
        Poll::Ready(Some(Ok(vec![b' '; 64 << 10])))
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_gigabyte_is_refused_at_the_limit_and_not_read_to_its_end() {
    let server = start();
    for (path, kind) in PATHS {
        let read = Arc::new(AtomicUsize::new(0));
        let body = Body::from_stream(Endless(1 << 30, read.clone()));
        let answer = server.post(path, ADMIN, kind, body).await;
        assert_eq!(answer.status.as_u16(), 413, "{path}: {}", answer.text());
        assert!(read.load(Ordering::Relaxed) <= 3 << 20, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bombs_are_refused_by_every_protocol() {
    let server = start();
    let zeros = vec![b'0'; 100 << 20];
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(&zeros).unwrap();
    let bombs = [
        ("gzip", gzip.finish().unwrap()),
        ("zstd", zstd::encode_all(zeros.as_slice(), 1).unwrap()),
        ("snappy", snap::raw::Encoder::new().compress_vec(&zeros[..30 << 20]).unwrap()),
    ];
    for (path, kind) in PATHS {
        for (encoding, bomb) in &bombs {
            let headers = [
                ("authorization", &*format!("Bearer {ADMIN}")),
                ("content-type", kind),
                ("content-encoding", encoding),
            ];
            let answer = server.call(&format!("POST {path}"), &headers, bomb.clone()).await;
            assert_eq!(answer.status.as_u16(), 413, "{path} {encoding}: {}", answer.text());
        }
    }
    server.post("/api/v1/ingest", ADMIN, "text/plain", "still here").await.check(200, "\"accepted\":1");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deep_json_and_wrong_encodings_are_answered() {
    let server = start();
    let deep = format!("{{\"create\":{{}}}}\n{}1{}\n", "{\"a\":".repeat(100_000), "}".repeat(100_000));
    let arrays = "[".repeat(1 << 20);
    let bad = b"{\"message\":\"\xff\xfe\"}\n".to_vec();
    for (path, kind) in PATHS {
        for body in [
            deep.clone().into_bytes(),
            arrays.clone().into_bytes(),
            bad.clone(),
            vec![0; 1000],
            vec![0xff; 1000],
        ] {
            let answer = server.post(path, ADMIN, kind, body).await;
            // Lines of raw text may be anything.
            assert!(answer.status.as_u16() < 500, "{path}: {} {}", answer.status, answer.text());
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_requests_at_once_are_all_stored_or_told_to_come_again() {
    let server = Arc::new(start());
    let calls = (0..200).map(|number| {
        let server = server.clone();
        tokio::spawn(async move {
            let (path, kind, body) = match number % 3 {
                0 => ("/api/v1/ingest", "text/plain", format!("m {number}")),
                1 => (
                    "/_bulk",
                    "application/x-ndjson",
                    format!("{{\"create\":{{}}}}\n{{\"message\":\"m {number}\"}}\n"),
                ),
                _ => ("/services/collector", "application/json", format!("{{\"event\":\"m {number}\"}}")),
            };
            server.post(path, ADMIN, kind, body).await.status.as_u16()
        })
    });
    let mut stored = 0;
    for call in calls.collect::<Vec<_>>() {
        match call.await.unwrap() {
            200 => stored += 1,
            status => assert_eq!(status, 503),
        }
    }
    assert_eq!(server.find("m").await.len(), stored);
}

/// A request to export logs, in protobuf: one resource of this length, and empty records.
fn records_of_a_long_resource(resource_bytes: usize, records: usize) -> Vec<u8> {
    let value = field(2, &field(1, &vec![b'x'; resource_bytes]));
    let resource = field(1, &field(1, &[field(1, b"long"), value].concat()));
    let scope = field(2, &[0x12, 0].repeat(records));
    field(1, &[resource, scope].concat())
}

fn snappy(body: &[u8]) -> Vec<u8> {
    snap::raw::Encoder::new().compress_vec(body).unwrap()
}

/// Bodies of a few hundred kilobytes cannot expand without limit, although each message repeats a part of them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_made_of_a_body_is_limited_in_every_protocol() {
    let server = start();
    let long = "x".repeat(60_000);
    let entries = vec![r#"["1","m"]"#; 1000].join(",");
    let labels = format!(r#"{{"streams":[{{"stream":{{"a":"{long}"}},"values":[{entries}]}}]}}"#);
    let lines = "a\n".repeat(2000);
    let protobuf = "application/x-protobuf";
    let bodies = [
        ("/loki/api/v1/push", "application/json", labels.into_bytes(), 413, "60"),
        ("/loki/api/v1/push", protobuf, snappy(&[0x0a, 0].repeat(1_000_001)), 413, "1000000"),
        ("/v1/logs", protobuf, records_of_a_long_resource(800_000, 100), 413, "parameters that they share"),
        (
            &*format!("/services/collector/raw?source={long}"),
            "text/plain",
            lines.clone().into_bytes(),
            413,
            "that they share",
        ),
        (
            &*format!("/api/v1/ingest?host={long}"),
            "text/plain",
            lines.into_bytes(),
            413,
            "parameters that they share",
        ),
        (
            &*format!("/{}/_bulk", "x".repeat(300)),
            "application/x-ndjson",
            b"{\"create\":{}}\n{}\n".to_vec(),
            400,
            "255 bytes",
        ),
    ];
    for (path, kind, body, status, expected) in bodies {
        server.post(path, ADMIN, kind, body).await.check(status, expected);
    }
    assert_eq!(server.find("*").await.len(), 0);
    // A typical request of a shipper is accepted.
    let records = records_of_a_long_resource(2000, 500);
    assert_eq!(server.post("/v1/logs", ADMIN, protobuf, records).await.status.as_u16(), 200);
    assert_eq!(server.find("*").await.len(), 500);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_name_of_an_index_in_an_action_is_refused() {
    let server = start();
    let action = |name: &str| format!("{{\"create\":{{\"_index\":\"{name}\"}}}}\n{{\"message\":\"one\"}}\n");
    let send = async |name: &str| server.post("/_bulk", ADMIN, "application/x-ndjson", action(name)).await;
    send(&"x".repeat(256)).await.check(400, "255 bytes");
    send(&"x".repeat(255)).await.check(200, "\"errors\":false");
    assert_eq!(server.find("*").await.len(), 1);
}
