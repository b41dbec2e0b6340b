//! The shape of a template: the text that its messages share, as [`word::shape`](logstead_record::word::shape) gives it
//! for a message.

use crate::scan::VariableKind;

/// The degree to which a template's shape decides whether its messages contain a text without digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ShapeFit {
    /// The messages contain a text exactly if the shape does.
    Exact,
    /// The shape decides, unless a slot holds one of the text's words.
    Loose,
    /// A slot may end within an apparent word: only the messages decide.
    Odd,
}

/// Appends the shape of a template, given its key, and returns how far it decides.
///
/// A slot of numbers is a word with a digit, which a text without digits never overlaps. A slot of texts may hold any
/// words, and a part of a UUID may be a word without a digit.
pub fn shape(key: &[u8], out: &mut Vec<u8>) -> ShapeFit {
    let mut shape = ShapeFit::Exact;
    for (at, &byte) in key.iter().enumerate() {
        let Some(kind) = VariableKind::of_marker(byte) else {
            out.push(byte);
            continue;
        };
        match kind {
            VariableKind::Address => out.extend_from_slice(b"0.0.0.0"),
            _ => out.push(b'0'),
        }
        let touches =
            |at: Option<usize>| at.and_then(|at| key.get(at)).is_some_and(|byte| may_be_word(*byte));
        match kind {
            VariableKind::Text if touches(at.checked_sub(1)) || touches(Some(at + 1)) => {
                shape = ShapeFit::Odd
            }
            VariableKind::Text | VariableKind::Wide => shape = shape.max(ShapeFit::Loose),
            _ => {}
        }
    }
    shape
}

/// A slot next to another slot may also be one of several words.
fn may_be_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || 0x80 <= byte || VariableKind::of_marker(byte).is_some()
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
                if shape(scanner.key(), &mut of_key) == ShapeFit::Exact {
                    word::shape(&text, &mut of_text);
                    prop_assert_eq!(of_key, of_text);
                }
            }
        }
    }
}
