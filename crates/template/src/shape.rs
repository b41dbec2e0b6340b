//! The shape of a template: what its messages have in common, as [`word::shape`](logstead_record::word::shape) gives it for
//! a message.

use crate::scan::Kind;

/// Whether a text without digits stands in the messages of a template exactly where it stands in the template's shape.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Shape {
    /// It does.
    Exact,
    /// It does, unless a slot holds one of its words.
    Loose,
    /// A slot may end amid what looks like a word: only the messages tell.
    Odd,
}

/// Appends the shape of a template by its key, and says what it is worth.
///
/// A slot of numbers is a word with a digit, which a text without digits never touches. A slot of texts may hold any
/// words, and a part of a UUID may be one without a digit.
pub fn shape(key: &[u8], out: &mut Vec<u8>) -> Shape {
    let mut shape = Shape::Exact;
    for (at, &byte) in key.iter().enumerate() {
        let Some(kind) = Kind::of_marker(byte) else {
            out.push(byte);
            continue;
        };
        match kind {
            Kind::Address => out.extend_from_slice(b"0.0.0.0"),
            _ => out.push(b'0'),
        }
        let touches =
            |at: Option<usize>| at.and_then(|at| key.get(at)).is_some_and(|byte| may_be_word(*byte));
        match kind {
            Kind::Text if touches(at.checked_sub(1)) || touches(Some(at + 1)) => shape = Shape::Odd,
            Kind::Text | Kind::Wide => shape = shape.max(Shape::Loose),
            _ => {}
        }
    }
    shape
}

/// A slot beside another slot is one of several words too.
fn may_be_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || 0x80 <= byte || Kind::of_marker(byte).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::Scanner;
    use crate::scan::tests::texts;
    use logstead_record::word;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

        #[test]
        fn an_exact_shape_is_that_of_the_message(text in texts()) {
            let mut scanner = Scanner::default();
            if scanner.scan(&text) {
                let (mut of_key, mut of_text) = (Vec::new(), Vec::new());
                if shape(scanner.key(), &mut of_key) == Shape::Exact {
                    word::shape(&text, &mut of_text);
                    prop_assert_eq!(of_key, of_text);
                }
            }
        }
    }
}
