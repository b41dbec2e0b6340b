//! Decides whether a counted frame (`LEN SP MSG`) may begin at a place, and where the next one does. Pure.
//!
//! A count alone proves little: a text may hold a number. What is looked for in the middle of a stream is therefore
//! *plausible*: a length and a priority behind it, where the length covers the priority and is no longer than a message
//! may be. Two plausible frames, one exactly behind the other, are a *pair*. That is no coincidence.

/// Longest length prefix that is believed: eight digits, as a message may have up to 16 MiB.
pub(super) const LENGTH_DIGITS_MAX: usize = 8;
/// Line ends that may stand between two frames of a pair.
const LINE_ENDS_MAX: usize = 2;

/// `LEN SP` at the beginning of some bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Count {
    /// A prefix of this many bytes, and the length that it says.
    Of { prefix: usize, length: usize },
    /// Too few bytes to tell.
    Begun,
    /// Something else.
    No,
}

/// What is behind the bytes that are there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Behind {
    /// More may come.
    More,
    /// Something that no frame reaches into.
    Bound,
    /// Nothing: a frame that ends here ends where it has to.
    End,
}

/// What is known of the bytes to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum News {
    /// They come.
    Coming,
    /// They did not come for a while.
    Silence,
    /// There are none.
    End,
}

/// The first pair in some bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pair {
    At(usize),
    /// There may be one here, and there is none before.
    Perhaps(usize),
    No,
}

impl News {
    pub(super) fn behind(self, is_bound: bool) -> Behind {
        match self {
            _ if is_bound => Behind::Bound,
            News::Coming | News::Silence => Behind::More,
            News::End => Behind::End,
        }
    }
}

pub(super) fn count(rest: &[u8]) -> Count {
    let digits = rest.iter().take(LENGTH_DIGITS_MAX + 1).take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 || LENGTH_DIGITS_MAX < digits || rest[0] == b'0' {
        return Count::No;
    }
    match rest.get(digits) {
        None => Count::Begun,
        Some(b' ') => {
            let length = rest[..digits].iter().fold(0, |sum, byte| sum * 10 + usize::from(byte - b'0'));
            Count::Of { prefix: digits + 1, length }
        }
        Some(_) => Count::No,
    }
}

/// How many bytes `<0>` to `<999>` takes here, 0 where none stands; `None` when more bytes are needed to tell.
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
pub(super) fn plausible(rest: &[u8], frame_max: usize) -> Count {
    let Count::Of { prefix, length } = count(rest) else { return count(rest) };
    match priority(&rest[prefix..]) {
        _ if frame_max < length => Count::No,
        None => Count::Begun,
        Some(bytes) if 0 < bytes && bytes <= length => Count::Of { prefix, length },
        Some(_) => Count::No,
    }
}

/// Where, behind the first byte, a counted frame may begin. The first `from` bytes hold no priority.
pub(super) fn next_plausible(bytes: &[u8], from: usize, frame_max: usize) -> Option<usize> {
    candidates(bytes, from)
        .find(|start| 0 < *start && matches!(plausible(&bytes[*start..], frame_max), Count::Of { .. }))
}

/// The first pair that begins before `end`. There is none before `from`.
pub(super) fn first_pair(bytes: &[u8], from: usize, end: usize, frame_max: usize, behind: Behind) -> Pair {
    for start in candidates(bytes, from).take_while(|start| *start < end) {
        match begins_pair(&bytes[start..], frame_max, behind) {
            Some(true) => return Pair::At(start),
            Some(false) => {}
            None => return Pair::Perhaps(start),
        }
    }
    let begun = bytes.len() - begun(bytes);
    if behind == Behind::More && begun < end.min(bytes.len()) { Pair::Perhaps(begun) } else { Pair::No }
}

fn begins_pair(rest: &[u8], frame_max: usize, behind: Behind) -> Option<bool> {
    let Count::Of { prefix, length } = plausible(rest, frame_max) else { return Some(false) };
    match rest.get(prefix + length..) {
        Some(next) => match begins(next, frame_max) {
            None if next.is_empty() && behind == Behind::End => Some(true),
            None if behind != Behind::More => Some(false),
            begins => begins,
        },
        None if behind == Behind::More => None,
        None => Some(false),
    }
}

/// Whether frames that begin in a message, from `inner` on, lead to one whose length begins with the message's last digits:
/// what is behind the message looks like a length only because that is cut in two.
pub(super) fn cuts_length(bytes: &[u8], inner: usize, end: usize, frame_max: usize) -> bool {
    let digits = digits_at_end(&bytes[..end], LENGTH_DIGITS_MAX);
    let mut at = inner;
    while at < end - digits {
        let Count::Of { prefix, length } = count(&bytes[at..]) else { return false };
        at += prefix + length;
    }
    at < end && matches!(plausible(&bytes[at..], frame_max), Count::Of { .. })
}

/// Whether a counted frame may begin here, perhaps behind a line end; `None` when more bytes are needed to tell.
pub(super) fn begins(rest: &[u8], frame_max: usize) -> Option<bool> {
    behind_line_ends(rest, |rest| plausible(rest, frame_max))
}

/// As [`begins`], with or without a priority.
pub(super) fn begins_any(rest: &[u8]) -> Option<bool> {
    behind_line_ends(rest, |rest| match count(rest) {
        Count::Of { prefix, length } => match priority(&rest[prefix..]) {
            None => Count::Begun,
            Some(bytes) if length < bytes => Count::No,
            Some(_) => Count::Of { prefix, length },
        },
        other => other,
    })
}

fn behind_line_ends(rest: &[u8], count: impl Fn(&[u8]) -> Count) -> Option<bool> {
    let line_ends = rest.iter().take(LINE_ENDS_MAX).take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
    match count(&rest[line_ends..]) {
        _ if rest.len() == line_ends => None,
        Count::Of { .. } => Some(true),
        Count::Begun => None,
        Count::No => Some(false),
    }
}

/// Where digits and a space stand before a priority, in order. A text that ends with digits may be before a length.
fn candidates(bytes: &[u8], from: usize) -> impl Iterator<Item = usize> {
    let from = from.min(bytes.len());
    let priorities = memchr::memchr_iter(b'<', &bytes[from..]).map(move |found| from + found);
    priorities.filter(|&at| has_priority(&bytes[at..])).flat_map(|at| {
        let digits_end = bytes[..at].strip_suffix(b" ").map_or(0, <[u8]>::len);
        digits_end - digits_at_end(&bytes[..digits_end], LENGTH_DIGITS_MAX)..digits_end
    })
}

/// How many bytes at the end can be the beginning of a length and a priority.
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
        check("5 <13>x", Count::Of { prefix: 2, length: 5 });
        check("4 <13>", Count::Of { prefix: 2, length: 4 });
        for text in ["3 <13>x", "101 <13>", "05 <13>x", "5  <13>x", "5 x", "5 <1234>", "x", "123456789 <13>"]
        {
            check(text, Count::No);
        }
        for text in ["5", "5 ", "5 <", "5 <13"] {
            check(text, Count::Begun);
        }
        assert_eq!(count(b"12345678 x"), Count::Of { prefix: 9, length: 12_345_678 });
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
        assert_eq!(pair("xx5 <13>a5 <13>b", Behind::More), Pair::At(2));
        assert_eq!(pair("xx5 <13>a\r\n5 <13>b", Behind::Bound), Pair::At(2));
        assert_eq!(pair("xx5 <13>ab 5 <13>b", Behind::Bound), Pair::No);
        assert_eq!(pair("xx5 <13>ab 5 <13>b", Behind::End), Pair::At(11));
        assert_eq!(pair("xx5 <13>", Behind::More), Pair::Perhaps(2));
        assert_eq!(pair("xx5 <1", Behind::More), Pair::Perhaps(2));
        assert_eq!(pair("xx5 <13>a", Behind::Bound), Pair::No);
        assert_eq!(pair("xx5 <13>a", Behind::End), Pair::At(2));
    }
}
