//! What a template gives for a message.

use logstead_config::{Piece, TextTemplate};
use logstead_record::Batch;

/// Appends it.
pub(crate) fn write(template: &TextTemplate, batch: &Batch, row: usize, out: &mut Vec<u8>) {
    for piece in template.pieces() {
        match piece {
            Piece::Text(text) => out.extend_from_slice(text.as_bytes()),
            Piece::Field(field) => out.extend_from_slice(&batch.value(row, field).unwrap_or_default()),
        }
    }
}
