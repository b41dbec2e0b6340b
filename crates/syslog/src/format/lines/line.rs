//! The head of a program's line, and the words that such lines share.

use crate::format::frame::set_message;
use crate::format::keys;
use crate::format::word::behind_spaces;
use logstead_record::{Field, Priority, Row, Severity};

/// The parts of a line besides its time.
#[derive(Default)]
pub(super) struct LineHead<'a> {
    pub(super) severity: Option<Severity>,
    pub(super) pid: &'a [u8],
    pub(super) msgid: &'a [u8],
    pub(super) message_at: usize,
}

impl<'a> LineHead<'a> {
    pub(super) fn fill(&self, row: &mut Row<'a>, text: &'a [u8]) {
        if let Some(severity) = self.severity {
            row.priority = Some(Priority::of(Priority::DEFAULT.facility(), severity));
        }
        (row[Field::Pid], row[Field::Msgid]) = (self.pid, self.msgid);
        set_message(row, text, self.message_at);
    }
}

/// The severity that a word names, in the words of any program.
pub(super) fn level(word: &[u8]) -> Option<Severity> {
    let word = std::str::from_utf8(word).ok()?.trim_ascii().to_ascii_lowercase();
    let word = match word.as_str() {
        "log" | "system" | "note" | "detail" | "hint" | "statement" | "context" => "info",
        debug if debug.starts_with("debug") || debug.starts_with("trace") => "debug",
        other => other,
    };
    keys::severity(word).filter(|_| !word.starts_with(|first: char| first.is_ascii_digit()))
}

/// The text in the brackets at `at`, and the position after them and a space.
pub(super) fn bracketed(text: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let rest = text.get(at..)?.strip_prefix(b"[")?;
    let close = memchr::memchr(b']', &rest[..rest.len().min(128)])?;
    let end = at + close + 2;
    (text.get(end) == Some(&b' ')).then(|| (&rest[..close], behind_spaces(text, end)))
}

pub(super) fn is_number(word: &[u8]) -> bool {
    !word.is_empty() && word.iter().all(u8::is_ascii_digit)
}
