//! One line of values separated by commas (RFC 4180): a value in quotes may contain commas, and a quote in it is
//! doubled.

use crate::sink::{FIELDS_MAX, PairSink};

/// Reads the values for columns in their order; an empty name skips a value. `None`, without adding anything, if
/// there are fewer or more values than columns, or if the quotes do not match.
pub fn read(text: &[u8], columns: &[String], sink: &mut impl PairSink) -> Option<()> {
    let values = values(text.trim_ascii_end())?;
    if values.len() != columns.len() {
        return None;
    }
    for (name, value) in columns.iter().zip(values).filter(|(name, _)| !name.is_empty()) {
        match value {
            CsvValue::Plain(value) => sink.add(name.as_bytes(), value),
            CsvValue::Quoted(value) => sink.add_with(name.as_bytes(), |out| unescape(value, out)),
        }
    }
    Some(())
}

enum CsvValue<'a> {
    Plain(&'a [u8]),
    /// A quoted value, without the quotes around it.
    Quoted(&'a [u8]),
}

fn values(text: &[u8]) -> Option<Vec<CsvValue<'_>>> {
    let (mut values, mut rest) = (Vec::new(), text);
    loop {
        let (value, after) = match rest.strip_prefix(b"\"") {
            Some(quoted) => {
                let end = closing_quote(quoted)?;
                (CsvValue::Quoted(&quoted[..end]), &quoted[end + 1..])
            }
            None => {
                let end = memchr::memchr(b',', rest).unwrap_or(rest.len());
                (CsvValue::Plain(rest[..end].trim_ascii()), &rest[end..])
            }
        };
        values.push(value);
        if FIELDS_MAX < values.len() {
            return None;
        }
        match after {
            [] => return Some(values),
            [b',', after @ ..] => rest = after,
            _ => return None,
        }
    }
}

fn closing_quote(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr::memchr(b'"', text.get(at..)?)?;
        if text.get(at + 1) != Some(&b'"') {
            return Some(at);
        }
        at += 2;
    }
}

fn unescape(value: &[u8], out: &mut Vec<u8>) {
    let mut rest = value;
    while let Some(quote) = memchr::memchr(b'"', rest) {
        out.extend_from_slice(&rest[..=quote]);
        rest = rest.get(quote + 2..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sink::Pair;
    use proptest::prelude::*;

    fn shown(text: &str, columns: &[&str]) -> Option<String> {
        let columns: Vec<String> = columns.iter().map(|&name| name.to_owned()).collect();
        let mut pairs: Vec<Pair> = Vec::new();
        read(text.as_bytes(), &columns, &mut pairs)?;
        let pairs = pairs.iter().map(|(name, value)| {
            format!("{}={}", String::from_utf8_lossy(name), String::from_utf8_lossy(value))
        });
        Some(pairs.collect::<Vec<_>>().join(" | "))
    }

    #[test]
    fn values_go_to_columns_in_their_order() {
        for (text, expected) in [
            ("1,two,3", Some("a=1 | b=two | c=3")),
            ("1, two ,\"3, \"\"x\"\"\"\r\n", Some("a=1 | b=two | c=3, \"x\"")),
            (",,", Some("a= | b= | c=")),
            ("1,2", None),
            ("1,2,3,4", None),
            ("1,\"2,3", None),
            ("1,\"2\"x,3", None),
            ("", None),
        ] {
            assert_eq!(shown(text, &["a", "b", "c"]).as_deref(), expected, "{text}");
        }
        assert_eq!(shown("1,2,3", &["a", "", "c"]).as_deref(), Some("a=1 | c=3"));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(values in proptest::collection::vec("[a,\" \u{e4}]{0,6}", 1..6)) {
            let quoted: Vec<String> = values.iter().map(|value| format!("\"{}\"", value.replace('"', "\"\""))).collect();
            let columns: Vec<String> = (0..values.len()).map(|at| at.to_string()).collect();
            let mut pairs: Vec<Pair> = Vec::new();
            prop_assert!(read(quoted.join(",").as_bytes(), &columns, &mut pairs).is_some());
            let found: Vec<String> = pairs.into_iter().map(|(_, value)| String::from_utf8(value).unwrap()).collect();
            prop_assert_eq!(found, values);
        }
    }
}
