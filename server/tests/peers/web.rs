//! curl and openssl at the web port: encryption, HTTP/2, redirection of unencrypted requests, unix sockets,
//! compression. Our own commands must trust the same certificate.
//!
//! Keywords: browser-less HTTP client, proxy.

use crate::certificates::Authority;
use crate::program::{program, run};
use crate::support::{ROUTER, Server, TOKEN, output, signal, wait_until};
use std::process::Command;
use tempfile::TempDir;

/// A server whose web port is encrypted.
struct Encrypted {
    server: Server,
    authority: Authority,
    folder: TempDir,
}

impl Encrypted {
    fn start(settings: &[&str]) -> Encrypted {
        let folder = tempfile::tempdir().unwrap();
        let authority = Authority::new(folder.path(), "authority");
        let own = authority.sign_as("first", "server");
        let files = [format!("web.tls.certificate={}", own.certificate), format!("web.tls.key={}", own.key)];
        let files: Vec<&str> = files.iter().map(String::as_str).chain(settings.iter().copied()).collect();
        let server = Server::start_with(ROUTER, &files);
        assert!(server.web().starts_with("https://127.0.0.1:"), "{}", server.web());
        Encrypted { server, authority, folder }
    }

    fn curl(&self, arguments: &[&str], path: &str) -> Said {
        let trust = ["--cacert", &self.authority.certificate()];
        curl(&[&trust, arguments].concat(), &format!("{}{path}", self.server.web()))
    }

    /// `openssl s_client`, trusting the server.
    fn openssl(&self, arguments: &[&str]) -> Command {
        let address = self.server.web().strip_prefix("https://").unwrap();
        let mut command = program("openssl", "openssl");
        command.args(["s_client", "-connect", address, "-servername", "localhost", "-verify_return_error"]);
        command.args(["-CAfile", &self.authority.certificate()]).args(arguments);
        command
    }

    /// The name in the certificate that a new connection sees.
    fn shown(&self) -> String {
        let said = run(&mut self.openssl(&[]), b"").stdout;
        let said = String::from_utf8_lossy(&said).into_owned();
        let subject = said.lines().find_map(|line| line.strip_prefix("subject="));
        subject.unwrap_or_else(|| panic!("no certificate in {said}")).to_owned()
    }
}

/// The answer to curl.
struct Said {
    head: String,
    body: Vec<u8>,
}

impl Said {
    fn header(&self, name: &str) -> Option<&str> {
        let is_it =
            |line: &&str| line.split(':').next().is_some_and(|found| found.eq_ignore_ascii_case(name));
        self.head.lines().find(is_it).and_then(|line| line.split_once(": ")).map(|(_, value)| value)
    }

    fn status(&self) -> &str {
        self.head.split(' ').nth(1).unwrap_or_default()
    }
}

/// The answer with its headers, as a user of the API gets it.
fn curl(arguments: &[&str], url: &str) -> Said {
    let mut command = program("curl", "curl");
    command.args(["-sS", "-i", "-m", "30", "-H", &format!("Authorization: Bearer {TOKEN}")]).args(arguments);
    let output = run(command.arg(url), b"");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let end = output.stdout.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap();
    let (head, body) = output.stdout.split_at(end);
    Said { head: String::from_utf8_lossy(head).replace('\r', ""), body: body[4..].to_vec() }
}

#[test]
fn the_web_port_speaks_both_versions_of_tls_and_of_http() {
    let encrypted = Encrypted::start(&[]);
    for (arguments, expected) in [
        (&["--http2", "--tlsv1.3"][..], "HTTP/2 200"),
        (&["--http2", "--tls-max", "1.2"], "HTTP/2 200"),
        (&["--http1.1", "--tlsv1.3"], "HTTP/1.1 200"),
        (&["--http1.1", "--tls-max", "1.2"], "HTTP/1.1 200"),
    ] {
        let said = encrypted.curl(arguments, "/api/v1/session");
        assert!(said.head.starts_with(expected), "{arguments:?}: {}", said.head);
        assert_eq!(said.header("strict-transport-security"), Some("max-age=31536000"), "{}", said.head);
    }
    let old = run(&mut encrypted.openssl(&["-tls1_1"]), b"");
    assert!(!old.status.success(), "{}", String::from_utf8_lossy(&old.stdout));
    let agreed = run(&mut encrypted.openssl(&["-alpn", "h2,http/1.1"]), b"").stdout;
    assert!(String::from_utf8_lossy(&agreed).contains("ALPN protocol: h2"));
    let stranger = Authority::new(encrypted.folder.path(), "stranger");
    let mut distrustful = program("curl", "curl");
    distrustful.args(["-sS", "--cacert", &stranger.certificate(), encrypted.server.web()]);
    assert!(!run(&mut distrustful, b"").status.success(), "a certificate of nobody that curl knows");
}

#[test]
fn cookies_and_hsts_go_with_encryption_and_only_with_it() {
    let encrypted = Encrypted::start(&[]);
    let user = r#"{"name": "ada", "password": "correct horse battery", "role": "analyst"}"#;
    let json = ["-H", "Content-Type: application/json", "-d"];
    assert_eq!(encrypted.curl(&[&json[..], &[user]].concat(), "/api/v1/users").status(), "201");
    let login = [&json[..], &[r#"{"name": "ada", "password": "correct horse battery"}"#]].concat();
    let said = encrypted.curl(&login, "/api/v1/session");
    let cookies: Vec<&str> = said.head.lines().filter(|line| line.starts_with("set-cookie: ")).collect();
    assert!(cookies.len() == 2 && cookies.iter().all(|cookie| cookie.contains("; Secure")), "{cookies:?}");
    assert!(cookies.iter().any(|cookie| cookie.contains("__Host-logstead_session=")), "{cookies:?}");

    let plain = Server::start(ROUTER);
    let said = curl(&[], &format!("{}/api/v1/session", plain.web()));
    assert_eq!((said.status(), said.header("strict-transport-security")), ("200", None));
    let none = Encrypted::start(&["web.hsts=0s"]);
    assert_eq!(none.curl(&[], "/api/v1/session").header("strict-transport-security"), None);
}

#[test]
fn who_comes_in_the_clear_is_sent_to_the_encrypted_address() {
    let encrypted = Encrypted::start(&["web.redirect_listen=127.0.0.1:0"]);
    let secure = encrypted.server.web().to_owned();
    // Unencrypted requests go to the HTTPS port itself, and to the port that redirects.
    let ports = [secure.replace("https:", "http:"), encrypted.server.named("redirect")];
    for plain in ports {
        let said = curl(&[], &format!("{plain}/search?q=a"));
        assert_eq!((said.status(), said.header("location")), ("308", Some(&*format!("{secure}/search?q=a"))));
        let said = curl(&["-d", "secret"], &format!("{plain}/api/v1/ingest"));
        let told = String::from_utf8_lossy(&said.body).into_owned();
        assert!(said.status() == "403" && told.contains(&secure), "{told}");
        let followed = ["-L", "--cacert", &encrypted.authority.certificate()];
        let said = curl(&followed, &format!("{plain}/healthz"));
        assert!(said.body.ends_with(b"ok\n"), "{}", String::from_utf8_lossy(&said.body));
    }
}

#[test]
fn a_certificate_that_is_replaced_is_shown_to_new_connections() {
    let encrypted = Encrypted::start(&["metrics.listen=127.0.0.1:0"]);
    assert_eq!(encrypted.shown(), "CN = first");
    encrypted.authority.sign_as("second", "server");
    wait_until("it is noticed", || encrypted.shown() == "CN = second");
    encrypted.authority.sign_as("third", "server");
    assert!(signal("HUP", encrypted.server.pid()));
    wait_until("it is read again", || encrypted.shown() == "CN = third");
    std::fs::write(encrypted.folder.path().join("server.pem"), "no certificate").unwrap();
    assert!(signal("HUP", encrypted.server.pid()));
    assert_eq!(encrypted.shown(), "CN = third");
    let metrics = curl(&[], &format!("{}/metrics", encrypted.server.named("metrics"))).body;
    assert!(
        String::from_utf8_lossy(&metrics).contains("\nlogstead_web_certificate_expiry_timestamp_seconds ")
    );
}

#[test]
fn a_first_certificate_is_made_and_our_own_commands_trust_it() {
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().to_str().unwrap();
    let make = ["tls", "self-signed", "--name", "logs.example", "--directory", directory];
    let (code, said, _) = output(&make);
    assert!(code == 0 && said.contains("--set web.tls.certificate="), "{said}");
    let (code, _, error) = output(&make);
    assert!(code == 1 && error.contains("exists already"), "{error}");
    let [certificate, key] = ["web.pem", "web.key"].map(|name| format!("{directory}/{name}"));
    let files = [format!("web.tls.certificate={certificate}"), format!("web.tls.key={key}")];
    let server = Server::start_with(ROUTER, &[&files[0], &files[1]]);
    let ingest = ["--cacert", &certificate, "-H", "Content-Type: text/plain", "-d", "hello"];
    assert_eq!(curl(&ingest, &format!("{}/api/v1/ingest", server.web())).status(), "200");
    let asked = ["--server", server.web(), "--token", TOKEN];
    let search =
        |more: &[&str]| output(&[&["search", "hello", "--format", "raw"], &asked[..], more].concat());
    let (code, found, error) = search(&["--ca-file", &certificate]);
    assert!(code == 0 && found == "hello\n", "{found}{error}");
    assert_eq!(search(&[]).0, 3, "nobody has signed it");
    let (code, _, error) =
        output(&["search", "a", "--server", "http://127.0.0.1:1", "--token", "t", "--ca-file", &certificate]);
    assert!(code == 1 && error.contains("begins with https://"), "{error}");
    let export = [&["export", "hello", "--format", "raw"], &asked[..], &["--ca-file", &certificate]].concat();
    assert_eq!(output(&export).1, "hello\n");
}

#[test]
fn a_proxy_on_this_machine_may_come_through_a_unix_socket() {
    let server = Server::start_with(ROUTER, &["web.listen=127.0.0.1:0,unix:run/web.sock"]);
    let socket = server.data().join("run/web.sock");
    assert_eq!(server.named("web"), format!("unix:{}", socket.display()));
    let through = ["--unix-socket", socket.to_str().unwrap()];
    assert_eq!(curl(&through, "http://x/api/v1/logspaces").status(), "200");
    let wrong = ["-H", "Content-Type: application/json", "-d", r#"{"name": "ada", "password": "guess"}"#];
    let from = ["-H", "X-Forwarded-For: 192.0.2.7", "-H", "X-Forwarded-Proto: https"];
    let said = curl(&[&through[..], &wrong, &from].concat(), "http://x/api/v1/session");
    assert_eq!(said.status(), "401");
    let audit = server.call("GET", "/audit", &[], b"").1.to_string();
    assert!(audit.contains("from 192.0.2.7"), "{audit}");
}

#[test]
fn answers_are_compressed_for_those_who_accept_it_and_are_the_same() {
    let server = Server::start(ROUTER);
    server.ingest(&(0..2000).map(|number| format!("message {number}\n")).collect::<String>());
    let search = format!("{}/api/v1/search?query=message&limit=2000", server.web());
    let export = format!("{}/api/v1/export?query=message&format=ndjson", server.web());
    for url in [&search, &export] {
        let same = |body: &[u8]| String::from_utf8_lossy(body).split("took_ms").next().unwrap().to_owned();
        let plain = curl(&[], url);
        assert_eq!(plain.header("content-encoding"), None);
        for coding in ["zstd", "gzip"] {
            let accept = format!("Accept-Encoding: {coding}");
            let packed = curl(&["-H", &accept], url);
            assert_eq!(packed.header("content-encoding"), Some(coding), "{url}");
            assert!(
                packed.header("vary").is_some_and(|vary| vary.contains("accept-encoding")),
                "{}",
                packed.head
            );
            assert!(packed.body.len() * 3 < plain.body.len(), "{coding}: {}", packed.body.len());
            let opened = curl(&["--compressed", "-H", &accept], url);
            assert!(same(&opened.body) == same(&plain.body), "{coding} of {url}");
        }
    }
    let small = curl(&["-H", "Accept-Encoding: zstd"], &format!("{}/healthz", server.web()));
    assert_eq!((small.header("content-encoding"), &*small.body), (None, &b"ok\n"[..]));
}

#[test]
fn what_is_followed_comes_at_once_however_it_is_compressed() {
    let encrypted = Encrypted::start(&[]);
    for arguments in [&["--http1.1"][..], &["--http2"]] {
        let mut command = program("curl", "curl");
        command.args([
            "-sS",
            "-N",
            "--compressed",
            "-m",
            "30",
            "--cacert",
            &encrypted.authority.certificate(),
        ]);
        command.args(["-H", &format!("Authorization: Bearer {TOKEN}")]).args(arguments);
        command.arg(format!("{}/api/v1/tail?query=needle", encrypted.server.web()));
        let folder = tempfile::tempdir().unwrap();
        let tail = crate::program::Daemon::start(&mut command, folder.path());
        let line = ["-H", "Content-Type: text/plain", "-d", "a needle"];
        wait_until("a message is shown", || {
            assert_eq!(encrypted.curl(&line, "/api/v1/ingest").status(), "200");
            tail.said().contains("a needle")
        });
    }
}

#[test]
fn metrics_are_for_everyone_where_the_settings_say_so_and_nothing_else_is() {
    let server = Server::start_with(ROUTER, &["metrics.listen=127.0.0.1:0"]);
    let metrics = server.named("metrics");
    let asked = |url: String| {
        let mut command = program("curl", "curl");
        command.args(["-sS", "-o", "/dev/null", "-w", "%{http_code}", &url]);
        String::from_utf8(run(&mut command, b"").stdout).unwrap()
    };
    for (url, expected) in [
        (format!("{metrics}/metrics"), "200"),
        (format!("{metrics}/readyz"), "200"),
        (format!("{metrics}/api/v1/logspaces"), "404"),
        (format!("{metrics}/"), "404"),
        (format!("{}/metrics", server.web()), "401"),
    ] {
        assert_eq!(asked(url.clone()), expected, "{url}");
    }
}
