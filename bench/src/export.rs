//! The CPU time that a message takes on its way out of a store, in each format of an export.

use crate::measure::{cpu, peak_memory_bytes, print};
use anyhow::{Error, Result};
use logstead_columnar::ColumnarFormat;
use logstead_indexer::{Disk, OpenLogspace, Options, Order, RealDisk};
use logstead_query::{Query, TimeRange};
use logstead_questions::store::{Copies, Logspaces, MessageRun, SearchCriteria};
use logstead_questions::wire::file::MessageFormat;
use logstead_record::Timestamp;
use logstead_work::{Pool, SearchContext};
use std::path::Path;
use std::sync::Arc;

/// The columns of a frame as people often make them.
const FIVE: [&str; 5] = ["time", "host", "program", "severity", "message"];
const FORMATS: [&str; 4] = ["ndjson", "csv", "arrow", "parquet"];

/// Exports a store made by [`crate::store`], in these formats, or in all of them if none is named.
pub(crate) fn run(data: &Path, runs: usize, only: &[String]) -> Result<()> {
    let disk: Arc<dyn Disk> = Arc::new(RealDisk);
    let OpenLogspace { searcher, .. } =
        logstead_indexer::open(&disk, data, Options::default(), &Pool::of_reads())?;
    let logspaces: Logspaces = [("main".to_owned(), searcher)].into_iter().collect();
    print(&format!("{} messages; messages per second of CPU, and bytes per message", logspaces.messages()))?;
    for (told, columns) in [("default columns", None), ("5 columns", Some(FIVE.map(str::to_owned).to_vec()))]
    {
        print(told)?;
        for format in
            FORMATS.into_iter().filter(|&format| only.is_empty() || only.iter().any(|of| of == format))
        {
            let costs = (0..runs).map(|_| export(&logspaces, format, columns.clone()));
            let costs: Vec<ExportCost> = costs.collect::<Result<_>>()?;
            let Some(best) = costs.into_iter().min_by_key(|cost| cost.cpu) else { continue };
            let each = best.bytes as f64 / best.messages as f64;
            let rate = best.messages as f64 * 1e9 / best.cpu as f64;
            print(&format!("  {format:10} {rate:>10.0} {each:>8.1}"))?;
        }
    }
    print(&format!("peak memory: {} MiB", peak_memory_bytes()? >> 20))
}

struct ExportCost {
    messages: u64,
    bytes: u64,
    /// In nanoseconds.
    cpu: u64,
}

fn export(logspaces: &Logspaces, format: &str, columns: Option<Vec<String>>) -> Result<ExportCost> {
    let writing = match format {
        "ndjson" => MessageFormat::ndjson(columns),
        "csv" => MessageFormat::csv(columns),
        "arrow" => MessageFormat::columnar(ColumnarFormat::Arrow, columns),
        _ => MessageFormat::columnar(ColumnarFormat::Parquet, columns),
    };
    let mut writing = writing.map_err(Error::msg)?;
    let wanted = SearchCriteria {
        query: &Query::All,
        range: TimeRange::ALL,
        now: Timestamp::from_nanos(1_793_600_000_000_000_000),
        copies: Copies::default(),
    };
    let run = SearchContext::alone();
    let start = cpu();
    let mut reading =
        logspaces.clone().read(wanted, None, Order::Newest, u64::MAX, &run)?.with_columns(writing.groups());
    let (mut bytes, mut piece) = (0, Vec::new());
    writing.begin(&mut piece);
    while 0 < reading.left() {
        let write = |run: &MessageRun<'_>, out: &mut Vec<u8>| writing.run(run, out);
        reading.next_runs(write, &run, &mut piece)?;
        bytes += piece.len() as u64;
        piece.clear();
    }
    writing.end(&[], &mut piece);
    Ok(ExportCost { messages: reading.written(), bytes: bytes + piece.len() as u64, cpu: cpu() - start })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_message_is_exported_in_each_format() {
        let folder = tempfile::tempdir().expect("a folder");
        let data = folder.path().join("data");
        crate::store::store(crate::corpus::lines(3000).as_slice(), &data).expect("a store");
        run(&data, 1, &[]).expect("every export is complete");
    }
}
