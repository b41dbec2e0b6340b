//! The fields of a message in Protocol Buffers, in the order of its bytes.
//!
//! | wire type | a field is                                  |
//! |-----------|---------------------------------------------|
//! | 0         | a number of 1 to 10 bytes, 7 bits in each    |
//! | 1         | 8 bytes, the lowest first                    |
//! | 2         | a length, and as many bytes                  |
//! | 5         | 4 bytes, the lowest first                    |
//!
//! Groups (3 and 4) are not in use any more and are refused. The few messages that are read here are read by hand: the
//! values that generated code would build for each entry cost more than all the rest.
//!
//! **Invariant:** reading ends, at the end of the bytes or at the first that are wrong.

use std::borrow::Cow;

/// A value of a field.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum WireValue<'b> {
    /// A number: `int32`, `int64`, `uint64`, `bool`, an enum.
    Number(u64),
    /// `fixed64`, `double`.
    Eight(u64),
    /// `fixed32`, `float`.
    Four(u32),
    /// A text, bytes or a message.
    Bytes(&'b [u8]),
}

impl<'b> WireValue<'b> {
    /// The bytes, if it has any.
    pub fn bytes(self) -> Option<&'b [u8]> {
        if let WireValue::Bytes(bytes) = self { Some(bytes) } else { None }
    }

    /// The text, if it has bytes; U+FFFD stands for invalid ones.
    pub fn lossy_text(self) -> Option<Cow<'b, str>> {
        self.bytes().map(String::from_utf8_lossy)
    }

    /// The number, whatever its width.
    pub fn number(self) -> Option<u64> {
        match self {
            WireValue::Number(number) | WireValue::Eight(number) => Some(number),
            WireValue::Four(number) => Some(u64::from(number)),
            WireValue::Bytes(_) => None,
        }
    }
}

/// The error for bytes that are not a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("it is not a message in Protocol Buffers: byte {at} is wrong")]
pub struct WireError {
    /// The position of the error.
    pub at: usize,
}

/// The fields of a message, in the order of its bytes.
#[derive(Clone, Copy, Debug)]
pub struct WireFields<'b> {
    bytes: &'b [u8],
    /// The position of the next field.
    pub at: usize,
}

impl<'b> WireFields<'b> {
    /// The fields of a message.
    pub fn of(bytes: &'b [u8]) -> WireFields<'b> {
        WireFields::from(bytes, 0)
    }

    /// The fields from a position on, which must be between two fields.
    pub fn from(bytes: &'b [u8], at: usize) -> WireFields<'b> {
        WireFields { bytes, at }
    }

    fn field(&mut self) -> Option<(u32, WireValue<'b>)> {
        let tag = self.number()?;
        let number = u32::try_from(tag >> 3).ok().filter(|number| *number != 0)?;
        let value = match tag & 7 {
            0 => WireValue::Number(self.number()?),
            1 => WireValue::Eight(u64::from_le_bytes(self.take(8)?.try_into().ok()?)),
            2 => {
                let length = usize::try_from(self.number()?).ok()?;
                WireValue::Bytes(self.take(length)?)
            }
            5 => WireValue::Four(u32::from_le_bytes(self.take(4)?.try_into().ok()?)),
            _ => return None,
        };
        Some((number, value))
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = *self.bytes.get(self.at)?;
            self.at += 1;
            number |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn take(&mut self, bytes: usize) -> Option<&'b [u8]> {
        let taken = self.bytes.get(self.at..self.at.checked_add(bytes)?)?;
        self.at += bytes;
        Some(taken)
    }
}

impl<'b> Iterator for WireFields<'b> {
    type Item = Result<(u32, WireValue<'b>), WireError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.bytes.len() <= self.at {
            return None;
        }
        let field = self.field().ok_or(WireError { at: self.at });
        if field.is_err() {
            self.at = self.bytes.len();
        }
        Some(field)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Writes a number.
    pub(crate) fn number(mut number: u64, out: &mut Vec<u8>) {
        while 0x80 <= number {
            out.push(number as u8 | 0x80);
            number >>= 7;
        }
        out.push(number as u8);
    }

    /// Writes a field of bytes.
    pub(crate) fn bytes(field: u64, bytes: &[u8], out: &mut Vec<u8>) {
        number(field << 3 | 2, out);
        number(bytes.len() as u64, out);
        out.extend_from_slice(bytes);
    }

    #[test]
    fn every_wire_type_is_read() {
        let mut message = Vec::new();
        number(1 << 3, &mut message);
        number(u64::MAX, &mut message);
        bytes(2, b"text", &mut message);
        message.push(3 << 3 | 1);
        message.extend_from_slice(&7_u64.to_le_bytes());
        message.push(4 << 3 | 5);
        message.extend_from_slice(&8_u32.to_le_bytes());
        let fields: Result<Vec<_>, _> = WireFields::of(&message).collect();
        let expected = [
            (1, WireValue::Number(u64::MAX)),
            (2, WireValue::Bytes(b"text")),
            (3, WireValue::Eight(7)),
            (4, WireValue::Four(8)),
        ];
        assert_eq!(fields.unwrap(), expected);
        for wrong in
            [&b"\x00"[..], b"\x0b", b"\x12\x05abc", b"\x08", b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"]
        {
            assert!(WireFields::of(wrong).any(|field| field.is_err()), "{wrong:?}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_to_an_end(bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
            prop_assert!(WireFields::of(&bytes).count() <= bytes.len());
        }
    }
}
