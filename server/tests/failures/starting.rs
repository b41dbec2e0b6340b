//! The real binary starts although something has changed: it does no harm, and says what it found and how to proceed.
//!
//! Keywords: start, lock, damaged database, missing files, clock jump.

use crate::support;

use logstead_accounts::Meta;
use logstead_indexer::{Disk, Options, RealDisk, encode};
use logstead_record::{BatchBuilder, Origin, Row, Timestamp};
use logstead_work::Alone;
use serde_json::json;
use std::fs;
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use support::{ROUTER, Server, WAIT_MAX, free_port, logstead, output, wait_until};

const DAY_SECONDS: i64 = 24 * 3600;

/// The time this many days ago.
fn days_ago(days: i64) -> Timestamp {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() as i64;
    Timestamp::from_seconds(now - days * DAY_SECONDS).unwrap()
}

/// Stores messages that a server received this many days ago.
fn store(data: &Path, days: i64, messages: usize) {
    let disk: Arc<dyn Disk> = Arc::new(RealDisk);
    let mut opened =
        logstead_indexer::open(&disk, &data.join("logspaces/main"), Options::default(), &Alone).unwrap();
    let mut builder = BatchBuilder::new();
    builder.origin(Origin { source: b"syslog", peer: b"", received: days_ago(days) });
    (0..messages).for_each(|_| builder.push(&Row::text(b"long ago")));
    opened.appender.append(&[encode(Arc::new(builder.seal()))]).unwrap();
    Meta::open(&data.join("logstead.db")).unwrap();
}

fn keeping(age: &str) -> String {
    ROUTER.replace("id = \"main\"\n", &format!("id = \"main\"\nretention = {{ age = \"{age}\" }}\n"))
}

/// A server with messages received 120 days ago, which trusts its clock.
fn start(router: &str) -> Server {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    store(&data, 120, 1000);
    fs::write(data.join("clock"), days_ago(0).to_string()).unwrap();
    Server::start_in(folder, data, router, &[])
}

/// The exit code and the output of a start that must fail. If it does not fail, it is ended and the code is -1.
fn serve(data: &Path, more: &[&str]) -> (i32, String) {
    let fixed = ["serve", "--data", data.to_str().unwrap(), "--set", "web.listen=127.0.0.1:0"];
    let mut child = logstead(&[&fixed, more].concat()).spawn().unwrap();
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() && start.elapsed() < WAIT_MAX {
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().ok();
    let output = child.wait_with_output().unwrap();
    (output.status.code().unwrap_or(-1), String::from_utf8(output.stderr).unwrap())
}

/// The database of a stopped server, as one file.
fn closed(database: &Path) -> Vec<u8> {
    // Closing the database merges the write-ahead log into it.
    drop(Meta::open(database).unwrap());
    fs::read(database).unwrap()
}

/// Replaces the database with these bytes, or removes it.
fn replace(database: &Path, bytes: Option<&[u8]>) {
    for suffix in ["", "-wal", "-shm"] {
        fs::remove_file(format!("{}{suffix}", database.display())).ok();
    }
    if let Some(bytes) = bytes {
        fs::write(database, bytes).unwrap();
    }
}

#[test]
fn messages_outlive_the_loss_of_the_database() {
    let mut server = start(&keeping("3285d"));
    let (status, answer) = server.put_router(&keeping("3650d"));
    assert_eq!(status, 200, "{answer}");
    assert_eq!(server.count("long ago"), 1000);
    server.terminate();
    let database = server.data().join("logstead.db");
    for lost in ["missing", "empty"] {
        replace(&database, if lost == "empty" { Some(b"") } else { None });
        let (code, error) = serve(server.data(), &[]);
        assert_eq!(code, 3, "{error}");
        assert!(error.contains(&format!("is {lost}, and logspaces/main holds messages")), "{error}");
        assert!(error.contains("--new-database"), "{error}");
        server.restart_with(&["--new-database"]);
        assert_eq!(server.status()["revision"], 2, "the newest kept document, with its number");
        let (_, answer) = server.call("GET", "/logspaces", &[], b"");
        assert_eq!(answer["logspaces"][0]["retention"]["age"], "3650d", "{answer}");
        assert_eq!(server.count("long ago"), 1000);
        server.terminate();
    }
    let other = server.data().join("other.toml");
    fs::write(&other, keeping("2920d")).unwrap();
    replace(&database, Some(b"no database"));
    server.restart_with(&["--new-database", "--router", other.to_str().unwrap()]);
    let (_, answer) = server.call("GET", "/logspaces", &[], b"");
    assert_eq!(
        (&answer["logspaces"][0]["retention"]["age"], server.count("long ago")),
        (&json!("2920d"), 1000)
    );
    assert_eq!(fs::read(server.data().join("logstead.db.damaged-2")).unwrap(), b"no database");
}

#[test]
fn whatever_happened_to_the_database_nothing_whole_is_gone_and_damage_is_named() {
    let mut server = start(&keeping("3285d"));
    server.terminate();
    let data = server.data().to_owned();
    let database = data.join("logstead.db");
    let older = closed(&database);
    server.restart();
    assert_eq!(server.put_router(&keeping("3650d")).0, 200);
    server.terminate();
    let whole = closed(&database);
    let mut flipped = whole.clone();
    flipped[100] ^= 0x10;
    let cases = [
        ("missing", None, 1),
        ("empty", Some(Vec::new()), 1),
        ("an older copy", Some(older), 1),
        ("cut", Some(whole[..whole.len() / 2].to_vec()), 1),
        ("a bit flipped", Some(flipped), 1),
    ];
    for (case, bytes, verified) in cases {
        replace(&database, bytes.as_deref());
        let (code, found, error) =
            output(&["search", "long", "--limit", "2000", "--data", data.to_str().unwrap()]);
        assert_eq!((code, found.lines().count()), (0, 1000), "{case}: {error}");
        let (code, told, error) = output(&["verify", "--data", data.to_str().unwrap()]);
        assert_eq!(code, verified, "{case}: {told}{error}");
        assert!(code == 0 || told.contains("logstead.db: is "), "{case}: {told}");
        if case == "an older copy" {
            let (code, error) = serve(&data, &[]);
            assert!(code == 3 && error.contains("--accept-database"), "{case}: {error}");
            server.restart_with(&["--accept-database"]);
            let (_, answer) = server.call("GET", "/logspaces", &[], b"");
            assert_eq!(answer["logspaces"][0]["retention"]["age"], "3650d", "{case}: {answer}");
            assert_eq!(server.count("long ago"), 1000, "{case}");
            server.terminate();
        } else {
            let (code, error) = serve(&data, &[]);
            assert!(code == 3 && error.contains("--new-database"), "{case}: {error}");
            assert_eq!(fs::read(&database).ok(), bytes, "{case}: it is left as it was");
        }
    }
}

#[test]
fn a_first_start_that_fails_stores_no_document() {
    let folder = tempfile::tempdir().unwrap();
    let (data, file) = (folder.path().join("data"), folder.path().join("wrong.toml"));
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    fs::write(&file, ROUTER.replace("tcp://127.0.0.1:0", &format!("tcp://{address}"))).unwrap();
    let (code, error) = serve(&data, &["--router", file.to_str().unwrap()]);
    assert_eq!(code, 3, "{error}");
    assert!(error.contains(&format!("tcp://{address} cannot be listened on")), "{error}");
    let server = Server::start_in(folder, data, ROUTER, &[]);
    assert_eq!(server.status()["revision"], 1);
    assert_eq!(server.call("GET", "/router?format=toml", &[], b"").1, ROUTER);
}

#[test]
fn a_listener_that_can_not_open_is_a_state_and_is_tried_again() {
    let port = free_port();
    let router = ROUTER.replace("tcp://127.0.0.1:0", &format!("tcp://127.0.0.1:{port}"));
    let mut server = Server::start(&router);
    server.ingest("before");
    server.terminate();
    let taken = TcpListener::bind(("127.0.0.1", port)).unwrap();
    server.restart();
    assert_eq!(server.count("before"), 1);
    let listener = |state: &str| {
        let source = server.source("syslog");
        let listeners = source["listeners"].as_array().unwrap().clone();
        listeners.into_iter().find(|listener| listener["state"] == state)
    };
    let failed = listener("failed").unwrap();
    assert_eq!(failed["url"], format!("tcp://127.0.0.1:{port}"));
    assert!(failed["error"].as_str().unwrap().contains("choose another port"), "{failed}");
    assert!(listener("listening").is_some(), "the others are read");
    let (status, text) = server.ready();
    assert!(
        status == 200 && text.contains(&format!("tcp://127.0.0.1:{port} cannot be listened on")),
        "{text}"
    );
    let (status, answer) = server.put_router(&format!("# a change\n{router}"));
    assert_eq!((status, &answer["problems"][0]["path"]), (422, &json!("sources[0].listen[1]")));
    drop(taken);
    wait_until("it listens", || listener("failed").is_none());
    assert_eq!(server.ready(), (200, "ready\n".to_owned()));
    let mut sender = TcpStream::connect(("127.0.0.1", port)).unwrap();
    sender.write_all(b"<13>through the port that was taken\n").unwrap();
    server.wait_for("\"port that was taken\"", 1);
    assert_eq!(server.status()["revision"], 1);
}

#[test]
fn who_can_not_be_reached_at_all_is_not_ready() {
    let port = free_port();
    let router = ROUTER
        .replace("\"udp://127.0.0.1:0\", ", "")
        .replace("tcp://127.0.0.1:0", &format!("tcp://127.0.0.1:{port}"));
    let mut server = Server::start(&router);
    server.terminate();
    let taken = TcpListener::bind(("127.0.0.1", port)).unwrap();
    server.restart();
    let (status, text) = server.ready();
    assert!(status == 503 && text.contains("cannot be listened on"), "{status} {text}");
    drop(taken);
    wait_until("it is ready", || server.ready().0 == 200);
}

#[test]
fn removing_the_lock_file_lets_no_second_server_in() {
    let server = Server::start(ROUTER);
    fs::remove_file(server.data().join("lock")).unwrap();
    let (code, error) = serve(server.data(), &[]);
    assert_eq!(code, 3, "{error}");
    assert!(error.contains("is in use by another logstead"), "{error}");
    server.ingest("still alone");
    assert_eq!(server.count("still alone"), 1);
}

#[test]
fn a_clock_that_left_where_it_should_be_removes_nothing_until_somebody_agrees() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    store(&data, 120, 1000);
    // When the server last ran, these messages were not too old.
    fs::write(data.join("clock"), days_ago(50).to_string()).unwrap();
    let server = Server::start_in(folder, data, &keeping("90d"), &[]);
    let held = server.status()["expiry_held"].clone();
    assert!(held.as_str().unwrap().contains("the clock is 50 d 0 h ahead"), "{held}");
    let logspace = || server.call("GET", "/logspaces", &[], b"").1["logspaces"][0].clone();
    assert_eq!(logspace()["retention"]["held"], held);
    // These actions make the logspace look for old messages.
    assert_eq!(server.put_router(&format!("# a change\n{}", keeping("90d"))).0, 200);
    server.ingest("later");
    assert_eq!(server.count("*"), 1001);
    assert_eq!(server.call("POST", "/retention/resume", &[], b"").0, 204);
    wait_until("what is too old goes", || server.count("long ago") == 0);
    assert_eq!(server.count("later"), 1);
    assert!(server.status()["expiry_held"].is_null() && logspace()["retention"]["held"].is_null());
    let (_, audit) = server.call("GET", "/audit", &[], b"");
    assert!(audit.to_string().contains("retention.resume"), "{audit}");
}

#[test]
fn the_router_document_is_read_and_replaced_while_the_server_is_stopped() {
    let mut server = Server::start(ROUTER);
    let data = server.data().to_str().unwrap().to_owned();
    let file = server.data().join("new.toml");
    let file = file.to_str().unwrap();
    let router = |arguments: &[&str]| output(&[&["router"], arguments, &["--data", &data]].concat());
    fs::write(file, keeping("30d")).unwrap();
    assert_eq!(router(&["put", file]).0, 3, "the server runs");
    server.terminate();
    assert_eq!(router(&["get"]).1, ROUTER.to_owned());
    let (code, told, error) = router(&["put", file, "-m", "shorter"]);
    assert_eq!(
        (code, told.as_str()),
        (0, "revision 2 is stored and takes effect at the next start\n"),
        "{error}"
    );
    assert_eq!(router(&["put", file]).1, "nothing to change: revision 2 is the same\n");
    assert_eq!(router(&["get", "--revision", "1"]).1, ROUTER.to_owned());
    assert_eq!(router(&["get", "--revision", "7"]).0, 1);
    assert!(server.data().join("router/000002.toml").is_file());

    fs::write(file, ROUTER.replace("listen =", "timezone = \"Europe/Nowhere\"\nlisen =")).unwrap();
    for action in ["check", "put"] {
        let (code, _, error) = router(&[action, file]);
        assert_eq!(code, 1);
        assert!(error.contains("new.toml:8:"), "{error}");
    }
    let forbidden = "[[destinations]]\nid = \"out\"\nkind = \"file\"\npath = \"/etc/cron.d/evil\"\n";
    fs::write(file, ROUTER.to_owned() + forbidden).unwrap();
    let (code, _, error) = router(&["put", file]);
    assert!(code == 1 && error.contains("`files.write`"), "{error}");
    let (code, _, error) = output(&["router", "get", "--data", "/nowhere/at/all"]);
    assert!(code == 3 && error.contains("is not a data directory"), "{error}");

    server.restart();
    let (_, revisions) = server.call("GET", "/router/revisions", &[], b"");
    let newest = &revisions["revisions"][0];
    assert_eq!((&newest["author"], &newest["comment"]), (&json!("cli"), &json!("shorter")));
}

#[test]
fn the_router_document_is_read_and_replaced_through_a_server() {
    let server = Server::start(ROUTER);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("new.toml");
    let file = file.to_str().unwrap();
    let place = ["--server", server.web(), "--token", "administrator"];
    let router = |arguments: &[&str]| output(&[&["router"], arguments, &place].concat());
    assert_eq!(router(&["get"]).1, ROUTER.to_owned());
    fs::write(file, keeping("30d")).unwrap();
    assert_eq!(router(&["check", file]).1, "ok\n");
    assert_eq!(router(&["put", file, "-m", "by hand"]).1, "revision 2 is in effect\n");
    assert_eq!(server.status()["revision"], 2);
    assert_eq!(router(&["get", "--revision", "1"]).1, ROUTER.to_owned());
    fs::write(file, ROUTER.replace("listen =", "lisen =").replace("[\"main\"]", "[\"mian\"]")).unwrap();
    for action in ["check", "put"] {
        let (code, _, error) = router(&[action, file]);
        assert!(code == 1 && error.contains("`main`"), "{action}: {error}");
    }
    assert_eq!(server.status()["revision"], 2);
}
