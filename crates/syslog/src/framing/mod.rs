//! Finds the frames in a stream: those with newlines, NULs or octet counting, either of newline and octet counting as
//! the connection uses them, or messages of many lines. No I/O: bytes in, ranges out.
//!
//! **Certainty is not lost.** A connection that has sent a counted frame with a priority counts: a count is believed
//! then, even after a message without one. It is broken only if no frame can begin after the message; if one can
//! begin within it ([`counted`]), the message ends there. Bytes in place of a frame that are neither counted nor a
//! line are *out of step*: they are kept as one flagged frame, up to the next newline or plausible frame.
//!
//! The messages of a sender that never delimits them are recognised by the next head ([`super::undelimited`]): if
//! that is certain, a message ends at the next head. Its messages are flagged, so that the operator notices the
//! problem.
//!
//! **Invariant:** every byte is in one frame, or is framing (a delimiter, a length, an empty line), or is reported as
//! skipped.

mod begin;
mod counted;
mod skip;
mod split_result;

pub use split_result::{Frame, SkipReason, SkippedRange, SplitResult};

use super::undelimited::HeadSignature;
use begin::{FrameStart, FramingSeen};
use counted::{BufferEnd, FramePair, StreamStatus};
use logstead_config::Framing;
use logstead_record::Flags;
use skip::{SkipEnd, SkipMode};

/// The number of counted messages without a priority from which on they are no accident, if the source is set to
/// octet counting.
const PLAIN_MIN: u64 = 8;

/// Splits the stream of one connection.
#[derive(Debug)]
pub struct Framer {
    framing: Framing,
    frame_max: usize,
    /// The rest of a frame that was too long.
    skip: Option<SkipMode>,
    seen: FramingSeen,
    news: StreamStatus,
    /// The number of bytes at the beginning of the next call that are known to contain no end of a frame.
    scanned: usize,
    /// The number of bytes at the beginning of the next call in which no pair of counted frames begins.
    unpaired: usize,
    /// The number of bytes that were left after the last silence.
    quiet_bytes: usize,
    /// The number of counted messages without a priority.
    plain: u64,
    /// The heads by which the messages of a sender without delimiters are separated.
    heads: Option<HeadSignature>,
}

impl Framer {
    /// The state at the beginning of a stream.
    pub fn new(framing: Framing, frame_max: usize) -> Framer {
        Framer {
            framing,
            frame_max,
            skip: None,
            seen: FramingSeen::Nothing,
            news: StreamStatus::Coming,
            scanned: 0,
            unpaired: 0,
            quiet_bytes: 0,
            plain: 0,
            heads: None,
        }
    }

    /// Adds the frames of `bytes` that are certain, and returns their length in bytes. The caller passes the rest
    /// again, with more after it.
    pub fn split(&mut self, bytes: &[u8], found: &mut SplitResult) -> usize {
        let mut at = 0;
        while let Some(taken) = self.next(bytes, at, found) {
            at = taken;
            (self.scanned, self.unpaired) = (0, 0);
        }
        at
    }

    /// Whether the rest of `bytes` may be complete, although only silence would show it.
    pub fn may_go_on(&self, bytes: &[u8]) -> bool {
        self.is_whole_lines(bytes)
            || self.never_delimits() && bytes.starts_with(b"<")
            || bytes.len() != self.quiet_bytes && self.waits_for_count(bytes)
    }

    /// Whether the bytes are whole lines of a message that only the next message would show to be complete.
    fn is_whole_lines(&self, bytes: &[u8]) -> bool {
        self.framing == Framing::Multiline && bytes.ends_with(b"\n")
    }

    /// Whether nothing has been received so far that decides `auto`.
    fn never_delimits(&self) -> bool {
        self.framing == Framing::Auto && self.seen == FramingSeen::Nothing
    }

    /// Whether counted messages without a priority are usual here.
    fn sends_plain(&self) -> bool {
        self.framing == Framing::Octet && PLAIN_MIN <= self.plain
    }

    /// Whether a counted frame is incomplete, so that its count may be wrong.
    fn waits_for_count(&self, bytes: &[u8]) -> bool {
        self.skip.is_none() && !bytes.is_empty() && matches!(self.begin(bytes), FrameStart::Counted { .. })
    }

    /// Called when nothing followed the rest of `bytes`: takes the frames that are now certain to be complete, and
    /// returns their length in bytes.
    pub fn give_up_waiting(&mut self, bytes: &[u8], found: &mut SplitResult) -> usize {
        if self.waits_for_count(bytes) {
            self.news = StreamStatus::Silence;
            let taken = self.split(bytes, found);
            self.news = StreamStatus::Coming;
            self.quiet_bytes = bytes.len() - taken;
            return taken;
        }
        self.look_for_heads(bytes);
        if !self.is_whole_lines(bytes) && self.heads.is_none() {
            return 0;
        }
        let heads = self.heads.clone();
        self.end(bytes, Flags::default(), found);
        self.heads = heads;
        bytes.len()
    }

    /// Takes all of `bytes`, which are whole messages.
    pub fn split_all(&mut self, bytes: &[u8], found: &mut SplitResult) {
        self.end(bytes, Flags::default(), found);
    }

    /// Called when the sender has gone: the rest of `bytes` is a frame without an end.
    pub fn finish(&mut self, bytes: &[u8], found: &mut SplitResult) {
        self.look_for_heads(bytes);
        let is_complete = self.is_whole_lines(bytes) || self.heads.is_some();
        self.end(bytes, if is_complete { Flags::default() } else { Flags::INCOMPLETE }, found);
    }

    /// These bytes have arrived without a delimiter, and they are all that there is or all that a message can have.
    /// If there are two heads of one sender, heads are recognised from now on.
    fn look_for_heads(&mut self, bytes: &[u8]) {
        if self.heads.is_none() && self.never_delimits() {
            self.heads = HeadSignature::of(bytes).filter(|heads| heads.find(bytes, 1).is_ok());
            // So far, the bytes were only searched for newlines.
            self.scanned = if self.heads.is_some() { 0 } else { self.scanned };
        }
    }

    fn end(&mut self, bytes: &[u8], flags: Flags, found: &mut SplitResult) {
        self.news = StreamStatus::End;
        let at = self.split(bytes, found);
        if let Some(skip) = self.skip {
            found.skip(at, bytes.len(), skip.why());
        } else if at < bytes.len() {
            let (prefix, hint) = match self.begin(&bytes[at..]) {
                FrameStart::Counted { prefix, .. } => (prefix, Flags::default()),
                FrameStart::OutOfStep => (0, Flags::OUT_OF_STEP),
                _ if self.never_delimits() && HeadSignature::of(&bytes[at..]).is_some() => {
                    (0, Flags::UNDELIMITED)
                }
                _ => (0, Flags::default()),
            };
            // The digits that might have been part of a length have not been counted so far.
            let start = at + prefix;
            let end = bytes.len().min(start + self.frame_max);
            let cut = if end < bytes.len() { Flags::TRUNCATED } else { Flags::default() };
            found.framing_bytes += prefix;
            found.frame(bytes, start, end, flags.with(cut).with(hint));
            found.skip(end, bytes.len(), SkipReason::TooLong);
        }
        *self = Framer::new(self.framing, self.frame_max);
    }

    /// Takes one frame, or a piece of a skipped one, at `at`; `None` if more bytes are needed.
    fn next(&mut self, bytes: &[u8], at: usize, found: &mut SplitResult) -> Option<usize> {
        let rest = &bytes[at..];
        if rest.is_empty() {
            return None;
        }
        if let Some(skip) = self.skip {
            return self.skip_on(skip, bytes, at, found);
        }
        match self.begin(rest) {
            FrameStart::Unknown => None,
            FrameStart::Between => {
                found.framing_bytes += 1;
                Some(at + 1)
            }
            FrameStart::Counted { prefix, length } if length <= self.frame_max => {
                self.counted(bytes, at, prefix, length, found)
            }
            FrameStart::Counted { prefix, length } => self.counted_too_long(bytes, at, prefix, length, found),
            FrameStart::Doubtful => self.doubtful(bytes, at, found),
            FrameStart::Delimited(delimiter) => self.delimited(bytes, at, delimiter, found),
            FrameStart::Lines => self.lines(bytes, at, found),
            FrameStart::OutOfStep => self.out_of_step(bytes, at, found),
        }
    }

    fn begin(&self, rest: &[u8]) -> FrameStart {
        FrameStart::of(rest, self.framing, self.seen, self.sends_plain())
    }

    fn counted(
        &mut self,
        bytes: &[u8],
        at: usize,
        prefix: usize,
        length: usize,
        found: &mut SplitResult,
    ) -> Option<usize> {
        let (start, end) = (at + prefix, at + prefix + length);
        let Some(message) = bytes.get(start..end) else { return self.unfinished(bytes, at, prefix, found) };
        let inner = counted::next_plausible(message, 0, self.frame_max);
        let is_plain = !counted::has_priority(message);
        let behind = match inner {
            Some(inner) => counted::begins(&bytes[end..], self.frame_max).map(|begins| {
                begins && !counted::cuts_length(&bytes[start..], inner, length, self.frame_max)
            }),
            None if is_plain && !self.sends_plain() => counted::begins_any(&bytes[end..]),
            None => Some(true),
        };
        if behind.is_none() && self.news == StreamStatus::Coming {
            return None;
        }
        match inner {
            Some(inner) if behind == Some(false) || behind.is_none() && is_plain => {
                return Some(self.miscounted(bytes, at, start, start + inner, found));
            }
            None if behind == Some(false) => return self.out_of_step(bytes, at, found),
            _ => {}
        }
        found.framing_bytes += prefix;
        found.frame(bytes, start, end, Flags::default());
        self.seen = FramingSeen::Counts;
        self.plain += u64::from(is_plain);
        Some(end)
    }

    /// Handles a counted frame whose bytes have not all arrived. If no more arrive soon, a frame within it shows that
    /// its count is wrong.
    fn unfinished(
        &mut self,
        bytes: &[u8],
        at: usize,
        prefix: usize,
        found: &mut SplitResult,
    ) -> Option<usize> {
        let start = at + prefix;
        let message = &bytes[start..];
        let inner = match self.news {
            StreamStatus::Coming => None,
            StreamStatus::Silence => {
                match counted::first_pair(message, 1, message.len(), self.frame_max, BufferEnd::End) {
                    FramePair::At(inner) => Some(inner),
                    FramePair::Perhaps(_) | FramePair::No => None,
                }
            }
            StreamStatus::End => counted::next_plausible(message, 0, self.frame_max),
        }?;
        (inner <= self.frame_max).then(|| self.miscounted(bytes, at, start, start + inner, found))
    }

    /// Handles a counted frame that is kept only in part.
    fn counted_too_long(
        &mut self,
        bytes: &[u8],
        at: usize,
        prefix: usize,
        length: usize,
        found: &mut SplitResult,
    ) -> Option<usize> {
        let start = at + prefix;
        if bytes.len() - start < self.frame_max {
            return self.unfinished(bytes, at, prefix, found);
        }
        if self.framing == Framing::Auto && !counted::has_priority(&bytes[start..]) {
            return self.out_of_step(bytes, at, found);
        }
        let end = bytes.len().min(start + length);
        let behind = self.news.behind(end == start + length);
        let from = if at == 0 { self.unpaired } else { 0 };
        match counted::first_pair(&bytes[start..end], from, self.frame_max, self.frame_max, behind) {
            FramePair::At(inner) => return Some(self.miscounted(bytes, at, start, start + inner, found)),
            FramePair::Perhaps(inner) => {
                self.unpaired = inner;
                return None;
            }
            FramePair::No => {}
        }
        found.framing_bytes += prefix;
        found.frame(bytes, start, start + self.frame_max, Flags::TRUNCATED);
        self.seen = FramingSeen::Counts;
        self.skip = Some(SkipMode::Counted(length - self.frame_max));
        Some(start + self.frame_max)
    }

    /// Handles a wrong count at `at`: the message ends where the next frame begins.
    fn miscounted(
        &mut self,
        bytes: &[u8],
        at: usize,
        start: usize,
        inner: usize,
        found: &mut SplitResult,
    ) -> usize {
        // If there is no priority, digits that look like a length may be a part of a text.
        let start = if counted::has_priority(&bytes[start..inner]) || self.frame_max < inner - at {
            start
        } else {
            at
        };
        found.framing_bytes += start - at;
        found.frame(bytes, start, inner, Flags::OUT_OF_STEP);
        self.seen = FramingSeen::Lost;
        inner
    }

    /// Handles the first line of a connection, or a line without a priority. It is not a line if it contains two
    /// consecutive counted frames.
    fn doubtful(&mut self, bytes: &[u8], start: usize, found: &mut SplitResult) -> Option<usize> {
        let (scanned, unpaired) = if start == 0 { (self.scanned, self.unpaired) } else { (0, 0) };
        let newline = memchr::memchr(b'\n', &bytes[start + scanned..]).map(|end| start + scanned + end);
        let line = &bytes[start..newline.unwrap_or(bytes.len())];
        let behind = self.news.behind(newline.is_some());
        let pair = match self.heads {
            None => counted::first_pair(line, unpaired, self.frame_max + 1, self.frame_max, behind),
            Some(_) => FramePair::No,
        };
        match pair {
            FramePair::At(end) => {
                let ends = Some((start + end, start + end));
                self.take(bytes, start, ends, Flags::OUT_OF_STEP, SkipMode::OutOfStep, found)
            }
            FramePair::Perhaps(unpaired) if self.frame_max < line.len() => {
                (self.unpaired, self.scanned) = (unpaired, line.len());
                None
            }
            FramePair::Perhaps(unpaired) => {
                self.unpaired = unpaired;
                self.line(bytes, start, found)
            }
            FramePair::No => {
                self.unpaired = line.len();
                self.line(bytes, start, found)
            }
        }
    }

    fn line(&mut self, bytes: &[u8], start: usize, found: &mut SplitResult) -> Option<usize> {
        if self.never_delimits() {
            return self.undelimited(bytes, start, found);
        }
        self.delimited(bytes, start, b'\n', found)
    }

    fn delimited(
        &mut self,
        bytes: &[u8],
        start: usize,
        delimiter: u8,
        found: &mut SplitResult,
    ) -> Option<usize> {
        let from = start + if start == 0 { self.scanned } else { 0 };
        let ends = memchr::memchr(delimiter, &bytes[from..]).map(|found| (from + found, from + found + 1));
        let skip = match (self.framing, bytes[start]) {
            (Framing::Auto, b'<') => SkipMode::Line(SkipReason::TooLong),
            (Framing::Auto, _) => SkipMode::Line(SkipReason::OutOfStep),
            _ => SkipMode::Until(delimiter),
        };
        if ends.is_some() {
            self.seen = FramingSeen::Lines;
        }
        self.take(bytes, start, ends, Flags::default(), skip, found)
    }

    /// Handles a line from a sender that has not sent a newline so far.
    fn undelimited(&mut self, bytes: &[u8], start: usize, found: &mut SplitResult) -> Option<usize> {
        let from = start + if start == 0 { self.scanned } else { 0 };
        let newline = memchr::memchr(b'\n', &bytes[from..]).map(|found| from + found);
        let available = &bytes[start..newline.unwrap_or(bytes.len())];
        if self.frame_max < available.len() {
            self.look_for_heads(&available[..self.frame_max]);
        }
        let Some(heads) = &self.heads else { return self.delimited(bytes, start, b'\n', found) };
        let scanned = if start == 0 { self.scanned } else { 0 };
        match heads.find(available, scanned.max(1)) {
            Ok(end) => {
                let ends = Some((start + end, start + end));
                self.take(bytes, start, ends, Flags::UNDELIMITED, SkipMode::UntilHead, found)
            }
            // The sender can delimit its messages after all.
            Err(_) if newline.is_some() => {
                self.heads = None;
                self.delimited(bytes, start, b'\n', found)
            }
            // A head may have begun, which would end the message before it is too long.
            Err(scanned) if scanned <= self.frame_max => {
                self.scanned = scanned;
                None
            }
            Err(_) => self.take(bytes, start, None, Flags::UNDELIMITED, SkipMode::UntilHead, found),
        }
    }

    /// Handles a message of many lines.
    fn lines(&mut self, bytes: &[u8], start: usize, found: &mut SplitResult) -> Option<usize> {
        let from = start + if start == 0 { self.scanned } else { 0 };
        // A newline decides nothing yet if it is so near the end that a priority may still follow.
        let mut undecided = None;
        let mut ends = None;
        for end in memchr::memchr_iter(b'\n', &bytes[from..]).map(|found| from + found) {
            match counted::priority(&bytes[end + 1..]) {
                Some(0) => continue,
                Some(_) => ends = Some((end, end + 1)),
                None => undecided = Some(end),
            }
            break;
        }
        if let (None, Some(end)) = (ends, undecided)
            && end - start <= self.frame_max
        {
            self.scanned = end - start;
            return None;
        }
        self.take(bytes, start, ends, Flags::default(), SkipMode::Until(b'\n'), found)
    }

    /// Handles bytes that should be a counted frame and are not: a line from a sender that mixes both, or damage.
    fn out_of_step(&mut self, bytes: &[u8], start: usize, found: &mut SplitResult) -> Option<usize> {
        let from = start + if start == 0 { self.scanned } else { 0 };
        let newline = memchr::memchr(b'\n', &bytes[from..]).map(|found| from + found);
        let piece = &bytes[start..newline.unwrap_or(bytes.len())];
        let counted = counted::next_plausible(piece, from - start, self.frame_max);
        let ends = match (counted, newline) {
            (Some(at), _) => Some((start + at, start + at)),
            (None, Some(end)) => Some((end, end + 1)),
            (None, None) => None,
        };
        // The beginning of a counted frame may be cut off by the end of the available bytes.
        let begun = if ends.is_none() { counted::begun(&bytes[start + 1..]) } else { 0 };
        if 0 < begun && bytes.len() - start - begun <= self.frame_max && self.news != StreamStatus::End {
            self.scanned = bytes.len() - start - begun;
            return None;
        }
        let ends_line = counted.is_none() && newline.is_some() && piece.len() <= self.frame_max;
        let may_be_line =
            self.framing == Framing::Auto && (self.seen == FramingSeen::Both || counted::has_priority(piece));
        let (flags, seen) = match ends_line && may_be_line {
            true => (Flags::default(), FramingSeen::Both),
            false if self.seen == FramingSeen::Nothing => (Flags::OUT_OF_STEP, FramingSeen::Nothing),
            false => (Flags::OUT_OF_STEP, FramingSeen::Lost),
        };
        let taken = self.take(bytes, start, ends, flags, SkipMode::OutOfStep, found)?;
        self.seen = seen;
        Some(taken)
    }

    /// Takes the frame that ends at `ends`, where the next one follows; or as much of it as is allowed.
    fn take(
        &mut self,
        bytes: &[u8],
        start: usize,
        ends: Option<(usize, usize)>,
        flags: Flags,
        skip: SkipMode,
        found: &mut SplitResult,
    ) -> Option<usize> {
        let available = ends.map_or(bytes.len(), |(end, _)| end) - start;
        if self.frame_max < available {
            found.frame(bytes, start, start + self.frame_max, flags.with(Flags::TRUNCATED));
            self.skip = Some(skip);
            return Some(start + self.frame_max);
        }
        let Some((end, next)) = ends else {
            // The caller passes these bytes again, at the beginning.
            self.scanned = available;
            return None;
        };
        found.frame(bytes, start, end, flags);
        found.framing_bytes += next - end;
        Some(next)
    }

    /// Continues after the cut part of a message; `None` if more bytes are needed.
    fn skip_on(&mut self, skip: SkipMode, bytes: &[u8], at: usize, found: &mut SplitResult) -> Option<usize> {
        let scanned = if at == 0 { self.scanned } else { 0 };
        let step =
            skip.step(&bytes[at..], scanned, self.frame_max, self.news.behind(false), self.heads.as_ref());
        let next = at + step.skipped;
        found.skip(at, next, skip.why());
        self.skip = match (step.ended, skip) {
            (SkipEnd::NotYet, SkipMode::Counted(left)) => Some(SkipMode::Counted(left - step.skipped)),
            (SkipEnd::NotYet, _) => Some(skip),
            (SkipEnd::Frame | SkipEnd::Delimiter, _) => None,
        };
        match step.ended {
            SkipEnd::Frame => Some(next),
            SkipEnd::Delimiter => {
                found.framing_bytes += 1;
                if matches!(skip, SkipMode::Line(_) | SkipMode::UntilHead) {
                    (self.seen, self.heads) = (FramingSeen::Lines, None);
                }
                Some(next + 1)
            }
            SkipEnd::NotYet if at < next => Some(next),
            SkipEnd::NotYet => {
                self.scanned = bytes.len() - at;
                None
            }
        }
    }
}

#[cfg(test)]
mod tests;
