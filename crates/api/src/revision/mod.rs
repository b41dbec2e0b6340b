//! Revisions of the router document: how one becomes live, and how one that nobody confirms is reverted.
//!
//! | module   | owns                                                                      |
//! |----------|---------------------------------------------------------------------------|
//! | `live`   | storing a change and making it live, as one                               |
//! | `health` | how messages fare, before and after a change: pure                        |
//! | `watch`  | the thread that measures this, and taking back unconfirmed revisions      |
//!
//! **Invariant:** a revision that has to be confirmed is confirmed in time or taken back, also if the process was killed or
//! the machine was off when its time was over.

pub mod health;
mod live;
mod watch;

pub use live::Revisions;
pub use live::{ConfirmationTerms, LiveError, Unconfirmed};
pub use watch::{Watch, take_back_overdue};

/// The author of a revision that replaces an unconfirmed one.
const AUTHOR: &str = "logstead";
