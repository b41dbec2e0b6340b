//! Syslog and its relatives, from received bytes to rows of a batch.
//!
//! ```text
//!  bytes ▶ proxy ▶ framing, relp ▶ frames ▶ format ▶ rows
//! ```
//!
//! **Invariant:** pure. Anybody may send anything: no bytes make this panic, take unbounded memory or become an error that
//! loses them.

pub mod chunks;
pub mod format;
pub mod framing;
pub mod proxy;
pub mod relp;
mod undelimited;
