//! The name of a filter, under which the rows that it matches are remembered.
//!
//! **Invariant:** a filter whose meaning depends on the time of day has no name.

use logstead_query::Query;

/// The longest text of a filter that is remembered.
const TEXT_BYTES_MAX: usize = 4 << 10;
/// The length of a name: too long for two filters to have the same.
const NAME_BYTES: usize = 16;

/// The name of a filter, made of its text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct FilterName(pub(super) [u8; NAME_BYTES]);

impl FilterName {
    /// The name of the filter for a query; `None` if its rows are not remembered.
    pub(super) fn of(query: &Query) -> Option<FilterName> {
        // Every row needs no memory.
        if *query == Query::All || query.uses_now() {
            return None;
        }
        let text = query.to_string();
        let hash = (text.len() <= TEXT_BYTES_MAX).then(|| blake3::hash(text.as_bytes()))?;
        hash.as_bytes().first_chunk().copied().map(FilterName)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use logstead_query::parse_search;

    #[test]
    fn only_filters_that_mean_the_same_tomorrow_have_a_name() {
        let name = |text: &str| FilterName::of(&parse_search(text).unwrap().query);
        for text in ["error", "host=a -severity>=warning", "time>2026-11-21T06:00Z error", "/a+b/ OR n>3"] {
            assert!(name(text).is_some(), "{text}");
            assert_eq!(name(text), name(&format!(" {text} ")));
        }
        assert_ne!(name("error"), name("errors"));
        assert_ne!(name("error"), name("\"error\"s"));
        for text in ["*", "time>-1h", "error time>=today", &"a ".repeat(TEXT_BYTES_MAX)] {
            assert_eq!(name(text), None, "{text:.20}");
        }
    }
}
