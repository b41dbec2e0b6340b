//! A message as a template and its variables.
mod bytes;
mod limits;
mod numbers;
pub mod scan;
mod skeleton;
mod table;
pub use table::Templates;
