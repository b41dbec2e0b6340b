//! Sends all stored messages that match to a destination once more, through its queue.
//!
//! **Invariant:** a message counts as replayed once the queue has it on disk. A replay that ends early says how far it is.

use super::destinations::{check_enabled, find};
use crate::error::{ApiError, Result};
use crate::extract::Path;
use crate::problem_type::ProblemType;
use crate::question::cancel::Cancel;
use crate::question::{CallerQuestion, QuestionParameters};
use crate::stream::{BodyPiece, StreamedBody};
use crate::waiting::{blocking, busy};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use logstead_flow::request_id;
use logstead_forward::Destination;
use logstead_indexer::{Hit, Order};
use logstead_questions::store::{Cancelled, MessageReader};
use logstead_record::{Batch, BatchBuilder};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tokio::sync::mpsc;

/// Maximum number of lines that wait for a slow client.
const LINES_MAX: usize = 16;

/// The messages to send: `query`, `from`, `to` and `logspaces` as in a search.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReplayRequest {}

impl QuestionParameters for ReplayRequest {}

/// A line of the answer.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct ReplayLine {
    /// Messages that have been put into the destination's queue.
    messages: u64,
    /// Messages that match.
    of: u64,
    /// Whether this is the last line.
    end: bool,
    /// Messages that match but cannot be read, as far as is known.
    missing: u64,
    /// The reason why it ended early.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    error: Option<String>,
}

/// Puts stored messages into the queue of a destination, oldest first. The answer is a line of JSON from time to
/// time, which shows the progress. The work ends when the client disconnects; another request begins anew.
#[utoipa::path(
    post, path = "/api/v1/destinations/{id}/replay", operation_id = "replay_messages", tag = "destinations", request_body = ReplayRequest,
    params(("id" = String, Path, description = "The destination")),
    responses((status = 200, body = ReplayLine, content_type = "application/x-ndjson"))
)]
pub(crate) async fn replay(Path(id): Path<String>, asked: CallerQuestion<ReplayRequest>) -> Result<Response> {
    let CallerQuestion { shared, caller, question, common, .. } = asked;
    let destination = find(&shared, &id)?;
    check_enabled(&shared, &id)?;
    if !question.stages.is_empty() {
        let detail = "a replay sends messages, not a table: leave out the part after `|`";
        return Err(ApiError::new(ProblemType::UnsuitableQuery, detail).path("query"));
    }
    let Ok(permit) = shared.exports.clone().try_acquire_owned() else {
        return Err(busy("too many exports and replays are running (limits.exports_max)"));
    };
    let (cancel, guard) = Cancel::without_limit(&shared);
    let begin = move || {
        let logspaces = question.logspaces.clone();
        let begun = logspaces.read(question.wanted(), None, Order::Oldest, u64::MAX, &cancel.run());
        begun.map(|reading| (reading, cancel))
    };
    let (reading, cancel) = blocking(begin).await?.map_err(|Cancelled| busy("the server is stopping"))?;
    let query = common.query.as_deref().unwrap_or("*");
    shared
        .audit(caller.actor(), "destination.replay", format!("{id}: {} messages of {query}", reading.left()))
        .await;
    let (lines, received) = mpsc::channel(LINES_MAX);
    let replaying = ReplayTask { of: reading.left(), reading, destination, cancel, lines };
    tokio::spawn(request_id::followed(async move {
        let _permit = permit;
        replaying.run().await;
    }));
    let mut response = StreamedBody::whole(received, guard).into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/x-ndjson"));
    Ok(response)
}

struct ReplayTask {
    reading: MessageReader,
    destination: Arc<Destination>,
    cancel: Cancel,
    lines: mpsc::Sender<BodyPiece>,
    of: u64,
}

impl ReplayTask {
    async fn run(mut self) {
        loop {
            let made = blocking(move || {
                let batch = self.next_batch();
                (self, batch)
            });
            let batch;
            (self, batch) = match made.await {
                Ok((replaying, Ok(batch))) => (replaying, batch),
                // The client has disconnected.
                Ok((_, Err(Cancelled))) => return,
                Err(_) => return tracing::error!("a replay was broken off by a panic"),
            };
            let is_end = batch.is_empty();
            let queued = tokio::select! {
                queued = self.queue(batch) => queued,
                // A queue may stay full for days, so the work ends when the client has gone.
                () = self.lines.closed() => return,
            };
            let error = queued.err();
            let ends = is_end || error.is_some();
            if !self.tell(ends, error).await || ends {
                return;
            }
        }
    }

    async fn queue(&self, batch: Batch) -> std::result::Result<(), String> {
        if batch.is_empty() { Ok(()) } else { self.destination.queue_again(batch).await }
    }

    /// The next batch; empty at the end.
    fn next_batch(&mut self) -> std::result::Result<Batch, Cancelled> {
        let mut builder = BatchBuilder::new();
        let take = |_: &str, hit: &Hit, out: &mut Vec<u8>| {
            builder.extend(&hit.batch, hit.row..hit.row + 1);
            // The length of a piece is measured by the raw bytes of its messages.
            let start = out.len();
            hit.batch.write_raw(hit.row, out);
            out.len() - start
        };
        self.reading.next_piece(take, &self.cancel.run(), &mut Vec::new())?;
        // The reader returns each message only once, so none of them is a copy.
        Ok(builder.seal().with_copies(&[]))
    }

    /// Reports the progress; `false` if the client has gone.
    async fn tell(&self, end: bool, error: Option<String>) -> bool {
        let (messages, missing) = (self.reading.written(), self.reading.missing());
        let line = ReplayLine { messages, of: self.of, end, missing, error };
        let Ok(mut line) = serde_json::to_vec(&line) else { return false };
        line.push(b'\n');
        let sent = self.lines.send(BodyPiece::Data(line.into())).await.is_ok();
        if end {
            // Without this, the connection would be broken off as incomplete.
            self.lines.send(BodyPiece::End(HeaderMap::new())).await.ok();
        }
        sent
    }
}
