//! Messages that are handed in, over HTTP or by the server itself.

use super::core::Pipeline;
use super::running::{HandedBy, Inlet, RunningState};
use logstead_config::SourceKind;
use logstead_flow::ledger::JournalId;
use logstead_flow::queue::{Partition, WorkItem};
use logstead_flow::receipt::{Pending, StoreFailure, StoreSummary};
use logstead_record::Batch;
use std::sync::Arc;
use std::time::Duration;

/// How long a sender waits for room in its source's budget before it is told to try again.
const SUBMIT_WAIT_MAX: Duration = Duration::from_secs(10);

/// Why messages that were handed in are not stored.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum SubmitError {
    /// The logspace is not in the live router document.
    #[error("there is no logspace `{0}`")]
    UnknownLogspace(String),
    /// The live router document has no source for these messages.
    #[error(
        "the router document has no source of kind `http` that takes messages with this token: add one, without \
         `token` to take everything else"
    )]
    NoSource,
    /// The source for these messages is not enabled.
    #[error("source `{0}` is disabled, so nothing is taken over HTTP for now")]
    SourceDisabled(String),
    /// Too many bytes of this source are in flight.
    #[error("the store cannot keep up: send again later")]
    Busy,
    /// The messages could not be stored, or not everywhere.
    #[error("the messages could not be stored: {0}")]
    Failed(StoreFailure),
    /// The process is about to end.
    #[error("the server is stopping: send again later")]
    ShuttingDown,
}

impl Pipeline {
    /// The id of the source for messages sent over HTTP with this token: the token's own source, or the one without a
    /// token.
    pub fn http_source(&self, token: Option<&str>) -> Result<Arc<str>, SubmitError> {
        if self.stop_requested() {
            return Err(SubmitError::ShuttingDown);
        }
        let live = self.router();
        let http = live.checked.sources.iter().filter_map(|source| match &source.kind {
            SourceKind::Http(http) => Some((source, http.token.as_deref())),
            _ => None,
        });
        let of = |wanted: Option<&str>| http.clone().find(|(_, named)| *named == wanted);
        match token.and_then(|name| of(Some(name))).or_else(|| of(None)) {
            None => Err(SubmitError::NoSource),
            Some((source, _)) if !source.enabled => Err(SubmitError::SourceDisabled(source.id.clone())),
            Some((source, _)) => Ok(source.id.as_str().into()),
        }
    }

    /// Accepts messages of a source without a thread of its own, and returns their outcome once all that are stored
    /// are durable. They go to `logspace`, or to the targets that the routes choose.
    pub async fn submit(
        &self,
        source: &str,
        batch: Batch,
        logspace: Option<&str>,
    ) -> Result<StoreSummary, SubmitError> {
        self.submit_rest(source, batch, logspace, Vec::new()).await
    }

    /// The same, except for the journals that already have the messages from an earlier attempt.
    pub async fn submit_rest(
        &self,
        source: &str,
        batch: Batch,
        logspace: Option<&str>,
        had: Vec<JournalId>,
    ) -> Result<StoreSummary, SubmitError> {
        if self.stop_requested() {
            return Err(SubmitError::ShuttingDown);
        }
        let running = self.running.load_full();
        let inlet = running.inlets.get(source).filter(|inlet| inlet.handed_by == HandedBy::Requests);
        let inlet = inlet.ok_or_else(|| no_inlet(&running, source))?;
        let in_document = |id: &str| running.live.checked.logspaces.iter().any(|logspace| logspace.id == id);
        if let Some(id) = logspace
            && !in_document(id)
        {
            return Err(SubmitError::UnknownLogspace(id.to_owned()));
        }
        let reserve = inlet.budget.reserve(batch.memory_bytes());
        let reserved = tokio::time::timeout(SUBMIT_WAIT_MAX, reserve).await.map_err(|_| SubmitError::Busy)?;
        let (pending, outcome) = Pending::answering(reserved);
        self.hand_in(inlet, batch, logspace.map(str::to_owned), had, pending);
        match outcome.await {
            Ok(Ok(taken)) => Ok(taken),
            Ok(Err(failed)) => Err(SubmitError::Failed(failed)),
            Err(_) => Err(SubmitError::ShuttingDown),
        }
    }

    /// Accepts messages of the server itself, which go where the routes send them. Drops them when too many are in
    /// flight, or if no enabled source accepts them.
    pub fn submit_own(&self, handed_by: HandedBy, batch: Batch) {
        let running = self.running.load();
        let Some(inlet) = running.own_inlet(handed_by) else { return };
        match inlet.budget.try_reserve(batch.memory_bytes()) {
            Some(reserved) => self.hand_in(inlet, batch, None, Vec::new(), Pending::silent(reserved)),
            None => {
                inlet.counters.dropped.add("queue_full", batch.rows());
                self.ledger.dropped(&inlet.id, "queue_full", batch.rows());
            }
        }
    }

    fn hand_in(
        &self,
        inlet: &Inlet,
        batch: Batch,
        logspace: Option<String>,
        had: Vec<JournalId>,
        pending: Pending,
    ) {
        let (source, counters) = (inlet.id.clone(), inlet.counters.clone());
        let work = WorkItem::Batch { batch: Arc::new(batch), source, counters, logspace, had, pending };
        // If every worker has stopped, the work is dropped, which notifies the sender.
        self.work.submit(Partition::Any, work);
    }
}

fn no_inlet(running: &RunningState, source: &str) -> SubmitError {
    let is_there = running.live.checked.sources.iter().any(|config| config.id == source);
    if is_there { SubmitError::SourceDisabled(source.to_owned()) } else { SubmitError::NoSource }
}
