//! The places at which a match of an expression is possible: runs of bytes that occur in its matches, at least as
//! long as the shortest match. A card number, for example, needs a run of many digits, which most texts do not have;
//! reading every thirteenth byte is enough to see that.

use regex_syntax::hir::{Class, Hir, HirKind};
use std::ops::Range;

/// The shortest useful run; most texts contain shorter ones.
const BYTES_MIN: usize = 4;
/// The greatest useful number of ASCII characters; with more, words are runs.
const ASCII_MAX: usize = 32;

/// The bytes that occur in an expression's matches, and the length of the shortest match.
#[derive(Clone, Debug)]
pub(super) struct Runs {
    is_in: [bool; 256],
    bytes_min: usize,
}

impl Runs {
    /// The runs of an expression; `None` if most texts have such runs.
    pub(super) fn of(hir: &Hir) -> Option<Runs> {
        let bytes_min = hir.properties().minimum_len().filter(|bytes| BYTES_MIN <= *bytes)?;
        let mut runs = Runs { is_in: [false; 256], bytes_min };
        runs.add(hir);
        let ascii = runs.is_in[..128].iter().filter(|is_in| **is_in).count();
        (ascii <= ASCII_MAX).then_some(runs)
    }

    /// The first long enough run in a text, at or after `start`.
    pub(super) fn next(&self, text: &[u8], start: usize) -> Option<Range<usize>> {
        let is_in = |byte: &&u8| self.is_in[usize::from(**byte)];
        let mut start = start;
        loop {
            // A long enough run that begins before this byte includes it.
            let probe = start + self.bytes_min - 1;
            if !is_in(&text.get(probe)?) {
                start = probe + 1;
                continue;
            }
            let before = text[start..probe].iter().rev().take_while(is_in).count();
            let end = probe + text[probe..].iter().take_while(is_in).count();
            if self.bytes_min <= end - (probe - before) {
                return Some(probe - before..end);
            }
            start = end;
        }
    }

    fn add(&mut self, hir: &Hir) {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => {}
            HirKind::Literal(literal) => literal.0.iter().for_each(|&byte| self.add_range(byte, byte)),
            HirKind::Class(Class::Bytes(class)) => {
                class.ranges().iter().for_each(|range| self.add_range(range.start(), range.end()));
            }
            HirKind::Class(Class::Unicode(class)) => {
                for range in class.ranges() {
                    let ascii = u8::try_from(range.start()).ok().filter(u8::is_ascii);
                    if let Some(start) = ascii {
                        self.add_range(start, u8::try_from(range.end()).map_or(0x7F, |end| end.min(0x7F)));
                    }
                    if !range.end().is_ascii() {
                        // All bytes of non-ASCII characters are allowed, which is precise enough.
                        self.add_range(0x80, 0xFF);
                    }
                }
            }
            HirKind::Repetition(repetition) => self.add(&repetition.sub),
            HirKind::Capture(capture) => self.add(&capture.sub),
            HirKind::Concat(parts) | HirKind::Alternation(parts) => {
                parts.iter().for_each(|part| self.add(part));
            }
        }
    }

    fn add_range(&mut self, first: u8, last: u8) {
        self.is_in[usize::from(first)..=usize::from(last)].fill(true);
    }
}

#[cfg(test)]
mod tests {
    use crate::Regex;
    use proptest::prelude::*;

    #[test]
    fn an_expression_that_most_texts_could_match_has_no_runs() {
        for (pattern, has_runs) in [
            (r"\b\d{13,16}\b", true),
            (r"(\d{1,3}\.){3}\d+", true),
            (r"[0-9a-f]{8}-[0-9a-f]{4}", true),
            (r"\d{3}", false),
            (r"[\w.]+@\w+\.\w+", false),
            ("password=.*", false),
        ] {
            let loose = Regex::new(pattern, false).unwrap().without_looks().unwrap();
            assert_eq!(loose.runs.is_some(), has_runs, "{pattern}");
        }
    }

    proptest! {
        #[test]
        fn what_is_found_in_runs_is_what_is_found(
            text in proptest::collection::vec(proptest::sample::select(b"0123456789--..:: ab\n\xD9\xA0\xFF".to_vec()), 0..80),
            pattern in proptest::sample::select(vec![
                r"\b\d{4,6}\b", r"\d+\.\d+\.\d+", r"[\d:]{5}", r"(?-u)[0-9\xFF]{4}", r"\d{2}\s*\d{2}", "0123|[4-9]{5}",
                r"\d\d-(?i)ab",
            ]),
            start in 0_usize..90,
        ) {
            let loose = Regex::new(pattern, false).unwrap().without_looks().unwrap();
            prop_assert!(loose.runs.is_some());
            let start = start.min(text.len());
            let expected = loose.compiled.find_at(&text, start).map(|found| found.range());
            prop_assert_eq!(loose.find_at(&text, start), expected);
            let regex = Regex::new(pattern, false).unwrap();
            let from = loose.earliest(&text);
            prop_assert_eq!(
                from.is_some_and(|from| regex.compiled().is_match_at(&text, from)),
                regex.compiled().is_match(&text)
            );
        }
    }
}
