//! Syslog to other systems: datagrams, streams, and RELP, whose receivers acknowledge every message.
//!
//! ```text
//! render ▶ frame ▶ datagrams │ syslog ─┐
//!                              relp ───┴▶ line ▶ connect ▶ connection
//!                            (answers)    (failover)
//! ```
//!
//! **Invariant:** every wait has a deadline, and everything that the other side says has a limit.

mod address;
mod answers;
mod connect;
mod connection;
mod datagrams;
mod failover;
mod frame;
mod line;
mod relp;
mod render;
mod syslog;
mod unconfirmed;

use super::sink::Sink;
use connect::Dial;
use datagrams::Datagrams;
use logstead_config::{RelpServer, SyslogServer, Transport};
use logstead_flow::machine::folders::Folders;
use relp::Relp;
use syslog::Syslog;

pub(super) fn syslog(config: &SyslogServer, folders: &Folders) -> Box<dyn Sink> {
    match config.to.transport() {
        Transport::Udp => Box::new(Datagrams::new(config)),
        _ => Box::new(Syslog::new(config, Dial::new(config.tls.as_ref(), folders))),
    }
}

pub(super) fn relp(config: &RelpServer, folders: &Folders) -> Box<dyn Sink> {
    Box::new(Relp::new(config, Dial::new(config.tls.as_ref(), folders)))
}
