//! Rows in the format of RFC 4180.
//!
//! **Invariant:** values are written as they are: quoted, and not changed.

/// Appends a row without its line end.
pub fn row(values: impl Iterator<Item = impl AsRef<[u8]>>, out: &mut Vec<u8>) {
    for (number, text) in values.enumerate() {
        value(number, text.as_ref(), out);
    }
}

/// Appends the value with this number in a row, quoted if necessary.
pub(super) fn value(number: usize, value: &[u8], out: &mut Vec<u8>) {
    if number != 0 {
        out.push(b',');
    }
    if !value.iter().any(|byte| matches!(byte, b',' | b'"' | b'\n' | b'\r')) {
        out.extend_from_slice(value);
        return;
    }
    out.push(b'"');
    for &byte in value {
        if byte == b'"' {
            out.push(b'"');
        }
        out.push(byte);
    }
    out.push(b'"');
}
