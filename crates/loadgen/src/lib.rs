//! The load generator: many connections that send numbered messages, or the lines of a file, and count exactly what was
//! sent and acknowledged.
//!
//! ```text
//!              ┌ template ▶ generated ┐            ┌ stream        TCP, TLS, unix stream
//!  a thread    │                      ├ chunk ▶ ───┤ datagram      UDP, unix datagram
//!  a connection└ lines                ┘            │ transactions  RELP (window ▶ relp)
//!  (worker)      rate says when                    └ requests      HTTP
//! ```
//!
//! **Invariant:** the messages that a receiver acknowledged on connection `t` are those numbered 0 to `acknowledged - 1` of
//! thread `t`, whatever broke in the meantime.

mod chunk;
mod counts;
mod datagram;
mod generated;
mod idle;
mod latency;
mod lines;
mod plan;
mod rate;
mod requests;
mod socket;
mod stream;
mod target;
mod template;
mod transactions;
mod transport;
mod window;
mod worker;

pub use chunk::Framing;
pub use counts::Total;
pub use idle::IdleCount;
pub use logstead_client::tls::{Authorities, TlsOptions};
pub use plan::{Content, LoadPlan};
pub use rate::SendRate;
pub use target::LoadTarget;
pub use template::HeaderKind;

use counts::{ConnectionCounts, ConnectionError, EndCondition};
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender as Channel, bounded, unbounded};
use idle::IdleConnections;
use latency::Latencies;
use plan::PreparedPlan;
use rate::SendPace;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, Scope};
use std::time::{Duration, Instant};

const SECOND: Duration = Duration::from_secs(1);

/// The reason why nothing is sent.
#[derive(Debug)]
pub enum Error {
    /// The plan cannot be carried out.
    Plan(String),
    /// The system refused an operation.
    Environment(String),
}

/// Receives the progress of a run.
pub trait ProgressReport {
    /// Reports that another second has passed; `total` counts from the beginning.
    fn second(&mut self, passed: Duration, total: Total);

    /// Reports that a connection has ended early.
    fn ended(&mut self, thread: usize, reason: &str);
}

/// The result of a run.
pub struct Summary {
    /// The duration of the run.
    pub passed: Duration,
    /// The totals of all connections.
    pub total: Total,
    /// The totals of each connection, thread 1 first.
    pub threads: Vec<Total>,
    /// The times within which half and 99 of 100 acknowledgements arrived.
    pub latency: Option<(Duration, Duration)>,
    /// The number of connections that broke or could not be established, by reason.
    pub reasons: BTreeMap<String, u64>,
    /// Connections that ended early.
    pub failed: usize,
    /// The idle connections.
    pub idle: IdleCount,
}

/// A report of a connection's thread.
enum ThreadEvent {
    /// The thread has tried to connect, and waits for the others.
    Ready,
    Ended {
        thread: usize,
        ended: Result<(), ConnectionError>,
        latencies: Option<Latencies>,
    },
}

/// Carries out the plan until it is done or told to stop.
pub fn run(plan: &LoadPlan, stop: &AtomicBool, report: &mut dyn ProgressReport) -> Result<Summary, Error> {
    let prepared = plan.prepare().map_err(Error::Plan)?;
    let idle = prepared.dial.as_ref().map(|dial| IdleConnections::open(dial, plan.idle, stop));
    let mut idle = idle.transpose().map_err(Error::Environment)?;
    let counts: Vec<ConnectionCounts> = (0..plan.active).map(|_| ConnectionCounts::default()).collect();
    let (events, heard) = unbounded();
    let (gate, opened) = bounded::<()>(0);
    let (passed, failed, latencies) = std::thread::scope(|scope| {
        let start = || {
            for (at, counts) in counts.iter().enumerate() {
                let thread = ConnectionThread { plan, prepared: &prepared, number: at + 1, counts, stop };
                thread.start(scope, events.clone(), opened.clone())?;
            }
            await_ready(&heard, plan.active)
        };
        if let Err(error) = start() {
            // The threads waiting at the gate then find that they have nothing to do.
            stop.store(true, Ordering::Relaxed);
            drop(gate);
            return Err(error);
        }
        drop(gate);
        Ok(watch(plan, stop, &counts, &heard, report))
    })?;
    let mut reasons = BTreeMap::new();
    for (reason, count) in counts.iter().flat_map(ConnectionCounts::reasons) {
        *reasons.entry(reason).or_default() += count;
    }
    let threads: Vec<Total> = counts.iter().map(ConnectionCounts::total).collect();
    let latency = latencies.quantile(0.5).zip(latencies.quantile(0.99));
    let idle = idle.as_mut().map(IdleConnections::count).unwrap_or_default();
    Ok(Summary { passed, total: threads.iter().copied().sum(), threads, latency, reasons, failed, idle })
}

/// A thread to be started.
#[derive(Clone, Copy)]
struct ConnectionThread<'a> {
    plan: &'a LoadPlan,
    prepared: &'a PreparedPlan,
    number: usize,
    counts: &'a ConnectionCounts,
    stop: &'a AtomicBool,
}

impl<'a> ConnectionThread<'a> {
    fn start<'s>(
        self,
        scope: &'s Scope<'s, 'a>,
        events: Channel<ThreadEvent>,
        opened: Receiver<()>,
    ) -> Result<(), Error> {
        let name = format!("connection-{}", self.number);
        let spawned = Builder::new().name(name).spawn_scoped(scope, move || self.run(&events, &opened));
        spawned.map(|_| ()).map_err(|error| {
            Error::Environment(format!(
                "cannot start a thread for connection {} of {}: {error}",
                self.number, self.plan.active
            ))
        })
    }

    fn run(self, events: &Channel<ThreadEvent>, opened: &Receiver<()>) {
        let ConnectionThread { plan, prepared, number, counts, stop } = self;
        let made = prepared.worker(plan, number, counts).map_err(ConnectionError::fatal);
        let made = made.map(|mut worker| (worker.sender.connect(), worker));
        // If the run was aborted, nothing receives this.
        events.send(ThreadEvent::Ready).ok();
        // Dropping the gate opens it.
        opened.recv().ok();
        let start = Instant::now();
        let deadline = plan.interval.map(|interval| start + interval);
        let (ended, latencies) = match made {
            Ok((connected, mut worker)) => {
                let ended =
                    worker.run(connected, SendPace::new(plan.rate, start), &EndCondition { stop, deadline });
                (ended, worker.sender.latencies().cloned())
            }
            Err(broken) => {
                counts.broke(&broken);
                (Err(broken), None)
            }
        };
        events.send(ThreadEvent::Ended { thread: number, ended, latencies }).ok();
    }
}

/// Waits until all have tried to connect, so that they start together.
fn await_ready(heard: &Receiver<ThreadEvent>, count: usize) -> Result<(), Error> {
    for _ in 0..count {
        // Each thread sends this event first, and nothing more until the gate opens.
        heard.recv().map_err(|error| Error::Environment(error.to_string()))?;
    }
    Ok(())
}

/// Reports progress until all threads have ended; returns how long that took, how many failed, and how long answers
/// took.
fn watch(
    plan: &LoadPlan,
    stop: &AtomicBool,
    counts: &[ConnectionCounts],
    heard: &Receiver<ThreadEvent>,
    report: &mut dyn ProgressReport,
) -> (Duration, usize, Latencies) {
    let start = Instant::now();
    let (mut latencies, mut failed, mut running) = (Latencies::default(), 0, plan.active);
    let mut next = SECOND;
    let is_over = || plan.interval.is_some_and(|interval| interval <= start.elapsed());
    // If there are only idle connections, the run lasts for its whole duration as well.
    let holds = || plan.active == 0 && !is_over() && !stop.load(Ordering::Relaxed);
    while 0 < running || holds() {
        match heard.recv_timeout(next.saturating_sub(start.elapsed())) {
            Ok(ThreadEvent::Ready) => {}
            Ok(ThreadEvent::Ended { thread, ended, latencies: one }) => {
                running -= 1;
                latencies.merge(&one.unwrap_or_default());
                if let Err(broken) = ended {
                    failed += 1;
                    report.ended(thread, &broken.reason);
                }
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                report.second(start.elapsed(), counts.iter().map(ConnectionCounts::total).sum());
                next += SECOND;
            }
        }
    }
    (start.elapsed(), failed, latencies)
}
