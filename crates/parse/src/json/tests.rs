//! The JSON reader, with valid, invalid and hostile texts.

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

/// The same result from `serde_json`, which reads each nested value separately.
fn json_slowly(text: &[u8]) -> Vec<Pair> {
    let start = text.iter().position(|&byte| byte == b'{').unwrap_or(text.len());
    let object =
        std::str::from_utf8(&text[start..]).ok().and_then(|text| Slow::read(text.trim_end(), LIMITS));
    object.map(|object| object.pairs).unwrap_or_default()
}

/// The result of `serde_json` for an object.
struct Slow {
    limits: JsonLimits,
    pairs: Vec<Pair>,
    beyond: Option<ExceededLimit>,
    is_broken: bool,
    names_bytes: usize,
}

impl Slow {
    fn read(object: &str, limits: JsonLimits) -> Option<Slow> {
        // Ignored values may have escapes for unpaired surrogates.
        serde_json::from_str::<IgnoredAny>(object).ok().filter(|_| object.trim_start().starts_with('{'))?;
        let beyond = (limits.depth_max < 1).then_some(ExceededLimit::Depth);
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
                self.beyond.get_or_insert(ExceededLimit::Depth);
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
                    self.beyond.get_or_insert(ExceededLimit::Pairs);
                } else if self.limits.names_bytes_max < names_bytes {
                    self.beyond.get_or_insert(ExceededLimit::Names);
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

/// Pieces of JSON, and pieces that are not JSON.
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
            prop_assert_eq!(object.beyond, slow.beyond);
        }
    }

    #[test]
    fn any_bytes_have_pairs_or_none(text in proptest::collection::vec(
        prop_oneof![any::<u8>(), proptest::sample::select(b"{}[]\":,=a1 '\\".to_vec())], 0..60)
    ) {
        prop_assert_eq!(json(&text), json_slowly(&text));
    }
}
