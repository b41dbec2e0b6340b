//! How far long work is: one line that changes on a terminal, a line now and then elsewhere, on standard error.

use super::text;
use parking_lot::Mutex;
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

const TERMINAL_INTERVAL: Duration = Duration::from_millis(100);
const PLAIN_INTERVAL: Duration = Duration::from_secs(5);

/// Work whose size may be known.
pub(super) struct Progress {
    label: String,
    total_bytes: Option<u64>,
    started: Instant,
    is_terminal: bool,
    state: Mutex<State>,
}

struct State {
    done_bytes: u64,
    shown: Instant,
    is_shown: bool,
}

impl Progress {
    /// At the beginning.
    pub(super) fn new(label: &str, total_bytes: Option<u64>) -> Progress {
        let started = Instant::now();
        let state = State { done_bytes: 0, shown: started, is_shown: false };
        let is_terminal = std::io::stderr().is_terminal();
        Progress { label: label.to_owned(), total_bytes, started, is_terminal, state: Mutex::new(state) }
    }

    /// So many more bytes are done.
    pub(super) fn add(&self, bytes: u64) {
        let mut state = self.state.lock();
        state.done_bytes += bytes;
        let interval = if self.is_terminal { TERMINAL_INTERVAL } else { PLAIN_INTERVAL };
        if interval <= state.shown.elapsed() {
            (state.shown, state.is_shown) = (Instant::now(), true);
            let line = line(&self.label, state.done_bytes, self.total_bytes, self.started.elapsed());
            if self.is_terminal {
                // Where standard error is closed nobody looks.
                write!(std::io::stderr(), "\r\x1b[K{line}").ok();
            } else {
                text::error(&line);
            }
        }
    }
}

impl Drop for Progress {
    /// Leaves a terminal's line empty for what comes next.
    fn drop(&mut self) {
        if self.is_terminal && self.state.lock().is_shown {
            write!(std::io::stderr(), "\r\x1b[K").ok();
        }
    }
}

fn line(label: &str, done_bytes: u64, total_bytes: Option<u64>, passed: Duration) -> String {
    let rate = done_bytes as f64 / passed.as_secs_f64().max(0.001);
    let megabytes = |bytes: f64| format!("{:.1} MB", bytes / 1e6);
    let done = match total_bytes {
        Some(total) if 0 < total => {
            let percent = (100 * u128::from(done_bytes) / u128::from(total)).min(100);
            let left = (total.saturating_sub(done_bytes)) as f64 / rate.max(1.0);
            format!("{percent} % of {}, {left:.0} s left", megabytes(total as f64))
        }
        _ => megabytes(done_bytes as f64),
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
        check(0, Some(0), "import: 0.0 MB, 0.0 MB/s");
    }
}
