//! A server being measured: the real binary on a fresh data directory, its counters, and the kernel's figures for it.

use crate::measure::memory_bytes;
use anyhow::{Context as _, Result, bail, ensure};
use clap::Args;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The token for requests as the administrator.
pub(crate) const TOKEN: &str = "bench";
/// The unit in which Linux counts CPU time, on every architecture.
const TICK_MICROS: u64 = 10_000;
/// The setting with which a journal file is sealed a second after its last message, for runs that also measure
/// sealing.
pub(crate) const SEAL_SOON: &str = "storage.seal_after=1s";

/// The server to measure.
#[derive(Args, Debug)]
pub(crate) struct MeasuredServer {
    /// The binary of the server and the load generator
    #[arg(long, default_value = "target/release/logstead")]
    binary: PathBuf,
    /// A setting of the server, such as `memory.tail_max=256MiB`; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
}

impl MeasuredServer {
    /// Starts a server on a fresh data directory.
    pub(crate) fn serve(&self, data: &Path, router: &str) -> Result<Server> {
        self.serve_with(data, router, &[])
    }

    /// The same with settings of the run, which precede those of the caller.
    pub(crate) fn serve_with(&self, data: &Path, router: &str, settings: &[&str]) -> Result<Server> {
        let binary = self.binary.display();
        ensure!(self.binary.exists(), "{binary} is missing: build it, or name it with --binary");
        let settings: Vec<&str> =
            settings.iter().copied().chain(self.settings.iter().map(String::as_str)).collect();
        Server::start(&self.binary, data, router, &settings)
    }

    /// Starts a steady load for some minutes.
    pub(crate) fn load(&self, url: &str, rate: u64, minutes: f64, more: &[String]) -> Result<LoadProcess> {
        let steady = [url.to_owned(), format!("--rate={rate}"), format!("--interval={}", minutes * 60.0)];
        self.send(&[&steady, more].concat())
    }

    /// Starts a load with these arguments.
    pub(crate) fn send(&self, arguments: &[String]) -> Result<LoadProcess> {
        Load::start(&self.binary, arguments)
    }
}

/// A source of a router document, on a free port. Its id is the scheme.
pub(crate) fn source(kind: &str, scheme: &str, keys: &str) -> String {
    format!(
        "[[sources]]\nid = \"{scheme}\"\nkind = \"{kind}\"\nlisten = [\"{scheme}://127.0.0.1:0\"]\n{keys}"
    )
}

/// A router document with these sources, whose messages all go to one logspace.
pub(crate) fn router(sources: &[String], logspace_keys: &str) -> String {
    format!(
        "version = 1\n{}[[logspaces]]\nid = \"main\"\nretention = {{ age = \"90d\" }}\n{logspace_keys}\
         [[routes]]\nid = \"default\"\nto = [\"main\"]\n",
        sources.concat()
    )
}

/// A running server, killed when this is dropped.
pub(crate) struct Server {
    binary: PathBuf,
    arguments: Vec<OsString>,
    child: Child,
    web: String,
    /// Pairs of source and URL.
    listening: Vec<(String, String)>,
    agent: ureq::Agent,
}

impl Server {
    /// Starts the binary with a router document, on free ports.
    pub(crate) fn start(binary: &Path, data: &Path, router: &str, settings: &[&str]) -> Result<Server> {
        if data.exists() {
            std::fs::remove_dir_all(data)?;
        }
        std::fs::create_dir_all(data)?;
        let document = data.join("router.toml");
        std::fs::write(&document, router)?;
        let mut arguments: Vec<OsString> = vec!["serve".into(), "--data".into(), data.join("store").into()];
        arguments.extend(["--router".into(), document.into()]);
        for setting in ["web.listen=127.0.0.1:0", "log.level=warn"].iter().chain(settings) {
            arguments.extend(["--set".into(), setting.into()]);
        }
        Server::launch(binary.to_owned(), arguments)
    }

    /// Starts the binary and reads the addresses at which it listens.
    fn launch(binary: PathBuf, arguments: Vec<OsString>) -> Result<Server> {
        let mut command = Command::new(&binary);
        command.args(&arguments).env("LOGSTEAD_ADMIN_TOKEN", TOKEN);
        command.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().with_context(|| format!("{}", binary.display()))?;
        let out = child.stdout.take().context("the server has no standard output")?;
        let (web, listening) = (String::new(), Vec::new());
        let mut server = Server { binary, arguments, child, web, listening, agent: agent() };
        for line in BufReader::new(out).lines() {
            let line = line?;
            if let Some(listener) = line.strip_prefix("listening: ") {
                let listener = listener.split_once(' ').map(|(id, url)| (id.to_owned(), url.to_owned()));
                server.listening.extend(listener);
            } else if let Some(web) = line.strip_prefix("ready: console ") {
                web.clone_into(&mut server.web);
                return Ok(server);
            }
        }
        let status = server.child.wait()?;
        let repeat: Vec<_> = server.arguments.iter().map(|argument| argument.to_string_lossy()).collect();
        bail!(
            "the server ended before it was ready ({status}); run `{} {}` to see why",
            server.binary.display(),
            repeat.join(" ")
        )
    }

    /// Ends the server at once, like a crash would, and starts it again with the data that it has stored.
    pub(crate) fn kill_and_restart(&mut self) -> Result<()> {
        self.restart_after(|| Ok(()))
    }

    /// The same, with another setting from now on.
    pub(crate) fn restart_with(&mut self, setting: &str) -> Result<()> {
        self.arguments.extend(["--set".into(), setting.into()]);
        self.kill_and_restart()
    }

    /// The same, with an action while no server runs.
    pub(crate) fn restart_after(&mut self, action: impl FnOnce() -> Result<()>) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        action()?;
        *self = Server::launch(self.binary.clone(), self.arguments.clone())?;
        Ok(())
    }

    /// The URL of a path of the web listener.
    pub(crate) fn web_url(&self, path: &str) -> String {
        format!("{}{path}", self.web)
    }

    /// The URL of a listener.
    pub(crate) fn url(&self, scheme: &str) -> Result<&str> {
        let prefix = format!("{scheme}://");
        let found = self.listening.iter().map(|(_, url)| url.as_str()).find(|url| url.starts_with(&prefix));
        found.with_context(|| format!("the server has no {scheme} listener"))
    }

    /// The address of a listener.
    pub(crate) fn address(&self, scheme: &str) -> Result<SocketAddr> {
        address_in(self.url(scheme)?)
    }

    /// The address of the only listener of a source.
    pub(crate) fn address_of(&self, source: &str) -> Result<SocketAddr> {
        let found = self.listening.iter().find(|(id, _)| id == source);
        address_in(&found.with_context(|| format!("the source {source} has no listener"))?.1)
    }

    /// The address of the web port.
    pub(crate) fn web(&self) -> Result<SocketAddr> {
        Ok(self.web.trim_start_matches("http://").parse()?)
    }

    /// Sends a request to the API, over a new connection, as a new user would.
    pub(crate) fn post(&self, path: &str, body: &serde_json::Value) -> Result<serde_json::Value> {
        let request = agent().post(format!("{}/api/v1{path}", self.web));
        let mut answer = request.header("Authorization", format!("Bearer {TOKEN}")).send_json(body)?;
        Ok(answer.body_mut().read_json()?)
    }

    /// The same over the connection of the previous request.
    pub(crate) fn ask(&self, path: &str, body: &serde_json::Value) -> Result<serde_json::Value> {
        let request = self.agent.post(format!("{}/api/v1{path}", self.web));
        let mut answer = request.header("Authorization", format!("Bearer {TOKEN}")).send_json(body)?;
        Ok(answer.body_mut().read_json()?)
    }

    /// The same over a new connection, without a token.
    pub(crate) fn post_as_stranger(&self, path: &str, body: &serde_json::Value) -> Result<serde_json::Value> {
        let mut answer = agent().post(format!("{}/api/v1{path}", self.web)).send_json(body)?;
        Ok(answer.body_mut().read_json()?)
    }

    /// Pauses or resumes a destination.
    pub(crate) fn act(&self, destination: &str, action: &str) -> Result<()> {
        let url = format!("{}/api/v1/destinations/{destination}/{action}", self.web);
        self.agent.post(url).header("Authorization", format!("Bearer {TOKEN}")).send_empty()?;
        Ok(())
    }

    /// Sends a GET request; the body of the response is still to be read.
    pub(crate) fn get(&self, path: &str) -> Result<ureq::http::Response<ureq::Body>> {
        let request = agent().get(format!("{}/api/v1{path}", self.web));
        Ok(request.header("Authorization", format!("Bearer {TOKEN}")).call()?)
    }

    /// The number of entries in a folder of `/proc/PID`, such as `fd` or `task`.
    pub(crate) fn entries(&self, folder: &str) -> Result<usize> {
        Ok(std::fs::read_dir(format!("/proc/{}/{folder}", self.child.id()))?.count())
    }

    /// All counters, without the prefix `logstead_`.
    pub(crate) fn counters(&self) -> Result<Counters> {
        let request = self.agent.get(format!("{}/metrics", self.web));
        let mut answer = request.header("Authorization", format!("Bearer {TOKEN}")).call()?;
        Ok(Counters::parse(&answer.body_mut().read_to_string()?))
    }

    /// The number of messages that a search finds.
    pub(crate) fn found(&self) -> Result<u64> {
        let answer = self.ask("/count", &serde_json::json!({ "query": "*" }))?;
        answer["count"].as_u64().context("an answer without a count")
    }

    /// CPU time of all threads, user and system.
    pub(crate) fn cpu_micros(&self) -> Result<u64> {
        cpu_micros(&self.child.id().to_string(), [11, 12])
    }

    /// The same without the sealers: they lag behind, so an arbitrary part of their time would be included.
    pub(crate) fn cpu_micros_without_sealing(&self) -> Result<u64> {
        let threads = self.threads()?;
        let sealers = threads.iter().filter(|(name, _)| name.starts_with("sealer"));
        let sealing: u64 = sealers.map(|(_, [user, system])| user + system).sum();
        Ok(self.cpu_micros()?.saturating_sub(sealing))
    }

    /// CPU time of the threads by name, user and system.
    pub(crate) fn threads(&self) -> Result<BTreeMap<String, [u64; 2]>> {
        let mut threads = BTreeMap::<String, [u64; 2]>::new();
        for task in std::fs::read_dir(format!("/proc/{}/task", self.child.id()))? {
            let task = task?.path();
            // A thread that has ended in the meantime has no figures.
            let Ok(name) = std::fs::read_to_string(task.join("comm")) else { continue };
            let Ok(stat) = std::fs::read_to_string(task.join("stat")) else { continue };
            let (user, system) = (ticks_micros(&stat, 11)?, ticks_micros(&stat, 12)?);
            let of_name = threads.entry(name.trim().to_owned()).or_default();
            *of_name = [of_name[0] + user, of_name[1] + system];
        }
        Ok(threads)
    }

    /// CPU time of each thread that runs now, in nanoseconds: far finer than the other figures, but threads that have
    /// ended are missing.
    pub(crate) fn thread_nanos(&self) -> Result<BTreeMap<u32, u64>> {
        let mut nanos = BTreeMap::new();
        for task in std::fs::read_dir(format!("/proc/{}/task", self.child.id()))? {
            let task = task?;
            let Some(id) = task.file_name().to_str().and_then(|id| id.parse().ok()) else { continue };
            // A thread that has ended in the meantime has no figures.
            let Ok(figures) = std::fs::read_to_string(task.path().join("schedstat")) else { continue };
            let running = figures.split(' ').next().and_then(|running| running.parse().ok());
            nanos.insert(id, running.context("/proc says no CPU time")?);
        }
        Ok(nanos)
    }

    /// Whether a thread runs, waits for a core, or waits for the disk.
    pub(crate) fn is_busy(&self) -> Result<bool> {
        for task in std::fs::read_dir(format!("/proc/{}/task", self.child.id()))? {
            let Ok(stat) = std::fs::read_to_string(task?.path().join("stat")) else { continue };
            let (_, rest) = stat.rsplit_once(") ").context("/proc has no name")?;
            if rest.starts_with(['R', 'D']) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub(crate) fn peak_bytes(&self) -> Result<u64> {
        memory_bytes(&self.child.id().to_string(), "VmHWM")
    }

    pub(crate) fn resident_bytes(&self) -> Result<u64> {
        memory_bytes(&self.child.id().to_string(), "VmRSS")
    }
}

impl Drop for Server {
    /// The data is no longer needed, so the server need not be stopped cleanly.
    fn drop(&mut self) {
        // It may have ended already, so errors are ignored.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn address_in(url: &str) -> Result<SocketAddr> {
    let (_, address) = url.split_once("://").context("a URL without a scheme")?;
    Ok(address.parse()?)
}

fn agent() -> ureq::Agent {
    ureq::Agent::config_builder().proxy(None).build().into()
}

/// CPU time of the ended child processes.
pub(crate) fn ended_children_cpu_micros() -> Result<u64> {
    cpu_micros("self", [13, 14])
}

/// The sum of two fields of `/proc/PID/stat`.
pub(crate) fn cpu_micros(pid: &str, fields: [usize; 2]) -> Result<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"))?;
    Ok(ticks_micros(&stat, fields[0])? + ticks_micros(&stat, fields[1])?)
}

/// A time in `/proc/PID/stat`, by its position after the name, which may contain spaces.
fn ticks_micros(stat: &str, field: usize) -> Result<u64> {
    let (_, rest) = stat.rsplit_once(") ").context("/proc has no name")?;
    let value = rest.split(' ').nth(field).and_then(|value| value.parse::<u64>().ok());
    Ok(value.context("/proc says no CPU time")? * TICK_MICROS)
}

/// The counters at one moment: by name and labels, and summed over the labels.
#[derive(Default)]
pub(crate) struct Counters(BTreeMap<String, f64>);

impl Counters {
    fn parse(text: &str) -> Counters {
        let mut sums = BTreeMap::new();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let Some((name, value)) = line.rsplit_once(' ') else { continue };
            let (name, value) = (name.trim_start_matches("logstead_"), value.parse().unwrap_or(0.0));
            if let Some((plain, _)) = name.split_once('{') {
                *sums.entry(plain.to_owned()).or_default() += value;
            }
            *sums.entry(name.to_owned()).or_default() += value;
        }
        Counters(sums)
    }

    /// The value of a counter; 0 if nothing was counted.
    pub(crate) fn get(&self, name: &str) -> u64 {
        self.0.get(name).copied().unwrap_or_default() as u64
    }
}

/// The summary of the load generator.
pub(crate) struct Load(BTreeMap<String, String>);

impl Load {
    /// Runs the load generator to its end.
    pub(crate) fn run(binary: &Path, arguments: &[String]) -> Result<Load> {
        Load::start(binary, arguments)?.end()
    }

    pub(crate) fn start(binary: &Path, arguments: &[String]) -> Result<LoadProcess> {
        let mut command = Command::new(binary);
        command.arg("loadgen").args(arguments).arg("--quiet").stdout(Stdio::piped()).stderr(Stdio::piped());
        Ok(LoadProcess { child: command.spawn().with_context(|| format!("{}", binary.display()))? })
    }

    pub(crate) fn text(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }

    /// A number in the summary; 0 if it is missing.
    pub(crate) fn number(&self, name: &str) -> f64 {
        self.text(name).parse().unwrap_or(0.0)
    }
}

/// A running load generator.
pub(crate) struct LoadProcess {
    child: Child,
}

impl LoadProcess {
    pub(crate) fn is_running(&mut self) -> Result<bool> {
        Ok(self.child.try_wait()?.is_none())
    }

    pub(crate) fn end(mut self) -> Result<Load> {
        let (mut out, mut error) = (String::new(), String::new());
        if let (Some(mut stdout), Some(mut stderr)) = (self.child.stdout.take(), self.child.stderr.take()) {
            stdout.read_to_string(&mut out)?;
            stderr.read_to_string(&mut error)?;
        }
        let status = self.child.wait()?;
        ensure!(status.success(), "the load generator ends with {status}: {error}");
        let pairs = out.lines().filter_map(|line| line.split_once(": "));
        Ok(Load(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_added_up_over_their_labels() {
        let text = "# HELP logstead_a A.\nlogstead_a{x=\"1 2\"} 3\nlogstead_a{x=\"2\"} 4\nlogstead_b 1.5\n";
        let counters = Counters::parse(text);
        assert_eq!(["a", "a{x=\"2\"}", "b", "c"].map(|name| counters.get(name)), [7, 4, 1, 0]);
    }

    #[test]
    fn the_kernel_says_what_a_process_needs() {
        let start = std::time::Instant::now();
        while cpu_micros("self", [11, 12]).expect("a figure") == 0 {
            assert!(start.elapsed().as_secs() < 10, "CPU time passes");
        }
        assert!(0 < memory_bytes("self", "VmHWM").expect("a figure"));
        assert!(ended_children_cpu_micros().is_ok());
    }
}
