//! Starting a job: it waits for its turn, works on a blocking thread, and ends, whether or not its client is there.

use super::control::JobControl;
use super::job::{Job, JobKind, JobResult, JobState};
use super::registry::{AdmittedJob, JobEnd, JobToStart};
use crate::access::Call;
use crate::error::{ApiError, Result};
use crate::headers::accepted;
use crate::question::cancel::Cancel;
use crate::waiting::blocking;
use axum::response::Response;
use logstead_flow::machine::clock;
use logstead_flow::request_id;
use std::sync::Arc;

/// The work of a job. It ends soon after it is cancelled.
pub(crate) type JobWork = Box<dyn FnOnce(&RunningJob) -> Result<JobResult> + Send>;

/// The job, as its work sees it.
pub(crate) struct RunningJob {
    pub(crate) control: Arc<JobControl>,
    pub(crate) cancel: Cancel,
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
    let job = record.ok_or_else(|| ApiError::internal("a job that was admitted is not known"))?.into_job();
    tokio::spawn(request_id::followed(run(call, admitted, work, told)));
    Ok(job)
}

async fn run(call: Call, job: AdmittedJob, work: JobWork, told: String) {
    let (_, mut ending) = call.shared.state.pipeline.watch();
    let turn = tokio::select! {
        biased;
        () = job.control.cancelled() => None,
        () = ending.requested() => None,
        turn = call.shared.upkeep_turn.clone().acquire_owned() => turn.ok(),
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

async fn work_on(call: &Call, job: &AdmittedJob, work: JobWork) -> JobEnd {
    let cancel = Cancel::on_request(&call.shared, job.control.cancel_flag());
    let running = RunningJob { control: job.control.clone(), cancel };
    let (jobs, begun) = (call.shared.jobs.clone(), job.clone());
    let worked = blocking(move || {
        jobs.begin(&begun, clock::now());
        work(&running)
    });
    let worked = worked.await.and_then(|worked| worked);
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
