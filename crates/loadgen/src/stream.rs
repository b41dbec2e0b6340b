//! Sends frames end to end over a stream.
//!
//! **Invariant:** a frame that was begun is completed before the connection is closed, if the receiver accepts it in time.

#![expect(clippy::disallowed_methods, reason = "what counts is how much of a write was taken")]

use super::chunk::FrameChunk;
use super::counts::{ConnectionCounts, ConnectionError, EndCondition, is_timeout};
use super::socket::{Dial, LAST_WAIT_MAX, StreamSocket};
use super::transport::Transport;
use std::io::{self, Write};
use std::time::Instant;

/// Maximum size of a write; during a longer one, its thread would not notice that the time is up.
const WRITE_BYTES_MAX: usize = 1 << 20;

/// Frames over TCP, TLS or a unix stream.
pub(super) struct StreamTransport {
    dial: Dial,
    socket: Option<StreamSocket>,
    /// Maximum number of frames per write: one if small writes are to be measured.
    frames_max: Option<usize>,
}

impl StreamTransport {
    pub(super) fn new(dial: Dial, frames_max: Option<usize>) -> StreamTransport {
        StreamTransport { dial, socket: None, frames_max }
    }
}

impl Transport for StreamTransport {
    fn connect(&mut self) -> Result<(), ConnectionError> {
        self.socket = None;
        self.socket = Some(self.dial.connect()?);
        Ok(())
    }

    fn send(
        &mut self,
        chunk: &mut FrameChunk,
        until: &EndCondition<'_>,
        counts: &ConnectionCounts,
    ) -> Result<(), ConnectionError> {
        let socket = self.socket.as_mut().ok_or_else(|| ConnectionError::new("not connected"))?;
        // The number of bytes of the first pending frame that have been written, and since when nothing could be
        // written.
        let (mut begun_bytes, mut stuck) = (0, None);
        while 0 < chunk.pending() {
            let is_over = until.is_over();
            if is_over && begun_bytes == 0 {
                return Ok(());
            }
            let frames = if is_over { 1 } else { self.frames_max.unwrap_or(usize::MAX).min(chunk.pending()) };
            let rest = &chunk.first_frames(frames)[begun_bytes..];
            match write(socket, &rest[..rest.len().min(WRITE_BYTES_MAX)]) {
                Ok(0) => return Err(ConnectionError::new("the receiver accepts no more data")),
                Ok(taken) => {
                    stuck = None;
                    begun_bytes += taken;
                    let whole = chunk.whole_frames(begun_bytes);
                    let whole_bytes = chunk.advance(whole);
                    begun_bytes -= whole_bytes;
                    counts.sent(whole, whole_bytes);
                }
                Err(error) if is_timeout(&error) => {
                    let since = *stuck.get_or_insert_with(Instant::now);
                    if is_over && LAST_WAIT_MAX <= since.elapsed() {
                        return Err(ConnectionError::new(
                            "the receiver accepted only part of the last message",
                        ));
                    }
                }
                Err(error) => return Err(ConnectionError::io("sending", &error)),
            }
        }
        Ok(())
    }

    fn finish(&mut self, _: &ConnectionCounts) -> Result<(), ConnectionError> {
        let closed = self.socket.take().map_or(Ok(()), StreamSocket::close);
        closed.map_err(|error| ConnectionError::io("closing", &error))
    }
}

/// Writes some bytes, and flushes the data that TLS has encrypted.
fn write(socket: &mut StreamSocket, bytes: &[u8]) -> io::Result<usize> {
    let taken = socket.write(bytes)?;
    let start = Instant::now();
    loop {
        match socket.flush() {
            Err(error) if is_timeout(&error) && start.elapsed() < LAST_WAIT_MAX => {}
            Err(error) if is_timeout(&error) => return Ok(taken),
            done => return done.map(|()| taken),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::chunk::Framing;
    use super::super::target::{Address, LoadTarget};
    use super::*;
    use std::io::Read;
    use std::net::TcpListener;
    use std::sync::atomic::{AtomicBool, Ordering};

    fn chunk(messages: usize, message_bytes: usize) -> FrameChunk {
        let mut chunk = FrameChunk::default();
        for _ in 0..messages {
            Framing::Newline.write(&vec![b'x'; message_bytes - 1], &mut chunk.bytes);
            chunk.ends.push(chunk.bytes.len());
        }
        chunk.begin(messages);
        chunk
    }

    fn connected(listener: &TcpListener) -> StreamTransport {
        let Ok(LoadTarget::Tcp(address)) =
            LoadTarget::parse(&format!("tcp://{}", listener.local_addr().unwrap()))
        else {
            panic!("an address")
        };
        let mut stream = StreamTransport::new(Dial::Tcp(address), None);
        stream.connect().unwrap();
        stream
    }

    #[test]
    fn a_frame_that_was_begun_is_ended_when_the_time_is_over() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut stream = connected(&listener);
        let (mut receiver, _) = listener.accept().unwrap();
        // This is far more than the system buffers for a receiver that does not read.
        let (mut chunk, counts, stop) =
            (chunk(40, 1 << 20), ConnectionCounts::default(), AtomicBool::new(false));
        let until = EndCondition { stop: &stop, deadline: None };
        let mut received = Vec::new();
        std::thread::scope(|scope| {
            let (stream, chunk) = (&mut stream, &mut chunk);
            scope.spawn(|| {
                stream.send(chunk, &until, &counts).unwrap();
                stream.finish(&counts).unwrap();
            });
            let mut piece = vec![0; 1 << 20];
            while received.len() < 2 << 20 {
                let read = receiver.read(&mut piece).unwrap();
                received.extend_from_slice(&piece[..read]);
            }
            stop.store(true, Ordering::Relaxed);
            receiver.read_to_end(&mut received).unwrap();
        });
        let total = counts.total();
        assert!(2 <= total.sent && total.sent < 40, "{total:?}");
        assert_eq!((total.bytes, total.sent), (received.len() as u64, (received.len() >> 20) as u64));
        assert_eq!(chunk.pending() as u64, 40 - total.sent);
    }

    #[test]
    fn a_receiver_that_goes_away_breaks_the_connection() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut stream = connected(&listener);
        drop(listener.accept().unwrap());
        drop(listener);
        let (counts, stop) = (ConnectionCounts::default(), AtomicBool::new(false));
        let until = EndCondition { stop: &stop, deadline: None };
        let broken = (0..1000).find_map(|_| stream.send(&mut chunk(1, 10), &until, &counts).err());
        assert!(broken.is_some_and(|broken| broken.reason.starts_with("sending: ")));
        let refused = stream.connect().unwrap_err();
        assert!(refused.reason.contains("refused"), "{refused:?}");
        let nowhere = Dial::Tcp(Address { host: "127.0.0.1".to_owned(), port: 1 });
        assert!(StreamTransport::new(nowhere, None).send(&mut chunk(1, 10), &until, &counts).is_err());
    }
}
