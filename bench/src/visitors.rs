//! Users during the load: they search, log in and watch a tail, and the times of their requests are recorded.

use crate::server::Server;
use anyhow::Result;
use std::io::Read;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The questions of users: words from very frequent to absent, and tables.
const QUESTIONS: [(&str, &str); 8] = [
    ("/search", "*"),
    ("/search", "seq"),
    ("/count", "0000"),
    ("/search", "nothing-like-this"),
    ("/count", "thread AND runid"),
    ("/search", "program:prg00000 severity:info"),
    ("/aggregate", "* | stats count() by host"),
    ("/count", "error OR failed"),
];
/// The time range that they search.
const RANGE: &str = "-5m";

/// How long requests took, and how many failed.
#[derive(Default)]
pub(crate) struct RequestTimes {
    millis: Mutex<Vec<f64>>,
    failed: Mutex<Vec<String>>,
}

impl RequestTimes {
    /// Runs an action and records how long it took.
    pub(crate) fn note(&self, action: impl FnOnce() -> Result<()>) {
        let start = Instant::now();
        match action() {
            Ok(()) => open(&self.millis).push(start.elapsed().as_secs_f64() * 1000.0),
            Err(error) => open(&self.failed).push(format!("{error:#}")),
        }
    }

    pub(crate) fn count(&self) -> usize {
        open(&self.millis).len()
    }

    /// The number of failures, and the reason for the first one.
    pub(crate) fn failures(&self) -> (usize, String) {
        let failed = open(&self.failed);
        (failed.len(), failed.first().cloned().unwrap_or_default())
    }

    /// The time within which this share of the requests was answered, in milliseconds.
    pub(crate) fn quantile(&self, part: f64) -> f64 {
        let mut millis = open(&self.millis).clone();
        millis.sort_by(f64::total_cmp);
        let at = (millis.len() as f64 * part).ceil() as usize;
        millis.get(at.saturating_sub(1)).copied().unwrap_or_default()
    }
}

fn open<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Asks one question after another until told to stop.
pub(crate) fn search(server: &Server, pause: Duration, took: &RequestTimes, stop: &AtomicBool) {
    for (path, query) in QUESTIONS.iter().cycle() {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let body = serde_json::json!({ "query": query, "from": RANGE });
        took.note(|| server.post(path, &body).map(drop));
        std::thread::sleep(pause);
    }
}

/// Watches the tail until told to stop, or until the server ends it.
pub(crate) fn tail(server: &Server, query: &str, bytes: &AtomicU64, stop: &AtomicBool) -> Result<()> {
    let mut answer = server.get(&format!("/tail?query={query}"))?;
    let mut reader = answer.body_mut().as_reader();
    let mut buffer = vec![0; 64 << 10];
    while !stop.load(Ordering::Relaxed) {
        match reader.read(&mut buffer)? {
            0 => break,
            read => bytes.fetch_add(read as u64, Ordering::Relaxed),
        };
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_is_the_time_that_so_many_took_at_most() {
        let took = RequestTimes::default();
        open(&took.millis).extend((1..=100).rev().map(f64::from));
        assert_eq!([0.5, 0.99, 1.0].map(|part| took.quantile(part)), [50.0, 99.0, 100.0]);
        took.note(|| anyhow::bail!("no"));
        assert_eq!(took.failures(), (1, "no".to_owned()));
    }
}
