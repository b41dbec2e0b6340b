//! Questions to several logspaces, and the formats of messages and tables in answers, files and printed output.
//!
//! **Invariant:** the API and the commands ask and answer through here, so both give the same messages in the same shape.

pub mod store;
pub mod wire;
