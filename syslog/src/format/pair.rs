//! A name and a value: what a flat object is made of.

use std::borrow::Cow;

/// A value of an object that is not an object itself.
pub(super) struct Pair<'a> {
    pub(super) name: Cow<'a, str>,
    pub(super) value: Cow<'a, str>,
}
