//! Long work as jobs: they go on without their client, can be awaited and cancelled, and what a restart does to them.
//!
//! Keywords: job, verify, reindex, progress, cancel, 202, long poll, restart, kill -9.

use super::calls::{Answer, As, Server, admin};
use super::in_process;
use crate::support;
use axum::body::Body;
use axum::http::{Method, Request};
use logstead_accounts::{Grant, NewToken, Role};
use logstead_indexer::{Disk, DiskFile, LogspaceIdentity, RealDisk, Space};
use logstead_record::Timestamp;
use parking_lot::{Condvar, Mutex};
use serde_json::{Value, json};
use std::io::{self, IoSlice};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use tempfile::TempDir;

/// The real disk, which reads nothing as long as its gate is closed.
#[derive(Clone, Default)]
struct GatedDisk(Arc<Gate>);

#[derive(Default)]
struct Gate {
    is_closed: Mutex<bool>,
    opened: Condvar,
}

impl Gate {
    fn set(&self, is_closed: bool) {
        *self.is_closed.lock() = is_closed;
        self.opened.notify_all();
    }

    fn pass(&self) {
        let mut is_closed = self.is_closed.lock();
        while *is_closed {
            self.opened.wait(&mut is_closed);
        }
    }
}

struct GatedFile {
    file: Arc<dyn DiskFile>,
    gate: Arc<Gate>,
}

impl GatedDisk {
    fn gated(&self, file: Arc<dyn DiskFile>) -> Arc<dyn DiskFile> {
        Arc::new(GatedFile { file, gate: self.0.clone() })
    }
}

impl Disk for GatedDisk {
    fn create_dir_all(&self, dir: &Path) -> io::Result<()> {
        RealDisk.create_dir_all(dir)
    }
    fn list(&self, dir: &Path) -> io::Result<Vec<String>> {
        RealDisk.list(dir)
    }
    fn create(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        RealDisk.create(path).map(|file| self.gated(file))
    }
    fn open(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        RealDisk.open(path).map(|file| self.gated(file))
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        RealDisk.rename(from, to)
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        RealDisk.remove(path)
    }
    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        RealDisk.sync_dir(dir)
    }
    fn space(&self, dir: &Path) -> io::Result<Space> {
        RealDisk.space(dir)
    }
    fn new_identity(&self) -> io::Result<LogspaceIdentity> {
        RealDisk.new_identity()
    }
}

impl DiskFile for GatedFile {
    fn append(&self, parts: &mut [IoSlice<'_>]) -> io::Result<()> {
        self.file.append(parts)
    }
    fn write_over(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.file.write_over(offset, bytes)
    }
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.gate.pass();
        self.file.read_at(offset, buffer)
    }
    fn bytes(&self) -> io::Result<u64> {
        self.file.bytes()
    }
    fn is_at(&self, path: &Path) -> io::Result<bool> {
        self.file.is_at(path)
    }
    fn truncate(&self, bytes: u64) -> io::Result<()> {
        self.file.truncate(bytes)
    }
    fn sync(&self) -> io::Result<()> {
        self.file.sync()
    }
}

/// A server with messages in `main`, and the gate of its disk.
struct GatedServer {
    server: Server,
    gate: Arc<Gate>,
    _data: TempDir,
}

impl GatedServer {
    async fn start() -> GatedServer {
        let (disk, data) = (GatedDisk::default(), tempfile::tempdir().unwrap());
        let gate = disk.0.clone();
        let server = Server::start_on(Arc::new(disk), data.path(), |_| {});
        let stored = server.ingest("?logspace=main", "text/plain", "one\ntwo\nthree\n").await;
        assert_eq!(stored.json()["accepted"], 3, "{}", stored.text());
        GatedServer { server, gate, _data: data }
    }
}

/// A server that stops reads everything that is left.
impl Drop for GatedServer {
    fn drop(&mut self) {
        self.gate.set(false);
    }
}

impl Server {
    async fn start_job(&self, path: &str, who: &As) -> Value {
        let answer = self.json(Method::POST, &format!("/api/v1{path}"), who, &json!({})).await;
        assert_eq!(answer.status, 202, "{}", answer.text());
        let job = answer.json();
        assert_eq!(answer.header("location"), format!("/api/v1/jobs/{}", job["id"].as_str().unwrap()));
        job
    }

    async fn job(&self, job: &Value, how: &str) -> Value {
        let answer = self.get(&format!("/api/v1/jobs/{}{how}", job["id"].as_str().unwrap())).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()
    }

    async fn cancel(&self, job: &Value, who: &As) -> Answer {
        let path = format!("/api/v1/jobs/{}/cancel", job["id"].as_str().unwrap());
        self.json(Method::POST, &path, who, &json!({})).await
    }

    async fn wait_for_state(&self, job: &Value, state: &str) {
        for _ in 0..600 {
            let job = self.job(job, "?wait=50ms").await;
            if job["state"] == state {
                return;
            }
            tokio::task::yield_now().await;
        }
        panic!("the job does not become {state}: {}", self.job(job, "").await);
    }

    fn of_part(&self, role: Role, logspaces: Option<&[&str]>, scope: Option<&str>) -> As {
        let logspaces = logspaces.map(|ids| ids.iter().map(|id| (*id).to_owned()).collect());
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("{role}-of-part-{}", NEXT.fetch_add(1, Ordering::Relaxed));
        let grant = Grant { logspaces, scope: scope.map(str::to_owned) };
        let new = NewToken { name: &name, role, created_by: "test".into(), expires_at: None };
        let (_, secret) = self.meta.add_granted_token(&new, &grant, Timestamp::from_nanos(0)).unwrap();
        As { token: Some(secret.reveal().to_owned()), ..As::default() }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_tells_its_progress_and_its_end_is_awaited() {
    let gated = GatedServer::start().await;
    let server = &gated.server;
    gated.gate.set(true);
    let job = server.start_job("/logspaces/main/verify", &admin()).await;
    assert_eq!((&job["kind"], &job["logspaces"]), (&json!("verify"), &json!(["main"])));
    assert_eq!((&job["result"], &job["expires_at"]), (&Value::Null, &Value::Null));
    server.wait_for_state(&job, "running").await;
    let running = server.job(&job, "?wait=20ms").await;
    assert_eq!((&running["state"], &running["progress"]["done"]), (&json!("running"), &json!(0)));
    assert_eq!(running["progress"]["unit"], "bytes");
    assert!(0 < running["progress"]["total"].as_u64().unwrap(), "{running}");
    let work = server.get("/api/v1/logspaces").await.json()["work"].clone();
    assert_eq!((&work["job"], &work["logspace"]), (&job["id"], &json!("main")));
    // The end is waited for without asking again.
    let waiting = server.job(&job, "?wait=30s");
    let opening = async { gated.gate.set(false) };
    let (done, ()) = tokio::join!(waiting, opening);
    assert_eq!(done["state"], "done", "{done}");
    assert_eq!((&done["result"]["kind"], &done["result"]["intact"]), (&json!("verify"), &json!(true)));
    assert_eq!((&done["result"]["messages"], &done["progress"]["messages"]), (&json!(3), &json!(3)));
    assert!(done["created_at"].as_str() <= done["started_at"].as_str(), "{done}");
    assert!(done["started_at"].as_str() <= done["finished_at"].as_str(), "{done}");
    assert!(done["finished_at"].as_str() < done["expires_at"].as_str(), "{done}");
    assert_eq!(server.get("/api/v1/logspaces").await.json()["work"], Value::Null);
    let reindex = server.start_job("/logspaces/main/reindex", &admin()).await;
    let done = server.job(&reindex, "?wait=30s").await;
    assert_eq!((&done["result"]["kind"], &done["result"]["complete"]), (&json!("reindex"), &json!(true)));
    let path = |wait: &str| format!("/api/v1/jobs/{}?wait={wait}", job["id"].as_str().unwrap());
    server.get(&path("31s")).await.is_problem(422, "up to 30 s");
    server.get(&path("soon")).await.is_problem(422, "not a duration");
    server.get("/api/v1/jobs/nowhere").await.is_problem(404, "no job `nowhere`");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn jobs_take_turns_and_each_can_be_cancelled() {
    let gated = GatedServer::start().await;
    let server = &gated.server;
    gated.gate.set(true);
    let first = server.start_job("/logspaces/main/verify", &admin()).await;
    server.wait_for_state(&first, "running").await;
    let second = server.start_job("/logspaces/other/reindex", &admin()).await;
    let third = server.start_job("/logspaces/main/verify", &admin()).await;
    assert_eq!(server.job(&second, "?wait=20ms").await["state"], "queued");
    // A job that waits ends although the one before it does not go on.
    server.cancel(&second, &admin()).await;
    let cancelled = server.job(&second, "?wait=30s").await;
    assert_eq!((&cancelled["state"], &cancelled["started_at"]), (&json!("cancelled"), &Value::Null));
    let asked = server.cancel(&first, &admin()).await.json();
    assert_eq!(asked["state"], "cancelling");
    assert_eq!(server.cancel(&first, &admin()).await.json()["state"], "cancelling");
    gated.gate.set(false);
    let cancelled = server.job(&first, "?wait=30s").await;
    assert_eq!((&cancelled["state"], &cancelled["result"]["complete"]), (&json!("cancelled"), &json!(false)));
    assert_eq!(server.job(&third, "?wait=30s").await["state"], "done");
    assert_eq!(server.cancel(&third, &admin()).await.json()["state"], "done");
    let states: Vec<Value> = server.get("/api/v1/jobs").await.json()["jobs"].as_array().unwrap().clone();
    let ids: Vec<&Value> = states.iter().map(|job| &job["id"]).collect();
    assert_eq!(ids, [&third["id"], &second["id"], &first["id"]]);
    let told = |action: &str, what: &str| format!("{action} {what} (job {})", first["id"].as_str().unwrap());
    let expected = [
        told("job.start", "verify main"),
        told("job.cancel", "verify main"),
        told("job.end", "verify main: cancelled"),
    ];
    let audit = server.get("/api/v1/audit?query=action:job.*").await.json();
    let entries: Vec<String> = audit["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| format!("{} {}", entry["action"].as_str().unwrap(), entry["detail"].as_str().unwrap()))
        .collect();
    for expected in expected {
        assert!(entries.contains(&expected), "{expected} is not in {entries:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn callers_see_their_own_jobs_and_administrators_those_of_their_part() {
    let gated = GatedServer::start().await;
    let server = &gated.server;
    let [main, other] = [Some(&["main"][..]), Some(&["other"][..])];
    let owner = server.of_part(Role::Operator, main, None);
    let job = server.start_job("/logspaces/main/verify", &owner).await;
    let seeing = [owner, admin(), server.of_part(Role::Admin, main, None)];
    let blind = [
        server.of_part(Role::Operator, main, Some("host:a")),
        server.of_part(Role::Operator, None, None),
        server.of_part(Role::Analyst, main, None),
        server.of_part(Role::Admin, other, None),
        server.of_part(Role::Admin, main, Some("host:a")),
    ];
    let path = format!("/api/v1/jobs/{}", job["id"].as_str().unwrap());
    let list =
        async |who: &As| server.call(Method::GET, "/api/v1/jobs", who, "", "").await.json()["jobs"].clone();
    for who in &blind {
        server.call(Method::GET, &path, who, "", "").await.is_problem(404, "no job");
        server.cancel(&job, who).await.is_problem(404, "no job");
        assert_eq!(list(who).await, json!([]));
    }
    for who in &seeing {
        assert_eq!(server.call(Method::GET, &path, who, "", "").await.status, 200);
        assert_eq!(list(who).await[0]["id"], job["id"]);
        assert_eq!(server.cancel(&job, who).await.status, 200);
    }
    server.call(Method::GET, &path, &As::default(), "", "").await.is_problem(401, "log in");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_so_many_jobs_wait() {
    let gated = GatedServer::start().await;
    let server = &gated.server;
    gated.gate.set(true);
    let mut jobs = Vec::new();
    for _ in 0..8 {
        jobs.push(server.start_job("/logspaces/main/verify", &admin()).await);
    }
    let refused = server.post("/api/v1/logspaces/main/verify", &json!({})).await;
    refused.is_problem(429, "you have already 8 jobs");
    assert_eq!(refused.json()["type"], "urn:logstead:problem:too-many-jobs");
    assert!(0 < refused.header("retry-after").parse::<u64>().unwrap());
    let operator = server.of_part(Role::Operator, None, None);
    jobs.push(server.start_job("/logspaces/main/verify", &operator).await);
    gated.gate.set(false);
    for job in &jobs {
        assert_eq!(server.job(job, "?wait=30s").await["state"], "done");
    }
    server.start_job("/logspaces/main/verify", &admin()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_that_cannot_be_recorded_is_not_started() {
    let data = tempfile::tempdir().unwrap();
    std::fs::write(data.path().join("jobs"), "a file where the folder belongs").unwrap();
    let server: Server = in_process::Server::start_in(data.path(), |_| {});
    let refused = server.post("/api/v1/logspaces/main/verify", &json!({})).await;
    refused.is_problem(503, "the job cannot be recorded");
    assert_eq!(server.get("/api/v1/jobs").await.json()["jobs"], json!([]));
}

impl Server {
    async fn export(&self, body: &Value, who: &As) -> Value {
        let answer = self.json(Method::POST, "/api/v1/exports", who, body).await;
        assert_eq!(answer.status, 202, "{}", answer.text());
        self.job(&answer.json(), "?wait=30s").await
    }

    async fn download(&self, job: &Value, range: &str) -> Answer {
        let path = format!("/api/v1/jobs/{}/result", job["id"].as_str().unwrap());
        let request = Request::get(path).header("accept-encoding", "gzip").header("range", range);
        self.send(admin().sign(request).body(Body::empty()).unwrap()).await
    }
}

/// The names of the files in the folder of exports.
fn export_files(data: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(data.join("exports")).into_iter().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_export_is_a_file_that_is_downloaded_whole_or_in_parts() {
    let data = tempfile::tempdir().unwrap();
    let server: Server = in_process::Server::start_in(data.path(), |_| {});
    let lines: String = (0..5000).map(|number| format!("message number {number}\n")).collect();
    server.ingest("?logspace=main", "text/plain", lines.clone()).await;
    let done = server.export(&json!({"query": "*", "format": "raw", "order": "oldest"}), &admin()).await;
    let result = &done["result"];
    assert_eq!(
        (&done["state"], &result["kind"], &result["messages"]),
        (&json!("done"), &json!("export"), &json!(5000)),
        "{done}"
    );
    assert_eq!((&result["bytes"], &result["missing"]), (&json!(lines.len()), &json!(0)));
    assert_eq!((&done["progress"]["unit"], &done["progress"]["done"]), (&json!("messages"), &json!(5000)));
    assert_eq!(export_files(data.path()), [done["id"].as_str().unwrap()]);
    let whole = server.download(&done, "").await;
    assert_eq!((whole.status.as_u16(), whole.text() == lines), (200, true));
    assert_eq!(whole.header("content-length"), lines.len().to_string());
    assert_eq!((whole.header("accept-ranges"), whole.header("content-encoding")), ("bytes", ""));
    let named = format!("attachment; filename=\"{}\"", result["name"].as_str().unwrap());
    assert_eq!(
        (whole.header("content-disposition"), whole.header("content-type")),
        (&*named, "application/octet-stream")
    );
    let rest = server.download(&done, "bytes=60000-").await;
    assert_eq!((rest.status.as_u16(), rest.text()), (206, lines.get(60_000..).unwrap().to_owned()));
    assert_eq!(rest.header("content-range"), format!("bytes 60000-{}/{}", lines.len() - 1, lines.len()));
    assert_eq!(rest.header("content-length"), (lines.len() - 60_000).to_string());
    let beyond = server.download(&done, "bytes=9999999-").await;
    beyond.is_problem(416, "bytes");
    assert_eq!(beyond.header("content-range"), format!("bytes */{}", lines.len()));

    let table = json!({"query": "* | stats count() by logspace", "format": "csv"});
    let table = server.export(&table, &admin()).await;
    assert_eq!(server.download(&table, "").await.text(), "logspace,count\r\nmain,5000\r\n");
    let path = format!("/api/v1/jobs/{}", table["id"].as_str().unwrap());
    assert_eq!(server.call(Method::DELETE, &path, &admin(), "", "").await.status, 204);
    server.get(&path).await.is_problem(404, "no job");
    assert_eq!(export_files(data.path()), [done["id"].as_str().unwrap()]);
    let verify = server.start_job("/logspaces/main/verify", &admin()).await;
    server.job(&verify, "?wait=30s").await;
    server.download(&verify, "").await.is_problem(404, "has no file");
    server.post("/api/v1/exports", &json!({"query": "((", "format": "raw"})).await.is_problem(400, "");
    server.post("/api/v1/exports", &json!({"query": "*", "limit": 0})).await.is_problem(422, "at least 1");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_export_holds_only_what_its_owner_may_see() {
    let gated = GatedServer::start().await;
    let server = &gated.server;
    server.ingest("?logspace=other", "text/plain", "hidden\n").await;
    let analyst = server.of_part(Role::Analyst, Some(&["main"]), Some("two OR three"));
    let done = server.export(&json!({"query": "*", "format": "raw", "order": "oldest"}), &analyst).await;
    assert_eq!(done["logspaces"], json!(["main"]));
    let path = format!("/api/v1/jobs/{}/result", done["id"].as_str().unwrap());
    assert_eq!(server.call(Method::GET, &path, &analyst, "", "").await.text(), "two\nthree\n");
    for who in [
        server.of_part(Role::Analyst, Some(&["main"]), Some("two OR three")),
        server.of_part(Role::Admin, Some(&["main"]), Some("one")),
        server.of_part(Role::Admin, Some(&["other"]), None),
    ] {
        server.call(Method::GET, &path, &who, "", "").await.is_problem(404, "no job");
        let job = path.trim_end_matches("/result");
        server.call(Method::DELETE, job, &who, "", "").await.is_problem(404, "no job");
    }
    assert_eq!(server.call(Method::GET, &path, &admin(), "", "").await.status, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_export_that_is_cancelled_or_finds_no_space_leaves_no_file() {
    let (disk, data) = (GatedDisk::default(), tempfile::tempdir().unwrap());
    let gate = disk.0.clone();
    let server: Server = in_process::Server::start_on(Arc::new(disk), data.path(), |settings| {
        settings.storage.export_files_max = logstead_config::Size::kib(10);
    });
    let lines: String = (0..500).map(|number| format!("message number {number}\n")).collect();
    server.ingest("?logspace=main", "text/plain", lines).await;
    let raw = |limit: u64| json!({"query": "*", "format": "raw", "limit": limit});
    let first = server.export(&raw(300), &admin()).await;
    assert_eq!(first["state"], "done", "{first}");
    let full = server.export(&raw(500), &admin()).await;
    assert_eq!((&full["state"], &full["result"]), (&json!("failed"), &Value::Null), "{full}");
    assert_eq!(full["problem"]["type"], "urn:logstead:problem:export-space-full");
    let detail = full["problem"]["detail"].as_str().unwrap();
    assert!(detail.contains("10KiB together (storage.export_files_max)"), "{detail}");
    assert_eq!(export_files(data.path()), [first["id"].as_str().unwrap()]);
    let path = format!("/api/v1/jobs/{}", first["id"].as_str().unwrap());
    assert_eq!(server.call(Method::DELETE, &path, &admin(), "", "").await.status, 204);
    assert_eq!(server.export(&raw(400), &admin()).await["state"], "done");

    // One that waits for its turn ends without a file, and so does one after a restart.
    gate.set(true);
    let verify = server.start_job("/logspaces/main/verify", &admin()).await;
    server.wait_for_state(&verify, "running").await;
    let unfinished = format!("/api/v1/jobs/{}", verify["id"].as_str().unwrap());
    server.call(Method::DELETE, &unfinished, &admin(), "", "").await.is_problem(409, "cancel it first");
    server.download(&verify, "").await.is_problem(409, "has not ended");
    gate.set(false);
    server.job(&verify, "?wait=30s").await;
    let kept = export_files(data.path());
    drop(server);
    std::fs::write(data.path().join("exports/half.part"), "half").unwrap();
    std::fs::write(data.path().join("exports/unknown"), "of no job").unwrap();
    let server: Server = in_process::Server::start_in(data.path(), |_| {});
    assert_eq!(export_files(data.path()), kept);
    let jobs = server.get("/api/v1/jobs").await.json()["jobs"].as_array().unwrap().clone();
    let exported = jobs.iter().find(|job| job["id"] == kept[0].as_str()).unwrap();
    assert_eq!(server.download(exported, "").await.status, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_file_of_an_export_expires_by_itself() {
    let data = tempfile::tempdir().unwrap();
    let server: Server = in_process::Server::start_in(data.path(), |settings| {
        settings.storage.export_files_age = logstead_config::Period::seconds(1);
    });
    server.ingest("?logspace=main", "text/plain", "one\n").await;
    let done = server.export(&json!({"query": "*"}), &admin()).await;
    assert_eq!(done["state"], "done", "{done}");
    tokio::task::spawn_blocking(move || {
        support::wait_until("the file is removed", || export_files(data.path()).is_empty());
    })
    .await
    .unwrap();
    assert_eq!(server.get("/api/v1/jobs").await.json()["jobs"], json!([]));
}

#[test]
fn commands_follow_jobs_and_list_download_and_delete_them() {
    let server = support::Server::start(support::ROUTER);
    server.ingest("one\ntwo\n");
    let run = |arguments: &[&str]| {
        let all = [arguments, &["--server", server.web(), "--token", support::TOKEN]].concat();
        support::output(&all)
    };
    let (code, told, error) = run(&["verify"]);
    assert_eq!(code, 0, "{told}{error}");
    assert!(told.starts_with("main: intact: 2 messages in 1 files or segments, "), "{told}");
    assert!(error.contains("it goes on if this command ends"), "{error}");
    let (code, told, error) = run(&["reindex", "--logspace", "main"]);
    assert_eq!(
        (code, told.starts_with("main: 0 indexes of 0 messages were rebuilt in ")),
        (0, true),
        "{told}{error}"
    );
    let (code, id, _) = run(&["verify", "--logspace", "main", "--detach"]);
    let id = id.trim();
    assert_eq!((code, run(&["job", "wait", id]).0), (0, 0));
    assert_eq!(run(&["job", "cancel", id]).1, "verify main: done\n");
    assert!(run(&["job", "show", id]).1.contains("\"state\": \"done\""));
    let (code, list, _) = run(&["job", "list"]);
    assert_eq!((code, list.lines().count()), (0, 4), "{list}");
    assert!(list.lines().nth(1).unwrap().contains(id), "the newest first: {list}");
    assert_eq!(run(&["job", "list", "--format", "json"]).1.lines().count(), 3);
    assert_eq!(run(&["verify", "--logspace", "nowhere"]).0, 1);
    assert_eq!(run(&["job", "wait", "nowhere"]).0, 1);
    let (_, export) = server.post("/exports", &json!({"query": "*", "format": "raw", "order": "oldest"}));
    let id = export["id"].as_str().unwrap();
    let (code, told, _) = run(&["job", "wait", id]);
    assert_eq!((code, told.starts_with("2 messages, 8 bytes: ")), (0, true), "{told}");
    assert_eq!(run(&["job", "download", id]), (0, "one\ntwo\n".to_owned(), String::new()));
    assert_eq!(run(&["job", "delete", id]).0, 0);
    assert_eq!(run(&["job", "download", id]).0, 1);
}

#[test]
fn a_killed_server_says_which_jobs_it_did_not_finish() {
    let mut server = support::Server::start_with(support::ROUTER, &["storage.segment_rows_max=1000"]);
    let line =
        "<13>1 2026-11-21T06:13:00Z web-1 app - - - the tenth of all the messages that are stored here\n";
    for _ in 0..20 {
        assert_eq!(server.ingest(&line.repeat(5000)), 5000);
    }
    let first = server.work("/logspaces/main/verify");
    assert_eq!(first["state"], "done", "{first}");
    let ids: Vec<Value> =
        (0..8).map(|_| server.post("/logspaces/main/verify", &json!({})).1["id"].clone()).collect();
    server.kill_and_restart();
    let jobs = server.call("GET", "/jobs", &[], b"").1["jobs"].as_array().unwrap().clone();
    assert_eq!(jobs.len(), 9);
    let last = &jobs[0];
    assert_eq!((&last["id"], &last["state"]), (&ids[7], &json!("interrupted")), "{last}");
    assert_eq!((&last["result"], last["finished_at"].is_string()), (&Value::Null, true), "{last}");
    for job in &jobs {
        let is_whole = job["state"] == "done" && job["result"]["messages"] == 100_000;
        assert!(is_whole || job["state"] == "interrupted" && job["result"].is_null(), "{job}");
    }
    assert_eq!(server.call("GET", "/logspaces", &[], b"").1["work"], Value::Null, "nothing starts by itself");
    assert_eq!(jobs[8]["result"], first["result"]);

    // A record that is damaged, or gone, concerns no other job.
    server.kill();
    let file = |id: &Value| server.data().join(format!("jobs/{}.job", id.as_str().unwrap()));
    let mut bytes = std::fs::read(file(&ids[0])).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(file(&ids[0]), bytes).unwrap();
    std::fs::remove_file(file(&ids[1])).unwrap();
    server.restart();
    let again = server.call("GET", "/jobs", &[], b"").1["jobs"].as_array().unwrap().clone();
    let rest: Vec<&Value> = jobs.iter().filter(|job| job["id"] != ids[0] && job["id"] != ids[1]).collect();
    assert_eq!(again.iter().collect::<Vec<_>>(), rest);

    // A server that is told to stop does not wait for jobs.
    server.post("/logspaces/main/verify", &json!({}));
    let (_, queued) = server.post("/logspaces/main/verify", &json!({}));
    assert!(server.terminate().success());
    server.restart();
    let job = server.call("GET", &format!("/jobs/{}", queued["id"].as_str().unwrap()), &[], b"").1;
    assert_eq!(job["state"], "interrupted", "{job}");
}
