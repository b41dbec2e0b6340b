//! Hostile bodies, sent continuously to the real process by clients with a valid token: each gets an answer, memory
//! stays bounded, the messages of others are stored, and logins stay fast.
//!
//! Keywords: hostile input, decompression bomb, memory limit, fuzz.

use crate::support;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;
use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use support::protobuf::field as protobuf;
use support::{ROUTER, Server, TOKEN, wait_until};

/// The greatest median time of several logins.
const LOGIN_MAX: Duration = Duration::from_secs(1);
const LOGINS: usize = 7;
/// The number of connections that attack at the same time.
const ATTACKERS: usize = 8;
const BOMB_BYTES: usize = 200 << 20;
const MEMORY_MAX: u64 = 700 << 20;

const PATHS: [(&str, &str); 6] = [
    ("/api/v1/ingest", "application/json"),
    ("/_bulk", "application/x-ndjson"),
    ("/loki/api/v1/push", "application/json"),
    ("/services/collector", "application/json"),
    ("/services/collector/raw", "text/plain"),
    ("/api/v2/logs", "application/json"),
];

/// A hostile request: the declared encoding, the body, and the number of its repetitions.
struct Attack {
    name: &'static str,
    encoding: Option<&'static str>,
    body: Vec<u8>,
    repeated: usize,
    /// All permitted status codes.
    answers: &'static [u16],
}

fn attacks() -> Vec<Attack> {
    let zeros = vec![b'0'; BOMB_BYTES];
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(&zeros).unwrap();
    let gzip = gzip.finish().unwrap();
    let zstd = zstd::encode_all(zeros.as_slice(), 1).unwrap();
    let deep = format!("{{\"create\":{{}}}}\n{}1{}\n", "{\"a\":".repeat(100_000), "}".repeat(100_000));
    let attack = |name, encoding, body, repeated, answers| Attack { name, encoding, body, repeated, answers };
    vec![
        attack("gzip bomb", Some("gzip"), gzip.clone(), 1, &[413]),
        attack("zstd bomb", Some("zstd"), zstd, 1, &[413]),
        attack("cut gzip", Some("gzip"), gzip[..gzip.len() / 2].to_vec(), 1, &[400, 413]),
        attack("not the encoding", Some("zstd"), b"plain text\n".to_vec(), 1, &[400]),
        attack("unknown encoding", Some("rot13"), b"cynva grkg\n".to_vec(), 1, &[415]),
        attack("a gigabyte", None, vec![b' '; 1 << 20], 1 << 10, &[413]),
        // If a body can contain several messages, the valid ones are stored; lines of text may have any content.
        attack("deep JSON", None, deep.into_bytes(), 1, &[200, 400]),
        attack("open arrays", None, vec![b'['; 1 << 20], 1, &[200, 400]),
        attack("not UTF-8", None, b"{\"message\":\"\xff\xfe\"}\n".to_vec(), 1, &[200, 202, 400]),
    ]
}

/// Sends it as far as the server reads, and returns the status of the answer.
fn send(server: &Server, (path, kind): (&str, &str), attack: &Attack) -> u16 {
    let mut stream = TcpStream::connect(server.web().split_once("://").unwrap().1).unwrap();
    stream.set_read_timeout(Some(support::WAIT_MAX)).unwrap();
    let encoding = attack.encoding.map(|name| format!("content-encoding: {name}\r\n")).unwrap_or_default();
    let bytes = attack.body.len() * attack.repeated;
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {TOKEN}\r\ncontent-type: {kind}\r\n{encoding}\
         connection: close\r\ncontent-length: {bytes}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    // A server that refuses a body need not read it to the end.
    for _ in 0..attack.repeated {
        if stream.write_all(&attack.body).is_err() {
            break;
        }
    }
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).ok();
    let answer = String::from_utf8_lossy(&answer);
    let status = answer.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.split(' ').next()?.parse().ok());
    status.unwrap_or_else(|| panic!("{}: {path} gave no answer: {answer:?}", attack.name))
}

/// The peak memory of the process.
fn peak(server: &Server) -> u64 {
    memory(server, "VmHWM:")
}

fn memory(server: &Server, name: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.pid())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
}

#[test]
fn hostile_bodies_are_answered_and_keep_nobody_from_logging_in() {
    let server = Server::start_with(ROUTER, &["limits.ingest_body_max=16MiB"]);
    let user = json!({"name": "ada", "password": "correct horse battery", "role": "analyst"});
    assert_eq!(server.post("/users", &user).0, 201);
    let attacks = attacks();
    let (next, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
    let rounds = attacks.len() * PATHS.len();
    let mut logins = Vec::new();
    std::thread::scope(|scope| {
        let attackers: Vec<_> = (0..ATTACKERS)
            .map(|_| {
                scope.spawn(|| {
                    let mut bad = BTreeSet::new();
                    // Sends all attacks at least once, and continues until the logins are done.
                    while !is_over.load(Ordering::Relaxed) || next.load(Ordering::Relaxed) < rounds {
                        let turn = next.fetch_add(1, Ordering::Relaxed);
                        let (attack, path) = (&attacks[turn % attacks.len()], PATHS[turn % PATHS.len()]);
                        // Bodies are processed in turns; if there is no turn, the client is asked to try again.
                        let status = send(&server, path, attack);
                        if !attack.answers.contains(&status) && status != 503 {
                            bad.insert(format!("{} {}: {status}", attack.name, path.0));
                        }
                    }
                    bad
                })
            })
            .collect();
        for number in 0..LOGINS {
            let start = Instant::now();
            let login = json!({"name": "ada", "password": "correct horse battery"});
            let (status, answer) = server.post("/session", &login);
            logins.push(start.elapsed());
            assert_eq!(status, 200, "{answer}");
            server.send(format!("<13>1 - - - - - - harmless {number}\n").as_bytes());
        }
        is_over.store(true, Ordering::Relaxed);
        let bad: BTreeSet<_> = attackers.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
        assert!(bad.is_empty(), "{bad:#?}");
    });
    server.wait_for("harmless", LOGINS as u64);
    logins.sort();
    eprintln!("{} requests, logins {logins:?}, peak {} MiB", next.into_inner(), peak(&server) >> 20);
    assert!(logins[LOGINS / 2] < LOGIN_MAX, "{logins:?}");
    assert!(peak(&server) < MEMORY_MAX, "{} MiB", peak(&server) >> 20);
}

/// This many records of a resource with an attribute of this length.
fn records(resource_bytes: usize, records: usize) -> String {
    let value = json!({"stringValue": "x".repeat(resource_bytes)});
    let logs = vec![json!({"body": {"stringValue": "one"}}); records];
    let resource = json!({"attributes": [{"key": "long", "value": value}]});
    json!({"resourceLogs": [{"resource": resource, "scopeLogs": [{"logRecords": logs}]}]}).to_string()
}

#[test]
fn a_source_of_otlp_limits_and_charges_what_its_records_repeat() {
    let source = "[[sources]]\nid = \"otlp\"\nkind = \"otlp\"\nlisten = [\"http://127.0.0.1:0\"]\ntoken = \"shipper\"\n";
    let server = Server::start(&format!("{ROUTER}{source}"));
    let token = json!({"name": "shipper", "role": "ingest", "limits": {"bytes_per_second": 1_000_000}});
    let (status, token) = server.post("/tokens", &token);
    assert_eq!(status, 201, "{token}");
    let secret = token["token"].as_str().unwrap();
    let url = format!("http://{}/v1/logs", server.address_of("otlp", "http"));
    let agent: ureq::Agent =
        ureq::Agent::config_builder().proxy(None).http_status_as_error(false).build().into();
    let send = |body: String| {
        let request = agent.post(&url).header("Authorization", format!("Bearer {secret}"));
        let mut answer = request.header("Content-Type", "application/json").send(body).unwrap();
        (answer.status().as_u16(), answer.body_mut().read_to_string().unwrap())
    };
    let (status, told) = send(records(800_000, 100));
    assert!(status == 413 && told.contains("or parameters that they share"), "{status} {told}");
    // Twenty kilobytes expand to four megabytes, so the token has to wait for seconds.
    assert_eq!(send(records(20_000, 200)).0, 200);
    let (status, told) = send(records(20, 1));
    assert_eq!(status, 429, "{told}");
    assert_eq!(server.count("one"), 200);
}

/// The additional memory that four attacks of one kind may take.
const MADE_MEMORY_MAX: u64 = 300 << 20;
const AT_ONCE: usize = 4;

const EVERY_WAY: &str = r#"
version = 1
[[sources]]
id = "web"
kind = "http"
[[sources]]
id = "otlp"
kind = "otlp"
listen = ["http://127.0.0.1:0"]
[[sources]]
id = "gelf"
kind = "gelf"
listen = ["udp://127.0.0.1:0", "tcp://127.0.0.1:0"]
[[logspaces]]
id = "main"
[[routes]]
id = "default"
to = ["main"]
"#;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

/// A body of at most three megabytes that expands to much more, and the permitted status codes.
struct Made {
    name: &'static str,
    path: &'static str,
    head: &'static str,
    body: Vec<u8>,
    answers: &'static [u16],
}

fn made() -> Vec<Made> {
    const JSON: &str = "content-type: application/json\r\n";
    const LINES: &str = "content-type: application/x-ndjson\r\n";
    const PROTOBUF: &str = "content-type: application/x-protobuf\r\n";
    const GZIPPED: &str = "content-type: application/json\r\ncontent-encoding: gzip\r\n";
    const GZIPPED_PROTOBUF: &str = "content-type: application/x-protobuf\r\ncontent-encoding: gzip\r\n";
    let made = |name, path, head, body, answers| Made { name, path, head, body, answers };
    let snappy = |body: &[u8]| snap::raw::Encoder::new().compress_vec(body).unwrap();
    let label = "x".repeat(60_000);
    let entries = vec![r#"["1","m"]"#; 60_000].join(",");
    let labels = format!(r#"{{"streams":[{{"stream":{{"a":"{label}"}},"values":[{entries}]}}]}}"#);
    let entry = protobuf(2, &[protobuf(1, &[8, 1]), protobuf(2, b"m")].concat());
    let stream = [protobuf(1, format!("{{a=\"{label}\"}}").as_bytes()), entry.repeat(60_000)].concat();
    let value = protobuf(2, &protobuf(1, &vec![b'x'; 800_000]));
    let resource = protobuf(1, &protobuf(1, &[protobuf(1, b"long"), value].concat()));
    let records = protobuf(1, &[resource, protobuf(2, &[0x12, 0].repeat(1_000_000))].concat());
    // The names take a megabyte for each message, and are different in each.
    let inner: Vec<String> = (0..500).map(|n| format!("\"{n}\":1")).collect();
    let names = |number: usize| {
        format!("{{\"message\":\"m\",\"{number}{}\":{{{}}}}}", "x".repeat(2000), inner.join(","))
    };
    let names: Vec<String> = (0..500).map(names).collect();
    let of_bulk: String = names.iter().map(|one| format!("{{\"create\":{{}}}}\n{one}\n")).collect();
    let of_splunk: String = names.iter().map(|one| format!("{{\"event\":{one}}}")).collect();
    let attributes: Vec<u8> = (0..1000).flat_map(|_| protobuf(1, &protobuf(1, b"a"))).collect();
    let many_resources =
        protobuf(1, &[protobuf(1, &attributes), protobuf(2, &[0x12, 0])].concat()).repeat(500);
    let zeros = vec![b'0'; BOMB_BYTES];
    let list = format!("[{}]", names.join(","));
    vec![
        made("labels in JSON", "/loki/api/v1/push", JSON, labels.into_bytes(), &[413]),
        made("labels in protobuf", "/loki/api/v1/push", PROTOBUF, snappy(&protobuf(1, &stream)), &[413]),
        made("empty streams", "/loki/api/v1/push", PROTOBUF, snappy(&[0x0a, 0].repeat(1_500_000)), &[413]),
        made("nearly as many", "/loki/api/v1/push", PROTOBUF, snappy(&[0x0a, 0].repeat(999_000)), &[204]),
        made("a resource", "/v1/logs", PROTOBUF, records.clone(), &[413]),
        made("many resources", "/v1/logs", PROTOBUF, many_resources, &[200, 413]),
        made("packed records", "/v1/logs", GZIPPED_PROTOBUF, gzip(&records), &[413]),
        made("names of ours", "/api/v1/ingest", JSON, list.clone().into_bytes(), &[413]),
        made("names of Datadog", "/api/v2/logs", JSON, list.clone().into_bytes(), &[413]),
        made("packed names", "/api/v2/logs", GZIPPED, gzip(list.as_bytes()), &[413]),
        made("names of bulk", "/_bulk", LINES, of_bulk.into_bytes(), &[200, 413]),
        made("names of Splunk", "/services/collector", JSON, of_splunk.into_bytes(), &[413]),
        made("deep arrays", "/api/v1/ingest", JSON, vec![b'['; 3 << 20], &[400]),
        made(
            "empty objects",
            "/api/v2/logs",
            JSON,
            format!("[{}{{}}]", "{},".repeat(1_000_000)).into_bytes(),
            &[202, 400, 413],
        ),
        made(
            "empty documents",
            "/_bulk",
            LINES,
            "{\"create\":{}}\n{}\n".repeat(180_000).into_bytes(),
            &[200],
        ),
        made("a bomb for GELF", "/gelf", GZIPPED, gzip(&zeros), &[413]),
        made("a bomb for Splunk", "/services/collector/raw", GZIPPED, gzip(&zeros), &[413]),
        made("a bomb for OpenTelemetry", "/v1/logs", GZIPPED_PROTOBUF, gzip(&zeros), &[413]),
    ]
}

fn send_made(address: SocketAddr, made: &Made) -> u16 {
    let Made { name, path, head, body, .. } = made;
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(support::WAIT_MAX)).unwrap();
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {TOKEN}\r\n{head}connection: close\r\n\
         content-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body).ok();
    let mut answer = Vec::new();
    let read = stream.read_to_end(&mut answer);
    let answer = String::from_utf8_lossy(&answer);
    let status = answer.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.split(' ').next()?.parse().ok());
    status.unwrap_or_else(|| panic!("{name} gave no answer: {answer:?}, {read:?}"))
}

/// A message in GELF chunks.
fn chunks(id: u8, message: &[u8]) -> Vec<Vec<u8>> {
    let parts: Vec<&[u8]> = message.chunks(8000).collect();
    let head = |number: usize| [&b"\x1e\x0f"[..], &[id; 8], &[number as u8, parts.len() as u8]].concat();
    parts.iter().enumerate().map(|(number, part)| [&head(number), *part].concat()).collect()
}

/// The growth of the peak memory during this work.
fn grown_by(server: &Server, work: impl FnOnce()) -> u64 {
    // This resets the peak.
    std::fs::write(format!("/proc/{}/clear_refs", server.pid()), "5").unwrap();
    let before = memory(server, "VmRSS:");
    work();
    peak(server).saturating_sub(before)
}

#[test]
fn a_small_body_of_which_much_is_made_takes_little_memory() {
    let mut worst = Vec::new();
    for made in made() {
        assert!(made.body.len() <= 3 << 20, "{}: {} bytes", made.name, made.body.len());
        let server = Server::start_with(EVERY_WAY, &["limits.ingest_body_max=16MiB"]);
        let web = server.web().split_once("://").unwrap().1.parse().unwrap();
        let mut ways = vec![("web", web)];
        if made.path == "/v1/logs" {
            ways.push(("otlp", server.address_of("otlp", "http")));
        }
        for (way, address) in ways {
            let mut statuses = Vec::new();
            let grown = grown_by(&server, || {
                std::thread::scope(|scope| {
                    let senders: Vec<_> =
                        (0..AT_ONCE).map(|_| scope.spawn(|| send_made(address, &made))).collect();
                    for sender in senders {
                        let status = sender.join().unwrap();
                        // If there is no turn, the client is asked to try again.
                        let is_expected = made.answers.contains(&status) || status == 503;
                        assert!(is_expected, "{} to {way}: {status}", made.name);
                        statuses.push(status);
                    }
                });
            });
            // Otherwise they were waiting for each other's memory.
            let is_any_answered = statuses.iter().any(|status| made.answers.contains(status));
            assert!(is_any_answered, "{} to {way}: {statuses:?}", made.name);
            worst.push((grown >> 20, made.name, way));
        }
    }
    let server = Server::start(EVERY_WAY);
    let bomb = gzip(&vec![b'0'; BOMB_BYTES]);
    let grown = grown_by(&server, || {
        for id in 0..AT_ONCE as u8 {
            let datagrams = chunks(id, &bomb);
            server.send_udp(&datagrams.iter().map(Vec::as_slice).collect::<Vec<_>>());
        }
        let streams: Vec<TcpStream> = (0..AT_ONCE)
            .map(|_| {
                let mut stream = TcpStream::connect(server.address_of("gelf", "tcp")).unwrap();
                stream.write_all(&vec![b'{'; 3 << 20]).unwrap();
                stream
            })
            .collect();
        drop(streams);
        server.send_udp(&[b"{\"version\":\"1.1\",\"host\":\"after\",\"short_message\":\"m\"}"]);
        wait_until("what came behind it is stored", || server.count("host=after") == 1);
    });
    worst.push((grown >> 20, "bombs in chunks, and no end of a message", "gelf"));
    worst.sort_unstable();
    eprintln!("MiB more than before: {worst:?}");
    let beyond: Vec<_> = worst.iter().filter(|(grown, ..)| MADE_MEMORY_MAX >> 20 < *grown).collect();
    assert!(beyond.is_empty(), "{beyond:?}");
}
