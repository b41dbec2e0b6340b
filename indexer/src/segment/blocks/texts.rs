//! The texts of a group in which words are looked for.
//!
//! **Invariant:** a value of a dynamic field that is not here is a part of its message, with all its words.

use logstead_template::TextGroup;
use std::sync::Arc;

/// The texts of a group: what an index is made of.
pub(crate) struct GroupTexts {
    pub(crate) messages: Arc<TextGroup>,
    pub(crate) values: Option<Values>,
}

/// The values of dynamic fields that are not parts of messages, and the row of each.
pub(crate) struct Values {
    pub(crate) texts: Arc<TextGroup>,
    pub(crate) rows: Vec<u32>,
}
