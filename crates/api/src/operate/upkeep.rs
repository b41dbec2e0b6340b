//! Verifies a logspace or rebuilds its indexes, while it is in use: each as a job.

use super::logspaces::unknown;
use crate::access::Call;
use crate::error::Result;
use crate::extract::Path;
use crate::jobs::control::JobControl;
use crate::jobs::job::{Job, JobKind, JobResult, Reindexing, Verification, VerificationFinding};
use crate::jobs::start::{RunningJob, on_a_thread, start};
use crate::state::SharedState;
use axum::response::Response;
use logstead_indexer::{Searcher, VerifyReport};
use logstead_pipeline::{Pipeline, ReindexResult};
use std::time::Instant;

/// How many findings are listed; all are counted.
const FINDINGS_MAX: usize = 1000;

/// Starts a job that reads everything in a logspace and checks it against its checksums and hashes, which takes as
/// long as reading all of it. One logspace at a time is verified or reindexed; other jobs wait.
#[utoipa::path(
    post, path = "/api/v1/logspaces/{id}/verify", operation_id = "verify_logspace", tag = "logspaces",
    params(("id" = String, Path, description = "The logspace")),
    responses((status = 202, body = Job, headers(("Location" = String, description = "The address of the job"))))
)]
pub(crate) async fn verify(call: Call, Path(id): Path<String>) -> Result<Response> {
    call.caller.check_manages(&id)?;
    let searcher = searcher(&call.shared, &id)?;
    let work = on_a_thread(move |job| Ok(JobResult::Verify(verify_all(&searcher, &job))));
    start(call, JobKind::Verify, vec![id], work).await
}

fn verify_all(searcher: &Searcher, job: &RunningJob) -> Verification {
    let started = Instant::now();
    let stats = searcher.stats();
    let bytes = stats.blocks_bytes + stats.index_bytes + stats.journal_bytes;
    job.control.begin(Some(bytes));
    let mut verification = Verification::default();
    searcher.verify(&job.cancel.run(), &mut |checked| {
        job.control.add(checked.bytes, checked.messages);
        verification.add(checked);
    });
    verification.complete = !job.cancel.is_requested();
    verification.intact = verification.complete && verification.problems == 0;
    verification.took_ms = started.elapsed().as_millis() as u64;
    verification
}

impl Verification {
    fn add(&mut self, checked: VerifyReport) {
        self.parts += 1;
        self.messages += checked.messages;
        self.bytes += checked.bytes;
        self.problems += checked.findings.len() as u64;
        let room = FINDINGS_MAX - self.findings.len();
        let told = checked.findings.into_iter().take(room).map(|finding| VerificationFinding {
            file: checked.file.clone(),
            what: finding.what,
            loses_messages: finding.loses_messages,
            from: finding.times.map(|(from, _)| from.to_string()),
            to: finding.times.map(|(_, to)| to.to_string()),
        });
        self.findings.extend(told);
    }
}

/// Starts a job that rebuilds the indexes of a logspace from its messages, while it is in use, which takes as long as
/// reading all messages. Indexes that were rebuilt before a job is cancelled stay. One logspace at a time is verified
/// or reindexed; other jobs wait.
#[utoipa::path(
    post, path = "/api/v1/logspaces/{id}/reindex", operation_id = "reindex_logspace", tag = "logspaces",
    params(("id" = String, Path, description = "The logspace")),
    responses((status = 202, body = Job, headers(("Location" = String, description = "The address of the job"))))
)]
pub(crate) async fn reindex(call: Call, Path(id): Path<String>) -> Result<Response> {
    call.caller.check_manages(&id)?;
    searcher(&call.shared, &id)?;
    let (pipeline, logspace) = (call.shared.state.pipeline.clone(), id.clone());
    let work = on_a_thread(move |job| {
        let reindexed = reindex_all(&pipeline, &logspace, &job.control, &|| job.cancel.is_requested());
        Ok(JobResult::Reindex(reindexed))
    });
    start(call, JobKind::Reindex, vec![id], work).await
}

fn reindex_all(
    pipeline: &Pipeline,
    id: &str,
    control: &JobControl,
    is_cancelled: &(dyn Fn() -> bool + Sync),
) -> Reindexing {
    let started = Instant::now();
    let begin = |segments: usize| control.begin(Some(segments as u64));
    let each = |messages: u64| control.add(1, messages);
    let ReindexResult { indexes, messages, failures, is_complete, is_cut } =
        pipeline.reindex(id, is_cancelled, &begin, &each);
    Reindexing {
        complete: is_complete,
        indexes,
        messages,
        failures,
        took_ms: started.elapsed().as_millis() as u64,
        is_cut,
    }
}

fn searcher(shared: &SharedState, id: &str) -> Result<Searcher> {
    let mut searchers = shared.state.pipeline.searchers().into_iter();
    let found = searchers.find(|(other, _)| other == id);
    found.map(|(_, searcher)| searcher).ok_or_else(|| unknown(shared, id))
}
