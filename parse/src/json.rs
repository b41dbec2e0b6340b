//! A JSON object in a text, as names and values.
//!
//! | in the object          | becomes                                                       |
//! |------------------------|---------------------------------------------------------------|
//! | `{"a": {"b": 1}}`      | `a.b` = `1`: nested names are joined by dots                  |
//! | `{"a": [1, 2]}`        | `a` twice; an object or array inside an array is its JSON text |
//! | `{"a": null}`          | nothing                                                       |
//! | more than 1000 pairs, a name of more than 256 bytes | nothing                          |
//!
//! One pass checks the text and notes where the values stand, and only then are they given out: a text that turns out to
//! be no JSON at its last byte has none. A general reader looks at each nested value once to find its end and once to read
//! it, which takes twice as long.
//!
//! **Invariant:** a text has pairs when `serde_json` reads it, and the same ones: a test compares them.

use crate::sink::{Pair, Sink};
use std::ops::Range;

/// Most pairs of one text.
const PAIRS_MAX: usize = 1000;
/// Longest name.
const NAME_BYTES_MAX: usize = 256;
/// Deepest nesting of objects.
const DEPTH_MAX: usize = 32;
/// Room for the pairs of most objects, and for their names.
const PAIRS_EXPECTED: usize = 24;
const NAMES_BYTES_EXPECTED: usize = 256;

/// The pairs of a JSON object, which may have other text before it, in the order in which they stand there.
pub fn json(text: &[u8]) -> Vec<Pair> {
    let mut pairs = Vec::new();
    json_into(text, &mut pairs);
    pairs
}

/// The same into a sink.
pub fn json_into(text: &[u8], sink: &mut impl Sink) {
    let start = memchr::memchr(b'{', text).unwrap_or(text.len());
    let Ok(object) = std::str::from_utf8(&text[start..]) else { return };
    let mut reader = Reader {
        text: object.trim_end().as_bytes(),
        at: 0,
        names: Vec::with_capacity(NAMES_BYTES_EXPECTED),
        found: Vec::with_capacity(PAIRS_EXPECTED),
    };
    if reader.whole().is_some() {
        reader.give(sink);
    }
}

/// A text and how far it was read. Its methods give `None` where it is no JSON.
struct Reader<'t> {
    text: &'t [u8],
    at: usize,
    /// The names of the pairs, back to back.
    names: Vec<u8>,
    found: Vec<Found>,
}

/// Where a pair stands.
struct Found {
    /// In the names.
    name: Range<usize>,
    /// In the text.
    value: Value,
}

enum Value {
    /// As it stands there: without the quotes around it if it is a string.
    Plain(Range<usize>),
    /// A string with escapes, in its quotes.
    Escaped(Range<usize>),
}

impl Value {
    /// Where it stands, with the quotes of an escaped one.
    fn range(&self) -> Range<usize> {
        let (Value::Plain(range) | Value::Escaped(range)) = self;
        range.clone()
    }
}

impl Reader<'_> {
    fn give(&self, sink: &mut impl Sink) {
        for Found { name, value } in &self.found {
            let (name, text) = (&self.names[name.clone()], &self.text[value.range()]);
            match value {
                Value::Plain(_) => sink.add(name, text),
                Value::Escaped(_) => sink.add(name, unescaped(text).unwrap_or_default().as_bytes()),
            }
        }
    }

    /// Reads the object that is the whole text.
    fn whole(&mut self) -> Option<()> {
        self.expect(b'{')?;
        self.object(0..0, 1)?;
        (self.at == self.text.len()).then_some(())
    }

    /// Reads on from behind the brace of an object with this name. If a name in it means nothing, none of its members
    /// counts.
    fn object(&mut self, outer: Range<usize>, depth: usize) -> Option<()> {
        let found_before = self.found.len();
        let mut is_named = true;
        if self.token()? == b'}' {
            self.at += 1;
            return Some(());
        }
        loop {
            match self.name(&outer)? {
                Some(name) if is_named && name.len() <= NAME_BYTES_MAX => self.value(&name, depth)?,
                Some(_) => self.skip()?,
                None => {
                    is_named = false;
                    self.skip()?;
                }
            }
            match self.next_token()? {
                b',' => {}
                b'}' => break,
                _ => return None,
            }
        }
        if !is_named {
            self.found.truncate(found_before);
        }
        Some(())
    }

    /// Reads a name and its colon, and gives where it stands in the names, behind that of its object; `Some(None)` where
    /// its escapes mean nothing.
    fn name(&mut self, outer: &Range<usize>) -> Option<Option<Range<usize>>> {
        self.token()?;
        let key = self.string()?;
        self.expect(b':')?;
        let start = self.names.len();
        if !outer.is_empty() {
            self.names.extend_from_within(outer.clone());
            self.names.push(b'.');
        }
        match key {
            Value::Plain(key) => self.names.extend_from_slice(&self.text[key]),
            Value::Escaped(key) => match unescaped(&self.text[key]) {
                Some(key) => self.names.extend_from_slice(key.as_bytes()),
                None => return Some(None),
            },
        }
        Some(Some(start..self.names.len()))
    }

    fn value(&mut self, name: &Range<usize>, depth: usize) -> Option<()> {
        match self.token()? {
            b'{' if depth < DEPTH_MAX => {
                self.at += 1;
                self.object(name.clone(), depth + 1)
            }
            b'[' => {
                self.at += 1;
                self.items(name)
            }
            _ => self.pair(name),
        }
    }

    /// Reads on from behind the bracket of an array.
    fn items(&mut self, name: &Range<usize>) -> Option<()> {
        if self.token()? == b']' {
            self.at += 1;
            return Some(());
        }
        loop {
            self.pair(name)?;
            match self.next_token()? {
                b',' => {}
                b']' => return Some(()),
                _ => return None,
            }
        }
    }

    /// Reads a value of any kind that is one pair.
    fn pair(&mut self, name: &Range<usize>) -> Option<()> {
        let value = if self.token()? == b'"' {
            self.string()?
        } else {
            let start = self.at;
            self.skip()?;
            if &self.text[start..self.at] == b"null" {
                return Some(());
            }
            Value::Plain(start..self.at)
        };
        if self.found.len() < PAIRS_MAX {
            self.found.push(Found { name: name.clone(), value });
        }
        Some(())
    }

    /// Passes over a value, however deep it is.
    fn skip(&mut self) -> Option<()> {
        // What closes the objects and arrays that are open.
        let mut open: Vec<u8> = Vec::new();
        loop {
            match self.token()? {
                b'{' => {
                    self.at += 1;
                    open.push(b'}');
                    if self.token()? != b'}' {
                        self.skip_name()?;
                        continue;
                    }
                }
                b'[' => {
                    self.at += 1;
                    open.push(b']');
                    if self.token()? != b']' {
                        continue;
                    }
                }
                b'"' => {
                    self.string()?;
                }
                b'n' => self.word(b"null")?,
                b't' => self.word(b"true")?,
                b'f' => self.word(b"false")?,
                _ => self.number()?,
            }
            loop {
                let Some(&close) = open.last() else { return Some(()) };
                match self.next_token()? {
                    b',' => break,
                    byte if byte == close => {
                        open.pop();
                    }
                    _ => return None,
                }
            }
            if open.last() == Some(&b'}') {
                self.skip_name()?;
            }
        }
    }

    fn skip_name(&mut self) -> Option<()> {
        self.token()?;
        self.string()?;
        self.expect(b':')
    }

    /// Reads a string from its quote on.
    fn string(&mut self) -> Option<Value> {
        let start = self.at;
        if self.text.get(start) != Some(&b'"') {
            return None;
        }
        self.at += 1;
        let mut is_plain = true;
        loop {
            self.at = special(self.text, self.at)?;
            self.at += 1;
            match self.text[self.at - 1] {
                b'"' if is_plain => return Some(Value::Plain(start + 1..self.at - 1)),
                b'"' => return Some(Value::Escaped(start..self.at)),
                b'\\' => {
                    is_plain = false;
                    self.escape()?;
                }
                // A control character.
                _ => return None,
            }
        }
    }

    /// Reads on from behind a backslash.
    fn escape(&mut self) -> Option<()> {
        let (&kind, rest) = self.text[self.at..].split_first()?;
        self.at += match kind {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => 1,
            b'u' if rest.len() >= 4 && rest[..4].iter().all(u8::is_ascii_hexdigit) => 5,
            _ => return None,
        };
        Some(())
    }

    fn number(&mut self) -> Option<()> {
        if self.text.get(self.at) == Some(&b'-') {
            self.at += 1;
        }
        let starts_with_zero = self.text.get(self.at) == Some(&b'0');
        let digits = self.digits()?;
        if starts_with_zero && 1 < digits {
            return None;
        }
        if self.text.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.text.get(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.text.get(self.at), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Some(())
    }

    /// Passes over digits, at least one.
    fn digits(&mut self) -> Option<usize> {
        let count = self.text[self.at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += count;
        (0 < count).then_some(count)
    }

    fn word(&mut self, word: &[u8]) -> Option<()> {
        self.at += word.len();
        (self.text.get(self.at - word.len()..self.at) == Some(word)).then_some(())
    }

    /// Looks at the next byte that is not white space, without taking it.
    fn token(&mut self) -> Option<u8> {
        loop {
            match *self.text.get(self.at)? {
                b' ' | b'\n' | b'\t' | b'\r' => self.at += 1,
                byte => return Some(byte),
            }
        }
    }

    /// The same, which is then read.
    fn next_token(&mut self) -> Option<u8> {
        let byte = self.token()?;
        self.at += 1;
        Some(byte)
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        (self.next_token()? == byte).then_some(())
    }
}

/// Where the next quote, backslash or control character is. Most strings are too short for a call of `memchr` to pay.
fn special(text: &[u8], start: usize) -> Option<usize> {
    const ONES: u64 = u64::MAX / 0xFF;
    const HIGH_BITS: u64 = ONES << 7;
    let mut at = start;
    while let Some(word) = text.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let word = u64::from_le_bytes(*word);
        // The lowest byte that is found is right: a borrow only reaches those above it.
        let below = |bytes: u64, limit: u64| bytes.wrapping_sub(ONES * limit) & !bytes;
        let equal = |byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
        let found = (below(word, 0x20) | equal(b'"') | equal(b'\\')) & HIGH_BITS;
        if found != 0 {
            return Some(at + found.trailing_zeros() as usize / 8);
        }
        at += 8;
    }
    let is_special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..0x20);
    Some(at + text.get(at..)?.iter().position(is_special)?)
}

/// What a string in its quotes means; `None` where its escapes are halves of characters.
fn unescaped(string: &[u8]) -> Option<String> {
    serde_json::from_slice(string).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
    use serde_json::value::RawValue;
    use std::fmt;

    fn shown(pairs: &[Pair]) -> String {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let pairs: Vec<String> =
            pairs.iter().map(|(name, value)| format!("{}={}", text(name), text(value))).collect();
        pairs.join(" | ")
    }

    #[test]
    fn nested_names_are_joined_by_dots() {
        for (text, expected) in [
            (r#"{"a":{"b":1,"c":{"d":true}},"m":"x \"y\" ä"}"#, r#"a.b=1 | a.c.d=true | m=x "y" ä"#),
            (r#"{"a":[1,"x",null,{"b":2},"null"]}"#, r#"a=1 | a=x | a={"b":2} | a=null"#),
            (r#"cron: {"ms":12.50,"big":1e400} "#, "ms=12.50 | big=1e400"),
            (r#"{"a":"","b":null}"#, "a="),
            (r#"{"a":1,"b":{"c":1,"\ud800":2},"d":"\ud800"}"#, "a=1 | d="),
            ("", ""),
            ("[1,2]", ""),
            (r#"{"a":1"#, ""),
            ("{\"a\":\"\u{fffd}", ""),
        ] {
            assert_eq!(shown(&json(text.as_bytes())), expected, "{text}");
        }
        assert!(json(b"{\"a\":\"\xFF\"}").is_empty());
        let deep = "{\"a\":".repeat(10_000) + "1" + &"}".repeat(10_000);
        assert_eq!(json(deep.as_bytes()), slow(deep.as_bytes()));
        let many: Vec<String> = (0..2000).map(|key| format!("\"k{key}\":1")).collect();
        assert_eq!(json(format!("{{{}}}", many.join(",")).as_bytes()).len(), PAIRS_MAX);
        let long = format!("{{\"a\":{{\"{}\":1,\"b\":2}}}}", "k".repeat(NAME_BYTES_MAX - 1));
        assert_eq!(shown(&json(long.as_bytes())), "a.b=2");
    }

    /// The same with `serde_json`, each nested value for itself.
    fn slow(text: &[u8]) -> Vec<Pair> {
        let start = text.iter().position(|&byte| byte == b'{').unwrap_or(text.len());
        let mut pairs = Vec::new();
        if let Ok(object) = std::str::from_utf8(&text[start..]) {
            slow_object(object.trim_end(), "", 1, &mut pairs);
        }
        pairs
    }

    fn slow_object(object: &str, outer: &str, depth: usize, pairs: &mut Vec<Pair>) {
        let Ok(Members(members)) = serde_json::from_str(object) else { return };
        for (key, value) in members {
            let name = if outer.is_empty() { key } else { format!("{outer}.{key}") };
            let text = value.get();
            if NAME_BYTES_MAX < name.len() {
                continue;
            }
            if text.starts_with('{') && depth < DEPTH_MAX {
                slow_object(text, &name, depth + 1, pairs);
                continue;
            }
            let items: Vec<&RawValue> =
                if text.starts_with('[') { serde_json::from_str(text).unwrap() } else { vec![value] };
            for item in items.into_iter().map(RawValue::get).filter(|item| *item != "null") {
                let string = || serde_json::from_str(item).unwrap_or_default();
                let value = if item.starts_with('"') { string() } else { item.to_owned() };
                if pairs.len() < PAIRS_MAX {
                    pairs.push((name.clone().into_bytes(), value.into_bytes()));
                }
            }
        }
    }

    struct Members<'a>(Vec<(String, &'a RawValue)>);

    impl<'de> Deserialize<'de> for Members<'de> {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Members<'de>, D::Error> {
            struct Object;
            impl<'de> Visitor<'de> for Object {
                type Value = Members<'de>;

                fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str("an object")
                }

                fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                    let mut members = Vec::new();
                    while let Some(member) = map.next_entry()? {
                        members.push(member);
                    }
                    Ok(Members(members))
                }
            }
            deserializer.deserialize_map(Object)
        }
    }

    /// What JSON is made of, and what it is not.
    const PIECES: [&str; 44] = [
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\\",
        " ",
        "\n",
        "\t",
        "\u{0}",
        "\u{1f}",
        "\u{a0}",
        "\"a\"",
        "\"b\":",
        "{\"c\":",
        "\"\":",
        "\"\\u0041\":",
        "\"\\ud800\":",
        "\"\\ud83d\\ude00\"",
        "\"\\ude00\"",
        "\"\\n\"",
        "\"\\x\"",
        "\"\\u00g0\"",
        "null",
        "true",
        "false",
        "nul",
        "\"null\"",
        "0",
        "01",
        "-",
        "-0",
        "1.5",
        "1.",
        "2e9",
        "2e",
        "1E+7",
        ".",
        "ä",
        "\"long enough for words of eight bytes: ä\"",
        "\"long enough \\\" to \\\\ have escapes\"",
        "x",
    ];

    fn value() -> impl Strategy<Value = String> {
        let leaf = prop_oneof![
            proptest::sample::select(PIECES[14..].to_vec()).prop_map(str::to_owned),
            "-?(0|[1-9][0-9]{0,3})(\\.[0-9]{1,3})?([eE][+-]?[0-9])?",
            "\"[a-z ä]{0,20}\"",
        ];
        leaf.prop_recursive(5, 40, 4, |inner| {
            let name =
                proptest::sample::select(vec!["a", "b", "", "\\u0041", "\\ud800", "a name of some length"]);
            let member = (name, inner.clone()).prop_map(|(name, value)| format!("\"{name}\": {value}"));
            prop_oneof![
                proptest::collection::vec(member, 0..4).prop_map(|all| format!("{{{}}}", all.join(" ,"))),
                proptest::collection::vec(inner, 0..4).prop_map(|all| format!("[{}]", all.join(", "))),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn a_text_has_the_pairs_that_serde_json_reads(
            text in prop_oneof![
                value().prop_map(|value| format!("cron: {{\"v\":{value}}} ")),
                value(),
                proptest::collection::vec(proptest::sample::select(PIECES.to_vec()), 0..12).prop_map(|all| all.concat()),
                proptest::collection::vec(proptest::sample::select(PIECES.to_vec()), 0..6)
                    .prop_map(|all| format!("{{\"a\":{}}}", all.concat())),
            ]
        ) {
            prop_assert_eq!(json(text.as_bytes()), slow(text.as_bytes()));
        }

        #[test]
        fn any_bytes_have_pairs_or_none(text in proptest::collection::vec(
            prop_oneof![any::<u8>(), proptest::sample::select(b"{}[]\":,=a1 '\\".to_vec())], 0..60)
        ) {
            prop_assert_eq!(json(&text), slow(&text));
        }
    }
}
