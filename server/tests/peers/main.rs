//! Programs of other projects with the real binary. The messages of senders, in their own format, arrive completely,
//! once, and are parsed correctly; receivers get the forwarded messages.
//!
//! If a program is missing, its tests fail and say what to install.

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

/// A router document that stores everything, with one source `in` that has these listeners and keys.
fn receiving(kind: &str, listen: &str, keys: &str) -> String {
    format!(
        "version = 1\n[[sources]]\nid = \"in\"\nkind = \"{kind}\"\nlisten = [\"{listen}\"]\n{keys}\n\
         [[logspaces]]\nid = \"main\"\n[[routes]]\nid = \"default\"\nto = [\"main\"]\n"
    )
}
