//! Workers turn chunks of frames into batches, route them, and hand them on: encoded to logspaces, shared to
//! forward destinations. Any worker may take any chunk: one busy connection is spread over all of them.

use super::counters::{Counters, SourceCounters};
use super::logspace::Append;
use super::receipt::{Pending, Receipt};
use super::running::Running;
use crate::format::{Known, Syslog};
use crate::source;
use crate::source::framing::Frame;
use arc_swap::ArcSwap;
use crossbeam_channel::{Receiver, Sender, select, unbounded};
use logstead_record::{Batch, BatchBuilder, Flags, Origin, Timestamp};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Frames as they were received, on their way to a worker.
pub(crate) struct Chunk {
    pub(crate) source: Arc<str>,
    pub(crate) syslog: Arc<Syslog>,
    pub(crate) counters: Arc<SourceCounters>,
    pub(crate) bytes: Vec<u8>,
    pub(crate) frames: Vec<Frame>,
    /// From which frame on who sent them, ascending. Not empty.
    pub(crate) senders: Vec<(u32, source::Sender)>,
    pub(crate) received: Timestamp,
    pub(crate) pending: Pending,
}

/// What a worker is given.
pub(crate) enum Work {
    Chunk(Chunk),
    /// Messages that are parsed already.
    Batch {
        batch: Arc<Batch>,
        source: Arc<str>,
        counters: Arc<SourceCounters>,
        /// Goes there and nowhere else, whatever the routes say.
        logspace: Option<String>,
        pending: Pending,
    },
    Stop,
}

/// Who may take a piece of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Partition {
    /// Whoever is free.
    Any,
    /// The worker of this number, wrapping around.
    Worker(usize),
}

/// Where work is handed in: a queue for all workers, and one for each.
#[derive(Clone)]
pub(crate) struct WorkSender {
    any: Sender<Work>,
    each: Vec<Sender<Work>>,
}

/// A worker's end of the queues.
pub(crate) struct WorkReceiver {
    any: Receiver<Work>,
    own: Receiver<Work>,
    stopping: bool,
}

/// The queues of `workers` workers.
pub(crate) fn queues(workers: usize) -> (WorkSender, Vec<WorkReceiver>) {
    let (any, received) = unbounded();
    let own = |_| {
        let (sender, own) = unbounded();
        (sender, WorkReceiver { any: received.clone(), own, stopping: false })
    };
    let (each, receivers) = (0..workers).map(own).unzip();
    (WorkSender { any, each }, receivers)
}

impl WorkSender {
    /// Hands work in; `false` when every worker has stopped.
    pub(crate) fn send(&self, partition: Partition, work: Work) -> bool {
        let queue = match partition {
            Partition::Any => &self.any,
            Partition::Worker(number) => &self.each[number % self.each.len()],
        };
        queue.send(work).is_ok()
    }

    /// How many workers there are.
    pub(crate) fn workers(&self) -> usize {
        self.each.len()
    }
}

impl WorkReceiver {
    /// Waits for work; `None` when told to stop and nothing is left to do.
    fn next(&mut self) -> Option<Work> {
        if !self.stopping {
            let work = select! {
                recv(self.any) -> work => work,
                recv(self.own) -> work => work,
            };
            match work {
                Ok(Work::Stop) | Err(_) => self.stopping = true,
                Ok(work) => return Some(work),
            }
        }
        self.any.try_recv().ok()
    }
}

/// What a worker needs.
pub(crate) struct Worker {
    pub(crate) work: WorkReceiver,
    pub(crate) running: Arc<ArcSwap<Running>>,
    pub(crate) counters: Arc<Counters>,
}

impl Worker {
    /// Works until told to stop.
    pub(crate) fn run(mut self) {
        let mut builder = BatchBuilder::new();
        while let Some(work) = self.work.next() {
            // A bug that one message brings to light must not stop all others.
            if catch_unwind(AssertUnwindSafe(|| self.work(work, &mut builder))).is_err() {
                tracing::error!("a bug in a worker: the messages of one read may be lost; please report it");
                builder = BatchBuilder::new();
            }
        }
    }

    fn work(&self, work: Work, builder: &mut BatchBuilder) {
        match work {
            Work::Chunk(chunk) => {
                let batch = parse(&chunk, builder);
                count(&batch, chunk.bytes.len(), &chunk.counters);
                let Chunk { source, counters, bytes, pending, .. } = chunk;
                drop(bytes);
                self.route(&Arc::new(batch), &source, &counters, pending.receipt());
                pending.done();
            }
            Work::Batch { batch, source, counters, logspace, pending } => {
                count(&batch, batch.columns().message.bytes().len(), &counters);
                match logspace {
                    Some(id) => self.store(&id, batch, pending.receipt()),
                    None => self.route(&batch, &source, &counters, pending.receipt()),
                }
                pending.done();
            }
            Work::Stop => {}
        }
    }

    fn route(&self, batch: &Arc<Batch>, source: &str, counters: &SourceCounters, receipt: &Receipt) {
        let running = self.running.load();
        let routed = running.router.route(batch, source);
        counters.unrouted.add(routed.unrouted);
        self.counters.unrouted.add(routed.unrouted);
        for delivery in routed.deliveries {
            let part =
                if delivery.rows.is_all() { batch.clone() } else { Arc::new(batch.take(&delivery.rows)) };
            running.deliver(delivery.target, part, delivery.flow_control, receipt);
        }
    }

    fn store(&self, logspace: &str, batch: Arc<Batch>, receipt: &Receipt) {
        match self.running.load().logspaces.get(logspace) {
            Some(logspace) => {
                let encoded = logstead_indexer::encode(batch);
                logspace.append(Append { encoded, pending: receipt.pending() });
            }
            None => receipt.fail("the logspace was removed from the router document"),
        }
    }
}

/// The frames of a chunk as a batch.
pub(crate) fn parse(chunk: &Chunk, builder: &mut BatchBuilder) -> Batch {
    builder.reserve(chunk.frames.len(), chunk.bytes.len());
    let mut senders = chunk.senders.iter().peekable();
    let mut known = Known::at(chunk.received);
    for (index, frame) in chunk.frames.iter().enumerate() {
        if let Some((_, sender)) = senders.next_if(|(first, _)| *first as usize <= index) {
            known.peer = sender.host.as_bytes();
            known.written = sender.written.unwrap_or(chunk.received);
            known.field = sender.field.as_ref().map(|(name, value)| (name.as_bytes(), value.as_bytes()));
            let (source, peer) = (chunk.source.as_bytes(), sender.address.as_bytes());
            builder.origin(Origin { source, peer, received: chunk.received });
        }
        known.flags = frame.flags;
        chunk.syslog.parse(&chunk.bytes[frame.start as usize..frame.end as usize], known, builder);
    }
    builder.seal()
}

fn count(batch: &Batch, bytes: usize, counters: &SourceCounters) {
    let mut flags = [0_usize; 1 << Flags::NAMES.len()];
    for &of_row in &batch.columns().flags {
        flags[usize::from(of_row) % (1 << Flags::NAMES.len())] += 1;
    }
    let with = |flag: Flags| {
        flags.iter().enumerate().filter(|(set, _)| Flags(*set as u8).has(flag)).map(|(_, rows)| rows).sum()
    };
    counters.messages.add(batch.rows());
    counters.bytes.add(bytes);
    counters.unparsed.add(with(Flags::UNPARSED));
    counters.truncated.add(with(Flags::TRUNCATED));
    counters.incomplete.add(with(Flags::INCOMPLETE));
    counters.undelimited.add(with(Flags::UNDELIMITED));
    let out_of_step = with(Flags::OUT_OF_STEP);
    if 0 < out_of_step {
        counters.out_of_step.add(out_of_step);
        let is_lost = |row: &usize| batch.flags(*row).has(Flags::OUT_OF_STEP);
        let bytes = (0..batch.rows()).filter(is_lost).map(|row| batch.message(row).len()).sum();
        counters.out_of_step_bytes.add(bytes);
    }
    let Some(last) = batch.rows().checked_sub(1) else { return };
    let received = batch.received(last);
    counters.last_seen.store(received.nanos(), Ordering::Relaxed);
    if let Some(time) = batch.own_time(last) {
        counters.skew.store(received.nanos().saturating_sub(time.nanos()), Ordering::Relaxed);
    }
}
