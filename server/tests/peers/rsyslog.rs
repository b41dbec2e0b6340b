//! rsyslog as a forwarder. Over RELP every message is acknowledged, so nothing may be missing however often the
//! receiver is killed; messages that were stored but not acknowledged come again.
//!
//! Keywords: rsyslog, RELP, TLS, omelasticsearch.

use crate::certificates::Authority;
use crate::numbered::{each_arrives, each_arrives_once, text};
use crate::program::{Daemon, rsyslog};
use crate::receiving;
use crate::support::{Server, free_port, wait_until};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use tempfile::TempDir;

/// An rsyslog that follows a file and forwards its lines.
struct Forwarding {
    _sender: Daemon,
    folder: TempDir,
}

impl Forwarding {
    /// `action` is the action for each message, in rsyslog's own syntax. Its queue is on disk. (A queue in memory
    /// that spills to disk has two workers, each with its own connection, and rsyslog forgets the unacknowledged
    /// messages of a worker that it no longer needs.)
    fn start(folder: TempDir, modules: &str, action: &str) -> Forwarding {
        let path = folder.path().display();
        let text = format!(
            "global(workDirectory=\"{path}\" net.enableDNS=\"off\" localHostname=\"web-1\")\n\
             module(load=\"imfile\") {modules}\n\
             input(type=\"imfile\" file=\"{path}/in.log\" tag=\"feed\" freshStartTail=\"off\")\n\
             action({action} template=\"RSYSLOG_SyslogProtocol23Format\" action.resumeRetryCount=\"-1\"\n\
               action.resumeInterval=\"1\" queue.type=\"Disk\" queue.filename=\"waiting\")\n"
        );
        std::fs::write(folder.path().join("rsyslog.conf"), text).unwrap();
        std::fs::write(folder.path().join("in.log"), "").unwrap();
        let mut command = rsyslog();
        command.args(["-n", "-C", "-i", "NONE", "-f"]).arg(folder.path().join("rsyslog.conf"));
        let sender = Daemon::start(&mut command, folder.path());
        Forwarding { _sender: sender, folder }
    }

    /// Appends to the file that rsyslog follows.
    fn feed(&self, numbers: std::ops::Range<u64>) {
        let mut file = OpenOptions::new().append(true).open(self.folder.path().join("in.log")).unwrap();
        let lines: String = numbers.map(|number| text(0, number) + "\n").collect();
        file.write_all(lines.as_bytes()).unwrap();
    }
}

/// Kills the receiver, stops it properly, and kills it again while messages arrive.
fn nothing_is_missing(mut server: Server, forwarding: &Forwarding) {
    for round in 0..3 {
        forwarding.feed(1000 * round..1000 * (round + 1));
        wait_until("some of them are stored", || 1000 * round + 100 < server.count("seq"));
        if round == 1 {
            assert!(server.terminate().success());
            server.restart();
        } else {
            server.kill_and_restart();
        }
    }
    forwarding.feed(3000..3500);
    each_arrives(&server, 0..3500);
    let message = server.search("seq").remove(0);
    let text = |name: &str| message[name].as_str().unwrap();
    assert_eq!((text("host"), text("program")), ("web-1", "feed"), "{message}");
}

fn tls(folder: &Path) -> (String, String) {
    let authority = Authority::new(folder, "authority");
    let (own, theirs) = (authority.sign("localhost"), authority.sign("web-1"));
    let authority = authority.certificate();
    let keys = format!(
        "tls = {{ certificate = \"{}\", key = \"{}\", client_ca = \"{authority}\", \
         require_client_certificate = true }}",
        own.certificate, own.key
    );
    let (certificate, key) = (theirs.certificate, theirs.key);
    let relp = format!(
        "tls=\"on\" tls.caCert=\"{authority}\" tls.myCert=\"{certificate}\" tls.myPrivKey=\"{key}\" \
         tls.authMode=\"name\" tls.permittedPeer=[\"localhost\"]"
    );
    (keys, relp)
}

#[test]
fn nothing_sent_over_relp_is_missing_when_the_receiver_goes_away() {
    let port = free_port();
    let server = Server::start(&receiving("relp", &format!("relp://127.0.0.1:{port}"), ""));
    let action = format!("type=\"omrelp\" target=\"127.0.0.1\" port=\"{port}\"");
    let folder = tempfile::tempdir().unwrap();
    nothing_is_missing(server, &Forwarding::start(folder, "module(load=\"omrelp\")", &action));
}

#[test]
fn nothing_sent_over_relp_inside_tls_is_missing_when_the_receiver_goes_away() {
    let (port, folder) = (free_port(), tempfile::tempdir().unwrap());
    let (keys, relp) = tls(folder.path());
    let server = Server::start(&receiving("relp", &format!("relp+tls://127.0.0.1:{port}"), &keys));
    let action = format!("type=\"omrelp\" target=\"localhost\" port=\"{port}\" {relp}");
    let modules = "module(load=\"omrelp\" tls.tlsLib=\"openssl\")";
    let forwarding = Forwarding::start(folder, modules, &action);
    forwarding.feed(0..1);
    wait_until("the first", || server.count("tls.subject:\"CN=web-1\"") == 1);
    nothing_is_missing(server, &forwarding);
}

#[test]
fn counted_messages_over_tcp_arrive_once() {
    let server = Server::start(&receiving("syslog", "tcp://127.0.0.1:0", ""));
    let port = server.address("tcp").port();
    let action = format!(
        "type=\"omfwd\" target=\"127.0.0.1\" port=\"{port}\" protocol=\"tcp\" TCP_Framing=\"octet-counted\""
    );
    let forwarding = Forwarding::start(tempfile::tempdir().unwrap(), "", &action);
    forwarding.feed(0..3000);
    each_arrives_once(&server, 1, 0..3000);
    assert_eq!(server.count("host:web-1 program:feed"), 3000);
}
