//! Lines of the container runtime: `STAMP stdout F MSG`. The runtime splits a line that is too long into several with
//! `P` and a last one with `F`; each stays a message of its own, since its bytes are kept.

use super::line::LineHead;
use crate::format::fields::FieldWriter;

pub(super) fn read<'a>(text: &'a [u8], at: usize, fields: &mut FieldWriter<'_>) -> Option<LineHead<'a>> {
    let rest = text[at..].strip_prefix(b"std")?;
    let stream_bytes = match rest {
        [b'o', b'u', b't', b' ', ..] | [b'e', b'r', b'r', b' ', ..] => 6,
        _ => return None,
    };
    let is_partial = match rest.get(4..)? {
        [b'F', b' ', ..] | [b'F'] => false,
        [b'P', b' ', ..] | [b'P'] => true,
        _ => return None,
    };
    fields.add(b"stream", &text[at..at + stream_bytes]);
    if is_partial {
        fields.add(b"partial", b"true");
    }
    Some(LineHead { message_at: text.len().min(at + stream_bytes + 3), ..LineHead::default() })
}
