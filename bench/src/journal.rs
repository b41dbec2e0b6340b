//! The cost of a message from bytes to a synced journal, on one thread, split by step.

use crate::measure::{cpu, print};
use anyhow::{Context as _, Result, anyhow};
use logstead_config::{Framing, SourceFormat, check_toml};
use logstead_indexer::{Disk, EncodedBatch, Options, RealDisk};
use logstead_record::{BatchBuilder, Origin, Timestamp};
use logstead_route::{Lookups, Router};
use logstead_syslog::format::{FrameContext, SyslogParser};
use logstead_syslog::framing::{Framer, SplitResult};
use logstead_work::Alone;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// How many bytes a source reads at once.
const CHUNK_BYTES: usize = 1 << 20;
/// The number of chunks in one commit, as if they had waited for the previous one.
const CHUNKS_IN_COMMIT: usize = 4;
const FRAME_BYTES_MAX: usize = 64 << 10;
const ROUTER: &str = r#"
version = 1
[[sources]]
id = "syslog"
kind = "syslog"
listen = ["tcp://127.0.0.1:0"]
[[logspaces]]
id = "main"
[[logspaces]]
id = "noise"
[[routes]]
id = "noise"
where = 'program=nobody severity>=emerg'
to = ["noise"]
final = true
[[routes]]
id = "default"
to = ["main"]
"#;

/// CPU time of each step in nanoseconds.
#[derive(Default, Clone, Copy)]
struct StepTimes {
    frame: u64,
    parse: u64,
    route: u64,
    encode: u64,
    append: u64,
}

impl StepTimes {
    fn total(self) -> u64 {
        self.frame + self.parse + self.route + self.encode + self.append
    }
}

struct JournalRun {
    split: StepTimes,
    messages: u64,
    journal_bytes: u64,
    wall_seconds: f64,
}

/// Measures `runs` times and prints every run, then the fastest.
pub(crate) fn run(lines: &[u8], data: &Path, runs: usize) -> Result<()> {
    let mut all = Vec::new();
    print("run      frame  parse  route encode append   total  (ns of CPU per message)    wall")?;
    for number in 1..=runs {
        if data.exists() {
            std::fs::remove_dir_all(data)?;
        }
        let (run, plain) = (once(lines, data)?, plain_write(lines, data)?);
        let each = |cpu: u64| cpu as f64 / run.messages as f64;
        let StepTimes { frame, parse, route, encode, append } = run.split;
        print(&format!(
            "{number:3}     {:6.0} {:6.0} {:6.0} {:6.0} {:6.0}  {:6.0}   {:>4.0} B/message on disk  {:.2} s; plain write + fsync {:.0} ns",
            each(frame),
            each(parse),
            each(route),
            each(encode),
            each(append),
            each(run.split.total()),
            run.journal_bytes as f64 / run.messages as f64,
            run.wall_seconds,
            each(plain),
        ))?;
        all.push(run);
        std::fs::remove_dir_all(data)?;
    }
    let best = all.iter().min_by_key(|run| run.split.total()).context("no run")?;
    print(&format!(
        "best: {} messages of {:.0} B, {:.2} µs of CPU per message",
        best.messages,
        lines.len() as f64 / best.messages as f64,
        best.split.total() as f64 / best.messages as f64 / 1000.0
    ))
}

fn once(lines: &[u8], data: &Path) -> Result<JournalRun> {
    let (_, checked) = check_toml(ROUTER).map_err(|problems| anyhow!("{problems:?}"))?;
    let now = Timestamp::from_nanos(1_793_600_000_000_000_000);
    let router = Router::new(&checked, &Lookups::default(), None);
    let syslog = SyslogParser::new(SourceFormat::Auto, jiff::tz::TimeZone::UTC);
    let disk: Arc<dyn Disk> = Arc::new(RealDisk);
    let mut appender = logstead_indexer::open(&disk, data, Options::default(), &Alone)?.appender;
    let mut framer = Framer::new(Framing::Auto, FRAME_BYTES_MAX);
    let mut builder = BatchBuilder::new();
    let mut run =
        JournalRun { split: StepTimes::default(), messages: 0, journal_bytes: 0, wall_seconds: 0.0 };
    let mut waiting: Vec<EncodedBatch> = Vec::new();
    let start = Instant::now();
    let mut at = 0;
    let mut clock = cpu();
    let mut lap = |step: &mut u64| {
        let now = cpu();
        *step += now - clock;
        clock = now;
    };
    while at < lines.len() {
        let mut found = SplitResult::default();
        let end = lines.len().min(at + CHUNK_BYTES);
        // The bytes are owned, like those from a socket.
        let bytes = lines[at..end].to_vec();
        let taken = framer.split(&bytes, &mut found);
        lap(&mut run.split.frame);
        builder.reserve(found.frames.len(), bytes.len());
        builder.origin(Origin { source: b"syslog", peer: b"10.0.0.1", received: now });
        for frame in &found.frames {
            let known = FrameContext { flags: frame.flags, peer: b"10.0.0.1", ..FrameContext::at(now) };
            syslog.parse(&bytes[frame.start as usize..frame.end as usize], known, &mut builder);
        }
        let batch = Arc::new(builder.seal());
        lap(&mut run.split.parse);
        let routed = router.route(&batch, "syslog");
        lap(&mut run.split.route);
        for delivery in routed.deliveries {
            let part =
                if delivery.rows.is_all() { batch.clone() } else { Arc::new(batch.take(&delivery.rows)) };
            run.messages += part.rows() as u64;
            waiting.push(logstead_indexer::encode(part));
        }
        lap(&mut run.split.encode);
        if CHUNKS_IN_COMMIT <= waiting.len() {
            appender.append(&waiting)?;
            waiting.clear();
        }
        lap(&mut run.split.append);
        at += if taken == 0 { end - at } else { taken };
    }
    appender.append(&waiting)?;
    lap(&mut run.split.append);
    run.wall_seconds = start.elapsed().as_secs_f64();
    run.journal_bytes = std::fs::read_dir(data.join("journal"))?
        .map(|file| file.and_then(|file| file.metadata()).map(|metadata| metadata.len()))
        .sum::<std::io::Result<u64>>()?;
    Ok(run)
}

/// The baseline: the same bytes written to a plain file in the same pieces and synced as often. Returns the total CPU
/// time in nanoseconds.
fn plain_write(lines: &[u8], data: &Path) -> Result<u64> {
    let start = cpu();
    let mut file = std::fs::File::create(data.join("plain"))?;
    for piece in lines.chunks(CHUNK_BYTES * CHUNKS_IN_COMMIT) {
        file.write_all(piece)?;
        file.sync_data()?;
    }
    Ok(cpu() - start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_stored_and_the_steps_are_measured() {
        let folder = tempfile::tempdir().expect("a folder");
        let lines = crate::corpus::lines(2000);
        let run = once(&lines, &folder.path().join("data")).expect("a run");
        assert_eq!(run.messages, 2000);
        assert!(0 < run.split.parse && 0 < run.split.append && 0 < run.journal_bytes);
        assert!(run.journal_bytes < lines.len() as u64, "the journal is compressed");
    }
}
