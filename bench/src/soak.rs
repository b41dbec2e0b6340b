//! Hours of load: a steady stream over TCP and RELP while users work, and the memory that the server uses.
//!
//! The verdict concerns the time after the warm-up: whether memory still grows, and whether the server accounts for
//! it.

use crate::growth;
use crate::measure::print;
use crate::server::{Counters, LoadProcess, MeasuredServer, Server, router, source};
use crate::verdict::{self, MEMORY_TOLERANCE};
use crate::visitors::{self, RequestTimes};
use anyhow::{Context as _, Result, ensure};
use clap::Args;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How long searchers pause between two questions.
const SEARCH_PAUSE: Duration = Duration::from_millis(100);
const SEARCHERS: usize = 2;
/// Maximum time at the end until everything that was sent is stored.
const SETTLE_WAIT_MAX: Duration = Duration::from_secs(60);

const INTERNAL: &str = "[[sources]]\nid = \"internal\"\nkind = \"internal\"\n";

#[derive(Args, Debug)]
pub(crate) struct Soak {
    #[command(flatten)]
    subject: MeasuredServer,
    /// The data directory of the server; its contents are removed
    #[arg(long, default_value = "target/bench-soak")]
    data: PathBuf,
    #[arg(long, default_value_t = 60.0)]
    minutes: f64,
    /// Messages per second, half of them over TCP and half over RELP
    #[arg(long, default_value_t = 50_000)]
    rate: u64,
    /// Lines to send repeatedly, instead of generated messages
    #[arg(long)]
    corpus: Option<PathBuf>,
    /// Seconds between two samples
    #[arg(long, default_value_t = 5.0)]
    interval: f64,
    /// The file for the samples
    #[arg(long, value_name = "FILE", default_value = "target/bench-soak.csv")]
    csv: PathBuf,
}

/// The server at one moment.
struct SoakSample {
    seconds: f64,
    resident: f64,
    /// The memory that the server accounts for; some of its kinds follow.
    accounted: f64,
    tail: f64,
    sealing: f64,
    rest: f64,
    freed: f64,
    open_files: usize,
    threads: usize,
    segments: u64,
    unsealed_files: u64,
    stored: u64,
}

const COLUMNS: &str = "seconds,resident_MiB,accounted_MiB,tail_MiB,sealing_MiB,rest_MiB,freed_MiB,open_files,threads,segments,unsealed_files,stored";

impl Soak {
    pub(crate) fn run(&self) -> Result<()> {
        let sources = [source("syslog", "tcp", ""), source("relp", "relp", ""), INTERNAL.to_owned()];
        let server = self.subject.serve(&self.data, &router(&sources, ""))?;
        let (took, tailed, stop) = (RequestTimes::default(), AtomicU64::new(0), AtomicBool::new(false));
        let loads = [self.load(&server, "tcp")?, self.load(&server, "relp")?];
        let samples = std::thread::scope(|scope| {
            for _ in 0..SEARCHERS {
                scope.spawn(|| visitors::search(&server, SEARCH_PAUSE, &took, &stop));
            }
            let tail = scope.spawn(|| visitors::tail(&server, "*", &tailed, &stop));
            let samples = self.samples(&server);
            stop.store(true, Ordering::Relaxed);
            let tail = tail.join().unwrap_or_else(|_| anyhow::bail!("a panic"));
            tail.context("the tail broke")?;
            samples
        })?;
        let mut sent = 0;
        for load in loads {
            let load = load.end()?;
            ensure!(load.text("broken").is_empty(), "a connection of the load generator broke");
            sent += load.number("messages") as u64;
        }
        let stored = settled(&server, sent)?;
        self.verdict(&samples, sent, stored, &took, tailed.into_inner())
    }

    fn load(&self, server: &Server, scheme: &str) -> Result<LoadProcess> {
        let file = |path: &PathBuf| [format!("--read-file={}", path.display()), "--loop".to_owned()];
        let corpus: Vec<String> = self.corpus.iter().flat_map(file).collect();
        self.subject.load(server.url(scheme)?, self.rate / 2, self.minutes, &corpus)
    }

    /// Takes samples of the server until the load ends.
    fn samples(&self, server: &Server) -> Result<Vec<SoakSample>> {
        let (start, mut samples, mut minute) = (Instant::now(), Vec::new(), 0.0);
        let mut csv = COLUMNS.to_owned() + "\n";
        print(COLUMNS)?;
        while start.elapsed().as_secs_f64() < self.minutes * 60.0 {
            std::thread::sleep(Duration::from_secs_f64(self.interval));
            let sample = SoakSample::take(server, start.elapsed().as_secs_f64())?;
            writeln!(csv, "{}", sample.row())?;
            // The whole file is written each time, so that an interrupted run leaves its samples.
            std::fs::write(&self.csv, &csv)?;
            if minute <= sample.seconds {
                print(&sample.row())?;
                minute += 60.0;
            }
            samples.push(sample);
        }
        Ok(samples)
    }

    fn verdict(
        &self,
        samples: &[SoakSample],
        sent: u64,
        stored: u64,
        took: &RequestTimes,
        tailed: u64,
    ) -> Result<()> {
        let warm_up = growth::warm_up(self.minutes);
        let steady: Vec<&SoakSample> = samples.iter().filter(|sample| warm_up <= sample.seconds).collect();
        let memory: Vec<_> = steady.iter().map(|sample| (sample.seconds, sample.resident)).collect();
        let (resident, accounted) =
            (mean(&steady, |sample| sample.resident), mean(&steady, |sample| sample.accounted));
        let difference = (resident - accounted).abs() / accounted.max(1.0);
        let (failed, why) = took.failures();
        let rows = [
            ("every message is stored once", format!("{sent} sent, {stored} stored"), sent == stored),
            ("no search failed", format!("{} of {} {why}", failed, took.count() + failed), failed == 0),
            ("search p99", format!("{:.0} ms", took.quantile(0.99)), true),
            ("tail", format!("{} MiB", tailed >> 20), 0 < tailed),
            growth::claim(&memory),
            (
                "memory is what is accounted for",
                format!("{resident:.0} MiB resident, {accounted:.0} MiB accounted for, on average"),
                difference <= MEMORY_TOLERANCE,
            ),
        ];
        print(&format!("samples: {}", self.csv.display()))?;
        verdict::tell(&rows)
    }
}

impl SoakSample {
    fn take(server: &Server, seconds: f64) -> Result<SoakSample> {
        let mebibytes = |bytes: u64| bytes as f64 / f64::from(1 << 20);
        let counters = server.counters()?;
        let kind = |kind: &str| mebibytes(counters.get(&format!("memory_bytes{{kind=\"{kind}\"}}")));
        Ok(SoakSample {
            seconds,
            resident: mebibytes(server.resident_bytes()?),
            // `rest` is the memory that no limit accounts for.
            accounted: mebibytes(counters.get("memory_bytes")) - kind("rest"),
            tail: kind("tail"),
            sealing: kind("sealing"),
            rest: kind("rest"),
            freed: kind("freed"),
            open_files: server.entries("fd")?,
            threads: server.entries("task")?,
            segments: counters.get("logspace_segments"),
            unsealed_files: counters.get("unsealed_files"),
            stored: counters.get("logspace_messages_total"),
        })
    }

    fn row(&self) -> String {
        format!(
            "{:.0},{:.1},{:.1},{:.1},{:.1},{:.1},{:.1},{},{},{},{},{}",
            self.seconds,
            self.resident,
            self.accounted,
            self.tail,
            self.sealing,
            self.rest,
            self.freed,
            self.open_files,
            self.threads,
            self.segments,
            self.unsealed_files,
            self.stored
        )
    }
}

/// Waits until everything that was sent is stored, not counting the server's own log.
fn settled(server: &Server, sent: u64) -> Result<u64> {
    let start = Instant::now();
    loop {
        let own = |counters: &Counters| counters.get("source_messages_total{source=\"internal\"}");
        let counters = server.counters()?;
        let stored = counters.get("logspace_messages_total").saturating_sub(own(&counters));
        if sent <= stored || SETTLE_WAIT_MAX < start.elapsed() {
            return Ok(stored);
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn mean(samples: &[&SoakSample], of: impl Fn(&SoakSample) -> f64) -> f64 {
    samples.iter().map(|sample| of(sample)).sum::<f64>() / samples.len().max(1) as f64
}
