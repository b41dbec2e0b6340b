//! Packs results of comparisons: 64 bytes that are 0 or 1 become the bits of a word.

/// Sets a bit for each byte that is 1, the first one in the lowest bit. All other bytes must be 0.
///
/// A loop that fills 64 bytes with the results of comparisons is turned into vector instructions by the compiler; one
/// that sets bits is not.
pub fn gather(bytes: &[u8; 64]) -> u64 {
    // The highest byte of the product holds the lowest bits of the eight bytes, side by side.
    let eights = bytes
        .as_chunks()
        .0
        .iter()
        .map(|&eight| u64::from_le_bytes(eight).wrapping_mul(0x0102_0408_1020_4080) >> 56);
    eights.rev().fold(0, |word, bits| word << 8 | bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn each_byte_is_a_bit(word: u64) {
            let bytes = std::array::from_fn(|at| (word >> at & 1) as u8);
            prop_assert_eq!(gather(&bytes), word);
        }
    }
}
