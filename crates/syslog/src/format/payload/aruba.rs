//! Aruba's controllers: `<522008> <3412> <NOTI> |authmgr|  User …`: the number of the event, perhaps that of the process, the
//! severity, perhaps the process.

use super::super::fields::FieldWriter;
use super::super::word::token;

const SEVERITIES: [&[u8]; 8] = [b"EMRG", b"ALRT", b"CRIT", b"ERRS", b"WARN", b"NOTI", b"INFO", b"DBUG"];

/// Reads a text; `None` if it does not begin like this.
pub(super) fn read(text: &[u8], fields: &mut FieldWriter<'_>) -> Option<()> {
    let (event, at) = number(text, 0)?;
    let at = number(text, at).map_or(at, |(_, at)| at);
    let (severity, at) = in_angles(text, at).filter(|(word, _)| SEVERITIES.contains(word))?;
    fields.add(b"aruba.event", event);
    fields.add(b"aruba.severity", severity);
    let word = token(text, at).and_then(|(word, _)| word.strip_prefix(b"|")?.strip_suffix(b"|"));
    if let Some(process) = word {
        fields.add(b"aruba.process", process);
    }
    Some(())
}

fn number(text: &[u8], at: usize) -> Option<(&[u8], usize)> {
    in_angles(text, at).filter(|(word, _)| !word.is_empty() && word.iter().all(u8::is_ascii_digit))
}

fn in_angles(text: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let (word, at) = token(text, at)?;
    Some((word.strip_prefix(b"<")?.strip_suffix(b">")?, at))
}
