//! syslog-ng as a forwarder over TLS with certificates on both sides, with counted frames and with lines, and while
//! the receiver is stopped and started.
//!
//! Syslog over a stream has no acknowledgements: data in the connection is lost without the sender knowing when a
//! receiver stops, and inside TLS syslog-ng notices only when it writes. So the promise is that messages received
//! before the stop are stored, and that messages which the sender still has when it notices arrive later.
//!
//! Keywords: syslog-ng, ALTP, TLS.

use crate::certificates::{Authority, Identity};
use crate::numbered::{PROBE, each_arrives_once, text};
use crate::program::{Daemon, program};
use crate::receiving;
use crate::support::{Server, free_port, wait_until};
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::path::Path;
use tempfile::TempDir;

/// A receiver that requires certificates, and a syslog-ng that has one.
struct Forwarding {
    server: Server,
    sender: Daemon,
    folder: TempDir,
}

impl Forwarding {
    /// `driver` is the driver in syslog-ng's configuration: `syslog` uses octet counting, `network` sends lines.
    fn start(driver: &str) -> Forwarding {
        let folder = tempfile::tempdir().unwrap();
        let authority = Authority::new(folder.path(), "authority");
        let (own, theirs) = (authority.sign("localhost"), authority.sign("web-1"));
        let port = free_port();
        let keys = format!(
            "tls = {{ certificate = \"{}\", key = \"{}\", client_ca = \"{}\", require_client_certificate = true }}",
            own.certificate,
            own.key,
            authority.certificate()
        );
        let server = Server::start(&receiving("syslog", &format!("tls://127.0.0.1:{port}"), &keys));
        let text = configuration(folder.path(), driver, port, &theirs, &authority.certificate());
        std::fs::write(folder.path().join("syslog-ng.conf"), text).unwrap();
        let sender = start(folder.path());
        Forwarding { server, sender, folder }
    }

    /// Passes messages to syslog-ng to forward.
    fn feed(&self, texts: impl Iterator<Item = String>) {
        let mut socket = UnixStream::connect(self.folder.path().join("in.sock")).unwrap();
        for text in texts {
            writeln!(socket, "<38>2026-11-21T16:39:51Z web-1 feed[7]: {text}").unwrap();
        }
    }
}

fn configuration(folder: &Path, driver: &str, port: u16, identity: &Identity, authority: &str) -> String {
    let folder = folder.display();
    let Identity { certificate, key } = identity;
    format!(
        "@version: 3.38\n\
         options {{ keep-hostname(yes); time-reopen(1); stats-freq(0); }};\n\
         source s {{ unix-stream(\"{folder}/in.sock\" max-connections(10) flags(expect-hostname)); }};\n\
         destination d {{ {driver}(\"localhost\" port({port}) transport(\"tls\") log-fifo-size(20000)\n\
           tls(ca-file(\"{authority}\") cert-file(\"{certificate}\") key-file(\"{key}\") peer-verify(yes))); }};\n\
         log {{ source(s); destination(d); flags(flow-control); }};\n"
    )
}

/// Starts syslog-ng with the configuration in this folder.
pub(crate) fn start(folder: &Path) -> Daemon {
    let mut command = program("syslog-ng", "syslog-ng-core");
    command.args(["--foreground", "--stderr", "--no-caps"]);
    for (option, file) in [
        ("--cfgfile", "syslog-ng.conf"),
        ("--persist-file", "syslog-ng.persist"),
        ("--control", "syslog-ng.ctl"),
        ("--pidfile", "syslog-ng.pid"),
    ] {
        command.arg(option).arg(folder.join(file));
    }
    let daemon = Daemon::start(&mut command, folder);
    wait_until("syslog-ng takes messages", || UnixStream::connect(folder.join("in.sock")).is_ok());
    daemon
}

fn a_receiver_may_stop_and_start_again(driver: &str) {
    let mut forwarding = Forwarding::start(driver);
    forwarding.feed((0..1000).map(|number| text(0, number)));
    each_arrives_once(&forwarding.server, 1, 0..1000);
    assert!(forwarding.server.terminate().success());
    wait_until("syslog-ng notices", || {
        forwarding.feed(std::iter::once(PROBE.to_owned()));
        forwarding.sender.said().contains("Connection refused")
    });
    forwarding.feed((1000..3000).map(|number| text(0, number)));
    forwarding.server.restart();
    each_arrives_once(&forwarding.server, 1, 0..3000);
    let message = forwarding.server.search("seq").remove(0);
    let text = |name: &str| message[name].as_str().unwrap();
    assert_eq!((text("host"), text("program"), text("pid")), ("web-1", "feed", "7"), "{message}");
    assert_eq!(message["fields"]["tls.subject"], "CN=web-1", "{message}");
    assert_eq!(text("time"), "2026-11-21T16:39:51Z");
}

#[test]
fn counted_messages_inside_tls_arrive_also_after_a_stop() {
    a_receiver_may_stop_and_start_again("syslog");
}

#[test]
fn lines_inside_tls_arrive_also_after_a_stop() {
    a_receiver_may_stop_and_start_again("network");
}
