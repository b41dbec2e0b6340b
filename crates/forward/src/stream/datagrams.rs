//! Syslog over UDP, one message per datagram. Arrival is not confirmed: a lost datagram is a lost message.

use super::connect::resolve;
use super::failover::Failover;
use super::render;
use crate::sink::{MessageSink, OutgoingMessage, SendFailure, SendReport};
use logstead_config::{Addresses, ForwardFormat, SyslogServer};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

/// Maximum size of a datagram over IPv4.
const DATAGRAM_BYTES_MAX: usize = 65_507;
/// How long a resolved address is used.
const ADDRESS_AGE_MAX: Duration = Duration::from_secs(60);
/// How long the system may accept no datagrams.
const WRITE_WAIT_MAX: Duration = Duration::from_secs(30);

pub(super) struct Datagrams {
    servers: Addresses,
    failover: Failover,
    format: ForwardFormat,
    open: Option<OpenSocket>,
    message: Vec<u8>,
}

/// A socket that sends to one server.
struct OpenSocket {
    socket: UdpSocket,
    server: String,
    since: Instant,
}

impl Datagrams {
    pub(super) fn new(config: &SyslogServer) -> Datagrams {
        let servers = config.to.clone();
        let failover = Failover::new(servers.as_slice().len());
        Datagrams { servers, failover, format: config.format, open: None, message: Vec::new() }
    }

    /// The socket, unless its address is too old. If a new one cannot be opened, the old one is still used.
    fn take(&mut self) -> Result<OpenSocket, SendFailure> {
        let now = Instant::now();
        if self.failover.may_return(now) {
            self.failover.chose(0, now);
            self.open = None;
        }
        let kept = match self.open.take() {
            Some(open) if open.since.elapsed() < ADDRESS_AGE_MAX => return Ok(open),
            kept => kept,
        };
        self.connect(now).or_else(|reasons| kept.ok_or_else(|| SendFailure::wait(reasons)))
    }

    fn connect(&mut self, now: Instant) -> Result<OpenSocket, String> {
        let mut reasons = Vec::new();
        for at in self.failover.order() {
            let server = &self.servers.as_slice()[at];
            let opened = resolve(server)
                .and_then(|found| connected(&found).map_err(|error| format!("{server}: {error}")));
            match opened {
                Ok(socket) => {
                    self.failover.chose(at, now);
                    return Ok(OpenSocket { socket, server: server.to_string(), since: now });
                }
                Err(reason) => reasons.push(reason),
            }
        }
        Err(reasons.join("; "))
    }

    fn write(&mut self, socket: &UdpSocket, messages: &[OutgoingMessage<'_>]) -> std::io::Result<SendReport> {
        let mut sent = SendReport::default();
        for (at, message) in messages.iter().enumerate() {
            render::write(self.format, message, &mut self.message);
            let length = self.message.len();
            if DATAGRAM_BYTES_MAX < length {
                let reason =
                    format!("its {length} bytes do not fit in a datagram, which holds {DATAGRAM_BYTES_MAX}");
                sent.refused.push((at, reason));
                continue;
            }
            socket.send(&self.message)?;
            sent.bytes += length;
        }
        // If the server has no socket at this port, this reports it.
        socket.take_error()?.map_or(Ok(sent), Err)
    }
}

impl MessageSink for Datagrams {
    fn send(&mut self, messages: &[OutgoingMessage<'_>]) -> Result<SendReport, SendFailure> {
        let open = self.take()?;
        match self.write(&open.socket, messages) {
            Ok(sent) => {
                self.open = Some(open);
                Ok(sent)
            }
            Err(error) => {
                self.failover.failed(Instant::now());
                Err(SendFailure::wait(format!("{}: {error}", open.server)))
            }
        }
    }
}

/// A socket connected to the first address for which that works.
fn connected(found: &[SocketAddr]) -> std::io::Result<UdpSocket> {
    let mut last = std::io::Error::other("the name has no address");
    for address in found {
        let any = match address {
            SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
            SocketAddr::V6(_) => SocketAddr::from((Ipv6Addr::UNSPECIFIED, 0)),
        };
        match UdpSocket::bind(any).and_then(|socket| socket.connect(address).map(|()| socket)) {
            Ok(socket) => {
                socket.set_write_timeout(Some(WRITE_WAIT_MAX))?;
                return Ok(socket);
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use logstead_config::{Address, ForwardFraming, Transport};
    use logstead_record::{BatchBuilder, Origin, Row, Timestamp};

    fn sink(ports: &[u16]) -> Datagrams {
        let address =
            |port: &u16| Address { transport: Transport::Udp, host: "127.0.0.1".to_owned(), port: *port };
        Datagrams::new(&SyslogServer {
            to: Addresses::new(ports.iter().map(address).collect()).unwrap(),
            format: ForwardFormat::Raw,
            framing: ForwardFraming::Octet,
            tls: None,
        })
    }

    fn server() -> (UdpSocket, u16) {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let port = socket.local_addr().unwrap().port();
        (socket, port)
    }

    /// Sends texts as messages.
    fn send(sink: &mut Datagrams, texts: &[&[u8]]) -> Result<SendReport, SendFailure> {
        let mut builder = BatchBuilder::new();
        builder.origin(Origin { source: b"s", peer: b"p", received: Timestamp::default() });
        texts.iter().for_each(|text| builder.push(&Row::text(text)));
        let batch = builder.seal();
        let messages: Vec<_> = (0..batch.rows())
            .map(|row| OutgoingMessage { batch: &batch, row, sequence: row as u64 })
            .collect();
        sink.send(&messages)
    }

    fn received(server: &UdpSocket) -> Vec<u8> {
        let mut datagram = [0; 1000];
        let length = server.recv(&mut datagram).unwrap();
        datagram[..length].to_vec()
    }

    #[test]
    fn every_message_is_a_datagram_and_one_that_is_too_long_is_refused() {
        let (server, port) = server();
        let long = vec![b'x'; DATAGRAM_BYTES_MAX + 1];
        let sent = send(&mut sink(&[port]), &[b"one", &long, b"two\n"]).unwrap();
        let reason = "its 65508 bytes do not fit in a datagram, which holds 65507".to_owned();
        assert_eq!(sent, SendReport { bytes: 7, refused: vec![(1, reason)], ..SendReport::default() });
        assert_eq!((received(&server), received(&server)), (b"one".to_vec(), b"two\n".to_vec()));
    }

    #[test]
    fn a_server_that_is_not_there_is_noticed_and_the_next_one_used() {
        let ((first, first_port), (second, second_port)) = (server(), server());
        drop(first);
        let mut alone = sink(&[first_port]);
        assert!(send(&mut alone, &[b"a"]).unwrap_err().reason.contains("refused"));
        let mut sink = sink(&[first_port, second_port]);
        assert!(send(&mut sink, &[b"a"]).is_err());
        send(&mut sink, &[b"a"]).unwrap();
        assert_eq!(received(&second), b"a");
    }
}
