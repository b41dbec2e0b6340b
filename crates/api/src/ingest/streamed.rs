//! A body that is stored as it arrives, because it may be of any length.
//!
//! **Invariant:** the token and its limits are checked again before each batch: a long request is worth no more than
//! many short ones.

use super::incoming::{Incoming, not_stored};
use crate::access::authenticate::CallerRecheck;
use crate::error::Result;
use crate::extract::next_piece;
use axum::body::{Body, Bytes};
use logstead_accounts::TokenLimits;
use logstead_flow::machine::clock;
use logstead_record::{BatchBuilder, Origin};
use std::time::{Duration, Instant};

/// A batch of a streamed body is sealed when it has this many messages or bytes, or when nothing has arrived for this
/// time.
const STREAM_MESSAGES_MAX: usize = 4096;
const STREAM_BYTES_MAX: usize = 1 << 20;
const STREAM_REST_MAX: Duration = Duration::from_millis(200);
/// The length of the pieces in which the streamed body of a limited token is read, so that it can be slowed down.
const LIMITED_PIECE_BYTES: usize = 4 << 10;
/// The interval at which the token is checked again while its body is slowed down.
const ASK_AGAIN_AFTER: Duration = Duration::from_secs(1);

impl Incoming {
    /// Stores messages while their body arrives, which may be of any length. `read` gets the next bytes, or `None` at
    /// the end, and the sender's address; it adds the messages that these bytes complete, and returns their length.
    pub(crate) async fn store_streamed(
        &self,
        mut body: Body,
        mut read: impl FnMut(Option<&[u8]>, &str, &mut BatchBuilder) -> Result<usize>,
    ) -> Result<()> {
        let peer = self.peer.0.map(|address| address.to_string()).unwrap_or_default();
        let (mut builder, mut bytes) = (BatchBuilder::new(), 0);
        let (messages_max, bytes_max) = self.stream_batch_max();
        let asker = CallerRecheck::new(&self.shared, &self.headers, &self.caller);
        let mut rest = Bytes::new();
        loop {
            if builder.rows() == 0 {
                let (source, received) = (self.source.as_bytes(), clock::stamp());
                builder.origin(Origin { source, peer: peer.as_bytes(), received });
            }
            let next = match (rest.is_empty(), builder.rows()) {
                (false, _) => Some(Some(std::mem::take(&mut rest))),
                (true, 0) => Some(next_piece(&mut body).await?),
                (true, _) => {
                    let next = tokio::time::timeout(STREAM_REST_MAX, next_piece(&mut body)).await;
                    next.ok().transpose()?
                }
            };
            let next = next.map(|data| {
                data.map(|mut data| {
                    if self.caller.limits.limit_pace() {
                        rest = data.split_off(data.len().min(LIMITED_PIECE_BYTES));
                    }
                    data
                })
            });
            let is_resting = next.is_none();
            let is_end = matches!(next, Some(None));
            if let Some(data) = next {
                bytes += read(data.as_deref(), &peer, &mut builder)?;
            }
            let is_full = messages_max <= builder.rows() || bytes_max <= bytes;
            if (is_full || is_resting || is_end) && 0 < builder.rows() {
                let limits = self.wait_for_turn(&asker).await?;
                let batch = std::mem::take(&mut builder).seal();
                self.charge_by(&limits, batch.rows(), bytes);
                bytes = 0;
                let submitted = self.shared.state.pipeline.submit(&self.source, batch, None).await;
                submitted.map_err(|error| not_stored(&error))?;
            }
            if is_end {
                return Ok(());
            }
        }
    }

    /// The maximum number of messages and bytes of a streamed body to store at a time: no more than one second's
    /// allowance.
    fn stream_batch_max(&self) -> (usize, usize) {
        let TokenLimits { messages_per_second, bytes_per_second, .. } = self.caller.limits;
        let within = |a_second: Option<u64>, max: usize| {
            a_second.map_or(max, |a_second| usize::try_from(a_second).unwrap_or(max).clamp(1, max))
        };
        (within(messages_per_second, STREAM_MESSAGES_MAX), within(bytes_per_second, STREAM_BYTES_MAX))
    }

    /// Waits until the token may send more, and returns its present limits. Fails once the token is no longer valid.
    async fn wait_for_turn(&self, asker: &CallerRecheck) -> Result<TokenLimits> {
        loop {
            let limits = asker.check().await?.limits;
            let wait = self.shared.pace.lock().wait(self.caller.account, &limits, Instant::now());
            let Some(wait) = wait else { return Ok(limits) };
            tokio::time::sleep(wait.min(ASK_AGAIN_AFTER)).await;
        }
    }
}
