//! Which rows of a segment have a word.

mod places;
mod shapes;
mod templated;

pub(super) use places::{PLACES, Places};
pub(crate) use shapes::ByShape;
pub(crate) use templated::{Found, Lexicon};
pub(super) use templated::{KEYS, VALUES};
