//! Stores that were changed or damaged: reading them changes nothing, opening them destroys nothing, and missing
//! messages are reported by the commands, by answers and by exports.
//!
//! Keywords: corruption, bit rot, verify, inspect, read-only, salvage.

use crate::support;

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use support::{ROUTER, Server, logstead, output, wait_until};

/// Settings for small segments that are sealed soon.
const SETTINGS: [&str; 3] =
    ["storage.segment_rows_max=1000", "storage.seal_after=1s", "storage.journal_file_max=1MiB"];

fn ingest(server: &Server, first: usize, count: usize) {
    let line = |number: usize| {
        let (minute, second) = (number / 60 % 60, number % 60);
        format!("<13>1 2026-11-21T06:{minute:02}:{second:02}Z web-{} app - - - number {number}\n", number % 7)
    };
    let lines: Vec<String> = (first..first + count).map(line).collect();
    lines.chunks(500).for_each(|part| assert_eq!(server.ingest(&part.concat()), part.len() as u64));
}

fn wait_until_sealed(server: &Server, messages: u64) {
    let sealed = || server.call("GET", "/logspaces", &[], b"").1["logspaces"][0]["sealed_messages"].clone();
    wait_until("all is sealed", || sealed() == messages);
    let journal = server.data().join("logspaces/main/journal");
    wait_until("what was sealed is removed", || fs::read_dir(&journal).unwrap().count() == 1);
}

/// Every file of the logspaces of a data directory.
fn files(data: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let main = data.join("logspaces/main");
    let folders = [main.clone(), main.join("journal"), main.join("segments")];
    let entries =
        folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap()).map(|entry| entry.unwrap().path());
    entries.filter(|path| path.is_file()).map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

fn with_suffix(data: &Path, suffix: &str) -> Vec<PathBuf> {
    let is_it = |path: &PathBuf| path.to_str().unwrap().ends_with(suffix);
    files(data).into_keys().filter(is_it).collect()
}

fn flip(path: &Path, bytes: impl IntoIterator<Item = usize>) {
    let mut content = fs::read(path).unwrap();
    bytes.into_iter().for_each(|byte| content[byte] ^= 1);
    fs::write(path, content).unwrap();
}

fn run(command: &[&str], server: &Server) -> (i32, String, String) {
    output(&[command, &["--data", server.data().to_str().unwrap()]].concat())
}

fn warnings(answer: &Value) -> String {
    let warnings = answer["warnings"].as_array().unwrap().iter();
    warnings.filter_map(|warning| warning["message"].as_str()).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_store_is_read_beside_its_server_and_nothing_is_changed() {
    let server = Server::start_with(ROUTER, &SETTINGS);
    ingest(&server, 0, 3000);
    wait_until_sealed(&server, 3000);
    let before = files(server.data());
    let (code, told, error) = run(&["verify"], &server);
    assert!(code == 0 && told.contains("main: intact: 3000 messages"), "{told}{error}");
    assert_eq!(run(&["search", "\"number 77\"", "--format", "raw"], &server).1.lines().count(), 1);
    let (code, exported, error) = run(&["export", "", "--format", "raw", "--order", "oldest"], &server);
    assert_eq!((code, exported.lines().count()), (0, 3000), "{error}");
    let (code, around, error) = run(&["context", "main:1500", "--before", "2", "--after", "3"], &server);
    assert_eq!((code, around.lines().count()), (0, 6), "{error}");
    let numbers: Vec<&str> = around.lines().filter_map(|line| line.rsplit(' ').next()).collect();
    assert!(numbers.contains(&"1500"), "{around}");
    let token = ["--server", server.web(), "--token", "administrator"];
    let asked = [&["context", "main:1500", "--before", "2", "--after", "3"][..], &token].concat();
    assert_eq!(output(&asked), (0, around, String::new()));
    assert_eq!(run(&["context", "main:999999"], &server).0, 1);
    assert!(files(server.data()) == before, "something was changed");
}

#[test]
fn a_data_directory_is_followed_while_a_server_writes_it() {
    let server = Server::start_with(ROUTER, &SETTINGS);
    ingest(&server, 0, 10);
    let data = server.data().to_str().unwrap();
    let mut command = logstead(&["tail", "number", "--data", data, "--last", "3", "--format", "raw"]);
    let mut child = command.stderr(Stdio::inherit()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut numbers = lines.map(|line| line.unwrap().rsplit(' ').next().unwrap().parse::<usize>().unwrap());
    assert!((7..10).eq(numbers.by_ref().take(3)));
    ingest(&server, 10, 2500);
    assert!((10..2510).eq(numbers.by_ref().take(2500)), "a message is missing or comes twice");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn an_older_manifest_that_was_put_back_costs_no_message() {
    let mut server = Server::start_with(ROUTER, &SETTINGS);
    ingest(&server, 0, 4000);
    wait_until_sealed(&server, 4000);
    let manifest = server.data().join("logspaces/main/manifest");
    let earlier = fs::read(&manifest).unwrap();
    ingest(&server, 4000, 4000);
    wait_until_sealed(&server, 8000);
    server.terminate();
    fs::write(&manifest, earlier).unwrap();
    let before = files(server.data());
    let (code, told, _) = run(&["verify"], &server);
    assert!(code == 1 && told.contains("manifest: it is older than the segments beside it"), "{told}");
    assert!(told.contains(" 8000 messages"), "{told}");
    assert_eq!(run(&["export", "", "--format", "raw"], &server).1.lines().count(), 8000);
    assert!(files(server.data()) == before, "looking changed something");
    server.restart();
    assert_eq!(server.count("*"), 8000);
    server.terminate();
    assert_eq!(run(&["verify"], &server).0, 0);
}

#[test]
fn a_journal_of_which_no_frame_is_whole_is_damaged_and_stays() {
    let mut server = Server::start(ROUTER);
    ingest(&server, 0, 3000);
    server.terminate();
    let journal = with_suffix(server.data(), ".journal").pop().unwrap();
    let bytes = fs::read(&journal).unwrap();
    let frames: Vec<usize> = (0..bytes.len() - 4).filter(|at| &bytes[*at..*at + 4] == b"LSF1").collect();
    assert!(1 < frames.len());
    flip(&journal, frames.iter().map(|frame| frame + 100));
    let damaged = fs::read(&journal).unwrap();
    let (code, told, _) = run(&["verify"], &server);
    assert!(code == 1 && told.contains("(3000 messages)"), "{told}");
    server.restart();
    let (_, answer) = server.post("/count", &json!({ "query": "*" }));
    assert_eq!((&answer["count"], &answer["coverage"]["complete"]), (&json!(0), &json!(false)), "{answer}");
    assert!(warnings(&answer).contains("(3000 messages)"), "{answer}");
    ingest(&server, 0, 10);
    let mut ids: Vec<Value> = server.search("number").iter().map(|message| message["id"].clone()).collect();
    ids.sort_by_key(Value::to_string);
    assert_eq!(ids, (3000..3010).map(|sequence| json!(format!("main:{sequence}"))).collect::<Vec<_>>());
    assert!(fs::read(&journal).unwrap() == damaged);
    assert_eq!(run(&["verify"], &server).0, 1);
}

#[test]
fn a_journal_that_is_gone_after_an_orderly_stop_is_missed() {
    let mut server = Server::start(ROUTER);
    ingest(&server, 0, 700);
    server.terminate();
    fs::remove_file(with_suffix(server.data(), ".journal").pop().unwrap()).unwrap();
    let (code, told, _) = run(&["verify"], &server);
    assert!(code == 1 && told.contains("appended to is missing") && told.contains("0 to 699"), "{told}");
    server.restart();
    assert_eq!(server.post("/count", &json!({ "query": "*" })).1["coverage"]["complete"], false);
}

/// Whether a text says that this file or folder was removed and how to proceed.
fn says_removed(text: &str, path: &str) -> bool {
    text.contains(&format!("{path} was removed or renamed while it was in use"))
        && text.contains("restart Logstead")
}

#[test]
fn a_journal_that_is_removed_under_a_server_takes_no_more_messages_until_a_restart() {
    let mut server = Server::start(ROUTER);
    ingest(&server, 0, 10);
    let journal = server.data().join("logspaces/main/journal");
    fs::remove_dir_all(&journal).unwrap();
    // First the file to append to is missing, then no new one can be made.
    wait_until("the folder is missed", || {
        let error = server.try_ingest("not acknowledged\n").unwrap_err();
        assert!(error.contains("503") && error.contains("nothing of the body is stored"), "{error}");
        says_removed(&error, journal.to_str().unwrap())
    });
    let (status, reasons) = server.ready();
    assert!(status == 503 && reasons.contains("logspace `main`"), "{status} {reasons}");
    assert!(says_removed(&reasons, "data/logspaces/main/journal"), "{reasons}");
    let logspace = server.status()["logspaces"][0].clone();
    assert_eq!((&logspace["id"], &logspace["state"]), (&json!("main"), &json!("failing")), "{logspace}");
    assert!(says_removed(logspace["last_error"].as_str().unwrap(), journal.to_str().unwrap()), "{logspace}");
    server.terminate();
    server.restart();
    assert_eq!(server.ready().0, 200);
    assert_eq!(server.ingest("acknowledged\n"), 1);
    let (_, answer) = server.post("/count", &json!({ "query": "*" }));
    assert_eq!((&answer["count"], &answer["coverage"]["complete"]), (&json!(1), &json!(false)), "{answer}");
    assert!(warnings(&answer).contains("sequences 0 to 9"), "{answer}");
}

#[test]
fn a_journal_that_is_renamed_under_a_server_takes_no_more_messages_until_it_is_put_back() {
    let mut server = Server::start(ROUTER);
    ingest(&server, 0, 10);
    let journal = server.data().join("logspaces/main/journal");
    let elsewhere = journal.with_file_name("elsewhere");
    fs::rename(&journal, &elsewhere).unwrap();
    for _ in 0..2 {
        let error = server.try_ingest("not acknowledged\n").unwrap_err();
        assert!(error.contains("503") && error.contains("was removed or renamed"), "{error}");
    }
    fs::rename(&elsewhere, &journal).unwrap();
    wait_until("storing goes on", || server.try_ingest("acknowledged\n") == Ok(1));
    assert_eq!(server.count("acknowledged"), 1);
    server.kill_and_restart();
    let (_, answer) = server.post("/count", &json!({ "query": "*" }));
    assert_eq!((&answer["count"], &answer["coverage"]["complete"]), (&json!(11), &json!(true)), "{answer}");
}

#[test]
fn a_journal_file_that_is_removed_under_a_server_is_missed_and_storing_goes_on_in_another() {
    let mut server = Server::start(ROUTER);
    ingest(&server, 0, 10);
    let journal = with_suffix(server.data(), ".journal").pop().unwrap();
    fs::remove_file(&journal).unwrap();
    let error = server.try_ingest("not acknowledged\n").unwrap_err();
    assert!(error.contains("503") && says_removed(&error, journal.to_str().unwrap()), "{error}");
    wait_until("there is another", || server.try_ingest("acknowledged\n") == Ok(1));
    assert_eq!(server.ready().0, 200);
    server.kill_and_restart();
    let (_, answer) = server.post("/count", &json!({ "query": "*" }));
    // These are lost unless a sealer that still had the file open made a segment of it before the server was killed.
    let saved = answer["count"] == 11;
    let (count, complete) = if saved { (json!(11), json!(true)) } else { (json!(1), json!(false)) };
    assert_eq!((&answer["count"], &answer["coverage"]["complete"]), (&count, &complete), "{answer}");
    assert!(saved || warnings(&answer).contains("sequences 0 to 9"), "{answer}");
}

/// A read-only view of a folder, as on read-only media.
struct ReadOnly {
    folder: tempfile::TempDir,
}

impl ReadOnly {
    /// `None` if this user cannot mount.
    fn mount(shown: &Path) -> Option<ReadOnly> {
        let folder = tempfile::tempdir().unwrap();
        let mount = |options: &[&str]| {
            let mut command = Command::new("mount");
            command.args(options).arg(folder.path());
            command.output().is_ok_and(|output| output.status.success())
        };
        let mounted = mount(&["--bind", shown.to_str().unwrap()]).then(|| ReadOnly { folder })?;
        let is_read_only = Command::new("mount")
            .args(["-o", "remount,ro,bind"])
            .arg(mounted.folder.path())
            .output()
            .is_ok_and(|output| output.status.success());
        is_read_only.then_some(mounted)
    }
}

impl Drop for ReadOnly {
    fn drop(&mut self) {
        Command::new("umount").arg("-l").arg(self.folder.path()).status().ok();
    }
}

#[test]
fn a_saved_disk_that_cannot_be_written_is_looked_at() {
    let mut server = Server::start_with(ROUTER, &SETTINGS);
    ingest(&server, 0, 1500);
    wait_until("something is sealed", || !with_suffix(server.data(), ".index").is_empty());
    server.terminate();
    let disk = ReadOnly::mount(server.data());
    let Some(disk) = disk else { return eprintln!("skipped: no folder can be mounted read-only here") };
    let data = disk.folder.path().to_str().unwrap();
    let refused = fs::write(disk.folder.path().join("x"), "x").unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::ReadOnlyFilesystem);
    let check = |command: &[&str], lines: usize| {
        let (code, told, error) = output(&[command, &["--data", data]].concat());
        assert_eq!((code, told.lines().count()), (0, lines), "{command:?}: {told}{error}");
        told
    };
    assert!(check(&["search", "\"number 77\"", "--format", "raw"], 1).contains("number 77"));
    check(&["export", "", "--format", "raw"], 1500);
    check(&["context", "main:700", "--before", "2", "--after", "3"], 6);
    let (code, told, error) = output(&["verify", "--data", data]);
    assert!(code == 0 && told.contains("main: intact: 1500 messages"), "{told}{error}");
    for file in files(disk.folder.path()).keys() {
        let (code, told, error) = output(&["inspect", file.to_str().unwrap()]);
        assert!(code == 0 && !told.is_empty(), "{}: {error}", file.display());
    }
    let (code, _, error) = output(&["reindex", "--data", data]);
    assert!(code == 3 && error.contains("Read-only file system"), "{error}");
}

/// A stopped store of 4000 messages with one unreadable block, and the number of messages in that block.
fn damaged() -> (Server, usize) {
    let mut server = Server::start_with(ROUTER, &SETTINGS);
    ingest(&server, 0, 4000);
    wait_until_sealed(&server, 4000);
    server.terminate();
    let blocks = with_suffix(server.data(), ".blocks").remove(0);
    flip(&blocks, [100]);
    let told = output(&["inspect", blocks.to_str().unwrap()]).1;
    let first = told.lines().skip_while(|line| !line.trim_start().starts_with("block ")).nth(1).unwrap();
    let rows = first.split_whitespace().nth(1).unwrap().parse().unwrap();
    (server, rows)
}

#[test]
fn an_export_leaves_out_what_is_damaged_and_says_so() {
    let (mut server, lost) = damaged();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("export.log");
    let arguments =
        ["export", "", "--format", "raw", "--order", "oldest", "--output", file.to_str().unwrap()];
    let check = |(code, _, error): (i32, String, String)| {
        let last = error.lines().last().unwrap_or_default();
        assert_eq!(code, 1, "{error}");
        assert!(
            last.contains(&format!("at least {lost} matching messages")) && last.contains(".blocks: "),
            "{error}"
        );
        let text = fs::read_to_string(&file).unwrap();
        assert_eq!(text.lines().count(), 4000 - lost);
        fs::remove_file(&file).unwrap();
    };
    check(run(&arguments, &server));
    server.restart();
    let at_server = ["--server", server.web(), "--token", "administrator"];
    check(output(&[&arguments[..], &at_server].concat()));
    for order in ["oldest", "newest"] {
        let answer = answer(&server, &format!("order={order}&format=raw"));
        let body = answer.matches(" number ").count();
        assert_eq!(body, 4000 - lost, "{order}");
        assert!(answer.contains("x-logstead-count: 4000\r\n") && answer.ends_with("\r\n\r\n"));
        let end = answer.rsplit_once("\r\n0\r\n").unwrap().1;
        assert!(end.contains("x-logstead-damaged: 1\r\n"), "{end}");
        assert!(end.contains(&format!("x-logstead-missing: {lost}\r\n")), "{end}");
    }
    let summed = answer(&server, "summary=true&limit=1");
    assert!(summed.contains(",\"damaged\":["), "{summed}");
}

/// The pages are shorter than the segment in the middle, which has no readable block.
#[test]
fn pages_of_a_search_go_on_behind_what_is_damaged() {
    let mut server = Server::start_with(ROUTER, &SETTINGS);
    ingest(&server, 0, 4000);
    wait_until_sealed(&server, 4000);
    server.terminate();
    let segments = with_suffix(server.data(), ".blocks");
    let middle = &segments[segments.len() / 2];
    // These bytes are between the header and the table of the one block.
    flip(middle, (64..fs::metadata(middle).unwrap().len() as usize - 128 - 144).step_by(64));
    server.restart();
    let is_readable =
        |number: &usize| server.call("GET", &format!("/messages/main:{number}"), &[], b"").0 == 200;
    let readable: Vec<usize> = (0..4000).filter(is_readable).collect();
    let (first, lost) = (readable[0], 4000 - readable.len());
    assert!(
        first == 0 && readable[readable.len() - 1] == 3999 && 100 < lost,
        "{lost} in the middle are lost"
    );
    for order in ["newest", "oldest"] {
        let mut found = walk(&server, order);
        assert_eq!(found.len(), readable.len(), "{order}");
        found.sort_unstable();
        assert_eq!(found, readable, "{order}");
    }
    let data = ["--data", server.data().to_str().unwrap()];
    let at_server = ["--server", server.web(), "--token", "administrator"];
    for place in [&data[..], &at_server] {
        let limit = readable.len().to_string();
        let (code, found, error) =
            output(&[&["search", "", "--limit", &limit, "--format", "raw"], place].concat());
        assert_eq!((code, found.lines().count()), (0, readable.len()), "{error}");
        assert!(error.contains(".blocks"), "{error}");
    }
}

/// The numbers of all messages, page by page; each page says whether it is complete.
fn walk(server: &Server, order: &str) -> Vec<usize> {
    let (mut found, mut cursor, mut is_complete) = (Vec::new(), Value::Null, true);
    loop {
        let (status, page) = server
            .post("/search", &json!({ "query": "number", "order": order, "limit": 70, "cursor": cursor }));
        assert_eq!(status, 200, "{page}");
        let number =
            |message: &Value| message["message"].as_str().unwrap().rsplit(' ').next().unwrap().parse();
        let messages = page["messages"].as_array().unwrap().iter();
        found.extend(messages.map(|message| number(message).unwrap()).collect::<Vec<usize>>());
        is_complete &= page["coverage"]["complete"] == true;
        assert_eq!(page["coverage"]["complete"] == true, !warnings(&page).contains(".blocks"), "{page}");
        cursor = page["cursor"].clone();
        if cursor.is_null() {
            assert!(!is_complete, "no page says that something is missing");
            return found;
        }
        assert_eq!(page["messages"].as_array().unwrap().len(), 70, "a page is full, or the last");
    }
}

/// The raw response of an export.
fn answer(server: &Server, parameters: &str) -> String {
    let address = server.web().trim_start_matches("http://");
    let mut stream = TcpStream::connect(address).unwrap();
    let request = format!(
        "GET /api/v1/export?{parameters} HTTP/1.1\r\nHost: x\r\nTE: trailers\r\nConnection: close\r\n\
         Authorization: Bearer administrator\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    String::from_utf8(answer).unwrap()
}

/// A stopped store of sealed messages without its newest journal file. Its retention is far from being reached.
fn without_its_newest_journal_file(settings: &[&str], retention: &str, messages: usize) -> Server {
    let router = ROUTER.replace("id = \"main\"", &format!("id = \"main\"\nretention = {retention}"));
    let mut server = Server::start_with(&router, settings);
    ingest(&server, 0, messages);
    wait_until_sealed(&server, messages as u64);
    server.terminate();
    fs::remove_file(with_suffix(server.data(), ".journal").pop().unwrap()).unwrap();
    server
}

#[test]
fn a_start_without_the_newest_journal_file_removes_nothing_by_any_retention() {
    const AGE: &str = "{ age = \"90d\" }";
    const SIZE: &str = "{ size = \"1GiB\" }";
    const BOTH: &str = "{ age = \"90d\", size = \"1GiB\" }";
    let one_segment = ["storage.seal_after=1s"];
    for (settings, retention) in
        [(&one_segment[..], AGE), (&one_segment, SIZE), (&one_segment, BOTH), (&SETTINGS, BOTH)]
    {
        let mut server = without_its_newest_journal_file(settings, retention, 5000);
        for _ in 0..2 {
            server.restart();
            let logspace = server.call("GET", "/logspaces", &[], b"").1["logspaces"][0].clone();
            let held = logspace["retention"]["held"].as_str().unwrap_or_default();
            assert!(held.contains("the newest journal file is missing"), "{logspace}");
            // Confirming the clock does not circumvent this.
            assert_eq!(server.post("/retention/resume", &json!({})).0, 204);
            let (_, answer) = server.post("/count", &json!({ "query": "*" }));
            let found = (&answer["count"], &answer["coverage"]["complete"]);
            assert_eq!(found, (&json!(5000), &json!(false)), "{retention}: {answer}");
            server.terminate();
        }
        server.restart();
        // The storing thread looks for old messages before it answers.
        assert_eq!(server.ingest("after\n"), 1);
        assert_eq!(server.count("*"), 5001, "{retention}");
        // It is unknown whether the file contained messages, so one counts as missing.
        assert_eq!(server.search("after")[0]["id"], json!("main:5001"));
        let logspace = server.call("GET", "/logspaces", &[], b"").1["logspaces"][0].clone();
        assert_eq!(logspace["retention"]["held"], Value::Null, "{logspace}");
    }
}

/// Waits until the ledger on disk counts this many messages for a journal.
fn wait_until_noted(server: &Server, place: &str, messages: u64) {
    let noted = format!("\"{place}\":{messages}");
    let ledger = server.data().join("ledger");
    wait_until("the ledger is written", || {
        fs::read_dir(&ledger)
            .unwrap()
            .any(|file| fs::read_to_string(file.unwrap().path()).is_ok_and(|text| text.contains(&noted)))
    });
}

/// Cuts a file at the beginning of a frame in its second half.
fn cut_at_a_frame(path: &Path) {
    let bytes = fs::read(path).unwrap();
    let at = (bytes.len() / 2..bytes.len() - 4).find(|at| &bytes[*at..*at + 4] == b"LSF1").unwrap();
    fs::File::options().write(true).open(path).unwrap().set_len(at as u64).unwrap();
}

#[test]
fn what_is_cut_off_the_newest_journal_file_after_a_kill_is_missed_and_its_ids_are_not_taken_again() {
    let mut server = Server::start(ROUTER);
    ingest(&server, 0, 6000);
    wait_until_noted(&server, "logspace:main", 6000);
    server.kill();
    cut_at_a_frame(&with_suffix(server.data(), ".journal")[0]);
    let before = files(server.data());
    let (code, told, error) = run(&["verify"], &server);
    assert!(code == 1 && told.contains("to 5999 are missing"), "{told}{error}");
    let (code, _, error) = run(&["export", "", "--format", "raw"], &server);
    assert!(code == 1 && error.contains("to 5999 are missing"), "{error}");
    assert!(files(server.data()) == before, "looking changed something");
    for _ in 0..2 {
        server.restart();
        let (_, answer) = server.post("/count", &json!({ "query": "*" }));
        let left = answer["count"].as_u64().unwrap();
        assert!(0 < left && left < 6000 && answer["coverage"]["complete"] == false, "{answer}");
        assert!(warnings(&answer).contains("to 5999 are missing"), "{answer}");
        server.kill();
        assert_eq!(run(&["verify"], &server).0, 1);
    }
    server.restart();
    assert_eq!(server.ingest("after\n"), 1);
    assert_eq!(server.search("after")[0]["id"], json!("main:6000"));
    // The lost messages were counted as stored, and the ledger still adds up.
    support::books::assert_closed(&server);
}

/// Removes a file and puts a link to itself in its place, which cannot be opened.
fn make_unreadable(path: &Path) -> Vec<u8> {
    let bytes = fs::read(path).unwrap();
    fs::remove_file(path).unwrap();
    std::os::unix::fs::symlink(path.file_name().unwrap(), path).unwrap();
    bytes
}

/// Puts the file back atomically, so that a server that reads it meanwhile finds one or the other.
fn put_back(server: &Server, path: &Path, bytes: &[u8]) {
    let aside = server.data().with_file_name("aside");
    fs::write(&aside, bytes).unwrap();
    fs::rename(&aside, path).unwrap();
}

/// A document with a destination where nothing listens.
fn with_destination() -> String {
    let to = support::free_port();
    format!(
        "{ROUTER}[[logspaces]]\nid = \"other\"\n[[destinations]]\nid = \"siem\"\nkind = \"syslog\"\n\
         to = \"tcp://127.0.0.1:{to}\"\n[[routes]]\nid = \"forward\"\nto = [\"siem\", \"other\"]\n",
    )
}

#[test]
fn cursors_and_manifests_that_cannot_be_read_count_as_lost_and_are_kept_and_everything_runs() {
    let mut server = Server::start(&with_destination());
    ingest(&server, 0, 100);
    let data = server.data().to_owned();
    server.terminate();
    let lost = ["queues/siem/cursor", "queues/siem/manifest", "logspaces/main/manifest"];
    lost.iter().for_each(|path| drop(make_unreadable(&data.join(path))));
    let (code, told, error) = run(&["verify"], &server);
    assert_eq!(code, 1, "{told}{error}");
    for said in
        ["queue siem: cursor: the disk cannot read it", "main: damaged: manifest: the disk cannot read it"]
    {
        assert!(told.contains(said), "{told}");
    }
    server.restart();
    assert_eq!(server.ready().0, 200);
    assert_eq!(
        (server.count("*"), server.status()["destinations"][0]["queue_messages"].clone()),
        (100, json!(100))
    );
    assert_eq!(server.count("copies:all"), 200, "in both logspaces");
    lost.iter().for_each(|path| assert!(data.join(format!("{path}.orphan")).is_symlink(), "{path} is kept"));
    server.terminate();
    assert_eq!(run(&["verify"], &server).0, 0, "they are written anew");
}

#[test]
fn a_ledger_that_cannot_be_read_is_kept_and_another_is_begun() {
    let mut server = Server::start(&with_destination());
    ingest(&server, 0, 100);
    server.terminate();
    let ledger = server.data().join("ledger");
    let files: Vec<PathBuf> = fs::read_dir(&ledger).unwrap().map(|file| file.unwrap().path()).collect();
    files.iter().for_each(|file| drop(make_unreadable(file)));
    assert!(run(&["verify"], &server).1.contains("ledger: it cannot be read"));
    server.restart();
    assert_eq!((server.ready().0, server.ingest("after\n"), server.count("*")), (200, 1, 101));
    assert_eq!(server.count("copies:all"), 202, "in both logspaces");
    support::books::assert_closed(&server);
    server.terminate();
    let orphan = |file: &PathBuf| PathBuf::from(format!("{}.orphan", file.display()));
    let mut logs = files.iter().filter(|file| file.extension().is_some_and(|end| end == "log"));
    assert!(logs.all(|file| orphan(file).is_symlink()), "it is not removed");
    assert_eq!(run(&["verify"], &server).0, 0);
}

/// The newest journal file in a folder.
fn newest_journal(folder: &Path) -> PathBuf {
    let names = fs::read_dir(folder.join("journal")).unwrap().map(|file| file.unwrap().path());
    names.filter(|path| path.extension().is_some_and(|end| end == "journal")).max().unwrap()
}

#[test]
fn a_logspace_that_cannot_be_opened_stops_nothing_else_and_opens_when_it_can() {
    let mut server = Server::start(&with_destination());
    ingest(&server, 0, 100);
    server.terminate();
    let journal = newest_journal(&server.data().join("logspaces/other"));
    let bytes = make_unreadable(&journal);
    let (code, told, _) = run(&["verify"], &server);
    assert!(
        code == 1 && told.contains("other: it cannot be read") && told.contains("main: intact"),
        "{told}"
    );
    server.restart();
    let (status, reasons) = server.ready();
    assert!(
        status == 503 && reasons.contains("logspace `other` cannot store messages: it cannot be opened"),
        "{reasons}"
    );
    let state = |server: &Server| server.status()["logspaces"][1].clone();
    assert_eq!(state(&server)["state"], "failing", "{}", state(&server));
    let count = |logspace: &str| server.post("/count", &json!({ "query": "*", "logspaces": [logspace] })).1;
    let main = count("main");
    assert_eq!((&main["count"], &main["coverage"]["complete"]), (&json!(100), &json!(true)), "{main}");
    let other = count("other");
    assert!(
        other["coverage"]["complete"] == false && warnings(&other).contains("cannot be opened"),
        "{other}"
    );
    assert_ne!(server.call("GET", "/messages/other:5", &[], b"").0, 404, "nobody knows whether it is there");
    // A sender that waits for an answer is refused, and one that does not is held back.
    let refused = server.try_ingest("refused\n").unwrap_err();
    assert!(refused.contains("503") && refused.contains("cannot be opened"), "{refused}");
    server.send(b"<13>held back\n");
    wait_until("it is held", || 0 < server.source("syslog")["queue_bytes"].as_u64().unwrap());
    put_back(&server, &journal, &bytes);
    wait_until("it opens", || count("other")["count"] == 101);
    assert_eq!(count("other")["coverage"]["complete"], true);
    wait_until("all is well", || server.ready().0 == 200);
    assert_eq!(state(&server)["state"], "ok");
    assert_eq!(server.search("\"held back\"").len(), 1);
    assert_eq!(server.search("\"held back\" copies:all").len(), 2, "in both logspaces");
    support::books::assert_closed(&server);
}

#[test]
fn a_queue_or_a_quarantine_that_cannot_be_opened_stops_nothing_else_and_opens_when_it_can() {
    let mut server = Server::start(&with_destination());
    ingest(&server, 0, 100);
    server.terminate();
    let journal = newest_journal(&server.data().join("queues/siem"));
    let bytes = make_unreadable(&journal);
    let quarantine = server.data().join("quarantine/siem/journal");
    fs::create_dir_all(quarantine.parent().unwrap()).unwrap();
    fs::write(&quarantine, "no folder").unwrap();
    server.restart();
    let (status, reasons) = server.ready();
    assert!(status == 200 && reasons.contains("destination `siem`: its queue cannot be opened"), "{reasons}");
    let siem = |server: &Server| server.status()["destinations"][0].clone();
    assert_eq!(siem(&server)["state"], "retrying");
    assert!(siem(&server)["queue_error"].as_str().unwrap().contains("cannot be opened"), "{}", siem(&server));
    assert!(server.try_ingest("refused\n").unwrap_err().contains("503"));
    server.send(b"<13>held back\n");
    put_back(&server, &journal, &bytes);
    wait_until("the queue opens", || siem(&server)["queue_messages"] == 101);
    wait_until("the quarantine is what is left", || {
        siem(&server)["queue_error"].as_str().is_some_and(|error| error.contains("quarantine"))
    });
    fs::remove_file(&quarantine).unwrap();
    wait_until("the quarantine opens", || siem(&server)["queue_error"].is_null());
    assert_eq!(server.ready(), (200, "ready\n".to_owned()));
    support::books::assert_closed(&server);
}

#[test]
fn verify_reads_cursors_and_what_was_added_and_who_a_journal_file_belongs_to() {
    let mut server = Server::start(&with_destination());
    ingest(&server, 0, 100);
    server.terminate();
    assert_eq!(run(&["verify"], &server).0, 0);
    let cursor = server.data().join("queues/siem/cursor");
    let whole = fs::read(&cursor).unwrap();
    for byte in [0, 5, 20, 40, 300, 512, 530, 1023] {
        flip(&cursor, [byte]);
        let (code, told, _) = run(&["verify"], &server);
        assert!(code == 1 && told.contains("queue siem: cursor: it is damaged"), "{byte}: {told}");
        fs::write(&cursor, &whole).unwrap();
    }
    // Both files begin with the first message.
    let [main, other] = ["main", "other"].map(|id| newest_journal(&server.data().join("logspaces").join(id)));
    fs::copy(&other, &main).unwrap();
    let (code, told, _) = run(&["verify"], &server);
    assert!(code == 1 && told.contains("is not part of the logspace"), "{told}");
}

#[test]
fn what_is_cut_off_the_newest_file_of_a_queue_is_missed_too_and_its_sequences_are_not_taken_again() {
    let mut server = Server::start(&with_destination());
    ingest(&server, 0, 6000);
    wait_until_noted(&server, "destination:siem", 6000);
    server.kill();
    let queue = server.data().join("queues/siem");
    let file = newest_journal(&queue);
    let length = fs::metadata(&file).unwrap().len();
    fs::File::options().write(true).open(&file).unwrap().set_len(length / 2).unwrap();
    let (code, told, error) = run(&["verify"], &server);
    assert!(code == 1 && told.contains("queue siem: 1 problem"), "{told}{error}");
    server.restart();
    assert_eq!(server.ingest("after\n"), 1);
    let newest = newest_journal(&queue);
    assert!(newest.file_stem().unwrap().to_str().unwrap().parse::<u64>().unwrap() == 6000, "{newest:?}");
    support::books::assert_closed(&server);
}

#[test]
fn an_emptied_database_beside_its_log_is_damaged_and_the_log_is_kept() {
    let mut server = Server::start(ROUTER);
    server.terminate();
    let (database, log) = (server.data().join("logstead.db"), server.data().join("logstead.db-wal"));
    fs::write(&database, "").unwrap();
    fs::write(&log, vec![7; 8192]).unwrap();
    let (code, told, error) = run(&["verify"], &server);
    assert!(code == 1 && told.contains("only its write-ahead log is left"), "{told}{error}");
    assert!(fs::read(&log).unwrap() == vec![7; 8192], "looking changed something");
}

/// This is the state of a copy from before there were witnesses: only the log itself shows whether it is intact.
#[test]
fn a_flipped_bit_in_the_log_of_a_database_without_a_witness_is_damage() {
    let mut server = Server::start(ROUTER);
    server.terminate();
    let data = server.data().to_owned();
    let [database, log] = ["logstead.db", "logstead.db-wal"].map(|name| data.join(name));
    let connection = rusqlite::Connection::open(&database).unwrap();
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())).unwrap();
    connection.execute("UPDATE revisions SET comment = 'in the log'", []).unwrap();
    let (file, mut frames) = (fs::read(&database).unwrap(), fs::read(&log).unwrap());
    drop(connection);
    fs::remove_file(data.join("logstead.db.sum")).unwrap();
    let verify = |frames: &[u8]| {
        fs::write(&database, &file).unwrap();
        fs::write(&log, frames).unwrap();
        run(&["verify"], &server)
    };
    let damaged = "its write-ahead log is damaged";
    let (_, told, error) = verify(&frames);
    assert!(told.contains("no witness") && !told.contains(damaged), "{told}{error}");
    let middle = frames.len() / 2;
    frames[middle] ^= 1;
    let (code, told, error) = verify(&frames);
    assert!(code == 1 && told.contains(damaged), "{told}{error}");
}
