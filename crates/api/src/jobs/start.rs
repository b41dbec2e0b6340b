//! Starting a job: it waits for its turn, works on a blocking thread, and ends, whether or not its client is there.

use super::control::JobControl;
use super::job::{Job, JobKind, JobResult, JobState};
use super::registry::{AdmittedJob, JobEnd, JobRegistry, JobToStart};
use crate::access::Call;
use crate::error::{ApiError, Result};
use crate::headers::accepted;
use crate::question::cancel::Cancel;
use crate::state::SharedState;
use crate::waiting::blocking;
use axum::response::Response;
use logstead_flow::machine::clock;
use logstead_flow::request_id;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::OwnedSemaphorePermit;

/// The interval at which jobs that ended long ago are forgotten.
const TIDY_INTERVAL: Duration = Duration::from_secs(10);

/// The work of a job. It ends soon after it is cancelled.
pub(crate) type JobWork = Box<dyn FnOnce(RunningJob) -> JobFuture + Send>;
type JobFuture = Pin<Box<dyn Future<Output = Result<JobResult>> + Send>>;

/// The job, as its work sees it.
pub(crate) struct RunningJob {
    pub(crate) id: String,
    pub(crate) control: Arc<JobControl>,
    pub(crate) cancel: Cancel,
}

/// The work that is done on one blocking thread.
pub(crate) fn on_a_thread(work: impl FnOnce(RunningJob) -> Result<JobResult> + Send + 'static) -> JobWork {
    Box::new(|job| Box::pin(async { blocking(move || work(job)).await? }))
}

/// Forgets jobs in time, also while nobody asks for any, so that the files of exports are removed.
pub(crate) fn forget_in_time(jobs: &Arc<JobRegistry>) {
    // Without a runtime there are no jobs.
    let Ok(runtime) = Handle::try_current() else { return };
    let jobs = Arc::downgrade(jobs);
    runtime.spawn(async move {
        loop {
            tokio::time::sleep(TIDY_INTERVAL).await;
            let Some(jobs) = jobs.upgrade() else { return };
            blocking(move || jobs.tidy(clock::now())).await.ok();
        }
    });
}

/// Starts a job of the caller. The answer does not wait for it.
pub(crate) async fn start(
    call: Call,
    kind: JobKind,
    logspaces: Vec<String>,
    work: JobWork,
) -> Result<Response> {
    let web = call.shared.clone();
    // A client that goes away now must not leave a job behind that is known and never runs.
    let admitting = tokio::spawn(request_id::followed(admit(call, kind, logspaces, work)));
    let job = admitting.await.map_err(ApiError::internal)??;
    Ok(accepted(&web.state.settings.web, &format!("jobs/{}", job.id), job))
}

async fn admit(call: Call, kind: JobKind, logspaces: Vec<String>, work: JobWork) -> Result<Job> {
    let told = format!("{kind} {}", logspaces.join(","));
    let job = JobToStart {
        kind,
        logspaces,
        account: call.caller.account.to_string(),
        started_by: call.caller.name.clone(),
        scope: call.caller.grant.scope.clone(),
    };
    let jobs = call.shared.jobs.clone();
    let admitted = blocking(move || jobs.admit(job, clock::now())).await??;
    call.audit("job.start", format!("{told} (job {})", admitted.id)).await;
    let record = call.shared.jobs.get(&admitted.id);
    let record = record.ok_or_else(|| ApiError::internal("a job that was admitted is not known"))?;
    let job = call.shared.jobs.shown(record);
    tokio::spawn(request_id::followed(run(call, admitted, kind, work, told)));
    Ok(job)
}

async fn run(call: Call, job: AdmittedJob, kind: JobKind, work: JobWork, told: String) {
    let (_, mut ending) = call.shared.state.pipeline.watch();
    let turn = tokio::select! {
        biased;
        () = job.control.cancelled() => None,
        () = ending.requested() => None,
        turn = turn(&call.shared, kind) => turn,
    };
    let end = match turn {
        Some(_) => work_on(&call, &job, work).await,
        None => ended_early(&job, None),
    };
    drop(turn);
    let state = end.state;
    let (jobs, id) = (call.shared.jobs.clone(), job.id.clone());
    // A record that cannot be written was logged.
    blocking(move || jobs.finish(&job, &end, clock::now())).await.ok();
    call.audit("job.end", format!("{told}: {state} (job {id})")).await;
}

/// Waits for the turn of a job. Exports also take the place of one, as those that are streamed.
async fn turn(shared: &SharedState, kind: JobKind) -> Option<Vec<OwnedSemaphorePermit>> {
    let places = match kind {
        JobKind::Verify | JobKind::Reindex => vec![&shared.upkeep_turn],
        JobKind::Export => vec![&shared.export_turn, &shared.exports],
    };
    let mut taken = Vec::new();
    for place in places {
        taken.push(place.clone().acquire_owned().await.ok()?);
    }
    Some(taken)
}

async fn work_on(call: &Call, job: &AdmittedJob, work: JobWork) -> JobEnd {
    let cancel = Cancel::on_request(&call.shared, job.control.cancel_flag());
    let running = RunningJob { id: job.id.clone(), control: job.control.clone(), cancel };
    let (jobs, begun) = (call.shared.jobs.clone(), job.clone());
    let begun = blocking(move || jobs.begin(&begun, clock::now())).await;
    let worked = match begun {
        Ok(()) => work(running).await,
        Err(error) => Err(error),
    };
    let is_early = job.control.is_cancelled() || call.shared.state.pipeline.stop_requested();
    match worked {
        Ok(result) if is_early && result.is_cut() => ended_early(job, Some(result)),
        Ok(result) => JobEnd { state: JobState::Done, result: Some(result), problem: None },
        Err(_) if is_early => ended_early(job, None),
        Err(error) => JobEnd { state: JobState::Failed, result: None, problem: Some(error.into_problem()) },
    }
}

/// The end of a job whose work was not finished because it was cancelled, or because the server stops.
fn ended_early(job: &AdmittedJob, result: Option<JobResult>) -> JobEnd {
    let state = if job.control.is_cancelled() { JobState::Cancelled } else { JobState::Interrupted };
    JobEnd { state, result, problem: None }
}
