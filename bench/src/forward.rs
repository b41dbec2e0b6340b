//! The cost of forwarding for the real server, in addition to storing. Each run is a pair with the same load on two
//! fresh servers, one that only stores it and one that also forwards it; the difference of their CPU times is the
//! result. The other side only counts messages.

use crate::measure::print;
use crate::server::{MeasuredServer, Server, source};
use crate::table::{aligned, median};
use crate::test_receiver::{SinkProtocol, TakeMessage, TestReceiver, nowhere};
use crate::{corpus, verdict};
use anyhow::{Context as _, Result, ensure};
use clap::{Args, ValueEnum};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The interval at which the server is asked whether it has finished; each request costs some of the CPU time being
/// measured.
const LOOK_INTERVAL: Duration = Duration::from_millis(100);
/// How long to wait without another message before giving up.
const STALL_MAX: Duration = Duration::from_secs(30);
/// Settings that prevent sealing: it costs as much as everything else, and the same with and without forwarding.
const NO_SEALING: [&str; 3] =
    ["storage.segment_rows_max=4000000", "storage.journal_file_max=1GiB", "storage.seal_after=1d"];
/// The id of the destination being measured, from which the names of its two threads follow.
const ID: &str = "out";
const SENDING: &str = "to out";
const QUEUEING: &str = "queue out";

/// The scenario to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scenario {
    /// Syslog over TCP
    Tcp,
    /// RELP with a window of 1024
    Relp,
    /// Elasticsearch's `_bulk`
    Bulk,
    /// Queueing on disk while the destination is unavailable
    Queue,
    /// Receiving while a backlog is sent, compared with receiving while it is not
    Drain,
}

#[derive(Args, Debug)]
pub(crate) struct Forward {
    #[arg(value_enum)]
    scenario: Scenario,
    #[command(flatten)]
    subject: MeasuredServer,
    /// The data directory of each server; its contents are removed
    #[arg(long, default_value = "target/bench-forward")]
    data: PathBuf,
    /// Lines to send; by default, lines are generated from a seed
    #[arg(long)]
    corpus: Option<PathBuf>,
    /// The number of messages, if they are generated
    #[arg(long, default_value_t = 2_000_000)]
    messages: usize,
    /// The number of pairs; all are printed, and the median is the result
    #[arg(long, default_value_t = 5)]
    runs: usize,
    /// Stores nothing, to measure the cost and the speed of forwarding on its own
    #[arg(long)]
    only: bool,
    /// Additional keys of the destination, such as `format = "raw"`; may be repeated
    #[arg(long = "key", value_name = "TOML")]
    keys: Vec<String>,
    /// The number of messages in the backlog
    #[arg(long, default_value_t = 10_000_000)]
    backlog: u64,
    /// How long to receive messages alongside the backlog, each time
    #[arg(long, default_value_t = 2.0)]
    seconds: f64,
    /// Messages per second to receive alongside the backlog [default: as many as possible]
    #[arg(long)]
    rate: Option<u64>,
    /// Also writes the rows to a CSV file in this folder
    #[arg(long, value_name = "DIR")]
    csv: Option<PathBuf>,
}

/// Counts messages.
#[derive(Default)]
struct MessageCounter(AtomicU64);

impl TakeMessage for MessageCounter {
    fn take(&self, _message: &[u8]) -> bool {
        self.0.fetch_add(1, Ordering::Relaxed);
        true
    }
}

/// The cost of a load to a server.
struct LoadCost {
    sent: u64,
    cpu_micros: u64,
    /// The time from the beginning of the load until the last message has arrived.
    seconds: f64,
    /// User and system time of each thread.
    threads: BTreeMap<String, [u64; 2]>,
}

const COLUMNS: [&str; 9] = [
    "run", "sent", "msg/s", "without_us/msg", "with_us/msg", "forwarding_us/msg", "sending_user_us",
    "sending_system_us", "queueing_us",
];

impl Forward {
    pub(crate) fn run(&self) -> Result<()> {
        let made = self.data.with_extension("corpus");
        let lines = match &self.corpus {
            Some(lines) => lines,
            None => {
                std::fs::write(&made, corpus::lines(self.messages))?;
                &made
            }
        };
        print(&format!("repeat: {}", self.repeat()))?;
        if self.scenario == Scenario::Drain { self.drain(lines) } else { self.pairs(lines) }
    }

    /// The command that repeats this measurement alone.
    fn repeat(&self) -> String {
        let words = std::env::args().skip(1).collect::<Vec<_>>().join(" ");
        format!("logstead-bench {words}")
    }

    fn pairs(&self, lines: &Path) -> Result<()> {
        let mut table = vec![COLUMNS.map(str::to_owned).to_vec()];
        let (mut extra, mut rates, mut sending, mut queueing) = (vec![], vec![], vec![], vec![]);
        for run in 1..=self.runs {
            let without = if self.only { None } else { Some(self.measure(lines, false)?) };
            let with = self.measure(lines, true)?;
            let each = |micros: u64| micros as f64 / with.sent as f64;
            let base = without.map_or(0.0, |cost| cost.cpu_micros as f64 / cost.sent as f64);
            let [user, system] = with.threads.get(SENDING).copied().unwrap_or_default();
            let queue: u64 = with.threads.get(QUEUEING).map_or(0, |both| both.iter().sum());
            extra.push(each(with.cpu_micros) - base);
            rates.push(with.sent as f64 / with.seconds);
            sending.push(each(user));
            queueing.push(each(queue));
            let cells = [base, each(with.cpu_micros), extra[run - 1], each(user), each(system), each(queue)];
            let mut row = vec![run.to_string(), with.sent.to_string(), format!("{:.0}", rates[run - 1])];
            row.extend(cells.map(|cell| format!("{cell:.3}")));
            table.push(row);
        }
        self.print(&table)?;
        let (extra, rate, user) = (median(extra), median(rates), median(sending));
        let cost = |limit: f64| ("CPU per message", format!("{extra:.3} us"), extra <= limit);
        let speed = |limit: f64| ("messages a second", format!("{rate:.0}"), limit <= rate);
        let rows = match self.scenario {
            _ if self.only => vec![("messages a second", format!("{rate:.0}"), true)],
            Scenario::Tcp => vec![cost(1.0), speed(500_000.0)],
            Scenario::Relp => vec![("CPU per message", format!("{extra:.3} us"), true), speed(300_000.0)],
            // Outside the kernel, the thread does little besides rendering.
            Scenario::Bulk => vec![("user CPU of sending", format!("{user:.3} us"), user <= 1.5)],
            Scenario::Queue | Scenario::Drain => vec![cost(0.25)],
        };
        print(&format!("queueing, on its own thread: {:.3} us", median(queueing)))?;
        verdict::tell(&rows)
    }

    /// Sends the lines to a fresh server, and waits until all of them have arrived.
    fn measure(&self, lines: &Path, forwards: bool) -> Result<LoadCost> {
        let (to, counted) = (nowhere()?, Arc::new(MessageCounter::default()));
        let sink = match self.protocol() {
            Some(protocol) if forwards => Some(TestReceiver::start(protocol, to, counted.clone())?),
            _ => None,
        };
        let server = self.serve(&self.router(to, forwards))?;
        let (before, start) = (server.cpu_micros()?, Instant::now());
        let load = [server.url("tcp")?.to_owned(), format!("--read-file={}", lines.display())];
        let sent = self.subject.send(&load)?.end()?.number("messages") as u64;
        ensure!(0 < sent, "there are no lines in {}", lines.display());
        if sink.is_some() {
            settle("arrived", sent, || Ok(counted.0.load(Ordering::Relaxed)))?;
        }
        let seconds = start.elapsed().as_secs_f64();
        let counter = |name: &'static str| {
            let server = &server;
            move || Ok(server.counters()?.get(name))
        };
        if !(self.only && forwards) {
            settle("are stored", sent, counter("logspace_messages_total"))?;
        }
        if forwards {
            settle("are queued", sent, counter("destination_queued_total"))?;
        }
        if sink.is_some() {
            settle("are delivered", sent, counter("destination_messages_total"))?;
        }
        let cost =
            LoadCost { sent, cpu_micros: server.cpu_micros()? - before, seconds, threads: server.threads()? };
        drop(server);
        drop(sink);
        Ok(cost)
    }

    /// Measures how much slower messages are received while a backlog is sent than while it is not. Both are measured
    /// in turns on the same server, as neither the machine nor the store stays the same.
    fn drain(&self, lines: &Path) -> Result<()> {
        let columns = ["run", "left", "waiting_msg/s", "sending_msg/s", "slower_%", "sent_msg/s"];
        let mut table = vec![columns.map(str::to_owned).to_vec()];
        let (to, counted, mut slower) = (nowhere()?, Arc::new(MessageCounter::default()), Vec::new());
        let arrived = || counted.0.load(Ordering::Relaxed);
        let server = self.serve(&backlog_router(&self.destination(to)))?;
        server.act(ID, "pause")?;
        let sink = TestReceiver::start(SinkProtocol::Tcp, to, counted.clone())?;
        self.fill(&server, lines)?;
        for run in 1..=self.runs {
            let waiting = self.receive(&server, lines)?;
            let (at_start, since) = (arrived(), Instant::now());
            server.act(ID, "resume")?;
            let sending = self.receive(&server, lines)?;
            let (sent, seconds) = (arrived(), since.elapsed().as_secs_f64());
            server.act(ID, "pause")?;
            if sent == self.backlog {
                ensure!(1 < run, "the backlog is sent before the first load ends: make it longer");
                print(&format!("the backlog is sent after {} pairs", run - 1))?;
                break;
            }
            slower.push(100.0 * (1.0 - sending / waiting));
            table.push(vec![
                run.to_string(),
                (self.backlog - at_start).to_string(),
                format!("{waiting:.0}"),
                format!("{sending:.0}"),
                format!("{:.1}", slower[run - 1]),
                format!("{:.0}", (sent - at_start) as f64 / seconds),
            ]);
        }
        server.act(ID, "resume")?;
        settle("arrived", self.backlog, || Ok(arrived()))?;
        drop(server);
        drop(sink);
        self.print(&table)?;
        let slower = median(slower);
        verdict::tell(&[("receiving is slower by", format!("{slower:.1} %"), slower <= 20.0)])
    }

    /// Fills the queue with the backlog.
    fn fill(&self, server: &Server, lines: &Path) -> Result<()> {
        let relp = server.url("relp")?.to_owned();
        let number = format!("--number={}", self.backlog);
        let load = [relp, number, format!("--read-file={}", lines.display()), "--loop".to_owned()];
        let sent = self.subject.send(&[&load[..], &["--window=16384".to_owned()]].concat())?.end()?;
        ensure!(sent.number("acknowledged") as u64 == self.backlog, "the backlog was not acknowledged");
        Ok(())
    }

    /// The number of messages received per second.
    fn receive(&self, server: &Server, lines: &Path) -> Result<f64> {
        let before = server.counters()?.get("logspace_messages_total");
        let mut load = vec![server.url("tcp")?.to_owned(), format!("--interval={}", self.seconds)];
        load.extend([format!("--read-file={}", lines.display()), "--loop".to_owned()]);
        load.extend(self.rate.map(|rate| format!("--rate={rate}")));
        let start = Instant::now();
        let sent = self.subject.send(&load)?.end()?.number("messages") as u64;
        let stored = || Ok(server.counters()?.get("logspace_messages_total") - before);
        settle("are stored", sent, stored)?;
        Ok(sent as f64 / start.elapsed().as_secs_f64())
    }

    fn serve(&self, router: &str) -> Result<Server> {
        self.subject.serve_with(&self.data, router, &NO_SEALING)
    }

    fn protocol(&self) -> Option<SinkProtocol> {
        match self.scenario {
            Scenario::Tcp | Scenario::Drain => Some(SinkProtocol::Tcp),
            Scenario::Relp => Some(SinkProtocol::Relp),
            Scenario::Bulk => Some(SinkProtocol::Bulk),
            Scenario::Queue => None,
        }
    }

    fn destination(&self, to: SocketAddr) -> String {
        let keys: String = self.keys.iter().map(|key| format!("{key}\n")).collect();
        self.protocol().unwrap_or(SinkProtocol::Tcp).destination(ID, to, &keys)
    }

    fn router(&self, to: SocketAddr, forwards: bool) -> String {
        let (destination, targets) = match (forwards, self.only) {
            (false, _) => (String::new(), "\"main\"".to_owned()),
            (true, false) => (self.destination(to), format!("\"main\", \"{ID}\"")),
            (true, true) => (self.destination(to), format!("\"{ID}\"")),
        };
        let source = source("syslog", "tcp", "");
        format!("{}{destination}[[routes]]\nid = \"all\"\nto = [{targets}]\n", beginning(&[source]))
    }

    fn print(&self, table: &[Vec<String>]) -> Result<()> {
        print(&aligned(table))?;
        if let Some(folder) = &self.csv {
            std::fs::create_dir_all(folder)?;
            let scenario = self.scenario.to_possible_value().context("a scenario has a name")?;
            let only = if self.only { "-only" } else { "" };
            let rows: Vec<String> = table.iter().map(|row| row.join(",")).collect();
            let name = format!("forward-{}{only}.csv", scenario.get_name());
            std::fs::write(folder.join(name), rows.join("\n") + "\n")?;
        }
        Ok(())
    }
}

fn beginning(sources: &[String]) -> String {
    let retention = "retention = { age = \"90d\" }";
    format!("version = 1\n{}[[logspaces]]\nid = \"main\"\n{retention}\n", sources.concat())
}

/// A router document that forwards messages from RELP, and stores messages from TCP.
fn backlog_router(destination: &str) -> String {
    let sources = [source("relp", "relp", ""), source("syslog", "tcp", "")];
    format!(
        "{}{destination}[[routes]]\nid = \"backlog\"\nfrom = [\"relp\"]\nto = [\"{ID}\"]\n\
         [[routes]]\nid = \"beside\"\nfrom = [\"tcp\"]\nto = [\"main\"]\n",
        beginning(&sources)
    )
}

/// Waits until a number is reached; fails if it stops growing or exceeds the target.
fn settle(what: &str, wanted: u64, number: impl Fn() -> Result<u64>) -> Result<()> {
    let (mut last, mut moved) = (0, Instant::now());
    loop {
        let value = number()?;
        ensure!(value <= wanted, "{value} messages {what}, and {wanted} were sent");
        if value == wanted {
            return Ok(());
        }
        if value != last {
            (last, moved) = (value, Instant::now());
        }
        ensure!(moved.elapsed() < STALL_MAX, "only {value} of {wanted} messages {what}");
        std::thread::sleep(LOOK_INTERVAL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use logstead_config::check_toml;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        forward: Forward,
    }

    #[test]
    fn every_router_document_is_right() {
        let to = SocketAddr::from(([127, 0, 0, 1], 601));
        for scenario in Scenario::value_variants() {
            let name = scenario.to_possible_value().unwrap().get_name().to_owned();
            let forward = Cli::parse_from(["forward", &name, "--key", "queue = { age = \"1d\" }"]).forward;
            let routers = [true, false].map(|forwards| forward.router(to, forwards));
            for router in routers.iter().chain([&backlog_router(&forward.destination(to))]) {
                check_toml(router).unwrap_or_else(|problems| panic!("{problems:?} in {router}"));
            }
        }
    }
}
