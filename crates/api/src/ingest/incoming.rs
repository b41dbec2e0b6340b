//! A request with messages: its sender and its source, reading its body, and storing its messages.
//!
//! A protocol's handler takes [`Incoming`], reads the body, hands it to its decoder on a blocking thread, and stores
//! the messages that the decoder returns:
//!
//! ```ignore
//! let (body, _room) = incoming.read(body, None).await?;
//! let messages = incoming.decode(move |sender, max| Bulk::of(body, sender, max)).await?;
//! let stored = incoming.store(messages, None).await?;
//! ```
//!
//! **Invariant:** messages answered as stored are durable, or were dropped by the routes and counted.

use super::body_memory::BodyReservation;
use crate::access::Caller;
use crate::error::{ApiError, Result};
use crate::extract::{Peer, PiecewiseBody};
use crate::problem_type::ProblemType;
use crate::question::unknown_logspace;
use crate::state::SharedState;
use crate::waiting::{blocking, busy};
use axum::body::Body;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use logstead_accounts::{Account, Role, TokenLimits};
use logstead_flow::ledger::JournalId;
use logstead_flow::machine::clock;
use logstead_flow::receipt::StoreSummary;
use logstead_flow::repeats::{Id, Repeats, RequestProgress};
use logstead_ingest::batches::{Batches, BodySender};
use logstead_ingest::encoding::{Encoding, Unpacker};
use logstead_ingest::messages::{BodyError, MessageRefusal, Messages};
use logstead_pipeline::{Pipeline, SubmitError};
use logstead_record::Batch;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::SemaphorePermit;

/// A body counts as resting if fewer bytes than this arrive within this time.
const REST_MAX: Duration = Duration::from_secs(2);
const REST_BYTES_MIN: usize = 64 << 10;
/// After how long senders are asked to try again while the source is not enabled.
const DISABLED_RETRY_SECONDS: u64 = 60;

/// A request with messages.
#[derive(Clone)]
pub(crate) struct Incoming {
    pub(super) shared: SharedState,
    pub(super) caller: Caller,
    pub(super) peer: Peer,
    /// The source that receives the messages.
    pub(super) source: Arc<str>,
    pub headers: HeaderMap,
    /// The length of the body, unpacked.
    body_bytes: Arc<AtomicUsize>,
    /// Whether the request is refused, and its body only read to report that for each message.
    is_refused: bool,
}

/// A request that may be refused, in a protocol that refuses each message separately.
pub(crate) struct RefusableRequest {
    pub incoming: Incoming,
    /// Why none of its messages are accepted now, if they are not.
    pub refusal: Option<ApiError>,
}

/// The outcome for the messages in a body.
pub(crate) struct IngestOutcome<M> {
    /// The messages themselves, for the protocol's answer.
    pub messages: M,
    /// Messages that are stored durably.
    pub accepted: usize,
    /// Messages that the routes dropped, which are counted.
    pub dropped: usize,
    /// Messages that could not be read, and the reasons for the first of them.
    pub refused: usize,
    pub refusals: Vec<MessageRefusal>,
    /// Why the rest was not stored. The first `accepted + dropped` messages that were not refused are done …
    pub stopped: Option<ApiError>,
    /// … except those at these positions, which are being stored for another request.
    pub late: Vec<usize>,
    /// The journals and queues that already have messages of the rest, if not all of them do.
    pub had: Vec<JournalId>,
}

/// A request that is remembered so that it is stored only once.
pub(super) struct IdempotentRequest {
    pub(super) key: Id,
    pub(super) body: Id,
}

/// The progress of a request that is tried again.
#[derive(Default)]
pub(super) struct IngestProgress {
    /// The name by which the request is remembered.
    pub(super) named: Option<IdempotentRequest>,
    pub(super) progress: RequestProgress,
}

/// Why a batch is not stored, and which journals and queues have it nevertheless.
pub(super) struct BatchFailure {
    pub(super) error: ApiError,
    pub(super) had: Vec<JournalId>,
}

impl From<ApiError> for BatchFailure {
    fn from(error: ApiError) -> BatchFailure {
        BatchFailure { error, had: Vec::new() }
    }
}

/// A batch that was read, the names of its messages, if any, and the memory reserved for it; `None` at the end.
type NextBatch<'a> = Result<Option<(Batch, Vec<Option<Id>>, Option<SemaphorePermit<'a>>)>>;

impl FromRequestParts<SharedState> for Incoming {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, shared: &SharedState) -> Result<Incoming> {
        let RefusableRequest { incoming, refusal } =
            RefusableRequest::from_request_parts(parts, shared).await?;
        refusal.map_or(Ok(incoming), Err)
    }
}

impl FromRequestParts<SharedState> for RefusableRequest {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, shared: &SharedState) -> Result<RefusableRequest> {
        let caller = Caller::from_request_parts(parts, shared).await?;
        let Ok(peer) = Peer::from_request_parts(parts, shared).await;
        let source = shared.state.pipeline.http_source(caller.token());
        let (source, refusal) = match source {
            Ok(source) => (source, too_fast(shared, &caller).or_else(|| too_much(shared))),
            Err(error) => ("".into(), Some(not_stored(&error))),
        };
        let (shared, headers, is_refused) = (shared.clone(), parts.headers.clone(), refusal.is_some());
        let body_bytes = Arc::default();
        let incoming = Incoming { shared, caller, peer, source, headers, body_bytes, is_refused };
        Ok(RefusableRequest { incoming, refusal })
    }
}

/// Why the caller has to wait, if the caller does.
fn too_fast(shared: &SharedState, caller: &Caller) -> Option<ApiError> {
    let wait = shared.pace.lock().wait(caller.account, &caller.limits, Instant::now())?;
    let detail = format!("{} sends more than it may: wait {} s", caller.name, wait.as_secs() + 1);
    Some(ApiError::new(ProblemType::RateLimited, detail).retry_after_seconds(wait.as_secs() + 1))
}

/// Why all callers have to wait, if they do.
fn too_much(shared: &SharedState) -> Option<ApiError> {
    let is_short = shared.state.pipeline.memory.gauge.is_short();
    is_short.then(|| busy("the server is short of memory for now"))
}

impl Incoming {
    /// Reads a body and unpacks it according to its `Content-Encoding` or, without one, as the protocol defines. A
    /// resting body gives way to others that wait for its memory. The memory is held for as long as the second value
    /// exists.
    pub(crate) async fn read(
        &self,
        body: Body,
        implied: Option<Encoding>,
    ) -> Result<(Vec<u8>, BodyReservation<'_>)> {
        let encoding = self.headers.get(header::CONTENT_ENCODING);
        let encoding = match encoding {
            Some(name) => {
                Encoding::named(&String::from_utf8_lossy(name.as_bytes())).map_err(BodyError::from)?
            }
            None => implied.unwrap_or(Encoding::Identity),
        };
        let mut room = self.shared.ingest.room();
        let packed = self.read_packed(body, &mut room).await?;
        if encoding == Encoding::Identity {
            self.has_read(packed.len());
            return Ok((packed, room));
        }
        let mut unpacker = Unpacker::of(encoding, packed, self.body_max()).map_err(BodyError::from)?;
        loop {
            let step;
            (step, unpacker) = blocking(move || (unpacker.step(), unpacker)).await?;
            match step.map_err(BodyError::from)? {
                0 => {
                    let body = unpacker.whole();
                    self.has_read(body.len());
                    return Ok((body, room));
                }
                bytes => room.grow(bytes).await?,
            };
        }
    }

    async fn read_packed(&self, body: Body, room: &mut BodyReservation<'_>) -> Result<Vec<u8>> {
        let mut pieces = PiecewiseBody::of(body, self.body_max())?;
        let mut look = tokio::time::interval(REST_MAX);
        look.tick().await;
        let mut seen = 0;
        loop {
            tokio::select! {
                biased;
                piece = pieces.read_next() => match piece? {
                    Some(bytes) => if room.grow(bytes).await? {
                        // The sender was not at fault: we kept it waiting.
                        seen = room.bytes;
                        look.reset();
                    },
                    None => return Ok(pieces.whole()),
                },
                _ = look.tick() => {
                    if room.bytes - seen < REST_BYTES_MIN && self.shared.ingest.is_wanted() {
                        let detail = "the body stopped arriving, and other requests need the memory that it \
                                      takes: send it again";
                        return Err(ApiError::new(ProblemType::TooSlow, detail).retry_after_seconds(1));
                    }
                    seen = room.bytes;
                }
            }
        }
    }

    fn body_max(&self) -> usize {
        let of_all = self.shared.ingest.body_max;
        let of_token = self.caller.limits.body_bytes.and_then(|bytes| usize::try_from(bytes).ok());
        of_token.unwrap_or(of_all).min(of_all)
    }

    pub(super) fn account(&self) -> Account {
        self.caller.account
    }

    pub(super) fn pipeline(&self) -> &Pipeline {
        &self.shared.state.pipeline
    }

    pub(super) fn repeats(&self) -> &Arc<Repeats> {
        &self.pipeline().repeats
    }

    fn has_read(&self, body_bytes: usize) {
        self.body_bytes.store(body_bytes, Ordering::Relaxed);
        self.charge(0, body_bytes);
    }

    /// Charges the caller for what was sent, unless the request is refused.
    pub(super) fn charge(&self, messages: usize, bytes: usize) {
        self.charge_by(&self.caller.limits, messages, bytes);
    }

    /// The same by the present limits of the token, which may have changed during the request.
    pub(super) fn charge_by(&self, limits: &TokenLimits, messages: usize, bytes: usize) {
        if !self.is_refused {
            self.shared.pace.lock().charge(self.caller.account, limits, messages, bytes, Instant::now());
        }
    }

    /// Decodes on a blocking thread. The decoder is told who sent the messages, and how many there may be. The total
    /// size of the messages, including data that each of them repeats, is limited like the body, and is charged to
    /// the sender.
    pub(crate) async fn decode<M: Messages>(
        &self,
        decode: impl FnOnce(BodySender, usize) -> Result<M, BodyError> + Send + 'static,
    ) -> Result<Batches<M>> {
        let sender = BodySender {
            source: self.source.to_string(),
            peer: self.peer.0.map(|address| address.to_string()).unwrap_or_default(),
            received: clock::now(),
        };
        let messages_max = self.shared.state.settings.limits.ingest_messages_max as usize;
        let body_max = self.body_max();
        let made = move || Batches::within(decode(sender.clone(), messages_max)?, sender, body_max);
        let batches = blocking(made).await??;
        self.charge(0, batches.rest_bytes().saturating_sub(self.body_bytes.load(Ordering::Relaxed)));
        Ok(batches.stamped(clock::stamp))
    }

    /// Reads all messages without storing any, for protocols that accept either all or none of a body. Messages that
    /// would be refused are counted. The memory for those that were read is held for as long as the second value
    /// exists.
    pub(crate) async fn check<M: Messages>(
        &self,
        mut batches: Batches<M>,
    ) -> Result<(Batches<M>, Option<SemaphorePermit<'_>>)> {
        let room = self.shared.ingest.for_check(batches.rest_bytes()).await?;
        let kept_max = self.shared.ingest.kept_max;
        let batches = blocking(move || {
            batches.check(kept_max);
            batches
        })
        .await?;
        self.charge(0, batches.surplus_bytes()?);
        let room = batches.is_kept().then_some(room);
        Ok((batches, room))
    }

    /// Runs a long task on a blocking thread.
    pub(crate) async fn blocking<T: Send + 'static>(
        &self,
        call: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T> {
        blocking(call).await
    }

    /// 404 for a logspace that does not exist, 403 for one that the caller may not choose. A private logspace is only
    /// filled by routes and cannot be chosen.
    pub(crate) fn check_logspace(&self, logspace: Option<&str>) -> Result<()> {
        let Some(id) = logspace else { return Ok(()) };
        if logstead_config::is_private(id) {
            let detail = format!(
                "the logspace `{id}` is private: leave it out, because only routes store messages there"
            );
            return Err(ApiError::forbidden(detail).path("logspace"));
        }
        let granted = self.caller.grant.logspaces.as_deref().unwrap_or_default();
        if self.caller.role == Role::Ingest && !granted.iter().any(|granted| granted == id) {
            let detail = format!(
                "{} may not choose the logspace `{id}`: leave it out, so that the routes decide, or ask an \
                 administrator to grant it to a new token",
                self.caller.name
            );
            return Err(ApiError::forbidden(detail).path("logspace"));
        }
        if self.caller.role != Role::Ingest {
            self.caller.check_logspace(id).map_err(|refused| refused.path("logspace"))?;
        }
        let live = self.shared.state.pipeline.router();
        let known = live.checked.logspaces.iter().map(|logspace| logspace.id.as_str());
        let known: Vec<&str> = known.filter(|id| !logstead_config::is_private(id)).collect();
        if known.contains(&id) { Ok(()) } else { Err(unknown_logspace(id, &known).path("logspace")) }
    }

    /// Stores messages in `logspace`, or as the routes decide. Works batch by batch to keep little in memory, and
    /// stores each batch while the next one is read.
    pub(crate) async fn store<M: Messages>(
        &self,
        batches: Batches<M>,
        logspace: Option<&str>,
    ) -> Result<IngestOutcome<M>> {
        self.store_rest(IngestProgress::default(), batches, logspace).await
    }

    /// Like [`Incoming::store`], without the messages that the same request has stored before: it stopped at the end
    /// of a batch, and batches are the same each time.
    pub(super) async fn store_rest<M: Messages>(
        &self,
        IngestProgress { named, progress: RequestProgress { taken: mut skip, mut dropped, mut had } }: IngestProgress,
        batches: Batches<M>,
        logspace: Option<&str>,
    ) -> Result<IngestOutcome<M>> {
        let (mut accepted, mut stopped, mut late) = (skip - dropped, None, Vec::new());
        let (mut batches, mut next) = self.next_batch(batches).await?;
        loop {
            let (batch, names, room) = match next {
                Ok(Some(next)) => next,
                Ok(None) => break,
                Err(error) => {
                    stopped = Some(error);
                    break;
                }
            };
            let messages = batch.rows();
            if 0 < skip {
                skip = skip.saturating_sub(messages);
                (batches, next) = self.next_batch(batches).await?;
                continue;
            }
            self.charge(messages, 0);
            let submit = async {
                let had = std::mem::take(&mut had);
                let taken = self.submit_once(batch, names, logspace, named.as_ref(), had).await;
                drop(room);
                taken
            };
            // Otherwise a sender with a single open request would wait for the disk and for the reader alternately.
            let (taken, read) = tokio::join!(submit, self.next_batch(batches));
            (batches, next) = read?;
            match taken {
                Ok((StoreSummary { dropped: of_part }, rows)) => {
                    late.extend(rows.into_iter().map(|row| accepted + dropped + row));
                    accepted += messages - of_part;
                    dropped += of_part;
                }
                Err(BatchFailure { error, had: by_some }) => {
                    (stopped, had) = (Some(error), by_some);
                    break;
                }
            }
        }
        let (refused, refusals) = (batches.refused, std::mem::take(&mut batches.refusals));
        let messages = batches.into_messages();
        Ok(IngestOutcome { messages, accepted, dropped, refused, refusals, stopped, late, had })
    }

    /// Reads the next batch that has messages, if there is room for it in time.
    async fn next_batch<M: Messages>(&self, mut batches: Batches<M>) -> Result<(Batches<M>, NextBatch<'_>)> {
        while 0 < batches.rest_bytes() {
            // Memory for kept messages is already reserved, and a holder of memory must not wait for more.
            let room = match batches.is_kept() {
                true => None,
                false => match self.shared.ingest.for_slice(batches.rest_bytes()).await {
                    Ok(room) => Some(room),
                    Err(error) => return Ok((batches, Err(error))),
                },
            };
            let surplus = batches.surplus_bytes().unwrap_or_default();
            let (batch, names);
            (batch, names, batches) = blocking(move || {
                let batch = batches.next_batch();
                (batch, batches.names(), batches)
            })
            .await?;
            match batches.surplus_bytes() {
                Ok(now) => self.charge(0, now.saturating_sub(surplus)),
                Err(too_much) => return Ok((batches, Err(too_much.into()))),
            }
            if 0 < batch.rows() {
                return Ok((batches, Ok(Some((batch, names, room)))));
            }
        }
        Ok((batches, Ok(None)))
    }
}

pub(super) fn json(answer: String) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], answer).into_response()
}

impl<M: Messages> IngestOutcome<M> {
    /// The outcome for a body of which nothing is stored, with the reason.
    pub(super) fn nothing(batches: Batches<M>, reason: ApiError) -> IngestOutcome<M> {
        IngestOutcome {
            messages: batches.into_messages(),
            accepted: 0,
            dropped: 0,
            refused: 0,
            refusals: Vec::new(),
            stopped: Some(reason),
            late: Vec::new(),
            had: Vec::new(),
        }
    }
}

impl<M> IngestOutcome<M> {
    /// How many messages need not be sent again.
    pub(crate) fn taken(&self) -> usize {
        self.accepted + self.dropped
    }

    /// The outcome, if everything was stored; otherwise the error, with the number of messages that were.
    pub(crate) fn complete(mut self) -> Result<IngestOutcome<M>> {
        let Some(error) = self.stopped.take() else { return Ok(self) };
        let taken = match self.taken() {
            0 => "nothing of the body is stored".to_owned(),
            count => format!("the first {count} messages of the body are stored"),
        };
        let had: Vec<String> = self.had.iter().map(JournalId::to_string).collect();
        if had.is_empty() {
            return Err(error.but(&taken));
        }
        let taken = if self.taken() == 0 { String::new() } else { format!("{taken}; ") };
        Err(error.but(&format!(
            "{taken}{} has messages that other logspaces or destinations lack: sent again with the same \
             Idempotency-Key or id, they are stored only where they are missing, otherwise twice there",
            had.join(", ")
        )))
    }
}

pub(super) fn not_stored(error: &SubmitError) -> ApiError {
    match error {
        SubmitError::UnknownLogspace(_) => {
            ApiError::new(ProblemType::UnknownLogspace, error.to_string()).path("logspace")
        }
        SubmitError::NoSource => ApiError::new(ProblemType::NoHttpSource, error.to_string()),
        // Senders keep the messages that they are told to send again.
        SubmitError::SourceDisabled(_) => ApiError::new(ProblemType::SourceDisabled, error.to_string())
            .retry_after_seconds(DISABLED_RETRY_SECONDS),
        SubmitError::Busy => ApiError::new(ProblemType::Busy, error.to_string()).retry_after_seconds(1),
        SubmitError::ShuttingDown => {
            ApiError::new(ProblemType::Stopping, error.to_string()).retry_after_seconds(1)
        }
        SubmitError::Failed(_) => {
            ApiError::new(ProblemType::NotStored, error.to_string()).retry_after_seconds(1)
        }
    }
}
