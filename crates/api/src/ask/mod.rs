//! The questions that can be asked of the store, each in a file of its own.
//!
//! **Invariant:** each takes an [`Asked`](super::question::Asked), so that nothing is found that its caller may not see.

pub(super) mod aggregate;
pub(super) mod complete;
pub(super) mod context;
mod cursor;
pub(super) mod explain;
pub(super) mod facets;
pub(super) mod found_fields;
pub(super) mod histogram;
pub(super) mod overview;
mod parts;
pub(super) mod query;
pub(super) mod search;
mod value_type;
