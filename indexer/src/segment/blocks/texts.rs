//! The texts of a group in which words are looked for.
//!
//! **Invariant:** a value of a dynamic field that is not here is a part of its message, with all its words.

use logstead_template::TemplateGroup;
use std::sync::Arc;

/// The texts of a group: what an index is made of.
pub(crate) struct IndexedTexts {
    pub(crate) messages: Arc<TemplateGroup>,
    pub(crate) values: Option<UnsharedValues>,
}

/// The values of dynamic fields that are not parts of messages, and the row of each.
pub(crate) struct UnsharedValues {
    pub(crate) texts: Arc<TemplateGroup>,
    pub(crate) rows: Vec<u32>,
}
