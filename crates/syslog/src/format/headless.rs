//! Heads without `<PRI>`, as syslog daemons write them to files: `STAMP HOST TAG[PID]: MSG`.
//!
//! A text may also begin with a time and continue with a sentence. So outside files such a head is accepted only if
//! stamp, host and tag are all complete, and a word that may belong to a sentence is not a host. A line of a file may
//! also have no host, or come from a program that writes its file itself ([`super::lines`]); if only its stamp is
//! recognised, the line is a text with a time. Zscaler's feeds have a host or a tag before a text in CEF or LEEF.
//!
//! **Invariant:** such a message has no severity and no facility, unless its own text says them.

use super::cisco::Mnemonic;
use super::frame::{FrameContext, FrameText, text_row};
use super::keys::is_level;
use super::stamp::{self, Clock};
use super::word::{behind_spaces, is_host, selector, token};
use super::{lines, rfc3164, tag, vendor};
use logstead_record::{BatchBuilder, Field, Row, Timestamp};

/// The form of a stamp, which reveals something about its writer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stamp {
    /// `Nov 22 05:11:01`, or RFC 3339 with an offset: a syslog daemon.
    Daemon,
    /// RFC 3339 in UTC or without a zone: a daemon or a program.
    Anyone,
}

/// Reads a head; `None` if the frame is something else. Fields in the head are added to the builder.
pub(super) fn parse<'a>(
    frame: FrameText<'a>,
    known: FrameContext<'a>,
    clock: Clock<'_>,
    is_line: bool,
    builder: &mut BatchBuilder,
) -> Option<Row<'a>> {
    let (text, start) = (frame.text, frame.start);
    if !matches!(text.get(start)?, b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'[') {
        return None;
    }
    let mut row = Row { flags: known.flags, ..text_row(frame) }.with(Field::Host, known.peer);
    if let Some((time, at, stamp)) = daemon_stamp(text, start, clock)
        && (is_host_and_tag(text, at, stamp, known.peer) || is_line && is_tag_alone(text, at, stamp))
    {
        row.time = time;
        row.flags = row.flags.with(stamp::flags(time));
        rfc3164::behind_stamp(&mut row, text, at, clock, builder);
        return Some(row);
    }
    (is_line && lines::read(&mut row, text, start, clock, builder)).then_some(row)
}

/// The stamp of a syslog daemon, and the position after it.
fn daemon_stamp(text: &[u8], start: usize, clock: Clock<'_>) -> Option<(Option<Timestamp>, usize, Stamp)> {
    let is_number = text[start].is_ascii_digit();
    // `2026-11-22 05:11:01` begins the lines of every kind of program.
    if is_number && !matches!(text.get(start + 10), Some(b'T')) {
        return None;
    }
    let start = if is_number { start } else { stamp::behind_weekday(text, start).unwrap_or(start) };
    let (time, end) = stamp::any(text, start, clock)?;
    let has_offset = matches!(text.get(end.checked_sub(6)?), Some(b'+' | b'-'));
    let stamp = if is_number && !has_offset { Stamp::Anyone } else { Stamp::Daemon };
    (text.get(end) == Some(&b' ')).then(|| (time, behind_spaces(text, end), stamp))
}

/// Whether `HOST TAG: `, `HOST TAG[PID]: ` or the like is certain to begin here.
fn is_host_and_tag(text: &[u8], at: usize, stamp: Stamp, own: &[u8]) -> bool {
    if text.get(at) == Some(&b'<') {
        return selector(text, at).is_some();
    }
    let has_event = |at: usize| vendor::is_event_format(&text[at..]);
    if has_event(at) {
        return true;
    }
    let Some((host, host_end)) = token(text, at) else { return false };
    let at = behind_spaces(text, host_end);
    if has_event(at) {
        return is_host(host);
    }
    if !is_host(host) || host.ends_with(b":") || is_level(host) {
        return false;
    }
    let rest = &text[at..];
    if Mnemonic::read(rest, 0).is_some() || vendor::repeated(rest).is_some() {
        return true;
    }
    match tag::tag(rest) {
        Some((program, [])) => {
            let is_word = host.iter().all(u8::is_ascii_alphabetic) && host != own && program != b"kernel";
            !(is_level(program) || stamp == Stamp::Anyone && is_word)
        }
        tag => tag.is_some(),
    }
}

/// Whether a tag begins here that only its process id distinguishes from a sentence.
fn is_tag_alone(text: &[u8], at: usize, stamp: Stamp) -> bool {
    let tag = tag::tag(&text[at..]);
    stamp == Stamp::Daemon && tag.is_some_and(|(_, pid)| !pid.is_empty())
}
