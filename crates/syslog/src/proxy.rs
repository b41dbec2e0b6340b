//! The PROXY protocol, versions 1 and 2: a proxy sends the real origin at the beginning of a connection.
//!
//! Version 1 is a line: `PROXY TCP4 192.0.2.7 198.51.100.1 40000 514\r\n`, or `PROXY UNKNOWN …\r\n`. The loggen of
//! syslog-ng sends it without the carriage return, which is accepted as well. Version 2 is binary:
//!
//! | offset | size   | field     | meaning                                                     |
//! |--------|--------|-----------|-------------------------------------------------------------|
//! |      0 |     12 | signature | [`SIGNATURE`]                                               |
//! |     12 |      1 | command   | `0x20`: the proxy's own connection; `0x21`: a client's      |
//! |     13 |      1 | family    | high half: 0 none, 1 IPv4, 2 IPv6, 3 Unix;                  |
//! |        |        |           | low half: 0 none, 1 stream, 2 datagram                      |
//! |     14 |      2 | length    | u16 BE, bytes that follow                                   |
//! |     16 | length | addresses | source, destination, their ports; then TLVs, skipped        |
//!
//! **Invariant:** nothing is read beyond the header. The bytes that follow may be TLS, which is read elsewhere.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

const SIGNATURE: &[u8; 12] = b"\r\n\r\n\0\r\nQUIT\n";
const LINE_PREFIX: &[u8] = b"PROXY ";
/// The maximum length of a line of version 1, with its end.
const LINE_BYTES_MAX: usize = 107;
/// The minimum length: `PROXY UNKNOWN` and `PROXY TCP6 :: :: 1 1`, with a newline.
const LINE_BYTES_MIN: usize = 14;
const TCP_LINE_BYTES_MIN: usize = 21;
/// The length of version 2's header up to the addresses.
const HEAD_BYTES: usize = 16;
/// The reason why the beginning of a connection is refused.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum HeaderError {
    /// It does not begin with the expected bytes.
    #[error(
        "the connection does not begin with a PROXY protocol header: does it come through the proxy, and does the \
         proxy send one?"
    )]
    Missing,
    /// It begins with a malformed header.
    #[error("the PROXY protocol header is malformed")]
    Malformed,
}

/// The header in the first bytes of a connection.
#[derive(Debug, PartialEq, Eq)]
pub enum ParsedHeader {
    /// The header is longer, by at least this many bytes.
    More(usize),
    /// The header is in the first `taken` bytes. Without a `peer`, the address of the connection is used.
    Header {
        /// Its length.
        taken: usize,
        /// The real client.
        peer: Option<SocketAddr>,
    },
}

/// Reads a header at the beginning of `bytes`.
pub fn parse(bytes: &[u8]) -> Result<ParsedHeader, HeaderError> {
    if bytes.is_empty() {
        Ok(ParsedHeader::More(LINE_BYTES_MIN.min(HEAD_BYTES)))
    } else if begins(bytes, SIGNATURE) {
        parse_binary(bytes)
    } else if begins(bytes, LINE_PREFIX) {
        parse_line(bytes)
    } else {
        Err(HeaderError::Missing)
    }
}

/// Whether `bytes` begin with `prefix`, or with as much of it as has arrived.
fn begins(bytes: &[u8], prefix: &[u8]) -> bool {
    let common = bytes.len().min(prefix.len());
    bytes[..common] == prefix[..common]
}

fn parse_line(bytes: &[u8]) -> Result<ParsedHeader, HeaderError> {
    let line = &bytes[..bytes.len().min(LINE_BYTES_MAX)];
    let Some(end) = memchr::memchr(b'\n', line) else {
        let missing = line_bytes_missing(line);
        let fits = line.len() + missing <= LINE_BYTES_MAX;
        return if fits { Ok(ParsedHeader::More(missing)) } else { Err(HeaderError::Malformed) };
    };
    let text = &line[LINE_PREFIX.len()..end];
    let text = text.strip_suffix(b"\r").unwrap_or(text);
    let peer = line_peer(text).ok_or(HeaderError::Malformed)?;
    Ok(ParsedHeader::Header { taken: end + 1, peer })
}

/// The minimum number of bytes that are missing from a line without an end.
fn line_bytes_missing(line: &[u8]) -> usize {
    let is_tcp = line.get(LINE_PREFIX.len()) == Some(&b'T');
    let line_bytes_min = if is_tcp { TCP_LINE_BYTES_MIN } else { LINE_BYTES_MIN };
    line_bytes_min.saturating_sub(line.len()).max(b"\n".len())
}

/// The client, from the text after `PROXY ` on a line. `None` if the line is not understood.
fn line_peer(text: &[u8]) -> Option<Option<SocketAddr>> {
    if text == b"UNKNOWN" || text.starts_with(b"UNKNOWN ") {
        return Some(None);
    }
    let fields: Vec<&str> = str::from_utf8(text).ok()?.split(' ').collect();
    let [family, source, destination, source_port, destination_port] = fields[..] else { return None };
    let address = |text: &str| match family {
        "TCP4" => text.parse().map(IpAddr::V4).ok(),
        "TCP6" => text.parse().map(IpAddr::V6).ok(),
        _ => None,
    };
    // The destination is not needed, but a header that is only half correct is refused.
    let (source, _) = (address(source)?, address(destination)?);
    let (source_port, _) = (port(source_port)?, port(destination_port)?);
    Some(Some(SocketAddr::new(source, source_port)))
}

/// A port as written in the protocol: digits without a leading zero.
fn port(text: &str) -> Option<u16> {
    let written_so =
        text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    text.parse().ok().filter(|_| written_so)
}

fn parse_binary(bytes: &[u8]) -> Result<ParsedHeader, HeaderError> {
    let Some((head, rest)) = bytes.split_first_chunk::<HEAD_BYTES>() else {
        return Ok(ParsedHeader::More(HEAD_BYTES - bytes.len()));
    };
    let own = match head[12] {
        0x20 => true,
        0x21 => false,
        _ => return Err(HeaderError::Malformed),
    };
    let length = usize::from(u16::from_be_bytes([head[14], head[15]]));
    let Some(addresses) = rest.get(..length) else {
        return Ok(ParsedHeader::More(length - rest.len()));
    };
    let peer = if own { None } else { binary_peer(head[13], addresses).ok_or(HeaderError::Malformed)? };
    Ok(ParsedHeader::Header { taken: HEAD_BYTES + length, peer })
}

/// The client, from the family and the addresses. `None` if they are not understood.
fn binary_peer(family: u8, addresses: &[u8]) -> Option<Option<SocketAddr>> {
    let (addresses_of, transport) = (family >> 4, family & 0xf);
    match (addresses_of, transport) {
        (0, 0..=2) | (1..=3, 0) => Some(None),
        (1, 1 | 2) => {
            source(addresses).map(|(source, port)| Some((Ipv4Addr::from_octets(source), port).into()))
        }
        (2, 1 | 2) => {
            source(addresses).map(|(source, port)| Some((Ipv6Addr::from_octets(source), port).into()))
        }
        // Two paths of 108 bytes, neither of which is an address that a message could be filed under.
        (3, 1 | 2) => (216 <= addresses.len()).then_some(None),
        _ => None,
    }
}

/// The source's address and port, from the bytes of source, destination, source's port and destination's port.
fn source<const BYTES: usize>(addresses: &[u8]) -> Option<([u8; BYTES], u16)> {
    let (source, rest) = addresses.split_first_chunk()?;
    let (_destination, ports) = rest.split_first_chunk::<BYTES>()?;
    let [high, low, ..] = *ports.first_chunk::<4>()?;
    Some((*source, u16::from_be_bytes([high, low])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A header of version 2.
    fn binary(command: u8, family: u8, addresses: &[u8]) -> Vec<u8> {
        let length = (addresses.len() as u16).to_be_bytes();
        [SIGNATURE.as_slice(), &[command, family], &length, addresses].concat()
    }

    fn tcp4() -> Vec<u8> {
        vec![192, 0, 2, 7, 198, 51, 100, 1, 0x9c, 0x40, 2, 2]
    }

    fn tcp6() -> Vec<u8> {
        let (source, destination) = (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 7), Ipv6Addr::LOCALHOST);
        [&source.octets()[..], &destination.octets(), &[0x9c, 0x40, 2, 2]].concat()
    }

    /// Checks the result of a whole header, for any number of bytes after it and any division into reads.
    fn check(header: &[u8], expected: Result<Option<&str>, HeaderError>) {
        let expected = expected.map(|peer| peer.map(|peer| peer.parse().unwrap()));
        let with_rest = [header, b"\x16\x03\x01 behind it"].concat();
        let parsed = parse(&with_rest);
        match &expected {
            Ok(peer) => assert_eq!(parsed, Ok(ParsedHeader::Header { taken: header.len(), peer: *peer })),
            Err(refused) => assert_eq!(parsed.as_ref(), Err(refused), "{}", header.escape_ascii()),
        }
        for piece_bytes in [1, 2, 7, 15, 16, usize::MAX] {
            let (found, read) = read_in_pieces(&with_rest, piece_bytes);
            assert_eq!(found, expected, "{} in pieces of {piece_bytes}", header.escape_ascii());
            assert!(expected.is_err() || read == header.len(), "{}", header.escape_ascii());
        }
    }

    /// The result of reading only as many bytes as are requested, and at most this many at once; also the number of
    /// bytes read.
    fn read_in_pieces(stream: &[u8], piece_bytes: usize) -> (Result<Option<SocketAddr>, HeaderError>, usize) {
        let mut read = 0;
        loop {
            match parse(&stream[..read]) {
                Ok(ParsedHeader::Header { peer, .. }) => return (Ok(peer), read),
                Ok(ParsedHeader::More(missing)) => read += missing.min(piece_bytes),
                Err(refused) => return (Err(refused), read),
            }
        }
    }

    #[test]
    fn a_line_says_who_is_connected() {
        let tcp4 = b"PROXY TCP4 192.0.2.7 198.51.100.1 40000 514\r\n";
        check(tcp4, Ok(Some("192.0.2.7:40000")));
        check(b"PROXY TCP6 2001:db8::7 ::1 40000 514\r\n", Ok(Some("[2001:db8::7]:40000")));
        check(b"PROXY TCP6 :: :: 0 0\r\n", Ok(Some("[::]:0")));
        check(b"PROXY TCP6 :: :: 1 1\r\n", Ok(Some("[::]:1")));
        check(b"PROXY UNKNOWN\r\n", Ok(None));
        check(b"PROXY UNKNOWN ffff:f...f:ffff \0\xff 65535\r\n", Ok(None));
        check(b"PROXY TCP4 192.0.2.7 198.51.100.1 40000 514\n", Ok(Some("192.0.2.7:40000")));
        check(b"PROXY UNKNOWN\n", Ok(None));
        let longest = format!("PROXY UNKNOWN {}\r\n", "x".repeat(LINE_BYTES_MAX - 16));
        check(longest.as_bytes(), Ok(None));
    }

    #[test]
    fn a_line_that_is_not_exactly_as_it_must_be_is_refused() {
        for line in [
            "PROXY TCP4 192.0.2.7 198.51.100.1 40000\r\n",
            "PROXY TCP4 192.0.2.7 198.51.100.1 40000 514 \r\n",
            "PROXY TCP4  192.0.2.7 198.51.100.1 40000 514\r\n",
            "PROXY TCP4 192.0.2.7 198.51.100.1 40000 65536\r\n",
            "PROXY TCP4 192.0.2.7 198.51.100.1 +40000 514\r\n",
            "PROXY TCP4 192.0.2.7 198.51.100.1 040000 514\r\n",
            "PROXY TCP4 192.0.2.7 198.51.100.1  514\r\n",
            "PROXY TCP4 192.0.2.007 198.51.100.1 40000 514\r\n",
            "PROXY TCP4 ::1 ::1 40000 514\r\n",
            "PROXY TCP6 192.0.2.7 198.51.100.1 40000 514\r\n",
            "PROXY UDP4 192.0.2.7 198.51.100.1 40000 514\r\n",
            "PROXY UNKNOWN\r\r\n",
            "PROXY UNKNOWNX\r\n",
            "PROXY  \r\n",
            "PROXY \r\n",
        ] {
            check(line.as_bytes(), Err(HeaderError::Malformed));
        }
        let endless = format!("PROXY UNKNOWN {}", "x".repeat(LINE_BYTES_MAX));
        check(endless.as_bytes(), Err(HeaderError::Malformed));
        let too_long = format!("PROXY UNKNOWN {}\r\n", "x".repeat(LINE_BYTES_MAX - 15));
        check(too_long.as_bytes(), Err(HeaderError::Malformed));
    }

    #[test]
    fn a_binary_header_says_who_is_connected() {
        for family in [0x11, 0x12] {
            check(&binary(0x21, family, &tcp4()), Ok(Some("192.0.2.7:40000")));
        }
        for family in [0x21, 0x22] {
            check(&binary(0x21, family, &tcp6()), Ok(Some("[2001:db8::7]:40000")));
        }
        let with_tlvs = [tcp4(), b"\x04\0\x03abc".to_vec(), vec![0xff; 5000]].concat();
        check(&binary(0x21, 0x11, &with_tlvs), Ok(Some("192.0.2.7:40000")));
        let longest = [tcp4(), vec![b'\n'; usize::from(u16::MAX) - 12]].concat();
        check(&binary(0x21, 0x11, &longest), Ok(Some("192.0.2.7:40000")));
    }

    #[test]
    fn a_proxy_s_own_connection_and_unknown_families_keep_the_real_peer() {
        check(&binary(0x20, 0x00, b""), Ok(None));
        check(&binary(0x20, 0x11, &tcp4()), Ok(None));
        check(&binary(0x20, 0xff, b"anything"), Ok(None));
        check(&binary(0x21, 0x00, b""), Ok(None));
        check(&binary(0x21, 0x00, b"anything"), Ok(None));
        check(&binary(0x21, 0x31, &[b'/'; 216]), Ok(None));
    }

    #[test]
    fn a_binary_header_that_is_not_as_it_must_be_is_refused() {
        check(&binary(0x11, 0x11, &tcp4()), Err(HeaderError::Malformed));
        check(&binary(0x22, 0x11, &tcp4()), Err(HeaderError::Malformed));
        check(&binary(0x21, 0x13, &tcp4()), Err(HeaderError::Malformed));
        check(&binary(0x21, 0x41, &tcp4()), Err(HeaderError::Malformed));
        check(&binary(0x21, 0x11, &tcp4()[..11]), Err(HeaderError::Malformed));
        check(&binary(0x21, 0x21, &tcp6()[..35]), Err(HeaderError::Malformed));
        check(&binary(0x21, 0x31, &[b'/'; 215]), Err(HeaderError::Malformed));
    }

    #[test]
    fn a_connection_without_a_header_is_refused_at_once() {
        for first in [
            "<13>a message\n", "<", "\u{16}\u{3}\u{1}", "GET / HTTP/1.1\r\n", "proxy TCP4", "PROXYX",
            "\r\n\r\nx",
        ] {
            check(first.as_bytes(), Err(HeaderError::Missing));
        }
    }

    proptest! {
        /// The bytes are random, after a beginning that leads far into the parser.
        #[test]
        fn garbage_never_panics_and_no_more_is_taken_than_there_is(
            beginning in prop_oneof![
                Just(Vec::new()), Just(SIGNATURE.to_vec()), Just(LINE_PREFIX.to_vec()),
                Just(b"PROXY TCP4 ".to_vec()), Just(binary(0x21, 0x11, b"")[..14].to_vec()),
            ],
            rest in proptest::collection::vec(any::<u8>(), 0..150),
        ) {
            let bytes = [beginning, rest].concat();
            match parse(&bytes) {
                Ok(ParsedHeader::Header { taken, .. }) => prop_assert!(taken <= bytes.len()),
                Ok(ParsedHeader::More(missing)) => prop_assert!(0 < missing),
                Err(_) => {}
            }
        }

        #[test]
        fn a_part_of_a_header_asks_for_no_more_than_its_rest(
            header in prop_oneof![
                Just(b"PROXY UNKNOWN\n".to_vec()), Just(b"PROXY TCP6 :: :: 1 1\n".to_vec()),
                Just(b"PROXY UNKNOWN\r\n".to_vec()), Just(b"PROXY TCP6 :: :: 1 1\r\n".to_vec()),
                Just(b"PROXY TCP4 1.1.1.1 1.1.1.1 1 1\r\n".to_vec()), Just(binary(0x21, 0x21, &tcp6())),
                Just(binary(0x20, 0, b"")),
            ],
            cut in 0_usize..100,
        ) {
            let part = &header[..cut % header.len()];
            match parse(part) {
                Ok(ParsedHeader::More(missing)) => prop_assert!(0 < missing && part.len() + missing <= header.len()),
                other => prop_assert!(false, "{other:?}"),
            }
        }
    }
}
