//! Recognises the beginning of the next frame. No I/O.

use super::counted::{self, LengthPrefix};
use logstead_config::Framing;

/// The interpretation of the remaining bytes, judged by their beginning.
pub(super) enum FrameStart {
    /// A frame of `length` bytes after a prefix of `prefix` bytes.
    Counted { prefix: usize, length: usize },
    /// A frame that ends before this byte.
    Delimited(u8),
    /// A line, or damaged counted frames.
    Doubtful,
    /// A frame that ends at a newline followed by a priority.
    Lines,
    /// Bytes with which a sender of counted frames would not begin.
    OutOfStep,
    /// A byte between frames.
    Between,
    /// There are too few bytes to decide.
    Unknown,
}

/// The framing that a connection has used so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FramingSeen {
    Nothing,
    /// The sender ends lines.
    Lines,
    /// The sender counts, and its last frame was counted.
    Counts,
    /// The sender counts, but its last frame was a line.
    Both,
    /// The sender counts, but has been out of step since its last counted frame.
    Lost,
}

impl FrameStart {
    /// Decides how the next frame begins. `rest` must not be empty. `sends_plain`: counted messages without a
    /// priority are usual here.
    pub(super) fn of(rest: &[u8], framing: Framing, seen: FramingSeen, sends_plain: bool) -> FrameStart {
        match framing {
            Framing::Newline => begin_line(rest),
            Framing::Nul => FrameStart::Delimited(0),
            Framing::Multiline => FrameStart::Lines,
            Framing::Auto => begin_auto(rest, seen),
            Framing::Octet => match counted::count(rest) {
                LengthPrefix::Of { prefix, length } if seen == FramingSeen::Lost && !sends_plain => {
                    match counted::priority(&rest[prefix..]) {
                        None => FrameStart::Unknown,
                        Some(0) => FrameStart::OutOfStep,
                        Some(_) => FrameStart::Counted { prefix, length },
                    }
                }
                LengthPrefix::Of { prefix, length } => FrameStart::Counted { prefix, length },
                LengthPrefix::Begun => FrameStart::Unknown,
                LengthPrefix::No if matches!(rest[0], b'\r' | b'\n') => FrameStart::Between,
                LengthPrefix::No => FrameStart::OutOfStep,
            },
        }
    }
}

/// Begins a line. A space before its priority is framing: Cisco ASA sends one after each newline.
fn begin_line(rest: &[u8]) -> FrameStart {
    match rest {
        [b' ', b'<', ..] => FrameStart::Between,
        [b' '] => FrameStart::Unknown,
        _ => FrameStart::Delimited(b'\n'),
    }
}

/// A number begins a counted frame if a priority follows it, or if the previous frame was a counted one. Otherwise it
/// belongs to a line.
fn begin_auto(rest: &[u8], seen: FramingSeen) -> FrameStart {
    let counts = matches!(seen, FramingSeen::Counts | FramingSeen::Both | FramingSeen::Lost);
    match counted::count(rest) {
        LengthPrefix::Begun => return FrameStart::Unknown,
        LengthPrefix::Of { prefix, length } => match counted::priority(&rest[prefix..]) {
            None => return FrameStart::Unknown,
            Some(bytes) if length < bytes => {}
            Some(bytes) if seen == FramingSeen::Counts || 0 < bytes => {
                return FrameStart::Counted { prefix, length };
            }
            Some(_) => {}
        },
        LengthPrefix::No => {}
    }
    match (begin_line(rest), rest[0]) {
        (FrameStart::Delimited(_), b'\r' | b'\n') if counts => FrameStart::Between,
        (FrameStart::Delimited(_), _) if counts => FrameStart::OutOfStep,
        (FrameStart::Delimited(_), b'<') if seen == FramingSeen::Lines => FrameStart::Delimited(b'\n'),
        (FrameStart::Delimited(_), _) => FrameStart::Doubtful,
        (between, _) => between,
    }
}
