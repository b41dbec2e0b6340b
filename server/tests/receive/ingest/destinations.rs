//! Destinations: a queue that is unreadable for a while loses nothing, damaged data is kept, and answers of other
//! servers are not shown to everybody.
//!
//! Keywords: client libraries, discovery endpoints, Elasticsearch, Loki.

use super::calls::Server;
use crate::in_process::TOKEN as ADMIN;
use logstead_accounts::Role;
use logstead_indexer::{Disk, SimDisk};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const MESSAGES: usize = 3000;
/// This is longer than reading damaged data is retried.
const UNREADABLE_FOR: Duration = Duration::from_secs(15);
const WAIT_MAX: Duration = Duration::from_secs(60);

fn router(to: SocketAddr) -> String {
    router_where(to, true)
}

fn router_where(to: SocketAddr, sends: bool) -> String {
    format!(
        "version = 1\n[[sources]]\nid = \"web\"\nkind = \"http\"\n[[logspaces]]\nid = \"main\"\n\
         [[destinations]]\nid = \"siem\"\nkind = \"syslog\"\nto = \"tcp://{to}\"\nformat = \"raw\"\n\
         framing = \"newline\"\nenabled = {sends}\nqueue.memory = \"0B\"\n[[routes]]\nid = \"all\"\nto = [\"siem\"]\n"
    )
}

async fn ingest(server: &Server, text: &str) {
    let lines: String = (0..MESSAGES).map(|number| format!("{text} {number}\n")).collect();
    let stored = server.post("/api/v1/ingest", ADMIN, "text/plain", lines).await;
    stored.check(200, &format!("\"accepted\":{MESSAGES}"));
}

async fn siem(server: &Server) -> Value {
    let headers = [("authorization", &*format!("Bearer {ADMIN}"))];
    server.call("GET /api/v1/router/status", &headers, "").await.json()["destinations"][0].clone()
}

/// A server with a queue on disk whose messages are not in memory, because it was filled by another server that was
/// killed. It does not send until told to.
async fn with_queued(seed: u64, text: &str, to: SocketAddr) -> (Server, Arc<SimDisk>, tempfile::TempDir) {
    let (disk, data) = (Arc::new(SimDisk::new(seed)), tempfile::tempdir().unwrap());
    let before = Server::start_on(disk.clone(), data.path(), |_| {});
    // Nothing listens on this address.
    before.route(&router(SocketAddr::from(([127, 0, 0, 1], 1)))).await;
    ingest(&before, text).await;
    let disk = Arc::new(disk.after_kill());
    before.pipeline.stop();
    drop(before);
    let server = Server::start_on(disk.clone(), data.path(), |_| {});
    server.route(&router_where(to, false)).await;
    (server, disk, data)
}

async fn wait_until(server: &Server, what: &str, holds: impl Fn(&Value) -> bool) {
    let begin = Instant::now();
    loop {
        let siem = siem(server).await;
        if holds(&siem) {
            return;
        }
        assert!(begin.elapsed() < WAIT_MAX, "{what}: {siem}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Collects the received lines as long as the test runs. An incomplete request does not count as delivered.
fn receive(listener: TcpListener) -> Arc<Mutex<Vec<String>>> {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let received = lines.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            for line in BufReader::new(stream).lines().map_while(Result::ok) {
                received.lock().unwrap().push(line);
            }
        }
    });
    lines
}

/// Waits until the queue is empty, and checks that each message arrived once.
async fn check_delivered(server: &Server, lines: &Mutex<Vec<String>>, texts: &[&str]) {
    wait_until(server, "all are delivered", |siem| siem["queue_messages"].as_u64() == Some(0)).await;
    let mut lines = lines.lock().unwrap().clone();
    lines.sort_unstable();
    let all = texts.iter().flat_map(|text| (0..MESSAGES).map(move |number| format!("{text} {number}")));
    let mut expected: Vec<String> = all.collect();
    expected.sort_unstable();
    assert!(lines == expected, "{} of {} lines came", lines.len(), expected.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_queue_that_the_disk_does_not_read_waits_and_is_delivered_once_it_does() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (server, disk, _data) = with_queued(11, "unread", address).await;
    disk.set_fails_reads(true);
    server.route(&router(address)).await;
    wait_until(&server, "it says that it cannot read", |siem| {
        siem["last_error"].as_str().is_some_and(|error| error.contains("cannot be read"))
    })
    .await;
    // Meanwhile, nothing is given up or refused.
    let begin = Instant::now();
    ingest(&server, "later").await;
    wait_until(&server, "it goes on waiting", |siem| {
        assert_eq!(
            (&siem["dropped"], siem["messages"].as_u64()),
            (&serde_json::json!({}), Some(0)),
            "{siem}"
        );
        assert_eq!(siem["queue_messages"].as_u64(), Some(2 * MESSAGES as u64), "{siem}");
        UNREADABLE_FOR < begin.elapsed()
    })
    .await;
    disk.set_fails_reads(false);
    check_delivered(&server, &receive(listener), &["unread", "later"]).await;
    let siem = siem(&server).await;
    assert_eq!(
        (&siem["dropped"], siem["messages"].as_u64()),
        (&serde_json::json!({}), Some(2 * MESSAGES as u64))
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_damaged_file_of_a_queue_is_kept_and_what_stands_behind_it_is_delivered() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (server, disk, data) = with_queued(12, "damaged", address).await;
    let folder = data.path().join("queues/siem/journal");
    let files = || -> Vec<PathBuf> {
        disk.list(&folder).unwrap().into_iter().map(|name| folder.join(name)).collect()
    };
    let held = |path: &&PathBuf| 1000 < disk.open(path).unwrap().bytes().unwrap();
    let file = files().iter().find(held).unwrap().clone();
    let content = |path: &PathBuf| {
        let file = disk.open(path).unwrap();
        let mut bytes = vec![0; file.bytes().unwrap() as usize];
        file.read_at(0, &mut bytes).unwrap();
        bytes
    };
    // This bit is in the middle of the first messages.
    disk.flip(&file, 8 * content(&file).len() / 2);
    let damaged = content(&file);
    server.route(&router(address)).await;
    let passed_over = MESSAGES as u64;
    wait_until(&server, "what is damaged is passed over", |siem| {
        siem["dropped"]["unreadable"].as_u64() == Some(passed_over)
    })
    .await;
    ingest(&server, "behind").await;
    check_delivered(&server, &receive(listener), &["behind"]).await;
    // The content of the file must still exist, under whatever name.
    assert!(files().iter().any(|path| content(path).starts_with(&damaged)), "{:?}", files());
}

/// An internal server whose answers contain private details.
fn talkative() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let Ok(1..) = stream.read(&mut [0; 4096]) else { continue };
            let said = "the database db-7.internal refuses the user root";
            let head =
                format!("HTTP/1.1 500 Oops\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", said.len());
            stream.write_all((head + said).as_bytes()).ok();
        }
    });
    address
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_other_servers_say_is_for_operators() {
    let server = Server::usual();
    let url = format!("http://{}/logs?key=hidden", talkative());
    let router = router(SocketAddr::from(([127, 0, 0, 1], 9))).replace(
        "kind = \"syslog\"\nto = \"tcp://127.0.0.1:9\"\nformat = \"raw\"\nframing = \"newline\"\n",
        &format!("kind = \"ndjson_http\"\nurl = \"{url}\"\n"),
    );
    server.route(&router).await;
    server.post("/api/v1/ingest", ADMIN, "text/plain", "m").await.check(200, "\"accepted\":1");
    wait_until(&server, "it says what went wrong", |siem| {
        siem["last_error"].as_str().is_some_and(|error| error.contains("db-7.internal"))
    })
    .await;
    let (_, operator) = server.token("operator", Role::Operator);
    let (_, analyst) = server.token("analyst", Role::Analyst);
    let status = async |token: &str| {
        let headers = [("authorization", &*format!("Bearer {token}"))];
        server.call("GET /api/v1/router/status", &headers, "").await
    };
    status(&operator).await.check(200, "db-7.internal");
    let seen = status(&analyst).await;
    seen.check(200, "it cannot send");
    assert!(!seen.text().contains("db-7") && !seen.text().contains("hidden"), "{}", seen.text());
    // Testing a destination is only for callers who may send messages anywhere, because its result shows the answer.
    let test = async |token: &str| {
        server.post("/api/v1/destinations/test", token, "application/json", r#"{"id":"siem"}"#).await
    };
    test(&operator).await.check(200, "db-7.internal");
    let refused = test(&analyst).await;
    refused.check(403, "");
    assert!(!refused.text().contains("db-7"), "{}", refused.text());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_may_not_apply_a_document_does_not_learn_which_files_there_are() {
    let server = Server::usual();
    let (_, analyst) = server.token("analyst", Role::Analyst);
    let there = tempfile::NamedTempFile::new().unwrap();
    let document = |file: &str| {
        let tls = format!("tls = {{ certificate = \"{file}\", key = \"{file}\", client_ca = \"{file}\" }}");
        let router = router(SocketAddr::from(([127, 0, 0, 1], 9)));
        let source = format!(
            "[[sources]]\nid = \"tls\"\nkind = \"syslog\"\nlisten = [\"tls://127.0.0.1:0\"]\n{tls}\n"
        );
        router.replace("[[logspaces]]", &format!("{source}[[logspaces]]"))
    };
    let validate = async |token: &str, file: &str| {
        let answer = server.post("/api/v1/router/validate", token, "application/toml", document(file)).await;
        answer.text().replace(file, "FILE")
    };
    let there = there.path().to_str().unwrap();
    let missing = format!("{there}-missing");
    assert_eq!(validate(&analyst, there).await, validate(&analyst, &missing).await);
    assert_ne!(validate(ADMIN, there).await, validate(ADMIN, &missing).await, "who applies it has to know");
}
