//! The heads of Cisco devices, which replace RFC 3164's stamp, host and tag.
//!
//! ```text
//! [COUNTER: ][ORIGIN: ][SEQUENCE: ][NODE:][*|.][STAMP[ ZONE]: ][PROCESS[PID]: ]%FACILITY-SEVERITY-MNEMONIC: TEXT
//! ```
//!
//! `*` means that the clock was never set, `.` that it lost its source. NX-OS begins with `: `, and ASA writes ` : `
//! before the mnemonic. A WLC writes the task as `*like this: ` before the stamp, and may write `#` for the `%`. A
//! device that is configured so writes its uptime as the stamp.
//!
//! **Invariant:** a text without a mnemonic is taken for such a head only where a stamp stands behind a number or
//! a mark. The message begins at the `%`, so that a search finds what the vendor's documents call it.

use super::frame::set_message;
use super::stamp::{self, Clock};
use super::word::is_host;
use logstead_record::{BatchBuilder, Field, Flags, Row, Timestamp};

/// The maximum number of parts before the mnemonic.
const PARTS_MAX: usize = 8;
/// The maximum length of a part or mnemonic.
const PART_BYTES_MAX: usize = 128;
/// The maximum number of names of virtual devices or VRFs before the mnemonic.
const CONTEXTS_MAX: usize = 2;

/// The head before the message.
#[derive(Default)]
pub(super) struct CiscoHead<'a> {
    time: Option<Timestamp>,
    /// Set if the stamp is not a valid time.
    flags: Flags,
    /// An abbreviation that is not a known zone.
    zone: &'a [u8],
    host: &'a [u8],
    node: &'a [u8],
    process: &'a [u8],
    pid: &'a [u8],
    counter: &'a [u8],
    sequence: &'a [u8],
    mnemonic: Option<Mnemonic<'a>>,
    message_at: usize,
}

/// `%FACILITY-SEVERITY-MNEMONIC:`.
pub(super) struct Mnemonic<'a> {
    pub(super) facility: &'a [u8],
    severity: &'a [u8],
    name: &'a [u8],
}

/// Whether a head may begin here. This is checked before every tag, so it must be cheap.
pub(super) fn may_begin(text: &[u8], at: usize) -> bool {
    match text.get(at) {
        Some(b'%' | b'#' | b':' | b'*' | b'.' | b'0'..=b'9') => true,
        Some(b'R' | b'L') => text[at + 1..].starts_with(b"P/") || text[at + 1..].starts_with(b"C/"),
        _ => false,
    }
}

/// The head at `start`; `None` if the text is something else.
pub(super) fn head<'a>(text: &'a [u8], start: usize, clock: Clock<'_>) -> Option<CiscoHead<'a>> {
    let mut head = CiscoHead::default();
    let mut at = start;
    let mut is_marked = false;
    let mut behind_stamp = None;
    // The task that a WLC names before the stamp.
    let mut task: &[u8] = b"";
    for _ in 0..PARTS_MAX {
        at = behind_gap(text, at);
        if matches!(text.get(at), Some(b'%' | b'#')) {
            let Some(mnemonic) = Mnemonic::read(text, at) else { break };
            return Some(CiscoHead { mnemonic: Some(mnemonic), message_at: at, ..head });
        }
        let mark = usize::from(matches!(text.get(at), Some(b'*' | b'.')));
        is_marked |= 0 < mark;
        if behind_stamp.is_none()
            && let Some((time, end)) = stamp::any(text, at + mark, clock)
        {
            (head.time, head.flags) = (time, stamp::flags(time));
            at = head.unknown_zone(text, end);
            behind_stamp = Some(at);
            task = head.process;
            continue;
        }
        let task_end = if behind_stamp.is_none() && 0 < mark { head.task(text, at + mark) } else { None };
        match task_end.or_else(|| head.part(text, at + mark, behind_stamp.is_some() || 0 < mark)) {
            Some(end) => at = end,
            None => break,
        }
    }
    let behind_stamp = behind_stamp.filter(|_| is_marked || !head.sequence.is_empty())?;
    Some(CiscoHead { process: task, pid: b"", message_at: behind_gap(text, behind_stamp), ..head })
}

/// The position after the colon and the blanks that end a part.
fn behind_gap(text: &[u8], at: usize) -> usize {
    at + text.iter().skip(at).take_while(|byte| matches!(byte, b' ' | b':')).count()
}

impl<'a> CiscoHead<'a> {
    /// Takes ` XYZ` after the stamp as a zone if a colon follows it, and returns its end.
    fn unknown_zone(&mut self, text: &'a [u8], at: usize) -> usize {
        let Some(rest) = text.get(at..).and_then(|rest| rest.strip_prefix(b" ")) else { return at };
        let letters = rest.iter().take_while(|byte| byte.is_ascii_uppercase()).count();
        if !(2..=5).contains(&letters) || !rest[letters..].starts_with(b": ") {
            return at;
        }
        self.zone = &rest[..letters];
        at + 1 + letters
    }

    /// Reads the part at `at` and returns its end; `None` if there is no such part.
    fn part(&mut self, text: &'a [u8], at: usize, is_process: bool) -> Option<usize> {
        let rest = text.get(at..)?;
        let rest = &rest[..rest.len().min(PART_BYTES_MAX)];
        if let Some(end) = node_end(rest) {
            self.node = &rest[..end];
            return Some(at + end + 1);
        }
        let word_end = memchr::memchr(b' ', rest)?;
        let Some(word) = rest[..word_end].strip_suffix(b":") else {
            // `host RP/0/RSP0/CPU0:`, `host %$ VDC-1 %$ %FACILITY-…`
            let is_behind_stamp = self.time.is_some() || self.flags.has(Flags::BAD_TIME);
            if !is_behind_stamp || Mnemonic::read(text, at + word_end + 1).is_none() {
                node_end(&rest[word_end + 1..])?;
            }
            self.name(&rest[..word_end])?;
            return Some(at + word_end);
        };
        if !word.is_empty() && word.iter().all(u8::is_ascii_digit) {
            self.counter = std::mem::replace(&mut self.sequence, word);
        } else if is_process && !is_uptime(word) {
            self.process(word)?;
        } else if !is_uptime(word) {
            self.name(word)?;
        }
        Some(at + word_end)
    }

    /// Reads the name of a task, which may contain spaces, and returns the position of its colon.
    fn task(&mut self, text: &'a [u8], at: usize) -> Option<usize> {
        let rest = text.get(at..)?;
        let end = memchr::memchr(b':', &rest[..rest.len().min(PART_BYTES_MAX)])?;
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'_' | b'-' | b'.');
        let fits =
            rest.get(end + 1) == Some(&b' ') && rest[..end].iter().all(is_name) && !is_uptime(&rest[..end]);
        fits.then(|| self.process(&rest[..end]))??;
        Some(at + end)
    }

    fn name(&mut self, word: &'a [u8]) -> Option<()> {
        let fits = self.host.is_empty() && is_host(word);
        fits.then(|| self.host = word)
    }

    /// `config[65710]` or `config`.
    fn process(&mut self, word: &'a [u8]) -> Option<()> {
        if !self.process.is_empty() {
            return None;
        }
        let (process, pid) = match memchr::memchr(b'[', word) {
            Some(open) => (&word[..open], word[open + 1..].strip_suffix(b"]")?),
            None => (word, &b""[..]),
        };
        (self.process, self.pid) = (process, pid);
        Some(())
    }

    /// Fills the columns that the row does not have yet.
    pub(super) fn fill(
        &self,
        row: &mut Row<'a>,
        text: &'a [u8],
        is_host_known: bool,
        builder: &mut BatchBuilder,
    ) {
        for (name, value) in [
            (&b"cisco.node"[..], self.node),
            (b"cisco.counter", self.counter),
            (b"cisco.sequence", self.sequence),
            (b"cisco.zone", self.zone),
        ] {
            if !value.is_empty() {
                builder.field(name, value);
                row.fields_behind += 1;
            }
        }
        if let Some(mnemonic) = &self.mnemonic {
            row.fields_behind += mnemonic.add(builder);
        }
        let facility = self.mnemonic.as_ref().map_or(&b""[..], |mnemonic| mnemonic.facility);
        row[Field::Program] = if self.process.is_empty() { facility } else { self.process };
        row[Field::Pid] = self.pid;
        if !is_host_known && !self.host.is_empty() {
            row[Field::Host] = self.host;
        }
        row.time = row.time.or(self.time);
        row.flags = row.flags.with(self.flags);
        set_message(row, text, self.message_at);
    }
}

impl<'a> Mnemonic<'a> {
    /// The mnemonic whose `%` or `#` is at `at`.
    pub(super) fn read(text: &'a [u8], at: usize) -> Option<Mnemonic<'a>> {
        let mut rest = text.get(at..)?;
        // NX-OS writes the virtual device and the VRF before it: `%$VDC-1%$ %FACILITY-…`, and `%$ VDC-1 %$
        // %FACILITY-…`.
        for _ in 0..CONTEXTS_MAX {
            let Some(inner) = rest.strip_prefix(b"%$") else { break };
            let window = &inner[..inner.len().min(PART_BYTES_MAX)];
            rest = inner[memchr::memmem::find(window, b"%$ ")? + 3..].trim_ascii_start();
        }
        let is_hashed = rest.starts_with(b"#");
        let rest = rest.strip_prefix(if is_hashed { b"#" } else { b"%" })?;
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'/' | b'.');
        let length = rest.iter().take(PART_BYTES_MAX).take_while(|byte| is_part(byte)).count();
        let (body, behind) = rest.split_at(length);
        if !behind.starts_with(b":") && !behind.starts_with(b" :") && !behind.is_empty() {
            return None;
        }
        let digit =
            body.windows(3).position(|at| at[0] == b'-' && matches!(at[1], b'0'..=b'7') && at[2] == b'-')?;
        let mnemonic = Mnemonic {
            facility: &body[..digit],
            severity: &body[digit + 1..digit + 2],
            name: &body[digit + 3..],
        };
        // A word after a `#` may be anything.
        let is_believed = !is_hashed || !body.iter().any(u8::is_ascii_lowercase);
        (is_believed && !mnemonic.facility.is_empty() && !mnemonic.name.is_empty()).then_some(mnemonic)
    }

    /// Adds the mnemonic's parts as fields and returns their number.
    pub(super) fn add(&self, builder: &mut BatchBuilder) -> usize {
        builder.field(b"cisco.facility", self.facility);
        builder.field(b"cisco.severity", self.severity);
        builder.field(b"cisco.mnemonic", self.name);
        3
    }
}

/// The end of a name such as `RP/0/RSP0/CPU0` before a colon.
fn node_end(rest: &[u8]) -> Option<usize> {
    let is_node = matches!(rest.first(), Some(b'R' | b'L' | b'0'..=b'9'));
    let end = memchr::memchr2(b':', b' ', rest).filter(|_| is_node)?;
    (rest[end] == b':' && memchr::memmem::find(&rest[..end], b"/CPU").is_some()).then_some(end)
}

/// `3d02h`, `1w2d`, `00:01:23` or `00:01:23.456`: the uptime of the device.
fn is_uptime(word: &[u8]) -> bool {
    let is_part =
        |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'y' | b'w' | b'd' | b'h' | b'm' | b's' | b':');
    // A fraction follows only a time of day: other points are those of an address.
    let fraction = word.iter().position(|byte| *byte == b'.').filter(|at| word[..*at].contains(&b':'));
    let (time, fraction) = word.split_at(fraction.unwrap_or(word.len()));
    time.first().is_some_and(u8::is_ascii_digit)
        && time.iter().all(is_part)
        && fraction.iter().skip(1).all(u8::is_ascii_digit)
}
