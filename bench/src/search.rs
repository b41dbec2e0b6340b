//! Measures how long searches take and whether the answers are right: every count is compared with that of a naive
//! scan over the same messages.

use crate::measure::print;
use crate::store::{AppendCost, append};
use anyhow::{Result, ensure};
use logstead_answer::{Facets, Histogram, Width};
use logstead_indexer::{
    AnswerTarget, Disk, Filter, OpenLogspace, Options, Order, RealDisk, Request, Searcher,
};
use logstead_query::{Context, Query, TimeRange, parse};
use logstead_record::FieldName;
use logstead_record::{Batch, ColumnGroups, Selection, Timestamp};
use logstead_work::{Alone, Lanes, Pool, SearchContext};
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Queries with every kind of clause: words, phrases, fields, wildcards, regular expressions, negations.
const QUERIES: [&str; 42] = [
    "*",
    "error",
    "Connection",
    "connection from",
    "error failed warning",
    "failed OR error OR timeout",
    "not error",
    "error -failed",
    "nosuchwordanywhere",
    "needle",
    "\"connection from\"",
    "\"authentication failure\"",
    "cs\"Connection\"",
    "-\"connection from\"",
    "\"connection from\" OR \"authentication failure\"",
    "10.7.10.12",
    "\"10.7.10\"",
    "user=root",
    "conn*",
    "*nection",
    "*nect*",
    "err?r",
    "f*d password",
    "/user=[a-z]{4}/",
    "/fail[a-z]+ for/",
    "/(?i)AUTHENTICATION fail/",
    "/[0-9]{5,}/",
    "host:host-007",
    "host=host-007",
    "host:host-00*",
    "program=sshd",
    "program:/^ss/",
    "program=sshd severity>=warning",
    "severity>=err",
    "severity=info -program=sshd",
    "facility=kern",
    "pid:4*",
    "message:error severity>=err",
    "host=host-007 error",
    "(host=host-007 OR host=host-008) (error OR failed)",
    "time<2026-11-01T06:00:00Z error",
    "user:*",
];
const RANKED: [&str; 4] = ["error", "*", "\"connection from\"", "10.7.10.12"];
/// The queries for messages that are not in a segment yet.
const UNSEALED: [&str; 5] = ["error", "needle", "nosuchwordanywhere", "\"connection from\"", "10.7.10.12"];
const COUNTED: [&str; 3] = ["error", "*", "\"connection from\""];

/// Searches a store made by [`crate::store`].
pub(crate) fn run(data: &Path, runs: usize, threads: usize, check: bool, only: &[String]) -> Result<()> {
    let start = Instant::now();
    let disk: Arc<dyn Disk> = Arc::new(RealDisk);
    let OpenLogspace { searcher, recovery, .. } =
        logstead_indexer::open(&disk, data, Options::default(), &Pool::of_reads())?;
    let messages = recovery.sealed_messages + recovery.messages;
    print(&format!("{messages} messages, opened in {:.1} ms", ms(start.elapsed())))?;
    let lanes = Pool::new(threads);
    let bench = Bench { searcher, runs, lanes: &lanes };
    let queries: Vec<&str> =
        if only.is_empty() { QUERIES.to_vec() } else { only.iter().map(String::as_str).collect() };
    bench.counts(&queries, check)?;
    if !check || only.is_empty() {
        bench.rankings(if only.is_empty() { &RANKED } else { &queries })?;
        bench.shapes(if only.is_empty() { &COUNTED } else { &queries })?;
    }
    if check {
        print(&format!("\nall {} counts agree with those of a naive scan", queries.len()))
    } else {
        Ok(())
    }
}

/// Searches lines that are stored but not sealed, and are in memory. The store is removed.
pub(crate) fn run_unsealed(lines: impl Read, data: &Path, runs: usize, threads: usize) -> Result<()> {
    if data.exists() {
        std::fs::remove_dir_all(data)?;
    }
    let disk: Arc<dyn Disk> = Arc::new(RealDisk);
    let options = Options { memory_max: 4 << 30, ..Options::default() };
    let OpenLogspace { mut appender, searcher, .. } = logstead_indexer::open(&disk, data, options, &Alone)?;
    let AppendCost { messages, cpu, .. } = append(lines, &mut appender, || Ok(()))?;
    let each = |amount: u64| amount as f64 / messages as f64;
    print(&format!("{messages} messages, {:.0} ns of CPU each to the synced journal", each(cpu)))?;
    print(&format!("{:.1} bytes each in memory", each(searcher.stats().memory_bytes as u64)))?;
    let lanes = Pool::new(threads);
    let bench = Bench { searcher, runs, lanes: &lanes };
    bench.counts(&UNSEALED, false)?;
    bench.rankings(&UNSEALED)?;
    bench.shapes(&UNSEALED)?;
    std::fs::remove_dir_all(data)?;
    Ok(())
}

struct Bench<'a> {
    searcher: Searcher,
    runs: usize,
    lanes: &'a dyn Lanes,
}

impl Bench<'_> {
    fn counts(&self, queries: &[&str], check: bool) -> Result<()> {
        print(&format!(
            "\ncount, median of {}, {} threads                            ms        messages      looked at",
            self.runs,
            self.lanes.count()
        ))?;
        for query in queries {
            let filter = filter(&parse(query)?);
            let (time, counted) = self.median(|run| self.searcher.count(&filter, TimeRange::ALL, run));
            let (count, looked) = (counted.count, counted.coverage.scanned_messages);
            print(&format!("  {query:58} {:>9.2} {count:>14} {looked:>14}", ms(time)))?;
            if check {
                let naive = self.naive(&parse(query)?);
                ensure!(
                    count == naive,
                    "`{query}`: {count} by the index, {naive} by looking at every message"
                );
            }
        }
        Ok(())
    }

    fn rankings(&self, queries: &[&str]) -> Result<()> {
        print("\nnewest 100, all columns")?;
        for query in queries {
            let filter = filter(&parse(query)?);
            let request = Request {
                filter: &filter,
                range: TimeRange::ALL,
                order: Order::Newest,
                limit: 100,
                after: None,
            };
            let (time, hits) = self.median(|run| self.searcher.search(&request, run).hits.len());
            print(&format!("  {query:58} {:>9.2} {hits:>14}", ms(time)))?;
        }
        Ok(())
    }

    fn shapes(&self, queries: &[&str]) -> Result<()> {
        let stats = self.searcher.stats();
        let (Some(first), Some(last)) = (stats.first_time, stats.last_time) else { return Ok(()) };
        let range = TimeRange { first, last };
        let memory_max = 256 << 20;
        print("\nhistogram of 144 buckets; top 10 hosts")?;
        for query in queries {
            let filter = filter(&parse(query)?);
            let (histogram, total) = self.median(|run| {
                let mut histogram = Histogram::new(range, Width::AtMost(144), None, memory_max).ok()?;
                let asked = &mut [AnswerTarget::Histogram(&mut histogram)];
                self.searcher.answer("main", &filter, range, run, asked).ok()?;
                Some(histogram.finish().total)
            });
            let (facets, hosts) = self.median(|run| {
                let mut facets = Facets::new(vec![FieldName::new("host")], 10, memory_max);
                let asked = &mut [AnswerTarget::Facets(&mut facets)];
                self.searcher.answer("main", &filter, range, run, asked).ok()?;
                Some(facets.finish().first()?.distinct)
            });
            let (total, hosts) = (total.unwrap_or(0), hosts.unwrap_or(0));
            print(&format!(
                "  {query:58} {:>9.2} {total:>14} {:>9.2} {hosts:>6}",
                ms(histogram),
                ms(facets)
            ))?;
        }
        Ok(())
    }

    fn median<T>(&self, question: impl Fn(&SearchContext<'_>) -> T) -> (Duration, T) {
        let run = SearchContext { lanes: self.lanes, ..SearchContext::alone() };
        let mut answer = question(&run);
        let mut times = Vec::with_capacity(self.runs);
        for _ in 0..self.runs.max(1) {
            let start = Instant::now();
            answer = question(&run);
            times.push(start.elapsed());
        }
        times.sort_unstable();
        (times[times.len() / 2], answer)
    }

    /// Counts by comparing every message with the query.
    fn naive(&self, query: &Query) -> u64 {
        let (filter, all) = (filter(query), filter(&Query::All));
        let run = SearchContext { lanes: self.lanes, ..SearchContext::alone() };
        let mut count = 0;
        self.searcher.scan(
            &all,
            TimeRange::ALL,
            ColumnGroups::ALL,
            &run,
            &mut |batch: &Arc<Batch>, rows: &Selection| {
                count += filter.matcher.select_within(batch, rows).count() as u64;
            },
        );
        count
    }
}

fn filter(query: &Query) -> Filter {
    Filter::new(query, &Context { now: Timestamp::from_nanos(1_793_600_000_000_000_000), logspace: "main" })
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_count_is_that_of_a_naive_scan() {
        let folder = tempfile::tempdir().expect("a folder");
        let data = folder.path().join("data");
        let lines = crate::corpus::lines(20_000);
        crate::store::store(lines.as_slice(), &data).expect("a store");
        run(&data, 1, 2, true, &[]).expect("every count is right");
    }
}
