//! Verifies a logspace or rebuilds its indexes, while it is in use.

use super::logspaces::unknown;
use super::work::{WorkGuard, WorkKind};
use crate::access::Call;
use crate::error::Result;
use crate::extract::Path;
use crate::question::cancel::Cancel;
use crate::state::SharedState;
use crate::waiting::blocking;
use logstead_indexer::{Searcher, VerifyReport};
use logstead_pipeline::ReindexResult;
use serde::Serialize;
use std::time::Instant;

/// How many findings are listed; all are counted.
const FINDINGS_MAX: usize = 1000;

/// Whether a logspace is intact.
#[derive(Default, Serialize, utoipa::ToSchema)]
pub(crate) struct Verification {
    /// Whether everything was checked and nothing is wrong.
    intact: bool,
    /// Whether everything was checked: a stopping server does not finish.
    complete: bool,
    /// Segments and journal files that were checked.
    parts: u64,
    messages: u64,
    bytes: u64,
    /// The number of problems.
    problems: u64,
    /// The first 1000 problems, the oldest first.
    findings: Vec<VerificationFinding>,
    took_ms: u64,
}

/// Something that is damaged.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct VerificationFinding {
    /// The file, relative to the logspace's folder.
    file: String,
    /// The damage, and its position in the file.
    what: String,
    /// Whether messages cannot be read. A damaged index only costs time, as it is rebuilt.
    loses_messages: bool,
    /// The earliest time of the affected messages, if it is known.
    #[schema(required)]
    from: Option<String>,
    /// The latest time of the affected messages, if it is known.
    #[schema(required)]
    to: Option<String>,
}

/// The result of reindexing a logspace.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct Reindexing {
    /// Whether all indexes were rebuilt: a stopping server does not finish, and damaged messages stay as they are.
    complete: bool,
    /// Indexes that were rebuilt.
    indexes: u64,
    /// The messages that they cover.
    messages: u64,
    /// The reasons why others were not rebuilt, at most 100.
    failures: Vec<String>,
    took_ms: u64,
}

/// Reads everything in a logspace and checks it against its checksums and hashes. Takes as long as reading all of it;
/// ends when the client disconnects.
#[utoipa::path(
    post, path = "/api/v1/logspaces/{id}/verify", operation_id = "verify_logspace", tag = "logspaces",
    params(("id" = String, Path, description = "The logspace")),
    responses(
        (status = 200, body = Verification),
        (status = 409, description = "A logspace is being verified or indexed", body = crate::error::Problem,
         content_type = "application/problem+json"),
    )
)]
pub(crate) async fn verify(call: Call, Path(id): Path<String>) -> Result<axum::Json<Verification>> {
    call.caller.check_manages(&id)?;
    let searcher = searcher(&call.shared, &id)?;
    let stats = searcher.stats();
    let bytes = stats.blocks_bytes + stats.index_bytes + stats.journal_bytes;
    let running = call.shared.upkeep.begin(&id, WorkKind::Verify, bytes)?;
    let (cancel, _guard) = Cancel::without_limit(&call.shared);
    let verification = blocking(move || verify_all(&searcher, &cancel, &running));
    verification.await.map(axum::Json)
}

fn verify_all(searcher: &Searcher, cancel: &Cancel, running: &WorkGuard) -> Verification {
    let started = Instant::now();
    let mut verification = Verification::default();
    searcher.verify(&cancel.run(), &mut |checked| {
        running.add(checked.bytes);
        verification.add(checked);
    });
    verification.complete = !cancel.is_requested();
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

/// Rebuilds the indexes of a logspace from its messages, while it is in use. Takes as long as reading all messages;
/// ends when the client disconnects, but indexes rebuilt until then stay.
#[utoipa::path(
    post, path = "/api/v1/logspaces/{id}/reindex", operation_id = "reindex_logspace", tag = "logspaces",
    params(("id" = String, Path, description = "The logspace")),
    responses(
        (status = 200, body = Reindexing),
        (status = 409, description = "A logspace is being verified or indexed", body = crate::error::Problem,
         content_type = "application/problem+json"),
    )
)]
pub(crate) async fn reindex(call: Call, Path(id): Path<String>) -> Result<axum::Json<Reindexing>> {
    call.caller.check_manages(&id)?;
    let searcher = searcher(&call.shared, &id)?;
    let bytes = searcher.stats().blocks_bytes;
    let running = call.shared.upkeep.begin(&id, WorkKind::Reindex, bytes)?;
    call.audit("logspace.reindex", id.clone()).await;
    let (pipeline, (cancel, _guard)) =
        (call.shared.state.pipeline.clone(), Cancel::without_limit(&call.shared));
    let reindexed = blocking(move || {
        let started = Instant::now();
        let progress = |done: usize, of: usize| {
            let part = |number: usize| bytes * number as u64 / of.max(1) as u64;
            running.add(part(done) - part(done - 1));
        };
        let ReindexResult { indexes, messages, failures, is_complete } =
            pipeline.reindex(&id, &|| cancel.is_requested(), &progress);
        Reindexing {
            complete: is_complete,
            indexes,
            messages,
            failures,
            took_ms: started.elapsed().as_millis() as u64,
        }
    });
    reindexed.await.map(axum::Json)
}

fn searcher(shared: &SharedState, id: &str) -> Result<Searcher> {
    let mut searchers = shared.state.pipeline.searchers().into_iter();
    let found = searchers.find(|(other, _)| other == id);
    found.map(|(_, searcher)| searcher).ok_or_else(|| unknown(shared, id))
}
