//! Frames laid end to end, so that a single write sends many, and the number already sent.
//!
//! **Invariant:** a frame is pending until it has been sent whole; after a broken write the same frames are pending.

/// The delimiting of frames in a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// A line feed after each frame.
    Newline,
    /// `LENGTH SP` before each frame (RFC 6587, RFC 5425).
    Octet,
    /// No framing: the transport delimits messages, as datagrams or transactions.
    None,
}

/// The limits of frames that are sent together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ChunkLimits {
    pub(super) messages_max: usize,
    /// Maximum number of bytes; a single message may be longer.
    pub(super) bytes_max: usize,
}

/// Frames to send.
#[derive(Default)]
pub(super) struct FrameChunk {
    pub(super) bytes: Vec<u8>,
    /// The end of each frame.
    pub(super) ends: Vec<usize>,
    /// The number of frames to send; the chunk may hold more.
    pub(super) filled: usize,
    /// The number of frames that have been sent.
    done: usize,
}

impl Framing {
    /// Appends a message as a frame.
    pub(super) fn write(self, message: &[u8], out: &mut Vec<u8>) {
        if self == Framing::Octet {
            out.extend_from_slice(message.len().to_string().as_bytes());
            out.push(b' ');
        }
        out.extend_from_slice(message);
        if self == Framing::Newline {
            out.push(b'\n');
        }
    }
}

impl FrameChunk {
    /// Empties the chunk.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
        (self.filled, self.done) = (0, 0);
    }

    /// Marks the first `filled` frames as still to be sent.
    pub(super) fn begin(&mut self, filled: usize) {
        assert!(filled <= self.ends.len(), "a chunk has the frames that it is to send");
        (self.filled, self.done) = (filled, 0);
    }

    pub(super) fn pending(&self) -> usize {
        self.filled - self.done
    }

    /// The frames that are pending, end to end.
    pub(super) fn pending_bytes(&self) -> &[u8] {
        &self.bytes[self.end_of(self.done)..self.end_of(self.filled)]
    }

    /// The first pending frames, end to end.
    pub(super) fn first_frames(&self, frames: usize) -> &[u8] {
        &self.bytes[self.end_of(self.done)..self.end_of(self.filled.min(self.done + frames))]
    }

    /// Each of the pending frames.
    pub(super) fn frames(&self) -> impl Iterator<Item = &[u8]> {
        (self.done..self.filled).map(|at| &self.bytes[self.end_of(at)..self.end_of(at + 1)])
    }

    /// How many pending frames are completely within the first `bytes`.
    pub(super) fn whole_frames(&self, bytes: usize) -> usize {
        let end = self.end_of(self.done) + bytes;
        self.ends[self.done..self.filled].partition_point(|frame_end| *frame_end <= end)
    }

    /// Marks the next frames as sent; returns their bytes.
    pub(super) fn advance(&mut self, frames: usize) -> usize {
        let before = self.end_of(self.done);
        self.done += frames;
        assert!(self.done <= self.filled, "only pending frames are sent");
        self.end_of(self.done) - before
    }

    /// The end of the first `frames` frames.
    fn end_of(&self, frames: usize) -> usize {
        if frames == 0 { 0 } else { self.ends[frames - 1] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(messages: &[&str], framing: Framing) -> FrameChunk {
        let mut chunk = FrameChunk::default();
        for message in messages {
            framing.write(message.as_bytes(), &mut chunk.bytes);
            chunk.ends.push(chunk.bytes.len());
        }
        chunk.begin(messages.len());
        chunk
    }

    #[test]
    fn frames_are_written_as_receivers_tell_them_apart() {
        let check = |framing, expected: &str| {
            assert_eq!(chunk(&["one", "three", ""], framing).pending_bytes(), expected.as_bytes());
        };
        check(Framing::Newline, "one\nthree\n\n");
        check(Framing::Octet, "3 one5 three0 ");
        check(Framing::None, "onethree");
    }

    #[test]
    fn a_frame_is_pending_until_it_is_sent_whole() {
        let mut chunk = chunk(&["one", "three", "four"], Framing::Newline);
        let whole = |chunk: &FrameChunk, bytes| chunk.whole_frames(bytes);
        assert_eq!([0, 3, 4, 9, 10, 15].map(|bytes| whole(&chunk, bytes)), [0, 0, 1, 1, 2, 3]);
        assert_eq!(chunk.advance(1), 4);
        assert_eq!(
            (chunk.pending(), chunk.pending_bytes(), chunk.first_frames(1)),
            (2, &b"three\nfour\n"[..], &b"three\n"[..])
        );
        assert_eq!([5, 6, 11].map(|bytes| whole(&chunk, bytes)), [0, 1, 2]);
        assert_eq!(chunk.frames().collect::<Vec<_>>(), [b"three\n".as_slice(), b"four\n"]);
        chunk.advance(2);
        assert_eq!((chunk.pending(), chunk.pending_bytes()), (0, &b""[..]));
    }

    #[test]
    fn fewer_frames_than_there_are_can_be_sent() {
        let mut chunk = chunk(&["one", "two", "three"], Framing::None);
        chunk.begin(2);
        assert_eq!(chunk.pending_bytes(), b"onetwo");
        chunk.clear();
        assert_eq!(chunk.pending(), 0);
    }
}
