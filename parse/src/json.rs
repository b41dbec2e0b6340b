//! A JSON object in a text, as names and values.
//!
//! | in the object          | becomes                                                       |
//! |------------------------|---------------------------------------------------------------|
//! | `{"a": {"b": 1}}`      | `a.b` = `1`: nested names are joined by dots                  |
//! | `{"a": [1, 2]}`        | `a` twice; an object or array inside an array is its JSON text |
//! | `{"a": null}`          | nothing                                                       |
//! | more pairs than [`JsonLimits`] allow, a longer name | nothing                          |
//! | an object that is deeper | its JSON text                                               |
//!
//! One pass checks the text and notes where the values stand, and only then are they given out: a text that turns out to
//! be no JSON at its last byte has none. A general reader looks at each nested value once to find its end and once to read
//! it, which takes twice as long.
//!
//! **Invariant:** a text has pairs when `serde_json` reads it, and the same ones: a test compares them. Reading takes as
//! long as the text is, and no more memory than the pairs that are given out.

use crate::pieces::{Piece, Pieces};
use crate::sink::{Pair, Sink};
use std::borrow::Cow;
use std::ops::Range;

/// Those of stages and steps.
const LIMITS: JsonLimits = JsonLimits::of(1000, 256, 32);
/// Room for the pairs of most objects, for their names, and for one of these.
const PAIRS_EXPECTED: usize = 24;
const NAMES_BYTES_EXPECTED: usize = 256;
const NAME_BYTES_EXPECTED: usize = 64;

/// How much of an object is given out.
#[derive(Clone, Copy, Debug)]
pub struct JsonLimits {
    /// Most pairs.
    pub pairs_max: usize,
    /// Longest name, with those of the objects around it.
    pub name_bytes_max: usize,
    /// Most bytes of all names together: each is given out with those of the objects around it, however often they stand
    /// in the text.
    pub names_bytes_max: usize,
    /// Deepest nesting of objects.
    pub depth_max: usize,
}

impl JsonLimits {
    /// So many pairs with names of this length, and no others.
    pub const fn of(pairs_max: usize, name_bytes_max: usize, depth_max: usize) -> JsonLimits {
        JsonLimits { pairs_max, name_bytes_max, names_bytes_max: pairs_max * name_bytes_max, depth_max }
    }
}

/// What an object has more of than it may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Beyond {
    /// Pairs.
    Pairs,
    /// Bytes of names.
    Names,
    /// Objects within objects.
    Depth,
}

/// An object that was read.
pub struct JsonObject<'t> {
    text: &'t str,
    /// The names of the pairs, back to back.
    names: String,
    found: Vec<Found>,
    beyond: Option<Beyond>,
    broken: Option<Range<usize>>,
}

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
    if let Some(object) = JsonObject::of(object.trim_end(), LIMITS) {
        object.pairs().for_each(|(name, value)| sink.add(name.as_bytes(), value.as_bytes()));
    }
}

impl<'t> JsonObject<'t> {
    /// Reads the object that is the whole text; `None` where it is none.
    pub fn read(text: &'t [u8], limits: JsonLimits) -> Option<JsonObject<'t>> {
        JsonObject::of(std::str::from_utf8(text).ok()?, limits)
    }

    fn of(text: &'t str, limits: JsonLimits) -> Option<JsonObject<'t>> {
        let object = JsonObject {
            text,
            names: String::with_capacity(NAMES_BYTES_EXPECTED),
            found: Vec::with_capacity(PAIRS_EXPECTED),
            beyond: None,
            broken: None,
        };
        let mut reader = Reader {
            pieces: Pieces::new(text),
            limits,
            path: String::with_capacity(NAME_BYTES_EXPECTED),
            key: None,
            name: None,
            object,
        };
        reader.whole()?;
        Some(reader.object)
    }

    /// Names and values in the order in which they stand there, as many as the limits allow. A value without escapes is
    /// a part of the text; of a value whose escapes are halves of characters nothing is left, and none of the members
    /// of an object with such a name.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, Cow<'t, str>)> {
        self.found.iter().map(|Found { name, value }| {
            let value = match value {
                Piece::Plain(range) => Cow::Borrowed(self.text.get(range.clone()).unwrap_or_default()),
                Piece::Escaped(range) => Cow::Owned(unescaped(self.text, range)),
                Piece::Broken(_) => Cow::Borrowed(""),
            };
            (self.names.get(name.clone()).unwrap_or_default(), value)
        })
    }

    /// What it has too much of, if it has: what comes first in the text.
    pub fn beyond(&self) -> Option<Beyond> {
        self.beyond
    }

    /// Where the first string stands in the text, in its quotes, whose escapes are halves of characters. What is not read
    /// does not count: values with longer names, and what is inside of a value that is its JSON text.
    pub fn broken(&self) -> Option<Range<usize>> {
        self.broken.clone()
    }
}

/// Where a pair stands.
struct Found {
    /// In the names.
    name: Range<usize>,
    /// In the text.
    value: Piece,
}

/// Reads an object. Its methods give `None` where the text is no JSON.
struct Reader<'t> {
    pieces: Pieces<'t>,
    limits: JsonLimits,
    /// The name of what is read now. It becomes one of the names where a value is found, so that what has none takes no
    /// room.
    path: String,
    /// The same where it stands in the text as it is, as most do.
    key: Option<Range<usize>>,
    /// Where it stands in the names, once it does.
    name: Option<Range<usize>>,
    object: JsonObject<'t>,
}

/// What becomes of a member of an object.
enum Member {
    Counts,
    /// Its name is too long.
    IsLong,
    /// Its name means nothing.
    IsBroken,
}

impl Reader<'_> {
    fn whole(&mut self) -> Option<()> {
        self.pieces.expect(b'{')?;
        if self.limits.depth_max < 1 {
            self.is_beyond(Beyond::Depth);
        }
        self.object(1)?;
        self.pieces.end()
    }

    /// Reads on from behind the brace of an object that is named by the path. If a name in it means nothing, none of its
    /// members counts.
    fn object(&mut self, depth: usize) -> Option<()> {
        let (found_before, names_before) = (self.object.found.len(), self.object.names.len());
        let outer_bytes = self.path.len();
        let mut is_named = true;
        if self.pieces.next()? == b'}' {
            return self.pieces.expect(b'}');
        }
        loop {
            match self.name(outer_bytes)? {
                Member::Counts if is_named => self.value(depth)?,
                Member::Counts | Member::IsLong => self.pieces.skip()?,
                Member::IsBroken => {
                    is_named = false;
                    self.pieces.skip()?;
                }
            }
            match self.pieces.take()? {
                b',' => {}
                b'}' => break,
                _ => return None,
            }
        }
        self.path.truncate(outer_bytes);
        if !is_named {
            self.object.found.truncate(found_before);
            self.object.names.truncate(names_before);
        }
        Some(())
    }

    /// Reads a name and its colon, which the path or the key then is, behind that of its object.
    fn name(&mut self, outer_bytes: usize) -> Option<Member> {
        self.pieces.next()?;
        let key = self.pieces.string()?;
        self.pieces.expect(b':')?;
        (self.name, self.key) = (None, None);
        self.path.truncate(outer_bytes);
        if 0 < outer_bytes {
            self.path.push('.');
        }
        match key {
            Piece::Plain(range) if outer_bytes == 0 => {
                let is_long = self.limits.name_bytes_max < range.len();
                self.key = Some(range);
                return Some(if is_long { Member::IsLong } else { Member::Counts });
            }
            Piece::Plain(range) => self.path.push_str(self.pieces.text.get(range)?),
            Piece::Escaped(range) => self.path.push_str(&unescaped(self.pieces.text, &range)),
            Piece::Broken(range) => {
                self.is_broken(&range);
                return Some(Member::IsBroken);
            }
        }
        let is_long = self.limits.name_bytes_max < self.path.len();
        Some(if is_long { Member::IsLong } else { Member::Counts })
    }

    fn value(&mut self, depth: usize) -> Option<()> {
        match self.pieces.next()? {
            b'{' if depth < self.limits.depth_max => {
                self.pieces.take()?;
                if let Some(key) = self.key.take() {
                    self.path.push_str(self.pieces.text.get(key)?);
                }
                self.object(depth + 1)
            }
            b'{' => {
                self.is_beyond(Beyond::Depth);
                self.pair()
            }
            b'[' => {
                self.pieces.take()?;
                self.items()
            }
            _ => self.pair(),
        }
    }

    /// Reads on from behind the bracket of an array.
    fn items(&mut self) -> Option<()> {
        if self.pieces.next()? == b']' {
            return self.pieces.expect(b']');
        }
        loop {
            self.pair()?;
            match self.pieces.take()? {
                b',' => {}
                b']' => return Some(()),
                _ => return None,
            }
        }
    }

    /// Reads a value of any kind that is one pair.
    fn pair(&mut self) -> Option<()> {
        let Some(value) = self.pieces.value()? else { return Some(()) };
        if let Piece::Broken(range) = &value {
            self.is_broken(range);
        }
        if self.limits.pairs_max <= self.object.found.len() {
            self.is_beyond(Beyond::Pairs);
            return Some(());
        }
        let path = self.key.clone().and_then(|key| self.pieces.text.get(key)).unwrap_or(&self.path);
        let names_bytes = self.object.names.len() + path.len();
        if self.name.is_none() && self.limits.names_bytes_max < names_bytes {
            self.is_beyond(Beyond::Names);
            return Some(());
        }
        let names = &mut self.object.names;
        let name = self.name.get_or_insert_with(|| {
            let start = names.len();
            names.push_str(path);
            start..names.len()
        });
        self.object.found.push(Found { name: name.clone(), value });
        Some(())
    }

    fn is_beyond(&mut self, what: Beyond) {
        self.object.beyond.get_or_insert(what);
    }

    fn is_broken(&mut self, string: &Range<usize>) {
        self.object.broken.get_or_insert_with(|| string.clone());
    }
}

/// What a string in its quotes means, whose escapes are characters.
fn unescaped(text: &str, string: &Range<usize>) -> String {
    text.get(string.clone()).and_then(|string| serde_json::from_str(string).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
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
        assert_eq!(json(deep.as_bytes()), json_slowly(deep.as_bytes()));
        let many: Vec<String> = (0..2000).map(|key| format!("\"k{key}\":1")).collect();
        assert_eq!(json(format!("{{{}}}", many.join(",")).as_bytes()).len(), LIMITS.pairs_max);
        let long = format!("{{\"a\":{{\"{}\":1,\"b\":2}}}}", "k".repeat(LIMITS.name_bytes_max - 1));
        assert_eq!(shown(&json(long.as_bytes())), "a.b=2");
    }

    /// The same with `serde_json`, each nested value for itself.
    fn json_slowly(text: &[u8]) -> Vec<Pair> {
        let start = text.iter().position(|&byte| byte == b'{').unwrap_or(text.len());
        let object =
            std::str::from_utf8(&text[start..]).ok().and_then(|text| Slow::read(text.trim_end(), LIMITS));
        object.map(|object| object.pairs).unwrap_or_default()
    }

    /// What `serde_json` says of an object.
    struct Slow {
        limits: JsonLimits,
        pairs: Vec<Pair>,
        beyond: Option<Beyond>,
        is_broken: bool,
        names_bytes: usize,
    }

    impl Slow {
        fn read(object: &str, limits: JsonLimits) -> Option<Slow> {
            // What is ignored may have halves of characters.
            serde_json::from_str::<IgnoredAny>(object)
                .ok()
                .filter(|_| object.trim_start().starts_with('{'))?;
            let beyond = (limits.depth_max < 1).then_some(Beyond::Depth);
            let mut slow = Slow { limits, pairs: Vec::new(), beyond, is_broken: false, names_bytes: 0 };
            slow.object(object, "", 1);
            Some(slow)
        }

        fn object(&mut self, object: &str, outer: &str, depth: usize) {
            let Ok(Members(members)) = serde_json::from_str(object) else {
                self.is_broken = true;
                return;
            };
            for (key, value) in members {
                let name = if outer.is_empty() { key } else { format!("{outer}.{key}") };
                let text = value.get();
                if self.limits.name_bytes_max < name.len() {
                    continue;
                }
                if text.starts_with('{') && depth < self.limits.depth_max {
                    self.object(text, &name, depth + 1);
                    continue;
                }
                if text.starts_with('{') {
                    self.beyond.get_or_insert(Beyond::Depth);
                }
                let items: Vec<&RawValue> =
                    if text.starts_with('[') { serde_json::from_str(text).unwrap() } else { vec![value] };
                let mut is_named = false;
                for item in items.into_iter().map(RawValue::get).filter(|item| *item != "null") {
                    let string = serde_json::from_str(item);
                    self.is_broken |= item.starts_with('"') && string.is_err();
                    let string = string.unwrap_or_default();
                    let value = if item.starts_with('"') { string } else { item.to_owned() };
                    let names_bytes = self.names_bytes + if is_named { 0 } else { name.len() };
                    if self.limits.pairs_max <= self.pairs.len() {
                        self.beyond.get_or_insert(Beyond::Pairs);
                    } else if self.limits.names_bytes_max < names_bytes {
                        self.beyond.get_or_insert(Beyond::Names);
                    } else {
                        (self.names_bytes, is_named) = (names_bytes, true);
                        self.pairs.push((name.clone().into_bytes(), value.into_bytes()));
                    }
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
            prop_assert_eq!(json(text.as_bytes()), json_slowly(text.as_bytes()));
        }

        #[test]
        fn under_any_limits_an_object_is_what_serde_json_reads(
            text in prop_oneof![
                value(),
                value().prop_map(|value| format!(" {{\"v\":{value},\"w\":1}}\n")),
                proptest::collection::vec(proptest::sample::select(PIECES.to_vec()), 0..6)
                    .prop_map(|all| format!("{{\"a\":{}}}", all.concat())),
            ],
            (pairs_max, name_bytes_max, names_bytes_max, depth_max) in (0_usize..6, 0_usize..30, 0_usize..60, 0_usize..5),
        ) {
            let limits = JsonLimits { pairs_max, name_bytes_max, names_bytes_max, depth_max };
            let object = JsonObject::read(text.as_bytes(), limits);
            let slow = Slow::read(&text, limits);
            prop_assert_eq!(object.is_some(), slow.is_some());
            let (Some(object), Some(slow)) = (object, slow) else { return Ok(()) };
            let pairs: Vec<Pair> =
                object.pairs().map(|(name, value)| (name.as_bytes().to_vec(), value.as_bytes().to_vec())).collect();
            prop_assert_eq!(pairs, slow.pairs);
            prop_assert_eq!(object.broken().is_some(), slow.is_broken);
            if let Some(string) = object.broken() {
                prop_assert!(serde_json::from_slice::<String>(&text.as_bytes()[string]).is_err());
            }
            if !slow.is_broken {
                prop_assert_eq!(object.beyond(), slow.beyond);
            }
        }

        #[test]
        fn any_bytes_have_pairs_or_none(text in proptest::collection::vec(
            prop_oneof![any::<u8>(), proptest::sample::select(b"{}[]\":,=a1 '\\".to_vec())], 0..60)
        ) {
            prop_assert_eq!(json(&text), json_slowly(&text));
        }
    }
}
