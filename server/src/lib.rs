//! The process: sources, workers, logspaces, destinations, and the API that shows and changes them.
//!
//! ```text
//!  source threads ──▶ workers ──▶ logspace threads ──▶ journal ──▶ acknowledged and searchable
//!  (read, frame)      (parse,  └─▶ destination threads
//!                      route)
//!  API runtime: console, REST, login ──▶ searches on blocking threads
//! ```
//!
//! **Invariant:** only this crate knows async, HTTP and the clock.

pub mod api;
pub mod cli;
mod destination;
mod flow;
mod identity;
mod internal;
mod machine;
pub mod meta;
pub mod pipeline;
mod request;
pub mod revision;
pub mod source;
mod store;
mod web;
mod wire;

pub use machine::lock::{DataLock, LockError};
