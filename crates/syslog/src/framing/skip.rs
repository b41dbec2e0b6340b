//! What is behind the part of a message that is kept, when it is longer: how far it goes. Pure.

use super::counted::{self, Behind, Count, Pair};
use super::found::Why;
use crate::undelimited::Signature;

/// What is left of a frame that was too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Skip {
    /// So many bytes, unless two frames behind each other show that the count was wrong.
    Counted(usize),
    Until(u8),
    /// Up to the end of a line, unless two counted frames behind each other show that it is none.
    Line(Why),
    /// Up to what may be the next frame.
    OutOfStep,
    /// Up to the next message of a sender without delimiters.
    UntilHead,
}

/// How far the bytes that are there are skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    /// So many bytes belong to no message.
    pub(super) skipped: usize,
    /// Whether more bytes do.
    pub(super) ended: Ended,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    NotYet,
    /// At this delimiter, which is framing.
    Delimiter,
    /// Where the next frame should begin.
    Frame,
}

impl Skip {
    pub(super) fn why(self) -> Why {
        match self {
            Skip::OutOfStep => Why::OutOfStep,
            Skip::Line(why) => why,
            Skip::Counted(_) | Skip::Until(_) | Skip::UntilHead => Why::TooLong,
        }
    }

    /// The first `scanned` bytes hold no delimiter; `open` is what is behind all of them.
    pub(super) fn step(
        self,
        rest: &[u8],
        scanned: usize,
        frame_max: usize,
        open: Behind,
        heads: Option<&Signature>,
    ) -> Step {
        let newline = || memchr::memchr(b'\n', &rest[scanned..]).map(|found| scanned + found);
        let to_newline = |found: Result<usize, usize>, newline: Option<usize>| match (found, newline) {
            (Ok(frame), _) => Step { skipped: frame, ended: Ended::Frame },
            (Err(_), Some(end)) => Step { skipped: end, ended: Ended::Delimiter },
            (Err(none_before), None) => Step { skipped: none_before, ended: Ended::NotYet },
        };
        match self {
            Skip::Counted(left) => {
                let end = left.min(rest.len());
                let behind = if end == left { Behind::Bound } else { open };
                match pair_in(&rest[..end], frame_max, behind) {
                    Ok(skipped) => Step { skipped, ended: Ended::Frame },
                    Err(skipped) if skipped == left => Step { skipped, ended: Ended::Frame },
                    Err(skipped) => Step { skipped, ended: Ended::NotYet },
                }
            }
            Skip::Until(delimiter) => match memchr::memchr(delimiter, rest) {
                Some(skipped) => Step { skipped, ended: Ended::Delimiter },
                None => Step { skipped: rest.len(), ended: Ended::NotYet },
            },
            Skip::Line(_) => {
                let newline = newline();
                let behind = if newline.is_some() { Behind::Bound } else { open };
                to_newline(pair_in(&rest[..newline.unwrap_or(rest.len())], frame_max, behind), newline)
            }
            Skip::OutOfStep => {
                let newline = newline();
                to_newline(plausible_in(&rest[..newline.unwrap_or(rest.len())], frame_max), newline)
            }
            Skip::UntilHead => {
                let newline = newline();
                let line = &rest[..newline.unwrap_or(rest.len())];
                to_newline(heads.map_or(Err(line.len()), |heads| heads.find(line, 0)), newline)
            }
        }
    }
}

/// Where two counted frames begin; else up to where there are none for certain.
fn pair_in(bytes: &[u8], frame_max: usize, behind: Behind) -> Result<usize, usize> {
    match counted::first_pair(bytes, 0, bytes.len(), frame_max, behind) {
        Pair::At(start) => Ok(start),
        Pair::Perhaps(start) => Err(start),
        Pair::No => Err(bytes.len()),
    }
}

/// Where a counted frame may begin; else up to where there is none for certain.
fn plausible_in(bytes: &[u8], frame_max: usize) -> Result<usize, usize> {
    if let Count::Of { .. } = counted::plausible(bytes, frame_max) {
        return Ok(0);
    }
    counted::next_plausible(bytes, 0, frame_max).ok_or(bytes.len() - counted::begun(bytes))
}
