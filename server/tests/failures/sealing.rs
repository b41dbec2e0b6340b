//! Messages are sealed into segments while the server runs: they are found before, during and after sealing, whatever
//! interrupts it, and the maintenance commands report the state of a store.
//!
//! Keywords: segments, sealing, reindex, retention, import.

use crate::support;

use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use support::{ROUTER, Server, logstead, output, wait_until};

/// Settings for a segment of every thousand messages.
const SETTINGS: [&str; 2] = ["storage.segment_rows_max=1000", "threads.sealers=2"];

/// This many messages from `first` on; every tenth one contains `tenth`.
fn lines(first: usize, count: usize) -> String {
    let line = |number: usize| {
        let word = if number.is_multiple_of(10) { "tenth" } else { "other" };
        format!("<13>1 2026-11-21T06:13:{:02}Z web-{} app - - - {word} {number}\n", number % 60, number % 7)
    };
    (first..first + count).map(line).collect()
}

/// Stores messages in many commits, so that journal files reach their greatest length.
fn ingest(server: &Server, first: usize, count: usize) {
    for first in (first..first + count).step_by(200) {
        let headers = [("Content-Type", "text/plain")];
        let (_, answer) = server.call("POST", "/ingest?format=auto", &headers, lines(first, 200).as_bytes());
        assert_eq!(answer["accepted"], 200, "{answer}");
    }
}

fn logspace(server: &Server) -> Value {
    server.call("GET", "/logspaces", &[], b"").1["logspaces"][0].clone()
}

fn wait_until_sealed(server: &Server) {
    wait_until("everything that is closed is sealed", || logspace(server)["unsealed"]["files"] == 0);
}

fn files(data: &Path, suffix: &str) -> Vec<PathBuf> {
    let folder = data.join("logspaces/main").join(if suffix == ".journal" { "journal" } else { "segments" });
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = paths.filter(|path| path.to_string_lossy().ends_with(suffix)).collect();
    paths.sort();
    paths
}

fn flip_bit(path: &Path, at: usize) {
    let mut bytes = fs::read(path).unwrap();
    bytes[at] ^= 1;
    fs::write(path, bytes).unwrap();
}

/// A stopped store with segments, and its server.
fn stopped_store(messages: usize) -> Server {
    let mut server = Server::start_with(ROUTER, &SETTINGS);
    ingest(&server, 0, messages);
    wait_until_sealed(&server);
    server.terminate();
    server
}

fn run(command: &str, server: &Server) -> (i32, String, String) {
    output(&[command, "--data", server.data().to_str().unwrap()])
}

/// The number of different messages that a search finds, page by page.
fn pages(server: &Server, query: &str, limit: usize) -> usize {
    let (mut ids, mut cursor) = (BTreeSet::new(), Value::Null);
    loop {
        let (_, page) = server.post("/search", &json!({ "query": query, "limit": limit, "cursor": cursor }));
        for message in page["messages"].as_array().unwrap() {
            assert!(ids.insert(message["id"].to_string()), "{message} comes twice");
        }
        cursor = page["cursor"].clone();
        if cursor.is_null() {
            return ids.len();
        }
    }
}

#[test]
fn messages_are_found_before_while_and_after_they_are_sealed() {
    let mut server = Server::start_with(ROUTER, &SETTINGS);
    for round in 0..20 {
        ingest(&server, round * 400, 400);
        let stored = (round as u64 + 1) * 400;
        assert_eq!((server.count("*"), server.count("tenth")), (stored, stored / 10));
    }
    wait_until_sealed(&server);
    let kept = logspace(&server);
    assert!(7 <= kept["segments"].as_u64().unwrap(), "{kept}");
    let sealed = kept["sealed_messages"].as_u64().unwrap();
    assert!(7000 <= sealed && kept["messages"] == 8000, "{kept}");
    assert!(
        0 < kept["blocks_bytes"].as_u64().unwrap() && 0 < kept["index_bytes"].as_u64().unwrap(),
        "{kept}"
    );
    assert_eq!(server.metric("logspace_sealed_messages") as u64, sealed);
    assert_eq!(server.metric("sealed_messages_total") as u64, sealed);
    assert!(7.0 <= server.metric("logspace_segments") && 0.0 < server.metric("sealing_seconds_total"));
    assert_eq!((server.metric("unsealed_messages"), server.metric("unsealed_files")), (0.0, 0.0));
    assert_eq!(server.metric("sealing_failures_total"), 0.0);
    let status = server.status()["logspaces"][0].clone();
    assert_eq!((&status["unsealed_messages"], &status["sealing_error"]), (&json!(0), &Value::Null));

    let (_, answer) = server.post("/count", &json!({ "query": "tenth" }));
    assert_eq!((&answer["count"], &answer["coverage"]["complete"]), (&json!(800), &json!(true)));
    assert_eq!(answer["coverage"]["segments"], kept["segments"]);
    assert_eq!(pages(&server, "tenth", 70), 800);
    let found = server.search("tenth 4200");
    assert_eq!((found.len(), found[0]["host"].as_str()), (1, Some("web-0")));

    assert!(server.terminate().success());
    server.restart();
    assert_eq!((server.count("*"), server.count("tenth")), (8000, 800));
    assert_eq!(logspace(&server)["sealed_messages"], sealed);
}

#[test]
fn messages_that_arrive_faster_than_they_are_sealed_wait_and_are_all_stored() {
    let server = Server::start_with(ROUTER, &["storage.segment_rows_max=1000", "threads.sealers=1"]);
    let mut sent = 0;
    wait_until("storing waits for sealing", || {
        server.send(lines(sent, 20_000).as_bytes());
        sent += 20_000;
        server.wait_for("*", sent as u64);
        0.0 < server.metric("held_back_seconds_total")
    });
    wait_until_sealed(&server);
    assert_eq!((server.count("*"), server.count("tenth")), (sent as u64, sent as u64 / 10));
    assert_eq!(server.metric("sealing_failures_total"), 0.0);
}

#[test]
fn nothing_is_lost_or_doubled_when_the_process_is_killed_while_it_seals() {
    let mut server = Server::start_with(ROUTER, &SETTINGS);
    for round in 0..6 {
        ingest(&server, round * 3000, 3000);
        server.kill_and_restart();
        let stored = (round as u64 + 1) * 3000;
        assert_eq!((server.count("*"), server.count("tenth")), (stored, stored / 10));
    }
    wait_until_sealed(&server);
    assert_eq!((server.count("*"), server.count("tenth")), (18_000, 1800));
    let verification = server.work("/logspaces/main/verify")["result"].clone();
    assert_eq!(verification["intact"], true, "{verification}");
    assert_eq!(verification["messages"], 18_000);
}

#[test]
fn more_files_than_the_process_may_open_are_stored_and_found() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let server = Server::start_limited(folder, data, ROUTER, &SETTINGS, Some(128));
    for part in 0..150 {
        // Each fills a journal file.
        assert_eq!(server.ingest(&format!("part{part}\n").repeat(1000)), 1000);
    }
    assert_eq!(server.count("*"), 150_000);
    for part in [0, 75, 149] {
        assert_eq!(server.count(&format!("part{part}")), 1000);
    }
    assert_eq!(server.ready(), (200, "ready\n".to_owned()));
}

#[test]
fn a_journal_file_is_sealed_when_it_is_old() {
    let server = Server::start_with(ROUTER, &["storage.seal_after=1s"]);
    server.ingest("<13>1 2026-11-21T06:13:00Z web-1 app - - - all alone");
    wait_until("it is sealed", || logspace(&server)["sealed_messages"] == 1);
    assert_eq!(server.count("\"all alone\""), 1);
}

#[test]
fn indexes_are_made_again_while_the_logspace_is_in_use() {
    let server = Server::start_with(ROUTER, &SETTINGS);
    ingest(&server, 0, 5000);
    wait_until_sealed(&server);
    let before = logspace(&server);
    std::thread::scope(|scope| {
        let asked = scope.spawn(|| server.work("/logspaces/main/reindex"));
        while !asked.is_finished() {
            assert_eq!(server.count("tenth"), 500);
        }
        let answer = asked.join().unwrap()["result"].clone();
        assert_eq!(answer["complete"], true, "{answer}");
        assert_eq!(answer["indexes"], before["segments"], "{answer}");
        assert_eq!(answer["messages"], before["sealed_messages"], "{answer}");
    });
    assert_eq!(server.count("tenth"), 500);
    assert_eq!(server.call("GET", "/logspaces", &[], b"").1["work"], Value::Null);
    let verified = server.work("/logspaces/main/verify")["result"].clone();
    assert_eq!(verified["intact"], true, "{verified}");
    assert_eq!(server.post("/logspaces/nowhere/reindex", &json!({})).0, 404);
}

#[test]
fn a_retention_is_previewed_and_nothing_is_removed() {
    let server = Server::start_with(ROUTER, &SETTINGS);
    ingest(&server, 0, 5000);
    wait_until_sealed(&server);
    let preview = |retention: Value| server.post("/logspaces/main/retention-preview", &retention);
    assert_eq!(preview(json!({})).1["messages"], 0);
    let (_, hour) = preview(json!({ "age": "1h" }));
    assert_eq!(hour["messages"], 0);
    // All messages have just arrived, so whatever times they contain, they expire within the hour.
    let next = hour["next_messages"].as_u64().unwrap();
    assert!(0 < next && next <= 5000, "{hour}");
    assert!(hour["next_at"].as_str().unwrap() <= hour["all_at"].as_str().unwrap(), "{hour}");
    let (_, unlimited) = preview(json!({ "size": "200GiB" }));
    assert_eq!((&unlimited["next_at"], &unlimited["all_at"]), (&Value::Null, &Value::Null));
    let (_, all) = preview(json!({ "size": "1B" }));
    assert_eq!(all["messages"], logspace(&server)["sealed_messages"]);
    assert!(0 < all["bytes"].as_u64().unwrap() && all["received_last"].is_string(), "{all}");
    assert_eq!(server.count("*"), 5000);
    let (status, problem) = preview(json!({ "age": "long" }));
    assert_eq!((status, &problem["path"]), (422, &json!("age")), "{problem}");
    assert_eq!(server.post("/logspaces/nowhere/retention-preview", &json!({})).0, 404);
    assert_eq!(server.post("/logspaces/nowhere/verify", &json!({})).0, 404);
}

#[test]
fn a_flipped_bit_in_the_blocks_is_found_and_the_rest_is_searched() {
    let mut server = stopped_store(4000);
    assert_eq!(run("verify", &server).0, 0);
    flip_bit(&files(server.data(), ".blocks")[1], 100);
    let (code, told, error) = run("verify", &server);
    assert_eq!(code, 1, "{told}{error}");
    assert!(told.contains("main: segments/0000000000000000") && told.contains("block 0"), "{told}");
    assert!(told.contains("messages of 2026-11-21T06:13:00Z to 2026-11-21T06:13:59Z"), "{told}");
    server.restart();
    let verification = server.work("/logspaces/main/verify")["result"].clone();
    assert_eq!(
        (&verification["intact"], &verification["problems"]),
        (&json!(false), &json!(1)),
        "{verification}"
    );
    assert_eq!(verification["findings"][0]["loses_messages"], true);
    let (_, answer) = server.post("/search", &json!({ "query": "tenth", "limit": 1000 }));
    assert_eq!(answer["coverage"]["complete"], false);
    assert!(answer["warnings"][0]["message"].as_str().unwrap().contains("cannot be read"), "{answer}");
    let found = answer["messages"].as_array().unwrap().len();
    assert!((300..400).contains(&found), "{found}");
    assert_eq!(pages(&server, "tenth", 70), found);
}

#[test]
fn indexes_that_are_lost_or_damaged_are_made_again() {
    let mut server = stopped_store(4000);
    let indexes = files(server.data(), ".index");
    fs::remove_file(&indexes[0]).unwrap();
    let length = fs::metadata(&indexes[1]).unwrap().len() as usize;
    flip_bit(&indexes[1], length / 2);
    let (code, told, _) = run("verify", &server);
    assert_eq!(code, 1);
    assert!(told.contains("index") && told.contains("no message is lost"), "{told}");
    let (code, told, error) = run("reindex", &server);
    assert_eq!(code, 0, "{told}{error}");
    assert!(told.starts_with(&format!("main: {} indexes of ", indexes.len())), "{told}");
    assert_eq!(run("verify", &server).0, 0);

    fs::remove_file(&indexes[0]).unwrap();
    server.restart();
    assert_eq!(server.count("tenth"), 400);
    wait_until("the server makes it again by itself", || indexes[0].exists());
    assert_eq!(server.count("tenth"), 400);
    wait_until("it is counted", || 1000.0 <= server.metric("reindexed_messages_total"));
}

#[test]
fn every_file_of_a_store_can_be_inspected() {
    let server = stopped_store(3000);
    let inspect = |path: &Path| output(&["inspect", path.to_str().unwrap()]);
    let data = server.data();
    let manifest = data.join("logspaces/main/manifest");
    for (path, expected) in [
        (&files(data, ".blocks")[0], "first sequence  0\n"),
        (&files(data, ".index")[0], "section\n"),
        (&files(data, ".journal")[0], "frames with"),
        (&manifest, "segments with"),
    ] {
        let (code, told, error) = inspect(path);
        assert_eq!(code, 0, "{error}");
        assert!(told.contains(expected), "{told}");
    }
    let (code, _, error) = inspect(&data.join("logstead.db"));
    assert_eq!(code, 1);
    assert!(error.contains("is not a journal, blocks, index or manifest file"), "{error}");
    assert_eq!(inspect(&data.join("logspaces")).0, 1);
    assert_eq!(inspect(&data.join("nowhere")).0, 1);
}

#[test]
fn the_commands_refuse_what_is_no_store_and_what_is_in_use() {
    let server = Server::start(ROUTER);
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().to_str().unwrap();
    let (code, _, error) = run("reindex", &server);
    assert_eq!(code, 3, "{error}");
    assert!(error.contains(&format!("pid {}", server.pid())), "{error}");
    for command in ["verify", "reindex"] {
        assert_eq!(output(&[command, "--data", empty]).0, 3);
        let data = server.data().to_str().unwrap();
        assert_eq!(output(&[command, "--data", data, "--no-such-option"]).0, 2);
    }
}

/// Runs `logstead import` with files or with standard input.
fn import(arguments: &[&str], input: &[u8]) -> (i32, String, String) {
    let mut command = logstead(&[&["import", "--logspace", "main"], arguments].concat());
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    // A command that rejects its arguments does not read its input.
    child.stdin.take().unwrap().write_all(input).ok();
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn lines_of_files_are_imported_into_a_stopped_store_and_sealed() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let data = data.to_str().unwrap();
    let (first, second) = (folder.path().join("first.log"), folder.path().join("second.log"));
    fs::write(&first, lines(0, 2500)).unwrap();
    fs::write(&second, b"\n<13>Nov 21 06:13:01 web-9 su[7]: old style\r\n\xff no text\n\nno line end")
        .unwrap();
    let (first, second) = (first.to_str().unwrap(), second.to_str().unwrap());
    let small = ["--data", data, "--set", "storage.segment_rows_max=1000"];
    let (code, told, error) = import(&[&small[..], &[first, second]].concat(), b"");
    assert_eq!(code, 0, "{error}");
    assert!(told.starts_with("2503 messages, "), "{told}");
    let (code, told, error) = import(&[&small[..], &["-"]].concat(), b"from standard input\n");
    assert_eq!((code, told.starts_with("1 messages, 20 bytes")), (0, true), "{told}{error}");

    let search = |query: &str| output(&["search", query, "--data", data, "--format", "raw"]);
    assert_eq!(search("program=su pid=7").1, "<13>Nov 21 06:13:01 web-9 su[7]: old style\r\n");
    assert_eq!(search("\"no line end\"").1, "no line end\n");
    assert_eq!(search("tenth 2490").1.lines().count(), 1);
    let (code, told, _) = output(&["verify", "--data", data]);
    assert_eq!(code, 0);
    assert!(told.contains("main: intact: 2504 messages"), "{told}");
    assert!(!files(Path::new(data), ".blocks").is_empty());
}

/// A typical `/var/log/syslog`, last written in January 2024.
fn old_log(folder: &Path) -> PathBuf {
    let path = folder.join("syslog.1");
    let lines = "Dec 31 23:59:59 web1 sshd[123]: Failed password for root\n\
                 2024-01-01T01:00:02.123456+01:00 web1 systemd[1]: Started x.\n\
                 2024-01-01 00:00:03 [main] without a head\n";
    fs::write(&path, lines).unwrap();
    let written = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_704_067_300);
    fs::File::options().append(true).open(&path).unwrap().set_modified(written).unwrap();
    path
}

#[test]
fn lines_without_a_priority_are_imported_with_their_time_host_and_program() {
    let folder = tempfile::tempdir().unwrap();
    let (data, log) = (folder.path().join("data"), old_log(folder.path()));
    let [data, log] = [&data, &log].map(|path| path.to_str().unwrap());
    let (code, _, error) = import(&["--data", data, "--host", "archive", log], b"");
    assert_eq!(code, 0, "{error}");
    let search = |query: &str| {
        let found = output(&["search", query, "--data", data, "--format", "json"]).1;
        found.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<Value>>()
    };
    let one = |query: &str| search(query).remove(0);
    assert_eq!(one("host=web1 program=sshd pid=123")["time"], "2023-12-31T23:59:59Z");
    assert_eq!(one("host=web1 program=systemd")["time"], "2024-01-01T00:00:02.123456Z");
    assert_eq!(one("host=archive")["time"], "2024-01-01T00:00:03Z");
    assert!(search("severity:*").is_empty(), "nobody said how urgent they are");
}

#[test]
fn an_import_through_a_server_reads_as_one_into_a_store() {
    let (server, folder) = (Server::start(ROUTER), tempfile::tempdir().unwrap());
    let log = old_log(folder.path());
    let to = ["--server", server.web(), "--token", "administrator", "--timezone", "Europe/Berlin"];
    let (code, _, error) = import(&[&to[..], &["--host", "archive", log.to_str().unwrap()]].concat(), b"");
    assert_eq!(code, 0, "{error}");
    let time = |query: &str| server.search_all(query).remove(0)["time"].clone();
    assert_eq!(time("host=web1 program=sshd pid=123"), "2023-12-31T22:59:59Z");
    assert_eq!(time("host=archive"), "2023-12-31T23:00:03Z");
}

#[test]
fn lines_of_files_are_imported_through_a_server() {
    let server = Server::start(ROUTER);
    let to = ["--server", server.web(), "--token", "administrator", "-"];
    let (code, told, error) = import(&to, lines(0, 500).as_bytes());
    assert_eq!((code, told.starts_with("500 messages, ")), (0, true), "{told}{error}");
    assert_eq!((server.count("host:web-3 program=app"), server.count("tenth")), (71, 50));
    let wrong = ["--server", server.web(), "--token", "wrong", "-"];
    let (code, _, error) = import(&wrong, b"line\n");
    assert_eq!(code, 1, "{error}");
    assert!(error.contains("401") && error.contains("0 messages are stored"), "{error}");
}

#[test]
fn what_can_not_be_imported_is_refused_before_anything_is_stored() {
    let folder = tempfile::tempdir().unwrap();
    let (data, packed, text) =
        (folder.path().join("data"), folder.path().join("a.gz"), folder.path().join("a.log"));
    fs::write(&packed, b"\x1f\x8b\x08\0\0\0").unwrap();
    fs::write(&text, b"line\n").unwrap();
    let [data, packed, text] = [&data, &packed, &text].map(|path| path.to_str().unwrap());
    let check = |arguments: &[&str], expected_code: i32, expected: &str| {
        let (code, _, error) = import(&[&["--data", data], arguments].concat(), b"");
        assert_eq!(code, expected_code, "{error}");
        assert!(error.contains(expected), "{error}");
        assert!(!Path::new(data).join("logspaces").exists());
    };
    check(&[text, packed], 1, "is compressed with gzip: use `zcat");
    check(&[text, "/nowhere/at/all"], 1, "/nowhere/at/all");
    check(&[text, folder.path().to_str().unwrap()], 1, "is a folder");
    let (code, _, error) = output(&["import", text, "--logspace", "../evil", "--data", data]);
    assert_eq!(code, 1);
    assert!(error.contains("cannot be the name of a logspace"), "{error}");
    assert_eq!(output(&["import", "--data", data]).0, 2);
}
