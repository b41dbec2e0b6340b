//! Destinations that receive syslog over datagrams, streams and RELP.

use super::address::OneOrMore;
use super::address::{Addresses, Transport, bare_host};
use crate::choice::{ForwardFormat, ForwardFraming};
use crate::problem::quoted;
use crate::table_reader::TableReader;
use serde::Serialize;

/// The keys of a syslog destination.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, utoipa::ToSchema)]
pub struct SyslogServer {
    /// The address `udp://HOST:PORT`, `tcp://HOST:PORT` or `tls://HOST:PORT`, or several.
    #[schema(value_type = OneOrMore)]
    pub to: Addresses,
    /// The format of messages.
    pub format: ForwardFormat,
    /// The delimiting of messages in a stream.
    pub framing: ForwardFraming,
    /// The trusted authorities and our certificate for encrypted connections.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls: Option<ClientTls>,
}

/// The keys of a RELP destination.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, utoipa::ToSchema)]
pub struct RelpServer {
    /// The address `relp://HOST:PORT` or `relp+tls://HOST:PORT`, or several.
    #[schema(value_type = OneOrMore)]
    pub to: Addresses,
    /// The format of messages.
    pub format: ForwardFormat,
    /// The greatest number of unacknowledged messages.
    pub window: u32,
    /// The trusted authorities and our certificate for encrypted connections.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls: Option<ClientTls>,
}

/// The trusted authorities and our certificate for encrypted connections to a server. Files are PEM, absolute or
/// below the data directory.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, utoipa::ToSchema)]
pub struct ClientTls {
    /// The authorities that sign the server's certificate, instead of those of the system.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ca: Option<String>,
    /// Our certificate, for servers that ask for one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<String>,
    /// Its private key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The name in the server's certificate, if it is not the host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_name: Option<String>,
}

impl SyslogServer {
    pub(super) fn read(fields: &mut TableReader<'_>) -> SyslogServer {
        let to = fields.required("to", Addresses::unread(Transport::Tcp));
        if to.transport().is_relp() {
            fields.note("to", format!("`{to}` belongs in a destination of `kind = \"relp\"`"));
        }
        SyslogServer {
            format: fields.get("format"),
            framing: fields.get("framing"),
            tls: ClientTls::of(fields, &to),
            to,
        }
    }
}

impl RelpServer {
    pub(super) fn read(fields: &mut TableReader<'_>) -> RelpServer {
        let to = fields.required("to", Addresses::unread(Transport::Relp));
        if !to.transport().is_relp() {
            fields.note("to", format!("`{to}` belongs in a destination of `kind = \"syslog\"`"));
        }
        RelpServer {
            format: fields.get("format"),
            window: fields.get_within("window"),
            tls: ClientTls::of(fields, &to),
            to,
        }
    }
}

impl ClientTls {
    fn of(fields: &mut TableReader<'_>, to: &Addresses) -> Option<ClientTls> {
        let tls = fields.optional_table("tls.", ClientTls::read);
        // An address that could not be read has its own finding.
        let is_read = to.as_slice().iter().all(|address| address.port != 0);
        if tls.is_some() && is_read && !to.transport().is_tls() {
            fields.note("tls", "is only for `tls://` and `relp+tls://`: use one of these, or leave it out");
        }
        tls
    }

    pub(super) fn read(fields: &mut TableReader<'_>) -> ClientTls {
        let tls = ClientTls {
            ca: fields.optional("ca"),
            certificate: fields.optional("certificate"),
            key: fields.optional("key"),
            server_name: fields.optional("server_name"),
        };
        match (&tls.certificate, &tls.key) {
            (Some(_), None) => fields.note("certificate", "needs `key`, the file with its private key"),
            (None, Some(_)) => fields.note("key", "needs `certificate`, the file with its certificate"),
            _ => {}
        }
        if let Some(name) = tls.server_name.as_deref().filter(|name| !is_server_name(name)) {
            fields.note(
                "server_name",
                format!("{} is not a name that a certificate can be issued for", quoted(name)),
            );
        }
        tls
    }
}

/// Whether a text is a name or an IP address that a certificate can contain.
fn is_server_name(name: &str) -> bool {
    bare_host(name).is_some() || name.parse::<std::net::IpAddr>().is_ok()
}
