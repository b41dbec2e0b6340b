//! The tag of RFC 3164: a program, and perhaps its process id.

use super::vendor;
use super::word::{behind_spaces, bytes};
use logstead_record::{Field, Row};

/// The maximum length of a program name.
const PROGRAM_BYTES_MAX: usize = 128;

/// Reads `TAG[PID]: `, `TAG: `, `TAG[PID] `, `TAG - ` or `TAG[PID] - ` into the row, and returns the beginning of the
/// message.
pub(super) fn take_tag<'a>(row: &mut Row<'a>, text: &'a [u8], at: usize) -> Option<usize> {
    let start = behind_spaces(text, at);
    let (program, rest) = text[start..].split_at(program_length(&text[start..]));
    if !is_program(program) || begins_a_text(program, &text[start..]) {
        return None;
    }
    let (pid, length) = pid(rest)?;
    (row[Field::Program], row[Field::Pid]) = (program, pid);
    Some(start + program.len() + length)
}

/// The program and process id in the `TAG[PID]: ` or `TAG: ` that the text begins with.
pub(super) fn tag(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let (program, rest) = text.split_at(program_length(text));
    let (pid, length) = pid(rest).filter(|_| is_program(program) && !begins_a_text(program, text))?;
    (rest[..length].ends_with(b": ") || rest.len() == length && rest.ends_with(b":"))
        .then_some((program, pid))
}

pub(super) fn is_pid(pid: &[u8]) -> bool {
    !pid.is_empty() && pid.iter().all(u8::is_ascii_digit)
}

/// The number of bytes that may be a program name: a colon belongs to it if something follows directly.
fn program_length(rest: &[u8]) -> usize {
    const FITS: [bool; 256] = bytes(b"!#$%&'()*+-./:?@\\]^_`}~");
    let fits = |at: usize| FITS[usize::from(rest[at])] && !is_end_of_name(rest, at);
    let length_max = rest.len().min(PROGRAM_BYTES_MAX);
    (0..length_max).find(|&at| !fits(at)).unwrap_or(length_max)
}

fn is_end_of_name(rest: &[u8], at: usize) -> bool {
    rest[at] == b':' && matches!(rest.get(at + 1), None | Some(b' '))
}

/// Whether a text that looks like a tag is the beginning of another format: `CEF: 0|`, `Severity: …, Category: …`.
fn begins_a_text(program: &[u8], text: &[u8]) -> bool {
    match program {
        b"CEF" | b"LEEF" => vendor::is_event_format(text),
        b"Severity" => vendor::is_idrac(text),
        _ => false,
    }
}

/// Numbers, mnemonics and marks of payloads are not programs.
fn is_program(name: &[u8]) -> bool {
    match name.first() {
        None | Some(b'@' | b'%' | b':' | b'-' | b'*') => false,
        Some(_) => !name.iter().all(u8::is_ascii_digit),
    }
}

/// The process id after a program, and the beginning of the message.
fn pid(rest: &[u8]) -> Option<(&[u8], usize)> {
    let (pid, at) = match rest.first()? {
        b'[' => {
            let close = memchr::memchr(b']', rest)?;
            (&rest[1..close], close + 1)
        }
        _ => (&b""[..], 0),
    };
    if memchr::memchr(b' ', pid).is_some() {
        return None;
    }
    let has_pid = 0 < at;
    let length = match &rest[at..] {
        [b':', b' ', ..] => 2,
        [b':'] => 1,
        [b':', ..] if has_pid => 1,
        // Two dashes are columns of an access log.
        [b' ', b'-', b' ', behind @ ..] if !behind.starts_with(b"- ") => 3,
        [b' ', ..] if has_pid && is_pid(pid) => 1,
        _ => return None,
    };
    Some((pid, at + length))
}
