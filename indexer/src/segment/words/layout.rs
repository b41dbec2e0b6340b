//! The names of dictionaries, and the field of tantivy's that holds one: for its writer and its reader.

use tantivy::schema::Field;

/// The words of texts that are kept as they are.
pub(crate) const WORDS: &str = "words";
/// The only field of the schema.
pub(super) const FIELD: Field = Field::from_field_id(0);
