//! Names and values in a text: `key=value key="a value"`.
//!
//! **Invariant:** whatever the text, nothing fails: a text that cannot be read has no pairs.

use crate::sink::Pair;

/// The maximum number of pairs in one text.
const PAIRS_MAX: usize = 1000;
/// The maximum length of a name.
const NAME_BYTES_MAX: usize = 256;

/// The pairs of `key=value, key="a value"`. A key consists of letters, digits and `_-.@`, and follows white space,
/// `,`, `;` or a bracket. A value ends at one of those, but not at a comma or semicolon within it: `1,000` is one
/// value, and `a=1,b=2` are two. In a quoted value, `\` keeps the character after it.
pub fn key_value(text: &[u8]) -> Vec<Pair> {
    let mut pairs = Vec::new();
    let mut after = 0;
    for equals in memchr::memchr_iter(b'=', text) {
        // This `=` is part of the previous value.
        if equals < after {
            continue;
        }
        let key_bytes = text[after..equals].iter().rev().take_while(|byte| is_key(**byte)).count();
        let start = equals - key_bytes;
        let stands_alone = start == after || is_separator(text[start - 1]);
        if key_bytes == 0 || NAME_BYTES_MAX < key_bytes || !stands_alone {
            continue;
        }
        let (value, end) = value(text, equals + 1);
        after = end;
        if pairs.len() < PAIRS_MAX {
            pairs.push((text[start..equals].to_vec(), value));
        }
    }
    pairs
}

fn is_key(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'@') || !byte.is_ascii()
}

fn is_separator(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b',' | b';' | b'(' | b')' | b'[' | b']' | b'{' | b'}')
}

/// The value that begins at `start`, and its end.
fn value(text: &[u8], start: usize) -> (Vec<u8>, usize) {
    let rest = &text[start..];
    let Some(&quote @ (b'"' | b'\'')) = rest.first() else {
        let bytes = bare_bytes(rest);
        return (rest[..bytes].to_vec(), start + bytes);
    };
    let mut value = Vec::new();
    let mut at = 1;
    while let Some(&byte) = rest.get(at) {
        at += 1;
        match (byte, rest.get(at)) {
            (b'\\', Some(&kept)) => {
                value.push(kept);
                at += 1;
            }
            _ if byte == quote => return (value, start + at),
            _ => value.push(byte),
        }
    }
    // The quote is not closed, so it is an ordinary character.
    let bytes = bare_bytes(rest);
    (rest[..bytes].to_vec(), start + bytes)
}

/// The length of the value without quotes that the text begins with.
fn bare_bytes(text: &[u8]) -> usize {
    let mut at = 0;
    loop {
        at += text[at..].iter().take_while(|byte| !is_separator(**byte)).count();
        let is_within = matches!(text.get(at), Some(b',' | b';')) && goes_on(&text[at + 1..]);
        if !is_within {
            return at;
        }
        at += 1;
    }
}

/// Whether the text after a comma belongs to the value before it: it begins neither a gap nor another pair.
fn goes_on(text: &[u8]) -> bool {
    let key_bytes = text.iter().take_while(|byte| is_key(**byte)).count();
    text.first().is_some_and(|first| !is_separator(*first))
        && (key_bytes == 0 || text.get(key_bytes) != Some(&b'='))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(pairs: &[Pair]) -> String {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let pairs: Vec<String> =
            pairs.iter().map(|(name, value)| format!("{}={}", text(name), text(value))).collect();
        pairs.join(" | ")
    }

    #[test]
    fn keys_and_values_stand_around_equals_signs() {
        for (text, expected) in [
            ("user=root from=10.0.0.1", "user=root | from=10.0.0.1"),
            (r#"msg="a b" x='c=d' y="q \"r\"""#, r#"msg=a b | x=c=d | y=q "r""#),
            ("a=1,b=2;c=3 (d=4)", "a=1 | b=2 | c=3 | d=4"),
            ("bytes=1,000 cost=1.000,50; list=a;b,c", "bytes=1,000 | cost=1.000,50 | list=a;b,c"),
            ("a=1, b=2,,c=3,", "a=1 | b=2 | c=3"),
            ("a=1,b c=2", "a=1,b | c=2"),
            ("url=http://x/?q=1 z=2", "url=http://x/?q=1 | z=2"),
            ("empty= next=1", "empty= | next=1"),
            ("open=\"a b", "open=\"a"),
            ("= =x a==b ==", "a==b"),
            ("größe=1", "größe=1"),
            ("no pairs here", ""),
        ] {
            assert_eq!(shown(&key_value(text.as_bytes())), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_have_pairs_or_none(text in proptest::collection::vec(
            prop_oneof![any::<u8>(), proptest::sample::select(b"{}[]\":,=a1 '\\".to_vec())], 0..60)
        ) {
            for (name, _) in key_value(&text) {
                prop_assert!(!name.is_empty());
            }
        }
    }
}
