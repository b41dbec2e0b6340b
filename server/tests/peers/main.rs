//! Programs of other projects as senders to the real binary: what they send by their own rules arrives completely, once,
//! and is read rightly. And as receivers of what it forwards.
//!
//! A program that is not here fails its tests, and the failure says what to install.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

mod certificates;
mod documents;
mod forwarding;
mod http;
mod journald;
mod ldap;
mod loggen;
mod logger;
mod numbered;
mod openssl;
mod program;
mod receiver;
mod rsyslog;
mod shippers;
#[path = "../support/mod.rs"]
mod support;
mod syslog_ng;
mod telemetry;
mod web;

/// A router document with one source, `in`, that has these listeners and keys, and stores everything.
fn receiving(kind: &str, listen: &str, keys: &str) -> String {
    format!(
        "version = 1\n[[sources]]\nid = \"in\"\nkind = \"{kind}\"\nlisten = [\"{listen}\"]\n{keys}\n\
         [[logspaces]]\nid = \"main\"\n[[routes]]\nid = \"default\"\nto = [\"main\"]\n"
    )
}
