//! Puts what the connections of one source read into chunks that are worth a worker's while: many connections
//! with a little each become one chunk, and a large read becomes a chunk as it is.
//!
//! The connections wait for each other here as one connection waits for its own next bytes, under the same
//! policy, from the same first byte and to the same tick: nothing waits twice.
//!
//! **Invariant:** frames of one connection leave in the order in which they came.

use super::Shared;
use super::coalesce::{Coalesce, Next, Waiting};
use crate::flow::chunk::{Chunk, Order};
use std::time::Instant;
use tokio::sync::{Mutex, Notify};

/// A read of this many bytes is a chunk of its own: copying it would cost more than it brings.
const CHUNK_BYTES_MIN: usize = 64 << 10;

/// What waits to become a chunk.
#[derive(Default)]
pub(super) struct Gather {
    /// Held while a chunk waits for room in the source's budget, so that every connection of it waits.
    state: Mutex<State>,
    /// Something waits that did not before.
    woken: Notify,
}

#[derive(Default)]
struct State {
    chunk: Chunk,
    waiting: Waiting,
    /// Chunks so far.
    chunks: usize,
}

impl Gather {
    /// Takes frames whose first byte came at `first_byte`.
    pub(super) async fn add(&self, shared: &Shared, number: usize, chunk: Chunk, first_byte: Instant) {
        if chunk.frames.is_empty() {
            return;
        }
        let policy = shared.settings.load().coalesce;
        let mut state = self.state.lock().await;
        let is_chunk = CHUNK_BYTES_MIN <= chunk.bytes.len();
        if is_chunk {
            state.submit(shared, number).await;
        }
        state.waiting.add(chunk.bytes.len(), first_byte);
        state.chunk.append(chunk);
        if is_chunk || policy.is_enough(&state.waiting) {
            return state.submit(shared, number).await;
        }
        // Whoever else woke up at this tick is before it in the queue, and adds what it has.
        self.woken.notify_one();
    }

    /// Submits what has waited long enough, for as long as it is polled.
    pub(super) async fn run(&self, shared: &Shared, number: usize) {
        loop {
            self.woken.notified().await;
            while let Some(wait) = self.seal(shared, number, shared.settings.load().coalesce).await {
                tokio::time::sleep(wait).await;
            }
        }
    }

    /// Submits what has waited long enough; otherwise says how long it still waits.
    async fn seal(&self, shared: &Shared, number: usize, policy: Coalesce) -> Option<std::time::Duration> {
        let mut state = self.state.lock().await;
        match policy.next(&state.waiting, Instant::now()) {
            Next::Block => None,
            Next::Sleep(wait) => Some(wait),
            Next::Seal => {
                state.submit(shared, number).await;
                None
            }
        }
    }

    /// Submits everything.
    pub(super) async fn flush(&self, shared: &Shared, number: usize) {
        self.state.lock().await.submit(shared, number).await;
    }
}

impl State {
    async fn submit(&mut self, shared: &Shared, number: usize) {
        self.waiting.seal(Instant::now());
        let chunk = std::mem::take(&mut self.chunk);
        if !chunk.frames.is_empty() {
            self.chunks += 1;
            let order = Order { connection: number, chunk: self.chunks };
            shared.submit(Chunk { order, ..chunk }).await;
        }
    }
}
