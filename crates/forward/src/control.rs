//! Controls a destination's thread: the code that stores, configures and operates places its orders here, and the
//! thread waits for them.

use super::gather::SendTime;
use logstead_config::Destination as Config;
use parking_lot::{Condvar, Mutex};
use std::sync::Arc;
use std::time::{Duration, Instant};

#[derive(Default)]
pub(super) struct Control {
    state: Mutex<ControlState>,
    changed: Condvar,
}

#[derive(Default)]
struct ControlState {
    /// `None` if the destination is no longer in the router document, so that its messages are kept.
    config: Option<Arc<Config>>,
    is_paused: bool,
    /// The number of requests to try again at once, and the number of those already handled.
    retries: u64,
    retries_heeded: u64,
    /// Messages with a lower sequence are to be discarded.
    discard_before: u64,
    /// The deadline by which the thread has to end, after a stop.
    stop: Option<Instant>,
    /// The deadline that the stop set originally.
    stop_by: Option<Instant>,
    /// The last message has been queued.
    is_written: bool,
    has_ended: bool,
}

/// The next task of the thread.
pub(super) enum DrainTask {
    /// Send the next messages.
    Send(Arc<Config>),
    /// Discard messages with a lower sequence.
    Discard(u64),
    /// Record the progress on disk.
    Note,
    End,
}

/// The state of the thread when it asks for a task.
pub(super) struct DrainSituation<'a> {
    /// Decides when to send the waiting messages; sending at once may have been requested.
    pub(super) ready: &'a dyn Fn(&Config, bool) -> SendTime,
    /// Messages with a lower sequence are done.
    pub(super) done: u64,
    /// When to record the progress.
    pub(super) note_at: Option<Instant>,
}

impl ControlState {
    /// The next task, or the time until which none is due.
    fn task(&mut self, situation: &DrainSituation<'_>) -> Result<DrainTask, Option<Instant>> {
        let now = Instant::now();
        if situation.done < self.discard_before {
            return Ok(DrainTask::Discard(self.discard_before));
        }
        let hurry = self.retries_heeded < self.retries;
        self.retries_heeded = self.retries;
        let sends = self.config.as_ref().filter(|_| !self.is_paused);
        let ready = sends.map_or(SendTime::Never, |config| (situation.ready)(config, hurry));
        let sends = sends.filter(|_| ready == SendTime::Now);
        if self.stop.is_some_and(|until| until <= now || self.is_written && sends.is_none()) {
            return Ok(DrainTask::End);
        }
        if situation.note_at.is_some_and(|at| at <= now) {
            return Ok(DrainTask::Note);
        }
        let send_at = if let SendTime::At(at) = ready { Some(at) } else { None };
        let wake = || [situation.note_at, send_at].into_iter().flatten().min();
        sends.map(|config| DrainTask::Send(config.clone())).ok_or_else(wake)
    }
}

impl ControlState {
    /// Whether the current attempts may continue, because no order that ends them has come.
    fn goes_on(&self, config: &Arc<Config>, discard_before: u64) -> bool {
        let is_same = self.config.as_ref().is_some_and(|now| Arc::ptr_eq(now, config));
        is_same && !self.is_paused && self.stop.is_none() && self.discard_before == discard_before
    }
}

impl Control {
    /// Waits for the next task.
    pub(super) fn next(&self, situation: &DrainSituation<'_>) -> DrainTask {
        let mut state = self.state.lock();
        loop {
            match state.task(situation) {
                Ok(task) => return task,
                Err(Some(at)) => drop(self.changed.wait_until(&mut state, at)),
                Err(None) => self.changed.wait(&mut state),
            }
        }
    }

    /// Waits before another attempt to send with a configuration; `false` if no further attempt is to be made, for
    /// example after a stop.
    pub(super) fn pause_between_attempts(&self, config: &Arc<Config>, wait: Duration) -> bool {
        let until = Instant::now() + wait;
        let mut state = self.state.lock();
        let (discard_before, retries) = (state.discard_before, state.retries);
        while state.goes_on(config, discard_before) {
            // Every waiting connection has to see this request.
            if retries < state.retries || self.changed.wait_until(&mut state, until).timed_out() {
                return state.goes_on(config, discard_before);
            }
        }
        if state.stop.is_some() {
            state.stop = Some(Instant::now());
        }
        false
    }

    /// Notes that more messages are queued.
    pub(super) fn stored(&self) {
        // Takes the lock, as the thread may be about to wait.
        let _state = self.state.lock();
        self.changed.notify_all();
    }

    pub(super) fn configure(&self, config: Option<&Config>) {
        self.change(|state| {
            if state.config.as_deref() != config {
                state.config = config.cloned().map(Arc::new);
            }
        });
    }

    pub(super) fn set_paused(&self, is_paused: bool) {
        self.change(|state| state.is_paused = is_paused);
    }

    pub(super) fn retry(&self) {
        self.change(|state| state.retries += 1);
    }

    pub(super) fn discard(&self, before: u64) {
        self.change(|state| state.discard_before = state.discard_before.max(before));
    }

    pub(super) fn stop(&self, until: Instant) {
        self.change(|state| {
            state.stop = Some(until);
            state.stop_by = Some(until);
        });
    }

    /// The last message has been queued.
    pub(super) fn written(&self) {
        self.change(|state| state.is_written = true);
    }

    pub(super) fn ended(&self) {
        self.change(|state| state.has_ended = true);
    }

    /// Waits for the end of the thread, for up to `beyond` after its deadline; `false` if it has not ended by then.
    pub(super) fn await_end(&self, beyond: Duration) -> bool {
        let mut state = self.state.lock();
        let until = state.stop_by.unwrap_or_else(Instant::now) + beyond;
        while !state.has_ended {
            if self.changed.wait_until(&mut state, until).timed_out() {
                return state.has_ended;
            }
        }
        true
    }

    fn change(&self, change: impl FnOnce(&mut ControlState)) {
        change(&mut self.state.lock());
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use logstead_config::from_toml;

    fn config() -> Config {
        let text = "version = 1\n[[destinations]]\nid = \"d\"\nkind = \"file\"\npath = \"a\"\n";
        from_toml(text).unwrap().destinations.remove(0)
    }

    #[test]
    fn somebody_who_asks_for_an_attempt_ends_the_pauses_of_all_connections_once() {
        let control = Control::default();
        control.configure(Some(&config()));
        let config = control.state.lock().config.clone().unwrap();
        std::thread::scope(|scope| {
            let pause = || control.pause_between_attempts(&config, Duration::from_secs(3600));
            let pauses = [scope.spawn(pause), scope.spawn(pause)];
            while !pauses.iter().all(std::thread::ScopedJoinHandle::is_finished) {
                control.retry();
                std::thread::yield_now();
            }
            assert!(pauses.into_iter().all(|pause| pause.join().unwrap()));
        });
        let (begin, wait) = (Instant::now(), Duration::from_millis(50));
        assert!(control.pause_between_attempts(&config, wait));
        assert!(wait <= begin.elapsed());
    }
}
