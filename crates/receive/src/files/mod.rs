//! A source of lines that programs append to files. Files are polled a few times per second, which works on every
//! file system; the bytes after the last stored line are read, passed on, and count as read once they are durable. So
//! no line is left out, and a crash duplicates only those since the last save.
//!
//! All of this runs on a separate thread: a network file system may hang.

mod file;
mod find;
mod follower;
mod positions;
mod reading;
mod round;
#[cfg(test)]
mod tests;

use super::context::{SourceContext, TOO_LONG};
use follower::Follower;
use logstead_config::FileSource;
use logstead_flow::chunk::{Chunk, MessageSender};
use logstead_flow::receipt::{StoreFailure, StoreOutcome, StoreSummary};
use positions::Positions;
use round::Round;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// The interval at which the files are polled.
const LOOK_INTERVAL: Duration = Duration::from_millis(250);
/// Polling takes at most one part in this many of the time: thousands of files are polled less often.
const LOOK_SHARE: u32 = 10;
/// The interval at which positions are saved while lines arrive.
const SAVE_INTERVAL: Duration = Duration::from_secs(1);
/// The pause before lines that could not be stored are read again.
const RETRY_WAIT: Duration = Duration::from_secs(1);
/// The time for which a stop waits for the lines that were passed on to become durable.
const STOP_WAIT_MAX: Duration = Duration::from_secs(2);
/// The minimum interval between log lines about failures to save positions or store lines.
const COMPLAINT_INTERVAL: Duration = Duration::from_secs(10);

/// Follows the files of the source's settings until told to stop.
pub(super) async fn serve(shared: Arc<SourceContext>, mut stopped: watch::Receiver<bool>) {
    let Some(config) = shared.settings.load().files.clone() else { return };
    let path = shared.data.join("positions").join(format!("{}.json", shared.id));
    let for_thread = shared.clone();
    let opened = blocking(&shared, move || FollowTask::open(for_thread, path, &config)).await;
    let Some(mut following) = opened else { return };
    while !is_stopped(&stopped) {
        let Some(config) = shared.settings.load().files.clone() else { break };
        let stepped = blocking(&shared, move || {
            let round = following.step(&config, Instant::now());
            (following, round)
        });
        let Some((back, round)) = stepped.await else { return };
        following = back;
        let wait = following.store(round, &mut stopped).await;
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            () = until_stopped(&mut stopped) => {}
        }
    }
    blocking(&shared, move || following.save(Instant::now())).await;
}

/// Runs file operations that may hang; `None` if they panicked, which is a bug.
async fn blocking<T: Send + 'static>(
    shared: &SourceContext,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let done = tokio::task::spawn_blocking(work).await;
    if done.is_err() {
        tracing::error!(source = %shared.id, "a bug: files are no longer followed; please report it");
    }
    done.ok()
}

fn is_stopped(stopped: &watch::Receiver<bool>) -> bool {
    *stopped.borrow() || stopped.has_changed().is_err()
}

async fn until_stopped(stopped: &mut watch::Receiver<bool>) {
    // The sender is gone if the process is stopping.
    stopped.wait_for(|stopped| *stopped).await.ok();
}

/// A follower, and the path to which its positions are saved.
struct FollowTask {
    shared: Arc<SourceContext>,
    follower: Follower,
    path: PathBuf,
    look_at: Instant,
    save_at: Instant,
    complain_at: Instant,
}

impl FollowTask {
    fn open(shared: Arc<SourceContext>, path: PathBuf, config: &FileSource) -> FollowTask {
        let now = Instant::now();
        let positions = Positions::load(&path).unwrap_or_else(|error| {
            tracing::error!(
                source = %shared.id,
                "the reading positions in the files are unknown, so the files are read from their beginning: \
                 {error}"
            );
            // With no files in it, nothing is left out, even if reading new files would begin at the end.
            Some(Positions::new(config.paths.iter().cloned().collect(), Vec::new()))
        });
        let follower = Follower::new(&shared.data, shared.folders.clone(), positions, now);
        FollowTask { shared, follower, path, look_at: now, save_at: now, complain_at: now }
    }

    /// Polls the files if that is due, and reads on.
    fn step(&mut self, config: &FileSource, now: Instant) -> Round {
        let mut round = Round::default();
        if self.look_at <= now {
            self.follower.look(config, now, &mut round);
            let interval = LOOK_INTERVAL.max(now.elapsed() * LOOK_SHARE);
            self.look_at = Instant::now() + interval;
        }
        self.follower.read(config.message_max.as_usize(), now, &mut round);
        if self.save_at <= now {
            self.save(now);
        }
        for complaint in &round.complaints {
            self.shared.counters.dropped.add("file_not_read", 1);
            *self.shared.counters.last_error.lock() = Some(complaint.clone());
            tracing::warn!(source = %self.shared.id, "a file cannot be read: {complaint}");
        }
        for note in &round.notes {
            tracing::info!(source = %self.shared.id, "{note}");
        }
        round
    }

    /// Passes on the lines that were read, and returns the time to wait.
    async fn store(&mut self, mut round: Round, stopped: &mut watch::Receiver<bool>) -> Duration {
        let frames = std::mem::take(&mut round.frames);
        let outcome = if frames.frames.is_empty() {
            Ok(StoreSummary::default())
        } else {
            self.submit(frames, stopped).await
        };
        let now = Instant::now();
        if let Err(reason) = outcome {
            self.complain(
                now,
                &format!("lines of files are not stored yet, and will be read again: {reason}"),
            );
            return RETRY_WAIT;
        }
        let skipped = round.steps.iter().map(|step| step.skipped_bytes).sum();
        self.shared.left_out(&MessageSender::local("file"), TOO_LONG, skipped, &[]);
        let has_more = round.has_more();
        self.follower.advance(round, now);
        if has_more { Duration::ZERO } else { self.look_at.saturating_duration_since(now) }
    }

    async fn submit(&self, chunk: Chunk, stopped: &mut watch::Receiver<bool>) -> StoreOutcome {
        let answered = async { self.shared.submit_confirmed(chunk).await.await };
        tokio::pin!(answered);
        let outcome = tokio::select! {
            outcome = &mut answered => Ok(outcome),
            () = until_stopped(stopped) => tokio::time::timeout(STOP_WAIT_MAX, answered).await,
        };
        match outcome {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) | Err(_) => Err(StoreFailure::nowhere("the server is stopping")),
        }
    }

    fn save(&mut self, now: Instant) {
        self.save_at = now + SAVE_INTERVAL;
        let Some(positions) = self.follower.positions() else { return };
        if let Err(error) = positions.save(&self.path) {
            self.follower.positions_not_saved();
            let path = self.path.display();
            self.complain(
                now,
                &format!("{path}: the reading positions in the files cannot be saved: {error}"),
            );
        }
    }

    fn complain(&mut self, now: Instant, message: &str) {
        *self.shared.counters.last_error.lock() = Some(message.to_owned());
        if self.complain_at <= now {
            self.complain_at = now + COMPLAINT_INTERVAL;
            tracing::warn!(source = %self.shared.id, "{message}");
        }
    }
}
