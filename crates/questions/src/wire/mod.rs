//! Messages and tables in the form in which they leave the server: in answers of the API, in files, and printed by
//! commands.
//!
//! **Invariant:** the API and the commands show a message in the same shape, so that each can read the other's output.

pub mod columnar;
pub mod columns;
pub mod csv;
pub mod file;
pub mod message;
pub mod table;
