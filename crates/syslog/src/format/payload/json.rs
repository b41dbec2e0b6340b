//! A JSON object that is the whole message, also with the cookie `@cee:` before it. All of its values are fields; what it
//! says of columns stands in for a head that is missing.

use super::super::fields::{FIELDS_MAX, Fields, NAME_BYTES_MAX};
use super::super::json::read_what_fits;
use super::super::keys::{Found, Keys};
use super::super::pair::{Pair, pairs};
use super::super::stamp::Clock;
use super::claims::Claims;
use logstead_parse::JsonLimits;
use std::borrow::Cow;
use std::sync::LazyLock;

/// A deeper object stays its JSON text.
const DEPTH_MAX: usize = 8;

static KEYS: LazyLock<Keys> = LazyLock::new(Keys::default);

/// `None` where the text is not an object from its first byte to its last.
pub(super) fn read<'a>(text: &'a [u8], clock: Clock<'_>, fields: &mut Fields<'_>) -> Option<Claims<'a>> {
    let object = text.strip_prefix(b"@cee:").map_or(text, <[u8]>::trim_ascii_start);
    let object = read_what_fits(object, JsonLimits::of(FIELDS_MAX, NAME_BYTES_MAX, DEPTH_MAX))?;
    let pairs = pairs(&object);
    for pair in &pairs {
        fields.add(pair.name.as_bytes(), pair.value.as_bytes());
    }
    Some(claims(&pairs, clock))
}

fn claims<'a>(pairs: &[Pair<'_, 'a>], clock: Clock<'_>) -> Claims<'a> {
    let found = Found::among(pairs, &KEYS, clock);
    // A name with escapes is hardly one of a host.
    let text = |at: Option<usize>| match at.map(|at| &pairs[at].value) {
        Some(&Cow::Borrowed(text)) => text.as_bytes(),
        _ => b"",
    };
    Claims {
        time: found.time,
        host: text(found.host),
        program: text(found.program),
        pid: text(found.pid),
        priority: found.priority(),
        ..Claims::default()
    }
}
