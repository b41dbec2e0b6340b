//! Sealed segments: a run of messages in two files that never change.

pub(crate) mod block;
pub(crate) mod blocks;
