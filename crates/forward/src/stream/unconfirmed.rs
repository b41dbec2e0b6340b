//! The bytes written to a connection that its other end has not acknowledged. The kernel reports them through
//! `sock_diag(7)`, which needs no privilege and queries a single connection.
//!
//! | offset | size | of a question           | offset | size | of an answer                  |
//! |-------:|-----:|-------------------------|-------:|-----:|-------------------------------|
//! |      0 |    4 | its length              |      0 |    4 | its length                    |
//! |      4 |    2 | 20, by family           |      4 |    2 | 20, or 2 for an error         |
//! |      6 |    2 | 1: a request            |     16 |    1 | the family                    |
//! |      8 |    8 | number and port         |     68 |    4 | a time                        |
//! |     16 |    2 | family, protocol        |     72 |    4 | bytes to be read              |
//! |     18 |    2 | zero                    |     76 |    4 | bytes that are not confirmed  |
//! |     20 |    4 | states: any             |        |      |                               |
//! |     24 |    4 | ports: own, other       |        |      |                               |
//! |     28 |   32 | addresses: own, other   |        |      |                               |
//! |     60 |   12 | interface 0, any cookie |        |      |                               |
//!
//! Ports and addresses are in network byte order, everything else in that of the machine.

use nix::sys::socket::{
    AddressFamily, MsgFlags, NetlinkAddr, SockFlag, SockProtocol, SockType, recv, sendto, setsockopt, socket,
    sockopt,
};
use nix::sys::time::TimeVal;
use std::io;
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::os::fd::AsRawFd;

const QUESTION_BYTES: usize = 72;
const ANSWER_BYTES_MAX: usize = 4096;
/// The message type of request and response.
const BY_FAMILY: u16 = 20;
const UNCONFIRMED_AT: usize = 76;
/// Maximum wait: the kernel answers at once or not at all.
const ANSWER_WAIT_SECONDS: i64 = 1;

/// The number of unacknowledged bytes.
pub(super) fn unconfirmed(connection: &TcpStream) -> io::Result<u64> {
    let question = question(connection.local_addr()?, connection.peer_addr()?);
    let kernel = socket(
        AddressFamily::Netlink,
        SockType::Datagram,
        SockFlag::SOCK_CLOEXEC,
        SockProtocol::NetlinkSockDiag,
    )?;
    setsockopt(&kernel, sockopt::ReceiveTimeout, &TimeVal::new(ANSWER_WAIT_SECONDS, 0))?;
    sendto(kernel.as_raw_fd(), &question, &NetlinkAddr::new(0, 0), MsgFlags::empty())?;
    let mut answer = [0; ANSWER_BYTES_MAX];
    let length = recv(kernel.as_raw_fd(), &mut answer, MsgFlags::empty())?;
    read(answer.get(..length).unwrap_or_default())
        .ok_or_else(|| io::Error::other("the kernel does not say how much is confirmed"))
}

fn question(own: SocketAddr, other: SocketAddr) -> Vec<u8> {
    const TCP: u8 = 6;
    const REQUEST: u16 = 1;
    let family = if own.is_ipv4() { AddressFamily::Inet } else { AddressFamily::Inet6 };
    let mut bytes = Vec::with_capacity(QUESTION_BYTES);
    bytes.extend_from_slice(&(QUESTION_BYTES as u32).to_ne_bytes());
    bytes.extend_from_slice(&BY_FAMILY.to_ne_bytes());
    bytes.extend_from_slice(&REQUEST.to_ne_bytes());
    bytes.extend_from_slice(&[0; 8]);
    bytes.extend_from_slice(&[family as i32 as u8, TCP, 0, 0]);
    bytes.extend_from_slice(&u32::MAX.to_ne_bytes());
    bytes.extend_from_slice(&own.port().to_be_bytes());
    bytes.extend_from_slice(&other.port().to_be_bytes());
    for address in [own.ip(), other.ip()] {
        let mut octets = [0; 16];
        match address {
            IpAddr::V4(address) => octets[..4].copy_from_slice(&address.octets()),
            IpAddr::V6(address) => octets = address.octets(),
        }
        bytes.extend_from_slice(&octets);
    }
    let interface = if let SocketAddr::V6(other) = other { other.scope_id() } else { 0 };
    bytes.extend_from_slice(&interface.to_ne_bytes());
    bytes.extend_from_slice(&[0xff; 8]);
    bytes
}

fn read(answer: &[u8]) -> Option<u64> {
    let kind = answer.get(4..)?.first_chunk()?;
    let bytes = answer.get(UNCONFIRMED_AT..)?.first_chunk()?;
    (u16::from_ne_bytes(*kind) == BY_FAMILY).then(|| u32::from_ne_bytes(*bytes).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::time::{Duration, Instant};

    #[test]
    #[expect(clippy::disallowed_methods, reason = "what counts is how much of a write was taken")]
    fn what_a_full_receiver_has_no_room_for_is_not_confirmed_until_it_reads() {
        for address in ["127.0.0.1:0", "[::1]:0"] {
            let Ok(listener) = TcpListener::bind(address) else { continue };
            let mut sender = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            let (mut receiver, _) = listener.accept().unwrap();
            sender.set_nonblocking(true).unwrap();
            let mut sent = 0;
            let bytes = vec![0; 1 << 20];
            while let Ok(more) = sender.write(&bytes) {
                sent += more;
            }
            assert!(0 < unconfirmed(&sender).unwrap());
            let mut got = 0;
            let mut buffer = vec![0; 1 << 20];
            while got < sent {
                got += receiver.read(&mut buffer).unwrap();
            }
            let start = Instant::now();
            while 0 < unconfirmed(&sender).unwrap() {
                assert!(start.elapsed() < Duration::from_secs(30), "all of it was read");
            }
        }
    }
}
