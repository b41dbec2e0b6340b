//! Reads the header of the PROXY protocol from a connection, and not a byte more, as TLS may follow.

use logstead_syslog::proxy::{self, ParsedHeader};
use std::io;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt};

/// The time that a header may take. The protocol asks for at least 3 s, within which a lost packet is sent again.
const WAIT_MAX: Duration = Duration::from_secs(5);

/// The reason why a connection does not begin with a header.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ProxyHeaderError {
    /// It begins with other bytes.
    #[error(transparent)]
    Header(#[from] proxy::HeaderError),
    /// The header did not arrive in time.
    #[error("the PROXY protocol header was not complete within {} s", WAIT_MAX.as_secs())]
    TimedOut,
    /// The proxy closed the connection.
    #[error("the connection ended before its PROXY protocol header was complete")]
    Closed,
}

/// Reads exactly the header; `None` if the real peer is the one that counts.
pub(crate) async fn read<S: AsyncRead + Unpin>(
    stream: &mut S,
) -> Result<Option<SocketAddr>, ProxyHeaderError> {
    read_within(WAIT_MAX, stream).await
}

async fn read_within<S: AsyncRead + Unpin>(
    wait_max: Duration,
    stream: &mut S,
) -> Result<Option<SocketAddr>, ProxyHeaderError> {
    tokio::time::timeout(wait_max, read_header(stream)).await.unwrap_or(Err(ProxyHeaderError::TimedOut))
}

async fn read_header<S: AsyncRead + Unpin>(stream: &mut S) -> Result<Option<SocketAddr>, ProxyHeaderError> {
    let mut bytes = Vec::new();
    loop {
        let missing = match proxy::parse(&bytes)? {
            ParsedHeader::Header { peer, .. } => return Ok(peer),
            ParsedHeader::More(missing) => missing,
        };
        // The bytes that have arrived are examined before more are read: a sender without a header is refused at
        // once, and a hostile length takes no memory.
        match stream.take(missing as u64).read_buf(&mut bytes).await {
            Ok(0) => return Err(ProxyHeaderError::Closed),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return Err(ProxyHeaderError::Closed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncWriteExt;

    #[tokio::test]
    async fn what_is_behind_the_header_is_left_in_the_connection() {
        let (mut near, mut far) = tokio::io::duplex(100);
        far.write_all(b"PROXY TCP4 192.0.2.7 198.51.100.1 40000 514\r\n\x16\x03\x01").await.unwrap();
        drop(far);
        assert_eq!(read(&mut near).await, Ok(Some(([192, 0, 2, 7], 40000).into())));
        let mut rest = Vec::new();
        near.read_to_end(&mut rest).await.unwrap();
        assert_eq!(rest, b"\x16\x03\x01");
    }

    #[tokio::test]
    async fn a_connection_without_a_header_is_refused_at_once() {
        let (mut near, mut far) = tokio::io::duplex(100);
        far.write_all(b"<").await.unwrap();
        assert_eq!(read(&mut near).await, Err(ProxyHeaderError::Header(proxy::HeaderError::Missing)));
    }

    #[tokio::test]
    async fn a_header_that_does_not_come_is_not_waited_for_without_end() {
        for part in ["", "PRO", "PROXY TCP4 1", "\r\n\r\n\0"] {
            let (mut near, mut far) = tokio::io::duplex(100);
            far.write_all(part.as_bytes()).await.unwrap();
            assert_eq!(read_within(Duration::ZERO, &mut near).await, Err(ProxyHeaderError::TimedOut));
            far.write_all(part.as_bytes()).await.ok();
            drop(far);
            assert!(read(&mut near).await.is_err());
        }
        let (mut near, far) = tokio::io::duplex(100);
        drop(far);
        assert_eq!(read(&mut near).await, Err(ProxyHeaderError::Closed));
    }
}
