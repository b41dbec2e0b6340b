//! The receiver for a destination: of syslog over TCP, of RELP, or of `_bulk`. It only counts messages. It can be
//! stopped, and started again at the same address.

use anyhow::{Context as _, Result};
use clap::ValueEnum;
use logstead_client::relp;
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// Number of bytes that are read at a time.
const READ_BYTES: usize = 256 << 10;
/// Maximum size of a message or request, which limits the memory needed.
const PIECE_BYTES_MAX: usize = 64 << 20;
/// Ports below those that the kernel gives to connections, from 32768 on. A connection to one of the latter might
/// connect to itself while nothing listens on it.
const PORTS: std::ops::Range<u16> = 20_000..32_000;

/// The protocol of the receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SinkProtocol {
    /// Syslog over TCP, with octet counting
    Tcp,
    /// RELP
    Relp,
    /// Elasticsearch's `_bulk`
    Bulk,
}

/// Takes the messages that arrive.
pub(crate) trait TakeMessage: Send + Sync {
    /// Whether the message is accepted; only `_bulk` can report that it is not.
    fn take(&self, message: &[u8]) -> bool;
}

/// A running receiver; it ends its connections when it is dropped.
pub(crate) struct TestReceiver {
    address: SocketAddr,
    shared: Arc<ReceiverState>,
    thread: Option<JoinHandle<()>>,
}

struct ReceiverState {
    protocol: SinkProtocol,
    take: Arc<dyn TakeMessage>,
    connections: Mutex<Vec<TcpStream>>,
    is_stopping: AtomicBool,
}

/// A loopback address at which nothing listens.
pub(crate) fn nowhere() -> Result<SocketAddr> {
    let start = (std::process::id() % 5000) as u16 * 2;
    let ports = (PORTS.start + start..PORTS.end).chain(PORTS);
    let mut free = ports.map(|port| SocketAddr::from(([127, 0, 0, 1], port)));
    free.find(|address| TcpListener::bind(address).is_ok()).context("no port is free")
}

impl SinkProtocol {
    /// Its name in commands and documents.
    pub(crate) fn name(self) -> &'static str {
        match self {
            SinkProtocol::Tcp => "tcp",
            SinkProtocol::Relp => "relp",
            SinkProtocol::Bulk => "bulk",
        }
    }

    /// A destination for a router document that sends to this address.
    pub(crate) fn destination(self, id: &str, to: SocketAddr, keys: &str) -> String {
        let kind = match self {
            SinkProtocol::Tcp => format!("kind = \"syslog\"\nto = \"tcp://{to}\""),
            SinkProtocol::Relp => format!("kind = \"relp\"\nto = \"relp://{to}\"\nwindow = 1024"),
            SinkProtocol::Bulk => format!(
                "kind = \"elastic\"\nurl = \"http://{to}\"\nindex = \"logs-bench\"\ncompression = \"none\""
            ),
        };
        format!("[[destinations]]\nid = \"{id}\"\n{kind}\n{keys}")
    }
}

impl TestReceiver {
    pub(crate) fn start(
        protocol: SinkProtocol,
        address: SocketAddr,
        take: Arc<dyn TakeMessage>,
    ) -> Result<TestReceiver> {
        let listener = TcpListener::bind(address).with_context(|| format!("{address}"))?;
        let is_stopping = AtomicBool::new(false);
        let shared = Arc::new(ReceiverState { protocol, take, connections: Mutex::default(), is_stopping });
        let accepting = shared.clone();
        let thread = std::thread::spawn(move || accepting.accept(&listener));
        Ok(TestReceiver { address, shared, thread: Some(thread) })
    }
}

impl Drop for TestReceiver {
    fn drop(&mut self) {
        self.shared.is_stopping.store(true, Ordering::SeqCst);
        // This connection makes the thread notice that it has to stop.
        drop(TcpStream::connect(self.address));
        for connection in self.shared.open().drain(..) {
            // It may have ended already, so errors are ignored.
            connection.shutdown(Shutdown::Both).ok();
        }
        // A panic of the thread was already printed, and its messages are missing from the count.
        self.thread.take().map(JoinHandle::join);
    }
}

impl ReceiverState {
    fn accept(self: &Arc<ReceiverState>, listener: &TcpListener) {
        std::thread::scope(|scope| {
            for connection in listener.incoming() {
                if self.is_stopping.load(Ordering::SeqCst) {
                    return;
                }
                let Ok((connection, other)) = connection.and_then(|one| Ok((one.try_clone()?, one))) else {
                    continue;
                };
                self.open().push(other);
                // A connection may end at any time.
                scope.spawn(move || self.serve(connection).ok());
            }
        });
    }

    fn open(&self) -> MutexGuard<'_, Vec<TcpStream>> {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn serve(&self, mut connection: TcpStream) -> io::Result<()> {
        connection.set_nodelay(true)?;
        let (mut input, mut answers, mut chunk) = (Vec::new(), Vec::new(), vec![0; READ_BYTES]);
        loop {
            match connection.read(&mut chunk)? {
                0 => return Ok(()),
                length => input.extend_from_slice(&chunk[..length]),
            }
            let mut at = 0;
            while let Some(length) = self.next(&input[at..], &mut answers)? {
                at += length;
            }
            input.drain(..at);
            if PIECE_BYTES_MAX < input.len() {
                return Err(io::Error::other("a message without an end"));
            }
            connection.write_all(&answers)?;
            answers.clear();
        }
    }

    /// Takes the first message or request of the input; returns its length, or `None` while it is incomplete.
    fn next(&self, input: &[u8], answers: &mut Vec<u8>) -> io::Result<Option<usize>> {
        match self.protocol {
            SinkProtocol::Tcp => Ok(counted(input)?.map(|(message, length)| {
                self.take.take(message);
                length
            })),
            SinkProtocol::Relp => {
                let Some((frame, length)) = relp::read(input).map_err(io::Error::other)? else {
                    return Ok(None);
                };
                let answer: &[u8] = match frame.command {
                    b"open" => b"200 OK\nrelp_version=0\ncommands=syslog",
                    _ => b"200 OK",
                };
                if frame.command == b"syslog" {
                    self.take.take(frame.data);
                }
                relp::write(frame.txnr, "rsp", answer, answers);
                Ok(Some(length))
            }
            SinkProtocol::Bulk => {
                let Some((body, length)) = request(input)? else { return Ok(None) };
                self.bulk(body, answers)?;
                Ok(Some(length))
            }
        }
    }

    /// Each document has two lines: the action, and the document itself.
    fn bulk(&self, body: &[u8], answers: &mut Vec<u8>) -> io::Result<()> {
        let (mut items, mut errors) = (String::new(), false);
        let lines = body.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        for document in lines.skip(1).step_by(2) {
            let is_taken = self.take.take(document);
            errors |= !is_taken;
            items.push_str(if items.is_empty() { "" } else { "," });
            items.push_str(if is_taken {
                r#"{"create":{"status":201}}"#
            } else {
                r#"{"create":{"status":400,"error":{"type":"document_parsing_exception","reason":"a test"}}}"#
            });
        }
        let answer = format!(r#"{{"errors":{errors},"items":[{items}]}}"#);
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length:";
        write!(answers, "{head} {}\r\n\r\n{answer}", answer.len())
    }
}

/// The first message of a stream with octet counting, and its length including the count.
fn counted(input: &[u8]) -> io::Result<Option<(&[u8], usize)>> {
    let Some(digits) = input.iter().take(9).position(|byte| *byte == b' ') else {
        return if input.len() < 9 { Ok(None) } else { Err(io::Error::other("not a count")) };
    };
    let count = input[..digits]
        .iter()
        .try_fold(0, |count, byte| byte.is_ascii_digit().then(|| 10 * count + usize::from(byte - b'0')));
    let start = digits + 1;
    let end = start + count.ok_or_else(|| io::Error::other("not a count"))?;
    Ok(input.get(start..end).map(|message| (message, end)))
}

/// The body of the first request, and the total length of the request.
fn request(input: &[u8]) -> io::Result<Option<(&[u8], usize)>> {
    let Some(head) = input.windows(4).position(|four| four == b"\r\n\r\n") else { return Ok(None) };
    let text = std::str::from_utf8(&input[..head]).map_err(io::Error::other)?;
    let length = text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
    });
    let (start, length): (usize, usize) =
        (head + 4, length.ok_or_else(|| io::Error::other("a request without a length"))?);
    Ok(input.get(start..start + length).map(|body| (body, start + length)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_and_requests_are_told_apart() {
        assert_eq!(counted(b"3 abc4 ").unwrap(), Some((&b"abc"[..], 5)));
        assert_eq!(counted(b"12 abc").unwrap(), None);
        assert_eq!(counted(b"12").unwrap(), None);
        assert!(counted(b"x abc").is_err() && counted(b"1234567890 ").is_err());
        let head = "POST /_bulk HTTP/1.1\r\ncontent-length: 2\r\n\r\n";
        let whole = format!("{head}ab");
        assert_eq!(request(format!("{whole}POST").as_bytes()).unwrap(), Some((&b"ab"[..], whole.len())));
        assert_eq!(request(format!("{head}a").as_bytes()).unwrap(), None);
        assert!(request(b"GET / HTTP/1.1\r\n\r\n").is_err());
    }
}
