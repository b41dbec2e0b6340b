//! Notifies listeners when something was stored, so that an open page need not poll.
//!
//! **Invariant:** the cost of a listener is bounded: two events a second, only a sign of life while nothing is stored,
//! and a limited number of listeners.
//! **Invariant:** callers who see a part of the store learn nothing of the rest, not even when a message came:
//! logspaces that they may not search are left out, and callers with a scope get their events by the clock.

use super::access::Call;
use super::access::authenticate::authenticate;
use super::error::{ApiError, Result};
use super::question::cancel::Cancel;
use super::stream::{BodyPiece, StreamedBody};
use super::waiting::busy;
use crate::problem_type::ProblemType;
use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderName, header};
use axum::response::{IntoResponse, Response};
use logstead_flow::request_id;
use logstead_pipeline::watch::{EndSignal, StoredSignal};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::time::{Instant, sleep, sleep_until};

/// Minimum time between two events for a listener.
const REST: Duration = Duration::from_millis(500);
/// The interval of events for callers with a scope, whether something was stored or not.
const SCOPE_INTERVAL: Duration = Duration::from_secs(3);
/// The interval at which a listener gets a sign of life, and at which its login is checked.
const PULSE_INTERVAL: Duration = Duration::from_secs(5);
/// Tells proxies not to buffer.
const NO_BUFFER: HeaderName = HeaderName::from_static("x-accel-buffering");

const EVENTS: &str = "text/event-stream";

/// An SSE comment, which clients ignore.
const PULSE: Bytes = Bytes::from_static(b":\n\n");
const STORED: Bytes = Bytes::from_static(b"event: stored\ndata: {}\n\n");

/// Reports when messages were stored in a logspace that the caller may search, as server-sent events: `stored`, with
/// an empty object, at most twice a second. A search has to find out whether they match. Callers with a scope get the
/// event every three seconds, whether something was stored or not. The stream ends when the login ends or its rights
/// change.
#[utoipa::path(
    get, path = "/api/v1/changes", operation_id = "stream_changes", tag = "search",
    responses((status = 200, body = String, content_type = "text/event-stream"))
)]
pub(super) async fn changes(call: Call, headers: HeaderMap) -> Result<Response> {
    let accepted = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    if !accepted.contains(EVENTS) {
        // Other clients would wait for the end of a response that never ends.
        let detail = format!("this endpoint streams: request it with `Accept: {EVENTS}`");
        return Err(ApiError::new(ProblemType::NotAcceptable, detail));
    }
    let Ok(permit) = call.shared.listeners.clone().try_acquire_owned() else {
        return Err(busy("too many pages are waiting for changes"));
    };
    let (stored, ending) = call.shared.state.pipeline.watch();
    let news = match call.caller.scope() {
        None => News::Stored { stored, ends: ends(&call) },
        Some(_) => News::Clock,
    };
    let (events, pieces) = mpsc::channel(1);
    let (_, guard) = Cancel::without_limit(&call.shared);
    tokio::spawn(request_id::followed(
        ChangeListener { call, headers, events, news, ending, _permit: permit }.run(),
    ));
    let headers = [(header::CONTENT_TYPE, EVENTS), (NO_BUFFER, "no")];
    Ok((headers, StreamedBody::endless(pieces, guard).into_response()).into_response())
}

/// A reason to notify a listener.
enum News {
    /// Something was stored somewhere; `ends` has the previous ends of the logspaces that the caller may search.
    Stored {
        stored: StoredSignal,
        ends: Vec<(String, u64)>,
    },
    Clock,
}

/// The sequence of the next message of each logspace that a caller may search.
fn ends(call: &Call) -> Vec<(String, u64)> {
    let logspaces = call.caller.logspaces(&call.shared.state.pipeline).into_iter();
    logspaces.map(|(id, searcher)| (id, searcher.next_sequence())).collect()
}

impl News {
    async fn come(&mut self) {
        match self {
            News::Stored { stored, .. } => stored.changed().await,
            News::Clock => sleep(SCOPE_INTERVAL).await,
        }
    }

    /// Whether the news concerns this caller.
    fn are_for(&mut self, call: &Call) -> bool {
        let News::Stored { ends: before, .. } = self else { return true };
        let now = ends(call);
        std::mem::replace(before, now.clone()) != now
    }
}

struct ChangeListener {
    /// With the caller as it was when the stream began.
    call: Call,
    /// The request's headers, to authenticate again.
    headers: HeaderMap,
    events: mpsc::Sender<BodyPiece>,
    news: News,
    ending: EndSignal,
    _permit: OwnedSemaphorePermit,
}

impl ChangeListener {
    async fn run(mut self) {
        let mut next_pulse = Instant::now();
        let mut next_event = Instant::now();
        let mut is_news = false;
        loop {
            let piece = tokio::select! {
                biased;
                () = self.events.closed() => return,
                () = self.ending.requested() => return,
                () = sleep_until(next_pulse) => {
                    if !self.may_listen().await {
                        return;
                    }
                    next_pulse = Instant::now() + PULSE_INTERVAL;
                    PULSE
                }
                () = sleep_until(next_event), if is_news => {
                    is_news = false;
                    next_event = Instant::now() + REST;
                    if !self.news.are_for(&self.call) {
                        continue;
                    }
                    STORED
                }
                () = self.news.come(), if !is_news => {
                    is_news = true;
                    continue;
                }
            };
            if self.events.send(BodyPiece::Data(piece)).await.is_err() {
                return;
            }
        }
    }

    async fn may_listen(&self) -> bool {
        let known = authenticate(&self.call.shared, &self.headers).await;
        known.is_ok_and(|known| known.is_some_and(|now| now.has_rights_of(&self.call.caller)))
    }
}
