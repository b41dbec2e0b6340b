//! `logstead loadgen`: sends load to a receiver, and counts the messages sent and acknowledged.

use super::choice::one_of;
use super::failure::{CommandFailure, Result};
use super::remote::TokenArgs;
use super::text;
use clap::Args;
use logstead_flow::machine::sockets::Descriptors;
use logstead_loadgen::{
    self as loadgen, Authorities, Content, Framing, HeaderKind, LoadPlan, LoadTarget, ProgressReport,
    SendRate, Summary, TlsOptions, Total,
};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::signal::unix::{SignalKind, signal};

pub(super) const EXAMPLES: &str = "Examples:
  logstead loadgen tcp://127.0.0.1:5514                                    as fast as possible, for 10 s
  logstead loadgen udp://127.0.0.1:5514 --rate 100000/s --interval 30
  logstead loadgen relp://127.0.0.1:2514 --number 1000000 --active-connections 4 --acknowledged
  logstead loadgen tcp://127.0.0.1:5514 --read-file access.log --framing octet
  logstead loadgen http://127.0.0.1:8080 --token TOKEN --batch 500
  logstead loadgen tcp://127.0.0.1:5514 --active-connections 0 --idle-connections 10000 --interval 60

--rate and --number apply to each connection: four connections with --number 1000 send 4000 messages. A generated message says
which one it is, so that a search shows loss, duplicates and order:
  … seq: 0000000042, thread: 0001, runid: 1793491200, stamp: 2026-11-21T16:18:51 PADDPADD…
The first message of a connection has the number 0, the first connection is thread 1.

A connection that breaks ends with an error line; with --permanent it is re-established. Over RELP and HTTP it then resends
what was not acknowledged: messages can arrive twice, but none that was acknowledged is missing. Over other transports, what
the system had already accepted may be lost. Ctrl-C ends the run with its summary.
Exit code 0: done; 1: an option is invalid; 3: no connection reached its end.";

const HEADERS: [(&str, HeaderKind); 2] = [("rfc3164", HeaderKind::Rfc3164), ("rfc5424", HeaderKind::Rfc5424)];
const FRAMINGS: [(&str, Framing); 2] = [("newline", Framing::Newline), ("octet", Framing::Octet)];
const DEFAULT_INTERVAL: Duration = Duration::from_secs(10);
const CONNECTIONS_MAX: u64 = 100_000;
const WINDOW_MAX: u64 = 1_000_000;
/// The longest interval, ten years; a longer one is probably a typing error.
const INTERVAL_SECONDS_MAX: f64 = 315_360_000.0;

#[derive(Args, Debug)]
pub(super) struct Loadgen {
    /// tcp://, tls://, udp://, relp://, relp+tls:// or http://HOST:PORT, or unix:PATH (a stream or a datagram socket)
    #[arg(value_parser = LoadTarget::parse)]
    target: LoadTarget,
    /// Messages a second of each connection: `N`, `N/s` or `max`
    #[arg(long, value_name = "RATE", default_value = "max", value_parser = SendRate::parse)]
    rate: SendRate,
    /// The length of a message, without framing
    #[arg(long, value_name = "BYTES", default_value_t = 256)]
    size: usize,
    /// Messages of each connection
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    number: Option<u64>,
    /// How long to send [default: 10, if neither a number nor the end of a file ends the run]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    interval: Option<Duration>,
    /// Connections that send, one thread each
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(..=CONNECTIONS_MAX))]
    active_connections: u64,
    /// Connections that are opened first and send nothing
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=CONNECTIONS_MAX))]
    idle_connections: u64,
    /// The header of generated messages
    #[arg(long, value_name = "FORMAT", default_value = "rfc3164", value_parser = one_of(&HEADERS))]
    format: HeaderKind,
    /// How messages are delimited in TCP, TLS and unix streams [default: newline]
    #[arg(long, value_name = "FRAMING", value_parser = one_of(&FRAMINGS))]
    framing: Option<Framing>,
    /// Sends the lines of a file as they are; each connection reads all of it
    #[arg(long, value_name = "FILE", conflicts_with_all = ["size", "format", "run_id"])]
    read_file: Option<PathBuf>,
    /// At the end of the file, starts over
    #[arg(long = "loop", requires = "read_file")]
    repeats: bool,
    /// Re-establishes broken connections, and runs until interrupted if nothing else ends the run
    #[arg(long)]
    permanent: bool,
    /// RELP: the maximum number of unacknowledged messages of a connection
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = clap::value_parser!(u64).range(1..=WINDOW_MAX))]
    window: u64,
    /// The maximum number of messages in a write or request [default: 1000 per request, 128 KiB per write]
    #[arg(long, value_name = "N")]
    batch: Option<usize>,
    // The token for HTTP.
    #[command(flatten)]
    token: TokenArgs,
    /// TLS: the authorities to trust, instead of the system's
    #[arg(long, value_name = "FILE", conflicts_with = "insecure")]
    ca: Option<PathBuf>,
    /// TLS: trusts every certificate
    #[arg(long)]
    insecure: bool,
    /// TLS: the sender's own certificate
    #[arg(long, value_name = "FILE", requires = "key")]
    certificate: Option<PathBuf>,
    /// TLS: the key of that certificate
    #[arg(long, value_name = "FILE", requires = "certificate")]
    key: Option<PathBuf>,
    /// The number that all messages of this run carry [default: the time in seconds]
    #[arg(long, value_name = "N")]
    run_id: Option<u64>,
    /// Prints a row of CSV each second, and the summary to standard error
    #[arg(long)]
    csv: bool,
    /// Prints only the summary
    #[arg(long)]
    quiet: bool,
    /// At the end, prints `thread,0001,acknowledged,N` for each connection: numbers 0 to N-1 are acknowledged
    #[arg(long)]
    acknowledged: bool,
}

impl Loadgen {
    pub(super) fn run(&self) -> Result<()> {
        let plan = self.plan(self.token.read()?.unwrap_or_default());
        Descriptors::of_process();
        let stop = Arc::new(AtomicBool::new(false));
        stop_at_signals(stop.clone())?;
        let mut lines = ProgressLines { is_csv: self.csv, is_quiet: self.quiet, last: None };
        lines.begin();
        let summary = loadgen::run(&plan, &stop, &mut lines).map_err(|error| match error {
            loadgen::Error::Plan(message) => CommandFailure::No(message),
            loadgen::Error::Environment(message) => CommandFailure::Environment(message),
        })?;
        self.print(&plan, &summary)?;
        if 0 < plan.active && summary.failed == plan.active {
            return Err(CommandFailure::environment(format!(
                "{}: no connection reached its end",
                plan.target
            )));
        }
        Ok(())
    }

    fn plan(&self, token: String) -> LoadPlan {
        let content = match &self.read_file {
            Some(path) => Content::File { path: path.clone(), repeats: self.repeats },
            None => Content::Generated { header: self.format, size: self.size },
        };
        let ends_by_itself = self.number.is_some() || self.read_file.is_some() && !self.repeats;
        let default = (!ends_by_itself && !self.permanent).then_some(DEFAULT_INTERVAL);
        let tls = TlsOptions {
            authorities: self.ca.clone().map_or(Authorities::System, Authorities::File),
            trusts_anyone: self.insecure,
            identity: self.certificate.clone().zip(self.key.clone()),
        };
        LoadPlan {
            target: self.target.clone(),
            content,
            framing: self.framing,
            rate: self.rate,
            number: self.number,
            interval: self.interval.or(default),
            active: self.active_connections as usize,
            idle: self.idle_connections as usize,
            permanent: self.permanent,
            window: self.window as usize,
            batch: self.batch,
            token,
            tls,
            run_id: self.run_id.unwrap_or_else(now_seconds),
        }
    }

    fn print(&self, plan: &LoadPlan, summary: &Summary) -> Result<()> {
        for line in summary_lines(plan, summary) {
            if self.csv {
                text::error(&line);
            } else {
                text::line(&line)?;
            }
        }
        if self.acknowledged {
            for (total, thread) in summary.threads.iter().zip(1..) {
                text::line(&format!("thread,{thread:04},acknowledged,{}", total.acknowledged))?;
            }
        }
        Ok(())
    }
}

/// The summary, with one `name: value` per line, for people and for scripts.
fn summary_lines(plan: &LoadPlan, summary: &Summary) -> Vec<String> {
    let Total { sent, bytes, acknowledged, resent, .. } = summary.total;
    let seconds = summary.passed.as_secs_f64();
    let each_second = |amount: f64| if 0.0 < seconds { amount / seconds } else { 0.0 };
    let mut lines = Vec::new();
    let mut line = |name: &str, value: String| lines.push(format!("{name}: {value}"));
    line("messages", sent.to_string());
    line("bytes", bytes.to_string());
    line("seconds", format!("{seconds:.3}"));
    line("messages/s", format!("{:.2}", each_second(sent as f64)));
    line("MB/s", format!("{:.2}", each_second(bytes as f64 / 1e6)));
    if matches!(plan.target, LoadTarget::Relp(_) | LoadTarget::RelpTls(_) | LoadTarget::Http(_)) {
        line("acknowledged", acknowledged.to_string());
        line("resent", resent.to_string());
        if let Some((half, most)) = summary.latency {
            line("latency p50", milliseconds(half));
            line("latency p99", milliseconds(most));
        }
    }
    if 0 < plan.idle {
        line("idle connections", summary.idle.opened.to_string());
        line("idle connections closed by the receiver", summary.idle.closed.to_string());
    }
    if let Content::Generated { .. } = plan.content {
        line("run id", plan.run_id.to_string());
    }
    for (reason, count) in &summary.reasons {
        line("broken", format!("{count} × {}", text::shown(reason)));
    }
    lines
}

fn milliseconds(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1e3)
}

/// Prints progress during the run.
struct ProgressLines {
    is_csv: bool,
    is_quiet: bool,
    /// The totals of the previous second.
    last: Option<(Duration, Total)>,
}

impl ProgressLines {
    fn begin(&self) {
        if self.is_csv && !self.is_quiet {
            text::notice("seconds,sent,bytes,acknowledged,broken,messages_per_second");
        }
    }
}

impl ProgressReport for ProgressLines {
    fn second(&mut self, passed: Duration, total: Total) {
        let (last_passed, last) = self.last.replace((passed, total)).unwrap_or_default();
        let since = passed.saturating_sub(last_passed).as_secs_f64();
        let rate = if 0.0 < since { (total.sent - last.sent) as f64 / since } else { 0.0 };
        let Total { sent, bytes, acknowledged, broken, .. } = total;
        let seconds = passed.as_secs_f64();
        if self.is_quiet {
        } else if self.is_csv {
            text::notice(&format!("{seconds:.3},{sent},{bytes},{acknowledged},{broken},{rate:.2}"));
        } else {
            let breaks = if 0 < broken { format!(", broken = {broken}") } else { String::new() };
            text::notice(&format!("rate = {rate:.2} msg/s, time = {seconds:.3} s, count = {sent}{breaks}"));
        }
    }

    fn ended(&mut self, thread: usize, reason: &str) {
        text::error(&format!("connection {thread}: {}", text::shown(reason)));
    }
}

/// Handles signals: the first one ends the run with its summary, a second one ends the process immediately.
fn stop_at_signals(stop: Arc<AtomicBool>) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(CommandFailure::environment)?;
    let guard = runtime.enter();
    let mut interrupt = signal(SignalKind::interrupt()).map_err(CommandFailure::environment)?;
    let mut terminate = signal(SignalKind::terminate()).map_err(CommandFailure::environment)?;
    drop(guard);
    let wait = move || {
        runtime.block_on(async {
            loop {
                tokio::select! {
                    _ = interrupt.recv() => {}
                    _ = terminate.recv() => {}
                }
                if stop.swap(true, Ordering::Relaxed) {
                    std::process::exit(3);
                }
            }
        });
    };
    std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(wait)
        .map_err(CommandFailure::environment)?;
    Ok(())
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "an interval is a number of seconds".to_owned())?;
    if 0.0 < seconds && seconds <= INTERVAL_SECONDS_MAX {
        Ok(Duration::from_secs_f64(seconds))
    } else {
        Err(format!("an interval is more than 0 and at most {INTERVAL_SECONDS_MAX} seconds"))
    }
}

fn now_seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |passed| passed.as_secs())
}
