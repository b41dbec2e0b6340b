//! Writes JSON into a buffer, without allocating.
//!
//! **Invariant:** whatever bytes are written as text, the result is valid JSON: those that are not UTF-8 become U+FFFD,
//! as the API shows them.

use logstead_record::Timestamp;

const HEX: &[u8; 16] = b"0123456789abcdef";

/// An object that is being written.
pub(super) struct ObjectWriter<'a> {
    out: &'a mut Vec<u8>,
    is_empty: bool,
}

/// Appends an object whose members are added by `write`.
pub(super) fn object(out: &mut Vec<u8>, write: impl FnOnce(&mut ObjectWriter<'_>)) {
    out.push(b'{');
    write(&mut ObjectWriter { out, is_empty: true });
    out.push(b'}');
}

/// Appends an array whose items `write` writes.
pub(super) fn array<T>(
    out: &mut Vec<u8>,
    items: impl IntoIterator<Item = T>,
    mut write: impl FnMut(&mut Vec<u8>, T),
) {
    out.push(b'[');
    for (at, item) in items.into_iter().enumerate() {
        if 0 < at {
            out.push(b',');
        }
        write(out, item);
    }
    out.push(b']');
}

impl ObjectWriter<'_> {
    /// Begins a member; the caller has to append its value to the returned buffer.
    pub(super) fn member(&mut self, key: &[u8]) -> &mut Vec<u8> {
        if !self.is_empty {
            self.out.push(b',');
        }
        self.is_empty = false;
        string(self.out, key);
        self.out.push(b':');
        self.out
    }

    pub(super) fn text(&mut self, key: &str, value: &[u8]) {
        string(self.member(key.as_bytes()), value);
    }

    /// Writes a text, unless it is empty.
    pub(super) fn text_if_any(&mut self, key: &str, value: &[u8]) {
        if !value.is_empty() {
            self.text(key, value);
        }
    }

    pub(super) fn number(&mut self, key: &str, value: u64) {
        number(self.member(key.as_bytes()), value);
    }

    /// Writes a time in RFC 3339 format, like the API.
    pub(super) fn time(&mut self, key: &str, value: Timestamp) {
        let out = self.member(key.as_bytes());
        out.push(b'"');
        value.write_rfc3339(out, fraction_digits(value));
        out.push(b'"');
    }

    pub(super) fn object(&mut self, key: &str, write: impl FnOnce(&mut ObjectWriter<'_>)) {
        object(self.member(key.as_bytes()), write);
    }

    pub(super) fn array<T>(
        &mut self,
        key: &str,
        items: impl IntoIterator<Item = T>,
        write: impl FnMut(&mut Vec<u8>, T),
    ) {
        array(self.member(key.as_bytes()), items, write);
    }
}

/// Appends a text in quotes.
pub(super) fn string(out: &mut Vec<u8>, text: &[u8]) {
    out.push(b'"');
    match std::str::from_utf8(text) {
        Ok(text) => escape(out, text),
        Err(_) => {
            for chunk in text.utf8_chunks() {
                escape(out, chunk.valid());
                if !chunk.invalid().is_empty() {
                    out.extend_from_slice("\u{FFFD}".as_bytes());
                }
            }
        }
    }
    out.push(b'"');
}

/// Appends a number.
pub(super) fn number(out: &mut Vec<u8>, mut value: u64) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

/// The number of fraction digits that [`Timestamp`] shows.
fn fraction_digits(time: Timestamp) -> u8 {
    match time.nanos() {
        nanos if nanos % 1_000_000_000 == 0 => 0,
        nanos if nanos % 1_000_000 == 0 => 3,
        nanos if nanos % 1_000 == 0 => 6,
        _ => 9,
    }
}

/// Appends a text without quotes; runs without special characters are copied as a whole.
fn escape(out: &mut Vec<u8>, text: &str) {
    let bytes = text.as_bytes();
    let mut begin = 0;
    for (at, &byte) in bytes.iter().enumerate() {
        if 0x20 <= byte && byte != b'"' && byte != b'\\' {
            continue;
        }
        out.extend_from_slice(&bytes[begin..at]);
        begin = at + 1;
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            _ => {
                let hex = |nibble: u8| HEX[usize::from(nibble)];
                out.extend_from_slice(&[b'\\', b'u', b'0', b'0', hex(byte >> 4), hex(byte & 15)]);
            }
        }
    }
    out.extend_from_slice(&bytes[begin..]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_bytes_are_read_back_as_the_text_that_the_api_shows(bytes: Vec<u8>) {
            let mut out = Vec::new();
            string(&mut out, &bytes);
            let read: String = serde_json::from_slice(&out).unwrap();
            prop_assert_eq!(read, String::from_utf8_lossy(&bytes));
        }

        #[test]
        fn numbers_and_times_are_written_as_they_are_shown(value: u64, nanos: i64) {
            let mut out = Vec::new();
            number(&mut out, value);
            prop_assert_eq!(String::from_utf8(out).unwrap(), value.to_string());
            for nanos in [nanos, nanos / 1000 * 1000, nanos / 1_000_000_000 * 1_000_000_000] {
                let time = Timestamp::from_nanos(nanos);
                let mut out = Vec::new();
                object(&mut out, |object| object.time("t", time));
                prop_assert_eq!(String::from_utf8(out).unwrap(), format!("{{\"t\":\"{time}\"}}"));
            }
        }
    }

    #[test]
    fn members_and_items_have_commas_between_them() {
        let mut out = Vec::new();
        object(&mut out, |object| {
            object.text_if_any("nothing", b"");
            object.text("a\n", b"\x01\"\\");
            object.number("b", 0);
            object.object("c", |_| ());
            object.array("d", [1, 2], number);
        });
        assert_eq!(out, br#"{"a\n":"\u0001\"\\","b":0,"c":{},"d":[1,2]}"#);
    }
}
