//! The cost of a message from bytes to a searchable, sealed segment, on one thread, and its size on disk.

use crate::measure::{cpu, peak_memory_bytes, print};
use anyhow::{Context as _, Result};
use logstead_config::{Framing, SourceFormat};
use logstead_indexer::{Appender, Disk, EncodedBatch, OpenLogspace, Options, RealDisk, Stats};
use logstead_record::{BatchBuilder, Origin, Timestamp};
use logstead_syslog::format::{FrameContext, SyslogParser};
use logstead_syslog::framing::{Framer, SplitResult};
use logstead_work::Alone;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

const CHUNK_BYTES: usize = 1 << 20;
const CHUNKS_IN_COMMIT: usize = 4;
const FRAME_BYTES_MAX: usize = 64 << 10;

/// The messages that were stored, and their cost.
pub(crate) struct StoreCost {
    pub(crate) messages: u64,
    pub(crate) bytes: u64,
    /// CPU time from bytes to the synced journal, in nanoseconds.
    pub(crate) ingest: u64,
    /// CPU time from the journal's batches to synced segments, in nanoseconds.
    pub(crate) seal: u64,
    pub(crate) stats: Stats,
}

/// Stores lines in a new logspace and prints the cost. The store stays, to be searched.
pub(crate) fn run(lines: impl Read, data: &Path) -> Result<()> {
    if data.exists() {
        std::fs::remove_dir_all(data)?;
    }
    let StoreCost { messages, bytes, ingest, seal, stats } = store(lines, data)?;
    let each = |amount: u64| amount as f64 / messages as f64;
    print(&format!("{messages} messages of {:.0} B in {} segments", each(bytes), stats.segments))?;
    print(&format!(
        "CPU per message: {:.0} ns to the synced journal, {:.0} ns to seal, {:.2} µs together",
        each(ingest),
        each(seal),
        each(ingest + seal) / 1000.0
    ))?;
    print(&format!(
        "bytes per message: {:.2} blocks, {:.2} index",
        each(stats.blocks_bytes),
        each(stats.index_bytes)
    ))?;
    print(&format!("peak memory: {} MiB", peak_memory_bytes()? >> 20))
}

/// Parses and appends lines, and seals every full file, one after the other.
pub(crate) fn store(lines: impl Read, data: &Path) -> Result<StoreCost> {
    let disk: Arc<dyn Disk> = Arc::new(RealDisk);
    let OpenLogspace { mut appender, searcher, keeper, .. } =
        logstead_indexer::open(&disk, data, Options::default(), &Alone)?;
    let mut seal = 0;
    let AppendCost { messages, bytes, cpu: ingest } = append(lines, &mut appender, || {
        let start = cpu();
        while let Some(task) = keeper.next_task(false) {
            keeper.run(&task, &|| false).context("sealing")?;
        }
        seal += cpu() - start;
        Ok(())
    })?;
    Ok(StoreCost { messages, bytes, ingest, seal, stats: searcher.stats() })
}

/// The messages that were appended, and the CPU time from bytes to the synced journal, in nanoseconds.
pub(crate) struct AppendCost {
    pub(crate) messages: u64,
    pub(crate) bytes: u64,
    pub(crate) cpu: u64,
}

/// Parses and appends lines; calls `then` after each commit.
pub(crate) fn append(
    mut lines: impl Read,
    appender: &mut Appender,
    mut then: impl FnMut() -> Result<()>,
) -> Result<AppendCost> {
    let now = Timestamp::from_nanos(1_793_600_000_000_000_000);
    let syslog = SyslogParser::new(SourceFormat::Auto, jiff::tz::TimeZone::UTC);
    let mut framer = Framer::new(Framing::Auto, FRAME_BYTES_MAX);
    let mut builder = BatchBuilder::new();
    let mut appended = AppendCost { messages: 0, bytes: 0, cpu: 0 };
    let (mut pending, mut waiting) = (Vec::new(), Vec::<EncodedBatch>::new());
    loop {
        let kept = pending.len();
        pending.resize(kept + CHUNK_BYTES, 0);
        let read = lines.read(&mut pending[kept..])?;
        pending.truncate(kept + read);
        appended.bytes += read as u64;
        let start = cpu();
        let mut found = SplitResult::default();
        let taken = framer.split(&pending, &mut found);
        builder.reserve(found.frames.len(), pending.len());
        builder.origin(Origin { source: b"syslog", peer: b"10.0.0.1", received: now });
        for frame in &found.frames {
            let known = FrameContext { flags: frame.flags, peer: b"10.0.0.1", ..FrameContext::at(now) };
            syslog.parse(&pending[frame.start as usize..frame.end as usize], known, &mut builder);
        }
        pending.drain(..taken);
        appended.messages += found.frames.len() as u64;
        waiting.push(logstead_indexer::encode(Arc::new(builder.seal())));
        let is_end = read == 0;
        if is_end || CHUNKS_IN_COMMIT <= waiting.len() {
            appender.append(&waiting)?;
            waiting.clear();
        }
        if is_end {
            appender.close_old(Timestamp::MAX)?;
        }
        appended.cpu += cpu() - start;
        then()?;
        if is_end {
            return Ok(appended);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_in_a_segment() {
        let folder = tempfile::tempdir().expect("a folder");
        let lines = crate::corpus::lines(3000);
        let stored = store(lines.as_slice(), &folder.path().join("data")).expect("a run");
        assert_eq!((stored.messages, stored.stats.sealed_messages), (3000, 3000));
        assert!(0 < stored.seal && 0 < stored.ingest && stored.stats.blocks_bytes < stored.bytes);
    }
}
