//! Exports as jobs when the process is killed and when the disk is full: no half file stays, none passes for a whole one,
//! and messages lose nothing by it.
//!
//! Keywords: export job, kill, full disk, interrupted, leftover file.

use super::support;

use serde_json::{Value, json};
use std::path::Path;
use support::small_disk::SmallDisk;
use support::{ROUTER, Server, wait_until};

fn job(server: &Server, id: &str) -> Value {
    server.call("GET", &format!("/jobs/{id}?wait=30s"), &[], b"").1
}

fn id(started: &Value) -> String {
    started["id"].as_str().unwrap_or_else(|| panic!("{started}")).to_owned()
}

/// The names of the files of exports.
fn files(data: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(data.join("exports")).into_iter().flatten();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn a_kill_leaves_a_whole_file_or_none() {
    const SENT: u64 = 100_000;
    let mut server = Server::start(ROUTER);
    assert_eq!(server.ingest(&"a message that is exported\n".repeat(SENT as usize)), SENT);
    let asked = json!({"query": "exported", "format": "ndjson"});
    for _ in 0..5 {
        let (status, started) = server.post("/exports", &asked);
        assert_eq!(status, 202, "{started}");
        let id = id(&started);
        wait_until("the export writes or has ended", || {
            let now = server.call("GET", &format!("/jobs/{id}"), &[], b"").1;
            now["finished_at"].is_string() || 0 < now["progress"]["messages"].as_u64().unwrap()
        });
        server.kill_and_restart();
        let after = job(&server, &id);
        let expected: &[String] = match after["state"].as_str().unwrap() {
            "done" => std::slice::from_ref(&id),
            "interrupted" => &[],
            other => panic!("{other}: {after}"),
        };
        assert_eq!(files(server.data()), expected, "{after}");
        let (status, file) = server.call("GET", &format!("/jobs/{id}/result"), &[], b"");
        assert_eq!(status == 200, after["state"] == "done", "{after}");
        if status == 200 {
            assert_eq!(file.as_str().unwrap().lines().count() as u64, SENT);
        }
        assert_eq!(server.call("DELETE", &format!("/jobs/{id}"), &[], b"").0, 204);
    }
    assert_eq!(server.count("exported"), SENT);
}

#[test]
fn a_full_disk_fails_an_export_and_nothing_else() {
    let (folder, mounted) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let disk = SmallDisk::mount_ext4(&folder.path().join("disk"), mounted.path());
    let settings = ["memory.source_queue_max=1MiB", "storage.journal_file_max=1MiB"];
    let server = Server::start_in(folder, mounted.path().join("data"), ROUTER, &settings);
    assert_eq!(server.ingest(&"stored\n".repeat(1000)), 1000);
    let asked = json!({"query": "stored"});
    let export = || {
        let (status, started) = server.post("/exports", &asked);
        match status {
            202 => job(&server, &id(&started)),
            _ => started,
        }
    };
    let before = export();
    assert_eq!((&before["state"], files(server.data()).len()), (&json!("done"), 1), "{before}");
    disk.fill();
    let refused = export();
    let problem = refused.get("problem").unwrap_or(&refused);
    assert_eq!(problem["type"], "urn:logstead:problem:disk-full", "{refused}");
    assert_eq!(files(server.data()), [id(&before)], "the whole file stays, and no half of another");
    assert_eq!(server.count("stored"), 1000);
    disk.free();
    wait_until("more is taken", || server.try_ingest("stored\n").is_ok());
    let after = export();
    assert_eq!((&after["state"], &after["result"]["missing"]), (&json!("done"), &json!(0)), "{after}");
}
