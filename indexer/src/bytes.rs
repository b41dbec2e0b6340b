//! Numbers and hashes at fixed offsets of a header or a table entry. All numbers are little endian.
//!
//! **Invariant:** the caller has the whole header: a place beyond its end is a bug here, not bad input.

use logstead_record::Timestamp;

/// The bytes at an offset.
pub(crate) fn array_at<const N: usize>(bytes: &[u8], offset: usize) -> [u8; N] {
    *bytes[offset..].first_chunk().expect("every field is within its header")
}

pub(crate) fn u32_at(bytes: &[u8], offset: usize) -> u32 {
    u32::from_le_bytes(array_at(bytes, offset))
}

pub(crate) fn u64_at(bytes: &[u8], offset: usize) -> u64 {
    u64::from_le_bytes(array_at(bytes, offset))
}

/// A time in nanoseconds since 1970.
pub(crate) fn time_at(bytes: &[u8], offset: usize) -> Timestamp {
    Timestamp::from_nanos(i64::from_le_bytes(array_at(bytes, offset)))
}
