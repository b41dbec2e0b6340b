//! What one sender or the disk does is nobody else's trouble: senders that are slow, stuck or too many, and a disk that
//! is full. In each, the counters add up to what was sent.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

mod support;

use serde_json::Value;
use std::io::{ErrorKind, Write};
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use support::{Server, wait_until};

/// How long a message may take from its sender to a searcher while others do their worst, on a busy machine.
const DELAY_MAX: Duration = Duration::from_secs(5);

/// Each of two floods and the steady sender has a source.
const SOURCES: &str = r#"
version = 1
[[sources]]
id = "datagrams"
kind = "syslog"
listen = ["udp://127.0.0.1:0"]
[[sources]]
id = "stream"
kind = "syslog"
listen = ["tcp://127.0.0.1:0"]
[[sources]]
id = "steady"
kind = "syslog"
listen = ["tcp://127.0.0.1:0", "udp://127.0.0.1:0"]
[[logspaces]]
id = "main"
[[routes]]
id = "default"
where = '-"drop me"'
to = ["main"]
"#;

/// Sends one message after the other, each when the one before is found; the longest that one took.
fn steady(server: &Server, messages: usize) -> Duration {
    let mut stream = TcpStream::connect(server.address_of("steady", "tcp")).unwrap();
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let mut slowest = Duration::ZERO;
    for number in 0..messages {
        let start = Instant::now();
        stream.write_all(format!("<13>steady stream {number}\n").as_bytes()).unwrap();
        let datagram = format!("<13>steady datagram {number}");
        socket.send_to(datagram.as_bytes(), server.address_of("steady", "udp")).unwrap();
        server.wait_for("source:steady steady", 2 * (number as u64 + 1));
        slowest = slowest.max(start.elapsed());
    }
    slowest
}

/// Every message of a source that was received was stored, dropped for a reason, or wanted by no route.
fn assert_adds_up(server: &Server, sent: &[(&str, u64)]) {
    let queued = |id: &str| server.source(id)["queue_bytes"].as_u64().unwrap();
    wait_until("everything is stored", || sent.iter().all(|(id, _)| queued(id) == 0));
    let status = server.status();
    let mut received = 0;
    for (id, sent) in sent {
        let source = server.source(id);
        let (messages, dropped) = (source["messages"].as_u64().unwrap(), sum(&source["dropped"]));
        assert_eq!(messages + dropped, *sent, "{source}");
        received += messages;
    }
    let stored = status["logspaces"][0]["messages"].as_u64().unwrap();
    assert_eq!(received, stored + status["unrouted_messages"].as_u64().unwrap(), "{status}");
    assert_eq!(server.count("*"), stored);
}

/// Of all reasons.
fn sum(dropped: &Value) -> u64 {
    dropped.as_object().unwrap().values().map(|count| count.as_u64().unwrap()).sum()
}

/// Datagrams that the kernel had no room for, at the sockets of this port.
fn dropped_by_kernel(address: SocketAddr) -> u64 {
    let table = std::fs::read_to_string("/proc/net/udp").unwrap();
    let port = format!(":{:04X}", address.port());
    let lines =
        table.lines().filter(|line| line.split_whitespace().nth(1).is_some_and(|l| l.ends_with(&port)));
    lines.map(|line| line.split_whitespace().last().unwrap().parse::<u64>().unwrap()).sum()
}

#[test]
fn a_flood_of_datagrams_and_of_a_stream_holds_no_other_source_up() {
    let server = Server::start_with(SOURCES, &["memory.source_queue_max=1MiB"]);
    let (stream, datagrams) = (server.address_of("stream", "tcp"), server.address_of("datagrams", "udp"));
    let stop = AtomicBool::new(false);
    let (streamed, thrown) = std::thread::scope(|scope| {
        let streaming = scope.spawn(|| flood_stream(stream, &stop));
        let throwing = scope.spawn(|| flood_datagrams(datagrams, &stop));
        wait_until("both floods", || 0 < server.count("flood stream") && 0 < server.count("flood datagram"));
        let slowest = steady(&server, 50);
        stop.store(true, Ordering::Relaxed);
        assert!(slowest < DELAY_MAX, "a message took {slowest:?}");
        (streaming.join().unwrap(), throwing.join().unwrap())
    });
    wait_until("the last of the stream", || server.source("stream")["messages"] == streamed);
    wait_until("the last datagram", || received_datagrams(&server) + dropped_by_kernel(datagrams) == thrown);
    let arrived = received_datagrams(&server);
    assert_adds_up(&server, &[("stream", streamed), ("datagrams", arrived), ("steady", 100)]);
    assert_eq!(server.count("\"drop me\""), 0);
    assert_eq!(server.count("source:steady"), 100);
}

fn received_datagrams(server: &Server) -> u64 {
    let source = server.source("datagrams");
    source["messages"].as_u64().unwrap() + sum(&source["dropped"])
}

/// As fast as the receiver lets it; every eighth message is wanted by no route.
fn flood_stream(address: SocketAddr, stop: &AtomicBool) -> u64 {
    let mut stream = TcpStream::connect(address).unwrap();
    let mut sent = 0;
    let pack = "<13>flood stream\n".repeat(70) + &"<13>flood stream drop me\n".repeat(10);
    while !stop.load(Ordering::Relaxed) {
        stream.write_all(pack.as_bytes()).unwrap();
        sent += 80;
    }
    sent
}

/// As fast as it can.
fn flood_datagrams(address: SocketAddr, stop: &AtomicBool) -> u64 {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let mut sent = 0;
    while !stop.load(Ordering::Relaxed) {
        socket.send_to(b"<13>flood datagram", address).unwrap();
        sent += 1;
    }
    sent
}

#[test]
fn senders_that_are_slow_or_stuck_hold_no_other_sender_up() {
    let server = Server::start(SOURCES);
    let steady_stream = server.address_of("steady", "tcp");
    let mut stuck: Vec<TcpStream> = Vec::new();
    for beginning in ["", "<13>half a line", "999 <13>a tenth of a counted frame", "9"] {
        let mut sender = TcpStream::connect(steady_stream).unwrap();
        sender.write_all(beginning.as_bytes()).unwrap();
        stuck.push(sender);
    }
    let mut slow = TcpStream::connect(steady_stream).unwrap();
    slow.set_nodelay(true).unwrap();
    std::thread::scope(|scope| {
        let slowest = scope.spawn(|| steady(&server, 50));
        for byte in b"<13>slow stream\n" {
            let before = server.source("steady")["messages"].as_u64();
            slow.write_all(&[*byte]).unwrap();
            wait_until("others go on", || {
                slowest.is_finished() || before < server.source("steady")["messages"].as_u64()
            });
        }
        let slowest = slowest.join().unwrap();
        assert!(slowest < DELAY_MAX, "a message took {slowest:?}");
    });
    drop(stuck);
    server.wait_for("source:steady flag:incomplete", 3);
    assert_adds_up(&server, &[("steady", 100 + 1 + 3)]);
}

/// A small disk of its own.
struct SmallDisk {
    folder: PathBuf,
}

impl SmallDisk {
    fn mount(folder: &Path) -> SmallDisk {
        let mut command = Command::new("mount");
        command.args(["-t", "tmpfs", "-o", "size=24m", "logstead-test"]).arg(folder);
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success(),
            "this test needs a small disk and could not mount one: run it as root, or leave it out with \
             `--skip full_disk` ({said})"
        );
        SmallDisk { folder: folder.to_owned() }
    }

    /// Takes all the space that is left.
    fn fill(&self) {
        let mut ballast = std::fs::File::create(self.ballast()).unwrap();
        for bytes in [1 << 16, 1 << 12, 1] {
            let error = loop {
                if let Err(error) = ballast.write_all(&vec![0; bytes]) {
                    break error;
                }
            };
            assert_eq!(error.kind(), ErrorKind::StorageFull, "{error}");
        }
    }

    /// Gives it back.
    fn free(&self) {
        std::fs::remove_file(self.ballast()).unwrap();
    }

    fn ballast(&self) -> PathBuf {
        self.folder.join("ballast")
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Lazily: a server that the test has not ended may still have it open.
        Command::new("umount").arg("-l").arg(&self.folder).status().ok();
    }
}

#[test]
fn a_full_disk_holds_streams_back_drops_and_counts_datagrams_and_loses_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let mounted = tempfile::tempdir().unwrap();
    let disk = SmallDisk::mount(mounted.path());
    let settings = ["memory.source_queue_max=1MiB", "storage.journal_file_max=1MiB"];
    let server = Server::start_in(folder, mounted.path().join("data"), SOURCES, &settings);
    steady(&server, 5);
    disk.fill();

    let (stream, datagrams) = (server.address_of("stream", "tcp"), server.address_of("datagrams", "udp"));
    let mut sender = TcpStream::connect(stream).unwrap();
    sender.set_nonblocking(true).unwrap();
    let mut held = Held::default();
    let state = || server.status()["logspaces"][0]["state"].clone();
    wait_until("the stream is held back", || held.send(&mut sender) && state() == "failing");
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let mut thrown = 0;
    wait_until("datagrams are dropped", || {
        thrown += 200;
        for _ in 0..200 {
            socket.send_to(&[b'x'; 1000], datagrams).unwrap();
        }
        server.source("datagrams")["dropped"]["queue_full"].as_u64().is_some_and(|dropped| 0 < dropped)
    });
    assert_eq!(server.count("source:steady"), 10, "searches go on");

    disk.free();
    wait_until("the rest of the stream is sent", || held.finish(&mut sender));
    wait_until("the stream", || server.source("stream")["messages"] == held.lines);
    assert_eq!(state(), "ok");
    wait_until("the last datagram", || received_datagrams(&server) + dropped_by_kernel(datagrams) == thrown);
    let arrived = received_datagrams(&server);
    assert_adds_up(&server, &[("stream", held.lines), ("datagrams", arrived), ("steady", 10)]);
    assert_eq!(server.count("source:stream"), held.lines);
}

/// Lines on their way into a stream that may take only a part.
#[derive(Default)]
struct Held {
    lines: u64,
    left: Vec<u8>,
}

impl Held {
    /// Sends lines until no more are taken; says whether that is so.
    fn send(&mut self, stream: &mut TcpStream) -> bool {
        loop {
            if !self.finish(stream) {
                return true;
            }
            let lines = (0..100).map(|line| format!("<13>held {}\n", self.lines + line));
            self.left = lines.collect::<String>().into_bytes();
            self.lines += 100;
        }
    }

    /// Sends what is left; says whether all of it was taken.
    fn finish(&mut self, stream: &mut TcpStream) -> bool {
        while !self.left.is_empty() {
            match rustix::io::write(&*stream, &self.left) {
                Ok(written) => drop(self.left.drain(..written)),
                Err(rustix::io::Errno::AGAIN) => return false,
                Err(error) => panic!("the stream ends: {error}"),
            }
        }
        true
    }
}
