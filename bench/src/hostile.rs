//! Ten thousand hostile connections alongside regular senders and users: measures how much the latter are affected.
//!
//! Strangers are of five kinds. A stranger whose connection the server ends reconnects at once.
#![expect(clippy::disallowed_methods, reason = "strangers write what the system accepts and no more")]

use crate::measure::print;
use crate::server::{MeasuredServer, Server, router, source};
use crate::verdict::{self, MEMORY_TOLERANCE};
use crate::visitors::{self, RequestTimes};
use anyhow::Result;
use clap::Args;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::io::{ErrorKind, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Maximum time for 99 of 100 logins and searches.
const P99_MAX_MS: f64 = 1000.0;
/// The interval at which each stranger acts.
const ROUND: Duration = Duration::from_secs(1);
/// Number of connections that send messages: with few of them, waiting for acknowledgements would limit the rate.
const SENDERS: u64 = 16;
/// How long users pause between two requests.
const PAUSE: Duration = Duration::from_millis(200);
/// Maximum memory per connection.
const CONNECTION_BYTES: u64 = 48 << 10;
/// How much memory a server may take beyond the amount in its settings.
const BASE_BYTES: u64 = 128 << 20;
const NAME: &str = "ada";
const PASSWORD: &str = "correct horse battery staple";

#[derive(Args, Debug)]
pub(crate) struct Hostile {
    #[command(flatten)]
    subject: MeasuredServer,
    /// The data directory of the server; its contents are removed
    #[arg(long, default_value = "target/bench-hostile")]
    data: PathBuf,
    #[arg(long, default_value_t = 5.0)]
    minutes: f64,
    /// The number of hostile connections
    #[arg(long, default_value_t = 10_000)]
    connections: usize,
    /// Messages per second over RELP
    #[arg(long, default_value_t = 50_000)]
    rate: u64,
}

/// The behaviour of a stranger.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Attack {
    /// Sends nothing.
    Silent,
    /// Sends the head of a request, one byte per second.
    SlowHead,
    /// Sends the body of a login, one byte per second.
    SlowBody,
    /// Sends a login of 1 MiB except for its end.
    HugeLogin,
    /// Sends requests without reading responses; every tenth sends half a frame to the RELP port instead.
    Unread,
}

const KINDS: [Attack; 5] =
    [Attack::Silent, Attack::SlowHead, Attack::SlowBody, Attack::HugeLogin, Attack::Unread];

/// The addresses that strangers connect to.
#[derive(Clone, Copy)]
struct Doors {
    web: SocketAddr,
    relp: SocketAddr,
}

/// One stranger.
struct Stranger {
    kind: Attack,
    door: SocketAddr,
    is_web: bool,
    stream: Option<TcpStream>,
}

impl Hostile {
    pub(crate) fn run(&self) -> Result<()> {
        raise_file_limit();
        let router = router(&[source("relp", "relp", "connections_max = 2000\n")], "");
        let server = self.subject.serve(&self.data, &router)?;
        server
            .post("/users", &serde_json::json!({ "name": NAME, "password": PASSWORD, "role": "analyst" }))?;
        let doors = Doors { web: server.web()?, relp: server.address("relp")? };
        let connections = format!("--active-connections={SENDERS}");
        let load =
            self.subject.load(server.url("relp")?, self.rate / SENDERS, self.minutes, &[connections])?;
        let (stop, again) = (AtomicBool::new(false), AtomicU64::new(0));
        let (logins, searches) = (RequestTimes::default(), RequestTimes::default());
        let (peak, open) = std::thread::scope(|scope| {
            for kind in KINDS {
                let (stop, again) = (&stop, &again);
                scope.spawn(move || crowd(kind, self.connections / KINDS.len(), doors, again, stop));
            }
            scope.spawn(|| visitors::search(&server, PAUSE, &searches, &stop));
            scope.spawn(|| log_in(&server, &logins, &stop));
            let watched = self.watch(&server);
            stop.store(true, Ordering::Relaxed);
            watched
        })?;
        let load = load.end()?;
        let counters = server.counters()?;
        print(&format!("{} connections were reopened, {open} were open at the end", again.into_inner()))?;
        let limit =
            counters.get("memory_bytes_max") + BASE_BYTES + self.connections as u64 * CONNECTION_BYTES;
        let mebibytes = |bytes: u64| bytes >> 20;
        let took = |took: &RequestTimes| {
            let (failed, why) = took.failures();
            let figures = format!(
                "{} of {}, p50 {:.0} ms, p99 {:.0} ms {why}",
                took.count(),
                took.count() + failed,
                took.quantile(0.5),
                took.quantile(0.99)
            );
            (figures, failed == 0 && 0 < took.count() && took.quantile(0.99) <= P99_MAX_MS)
        };
        let [sent, acknowledged] = ["messages", "acknowledged"].map(|name| load.number(name) as u64);
        let (login, search) = (took(&logins), took(&searches));
        let sent_all = sent == acknowledged && 0 < sent && load.text("broken").is_empty();
        let rows = [
            (
                "messages",
                format!("{sent} sent, {acknowledged} acknowledged, p99 {}", load.text("latency p99")),
                sent_all,
            ),
            ("rate", format!("{:.0} a second", load.number("messages/s")), true),
            ("logins", login.0, login.1),
            ("searches", search.0, search.1),
            (
                "memory",
                format!("at most {} MiB, {} MiB allowed", mebibytes(peak), mebibytes(limit)),
                peak as f64 <= limit as f64 * (1.0 + MEMORY_TOLERANCE),
            ),
        ];
        verdict::tell(&rows)
    }

    /// The peak memory of the server, and the number of its connections at the end.
    fn watch(&self, server: &Server) -> Result<(u64, u64)> {
        let start = Instant::now();
        let mut peak = 0;
        while start.elapsed().as_secs_f64() < self.minutes * 60.0 {
            std::thread::sleep(ROUND);
            peak = peak.max(server.resident_bytes()?);
        }
        Ok((peak, server.counters()?.get("web_connections")))
    }
}

/// Keeps a number of hostile connections of one kind open.
fn crowd(kind: Attack, count: usize, doors: Doors, again: &AtomicU64, stop: &AtomicBool) {
    let mut strangers: Vec<Stranger> = (0..count).map(|number| Stranger::new(kind, number, doors)).collect();
    while !stop.load(Ordering::Relaxed) {
        let start = Instant::now();
        for stranger in &mut strangers {
            if !stranger.act() {
                again.fetch_add(1, Ordering::Relaxed);
            }
        }
        std::thread::sleep(ROUND.saturating_sub(start.elapsed()));
    }
}

impl Stranger {
    fn new(kind: Attack, number: usize, doors: Doors) -> Stranger {
        let is_web = kind != Attack::Unread || !number.is_multiple_of(10);
        Stranger { kind, door: if is_web { doors.web } else { doors.relp }, is_web, stream: None }
    }

    /// Acts once more; returns whether its connection was still open.
    fn act(&mut self) -> bool {
        let Some(stream) = &mut self.stream else {
            self.begin();
            return true;
        };
        let ask = "GET /api/v1/session HTTP/1.1\r\nhost: x\r\n\r\n".repeat(100);
        let more: &[u8] = match self.kind {
            Attack::Unread if self.is_web => ask.as_bytes(),
            Attack::SlowHead | Attack::SlowBody => b"x",
            Attack::Silent | Attack::HugeLogin | Attack::Unread => b"",
        };
        let is_there = is_there(stream) && written(stream, more);
        if !is_there {
            self.begin();
        }
        is_there
    }

    fn begin(&mut self) {
        self.stream = TcpStream::connect_timeout(&self.door, ROUND).ok();
        let Some(stream) = &mut self.stream else { return };
        let login = |bytes: usize| {
            format!(
                "POST /api/v1/session HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n\
                 content-length: {bytes}\r\n\r\n"
            )
        };
        let first = match self.kind {
            Attack::Silent => String::new(),
            Attack::SlowHead => "GET / HTTP/1.1\r\nhost: ".to_owned(),
            Attack::SlowBody => login(8000),
            Attack::HugeLogin => login(1 << 20) + &"x".repeat((1 << 20) - 67),
            Attack::Unread if self.is_web => "GET /api/v1/session HTTP/1.1\r\nhost: x\r\n\r\n".to_owned(),
            Attack::Unread => "1 syslog 100000 <13>half a frame".to_owned(),
        };
        stream.set_nonblocking(true).ok();
        written(stream, first.as_bytes());
    }
}

/// Whether the server has kept the connection open. Its output is not read.
fn is_there(stream: &TcpStream) -> bool {
    let mut byte = [0];
    match stream.peek(&mut byte) {
        Ok(read) => 0 < read,
        Err(error) => error.kind() == ErrorKind::WouldBlock,
    }
}

/// Writes what the system accepts; returns whether the connection is still open.
fn written(stream: &mut TcpStream, bytes: &[u8]) -> bool {
    match stream.write(bytes) {
        Ok(taken) => taken <= bytes.len(),
        Err(error) => error.kind() == ErrorKind::WouldBlock,
    }
}

/// A user who logs in repeatedly.
fn log_in(server: &Server, took: &RequestTimes, stop: &AtomicBool) {
    let login = serde_json::json!({ "name": NAME, "password": PASSWORD });
    while !stop.load(Ordering::Relaxed) {
        took.note(|| server.post_as_stranger("/session", &login).map(drop));
        std::thread::sleep(PAUSE);
    }
}

/// Raises the limit on open files as far as the system permits.
fn raise_file_limit() {
    let limit = getrlimit(Resource::Nofile);
    // If it cannot be raised, connections fail and are counted.
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }).ok();
}
