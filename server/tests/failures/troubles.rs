//! Each message is stored exactly once, however often its sender tried, and arrives at least once at the destination,
//! whatever happens to its queue, with a kill meanwhile. Every trouble is combined with every kind of sender that
//! gets answers.
//!
//! A RELP session ends with the process and has no identity, so messages that were not acknowledged by then may be
//! stored twice. All others are stored once.
//!
//! Keywords: duplicate, retry, idempotency, damaged queue, exactly once.

use crate::support;

use logstead_client::relp;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use support::books::assert_closed;
use support::loads::Number;
use support::relp_server::{Arrived, Manners, RelpServer};
use support::small_disk::SmallDisk;
use support::{Server, TOKEN, free_port, wait_until};

/// The number of messages that a sender sends, and of those sent before the trouble begins.
const MESSAGES: u64 = 400;
const BEFORE: u64 = 100;
/// The greatest number of unacknowledged messages of a RELP session.
const WINDOW: usize = 16;
/// The runs of the messages that are checked, and of those that only fill the queue.
const RUN: u64 = 1;
const FILLING: u64 = 2;

/// The trouble with the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trouble {
    /// The destination is unavailable, and its queue is full.
    Full,
    /// The destination is unavailable, and its queue takes the messages.
    Failing,
    /// A file of the queue is unreadable for a while.
    Unreadable,
    /// The disk has no byte left.
    ZeroBytes,
}

/// The way in which messages are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Over HTTP with an `Idempotency-Key`.
    Key,
    /// Over HTTP as documents with ids.
    Bulk,
    /// Over RELP, in one session for as long as the process lives.
    Relp,
}

fn message(number: u64) -> String {
    format!("seq: {number}, thread: 0, runid: {RUN}, probe{number}end")
}

/// A sender that sends every message again until it is acknowledged.
struct Sender {
    kind: Kind,
    /// The current addresses of the server, which change with a restart.
    at: Mutex<(String, Option<SocketAddr>)>,
    acknowledged: Mutex<BTreeSet<u64>>,
    /// Only messages before this one may be sent.
    limit: AtomicU64,
    /// The number of times that messages were sent in a session that ended before they were acknowledged.
    unanswered: Mutex<BTreeMap<u64, u64>>,
    attempts: AtomicU64,
    is_stopping: AtomicBool,
}

impl Sender {
    fn new(kind: Kind, server: &Server) -> Sender {
        let sender = Sender {
            kind,
            at: Mutex::default(),
            acknowledged: Mutex::default(),
            limit: AtomicU64::new(BEFORE),
            unanswered: Mutex::default(),
            attempts: AtomicU64::new(0),
            is_stopping: AtomicBool::new(false),
        };
        sender.find(server);
        sender
    }

    /// Continues with the current addresses of the server.
    fn find(&self, server: &Server) {
        *self.at.lock().unwrap() = (server.web().to_owned(), Some(server.address("relp")));
    }

    fn count(&self) -> u64 {
        self.acknowledged.lock().unwrap().len() as u64
    }

    fn run(&self) {
        let agent: ureq::Agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(5)))
            .build()
            .into();
        while self.count() < MESSAGES && !self.is_stopping.load(Ordering::Relaxed) {
            let Some(next) = self.next(0) else {
                std::thread::sleep(Duration::from_millis(1));
                continue;
            };
            self.attempts.fetch_add(1, Ordering::Relaxed);
            match self.kind {
                // If the server is gone, it will come back.
                Kind::Relp => drop(self.session(next)),
                Kind::Key | Kind::Bulk => {
                    if self.request(&agent, next).is_some_and(|is_taken| is_taken) {
                        self.acknowledged.lock().unwrap().insert(next);
                    } else {
                        std::thread::yield_now();
                    }
                }
            }
        }
    }

    /// The first message, from this one on, that may be sent and is not acknowledged.
    fn next(&self, from: u64) -> Option<u64> {
        let acknowledged = self.acknowledged.lock().unwrap();
        (from..self.limit.load(Ordering::Relaxed)).find(|number| !acknowledged.contains(number))
    }

    /// Sends one message; returns whether it was accepted, if there was an answer.
    fn request(&self, agent: &ureq::Agent, number: u64) -> Option<bool> {
        let (web, _) = self.at.lock().unwrap().clone();
        let authorization = format!("Bearer {TOKEN}");
        let text = message(number);
        let answer = if self.kind == Kind::Key {
            let request = agent.post(format!("{web}/api/v1/ingest")).header("Authorization", authorization);
            request
                .header("Content-Type", "text/plain")
                .header("Idempotency-Key", number.to_string())
                .send(text.as_bytes())
        } else {
            let body = format!("{{\"create\":{{\"_id\":\"{number}\"}}}}\n{{\"message\":\"{text}\"}}\n");
            let request = agent.post(format!("{web}/_bulk")).header("Authorization", authorization);
            request.header("Content-Type", "application/x-ndjson").send(body.as_bytes())
        };
        let mut answer = answer.ok()?;
        let text = answer.body_mut().read_to_string().ok()?;
        // A conflict means that the document has been stored already.
        Some(answer.status() == 200 && (!text.contains("\"errors\":true") || text.contains("\"status\":409")))
    }

    /// Sends the remaining messages from this one on in one session, as long as the session lives and there are
    /// messages.
    fn session(&self, mut from: u64) -> io::Result<()> {
        let address = self.at.lock().unwrap().1.unwrap();
        let mut connection = TcpStream::connect(address)?;
        connection.set_read_timeout(Some(Duration::from_millis(50)))?;
        let mut output = Vec::new();
        relp::write(1, "open", b"relp_version=0\ncommands=syslog", &mut output);
        connection.write_all(&output)?;
        // The numbers of the unanswered messages, by their transaction numbers.
        let mut unanswered: BTreeMap<u32, u64> = BTreeMap::new();
        let (mut number, mut input, mut chunk) = (1, Vec::new(), vec![0; 16 << 10]);
        let mut ended = Ok(());
        loop {
            while unanswered.len() < WINDOW
                && let Some(next) = self.next(from)
            {
                from = next + 1;
                number += 1;
                output.clear();
                relp::write(number, "syslog", format!("<13>{}", message(next)).as_bytes(), &mut output);
                unanswered.insert(number, next);
                if let Err(error) = connection.write_all(&output) {
                    ended = Err(error);
                }
            }
            if unanswered.is_empty() || ended.is_err() || self.is_stopping.load(Ordering::Relaxed) {
                break;
            }
            match connection.read(&mut chunk) {
                Ok(0) => ended = Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(length) => input.extend_from_slice(&chunk[..length]),
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                }
                Err(error) => ended = Err(error),
            }
            let mut at = 0;
            while let Some((frame, length)) = relp::read(&input[at..]).map_err(io::Error::other)? {
                at += length;
                if let Some(answered) = unanswered.remove(&frame.txnr)
                    && frame.data.starts_with(b"200")
                {
                    self.acknowledged.lock().unwrap().insert(answered);
                }
            }
            input.drain(..at);
        }
        let mut times = self.unanswered.lock().unwrap();
        unanswered.into_values().for_each(|number| *times.entry(number).or_default() += 1);
        ended
    }
}

/// A server with its queue, and the receiver.
struct Scene {
    server: Server,
    to: SocketAddr,
    arrived: Arrived,
    disk: Option<SmallDisk>,
    data: PathBuf,
    _mounted: Option<tempfile::TempDir>,
}

impl Scene {
    fn new(trouble: Trouble) -> Scene {
        let to = SocketAddr::from(([127, 0, 0, 1], free_port()));
        let size = if trouble == Trouble::Full { "1MiB" } else { "10MiB" };
        let router = format!(
            "version = 1\n[[sources]]\nid = \"relp\"\nkind = \"relp\"\nlisten = [\"relp://127.0.0.1:0\"]\n\
             [[sources]]\nid = \"http\"\nkind = \"http\"\n[[logspaces]]\nid = \"main\"\n\
             [[destinations]]\nid = \"siem\"\nkind = \"relp\"\nto = \"relp://{to}\"\nformat = \"raw\"\n\
             queue = {{ size = \"{size}\" }}\n\
             [[routes]]\nid = \"filling\"\nwhere = '\"runid: {FILLING}\"'\nto = [\"siem\"]\nfinal = true\n\
             [[routes]]\nid = \"all\"\nto = [\"main\", \"siem\"]\n"
        );
        let folder = tempfile::tempdir().unwrap();
        let mounted = (trouble == Trouble::ZeroBytes).then(|| tempfile::tempdir().unwrap());
        let disk = mounted.as_ref().map(|mounted| SmallDisk::mount(mounted.path()));
        let data = mounted.as_ref().map_or(folder.path(), |mounted| mounted.path()).join("data");
        let settings = ["storage.journal_file_max=1MiB"];
        let server = Server::start_in(folder, data.clone(), &router, &settings);
        Scene { server, to, arrived: Arrived::default(), disk, data, _mounted: mounted }
    }

    fn journal(&self) -> PathBuf {
        self.data.join("queues/siem/journal")
    }

    /// Begins the trouble, during which the process is killed.
    fn begin(&mut self, trouble: Trouble, sender: &Sender) {
        match trouble {
            Trouble::Full => {
                let noise = |n: u64| (0..2000).map(|word| format!("{:x} ", word * n)).collect::<String>();
                let filling =
                    |n: u64| format!("seq: {n}, thread: 0, runid: {FILLING}, {}\n", noise(n)).repeat(20);
                let mut number = 1;
                while self.server.try_ingest(&filling(number)).is_ok() {
                    number += 1;
                }
                sender.limit.store(MESSAGES, Ordering::Relaxed);
                self.stalls(sender);
                self.server.kill();
            }
            Trouble::Failing => {
                sender.limit.store(MESSAGES, Ordering::Relaxed);
                wait_until("more are taken meanwhile", || BEFORE + 20 < sender.count());
                self.server.kill();
            }
            Trouble::Unreadable => {
                self.server.kill();
                sender.limit.store(MESSAGES, Ordering::Relaxed);
                // A folder in place of the journal's files acts like a failing disk: the files exist but cannot be
                // read.
                fs::rename(self.journal(), self.journal().with_extension("away")).unwrap();
                let away = fs::read_dir(self.journal().with_extension("away")).unwrap();
                for name in away.map(|entry| entry.unwrap().file_name()) {
                    fs::create_dir_all(self.journal().join(name)).unwrap();
                }
            }
            Trouble::ZeroBytes => {
                self.disk.as_ref().unwrap().fill();
                sender.limit.store(MESSAGES, Ordering::Relaxed);
                self.stalls(sender);
                self.server.kill();
                self.disk.as_ref().unwrap().fill_more();
            }
        }
        self.server.restart();
        sender.find(&self.server);
        if trouble == Trouble::Failing {
            return;
        }
        let attempts = sender.attempts.load(Ordering::Relaxed);
        let waits = || 0 < self.server.source("relp")["queue_bytes"].as_u64().unwrap();
        wait_until("the sender tries again", || {
            attempts + 3 < sender.attempts.load(Ordering::Relaxed) || waits()
        });
        assert!(sender.count() < MESSAGES, "the trouble came too late");
        // The process is killed once more while it tries.
        self.server.kill_and_restart();
        sender.find(&self.server);
    }

    /// Waits until no more messages are accepted.
    fn stalls(&self, sender: &Sender) {
        let failed = || sender.attempts.load(Ordering::Relaxed).saturating_sub(sender.count());
        let before = failed();
        wait_until("nothing more is taken", || match sender.kind {
            Kind::Key | Kind::Bulk => before + 5 < failed(),
            Kind::Relp => {
                let queue_error = self.server.status()["destinations"][0]["queue_error"].clone();
                let waits = 0 < self.server.source("relp")["queue_bytes"].as_u64().unwrap();
                waits && (queue_error.is_string() || self.server.ready().0 == 503)
            }
        });
    }

    fn end(&mut self, trouble: Trouble) {
        match trouble {
            Trouble::Full | Trouble::Failing => {}
            Trouble::Unreadable => {
                let broken = self.journal();
                fs::rename(&broken, broken.with_extension("broken")).unwrap();
                fs::rename(broken.with_extension("away"), &broken).unwrap();
                fs::remove_dir_all(broken.with_extension("broken")).unwrap();
            }
            Trouble::ZeroBytes => self.disk.as_ref().unwrap().free(),
        }
    }
}

/// Runs one combination; returns a description of the result.
fn endure(trouble: Trouble, kind: Kind) -> String {
    let mut scene = Scene::new(trouble);
    let sender = Arc::new(Sender::new(kind, &scene.server));
    std::thread::scope(|scope| {
        let sending = sender.clone();
        scope.spawn(move || sending.run());
        // If anything fails, the sender must end too.
        let _stopping = Stopping(&sender);
        let receiver = RelpServer::start(scene.to, &scene.arrived, Manners::Prompt);
        wait_until("some are taken", || sender.count() == BEFORE);
        if trouble != Trouble::ZeroBytes {
            drop(receiver);
            scene.begin(trouble, &sender);
        } else {
            scene.begin(trouble, &sender);
            drop(receiver);
        }
        scene.end(trouble);
        let _receiver = RelpServer::start(scene.to, &scene.arrived, Manners::Prompt);
        let before = sender.count();
        wait_until("more are taken", || before + 20 < sender.count() || sender.count() == MESSAGES);
        scene.server.kill_and_restart();
        sender.find(&scene.server);
        wait_until("all are taken", || sender.count() == MESSAGES);
        wait_until("all arrive", || scene.server.status()["destinations"][0]["queue_messages"] == 0);
        check(&scene, &sender, (trouble, kind))
    })
}

struct Stopping<'a>(&'a Sender);

impl Drop for Stopping<'_> {
    fn drop(&mut self) {
        self.0.is_stopping.store(true, Ordering::Relaxed);
    }
}

fn check(scene: &Scene, sender: &Sender, cell: (Trouble, Kind)) -> String {
    let mut stored: BTreeMap<u64, u64> = BTreeMap::new();
    for found in scene.server.search_all(&format!("\"runid: {RUN}\"")) {
        let number = Number::of(found["message"].as_str().unwrap()).unwrap();
        *stored.entry(number.number).or_default() += 1;
    }
    let unanswered = sender.unanswered.lock().unwrap();
    for number in 0..MESSAGES {
        let times = stored.get(&number).copied().unwrap_or(0);
        // Messages left unanswered by a session have no identity, so each such attempt may have stored one more.
        let most = 1 + unanswered.get(&number).copied().unwrap_or(0);
        assert!((1..=most).contains(&times), "{cell:?}: message {number} is stored {times} times");
        let arrived = Number { run: RUN, connection: 0, number };
        assert!(scene.arrived.has(&arrived), "{cell:?}: message {number} did not arrive");
    }
    assert_closed(&scene.server);
    let doubled = stored.values().filter(|times| 1 < **times).count();
    format!(
        "{cell:?}: {MESSAGES} messages in {} attempts, {} of them unanswered in a session, {doubled} doubled",
        sender.attempts.load(Ordering::Relaxed),
        unanswered.len()
    )
}

#[test]
fn with_a_full_queue_each_message_is_stored_once() {
    println!("{}", endure(Trouble::Full, Kind::Key));
}

#[test]
fn with_a_destination_that_is_away_each_message_is_stored_once() {
    println!("{}", endure(Trouble::Failing, Kind::Bulk));
}

#[test]
fn with_a_queue_that_cannot_be_read_each_message_is_stored_once() {
    println!("{}", endure(Trouble::Unreadable, Kind::Relp));
}

#[test]
fn with_a_full_disk_each_message_is_stored_once() {
    println!("{}", endure(Trouble::ZeroBytes, Kind::Key));
}

#[test]
#[ignore = "takes minutes"]
fn with_every_trouble_and_every_sender_each_message_is_stored_once_and_full_disk_too() {
    for trouble in [Trouble::Full, Trouble::Failing, Trouble::Unreadable, Trouble::ZeroBytes] {
        for kind in [Kind::Key, Kind::Bulk, Kind::Relp] {
            println!("{}", endure(trouble, kind));
        }
    }
}
