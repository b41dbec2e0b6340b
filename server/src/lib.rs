//! The process: sources, workers, logspaces and destinations, and the API that shows and changes them.
//!
//! ```text
//!  source threads ──▶ workers ──▶ logspace threads ──▶ journal ──▶ acknowledged and searchable
//!  (read, frame)      (parse,  └─▶ destination threads
//!                      route)
//!  API runtime: console, REST, login ──▶ searches on blocking threads
//! ```
//!
//! **Invariant:** only this crate knows async, HTTP and the clock.

pub mod cli;
pub mod console;
