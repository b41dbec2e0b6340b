//! A JSON object that is the whole message, also with the cookie `@cee:` before it.

use super::super::json::{Limits, values_that_fit};
use super::fields::{FIELDS_MAX, Fields, NAME_BYTES_MAX};

/// Each level is read once more, so this is also how often a byte can be looked at.
const DEPTH_MAX: usize = 8;

/// `None` where the text is no object from its first byte to its last.
pub(super) fn read(text: &[u8], fields: &mut Fields<'_>) -> Option<()> {
    let object = text.strip_prefix(b"@cee:").map_or(text, <[u8]>::trim_ascii_start);
    let limits = Limits { line_bytes_max: usize::MAX, fields_max: FIELDS_MAX, depth_max: DEPTH_MAX };
    for pair in values_that_fit(object, limits, NAME_BYTES_MAX)? {
        fields.add(pair.name.as_bytes(), pair.value.as_bytes());
    }
    Some(())
}
