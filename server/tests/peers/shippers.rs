//! Shippers that send to Elasticsearch: rsyslog's `omelasticsearch`, also when the receiver is killed, and syslog-ng
//! with the configuration of its `elasticsearch-http()`; and the commands in `docs/ingest.md`, run exactly as shown.
//!
//! Keywords: Vector, Fluent Bit, Filebeat, Promtail.

use crate::numbered::{each_arrives, text};
use crate::program::{Daemon, program, rsyslog, run};
use crate::support::{Server, free_port, wait_until};
use crate::syslog_ng;
use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::path::Path;

const ROUTER: &str = "version = 1\n[[sources]]\nid = \"http\"\nkind = \"http\"\n[[logspaces]]\nid = \"main\"\n\
                      [[routes]]\nid = \"default\"\nto = [\"main\"]\n";
const PAGE: &str = include_str!("../../../docs/ingest.md");
const ODD: [&str; 3] = ["quote \" backslash \\ tab\there", "ümläut €😀", "{\"json\": [1, 2]}"];

/// The action on the page, for this server.
fn rsyslog_configuration(folder: &Path, port: u16) -> String {
    let path = folder.display();
    let block = PAGE.split("```").find(|block| block.contains("omelasticsearch")).unwrap();
    let block = block.replace("\"HOST\"", "\"127.0.0.1\"").replace("8080", &port.to_string());
    let block = block.replace("TOKEN", "administrator").replace("/var/log", &path.to_string()).replace(
        "action.resumeRetryCount=\"-1\"",
        "action.resumeRetryCount=\"-1\" action.resumeInterval=\"1\"",
    );
    format!(
        "global(workDirectory=\"{path}\" net.enableDNS=\"off\" localHostname=\"web-1\")\nmodule(load=\"imfile\")\n\
         input(type=\"imfile\" file=\"{path}/in.log\" tag=\"feed\" freshStartTail=\"off\")\n{block}"
    )
}

#[test]
fn nothing_that_rsyslog_sends_to_elasticsearch_is_missing_when_the_receiver_is_killed() {
    let (port, folder) = (free_port(), tempfile::tempdir().unwrap());
    let web = format!("web.listen=127.0.0.1:{port}");
    let mut server = Server::start_with(ROUTER, &[&web]);
    std::fs::write(folder.path().join("rsyslog.conf"), rsyslog_configuration(folder.path(), port)).unwrap();
    std::fs::write(folder.path().join("in.log"), ODD.join("\n") + "\n").unwrap();
    let mut command = rsyslog();
    command.args(["-n", "-C", "-i", "NONE", "-f"]).arg(folder.path().join("rsyslog.conf"));
    let _sender = Daemon::start(&mut command, folder.path());
    server.wait_for("host=web-1 program=feed", ODD.len() as u64);
    let found = server.search("*");
    for odd in ODD {
        assert_eq!(found.iter().filter(|message| message["message"] == odd).count(), 1, "{odd}: {found:?}");
    }
    for round in 0..2 {
        let mut file = OpenOptions::new().append(true).open(folder.path().join("in.log")).unwrap();
        let lines: String = (1000 * round..1000 * (round + 1)).map(|number| text(0, number) + "\n").collect();
        file.write_all(lines.as_bytes()).unwrap();
        wait_until("some of them are stored", || 1000 * round < server.count("seq"));
        server.kill_and_restart();
    }
    each_arrives(&server, 0..2000);
}

#[test]
fn nothing_that_rsyslog_sends_to_elasticsearch_is_missing_when_nothing_can_be_stored_for_a_while() {
    let (port, folder) = (free_port(), tempfile::tempdir().unwrap());
    // Messages also go to a destination whose queue is full immediately.
    let router = ROUTER.replace("to = [\"main\"]", "to = [\"main\", \"siem\"]")
        + &format!(
            "[[destinations]]\nid = \"siem\"\nkind = \"syslog\"\nto = \"tcp://127.0.0.1:{}\"\n\
             queue = {{ size = \"1MiB\" }}\n",
            free_port()
        );
    let server = Server::start_with(&router, &[&format!("web.listen=127.0.0.1:{port}")]);
    let filling = |number: u64| {
        format!("{number} {}\n", (0..2000).map(|n| format!("{:x}", n * number)).collect::<String>())
    };
    let mut number = 0;
    while server.try_ingest(&filling(number)).is_ok() {
        number += 1;
    }
    std::fs::write(folder.path().join("rsyslog.conf"), rsyslog_configuration(folder.path(), port)).unwrap();
    let lines: String = (0..2000).map(|number| text(0, number) + "\n").collect();
    std::fs::write(folder.path().join("in.log"), lines).unwrap();
    let mut command = rsyslog();
    command.args(["-n", "-C", "-i", "NONE", "-f"]).arg(folder.path().join("rsyslog.conf"));
    let _sender = Daemon::start(&mut command, folder.path());
    let is_refused = |line: &str| line.contains("POST /_bulk") && line.contains("503");
    wait_until("it is refused a few times", || {
        let metrics = server.metrics();
        let refused =
            metrics.lines().find(|line| line.starts_with("logstead_http_requests_total") && is_refused(line));
        refused.is_some_and(|line| 5.0 < line.rsplit(' ').next().unwrap().parse::<f64>().unwrap())
    });
    assert_eq!(server.count("seq"), 0);
    let waiting = server.status()["destinations"][0]["queue_messages"].clone();
    let (status, answer) =
        server.post("/destinations/siem/discard", &serde_json::json!({"messages": waiting}));
    assert_eq!(status, 200, "{answer}");
    server.wait_for("host=web-1 program=feed seq", 2000);
    each_arrives(&server, 0..2000);
}

#[test]
fn syslog_ng_sends_as_to_elasticsearch() {
    let (server, folder) = (Server::start(ROUTER), tempfile::tempdir().unwrap());
    let path = folder.path().display();
    // Like the definition of `elasticsearch-http()` in syslog-ng's configuration library.
    let configuration = format!(
        "@version: 3.38\noptions {{ keep-hostname(yes); stats-freq(0); }};\n\
         source s {{ unix-stream(\"{path}/in.sock\" flags(expect-hostname)); }};\n\
         destination d {{ http(url(\"{}/_bulk\") user(\"any\") password(\"administrator\")\n\
           headers(\"Content-Type: application/x-ndjson\") workers(4) batch-lines(100) timeout(10) body-suffix(\"\\n\")\n\
           body(\"$(format-json --scope none --omit-empty-values index._index='logs' index._type='' index._id='')\\n\
         $(format-json --scope rfc5424 --exclude DATE --key ISODATE @timestamp=${{ISODATE}})\")); }};\n\
         log {{ source(s); destination(d); }};\n",
        server.web()
    );
    std::fs::write(folder.path().join("syslog-ng.conf"), configuration).unwrap();
    let _sender = syslog_ng::start(folder.path());
    let mut lines = String::new();
    for number in 0..1000 {
        writeln!(lines, "<35>2026-11-21T16:39:51Z web-1 feed[7]: {}", text(0, number)).unwrap();
    }
    for odd in ODD {
        writeln!(lines, "<35>2026-11-21T16:39:51Z web-1 odd[7]: {odd}").unwrap();
    }
    let mut socket = UnixStream::connect(folder.path().join("in.sock")).unwrap();
    socket.write_all(lines.as_bytes()).unwrap();
    let expected = "severity=err facility=auth host=web-1 program=feed pid=7";
    wait_until("all are stored", || server.count(expected) == 1000 && server.count("*") == 1003);
    assert_eq!(server.search(expected)[0]["time"], "2026-11-21T16:39:51Z");
    let found = server.search("program=odd");
    for odd in ODD {
        assert_eq!(found.iter().filter(|message| message["message"] == odd).count(), 1, "{odd}: {found:?}");
    }
}

#[test]
fn the_commands_of_the_page_for_shippers_do_what_it_says() {
    let server = Server::start(ROUTER);
    let blocks = PAGE.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    program("curl", "curl");
    let mut told = Vec::new();
    for command in blocks {
        let mut shell = program("sh", "dash");
        shell.args(["-c", command]).env("TOKEN", "administrator").env("URL", server.web());
        told.push(String::from_utf8_lossy(&run(&mut shell, b"").stdout).into_owned());
    }
    assert!(told[0].contains("\"token\":\"lst_"), "{told:?}");
    assert_eq!(told[1..], ["", "{\"code\":0,\"text\":\"Success\"}", "{}"]);
    for query in [
        "program=shop slow env=prod trace_id=4bf92f35",
        "host=web-1 slow severity=warning sourcetype=shop env=prod",
        "host=web-1 program=shop severity=warning team=web",
    ] {
        assert_eq!(server.count(query), 1, "{query}");
    }
    assert_eq!(server.count("*"), 3);
}
