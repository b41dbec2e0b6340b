//! A name and a value: what a flat object is made of.

use logstead_parse::JsonObject;
use std::borrow::Cow;

/// A value of an object that is not an object itself.
pub(super) struct ObjectPair<'o, 't> {
    /// Borrowed from the object.
    pub(super) name: &'o str,
    /// Borrowed from its text, where it has no escapes.
    pub(super) value: Cow<'t, str>,
}

/// The values of an object.
pub(super) fn pairs<'o, 't>(object: &'o JsonObject<'t>) -> Vec<ObjectPair<'o, 't>> {
    object.pairs().map(|(name, value)| ObjectPair { name, value }).collect()
}
