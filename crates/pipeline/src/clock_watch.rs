//! Watches the time of day for all logspaces, and remembers it across restarts: in the file `clock` in the data
//! directory, or by the newest message if there is no such file.

use super::clock_trust::{ClockDoubt, ClockReading, ClockTrust};
use logstead_flow::machine::clock;
use logstead_record::Timestamp;
use parking_lot::Mutex;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The interval at which the time is saved.
const KEEP_INTERVAL: Duration = Duration::from_secs(60);

/// See the documentation of the module.
pub(crate) struct ClockWatch {
    path: PathBuf,
    started: Instant,
    state: Mutex<ClockState>,
}

struct ClockState {
    /// `None` until the contents of the store are known; before that, nothing is removed by age.
    trust: Option<ClockTrust>,
    /// The time when the newest message was received.
    newest: Option<Timestamp>,
    /// Whether the time was saved by the last run.
    is_remembered: bool,
    kept_at: Option<Duration>,
    was_held: bool,
}

impl ClockWatch {
    pub(super) fn new(data: &Path) -> ClockWatch {
        let state =
            ClockState { trust: None, newest: None, is_remembered: false, kept_at: None, was_held: false };
        ClockWatch { path: data.join("clock"), started: Instant::now(), state: Mutex::new(state) }
    }

    /// Notes the time of the newest message of a logspace.
    pub(super) fn saw(&self, newest: Option<Timestamp>) {
        let now = self.now();
        let mut state = self.state.lock();
        let is_news = state.newest < newest;
        state.newest = state.newest.max(newest);
        // This logspace could not be opened before, and its messages are the only evidence of the time.
        if is_news && !state.is_remembered && state.trust.is_some() {
            state.trust = Some(ClockTrust::start(now, state.newest));
        }
    }

    /// Called when all logspaces are open.
    pub(super) fn begin(&self) {
        let kept = fs::read(&self.path).ok().and_then(|text| Timestamp::parse_rfc3339(text.trim_ascii()));
        let mut state = self.state.lock();
        state.is_remembered = kept.is_some();
        state.trust = Some(ClockTrust::start(self.now(), kept.or(state.newest)));
    }

    /// Whether messages may be removed by age at the moment.
    pub(crate) fn is_believed(&self) -> bool {
        let now = self.now();
        let mut state = self.state.lock();
        let Some(trust) = &mut state.trust else { return false };
        let hold = trust.look(now);
        state.tell(hold);
        let keep = hold.is_none() && state.is_to_be_kept(now);
        // A hanging disk must not block other threads.
        drop(state);
        if keep {
            self.keep(now);
        }
        hold.is_none()
    }

    /// Why messages are not removed by age, if they are not.
    pub(crate) fn hold(&self) -> Option<String> {
        let now = self.now();
        self.state.lock().trust.as_mut()?.look(now).map(|hold| hold.to_string())
    }

    /// Called when an administrator says that the clock is right.
    pub(crate) fn agree(&self) {
        let now = self.now();
        let mut state = self.state.lock();
        if let Some(trust) = &mut state.trust {
            trust.agree(now);
        }
        state.tell(None);
        drop(state);
        self.keep(now);
    }

    fn now(&self) -> ClockReading {
        ClockReading { wall: clock::now(), running: self.started.elapsed() }
    }

    /// Losing this only means waiting for an hour after the next start.
    fn keep(&self, now: ClockReading) {
        let aside = self.path.with_extension("new");
        let written =
            fs::write(&aside, format!("{}\n", now.wall)).and_then(|()| fs::rename(&aside, &self.path));
        if let Err(error) = written {
            tracing::debug!("{}: the time cannot be saved: {error}", self.path.display());
        }
    }
}

impl ClockState {
    /// Logs when the distrust begins and when it ends.
    fn tell(&mut self, hold: Option<ClockDoubt>) {
        match hold {
            Some(hold) if !self.was_held => tracing::warn!("{hold}"),
            None if self.was_held => {
                tracing::info!("the clock is trusted, and messages are removed by age again");
            }
            _ => {}
        }
        self.was_held = hold.is_some();
    }

    fn is_to_be_kept(&mut self, now: ClockReading) -> bool {
        let is_due = self.kept_at.is_none_or(|kept_at| kept_at + KEEP_INTERVAL <= now.running);
        if is_due {
            self.kept_at = Some(now.running);
        }
        is_due
    }
}
