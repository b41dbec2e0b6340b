//! Lines of JSON, each with a checksum in front: a line that is cut off or corrupted is ignored, and does not affect
//! the others.

use serde_json::Value;

/// The length of the checksum as text, with the space after it.
const CRC_BYTES: usize = 9;

/// The values that the lines of a file hold.
#[derive(Default)]
pub(super) struct CheckedLines {
    pub(super) values: Vec<Value>,
    /// The number of damaged lines.
    pub(super) damaged: usize,
}

/// The line for a value.
pub(super) fn line(value: &Value) -> String {
    let text = value.to_string();
    format!("{:08x} {text}\n", crc32c::crc32c(text.as_bytes()))
}

/// Reads a file. A damaged last line is not counted: it was being written when the process ended.
pub(super) fn read(bytes: &[u8]) -> CheckedLines {
    let mut read = CheckedLines::default();
    let mut lines = bytes.split_inclusive(|byte| *byte == b'\n').peekable();
    while let Some(line) = lines.next() {
        match checked(line) {
            Some(value) => read.values.push(value),
            None => read.damaged += usize::from(lines.peek().is_some()),
        }
    }
    read
}

/// The content of a line, if its checksum matches.
fn checked(line: &[u8]) -> Option<Value> {
    let (crc, text) = line.strip_suffix(b"\n")?.split_at_checked(CRC_BYTES)?;
    let crc = u32::from_str_radix(str::from_utf8(crc).ok()?.strip_suffix(' ')?, 16).ok()?;
    (crc == crc32c::crc32c(text)).then(|| serde_json::from_slice(text).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    proptest! {
        #[test]
        fn damage_costs_only_the_lines_that_it_hits(at in 0usize..300, flip in 1u8..=255) {
            let values: Vec<Value> = (0..10).map(|n| json!({"n": n, "text": "a\nb"})).collect();
            let mut bytes: Vec<u8> = values.iter().flat_map(|value| line(value).into_bytes()).collect();
            let at = at % bytes.len();
            bytes[at] ^= flip;
            let found = read(&bytes).values;
            prop_assert!(found.iter().all(|value| values.contains(value)));
            // A corrupted line feed joins two lines.
            prop_assert!(values.len() - 2 <= found.len());
            let cut = read(&bytes[..at]);
            prop_assert!(cut.damaged == 0 && values.starts_with(&cut.values));
        }
    }
}
