//! Suggestions for a text that does not follow the grammar (the text with the missing parts added, or in quotes), and for
//! misspelt words.

use super::limits::{NESTING_MAX, QUERY_BYTES_MAX};

/// A query to suggest instead: the first one that `is_query` accepts, or the result of `in_quotes`; `None` if it
/// would be too long or its stages are invalid.
pub(super) fn suggested_query(
    text: &str,
    is_query: impl Fn(&str) -> bool,
    in_quotes: impl FnOnce(&str) -> Option<String>,
) -> Option<String> {
    let fits = |text: &String| text.len() <= QUERY_BYTES_MAX && is_query(text);
    candidates(text).into_iter().find(fits).or_else(|| in_quotes(text))
}

fn candidates(text: &str) -> Vec<String> {
    let text = text.trim();
    let count = |wanted| text.bytes().filter(|byte| *byte == wanted).count();
    let (opened, closed) = (count(b'('), count(b')'));
    let mut candidates = Vec::new();
    // A query with an odd number of quotes gets one more.
    if count(b'"') % 2 == 1 {
        candidates.push(format!("{text}\""));
    }
    if (1..=NESTING_MAX).contains(&opened.saturating_sub(closed)) {
        candidates.push(format!("{text}{}", ")".repeat(opened - closed)));
    }
    // A `:` or `=` at the end suggests a search for any value.
    if text.ends_with([':', '=']) && !text.ends_with([' ', '>', '<', '!']) {
        candidates.push(format!("{text}*"));
    }
    let joins = ["AND", "and", "OR", "or", "NOT", "not", "&&", "||"];
    let left = joins.iter().find_map(|word| Some(text.strip_suffix(word)?.trim_end()));
    candidates.extend(left.filter(|left| !left.is_empty()).map(str::to_owned));
    candidates
}

/// The name that is most similar to a word, if one is similar enough.
pub(super) fn nearest<'n>(word: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let most = |name: &str| 1 + name.len() / 4;
    // Names of very different length are skipped: the distance is at least the difference in length, and computing it
    // takes the product of the lengths.
    let names = names.filter(|name| word.chars().count() <= name.chars().count() + most(name));
    let distances = names.map(|name| (strsim::osa_distance(word, name), name));
    distances
        .filter(|(distance, name)| *distance <= most(name) && *distance < word.len())
        .min()
        .map(|(_, name)| name)
}
