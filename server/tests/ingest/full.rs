//! A full disk: whoever sends, in whatever protocol, is asked to come again in its words, and then everything is stored once.

use super::calls::Answer;
use super::in_process::{Server, TOKEN as ADMIN};
use logstead::api::ecosystem;
use logstead_indexer::SimDisk;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Paths that take bodies and store nothing.
const QUESTIONS: [&str; 3] =
    ["/_security/user/_has_privileges", "/services/collector/ack", "/services/collector/ack/1.0"];

/// A request with one message: path, media type, body, and what success and a refusal say.
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
    // A stream with one line, and a record with one text.
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

/// Every path that messages come in by, as the table of routes has it.
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
