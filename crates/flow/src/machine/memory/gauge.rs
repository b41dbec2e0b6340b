//! Watches the memory that the process actually takes: the shares are only a plan.
//!
//! Near the limit, freed memory goes back to the system at once. After that, questions are ended one by one, the
//! latest first, until there is room.
//!
//! **Invariant:** a question that was told to end keeps that signal for as long as it runs.

use super::allocator;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

/// The interval between measurements, while little memory is in use and while much is.
const SELDOM: Duration = Duration::from_millis(200);
const OFTEN: Duration = Duration::from_millis(5);
/// Thresholds in sixteenths of the memory: beyond this it is measured often,
const BUSY: u64 = 8;
/// beyond this nothing large is begun that can wait,
const TIGHT: u64 = 11;
/// beyond this questions end,
const SHORT: u64 = 12;
/// and beyond this one ends after each measurement.
const CRITICAL: u64 = 13;
/// The number of measurements before the next question is told to end.
const LOOKS_BETWEEN_ENDS: u32 = 10;

/// Measures how much of its memory the process uses.
pub struct Gauge {
    /// The memory that the process may use.
    pub bytes_max: u64,
    used: AtomicU64,
    used_max: AtomicU64,
    ended: AtomicU64,
    questions: Mutex<Questions>,
}

#[derive(Default)]
struct Questions {
    next: u64,
    running: BTreeMap<u64, Arc<AtomicBool>>,
}

/// A question that is running and can be told to end.
pub struct RunningQuestion {
    gauge: Arc<Gauge>,
    number: u64,
    has_to_end: Arc<AtomicBool>,
}

impl Gauge {
    /// The gauge of a process that may use this much.
    pub fn new(bytes_max: u64) -> Arc<Gauge> {
        Arc::new(Gauge {
            bytes_max,
            used: AtomicU64::new(0),
            used_max: AtomicU64::new(0),
            ended: AtomicU64::new(0),
            questions: Mutex::default(),
        })
    }

    /// Starts the thread that measures, for as long as the gauge is in use elsewhere.
    pub fn watch(self: &Arc<Gauge>) -> io::Result<()> {
        let gauge = Arc::downgrade(self);
        std::thread::Builder::new().name("memory".to_owned()).spawn(move || look_on(&gauge)).map(drop)
    }

    /// The memory in use that the system cannot take back.
    pub fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// The highest memory use so far.
    pub fn used_max(&self) -> u64 {
        self.used_max.load(Ordering::Relaxed)
    }

    /// The number of questions that had to end.
    pub fn ended(&self) -> u64 {
        self.ended.load(Ordering::Relaxed)
    }

    /// Whether nothing large should be begun that can wait.
    pub fn is_tight(&self) -> bool {
        self.is_beyond(TIGHT)
    }

    /// Whether the process is about to take more than it may.
    pub fn is_short(&self) -> bool {
        self.is_beyond(SHORT)
    }

    /// Waits while the process is about to take more than it may, but no longer than this.
    pub async fn room(&self, wait_max: Duration) {
        self.wait_while_beyond(SHORT, wait_max).await;
    }

    /// Waits while nothing large should be begun, but no longer than this.
    pub async fn calm(&self, wait_max: Duration) {
        self.wait_while_beyond(TIGHT, wait_max).await;
    }

    async fn wait_while_beyond(&self, sixteenths: u64, wait_max: Duration) {
        let until = Instant::now() + wait_max;
        while self.is_beyond(sixteenths) && Instant::now() < until {
            tokio::time::sleep(OFTEN).await;
        }
    }

    /// Registers a question that begins.
    pub fn begin(self: &Arc<Gauge>) -> RunningQuestion {
        let mut questions = self.questions.lock();
        let (number, has_to_end) = (questions.next, Arc::<AtomicBool>::default());
        questions.next += 1;
        questions.running.insert(number, Arc::clone(&has_to_end));
        RunningQuestion { gauge: Arc::clone(self), number, has_to_end }
    }

    fn is_beyond(&self, sixteenths: u64) -> bool {
        self.bytes_max / 16 * sixteenths < self.used()
    }

    fn saw(&self, used: u64) {
        self.used.store(used, Ordering::Relaxed);
        self.used_max.fetch_max(used, Ordering::Relaxed);
    }

    /// Tells the latest question to end, among those that have not been told yet.
    fn end_one(&self) {
        let questions = self.questions.lock();
        if let Some(youngest) = questions.running.values().rev().find(|told| !told.load(Ordering::Relaxed)) {
            youngest.store(true, Ordering::Relaxed);
            self.ended.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl RunningQuestion {
    /// Whether it has to end.
    pub fn has_to_end(&self) -> bool {
        self.has_to_end.load(Ordering::Relaxed)
    }

    /// The memory that the process may use.
    pub fn bytes_max(&self) -> u64 {
        self.gauge.bytes_max
    }
}

impl Drop for RunningQuestion {
    fn drop(&mut self) {
        self.gauge.questions.lock().running.remove(&self.number);
    }
}

fn look_on(gauge: &Weak<Gauge>) {
    let mut looks_until_end = 0_u32;
    while let Some(gauge) = gauge.upgrade() {
        let Some(used) = unreclaimable_bytes() else { return };
        gauge.saw(used);
        if gauge.is_tight() {
            allocator::give_back();
            gauge.saw(unreclaimable_bytes().unwrap_or(used));
        }
        looks_until_end = looks_until_end.saturating_sub(1);
        if gauge.is_beyond(CRITICAL) || gauge.is_short() && looks_until_end == 0 {
            gauge.end_one();
            looks_until_end = LOOKS_BETWEEN_ENDS;
        }
        let pause = if gauge.is_beyond(BUSY) { OFTEN } else { SELDOM };
        drop(gauge);
        std::thread::sleep(pause);
    }
}

/// The memory that the system has given to this process; `None` if it does not report it.
pub fn resident_bytes() -> Option<u64> {
    of_status("VmRSS:")
}

/// The part of that memory that no file backs, so that the system cannot take it back.
fn unreclaimable_bytes() -> Option<u64> {
    of_status("RssAnon:")
}

/// A figure of `/proc/self/status`.
fn of_status(name: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: u64 = line.trim().trim_end_matches(" kB").parse().ok()?;
    Some(kib << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_youngest_question_ends_first_and_each_once() {
        let gauge = Gauge::new(1 << 20);
        let [first, second, third] = [(); 3].map(|()| gauge.begin());
        let told = || [&first, &second].map(RunningQuestion::has_to_end);
        gauge.end_one();
        assert_eq!((told(), third.has_to_end()), ([false, false], true));
        gauge.end_one();
        assert_eq!(told(), [false, true]);
        drop(third);
        let fourth = gauge.begin();
        gauge.end_one();
        assert_eq!((told(), fourth.has_to_end()), ([false, true], true));
        gauge.end_one();
        gauge.end_one();
        assert_eq!((told(), gauge.ended()), ([true, true], 4));
    }

    #[test]
    fn levels_follow_what_is_used() {
        let gauge = Gauge::new(16 << 20);
        let level = |mib: u64| {
            gauge.saw(mib << 20);
            (gauge.is_tight(), gauge.is_short())
        };
        assert_eq!(
            [level(0), level(11), level(12), level(13)],
            [(false, false), (false, false), (true, false), (true, true)]
        );
        assert_eq!(level(1), (false, false));
        assert_eq!((gauge.used() >> 20, gauge.used_max() >> 20), (1, 13));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_is_taken_is_seen() {
        let _alone = crate::machine::memory::MEASURED.lock();
        let before = unreclaimable_bytes().expect("a figure");
        let taken = std::hint::black_box(vec![1_u8; 256 << 20]);
        assert!(before + taken.len() as u64 / 2 < unreclaimable_bytes().expect("a figure"));
    }
}
