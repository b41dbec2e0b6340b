//! Finds the rows of a segment that have a word.

mod places;
mod shapes;
mod templated;

pub(super) use places::{PLACES, PlaceNumbers};
pub(crate) use shapes::ShapeMatches;
pub(super) use templated::{KEYS, VALUES};
pub(crate) use templated::{TemplateLexicon, WordMatch};
