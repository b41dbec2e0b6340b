//! Streams messages to clients as they are stored.
//!
//! Each tail is a task: it waits until something was stored, reads that on a blocking thread, and sends the events
//! one by one. While its client does not read, it reads nothing either, and holds the events of at most one turn.
//!
//! **Invariant:** a tail sends only messages that its caller may see at that moment: the caller's rights are checked
//! before each event, and the list of logspaces every second.
//! **Invariant:** a tail ends soon after its client disconnects, and at once when the server is about to stop.

mod position;
mod sampling;
mod turn;
mod wire;

use super::access::authenticate::CallerRecheck;
use super::access::authenticate::authenticate;
use super::error::{ApiError, Result};
use super::question::cancel::{Cancel, ask};
use super::question::{AllowedStages, CallerQuestion, CommonParameters, QuestionParameters, StoreQuestion};
use super::state::SharedState;
use super::stream::{BodyPiece, StreamedBody};
use super::tail::position::TailPosition;
use super::tail::sampling::Sampling;
use super::tail::turn::TailFollowers;
use super::tail::wire::{TailEvent, event};
use super::waiting::{blocking, busy};
use crate::problem_type::ProblemType;
use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderName, header};
use axum::response::{IntoResponse, Response};
use logstead_flow::request_id;
use logstead_indexer::{Hit, Searcher};
use logstead_pipeline::watch::{EndSignal, StoredSignal};
use serde::Deserialize;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::time::{Instant, sleep_until};

/// How long messages are gathered before they are sent.
const GATHER: Duration = Duration::from_millis(100);
/// How often a tail sends its status, and checks what its caller may see.
const STATUS_INTERVAL: Duration = Duration::from_secs(1);
/// Maximum number of stored messages with which a tail begins.
const LAST_MAX: u32 = 1000;
/// Maximum number of matches missed by a returning client that are sent regardless of the rate.
const BACKLOG_MAX: u64 = 100_000;
/// Maximum number of events that wait for a slow client, besides those of one turn.
const EVENTS_MAX: usize = 2;
/// The header in which a browser sends the id of the last event it received.
const LAST_EVENT_ID: &str = "last-event-id";
/// Tells proxies not to buffer.
const NO_BUFFER: HeaderName = HeaderName::from_static("x-accel-buffering");

/// The messages to follow, and the position to start at.
#[derive(Deserialize, utoipa::ToSchema, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct TailRequest {
    /// Continues after this position: the `id` of an event. The header `Last-Event-ID`, which browsers send
    /// automatically, takes precedence.
    since: Option<String>,
    /// Starts with this many of the newest stored messages. Ignored when a position is given.
    #[schema(default = 0, maximum = 1000)]
    #[param(default = 0, maximum = 1000)]
    last: Option<u32>,
}

/// Follows stored messages, as server-sent events: `messages`, `status` every second, `gap` if messages are missing,
/// and `problem` before the server ends the stream.
#[utoipa::path(
    get, path = "/api/v1/tail", operation_id = "tail_messages", tag = "search",
    params(TailRequest, ("Last-Event-ID" = Option<String>, Header, description =
        "Continues after this position")),
    responses((status = 200, body = TailEvent, content_type = "text/event-stream"))
)]
pub(crate) async fn tail(headers: HeaderMap, asked: CallerQuestion<TailRequest>) -> Result<Response> {
    let CallerQuestion { shared, caller, question, own, common, .. } = asked;
    let since = own.since(&headers)?;
    let last = own.last()?;
    let Ok(permit) = shared.tails.clone().try_acquire_owned() else {
        return Err(busy("too many tails are open (limits.tails_max)"));
    };
    // From this point on, everything that is stored is noticed.
    let (news, ending) = shared.state.pipeline.watch();
    let sampling = sampling(&shared, since.is_some());
    let query = question.query.clone();
    let begun = if last == 0 || since.is_some() {
        let (cancel, _guard) = Cancel::after(&shared, question.spent);
        blocking(move || follow(&question, since.as_ref(), sampling, &cancel)).await?
    } else {
        let weight = question.weight(false);
        ask(&shared, &caller, weight, move |cancel| {
            follow_after_last(&question, last as usize, sampling, cancel)
        })
        .await?
    };
    let (following, stored) = begun.ok_or_else(|| busy("the query could not be prepared in time"))?;
    let (events, pieces) = mpsc::channel(EVENTS_MAX);
    let (cancel, guard) = Cancel::without_limit(&shared);
    let tail = OpenTail {
        asker: CallerRecheck::new(&shared, &headers, &caller),
        shared,
        headers,
        common,
        query,
        cancel: Arc::new(cancel),
        events,
        news,
        ending,
        _permit: permit,
    };
    tokio::spawn(request_id::followed(tail.run(following, stored)));
    let headers = [(header::CONTENT_TYPE, "text/event-stream"), (NO_BUFFER, "no")];
    Ok((headers, StreamedBody::endless(pieces, guard).into_response()).into_response())
}

impl TailRequest {
    /// The position to continue after.
    fn since(&self, headers: &HeaderMap) -> Result<Option<TailPosition>> {
        let header = headers.get(LAST_EVENT_ID).map(|value| value.to_str().unwrap_or("?"));
        let (text, name) = match header.filter(|text| !text.is_empty()) {
            Some(text) => (Some(text), "Last-Event-ID"),
            None => (self.since.as_deref(), "since"),
        };
        let Some(text) = text else { return Ok(None) };
        let refused = || {
            let detail = format!("{name} is not a position that a tail sent: start again without it");
            ApiError::new(ProblemType::UnusableCursor, detail).path(name)
        };
        TailPosition::parse(text).map(Some).ok_or_else(refused)
    }

    fn last(&self) -> Result<u32> {
        let last = self.last.unwrap_or(0);
        if last <= LAST_MAX {
            return Ok(last);
        }
        let detail =
            format!("last is {last}: a tail begins with at most {LAST_MAX} messages; use a search for more");
        Err(ApiError::invalid(detail).path("last"))
    }
}

impl QuestionParameters for TailRequest {
    const COMMON: &'static [&'static str] = &["query", "unparsed", "timezone", "logspaces", "copies"];
    const STAGES: AllowedStages = AllowedStages::Streaming;
}

fn sampling(shared: &SharedState, is_resumed: bool) -> Sampling {
    let rate_max = u64::from(shared.state.settings.limits.tail_rate_max);
    let backlog_max = if is_resumed { BACKLOG_MAX } else { 0 };
    Sampling::new(rate_max, backlog_max, std::time::Instant::now())
}

/// The followed logspaces, and the first messages to show; `None` if there was no time to prepare them.
type TailStart = Option<(TailFollowers, Vec<(String, Hit)>)>;

/// Follows logspaces from now on, or from a position. Logspaces that are not in the position were created after it.
fn follow(
    question: &StoreQuestion,
    since: Option<&TailPosition>,
    sampling: Sampling,
    cancel: &Cancel,
) -> TailStart {
    let from = |logspace: &str, searcher: &Searcher| match since {
        Some(position) => Some(position.of(logspace).unwrap_or(0)),
        None => Some(searcher.next_sequence()),
    };
    let followers = question.logspaces.follow(question.wanted(), from, &cancel.run())?;
    Some((TailFollowers::new(sampling, question.passing(), followers), Vec::new()))
}

/// Follows logspaces from now on, and returns the newest stored messages, oldest first.
fn follow_after_last(
    question: &StoreQuestion,
    last: usize,
    sampling: Sampling,
    cancel: &Cancel,
) -> TailStart {
    let logspaces = question.logspaces.clone();
    let passing = question.passing();
    let (followers, newest) =
        logspaces.follow_after_newest(question.wanted(), passing.as_ref(), last, &cancel.run())?;
    Some((TailFollowers::new(sampling, passing, followers), newest))
}

/// An open tail.
struct OpenTail {
    shared: SharedState,
    asker: CallerRecheck,
    /// The request's headers, to authenticate again.
    headers: HeaderMap,
    common: CommonParameters,
    /// The query, limited to what its caller may see.
    query: logstead_query::Query,
    cancel: Arc<Cancel>,
    events: mpsc::Sender<BodyPiece>,
    news: StoredSignal,
    ending: EndSignal,
    _permit: OwnedSemaphorePermit,
}

/// Why a tail ends.
enum TailEnd {
    /// The client has gone.
    Gone,
    /// The problem to send to the client.
    Problem(ApiError),
}

impl From<ApiError> for TailEnd {
    fn from(error: ApiError) -> TailEnd {
        TailEnd::Problem(error)
    }
}

impl OpenTail {
    async fn run(mut self, following: TailFollowers, stored: Vec<(String, Hit)>) {
        if let Err(TailEnd::Problem(error)) = self.follow(following, stored).await {
            let problem = event(None, &TailEvent::Problem(error.into_problem()));
            // If the channel is full, the client is not reading.
            self.events.try_send(BodyPiece::Data(problem)).ok();
        }
    }

    async fn follow(
        &mut self,
        mut following: TailFollowers,
        stored: Vec<(String, Hit)>,
    ) -> Result<(), TailEnd> {
        self.send(vec![following.status()]).await?;
        let first = following.stored_before(&stored);
        self.send(first).await?;
        let mut next_status = Instant::now() + STATUS_INTERVAL;
        let (mut next_turn, mut has_more) = (Instant::now(), true);
        loop {
            tokio::select! {
                biased;
                () = self.events.closed() => return Err(TailEnd::Gone),
                () = self.ending.requested() => return Err(stopping().into()),
                () = sleep_until(next_status) => {
                    next_status = Instant::now() + STATUS_INTERVAL;
                    self.admit(&mut following).await?;
                    self.send(vec![following.status()]).await?;
                }
                () = sleep_until(next_turn), if has_more => {
                    let began = Instant::now();
                    let events;
                    (following, events, has_more) = self.turn(following).await?;
                    self.send(events).await?;
                    // If messages are already waiting, no time is spent on gathering more.
                    next_turn = if has_more { began } else { began + GATHER };
                }
                () = self.news.changed(), if !has_more => has_more = true,
            }
        }
    }

    async fn turn(&self, mut following: TailFollowers) -> Result<(TailFollowers, Vec<Bytes>, bool)> {
        let _turn = self.shared.tail_turns.acquire().await.map_err(ApiError::internal)?;
        let cancel = self.cancel.clone();
        let turn = move || {
            let (events, has_more) = following.turn(&cancel);
            (following, events, has_more)
        };
        blocking(turn).await
    }

    /// Sends events one by one, as the client takes them. Each event waits for its slot first, so that the caller is
    /// checked at the last moment.
    async fn send(&mut self, events: Vec<Bytes>) -> Result<(), TailEnd> {
        for event in events {
            let place = tokio::select! {
                place = self.events.reserve() => place.map_err(|_| TailEnd::Gone)?,
                () = self.ending.requested() => return Err(stopping().into()),
            };
            self.asker.check().await?;
            place.send(BodyPiece::Data(event));
        }
        Ok(())
    }

    /// Checks the caller's current rights. New logspaces are followed from their beginning.
    async fn admit(&self, following: &mut TailFollowers) -> Result<()> {
        let changed = || {
            ApiError::new(
                ProblemType::RightsChanged,
                "the rights of this login or token have changed: open the tail again",
            )
        };
        let caller = authenticate(&self.shared, &self.headers)
            .await?
            .ok_or_else(|| ApiError::new(ProblemType::NotSignedIn, "the session has ended: log in again"))?;
        let question = StoreQuestion::read(&self.shared, &caller, &self.common, TailRequest::STAGES).await?;
        let is_there = |logspace: &String| question.logspaces.get(logspace).is_some();
        if question.query != self.query || !following.logspaces().iter().all(is_there) {
            return Err(changed());
        }
        if question.logspaces.ids().any(|id| !following.follows(id)) {
            let (cancel, followed) = (self.cancel.clone(), following.logspaces().to_vec());
            let begin = move || {
                let (wanted, run) = (question.wanted(), cancel.run());
                let is_new = |id: &str, _: &Searcher| (!followed.iter().any(|of| of == id)).then_some(0);
                // Messages of the other logspaces may be copies of those that the new ones will have.
                let asked = question.logspaces.filters(wanted, &run)?;
                Some((asked, question.logspaces.follow(wanted, is_new, &run)?))
            };
            // Without a result, the tail is about to end.
            let Some((mut asked, new)) = blocking(begin).await? else { return Ok(()) };
            following.ask(|id, follower| {
                if let Some(filter) = asked.remove(id) {
                    follower.ask(filter);
                }
            });
            new.into_iter().for_each(|(logspace, follower)| following.add(logspace, follower));
        }
        Ok(())
    }
}

fn stopping() -> ApiError {
    ApiError::new(ProblemType::Stopping, "the server is stopping: open the tail again later")
}
