//! `systemd-journal-upload`: a journal arrives with all its fields, each entry once.
//!
//! Keywords: systemd-journal-upload.

use crate::program::{Daemon, run};
use crate::support::{Server, wait_until};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

const ROUTER: &str = "version = 1\n[[sources]]\nid = \"http\"\nkind = \"http\"\n[[logspaces]]\nid = \"main\"\n\
                      [[routes]]\nid = \"default\"\nto = [\"main\"]\n";
const ENTRIES: usize = 2000;

fn program(name: &str) -> Command {
    let path = Path::new("/usr/lib/systemd").join(name);
    assert!(
        path.is_file(),
        "`{name}` is not here and this test is about it. Install the package systemd-journal-remote, or let `npm test` \
         do so as root: see \"Programs of others\" in CONTRIBUTING.md"
    );
    Command::new(path)
}

/// A journal with these entries, made by systemd itself.
fn journal(folder: &Path, entries: impl Iterator<Item = Vec<u8>>) -> std::path::PathBuf {
    let mut export = Vec::new();
    for (number, fields) in entries.enumerate() {
        let mut head = String::new();
        writeln!(head, "__REALTIME_TIMESTAMP={}", 1_700_000_000_000_000 + number as u64 * 1000).unwrap();
        writeln!(head, "__MONOTONIC_TIMESTAMP={}", number * 1000).unwrap();
        writeln!(head, "_BOOT_ID=0123456789abcdef0123456789abcdef\nNUMBER={number}").unwrap();
        export.extend_from_slice(head.as_bytes());
        export.extend_from_slice(&fields);
        export.push(b'\n');
    }
    let file = folder.join("made.journal");
    let made = run(program("systemd-journal-remote").arg("--output").arg(&file).arg("-"), &export);
    assert!(made.status.success(), "{made:?}");
    file
}

fn binary(name: &str, value: &[u8]) -> Vec<u8> {
    [name.as_bytes(), b"\n", &(value.len() as u64).to_le_bytes(), value, b"\n"].concat()
}

fn upload(server: &Server, journal: &Path, folder: &Path) -> Command {
    let address = server.web().strip_prefix("http://").unwrap();
    let mut upload = program("systemd-journal-upload");
    upload.arg(format!("--url=http://sender:administrator@{address}"));
    upload.arg(format!("--file={}", journal.display())).arg("--follow=no");
    upload.arg(format!("--save-state={}", folder.join("state").display()));
    upload
}

/// Uploads a journal with one entry to an address.
pub(crate) fn upload_one(url: &str, folder: &Path, message: &str) {
    let journal = journal(folder, std::iter::once(format!("MESSAGE={message}\n").into_bytes()));
    let mut upload = program("systemd-journal-upload");
    upload.arg(format!("--url={url}")).arg(format!("--file={}", journal.display())).arg("--follow=no");
    upload.arg(format!("--save-state={}", folder.join("state").display()));
    let output = run(&mut upload, b"");
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn a_journal_arrives_with_all_its_fields_and_goes_on_where_it_stopped() {
    let (server, folder) = (Server::start(ROUTER), tempfile::tempdir().unwrap());
    let huge = "x".repeat(500_000);
    let odd: [&[u8]; 5] = [
        b"",
        "caf\u{e9} \u{1F600} \"q\" \\ <b>".as_bytes(),
        b"two\nlines",
        b"\xff\xfe\x00 bytes",
        huge.as_bytes(),
    ];
    let entries = (0..ENTRIES).map(|number| {
        let text =
            odd.get(number).map_or_else(|| format!("number {number}").into_bytes(), |text| text.to_vec());
        let fields =
            b"PRIORITY=4\nSYSLOG_IDENTIFIER=shop\n_PID=42\n_HOSTNAME=web-1\n_SYSTEMD_UNIT=shop.service\n";
        [&fields[..], &binary("MESSAGE", &text)].concat()
    });
    let journal = journal(folder.path(), entries);
    let uploading = Daemon::start(&mut upload(&server, &journal, folder.path()), folder.path());
    wait_until("all entries are stored", || server.count("*") == ENTRIES as u64);
    assert_eq!(
        server.count("severity=warning host=web-1 program=shop pid=42 _SYSTEMD_UNIT=shop.service"),
        ENTRIES as u64
    );
    let found = server.search("NUMBER=1")[0].clone();
    assert_eq!(
        (found["message"].as_str(), &found["time"]),
        (str::from_utf8(odd[1]).ok(), &"2023-11-14T22:13:20.001Z".into())
    );
    assert_eq!(server.search("NUMBER=2")[0]["message"], "two\nlines");
    assert_eq!(server.search("NUMBER=4")[0]["message"], huge);
    assert!(!uploading.said().contains("failed"), "{}", uploading.said());
    wait_until("what is uploaded is noted", || folder.path().join("state").is_file());
    // The upload is repeated from its last position. systemd records the entry before the last one, so the last entry
    // is sent again.
    let again = run(&mut upload(&server, &journal, folder.path()), b"");
    assert!(again.status.success(), "{again:?}");
    let last = server.count(&format!("NUMBER={}", ENTRIES - 1));
    assert!(last <= 2, "{again:?}");
    assert_eq!(server.count("*"), ENTRIES as u64 - 1 + last, "{again:?}");
}
