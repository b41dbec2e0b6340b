//! The operations on jobs.
//!
//! **Invariant:** callers know of their own jobs, and administrators of those in their part of the store. For everybody
//! else, a job does not exist; nor does it for an owner who may no longer see what it read.

use super::job::{Job, JobState};
use super::record::JobRecord;
use crate::access::{Call, Caller};
use crate::error::{ApiError, Result};
use crate::extract::{Path, Query};
use crate::list::{ListIdentity, ListParams, Page};
use crate::problem_type::ProblemType;
use crate::waiting::{blocking, busy};
use axum::http::StatusCode;
use logstead_accounts::Role;
use logstead_config::Period;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The longest time that a request waits for the end of a job. Proxies often give up after a minute.
const WAIT_MAX: Duration = Duration::from_secs(30);

/// A page of jobs, the newest first.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct Jobs {
    jobs: Vec<Job>,
    /// The cursor of the next page; null on the last one.
    #[schema(required)]
    cursor: Option<String>,
}

/// How to wait for a job.
#[derive(Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct JobWaitParams {
    /// Answer when the job has ended, or else after this time: up to `30s`. By default, the answer comes at once.
    wait: Option<String>,
}

/// The jobs of the caller, newest first; for administrators, all jobs in their part of the store.
#[utoipa::path(
    get, path = "/api/v1/jobs", operation_id = "list_jobs", tag = "jobs", params(ListParams),
    responses((status = 200, body = Jobs))
)]
pub(crate) async fn list(
    call: Call,
    Query(ListParams { limit, cursor }): Query<ListParams>,
) -> Result<axum::Json<Jobs>> {
    let mut jobs = call.shared.jobs.all();
    jobs.retain(|job| may_see(&call.caller, job));
    let list = ListIdentity::new("jobs", ());
    let page = Page::new(&list, limit, cursor.as_deref(), jobs, JobRecord::place)?;
    let jobs = page.entries.into_iter().map(|job| call.shared.jobs.shown(job)).collect();
    Ok(axum::Json(Jobs { jobs, cursor: page.cursor }))
}

/// A job. With `wait`, the answer comes once it has ended, or after that time in the state that it has then.
#[utoipa::path(
    get, path = "/api/v1/jobs/{id}", operation_id = "get_job", tag = "jobs",
    params(("id" = String, Path, description = "The job"), JobWaitParams),
    responses((status = 200, body = Job))
)]
pub(crate) async fn get(
    call: Call,
    Path(id): Path<String>,
    Query(JobWaitParams { wait }): Query<JobWaitParams>,
) -> Result<axum::Json<Job>> {
    let job = visible(&call, &id)?;
    let wait = wait.as_deref().map(wait_of).transpose()?.unwrap_or_default();
    if wait.is_zero() || job.state.is_final() {
        return Ok(axum::Json(call.shared.jobs.shown(job)));
    }
    let Ok(_permit) = call.shared.listeners.try_acquire() else {
        return Err(busy("too many clients wait for jobs or changes"));
    };
    let (_, mut ending) = call.shared.state.pipeline.watch();
    tokio::select! {
        () = call.shared.jobs.ended(&id) => {}
        () = ending.requested() => {}
        () = tokio::time::sleep(wait) => {}
    }
    shown(&call, &id)
}

/// Asks a job to end, which it does within moments. A job that has ended stays as it is.
#[utoipa::path(
    post, path = "/api/v1/jobs/{id}/cancel", operation_id = "cancel_job", tag = "jobs",
    params(("id" = String, Path, description = "The job")),
    responses((status = 200, body = Job))
)]
pub(crate) async fn cancel(call: Call, Path(id): Path<String>) -> Result<axum::Json<Job>> {
    let job = visible(&call, &id)?;
    if matches!(job.state, JobState::Queued | JobState::Running) {
        call.shared.jobs.cancel(&id);
        let told = format!("{} {} (job {id})", job.kind, job.logspaces.join(","));
        call.audit("job.cancel", told).await;
    }
    shown(&call, &id)
}

/// Forgets a job that has ended, and removes its file. One that has not ended has to be cancelled first.
#[utoipa::path(
    delete, path = "/api/v1/jobs/{id}", operation_id = "delete_job", tag = "jobs",
    params(("id" = String, Path, description = "The job")),
    responses((status = 204, description = "It is forgotten"))
)]
pub(crate) async fn remove(call: Call, Path(id): Path<String>) -> Result<StatusCode> {
    let job = visible(&call, &id)?;
    let jobs = call.shared.jobs.clone();
    let forgotten = id.clone();
    if !blocking(move || jobs.forget(&forgotten)).await? {
        return Err(unfinished(&job));
    }
    call.audit("job.delete", format!("{} {} (job {id})", job.kind, job.logspaces.join(","))).await;
    Ok(StatusCode::NO_CONTENT)
}

/// 409 for a job that has not ended.
pub(super) fn unfinished(job: &JobRecord) -> ApiError {
    let detail = format!("job `{}` has not ended: wait for it, or cancel it first", job.id);
    ApiError::new(ProblemType::JobUnfinished, detail)
}

fn shown(call: &Call, id: &str) -> Result<axum::Json<Job>> {
    visible(call, id).map(|job| axum::Json(call.shared.jobs.shown(job)))
}

/// A job that the caller may see.
pub(super) fn visible(call: &Call, id: &str) -> Result<JobRecord> {
    let job = call.shared.jobs.get(id).filter(|job| may_see(&call.caller, job));
    job.ok_or_else(|| {
        ApiError::not_found(format!("there is no job `{id}`: it was never started, or ended long ago"))
    })
}

fn may_see(caller: &Caller, job: &JobRecord) -> bool {
    let is_own = caller.account.to_string() == job.account;
    let scope = caller.grant.scope.as_ref();
    let sees_all_of_it = scope.is_none() || is_own && scope == job.scope.as_ref();
    let may_manage = is_own || caller.role == Role::Admin;
    may_manage && sees_all_of_it && job.logspaces.iter().all(|id| caller.may_search(id))
}

fn wait_of(text: &str) -> Result<Duration> {
    let refused = |why: String| ApiError::invalid(format!("wait: {why}")).path("wait");
    let wait = text.parse::<Period>().map_err(|error| refused(error.to_string()))?.duration();
    if WAIT_MAX < wait {
        return Err(refused(format!(
            "`{text}` is too long: wait up to {} s, and ask again",
            WAIT_MAX.as_secs()
        )));
    }
    Ok(wait)
}
