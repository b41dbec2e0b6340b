//! What may have been meant by a text that does not follow the grammar: the text with what it lacks, or in quotes.

use super::limits::{NESTING_MAX, QUERY_BYTES_MAX};
use super::stage::{parse_pipeline, parse_pipeline_search};

/// A query in its place. There is none where the text in quotes would be too long, or its stages are wrong.
pub(super) fn mended(text: &str) -> Option<String> {
    let is_query = |text: &String| text.len() <= QUERY_BYTES_MAX && parse_pipeline(text).is_ok();
    candidates(text).into_iter().find(is_query).or_else(|| {
        let as_it_stands = parse_pipeline_search(text).ok()?;
        Some(as_it_stands.pipeline.to_string())
    })
}

fn candidates(text: &str) -> Vec<String> {
    let text = text.trim();
    let count = |wanted| text.bytes().filter(|byte| *byte == wanted).count();
    let (opened, closed) = (count(b'('), count(b')'));
    let mut candidates = Vec::new();
    // A text with one more is closed; a query with an odd number of them is not.
    if count(b'"') % 2 == 1 {
        candidates.push(format!("{text}\""));
    }
    if (1..=NESTING_MAX).contains(&opened.saturating_sub(closed)) {
        candidates.push(format!("{text}{}", ")".repeat(opened - closed)));
    }
    // `host:` asks for any value.
    if text.ends_with([':', '=']) && !text.ends_with([' ', '>', '<', '!']) {
        candidates.push(format!("{text}*"));
    }
    let joins = ["AND", "and", "OR", "or", "NOT", "not", "&&", "||"];
    let left = joins.iter().find_map(|word| Some(text.strip_suffix(word)?.trim_end()));
    candidates.extend(left.filter(|left| !left.is_empty()).map(str::to_owned));
    candidates
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_gets_what_it_lacks_or_quotes() {
        for (text, expected) in [
            ("(a", "(a)"),
            ("a (b (c or d)", "a (b (c or d))"),
            ("\"open", "\"open\""),
            ("severity>=err AND", "severity>=err"),
            ("host:", "host:*"),
            ("host=", "host=*"),
            ("a )", "\"a )\""),
            ("severity>=", "\"severity>=\""),
            ("connect(fd, 3) failed | top host", "\"connect(fd, 3) failed\" | top 10 host"),
        ] {
            assert_eq!(mended(text).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(mended("(a | nothing"), None);
    }
}
