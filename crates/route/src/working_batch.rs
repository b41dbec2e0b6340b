//! The messages of one route while they pass through its steps.
//!
//! **Invariant:** until something is changed, the batch is the routed one; dropping a message costs one bit.

use logstead_record::{Batch, Selection};
use std::sync::Arc;

/// A batch, its rows that are still in the route, and the messages of the routed batch that they correspond to.
#[derive(Clone, Debug)]
pub(crate) struct WorkingBatch {
    pub(crate) batch: Arc<Batch>,
    pub(crate) rows: Selection,
    /// The message of each row; `None` if row numbers are the same.
    origin: Option<Arc<Vec<usize>>>,
}

impl WorkingBatch {
    pub(crate) fn new(batch: &Arc<Batch>, rows: Selection) -> WorkingBatch {
        WorkingBatch { batch: batch.clone(), rows, origin: None }
    }

    /// The message of the routed batch that a row corresponds to.
    pub(crate) fn origin(&self, row: usize) -> usize {
        self.origin.as_ref().map_or(row, |origin| origin[row])
    }

    /// Whether this is the routed batch itself.
    pub(crate) fn is_as_received(&self) -> bool {
        self.origin.is_none()
    }

    /// The messages of the routed batch that these rows correspond to.
    pub(crate) fn messages(&self, rows: &Selection, all: usize) -> Selection {
        if self.origin.is_none() {
            return rows.clone();
        }
        let mut messages = Selection::none(all);
        rows.iter().for_each(|row| messages.insert(self.origin(row)));
        messages
    }

    /// A batch of only those rows that are still in the route, so that it can be changed.
    pub(crate) fn alone(&self) -> WorkingBatch {
        let rows: Vec<usize> = self.rows.iter().collect();
        let batch =
            if self.rows.is_all() { self.batch.clone() } else { Arc::new(self.batch.take(&self.rows)) };
        let origin = rows.iter().map(|&row| self.origin(row)).collect();
        WorkingBatch { batch, rows: Selection::all(rows.len()), origin: Some(Arc::new(origin)) }
    }

    /// The same messages in another batch with the same rows.
    pub(crate) fn with(&self, batch: Batch) -> WorkingBatch {
        let origin = self.origin.clone().unwrap_or_else(|| Arc::new((0..batch.rows()).collect()));
        WorkingBatch { batch: Arc::new(batch), rows: self.rows.clone(), origin: Some(origin) }
    }

    /// Rows of [`WorkingBatch::alone`] as rows of the batch.
    pub(crate) fn of_alone(&self, rows: &Selection) -> Selection {
        let mut found = Selection::none(self.batch.rows());
        let numbered = self.rows.iter().enumerate().filter(|(number, _)| rows.contains(*number));
        numbered.for_each(|(_, row)| found.insert(row));
        found
    }

    /// These rows of the batch as rows of [`WorkingBatch::alone`].
    pub(crate) fn in_alone(&self, rows: &Selection) -> Selection {
        let mut found = Selection::none(self.rows.count());
        let numbered = self.rows.iter().enumerate().filter(|(_, row)| rows.contains(*row));
        numbered.for_each(|(number, _)| found.insert(number));
        found
    }
}
