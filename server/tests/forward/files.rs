//! The real binary writes files by host, rotates them, and waits while the disk is full.
//!
//! Keywords: file destination, rotation, full_disk.

use crate::support;

use flate2::read::GzDecoder;
use serde_json::Value;
use std::fs;
use std::io::Read;
use std::path::Path;
use support::small_disk::SmallDisk;
use support::{Server, wait_until};

fn router(keys: &str) -> String {
    format!(
        "version = 1\n[[sources]]\nid = \"in\"\nkind = \"syslog\"\nlisten = [\"tcp://127.0.0.1:0\"]\n\
         [[logspaces]]\nid = \"main\"\n[[destinations]]\nid = \"files\"\nkind = \"file\"\n{keys}\n\
         [[routes]]\nid = \"all\"\nto = [\"files\"]\n"
    )
}

fn destination(server: &Server) -> Value {
    server.status()["destinations"][0].clone()
}

/// Waits until this many messages are delivered.
fn await_delivered(server: &Server, messages: u64) {
    wait_until("the messages are written", || destination(server)["messages"] == messages);
}

/// Sends about this many bytes of messages of a host.
fn send(server: &Server, host: &str, numbers: std::ops::Range<u32>, bytes: usize) {
    let filler = "x".repeat(bytes);
    let line =
        |number: u32| format!("<13>1 2026-11-23T14:00:00Z {host} app - - - message {number:06} {filler}\n");
    server.send(numbers.map(line).collect::<String>().as_bytes());
}

/// The numbers of the messages in a text.
fn numbers(text: &str) -> Vec<u32> {
    let number = |line: &str| line.split("message ").nth(1)?.split(' ').next()?.parse().ok();
    text.lines().map(|line| number(line).unwrap_or_else(|| panic!("{line}"))).collect()
}

#[test]
fn each_host_has_a_file_and_none_can_write_elsewhere() {
    let server = Server::start(&router("path = \"hosts/{host}/{received:%Y}.log\""));
    send(&server, "web-1", 0..10, 1);
    send(&server, "../../logstead.db", 10..20, 1);
    send(&server, ".%2e", 20..30, 1);
    await_delivered(&server, 30);
    let hosts = server.data().join("forward/hosts");
    println!(
        "{:?}",
        fs::read_dir(&hosts).unwrap().map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>()
    );
    let read = |host: &str| {
        let year = fs::read_dir(hosts.join(host)).unwrap().next().unwrap().unwrap();
        numbers(&fs::read_to_string(year.path()).unwrap())
    };
    assert!(read("web-1").into_iter().eq(0..10));
    assert!(read("_._.._logstead.db").into_iter().eq(10..20));
    assert!(read("__2e").into_iter().eq(20..30));
    assert_eq!(fs::read_dir(hosts).unwrap().count(), 3);
}

#[test]
fn files_that_are_set_aside_are_packed_and_have_every_message_over_a_kill() {
    let keys = "path = \"all.log\"\nrotate = { size = \"1MiB\", compression = \"gzip\" }";
    let mut server = Server::start(&router(keys));
    for part in 0..4 {
        send(&server, "web-1", part * 1000..(part + 1) * 1000, 1000);
        // A source counts messages before they are in the queue, and a kill between would lose them.
        wait_until("the messages are queued", || {
            destination(&server)["queued"] == u64::from(part % 3 + 1) * 1000
        });
        wait_until("the messages are written", || destination(&server)["queue_messages"] == 0);
        if part == 2 {
            // Messages that were not recorded as written are written again.
            server.kill_and_restart();
        }
    }
    let folder = server.data().join("forward");
    let packed = || {
        let names =
            fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let names: Vec<String> = names.filter(|name| name != "all.log").collect();
        (3 <= names.len() && names.iter().all(|name| name.ends_with(".gz"))).then_some(names)
    };
    wait_until("files are packed, and every message is in one", || {
        let Some(names) = packed() else { return false };
        let mut found = numbers(&fs::read_to_string(folder.join("all.log")).unwrap_or_default());
        names.iter().for_each(|name| found.extend(numbers(&unpacked(&folder.join(name)))));
        found.sort_unstable();
        found.dedup();
        found.into_iter().eq(0..4000)
    });
    assert!(fs::metadata(folder.join("all.log")).unwrap().len() <= 1 << 20);
}

fn unpacked(path: &Path) -> String {
    let mut text = String::new();
    GzDecoder::new(fs::File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    text
}

#[test]
fn messages_wait_for_a_full_disk_and_are_written_once() {
    let mounted = tempfile::tempdir().unwrap();
    let disk = SmallDisk::mount(mounted.path());
    let path = mounted.path().join("out/all.log");
    let write = format!("files.write={}", mounted.path().display());
    let server = Server::start_with(&router(&format!("path = {path:?}")), &[&write]);
    send(&server, "web-1", 0..100, 10);
    await_delivered(&server, 100);
    disk.fill();
    send(&server, "web-1", 100..300, 1000);
    let says_why =
        || destination(&server)["last_error"].as_str().is_some_and(|error| error.contains("No space left"));
    wait_until("the status says why", says_why);
    let error = destination(&server)["last_error"].to_string();
    assert!(error.contains("out/all.log"), "{error}");
    disk.free();
    await_delivered(&server, 300);
    assert!(numbers(&fs::read_to_string(&path).unwrap()).into_iter().eq(0..300));
}
