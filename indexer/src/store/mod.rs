//! A logspace as it is stored: journal files and segments, and what goes on with them.
//!
//! **Invariant:** who searches sees a [view](view) that never changes; what changes the store publishes another.

pub(crate) mod view;
