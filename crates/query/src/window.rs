//! Finds a few ASCII characters in any case, examining sixty-four positions at a time.
//!
//! The library's finder is faster between hits, but restarts after each one, which takes most of the time if one
//! message in ten has a hit.

use logstead_record::{bits, word};

/// The greatest number of characters compared at each position.
const CHARS_MAX: usize = 3;
/// The number of positions examined together.
const PLACES: usize = 64;

/// Characters to find.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    /// Bits that are set in a byte before it is compared with the wanted one.
    masks: [u8; CHARS_MAX],
    wanted: [u8; CHARS_MAX],
    chars: usize,
    /// Whether there are non-ASCII characters that fold to one of these.
    has_other_cases: bool,
}

impl Window {
    /// Whether these characters can be searched: they are ASCII, at least one, and not too many.
    pub(super) fn takes(chars: &[char]) -> bool {
        (1..=CHARS_MAX).contains(&chars.len()) && chars.iter().all(char::is_ascii)
    }

    /// Makes a window of folded characters, if they can be searched.
    pub(super) fn new(chars: &[char], case_sensitive: bool) -> Option<Window> {
        if !Window::takes(chars) {
            return None;
        }
        // Unused positions accept any byte.
        let (mut masks, mut wanted) = ([0xFF; CHARS_MAX], [0xFF; CHARS_MAX]);
        for (at, &c) in chars.iter().enumerate() {
            let differs = !case_sensitive && c.is_ascii_lowercase();
            (masks[at], wanted[at]) = (if differs { 0x20 } else { 0 }, c as u8);
        }
        let has_other = |&c: &char| word::cases(c).any(|other| !other.is_ascii());
        let has_other_cases = !case_sensitive && chars.iter().any(has_other);
        Some(Window { masks, wanted, chars: chars.len(), has_other_cases })
    }

    /// Whether every occurrence of the characters, in any case, is found.
    pub(super) fn is_complete(&self, bytes: &[u8]) -> bool {
        !self.has_other_cases || bytes.is_ascii()
    }

    /// Calls `hit` with each position of the characters from `from` on, in order. It returns where to continue.
    pub(super) fn for_each(&self, bytes: &[u8], mut from: usize, mut hit: impl FnMut(usize) -> usize) {
        let mut at = from;
        while at < bytes.len() {
            let mut places = match bytes[at..].first_chunk() {
                Some(chunk) => self.places(chunk),
                None => {
                    let (mut last, left) = ([0; PLACES + CHARS_MAX - 1], bytes.len() - at);
                    last[..left].copy_from_slice(&bytes[at..]);
                    // Occurrences that extend beyond the end are not counted.
                    let whole = (left + 1).saturating_sub(self.chars).min(PLACES);
                    self.places(&last) & 1_u64.checked_shl(whole as u32).unwrap_or(0).wrapping_sub(1)
                }
            };
            while places != 0 {
                let place = at + places.trailing_zeros() as usize;
                places &= places - 1;
                if from <= place {
                    from = hit(place);
                }
            }
            at = from.max(at + PLACES);
        }
    }

    /// The positions at which the characters occur, as one bit for each of the first positions.
    // Inlining lets the constant parts be prepared once for all positions.
    #[inline]
    fn places(&self, bytes: &[u8; PLACES + CHARS_MAX - 1]) -> u64 {
        let ([a, b, c], [mask_a, mask_b, mask_c]) = (self.wanted, self.masks);
        let mut found = [0; PLACES];
        for (at, found) in found.iter_mut().enumerate() {
            let is_a = bytes[at] | mask_a == a;
            let is_b = bytes[at + 1] | mask_b == b;
            let is_c = bytes[at + 2] | mask_c == c;
            *found = u8::from(is_a & is_b & is_c);
        }
        let is_somewhere = found.iter().fold(0, |any, found| any | found) != 0;
        if is_somewhere { bits::gather(&found) } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn places(window: &Window, bytes: &[u8]) -> Vec<usize> {
        let mut places = Vec::new();
        window.for_each(bytes, 0, |place| {
            places.push(place);
            place + 1
        });
        places
    }

    #[test]
    fn only_ascii_characters_have_a_window() {
        assert!(Window::new(&[], false).is_none());
        assert!(Window::new(&['a', 'b', 'c', 'd'], false).is_none());
        assert!(Window::new(&['ä'], false).is_none());
        let kelvin = "5 \u{212A}".as_bytes();
        assert!(!Window::new(&['k'], false).unwrap().is_complete(kelvin));
        assert!(Window::new(&['k'], false).unwrap().is_complete(b"5 K"));
        assert!(Window::new(&['k'], true).unwrap().is_complete(kelvin));
        assert!(Window::new(&['a'], false).unwrap().is_complete(kelvin));
    }

    #[test]
    fn nothing_is_found_behind_the_end() {
        for bytes in (0..200).map(|len| vec![0; len]) {
            let window = Window::new(&['\0', '\0'], false).unwrap();
            assert_eq!(places(&window, &bytes).len(), bytes.len().saturating_sub(1));
        }
    }

    proptest! {
        #[test]
        fn every_place_is_found(
            bytes in proptest::collection::vec(prop_oneof![Just(b'a'), Just(b'B'), Just(b'b'), Just(b'A'), any::<u8>()], 0..300),
            chars in proptest::collection::vec(prop_oneof![Just('a'), Just('b'), Just('B'), any::<u8>().prop_map(|byte| char::from(byte & 0x7F))], 1..=3),
            case_sensitive: bool,
        ) {
            let chars: Vec<char> =
                chars.into_iter().map(|c| if case_sensitive { c } else { word::fold_char(c) }).collect();
            let window = Window::new(&chars, case_sensitive).unwrap();
            let equal = |byte: &u8, c: &char| {
                let found = char::from(*byte);
                (if case_sensitive { found } else { found.to_ascii_lowercase() }) == *c
            };
            let fits = |at: &usize| bytes[*at..].iter().zip(&chars).all(|(byte, c)| equal(byte, c));
            let expected: Vec<usize> = (0..(bytes.len() + 1).saturating_sub(chars.len())).filter(fits).collect();
            prop_assert_eq!(places(&window, &bytes), expected);
        }

        #[test]
        fn what_is_skipped_is_not_told(
            bytes in proptest::collection::vec(Just(b'a'), 0..300),
            from in 0_usize..300,
            step in 1_usize..200,
        ) {
            let window = Window::new(&['a'], false).unwrap();
            let mut places = Vec::new();
            window.for_each(&bytes, from, |place| {
                places.push(place);
                place + step
            });
            prop_assert_eq!(places, (from..bytes.len().max(from)).step_by(step).collect::<Vec<_>>());
        }
    }
}
