//! The workers' queues: a shared one, and one for each worker, for work that has to keep its order.
//!
//! **Invariant:** the queues themselves are unbounded: a submitter has reserved the bytes in a
//! [budget](super::budget::Budget) beforehand.

use super::chunk::Chunk;
use super::counters::SourceCounters;
use super::ledger::JournalId;
use super::receipt::Pending;
use crossbeam_channel::{Receiver, Sender, select, unbounded};
use logstead_record::{Batch, Timestamp};
use logstead_syslog::format::Parser;
use std::sync::{Arc, OnceLock};

/// A task for a worker.
pub enum WorkItem {
    /// Frames to parse.
    Chunk {
        /// The bytes and frames.
        chunk: Chunk,
        /// The source's id.
        source: Arc<str>,
        /// The parser in force when the chunk was read.
        parser: Arc<Parser>,
        /// The source's counters.
        counters: Arc<SourceCounters>,
        /// When the chunk was read.
        received: Timestamp,
        /// The receipt to settle.
        pending: Pending,
    },
    /// Messages that are already parsed.
    Batch {
        /// The parsed messages.
        batch: Arc<Batch>,
        /// The source's id.
        source: Arc<str>,
        /// The source's counters.
        counters: Arc<SourceCounters>,
        /// The logspace to store them in, regardless of the routes.
        logspace: Option<String>,
        /// The journals that have them already.
        had: Vec<JournalId>,
        /// The receipt to settle.
        pending: Pending,
    },
    /// Ends the worker.
    Stop,
}

/// The worker that may take a piece of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Partition {
    /// Any free worker.
    Any,
    /// The worker with this number, modulo the number of workers.
    Worker(usize),
}

/// Does work on the thread that submits it, which costs less than to wake a worker if there is little of it.
pub trait WorkHere: Send + Sync {
    /// Does the work; gives it back if that is not possible now.
    fn work_here(&self, work: WorkItem) -> Result<(), Box<WorkItem>>;
}

/// The sending side of the workers' queues: a queue for all workers, and one for each.
#[derive(Clone)]
pub struct WorkSender {
    any: Sender<WorkItem>,
    each: Vec<Sender<WorkItem>>,
    here: Arc<OnceLock<Box<dyn WorkHere>>>,
}

/// A worker's end of the queues.
pub struct WorkReceiver {
    any: Receiver<WorkItem>,
    own: Receiver<WorkItem>,
    stopping: bool,
}

/// The queues of `workers` workers.
pub fn queues(workers: usize) -> (WorkSender, Vec<WorkReceiver>) {
    let (any, received) = unbounded();
    let own = |_| {
        let (sender, own) = unbounded();
        (sender, WorkReceiver { any: received.clone(), own, stopping: false })
    };
    let (each, receivers) = (0..workers).map(own).unzip();
    (WorkSender { any, each, here: Arc::default() }, receivers)
}

impl WorkSender {
    /// `false` when every worker has stopped.
    pub fn submit(&self, partition: Partition, work: WorkItem) -> bool {
        let queue = match partition {
            Partition::Any => &self.any,
            Partition::Worker(number) => &self.each[number % self.each.len()],
        };
        queue.send(work).is_ok()
    }

    /// Sets who does work on the thread that submits it.
    pub fn set_here(&self, here: Box<dyn WorkHere>) {
        self.here.get_or_init(|| here);
    }

    /// Does the work before it returns, or submits it to any worker if that is not possible; `false` when every worker has
    /// stopped. Only for work that is little and that no other work has to precede.
    pub fn work_here(&self, work: WorkItem) -> bool {
        let left = match self.here.get() {
            Some(here) => here.work_here(work),
            None => Err(Box::new(work)),
        };
        left.map_or_else(|work| self.submit(Partition::Any, *work), |()| true)
    }

    /// The number of workers.
    pub fn workers(&self) -> usize {
        self.each.len()
    }
}

impl WorkReceiver {
    /// Waits for work; `None` once the worker has been told to stop and nothing is left to do.
    pub fn next_work(&mut self) -> Option<WorkItem> {
        if !self.stopping {
            let work = select! {
                recv(self.any) -> work => work,
                recv(self.own) -> work => work,
            };
            match work {
                Ok(WorkItem::Stop) | Err(_) => self.stopping = true,
                Ok(work) => return Some(work),
            }
        }
        self.any.try_recv().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Budget;
    use parking_lot::Mutex;

    #[derive(Default)]
    struct OneTaken(Mutex<Option<WorkItem>>);

    impl WorkHere for OneTaken {
        fn work_here(&self, work: WorkItem) -> Result<(), Box<WorkItem>> {
            let mut taken = self.0.lock();
            if taken.is_some() {
                return Err(Box::new(work));
            }
            *taken = Some(work);
            Ok(())
        }
    }

    #[test]
    fn work_that_cannot_be_done_here_is_done_by_a_worker() {
        let budget = Budget::new(1 << 20);
        let batch = || WorkItem::Batch {
            batch: Arc::default(),
            source: "tcp".into(),
            counters: Arc::default(),
            logspace: None,
            had: Vec::new(),
            pending: Pending::silent(budget.try_reserve(1).unwrap()),
        };
        let (sender, mut receivers) = queues(1);
        let mut waiting = || {
            assert!(sender.submit(Partition::Worker(0), WorkItem::Stop));
            std::iter::from_fn(|| receivers[0].next_work()).count()
        };
        assert!(sender.work_here(batch()), "nobody works here yet");
        sender.set_here(Box::new(OneTaken::default()));
        assert!(sender.work_here(batch()) && sender.work_here(batch()));
        assert_eq!(waiting(), 2, "one was taken here");
        drop(receivers);
        assert!(!sender.work_here(batch()), "no worker is left");
    }
}
