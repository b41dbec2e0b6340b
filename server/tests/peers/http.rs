//! Senders over HTTP: syslog-ng's `http()` destination, and the commands in `docs/http.md`, run exactly as shown.
//!
//! Keywords: curl, ingest examples.

use crate::numbered::text;
use crate::program::{program, run};
use crate::support::{Server, wait_until};
use crate::syslog_ng;
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::path::Path;

const ROUTER: &str = "version = 1\n[[sources]]\nid = \"http\"\nkind = \"http\"\n[[logspaces]]\nid = \"main\"\n\
                      [[routes]]\nid = \"default\"\nto = [\"main\"]\n";
const PAGE: &str = include_str!("../../../docs/http.md");

/// The destination on the page, for this server.
fn destination(web: &str) -> String {
    let block = PAGE.split("```").find(|block| block.contains("destination d_logstead")).unwrap();
    block.replace("http://HOST:8080", web).replace("TOKEN", "administrator")
}

fn configuration(folder: &Path, web: &str) -> String {
    let folder = folder.display();
    format!(
        "@version: 3.38\noptions {{ keep-hostname(yes); stats-freq(0); }};\n\
         source s {{ unix-stream(\"{folder}/in.sock\" flags(expect-hostname)); }};\n{}\n\
         log {{ source(s); destination(d_logstead); }};\n",
        destination(web)
    )
}

#[test]
fn syslog_ng_keeps_severity_facility_host_program_and_time_over_http() {
    let (server, folder) = (Server::start(ROUTER), tempfile::tempdir().unwrap());
    std::fs::write(folder.path().join("syslog-ng.conf"), configuration(folder.path(), server.web())).unwrap();
    // Without the package syslog-ng-mod-http, it reports an unknown destination and ends.
    let _sender = syslog_ng::start(folder.path());
    let mut socket = UnixStream::connect(folder.path().join("in.sock")).unwrap();
    for number in 0..1000 {
        writeln!(socket, "<38>2026-11-21T16:39:51Z web-1 feed[7]: {}", text(0, number)).unwrap();
    }
    let expected = "severity=info facility=auth host=web-1 program=feed pid=7";
    wait_until("all are stored", || server.count(expected) == 1000);
    assert_eq!(server.count("*"), 1000);
    assert_eq!(server.search(expected)[0]["time"], "2026-11-21T16:39:51Z");
}

#[test]
fn the_commands_of_the_page_store_what_they_send() {
    let server = Server::start(ROUTER);
    let blocks = PAGE.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    // Not every machine has the systemd journal.
    let commands: Vec<_> = blocks.filter(|block| !block.contains("journalctl")).collect();
    assert!(2 <= commands.len());
    program("curl", "curl");
    for command in &commands {
        let mut shell = program("sh", "dash");
        shell.args(["-c", command]).env("TOKEN", "administrator").env("URL", server.web());
        let output = run(&mut shell, b"");
        let told = String::from_utf8_lossy(&output.stdout);
        assert!(told.contains("\"accepted\":1,\"dropped\":0,\"rejected\":0"), "{command}: {told}{output:?}");
    }
    assert_eq!(server.count("*"), commands.len() as u64);
    assert_eq!(server.count("program=shop severity=warning took_ms=1250"), 1);
    assert_eq!(server.count("host=web1 program=sshd pid=123"), 1);
}
