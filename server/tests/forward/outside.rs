//! The real binary as a client: the certificates that it trusts for encrypted connections, and the proxy that it
//! uses. The servers are sockets of this test with certificates from an authority of their own.
//!
//! Keywords: proxy, CA, TLS trust, certificate.

use crate::certificates;
use crate::support;

use certificates::{Authority, Identity};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;
use support::{Server, TOKEN, WAIT_MAX, logstead, wait_until};

/// A host name that a client cannot look up itself.
const FAR: &str = "far.invalid";
const PASSWORD: &str = "hunter2";

/// A server that completes the handshake, reads something, and sends an answer that ends every protocol.
struct Peer {
    address: SocketAddr,
    heard: Receiver<Result<String, String>>,
}

impl Peer {
    fn start(identity: &Identity) -> Peer {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config =
            ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
        let chain =
            CertificateDer::pem_file_iter(&identity.certificate).unwrap().map(Result::unwrap).collect();
        let key = PrivateKeyDer::from_pem_file(&identity.key).unwrap();
        let config = Arc::new(config.with_no_client_auth().with_single_cert(chain, key).unwrap());
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (address, (tell, heard)) = (listener.local_addr().unwrap(), channel());
        std::thread::spawn(move || {
            for socket in listener.incoming() {
                let (config, tell) = (config.clone(), tell.clone());
                std::thread::spawn(move || tell.send(talk(config, socket.unwrap())));
            }
        });
        Peer { address, heard }
    }

    /// The first data of the next client after the handshake, or the reason why there was none.
    fn hears(&self) -> Result<String, String> {
        self.heard.recv_timeout(WAIT_MAX).expect("a client comes")
    }
}

fn talk(config: Arc<ServerConfig>, socket: TcpStream) -> Result<String, String> {
    socket.set_read_timeout(Some(WAIT_MAX)).unwrap();
    let mut stream = StreamOwned::new(ServerConnection::new(config).unwrap(), socket);
    let mut words = vec![0; 16 << 10];
    let read = stream.read(&mut words).map_err(|error| error.to_string())?;
    if read == 0 {
        return Err("it said nothing".to_owned());
    }
    stream.write_all(b"HTTP/1.1 500 No\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}").ok();
    Ok(String::from_utf8_lossy(&words[..read]).into_owned())
}

/// A proxy that connects every tunnel to the same server, whatever the name.
struct Proxy {
    address: SocketAddr,
    asked: Receiver<String>,
}

impl Proxy {
    fn start(server: SocketAddr) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (address, (tell, asked)) = (listener.local_addr().unwrap(), channel());
        std::thread::spawn(move || {
            for socket in listener.incoming() {
                let tell = tell.clone();
                std::thread::spawn(move || tunnel(socket.unwrap(), server, &tell));
            }
        });
        Proxy { address, asked }
    }

    /// Waits for the next request and returns its head.
    fn hears(&self) -> String {
        self.asked.recv_timeout(WAIT_MAX).expect("the proxy is asked")
    }
}

fn tunnel(mut client: TcpStream, server: SocketAddr, tell: &Sender<String>) {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        if client.read(&mut byte).unwrap_or(0) == 0 {
            return;
        }
        head.push(byte[0]);
    }
    tell.send(String::from_utf8(head).unwrap()).ok();
    let mut server = TcpStream::connect(server).unwrap();
    client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").unwrap();
    let (mut from_client, mut to_server) = (client.try_clone().unwrap(), server.try_clone().unwrap());
    std::thread::spawn(move || {
        std::io::copy(&mut from_client, &mut to_server).ok();
        to_server.shutdown(Shutdown::Write).ok();
    });
    std::io::copy(&mut server, &mut client).ok();
    client.shutdown(Shutdown::Write).ok();
}

/// A document that stores everything and sends it to these destinations.
fn router(destinations: &[(&str, String)]) -> String {
    let mut document =
        "version = 1\n[[sources]]\nid = \"http\"\nkind = \"http\"\n[[logspaces]]\nid = \"main\"\n".to_owned();
    let names: Vec<String> = destinations.iter().map(|(id, _)| format!(", \"{id}\"")).collect();
    document += &format!("[[routes]]\nid = \"all\"\nto = [\"main\"{}]\n", names.concat());
    for (id, keys) in destinations {
        document += &format!("[[destinations]]\nid = \"{id}\"\n{keys}\n");
    }
    document
}

fn s3(url: &str) -> String {
    format!(
        "kind = \"s3\"\nurl = \"{url}\"\naddressing = \"path\"\nbucket = \"logs\"\naccess_key = \"AKIA\"\n\
         secret_key = \"key\"\nobject = {{ age = \"1s\" }}"
    )
}

/// A settings file with an OpenID provider and a directory.
fn accounts(folder: &Path, issuer: &str, more: &str, directory: &str) -> String {
    let path = folder.join("logstead.toml");
    let grants = "[{ group = \"*\", role = \"analyst\" }]";
    let text = format!(
        "web.public_url = \"http://127.0.0.1\"\n[[accounts.oidc]]\nid = \"corp\"\nissuer = \"{issuer}\"\nclient_id = \"x\"\n\
         {more}\ngrants = {grants}\n[[accounts.ldap]]\nid = \"ldap\"\nurl = \"{directory}\"\nuser_dn = \"uid={{name}}\"\n\
         grants = {grants}\n"
    );
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

fn run(arguments: &[&str], environment: &[(&str, &str)]) -> String {
    let output = logstead(arguments).envs(environment.iter().copied()).output().unwrap();
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn every_client_trusts_the_authorities_that_the_environment_names_and_no_others() {
    let folder = tempfile::tempdir().unwrap();
    let (ours, other) = (Authority::new(folder.path(), "ours"), Authority::new(folder.path(), "other"));
    let identity = ours.sign("peer");
    let peers: Vec<Peer> = (0..7).map(|_| Peer::start(&identity)).collect();
    let [tls, relp, http, s3_peer, oidc, ldap, cli] = peers.try_into().ok().unwrap();
    let document = router(&[
        ("tls", format!("kind = \"syslog\"\nto = \"tls://{}\"", tls.address)),
        ("relp", format!("kind = \"relp\"\nto = \"relp+tls://{}\"", relp.address)),
        ("http", format!("kind = \"ndjson_http\"\nurl = \"https://{}/in\"", http.address)),
        ("s3", s3(&format!("https://{}", s3_peer.address))),
    ]);
    let config = accounts(
        folder.path(),
        &format!("https://{}", oidc.address),
        "",
        &format!("ldaps://{}", ldap.address),
    );
    let login = br#"{"name": "ann", "password": "a password of hers"}"#;
    let json = ("Content-Type", "application/json");
    let target = format!("tls://{}", cli.address);
    let load = ["loadgen", &target, "--number", "1", "--quiet"];
    let url = format!("https://{}", cli.address);
    let ask = ["search", "x", "--server", &url, "--token", "t"];
    let told = |result: Result<String, String>| result.unwrap_or_else(|error| error);

    for (authority, is_trusted) in [(&other, false), (&ours, true)] {
        let file = authority.certificate();
        let environment = [("SSL_CERT_FILE", file.as_str()), ("LOGSTEAD_CONFIG", &config)];
        let server = Server::start_in_environment(&document, &[], &environment);
        server.ingest("one");
        for (name, peer) in [("tls", &tls), ("relp", &relp), ("http", &http), ("s3", &s3_peer)] {
            let heard = peer.hears();
            assert_eq!(heard.is_ok(), is_trusted, "{name}: {}", told(heard));
        }
        server.call("GET", "/oidc/corp/login", &[], b"");
        let heard = oidc.hears();
        assert_eq!(heard.is_ok(), is_trusted, "an OpenID provider: {}", told(heard));
        server.call("POST", "/session", &[json], login);
        let heard = ldap.hears();
        assert_eq!(heard.is_ok(), is_trusted, "a directory: {}", told(heard));
        for command in [&load[..], &ask[..]] {
            let error = run(command, &environment[..1]);
            let heard = cli.hears();
            assert_eq!(heard.is_ok(), is_trusted, "{command:?}: {error} {}", told(heard));
            assert_eq!(error.contains("UnknownIssuer"), !is_trusted, "{error}");
        }
        if !is_trusted {
            let errors = server.status()["destinations"].to_string();
            assert_eq!(errors.matches("UnknownIssuer").count(), 4, "{errors}");
        }
        // Meanwhile, waiting messages are sent again.
        drop(server);
        for peer in [&tls, &relp, &http, &s3_peer, &oidc, &ldap, &cli] {
            while peer.heard.recv_timeout(Duration::from_millis(100)).is_ok() {}
        }
    }
    let missing = folder.path().join("missing.pem");
    let error = run(&ask, &[("SSL_CERT_FILE", missing.to_str().unwrap())]);
    assert!(error.contains("SSL_CERT_FILE=") && error.contains("missing.pem"), "{error}");
    // A file given to the command takes precedence.
    let error = run(
        &[&ask[..], &["--ca-file", &ours.certificate()]].concat(),
        &[("SSL_CERT_FILE", &other.certificate())],
    );
    assert!(cli.hears().is_ok(), "{error}");
}

#[test]
fn requests_go_through_the_proxy_that_is_named_and_its_password_is_nowhere_shown() {
    let folder = tempfile::tempdir().unwrap();
    let authority = Authority::new(folder.path(), "authority");
    let (far, near) = (Peer::start(&authority.sign(FAR)), Peer::start(&authority.sign("near")));
    let (named, own) = (Proxy::start(far.address), Proxy::start(far.address));
    let through = format!("http://ann:{PASSWORD}@{}", named.address);
    let own_url = format!("http://ben:{PASSWORD}@{}", own.address);
    let refusing = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let document = router(&[
        ("http", format!("kind = \"ndjson_http\"\nurl = \"https://{FAR}/in\"")),
        ("s3", s3(&format!("https://s3.{FAR}:8443"))),
        ("own", format!("kind = \"ndjson_http\"\nurl = \"https://own.{FAR}/in\"\nproxy = \"{own_url}\"")),
        ("none", format!("kind = \"ndjson_http\"\nurl = \"https://{}/in\"\nproxy = \"none\"", near.address)),
        (
            "skipped",
            format!("kind = \"ndjson_http\"\nurl = \"https://localhost:{}/in\"", near.address.port()),
        ),
        (
            "dead",
            format!(
                "kind = \"ndjson_http\"\nurl = \"https://dead.{FAR}/in\"\nproxy = \"http://ann:{PASSWORD}@{refusing}\""
            ),
        ),
    ]);
    let config = accounts(
        folder.path(),
        &format!("https://login.{FAR}"),
        &format!("proxy = \"{own_url}\""),
        "ldap://127.0.0.1:1",
    );
    let ca = authority.certificate();
    let environment = [
        ("SSL_CERT_FILE", ca.as_str()),
        ("LOGSTEAD_CONFIG", &config),
        ("HTTPS_PROXY", &through),
        ("HTTP_PROXY", &through),
        ("NO_PROXY", "localhost"),
    ];
    let server = Server::start_in_environment(&document, &["log.level=debug"], &environment);
    server.ingest("one");
    let ann = "Proxy-Authorization: Basic YW5uOmh1bnRlcjI=\r\n";
    // Each is tried again, so the first two requests may be for the same one.
    let mut heads = Vec::new();
    for what in [format!("CONNECT {FAR}:443 HTTP/1.1\r\n"), format!("CONNECT s3.{FAR}:8443 HTTP/1.1\r\n")] {
        while !heads.iter().any(|head: &String| head.starts_with(&what)) {
            heads.push(named.hears());
        }
    }
    assert!(heads.iter().all(|head| head.contains(ann)), "{heads:?}");
    let head = own.hears();
    assert!(head.starts_with(&format!("CONNECT own.{FAR}:443 HTTP/1.1\r\n")), "{head}");
    assert!(head.contains("Proxy-Authorization: Basic YmVuOmh1bnRlcjI=\r\n"), "{head}");
    // The certificate is valid for one of the names: data in the tunnel is encrypted end to end.
    let said = std::iter::repeat_with(|| far.hears()).find_map(Result::ok).unwrap();
    assert!(said.starts_with("POST /in HTTP/1.1\r\n"), "{said}");
    for _ in ["none", "skipped"] {
        assert!(near.hears().unwrap().starts_with("POST /in HTTP/1.1\r\n"));
    }
    while own.asked.try_recv().is_ok() {}
    server.call("GET", "/oidc/corp/login", &[], b"");
    wait_until("the provider is asked through its proxy", || {
        own.asked.try_recv().is_ok_and(|head| head.starts_with(&format!("CONNECT login.{FAR}:443 ")))
    });

    let error = |id: &str| {
        let status = server.status();
        let all = status["destinations"].as_array().unwrap();
        let one = all.iter().find(|destination| destination["id"] == id).unwrap();
        one["last_error"].as_str().unwrap_or_default().to_owned()
    };
    wait_until("the proxy is named that does not answer", || {
        error("dead").contains(&format!("the proxy {refusing}: "))
    });
    wait_until("the server's answer comes through", || error("http").contains("500"));
    let said = ["/router/status", "/settings", "/support-report", "/search?query=*"];
    for path in said {
        let shown = server.call("GET", path, &[], b"").1.to_string();
        assert!(!shown.contains(PASSWORD) && !shown.contains("YW5uOmh1bnRlcjI"), "{path}: {shown}");
    }
}

#[test]
fn commands_ask_a_server_through_the_proxy_of_the_environment() {
    let folder = tempfile::tempdir().unwrap();
    let authority = Authority::new(folder.path(), "authority");
    let far = Peer::start(&authority.sign(FAR));
    let proxy = Proxy::start(far.address);
    let (ca, through) = (authority.certificate(), format!("http://ann:{PASSWORD}@{}", proxy.address));
    let environment = [
        ("SSL_CERT_FILE", ca.as_str()),
        ("https_proxy", through.as_str()),
        ("LOGSTEAD_SERVER", "https://far.invalid"),
        ("LOGSTEAD_TOKEN", "t"),
    ];
    let file = folder.path().join("lines");
    std::fs::write(&file, "one\n").unwrap();
    let file = file.to_str().unwrap();
    for command in [
        &["search", "x"][..],
        &["export", "x"],
        &["context", "main:1"],
        &["import", file, "--logspace", "main"],
        &["router", "get"],
        &["destination", "list"],
    ] {
        let error = run(command, &environment);
        assert!(proxy.hears().starts_with("CONNECT far.invalid:443 HTTP/1.1\r\n"));
        let head = far.hears().unwrap();
        assert!(head.to_ascii_lowercase().contains("\r\nauthorization: bearer t\r\n"), "{command:?}: {head}");
        assert!(error.contains("500") && !error.contains(PASSWORD), "{command:?}: {error}");
    }
    let mut tail: std::process::Child = spawned(&mut logstead(&["tail", ""]), &environment);
    assert!(proxy.hears().starts_with("CONNECT far.invalid:443 "));
    tail.kill().ok();
    tail.wait().unwrap();

    // This is the behaviour of curl: this machine is an exception only if it is named as one.
    let server = Server::start(support::ROUTER);
    let plain = |no_proxy: &str| {
        let proxy = format!("http://{}", proxy.address);
        let environment = [("HTTP_PROXY", proxy.as_str()), ("NO_PROXY", no_proxy)];
        run(&["search", "x", "--server", server.web(), "--token", TOKEN], &environment)
    };
    plain("");
    assert!(proxy.hears().starts_with("CONNECT 127.0.0.1:"));
    assert_eq!(plain("127.0.0.0/8"), "no message matches\n");
    assert!(proxy.asked.try_recv().is_err(), "it was not asked again");
    let error = run(
        &["search", "x"],
        &[&environment[..], &[("HTTPS_PROXY", "x"), ("https_proxy", "socks5://a:hunter2@b")]].concat(),
    );
    assert!(
        error.contains("https_proxy: ") && error.contains("socks5") && !error.contains(PASSWORD),
        "{error}"
    );
}

fn spawned(command: &mut Command, environment: &[(&str, &str)]) -> std::process::Child {
    command.envs(environment.iter().copied()).spawn().unwrap()
}
