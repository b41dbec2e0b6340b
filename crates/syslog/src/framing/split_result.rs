//! The result of splitting bytes: frames, framing, and bytes that no message holds.

use logstead_record::Flags;

/// One frame: a range of the bytes that were split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Its first byte.
    pub start: u32,
    /// The position after its last byte.
    pub end: u32,
    /// The flags that framing set.
    pub flags: Flags,
}

/// The reason for bytes that are in no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SkipReason {
    /// A message is longer than the part that is kept.
    TooLong,
    /// Nothing shows that these bytes are a message.
    OutOfStep,
}

/// A range of the split bytes that no message holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SkippedRange {
    /// Its first byte.
    pub start: u32,
    /// The position after its last byte.
    pub end: u32,
    /// The reason.
    pub why: SkipReason,
}

/// The result of splitting bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SplitResult {
    /// The ranges in order.
    pub frames: Vec<Frame>,
    /// The ranges in order.
    pub skipped: Vec<SkippedRange>,
    /// The number of bytes that are delimiters, lengths and empty lines.
    pub framing_bytes: usize,
}

impl SplitResult {
    /// Adds a frame, unless it is an empty line.
    pub(super) fn frame(&mut self, bytes: &[u8], start: usize, end: usize, flags: Flags) {
        let is_blank = bytes[start..end].iter().all(|&byte| byte == b'\r' || byte == b'\n');
        if is_blank {
            self.framing_bytes += end - start;
        } else {
            self.frames.push(Frame { start: start as u32, end: end as u32, flags });
        }
    }

    /// Adds bytes that no message holds, unless there are none.
    pub(super) fn skip(&mut self, start: usize, end: usize, why: SkipReason) {
        if start < end {
            self.skipped.push(SkippedRange { start: start as u32, end: end as u32, why });
        }
    }
}
