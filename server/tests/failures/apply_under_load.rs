//! Revisions of the router document take effect while a sender continues: every message is stored exactly once, and
//! the only difference is the revision that processed it.
//!
//! Keywords: apply, no loss under load, reload.

use crate::support;

use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use support::books::assert_closed;
use support::{ROUTER, Server, TOKEN, wait_until};

const REVISIONS: usize = 10;
/// The least number of messages for each revision.
const MESSAGES_PER_REVISION: u64 = 2000;
/// The number of messages written at once.
const AT_ONCE: u64 = 100;

/// The parts of a document after its sources and logspaces, used in turn: one adds a step, one a route, and one a
/// target and another step.
const VARIANTS: [&str; 3] = [
    "[[routes]]\nid = \"default\"\nto = [\"main\"]\nsteps = [{ set = { zone = \"dmz\" } }]\n",
    "[[routes]]\nid = \"odd\"\nwhere = '/[13579] odd/'\nfinal = true\nto = [\"fw\"]\n\
     [[routes]]\nid = \"default\"\nto = [\"main\"]\n",
    "[[routes]]\nid = \"default\"\nto = [\"main\", \"fw\"]\nsteps = [{ parse = \"kv\" }]\n",
];

fn document(number: usize) -> String {
    let basics = ROUTER.split("[[routes]]").next().unwrap();
    let source = format!("kind = \"syslog\"\nmax_message = \"{} KiB\"", 32 + number % 2 * 32);
    let basics = basics.replacen("kind = \"syslog\"", &source, 1);
    format!("{basics}[[logspaces]]\nid = \"fw\"\n\n{}", VARIANTS[number % VARIANTS.len()])
}

/// Stops the sender, also when the test fails.
struct Stopping<'a>(&'a AtomicBool);

impl Drop for Stopping<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Sends numbered messages as fast as they are accepted, and returns their number.
fn send_until(stop: &AtomicBool, server: &Server) -> u64 {
    let mut connection = server.tcp();
    let (mut sent, mut text) = (0, String::new());
    while !stop.load(Ordering::Relaxed) {
        text.clear();
        for number in sent..sent + AT_ONCE {
            let kind = if number % 2 == 0 { "even" } else { "odd" };
            writeln!(text, "<13>1 2026-11-22T10:11:12Z web app 7 - - number={number} {kind}").unwrap();
        }
        connection.write_all(text.as_bytes()).unwrap();
        sent += AT_ONCE;
    }
    sent
}

fn received(server: &Server) -> u64 {
    server.source("syslog")["messages"].as_u64().unwrap()
}

/// The longest time during which no message was received.
fn longest_pause(stop: &AtomicBool, server: &Server) -> Duration {
    let (mut before, mut since, mut longest) = (received(server), Instant::now(), Duration::ZERO);
    while !stop.load(Ordering::Relaxed) {
        let now = received(server);
        if now != before {
            longest = longest.max(since.elapsed());
            (before, since) = (now, Instant::now());
        }
    }
    longest
}

/// Applies the revisions, and returns the time that the slowest one took.
fn apply(server: &Server) -> Duration {
    let mut slowest = Duration::ZERO;
    for number in 0..REVISIONS {
        let before = received(server);
        wait_until("the revision before has had its messages", || {
            before + MESSAGES_PER_REVISION <= received(server)
        });
        let start = Instant::now();
        let (status, answer) = server.put_router(&document(number));
        assert_eq!(status, 200, "{answer}");
        slowest = slowest.max(start.elapsed());
    }
    slowest
}

/// The number of occurrences of each number.
fn counts(server: &Server, logspace: &str, sent: u64) -> Vec<u8> {
    let agent: ureq::Agent = ureq::Agent::config_builder().proxy(None).build().into();
    let query = format!("logspace:{logspace} source=syslog");
    let request =
        agent.get(format!("{}/api/v1/export", server.web())).query("query", query).query("format", "raw");
    let mut answer = request.header("Authorization", format!("Bearer {TOKEN}")).call().unwrap();
    let text = answer.body_mut().with_config().limit(u64::MAX).read_to_string().unwrap();
    let mut counts = vec![0; sent as usize];
    for line in text.lines() {
        let (_, number) = line.split_once("number=").unwrap();
        counts[number.split(' ').next().unwrap().parse::<usize>().unwrap()] += 1;
    }
    counts
}

#[test]
fn no_message_is_lost_or_doubled_while_revisions_become_live() {
    let server = Server::start(&document(VARIANTS.len() - 1).replace(", \"fw\"", ""));
    let stop = AtomicBool::new(false);
    let (sent, pause, slowest) = thread::scope(|scope| {
        let sender = scope.spawn(|| send_until(&stop, &server));
        let watcher = scope.spawn(|| longest_pause(&stop, &server));
        let stopping = Stopping(&stop);
        let slowest = apply(&server);
        drop(stopping);
        (sender.join().unwrap(), watcher.join().unwrap(), slowest)
    });
    wait_until("everything is received", || received(&server) == sent);
    assert_closed(&server);
    let (main, fw) = (counts(&server, "main", sent), counts(&server, "fw", sent));
    let wrong: Vec<(usize, u8, u8)> = (0..sent as usize)
        .map(|number| (number, main[number], fw[number]))
        // Each is in exactly one of the two, or, with the third kind of revision, once in both.
        .filter(|(number, main, fw)| !matches!((number % 2, main, fw), (_, 1, 0 | 1) | (1, 0, 1)))
        .collect();
    assert_eq!(wrong, [], "of {sent}");
    assert!(fw.contains(&1) && server.count("zone=dmz") != 0, "the revisions were live");
    println!("{sent} messages, longest pause {pause:?}, slowest change {slowest:?}");
}
