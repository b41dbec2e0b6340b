//! Finds the frames in a stream: newline, NUL, octet counting, whichever of newline and octet counting each
//! frame shows, or messages of many lines. Pure: bytes in, ranges out.
//!
//! A sender that never delimits its messages is known by the heads of the next ones ([`super::undelimited`]): where that is
//! certain, a message ends at the next head. Its messages are flagged, so that it shows what to set up.
//!
//! A sender of counted frames that counts wrongly is out of step: what stands where a frame should begin is
//! neither a length nor a priority. Then the bytes up to the next newline, or up to what looks like the next
//! counted frame, are kept as one frame that is flagged, and all behind them is clean again.
//!
//! **Invariant:** every byte is in exactly one frame, or is framing (a delimiter, a length), or is the cut part
//! of a frame that is flagged as truncated. So frames and framing together are what was received.

use super::undelimited::Signature;
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
    /// Up to the next message of a sender without delimiters.
    UntilHead,
}

/// What stands at the beginning of the bytes that are left.
enum Begin {
    /// A frame of `length` bytes after a prefix of `prefix` bytes.
    Counted { prefix: usize, length: usize },
    /// A frame that ends before this byte.
    Delimited(u8),
    /// A frame that ends at a newline behind which a priority stands.
    Lines,
    /// Nothing that a sender of counted frames would begin with.
    OutOfStep,
    /// A byte between frames.
    Between,
    /// Too few bytes to tell.
    Unknown,
}

/// Splits the stream of one connection.
#[derive(Debug)]
pub struct Framer {
    framing: Framing,
    frame_max: usize,
    skip: Skip,
    /// Whether the last frame was counted.
    counted: bool,
    /// Bytes at the beginning of the next call that are known to hold no end of a frame.
    scanned: usize,
    /// Whether there was a delimiter or a count on this connection.
    delimits: bool,
    /// The heads by which the messages of a sender without delimiters are told apart.
    heads: Option<Signature>,
}

impl Framer {
    /// At the beginning of a stream.
    pub fn new(framing: Framing, frame_max: usize) -> Framer {
        let skip = Skip::Nothing;
        Framer { framing, frame_max, skip, counted: false, scanned: 0, delimits: false, heads: None }
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

    /// Whether what is left of `bytes` may be complete without showing it: then silence shows it.
    pub fn may_go_on(&self, bytes: &[u8]) -> bool {
        self.is_whole_lines(bytes) || self.never_delimits() && bytes.starts_with(b"<")
    }

    /// Of a message that only the next one would show to be complete.
    fn is_whole_lines(&self, bytes: &[u8]) -> bool {
        self.framing == Framing::Multiline && bytes.ends_with(b"\n")
    }

    /// Whether there was nothing so far that `auto` goes by.
    fn never_delimits(&self) -> bool {
        self.framing == Framing::Auto && !self.delimits
    }

    /// What is left of `bytes` did not go on: takes it, where it is certain that it is complete, and says how many bytes
    /// that are.
    pub fn give_up_waiting(&mut self, bytes: &[u8], frames: &mut Vec<Frame>) -> usize {
        self.look_for_heads(bytes);
        if !self.is_whole_lines(bytes) && self.heads.is_none() {
            return 0;
        }
        let heads = self.heads.clone();
        self.end(bytes, Flags::default(), frames);
        self.heads = heads;
        bytes.len()
    }

    /// Takes all of `bytes`, which are whole messages.
    pub fn split_all(&mut self, bytes: &[u8], frames: &mut Vec<Frame>) {
        self.end(bytes, Flags::default(), frames);
    }

    /// The sender has gone: what is left of `bytes` is a frame that has no end.
    pub fn finish(&mut self, bytes: &[u8], frames: &mut Vec<Frame>) {
        self.look_for_heads(bytes);
        let is_complete = self.is_whole_lines(bytes) || self.heads.is_some();
        self.end(bytes, if is_complete { Flags::default() } else { Flags::INCOMPLETE }, frames);
    }

    /// These bytes are all that came, or all that a message can have, without a delimiter: goes by heads from now on if
    /// there are two of one sender.
    fn look_for_heads(&mut self, bytes: &[u8]) {
        if self.heads.is_none() && self.never_delimits() {
            self.heads = Signature::of(bytes).filter(|heads| heads.find(bytes, 1).is_ok());
            // So far, the bytes were only looked through for newlines.
            self.scanned = if self.heads.is_some() { 0 } else { self.scanned };
        }
    }

    fn end(&mut self, bytes: &[u8], flags: Flags, frames: &mut Vec<Frame>) {
        let at = self.split(bytes, frames);
        let skipped = self.skip != Skip::Nothing;
        if at < bytes.len() && !skipped {
            let start = match self.begin(&bytes[at..]) {
                Begin::Counted { prefix, .. } => at + prefix,
                _ => at,
            };
            // What might have become a length has not counted so far.
            let end = bytes.len().min(start + self.frame_max);
            let cut = if end < bytes.len() { Flags::TRUNCATED } else { Flags::default() };
            let is_undelimited = self.never_delimits() && Signature::of(&bytes[start..]).is_some();
            let hint = if is_undelimited { Flags::UNDELIMITED } else { Flags::default() };
            self.push(bytes, start, end, flags.with(cut).with(hint), frames);
        }
        *self = Framer::new(self.framing, self.frame_max);
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
                        (self.skip, self.delimits) = (Skip::Nothing, true);
                        at + end + 1
                    }
                    None => bytes.len(),
                });
            }
            Skip::UntilHead => return self.skip_to_head(bytes, at),
            Skip::Nothing => {}
        }
        match self.begin(rest) {
            Begin::Unknown => None,
            Begin::Between => Some(at + 1),
            Begin::Counted { prefix, length } => self.counted(bytes, at + prefix, length, frames),
            Begin::Delimited(_) if self.never_delimits() => self.undelimited(bytes, at, frames),
            Begin::Delimited(delimiter) => self.delimited(bytes, at, delimiter, frames),
            Begin::Lines => self.lines(bytes, at, frames),
            Begin::OutOfStep => self.out_of_step(bytes, at, frames),
        }
    }

    fn begin(&self, rest: &[u8]) -> Begin {
        match self.framing {
            Framing::Newline => begin_line(rest),
            Framing::Nul => Begin::Delimited(0),
            Framing::Multiline => Begin::Lines,
            Framing::Auto => begin_auto(rest, self.counted),
            Framing::Octet => match length_prefix(rest) {
                Some(Some((prefix, length))) => Begin::Counted { prefix, length },
                Some(None) => Begin::Unknown,
                None if matches!(rest[0], b'\r' | b'\n') => Begin::Between,
                None => Begin::OutOfStep,
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
        let kept = length.min(self.frame_max);
        if bytes.len() - start < kept {
            return None;
        }
        let flags = if kept < length { Flags::TRUNCATED } else { Flags::default() };
        self.push(bytes, start, start + kept, flags, frames);
        (self.counted, self.delimits) = (true, true);
        if kept < length {
            self.skip = Skip::Bytes(length - kept);
        }
        Some(start + kept)
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
        let ends = end.map(|end| (end, end + 1));
        self.delimits |= ends.is_some();
        self.take(bytes, start, ends, Flags::default(), Skip::Until(delimiter), frames)
    }

    /// A line of a sender that has not sent a newline so far.
    fn undelimited(&mut self, bytes: &[u8], start: usize, frames: &mut Vec<Frame>) -> Option<usize> {
        let from = start + if start == 0 { self.scanned } else { 0 };
        let newline = memchr::memchr(b'\n', &bytes[from..]).map(|found| from + found);
        let available = &bytes[start..newline.unwrap_or(bytes.len())];
        if self.frame_max < available.len() {
            self.look_for_heads(&available[..self.frame_max]);
        }
        let Some(heads) = &self.heads else { return self.delimited(bytes, start, b'\n', frames) };
        let scanned = if start == 0 { self.scanned } else { 0 };
        match heads.find(available, scanned.max(1)) {
            Ok(end) => {
                let ends = Some((start + end, start + end));
                self.take(bytes, start, ends, Flags::UNDELIMITED, Skip::UntilHead, frames)
            }
            // It can delimit its messages after all.
            Err(_) if newline.is_some() => {
                self.heads = None;
                self.delimited(bytes, start, b'\n', frames)
            }
            // A head that has only begun would end a message that is not too long.
            Err(scanned) if scanned <= self.frame_max => {
                self.scanned = scanned;
                None
            }
            Err(scanned) => {
                let taken = self.take(bytes, start, None, Flags::UNDELIMITED, Skip::UntilHead, frames);
                self.scanned = self.scanned.min(scanned);
                taken
            }
        }
    }

    /// Behind what was cut of a message of such a sender.
    fn skip_to_head(&mut self, bytes: &[u8], at: usize) -> Option<usize> {
        let newline = memchr::memchr(b'\n', &bytes[at..]);
        let rest = &bytes[at..newline.map_or(bytes.len(), |end| at + end)];
        let found = self.heads.as_ref().map_or(Err(rest.len()), |heads| heads.find(rest, 0));
        match (found, newline) {
            (Ok(head), _) => {
                self.skip = Skip::Nothing;
                Some(at + head)
            }
            (Err(_), Some(end)) => {
                (self.skip, self.delimits, self.heads) = (Skip::Nothing, true, None);
                Some(at + end + 1)
            }
            (Err(scanned), None) => (0 < scanned).then_some(at + scanned),
        }
    }

    /// A message of many lines.
    fn lines(&mut self, bytes: &[u8], start: usize, frames: &mut Vec<Frame>) -> Option<usize> {
        let from = start + if start == 0 { self.scanned } else { 0 };
        let ends = memchr::memchr_iter(b'\n', &bytes[from..]).map(|found| from + found);
        // A newline so near the end that a priority may still follow shows nothing yet.
        let decided = |end: usize| starts_with_priority(&bytes[end + 1..]);
        let mut undecided = None;
        let mut found = None;
        for end in ends {
            match decided(end) {
                Some(true) => found = Some((end, end + 1)),
                Some(false) => continue,
                None => undecided = Some(end),
            }
            break;
        }
        if let (None, Some(end)) = (found, undecided)
            && end - start <= self.frame_max
        {
            self.scanned = end - start;
            return None;
        }
        self.take(bytes, start, found, Flags::default(), Skip::Until(b'\n'), frames)
    }

    /// What stands here should be a counted frame and is none.
    fn out_of_step(&mut self, bytes: &[u8], start: usize, frames: &mut Vec<Frame>) -> Option<usize> {
        let from = start + if start == 0 { self.scanned } else { 0 };
        let newline = memchr::memchr(b'\n', &bytes[from..]).map(|found| from + found);
        let counted = next_counted(&bytes[start..newline.unwrap_or(bytes.len())], from - start);
        let ends = match (counted, newline) {
            (Some(at), _) => Some((start + at, start + at)),
            (None, Some(end)) => Some((end, end + 1)),
            (None, None) => None,
        };
        // The beginning of a counted frame may be cut in two by the end of what has come so far.
        let begun = if ends.is_none() { begun_prefix(&bytes[start + 1..]) } else { 0 };
        if 0 < begun && bytes.len() - start - begun <= self.frame_max {
            self.scanned = bytes.len() - start - begun;
            return None;
        }
        self.take(bytes, start, ends, Flags::OUT_OF_STEP, Skip::Until(b'\n'), frames)
    }

    /// Takes the frame that ends, and is followed by the next one, at `ends`; or as much of it as is allowed.
    fn take(
        &mut self,
        bytes: &[u8],
        start: usize,
        ends: Option<(usize, usize)>,
        flags: Flags,
        skip: Skip,
        frames: &mut Vec<Frame>,
    ) -> Option<usize> {
        let available = ends.map_or(bytes.len(), |(end, _)| end) - start;
        if self.frame_max < available {
            self.scanned = 0;
            self.push(bytes, start, start + self.frame_max, flags.with(Flags::TRUNCATED), frames);
            self.skip = skip;
            self.counted = false;
            return Some(start + self.frame_max);
        }
        let Some((end, next)) = ends else {
            // The caller brings these bytes again, at the beginning.
            self.scanned = available;
            return None;
        };
        self.scanned = 0;
        self.counted = false;
        self.push(bytes, start, end, flags, frames);
        Some(next)
    }

    /// Adds a frame, unless it is an empty line.
    fn push(&self, bytes: &[u8], start: usize, end: usize, flags: Flags, frames: &mut Vec<Frame>) {
        let blank = bytes[start..end].iter().all(|&byte| byte == b'\r' || byte == b'\n');
        if !blank {
            frames.push(Frame { start: start as u32, end: end as u32, flags });
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

/// A digit begins a length only where ` <` follows it: a line that begins with a number is a line.
fn begin_auto(rest: &[u8], after_counted: bool) -> Begin {
    match length_prefix(rest) {
        None if after_counted => match rest[0] {
            b'<' => Begin::Delimited(b'\n'),
            b'\r' | b'\n' => Begin::Between,
            b' ' if rest.len() == 1 => Begin::Unknown,
            b' ' if rest[1] == b'<' => Begin::Between,
            byte if byte.is_ascii_digit() => Begin::Delimited(b'\n'),
            _ => Begin::OutOfStep,
        },
        None => begin_line(rest),
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

/// Whether `<0>` to `<999>` stands here; `None` when more bytes are needed to tell.
fn starts_with_priority(rest: &[u8]) -> Option<bool> {
    let digits = match rest.split_first() {
        None => return None,
        Some((b'<', digits)) => digits,
        Some(_) => return Some(false),
    };
    let count = digits.iter().take(4).take_while(|byte| byte.is_ascii_digit()).count();
    match digits.get(count) {
        None if count < 4 => None,
        next => Some((1..=3).contains(&count) && next == Some(&b'>')),
    }
}

/// Where, behind the first byte, a length and a priority stand. The first `from` bytes hold no priority.
fn next_counted(bytes: &[u8], from: usize) -> Option<usize> {
    let priorities = memchr::memchr_iter(b'<', &bytes[from..]).map(|found| from + found);
    priorities.filter(|&at| starts_with_priority(&bytes[at..]) == Some(true)).find_map(|at| {
        let before = bytes[..at].strip_suffix(b" ")?;
        let digits =
            before.iter().rev().take(LENGTH_DIGITS_MAX).take_while(|byte| byte.is_ascii_digit()).count();
        let start = before.len() - digits;
        (0 < digits && 0 < start && before[start] != b'0').then_some(start)
    })
}

/// How many bytes at the end can be the beginning of a length and a priority.
fn begun_prefix(bytes: &[u8]) -> usize {
    let strip_digits = |bytes: &[u8], max: usize| {
        let digits = bytes.iter().rev().take(max).take_while(|byte| byte.is_ascii_digit()).count();
        bytes.len() - digits
    };
    let mut end = strip_digits(bytes, 3);
    end = bytes[..end].strip_suffix(b"<").map_or(bytes.len(), <[u8]>::len);
    end = bytes[..end].strip_suffix(b" ").map_or(bytes.len(), <[u8]>::len);
    bytes.len() - strip_digits(&bytes[..end], LENGTH_DIGITS_MAX)
}

#[cfg(test)]
mod tests;
