//! The probable intention of a search without results: a field that no message has is probably misspelt, or was not
//! meant to be a field.

use logstead_query::TimeRange;
use logstead_questions::store::Logspaces;
use logstead_record::Field;
use logstead_work::SearchContext;
use std::collections::{BTreeSet, HashSet};

/// Maximum number of names to check, as comparing a name with all known ones takes some time.
const ASKED_MAX: usize = 64;
/// Maximum length of a name to check; a longer one resembles no other.
const NAME_BYTES_MAX: usize = 128;
/// Names below this similarity are not suggested.
const LIKENESS_MIN: f64 = 0.7;

/// A field that no message in range has, and the one that was probably meant.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct UnknownField {
    pub(crate) name: String,
    pub(crate) meant: Option<String>,
}

/// The fields that no message in range has.
pub(crate) fn unknown_fields(
    asked: &[&str],
    logspaces: &Logspaces,
    range: TimeRange,
    run: &SearchContext<'_>,
) -> Vec<UnknownField> {
    if asked.is_empty() {
        return Vec::new();
    }
    let known = logspaces.field_names(range, run);
    let lower: HashSet<String> = known.iter().map(|name| name.to_ascii_lowercase()).collect();
    let unknown = asked.iter().filter(|name| !lower.contains(&name.to_ascii_lowercase())).take(ASKED_MAX);
    unknown
        .take_while(|_| !(run.cancelled)())
        .map(|name| UnknownField { name: (*name).to_owned(), meant: meant(name, &known) })
        .collect()
}

/// The name that a text seems to compare: `sevrity>=err` is parsed as text, since only numbers can be compared with a
/// field that not every message has.
pub(crate) fn compared(text: &str) -> Option<&str> {
    let (name, rest) = text.split_once(['<', '>'])?;
    let value = rest.strip_prefix('=').unwrap_or(rest);
    let is_part_of_name = |c: char| c.is_alphanumeric() || "_.-@".contains(c);
    (!name.is_empty() && name.chars().all(is_part_of_name) && !value.is_empty()).then_some(name)
}

/// The most similar name among the fields in range and those that every message has; for a dotted name, the last part
/// is compared as well.
fn meant(name: &str, known: &BTreeSet<String>) -> Option<String> {
    if NAME_BYTES_MAX < name.len() {
        return None;
    }
    let name = name.to_lowercase();
    let likeness = |known: &str| {
        let known = known.to_lowercase();
        let last_part = known.rsplit('.').next().unwrap_or_default();
        strsim::jaro_winkler(&known, &name).max(strsim::jaro_winkler(last_part, &name))
    };
    let names = known.iter().map(String::as_str).chain(Field::ALL.map(|(_, name, _)| name));
    let best = names.map(|name| (likeness(name), name)).max_by(|a, b| a.0.total_cmp(&b.0))?;
    (LIKENESS_MIN < best.0).then(|| best.1.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_compares_has_a_name() {
        for (text, expected) in [
            ("sevrity>=err", Some("sevrity")),
            ("x.level<warn", Some("x.level")),
            ("sevrity>=", None),
            (">=err", None),
            ("<13>1", None),
            ("a -> b", None),
            ("error", None),
        ] {
            assert_eq!(compared(text), expected, "{text}");
        }
    }

    #[test]
    fn a_misspelt_name_means_the_one_most_like_it() {
        let known = ["user", "src_ip", "timeQuality.tzKnown"].map(str::to_owned).into();
        for (name, expected) in [
            ("usr", Some("user")),
            ("SRCIP", Some("src_ip")),
            ("tzknown", Some("timeQuality.tzKnown")),
            ("progam", Some("program")),
            ("hots", Some("host")),
            ("zebra", None),
        ] {
            assert_eq!(meant(name, &known).as_deref(), expected, "{name}");
        }
    }
}
