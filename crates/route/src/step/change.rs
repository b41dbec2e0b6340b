//! Changes of a batch.

use logstead_record::{Batch, Selection};

/// A change of some rows, which makes a new batch.
pub(super) trait BatchChange: std::fmt::Debug + Send + Sync {
    /// The rows among these that may change; the others certainly do not.
    fn candidates(&self, _batch: &Batch, rows: &Selection) -> Selection {
        rows.clone()
    }

    /// Changes these rows.
    fn change(&self, batch: &Batch, rows: &Selection) -> ChangeResult;
}

/// The result of a change.
#[derive(Debug)]
pub(super) struct ChangeResult {
    /// `None` if the batch is unchanged.
    pub(super) batch: Option<Batch>,
    pub(super) changed: Selection,
    pub(super) failed: Selection,
}

impl ChangeResult {
    pub(super) fn nothing(rows: usize) -> ChangeResult {
        ChangeResult { batch: None, changed: Selection::none(rows), failed: Selection::none(rows) }
    }
}
