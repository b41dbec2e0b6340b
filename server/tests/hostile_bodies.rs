//! Hostile bodies, sent to the real process without pause by clients with a valid token: each gets an answer, memory stays
//! bounded, what others send is stored, and logins stay fast.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

mod support;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;
use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use support::{ROUTER, Server, TOKEN};

/// Of several logins, how long the middle one may take.
const LOGIN_MAX: Duration = Duration::from_secs(1);
const LOGINS: usize = 7;
/// Connections that attack at the same time.
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

/// What one request is: what is said of its body, the body, and how often that is repeated.
struct Attack {
    name: &'static str,
    encoding: Option<&'static str>,
    body: Vec<u8>,
    repeated: usize,
    /// All answers that may be given.
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
        // Where a body may hold several messages, the good ones of them are stored; lines of text may be anything.
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
    // Whoever refuses a body need not read it to its end.
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

/// The most memory that the process has had.
fn peak(server: &Server) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.pid())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
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
                    // All of them once, and then on until the logins are done.
                    while !is_over.load(Ordering::Relaxed) || next.load(Ordering::Relaxed) < rounds {
                        let turn = next.fetch_add(1, Ordering::Relaxed);
                        let (attack, path) = (&attacks[turn % attacks.len()], PATHS[turn % PATHS.len()]);
                        // Bodies take turns, and who does not get one is told to come again.
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

/// So many records of a resource with an attribute of this length.
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
    let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
    let send = |body: String| {
        let request = agent.post(&url).header("Authorization", format!("Bearer {secret}"));
        let mut answer = request.header("Content-Type", "application/json").send(body).unwrap();
        (answer.status().as_u16(), answer.body_mut().read_to_string().unwrap())
    };
    let (status, told) = send(records(800_000, 100));
    assert!(status == 413 && told.contains("with what each of them repeats"), "{status} {told}");
    // Four megabytes are made of twenty kilobytes, so the token has to wait for seconds.
    assert_eq!(send(records(20_000, 200)).0, 200);
    let (status, told) = send(records(20, 1));
    assert_eq!(status, 429, "{told}");
    assert_eq!(server.count("one"), 200);
}
