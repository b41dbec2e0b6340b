//! What stands at the beginning of the bytes that are left. Pure.

use super::counted::{self, Count};
use logstead_config::Framing;

/// What stands at the beginning of the bytes that are left.
pub(super) enum Begin {
    /// A frame of `length` bytes after a prefix of `prefix` bytes.
    Counted { prefix: usize, length: usize },
    /// A frame that ends before this byte.
    Delimited(u8),
    /// A line, or what counted frames look like where one of them is damaged.
    Doubtful,
    /// A frame that ends at a newline behind which a priority stands.
    Lines,
    /// Nothing that a sender of counted frames would begin with.
    OutOfStep,
    /// A byte between frames.
    Between,
    /// Too few bytes to tell.
    Unknown,
}

/// What a connection has shown of its framing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    Nothing,
    /// It ends lines.
    Lines,
    /// It counts: its last frame was counted.
    Counts,
    /// It counts, and its last frame was a line.
    Both,
    /// It counts, and was out of step since then.
    Lost,
}

impl Begin {
    /// `rest` is not empty. `sends_plain`: counted messages without a priority are usual here.
    pub(super) fn of(rest: &[u8], framing: Framing, seen: Seen, sends_plain: bool) -> Begin {
        match framing {
            Framing::Newline => begin_line(rest),
            Framing::Nul => Begin::Delimited(0),
            Framing::Multiline => Begin::Lines,
            Framing::Auto => begin_auto(rest, seen),
            Framing::Octet => match counted::count(rest) {
                Count::Of { prefix, length } if seen == Seen::Lost && !sends_plain => {
                    match counted::priority(&rest[prefix..]) {
                        None => Begin::Unknown,
                        Some(0) => Begin::OutOfStep,
                        Some(_) => Begin::Counted { prefix, length },
                    }
                }
                Count::Of { prefix, length } => Begin::Counted { prefix, length },
                Count::Begun => Begin::Unknown,
                Count::No if matches!(rest[0], b'\r' | b'\n') => Begin::Between,
                Count::No => Begin::OutOfStep,
            },
        }
    }
}

/// A line; a space before its priority (Cisco ASA sends one behind each newline) is framing.
fn begin_line(rest: &[u8]) -> Begin {
    match rest {
        [b' ', b'<', ..] => Begin::Between,
        [b' '] => Begin::Unknown,
        _ => Begin::Delimited(b'\n'),
    }
}

/// A number begins a counted frame where a priority follows it; else only behind another counted frame: a line that begins
/// with a number is a line.
fn begin_auto(rest: &[u8], seen: Seen) -> Begin {
    let counts = matches!(seen, Seen::Counts | Seen::Both | Seen::Lost);
    match counted::count(rest) {
        Count::Begun => return Begin::Unknown,
        Count::Of { prefix, length } => match counted::priority(&rest[prefix..]) {
            None => return Begin::Unknown,
            Some(bytes) if length < bytes => {}
            Some(bytes) if seen == Seen::Counts || 0 < bytes => return Begin::Counted { prefix, length },
            Some(_) => {}
        },
        Count::No => {}
    }
    match (begin_line(rest), rest[0]) {
        (Begin::Delimited(_), b'\r' | b'\n') if counts => Begin::Between,
        (Begin::Delimited(_), _) if counts => Begin::OutOfStep,
        (Begin::Delimited(_), b'<') if seen == Seen::Lines => Begin::Delimited(b'\n'),
        (Begin::Delimited(_), _) => Begin::Doubtful,
        (between, _) => between,
    }
}
