//! Running a question, and ending it early.
//!
//! **Invariant:** a question ends soon after its client disconnects, its time is up, or the server stops.

use crate::access::Caller;
use crate::error::{ApiError, Result};
use crate::problem_type::ProblemType;
use crate::question::turn::Permit;
use crate::state::SharedState;
use crate::waiting::blocking;
use logstead_config::Size;
use logstead_flow::machine::memory::RunningQuestion;
use logstead_query as query;
use logstead_work::deadline::NO_DEADLINE;
use logstead_work::{Deadline, SearchContext};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long a question waits when memory is tight, as others may end in the meantime.
const TIGHT_WAIT_MAX: Duration = Duration::from_secs(2);

/// Signals a question to end early.
pub(crate) struct Cancel {
    shared: SharedState,
    is_requested: Arc<dyn Fn() -> bool + Send + Sync>,
    deadline: Deadline,
    running: Option<Arc<RunningQuestion>>,
}

/// Ends the question when dropped: the client has its answer, or no longer wants it.
pub(crate) struct Guard(Arc<AtomicBool>);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// How long a question takes.
pub(crate) struct Weight {
    /// Decides in which lane the question waits for its turn.
    pub(crate) is_instant: IsInstant,
    /// The part of its time that was already spent on parsing the query.
    pub(crate) spent: Duration,
}

/// Determines whether a question is instant, which is itself instant; `None` if the question may take long.
pub(crate) type IsInstant = Option<Box<dyn FnOnce() -> bool + Send>>;

/// Parses something that the caller wrote, such as a query, on a blocking thread: for as long as a search may take,
/// and while the caller waits. Also returns the time that this took.
pub(crate) async fn reading<T: Send + 'static>(
    shared: &SharedState,
    read: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<(T, Duration)> {
    let (cancel, _guard) = Cancel::new(shared);
    let started = Instant::now();
    let read = move || cancel.while_wanted(read).unwrap_or_else(|| Err(cancel.unread()));
    blocking(read).await?.map(|read| (read, started.elapsed()))
}

/// Answers a question on a blocking thread, once its turn has come.
pub(crate) async fn ask<T: Send + 'static>(
    shared: &SharedState,
    caller: &Caller,
    weight: Weight,
    answer: impl FnOnce(&Cancel) -> T + Send + 'static,
) -> Result<T> {
    ask_within(shared, caller, weight, shared.state.settings.limits.search_time_max.duration(), answer).await
}

/// Like [`ask`], with another time limit.
pub(crate) async fn ask_within<T: Send + 'static>(
    shared: &SharedState,
    caller: &Caller,
    weight: Weight,
    time_max: Duration,
    answer: impl FnOnce(&Cancel) -> T + Send + 'static,
) -> Result<T> {
    let time_max = time_max.saturating_sub(weight.spent);
    let permit = permit(shared, caller, weight).await?;
    shared.state.pipeline.memory.gauge.calm(TIGHT_WAIT_MAX).await;
    let (cancel, _guard) = Cancel::within(shared, Some(time_max));
    let running = cancel.running.clone();
    let answer = move || {
        let _permit = permit;
        answer(&cancel)
    };
    let answered = blocking(answer).await?;
    match running.filter(|running| running.has_to_end()) {
        Some(running) => Err(ApiError::new(ProblemType::ShortOfMemory, short(&running))),
        None => Ok(answered),
    }
}

/// Waits for a question's turn, unless it is instant.
pub(crate) async fn permit(shared: &SharedState, caller: &Caller, weight: Weight) -> Result<Permit> {
    if let Some(permit) = shared.searches.enter_now(caller) {
        return Ok(permit);
    }
    // A question that finds no room in this lane either waits among the others.
    if let Some(is_instant) = weight.is_instant
        && let Ok(permit) = shared.instant_searches.enter(caller).await
        && let (true, permit) = blocking(move || (is_instant(), permit)).await?
    {
        return Ok(permit);
    }
    shared.searches.enter(caller).await
}

fn has_to_end(running: &Option<Arc<RunningQuestion>>) -> bool {
    running.as_ref().is_some_and(|running| running.has_to_end())
}

/// Why a question had to end, and what the caller can do.
fn short(running: &RunningQuestion) -> String {
    let bytes = Size::about(running.bytes_max());
    format!(
        "the server is short of memory and may use no more than {bytes}: narrow the query or its time range, try \
         again when fewer searches run, or give the server more memory"
    )
}

impl Cancel {
    pub(crate) fn new(shared: &SharedState) -> (Cancel, Guard) {
        Cancel::within(shared, Some(shared.state.settings.limits.search_time_max.duration()))
    }

    /// Cancels a question whose query took this long to parse.
    pub(crate) fn after(shared: &SharedState, spent: Duration) -> (Cancel, Guard) {
        let time_max = shared.state.settings.limits.search_time_max.duration();
        Cancel::within(shared, Some(time_max.saturating_sub(spent)))
    }

    /// Cancels work that has no time limit.
    pub(crate) fn without_limit(shared: &SharedState) -> (Cancel, Guard) {
        Cancel::within(shared, None)
    }

    /// Cancels work that has no time limit, once the flag is set.
    pub(crate) fn on_request(shared: &SharedState, is_requested: Arc<AtomicBool>) -> Cancel {
        Cancel::on(shared, None, is_requested)
    }

    fn within(shared: &SharedState, time_max: Option<Duration>) -> (Cancel, Guard) {
        let client_is_gone = Arc::new(AtomicBool::new(false));
        let guard = Guard(client_is_gone.clone());
        (Cancel::on(shared, time_max, client_is_gone), guard)
    }

    fn on(shared: &SharedState, time_max: Option<Duration>, is_unwanted: Arc<AtomicBool>) -> Cancel {
        let (started, pipeline) = (Instant::now(), shared.state.pipeline.clone());
        // Work without a time limit uses little memory at a time, and is not asked again by itself.
        let running = time_max.map(|_| Arc::new(pipeline.memory.gauge.begin()));
        let told = running.clone();
        let is_requested = Arc::new(move || {
            is_unwanted.load(Ordering::Relaxed)
                || has_to_end(&told)
                || pipeline.stop_requested()
                || time_max.is_some_and(|max| max < started.elapsed())
        });
        let deadline = time_max
            .map_or_else(|| NO_DEADLINE.clone(), |max| Deadline::after(max, move || started.elapsed()));
        Cancel { shared: shared.clone(), is_requested, deadline, running }
    }

    pub(crate) fn is_requested(&self) -> bool {
        (self.is_requested)()
    }

    /// Runs `read` until cancelling is requested; `None` if it did not finish before that.
    pub(crate) fn while_wanted<T>(&self, read: impl FnOnce() -> T) -> Option<T> {
        let is_requested = self.is_requested.clone();
        query::while_wanted(move || !is_requested(), read)
    }

    /// The error for a query that was not parsed to its end.
    pub(crate) fn unread(&self) -> ApiError {
        let detail = format!(
            "the query could not be read within the {} s that a search may take: shorten it, or ask again when the \
             server has less to do",
            self.seconds_max()
        );
        ApiError::new(ProblemType::CostlyQuery, detail).path("query")
    }

    fn seconds_max(&self) -> f64 {
        self.shared.state.settings.limits.search_time_max.duration().as_secs_f64()
    }

    /// The context in which the work runs: until cancelling is requested, with the threads that all searches share.
    pub(crate) fn run(&self) -> SearchContext<'_> {
        SearchContext { cancelled: &*self.is_requested, lanes: &self.shared.lanes, deadline: &self.deadline }
    }

    /// Why a logspace was not searched to the end.
    pub(crate) fn reason(&self, logspace: &str) -> String {
        if self.shared.state.pipeline.stop_requested() {
            return format!("logspace `{logspace}` was not searched to the end: the server is stopping");
        }
        if let Some(running) = self.running.as_ref().filter(|running| running.has_to_end()) {
            return format!("logspace `{logspace}` was not searched to the end: {}", short(running));
        }
        let seconds = self.seconds_max();
        format!(
            "logspace `{logspace}` was not searched to the end within the {seconds} s that a search may take: \
             narrow the time range, or raise limits.search_time_max"
        )
    }
}
