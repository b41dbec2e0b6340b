//! How messages are told apart in a stream.

use logstead_config::ForwardFraming;
use std::io::Write;

/// Appends the framed message. A line must not hold a line end: it becomes a space.
pub(super) fn write(framing: ForwardFraming, message: &mut [u8], out: &mut Vec<u8>) {
    match framing {
        ForwardFraming::Octet => {
            // Writing to memory cannot fail.
            write!(out, "{} ", message.len()).ok();
            out.extend_from_slice(message);
        }
        ForwardFraming::Newline => {
            message.iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = b' ');
            out.extend_from_slice(message);
            out.push(b'\n');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_keeps_line_ends_and_a_line_cannot() {
        let check = |framing, expected: &[u8]| {
            let mut out = b"before".to_vec();
            write(framing, &mut b"a\nb".to_vec(), &mut out);
            assert_eq!(out, [b"before", expected].concat());
        };
        check(ForwardFraming::Octet, b"3 a\nb");
        check(ForwardFraming::Newline, b"a b\n");
    }
}
