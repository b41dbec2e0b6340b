//! The names of dictionaries, and the tantivy field of each, for writing and reading.

use tantivy::schema::Field;

/// The words of texts that are stored without a template.
pub(crate) const WORDS: &str = "words";
/// The only field of the schema.
pub(super) const FIELD: Field = Field::from_field_id(0);
