//! Lines of Kubernetes' components: `I1122 05:11:01.123456       1 file.go:12] MSG`.

use super::line::{LineHead, is_number};
use crate::format::stamp::{self, Clock};
use crate::format::word::behind_spaces;
use crate::format::word::token;
use logstead_record::{BatchBuilder, Row, Severity};

/// Whether the text begins with a letter, a month, a day and then a time.
pub(super) fn begins(text: &[u8]) -> bool {
    let is_begun = matches!(text.first(), Some(b'I' | b'W' | b'E' | b'F'));
    is_begun
        && text.get(1..5).is_some_and(is_number)
        && text.get(5) == Some(&b' ')
        && text.get(8) == Some(&b':')
}

/// Fills the row; `false` if the rest is not a line in this format.
pub(super) fn read<'a>(
    row: &mut Row<'a>,
    text: &'a [u8],
    start: usize,
    clock: Clock<'_>,
    builder: &mut BatchBuilder,
) -> bool {
    let Some((line, caller)) = behind_date(text, start) else { return false };
    let Some(time) = stamp::of_month_and_day(text, start + 1, clock) else { return false };
    builder.field(b"caller", caller);
    row.fields_behind += 1;
    row.time = Some(time);
    line.fill(row, text);
    true
}

fn behind_date(text: &[u8], start: usize) -> Option<(LineHead<'_>, &[u8])> {
    let severity = match text[start] {
        b'I' => 6,
        b'W' => 4,
        b'E' => 3,
        _ => 2,
    };
    let (_, at) = token(text, start + 6)?;
    let (pid, at) = token(text, behind_spaces(text, at)).filter(|(pid, _)| is_number(pid))?;
    let close = memchr::memmem::find(&text[at..], b"] ")?;
    let caller = &text[at..at + close];
    let fits = memchr::memchr(b':', caller).is_some() && memchr::memchr(b' ', caller).is_none();
    let line = LineHead {
        severity: Severity::new(severity),
        pid,
        message_at: at + close + 2,
        ..LineHead::default()
    };
    fits.then_some((line, caller))
}
