//! The part of Protocol Buffers that tests need.

/// A field with a length: a text, bytes, or another message.
pub(crate) fn field(number: u8, content: &[u8]) -> Vec<u8> {
    let mut out = vec![number << 3 | 2];
    let mut length = content.len();
    while 0x80 <= length {
        out.push(length as u8 | 0x80);
        length >>= 7;
    }
    out.push(length as u8);
    out.extend_from_slice(content);
    out
}
