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
mod clock;
mod destination;
mod flow;
mod folders;
mod internal;
mod kept;
mod lanes;
mod lock;
mod memory;
pub mod meta;
pub mod pipeline;
mod rights;
mod sockets;
pub mod source;
mod turns;
mod web;

pub use lock::{DataLock, LockError};

/// How many threads the machine has use for.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// What this machine is called.
fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}
