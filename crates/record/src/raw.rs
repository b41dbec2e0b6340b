//! The exact bytes of a message as received: `raw = head ++ message ++ tail`.
//!
//! In a well-formed syslog message, the head adds nothing to the columns, so it is not stored: a [`HeadForm`]
//! describes how to write it again. The builder relies on that only after writing the head and comparing it, so
//! nobody has to prove that a parser and a form agree: if they differ, the head is stored.
//!
//! Fields that are not in the head (they were read from the message, or come from the connection) are the last ones
//! of a row. The stored head of a `Counted` form is then one byte: the number of fields that are in the head.

use crate::priority::Priority;
use crate::time::{MONTHS, Timestamp};

/// The initial capacity, which is enough for most heads.
const HEAD_BYTES_EXPECTED: usize = 96;

/// The form of the bytes before the message.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum HeadForm {
    /// They are stored.
    #[default]
    Stored,
    /// They are stored and are the whole raw text: the message does not occur in it unchanged.
    Whole,
    /// `<PRI>1 TIME HOST PROGRAM PID MSGID SD `, the time with this many digits after the point and `Z`.
    Rfc5424 {
        /// 0 to 9.
        fraction_digits: u8,
    },
    /// Like `Rfc5424`, but with `+00:00` instead of `Z`, as rsyslog and `logger` write it.
    Rfc5424Offset {
        /// 0 to 9.
        fraction_digits: u8,
    },
    /// [`HeadForm::Rfc5424`] of a row with fields that are not in the head.
    Rfc5424Counted {
        /// 0 to 9.
        fraction_digits: u8,
    },
    /// [`HeadForm::Rfc5424Offset`] of a row with fields that are not in the head.
    Rfc5424OffsetCounted {
        /// 0 to 9.
        fraction_digits: u8,
    },
    /// `<PRI>Mmm dd hh:mm:ss HOST PROGRAM[PID]: `, the time in UTC.
    Rfc3164,
}

impl HeadForm {
    /// Its number in memory and on disk.
    pub const fn code(self) -> u8 {
        match self {
            HeadForm::Stored => 0,
            HeadForm::Whole => 1,
            HeadForm::Rfc3164 => 2,
            HeadForm::Rfc5424 { fraction_digits } => 16 + fraction_digits,
            HeadForm::Rfc5424Offset { fraction_digits } => 32 + fraction_digits,
            HeadForm::Rfc5424Counted { fraction_digits } => 48 + fraction_digits,
            HeadForm::Rfc5424OffsetCounted { fraction_digits } => 64 + fraction_digits,
        }
    }

    /// The form with this number.
    pub const fn from_code(code: u8) -> Option<HeadForm> {
        match code {
            0 => Some(HeadForm::Stored),
            1 => Some(HeadForm::Whole),
            2 => Some(HeadForm::Rfc3164),
            16..=25 => Some(HeadForm::Rfc5424 { fraction_digits: code - 16 }),
            32..=41 => Some(HeadForm::Rfc5424Offset { fraction_digits: code - 32 }),
            48..=57 => Some(HeadForm::Rfc5424Counted { fraction_digits: code - 48 }),
            64..=73 => Some(HeadForm::Rfc5424OffsetCounted { fraction_digits: code - 64 }),
            _ => None,
        }
    }

    /// This form for a row whose last `fields_behind` fields are not in its head.
    pub(crate) const fn counted(self, fields_behind: usize) -> HeadForm {
        match self {
            HeadForm::Rfc5424 { fraction_digits } if 0 < fields_behind => {
                HeadForm::Rfc5424Counted { fraction_digits }
            }
            HeadForm::Rfc5424Offset { fraction_digits } if 0 < fields_behind => {
                HeadForm::Rfc5424OffsetCounted { fraction_digits }
            }
            form => form,
        }
    }

    /// Whether the bytes are stored instead of written again.
    pub(crate) const fn is_stored(self) -> bool {
        matches!(self, HeadForm::Stored | HeadForm::Whole)
    }

    /// Whether the stored head is the number of fields in the real one.
    pub(crate) const fn is_counted(self) -> bool {
        matches!(self, HeadForm::Rfc5424Counted { .. } | HeadForm::Rfc5424OffsetCounted { .. })
    }
}

/// The columns that a head is written from.
pub(crate) struct HeadParts<'a, F> {
    pub(crate) priority: Option<Priority>,
    pub(crate) time: Option<Timestamp>,
    pub(crate) host: &'a [u8],
    pub(crate) program: &'a [u8],
    pub(crate) pid: &'a [u8],
    pub(crate) msgid: &'a [u8],
    /// Name and value of each dynamic field in the head.
    pub(crate) fields: F,
}

impl<'a, F: Iterator<Item = (&'a [u8], &'a [u8])>> HeadParts<'a, F> {
    /// Appends the head that `form` makes of the columns; `false` if it cannot.
    pub(crate) fn write(self, form: HeadForm, out: &mut Vec<u8>) -> bool {
        let (Some(priority), Some(time)) = (self.priority, self.time) else { return false };
        out.reserve(HEAD_BYTES_EXPECTED);
        out.push(b'<');
        write_decimal(priority.number(), out);
        out.push(b'>');
        match form {
            HeadForm::Rfc5424 { fraction_digits }
            | HeadForm::Rfc5424Offset { fraction_digits }
            | HeadForm::Rfc5424Counted { fraction_digits }
            | HeadForm::Rfc5424OffsetCounted { fraction_digits } => {
                out.extend_from_slice(b"1 ");
                time.write_rfc3339(out, fraction_digits);
                if matches!(form, HeadForm::Rfc5424Offset { .. } | HeadForm::Rfc5424OffsetCounted { .. }) {
                    out.pop();
                    out.extend_from_slice(b"+00:00");
                }
                for part in [self.host, self.program, self.pid, self.msgid] {
                    out.push(b' ');
                    push_short(if part.is_empty() { b"-" } else { part }, out);
                }
                out.push(b' ');
                write_structured_data(self.fields, out)
            }
            HeadForm::Rfc3164 => {
                write_bsd_stamp(time, out);
                for part in [b" ", self.host, b" ", self.program] {
                    out.extend_from_slice(part);
                }
                if !self.pid.is_empty() {
                    for part in [b"[", self.pid, b"]"] {
                        out.extend_from_slice(part);
                    }
                }
                out.extend_from_slice(b": ");
                true
            }
            HeadForm::Stored | HeadForm::Whole => false,
        }
    }
}

/// Appends `-` or `[id name="value" …]…` and a space; `false` for a field that is not structured data.
pub(crate) fn write_structured_data<'a>(
    fields: impl Iterator<Item = (&'a [u8], &'a [u8])>,
    out: &mut Vec<u8>,
) -> bool {
    let mut open: Option<&[u8]> = None;
    for (name, value) in fields {
        let Some(dot) = memchr::memrchr(b'.', name) else { return false };
        let (id, parameter) = (&name[..dot], &name[dot + 1..]);
        if open != Some(id) {
            if open.is_some() {
                out.push(b']');
            }
            out.push(b'[');
            out.extend_from_slice(id);
            open = Some(id);
        }
        out.push(b' ');
        out.extend_from_slice(parameter);
        out.extend_from_slice(b"=\"");
        for &byte in value {
            if matches!(byte, b'"' | b'\\' | b']') {
                out.push(b'\\');
            }
            out.push(byte);
        }
        out.push(b'"');
    }
    out.extend_from_slice(if open.is_some() { b"] " } else { b"- " });
    true
}

/// Appends `Mmm dd hh:mm:ss` in UTC, the day padded with a space.
fn write_bsd_stamp(time: Timestamp, out: &mut Vec<u8>) {
    let (_, month, day, of_day, _) = time.to_civil();
    out.extend_from_slice(MONTHS[month as usize - 1]);
    let two = |value: u32| [b'0' + (value / 10) as u8, b'0' + (value % 10) as u8];
    let mut day = two(day);
    if day[0] == b'0' {
        day[0] = b' ';
    }
    let (hour, minute, second) = (two(of_day / 3600), two(of_day / 60 % 60), two(of_day % 60));
    out.push(b' ');
    out.extend_from_slice(&day);
    out.push(b' ');
    out.extend_from_slice(&hour);
    out.push(b':');
    out.extend_from_slice(&minute);
    out.push(b':');
    out.extend_from_slice(&second);
}

/// Appends a text that is usually so short that a call of `memmove` would take longer than copying it as two words,
/// the second of which may overlap the first.
fn push_short(text: &[u8], out: &mut Vec<u8>) {
    let end = out.len() + text.len();
    match text.len() {
        0..4 => text.iter().for_each(|&byte| out.push(byte)),
        4..=8 => push_ends::<4>(text, end, out),
        9..=16 => push_ends::<8>(text, end, out),
        _ => out.extend_from_slice(text),
    }
}

fn push_ends<const BYTES: usize>(text: &[u8], end: usize, out: &mut Vec<u8>) {
    if let (Some(first), Some(last)) = (text.first_chunk::<BYTES>(), text.last_chunk::<BYTES>()) {
        out.extend_from_slice(first);
        out.truncate(end - BYTES);
        out.extend_from_slice(last);
    }
}

fn write_decimal(number: u8, out: &mut Vec<u8>) {
    if 100 <= number {
        out.push(b'0' + number / 100);
    }
    if 10 <= number {
        out.push(b'0' + number / 10 % 10);
    }
    out.push(b'0' + number % 10);
}
