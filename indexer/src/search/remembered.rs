//! The rows of sealed segments that a filter matched, kept for the next question with the same filter: the page, the
//! histogram and the facets of a search usually follow its count, and the same search is asked again and again.
//!
//! **Invariant:** segments never change, and a filter whose meaning depends on the time of day is not remembered, so
//! what is remembered of a segment stays true for as long as the segment is there.

use super::bounds::RowBounds;
use super::question::RowQuestion;
use crate::segment::Segment;
use logstead_query::Query;
use logstead_record::Selection;

/// The longest text of a filter that is remembered.
const TEXT_BYTES_MAX: usize = 4 << 10;
/// The length of a name: too long for two filters to have the same.
const NAME_BYTES: usize = 16;
/// The number of bits that the number of a row takes.
const ROW_BITS: usize = 32;

/// The name of a filter, made of its text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct FilterName([u8; NAME_BYTES]);

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

/// The bounds of the rows of a whole segment that match a filter.
#[derive(Debug)]
struct RememberedRows {
    certain: CompactRows,
    /// `None` if it is the same set.
    possible: Option<CompactRows>,
}

/// A set of rows, in the shorter of two forms.
#[derive(Debug)]
enum CompactRows {
    Few { rows: usize, chosen: Vec<u32> },
    Many(Selection),
}

impl CompactRows {
    fn of(rows: &Selection) -> CompactRows {
        if rows.count() * ROW_BITS < rows.rows() {
            return CompactRows::Few {
                rows: rows.rows(),
                chosen: rows.iter().map(|row| row as u32).collect(),
            };
        }
        CompactRows::Many(rows.clone())
    }

    fn rows(&self) -> Selection {
        match self {
            CompactRows::Many(rows) => rows.clone(),
            CompactRows::Few { rows, chosen } => {
                let mut selection = Selection::none(*rows);
                chosen.iter().for_each(|&row| selection.insert(row as usize));
                selection
            }
        }
    }

    fn count(&self) -> usize {
        match self {
            CompactRows::Few { chosen, .. } => chosen.len(),
            CompactRows::Many(rows) => rows.count(),
        }
    }

    fn memory_bytes(&self) -> usize {
        match self {
            CompactRows::Few { chosen, .. } => size_of_val(chosen.as_slice()),
            CompactRows::Many(rows) => size_of_val(rows.words()),
        }
    }
}

/// The number of rows of a segment that match, if it is remembered.
pub(super) fn count(segment: &Segment, question: &RowQuestion<'_>) -> Option<u64> {
    let is_whole = segment.blocks.span.times().are_within(question.range);
    let FilterName(name) = question.filter.name.filter(|_| is_whole)?;
    let known = segment.remembered::<RememberedRows>(name)?;
    known.possible.is_none().then(|| known.certain.count() as u64)
}

/// The bounds of the rows of a whole segment, if they are remembered.
pub(super) fn bounds(segment: &Segment, question: &RowQuestion<'_>) -> Option<RowBounds> {
    let FilterName(name) = question.filter.name?;
    let known = segment.remembered::<RememberedRows>(name)?;
    let certain = known.certain.rows();
    Some(match &known.possible {
        None => RowBounds::exact(certain),
        Some(possible) => RowBounds::between(certain, possible.rows()),
    })
}

/// Remembers the bounds of the rows of a segment, if they are those of the whole segment.
pub(super) fn keep(segment: &Segment, question: &RowQuestion<'_>, bounds: &RowBounds) {
    let is_whole = segment.blocks.span.times().are_within(question.range);
    let Some(FilterName(name)) = question.filter.name.filter(|_| is_whole) else { return };
    let possible = (!bounds.is_exact()).then(|| CompactRows::of(bounds.possible()));
    let known = RememberedRows { certain: CompactRows::of(&bounds.certain), possible };
    let bytes = known.certain.memory_bytes() + known.possible.as_ref().map_or(0, CompactRows::memory_bytes);
    segment.remember(name, known, size_of::<RememberedRows>() + bytes);
}

#[cfg(test)]
mod tests {
    use super::*;
    use logstead_query::parse_search;
    use proptest::prelude::*;

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

    proptest! {
        #[test]
        fn rows_come_back_as_they_were(rows in 1_usize..2000, chosen in proptest::collection::vec(any::<prop::sample::Index>(), 0..200)) {
            let mut selection = Selection::none(rows);
            chosen.iter().for_each(|row| selection.insert(row.index(rows)));
            let compact = CompactRows::of(&selection);
            prop_assert_eq!(compact.count(), selection.count());
            prop_assert!(compact.memory_bytes() <= rows.div_ceil(64) * 8);
            prop_assert_eq!(compact.rows(), selection);
        }
    }
}
