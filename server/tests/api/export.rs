//! Exports contain all matching messages, in order, and exactly the announced number; the commands are tested with a
//! real server.
//!
//! Keywords: export, download, csv, ndjson, command line.

use crate::support;

use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStdout, Stdio};
use support::{ROUTER, Server, logstead, output, signal, wait_until};

const TOKEN: &str = "administrator";

/// The status, the relevant headers and the body of an answer, or the reason why it was interrupted.
struct Exported {
    status: u16,
    count: Option<u64>,
    disposition: String,
    text: String,
}

fn export(server: &Server, parameters: &[(&str, &str)]) -> Exported {
    let agent: ureq::Agent =
        ureq::Agent::config_builder().proxy(None).http_status_as_error(false).build().into();
    let mut request = agent.get(format!("{}/api/v1/export", server.web()));
    for (name, value) in parameters {
        request = request.query(*name, *value);
    }
    let mut answer = request.header("Authorization", format!("Bearer {TOKEN}")).call().unwrap();
    let header = |name: &str| Some(answer.headers().get(name)?.to_str().unwrap().to_owned());
    let (count, disposition) = (header("x-logstead-count"), header("content-disposition"));
    Exported {
        status: answer.status().as_u16(),
        count: count.map(|count| count.parse().unwrap()),
        disposition: disposition.unwrap_or_default(),
        text: answer.body_mut().with_config().limit(1 << 30).read_to_string().unwrap(),
    }
}

/// A server with messages in two logspaces, with equal and different times, some of them sealed.
fn filled() -> Server {
    let router = format!("{ROUTER}\n[[logspaces]]\nid = \"other\"\n");
    let server = Server::start_with(&router, &["storage.segment_rows_max=1000", "storage.seal_after=1s"]);
    for part in 0..5 {
        let line = |number: u32| {
            let (minute, second) = (number / 60 % 60, number % 60);
            format!(
                "<38>1 2026-01-02T03:{minute:02}:{second:02}Z web-{} app - - - number {number}\n",
                number % 3
            )
        };
        let lines: String = (part * 500..(part + 1) * 500).map(line).collect();
        for logspace in ["main", "other"] {
            let path = format!("/ingest?format=auto&logspace={logspace}");
            let headers = [("Content-Type", "text/plain")];
            assert_eq!(server.call("POST", &path, &headers, lines.as_bytes()).0, 200);
        }
    }
    server
}

#[test]
fn an_export_is_what_all_pages_of_a_search_hold() {
    let server = filled();
    for query in ["*", "host=web-1", "number 77", "nothing that is there"] {
        let mut expected: Vec<Value> = server.search_all(query);
        for order in ["oldest", "newest"] {
            let all = export(&server, &[("query", query), ("order", order)]);
            let messages: Vec<Value> =
                all.text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            assert_eq!(all.count, Some(expected.len() as u64), "{query}");
            assert!(messages == expected, "{query} {order}: {} of {}", messages.len(), expected.len());
            let some = export(&server, &[("query", query), ("order", order), ("limit", "7")]);
            assert_eq!(some.count, Some(expected.len().min(7) as u64));
            assert!(all.text.starts_with(&some.text) && some.text.lines().count() == expected.len().min(7));
            expected.reverse();
        }
    }
    let name = export(&server, &[("query", "number 77")]).disposition;
    let name = name
        .strip_prefix("attachment; filename=\"logstead-")
        .and_then(|name| name.strip_suffix("Z.ndjson\""));
    assert_eq!(name.map(str::len), Some("20260102T030405".len()));
}

#[test]
fn every_format_holds_the_same_messages() {
    let server = filled();
    let of = |more: &[(&str, &str)]| {
        let common = [("query", "\"number 1234\""), ("logspaces", "main")];
        export(&server, &[&common[..], more].concat()).text
    };
    assert_eq!(of(&[("format", "raw")]), "<38>1 2026-01-02T03:20:34Z web-1 app - - - number 1234\n");
    let csv = of(&[("format", "csv"), ("columns", "time,host,message,severity,logspace,missing")]);
    let heading = "time,host,message,severity,logspace,missing\r\n";
    assert_eq!(csv, format!("{heading}2026-01-02T03:20:34Z,web-1,number 1234,info,main,\r\n"));
    assert!(
        of(&[("format", "csv")])
            .starts_with("time,received,host,program,pid,severity,facility,message,logspace\r\n")
    );
    let table = [("query", "* | stats count() by host | sort host"), ("format", "csv")];
    let table = export(&server, &table);
    assert_eq!(table.text, "host,count\r\nweb-0,1668\r\nweb-1,1666\r\nweb-2,1666\r\n");
    assert_eq!(table.count, Some(3));
    let table = export(&server, &[("query", "* | stats count() by host | sort host"), ("limit", "1")]);
    assert_eq!((table.text.as_str(), table.count), ("{\"host\":\"web-0\",\"count\":1668}\n", Some(1)));
}

#[test]
fn an_export_is_of_one_moment_while_messages_arrive() {
    let server = filled();
    std::thread::scope(|scope| {
        let arriving = scope.spawn(|| (0..50).for_each(|_| assert_eq!(server.ingest("new\n").min(1), 1)));
        let mut exports = 0;
        while !arriving.is_finished() || exports == 0 {
            let exported = export(&server, &[("order", "oldest"), ("format", "raw")]);
            assert_eq!(exported.count, Some(exported.text.lines().count() as u64));
            exports += 1;
        }
    });
}

#[test]
fn bad_exports_are_told_what_is_wrong() {
    let server = Server::start_with(ROUTER, &["limits.exports_max=1"]);
    let check = |parameters: &[(&str, &str)], status: u16, expected: &str| {
        let exported = export(&server, parameters);
        assert_eq!(exported.status, status, "{}", exported.text);
        assert!(exported.text.contains(expected), "{}", exported.text);
    };
    check(&[("query", "severity>=nonsense")], 400, "not a severity");
    check(&[("format", "xml")], 422, "xml");
    check(&[("limit", "0")], 422, "limit is 0");
    check(&[("format", "csv"), ("columns", "")], 422, "columns names no field");
    check(&[("query", "* | stats count()"), ("format", "raw")], 422, "makes a table");
    check(&[("logspaces", "nowhere")], 404, "nowhere");
    check(&[("cursor", "x")], 400, "cursor");
    check(&[("format", "raw")], 200, "");
}

#[test]
fn an_export_that_is_not_taken_keeps_nobody_from_searching_and_makes_room_when_its_client_goes() {
    let server = Server::start_with(ROUTER, &["limits.exports_max=1", "limits.searches_max=1"]);
    let line = format!("{}\n", "a line that fills the buffers between them ".repeat(40));
    // The export is longer than the buffers of the sockets.
    (0..20).for_each(|_| assert_eq!(server.ingest(&line.repeat(1000)), 1000));
    let agent: ureq::Agent = ureq::Agent::config_builder().proxy(None).build().into();
    let request = agent.get(format!("{}/api/v1/export", server.web()));
    let stuck = request.header("Authorization", format!("Bearer {TOKEN}")).call().unwrap();
    assert_eq!(export(&server, &[("limit", "1")]).status, 503);
    assert_eq!(server.count("*"), 20_000);
    drop((stuck, agent));
    wait_until("its place is free", || export(&server, &[("limit", "1")]).status == 200);
}

#[test]
fn the_command_writes_a_whole_file_or_none() {
    let mut server = filled();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (file, other) = (path("from-server.ndjson"), path("from-data.ndjson"));
    let at_server = ["--server", server.web(), "--token", TOKEN];
    let arguments = [&["export", "host=web-1", "--output", file.as_str()][..], &at_server[..]].concat();
    assert_eq!(output(&arguments), (0, String::new(), String::new()));
    let table = ["export", "* | stats count()", "--format", "csv"];
    assert_eq!(output(&[&table[..], &at_server[..]].concat()).1, "count\r\n5000\r\n");
    let bad = path("bad");
    let bad_query = ["export", "severity>=nonsense", "--output", bad.as_str()];
    let (code, _, error) = output(&[&bad_query[..], &at_server[..]].concat());
    assert!(code == 1 && error.contains("not a severity"), "{code} {error}");
    let wrong = ["export", "", "--output", bad.as_str(), "--server", server.web(), "--token", "guess"];
    assert_eq!(output(&wrong).0, 1);
    server.terminate();
    let gone = ["export", "", "--output", bad.as_str(), "--server", server.web(), "--token", TOKEN];
    assert_eq!(output(&gone).0, 3);
    let data = server.data().to_str().unwrap();
    let arguments = ["export", "host=web-1", "--output", &other, "--data", data];
    assert_eq!(output(&arguments), (0, String::new(), String::new()));
    let text = std::fs::read_to_string(&file).unwrap();
    assert_eq!(text.lines().count(), 1666);
    assert!(text == std::fs::read_to_string(&other).unwrap());
    let mut left: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, [Path::new(&other), Path::new(&file)].map(|path| path.file_name().unwrap()));
}

/// A running `logstead tail`.
struct Tail {
    child: Child,
    lines: BufReader<ChildStdout>,
}

impl Tail {
    fn start(server: &Server, arguments: &[&str]) -> Tail {
        let common = ["tail", "number", "--server", server.web(), "--token", TOKEN];
        let mut command = logstead(&[&common[..], arguments].concat());
        let mut child = command.stderr(Stdio::inherit()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        Tail { child, lines }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        line
    }
}

impl Drop for Tail {
    fn drop(&mut self) {
        // It may have ended already, so errors are ignored.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

#[test]
fn the_command_follows_a_server_over_its_restart_without_a_gap() {
    let web = format!("web.listen=127.0.0.1:{}", support::free_port());
    let mut server = Server::start_with(ROUTER, &[&web]);
    server.ingest("number 0\n");
    let mut tail = Tail::start(&server, &["--last", "5", "--format", "raw"]);
    assert_eq!(tail.line(), "number 0\n");
    server.ingest("number 1\npear\n");
    assert_eq!(tail.line(), "number 1\n");
    let began = std::time::Instant::now();
    assert!(server.terminate().success());
    assert!(began.elapsed() < std::time::Duration::from_secs(2), "a tail delays the end");
    server.restart();
    server.ingest("number 2\n");
    assert_eq!(tail.line(), "number 2\n");
    server.kill_and_restart();
    server.ingest("number 3\n");
    assert_eq!(tail.line(), "number 3\n");
    assert!(signal("INT", tail.child.id()));
    assert_eq!(tail.child.wait().unwrap().code(), Some(0));
    let mut rest = String::new();
    tail.lines.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "");
}
