//! A change of the router document takes effect completely or not at all, whatever fails at whatever time.
//!
//! Keywords: apply, rollback, failure injection, atomic change, router document.

use crate::in_process;
use crate::support;

use axum::body::{Body, to_bytes};
use axum::http::{Request, header};
use in_process::TOKEN;
use logstead_config::check_toml;
use logstead_indexer::Filter;
use logstead_pipeline::{ApplyError, RevisionChange};
use logstead_query::{Context, TimeRange, parse};
use logstead_record::Timestamp;
use logstead_work::SearchContext;
use parking_lot::{Mutex, MutexGuard};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::collections::BTreeSet;
use std::io::Write;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use support::wait_until;
use tower::ServiceExt;

/// The server with the calls that these tests make.
type Server = in_process::Server<Calls>;

struct Calls;

/// The number of descriptors with which every step certainly succeeds.
const STEPS_MAX: usize = 200;

/// The limit of descriptors applies to the whole process, so only one test may run at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// A server with two sources, one of which a change renames.
struct Changing {
    server: Server,
    data: PathBuf,
    runtime: tokio::runtime::Runtime,
    /// Ports of `kept`, of `moved` and of the sources that a change adds.
    ports: [u16; 3],
    sent: usize,
    _folder: tempfile::TempDir,
    _alone: MutexGuard<'static, ()>,
}

fn free_ports() -> [u16; 3] {
    // All ports are held at the same time, so that they are different.
    let held = [(); 3].map(|()| TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap());
    held.map(|listener| listener.local_addr().unwrap().port())
}

fn before([kept, moved, _]: [u16; 3]) -> String {
    format!(
        r#"version = 1
[[sources]]
id = "kept"
kind = "syslog"
listen = ["tcp://127.0.0.1:{kept}"]
[[sources]]
id = "old-name"
kind = "syslog"
listen = ["tcp://127.0.0.1:{moved}"]
[[logspaces]]
id = "main"
[[routes]]
id = "default"
to = ["main"]
"#
    )
}

/// A document with something new of each kind, which `edit` makes invalid.
fn after([kept, moved, new]: [u16; 3], edit: (&str, &str)) -> String {
    let text = format!(
        r#"version = 1
[[sources]]
id = "files"
kind = "file"
paths = ["forward/in/*.log"]
[[sources]]
id = "kept"
kind = "syslog"
listen = ["tcp://127.0.0.1:{kept}", "udp://127.0.0.1:{new}"]
message_max = "8 KiB"
[[sources]]
id = "new-name"
kind = "syslog"
listen = ["tcp://127.0.0.1:{moved}", "unix-stream:run/new.sock"]
[[sources]]
id = "new"
kind = "relp"
listen = ["relp://127.0.0.1:{new}"]
timezone = "Asia/Tokyo"
[[logspaces]]
id = "main"
[[logspaces]]
id = "new"
[[destinations]]
id = "copy"
kind = "file"
path = "copy.log"
[[routes]]
id = "new"
from = ["new", "files"]
to = ["new", "copy"]
[[routes]]
id = "default"
to = ["main"]
"#
    );
    assert!(text.contains(edit.0), "{edit:?}");
    text.replacen(edit.0, edit.1, 1)
}

impl Changing {
    fn start() -> Changing {
        let alone = ALONE.lock();
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().to_owned();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let server = Server::start_in(&data, |_| {});
        std::fs::create_dir_all(data.join("forward/in")).unwrap();
        std::fs::create_dir(data.join("run")).unwrap();
        std::fs::write(data.join("forward/in/new.log"), "").unwrap();
        let ports = free_ports();
        let mut changing = Changing { server, data, runtime, ports, sent: 0, _folder: folder, _alone: alone };
        assert_eq!(changing.put(&before(ports), 1), (200, String::new()));
        changing.is_as_before();
        changing
    }

    /// Applies a document; returns the status and, unless it is 200, the body.
    fn put(&self, toml: &str, based_on: u64) -> (u16, String) {
        let request = Request::put("/api/v1/router")
            .header(header::AUTHORIZATION, format!("Bearer {TOKEN}"))
            .header(header::CONTENT_TYPE, "application/toml")
            .header(header::IF_MATCH, based_on.to_string())
            .body(Body::from(toml.to_owned()))
            .unwrap();
        self.runtime.block_on(async {
            let response = self.server.app.clone().oneshot(request).await.unwrap();
            let status = response.status().as_u16();
            let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
            (status, if status == 200 { String::new() } else { String::from_utf8_lossy(&body).into_owned() })
        })
    }

    /// Checks that a line sent to this TCP port arrives in `main`.
    fn receives(&mut self, port: u16) {
        self.sent += 1;
        let line = format!("line{}", self.sent);
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
        stream.write_all(format!("<13>{line}\n").as_bytes()).unwrap();
        drop(stream);
        wait_until(&format!("{line} is stored"), || self.count(&line) == 1);
    }

    fn count(&self, query: &str) -> u64 {
        let context = Context { now: Timestamp::default(), logspace: "main" };
        let filter = Filter::new(&parse(query).unwrap(), &context);
        let searchers = self.server.pipeline.searchers();
        let main = &searchers.iter().find(|(id, _)| id == "main").unwrap().1;
        main.count(&filter, TimeRange::ALL, &SearchContext::alone()).count
    }

    fn revisions(&self) -> u64 {
        self.server.meta.latest_revision().unwrap().unwrap().number
    }

    /// Checks that the second revision is live, stored and receiving, and that nothing of a third is open.
    fn is_as_before(&mut self) {
        let [kept, moved, new] = self.ports;
        assert_eq!((self.server.pipeline.router().revision, self.revisions()), (2, 2));
        let listening = self.server.pipeline.listening();
        let url = |id: &str, port: u16| (id.to_owned(), format!("tcp://127.0.0.1:{port}"));
        assert_eq!(listening, [url("kept", kept), url("old-name", moved)]);
        self.receives(kept);
        self.receives(moved);
        assert!(TcpStream::connect((Ipv4Addr::LOCALHOST, new)).is_err(), "a new socket is open");
        assert!(UnixStream::connect(self.data.join("run/new.sock")).is_err(), "a new socket is open");
        let searched: Vec<String> = self.server.pipeline.searchers().into_iter().map(|(id, _)| id).collect();
        assert_eq!(searched, ["main", "other"]);
    }

    /// Checks that the third revision is live, stored and receiving.
    fn is_as_after(&mut self) {
        let [kept, moved, new] = self.ports;
        assert_eq!((self.server.pipeline.router().revision, self.revisions()), (3, 3));
        self.receives(kept);
        self.receives(moved);
        UnixStream::connect(self.data.join("run/new.sock")).unwrap().write_all(b"<13>local\n").unwrap();
        wait_until("a message through the new unix socket is stored", || self.count("local") == 1);
        let file = self.data.join("forward/in/new.log");
        std::fs::OpenOptions::new().append(true).open(file).unwrap().write_all(b"appended\n").unwrap();
        let copy = self.data.join("forward/copy.log");
        let copied = || std::fs::read_to_string(&copy).is_ok_and(|copy| copy.contains("appended"));
        wait_until("a line of a file that is followed is copied", copied);
        TcpStream::connect((Ipv4Addr::LOCALHOST, new)).unwrap();
    }

    /// Checks that the same change succeeds without the part that made it invalid.
    fn can_still_change(&mut self) {
        assert_eq!(self.put(&after(self.ports, ("", "")), 2), (200, String::new()));
        self.is_as_after();
    }
}

fn open_descriptors() -> BTreeSet<u64> {
    let named = |path: &Path| path.file_name().unwrap().to_str().unwrap().parse().unwrap();
    let listed: Vec<PathBuf> =
        std::fs::read_dir("/proc/self/fd").unwrap().map(|entry| entry.unwrap().path()).collect();
    // The descriptor of the directory itself is closed by now.
    listed.iter().filter(|path| path.read_link().is_ok()).map(|path| named(path)).collect()
}

/// Runs a function that can open at most this many more descriptors.
fn with_descriptors<T>(more: usize, run: impl FnOnce() -> T) -> T {
    let limit = getrlimit(Resource::Nofile);
    let open = open_descriptors();
    let current = (0..).filter(|number| !open.contains(number)).nth(more);
    setrlimit(Resource::Nofile, Rlimit { current, ..limit }).unwrap();
    let done = run();
    setrlimit(Resource::Nofile, limit).unwrap();
    done
}

#[test]
fn a_change_that_runs_out_of_descriptors_at_any_step_leaves_no_trace() {
    let mut changing = Changing::start();
    let change = after(changing.ports, ("", ""));
    let mut failures = BTreeSet::new();
    for descriptors in 0..STEPS_MAX {
        let open = open_descriptors().len();
        let (status, body) = with_descriptors(descriptors, || changing.put(&change, 2));
        if status == 200 {
            changing.is_as_after();
            assert!(4 < failures.len(), "hardly any step failed: {failures:?}");
            return;
        }
        failures.insert(body);
        changing.is_as_before();
        wait_until("what was opened is closed", || open_descriptors().len() <= open);
    }
    panic!("it never succeeds: {failures:?}");
}

#[test]
fn a_change_that_cannot_be_prepared_leaves_no_trace() {
    let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let taken = format!("relp://127.0.0.1:{}", taken.local_addr().unwrap().port());
    let check = |edit: (&str, &str), obstacle: Option<&str>, expected: &str| {
        let mut changing = Changing::start();
        if let Some(obstacle) = obstacle {
            std::fs::write(changing.data.join(obstacle), "in the way").unwrap();
        }
        let (status, body) = changing.put(&after(changing.ports, edit), 2);
        assert_eq!(status, 422, "{edit:?}: {body}");
        assert!(body.contains(expected), "`{expected}` is not in {body}");
        changing.is_as_before();
        if let Some(obstacle) = obstacle {
            std::fs::remove_file(changing.data.join(obstacle)).unwrap();
        }
        changing.can_still_change();
    };
    check(("forward/in/*.log", "/elsewhere/*.log"), None, "sources[0].paths");
    check(("Asia/Tokyo", "Asia/Nowhere"), None, "sources[3].timezone");
    check(("relp://127.0.0.1:", &format!("{taken}\", \"relp://127.0.0.1:")), None, "sources[3].listen[0]");
    check(("", ""), Some("run/new.sock"), "sources[2].listen[1]");
    check(("", ""), Some("logspaces/new"), "logspaces[1]");
    let tls = ("timezone", "tls.certificate = \"no.pem\"\ntls.key = \"no.pem\"\ntimezone");
    check(tls, None, "sources[3].tls");
}

#[test]
fn a_change_that_cannot_be_stored_leaves_no_trace() {
    let mut changing = Changing::start();
    let database = rusqlite::Connection::open(changing.data.join("logstead.db")).unwrap();
    database
        .execute_batch(
            "CREATE TRIGGER broken BEFORE INSERT ON revisions BEGIN SELECT RAISE(FAIL, 'no room'); END",
        )
        .unwrap();
    let (status, body) = changing.put(&after(changing.ports, ("", "")), 2);
    assert!(status == 500, "{status} {body}");
    changing.is_as_before();
    database.execute_batch("DROP TRIGGER broken").unwrap();
    changing.can_still_change();
}

#[test]
fn a_change_that_comes_too_late_leaves_no_trace() {
    let mut changing = Changing::start();
    let toml = after(changing.ports, ("", ""));
    let (document, checked) = check_toml(&toml).unwrap();
    let change =
        || RevisionChange { toml: toml.clone(), document: document.clone(), checked: checked.clone() };
    let refused = changing.server.pipeline.prepare(change(), Some(1)).err();
    assert!(matches!(refused, Some(ApplyError::Conflict { current: 2 })), "{refused:?}");
    changing.is_as_before();
    changing.server.pipeline.stop();
    let pipeline = &changing.server.pipeline;
    let refused = pipeline.prepare(change(), Some(2)).err().unwrap();
    assert_eq!(refused.to_string(), "the server is stopping");
    assert_eq!((pipeline.router().revision, pipeline.listening().len()), (2, 0));
}
