//! A full disk: every sender is asked to try again in the terms of its protocol, and later everything is stored once.
//!
//! Keywords: full_disk, backpressure, 503, 507, retry.

use super::calls::Answer;
use super::calls::Server;
use crate::in_process::TOKEN as ADMIN;
use logstead_api::ecosystem;
use logstead_indexer::{Fault, SimDisk};
use serde_json::json;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Paths that accept bodies but store nothing.
const QUESTIONS: [&str; 3] =
    ["/_security/user/_has_privileges", "/services/collector/ack", "/services/collector/ack/1.0"];

/// A request with one message: path, media type, body, the status of success and the text of a refusal.
struct Request {
    path: &'static str,
    kind: &'static str,
    body: Vec<u8>,
    taken: u16,
    refused: &'static str,
}

fn requests() -> Vec<Request> {
    let request =
        |path, kind, body: &[u8], taken, refused| Request { path, kind, body: body.to_vec(), taken, refused };
    let loki = br#"{"streams":[{"stream":{"app":"a"},"values":[["1790000000000000001","m"]]}]}"#;
    // This is a stream with one line, and a record with one text.
    let packed =
        snap::raw::Encoder::new().compress_vec(b"\x0a\x0e\x0a\x07{a=\"b\"}\x12\x03\x12\x01m").unwrap();
    let otlp = br#"{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"m"}}]}]}]}"#;
    let record = b"\x0a\x09\x12\x07\x12\x05\x2a\x03\x0a\x01m";
    let bulk = b"{\"create\":{}}\n{\"message\":\"m\"}\n";
    let rejected = "es_rejected_execution_exception";
    let busy = "\"code\":9";
    let event = b"{\"event\":\"m\"}";
    let mut all = vec![
        request("/v1/input", "application/json", b"[{\"message\":\"m\"}]", 202, "{\"errors\":["),
        request("/api/v1/ingest", "text/plain", b"m", 200, "could not be stored"),
        request("/api/v1/ingest", "application/json", b"{\"message\":\"m\"}", 200, "could not be stored"),
        request(
            "/api/v1/ingest?atomic=1",
            "application/x-ndjson",
            b"{\"message\":\"m\"}\n",
            200,
            "could not be stored",
        ),
        request("/_bulk", "application/x-ndjson", bulk, 200, rejected),
        request("/logs/_bulk", "application/x-ndjson", bulk, 200, rejected),
        request("/logs/_doc/_bulk", "application/x-ndjson", bulk, 200, rejected),
        request("/loki/api/v1/push", "application/json", loki, 204, "could not be stored"),
        request("/loki/api/v1/push", "application/x-protobuf", &packed, 204, "could not be stored"),
        request("/api/prom/push", "application/x-protobuf", &packed, 204, "could not be stored"),
        request("/v1/logs", "application/json", otlp, 200, "\"code\":14"),
        request("/v1/logs", "application/x-protobuf", record, 200, "could not be stored"),
        request("/otlp/v1/logs", "application/json", otlp, 200, "\"code\":14"),
        request("/api/v2/logs", "application/json", b"[{\"message\":\"m\"}]", 202, "{\"errors\":["),
        request(
            "/gelf",
            "application/json",
            b"{\"host\":\"h\",\"short_message\":\"m\"}",
            202,
            "could not be stored",
        ),
        request("/upload", "application/vnd.fdo.journal", b"MESSAGE=m\n\n", 202, "could not be stored"),
    ];
    for path in ["", "/event", "/event/1.0", "/1.0"].map(|path| format!("/services/collector{path}")) {
        all.push(request(path.leak(), "application/json", event, 200, busy));
    }
    for path in ["/services/collector/raw", "/services/collector/raw/1.0"] {
        all.push(request(path, "text/plain", b"m", 200, busy));
    }
    all
}

/// Every path that accepts messages, according to the table of routes.
fn paths() -> BTreeSet<String> {
    let routes = ecosystem().into_iter().filter(|(method, path, _)| {
        let is_put_beside =
            path.contains("{name}") || path.ends_with("/_mapping") || path.ends_with("/_settings");
        *method == "POST" && !is_put_beside && !QUESTIONS.contains(path)
    });
    routes.map(|(_, path, _)| path.replace("{index}", "logs")).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_asks_senders_in_every_protocol_to_come_again() {
    let requests = requests();
    let tried: BTreeSet<&str> = requests.iter().map(|request| request.path).collect();
    let forgotten: Vec<String> = paths().into_iter().filter(|path| !tried.contains(path.as_str())).collect();
    assert!(
        forgotten.is_empty(),
        "{forgotten:?} store messages: say here what they are asked on a full disk"
    );

    let (disk, data) = (Arc::new(SimDisk::new(1)), tempfile::tempdir().unwrap());
    let server = Server::start_on(disk.clone(), data.path(), |_| {});
    let send = async |request: &Request| -> Answer {
        server.post(request.path, ADMIN, request.kind, request.body.clone()).await
    };
    server.post("/api/v1/ingest", ADMIN, "text/plain", "before").await.check(200, "\"accepted\":1");
    disk.set_bytes_max(Some(disk.used_bytes()));
    for request in &requests {
        let answer = send(request).await;
        let said = format!("{} {}: {} {}", request.path, request.kind, answer.status, answer.text());
        assert_eq!(answer.status.as_u16(), 503, "{said}");
        assert!(answer.text().contains(request.refused), "{said}");
        let wait: Option<u64> = answer.header("retry-after").parse().ok();
        assert!(wait.is_some_and(|seconds| (1..=60).contains(&seconds)), "{said}, Retry-After {wait:?}");
    }
    server.call("GET /services/collector/health", &[], "").await.check(503, "\"code\":18");
    server.call("GET /ready", &[], "").await.check(503, "not ready");
    assert_eq!(server.find("*").await.len(), 1, "nothing is stored, and searches go on");

    disk.set_bytes_max(None);
    for request in &requests {
        let answer = send(request).await;
        assert_eq!(answer.status.as_u16(), request.taken, "{}: {}", request.path, answer.text());
    }
    assert_eq!(server.find("m").await.len(), requests.len(), "each once");
    server.call("GET /services/collector/health", &[], "").await.check(200, "\"code\":17");
}

/// A document that stores in two logspaces, and in the queue of a destination where nothing listens.
const EVERYWHERE: &str = "version = 1\n[[sources]]\nid = \"http\"\nkind = \"http\"\n[[logspaces]]\nid = \"main\"\n\
    [[logspaces]]\nid = \"other\"\n[[destinations]]\nid = \"siem\"\nkind = \"syslog\"\nto = \"tcp://127.0.0.1:9\"\n\
    [[routes]]\nid = \"all\"\nto = [\"main\", \"other\", \"siem\"]\n";

/// Sends a message with a key or an id until it is accepted; returns whether the first attempt succeeded.
async fn send_until_taken(server: &Server, number: u64) -> bool {
    let authorization = format!("Bearer {ADMIN}");
    let (mut call, mut headers) = ("POST /api/v1/ingest", vec![("authorization", &*authorization)]);
    let (key, mut body) = (format!("key {number}"), format!("probe{number}"));
    if number.is_multiple_of(2) {
        headers.extend([("content-type", "text/plain"), ("idempotency-key", &key)]);
    } else {
        call = "POST /_bulk";
        headers.push(("content-type", "application/x-ndjson"));
        body = format!("{{\"index\":{{\"_id\":\"{number}\"}}}}\n{{\"message\":\"{body}\"}}\n");
    }
    for attempt in 0..20 {
        let answer = server.call(call, &headers, body.clone()).await;
        match answer.status.as_u16() {
            200 if !answer.text().contains("\"errors\":true") => {
                assert!(!answer.header("idempotency-known-since").is_empty());
                return attempt == 0;
            }
            200 | 409 | 503 => {}
            status => panic!("{status}: {}", answer.text()),
        }
    }
    panic!("message {number} is never taken");
}

async fn is_once_in(server: &Server, number: u64) {
    for logspace in ["main", "other"] {
        let question = json!({"query": format!("probe{number}"), "logspaces": [logspace]});
        let answer = server.post("/api/v1/count", ADMIN, "application/json", question.to_string()).await;
        assert_eq!(answer.json()["count"], 1, "message {number} in {logspace}: {}", answer.text());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wherever_the_disk_fails_what_has_a_name_is_stored_once_everywhere() {
    let (disk, data) = (Arc::new(SimDisk::new(7)), tempfile::tempdir().unwrap());
    let server = Server::start_on(disk.clone(), data.path(), |_| {});
    server.route(EVERYWHERE).await;
    let mut failed = 0;
    for number in 0..60 {
        disk.fault_after(number / 2, Fault::Fail);
        failed += u64::from(!send_until_taken(&server, number).await);
        is_once_in(&server, number).await;
    }
    assert!(3 < failed, "the disk failed where it mattered: {failed}");
    for number in 0..60 {
        assert!(send_until_taken(&server, number).await);
        is_once_in(&server, number).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wherever_the_process_dies_what_has_a_name_is_stored_once_everywhere() {
    dies(|disk, _| disk.after_kill()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_a_power_cut_leaves_what_has_a_name_is_stored_once_everywhere() {
    dies(SimDisk::after_power_cut).await;
}

async fn dies(what_is_left: fn(&SimDisk, u64) -> SimDisk) {
    let data = tempfile::tempdir().unwrap();
    let mut disk = Arc::new(SimDisk::new(8));
    // At the start, logspaces are looked for in the real folder.
    for logspace in ["main", "other"] {
        std::fs::create_dir_all(data.path().join("logspaces").join(logspace)).unwrap();
    }
    let first = Server::start_on(disk.clone(), data.path(), |_| {});
    first.route(EVERYWHERE).await;
    drop(first);
    for number in 0..30 {
        let server = Server::start_on(disk.clone(), data.path(), |_| {});
        server.route(EVERYWHERE).await;
        disk.fault_after(number / 2, Fault::Die);
        let authorization = format!("Bearer {ADMIN}");
        let headers = [("authorization", &*authorization), ("content-type", "application/x-ndjson")];
        let body = format!("{{\"index\":{{\"_id\":\"{number}\"}}}}\n{{\"message\":\"probe{number}\"}}\n");
        let key = format!("key {number}");
        let mut named = headers.to_vec();
        named[1].1 = "text/plain";
        named.push(("idempotency-key", &key));
        // The answer is ignored.
        if number.is_multiple_of(2) {
            server.call("POST /api/v1/ingest", &named, format!("probe{number}")).await;
        } else {
            server.call("POST /_bulk", &headers, body).await;
        }
        disk = Arc::new(what_is_left(&disk, number));
        drop(server);
        let server = Server::start_on(disk.clone(), data.path(), |_| {});
        server.route(EVERYWHERE).await;
        send_until_taken(&server, number).await;
        is_once_in(&server, number).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failure_in_the_middle_says_who_has_what_others_lack() {
    let (disk, data) = (Arc::new(SimDisk::new(9)), tempfile::tempdir().unwrap());
    let server = Server::start_on(disk.clone(), data.path(), |_| {});
    server.route(EVERYWHERE).await;
    let authorization = format!("Bearer {ADMIN}");
    let mut told = String::new();
    for number in 0..40 {
        disk.fault_after(number / 2, Fault::Fail);
        let key = format!("key {number}");
        let headers =
            [("authorization", &*authorization), ("content-type", "text/plain"), ("idempotency-key", &key)];
        let answer = server.call("POST /api/v1/ingest", &headers, format!("probe{number}")).await;
        told += &answer.text();
    }
    let said = "has messages that other logspaces or destinations lack: sent again with the same Idempotency-Key or id";
    assert!(told.contains(said), "{told}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_a_full_disk_each_document_of_a_bulk_is_refused_by_itself() {
    let (disk, data) = (Arc::new(SimDisk::new(1)), tempfile::tempdir().unwrap());
    let server = Server::start_on(disk.clone(), data.path(), |_| {});
    server.post("/api/v1/ingest", ADMIN, "text/plain", "before").await.check(200, "\"accepted\":1");
    disk.set_bytes_max(Some(disk.used_bytes()));
    for _ in 0..3 {
        let body = "{\"create\":{}}\n{\"message\":\"one\"}\n".repeat(2);
        let answer = server.post("/_bulk", ADMIN, "application/x-ndjson", body).await;
        assert_eq!(answer.status.as_u16(), 503, "{}", answer.text());
        let told = answer.json();
        let items = told["items"].as_array().unwrap();
        assert!(items.len() == 2 && items.iter().all(|item| item["create"]["status"] == 429), "{told}");
    }
}
