//! Writes the digits of a number, two at a time.

/// The number of digits of the largest number.
pub(crate) const DIGITS_MAX: usize = 20;

const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[b'0'; 2]; 100];
    let mut pair = 0;
    while pair < pairs.len() {
        pairs[pair] = [b'0' + (pair / 10) as u8, b'0' + (pair % 10) as u8];
        pair += 1;
    }
    pairs
};

/// Writes a number with at least `length` digits, but no more than [`DIGITS_MAX`].
#[inline]
pub(crate) fn decimal(mut value: u64, length: usize, digits: &mut [u8; DIGITS_MAX]) -> &[u8] {
    *digits = [b'0'; DIGITS_MAX];
    let mut at = DIGITS_MAX;
    while 100 <= value {
        at -= 2;
        digits[at..at + 2].copy_from_slice(&PAIRS[(value % 100) as usize]);
        value /= 100;
    }
    at -= 2;
    digits[at..at + 2].copy_from_slice(&PAIRS[value as usize]);
    at += usize::from(value < 10);
    &digits[at.min(DIGITS_MAX - length.min(DIGITS_MAX))..]
}

/// The number of digits that a number has.
#[inline]
pub(crate) fn count(value: u64) -> usize {
    const POWERS: [u64; DIGITS_MAX] = {
        let mut powers = [1; DIGITS_MAX];
        let mut power = 1;
        while power < powers.len() {
            powers[power] = powers[power - 1] * 10;
            power += 1;
        }
        powers
    };
    // The decimal logarithm of two is slightly more than 1233 / 4096.
    let about = (((u64::BITS - (value | 1).leading_zeros()) * 1233) >> 12) as usize;
    about + usize::from(about == 0 || POWERS[about.min(DIGITS_MAX - 1)] <= value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn digits_are_those_of_the_number(value in any::<u64>(), shift in 0_u32..64, length in 0_usize..=20) {
            let value = value >> shift;
            let mut digits = [7; DIGITS_MAX];
            for value in [value, 10_u64.pow(shift % 20), 10_u64.pow(shift % 20) - 1] {
                prop_assert_eq!(count(value), value.to_string().len());
            }
            let expected = format!("{value:0length$}");
            prop_assert_eq!(decimal(value, length, &mut digits), expected.as_bytes());
        }
    }
}
