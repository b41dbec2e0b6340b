//! Threads that turn full journal files into segments, in the background: they take tasks from all logspaces in turn.
//! Urgent tasks come first; small segments are joined when no other task is left.
//!
//! **Invariant:** nothing depends on them. When they fall behind, messages stay in the journal, where searches find them
//! too, only slower; so a logspace that is far ahead of them [waits](super::progress) a little before it stores more.

use super::headroom::Headroom;
use super::logspace::Logspace;
use super::progress::SealProgress;
use super::running::RunningState;
use super::waker::{self, Waker, Wakeups};
use arc_swap::ArcSwap;
use logstead_flow::ledger::Ledger;
use logstead_flow::machine::memory::Gauge;
use logstead_flow::machine::priority::{self, ThreadPriority};
use logstead_flow::repeats::Repeats;
use logstead_indexer::{KeepError, Task, TaskOutcome};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The interval at which they look for tasks without being woken.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);
/// How long a logspace is left alone after a failure.
const REST_AFTER_FAILURE: Duration = Duration::from_secs(5);
/// How long it must have been quiet before segments are joined.
const QUIET_MIN: Duration = Duration::from_secs(30);
/// It is quiet while fewer messages than this are stored per second.
const QUIET_MESSAGES_MAX: u64 = 1000;

/// The sealing threads, and the means to stop them.
pub(crate) struct Sealers {
    shared: Arc<SealerState>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

struct SealerState {
    running: Arc<ArcSwap<RunningState>>,
    headroom: Headroom,
    ledger: Arc<Ledger>,
    gauge: Arc<Gauge>,
    repeats: Arc<Repeats>,
    waker: Waker,
    wakeups: Wakeups,
    progress: Arc<SealProgress>,
    cancelled: AtomicBool,
    /// The number of tasks that are being done.
    working: AtomicUsize,
    /// The index of the logspace whose turn is next.
    next_turn: AtomicUsize,
    /// Logspaces that are left alone, each until this time.
    resting: Mutex<HashMap<String, Instant>>,
    quiet: Mutex<QuietPeriod>,
}

/// The right to do a task.
struct TaskPermit<'a>(&'a AtomicUsize);

impl Drop for TaskPermit<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The time since when few messages have arrived.
struct QuietPeriod {
    since: Instant,
    looked: Instant,
    messages: u64,
}

impl Sealers {
    /// Creates the sealers without starting threads.
    pub(crate) fn new(
        running: Arc<ArcSwap<RunningState>>,
        headroom: Headroom,
        ledger: Arc<Ledger>,
        repeats: Arc<Repeats>,
        gauge: Arc<Gauge>,
    ) -> Sealers {
        let (waker, wakeups) = waker::new();
        let now = Instant::now();
        let shared = SealerState {
            running,
            headroom,
            ledger,
            gauge,
            repeats,
            waker,
            wakeups,
            progress: Arc::default(),
            cancelled: AtomicBool::new(false),
            working: AtomicUsize::new(0),
            next_turn: AtomicUsize::new(0),
            resting: Mutex::default(),
            quiet: Mutex::new(QuietPeriod { since: now, looked: now, messages: 0 }),
        };
        Sealers { shared: Arc::new(shared), threads: Mutex::default() }
    }

    /// The waker for code that may have produced something to seal.
    pub(crate) fn waker(&self) -> Waker {
        self.shared.waker.clone()
    }

    /// The progress, for code that waits until something is sealed.
    pub(crate) fn progress(&self) -> Arc<SealProgress> {
        self.shared.progress.clone()
    }

    /// Starts this many threads.
    pub(crate) fn start(&self, count: usize) -> std::io::Result<()> {
        for number in 0..count {
            let shared = self.shared.clone();
            let name = format!("sealer {number}");
            self.threads.lock().push(std::thread::Builder::new().name(name).spawn(move || shared.run())?);
        }
        self.shared.waker.wake();
        Ok(())
    }

    /// Makes the threads abandon their tasks, which leaves nothing half done.
    pub(crate) fn cancel(&self) {
        self.shared.cancelled.store(true, Ordering::Relaxed);
        self.shared.progress.end();
        self.shared.waker.wake();
    }

    /// Waits until the threads have ended.
    pub(crate) fn join(&self) {
        for thread in self.threads.lock().drain(..) {
            if thread.join().is_err() {
                tracing::error!("a sealer ended with a panic");
            }
        }
    }
}

impl SealerState {
    fn run(&self) {
        priority::give_way(ThreadPriority::Low);
        while !self.is_cancelled() {
            // Looks for a task after this, whether woken or not.
            self.wakeups.wait(LOOK_INTERVAL);
            while !self.is_cancelled()
                && let Some(_turn) = self.turn()
                && let Some((logspace, task)) = self.next()
            {
                self.waker.wake();
                self.work(&logspace, &task);
            }
        }
        self.waker.wake();
    }

    /// The permit for a task: if memory is tight, only one task runs at a time.
    fn turn(&self) -> Option<TaskPermit<'_>> {
        let turn = TaskPermit(&self.working);
        let others = self.working.fetch_add(1, Ordering::Relaxed);
        (others == 0 || !self.gauge.is_tight()).then_some(turn)
    }

    fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// The next task: urgent ones of any logspace come first.
    fn next(&self) -> Option<(Arc<Logspace>, Task)> {
        let running = self.running.load();
        let mut logspaces: Vec<&Arc<Logspace>> =
            running.logspaces.values().filter(|logspace| !self.rests(&logspace.id)).collect();
        if logspaces.is_empty() {
            return None;
        }
        let turn = self.next_turn.fetch_add(1, Ordering::Relaxed) % logspaces.len();
        logspaces.rotate_left(turn);
        let task = |idle| {
            let task =
                |logspace: &&Arc<Logspace>| Some(((*logspace).clone(), logspace.keeper.next_task(idle)?));
            logspaces.iter().find_map(task)
        };
        task(false).or_else(|| if self.is_quiet(&running, Instant::now()) { task(true) } else { None })
    }

    fn rests(&self, id: &str) -> bool {
        self.resting.lock().get(id).is_some_and(|until| Instant::now() < *until)
    }

    fn is_quiet(&self, running: &RunningState, now: Instant) -> bool {
        let messages = running.logspaces.values().map(|logspace| logspace.counters.messages.get()).sum();
        self.quiet.lock().look(messages, now)
    }

    fn work(&self, logspace: &Logspace, task: &Task) {
        if let Some(reason) = self.headroom.refuses_segments() {
            return self.failed(logspace, task, &reason);
        }
        // Messages can no longer be counted once they have left the journal.
        if let Err(error) = self.ledger.write() {
            return self.failed(logspace, task, &error);
        }
        // Names of stored messages can no longer be found either. A failure to write them was logged.
        self.repeats.sync().ok();
        let started = Instant::now();
        let keep = || logspace.keeper.run(task, &|| self.is_cancelled());
        let done = catch_unwind(AssertUnwindSafe(keep));
        let counters = &logspace.counters.keep;
        counters.micros.add(usize::try_from(started.elapsed().as_micros()).unwrap_or(usize::MAX));
        match done {
            Ok(Ok(done)) => self.succeeded(logspace, task, &done),
            Ok(Err(KeepError::Cancelled)) => {}
            Ok(Err(error)) => self.failed(logspace, task, &error.to_string()),
            Err(_) => self.failed(logspace, task, "this is a bug, please report it"),
        }
    }

    fn succeeded(&self, logspace: &Logspace, task: &Task, done: &TaskOutcome) {
        self.progress.note();
        let counters = &logspace.counters.keep;
        match *done {
            TaskOutcome::Sealed { segments, messages } => {
                counters.sealed.add(messages as usize);
                counters.segments.add(segments);
                self.quiet.lock().since = Instant::now();
            }
            TaskOutcome::Reindexed { messages } => counters.indexed.add(messages as usize),
            TaskOutcome::Joined { messages, .. } => counters.joined.add(messages as usize),
            TaskOutcome::Void => {}
        }
        tracing::debug!(logspace = logspace.id, "done: {}", task.describe());
        if counters.last_error.lock().take().is_some() {
            tracing::info!(logspace = logspace.id, "segments can be made again");
        }
    }

    /// Logs each cause once. Damaged files are not offered again; everything else is, after a while.
    fn failed(&self, logspace: &Logspace, task: &Task, error: &str) {
        let counters = &logspace.counters.keep;
        counters.failures.add(1);
        self.progress.note();
        self.resting.lock().insert(logspace.id.clone(), Instant::now() + REST_AFTER_FAILURE);
        let before = counters.last_error.lock().replace(error.to_owned());
        if before.as_deref() != Some(error) {
            let task = task.describe();
            tracing::error!(
                logspace = logspace.id,
                "could not {task}; the messages stay as they are: {error}"
            );
        }
    }
}

impl QuietPeriod {
    /// Whether it has been quiet for long enough; `messages` is the number stored so far.
    fn look(&mut self, messages: u64, now: Instant) -> bool {
        let passed = now.duration_since(self.looked);
        if LOOK_INTERVAL <= passed {
            let stored = messages.saturating_sub(self.messages) as f64;
            if QUIET_MESSAGES_MAX as f64 <= stored / passed.as_secs_f64() {
                self.since = now;
            }
            (self.looked, self.messages) = (now, messages);
        }
        QUIET_MIN <= now.duration_since(self.since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_quiet_when_little_was_stored_for_a_while() {
        let start = Instant::now();
        let mut quiet = QuietPeriod { since: start, looked: start, messages: 0 };
        let mut check = |seconds: u64, messages: u64, expected: bool| {
            let at = start + Duration::from_secs(seconds);
            assert_eq!(quiet.look(messages, at), expected, "after {seconds} s and {messages} messages");
        };
        check(10, 900, false);
        check(29, 10_000, false);
        check(30, 10_100, true);
        check(40, 30_100, false);
        check(69, 30_200, false);
        check(70, 30_200, true);
    }
}
