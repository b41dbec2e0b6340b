//! Collects the bytes of one source's connections into chunks that are worth a worker's while: many connections with a
//! little each share one chunk, and a large read becomes a chunk of its own.
//!
//! The connections wait for each other here as one connection waits for its own next bytes, under the same
//! policy, from the same first byte and to the same tick: nothing waits twice.
//!
//! **Invariant:** frames of one connection leave in the order in which they came.

use super::coalesce::{Coalesce, CoalesceStep, PendingBytes};
use logstead_flow::chunk::{Chunk, ChunkOrder};
use std::time::Instant;
use tokio::sync::{Mutex, Notify};

/// A read of this size is a chunk of its own: copying it would cost more than it gains.
const CHUNK_BYTES_MIN: usize = 64 << 10;

/// The receiver of finished chunks.
pub(super) trait Outlet {
    /// The present policy: when a chunk is worth a worker's while.
    fn policy(&self) -> Coalesce;
    /// Submits a chunk to the pipeline, and waits while too many bytes of this source are in flight.
    async fn submit(&self, chunk: Chunk);
}

/// The frames that wait to become a chunk.
#[derive(Default)]
pub(super) struct Gather {
    /// Held while a chunk waits for room in the source's budget, so that all its connections wait.
    state: Mutex<GatherState>,
    /// Something new waits.
    woken: Notify,
}

#[derive(Default)]
struct GatherState {
    chunk: Chunk,
    waiting: PendingBytes,
    /// Chunks so far.
    chunks: usize,
}

impl Gather {
    /// Takes frames whose first byte came at `first_byte`.
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
        // Other connections that woke up at this tick are ahead of it in the queue, and add their frames.
        self.woken.notify_one();
    }

    /// Submits frames that have waited long enough, for as long as it is polled.
    pub(super) async fn run(&self, outlet: &impl Outlet, number: usize) {
        loop {
            self.woken.notified().await;
            while let Some(wait) = self.seal(outlet, number, outlet.policy()).await {
                tokio::time::sleep(wait).await;
            }
        }
    }

    /// Submits frames that have waited long enough; otherwise returns how long they still wait.
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
