//! The real binary follows files: appended lines are stored once, whatever happens to the files and to the process.
//!
//! Keywords: file source, rotation, truncation, tail file, positions.

use crate::support;

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::time::{Duration, SystemTime};
use support::{Server, wait_until};
use tempfile::TempDir;

fn router(logs: &Path, more: &str) -> String {
    let logs = logs.display();
    format!(
        r#"
version = 1

[[sources]]
id = "files"
kind = "file"
paths = ["{logs}/*.log"]
{more}

[[logspaces]]
id = "main"

[[routes]]
id = "default"
to = ["main"]
"#
    )
}

/// A folder of logs and a server that follows them.
fn start(more: &str) -> (TempDir, Server) {
    let logs = tempfile::tempdir().unwrap();
    let read = format!("files.read={}", logs.path().display());
    let server = Server::start_with(&router(logs.path(), more), &[&read]);
    (logs, server)
}

fn append(logs: &TempDir, name: &str, text: &str) {
    let mut file = File::options().append(true).create(true).open(logs.path().join(name)).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

/// The saved positions of the files.
fn saved(server: &Server) -> String {
    fs::read_to_string(server.data().join("positions/files.json")).unwrap_or_default()
}

#[test]
fn appended_lines_are_found_with_the_file_that_they_come_from() {
    let (logs, server) = start("");
    wait_until("the source is no longer new", || !saved(&server).is_empty());
    append(&logs, "a.log", "<13>1 2026-11-21T06:13:00Z web-1 app 42 - - parsed\nplain text\nhalf a l");
    server.wait_for("*", 2);
    let found = server.search("parsed");
    assert_eq!(found[0]["host"], "web-1");
    assert_eq!(found[0]["fields"]["file"], logs.path().join("a.log").to_str().unwrap());
    assert_eq!(server.count("flag:unparsed plain"), 1);
    append(&logs, "a.log", "ine\n");
    server.wait_for("\"half a line\"", 1);
    assert_eq!(server.count("*"), 3);
    assert_eq!(server.status()["sources"][0]["kind"], "file");
}

#[test]
fn a_stop_saves_exactly_how_far_files_were_read() {
    let (logs, mut server) = start("start = \"beginning\"");
    append(&logs, "a.log", "one\ntwo\nhalf");
    server.wait_for("*", 2);
    assert!(server.terminate().success());
    append(&logs, "a.log", " a line\n");
    append(&logs, "b.log", "while it was down\n");
    server.restart();
    server.wait_for("*", 4);
    append(&logs, "a.log", "last\n");
    server.wait_for("last", 1);
    assert_eq!(server.count("*"), 5);
    assert_eq!(server.count("\"half a line\""), 1);
}

#[test]
fn no_line_is_left_out_when_the_server_is_killed_while_it_reads() {
    let (logs, mut server) = start("start = \"beginning\"");
    let mut written = 0;
    let write = |lines: usize, written: &mut usize| {
        let text: String = (*written..*written + lines).map(|number| format!("number-{number}-\n")).collect();
        append(&logs, "a.log", &text);
        *written += lines;
    };
    for _ in 0..3 {
        write(20_000, &mut written);
        wait_until("something is stored", || 0 < server.count("*"));
        server.kill_and_restart();
        write(1, &mut written);
    }
    let last = format!("number-{}-", written - 1);
    wait_until("the last line is stored", || 0 < server.count(&format!("\"{last}\"")));
    // Every line is there; those stored since the last save may be there twice.
    for number in (0..written).step_by(997) {
        assert!(0 < server.count(&format!("\"number-{number}-\"")), "number {number}");
    }
    assert!(written as u64 <= server.count("*"));
}

#[test]
fn files_are_followed_once_the_router_says_so_and_no_longer_than_it_does() {
    let (logs, server) = start("");
    let without = router(logs.path(), "").replace(
        &format!("kind = \"file\"\npaths = [\"{}/*.log\"]", logs.path().display()),
        "kind = \"syslog\"\nlisten = [\"tcp://127.0.0.1:0\"]",
    );
    wait_until("the source is no longer new", || !saved(&server).is_empty());
    append(&logs, "a.log", "one\n");
    server.wait_for("one", 1);
    let (status, answer) = server.put_router(&without);
    assert_eq!(status, 200, "{answer}");
    wait_until("the last position is saved", || saved(&server).contains("\"position\":4"));
    append(&logs, "a.log", "two\n");
    let (status, answer) = server.put_router(&router(logs.path(), "format = \"raw\""));
    assert_eq!(status, 200, "{answer}");
    server.wait_for("two", 1);
    assert_eq!(server.count("*"), 2);
    assert!(fs::read_dir(server.data().join("positions")).unwrap().count() == 1);
}

#[test]
fn what_can_not_be_followed_is_counted_and_said() {
    let (logs, server) = start("start = \"beginning\"");
    fs::create_dir(logs.path().join("folder.log")).unwrap();
    append(&logs, "a.log", "one\n");
    server.wait_for("one", 1);
    wait_until("it is counted", || server.status()["sources"][0]["dropped"]["file_not_read"] == 1);
    let error = server.status()["sources"][0]["last_error"].as_str().unwrap().to_owned();
    assert!(error.ends_with("folder.log: this is not a file"), "{error}");
}

#[test]
fn lines_without_a_priority_have_their_time_host_and_program() {
    let (logs, server) = start("start = \"beginning\"");
    append(
        &logs,
        "a.log",
        "2026-11-21T06:13:00.5+01:00 web-1 sshd[123]: Failed password for root\n\
         2026-11-21T06:13:00.5Z stdout F {\"level\":\"error\",\"msg\":\"x\"}\n\
         192.0.2.3 - - [21/Nov/2026:07:13:00 +0100] \"GET /a HTTP/1.1\" 404 153\n",
    );
    server.wait_for("*", 3);
    let time = |query: &str| server.search(query).remove(0)["time"].clone();
    assert_eq!(time("host=web-1 program=sshd pid=123 -severity:*"), "2026-11-21T05:13:00.500Z");
    assert_eq!(time("severity=err stream=stdout"), "2026-11-21T06:13:00.500Z");
    assert_eq!(time("status=404 method=GET client=192.0.2.3"), "2026-11-21T06:13:00Z");
    assert_eq!(server.count("flag:unparsed"), 0);
}

#[test]
fn a_stamp_without_a_year_is_of_the_year_before_the_file_was_last_written() {
    let (logs, server) = start("start = \"beginning\"");
    // The file gets a followed name only after its modification time has been set.
    append(
        &logs,
        "new",
        "Mar 25 10:00:00 web-1 sshd[1]: before\nFeb 28 10:00:00 web-1 sshd[1]: of that year\n",
    );
    let written = SystemTime::UNIX_EPOCH + Duration::from_secs(1_709_251_200);
    File::options().append(true).open(logs.path().join("new")).unwrap().set_modified(written).unwrap();
    fs::rename(logs.path().join("new"), logs.path().join("old.log")).unwrap();
    append(&logs, "new.log", "2026-11-21T06:13:00Z web-1 sshd[1]: with a year\n");
    server.wait_for("*", 3);
    let time = |query: &str| server.search(query).remove(0)["time"].clone();
    assert_eq!(time("before"), "2023-03-25T10:00:00Z");
    assert_eq!(time("\"of that year\""), "2024-02-28T10:00:00Z");
    assert_eq!(time("\"with a year\""), "2026-11-21T06:13:00Z");
}
