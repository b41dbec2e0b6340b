//! The client of openssl as a TLS sender: access by certificate, and a certificate that is renewed while the server
//! runs.
//!
//! Keywords: TLS, s_client.

use crate::certificates::{Authority, Identity};
use crate::program::{program, run};
use crate::receiving;
use crate::support::{Server, signal, wait_until};
use std::io::Write;
use std::process::{Command, Output, Stdio};

/// `openssl s_client`, connected to the first listener of a server, trusting one authority.
fn client(server: &Server, authority: &Authority) -> Command {
    let url = server.listener();
    let (_, address) = url.split_once("://").unwrap();
    let mut command = program("openssl", "openssl");
    command.args(["s_client", "-connect", address, "-servername", "localhost", "-verify_return_error"]);
    command.args(["-CAfile", &authority.certificate()]);
    command
}

/// Sends a line and closes the connection.
fn send(server: &Server, authority: &Authority, options: &[&str], line: &str) -> Output {
    let mut command = client(server, authority);
    run(command.args(["-quiet", "-no_ign_eof"]).args(options), line.as_bytes())
}

fn keys(own: &Identity, client_ca: Option<&Authority>, is_required: bool) -> String {
    let files = format!("certificate = \"{}\", key = \"{}\"", own.certificate, own.key);
    match client_ca {
        None => format!("tls = {{ {files} }}"),
        Some(authority) => format!(
            "tls = {{ {files}, client_ca = \"{}\", require_client_certificate = {is_required} }}",
            authority.certificate()
        ),
    }
}

#[test]
fn lines_inside_both_versions_of_tls_arrive() {
    let folder = tempfile::tempdir().unwrap();
    let authority = Authority::new(folder.path(), "authority");
    let keys = keys(&authority.sign("localhost"), None, false);
    let server = Server::start(&receiving("syslog", "tls://127.0.0.1:0", &keys));
    for version in ["-tls1_2", "-tls1_3"] {
        let output = send(&server, &authority, &[version], &format!("<13>hello {version}\n"));
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        server.wait_for(&format!("\"hello {version}\""), 1);
    }
    assert_eq!(server.count("tls.subject:*"), 0);
    let stranger = Authority::new(folder.path(), "stranger");
    let output = send(&server, &stranger, &[], "<13>to a server that is not trusted\n");
    assert!(!output.status.success());
    assert_eq!(server.count("*"), 2);
}

#[test]
fn a_stop_says_that_it_is_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let authority = Authority::new(folder.path(), "authority");
    let keys = keys(&authority.sign("localhost"), None, false);
    for version in ["-tls1_2", "-tls1_3"] {
        let mut server = Server::start(&receiving("syslog", "tls://127.0.0.1:0", &keys));
        let mut command = client(&server, &authority);
        command.args([version]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut open = command.spawn().unwrap();
        let mut input = open.stdin.take().unwrap();
        input.write_all(b"<13>hello\n").unwrap();
        server.wait_for("hello", 1);
        assert!(server.terminate().success());
        let output = open.wait_with_output().unwrap();
        drop(input);
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(said.trim_end().ends_with("closed"), "{said}{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn who_has_no_certificate_or_a_wrong_one_is_refused_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let authority = Authority::new(folder.path(), "authority");
    let stranger = Authority::new(folder.path(), "stranger").sign_as("web-1", "stranger-web-1");
    let (own, web) = (authority.sign("localhost"), authority.sign("web-1"));
    let keys = keys(&own, Some(&authority), true);
    let server = Server::start(&receiving("syslog", "tls://127.0.0.1:0", &keys));
    let refused = || server.source("in")["dropped"]["tls_handshake"].as_u64().unwrap_or(0);
    let cases: [&[&str]; 2] = [&[], &["-cert", &stranger.certificate, "-key", &stranger.key]];
    for (number, options) in cases.iter().enumerate() {
        for version in ["-tls1_2", "-tls1_3"] {
            let before = refused();
            send(&server, &authority, &[*options, &[version]].concat(), "<13>must not arrive\n");
            wait_until(&format!("case {number} is counted"), || refused() == before + 1);
        }
    }
    send(&server, &authority, &["-cert", &web.certificate, "-key", &web.key], "<13>let in\n");
    server.wait_for("let in", 1);
    assert_eq!(server.count("*"), 1);
    assert_eq!(server.search("let in")[0]["fields"]["tls.subject"], "CN=web-1");
}

#[test]
fn a_certificate_that_is_optional_is_a_field_where_there_is_one() {
    let folder = tempfile::tempdir().unwrap();
    let authority = Authority::new(folder.path(), "authority");
    let (own, web) = (authority.sign("localhost"), authority.sign("web-1"));
    let keys = keys(&own, Some(&authority), false);
    let server = Server::start(&receiving("syslog", "tls://127.0.0.1:0", &keys));
    send(&server, &authority, &[], "<13>nobody\n");
    send(&server, &authority, &["-cert", &web.certificate, "-key", &web.key], "<13>somebody\n");
    server.wait_for("*", 2);
    assert_eq!(server.search("tls.subject:web-1")[0]["message"], "somebody");
    assert_eq!(server.count("tls.subject:*"), 1);
}

/// The name in the certificate that a new connection sees.
fn shown(server: &Server, authority: &Authority) -> String {
    let output = run(&mut client(server, authority), b"");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let subject = said.lines().find_map(|line| line.strip_prefix("subject="));
    subject.unwrap_or_else(|| panic!("no certificate in {said}")).to_owned()
}

#[test]
fn a_certificate_that_is_replaced_is_shown_to_new_connections_and_disturbs_no_open_one() {
    let folder = tempfile::tempdir().unwrap();
    let authority = Authority::new(folder.path(), "authority");
    let keys = keys(&authority.sign_as("first", "server"), None, false);
    let server = Server::start(&receiving("syslog", "tls://127.0.0.1:0", &keys));
    assert_eq!(shown(&server, &authority), "CN = first");
    let mut open = client(&server, &authority);
    let mut open = open.args(["-quiet"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut input = open.stdin.take().unwrap();
    input.write_all(b"<13>before\n").unwrap();
    server.wait_for("before", 1);

    authority.sign_as("second", "server");
    wait_until("it is noticed", || shown(&server, &authority) == "CN = second");
    authority.sign_as("third", "server");
    assert!(signal("HUP", server.pid()));
    wait_until("it is read again", || shown(&server, &authority) == "CN = third");

    std::fs::write(folder.path().join("server.pem"), "no certificate").unwrap();
    assert!(signal("HUP", server.pid()));
    assert_eq!(shown(&server, &authority), "CN = third");
    input.write_all(b"<13>after\n").unwrap();
    server.wait_for("after", 1);
    drop(input);
    open.kill().unwrap();
    open.wait().unwrap();
}
