//! Syslog to other systems: as datagrams, as streams, and over RELP, whose receivers acknowledge every message.
//!
//! ```text
//! render ▶ datagrams │ syslog ─┐
//!                      relp ───┴▶ link ▶ connect ▶ connection
//!                    (answers)    (failover)
//! ```
//!
//! **Invariant:** every wait has a deadline, and everything that the other side says has a limit.

mod answers;
mod connect;
mod connection;
mod datagrams;
mod failover;
mod link;
mod relp;
mod render;
mod syslog;
mod unconfirmed;

use super::sink::MessageSink;
use connect::Connector;
use datagrams::Datagrams;
use logstead_config::{RelpServer, SyslogServer, Transport};
use logstead_flow::machine::folders::Folders;
use relp::Relp;
use syslog::SyslogSink;

pub(super) fn syslog(config: &SyslogServer, folders: &Folders) -> Box<dyn MessageSink> {
    match config.to.transport() {
        Transport::Udp => Box::new(Datagrams::new(config)),
        _ => Box::new(SyslogSink::new(config, Connector::new(config.tls.as_ref(), folders))),
    }
}

pub(super) fn relp(config: &RelpServer, folders: &Folders) -> Box<dyn MessageSink> {
    Box::new(Relp::new(config, Connector::new(config.tls.as_ref(), folders)))
}
