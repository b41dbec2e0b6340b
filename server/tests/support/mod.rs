//! The real binary in a temporary directory on free ports, and a client that speaks to it.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::zombie_processes,
    reason = "support of several test files"
)]

pub mod books;
pub mod collector;
pub mod loads;
pub mod memory_group;
pub mod protobuf;
pub mod record;
pub mod relp_server;
pub mod small_disk;

use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;

pub const TOKEN: &str = "administrator";
/// The longest time that a test waits for an expected event.
pub const WAIT_MAX: Duration = Duration::from_secs(30);

pub const ROUTER: &str = r#"
version = 1

[[sources]]
id = "syslog"
kind = "syslog"
listen = ["udp://127.0.0.1:0", "tcp://127.0.0.1:0"]

[[sources]]
id = "http"
kind = "http"

[[logspaces]]
id = "main"

[[routes]]
id = "default"
to = ["main"]
"#;

/// `logstead` with arguments, isolated from the settings of the caller and of this machine: the settings file, the
/// proxies and the list of authorities.
pub fn logstead(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_logstead"));
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        let is_proxy = text.to_ascii_lowercase().ends_with("_proxy");
        let is_ours = text.starts_with("LOGSTEAD_") || text.starts_with("SSL_CERT_");
        if is_proxy || is_ours || ["CREDENTIALS_DIRECTORY", "NO_COLOR"].contains(&&*text) {
            command.env_remove(name);
        }
    }
    command.env("LOGSTEAD_CONFIG", "/dev/null");
    command
}

/// The exit code, output and errors of a command that ends by itself.
pub fn output(arguments: &[&str]) -> (i32, String, String) {
    let output = logstead(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

/// A running server.
pub struct Server {
    child: Child,
    data: PathBuf,
    folder: Option<TempDir>,
    web: String,
    listening: Vec<(String, String)>,
    settings: Vec<String>,
    environment: Vec<(String, String)>,
    before: Option<String>,
}

impl Server {
    /// Starts a server in a new data directory.
    pub fn start(router: &str) -> Server {
        Server::start_with(router, &[])
    }

    /// The same with settings, in the form of `--set`.
    pub fn start_with(router: &str, settings: &[&str]) -> Server {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        Server::start_in(folder, data, router, settings)
    }

    /// The same in a data directory that the caller chooses.
    pub fn start_in(folder: TempDir, data: PathBuf, router: &str, settings: &[&str]) -> Server {
        Server::start_limited(folder, data, router, settings, None)
    }

    /// The same in a process that can open at most this many files.
    pub fn start_limited(
        folder: TempDir,
        data: PathBuf,
        router: &str,
        settings: &[&str],
        descriptors_max: Option<u32>,
    ) -> Server {
        let before = descriptors_max.map(|max| format!("ulimit -n {max}"));
        Server::start_after(folder, data, router, settings, before)
    }

    /// The same in a control group, given its file of processes.
    pub fn start_in_group(router: &str, settings: &[&str], processes: &Path) -> Server {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        let before = format!("echo $$ > '{}' || exit 9", processes.display());
        Server::start_after(folder, data, router, settings, Some(before))
    }

    /// The same after a shell command, which may set limits for the process.
    fn start_after(
        folder: TempDir,
        data: PathBuf,
        router: &str,
        settings: &[&str],
        before: Option<String>,
    ) -> Server {
        let settings: Vec<String> = settings.iter().map(|&setting| setting.to_owned()).collect();
        std::fs::write(folder.path().join("router.toml"), router).unwrap();
        let router = folder.path().join("router.toml");
        let arguments = ["--router", router.to_str().unwrap()];
        let (child, web, listening) = launch(&data, &arguments, &settings, &[], before.as_deref());
        let environment = Vec::new();
        Server { child, data, folder: Some(folder), web, listening, settings, environment, before }
    }

    /// Starts a server in a new data directory with settings and environment variables.
    pub fn start_in_environment(router: &str, settings: &[&str], environment: &[(&str, &str)]) -> Server {
        let mut server = Server::start_with(router, settings);
        server.terminate();
        server.environment =
            environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        server.restart();
        server
    }

    /// Ends it immediately.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Ends it immediately, as a power cut would end the process, and starts it again with the same data.
    pub fn kill_and_restart(&mut self) {
        self.kill();
        self.restart();
    }

    /// Starts it again on the same data.
    pub fn restart(&mut self) {
        let router = self.folder.as_ref().unwrap().path().join("router.toml");
        self.restart_with(&["--router", router.to_str().unwrap()]);
    }

    /// The same with arguments other than `--router`.
    pub fn restart_with(&mut self, arguments: &[&str]) {
        // A process that was only told to stop locks the data directory until it has ended.
        self.child.wait().unwrap();
        (self.child, self.web, self.listening) =
            launch(&self.data, arguments, &self.settings, &self.environment, self.before.as_deref());
    }

    /// Changes the settings for the next start.
    pub fn set(&mut self, settings: &[&str]) {
        self.settings = settings.iter().map(|&setting| setting.to_owned()).collect();
    }

    /// Tells it to stop and waits until it has ended.
    pub fn terminate(&mut self) -> ExitStatus {
        assert!(signal("TERM", self.child.id()));
        self.child.wait().unwrap()
    }

    /// Waits until it has ended, after it was told to stop.
    pub fn ended(&mut self) -> ExitStatus {
        self.child.wait().unwrap()
    }

    pub fn data(&self) -> &Path {
        &self.data
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn web(&self) -> &str {
        &self.web
    }

    /// The address of a web port other than that of the console, by its name.
    pub fn named(&self, name: &str) -> String {
        self.listening.iter().find(|(id, _)| id == name).unwrap().1.clone()
    }

    /// The first socket that a sender can use: a URL, or the scheme and path of a unix socket.
    pub fn listener(&self) -> String {
        let url = &self.listening[0].1;
        match url.split_once(':') {
            Some((scheme, path)) if scheme.starts_with("unix-") => {
                format!("{scheme}:{}", self.data.join(path).display())
            }
            _ => url.clone(),
        }
    }

    pub fn address(&self, scheme: &str) -> SocketAddr {
        let prefix = format!("{scheme}://");
        let url = self.listening.iter().find_map(|(_, url)| url.strip_prefix(&prefix)).unwrap();
        url.parse().unwrap()
    }

    /// The address on which a source listens.
    pub fn address_of(&self, source: &str, scheme: &str) -> SocketAddr {
        let prefix = format!("{scheme}://");
        let of_source = self.listening.iter().filter(|(id, _)| id == source);
        of_source.filter_map(|(_, url)| url.strip_prefix(&prefix)).next().unwrap().parse().unwrap()
    }

    pub fn tcp(&self) -> TcpStream {
        TcpStream::connect(self.address("tcp")).unwrap()
    }

    /// Sends bytes over TCP and closes the connection.
    pub fn send(&self, bytes: &[u8]) {
        self.tcp().write_all(bytes).unwrap();
    }

    pub fn send_udp(&self, datagrams: &[&[u8]]) {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        for datagram in datagrams {
            socket.send_to(datagram, self.address("udp")).unwrap();
        }
    }

    /// Calls the API; returns the status and the answer.
    pub fn call(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> (u16, Value) {
        self.try_call(method, path, headers, body).unwrap()
    }

    /// Like [`Server::call`], for a server that may stop meanwhile.
    fn try_call(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Result<(u16, Value), ureq::Error> {
        let agent: ureq::Agent =
            ureq::Agent::config_builder().proxy(None).http_status_as_error(false).build().into();
        let mut request = ureq::http::Request::builder()
            .method(method)
            .uri(format!("{}/api/v1{path}", self.web))
            .header("Authorization", format!("Bearer {TOKEN}"));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut answer = agent.run(request.body(body)?)?;
        let text = answer.body_mut().read_to_string()?;
        record::note(method, &answer, &text);
        Ok((answer.status().as_u16(), serde_json::from_str(&text).unwrap_or(Value::String(text))))
    }

    pub fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        self.call("POST", path, &[("Content-Type", "application/json")], body.to_string().as_bytes())
    }

    /// Starts a job and waits until it has ended; returns the job.
    pub fn work(&self, path: &str) -> Value {
        let (status, mut job) = self.post(path, &Value::Object(serde_json::Map::new()));
        assert_eq!(status, 202, "{job}");
        let path = format!("/jobs/{}?wait=1s", job["id"].as_str().unwrap());
        wait_until("a job ends", || {
            job = self.call("GET", &path, &[], b"").1;
            !job["finished_at"].is_null()
        });
        job
    }

    /// Ingests lines; returns the number of accepted ones.
    pub fn ingest(&self, lines: &str) -> u64 {
        self.try_ingest(lines).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Like [`Server::ingest`], for a server that may stop or refuse.
    pub fn try_ingest(&self, lines: &str) -> Result<u64, String> {
        let called = self.try_call("POST", "/ingest", &[("Content-Type", "text/plain")], lines.as_bytes());
        let (status, answer) = called.map_err(|error| error.to_string())?;
        if status == 200 { Ok(answer["accepted"].as_u64().unwrap()) } else { Err(answer.to_string()) }
    }

    pub fn count(&self, query: &str) -> u64 {
        let (status, answer) = self.post("/count", &serde_json::json!({ "query": query }));
        assert_eq!(status, 200, "{answer}");
        answer["count"].as_u64().unwrap()
    }

    /// The messages that match, oldest first.
    pub fn search(&self, query: &str) -> Vec<Value> {
        let request = serde_json::json!({ "query": query, "limit": 10000, "order": "oldest" });
        let (status, answer) = self.post("/search", &request);
        assert_eq!(status, 200, "{answer}");
        answer["messages"].as_array().unwrap().clone()
    }

    /// All messages that match, page by page.
    pub fn search_all(&self, query: &str) -> Vec<Value> {
        let mut request = serde_json::json!({ "query": query, "limit": 10000, "order": "oldest" });
        let mut found = Vec::new();
        loop {
            let (status, mut answer) = self.post("/search", &request);
            assert_eq!(status, 200, "{answer}");
            found.append(answer["messages"].as_array_mut().unwrap());
            if answer["cursor"].is_null() {
                return found;
            }
            request["cursor"] = answer["cursor"].take();
        }
    }

    /// Waits until this many messages match.
    pub fn wait_for(&self, query: &str, count: u64) {
        wait_until(&format!("{count} messages match {query}"), || {
            let found = self.count(query);
            assert!(found <= count, "{found} messages match {query} where {count} were sent");
            found == count
        });
    }

    /// The status and the text of `/readyz`.
    pub fn ready(&self) -> (u16, String) {
        let agent: ureq::Agent =
            ureq::Agent::config_builder().proxy(None).http_status_as_error(false).build().into();
        let mut answer = agent.get(format!("{}/readyz", self.web)).call().unwrap();
        (answer.status().as_u16(), answer.body_mut().read_to_string().unwrap())
    }

    /// A metric of the logspace `main`.
    pub fn metric(&self, name: &str) -> f64 {
        self.labelled_metric(&format!("{name}{{logspace=\"main\"}}"))
    }

    /// A metric with its labels.
    pub fn labelled_metric(&self, name: &str) -> f64 {
        let text = self.metrics();
        let line = format!("logstead_{name} ");
        let value = text.lines().find_map(|other| other.strip_prefix(&line));
        value.unwrap_or_else(|| panic!("there is no {line}in {text}")).parse().unwrap()
    }

    /// All metrics.
    pub fn metrics(&self) -> String {
        let agent: ureq::Agent = ureq::Agent::config_builder().proxy(None).build().into();
        let request = agent.get(format!("{}/metrics", self.web));
        let mut answer = request.header("Authorization", format!("Bearer {TOKEN}")).call().unwrap();
        answer.body_mut().read_to_string().unwrap()
    }

    /// A source in the status of the router.
    pub fn source(&self, id: &str) -> Value {
        let status = self.status();
        let sources = status["sources"].as_array().unwrap();
        sources
            .iter()
            .find(|source| source["id"] == id)
            .unwrap_or_else(|| panic!("no {id}: {status}"))
            .clone()
    }

    pub fn status(&self) -> Value {
        self.call("GET", "/router/status", &[], b"").1
    }

    /// Applies another router document.
    pub fn put_router(&self, toml: &str) -> (u16, Value) {
        let revision = self.status()["revision"].to_string();
        let revision = format!("\"{revision}\"");
        let headers = [("Content-Type", "application/toml"), ("If-Match", revision.as_str())];
        self.call("PUT", "/router?comment=test", &headers, toml.as_bytes())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already, so errors are ignored.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// Sends a signal to a process.
pub fn signal(name: &str, pid: u32) -> bool {
    Command::new("kill").args([&format!("-{name}"), &pid.to_string()]).status().unwrap().success()
}

/// A free port that the system does not assign by itself, so that a restarted server finds it free again.
pub fn free_port() -> u16 {
    // Tests run in many processes, so each begins with a different port.
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let start = (std::process::id() % 900) as u16 * 20;
    loop {
        let port = 12_000 + (start + NEXT.fetch_add(1, Ordering::Relaxed)) % 18_000;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

/// Waits until a condition holds; the test fails if it does not.
pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < WAIT_MAX, "waited for nothing: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Like [`logstead`], after a shell command, which may set limits for the process.
fn after(before: &str, arguments: &[&str]) -> Command {
    let plain = logstead(arguments);
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{before}; exec \"$0\" \"$@\"")]);
    command.arg(plain.get_program()).args(plain.get_args());
    for (name, value) in plain.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    command
}

fn launch(
    data: &Path,
    arguments: &[&str],
    settings: &[String],
    environment: &[(String, String)],
    before: Option<&str>,
) -> (Child, String, Vec<(String, String)>) {
    let serve = ["serve", "--data", data.to_str().unwrap(), "--set", "web.listen=127.0.0.1:0"];
    let mut command = match before {
        None => logstead(&serve),
        Some(before) => after(before, &serve),
    };
    command.args(arguments);
    for setting in settings {
        command.args(["--set", setting]);
    }
    command.env("LOGSTEAD_ADMIN_TOKEN", TOKEN).envs(environment.iter().cloned());
    let mut child = command.stderr(Stdio::inherit()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut listening = Vec::new();
    loop {
        let line = lines.next().expect("the server ends before it is ready").unwrap();
        if let Some(listener) = line.strip_prefix("listening: ") {
            let (source, url) = listener.split_once(' ').unwrap();
            listening.push((source.to_owned(), url.to_owned()));
        } else if let Some(url) = line.strip_prefix("ready: console ") {
            return (child, url.to_owned(), listening);
        }
    }
}
