//! Tokens that can only send: the sources that take their messages, their limits, and their expiry.
//!
//! Keywords: token quota, rate_limit, 429, expiry.

use super::calls::Server;
use super::protobuf::field as protobuf;
use crate::in_process::TOKEN as ADMIN;
use logstead_accounts::Role;
use serde_json::{Value, json};

const TWO_SOURCES: &str = r#"
version = 1
[[sources]]
id = "shop"
kind = "http"
token = "shop"
[[sources]]
id = "rest"
kind = "http"
[[logspaces]]
id = "main"
[[logspaces]]
id = "other"
[[routes]]
id = "default"
to = ["main"]
"#;

async fn create(server: &Server, token: &Value) -> Value {
    let answer = server.post("/api/v1/tokens", ADMIN, "application/json", token.to_string()).await;
    assert_eq!(answer.status.as_u16(), 201, "{}", answer.text());
    answer.json()
}

async fn send(server: &Server, token: &str, line: &str) -> super::calls::Answer {
    server.post("/api/v1/ingest", token, "text/plain", line.to_owned()).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_sends_to_its_own_source_and_any_other_to_the_rest() {
    let server = Server::usual();
    server.route(TWO_SOURCES).await;
    let (_, shop) = server.token("shop", Role::Ingest);
    let (_, other) = server.token("other", Role::Ingest);
    for (token, line) in
        [(shop.as_str(), "of the shop"), (&other, "of another"), (ADMIN, "of an administrator")]
    {
        send(&server, token, line).await.check(200, "\"accepted\":1");
    }
    let sources: Vec<_> = server
        .find("*")
        .await
        .iter()
        .map(|message| format!("{} {}", message["source"], message["message"]))
        .collect();
    for expected in
        ["\"shop\" \"of the shop\"", "\"rest\" \"of another\"", "\"rest\" \"of an administrator\""]
    {
        assert!(sources.iter().any(|found| found == expected), "{sources:?}");
    }
    server.route(&TWO_SOURCES.replace("id = \"rest\"", "id = \"rest\"\nenabled = false")).await;
    send(&server, &shop, "still").await.check(200, "\"accepted\":1");
    send(&server, &other, "closed").await.check(503, "`rest` is disabled");
    let only = TWO_SOURCES.replace("id = \"rest\"\nkind = \"http\"", "id = \"rest\"\nkind = \"internal\"");
    server.route(&only).await;
    send(&server, &other, "nowhere").await.check(409, "no source");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_chooses_only_the_logspaces_that_it_is_granted() {
    let server = Server::usual();
    let token = create(&server, &json!({"name": "a", "role": "ingest", "logspaces": ["other"]})).await;
    let token = token["token"].as_str().unwrap();
    let to = async |logspace: &str| {
        server.post(&format!("/api/v1/ingest?logspace={logspace}"), token, "text/plain", "m").await
    };
    to("other").await.check(200, "\"accepted\":1");
    to("main").await.check(403, "may not choose");
    to("nothing").await.check(403, "may not choose");
    let (_, plain) = server.token("b", Role::Ingest);
    server
        .post("/api/v1/ingest?logspace=other", &plain, "text/plain", "m")
        .await
        .check(403, "may not choose");
    let scoped = json!({"name": "c", "role": "ingest", "scope": "host:a"});
    server.post("/api/v1/tokens", ADMIN, "application/json", scoped.to_string()).await.check(422, "scope");
    let user = json!({"name": "u", "role": "ingest", "password": "correct horse battery"});
    server.post("/api/v1/users", ADMIN, "application/json", user.to_string()).await.check(422, "tokens");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_sends_no_more_than_its_limits() {
    let server = Server::usual();
    let limits = json!({"messages_per_second": 2, "body_bytes": 100});
    let token = create(&server, &json!({"name": "a", "role": "ingest", "limits": limits})).await;
    let token = token["token"].as_str().unwrap();
    send(&server, token, &"x".repeat(101)).await.check(413, "100");
    let taken = send(&server, token, &"a\n".repeat(40)).await;
    taken.check(200, "\"accepted\":40");
    assert_eq!(taken.header("ratelimit-policy"), "\"messages\";q=2;w=1");
    assert_eq!(taken.header("ratelimit"), "\"messages\";r=0;t=20");
    let refused = send(&server, token, "more").await;
    refused.check(429, "more than it may");
    assert!(refused.header("ratelimit").starts_with("\"messages\";r=0;t="));
    let wait: u64 = refused.header("retry-after").parse().unwrap();
    assert!((1..=21).contains(&wait), "{wait}");
    // The refusal is in the terms of each protocol.
    for (path, expected) in
        [("/_bulk", "es_rejected_execution_exception"), ("/loki/api/v1/push", "more than it may")]
    {
        let refused = server.post(path, token, "application/json", "{}").await;
        refused.check(429, expected);
        assert!(!refused.header("retry-after").is_empty());
        assert_eq!(refused.header("ratelimit-policy"), "\"messages\";q=2;w=1", "{path}");
    }
    assert_eq!(send(&server, ADMIN, "unlimited").await.header("ratelimit-policy"), "");
    let nothing = json!({"name": "b", "role": "ingest", "limits": {"bytes_per_second": 0}});
    server
        .post("/api/v1/tokens", ADMIN, "application/json", nothing.to_string())
        .await
        .check(422, "limit of 0");
    let listed =
        server.call("GET /api/v1/tokens", &[("authorization", &format!("Bearer {ADMIN}"))], "").await;
    assert_eq!(listed.json()["tokens"][0]["limits"], limits);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_is_rotated_without_a_gap_and_revoked_at_once() {
    let server = Server::usual();
    let (id, first) = server.token("a", Role::Ingest);
    let rotate = async |overlap: &str| {
        let body = json!({"overlap": overlap}).to_string();
        server.post(&format!("/api/v1/tokens/{id}/rotate"), ADMIN, "application/json", body).await
    };
    let answer = rotate("1h").await.json();
    let second = answer["token"].as_str().unwrap().to_owned();
    send(&server, &first, "old").await.check(200, "1");
    send(&server, &second, "new").await.check(200, "1");
    let third = rotate("0s").await.json()["token"].as_str().unwrap().to_owned();
    send(&server, &second, "too late").await.check(401, "unknown or has expired");
    send(&server, &third, "newest").await.check(200, "1");
    rotate("31d").await.check(422, "30d");
    rotate("soon").await.check(422, "overlap");
    let admin = format!("Bearer {ADMIN}");
    let removed = server.call(&format!("DELETE /api/v1/tokens/{id}"), &[("authorization", &admin)], "").await;
    assert_eq!(removed.status.as_u16(), 204);
    send(&server, &third, "too late").await.check(401, "unknown or has expired");
    rotate("1h").await.check(404, "no token");
    assert_eq!(server.find("*").await.len(), 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tokens_bytes_are_those_of_what_is_made_of_its_bodies() {
    let server = Server::usual();
    let limits = json!({"bytes_per_second": 100_000});
    let token = create(&server, &json!({"name": "a", "role": "ingest", "limits": limits})).await;
    let token = token["token"].as_str().unwrap();
    let entries = vec![r#"["1","m"]"#; 40].join(",");
    let labels = "x".repeat(50_000);
    let body = format!(r#"{{"streams":[{{"stream":{{"a":"{labels}"}},"values":[{entries}]}}]}}"#);
    let push = async || server.post("/loki/api/v1/push", token, "application/json", body.clone()).await;
    assert_eq!(push().await.status.as_u16(), 204);
    let refused = push().await;
    refused.check(429, "more than it may");
    // Fifty kilobytes expand to two megabytes.
    let wait: u64 = refused.header("retry-after").parse().unwrap();
    assert!((15..=21).contains(&wait), "{wait}");
}

/// An endless body of entries, and the sender that feeds it.
fn upload_body() -> (tokio::sync::mpsc::Sender<Vec<u8>>, axum::body::Body) {
    struct Coming(tokio::sync::mpsc::Receiver<Vec<u8>>);
    impl futures_core::Stream for Coming {
        type Item = Result<Vec<u8>, std::io::Error>;

        fn poll_next(
            mut self: std::pin::Pin<&mut Self>,
            context: &mut std::task::Context<'_>,
        ) -> std::task::Poll<Option<Self::Item>> {
            self.0.poll_recv(context).map(|piece| piece.map(Ok))
        }
    }
    let (sender, receiver) = tokio::sync::mpsc::channel(1);
    (sender, axum::body::Body::from_stream(Coming(receiver)))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_journal_comes_at_the_pace_of_its_token_and_ends_with_it() {
    let server = std::sync::Arc::new(Server::usual());
    let limits = json!({"messages_per_second": 10});
    let token = create(&server, &json!({"name": "a", "role": "ingest", "limits": limits})).await;
    let secret = token["token"].as_str().unwrap().to_owned();
    let (sender, body) = upload_body();
    let entries: String = (0..20_000)
        .map(|n| format!("__REALTIME_TIMESTAMP={}\nMESSAGE=entry {n}\n\n", 1_700_000_000_000_000_u64 + n))
        .collect();
    let uploading = {
        let server = server.clone();
        tokio::spawn(
            async move { server.post("/upload", &secret, "application/vnd.fdo.journal", body).await },
        )
    };
    sender.send(entries.into_bytes()).await.unwrap();
    while server.find("entry").await.is_empty() {
        tokio::task::yield_now().await;
    }
    let admin = format!("Bearer {ADMIN}");
    let path = format!("DELETE /api/v1/tokens/{}", token["id"]);
    let removed = server.call(&path, &[("authorization", &admin)], "").await;
    assert_eq!(removed.status.as_u16(), 204);
    let ended = tokio::time::timeout(std::time::Duration::from_secs(30), uploading).await;
    ended.expect("it ends").unwrap().check(401, "unknown or has expired");
    // At most one piece of the body is stored, not all twenty thousand entries.
    let stored = server.find("entry").await.len();
    assert!(stored < 300, "{stored}");
    drop(sender);
}

/// At the first limit, the upload would take half an hour.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_journal_that_is_being_sent_gets_the_new_limits_of_its_token() {
    let server = std::sync::Arc::new(Server::usual());
    let limits = json!({"messages_per_second": 10});
    let token = create(&server, &json!({"name": "a", "role": "ingest", "limits": limits})).await;
    let secret = token["token"].as_str().unwrap().to_owned();
    let entries: String = (0..20_000)
        .map(|n| format!("__REALTIME_TIMESTAMP={}\nMESSAGE=entry {n}\n\n", 1_700_000_000_000_000_u64 + n))
        .collect();
    let uploading = {
        let server = server.clone();
        tokio::spawn(
            async move { server.post("/upload", &secret, "application/vnd.fdo.journal", entries).await },
        )
    };
    while server.find("entry").await.is_empty() {
        tokio::task::yield_now().await;
    }
    let admin = format!("Bearer {ADMIN}");
    let headers = [("authorization", admin.as_str()), ("content-type", "application/json")];
    let wider = json!({"limits": {"messages_per_second": 1_000_000}}).to_string();
    let path = format!("PATCH /api/v1/tokens/{}", token["id"]);
    server.call(&path, &headers, wider).await.check(200, "1000000");
    let ended = tokio::time::timeout(std::time::Duration::from_secs(60), uploading).await;
    let stored = ended.expect("it ends").unwrap();
    assert!(stored.status.is_success(), "{}", stored.text());
    assert_eq!(server.find("entry 19999").await.len(), 1);
}

/// It sends five hundred messages at a limit of a hundred per second.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_journal_takes_the_time_that_the_pace_of_its_token_leaves_it() {
    let server = Server::usual();
    let limits = json!({"messages_per_second": 100});
    let token = create(&server, &json!({"name": "a", "role": "ingest", "limits": limits})).await;
    let entries: String = (0..500)
        .map(|n| format!("__REALTIME_TIMESTAMP={}\nMESSAGE=entry {n}\n\n", 1_700_000_000_000_000_u64 + n))
        .collect();
    let secret = token["token"].as_str().unwrap();
    let began = std::time::Instant::now();
    let stored = server.post("/upload", secret, "application/vnd.fdo.journal", entries).await;
    assert!(stored.status.is_success(), "{}", stored.text());
    assert!(std::time::Duration::from_secs(2) < began.elapsed(), "{:?}", began.elapsed());
    assert_eq!(server.find("entry").await.len(), 500);
}

/// If a document is refused in any other way, rsyslog loses it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn beyond_the_pace_of_a_token_each_document_of_a_bulk_is_refused_by_itself() {
    let server = Server::usual();
    let limits = json!({"messages_per_second": 1});
    let token = create(&server, &json!({"name": "a", "role": "ingest", "limits": limits})).await;
    let secret = token["token"].as_str().unwrap();
    let body = "{\"create\":{}}\n{\"message\":\"one\"}\n".repeat(30);
    let send = async || server.post("/_bulk", secret, "application/x-ndjson", body.clone()).await;
    send().await.check(200, "\"errors\":false");
    let refused = send().await;
    assert_eq!(refused.status.as_u16(), 429, "{}", refused.text());
    let told = refused.json();
    let items = told["items"].as_array().unwrap();
    assert!(items.len() == 30 && items.iter().all(|item| item["create"]["status"] == 429), "{told}");
    assert_eq!(server.find("one").await.len(), 30);
}

/// An object with a long name around many others, which expands to a megabyte of names.
fn names(message: usize) -> String {
    let inner: Vec<String> = (0..500).map(|n| format!("\"{n}\":1")).collect();
    format!("{{\"message\":\"m\",\"{message}{}\":{{{}}}}}", "x".repeat(2000), inner.join(","))
}

/// A name, the path, the media type, the encoding, the body, and the size to which it expands.
type Made = (&'static str, String, &'static str, Option<&'static str>, Vec<u8>, u64);

/// A body for each protocol that expands at least twentyfold, and to at least this many bytes.
fn bodies() -> Vec<Made> {
    let long = "x".repeat(50_000);
    let gzip = |body: &[u8]| {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        std::io::Write::write_all(&mut packer, body).unwrap();
        packer.finish().unwrap()
    };
    let snappy = |body: &[u8]| snap::raw::Encoder::new().compress_vec(body).unwrap();
    let (ours, loki, hec, raw) =
        ("/api/v1/ingest", "/loki/api/v1/push", "/services/collector", "/services/collector/raw");
    let (bulk, datadog, otlp, gelf) = ("/_bulk", "/api/v2/logs", "/v1/logs", "/gelf");
    let (json, text, binary) = ("application/json", "text/plain", "application/x-protobuf");
    let entries = vec![r#"["1","m"]"#; 40].join(",");
    let labels = format!(r#"{{"streams":[{{"stream":{{"a":"{long}"}},"values":[{entries}]}}]}}"#);
    // Labels, and entries of a time and a line.
    let entry = protobuf(2, &[protobuf(1, &[8, 1]), protobuf(2, b"m")].concat());
    let stream = [protobuf(1, format!("{{a=\"{long}\"}}").as_bytes()), entry.repeat(40)].concat();
    let value = protobuf(2, &protobuf(1, long.as_bytes()));
    let resource = protobuf(1, &protobuf(1, &[protobuf(1, b"long"), value].concat()));
    let records = protobuf(1, &[resource, protobuf(2, &[0x12, 0].repeat(40))].concat());
    let many_names: Vec<String> = (0..4).map(names).collect();
    let of_bulk: String = many_names.iter().map(|one| format!("{{\"create\":{{}}}}\n{one}\n")).collect();
    let of_hec: String = many_names.iter().map(|one| format!("{{\"event\":{one}}}")).collect();
    let megabytes = |bytes: &[u8]| gzip(&bytes.repeat(2_000_000 / bytes.len()));
    let lines = "m\n".repeat(40).into_bytes();
    let upload = format!("__REALTIME_TIMESTAMP=1700000000000000\nMESSAGE={}\n\n", "x".repeat(30_000));
    vec![
        ("labels in JSON", loki.into(), json, None, labels.into_bytes(), 2_000_000),
        ("labels in protobuf", loki.into(), binary, None, snappy(&protobuf(1, &stream)), 2_000_000),
        ("empty streams", loki.into(), binary, None, snappy(&[0x0a, 0].repeat(400_000)), 800_000),
        ("a resource", otlp.into(), binary, None, records, 2_000_000),
        ("a parameter of ours", format!("{ours}?host={long}"), text, None, lines.clone(), 2_000_000),
        ("a parameter of Splunk", format!("{raw}?source={long}"), text, None, lines, 2_000_000),
        ("names of ours", ours.into(), json, None, format!("[{}]", many_names.join(",")).into(), 4_000_000),
        (
            "names of Datadog",
            datadog.into(),
            json,
            None,
            format!("[{}]", many_names.join(",")).into(),
            4_000_000,
        ),
        ("names of bulk", bulk.into(), "application/x-ndjson", None, of_bulk.into_bytes(), 4_000_000),
        ("names of Splunk", hec.into(), json, None, of_hec.into_bytes(), 4_000_000),
        ("gzip of ours", ours.into(), text, Some("gzip"), megabytes(b"m\n"), 2_000_000),
        ("gzip of Splunk", hec.into(), json, Some("gzip"), megabytes(b"{\"event\":\"m\"}"), 2_000_000),
        (
            "gzip of bulk",
            bulk.into(),
            "application/x-ndjson",
            Some("gzip"),
            megabytes(b"{\"create\":{}}\n{\"message\":\"m\"}\n"),
            2_000_000,
        ),
        (
            "gzip of GELF",
            gelf.into(),
            json,
            Some("gzip"),
            gzip(
                format!(
                    "{{\"version\":\"1.1\",\"host\":\"a\",\"short_message\":\"{}\"}}",
                    "m".repeat(900_000)
                )
                .as_bytes(),
            ),
            900_000,
        ),
        (
            "gzip of Datadog",
            datadog.into(),
            json,
            Some("gzip"),
            gzip(format!("[{}{{}}]", "{\"message\":\"m\"},".repeat(100_000)).as_bytes()),
            1_500_000,
        ),
        (
            "entries of a journal",
            "/upload".into(),
            "application/vnd.fdo.journal",
            None,
            upload.repeat(10).into_bytes(),
            270_000,
        ),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_made_of_a_body_is_charged_in_every_protocol() {
    for (name, path, kind, encoding, body, made_bytes) in bodies() {
        let server = Server::usual();
        let limits = json!({"bytes_per_second": 100_000});
        let token = create(&server, &json!({"name": "a", "role": "ingest", "limits": limits})).await;
        let authorization = format!("Bearer {}", token["token"].as_str().unwrap());
        let send = async |body: Vec<u8>| {
            let mut headers = vec![("authorization", authorization.as_str()), ("content-type", kind)];
            headers.extend(encoding.map(|encoding| ("content-encoding", encoding)));
            server.call(&format!("POST {path}"), &headers, body).await
        };
        let sent = body.len();
        let begin = std::time::Instant::now();
        let first = send(body).await;
        let took = begin.elapsed().as_secs();
        assert!(first.status.is_success(), "{name}: {} {}", first.status, first.text());
        let refused = send(Vec::new()).await;
        // Splunk's clients try again after this status.
        let expected = if path.starts_with("/services") { 503 } else { 429 };
        assert_eq!(refused.status.as_u16(), expected, "{name}: {}", refused.text());
        assert!(refused.text().contains("sends more than it may"), "{name}: {}", refused.text());
        let wait: u64 = refused.header("retry-after").parse().unwrap();
        // The wait covers all of it, except for what one second grants and what has been granted since.
        let least = (made_bytes / 100_000).saturating_sub(2 + took);
        assert!(least <= wait, "{name}: {sent} bytes, of which {made_bytes} are made: {wait} s of {least}");
    }
}
