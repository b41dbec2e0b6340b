//! The thread that measures how messages fare, and takes back what nobody confirms.

use super::live::Revisions;
use super::{AUTHOR, overdue};
use logstead_accounts::OnTrial;
use logstead_config::check_toml;
use logstead_flow::machine::clock;
use logstead_pipeline::RevisionChange;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often it looks.
const ROUND: Duration = Duration::from_secs(1);
/// How many rounds apart it measures.
const ROUNDS_PER_MEASUREMENT: u32 = 5;
/// After a failure to take a revision back it waits for this long.
const FAILED_WAIT: Duration = Duration::from_secs(10);

/// The running thread; it ends when this is dropped.
pub struct Watch {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    /// Starts the thread that measures.
    pub fn start(revisions: Arc<Revisions>) -> std::io::Result<Watch> {
        let (stop, stopped) = channel();
        let run = move || {
            let mut round = Round { revisions: &revisions, deadline: None, failed_until: None };
            let mut number = 0;
            while stopped.recv_timeout(ROUND) == Err(RecvTimeoutError::Timeout) {
                if number % ROUNDS_PER_MEASUREMENT == 0 {
                    revisions.measure();
                }
                number = number.wrapping_add(1);
                round.look(Instant::now());
            }
        };
        let thread = std::thread::Builder::new().name("revisions".to_owned()).spawn(run)?;
        Ok(Watch { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.stop = None;
        if self.thread.take().is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the thread that takes revisions back ended with a panic");
        }
    }
}

struct Round<'a> {
    revisions: &'a Revisions,
    /// The revision on trial, and when its time is over even if the clock is set back.
    deadline: Option<(OnTrial, Instant)>,
    failed_until: Option<Instant>,
}

impl Round<'_> {
    fn look(&mut self, now: Instant) {
        if self.failed_until.is_some_and(|until| now < until) {
            return;
        }
        let trial = match self.revisions.meta.on_trial() {
            Ok(Some(trial)) => trial,
            Ok(None) => {
                self.deadline = None;
                return;
            }
            Err(error) => return tracing::debug!("the revision on trial cannot be read: {error}"),
        };
        let left = trial.until.nanos().saturating_sub(clock::now().nanos());
        if self.deadline.is_none_or(|(known, _)| known != trial) {
            self.deadline = Some((trial, now + Duration::from_nanos(left.max(0) as u64)));
        }
        let is_over = left <= 0 || self.deadline.is_some_and(|(_, deadline)| deadline <= now);
        let worse = if trial.back_if_worse { self.worse() } else { Vec::new() };
        let why = match worse.as_slice() {
            _ if is_over => overdue::comment(trial.revision, trial.back_to),
            [] => return,
            worse => {
                let (back_to, worse) = (trial.back_to, worse.join(", and "));
                format!("back to revision {back_to}: with revision {}, {worse}", trial.revision)
            }
        };
        self.failed_until = None;
        if let Err(error) = self.take_back(&trial, &why) {
            tracing::error!(
                "router document: revision {} cannot be taken back, and is tried again: {error}",
                trial.revision
            );
            self.failed_until = Some(now + FAILED_WAIT);
        }
    }

    fn worse(&self) -> Vec<String> {
        let unconfirmed = self.revisions.unconfirmed().ok().flatten();
        unconfirmed.and_then(|unconfirmed| unconfirmed.health).map(|health| health.worse).unwrap_or_default()
    }

    fn take_back(&self, trial: &OnTrial, why: &str) -> Result<(), String> {
        let before = self.revisions.meta.revision(trial.back_to).map_err(|error| error.to_string())?;
        let toml = before.ok_or_else(|| format!("revision {} is gone", trial.back_to))?.toml;
        let told = |problems: Vec<logstead_config::Problem>| {
            problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
        };
        let (document, checked) = check_toml(&toml).map_err(told)?;
        let change = RevisionChange { toml, document, checked };
        let live = self.revisions.make_live(change, Some(trial.revision), (AUTHOR, why), None);
        let live = live.map_err(|error| error.to_string())?;
        tracing::warn!("router document: revision {} is live: {why}", live.revision);
        Ok(())
    }
}
