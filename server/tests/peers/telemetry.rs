//! OpenTelemetry: requests over HTTP/1.1, HTTP/2 and gRPC, by curl, to a source of its own.

use crate::program::{program, run};
use crate::receiving;
use crate::support::Server;
use std::process::Output;

/// A request with one record, in protobuf.
fn request(text: &str) -> Vec<u8> {
    let field = |number: u8, bytes: &[u8]| {
        let mut out = vec![number << 3 | 2];
        let mut length = bytes.len();
        while 0x80 <= length {
            out.push(length as u8 | 0x80);
            length >>= 7;
        }
        out.push(length as u8);
        out.extend_from_slice(bytes);
        out
    };
    field(1, &field(2, &field(2, &field(5, &field(1, text.as_bytes())))))
}

fn framed(message: &[u8]) -> Vec<u8> {
    [&[0], &(message.len() as u32).to_be_bytes()[..], message].concat()
}

fn curl(arguments: &[&str], body: &[u8]) -> Output {
    let output =
        run(program("curl", "curl").args(["-sS", "--data-binary", "@-", "-i"]).args(arguments), body);
    assert!(output.status.success(), "{output:?}");
    output
}

/// Calls a method over gRPC: everything that is answered, trailers included.
fn grpc(server: &Server, method: &str, body: &[u8]) -> String {
    let url = format!("http://{}/{method}", server.address("grpc"));
    let head = ["-H", "Content-Type: application/grpc", "-H", "TE: trailers"];
    let answer =
        curl(&[&["--http2-prior-knowledge", "-D", "-", "-o", "/dev/null", &url][..], &head].concat(), body);
    String::from_utf8_lossy(&answer.stdout).to_ascii_lowercase()
}

const EXPORT: &str = "opentelemetry.proto.collector.logs.v1.LogsService/Export";

#[test]
fn a_request_over_grpc_is_answered_when_it_is_stored() {
    let server = Server::start(&receiving("otlp", "grpc://127.0.0.1:0", ""));
    let answer = grpc(&server, EXPORT, &framed(&request("over gRPC")));
    assert!(answer.contains("grpc-status: 0"), "{answer}");
    assert_eq!(server.search("*")[0]["message"], "over gRPC");
    assert!(grpc(&server, EXPORT, &framed(b"")).contains("grpc-status: 0"), "an empty request is one");
    for (method, body, status) in [
        (EXPORT, framed(b"\x0a\x05abc"), 3),
        (EXPORT, b"\0\0\0\0\x09abc".to_vec(), 3),
        (EXPORT, vec![], 3),
        (EXPORT, framed(&request(&"x".repeat(17 << 20))), 8),
        ("opentelemetry.proto.collector.trace.v1.TraceService/Export", framed(b""), 12),
    ] {
        let answer = grpc(&server, method, &body);
        assert!(answer.contains(&format!("grpc-status: {status}\r")), "{status}: {answer}");
    }
    assert_eq!(server.count("*"), 1);
}

#[test]
fn http_is_spoken_on_the_same_sockets_in_both_encodings() {
    let server = Server::start(&receiving("otlp", "http://127.0.0.1:0", "max_request = \"64KiB\""));
    let url = format!("http://{}/v1/logs", server.address("http"));
    let check = |arguments: &[&str], body: &[u8], status: &str, answer: &[u8]| {
        let output = curl(&[arguments, &[&url]].concat(), body).stdout;
        let told = String::from_utf8_lossy(&output);
        assert!(told.lines().next().unwrap().contains(&format!(" {status}")), "{told}");
        assert!(output.ends_with(answer), "{told}");
    };
    let [json, protobuf] =
        ["application/json", "application/x-protobuf"].map(|media| format!("Content-Type: {media}"));
    let record = |text: &str| {
        let records = serde_json::json!([{"body": {"stringValue": text}}]);
        serde_json::json!({"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]})
            .to_string()
            .into_bytes()
    };
    check(&["-H", &json], &record("in JSON"), "200", b"\r\n\r\n{}");
    check(&["-H", &protobuf], &request("in protobuf"), "200", b"\r\n\r\n");
    check(&["-H", &protobuf, "--http2-prior-knowledge"], &request("over HTTP/2"), "200", b"\r\n\r\n");
    check(&["-H", &json], b"{", "400", b"\"}");
    check(&["-H", &json], &record(&"x".repeat(70_000)), "413", b"\"}");
    check(&["-H", "Content-Type: text/plain"], b"hello", "415", b"");
    check(&["-H", &json, "-H", "Content-Encoding: br"], b"hello", "415", b"\"}");
    check(&["-X", "PUT", "-H", &json], b"{}", "405", b"\"}");
    let deep = serde_json::json!({"resourceLogs": [{"scopeLogs": [{"logRecords": [7, {"body": {"stringValue": "kept"}}]}]}]});
    let told = curl(&["-H", &json, &url], deep.to_string().as_bytes()).stdout;
    assert!(String::from_utf8_lossy(&told).contains("\"rejectedLogRecords\":\"1\""));
    let mut messages: Vec<String> =
        server.search("*").iter().map(|found| found["message"].to_string()).collect();
    messages.sort_unstable();
    assert_eq!(messages, ["\"in JSON\"", "\"in protobuf\"", "\"kept\"", "\"over HTTP/2\""]);
    assert_eq!(server.search("*")[0]["host"], "127.0.0.1");
}

#[test]
fn a_source_with_a_token_takes_requests_with_that_one_alone() {
    let server = Server::start(&receiving("otlp", "grpc://127.0.0.1:0", "token = \"shipper\""));
    let token = |name: &str| {
        let (status, made) = server.post("/tokens", &serde_json::json!({"name": name, "role": "ingest"}));
        assert_eq!(status, 201, "{made}");
        format!("Authorization: Bearer {}", made["token"].as_str().unwrap())
    };
    let (shipper, other) = (token("shipper"), token("other"));
    let url = format!("http://{}", server.address("grpc"));
    for (header, http, over_grpc) in [
        ("X-None: 1", "401", 16),
        ("Authorization: Bearer lst_wrong", "401", 16),
        (&other, "403", 7),
        (&shipper, "200", 0),
    ] {
        let head = ["-H", "Content-Type: application/x-protobuf", "-H", header];
        let answer = curl(&[&head[..], &[&format!("{url}/v1/logs")]].concat(), &request("in"));
        let status = String::from_utf8_lossy(&answer.stdout).lines().next().unwrap().to_owned();
        assert!(status.contains(&format!(" {http} ")), "{header}: {status}");
        let head = ["-H", "Content-Type: application/grpc", "-H", header];
        let connect = ["--http2-prior-knowledge", "-D", "-", "-o", "/dev/null"];
        let answer =
            curl(&[&head[..], &connect, &[&format!("{url}/{EXPORT}")]].concat(), &framed(&request("in")));
        let told = String::from_utf8_lossy(&answer.stdout).to_ascii_lowercase();
        assert!(told.contains(&format!("grpc-status: {over_grpc}\r")), "{header}: {told}");
    }
    assert_eq!(server.count("*"), 2);
}
