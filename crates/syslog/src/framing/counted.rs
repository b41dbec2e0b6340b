//! Decides whether a counted frame (`LEN SP MSG`) may begin at a position, and finds the next one. No I/O.
//!
//! A count alone proves little: a text may contain a number. In the middle of a stream, a frame is therefore only
//! looked for where it is *plausible*: a length followed by a priority, where the length covers the priority and is
//! no longer than a message may be. Two plausible frames, one directly after the other, are a *pair*, which is no
//! coincidence.

/// The maximum length of a length prefix: eight digits, as a message may have up to 16 MiB.
pub(super) const LENGTH_DIGITS_MAX: usize = 8;
/// The maximum number of line ends between two frames of a pair.
const LINE_ENDS_MAX: usize = 2;

/// `LEN SP` at the beginning of some bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LengthPrefix {
    /// A prefix of this many bytes, and the length that it states.
    Of { prefix: usize, length: usize },
    /// There are too few bytes to decide.
    Begun,
    /// Something else.
    No,
}

/// The bytes that follow the available ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum BufferEnd {
    /// More bytes may arrive.
    More,
    /// A boundary that no frame crosses.
    Bound,
    /// The end of the stream: a frame that ends here is complete.
    End,
}

/// The expectation of further bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StreamStatus {
    /// More bytes are expected.
    Coming,
    /// No bytes have arrived for a while.
    Silence,
    /// There are none.
    End,
}

/// The first pair in some bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FramePair {
    At(usize),
    /// There may be a pair here, and there is none before.
    Perhaps(usize),
    No,
}

impl StreamStatus {
    pub(super) fn behind(self, is_bound: bool) -> BufferEnd {
        match self {
            _ if is_bound => BufferEnd::Bound,
            StreamStatus::Coming | StreamStatus::Silence => BufferEnd::More,
            StreamStatus::End => BufferEnd::End,
        }
    }
}

pub(super) fn count(rest: &[u8]) -> LengthPrefix {
    let digits = rest.iter().take(LENGTH_DIGITS_MAX + 1).take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 || LENGTH_DIGITS_MAX < digits || rest[0] == b'0' {
        return LengthPrefix::No;
    }
    match rest.get(digits) {
        None => LengthPrefix::Begun,
        Some(b' ') => {
            let length = rest[..digits].iter().fold(0, |sum, byte| sum * 10 + usize::from(byte - b'0'));
            LengthPrefix::Of { prefix: digits + 1, length }
        }
        Some(_) => LengthPrefix::No,
    }
}

/// The length of a priority from `<0>` to `<999>` here, 0 if there is none; `None` if more bytes are needed to
/// decide.
pub(super) fn priority(rest: &[u8]) -> Option<usize> {
    let digits = match rest.split_first() {
        None => return None,
        Some((b'<', digits)) => digits,
        Some(_) => return Some(0),
    };
    let count = digits.iter().take(4).take_while(|byte| byte.is_ascii_digit()).count();
    match digits.get(count) {
        None if count < 4 => None,
        next => Some(if (1..=3).contains(&count) && next == Some(&b'>') { count + 2 } else { 0 }),
    }
}

pub(super) fn has_priority(bytes: &[u8]) -> bool {
    priority(bytes).is_some_and(|bytes| 0 < bytes)
}

/// Whether a counted frame of at most `frame_max` bytes may begin here.
pub(super) fn plausible(rest: &[u8], frame_max: usize) -> LengthPrefix {
    let LengthPrefix::Of { prefix, length } = count(rest) else { return count(rest) };
    match priority(&rest[prefix..]) {
        _ if frame_max < length => LengthPrefix::No,
        None => LengthPrefix::Begun,
        Some(bytes) if 0 < bytes && bytes <= length => LengthPrefix::Of { prefix, length },
        Some(_) => LengthPrefix::No,
    }
}

/// The first position beyond the first byte at which a counted frame may begin. The first `from` bytes contain no
/// priority.
pub(super) fn next_plausible(bytes: &[u8], from: usize, frame_max: usize) -> Option<usize> {
    candidates(bytes, from)
        .find(|start| 0 < *start && matches!(plausible(&bytes[*start..], frame_max), LengthPrefix::Of { .. }))
}

/// The first pair that begins before `end`. There must be none before `from`.
pub(super) fn first_pair(
    bytes: &[u8],
    from: usize,
    end: usize,
    frame_max: usize,
    behind: BufferEnd,
) -> FramePair {
    for start in candidates(bytes, from).take_while(|start| *start < end) {
        match begins_pair(&bytes[start..], frame_max, behind) {
            Some(true) => return FramePair::At(start),
            Some(false) => {}
            None => return FramePair::Perhaps(start),
        }
    }
    let begun = bytes.len() - begun(bytes);
    if behind == BufferEnd::More && begun < end.min(bytes.len()) {
        FramePair::Perhaps(begun)
    } else {
        FramePair::No
    }
}

fn begins_pair(rest: &[u8], frame_max: usize, behind: BufferEnd) -> Option<bool> {
    let LengthPrefix::Of { prefix, length } = plausible(rest, frame_max) else { return Some(false) };
    match rest.get(prefix + length..) {
        Some(next) => match begins(next, frame_max) {
            None if next.is_empty() && behind == BufferEnd::End => Some(true),
            None if behind != BufferEnd::More => Some(false),
            begins => begins,
        },
        None if behind == BufferEnd::More => None,
        None => Some(false),
    }
}

/// Whether frames that begin within a message, from `inner` on, lead to one whose length begins with the message's
/// last digits: in this case the bytes after the message only look like a length because the real length is cut in
/// two.
pub(super) fn cuts_length(bytes: &[u8], inner: usize, end: usize, frame_max: usize) -> bool {
    let digits = digits_at_end(&bytes[..end], LENGTH_DIGITS_MAX);
    let mut at = inner;
    while at < end - digits {
        let LengthPrefix::Of { prefix, length } = count(&bytes[at..]) else { return false };
        at += prefix + length;
    }
    at < end && matches!(plausible(&bytes[at..], frame_max), LengthPrefix::Of { .. })
}

/// Whether a counted frame may begin here, perhaps after a line end; `None` if more bytes are needed to decide.
pub(super) fn begins(rest: &[u8], frame_max: usize) -> Option<bool> {
    behind_line_ends(rest, |rest| plausible(rest, frame_max))
}

/// Like [`begins`], with or without a priority.
pub(super) fn begins_any(rest: &[u8]) -> Option<bool> {
    behind_line_ends(rest, |rest| match count(rest) {
        LengthPrefix::Of { prefix, length } => match priority(&rest[prefix..]) {
            None => LengthPrefix::Begun,
            Some(bytes) if length < bytes => LengthPrefix::No,
            Some(_) => LengthPrefix::Of { prefix, length },
        },
        other => other,
    })
}

fn behind_line_ends(rest: &[u8], count: impl Fn(&[u8]) -> LengthPrefix) -> Option<bool> {
    let line_ends = rest.iter().take(LINE_ENDS_MAX).take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
    match count(&rest[line_ends..]) {
        _ if rest.len() == line_ends => None,
        LengthPrefix::Of { .. } => Some(true),
        LengthPrefix::Begun => None,
        LengthPrefix::No => Some(false),
    }
}

/// The positions of digits and a space before a priority, in order. Each of several digits is a candidate, as a text
/// that ends with digits may precede the length.
fn candidates(bytes: &[u8], from: usize) -> impl Iterator<Item = usize> {
    let from = from.min(bytes.len());
    let priorities = memchr::memchr_iter(b'<', &bytes[from..]).map(move |found| from + found);
    priorities.filter(|&at| has_priority(&bytes[at..])).flat_map(|at| {
        let digits_end = bytes[..at].strip_suffix(b" ").map_or(0, <[u8]>::len);
        digits_end - digits_at_end(&bytes[..digits_end], LENGTH_DIGITS_MAX)..digits_end
    })
}

/// The number of bytes at the end that may be the beginning of a length and a priority.
pub(super) fn begun(bytes: &[u8]) -> usize {
    let mut end = bytes.len() - digits_at_end(bytes, 3);
    end = bytes[..end].strip_suffix(b"<").map_or(bytes.len(), <[u8]>::len);
    end = bytes[..end].strip_suffix(b" ").map_or(bytes.len(), <[u8]>::len);
    bytes.len() - (end - digits_at_end(&bytes[..end], LENGTH_DIGITS_MAX))
}

fn digits_at_end(bytes: &[u8], max: usize) -> usize {
    bytes.iter().rev().take(max).take_while(|byte| byte.is_ascii_digit()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_plausible_if_its_length_covers_its_priority_and_is_not_too_long() {
        let check = |text: &str, expected| assert_eq!(plausible(text.as_bytes(), 100), expected, "{text}");
        check("5 <13>x", LengthPrefix::Of { prefix: 2, length: 5 });
        check("4 <13>", LengthPrefix::Of { prefix: 2, length: 4 });
        for text in ["3 <13>x", "101 <13>", "05 <13>x", "5  <13>x", "5 x", "5 <1234>", "x", "123456789 <13>"]
        {
            check(text, LengthPrefix::No);
        }
        for text in ["5", "5 ", "5 <", "5 <13"] {
            check(text, LengthPrefix::Begun);
        }
        assert_eq!(count(b"12345678 x"), LengthPrefix::Of { prefix: 9, length: 12_345_678 });
    }

    #[test]
    fn the_next_plausible_frame_is_not_a_number_in_a_text() {
        let next = |text: &str| next_plausible(text.as_bytes(), 0, 100);
        assert_eq!(next("x5 <13>x"), Some(1));
        assert_eq!(next("took 7 ms, <b>5 <13>x"), Some(14));
        assert_eq!(next("900 <3> 5 <13>x"), Some(8));
        assert_eq!(next("x11905 <13>x"), Some(5), "a longer one is no length");
        assert_eq!(next("5 <13>x"), None, "not here");
    }

    #[test]
    fn two_frames_behind_each_other_are_a_pair() {
        let pair = |text: &str, behind| first_pair(text.as_bytes(), 0, text.len(), 100, behind);
        assert_eq!(pair("xx5 <13>a5 <13>b", BufferEnd::More), FramePair::At(2));
        assert_eq!(pair("xx5 <13>a\r\n5 <13>b", BufferEnd::Bound), FramePair::At(2));
        assert_eq!(pair("xx5 <13>ab 5 <13>b", BufferEnd::Bound), FramePair::No);
        assert_eq!(pair("xx5 <13>ab 5 <13>b", BufferEnd::End), FramePair::At(11));
        assert_eq!(pair("xx5 <13>", BufferEnd::More), FramePair::Perhaps(2));
        assert_eq!(pair("xx5 <1", BufferEnd::More), FramePair::Perhaps(2));
        assert_eq!(pair("xx5 <13>a", BufferEnd::Bound), FramePair::No);
        assert_eq!(pair("xx5 <13>a", BufferEnd::End), FramePair::At(2));
    }
}
