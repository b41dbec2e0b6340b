//! Tests the client with servers that answer well, badly and not at all.

use super::super::peer::{AfterAnswer, Peer, PeerTurn, answer, answer_with, folders, header};
use super::*;
use crate::sink::Remedy;
use logstead_config::{ClientTls, DestinationToken, HttpHeader, Period, Url};
use rustls::pki_types::PrivatePkcs8KeyDer;
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection, StreamOwned};
use std::net::TcpListener;
use std::path::Path;
use std::time::Instant;

fn client(server: &HttpServer, authority: Authority, data: &Path) -> Client {
    Client::new(server, authority, &folders(data))
}

/// A client without secrets.
fn plain(peer: &Peer, timeout: Period) -> Client {
    let server = HttpServer { timeout, ..peer.server() };
    client(&server, Authority::Nobody, Path::new("/nowhere"))
}

fn post<'a>(url: &'a str, body: &'a [u8]) -> HttpRequest<'a> {
    HttpRequest::post(url, "text/plain", body)
}

#[test]
fn a_connection_is_used_again_and_large_bodies_are_compressed() {
    let peer = Peer::start(vec![answer(200, "one"), answer(204, "")]);
    let server = HttpServer {
        user: Some("ann".to_owned()),
        password: Some("hunter2".to_owned()),
        headers: vec![HttpHeader::parse("X-Team: blue").unwrap()],
        ..peer.server()
    };
    let authority = Authority::new("Bearer", None, None, &server);
    let mut client = client(&server, authority, Path::new("/nowhere"));
    let large = b"a line\n".repeat(1000);
    assert_eq!(client.last_answer(), None);
    assert_eq!(client.ask(&post(&peer.url, b"small")).unwrap().body, b"one");
    assert_eq!(client.last_answer().as_deref(), Some("200 OK: one"));
    assert_eq!(client.ask(&post(&peer.url, &large)).unwrap().status, 204);
    let (first, second) = (peer.asked(), peer.asked());
    assert_eq!((first.connection, second.connection), (0, 0));
    assert_eq!((first.body, second.body), (b"small".to_vec(), large));
    assert_eq!(header(&first.head, "authorization"), Some("Basic YW5uOmh1bnRlcjI="));
    assert_eq!(header(&first.head, "x-team"), Some("blue"));
    assert_eq!(header(&first.head, "content-type"), Some("text/plain"));
    assert_eq!(header(&first.head, "content-encoding"), None);
    assert_eq!(header(&second.head, "content-encoding"), Some("gzip"));
}

#[test]
fn a_server_that_closes_after_each_answer_is_connected_to_again() {
    let closing = || PeerTurn::bytes("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", AfterAnswer::Close);
    let peer = Peer::start((0..3).map(|_| closing()).collect());
    let mut client = plain(&peer, Period::seconds(30));
    for _ in 0..3 {
        // The first attempt may still use the connection that is being closed.
        let mut ask = || client.ask(&post(&peer.url, b"x"));
        assert_eq!(ask().or_else(|_| ask()).unwrap().body, b"ok");
    }
}

#[test]
fn answers_that_are_late_broken_or_endless_are_failures() {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n";
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFF\r\n";
    let short = Period::millis(300);
    for (bytes, then, timeout, expected) in [
        ("", AfterAnswer::Hang, short, "no complete answer before the deadline"),
        (head, AfterAnswer::Hang, short, "no complete answer before the deadline"),
        (head, AfterAnswer::Close, Period::seconds(30), ""),
        ("", AfterAnswer::Close, Period::seconds(30), ""),
        ("SSH-2.0-OpenSSH_9.2\r\n\r\n", AfterAnswer::Close, Period::seconds(30), ""),
        (chunked, AfterAnswer::Repeat, Period::seconds(30), "the answer is longer than"),
    ] {
        let peer = Peer::start(vec![PeerTurn::bytes(bytes, then)]);
        let begin = Instant::now();
        let failure = plain(&peer, timeout).ask(&post(&peer.url, b"x")).err().unwrap();
        assert!(failure.reason.contains(expected), "{bytes}: {}", failure.reason);
        assert!(failure.reason.starts_with(&peer.url), "{}", failure.reason);
        assert_eq!(failure.remedy, Remedy::Wait(None));
        assert!(begin.elapsed() < Duration::from_secs(25), "{bytes}");
    }
}

#[test]
fn a_server_that_never_agrees_on_keys_is_given_up() {
    // This server accepts connections, and does nothing else.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}", silent.local_addr().unwrap());
    let server = HttpServer {
        url: Url::parse(&url).unwrap(),
        timeout: Period::millis(300),
        ..Peer::start(Vec::new()).server()
    };
    let begin = Instant::now();
    let mut client = client(&server, Authority::Nobody, Path::new("/nowhere"));
    let failure = client.ask(&post(&url, b"x")).err().unwrap();
    assert!(failure.reason.contains("before the deadline"), "{}", failure.reason);
    assert!(begin.elapsed() < Duration::from_secs(25));
}

#[test]
fn a_refusal_shows_url_status_and_text_but_no_secret() {
    let text = "{\n  \"error\": \"hunter2 is not a token\"\n}";
    let moved = answer_with(302, "Location: http://other/?key=hunter2\r\n", "");
    let peer = Peer::start(vec![answer(500, text), moved, answer_with(429, "Retry-After: 9\r\n", "")]);
    let token = DestinationToken { token: Some("hunter2".to_owned()), token_file: None };
    let server = peer.server();
    let authority = Authority::of_token("Bearer", &token, &server);
    let mut client = client(&server, authority, Path::new("/nowhere"));
    let url = format!("{}/push?key=hunter2", peer.url);
    let place = format!("{}/push", peer.url);
    for expected in [
        "500 Internal Server Error: { \"error\": \"… is not a token\" }",
        "302 Found: redirects to http://other/ are not followed",
        "429 Too Many Requests",
    ] {
        let answer = client.ask(&post(&url, b"x")).unwrap();
        assert_eq!(answer.shown, format!("{place}: {expected}"));
        assert_eq!(answer.retry_after, (answer.status == 429).then_some(Duration::from_secs(9)));
    }
}

#[test]
fn a_secret_that_was_replaced_is_read_again_after_it_was_refused() {
    let peer = Peer::start(vec![answer(200, ""), answer(401, ""), answer(200, "")]);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("secrets/siem.token");
    std::fs::create_dir(folder.path().join("secrets")).unwrap();
    let token = DestinationToken { token: None, token_file: Some("siem.token".to_owned()) };
    let server = peer.server();
    let authority = Authority::of_token("Bearer", &token, &server);
    let mut client = client(&server, authority, folder.path());
    let missing = client.ask(&post(&peer.url, b"x")).err().unwrap();
    assert!(missing.reason.contains("secrets/siem.token: No such file"), "{}", missing.reason);
    let mut statuses = Vec::new();
    for secret in ["old\n", "new\n", "new\n"] {
        std::fs::write(&file, secret).unwrap();
        statuses.push(client.ask(&post(&peer.url, b"x")).unwrap().status);
    }
    assert_eq!(statuses, [200, 401, 200]);
    let asked = [peer.asked(), peer.asked(), peer.asked()];
    let sent = asked.each_ref().map(|asked| header(&asked.head, "authorization"));
    assert_eq!(sent, [Some("Bearer old"), Some("Bearer old"), Some("Bearer new")]);
}

/// A server with a certificate for `logs.example`, which answers each connection once, with the number of
/// certificates that the client presented. Returns its URL; its certificate is written to the folder, together with
/// one that it accepts if it asks for one.
fn encrypted(folder: &Path, asks: bool) -> String {
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    let certified = rcgen::generate_simple_self_signed(vec!["logs.example".to_owned()]).unwrap();
    write("ca.pem", &certified.cert.pem());
    let ours = rcgen::generate_simple_self_signed(vec!["client.example".to_owned()]).unwrap();
    write("own.pem", &ours.cert.pem());
    write("own.key", &ours.signing_key.serialize_pem());
    let key = PrivatePkcs8KeyDer::from(certified.signing_key.serialize_der());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider.clone());
    let config = config.with_safe_default_protocol_versions().unwrap();
    let config = if asks {
        let mut roots = RootCertStore::empty();
        roots.add(ours.cert.der().clone()).unwrap();
        let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build();
        config.with_client_cert_verifier(verifier.unwrap())
    } else {
        config.with_no_client_auth()
    };
    let config = config.with_single_cert(vec![certified.cert.der().clone()], key.into()).unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://127.0.0.1:{}", listener.local_addr().unwrap().port());
    std::thread::spawn(move || {
        while let Ok((stream, _)) = listener.accept() {
            let connection = ServerConnection::new(config.clone()).unwrap();
            let mut stream = StreamOwned::new(connection, stream);
            let mut bytes = [0; 4096];
            if stream.read(&mut bytes).is_ok() {
                let shown = stream.conn.peer_certificates().map_or(0, <[_]>::len);
                let text = format!("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n{shown}");
                stream.write_all(text.as_bytes()).ok();
            }
        }
    });
    url
}

#[test]
fn servers_are_recognised_and_shown_our_certificate_as_the_document_says() {
    let folder = tempfile::tempdir().unwrap();
    let other = tempfile::tempdir().unwrap();
    let urls = [encrypted(other.path(), false), encrypted(folder.path(), true)];
    std::fs::copy(other.path().join("ca.pem"), folder.path().join("open-ca.pem")).unwrap();
    std::fs::copy(other.path().join("own.key"), folder.path().join("wrong.key")).unwrap();
    std::fs::write(folder.path().join("empty.pem"), "nothing").unwrap();
    let [open, asking] = &urls;
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    for (url, ca, name, certificate, key, expected) in [
        (open, "open-ca.pem", "logs.example", "", "", Ok("0")),
        (open, "open-ca.pem", "", "", "", Err("not valid for name")),
        (open, "", "logs.example", "", "", Err("certificate")),
        (open, "ca.pem", "logs.example", "", "", Err("certificate")),
        (open, "empty.pem", "", "", "", Err("empty.pem: there is no certificate in it")),
        (open, "missing.pem", "", "", "", Err("missing.pem: No such file")),
        (asking, "ca.pem", "logs.example", "own.pem", "own.key", Ok("1")),
        (asking, "ca.pem", "logs.example", "", "", Err("ertificate")),
        (asking, "ca.pem", "logs.example", "own.pem", "wrong.key", Err("own.pem with ")),
        (asking, "ca.pem", "logs.example", "own.pem", "missing.key", Err("missing.key: No such file")),
    ] {
        let tls = ClientTls {
            ca: text(ca),
            certificate: text(certificate),
            key: text(key),
            server_name: text(name),
        };
        let peer = Peer::start(Vec::new());
        let server = HttpServer { url: Url::parse(url).unwrap(), tls: Some(tls), ..peer.server() };
        let mut client = client(&server, Authority::Nobody, folder.path());
        let answer = client.ask(&post(url, b"x"));
        let answer = answer.map(|answer| String::from_utf8(answer.body).unwrap());
        match (answer.as_deref(), expected) {
            (Ok(answer), Ok(expected)) => assert_eq!(answer, expected),
            (Err(failure), Err(part)) => {
                assert!(failure.reason.contains(part), "{ca} {name}: {}", failure.reason)
            }
            (answer, expected) => panic!("{ca} {name} {certificate} {key}: {answer:?}, {expected:?}"),
        }
    }
}
