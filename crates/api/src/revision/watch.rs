//! Reverts revisions that nobody confirms: once before anything runs, and then on a thread that also measures the
//! rates of messages.

use super::AUTHOR;
use super::live::Revisions;
use logstead_accounts::{Meta, Result, UnconfirmedRevision};
use logstead_config::check_toml;
use logstead_flow::machine::clock;
use logstead_pipeline::RevisionChange;
use logstead_record::Timestamp;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often the thread checks.
const ROUND: Duration = Duration::from_secs(1);
/// The number of rounds between measurements.
const ROUNDS_PER_MEASUREMENT: u32 = 5;
/// How long to wait after a failure to revert a revision.
const FAILED_WAIT: Duration = Duration::from_secs(10);

/// The running thread; it ends when this is dropped.
pub struct Watch {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    /// Starts the thread that measures the rates and reverts revisions.
    pub fn start(revisions: Arc<Revisions>) -> std::io::Result<Watch> {
        let (stop, stopped) = channel();
        let run = move || {
            let mut round = WatchRound { revisions: &revisions, deadline: None, failed_until: None };
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
            tracing::error!("the thread that takes back revisions ended with a panic");
        }
    }
}

struct WatchRound<'a> {
    revisions: &'a Revisions,
    /// The unconfirmed revision, and its deadline, which holds even if the clock is set back.
    deadline: Option<(UnconfirmedRevision, Instant)>,
    failed_until: Option<Instant>,
}

impl WatchRound<'_> {
    fn look(&mut self, now: Instant) {
        if self.failed_until.is_some_and(|until| now < until) {
            return;
        }
        let unconfirmed = match self.revisions.meta.unconfirmed_revision() {
            Ok(Some(unconfirmed)) => unconfirmed,
            Ok(None) => {
                self.deadline = None;
                return;
            }
            Err(error) => return tracing::debug!("the unconfirmed revision cannot be read: {error}"),
        };
        let left = unconfirmed.until.nanos().saturating_sub(clock::now().nanos());
        if self.deadline.is_none_or(|(known, _)| known != unconfirmed) {
            self.deadline = Some((unconfirmed, now + Duration::from_nanos(left.max(0) as u64)));
        }
        let is_over = left <= 0 || self.deadline.is_some_and(|(_, deadline)| deadline <= now);
        let worse = if unconfirmed.back_if_worse { self.worse() } else { Vec::new() };
        let why = match worse.as_slice() {
            _ if is_over => comment(unconfirmed.revision, unconfirmed.back_to),
            [] => return,
            worse => {
                let (back_to, worse) = (unconfirmed.back_to, worse.join(", and "));
                format!("back to revision {back_to}: with revision {}, {worse}", unconfirmed.revision)
            }
        };
        self.failed_until = None;
        if let Err(error) = self.take_back(&unconfirmed, &why) {
            tracing::error!(
                "router document: revision {} could not be taken back; this is tried again: {error}",
                unconfirmed.revision
            );
            self.failed_until = Some(now + FAILED_WAIT);
        }
    }

    fn worse(&self) -> Vec<String> {
        let unconfirmed = self.revisions.unconfirmed().ok().flatten();
        unconfirmed.and_then(|unconfirmed| unconfirmed.health).map(|health| health.worse).unwrap_or_default()
    }

    fn take_back(&self, unconfirmed: &UnconfirmedRevision, why: &str) -> Result<(), String> {
        let before = self.revisions.meta.revision(unconfirmed.back_to).map_err(|error| error.to_string())?;
        let toml = before.ok_or_else(|| format!("revision {} no longer exists", unconfirmed.back_to))?.toml;
        let told = |problems: Vec<logstead_config::Problem>| {
            problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
        };
        let (document, checked) = check_toml(&toml).map_err(told)?;
        let change = RevisionChange { toml, document, checked };
        let live = self.revisions.make_live(change, Some(unconfirmed.revision), AUTHOR, why, None);
        let live = live.map_err(|error| error.to_string())?;
        tracing::warn!("router document: revision {} is live: {why}", live.revision);
        Ok(())
    }
}

/// Restores the revision before the newest one, if the newest one had to be confirmed and was not.
pub fn take_back_overdue(meta: &Meta, now: Timestamp) -> Result<()> {
    let Some(UnconfirmedRevision { revision, back_to, .. }) =
        meta.unconfirmed_revision()?.filter(|unconfirmed| unconfirmed.until <= now)
    else {
        return Ok(());
    };
    let Some(before) = meta.revision(back_to)? else {
        tracing::error!(
            "router document: revision {revision} was not confirmed, but revision {back_to} no longer exists: {revision} stays live"
        );
        return meta.confirm_revision(revision).map(drop);
    };
    let number = meta.add_revision(&before.toml, AUTHOR, &comment(revision, back_to), now)?;
    tracing::warn!(
        "router document: revision {revision} was not confirmed in time, so revision {number} restores revision \
         {back_to}"
    );
    Ok(())
}

/// The comment of the revision that replaces the unconfirmed one.
fn comment(revision: u64, back_to: u64) -> String {
    format!("back to revision {back_to}: revision {revision} was not confirmed in time")
}

#[cfg(test)]
mod tests {
    use super::*;
    use logstead_accounts::RevisionDeadline;

    #[test]
    fn a_revision_whose_time_was_over_is_taken_back_once() {
        let folder = tempfile::tempdir().unwrap();
        let meta = Meta::open(&folder.path().join("logstead.db")).unwrap();
        let at = Timestamp::from_nanos;
        meta.add_revision("old", "ana", "", at(1)).unwrap();
        let deadline = RevisionDeadline { until: at(9), back_if_worse: false };
        meta.add_unconfirmed_revision("new", "ana", "", at(2), Some(deadline)).unwrap();
        take_back_overdue(&meta, at(8)).unwrap();
        assert_eq!(meta.latest_revision().unwrap().unwrap().toml, "new");
        for _ in 0..2 {
            take_back_overdue(&meta, at(9)).unwrap();
            let latest = meta.latest_revision().unwrap().unwrap();
            assert_eq!((latest.number, latest.toml.as_str()), (3, "old"));
        }
    }
}
