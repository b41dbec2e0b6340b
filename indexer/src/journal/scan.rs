//! Goes through the frames of a journal file, and through the bytes that are not frames.
//!
//! **Invariant:** every byte of the range is in exactly one frame or one bad stretch. A frame that can be read
//! is found, whatever comes before it.

use crate::disk::DiskFile;
use crate::journal::frame::{FrameError, FrameHeader, HEADER_BYTES_MAX, HEADER_BYTES_MIN, MAGIC};
use std::io;

/// The least number of bytes to read at once if bodies are read.
const WINDOW_BYTES: usize = 256 << 10;
/// The least number of bytes to read at once if bodies are skipped.
const HEADER_WINDOW_BYTES: usize = 4 << 10;

/// An item of a journal file: a frame, or bytes that are not one.
pub(crate) enum ScanItem<'a> {
    /// A frame; its body is empty if bodies are skipped.
    Frame { header: FrameHeader, body: &'a [u8] },
    /// Other bytes, up to the next frame or the end, with their header if that is intact.
    Bad { bytes: u64, why: FrameError, header: Option<FrameHeader> },
}

/// A scan of a range of a journal file.
pub(crate) struct Scan<'a> {
    file: &'a dyn DiskFile,
    at: u64,
    end: u64,
    bodies: bool,
    window: Vec<u8>,
    window_at: u64,
}

impl<'a> Scan<'a> {
    /// A scan of the frames between two offsets, with their bodies.
    pub(crate) fn frames(file: &'a dyn DiskFile, start: u64, end: u64) -> Scan<'a> {
        Scan { file, at: start, end, bodies: true, window: Vec::new(), window_at: start }
    }

    /// A scan of the headers only: bodies are neither read nor checked.
    pub(crate) fn headers(file: &'a dyn DiskFile, start: u64, end: u64) -> Scan<'a> {
        Scan { bodies: false, ..Scan::frames(file, start, end) }
    }

    /// The next item and its offset; `None` at the end.
    pub(crate) fn next(&mut self) -> io::Result<Option<(u64, ScanItem<'_>)>> {
        let at = self.at;
        if self.end <= at {
            return Ok(None);
        }
        let header = match self.header(at)? {
            Ok(header) => header,
            Err(why) => {
                let left = (self.end - at).min(HEADER_BYTES_MAX as u64) as usize;
                let header = FrameHeader::read(self.bytes(at, left)?).ok();
                self.at = self.next_header(at + 1)?;
                return Ok(Some((at, ScanItem::Bad { bytes: self.at - at, why, header })));
            }
        };
        self.at = at + header.frame_bytes();
        if !self.bodies {
            return Ok(Some((at, ScanItem::Frame { header, body: &[] })));
        }
        let body = self.bytes(at + header.bytes(), header.body_bytes as usize)?;
        Ok(Some(match header.check_body(body) {
            Ok(()) => (at, ScanItem::Frame { header, body }),
            Err(why) => (at, ScanItem::Bad { bytes: header.frame_bytes(), why, header: Some(header) }),
        }))
    }

    /// The header at an offset, if the frame is within the range.
    fn header(&mut self, at: u64) -> io::Result<Result<FrameHeader, FrameError>> {
        let left = self.end - at;
        let bytes = self.bytes(at, left.min(HEADER_BYTES_MAX as u64) as usize)?;
        let header = FrameHeader::read(bytes);
        Ok(header
            .and_then(|header| if header.frame_bytes() <= left { Ok(header) } else { Err(FrameError::Torn) }))
    }

    /// The offset of the next frame, or of the end.
    fn next_header(&mut self, mut at: u64) -> io::Result<u64> {
        while at + HEADER_BYTES_MIN as u64 <= self.end {
            let bytes = (self.end - at).min(WINDOW_BYTES as u64) as usize;
            let found = memchr::memmem::find(self.bytes(at, bytes)?, &MAGIC);
            let Some(found) = found else {
                // The last bytes read may be the beginning of the magic bytes.
                at += (bytes - (MAGIC.len() - 1)) as u64;
                continue;
            };
            at += found as u64;
            if self.header(at)?.is_ok() {
                return Ok(at);
            }
            at += 1;
        }
        Ok(self.end)
    }

    /// The bytes at an offset. They must be within the range.
    fn bytes(&mut self, at: u64, bytes: usize) -> io::Result<&[u8]> {
        let window_end = self.window_at + self.window.len() as u64;
        if at < self.window_at || window_end < at + bytes as u64 {
            let least = if self.bodies { WINDOW_BYTES } else { HEADER_WINDOW_BYTES };
            let wanted = (self.end - at).min(bytes.max(least) as u64) as usize;
            self.window.resize(wanted, 0);
            self.window_at = at;
            self.file.read_at(at, &mut self.window)?;
        }
        let start = (at - self.window_at) as usize;
        Ok(&self.window[start..start + bytes])
    }
}
