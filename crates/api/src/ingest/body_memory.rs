//! Memory for bodies that are received and for the messages that are parsed from them.
//!
//! **Invariant:** all bodies together take a bounded amount, and a resting body can be told to give way.

use crate::error::Result;
use crate::waiting::{busy, places};
use logstead_flow::holders::{Holder, Holders};
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::{Semaphore, SemaphorePermit};

/// How many bodies fit into memory at a time if each has the maximum size.
const BODIES_MAX: usize = 4;
/// Memory for the messages of one batch while they are parsed, and the number of such batches at a time.
const SLICE_MEMORY_MAX: usize = 64 << 20;
const SLICES_MAX: usize = 4;
/// Maximum memory in which a check keeps messages that it has read.
const KEPT_MEMORY_MAX: usize = 32 << 20;
/// The maximum ratio of a parsed message's memory to its size in the body.
pub(super) const PARSED_FACTOR_MAX: usize = 32;
/// The memory of the smallest batch.
pub(super) const SMALL_BATCH_BYTES: usize = 4 << 10;
/// Why a body or its messages would have to wait too long.
const TOO_MANY: &str = "too many messages are being received at once";

/// The memory shared by all ingest requests.
pub(crate) struct BodyMemory {
    /// Memory for bodies in KiB.
    bodies: Semaphore,
    /// Maximum length of a body.
    pub(super) body_max: usize,
    /// Memory in KiB for messages that are parsed and not yet handed to the store.
    parsed: Semaphore,
    /// Maximum number of bytes of this that a single batch takes.
    slice_max: usize,
    /// Maximum number of bytes that a check keeps.
    pub(super) kept_max: usize,
    /// Number of bodies that wait for memory.
    waiting: AtomicUsize,
    /// The bodies that hold memory.
    holders: Holders,
}

impl BodyMemory {
    /// Divides these bytes: half for bodies, of at most this length each, and half for the messages parsed from them.
    pub(crate) fn of(bytes: usize, body_bytes_max: usize) -> BodyMemory {
        let half = (bytes / 2).max(1024);
        let body_max = body_bytes_max.min(half);
        let bodies_kib = (body_max.div_ceil(1024) * BODIES_MAX).min(half >> 10).min(Semaphore::MAX_PERMITS);
        BodyMemory {
            bodies: Semaphore::new(bodies_kib),
            body_max: body_max.min(bodies_kib << 10),
            parsed: Semaphore::new((SLICE_MEMORY_MAX * SLICES_MAX).min(half) >> 10),
            slice_max: SLICE_MEMORY_MAX.min(half / 2),
            kept_max: KEPT_MEMORY_MAX.min(half / 4),
            waiting: AtomicUsize::new(0),
            holders: Holders::default(),
        }
    }

    /// A reservation for a body that has not begun to arrive.
    pub(super) fn room(&self) -> BodyReservation<'_> {
        BodyReservation { memory: self, held: None, holder: None, bytes: 0 }
    }

    /// Whether a body is waiting for memory.
    pub(super) fn is_wanted(&self) -> bool {
        0 < self.waiting.load(Ordering::Relaxed)
    }

    /// Waits until the next slice of a body may be parsed.
    pub(super) async fn for_slice(&self, rest_bytes: usize) -> Result<SemaphorePermit<'_>> {
        self.for_parsed(rest_bytes, self.slice_max).await
    }

    /// Waits until a whole body may be parsed slice by slice, and some of the slices kept.
    pub(super) async fn for_check(&self, rest_bytes: usize) -> Result<SemaphorePermit<'_>> {
        self.for_parsed(rest_bytes, self.slice_max + self.kept_max).await
    }

    async fn for_parsed(&self, body_bytes: usize, memory_max: usize) -> Result<SemaphorePermit<'_>> {
        let bytes = body_bytes.saturating_mul(PARSED_FACTOR_MAX).saturating_add(SMALL_BATCH_BYTES);
        let bytes = bytes.min(memory_max);
        places(&self.parsed, bytes.div_ceil(1024) as u32, TOO_MANY).await
    }
}

/// A body's share of the memory for all bodies. It grows with the data that has arrived, so that a sender that
/// announces much and sends little does not block others.
pub(crate) struct BodyReservation<'a> {
    memory: &'a BodyMemory,
    held: Option<SemaphorePermit<'a>>,
    /// Set once it holds something.
    holder: Option<Holder<'a>>,
    /// How much of the body has arrived.
    pub(super) bytes: usize,
}

impl BodyReservation<'_> {
    /// Waits until there is memory for more bytes; returns whether it had to wait.
    pub(super) async fn grow(&mut self, bytes: usize) -> Result<bool> {
        self.bytes += bytes;
        let held = self.held.as_ref().map_or(0, SemaphorePermit::num_permits);
        let more = self.bytes.div_ceil(1024).saturating_sub(held);
        let more = u32::try_from(more).unwrap_or(u32::MAX);
        let (permit, has_waited) = match self.memory.bodies.try_acquire_many(more) {
            Ok(permit) => (permit, false),
            Err(_) => (self.wait(more).await?, true),
        };
        match &mut self.held {
            Some(held) => held.merge(permit),
            none => *none = Some(permit),
        }
        self.holder.get_or_insert_with(|| self.memory.holders.join());
        Ok(has_waited)
    }
}

impl<'a> BodyReservation<'a> {
    async fn wait(&self, kib: u32) -> Result<SemaphorePermit<'a>> {
        let _waiting = WaiterCount::new(&self.memory.waiting);
        let waits = self.holder.as_ref().map(|holder| holder.wait().ok_or_else(|| busy(TOO_MANY)));
        let _waits = waits.transpose()?;
        places(&self.memory.bodies, kib, TOO_MANY).await
    }
}

/// A waiter, which is counted for as long as it exists.
struct WaiterCount<'a>(&'a AtomicUsize);

impl<'a> WaiterCount<'a> {
    fn new(count: &'a AtomicUsize) -> WaiterCount<'a> {
        count.fetch_add(1, Ordering::Relaxed);
        WaiterCount(count)
    }
}

impl Drop for WaiterCount<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_body_needs_more_than_there_is() {
        for mib in [0, 1, 8, 20, 512, 4096] {
            for body_mib in [1, 64, 1024] {
                let memory = BodyMemory::of(mib << 20, body_mib << 20);
                let (bodies, parsed) = (memory.bodies.available_permits(), memory.parsed.available_permits());
                assert!(memory.body_max.div_ceil(1024) <= bodies, "{mib} {body_mib}");
                assert!((memory.slice_max + memory.kept_max).div_ceil(1024) <= parsed, "{mib} {body_mib}");
                assert!(bodies + parsed <= (mib << 10).max(2), "{mib} {body_mib}");
            }
        }
        let large = BodyMemory::of(512 << 20, 64 << 20);
        assert_eq!((large.body_max >> 20, large.slice_max >> 20, large.kept_max >> 20), (64, 64, 32));
        assert_eq!(
            (large.bodies.available_permits() >> 10, large.parsed.available_permits() >> 10),
            (256, 256)
        );
    }
}
