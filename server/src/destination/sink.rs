//! Where a destination sends its batches.

use logstead_record::Batch;

/// Something that takes batches.
pub(super) trait Sink: Send {
    /// Sends a batch. After an error the whole batch is sent again.
    fn send(&mut self, batch: &Batch) -> std::io::Result<usize>;
}
