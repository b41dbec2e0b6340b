//! One stream connection: TCP, a unix socket, or TLS over TCP.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::{TcpStream, UnixStream};
use tokio_rustls::server::TlsStream;

/// The minimum buffer space for a read.
const READ_BYTES_MIN: usize = 4 << 10;
/// The maximum time for closing.
const CLOSE_WAIT_MAX: Duration = Duration::from_secs(1);
/// The maximum number of bytes that TLS returns at once.
const TLS_RECORD_BYTES: usize = 16 << 10;

pub(super) enum SourceConnection {
    Tcp(TcpStream),
    Unix(UnixStream),
    Tls(Box<TlsStream<TcpStream>>),
}

impl SourceConnection {
    /// Waits until there is something to read, or the stream has ended.
    pub(super) async fn readable(&self) -> io::Result<()> {
        match self {
            SourceConnection::Tcp(stream) => stream.readable().await,
            SourceConnection::Unix(stream) => stream.readable().await,
            SourceConnection::Tls(stream) => stream.get_ref().0.readable().await,
        }
    }

    /// Reads until nothing is available or `bytes` has reached `bytes_max`; returns whether the stream has ended.
    ///
    /// **Invariant:** after less than `bytes_max` bytes, nothing readable is left inside of TLS, so that waiting
    /// for the socket means waiting for new data.
    pub(super) fn read_all_there_is(&mut self, bytes: &mut Vec<u8>, bytes_max: usize) -> bool {
        while bytes.len() < bytes_max {
            if bytes.capacity() - bytes.len() < READ_BYTES_MIN {
                bytes.reserve(bytes.len().max(READ_BYTES_MIN));
            }
            match self.try_read(bytes) {
                Ok(0) => return true,
                Ok(_) => {}
                Err(error) => return error.kind() != io::ErrorKind::WouldBlock,
            }
        }
        false
    }

    fn try_read(&mut self, bytes: &mut Vec<u8>) -> io::Result<usize> {
        match self {
            SourceConnection::Tcp(stream) => stream.try_read_buf(bytes),
            SourceConnection::Unix(stream) => stream.try_read_buf(bytes),
            SourceConnection::Tls(stream) => try_read_tls(stream, bytes),
        }
    }

    /// Whether something may be left to read that the socket does not report.
    pub(super) fn may_hold_more(&self) -> bool {
        matches!(self, SourceConnection::Tls(_))
    }

    /// Writes all of these bytes.
    pub(super) async fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            SourceConnection::Tcp(stream) => stream.write_all(bytes).await,
            SourceConnection::Unix(stream) => stream.write_all(bytes).await,
            SourceConnection::Tls(stream) => {
                stream.write_all(bytes).await?;
                stream.flush().await
            }
        }
    }

    /// Closes properly, so that the sender knows that nothing was cut off. The sender may be gone already, or may not
    /// read any more.
    pub(super) async fn close(&mut self) {
        let stream: &mut (dyn AsyncWrite + Unpin + Send) = match self {
            SourceConnection::Tcp(stream) => stream,
            SourceConnection::Unix(stream) => stream,
            SourceConnection::Tls(stream) => stream.as_mut(),
        };
        tokio::time::timeout(CLOSE_WAIT_MAX, stream.shutdown()).await.ok();
    }
}

/// Reads the bytes that TLS has, or can decrypt from the socket, without waiting.
fn try_read_tls(stream: &mut TlsStream<TcpStream>, bytes: &mut Vec<u8>) -> io::Result<usize> {
    let start = bytes.len();
    let room = (bytes.capacity() - start).clamp(READ_BYTES_MIN, TLS_RECORD_BYTES);
    bytes.resize(start + room, 0);
    let mut buffer = ReadBuf::new(&mut bytes[start..]);
    // Waiting is done through `readable`, which keeps its own waker.
    let polled = Pin::new(stream).poll_read(&mut Context::from_waker(Waker::noop()), &mut buffer);
    let read = buffer.filled().len();
    bytes.truncate(start + read);
    match polled {
        Poll::Ready(Ok(())) => Ok(read),
        Poll::Ready(Err(error)) => Err(error),
        Poll::Pending => Err(io::ErrorKind::WouldBlock.into()),
    }
}
