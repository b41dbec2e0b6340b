//! The rows of sealed segments that a filter matched, kept for the next question with the same filter: the page, the
//! histogram and the facets of a search usually follow its count, and the same search is asked again and again.
//!
//! **Invariant:** segments never change, and a filter whose meaning depends on the time of day is not remembered, so
//! what is remembered of a segment stays true for as long as the segment is there.

use super::bounds::RowBounds;
use super::filter_name::FilterName;
use super::question::RowQuestion;
use crate::segment::Segment;
use logstead_record::Selection;

/// The number of bits that the number of a row takes.
const ROW_BITS: usize = 32;

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
    use proptest::prelude::*;

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
