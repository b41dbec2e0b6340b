//! Writes numbers and texts as bytes, and reads them without trusting the bytes.

use std::error::Error;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// Unpacking reads whole words, so packed numbers must be followed by this many bytes.
pub(crate) const PADDING: usize = 16;

/// The reason why bytes cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// There are no bytes: whoever was asked for them has a reason of its own.
    #[error("{0}")]
    Unread(UnreadReason),
    /// The bytes end too early.
    #[error("they end in the middle of a value")]
    Short,
    /// There are bytes after the end.
    #[error("{0} bytes follow")]
    Long(usize),
    /// A number is larger than it may be.
    #[error("a number is too large: {0}")]
    Large(&'static str),
    /// The kind is unknown to this version.
    #[error("kind {kind} of {what} is not known to this version")]
    Kind {
        /// The thing that has a kind.
        what: &'static str,
        /// Its code.
        kind: u8,
    },
    /// A compressed part cannot be decompressed.
    #[error("the compressed part of {0} cannot be decompressed")]
    Compression(&'static str),
}

/// The reason why bytes could not be had, of any type.
#[derive(Debug, Clone)]
pub struct UnreadReason(Arc<dyn Error + Send + Sync>);

impl UnreadReason {
    /// The reason, if it is of this type.
    pub fn downcast<E: Error + 'static>(&self) -> Option<&E> {
        self.0.downcast_ref()
    }
}

impl DecodeError {
    /// The error for bytes that could not be had.
    pub fn unread(reason: impl Error + Send + Sync + 'static) -> DecodeError {
        DecodeError::Unread(UnreadReason(Arc::new(reason)))
    }
}

impl fmt::Display for UnreadReason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

impl PartialEq for UnreadReason {
    fn eq(&self, other: &UnreadReason) -> bool {
        self.0.to_string() == other.0.to_string()
    }
}

impl Eq for UnreadReason {}

/// The result of reading.
pub(crate) type Result<T, E = DecodeError> = std::result::Result<T, E>;

/// Bytes, and the position up to which they have been read.
#[derive(Debug)]
pub struct ByteReader<'b> {
    bytes: &'b [u8],
    pub(crate) at: usize,
}

impl<'b> ByteReader<'b> {
    /// A reader at the beginning.
    pub fn new(bytes: &'b [u8]) -> ByteReader<'b> {
        ByteReader { bytes, at: 0 }
    }

    /// The next bytes.
    pub fn take(&mut self, bytes: usize) -> Result<&'b [u8]> {
        Ok(&self.bytes[self.skip(bytes)?])
    }

    /// The range of the next bytes, which are skipped.
    pub(crate) fn skip(&mut self, bytes: usize) -> Result<Range<usize>> {
        let end =
            self.at.checked_add(bytes).filter(|&end| end <= self.bytes.len()).ok_or(DecodeError::Short)?;
        let range = self.at..end;
        self.at = end;
        Ok(range)
    }

    /// The next byte.
    pub fn byte(&mut self) -> Result<u8> {
        Ok(self.take(1)?[0])
    }

    pub(crate) fn u64(&mut self) -> Result<u64> {
        let bytes = self.take(8)?.first_chunk().ok_or(DecodeError::Short)?;
        Ok(u64::from_le_bytes(*bytes))
    }

    /// The next four bytes as a number.
    pub fn u32(&mut self) -> Result<u32> {
        let bytes = self.take(4)?.first_chunk().ok_or(DecodeError::Short)?;
        Ok(u32::from_le_bytes(*bytes))
    }

    /// The next number of any length.
    pub fn varint(&mut self) -> Result<u64> {
        let mut value = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                return Err(DecodeError::Large("a varint"));
            }
            value |= bits << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(DecodeError::Large("a varint"))
    }

    /// Reads a count of items, which may be at most `most`.
    pub fn count(&mut self, most: usize, what: &'static str) -> Result<usize> {
        let count = self.varint()?;
        usize::try_from(count).ok().filter(|&count| count <= most).ok_or(DecodeError::Large(what))
    }

    /// The number of bytes that have been read.
    pub fn position(&self) -> usize {
        self.at
    }

    /// An error if there are more bytes.
    pub fn end(&self) -> Result<()> {
        match self.bytes.len() - self.at {
            0 => Ok(()),
            left => Err(DecodeError::Long(left)),
        }
    }
}

/// Appends a number, seven bits a byte.
pub fn put_varint(mut value: u64, out: &mut Vec<u8>) {
    while 0x80 <= value {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// The number of bits that a number has.
pub(crate) fn bits(value: u64) -> u32 {
    u64::BITS - value.leading_zeros()
}

/// The number of bytes that `count` packed numbers take.
pub(crate) fn packed_bytes(count: usize, width: u32) -> usize {
    (count * width as usize).div_ceil(8)
}

/// Appends numbers of `width` bits each, beginning with a new byte.
pub(crate) fn pack(values: impl Iterator<Item = u64>, width: u32, out: &mut Vec<u8>) {
    let (mut open, mut filled) = (0_u128, 0);
    for value in values {
        open |= u128::from(value) << filled;
        filled += width;
        if u64::BITS <= filled {
            out.extend_from_slice(&(open as u64).to_le_bytes());
            open >>= u64::BITS;
            filled -= u64::BITS;
        }
    }
    out.extend_from_slice(&(open as u64).to_le_bytes()[..filled.div_ceil(8) as usize]);
}

/// The packed number at a position. The packed numbers must be followed by [`PADDING`] bytes.
#[inline]
pub(crate) fn unpack(packed: &[u8], place: usize, width: u32) -> u64 {
    let bit = place * width as usize;
    let (at, shift) = (bit / 8, (bit % 8) as u32);
    let mask = u64::MAX.checked_shr(u64::BITS - width).unwrap_or(0);
    let eight = |at: usize| packed[at..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    let low = eight(at) >> shift;
    if width + shift <= u64::BITS {
        return low & mask;
    }
    (low | u64::from(packed[at + 8]) << (u64::BITS - shift)) & mask
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_packed_is_unpacked(width in 0_u32..=64, values in proptest::collection::vec(any::<u64>(), 0..80)) {
            let mask = u64::MAX.checked_shr(64 - width).unwrap_or(0);
            let values: Vec<u64> = values.iter().map(|value| value & mask).collect();
            let mut out = Vec::new();
            pack(values.iter().copied(), width, &mut out);
            prop_assert_eq!(out.len(), packed_bytes(values.len(), width));
            out.extend_from_slice(&[0xff; PADDING]);
            let found: Vec<u64> = (0..values.len()).map(|place| unpack(&out, place, width)).collect();
            prop_assert_eq!(found, values);
        }

        #[test]
        fn varints_come_back(values in proptest::collection::vec(any::<u64>(), 0..10)) {
            let mut out = Vec::new();
            values.iter().for_each(|&value| put_varint(value, &mut out));
            let mut input = ByteReader::new(&out);
            for value in values {
                prop_assert_eq!(input.varint(), Ok(value));
            }
            prop_assert_eq!(input.end(), Ok(()));
            prop_assert_eq!(input.varint(), Err(DecodeError::Short));
        }
    }
}
