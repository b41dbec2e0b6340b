//! A JSON object that is the whole message, also with the cookie `@cee:` before it. All of its values are fields; the
//! columns that it fills stand in for a missing head.

use super::super::fields::{FIELDS_MAX, FieldWriter, NAME_BYTES_MAX};
use super::super::json::read_what_fits;
use super::super::keys::{ColumnKeys, FoundColumns};
use super::super::keys::{ObjectPair, pairs};
use super::super::stamp::Clock;
use super::claims::ColumnClaims;
use logstead_parse::JsonLimits;
use std::borrow::Cow;
use std::sync::LazyLock;

/// The maximum depth; a deeper object is kept as JSON text.
const DEPTH_MAX: usize = 8;

static KEYS: LazyLock<ColumnKeys> = LazyLock::new(ColumnKeys::default);

/// Reads an object; `None` if the text is not one from its first byte to its last.
pub(super) fn read<'a>(
    text: &'a [u8],
    clock: Clock<'_>,
    fields: &mut FieldWriter<'_>,
) -> Option<ColumnClaims<'a>> {
    let object = text.strip_prefix(b"@cee:").map_or(text, <[u8]>::trim_ascii_start);
    let object = read_what_fits(object, JsonLimits::of(FIELDS_MAX, NAME_BYTES_MAX, DEPTH_MAX))?;
    let pairs = pairs(&object);
    for pair in &pairs {
        fields.add(pair.name.as_bytes(), pair.value.as_bytes());
    }
    Some(claims(&pairs, clock))
}

fn claims<'a>(pairs: &[ObjectPair<'_, 'a>], clock: Clock<'_>) -> ColumnClaims<'a> {
    let found = FoundColumns::among(pairs, &KEYS, clock);
    // A name with escapes is unlikely to be that of a host.
    let text = |at: Option<usize>| match at.map(|at| &pairs[at].value) {
        Some(&Cow::Borrowed(text)) => text.as_bytes(),
        _ => b"",
    };
    ColumnClaims {
        time: found.time,
        host: text(found.host),
        program: text(found.program),
        pid: text(found.pid),
        priority: found.priority(),
        ..ColumnClaims::default()
    }
}
