//! Each protocol with the typical requests of its clients and the answers that they expect.
//!
//! Keywords: Elasticsearch bulk, Loki push, HEC, OTLP, Datadog.

use super::calls::Server;
use crate::in_process::TOKEN as ADMIN;
use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};
use logstead_accounts::Role;
use serde_json::{Value, json};
use std::io::Write;

const MIB: usize = 1 << 20;

fn messages(found: &[Value]) -> Vec<&str> {
    found.iter().map(|message| message["message"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn elasticsearch_shippers_are_answered_and_their_documents_stored() {
    let server = Server::usual();
    let basic = format!("Basic {}", base64(&format!("logstead:{ADMIN}")));
    let call = async |call: &str, body: &str| {
        let headers = [("authorization", basic.as_str()), ("content-type", "application/x-ndjson")];
        let answer = server.call(call, &headers, body.to_owned()).await;
        assert_eq!(answer.header("x-elastic-product"), "Elasticsearch", "{call}");
        answer
    };
    let license = call("GET /_license?human=false", "").await.json();
    assert_eq!(
        (&license["license"]["status"], &license["license"]["type"]),
        (&json!("active"), &json!("basic"))
    );
    assert_eq!(call("GET /_xpack", "").await.json()["license"]["status"], "active");
    assert_eq!(call("GET /_cluster/health", "").await.json()["status"], "green");
    assert_eq!(call("GET /_nodes/http", "").await.json()["nodes"], json!({}));
    call("HEAD /_index_template/filebeat", "").await.check(200, "");
    call("PUT /_index_template/filebeat", "{}").await.check(200, "\"acknowledged\":true");
    call("PUT /_ilm/policy/filebeat", "{}").await.check(200, "\"acknowledged\":true");
    call("GET /_ingest/pipeline/x", "").await.check(200, "{}");
    let index = call("HEAD /logs-2026.11.25", "").await;
    assert_eq!((index.status.as_u16(), index.body.len()), (200, 0));
    let created = call("PUT /%3Clogs-%7Bnow%2Fd%7D-000001%3E", "{\"aliases\":{}}").await;
    assert_eq!(created.json()["index"], "<logs-{now/d}-000001>");
    created.check(200, "\"acknowledged\":true");

    let body = "{\"create\":{\"_index\":\"a\"}}\n{\"@timestamp\":\"2026-11-24T10:00:00Z\",\"message\":\"one\",\
        \"host\":{\"name\":\"web-1\"},\"log\":{\"level\":\"error\"},\"process\":{\"name\":\"nginx\"},\"user.id\":7}\n\
        {\"index\":{}}\nnonsense\n";
    let reply = call("POST /_bulk", body).await;
    assert_eq!(reply.header("content-type"), "application/json");
    let reply = reply.json();
    assert_eq!(reply["errors"], true);
    assert_eq!(
        (&reply["items"][0]["create"]["status"], &reply["items"][1]["index"]["status"]),
        (&json!(201), &json!(400))
    );
    let small = "{\"create\":{}}\n{\"message\":\"two\"}";
    call("PUT /logs-x/_bulk?filter_path=errors", small).await.check(200, "{\"errors\":false}");
    let found = server.find("*").await;
    let first = found.iter().find(|message| message["message"] == "one").unwrap();
    let known = ["host", "program", "severity_name", "time"].map(|key| first[key].as_str().unwrap());
    assert_eq!(known, ["web-1", "nginx", "err", "2026-11-24T10:00:00Z"]);
    assert_eq!(first["fields"]["user.id"], "7");
    assert_eq!(found.len(), 2);

    call("POST /_bulk", "{\"message\":\"no action\"}\n").await.check(400, "illegal_argument_exception");
    let anyone = server.call("POST /_bulk", &[], small).await;
    anyone.check(401, "security_exception");
    assert!(anyone.header("www-authenticate").starts_with("Basic"));
    assert_eq!(anyone.header("x-elastic-product"), "Elasticsearch");
    // This is a client of version 9.
    let compatible = "application/vnd.elasticsearch+json; compatible-with=9";
    let headers = [
        ("authorization", &*format!("ApiKey {}", base64(&format!("id:{ADMIN}")))),
        ("content-type", "application/vnd.elasticsearch+x-ndjson; compatible-with=9"),
        ("accept", compatible),
    ];
    let reply = server.call("PUT /_bulk", &headers, small).await;
    reply.check(200, "\"errors\":false");
    assert!(reply.header("content-type").starts_with("application/vnd.elasticsearch+json"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_browsers_open_is_no_index() {
    let server = Server::usual();
    let html = [("accept", "text/html,*/*;q=0.8")];
    for path in ["/search", "/no-such-page"] {
        let [page, head] = [
            server.call(&format!("GET {path}"), &html, "").await,
            server.call(&format!("HEAD {path}"), &html, "").await,
        ];
        // The answer is the page, or says that the console was not built.
        assert!(page.header("content-type").starts_with("text/html"), "{path}: {}", page.text());
        assert_eq!((head.status, head.body.len()), (page.status, 0), "{path}");
        server.call(&format!("GET {path}"), &[], "").await.check(404, "there is nothing at");
    }
    let stranger = server.call("PUT /logs", &[], "{}").await;
    stranger.check(401, "security_exception");
    assert_eq!(stranger.header("x-elastic-product"), "Elasticsearch");
    let (_, token) = server.token("a", Role::Ingest);
    let authorization = [("authorization", &*format!("Bearer {token}"))];
    server.call("PUT /logs", &authorization, "{}").await.check(200, "acknowledged");
    server.call("DELETE /logs", &authorization, "").await.check(404, "there is nothing at");
}

fn base64(text: &str) -> String {
    use ::base64::Engine;
    ::base64::engine::general_purpose::STANDARD.encode(text)
}

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(body).unwrap();
    packed.finish().unwrap()
}

/// A field of bytes in Protocol Buffers, less than 128 bytes long.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    [&[number << 3 | 2, bytes.len() as u8], bytes].concat()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn loki_clients_push_in_both_forms() {
    let server = Server::usual();
    server.call("GET /ready", &[], "").await.check(200, "ready");
    server.call("GET /loki/api/v1/status/buildinfo", &[], "").await.check(200, "\"version\"");
    let json = r#"{"streams":[{"stream":{"app":"api","env":"prod"},"values":[["1790000000000000001","plain"],
        ["1790000000000000002","with metadata",{"trace_id":"abc","level":"error"}]]}]}"#;
    let pushed = server.post("/loki/api/v1/push", ADMIN, "application/json", json).await;
    assert_eq!((pushed.status.as_u16(), pushed.body.len()), (204, 0));
    let entry = [field(1, &[1 << 3, 0x80, 0xa8, 0xc4, 0xd5, 6]), field(2, b"packed")].concat();
    let request = field(1, &[field(1, b"{app=\"api\"}"), field(2, &entry)].concat());
    let packed = snap::raw::Encoder::new().compress_vec(&request).unwrap();
    let headers = [
        ("authorization", &*format!("Bearer {ADMIN}")),
        ("content-type", "application/x-protobuf"),
        ("x-scope-orgid", "tenant"),
    ];
    assert_eq!(server.call("POST /loki/api/v1/push", &headers, packed.clone()).await.status.as_u16(), 204);
    assert_eq!(server.call("POST /api/prom/push", &headers, packed).await.status.as_u16(), 204);
    let found = server.find("program:api").await;
    let mut texts = messages(&found);
    texts.sort_unstable();
    assert_eq!(texts, ["packed", "packed", "plain", "with metadata"]);
    let traced = server.find("trace_id:abc").await;
    assert_eq!((traced.len(), &traced[0]["severity_name"]), (1, &json!("err")));
    assert_eq!((&traced[0]["fields"]["env"], &traced[0]["raw"]), (&json!("prod"), &json!("with metadata")));
    let number = r#"{"streams":[{"stream":{},"values":[[1790000000000000001,"m"]]}]}"#;
    let refused = server.post("/loki/api/v1/push", ADMIN, "application/json", number).await;
    refused.check(400, "a string");
    assert!(refused.header("content-type").starts_with("text/plain"));
    server.post("/loki/api/v1/push", ADMIN, "application/x-protobuf", "nonsense").await.check(400, "snappy");
    server.call("POST /loki/api/v1/push", &[], "").await.check(401, "log in first");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn splunk_clients_send_events_and_lines_and_hear_every_code() {
    let server = Server::usual();
    let splunk = format!("Splunk {ADMIN}");
    let call = async |path: &str, authorization: Option<&str>, body: &str| {
        let mut headers = vec![("content-type", "application/json")];
        headers.extend(authorization.map(|value| ("authorization", value)));
        server.call(&format!("POST /services/collector{path}"), &headers, body.to_owned()).await
    };
    let me = Some(splunk.as_str());
    let events = r#"{"event":"first","host":"web-1","sourcetype":"t"}{"event":{"message":"second","level":"warn"},"fields":{"env":"prod"}}"#;
    assert_eq!(call("", me, events).await.json(), json!({"text": "Success", "code": 0}));
    call("/raw?host=web-2&sourcetype=s", me, "third\nfourth\n").await.check(200, "\"code\":0");
    let found = server.find("*").await;
    let mut texts = messages(&found);
    texts.sort_unstable();
    assert_eq!(texts, ["first", "fourth", "second", "third"]);
    assert_eq!(server.find("host:web-2 sourcetype:s").await.len(), 2);
    assert_eq!(server.find("severity:warning env:prod").await.len(), 1);

    let with_channel =
        call("/event?channel=11111111-2222-3333-4444-555555555555", me, "{\"event\":\"acked\"}").await.json();
    let ack = with_channel["ackId"].as_u64().unwrap();
    let acks =
        call("/ack?channel=11111111-2222-3333-4444-555555555555", me, &format!("{{\"acks\":[{ack}]}}")).await;
    assert_eq!(acks.json()["acks"][ack.to_string()], true);

    for (path, authorization, body, status, code) in [
        ("", None, events, 401, 2),
        ("?token=secret", None, events, 400, 16),
        ("", Some("nonsense"), events, 401, 3),
        ("", Some("Splunk wrong"), events, 403, 4),
        ("", me, "", 400, 5),
        ("", me, "nonsense", 400, 6),
        ("", me, "{\"event\":\"a\"}{\"host\":\"h\"}", 400, 12),
        ("", me, "{\"event\":\"a\",\"fields\":7}", 400, 15),
        ("?channel=", me, events, 400, 11),
        ("/ack", me, "{\"acks\":[0]}", 400, 10),
    ] {
        let answer = call(path, authorization, body).await;
        assert_eq!(
            (answer.status.as_u16(), answer.json()["code"].as_u64()),
            (status, Some(code)),
            "{path} {body}"
        );
        let is_of_event = code == 12;
        assert!(!is_of_event || answer.json()["invalid-event-number"].is_u64());
    }
    assert_eq!(server.find("*").await.len(), 5, "nothing of a body with a bad event is stored");
    server.call("GET /services/collector/health", &[], "").await.check(200, "\"code\":17");
    server.call("OPTIONS /services/collector/event", &[("authorization", &splunk)], "").await.check(200, "");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn datadog_agents_send_all_or_nothing() {
    let server = Server::usual();
    let headers = [("dd-api-key", ADMIN), ("content-type", "application/json"), ("content-encoding", "gzip")];
    let body =
        r#"[{"message":"slow","ddtags":"env:prod","hostname":"web-1","service":"shop","status":"warn"}]"#;
    let sent = server.call("POST /api/v2/logs", &headers, gzip(body.as_bytes())).await;
    assert_eq!((sent.status.as_u16(), sent.text().as_str()), (202, "{}"));
    let bad = r#"[{"message":"good"},7]"#;
    server
        .call("POST /api/v2/logs", &headers, gzip(bad.as_bytes()))
        .await
        .check(400, "{\"errors\":[\"nothing is stored");
    assert_eq!(messages(&server.find("env:prod host:web-1 program:shop severity:warning").await), ["slow"]);
    assert_eq!(server.find("*").await.len(), 1);
    server.call("GET /api/v1/validate", &headers[..1], "").await.check(200, "\"valid\":true");
    server.call("POST /api/v2/logs", &[("dd-api-key", "wrong")], "[]").await.check(401, "errors");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn our_own_bodies_may_be_packed() {
    let server = Server::usual();
    let body = "{\"message\":\"packed\"}\n".repeat(100);
    let mut zlib = ZlibEncoder::new(Vec::new(), Compression::fast());
    zlib.write_all(body.as_bytes()).unwrap();
    let packed = [
        ("gzip", gzip(body.as_bytes())),
        ("deflate", zlib.finish().unwrap()),
        ("zstd", zstd::encode_all(body.as_bytes(), 1).unwrap()),
        ("snappy", snap::raw::Encoder::new().compress_vec(body.as_bytes()).unwrap()),
        ("identity", body.clone().into_bytes()),
    ];
    for (encoding, packed) in packed {
        let headers = [
            ("authorization", &*format!("Bearer {ADMIN}")),
            ("content-type", "application/x-ndjson"),
            ("content-encoding", encoding),
        ];
        server.call("POST /api/v1/ingest", &headers, packed.clone()).await.check(200, "\"accepted\":100");
        if encoding != "identity" {
            server
                .call("POST /api/v1/ingest", &headers, packed[..packed.len() / 2].to_vec())
                .await
                .check(400, encoding);
        }
    }
    let headers = [
        ("authorization", &*format!("Bearer {ADMIN}")),
        ("content-type", "text/plain"),
        ("content-encoding", "br"),
    ];
    server.call("POST /api/v1/ingest", &headers, "m").await.check(415, "send gzip");
    assert_eq!(server.find("packed").await.len(), 500);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_atomic_body_is_stored_as_a_whole_or_not() {
    let server = Server::usual();
    let post = async |body: &str| {
        server.post("/api/v1/ingest?atomic=1", ADMIN, "application/x-ndjson", body.to_owned()).await
    };
    let refused = post("{\"message\":\"a\"}\nnonsense\n{\"message\":\"b\"}\n").await;
    refused.check(400, "nothing is stored");
    let refused = refused.json();
    assert_eq!(
        (&refused["accepted"], &refused["rejected"], &refused["errors"][0]["line"]),
        (&json!(0), &json!(1), &json!(2))
    );
    assert_eq!(server.find("*").await.len(), 0);
    post("{\"message\":\"a\"}\n{\"message\":\"b\"}\n").await.check(200, "\"accepted\":2");
    let many = "nonsense\n".repeat(150) + "{\"message\":\"c\"}\n";
    let answer = server.post("/api/v1/ingest", ADMIN, "application/x-ndjson", many).await.json();
    assert_eq!((&answer["accepted"], &answer["rejected"]), (&json!(1), &json!(150)));
    assert_eq!(answer["errors"].as_array().unwrap().len(), 100);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_with_an_idempotency_key_is_stored_once() {
    let server = Server::usual();
    let send = async |key: &str, body: &str| {
        let headers = [
            ("authorization", &*format!("Bearer {ADMIN}")),
            ("content-type", "text/plain"),
            ("idempotency-key", key),
        ];
        server.call("POST /api/v1/ingest", &headers, body.to_owned()).await
    };
    let first = send("k1", "one\ntwo").await;
    first.check(200, "\"accepted\":2");
    let again = send("k1", "one\ntwo").await;
    assert_eq!((again.text(), again.header("idempotency-replayed")), (first.text(), "true"));
    send("k1", "other").await.check(422, "another body");
    send("k2", "one\ntwo").await.check(200, "\"accepted\":2");
    send(&"k".repeat(256), "one").await.check(400, "Idempotency-Key");
    let (a, b) = tokio::join!(send("k3", "both"), send("k3", "both"));
    assert!([a, b].iter().all(|answer| matches!(answer.status.as_u16(), 200 | 409)));
    assert_eq!((server.find("one").await.len(), server.find("both").await.len()), (2, 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn odd_empty_and_huge_messages_arrive_once_and_equal_by_every_protocol() {
    let server = Server::usual();
    let huge = "ä€😀x".repeat(MIB / 20);
    let odd = [
        "quote \" and \\ backslash",
        "tab\tand\u{1}control",
        "ümläut €😀",
        "{\"json\":\"inside\"}",
        " spaces ",
        "",
        &huge,
    ];
    let loki: Vec<_> = odd.iter().map(|text| json!(["1790000000000000001", text])).collect();
    let loki = json!({"streams": [{"stream": {"via": "loki"}, "values": loki}]}).to_string();
    let hec: String =
        odd.iter().map(|text| json!({"event": text, "fields": {"via": "hec"}}).to_string()).collect();
    let document = |via: &'static str| move |text: &&str| json!({"message": text, "via": via}).to_string();
    let bulk: String =
        odd.iter().map(document("bulk")).map(|text| format!("{{\"create\":{{}}}}\n{text}\n")).collect();
    let lines: String = odd.iter().map(document("ours")).map(|text| text + "\n").collect();
    let datadog = format!("[{}]", odd.iter().map(document("datadog")).collect::<Vec<_>>().join(","));
    for (path, kind, body, status) in [
        ("/loki/api/v1/push", "application/json", loki, 204),
        ("/services/collector", "application/json", hec, 200),
        ("/_bulk", "application/x-ndjson", bulk, 200),
        ("/api/v1/ingest", "application/x-ndjson", lines, 200),
        ("/api/v2/logs", "application/json", datadog, 202),
    ] {
        let answer = server.post(path, ADMIN, kind, body).await;
        assert_eq!(answer.status.as_u16(), status, "{path}: {}", answer.text());
    }
    let mut expected = odd.map(str::to_owned);
    expected.sort_unstable();
    for via in ["loki", "hec", "bulk", "ours", "datadog"] {
        let found = server.find(&format!("via:{via}")).await;
        let mut texts = messages(&found);
        texts.sort_unstable();
        assert_eq!(texts.len(), expected.len(), "{via}");
        assert!(texts == expected, "{via}: {:?}", texts.iter().map(|text| text.len()).collect::<Vec<_>>());
    }
}
