//! Stores only once what may be sent twice: requests with an `Idempotency-Key`, and messages that have names in their
//! protocol.
//!
//! Stored requests and messages are [remembered](logstead_flow::repeats) for a day. A failed request continues at the
//! point where it stopped, and passes its next messages only to the journals and queues that lack them.

use super::incoming::{
    BatchFailure, IdempotentRequest, Incoming, IngestOutcome, IngestProgress, json, not_stored,
};
use crate::error::{ApiError, Result};
use crate::problem_type::ProblemType;
use axum::http::{HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use logstead_flow::ledger::JournalId;
use logstead_flow::receipt::StoreSummary;
use logstead_flow::repeats::{Claim, Id, Repeats, RequestProgress, RequestStart};
use logstead_flow::request_id;
use logstead_ingest::batches::Batches;
use logstead_ingest::messages::Messages;
use logstead_pipeline::SubmitError;
use logstead_record::{Batch, Selection, Timestamp};
use std::sync::Arc;

/// The header that names a request that may be sent twice, the one that marks the response to a repeated request, and
/// the one with the time since when names are remembered.
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");
const KNOWN_SINCE: HeaderName = HeaderName::from_static("idempotency-known-since");
/// Maximum length of a key.
const KEY_BYTES_MAX: usize = 255;

impl Incoming {
    /// Whether the request has an `Idempotency-Key`.
    pub(crate) fn has_key(&self) -> bool {
        self.headers.contains_key(IDEMPOTENCY_KEY)
    }

    /// The key with which the names of this caller's documents are hashed.
    pub(crate) fn owner(&self) -> [u8; 32] {
        *blake3::hash(self.account().to_string().as_bytes()).as_bytes()
    }

    /// Stores messages unless a request with the same `Idempotency-Key` has already done so, whose answer is then
    /// repeated. `answer` returns the answer's JSON if the request succeeded, or else a refusal.
    pub(crate) async fn store_once<M: Messages>(
        &self,
        hash: [u8; 32],
        batches: Batches<M>,
        logspace: Option<&str>,
        answer: impl FnOnce(IngestOutcome<M>) -> Result<String, Box<Response>> + Send + 'static,
    ) -> Result<Response> {
        let Some(key) = self.headers.get(IDEMPOTENCY_KEY) else {
            let stored = self.store(batches, logspace).await?.complete()?;
            return Ok(answer(stored).map_or_else(|refused| *refused, json));
        };
        if KEY_BYTES_MAX < key.len() || key.is_empty() {
            let detail = format!("the Idempotency-Key must have 1 to {KEY_BYTES_MAX} bytes");
            return Err(ApiError::new(ProblemType::InvalidHeader, detail).path("Idempotency-Key"));
        }
        let key = hashed(&[self.account().to_string().as_bytes(), key.as_bytes()]);
        let body = hashed(&[&hash, logspace.unwrap_or_default().as_bytes()]);
        let progress = match self.repeats().begin_request(key, body) {
            RequestStart::Take(progress) => progress,
            RequestStart::Again(RequestProgress { taken, dropped, .. }) => {
                // Messages that could not be read the first time cannot be read now.
                let (mut batches, _) = self.check(batches).await?;
                let (refused, refusals) = (batches.refused, std::mem::take(&mut batches.refusals));
                let messages = batches.into_messages();
                let (accepted, stopped) = (taken - dropped, None);
                let stored = IngestOutcome {
                    messages,
                    accepted,
                    dropped,
                    refused,
                    refusals,
                    stopped,
                    late: vec![],
                    had: vec![],
                };
                let response = answer(stored).map_or_else(|refused| *refused, json);
                return Ok(([(REPLAYED, "true")], self.says_since(response)).into_response());
            }
            RequestStart::UnderWay => {
                let detail = "a request with this Idempotency-Key is still being processed: send it again \
                              later for its answer";
                return Err(ApiError::new(ProblemType::KeyUnderWay, detail).retry_after_seconds(1));
            }
            RequestStart::Differs => {
                let detail = "this Idempotency-Key was used for another body before: every body needs a key of its \
                     own";
                return Err(ApiError::new(ProblemType::KeyReused, detail));
            }
        };
        // The work goes on if the sender disconnects, so that its outcome is known when the sender asks again.
        let (this, logspace) = (self.clone(), logspace.map(str::to_owned));
        let storing = tokio::spawn(request_id::followed(async move {
            let mut ending = RequestEnd { repeats: this.repeats().clone(), key, is_answered: false };
            let taking = IngestProgress { named: Some(IdempotentRequest { key, body }), progress };
            let stored = this.store_rest(taking, batches, logspace.as_deref()).await?;
            Ok(match answer(stored.complete()?) {
                Ok(answer) => {
                    ending.is_answered = true;
                    this.blocking(move || drop(ending)).await?;
                    this.says_since(json(answer))
                }
                Err(refused) => *refused,
            })
        }));
        storing.await.map_err(ApiError::internal)?
    }

    /// Adds the header with the time since when names are remembered.
    pub(super) fn says_since(&self, mut response: Response) -> Response {
        let mut since = Vec::new();
        self.repeats().since().write_rfc3339(&mut since, 0);
        if let Ok(value) = HeaderValue::from_bytes(&since) {
            response.headers_mut().insert(KNOWN_SINCE, value);
        }
        response
    }

    /// Stores a batch without the messages that are stored already; returns the rows that have to be sent again.
    pub(super) async fn submit_once(
        &self,
        batch: Batch,
        names: Vec<Option<Id>>,
        logspace: Option<&str>,
        named: Option<&IdempotentRequest>,
        had: Vec<JournalId>,
    ) -> Result<(StoreSummary, Vec<usize>), BatchFailure> {
        let (stamp, source) = (batch.received(0), self.source.clone());
        let repeats = self.repeats().clone();
        let (batch, had, late) = match named {
            Some(IdempotentRequest { key, body }) => {
                let (key, body) = (*key, *body);
                let begun = blocking(self, move || repeats.begin_batch(stamp, &source, key, body)).await?;
                begun.map_err(|error| cannot_note(&error))?;
                (batch, had, Vec::new())
            }
            None if !names.is_empty() => {
                let claimed = blocking(self, move || repeats.claim(stamp, &source, &names)).await?;
                let Claim { rows, had, later, .. } = claimed.map_err(|error| cannot_note(&error))?;
                if rows.is_empty() {
                    return Ok((StoreSummary::default(), later));
                }
                let mut selection = Selection::none(batch.rows());
                rows.into_iter().for_each(|row| selection.insert(row));
                let batch = if selection.is_all() { batch } else { batch.take(&selection) };
                (batch, had, later)
            }
            None => {
                let taken = self.pipeline().submit(&self.source, batch, logspace).await;
                return taken.map(|taken| (taken, Vec::new())).map_err(|error| stopped(&error));
            }
        };
        let messages = batch.rows();
        let outcome = self.pipeline().submit_rest(&self.source, batch, logspace, had).await;
        let repeats = self.repeats().clone();
        let note = remembered(&outcome, messages);
        if let Some(note) = note {
            blocking(self, move || note(&repeats, stamp)).await?;
        }
        outcome.map(|taken| (taken, late)).map_err(|error| stopped(&error))
    }
}

async fn blocking<T: Send + 'static>(
    incoming: &Incoming,
    call: impl FnOnce() -> T + Send + 'static,
) -> Result<T, BatchFailure> {
    incoming.blocking(call).await.map_err(BatchFailure::from)
}

type Note = Box<dyn FnOnce(&Repeats, Timestamp) + Send>;

/// The note to keep about a batch. If its outcome is unknown, the journals provide it after the next start.
fn remembered(outcome: &Result<StoreSummary, SubmitError>, messages: usize) -> Option<Note> {
    match outcome {
        Ok(StoreSummary { dropped }) => {
            let dropped = *dropped;
            Some(Box::new(move |repeats, stamp| repeats.stored(stamp, messages, dropped)))
        }
        Err(SubmitError::ShuttingDown) => None,
        Err(error) => {
            let had = had(error);
            Some(Box::new(move |repeats, stamp| repeats.failed(stamp, had)))
        }
    }
}

fn had(error: &SubmitError) -> Vec<JournalId> {
    match error {
        SubmitError::Failed(failed) => failed.had.clone(),
        _ => Vec::new(),
    }
}

fn stopped(error: &SubmitError) -> BatchFailure {
    BatchFailure { error: not_stored(error), had: had(error) }
}

fn cannot_note(error: &std::io::Error) -> BatchFailure {
    let detail = format!(
        "it cannot be recorded that the messages are stored, so sending them again could store them twice: {error}"
    );
    ApiError::new(ProblemType::NotStored, detail).retry_after_seconds(1).into()
}

/// Notes that a request has ended, whatever the outcome.
struct RequestEnd {
    repeats: Arc<Repeats>,
    key: Id,
    is_answered: bool,
}

impl Drop for RequestEnd {
    fn drop(&mut self) {
        self.repeats.end_request(self.key, self.is_answered);
    }
}

fn hashed(parts: &[&[u8]]) -> Id {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&part.len().to_le_bytes());
        hasher.update(part);
    }
    let mut id = Id::default();
    id.copy_from_slice(&hasher.finalize().as_bytes()[..size_of::<Id>()]);
    id
}
