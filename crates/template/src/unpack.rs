//! Unpacks many packed numbers at once: eight of them begin and end at a byte boundary, and if the compiler knows
//! their width, each takes a load, a shift and a mask.

use crate::bytes::unpack;

/// The maximum width: a wider number may not fit into the eight bytes from the one in which it begins.
const WIDTH_MAX: u32 = 56;

/// Fills `out` with the numbers from position `first` on. The packed numbers must be followed by
/// [`PADDING`](crate::bytes::PADDING) bytes.
pub(crate) fn unpack_many(packed: &[u8], first: usize, width: u32, out: &mut [u64]) {
    let ahead = (first.next_multiple_of(8) - first).min(out.len());
    let (head, rest) = out.split_at_mut(ahead);
    unpack_each(packed, first, width, head);
    let first = first + ahead;
    if WIDTH_MAX < width {
        return unpack_each(packed, first, width, rest);
    }
    let (eights, tail) = rest.as_chunks_mut::<8>();
    unpack_each(packed, first + eights.len() * 8, width, tail);
    if !eights.is_empty() {
        unpack_eights(&packed[first / 8 * width as usize..], width, eights);
    }
}

fn unpack_each(packed: &[u8], first: usize, width: u32, out: &mut [u64]) {
    out.iter_mut().enumerate().for_each(|(at, value)| *value = unpack(packed, first + at, width));
}

/// Calls a function that is compiled for this width.
fn unpack_eights(packed: &[u8], width: u32, out: &mut [[u64; 8]]) {
    macro_rules! by_width {
        ($($width:literal)*) => {
            match width {
                $($width => eights::<$width>(packed, out),)*
                _ => out.as_flattened_mut().fill(0),
            }
        };
    }
    by_width!(
        1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28
        29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56
    );
}

fn eights<const WIDTH: usize>(packed: &[u8], out: &mut [[u64; 8]]) {
    let mask = u64::MAX >> (u64::BITS as usize - WIDTH);
    for (number, eight) in out.iter_mut().enumerate() {
        let bytes = &packed[number * WIDTH..][..WIDTH + 8];
        for (place, value) in eight.iter_mut().enumerate() {
            let bit = place * WIDTH;
            let eight_bytes = bytes[bit / 8..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
            *value = eight_bytes >> (bit % 8) & mask;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::{PADDING, pack};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn many_are_what_each_is(
            width in 0_u32..=64, values in proptest::collection::vec(any::<u64>(), 0..200),
            first in any::<prop::sample::Index>(), end in any::<prop::sample::Index>(),
        ) {
            let mask = u64::MAX.checked_shr(64 - width).unwrap_or(0);
            let values: Vec<u64> = values.iter().map(|value| value & mask).collect();
            let mut packed = Vec::new();
            pack(values.iter().copied(), width, &mut packed);
            packed.extend_from_slice(&[0xff; PADDING]);
            let (first, end) = (first.index(values.len() + 1), end.index(values.len() + 1));
            let places = first.min(end)..first.max(end);
            let mut out = vec![7; places.len()];
            unpack_many(&packed, places.start, width, &mut out);
            prop_assert_eq!(&out, &values[places]);
        }
    }
}
