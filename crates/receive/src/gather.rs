//! Collects the bytes of one source's connections into chunks that are large enough to be worth a task for a worker:
//! many connections with little data share one chunk, and a large read becomes a chunk of its own.
//!
//! Here connections wait for each other under the same policy by which one connection waits for more bytes, from the
//! same first byte and to the same tick, so nothing waits twice.
//!
//! **Invariant:** frames of one connection leave in the order in which they came.

use super::coalesce::{Coalesce, CoalesceStep, PendingBytes};
use logstead_flow::chunk::{Chunk, ChunkOrder};
use std::time::Instant;
use tokio::sync::{Mutex, Notify};

/// The size from which a read becomes a chunk of its own: copying it would cost more than it gains.
const CHUNK_BYTES_MIN: usize = 64 << 10;

/// The receiver of finished chunks.
pub(super) trait Outlet {
    /// The current policy, which says when a chunk is large enough.
    fn policy(&self) -> Coalesce;
    /// Submits a chunk to the pipeline, and waits while too many bytes of this source are in flight.
    async fn submit(&self, chunk: Chunk);
}

/// The frames that wait to become a chunk.
#[derive(Default)]
pub(super) struct Gather {
    /// Held while a chunk waits for room in the source's budget, so that all its connections wait.
    state: Mutex<GatherState>,
    /// Notifies that there are new frames.
    woken: Notify,
}

#[derive(Default)]
struct GatherState {
    chunk: Chunk,
    waiting: PendingBytes,
    /// The number of chunks so far.
    chunks: usize,
}

impl Gather {
    /// Takes frames whose first byte arrived at `first_byte`.
    pub(super) async fn add(&self, outlet: &impl Outlet, number: usize, chunk: Chunk, first_byte: Instant) {
        if chunk.frames.is_empty() {
            return;
        }
        let policy = outlet.policy();
        let mut state = self.state.lock().await;
        let is_chunk = CHUNK_BYTES_MIN <= chunk.bytes.len();
        if is_chunk {
            state.submit(outlet, number).await;
        }
        state.waiting.add(chunk.bytes.len(), first_byte);
        state.chunk.append(chunk);
        if is_chunk || policy.is_enough(&state.waiting) {
            return state.submit(outlet, number).await;
        }
        // Other connections that woke up at this tick are ahead of this task, and add their frames first.
        self.woken.notify_one();
    }

    /// Submits frames that have waited long enough, for as long as the future is polled.
    pub(super) async fn run(&self, outlet: &impl Outlet, number: usize) {
        loop {
            self.woken.notified().await;
            while let Some(wait) = self.seal(outlet, number, outlet.policy()).await {
                tokio::time::sleep(wait).await;
            }
        }
    }

    /// Submits frames that have waited long enough; otherwise returns how much longer they have to wait.
    async fn seal(
        &self,
        outlet: &impl Outlet,
        number: usize,
        policy: Coalesce,
    ) -> Option<std::time::Duration> {
        let mut state = self.state.lock().await;
        match policy.next(&state.waiting, Instant::now()) {
            CoalesceStep::Block => None,
            CoalesceStep::Sleep(wait) => Some(wait),
            CoalesceStep::Seal => {
                state.submit(outlet, number).await;
                None
            }
        }
    }

    /// Submits everything.
    pub(super) async fn flush(&self, outlet: &impl Outlet, number: usize) {
        self.state.lock().await.submit(outlet, number).await;
    }
}

impl GatherState {
    async fn submit(&mut self, outlet: &impl Outlet, number: usize) {
        self.waiting.seal(Instant::now());
        let chunk = std::mem::take(&mut self.chunk);
        if !chunk.frames.is_empty() {
            self.chunks += 1;
            let order = ChunkOrder { connection: number, chunk: self.chunks };
            outlet.submit(Chunk { order, ..chunk }).await;
        }
    }
}
