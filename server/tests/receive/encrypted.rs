//! Syslog inside TLS, with cases that depend on which bytes arrive together.
//!
//! Keywords: TLS, octet counting, fragments, limits.

use crate::certificates;
use crate::support;

use certificates::{Authority, Identity};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::version::{TLS12, TLS13};
use rustls::{ClientConfig, ClientConnection, RootCertStore, SupportedProtocolVersion};
use std::io::Write;
use std::net::TcpStream;
use std::sync::Arc;
use support::Server;
use tempfile::TempDir;

const VERSIONS: [&SupportedProtocolVersion; 2] = [&TLS12, &TLS13];

fn server(folder: &TempDir) -> (Authority, Server) {
    let authority = Authority::new(folder.path(), "authority");
    let Identity { certificate, key } = authority.sign("localhost");
    let router = format!(
        "version = 1\n[[sources]]\nid = \"in\"\nkind = \"syslog\"\nlisten = [\"tls://127.0.0.1:0\"]\n\
         tls = {{ certificate = \"{certificate}\", key = \"{key}\" }}\n\
         [[logspaces]]\nid = \"main\"\n[[routes]]\nid = \"default\"\nto = [\"main\"]\n"
    );
    (authority, Server::start(&router))
}

fn client(authority: &Authority, version: &'static SupportedProtocolVersion) -> ClientConnection {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(authority.certificate()).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_protocol_versions(&[version]).unwrap();
    let config = config.with_root_certificates(roots).with_no_client_auth();
    ClientConnection::new(Arc::new(config), "localhost".try_into().unwrap()).unwrap()
}

/// Connects with TLS, and sends the data already written together with the end of the handshake.
fn connect(server: &Server, client: &mut ClientConnection) -> TcpStream {
    let mut socket = TcpStream::connect(server.address("tls")).unwrap();
    while client.is_handshaking() || client.wants_write() {
        client.complete_io(&mut socket).unwrap();
    }
    socket
}

#[test]
fn a_message_that_comes_with_the_end_of_the_handshake_is_stored_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let (authority, server) = server(&folder);
    for (at, version) in VERSIONS.into_iter().enumerate() {
        let mut client = client(&authority, version);
        client.writer().write_all(format!("<13>early {at}\n").as_bytes()).unwrap();
        let open = connect(&server, &mut client);
        server.wait_for(&format!("\"early {at}\""), 1);
        drop(open);
    }
}

#[test]
fn a_sender_that_never_reads_and_goes_without_a_word_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (authority, server) = server(&folder);
    for (at, version) in VERSIONS.into_iter().enumerate() {
        let mut client = client(&authority, version);
        let mut socket = connect(&server, &mut client);
        for number in 0..2000 {
            client.writer().write_all(format!("<13>last words {at} {number}\n").as_bytes()).unwrap();
            while client.wants_write() {
                client.write_tls(&mut socket).unwrap();
            }
        }
        drop(socket);
        server.wait_for(&format!("\"last words {at}\""), 2000);
    }
}
