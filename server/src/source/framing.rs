//! Finds the frames in a stream: newline, NUL, octet counting, or whichever of newline and octet counting each
//! frame shows. Pure: bytes in, ranges out.
//!
//! **Invariant:** every byte is in exactly one frame, or is framing (a delimiter, a length), or is the cut part
//! of a frame that is flagged as truncated. So frames and framing together are what was received.

use logstead_config::Framing;
use logstead_record::Flags;

/// Longest length prefix that is believed: seven digits.
const LENGTH_DIGITS_MAX: usize = 7;

/// One frame: a range of the bytes that were split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Its first byte.
    pub start: u32,
    /// Behind its last byte.
    pub end: u32,
    /// What framing noted.
    pub flags: Flags,
}

/// What is left of a frame that was too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Skip {
    Nothing,
    Bytes(usize),
    Until(u8),
}

/// What stands at the beginning of the bytes that are left.
enum Begin {
    /// A frame of `length` bytes after a prefix of `prefix` bytes.
    Counted { prefix: usize, length: usize },
    /// A frame that ends before this byte.
    Delimited(u8),
    /// Too few bytes to tell.
    Unknown,
}

/// Splits the stream of one connection.
#[derive(Debug)]
pub struct Framer {
    framing: Framing,
    frame_max: usize,
    skip: Skip,
    /// Bytes at the beginning of the next call that are known to hold no delimiter.
    scanned: usize,
}

impl Framer {
    /// At the beginning of a stream.
    pub fn new(framing: Framing, frame_max: usize) -> Framer {
        Framer { framing, frame_max, skip: Skip::Nothing, scanned: 0 }
    }

    /// Appends the frames of `bytes` that are complete and says how many bytes they took. The caller brings the
    /// rest again, with more behind it.
    pub fn split(&mut self, bytes: &[u8], frames: &mut Vec<Frame>) -> usize {
        let mut at = 0;
        while let Some(taken) = self.next(bytes, at, frames) {
            at = taken;
        }
        at
    }

    /// The sender has gone: what is left of `bytes` is a frame that has no end.
    pub fn finish(&mut self, bytes: &[u8], frames: &mut Vec<Frame>) {
        let at = self.split(bytes, frames);
        let skipped = matches!(self.skip, Skip::Bytes(_) | Skip::Until(_));
        if at < bytes.len() && !skipped {
            let start = match self.begin(&bytes[at..]) {
                Begin::Counted { prefix, .. } => at + prefix,
                _ => at,
            };
            self.push(bytes, start, bytes.len(), Flags::INCOMPLETE, frames);
        }
        self.skip = Skip::Nothing;
        self.scanned = 0;
    }

    /// Takes one frame, or a piece of a skipped one, at `at`; `None` when more bytes are needed.
    fn next(&mut self, bytes: &[u8], at: usize, frames: &mut Vec<Frame>) -> Option<usize> {
        let rest = &bytes[at..];
        if rest.is_empty() {
            return None;
        }
        match self.skip {
            Skip::Bytes(left) => {
                let skipped = left.min(rest.len());
                self.skip = if skipped == left { Skip::Nothing } else { Skip::Bytes(left - skipped) };
                return Some(at + skipped);
            }
            Skip::Until(delimiter) => {
                return Some(match memchr::memchr(delimiter, rest) {
                    Some(end) => {
                        self.skip = Skip::Nothing;
                        at + end + 1
                    }
                    None => bytes.len(),
                });
            }
            Skip::Nothing => {}
        }
        match self.begin(rest) {
            Begin::Unknown => None,
            Begin::Counted { prefix, length } => self.counted(bytes, at + prefix, length, frames),
            Begin::Delimited(delimiter) => self.delimited(bytes, at, delimiter, frames),
        }
    }

    fn begin(&self, rest: &[u8]) -> Begin {
        match self.framing {
            Framing::Newline => Begin::Delimited(b'\n'),
            Framing::Nul => Begin::Delimited(0),
            Framing::Auto => begin_auto(rest),
            Framing::Octet => match length_prefix(rest) {
                Some(Some((prefix, length))) => Begin::Counted { prefix, length },
                Some(None) => Begin::Unknown,
                // Out of step: what stands up to the next line end is one unparsed frame.
                None => Begin::Delimited(b'\n'),
            },
        }
    }

    fn counted(
        &mut self,
        bytes: &[u8],
        start: usize,
        length: usize,
        frames: &mut Vec<Frame>,
    ) -> Option<usize> {
        if self.frame_max < length {
            if bytes.len() - start < self.frame_max {
                return None;
            }
            self.push(bytes, start, start + self.frame_max, Flags::TRUNCATED, frames);
            self.skip = Skip::Bytes(length - self.frame_max);
            return Some(start + self.frame_max);
        }
        if bytes.len() - start < length {
            return None;
        }
        self.push(bytes, start, start + length, Flags::default(), frames);
        Some(start + length)
    }

    fn delimited(
        &mut self,
        bytes: &[u8],
        start: usize,
        delimiter: u8,
        frames: &mut Vec<Frame>,
    ) -> Option<usize> {
        let from = start + if start == 0 { self.scanned } else { 0 };
        let end = memchr::memchr(delimiter, &bytes[from..]).map(|found| from + found);
        let available = end.unwrap_or(bytes.len()) - start;
        if self.frame_max < available {
            self.scanned = 0;
            self.push(bytes, start, start + self.frame_max, Flags::TRUNCATED, frames);
            self.skip = Skip::Until(delimiter);
            return Some(start + self.frame_max);
        }
        let Some(end) = end else {
            // The caller brings these bytes again, at the beginning.
            self.scanned = available;
            return None;
        };
        self.scanned = 0;
        self.push(bytes, start, end, Flags::default(), frames);
        Some(end + 1)
    }

    /// Adds a frame, unless it is an empty line.
    fn push(&self, bytes: &[u8], start: usize, end: usize, flags: Flags, frames: &mut Vec<Frame>) {
        let blank = bytes[start..end].iter().all(|&byte| byte == b'\r' || byte == b'\n');
        if !blank {
            frames.push(Frame { start: start as u32, end: end as u32, flags });
        }
    }
}

/// A digit begins a length only where ` <` follows it: a line that begins with a number is a line.
fn begin_auto(rest: &[u8]) -> Begin {
    match length_prefix(rest) {
        None => Begin::Delimited(b'\n'),
        Some(None) => Begin::Unknown,
        Some(Some((prefix, length))) => match rest.get(prefix) {
            Some(b'<') => Begin::Counted { prefix, length },
            Some(_) => Begin::Delimited(b'\n'),
            None => Begin::Unknown,
        },
    }
}

/// `LEN SP`: the prefix's bytes and the length; `Some(None)` when more bytes are needed to tell.
fn length_prefix(rest: &[u8]) -> Option<Option<(usize, usize)>> {
    let digits = rest.iter().take(LENGTH_DIGITS_MAX + 1).take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 || LENGTH_DIGITS_MAX < digits || rest[0] == b'0' {
        return None;
    }
    match rest.get(digits) {
        None => Some(None),
        Some(b' ') => {
            let length = rest[..digits].iter().fold(0, |sum, byte| sum * 10 + usize::from(byte - b'0'));
            Some(Some((digits + 1, length)))
        }
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Feeds `pieces` one after the other as a connection would and returns the frames.
    fn run(framing: Framing, frame_max: usize, pieces: &[&[u8]]) -> Vec<(Vec<u8>, Flags)> {
        let mut framer = Framer::new(framing, frame_max);
        let (mut pending, mut found) = (Vec::new(), Vec::new());
        let mut frames = Vec::new();
        let collect = |frames: &mut Vec<Frame>, bytes: &[u8], found: &mut Vec<(Vec<u8>, Flags)>| {
            for frame in frames.drain(..) {
                found.push((bytes[frame.start as usize..frame.end as usize].to_vec(), frame.flags));
            }
        };
        for piece in pieces {
            pending.extend_from_slice(piece);
            let taken = framer.split(&pending, &mut frames);
            collect(&mut frames, &pending, &mut found);
            pending.drain(..taken);
        }
        framer.finish(&pending, &mut frames);
        collect(&mut frames, &pending, &mut found);
        found
    }

    fn check(framing: Framing, pieces: &[&str], expected: &[(&str, Flags)]) {
        let pieces: Vec<&[u8]> = pieces.iter().map(|piece| piece.as_bytes()).collect();
        let expected: Vec<_> =
            expected.iter().map(|(text, flags)| (text.as_bytes().to_vec(), *flags)).collect();
        assert_eq!(run(framing, 10, &pieces), expected, "{pieces:?}");
    }

    const WHOLE: Flags = Flags(0);

    #[test]
    fn lines_end_at_a_newline_and_empty_ones_are_nothing() {
        check(Framing::Newline, &["<1>a\n\n\r\n<2>b\r\n"], &[("<1>a", WHOLE), ("<2>b\r", WHOLE)]);
        check(Framing::Newline, &["<1>", "a", "\n<2>"], &[("<1>a", WHOLE), ("<2>", Flags::INCOMPLETE)]);
        check(Framing::Nul, &["<1>a\nb\0<2>c\0"], &[("<1>a\nb", WHOLE), ("<2>c", WHOLE)]);
    }

    #[test]
    fn counted_frames_may_hold_newlines() {
        check(Framing::Octet, &["6 <1>a\nb5 <2>cd"], &[("<1>a\nb", WHOLE), ("<2>cd", WHOLE)]);
        check(Framing::Octet, &["6 <1>", "ab"], &[("<1>ab", Flags::INCOMPLETE)]);
        check(Framing::Octet, &["out of st\n4 <1>a"], &[("out of st", WHOLE), ("<1>a", WHOLE)]);
    }

    #[test]
    fn each_frame_shows_its_own_framing() {
        check(
            Framing::Auto,
            &["4 <1>a<2>b\n", "1", "2 lines\n", "5 <", "3>cd"],
            &[("<1>a", WHOLE), ("<2>b", WHOLE), ("12 lines", WHOLE), ("<3>cd", WHOLE)],
        );
        check(Framing::Auto, &["12345678 <1>"], &[("12345678 <", Flags::TRUNCATED)]);
        check(Framing::Auto, &["7"], &[("7", Flags::INCOMPLETE)]);
    }

    #[test]
    fn what_is_too_long_is_cut_once_and_the_next_frame_is_clean() {
        check(
            Framing::Newline,
            &["0123456789", "x", "yz\n<1>a\n"],
            &[("0123456789", Flags::TRUNCATED), ("<1>a", WHOLE)],
        );
        check(Framing::Newline, &["0123456789\n"], &[("0123456789", WHOLE)]);
        check(
            Framing::Octet,
            &["12 0123456", "789ab4 <1>a"],
            &[("0123456789", Flags::TRUNCATED), ("<1>a", WHOLE)],
        );
        check(Framing::Octet, &["12 0123456789a"], &[("0123456789", Flags::TRUNCATED)]);
    }

    proptest! {
        #[test]
        fn where_a_stream_is_cut_into_reads_makes_no_difference(
            stream in "([0-9]{1,2} |<1>|[a-c]|\n|\r|\0){0,40}", cuts in proptest::collection::vec(0_usize..80, 0..6),
            framing in prop_oneof![
                Just(Framing::Auto), Just(Framing::Octet), Just(Framing::Newline), Just(Framing::Nul)
            ],
        ) {
            let bytes = stream.as_bytes();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
            prop_assert_eq!(run(framing, 10, &pieces), run(framing, 10, &[bytes]));
        }

        #[test]
        fn lines_and_newlines_together_are_what_was_received(stream in "[a-c<>0-9\n]{0,60}") {
            let frames = run(Framing::Newline, 1000, &[stream.as_bytes()]);
            let lines: Vec<&[u8]> = stream.as_bytes().split(|&b| b == b'\n').filter(|l| !l.is_empty()).collect();
            prop_assert_eq!(frames.iter().map(|(frame, _)| frame.as_slice()).collect::<Vec<_>>(), lines);
        }
    }
}
