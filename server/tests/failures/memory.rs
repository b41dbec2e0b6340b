//! A server in a small memory group stores every message, and answers every question, either exactly or with the
//! reason why it cannot. It is never killed. The test must run as root to make such a group.
//!
//! Keywords: memory limit, cgroup, out of memory, gauge.

#![expect(clippy::print_stderr, reason = "a test's helpers")]

use crate::support;

use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use support::loads::Load;
use support::memory_group::MemoryGroup;
use support::{ROUTER, Server, TOKEN, logstead};

/// The number of different process ids, which are used in turn.
const PIDS: u64 = 20_000;
const HOSTS: u64 = 40;
/// The longest time for storing, on a busy machine.
const STORED_MAX: Duration = Duration::from_secs(600);

/// The kind of messages to send.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// Messages of typical server programs: short and similar.
    Server,
    /// Access logs, JSON and key=value: long, with many fields, and all values different.
    Rich,
}

/// A number derived from another that looks random.
fn mixed(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

impl Kind {
    /// The line for a number. Each contains a word of nine digits.
    fn line(self, number: u64, out: &mut String) {
        let chance = mixed(number + 1);
        let (host, pid) = (chance % HOSTS, number % PIDS + 1);
        let (ip, id) = (chance >> 32, 100_000_000 + chance % 900_000_000);
        let ip = format!("{}.{}.{}.{}", ip % 223 + 1, ip >> 8 & 255, ip >> 16 & 255, ip >> 24 & 255);
        let (hour, minute, second) = (number / 3600 % 24, number / 60 % 60, number % 60);
        write!(out, "<134>1 2026-11-21T{hour:02}:{minute:02}:{second:02}Z web-{host:02} ").unwrap();
        match (self, number % 3) {
            (Kind::Server, 0) => {
                writeln!(out, "sshd {pid} - - Accepted publickey for root from {ip} port 22 id {id}")
            }
            (Kind::Server, 1) => writeln!(out, "cron {pid} - - (root) CMD (backup --run {id})"),
            (Kind::Server, _) => {
                writeln!(out, "kernel {pid} - - usb 1-1: new device number {id}, address {ip}")
            }
            (Kind::Rich, 0) => writeln!(
                out,
                "nginx {pid} - - {ip} - - [21/Nov/2026:10:00:00 +0000] \"GET /api/orders?id={id}&s={chance:016x} \
                 HTTP/1.1\" 200 {} \"https://shop.example/cart\" \"Mozilla/5.0 (X11; Linux x86_64) Chrome/126.0\"",
                chance % 1_000_000
            ),
            (Kind::Rich, 1) => writeln!(
                out,
                "shop {pid} - - {{\"level\":\"info\",\"msg\":\"order placed\",\"order_id\":{id},\"user\":\"user{}\",\
                 \"trace_id\":\"{chance:016x}{:016x}\",\"duration_ms\":{},\"client\":{{\"ip\":\"{ip}\",\"country\":\
                 \"de\"}},\"items\":{},\"currency\":\"EUR\"}}",
                chance % 200_000,
                mixed(chance),
                chance % 1000,
                chance % 20
            ),
            (Kind::Rich, _) => writeln!(
                out,
                "fw {pid} - - action=accept src={ip} srcport={} dst=10.0.0.{} dstport=443 proto=tcp sessionid={id} \
                 sentbyte={} rcvdbyte={} duration={} service=\"HTTPS\" srccountry=\"Germany\"",
                chance % 60_000,
                chance % 256,
                chance % 10_000_000,
                mixed(chance) % 100_000_000,
                chance % 4000
            ),
        }
        .unwrap();
    }

    /// Writes this many lines to a file.
    fn write(self, path: &Path, lines: u64) {
        let mut file = std::io::BufWriter::new(std::fs::File::create(path).unwrap());
        let mut text = String::new();
        for number in 0..lines {
            text.clear();
            self.line(number, &mut text);
            file.write_all(text.as_bytes()).unwrap();
        }
        file.flush().unwrap();
    }
}

/// A question, and the expected answer for this many stored messages.
struct Question {
    path: &'static str,
    body: Value,
    is_exact: fn(&Value, u64) -> bool,
}

fn sum(rows: &Value, at: usize) -> u64 {
    rows.as_array().unwrap().iter().map(|row| row[at].as_u64().unwrap()).sum()
}

fn questions() -> Vec<Question> {
    let ask = |path, body, is_exact| Question { path, body, is_exact };
    let table = |query: &str, is_exact| ask("/aggregate", json!({ "query": query }), is_exact);
    vec![
        ask("/count", json!({"query": "*"}), |answer, all| answer["count"] == all),
        ask("/count", json!({"query": "/[0-9]{7,}/"}), |answer, all| answer["count"] == all),
        ask("/count", json!({"query": "NOT /[a-z]{99}/"}), |answer, all| answer["count"] == all),
        ask("/search", json!({"query": "/[0-9]{7,}/", "limit": 200}), |answer, _| {
            answer["messages"].as_array().unwrap().len() == 200
        }),
        ask("/facets", json!({"query": "*", "fields": ["host", "pid"], "limit": 100}), |answer, all| {
            answer["fields"]["host"]["messages"] == all
        }),
        ask("/histogram", json!({"query": "*", "buckets": 24, "by": "host"}), |answer, all| {
            answer["total"] == all
        }),
        table("* | stats count() by host", |answer, all| sum(&answer["rows"], 1) == all),
        table("* | stats dc(pid)", |answer, _| sum(&answer["rows"], 0) == PIDS),
        table("* | sort -pid | limit 5 | fields pid", |answer, _| {
            answer["rows"].as_array().unwrap().len() == 5 && answer["rows"][0][0].as_str() == Some("20000")
        }),
        table("* | parse json | stats count() by host", |answer, all| sum(&answer["rows"], 1) == all),
        table("* | top 10 sessionid", |answer, _| answer["rows"].as_array().unwrap().len() <= 10),
        table("/[0-9]{7,}/ | stats count(), max(duration_ms)", |answer, all| answer["rows"][0][0] == all),
    ]
}

/// Asks a question, and returns whether it was answered. If not, it must have been refused with a reason.
fn ask(server: &Server, question: &Question, all: Option<u64>) -> bool {
    let (status, answer) = server.post(question.path, &question.body);
    let (path, body) = (question.path, &question.body);
    match status {
        200 => {
            if let Some(all) = all {
                assert_eq!(answer["coverage"]["complete"], true, "{path} {body}: {answer}");
                assert!((question.is_exact)(&answer, all), "{path} {body}, of {all}: {answer}");
            }
            true
        }
        422 => {
            assert!(answer["detail"].as_str().unwrap().contains("memory"), "{path} {body}: {answer}");
            false
        }
        503 => false,
        _ => panic!("{path} {body}: {status} {answer}"),
    }
}

/// The number of lines of an export; `None` if it was refused or interrupted.
fn export(server: &Server) -> Option<u64> {
    let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
    let url = format!("{}/api/v1/export?query=*&format=raw", server.web());
    let mut answer = agent.get(url).header("Authorization", format!("Bearer {TOKEN}")).call().unwrap();
    if answer.status() != 200 {
        return None;
    }
    let lines = BufReader::new(answer.body_mut().as_reader()).split(b'\n');
    lines.map(|line| line.ok().map(|_| 1)).sum()
}

/// Follows the stored messages until told to stop; returns the number of events.
fn tail(server: &Server, is_over: &AtomicBool) -> usize {
    let address = server.web().strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(2))).unwrap();
    write!(
        stream,
        "GET /api/v1/tail?query=* HTTP/1.1\r\nhost: x\r\naccept: text/event-stream\r\nauthorization: Bearer {TOKEN}\r\n\r\n"
    )
    .unwrap();
    let mut lines = BufReader::new(stream).split(b'\n');
    let mut events = 0;
    while !is_over.load(Ordering::Relaxed) {
        match lines.next() {
            Some(Ok(line)) => events += usize::from(line.starts_with(b"event:")),
            Some(Err(error)) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            Some(Err(error)) => panic!("the tail broke: {error}"),
            None => panic!("the tail ended"),
        }
    }
    events
}

/// Sends a file over TCP as fast as possible, on each of two connections.
fn loadgen(server: &Server, file: &Path, lines: u64) -> Command {
    let target = format!("tcp://{}", server.address("tcp"));
    let mut command = logstead(&["loadgen", &target, "--quiet", "--loop", "--active-connections", "2"]);
    command.args(["--read-file", file.to_str().unwrap(), "--number", &(lines / 2).to_string()]);
    command
}

/// Stores this many messages while all questions are asked, then asks them again, and once more after a restart.
fn check(mib: u64, kind: Kind, messages: u64) {
    let group = match MemoryGroup::make(mib) {
        Ok(group) => group,
        Err(why) => {
            return eprintln!("skipped: it needs a memory group, which only root may make ({why})");
        }
    };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("lines");
    kind.write(&file, messages / 2);
    let mut server = Server::start_in_group(ROUTER, &[], &group.processes());
    let budget = server.labelled_metric("memory_budget_bytes");
    assert_eq!(budget, (mib << 20) as f64, "the group's limit is what is divided");
    let questions = questions();
    let (refused, events) = while_it_stores(&server, &questions, &mut loadgen(&server, &file, messages));
    assert_eq!(group.kills(), 0, "{kind:?} in {mib} MiB: killed while storing");
    let stored = messages / 2 * 2;
    wait_for(&server, stored);
    let options = ["--batch", "500", "--number", "10000"];
    let taken = Load::start(server.web(), 123_456_789, &options).end();
    assert!(taken.is_complete, "{}", taken.said);
    let stored = stored + taken.count();
    wait_for(&server, stored);
    let answered = questions.iter().filter(|question| ask(&server, question, Some(stored))).count();
    std::thread::scope(|scope| {
        for question in questions.iter().take(10) {
            scope.spawn(|| ask(&server, question, Some(stored)));
        }
    });
    assert_eq!(export(&server), Some(stored));
    let taken_mib = server.labelled_metric("memory_taken_bytes_max") as u64 >> 20;
    server.kill_and_restart();
    wait_for(&server, stored);
    let again = questions.iter().filter(|question| ask(&server, question, Some(stored))).count();
    eprintln!(
        "{kind:?} in {mib} MiB: {stored} messages; answered {answered} and after a restart {again} of {}; {refused} refused \
         while storing, {events} events of a tail; at most {taken_mib} MiB",
        questions.len()
    );
    assert!(questions.len() - 2 <= answered && questions.len() - 2 <= again, "nearly all can be answered");
    assert_eq!(group.kills(), 0, "{kind:?} in {mib} MiB: killed while asked");
    drop(server);
}

/// Asks all questions ten at a time, exports and follows, until everything is sent; returns the number of refused
/// questions and of events.
fn while_it_stores(server: &Server, questions: &[Question], load: &mut Command) -> (usize, usize) {
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let ask_all = |first: usize| {
            let next = (0..).map(move |at| &questions[(first + at) % questions.len()]);
            next.take_while(|_| !is_over.load(Ordering::Relaxed))
                .filter(|next| !ask(server, next, None))
                .count()
        };
        let askers: Vec<_> = (0..10).map(|first| scope.spawn(move || ask_all(first))).collect();
        let following = scope.spawn(|| tail(server, &is_over));
        let exporting = scope.spawn(|| export(server));
        let sent = load.output();
        is_over.store(true, Ordering::Relaxed);
        let refused = askers.into_iter().map(|asker| asker.join().unwrap()).sum();
        let events = following.join().unwrap();
        exporting.join().unwrap();
        let sent = sent.unwrap();
        assert!(sent.status.success(), "{}", String::from_utf8_lossy(&sent.stderr));
        (refused, events)
    })
}

fn wait_for(server: &Server, messages: u64) {
    let start = Instant::now();
    loop {
        let count = server.count("*");
        assert!(count <= messages, "{count} messages where {messages} were sent");
        if count == messages {
            return;
        }
        assert!(start.elapsed() < STORED_MAX, "{count} messages of {messages}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_server_in_128_mib_stores_and_answers() {
    check(128, Kind::Rich, 240_000);
}

#[test]
fn a_question_for_which_there_is_no_memory_is_ended_with_the_reason_and_the_server_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("lines");
    let messages = 240_000;
    Kind::Rich.write(&file, messages / 2);
    let settings = ["memory.max=96MiB", "limits.query_memory_max=4GiB", "limits.search_time_max=10m"];
    let server = Server::start_with(ROUTER, &settings);
    assert_eq!(server.labelled_metric("memory_budget_bytes"), f64::from(96 << 20));
    let sent = loadgen(&server, &file, messages).output().unwrap();
    assert!(sent.status.success(), "{}", String::from_utf8_lossy(&sent.stderr));
    wait_for(&server, messages);
    // This makes a group for each message, with its text.
    let (status, answer) = server.post("/aggregate", &json!({"query": "* | stats count() by message, raw"}));
    assert_eq!(status, 422, "{answer}");
    let detail = answer["detail"].as_str().unwrap();
    assert!(
        detail.starts_with("the server is short of memory and may use no more than 96MiB: narrow"),
        "{detail}"
    );
    assert_eq!(server.labelled_metric("memory_searches_ended_total"), 1.0);
    assert!(ask(&server, &questions()[1], Some(messages)), "a smaller one is answered");
}

#[test]
#[ignore = "takes minutes: node scripts/long.mjs memory"]
fn a_server_in_a_small_memory_group_stores_and_answers_and_is_never_killed() {
    for mib in [128, 256, 512] {
        check(mib, Kind::Server, 1_500_000);
        check(mib, Kind::Rich, 800_000);
    }
}
