//! OpenTelemetry: requests over HTTP/1.1, HTTP/2 and gRPC, sent by curl, to its own source.
//!
//! Keywords: OpenTelemetry, OTLP.

use crate::certificates::Authority;
use crate::program::{program, run};
use crate::receiving;
use crate::support::protobuf::field;
use crate::support::small_disk::SmallDisk;
use crate::support::{Server, wait_until};
use std::process::Output;

/// A request with one record, in protobuf.
fn request(text: &str) -> Vec<u8> {
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

/// Calls a method over gRPC; returns the whole answer, including trailers.
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
    let server = Server::start(&receiving("otlp", "http://127.0.0.1:0", "request_max = \"64KiB\""));
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

/// The answers over HTTP and over gRPC to a request with these headers.
fn both(server: &Server, headers: &[&str], text: &str) -> [String; 2] {
    let url = format!("http://{}", server.address("grpc"));
    let told = |answer: Output| String::from_utf8_lossy(&answer.stdout).to_ascii_lowercase();
    let head = [&["-H", "Content-Type: application/x-protobuf"], headers].concat();
    let http = told(curl(&[&head[..], &[&format!("{url}/v1/logs")]].concat(), &request(text)));
    let head = [&["-H", "Content-Type: application/grpc"], headers].concat();
    let connect = ["--http2-prior-knowledge", "-D", "-", "-o", "/dev/null"];
    let method = format!("{url}/{EXPORT}");
    let call = [&head[..], &connect, &[&method]].concat();
    [http, told(curl(&call, &framed(&request(text))))]
}

#[test]
fn a_token_keeps_its_limits_wherever_it_sends() {
    let router = receiving("otlp", "grpc://127.0.0.1:0", "token = \"shipper\"");
    let server = Server::start(&(router + "[[sources]]\nid = \"web\"\nkind = \"http\"\n"));
    let limits = serde_json::json!({"messages_per_second": 1, "body_bytes": 200});
    let token = serde_json::json!({"name": "shipper", "role": "ingest", "limits": limits});
    let (status, made) = server.post("/tokens", &token);
    assert_eq!(status, 201, "{made}");
    let bearer = format!("Authorization: Bearer {}", made["token"].as_str().unwrap());
    let [http, grpc] = both(&server, &["-H", &bearer], &"x".repeat(300));
    assert!(http.starts_with("http/1.1 413 "), "{http}");
    assert!(grpc.contains("grpc-status: 8\r") && !grpc.contains("retryinfo"), "{grpc}");
    // A hundred messages to the web listener use up a hundred seconds of the limit.
    let lines = "m\n".repeat(100);
    let url = format!("{}/api/v1/ingest", server.web());
    let sent = curl(&["-H", "Content-Type: text/plain", "-H", &bearer, &url], lines.as_bytes());
    assert!(String::from_utf8_lossy(&sent.stdout).contains("\"accepted\":100"), "{sent:?}");
    let [http, grpc] = both(&server, &["-H", &bearer], "too soon");
    assert!(http.starts_with("http/1.1 429 ") && http.contains("\r\nretry-after: "), "{http}");
    assert!(grpc.contains("grpc-status: 8\r") && grpc.contains("sends more than it may"), "{grpc}");
    assert_eq!(server.count("*"), 100);
}

#[test]
fn what_is_made_of_a_request_over_grpc_counts_as_sent() {
    let field = |number: u8, bytes: &[u8]| {
        let length = bytes.len();
        let varint = [length as u8 | 0x80, (length >> 7) as u8 | 0x80, (length >> 14) as u8];
        [&[number << 3 | 2], &varint[..], bytes].concat()
    };
    let server = Server::start(&receiving("otlp", "grpc://127.0.0.1:0", "token = \"shipper\""));
    let limits = serde_json::json!({"bytes_per_second": 100_000});
    let token = serde_json::json!({"name": "shipper", "role": "ingest", "limits": limits});
    let (_, made) = server.post("/tokens", &token);
    let bearer = format!("Authorization: Bearer {}", made["token"].as_str().unwrap());
    // Two megabytes result from a resource of fifty kilobytes and forty empty records.
    let value = field(2, &field(1, &vec![b'x'; 50_000]));
    let resource = field(1, &field(1, &[field(1, b"long"), value].concat()));
    let body = field(1, &[resource, field(2, &[0x12, 0].repeat(40))].concat());
    let head = ["-H", "Content-Type: application/grpc", "-H", &bearer];
    let connect = ["--http2-prior-knowledge", "-D", "-", "-o", "/dev/null"];
    let method = format!("http://{}/{EXPORT}", server.address("grpc"));
    let answer = curl(&[&head[..], &connect, &[&method]].concat(), &framed(&body));
    let told = String::from_utf8_lossy(&answer.stdout).to_ascii_lowercase();
    assert!(told.contains("grpc-status: 0"), "{told}");
    let [http, grpc] = both(&server, &["-H", &bearer], "too soon");
    assert!(http.starts_with("http/1.1 429 "), "{http}");
    assert!(grpc.contains("grpc-status: 8\r") && grpc.contains("sends more than it may"), "{grpc}");
    assert_eq!(server.count("*"), 40);
}

#[test]
fn grpc_inside_tls_is_answered_when_it_is_stored() {
    let folder = tempfile::tempdir().unwrap();
    let authority = Authority::new(folder.path(), "authority");
    let own = authority.sign("localhost");
    let keys = format!("tls = {{ certificate = \"{}\", key = \"{}\" }}", own.certificate, own.key);
    let server = Server::start(&receiving("otlp", "grpc+tls://127.0.0.1:0", &keys));
    let port = server.address("grpc+tls").port();
    let (grpc, http) =
        (format!("https://localhost:{port}/{EXPORT}"), format!("https://localhost:{port}/v1/logs"));
    let ca = authority.certificate();
    // The protocol is negotiated inside TLS.
    let head = ["--http2", "--cacert", &ca, "-H", "TE: trailers", "-H", "Content-Type: application/grpc"];
    let files = ["-D", "-", "-o", "/dev/null", "-w", "spoken %{http_version}"];
    for version in ["--tlsv1.2", "--tlsv1.3"] {
        let answer = curl(&[&head[..], &files, &[version, &grpc]].concat(), &framed(&request("inside TLS")));
        let told = String::from_utf8_lossy(&answer.stdout).to_ascii_lowercase();
        assert!(told.contains("grpc-status: 0") && told.ends_with("spoken 2"), "{told}");
    }
    let head = ["--http1.1", "--cacert", &ca, "-H", "Content-Type: application/x-protobuf", &http];
    let told = curl(&head, &request("over HTTP/1.1")).stdout;
    assert!(told.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&told));
    assert_eq!((server.count("\"inside TLS\""), server.count("\"over HTTP\"")), (2, 1));
    // A client that does not trust the authority sends nothing, and without TLS there is no answer.
    let mut stranger = program("curl", "curl");
    let refused =
        run(stranger.args(["-sS", "--http2", &grpc, "--data-binary", "@-"]), &framed(&request("no")));
    assert!(!refused.status.success());
    let mut plain = program("curl", "curl");
    let url = format!("http://localhost:{port}/v1/logs");
    let refused = run(plain.args(["-sS", "-f", &url, "--data-binary", "@-"]), &request("no"));
    assert!(!refused.status.success());
    wait_until("both are counted", || {
        server.source("in")["dropped"]["tls_handshake"].as_u64().is_some_and(|refused| 2 <= refused)
    });
    assert_eq!(server.count("*"), 3);
}

#[test]
fn a_full_disk_asks_exporters_to_come_again() {
    let folder = tempfile::tempdir().unwrap();
    let mounted = tempfile::tempdir().unwrap();
    let disk = SmallDisk::mount(mounted.path());
    let router = receiving("otlp", "grpc://127.0.0.1:0", "");
    let settings = ["storage.journal_file_max=1MiB"];
    let server = Server::start_in(folder, mounted.path().join("data"), &router, &settings);
    disk.fill();
    // The rest of the last page of a file may have room for some.
    let mut taken = 0;
    wait_until("the disk is full", || {
        let [http, grpc] = both(&server, &[], &"x".repeat(1000));
        taken += u64::from(http.contains(" 200 ok")) + u64::from(grpc.contains("grpc-status: 0"));
        http.starts_with("http/1.1 503 ") && grpc.contains("grpc-status: 14\r")
    });
    let [http, grpc] = both(&server, &[], "refused");
    assert!(http.starts_with("http/1.1 503 ") && http.contains("\r\nretry-after: 1\r"), "{http}");
    assert!(grpc.contains("grpc-status: 14\r") && grpc.contains("grpc-status-details-bin: "), "{grpc}");
    disk.free();
    wait_until("it is taken", || both(&server, &[], "taken").iter().all(|told| told.contains(" 200")));
    assert_eq!(server.count("refused"), 0);
    server.wait_for("xxxx*", taken);
}
