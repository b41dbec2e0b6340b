//! Finishes a table: completely, or as far as the time that is left allows.
//!
//! **Invariant:** once the work has ended, no more rows are processed than a table may show; and it is reported that
//! rows are left out.

use super::{AnswerError, ROWS_MAX};
use logstead_work::Work;
use std::cell::Cell;
use std::cmp::Ordering;

/// The work that making a row counts as.
const ROW_WORK: usize = 16;

/// A table that is being finished.
pub(crate) struct TableFinisher<'a> {
    pub work: &'a Work<'a>,
    is_cut: Cell<bool>,
}

impl<'a> TableFinisher<'a> {
    pub(crate) fn new(work: &'a Work<'a>) -> TableFinisher<'a> {
        TableFinisher { work, is_cut: Cell::new(false) }
    }

    /// Whether there was too little time to finish.
    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut.get()
    }

    /// Whether to make another row after this many.
    pub(crate) fn wants(&self, rows: usize) -> bool {
        let wanted = rows < ROWS_MAX || self.work.go_on(ROW_WORK);
        self.is_cut.set(self.is_cut.get() || !wanted);
        wanted
    }

    /// Cuts the rows if there is too little time to process all of them once more.
    pub(crate) fn cut<T>(&self, rows: &mut Vec<T>) {
        if ROWS_MAX < rows.len() && !self.work.go_on(rows.len() * ROW_WORK) {
            rows.truncate(ROWS_MAX);
            self.is_cut.set(true);
        }
    }

    /// Sorts stably. If there is too little time, the items are cut first and only the rest is sorted.
    pub(crate) fn sort(&self, items: &mut Vec<usize>, compare: impl Fn(usize, usize) -> Ordering) {
        if !self.work.sort(items, &compare) {
            self.is_cut.set(true);
            items.truncate(ROWS_MAX);
            items.sort_by(|&a, &b| compare(a, b));
        }
    }
}

/// Returns an error if the search was cancelled.
pub(crate) fn check(work: &Work<'_>, rows: usize) -> Result<(), AnswerError> {
    if work.go_on(rows) { Ok(()) } else { Err(AnswerError::Cancelled) }
}
