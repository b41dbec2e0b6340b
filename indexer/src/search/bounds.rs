//! The rows of a segment that match a query, as far as an index can tell: they lie between two sets of rows.
//!
//! **Invariant:** every row of `certain` matches, and every row that matches is in `possible`. Negation swaps
//! the two, so that what is only proposed is never taken for an answer by being complemented.

use logstead_record::Selection;

/// The two sets of rows between which the matching rows lie.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct RowBounds {
    pub(crate) certain: Selection,
    /// `None` if it is the same set.
    possible: Option<Selection>,
}

impl RowBounds {
    /// The bounds of exactly these rows.
    pub(crate) fn exact(rows: Selection) -> RowBounds {
        RowBounds { certain: rows, possible: None }
    }

    /// The bounds of any number of these rows.
    pub(crate) fn some_of(rows: Selection) -> RowBounds {
        let certain = Selection::none(rows.rows());
        RowBounds { certain, possible: Some(rows) }
    }

    /// The bounds between these two sets. The first must be within the second.
    pub(crate) fn between(certain: Selection, possible: Selection) -> RowBounds {
        RowBounds { certain, possible: Some(possible) }
    }

    /// All rows that may match.
    pub(crate) fn possible(&self) -> &Selection {
        self.possible.as_ref().unwrap_or(&self.certain)
    }

    /// Whether all rows are decided.
    pub(crate) fn is_exact(&self) -> bool {
        self.possible.as_ref().is_none_or(|possible| *possible == self.certain)
    }

    /// The rows that are still to be decided.
    pub(crate) fn undecided(&self) -> Selection {
        let mut rows = self.possible().clone();
        rows.subtract(&self.certain);
        rows
    }

    /// The bounds of the rows that are in both.
    #[must_use]
    pub(crate) fn and(self, other: &RowBounds) -> RowBounds {
        self.join(other, Selection::intersect)
    }

    /// The bounds of the rows that are in either.
    #[must_use]
    pub(crate) fn or(self, other: &RowBounds) -> RowBounds {
        self.join(other, Selection::union)
    }

    /// The bounds of the rows of `within` that do not match.
    #[must_use]
    pub(crate) fn not(self, within: &Selection) -> RowBounds {
        let without = |rows: &Selection| {
            let mut rest = within.clone();
            rest.subtract(rows);
            rest
        };
        match &self.possible {
            None => RowBounds::exact(without(&self.certain)),
            Some(possible) => RowBounds::between(without(possible), without(&self.certain)),
        }
    }

    fn join(mut self, other: &RowBounds, with: impl Fn(&mut Selection, &Selection)) -> RowBounds {
        if self.possible.is_some() || other.possible.is_some() {
            let possible = self.possible.get_or_insert_with(|| self.certain.clone());
            with(possible, other.possible());
        }
        with(&mut self.certain, &other.certain);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ROWS: usize = 70;

    fn rows() -> impl Strategy<Value = Selection> {
        proptest::collection::vec(any::<bool>(), ROWS)
            .prop_map(|bits| Selection::from_fn(ROWS, |row| bits[row]))
    }

    /// A set of rows, with bounds that hold for it.
    fn bounded() -> impl Strategy<Value = (Selection, RowBounds)> {
        (rows(), rows(), rows(), any::<bool>()).prop_map(|(meant, less, more, is_exact)| {
            if is_exact {
                return (meant.clone(), RowBounds::exact(meant));
            }
            let (mut certain, mut possible) = (meant.clone(), meant.clone());
            certain.intersect(&less);
            possible.union(&more);
            (meant, RowBounds::between(certain, possible))
        })
    }

    fn holds(meant: &Selection, bounds: &RowBounds) -> bool {
        let mut missing = meant.clone();
        missing.subtract(bounds.possible());
        let mut wrong = bounds.certain.clone();
        wrong.subtract(meant);
        missing.is_empty() && wrong.is_empty() && (!bounds.is_exact() || bounds.certain == *meant)
    }

    proptest! {
        #[test]
        fn bounds_hold_whatever_is_made_of_them((a, a_bounds) in bounded(), (b, b_bounds) in bounded(), within in rows()) {
            let (mut both, mut either, mut rest) = (a.clone(), a.clone(), within.clone());
            both.intersect(&b);
            either.union(&b);
            rest.subtract(&a);
            prop_assert!(holds(&both, &a_bounds.clone().and(&b_bounds)));
            prop_assert!(holds(&either, &a_bounds.clone().or(&b_bounds)));
            prop_assert!(holds(&rest, &a_bounds.clone().not(&within)));
        }
    }
}
