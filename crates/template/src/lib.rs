//! Stores messages in few bytes: a message is a template and its variables.
//!
//! | module     | what it does                                                                |
//! |------------|-----------------------------------------------------------------------------|
//! | `scan`     | splits a message into its key and its variables, and writes these again     |
//! | `skeleton` | learns where the words of keys differ                                       |
//! | `table`    | key → template                                                              |
//! | `numbers`, `ordered`, `texts` | columns                                                  |
//! | `group`    | texts of some rows as templates and values, and back; words in them         |
//! | `parts`    | fields whose values are parts of a message                                  |
//! | `shape`    | what the messages of a template have in common                              |
//! | `named`    | what users see of a template                                                |
//! | `automaton` | an expression as a table of states                                      |
//! | `rare`     | in which groups a rare word may be                                          |
//! | `limits`   | what a table takes at most                                                  |
//!
//! **Invariant:** messages come back byte for byte, whatever they are.

mod automaton;
mod bytes;
mod digits;
mod group;
mod interner;
mod limits;
mod named;
mod numbers;
mod ordered;
mod packet;
mod parts;
mod rare;
mod scan;
mod shape;
mod skeleton;
mod table;
mod texts;
mod unpack;

pub use automaton::Automaton;
pub use bytes::{ByteReader, DecodeError, UnreadReason, put_varint};
pub use group::{
    EncodedGroup, GroupHead, GroupPart, GroupSource, PlacedNumbers, Ranks, Rows, TemplateGroup,
    TemplateGroupWriter, WantedWord, WordFinder, WordForm, WordSet, may_hold_other_addresses, word_hash,
};
pub use named::{template_id, template_text};
pub use parts::{ColumnRequest, FieldColumn, FieldParts, FieldPartsWriter, FieldTexts, FieldsOfRows};
pub use rare::{RARE_HEAD_BYTES, Rare, RareWriter};
pub use shape::{ShapeFit, shape};
