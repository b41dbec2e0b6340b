//! Forwards for a long time to destinations that come and go at random.
//!
//! The verdict: every message that was sent has been delivered to each destination, was refused by it, or is waiting;
//! at the end none is waiting, and each receiver has every message. Messages may only be missing over TCP, which does
//! not confirm what arrives.

use crate::chart::{self, ChartLine, Plot};
use crate::corpus::Random;
use crate::measure::print;
use crate::numbered::{ArrivalCount, NumberLog};
use crate::server::{Counters, LoadProcess, MeasuredServer, Server, source};
use crate::test_receiver::{SinkProtocol, TestReceiver, nowhere};
use crate::{growth, verdict};
use anyhow::{Result, ensure};
use clap::Args;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a destination is unavailable, in seconds; the following constant is how long it is available.
const AWAY: std::ops::Range<u64> = 2..20;
const THERE: std::ops::Range<u64> = 5..40;
const LOOK_INTERVAL: Duration = Duration::from_millis(100);
/// How long to wait without another message before giving up.
const STALL_MAX: Duration = Duration::from_secs(60);

#[derive(Args, Debug)]
pub(crate) struct ForwardSoak {
    #[command(flatten)]
    subject: MeasuredServer,
    /// The data directory of the server; its contents are removed
    #[arg(long, default_value = "target/bench-forward-soak")]
    data: PathBuf,
    #[arg(long, default_value_t = 60.0)]
    minutes: f64,
    /// Messages per second, half of them over TCP and half over RELP
    #[arg(long, default_value_t = 20_000)]
    rate: u64,
    /// The seed that determines when destinations come and go
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Seconds between two samples
    #[arg(long, default_value_t = 5.0)]
    interval: f64,
    /// The file for the record; the chart is written next to it
    #[arg(long, value_name = "FILE", default_value = "target/bench-forward-soak.json")]
    record: PathBuf,
}

/// A destination, and the messages that it has received.
struct SoakedDestination {
    protocol: SinkProtocol,
    address: SocketAddr,
    numbered: Arc<NumberLog>,
    sink: Option<TestReceiver>,
    /// The time when it comes or goes next.
    change_at: Instant,
    stops: u64,
}

/// The counts that the server reports for a destination.
#[derive(Clone, Copy)]
struct DestinationCounts {
    delivered: u64,
    quarantined: u64,
    waiting: u64,
}

/// The server at one moment.
struct ForwardSample {
    seconds: f64,
    resident: f64,
    said: Vec<DestinationCounts>,
}

/// A claim, the observation, and whether the claim holds.
type Claim = (&'static str, String, bool);

/// Checks whether the server's ledger adds up and includes every message.
fn ledger(server: &Server, sent: u64) -> Result<Claim> {
    let flow: Value = server.get("/flow?from=-30d")?.body_mut().read_json()?;
    let number = |of: &Value, name: &str| of[name].as_i64().unwrap_or_default();
    let destinations = flow["destinations"].as_array().map(Vec::as_slice).unwrap_or_default();
    let queues: Vec<i64> = destinations.iter().map(|row| number(row, "remainder")).collect();
    let (received, remainder) = (number(&flow["total"], "received"), number(&flow["total"], "remainder"));
    let holds = remainder == 0 && queues.iter().all(|remainder| *remainder == 0) && received as u64 == sent;
    let figure = format!("{received} of {sent} received, remainder {remainder}, of destinations {queues:?}");
    Ok(("the ledger adds up", figure, holds))
}

impl ForwardSoak {
    pub(crate) fn run(&self) -> Result<()> {
        let mut sides = sides()?;
        let server = self.subject.serve(&self.data, &router(&sides))?;
        let loads = [self.load(&server, "tcp", 1)?, self.load(&server, "relp", 2)?];
        let samples = self.samples(&server, &mut sides)?;
        let mut sent = 0;
        for load in loads {
            let load = load.end()?;
            ensure!(load.text("broken").is_empty(), "a connection of the load generator broke");
            sent += load.number("messages") as u64;
        }
        let during = paused(&server, &sides, sent)?;
        let after = drained(&server, &mut sides)?;
        let sides: Vec<DestinationResult> = sides
            .into_iter()
            .zip(during)
            .zip(after)
            .map(|((side, during), after)| DestinationResult::of(&side, during, after))
            .collect();
        let ledger = ledger(&server, sent)?;
        self.verdict(sent, &sides, &samples, ledger)
    }

    fn load(&self, server: &Server, scheme: &str, run: u64) -> Result<LoadProcess> {
        let run = [format!("--run-id={run}")];
        self.subject.load(server.url(scheme)?, self.rate / 2, self.minutes, &run)
    }

    /// Lets destinations come and go, and takes samples, until the load ends.
    fn samples(&self, server: &Server, sides: &mut [SoakedDestination]) -> Result<Vec<ForwardSample>> {
        let (start, mut random) = (Instant::now(), Random(self.seed));
        let (mut samples, mut next) = (Vec::new(), 0.0);
        while start.elapsed().as_secs_f64() < self.minutes * 60.0 {
            for side in sides.iter_mut().filter(|side| side.change_at <= Instant::now()) {
                side.change(&mut random)?;
            }
            let seconds = start.elapsed().as_secs_f64();
            if next <= seconds {
                let sample = ForwardSample::take(server, sides, seconds)?;
                print(&sample.row(sides))?;
                samples.push(sample);
                next += self.interval;
            }
            std::thread::sleep(LOOK_INTERVAL);
        }
        Ok(samples)
    }

    fn verdict(
        &self,
        sent: u64,
        sides: &[DestinationResult],
        samples: &[ForwardSample],
        ledger: Claim,
    ) -> Result<()> {
        let steady = samples.iter().filter(|sample| growth::warm_up(self.minutes) <= sample.seconds);
        let memory: Vec<_> = steady.map(|sample| (sample.seconds, sample.resident)).collect();
        let mut rows: Vec<_> = sides.iter().flat_map(|side| side.rows(sent)).collect();
        rows.extend([ledger, growth::claim(&memory)]);
        let record = json!({
            "command": std::env::args().collect::<Vec<_>>().join(" "),
            "sent": sent,
            "destinations": sides.iter().map(DestinationResult::json).collect::<Vec<_>>(),
            "claims": rows.iter().map(|(what, figure, holds)| json!([what, figure, holds])).collect::<Vec<_>>(),
            "samples": samples.iter().map(|sample| sample.json(sides)).collect::<Vec<_>>(),
        });
        std::fs::write(&self.record, record.to_string() + "\n")?;
        let picture = self.record.with_extension("svg");
        std::fs::write(&picture, chart::svg(&plots(sides, samples)))?;
        print(&format!("record: {}, chart: {}", self.record.display(), picture.display()))?;
        verdict::tell(&rows)
    }
}

/// A destination at the end of the run.
struct DestinationResult {
    protocol: SinkProtocol,
    /// The counts when the load had ended and sending was paused.
    during: DestinationCounts,
    /// The counts when everything had been sent.
    after: DestinationCounts,
    count: ArrivalCount,
    stops: u64,
}

impl DestinationResult {
    fn of(
        side: &SoakedDestination,
        during: DestinationCounts,
        after: DestinationCounts,
    ) -> DestinationResult {
        DestinationResult {
            protocol: side.protocol,
            during,
            after,
            count: side.numbered.count(),
            stops: side.stops,
        }
    }

    fn rows(&self, sent: u64) -> [(&'static str, String, bool); 3] {
        let DestinationResult { during, after, count, .. } = self;
        let name = self.protocol.name();
        let missing = sent.saturating_sub(count.taken + count.refused);
        let mut arrived = format!("{name}: {missing} of {sent} missing, {} doubles", count.doubles);
        if 0 < count.strange {
            arrived += &format!(", {} that nobody sent", count.strange);
        }
        let may_miss = self.protocol == SinkProtocol::Tcp;
        let is_right = count.strange == 0 && after.quarantined == count.refused && after.waiting == 0;
        [
            ("sent = delivered + quarantined + waiting", during.text(name, sent), during.sum() == sent),
            (
                "the same with an empty queue",
                after.text(name, sent),
                after.sum() == sent && after.waiting == 0,
            ),
            ("what arrived", arrived, is_right && (may_miss || missing == 0)),
        ]
    }

    fn json(&self) -> Value {
        let ArrivalCount { taken, refused, doubles, strange } = self.count;
        json!({
            "id": self.protocol.name(), "stops": self.stops,
            "during": self.during.json(), "after": self.after.json(),
            "taken": taken, "refused": refused, "doubles": doubles, "strange": strange,
        })
    }
}

impl SoakedDestination {
    fn start(&mut self) -> Result<()> {
        self.sink = Some(TestReceiver::start(self.protocol, self.address, self.numbered.clone())?);
        Ok(())
    }

    /// Starts the receiver if it is stopped, and stops it otherwise.
    fn change(&mut self, random: &mut Random) -> Result<()> {
        let range = if self.sink.take().is_some() {
            self.stops += 1;
            AWAY
        } else {
            self.start()?;
            THERE
        };
        let seconds = range.start + random.below(range.end - range.start);
        self.change_at = Instant::now() + Duration::from_secs(seconds);
        Ok(())
    }
}

impl DestinationCounts {
    fn of(counters: &Counters, id: &str) -> DestinationCounts {
        let get = |name: &str| counters.get(&format!("destination_{name}{{destination=\"{id}\"}}"));
        DestinationCounts {
            delivered: get("messages_total"),
            quarantined: get("quarantined"),
            waiting: get("queue_messages"),
        }
    }

    fn sum(&self) -> u64 {
        self.delivered + self.quarantined + self.waiting
    }

    fn text(&self, name: &str, sent: u64) -> String {
        let DestinationCounts { delivered, quarantined, waiting } = self;
        format!("{name}: {sent} = {delivered} + {quarantined} + {waiting}")
    }

    fn json(&self) -> Value {
        json!({"delivered": self.delivered, "quarantined": self.quarantined, "waiting": self.waiting})
    }
}

impl ForwardSample {
    fn take(server: &Server, sides: &[SoakedDestination], seconds: f64) -> Result<ForwardSample> {
        let counters = server.counters()?;
        let resident = server.resident_bytes()? as f64 / f64::from(1 << 20);
        let said = sides.iter().map(|side| DestinationCounts::of(&counters, side.protocol.name())).collect();
        Ok(ForwardSample { seconds, resident, said })
    }

    fn row(&self, sides: &[SoakedDestination]) -> String {
        let mut row = format!("{:.0} s, {:.0} MiB", self.seconds, self.resident);
        for (side, said) in sides.iter().zip(&self.said) {
            let state = if side.sink.is_some() { "there" } else { "away" };
            row += &format!("; {} is {state}: {} wait", side.protocol.name(), said.waiting);
        }
        row
    }

    fn json(&self, sides: &[DestinationResult]) -> Value {
        let said = sides.iter().zip(&self.said).map(|(side, said)| (side.protocol.name(), said.json()));
        json!({
            "seconds": self.seconds, "resident_MiB": self.resident,
            "destinations": said.collect::<std::collections::BTreeMap<_, _>>(),
        })
    }
}

fn sides() -> Result<Vec<SoakedDestination>> {
    let side = |protocol| {
        let address = nowhere()?;
        let numbered = Arc::new(NumberLog::new(protocol == SinkProtocol::Bulk));
        let mut side = SoakedDestination {
            protocol,
            address,
            numbered,
            sink: None,
            change_at: Instant::now() + LOOK_INTERVAL,
            stops: 0,
        };
        // Started at once, so that the next one finds another port.
        side.start()?;
        Ok(side)
    };
    [SinkProtocol::Tcp, SinkProtocol::Relp, SinkProtocol::Bulk].into_iter().map(side).collect()
}

/// A router document that sends everything to every destination and stores nothing.
fn router(sides: &[SoakedDestination]) -> String {
    let sources = [source("syslog", "tcp", ""), source("relp", "relp", "")].concat();
    let destination =
        |side: &SoakedDestination| side.protocol.destination(side.protocol.name(), side.address, "");
    let destinations: String = sides.iter().map(destination).collect();
    let to: Vec<String> = sides.iter().map(|side| format!("\"{}\"", side.protocol.name())).collect();
    let to = to.join(", ");
    format!(
        "version = 1\n{sources}[[logspaces]]\nid = \"main\"\nretention = {{ age = \"90d\" }}\n{destinations}\
         [[routes]]\nid = \"all\"\nto = [{to}]\n"
    )
}

/// Waits until everything is queued, pauses sending, and returns the server's counts of each destination.
fn paused(server: &Server, sides: &[SoakedDestination], sent: u64) -> Result<Vec<DestinationCounts>> {
    let queued = |counters: &Counters| {
        let of = |side: &SoakedDestination| {
            counters.get(&format!("destination_queued_total{{destination=\"{}\"}}", side.protocol.name()))
        };
        sides.iter().map(of).min().unwrap_or_default()
    };
    wait("everything is queued", server, queued, sent)?;
    for side in sides {
        server.act(side.protocol.name(), "pause")?;
    }
    // Messages in transit are settled first.
    let mut last = None;
    loop {
        let counters = server.counters()?;
        let said: Vec<DestinationCounts> =
            sides.iter().map(|side| DestinationCounts::of(&counters, side.protocol.name())).collect();
        let now: Vec<u64> = said.iter().flat_map(|said| [said.delivered, said.waiting]).collect();
        if last.replace(now.clone()) == Some(now) {
            return Ok(said);
        }
        std::thread::sleep(10 * LOOK_INTERVAL);
    }
}

/// Makes all destinations available, and waits until no message is waiting.
fn drained(server: &Server, sides: &mut [SoakedDestination]) -> Result<Vec<DestinationCounts>> {
    for side in sides.iter_mut() {
        if side.sink.is_none() {
            side.start()?;
        }
        server.act(side.protocol.name(), "resume")?;
    }
    let done = |counters: &Counters| {
        let of = |side: &SoakedDestination| {
            let said = DestinationCounts::of(counters, side.protocol.name());
            (said.delivered + said.quarantined, said.waiting == 0)
        };
        let all: Vec<_> = sides.iter().map(of).collect();
        let is_done = all.iter().all(|(_, is_empty)| *is_empty);
        if is_done { u64::MAX } else { all.iter().map(|(done, _)| done).sum() }
    };
    wait("every queue is empty", server, done, u64::MAX)?;
    let counters = server.counters()?;
    Ok(sides.iter().map(|side| DestinationCounts::of(&counters, side.protocol.name())).collect())
}

/// Waits until a number is reached; fails if it stops growing.
fn wait(what: &str, server: &Server, number: impl Fn(&Counters) -> u64, wanted: u64) -> Result<()> {
    let (mut last, mut moved) = (0, Instant::now());
    loop {
        let value = number(&server.counters()?);
        if wanted <= value {
            return Ok(());
        }
        if value != last {
            (last, moved) = (value, Instant::now());
        }
        ensure!(moved.elapsed() < STALL_MAX, "waited for nothing: {what}");
        std::thread::sleep(LOOK_INTERVAL);
    }
}

fn plots(sides: &[DestinationResult], samples: &[ForwardSample]) -> [Plot; 2] {
    let of = |number: fn(&DestinationCounts) -> u64| {
        let line = |(at, side): (usize, &DestinationResult)| ChartLine {
            name: side.protocol.name().to_owned(),
            points: samples.iter().map(|sample| (sample.seconds, number(&sample.said[at]) as f64)).collect(),
        };
        sides.iter().enumerate().map(line).collect()
    };
    let resident = samples.iter().map(|sample| (sample.seconds, sample.resident)).collect();
    [
        Plot { title: "Messages that wait".to_owned(), lines: of(|said| said.waiting) },
        Plot {
            title: "Resident memory of the server, MiB".to_owned(),
            lines: vec![ChartLine { name: "resident".to_owned(), points: resident }],
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_router_document_is_right_and_each_side_has_its_own_port() {
        let sides = sides().unwrap();
        let router = router(&sides);
        assert!(logstead_config::check_toml(&router).is_ok(), "{router}");
        assert!(sides[0].address != sides[1].address && sides[1].address != sides[2].address);
    }
}
