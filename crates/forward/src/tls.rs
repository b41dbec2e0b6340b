//! The TLS options of a router document, with the paths of its files resolved.

use logstead_client::tls::{Authorities, TlsOptions};
use logstead_config::ClientTls;
use logstead_flow::machine::folders::Folders;

/// Without a file of authorities, those of the system are trusted.
pub(super) fn options(tls: &ClientTls, folders: &Folders) -> TlsOptions {
    let path = |name: &String| folders.named(name);
    let identity = tls.certificate.as_ref().zip(tls.key.as_ref());
    TlsOptions {
        authorities: tls.ca.as_ref().map(path).map_or(Authorities::System, Authorities::File),
        trusts_anyone: false,
        identity: identity.map(|(certificate, key)| (path(certificate), path(key))),
    }
}
