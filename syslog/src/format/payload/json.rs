//! A JSON object that is the whole message, also with the cookie `@cee:` before it. All of its values are fields; what it
//! says of columns stands in for a head that is missing.

use super::super::fields::{FIELDS_MAX, Fields, NAME_BYTES_MAX};
use super::super::json::{Limits, values_that_fit};
use super::super::keys::{Found, Keys};
use super::super::pair::Pair;
use super::super::stamp::Clock;
use super::claims::Claims;
use std::borrow::Cow;
use std::sync::LazyLock;

/// Each level is read once more, so this is also how often a byte can be looked at.
const DEPTH_MAX: usize = 8;

static KEYS: LazyLock<Keys> = LazyLock::new(Keys::default);

/// `None` where the text is not an object from its first byte to its last.
pub(super) fn read<'a>(text: &'a [u8], clock: Clock<'_>, fields: &mut Fields<'_>) -> Option<Claims<'a>> {
    let object = text.strip_prefix(b"@cee:").map_or(text, <[u8]>::trim_ascii_start);
    let limits = Limits { line_bytes_max: usize::MAX, fields_max: FIELDS_MAX, depth_max: DEPTH_MAX };
    let pairs = values_that_fit(object, limits, NAME_BYTES_MAX)?;
    for pair in &pairs {
        fields.add(pair.name.as_bytes(), pair.value.as_bytes());
    }
    Some(claims(&pairs, clock))
}

fn claims<'a>(pairs: &[Pair<'a>], clock: Clock<'_>) -> Claims<'a> {
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
    }
}
