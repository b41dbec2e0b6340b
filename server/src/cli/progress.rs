//! The progress of long work on standard error: a bar on a terminal, otherwise a line every few seconds.

use super::text;
use indicatif::{ProgressBar, ProgressStyle};
use parking_lot::Mutex;
use serde_json::Value;
use std::time::{Duration, Instant};

const LINE_INTERVAL: Duration = Duration::from_secs(5);

/// Progress through a number of bytes, the total of which may be unknown.
pub(super) struct ByteProgress {
    label: String,
    /// The counter, which draws itself only on a terminal.
    bar: ProgressBar,
    line_written: Mutex<Instant>,
}

impl ByteProgress {
    pub(super) fn new(label: &str, total_bytes: Option<u64>) -> ByteProgress {
        // An amount of zero has no percentage.
        let total_bytes = total_bytes.filter(|total| 0 < *total);
        let bar = total_bytes.map_or_else(ProgressBar::no_length, ProgressBar::new);
        let bar = bar.with_style(style(total_bytes.is_some())).with_prefix(label.to_owned());
        ByteProgress { label: label.to_owned(), bar, line_written: Mutex::new(Instant::now()) }
    }

    /// Reports that this many more bytes are done.
    pub(super) fn add(&self, bytes: u64) {
        self.bar.inc(bytes);
        let mut written = self.line_written.lock();
        if self.bar.is_hidden() && LINE_INTERVAL <= written.elapsed() {
            *written = Instant::now();
            text::error(&line(&self.label, self.bar.position(), self.bar.length(), self.bar.elapsed()));
        }
    }
}

/// The progress of work that a server does. Its unit and its total are known once it has begun.
#[derive(Default)]
pub(super) struct ToldProgress(Option<RunningBar>);

struct RunningBar {
    bar: ProgressBar,
    line_written: Instant,
}

impl ToldProgress {
    /// Shows the progress of a job, as the API tells it.
    pub(super) fn tell(&mut self, label: &str, progress: &Value) {
        let (Some(done), Some(total)) = (progress["done"].as_u64(), progress["total"].as_u64()) else {
            return;
        };
        let unit = progress["unit"].as_str().unwrap_or_default();
        // An amount of zero has no percentage.
        if total == 0 {
            return;
        }
        let RunningBar { bar, line_written } = self.0.get_or_insert_with(|| {
            let bar = ProgressBar::new(total).with_style(told_style(unit)).with_prefix(label.to_owned());
            RunningBar { bar, line_written: Instant::now() }
        });
        bar.set_position(done);
        if bar.is_hidden() && LINE_INTERVAL <= line_written.elapsed() {
            *line_written = Instant::now();
            let percent = (100 * u128::from(done) / u128::from(total)).min(100);
            text::error(&format!("{label}: {percent} % of {total} {unit}"));
        }
    }
}

impl Drop for RunningBar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn told_style(unit: &str) -> ProgressStyle {
    let template = match unit {
        "bytes" => {
            "{prefix}: [{bar:30}] {percent} % of {decimal_total_bytes}, {eta} left, {decimal_bytes_per_sec}"
        }
        "segments" => "{prefix}: [{bar:30}] {percent} % of {human_len} segments, {eta} left",
        _ => "{prefix}: [{bar:30}] {percent} % of {human_len} messages, {eta} left",
    };
    ProgressStyle::with_template(template).expect("the template is well-formed").progress_chars("=> ")
}

impl Drop for ByteProgress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn style(is_total_known: bool) -> ProgressStyle {
    let template = if is_total_known {
        "{prefix}: [{bar:30}] {percent} % of {decimal_total_bytes}, {eta} left, {decimal_bytes_per_sec}"
    } else {
        "{prefix}: {decimal_bytes}, {decimal_bytes_per_sec}"
    };
    ProgressStyle::with_template(template).expect("the template is well-formed").progress_chars("=> ")
}

fn line(label: &str, done_bytes: u64, total_bytes: Option<u64>, passed: Duration) -> String {
    let rate = done_bytes as f64 / passed.as_secs_f64().max(0.001);
    let megabytes = |bytes: f64| format!("{:.1} MB", bytes / 1e6);
    let done = match total_bytes {
        Some(total) => {
            let percent = (100 * u128::from(done_bytes) / u128::from(total)).min(100);
            let left = (total.saturating_sub(done_bytes)) as f64 / rate.max(1.0);
            format!("{percent} % of {}, {left:.0} s left", megabytes(total as f64))
        }
        None => megabytes(done_bytes as f64),
    };
    format!("{label}: {done}, {}/s", megabytes(rate))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_far_it_is_and_how_long_it_takes() {
        let check = |done, total, expected: &str| {
            assert_eq!(line("import", done, total, Duration::from_secs(10)), expected);
        };
        check(50_000_000, Some(200_000_000), "import: 25 % of 200.0 MB, 30 s left, 5.0 MB/s");
        check(50_000_000, None, "import: 50.0 MB, 5.0 MB/s");
    }

    #[test]
    fn a_job_has_a_bar_once_its_total_is_known() {
        for unit in ["bytes", "segments", "messages"] {
            let mut progress = ToldProgress::default();
            let mut tell = |done: u64, total: Option<u64>| {
                progress
                    .tell("verify main", &serde_json::json!({"unit": unit, "done": done, "total": total}));
                progress.0.as_ref().map(|running| (running.bar.position(), running.bar.length()))
            };
            assert_eq!(tell(0, None), None);
            assert_eq!(tell(0, Some(0)), None);
            assert_eq!(tell(3, Some(8)), Some((3, Some(8))));
            assert_eq!(tell(8, Some(8)), Some((8, Some(8))));
        }
    }

    #[test]
    fn both_bars_have_a_style_and_an_empty_total_is_unknown() {
        assert_eq!(ByteProgress::new("import", Some(0)).bar.length(), None);
        assert_eq!(ByteProgress::new("import", Some(5)).bar.length(), Some(5));
    }
}
