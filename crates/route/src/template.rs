//! Expansion of a text template for a message.

use logstead_config::{TemplatePiece, TextTemplate};
use logstead_record::Batch;
use logstead_record::FieldName;

/// Appends the text of the template for a row.
pub(crate) fn write(template: &TextTemplate, batch: &Batch, row: usize, out: &mut Vec<u8>) {
    for piece in template.pieces() {
        match piece {
            TemplatePiece::Text(text) => out.extend_from_slice(text.as_bytes()),
            TemplatePiece::Field(field) => write_values(field, batch, row, out),
        }
    }
}

/// Appends all values of a field, with `, ` between them.
pub(crate) fn write_values(field: &FieldName, batch: &Batch, row: usize, out: &mut Vec<u8>) {
    for (number, value) in batch.values(row, field).enumerate() {
        if 0 < number {
            out.extend_from_slice(b", ");
        }
        out.extend_from_slice(&value);
    }
}
