//! A server for tests: it answers each request with the next step of its script, and may hang, close or go on
//! forever.

use flate2::read::GzDecoder;
use logstead_config::{Compression, HttpServer, Period, Proxy, Url};
use logstead_flow::machine::folders::Folders;
use logstead_record::{Batch, BatchBuilder, Field, Origin, Priority, Row, Timestamp};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

const WAIT_MAX: Duration = Duration::from_secs(30);

/// The server's behaviour after an answer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AfterAnswer {
    Keep,
    Close,
    /// Sends nothing more until the client goes away.
    Hang,
    /// Repeats the last bytes until the client goes away.
    Repeat,
}

pub(super) struct PeerTurn {
    bytes: Vec<u8>,
    then: AfterAnswer,
}

/// A request that the server received.
pub(super) struct PeerRequest {
    /// The number of its connection, from 0.
    pub(super) connection: usize,
    pub(super) head: String,
    /// The body, decompressed.
    pub(super) body: Vec<u8>,
}

pub(super) struct Peer {
    pub(super) url: String,
    asked: Receiver<PeerRequest>,
}

impl PeerTurn {
    pub(super) fn bytes(bytes: &str, then: AfterAnswer) -> PeerTurn {
        PeerTurn { bytes: bytes.as_bytes().to_vec(), then }
    }
}

/// A complete response, after which the connection stays open.
pub(super) fn answer(status: u16, body: &str) -> PeerTurn {
    answer_with(status, "", body)
}

/// A complete response with headers, each with its line end.
pub(super) fn answer_with(status: u16, headers: &str, body: &str) -> PeerTurn {
    let length = body.len();
    let text = format!("HTTP/1.1 {status} Any\r\n{headers}Content-Length: {length}\r\n\r\n{body}");
    PeerTurn { bytes: text.into_bytes(), then: AfterAnswer::Keep }
}

impl Peer {
    pub(super) fn start(script: Vec<PeerTurn>) -> Peer {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (sender, asked) = channel();
        std::thread::spawn(move || serve(&listener, script, &sender));
        Peer { url, asked }
    }

    /// Waits for the next request.
    pub(super) fn asked(&self) -> PeerRequest {
        self.asked.recv_timeout(WAIT_MAX).unwrap()
    }

    /// The server as it is written in a router document.
    pub(super) fn server(&self) -> HttpServer {
        HttpServer {
            url: Url::parse(&self.url).unwrap(),
            user: None,
            password: None,
            password_file: None,
            connections: 1,
            headers: Vec::new(),
            compression: Compression::Gzip,
            timeout: Period::seconds(30),
            // The environment must not influence the tests.
            proxy: Proxy::parse("none").ok(),
            tls: None,
        }
    }
}

impl PeerRequest {
    pub(super) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

/// Serves connections one after the other, until the script ends.
fn serve(listener: &TcpListener, script: Vec<PeerTurn>, sender: &Sender<PeerRequest>) {
    let mut script = script.into_iter().peekable();
    for connection in 0.. {
        if script.peek().is_none() {
            return;
        }
        let (stream, _) = listener.accept().unwrap();
        stream.set_read_timeout(Some(WAIT_MAX)).unwrap();
        converse(&stream, connection, &mut script, sender);
    }
}

fn converse(
    stream: &TcpStream,
    connection: usize,
    script: &mut impl Iterator<Item = PeerTurn>,
    sender: &Sender<PeerRequest>,
) {
    let mut reader = BufReader::new(stream);
    while let Some((head, body)) = read_request(&mut reader) {
        sender.send(PeerRequest { connection, head, body }).ok();
        let Some(turn) = script.next() else { return };
        let mut stream = stream;
        let written = stream.write_all(&turn.bytes);
        match turn.then {
            AfterAnswer::Keep => {}
            AfterAnswer::Close => return,
            // Waits until the client closes at its deadline.
            AfterAnswer::Hang => drop(reader.read(&mut [0])),
            AfterAnswer::Repeat => while written.is_ok() && stream.write_all(&[b'x'; 65536]).is_ok() {},
        }
    }
}

fn read_request(reader: &mut impl BufRead) -> Option<(String, Vec<u8>)> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let length = header(&head, "content-length").and_then(|text| text.parse().ok()).unwrap_or_default();
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    if header(&head, "content-encoding") == Some("gzip") {
        let mut unpacked = Vec::new();
        GzDecoder::new(&body[..]).read_to_end(&mut unpacked).unwrap();
        body = unpacked;
    }
    Some((head, body))
}

/// The value of a header.
pub(super) fn header<'h>(head: &'h str, name: &str) -> Option<&'h str> {
    let mut pairs = head.lines().filter_map(|line| line.split_once(':'));
    pairs.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
}

/// Folders whose data directory is `folder`.
pub(super) fn folders(folder: &Path) -> Arc<Folders> {
    Arc::new(Folders::of_data(folder))
}

/// Messages that differ in their host and text; the first one has every column.
pub(super) fn batch(rows: usize) -> Batch {
    let received = Timestamp::from_nanos(1_700_000_000_000_000_001);
    let mut builder = BatchBuilder::new();
    builder.origin(Origin { source: b"in", peer: b"10.0.0.1:514", received });
    for (name, value) in [("user", "ann"), ("ip", "::1"), ("user", "b\"ob")] {
        builder.field(name.as_bytes(), value.as_bytes());
    }
    let time = Some(Timestamp::from_nanos(1_600_000_000_250_000_000));
    let first = Row { time, priority: Priority::new(38), ..Row::text(b"caf\xE9 \"one\"") };
    let first = first.with(Field::Host, b"web-1").with(Field::Program, b"sshd");
    builder.push(&first.with(Field::Pid, b"42").with(Field::Msgid, b"ID7"));
    for row in 1..rows {
        let host = format!("web-{}", row % 2);
        builder.push(&Row::text(format!("message {row}").as_bytes()).with(Field::Host, host.as_bytes()));
    }
    builder.seal()
}
