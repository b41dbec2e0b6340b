//! Finds the end of an overlong message, after the part that is kept. No I/O.

use super::counted::{self, BufferEnd, FramePair, LengthPrefix};
use super::split_result::SkipReason;
use crate::undelimited::HeadSignature;

/// The rest of a frame that was too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SkipMode {
    /// This many bytes, unless two consecutive frames show that the count was wrong.
    Counted(usize),
    Until(u8),
    /// Up to the end of the line, unless two consecutive counted frames show that it is not a line.
    Line(SkipReason),
    /// Up to the next possible frame.
    OutOfStep,
    /// Up to the next message of a sender without delimiters.
    UntilHead,
}

/// The result of skipping the available bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SkipStep {
    /// The number of bytes that belong to no message.
    pub(super) skipped: usize,
    /// Whether the skipping has ended, and where.
    pub(super) ended: SkipEnd,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SkipEnd {
    NotYet,
    /// At this delimiter, which is framing.
    Delimiter,
    /// At the position where the next frame should begin.
    Frame,
}

impl SkipMode {
    pub(super) fn why(self) -> SkipReason {
        match self {
            SkipMode::OutOfStep => SkipReason::OutOfStep,
            SkipMode::Line(why) => why,
            SkipMode::Counted(_) | SkipMode::Until(_) | SkipMode::UntilHead => SkipReason::TooLong,
        }
    }

    /// Skips bytes. The first `scanned` ones contain no delimiter; `open` says what follows all of them.
    pub(super) fn step(
        self,
        rest: &[u8],
        scanned: usize,
        frame_max: usize,
        open: BufferEnd,
        heads: Option<&HeadSignature>,
    ) -> SkipStep {
        let newline = || memchr::memchr(b'\n', &rest[scanned..]).map(|found| scanned + found);
        let to_newline = |found: Result<usize, usize>, newline: Option<usize>| match (found, newline) {
            (Ok(frame), _) => SkipStep { skipped: frame, ended: SkipEnd::Frame },
            (Err(_), Some(end)) => SkipStep { skipped: end, ended: SkipEnd::Delimiter },
            (Err(none_before), None) => SkipStep { skipped: none_before, ended: SkipEnd::NotYet },
        };
        match self {
            SkipMode::Counted(left) => {
                let end = left.min(rest.len());
                let behind = if end == left { BufferEnd::Bound } else { open };
                match pair_in(&rest[..end], frame_max, behind) {
                    Ok(skipped) => SkipStep { skipped, ended: SkipEnd::Frame },
                    Err(skipped) if skipped == left => SkipStep { skipped, ended: SkipEnd::Frame },
                    Err(skipped) => SkipStep { skipped, ended: SkipEnd::NotYet },
                }
            }
            SkipMode::Until(delimiter) => match memchr::memchr(delimiter, rest) {
                Some(skipped) => SkipStep { skipped, ended: SkipEnd::Delimiter },
                None => SkipStep { skipped: rest.len(), ended: SkipEnd::NotYet },
            },
            SkipMode::Line(_) => {
                let newline = newline();
                let behind = if newline.is_some() { BufferEnd::Bound } else { open };
                to_newline(pair_in(&rest[..newline.unwrap_or(rest.len())], frame_max, behind), newline)
            }
            SkipMode::OutOfStep => {
                let newline = newline();
                to_newline(plausible_in(&rest[..newline.unwrap_or(rest.len())], frame_max), newline)
            }
            SkipMode::UntilHead => {
                let newline = newline();
                let line = &rest[..newline.unwrap_or(rest.len())];
                to_newline(heads.map_or(Err(line.len()), |heads| heads.find(line, 0)), newline)
            }
        }
    }
}

/// The position at which a pair of counted frames begins; otherwise the position before which there is certainly
/// none.
fn pair_in(bytes: &[u8], frame_max: usize, behind: BufferEnd) -> Result<usize, usize> {
    match counted::first_pair(bytes, 0, bytes.len(), frame_max, behind) {
        FramePair::At(start) => Ok(start),
        FramePair::Perhaps(start) => Err(start),
        FramePair::No => Err(bytes.len()),
    }
}

/// The position at which a counted frame may begin; otherwise the position before which there is certainly none.
fn plausible_in(bytes: &[u8], frame_max: usize) -> Result<usize, usize> {
    if let LengthPrefix::Of { .. } = counted::plausible(bytes, frame_max) {
        return Ok(0);
    }
    counted::next_plausible(bytes, 0, frame_max).ok_or(bytes.len() - counted::begun(bytes))
}
