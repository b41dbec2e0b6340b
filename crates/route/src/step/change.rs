//! A batch that is made of another.

use logstead_record::{Batch, Selection};

/// Makes a batch of another.
pub(super) trait BatchChange: std::fmt::Debug + Send + Sync {
    /// Rows among these that may be changed; the others are not.
    fn candidates(&self, _batch: &Batch, rows: &Selection) -> Selection {
        rows.clone()
    }

    /// Changes rows.
    fn change(&self, batch: &Batch, rows: &Selection) -> ChangeResult;
}

/// A batch that was changed.
#[derive(Debug)]
pub(super) struct ChangeResult {
    /// `None`: it is as before.
    pub(super) batch: Option<Batch>,
    pub(super) changed: Selection,
    pub(super) failed: Selection,
}

impl ChangeResult {
    pub(super) fn nothing(rows: usize) -> ChangeResult {
        ChangeResult { batch: None, changed: Selection::none(rows), failed: Selection::none(rows) }
    }
}
