//! The cost of receiving over HTTP and from shippers for the real server. Each protocol gets a fresh server and the
//! same messages, sent as an agent would send them; the CPU time until all are answered is measured. The cost of
//! storing alone is measured in the same minute, with the same messages as syslog over TCP. Afterwards a search
//! counts the messages: a missing one fails the run.

mod body;
mod client;
mod messages;
mod protobuf;
mod protocol;
mod victorialogs;

use crate::corpus;
use crate::measure::print;
use crate::server::{MeasuredServer, SEAL_SOON, Server, router, source};
use crate::table::{aligned, median};
use anyhow::{Context as _, Result, ensure};
use clap::Args;
use messages::SyslogMessage;
use protocol::{BodyTransport, IngestProtocol, Packing};
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use victorialogs::VictoriaLogs;

/// The interval at which the server is asked whether it has finished; each request costs some of the CPU time being
/// measured.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);
/// How long to wait without another message before giving up.
const STALL_MAX: Duration = Duration::from_secs(60);

pub(crate) const EXAMPLES: &str = "Examples:
  logstead-bench ingest --corpus FILE
  logstead-bench ingest --protocol ndjson,bulk --in-flight 1 --runs 5";

#[derive(Args, Debug)]
pub(crate) struct Ingest {
    /// The protocols to measure, in this order [default: all]
    #[arg(long, value_enum, value_delimiter = ',')]
    protocol: Vec<IngestProtocol>,
    #[command(flatten)]
    subject: MeasuredServer,
    /// The data directory of each server; its contents are removed
    #[arg(long, default_value = "target/bench-ingest")]
    data: PathBuf,
    /// Lines in RFC 5424 format with the messages; by default, lines are generated from a seed
    #[arg(long)]
    corpus: Option<PathBuf>,
    /// The number of messages
    #[arg(long, default_value_t = 1_000_000)]
    messages: usize,
    /// The number of messages in a body
    #[arg(long, default_value_t = 10_000)]
    batch: usize,
    /// The number of requests in flight; over HTTP/1.1 each has a connection of its own
    #[arg(long, default_value_t = 4)]
    in_flight: usize,
    /// The number of runs; the medians are the result
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// Waits until everything is in sealed segments
    #[arg(long)]
    sealed: bool,
    /// Also measures this binary of VictoriaLogs, if it speaks the protocol
    #[arg(long, value_name = "FILE")]
    victorialogs: Option<PathBuf>,
    /// Also writes the rows to a CSV file in this folder
    #[arg(long, value_name = "DIR")]
    csv: Option<PathBuf>,
}

/// The bodies for a protocol, with several messages in each.
struct Load {
    /// `None` stands for syslog, that is, storing alone.
    protocol: Option<IngestProtocol>,
    packing: Packing,
    bodies: Arc<Vec<Vec<u8>>>,
}

/// The cost of a run.
struct RunCost {
    cpu_micros: u64,
    /// The time from the first byte until everything is answered or, for protocols without answers, stored.
    seconds: f64,
}

/// The costs per message of all runs of a load.
#[derive(Default)]
struct Figures {
    micros: Vec<f64>,
    per_second: Vec<f64>,
    micros_of_victorialogs: Vec<f64>,
    per_second_of_victorialogs: Vec<f64>,
}

const COLUMNS: [&str; 10] = [
    "protocol", "packed", "B/msg", "msg/s", "cpu_us/msg", "beyond_us/msg", "msg/s_of_ndjson",
    "cpu_of_ndjson", "victorialogs_msg/s", "victorialogs_us/msg",
];

impl Ingest {
    pub(crate) fn run(&self) -> Result<()> {
        let lines = self.lines()?;
        let messages = messages::messages(&lines)?;
        print(&format!(
            "{} messages of {:.0} B, {} in a body, {} requests under way, {}; the median of {} runs",
            messages.len(),
            messages.iter().map(|message| message.text.len()).sum::<usize>() as f64 / messages.len() as f64,
            self.batch,
            self.in_flight,
            if self.sealed { "with sealing" } else { "without sealing" },
            self.runs
        ))?;
        let cases = self.cases();
        let mut figures: Vec<Figures> = cases.iter().map(|_| Figures::default()).collect();
        let mut sizes = vec![0.0; cases.len()];
        for _ in 0..self.runs {
            for (at, &(protocol, packing)) in cases.iter().enumerate() {
                let load = self.load(protocol, packing, &messages)?;
                sizes[at] = load.bodies.iter().map(Vec::len).sum::<usize>() as f64 / messages.len() as f64;
                figures[at].note(&load, self, messages.len())?;
            }
        }
        let table = table(&cases, &sizes, figures);
        print(&aligned(&table))?;
        if let Some(folder) = &self.csv {
            std::fs::create_dir_all(folder)?;
            let rows: Vec<String> = table.iter().map(|row| row.join(",")).collect();
            std::fs::write(folder.join("ingest.csv"), rows.join("\n") + "\n")?;
        }
        Ok(())
    }

    fn lines(&self) -> Result<String> {
        let Some(path) = &self.corpus else { return Ok(String::from_utf8(corpus::lines(self.messages))?) };
        let mut lines = String::new();
        let mut reader = BufReader::new(File::open(path).with_context(|| path.display().to_string())?);
        for _ in 0..self.messages {
            if reader.read_line(&mut lines)? == 0 {
                break;
            }
        }
        Ok(lines)
    }

    /// The cases: storing alone, and the requested protocols.
    fn cases(&self) -> Vec<(Option<IngestProtocol>, Packing)> {
        use clap::ValueEnum as _;
        let protocols =
            if self.protocol.is_empty() { IngestProtocol::value_variants() } else { &self.protocol };
        let packed = protocols
            .iter()
            .flat_map(|protocol| protocol.packings().iter().map(|packing| (Some(*protocol), *packing)));
        [(None, Packing::None)].into_iter().chain(packed).collect()
    }

    fn load(
        &self,
        protocol: Option<IngestProtocol>,
        packing: Packing,
        messages: &[SyslogMessage<'_>],
    ) -> Result<Load> {
        let bodies = messages.chunks(self.batch.max(1)).map(|messages| {
            packing.pack(protocol.map_or_else(|| body::syslog(messages), |protocol| protocol.body(messages)))
        });
        Ok(Load { protocol, packing, bodies: Arc::new(bodies.collect::<Result<_>>()?) })
    }

    fn measure(&self, load: &Load, messages: u64) -> Result<RunCost> {
        let settings: &[&str] = if self.sealed { &[SEAL_SOON] } else { &[] };
        let server = self.subject.serve_with(&self.data, &router_document(), settings)?;
        let cpu_micros =
            || if self.sealed { server.cpu_micros() } else { server.cpu_micros_without_sealing() };
        let (cpu, start) = (cpu_micros()?, Instant::now());
        match load.protocol.map_or(BodyTransport::Stream, IngestProtocol::way) {
            BodyTransport::Http { path, media } => {
                client::http(&server.web_url(path), media, load.packing, &load.bodies, self.in_flight)?;
            }
            BodyTransport::Grpc => {
                client::grpc(server.address("grpc")?, load.packing, &load.bodies, self.in_flight)?
            }
            BodyTransport::Stream => {
                let source = if load.protocol.is_some() { "gelf" } else { "tcp" };
                client::stream(server.address_of(source)?, &load.bodies)?;
                settle(&server, messages, "logspace_messages_total")?;
            }
        }
        let seconds = start.elapsed().as_secs_f64();
        if self.sealed {
            settle(&server, messages, "logspace_sealed_messages")?;
        }
        let cpu_micros = cpu_micros()? - cpu;
        let found = server.found()?;
        let protocol = load.protocol.map_or_else(|| "syslog".to_owned(), IngestProtocol::name);
        ensure!(found == messages, "{messages} messages were sent over {protocol} and {found} are found");
        Ok(RunCost { cpu_micros, seconds })
    }

    fn measure_victorialogs(&self, load: &Load, messages: u64) -> Result<Option<RunCost>> {
        let Some(path) = load.protocol.and_then(IngestProtocol::path_of_victorialogs) else {
            return Ok(None);
        };
        let (Some(binary), Some(BodyTransport::Http { media, .. })) =
            (&self.victorialogs, load.protocol.map(IngestProtocol::way))
        else {
            return Ok(None);
        };
        let server = VictoriaLogs::start(binary, &self.data)?;
        let (cpu, start) = (server.cpu_micros()?, Instant::now());
        client::http(&server.url(path), media, load.packing, &load.bodies, self.in_flight)?;
        let seconds = start.elapsed().as_secs_f64();
        server.settle()?;
        let cpu_micros = server.cpu_micros()? - cpu;
        let found = server.found()?;
        ensure!(found == messages, "{messages} messages were sent to VictoriaLogs and {found} are found");
        Ok(Some(RunCost { cpu_micros, seconds }))
    }
}

impl Figures {
    fn note(&mut self, load: &Load, ingest: &Ingest, messages: usize) -> Result<()> {
        let cost = ingest.measure(load, messages as u64)?;
        self.micros.push(cost.cpu_micros as f64 / messages as f64);
        self.per_second.push(messages as f64 / cost.seconds);
        if let Some(cost) = ingest.measure_victorialogs(load, messages as u64)? {
            self.micros_of_victorialogs.push(cost.cpu_micros as f64 / messages as f64);
            self.per_second_of_victorialogs.push(messages as f64 / cost.seconds);
        }
        Ok(())
    }
}

fn table(
    cases: &[(Option<IngestProtocol>, Packing)],
    sizes: &[f64],
    figures: Vec<Figures>,
) -> Vec<Vec<String>> {
    let medians: Vec<[f64; 4]> = figures
        .into_iter()
        .map(|of| {
            [of.micros, of.per_second, of.micros_of_victorialogs, of.per_second_of_victorialogs].map(median)
        })
        .collect();
    let ndjson = cases.iter().position(|case| *case == (Some(IngestProtocol::Ndjson), Packing::None));
    let ndjson = ndjson.map(|at| medians[at]);
    let storing = medians.first().map_or(0.0, |storing| storing[0]);
    let shown = |value: f64, digits: usize| {
        if value == 0.0 { "-".to_owned() } else { format!("{value:.digits$}") }
    };
    let rows = cases.iter().zip(sizes).zip(&medians).map(|((&(protocol, packing), size), &figures)| {
        let [micros, per_second, micros_of_victorialogs, per_second_of_victorialogs] = figures;
        let of_ndjson = |at: usize| match (ndjson, protocol) {
            (Some(ndjson), Some(_)) => format!("{:.2}", figures[at] / ndjson[at]),
            _ => "-".to_owned(),
        };
        vec![
            protocol.map_or_else(|| "syslog".to_owned(), IngestProtocol::name),
            packing.name().to_owned(),
            format!("{size:.0}"),
            format!("{per_second:.0}"),
            format!("{micros:.2}"),
            if protocol.is_some() { format!("{:.2}", micros - storing) } else { "-".to_owned() },
            of_ndjson(1),
            of_ndjson(0),
            shown(per_second_of_victorialogs, 0),
            shown(micros_of_victorialogs, 2),
        ]
    });
    [COLUMNS.map(str::to_owned).to_vec()].into_iter().chain(rows).collect()
}

/// The router document with a source for each protocol.
fn router_document() -> String {
    let sources = [
        source("syslog", "tcp", ""),
        "[[sources]]\nid = \"gelf\"\nkind = \"gelf\"\nlisten = [\"tcp://127.0.0.1:0\"]\n".to_owned(),
        source("otlp", "grpc", ""),
        "[[sources]]\nid = \"http\"\nkind = \"http\"\n".to_owned(),
    ];
    router(&sources, "")
}

/// Waits until a counter reaches its target.
fn settle(server: &Server, wanted: u64, name: &str) -> Result<()> {
    let (mut last, mut moved) = (0, Instant::now());
    loop {
        let value = server.counters()?.get(name);
        if wanted <= value {
            return Ok(());
        }
        if value != last {
            (last, moved) = (value, Instant::now());
        }
        ensure!(moved.elapsed() < STALL_MAX, "{name} stays at {value} of {wanted}");
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
        ingest: Ingest,
    }

    #[test]
    fn the_router_document_is_right() {
        check_toml(&router_document()).unwrap_or_else(|problems| panic!("{problems:?}"));
    }

    #[test]
    fn storing_alone_comes_first_and_rows_are_compared_with_it() {
        let ingest = Cli::parse_from(["ingest", "--protocol", "ndjson,loki"]).ingest;
        let cases = ingest.cases();
        let expected = [Packing::None, Packing::None, Packing::Gzip, Packing::Zstd, Packing::Snappy];
        assert_eq!(cases.iter().map(|case| case.1).collect::<Vec<_>>(), expected);
        let figures = [1.0, 3.0, 4.0, 4.0, 4.5].map(|micros| Figures {
            micros: vec![micros],
            per_second: vec![1e6 / micros],
            ..Figures::default()
        });
        let table = table(&cases, &[100.0; 5], figures.into());
        assert_eq!(table[5][..8], ["loki", "snappy", "100", "222222", "4.50", "3.50", "0.67", "1.50"]);
        assert_eq!(table[1][5], "-");
    }
}
