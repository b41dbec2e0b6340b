//! How long searches take on messages that have just been received: while they are sent, while they are sealed, while
//! the last of them wait to be sealed, and right after the server was killed and restarted.

use crate::measure::print;
use crate::server::{LoadProcess, MeasuredServer, Server, ended_children_cpu_micros, router, source};
use crate::table::{aligned, mebibytes};
use anyhow::{Result, ensure};
use clap::Args;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How many times all questions are asked at rest.
const ROUNDS: usize = 20;
/// The pause between two rounds of questions.
const PAUSE: Duration = Duration::from_millis(20);
/// Maximum time for sealing.
const SEALING_MAX: Duration = Duration::from_secs(120);

#[derive(Args, Debug)]
pub(crate) struct Fresh {
    #[command(flatten)]
    subject: MeasuredServer,
    /// Lines to send, repeated from the beginning if there are too few; by default, lines are generated from a seed
    #[arg(long)]
    corpus: Option<PathBuf>,
    /// The number of messages
    #[arg(long, default_value_t = 1_000_000)]
    messages: u64,
    /// The folder for the server's data; its contents are removed, before and after
    #[arg(long, default_value = "target/bench-fresh")]
    data: PathBuf,
}

/// The questions, each with its name, its API path and its body.
fn questions() -> [(&'static str, &'static str, Value); 5] {
    let histogram = json!({ "query": "error", "buckets": 144 });
    let hosts = json!({ "query": "error", "fields": ["host"], "limit": 10 });
    [
        ("word", "/count", json!({ "query": "error" })),
        ("needle", "/count", json!({ "query": "needle" })),
        ("phrase", "/count", json!({ "query": "\"connection from\"" })),
        ("histogram", "/histogram", histogram),
        ("top hosts", "/facets", hosts),
    ]
}

/// The times of each question in one state of the store.
struct StoreTimes {
    name: &'static str,
    unsealed_max: u64,
    times: [Vec<Duration>; 5],
}

impl Fresh {
    pub(crate) fn run(&self) -> Result<()> {
        let store = self.data.join("server");
        let made = self.data.join("made.log");
        if self.data.exists() {
            std::fs::remove_dir_all(&self.data)?;
        }
        std::fs::create_dir_all(&self.data)?;
        let lines = match &self.corpus {
            Some(corpus) => corpus,
            None => {
                std::fs::write(&made, crate::corpus::lines(self.messages.min(1_000_000) as usize))?;
                &made
            }
        };
        let mut server = self.subject.serve(&store, &router(&[source("syslog", "tcp", "")], ""))?;
        let before = (server.cpu_micros()?, ended_children_cpu_micros()?);
        let load = self.subject.send(&[
            server.url("tcp")?.to_owned(),
            format!("--read-file={}", lines.display()),
            "--loop".to_owned(),
            format!("--number={}", self.messages),
        ])?;
        let mut states = Vec::new();
        let rate = self.send(&server, load, &mut states)?;
        let sender_micros = ended_children_cpu_micros()? - before.1;
        let sealing = Instant::now();
        self.seal(&server, &mut states)?;
        let sealed = sealing.elapsed();
        let each = |micros: u64| micros as f64 / self.messages as f64;
        print(&format!(
            "{} messages, {rate:.0} a second; {:.2} us of CPU each with sealing and searches, the sender's {:.2}; \
             peak {} MiB; sealed {:.1} s after the last",
            self.messages,
            each(server.cpu_micros()? - before.0),
            each(sender_micros),
            mebibytes(server.peak_bytes()?),
            sealed.as_secs_f64(),
        ))?;
        states.push(rest(&server, "at rest")?);
        let killed = Instant::now();
        server.kill_and_restart()?;
        print(&format!("killed, and ready again after {:.2} s", killed.elapsed().as_secs_f64()))?;
        states.push(rest(&server, "after the kill")?);
        drop(server);
        std::fs::remove_dir_all(&self.data)?;
        print(&aligned(&rows(&states)))
    }

    /// Asks until everything is sent, and returns the rate of messages per second.
    fn send(&self, server: &Server, mut load: LoadProcess, states: &mut Vec<StoreTimes>) -> Result<f64> {
        let mut state = StoreTimes::new("while they are sent");
        while load.is_running()? {
            state.ask(server)?;
        }
        states.push(state);
        Ok(load.end()?.number("messages/s"))
    }

    /// Asks until no full journal file is waiting to be sealed.
    fn seal(&self, server: &Server, states: &mut Vec<StoreTimes>) -> Result<()> {
        let mut state = StoreTimes::new("while they are sealed");
        let started = Instant::now();
        loop {
            let counters = server.counters()?;
            let is_received = self.messages <= counters.get("logspace_messages_total");
            if is_received && counters.get("unsealed_files") == 0 {
                states.push(state);
                return Ok(());
            }
            ensure!(started.elapsed() < SEALING_MAX, "not sealed after {} s", SEALING_MAX.as_secs());
            state.ask(server)?;
        }
    }
}

fn rest(server: &Server, name: &'static str) -> Result<StoreTimes> {
    let mut state = StoreTimes::new(name);
    (0..ROUNDS).try_for_each(|_| state.ask(server))?;
    Ok(state)
}

impl StoreTimes {
    fn new(name: &'static str) -> StoreTimes {
        StoreTimes { name, unsealed_max: 0, times: Default::default() }
    }

    /// Asks each question once.
    fn ask(&mut self, server: &Server) -> Result<()> {
        let counters = server.counters()?;
        let sealed = counters.get("logspace_sealed_messages");
        self.unsealed_max =
            self.unsealed_max.max(counters.get("logspace_stored_messages").saturating_sub(sealed));
        for ((_, path, body), times) in questions().iter().zip(&mut self.times) {
            let start = Instant::now();
            server.ask(path, body)?;
            times.push(start.elapsed());
        }
        std::thread::sleep(PAUSE);
        Ok(())
    }

    /// The median and the 99th percentile, in milliseconds.
    fn cells(&self) -> Vec<String> {
        let mut cells =
            vec![self.name.to_owned(), self.unsealed_max.to_string(), self.times[0].len().to_string()];
        for times in &self.times {
            let mut times = times.clone();
            times.sort_unstable();
            let at = |part: usize| {
                let time = times.get((times.len() * part / 100).min(times.len().saturating_sub(1)));
                time.map_or_else(|| "-".to_owned(), |time| format!("{:.1}", time.as_secs_f64() * 1000.0))
            };
            cells.push(format!("{} {}", at(50), at(99)));
        }
        cells
    }
}

fn rows(states: &[StoreTimes]) -> Vec<Vec<String>> {
    let names = questions().map(|(name, ..)| format!("{name}: p50 p99, ms"));
    let head = ["", "unsealed, most", "rounds"].map(str::to_owned).into_iter().chain(names).collect();
    std::iter::once(head).chain(states.iter().map(StoreTimes::cells)).collect()
}
