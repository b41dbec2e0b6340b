//! The fields contained in a text.

use logstead_parse::Pair;
use logstead_query::{Captures, TextFormat};

/// Reads the fields of a text, in order.
pub(crate) fn pairs(format: &TextFormat, text: &[u8]) -> Vec<Pair> {
    let mut pairs = Vec::new();
    match format {
        TextFormat::Json => return logstead_parse::json(text),
        TextFormat::KeyValue => return logstead_parse::key_value(text),
        TextFormat::Regex(captures) => return captured(captures, text),
        TextFormat::Cef => {
            logstead_parse::cef(text, &mut pairs);
        }
        TextFormat::Leef => {
            logstead_parse::leef(text, &mut pairs);
        }
        TextFormat::Csv(columns) => {
            logstead_parse::csv(text, columns, &mut pairs);
        }
    }
    pairs
}

fn captured(captures: &Captures, text: &[u8]) -> Vec<Pair> {
    let Some(found) = captures.regex().compiled().captures(text) else { return Vec::new() };
    let pair = |(group, name): &(usize, String)| {
        found.get(*group).map(|value| (name.as_bytes().to_vec(), value.as_bytes().to_vec()))
    };
    captures.fields().iter().filter_map(pair).collect()
}
