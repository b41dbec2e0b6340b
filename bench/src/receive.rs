//! The cost of receiving for the real server: each case gets a fresh server and the load generator, and prints a row
//! of costs. Afterwards a search counts the messages: a missing one fails the run, except over UDP.

use crate::measure::print;
use crate::server::{Counters, Load, SEAL_SOON, Server, ended_children_cpu_micros, router, source};
use crate::table::{aligned, mebibytes};
use anyhow::{Context as _, Result, bail, ensure};
use clap::{Args, ValueEnum};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The interval at which the server is asked whether it has finished; each request costs some of the CPU time being
/// measured.
const LOOK_INTERVAL: Duration = Duration::from_millis(100);
/// How long to wait without another message before giving up.
const STALL_MAX: Duration = Duration::from_secs(5);
const SEAL_STALL_MAX: Duration = Duration::from_secs(60);
const COALESCING: &str = "5ms/1MiB";

/// The scenario to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scenario {
    /// Connections × partitions × coalescing × durability, as fast as possible
    Matrix,
    /// One connection with the lines of --corpus, until everything is sealed
    Corpus,
    /// RELP with --window unacknowledged messages
    Relp,
    /// Datagrams at --rate, and the number of those lost
    Udp,
    /// One message per write at --rate on each connection, with and without coalescing
    SmallWrites,
    /// --idle connections that send nothing, and their memory
    Idle,
}

#[derive(Args, Debug)]
pub(crate) struct Receive {
    #[arg(value_enum, default_value_t = Scenario::Matrix)]
    scenario: Scenario,
    /// The binary of the server and the load generator
    #[arg(long, default_value = "target/release/logstead")]
    binary: PathBuf,
    /// The data directory of each case's server; its contents are removed
    #[arg(long, default_value = "target/bench-receive")]
    data: PathBuf,
    /// How long each case sends
    #[arg(long, default_value_t = 10.0)]
    seconds: f64,
    /// Sends this many messages on each connection, however long that takes
    #[arg(long)]
    messages: Option<u64>,
    /// The size of a message in bytes
    #[arg(long, default_value_t = 256)]
    size: usize,
    /// Lines to send, instead of generated messages
    #[arg(long)]
    corpus: Option<PathBuf>,
    /// The numbers of connections, one case each [default: 1,8,50,200; 20 for small writes, 1 for the others]
    #[arg(long, value_delimiter = ',')]
    connections: Vec<usize>,
    /// The number of workers among which one connection's messages are divided
    #[arg(long, value_delimiter = ',', default_value = "1,auto")]
    partitions: Vec<String>,
    /// Delay and buffer of the reads, one case each; `0ms` is off
    #[arg(long, value_delimiter = ',', default_values_t = [COALESCING.to_owned(), "0ms".to_owned()])]
    coalesce: Vec<String>,
    /// The durability settings, which decide when messages count as stored
    #[arg(long, value_delimiter = ',', default_value = "fsync,os")]
    durability: Vec<String>,
    /// Waits until everything is in sealed segments
    #[arg(long)]
    sealed: bool,
    /// Messages per second on each connection [default: 100000 for udp, 1000 for small writes]
    #[arg(long)]
    rate: Option<u64>,
    /// The maximum number of unacknowledged messages, for RELP
    #[arg(long, default_value_t = 1024)]
    window: usize,
    /// The number of idle connections
    #[arg(long, default_value_t = 10_000)]
    idle: usize,
    /// Also writes the rows to a CSV file in this folder
    #[arg(long, value_name = "DIR")]
    csv: Option<PathBuf>,
}

/// One case, measured on a server of its own.
#[derive(Clone, Debug)]
struct MeasuredCase {
    scheme: &'static str,
    connections: usize,
    partitions: String,
    coalesce: String,
    durability: String,
}

/// The costs of a case.
struct CaseCost {
    sent: u64,
    per_second: f64,
    megabytes_per_second: f64,
    /// CPU time of the server until everything was stored and, if requested, sealed.
    cpu_micros: u64,
    /// CPU time of the load generator.
    sender_micros: u64,
    chunks: u64,
    commits: u64,
    sealed: u64,
    peak_bytes: u64,
    latency: String,
    found: u64,
}

const COLUMNS: [&str; 17] = [
    "transport", "connections", "partitions", "coalesce", "durability", "sent", "msg/s", "MB/s",
    "cpu_us/msg", "sender_us/msg", "chunks", "msg/chunk", "commits", "sealed_%", "peak_MiB", "p99", "lost",
];

impl Receive {
    pub(crate) fn run(&self) -> Result<()> {
        ensure!(
            self.binary.exists(),
            "{} is not there: build it, or name it with --binary",
            self.binary.display()
        );
        match self.scenario {
            Scenario::Idle => self.idle(),
            Scenario::Corpus if self.corpus.is_none() => bail!("name a file of lines with --corpus"),
            _ => self.cases(),
        }
    }

    fn cases(&self) -> Result<()> {
        let mut table = vec![COLUMNS.map(str::to_owned).to_vec()];
        for case in self.all() {
            print(&format!("repeat: {}", self.repeat(&case)))?;
            let row = self.measure(&case)?;
            let lost = row.sent.saturating_sub(row.found);
            table.push(row.cells(&case));
            ensure!(
                case.scheme == "udp" || row.sent == row.found,
                "{} messages were sent and {} are found, {lost} are lost:\n{}",
                row.sent,
                row.found,
                aligned(&table)
            );
        }
        self.print(&table)?;
        if self.scenario == Scenario::SmallWrites && table.len() == 3 {
            let cost = |row: &[String]| row[8].parse::<f64>().unwrap_or(0.0);
            print(&format!(
                "CPU without coalescing, times that with it: {:.2}",
                cost(&table[2]) / cost(&table[1])
            ))?;
        }
        Ok(())
    }

    fn all(&self) -> Vec<MeasuredCase> {
        let (scheme, connections, partitions, durability): (_, &[usize], &[&str], &[&str]) =
            match self.scenario {
                Scenario::Matrix => ("tcp", &[1, 8, 50, 200], &[], &[]),
                Scenario::Corpus | Scenario::Idle => ("tcp", &[1], &["auto"], &["fsync"]),
                Scenario::Relp => ("relp", &[1], &["auto"], &["fsync"]),
                Scenario::Udp => ("udp", &[1], &["auto"], &["fsync"]),
                Scenario::SmallWrites => ("tcp", &[20], &["auto"], &["fsync"]),
            };
        let named = |fixed: &[&str], given: &[String]| -> Vec<String> {
            if fixed.is_empty() { given.to_vec() } else { fixed.iter().map(|&one| one.to_owned()).collect() }
        };
        let connections = if self.connections.is_empty() { connections } else { &self.connections };
        let coalesce = match self.scenario {
            Scenario::Matrix | Scenario::SmallWrites => &self.coalesce[..],
            _ => &self.coalesce[..1],
        };
        let mut all = Vec::new();
        for &connections in connections {
            for partitions in named(partitions, &self.partitions) {
                for coalesce in coalesce {
                    for durability in named(durability, &self.durability) {
                        let (partitions, coalesce) = (partitions.clone(), coalesce.clone());
                        all.push(MeasuredCase { scheme, connections, partitions, coalesce, durability });
                    }
                }
            }
        }
        all
    }

    /// The command that repeats this case alone.
    fn repeat(&self, case: &MeasuredCase) -> String {
        let scenario =
            self.scenario.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
        let mut command = format!("logstead-bench receive {scenario} --connections {}", case.connections);
        // Writing to a string cannot fail.
        if self.scenario == Scenario::Matrix {
            write!(command, " --partitions {} --durability {}", case.partitions, case.durability).ok();
        }
        write!(command, " --coalesce {}", case.coalesce).ok();
        match self.messages {
            Some(messages) => write!(command, " --messages {messages}").ok(),
            None if self.scenario == Scenario::Corpus => None,
            None => write!(command, " --seconds {}", self.seconds).ok(),
        };
        match &self.corpus {
            Some(corpus) => write!(command, " --corpus {}", corpus.display()).ok(),
            None => write!(command, " --size {}", self.size).ok(),
        };
        if let Some(rate) = self.rate() {
            write!(command, " --rate {rate}").ok();
        }
        if self.scenario == Scenario::Relp {
            write!(command, " --window {}", self.window).ok();
        }
        if self.sealed {
            command.push_str(" --sealed");
        }
        command
    }

    fn rate(&self) -> Option<u64> {
        match self.scenario {
            Scenario::Udp => Some(self.rate.unwrap_or(100_000)),
            Scenario::SmallWrites => Some(self.rate.unwrap_or(1000)),
            _ => self.rate,
        }
    }

    fn load(&self, case: &MeasuredCase, url: &str) -> Vec<String> {
        let mut load = vec![url.to_owned(), format!("--active-connections={}", case.connections)];
        match &self.corpus {
            Some(corpus) => {
                load.push(format!("--read-file={}", corpus.display()));
                if self.scenario != Scenario::Corpus {
                    load.push("--loop".to_owned());
                }
            }
            None => load.push(format!("--size={}", self.size)),
        }
        match self.messages {
            Some(messages) => load.push(format!("--number={messages}")),
            None if self.scenario == Scenario::Corpus => {}
            None => load.push(format!("--interval={}", self.seconds)),
        }
        load.extend(self.rate().map(|rate| format!("--rate={rate}")));
        match self.scenario {
            Scenario::SmallWrites => load.push("--batch=1".to_owned()),
            Scenario::Relp => load.push(format!("--window={}", self.window)),
            _ => {}
        }
        load
    }

    fn measure(&self, case: &MeasuredCase) -> Result<CaseCost> {
        let waits_for_seals = self.sealed || self.scenario == Scenario::Corpus;
        let settings: &[&str] = if waits_for_seals { &[SEAL_SOON] } else { &[] };
        let server = Server::start(&self.binary, &self.data, &case.router(), settings)?;
        let before = (server.cpu_micros()?, ended_children_cpu_micros()?);
        let load = Load::run(&self.binary, &self.load(case, server.url(case.scheme)?))?;
        let sender_micros = ended_children_cpu_micros()? - before.1;
        let sent = load.number("messages") as u64;
        let mut counters = settle(&server, sent, STALL_MAX, "logspace_messages_total")?;
        if waits_for_seals {
            let stored = counters.get("logspace_messages_total");
            counters = settle(&server, stored, SEAL_STALL_MAX, "logspace_sealed_messages")?;
        }
        Ok(CaseCost {
            sent,
            per_second: load.number("messages/s"),
            megabytes_per_second: load.number("MB/s"),
            cpu_micros: server.cpu_micros()? - before.0,
            sender_micros,
            chunks: counters.get("source_read_bytes_count"),
            commits: counters.get("logspace_commits_total"),
            sealed: counters.get("logspace_sealed_messages"),
            peak_bytes: server.peak_bytes()?,
            latency: load.text("latency p99").to_owned(),
            found: server.found()?,
        })
    }

    fn print(&self, table: &[Vec<String>]) -> Result<()> {
        print(&aligned(table))?;
        if let Some(folder) = &self.csv {
            std::fs::create_dir_all(folder)?;
            let name = self.scenario.to_possible_value().context("a scenario has a name")?;
            let rows: Vec<String> = table.iter().map(|row| row.join(",")).collect();
            std::fs::write(folder.join(format!("receive-{}.csv", name.get_name())), rows.join("\n") + "\n")?;
        }
        Ok(())
    }

    /// Measures the memory of idle connections.
    fn idle(&self) -> Result<()> {
        let case = self.all().into_iter().next().context("a case")?;
        let server = Server::start(&self.binary, &self.data, &case.router(), &[])?;
        let before = server.resident_bytes()?;
        let load = vec![
            server.url("tcp")?.to_owned(),
            "--active-connections=0".to_owned(),
            format!("--idle-connections={}", self.idle),
            format!("--interval={}", self.seconds),
        ];
        print(&format!(
            "repeat: logstead-bench receive idle --idle {} --seconds {}",
            self.idle, self.seconds
        ))?;
        let running = Load::start(&self.binary, &load)?;
        let counters = settle(&server, self.idle as u64, STALL_MAX, "source_connections")?;
        let (open, cpu) = (counters.get("source_connections"), server.cpu_micros()?);
        let (after, start) = (server.resident_bytes()?, Instant::now());
        let ended = running.end()?;
        let cpu_share = (server.cpu_micros()? - cpu) as f64 / start.elapsed().as_micros().max(1) as f64;
        let each = after.saturating_sub(before) as f64 / open.max(1) as f64 / 1024.0;
        let closed = ended.text("idle connections closed by the receiver");
        let columns = ["wanted", "open", "closed", "resident_MiB", "KiB/connection", "cpu_%"];
        let row = [
            self.idle.to_string(),
            open.to_string(),
            closed.to_owned(),
            mebibytes(after),
            format!("{each:.2}"),
            format!("{:.2}", cpu_share * 100.0),
        ];
        self.print(&[columns.map(str::to_owned).to_vec(), row.to_vec()])?;
        ensure!(open == self.idle as u64, "only {open} of {} connections are open", self.idle);
        Ok(())
    }
}

impl MeasuredCase {
    fn router(&self) -> String {
        let (kind, partitions) = if self.scheme == "relp" { ("relp", "") } else { ("syslog", "partitions") };
        let partitions = match (partitions, self.partitions.as_str()) {
            ("", _) => String::new(),
            (key, "auto") => format!("{key} = \"auto\"\n"),
            (key, number) => format!("{key} = {number}\n"),
        };
        let coalesce = match self.coalesce.split_once('/') {
            Some((delay, buffer)) => format!("{{ delay = \"{delay}\", buffer = \"{buffer}\" }}"),
            None => format!("{{ delay = \"{}\" }}", self.coalesce),
        };
        let coalesce = if kind == "syslog" { format!("coalesce = {coalesce}\n") } else { String::new() };
        let MeasuredCase { scheme, durability, .. } = self;
        let source = source(kind, scheme, &format!("connections_max = 100000\n{partitions}{coalesce}"));
        router(&[source], &format!("durability = \"{durability}\"\n"))
    }
}

impl CaseCost {
    fn cells(&self, case: &MeasuredCase) -> Vec<String> {
        let each = |amount: u64, of: u64| amount as f64 / of.max(1) as f64;
        vec![
            case.scheme.to_owned(),
            case.connections.to_string(),
            case.partitions.clone(),
            case.coalesce.clone(),
            case.durability.clone(),
            self.sent.to_string(),
            format!("{:.0}", self.per_second),
            format!("{:.1}", self.megabytes_per_second),
            format!("{:.3}", each(self.cpu_micros, self.found)),
            format!("{:.3}", each(self.sender_micros, self.sent)),
            self.chunks.to_string(),
            format!("{:.1}", each(self.found, self.chunks)),
            self.commits.to_string(),
            format!("{:.0}", 100.0 * each(self.sealed, self.found)),
            mebibytes(self.peak_bytes),
            if self.latency.is_empty() { "-".to_owned() } else { self.latency.clone() },
            self.sent.saturating_sub(self.found).to_string(),
        ]
    }
}

/// Waits until a counter reaches its target or stops changing.
fn settle(server: &Server, wanted: u64, stall_max: Duration, name: &str) -> Result<Counters> {
    let (mut last, mut moved) = (0, Instant::now());
    loop {
        let counters = server.counters()?;
        let value = counters.get(name);
        if value != last {
            (last, moved) = (value, Instant::now());
        }
        if wanted <= value || stall_max <= moved.elapsed() {
            return Ok(counters);
        }
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
        receive: Receive,
    }

    fn receive(arguments: &[&str]) -> Receive {
        Cli::parse_from([&["receive"], arguments].concat()).receive
    }

    #[test]
    fn the_matrix_has_every_case_and_each_router_document_is_right() {
        let all = receive(&[]).all();
        assert_eq!(all.len(), 4 * 2 * 2 * 2);
        for case in all.iter().chain(&receive(&["udp"]).all()) {
            check_toml(&case.router()).unwrap_or_else(|problems| panic!("{problems:?} in {}", case.router()));
        }
    }

    #[test]
    fn a_case_is_repeated_with_the_command_that_is_printed() {
        let check = |arguments: &[&str], expected: &str| {
            let receive = receive(arguments);
            assert_eq!(receive.repeat(&receive.all()[0]), format!("logstead-bench receive {expected}"));
        };
        check(
            &["--connections", "8", "--partitions", "auto", "--messages", "5"],
            "matrix --connections 8 --partitions auto --durability fsync --coalesce 5ms/1MiB --messages 5 --size 256",
        );
        check(
            &["udp", "--rate", "5000"],
            "udp --connections 1 --coalesce 5ms/1MiB --seconds 10 --size 256 --rate 5000",
        );
        check(&["corpus", "--corpus", "x"], "corpus --connections 1 --coalesce 5ms/1MiB --corpus x");
    }
}
