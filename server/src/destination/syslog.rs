//! Forwards messages as syslog over TCP: as they were received, or rewritten as RFC 5424.

use super::sink::{Failure, Message, Sent, Sink};
use logstead_config::{ForwardFormat, ForwardFraming, SyslogServer};
use logstead_record::{Batch, Priority};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

const CONNECT_WAIT_MAX: Duration = Duration::from_secs(5);
/// How long a peer may accept no bytes before the connection counts as broken.
const WRITE_WAIT_MAX: Duration = Duration::from_secs(30);
/// The SD-ID of fields that did not come as structured data. 32473 is the number set aside for examples.
const FIELDS_ID: &[u8] = b"fields@32473";

pub(super) struct Syslog {
    address: (String, u16),
    format: ForwardFormat,
    framing: ForwardFraming,
    connection: Option<TcpStream>,
    message: Vec<u8>,
    out: Vec<u8>,
}

impl Syslog {
    pub(super) fn new(config: &SyslogServer) -> Syslog {
        Syslog {
            address: (config.to.host.clone(), config.to.port),
            format: config.format,
            framing: config.framing,
            connection: None,
            message: Vec::new(),
            out: Vec::new(),
        }
    }

    fn connected(&mut self) -> io::Result<&mut TcpStream> {
        if self.connection.as_mut().is_some_and(has_hung_up) {
            self.connection = None;
        }
        match &mut self.connection {
            Some(connection) => Ok(connection),
            none => Ok(none.insert(connect(&self.address)?)),
        }
    }
}

impl Sink for Syslog {
    fn send(&mut self, messages: &[Message<'_>]) -> Result<Sent, Failure> {
        self.out.clear();
        for &Message { batch, row, .. } in messages {
            self.message.clear();
            match self.format {
                ForwardFormat::Raw => batch.write_raw(row, &mut self.message),
                ForwardFormat::Rfc5424 => write_rfc5424(batch, row, &mut self.message),
            }
            frame(self.framing, &mut self.message, &mut self.out);
        }
        let out = std::mem::take(&mut self.out);
        let sent = self.connected().and_then(|connection| connection.write_all(&out));
        self.out = out;
        if sent.is_err() {
            self.connection = None;
        }
        sent?;
        Ok(Sent::all(self.out.len()))
    }
}

fn connect((host, port): &(String, u16)) -> io::Result<TcpStream> {
    let mut last = io::Error::new(ErrorKind::NotFound, format!("{host} has no address"));
    for address in (host.as_str(), *port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, CONNECT_WAIT_MAX) {
            Ok(connection) => {
                connection.set_nodelay(true)?;
                connection.set_write_timeout(Some(WRITE_WAIT_MAX))?;
                return Ok(connection);
            }
            Err(error) => last = io::Error::new(error.kind(), format!("{address}: {error}")),
        }
    }
    Err(last)
}

/// A syslog receiver sends nothing: if there is something to read, it has closed the connection.
fn has_hung_up(connection: &mut TcpStream) -> bool {
    if connection.set_nonblocking(true).is_err() {
        return true;
    }
    let mut said = [0; 64];
    let closed = match connection.read(&mut said) {
        Ok(0) => true,
        Ok(_) => false,
        Err(error) => error.kind() != ErrorKind::WouldBlock,
    };
    closed || connection.set_nonblocking(false).is_err()
}

/// Appends the framed message. A line must not hold a line end: it becomes a space.
fn frame(framing: ForwardFraming, message: &mut [u8], out: &mut Vec<u8>) {
    match framing {
        ForwardFraming::Octet => {
            out.extend_from_slice(format!("{} ", message.len()).as_bytes());
            out.extend_from_slice(message);
        }
        ForwardFraming::Newline => {
            message.iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = b' ');
            out.extend_from_slice(message);
            out.push(b'\n');
        }
    }
}

/// Appends the message in RFC 5424's form.
fn write_rfc5424(batch: &Batch, row: usize, out: &mut Vec<u8>) {
    let priority = batch.priority(row).unwrap_or(Priority::DEFAULT);
    out.extend_from_slice(format!("<{}>1 ", priority.number()).as_bytes());
    batch.time(row).write_rfc3339(out, 6);
    for part in [batch.host(row), batch.program(row), batch.pid(row), batch.msgid(row)] {
        out.push(b' ');
        write_name(if part.is_empty() { b"-" } else { part }, out);
    }
    out.push(b' ');
    write_structured_data(batch, row, out);
    out.push(b' ');
    out.extend_from_slice(batch.message(row));
}

fn write_structured_data(batch: &Batch, row: usize, out: &mut Vec<u8>) {
    let mut open: Option<&[u8]> = None;
    for (name, value) in batch.fields(row) {
        let (id, parameter) = match memchr::memrchr(b'.', name) {
            Some(dot) if 0 < dot => (&name[..dot], &name[dot + 1..]),
            _ => (FIELDS_ID, name),
        };
        if open != Some(id) {
            out.extend_from_slice(if open.is_some() { b"][" } else { b"[" });
            write_name(id, out);
            open = Some(id);
        }
        out.push(b' ');
        write_name(parameter, out);
        out.extend_from_slice(b"=\"");
        for &byte in value {
            if matches!(byte, b'"' | b'\\' | b']') {
                out.push(b'\\');
            }
            out.push(byte);
        }
        out.push(b'"');
    }
    out.extend_from_slice(if open.is_some() { b"]" } else { b"-" });
}

/// A name holds printable ASCII without `=`, `]`, `"` and space; anything else becomes `_`.
fn write_name(name: &[u8], out: &mut Vec<u8>) {
    out.extend(name.iter().map(|&byte| match byte {
        b'=' | b']' | b'"' => b'_',
        0x21..=0x7E => byte,
        _ => b'_',
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use logstead_config::Address;
    use logstead_record::{BatchBuilder, Field, Origin, Row, Timestamp};
    use std::io::BufRead;
    use std::net::TcpListener;

    fn batch() -> Batch {
        let received = Timestamp::parse_rfc3339(b"2026-11-21T06:13:00Z").unwrap();
        let mut builder = BatchBuilder::new();
        builder.origin(Origin { source: b"s", peer: b"p", received });
        builder.field(b"x@1.a", b"1");
        builder.field(b"user", b"a\"b");
        builder.push(&Row::text(b"two\nlines").with(Field::Host, b"web 1"));
        builder.seal()
    }

    #[test]
    fn a_message_is_written_anew_as_rfc_5424() {
        let mut out = Vec::new();
        write_rfc5424(&batch(), 0, &mut out);
        let expected = "<13>1 2026-11-21T06:13:00.000000Z web_1 - - - \
                        [x@1 a=\"1\"][fields@32473 user=\"a\\\"b\"] two\nlines";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn a_peer_that_went_away_is_connected_to_again() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut sink = Syslog::new(&SyslogServer {
            to: Address { host: "127.0.0.1".to_owned(), port: listener.local_addr().unwrap().port() },
            format: ForwardFormat::Raw,
            framing: ForwardFraming::Newline,
        });
        let batch = batch();
        let messages = [Message { batch: &batch, row: 0, sequence: 0 }];
        for _ in 0..2 {
            sink.send(&messages).unwrap();
            let (peer, _) = listener.accept().unwrap();
            let mut line = String::new();
            io::BufReader::new(&peer).read_line(&mut line).unwrap();
            assert_eq!(line, "two lines\n");
            peer.shutdown(std::net::Shutdown::Both).unwrap();
            drop(peer);
            // The end of the connection is on its way: wait until it has arrived.
            while !has_hung_up(sink.connection.as_mut().unwrap()) {
                std::thread::yield_now();
            }
        }
        drop(listener);
        assert!(sink.send(&messages).is_err());
    }

    #[test]
    fn octet_counting_keeps_line_ends() {
        let mut out = Vec::new();
        frame(ForwardFraming::Octet, &mut b"a\nb".to_vec(), &mut out);
        assert_eq!(out, b"3 a\nb");
    }
}
