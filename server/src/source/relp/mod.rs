//! RELP: syslog whose messages are acknowledged one by one, so that a sender can repeat what was lost.
//!
//! A message is acknowledged when it is as durable as its logspace promises, and messages are acknowledged in
//! the order in which they came. Where they can not be stored for now, answers wait and the sender's window
//! fills; nothing is refused.

mod command;
mod session;

pub use command::{Command, Commands, Malformed, Name};
pub(super) use session::serve;
