//! Forward destinations: each has a queue and a thread that drains it in order. A batch leaves the queue when
//! the peer has accepted it; after a failure it is sent again, so a peer may see messages twice, but none is
//! skipped.

mod file;
mod http;
pub(crate) mod queue;
mod sink;
mod syslog;

use crate::flow::counters::DestinationCounters;
use crate::flow::receipt::Receipt;
use crate::machine::folders::Folders;
use arc_swap::ArcSwap;
use logstead_config::{Destination as Config, DestinationKind};
use logstead_record::Batch;
use queue::{Depth, Queue};
use sink::{Message, Sink};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Pauses between attempts double from the first to the last.
const RETRY_WAIT_FIRST: Duration = Duration::from_millis(200);
const RETRY_WAIT_MAX: Duration = Duration::from_secs(10);

/// A running destination.
pub(crate) struct Destination {
    id: String,
    config: Arc<ArcSwap<Config>>,
    queue: Arc<Queue>,
    counters: Arc<DestinationCounters>,
    thread: parking_lot::Mutex<Option<JoinHandle<()>>>,
}

impl Destination {
    /// Starts the thread. Files are written where `folders` say.
    pub(crate) fn start(
        config: &Config,
        folders: &Arc<Folders>,
        counters: Arc<DestinationCounters>,
    ) -> std::io::Result<Destination> {
        if let Some(refused) = folders.refused_sink(&config.kind) {
            tracing::error!(destination = config.id, "nothing is written: {refused}");
            *counters.last_error.lock() = Some(refused);
            counters.retrying.store(true, Ordering::Relaxed);
        }
        let queue = Arc::new(Queue::new(config.queue.size.as_usize()));
        let shared = Arc::new(ArcSwap::from_pointee(config.clone()));
        let drain = Drain {
            folders: folders.clone(),
            config: shared.clone(),
            queue: queue.clone(),
            counters: counters.clone(),
        };
        let name = format!("to {}", config.id);
        let thread = std::thread::Builder::new().name(name).spawn(|| drain.run())?;
        let thread = parking_lot::Mutex::new(Some(thread));
        Ok(Destination { id: config.id.clone(), config: shared, queue, counters, thread })
    }

    /// What is queued is sent as the new configuration says.
    pub(crate) fn configure(&self, config: &Config) {
        self.queue.set_bytes_max(config.queue.size.as_usize());
        if **self.config.load() != *config {
            self.config.store(Arc::new(config.clone()));
        }
    }

    pub(crate) fn config(&self) -> Arc<Config> {
        self.config.load_full()
    }

    /// Queues a batch, or drops and counts it if the queue is full and no source may be held back.
    pub(crate) fn push(&self, batch: Arc<Batch>, flow_control: bool, receipt: &Receipt) {
        let rows = batch.rows();
        if !self.queue.push(batch, flow_control, receipt) {
            self.counters.dropped.add("queue_full", rows);
        }
    }

    pub(crate) fn depth(&self) -> Depth {
        self.queue.depth()
    }

    pub(crate) fn counters(&self) -> &DestinationCounters {
        &self.counters
    }

    /// Accepts nothing more. What waits may still be sent for a while; [`Destination::join`] waits for that.
    pub(crate) fn stop(&self, wait_max: Duration) {
        self.queue.stop(Instant::now() + wait_max);
    }

    /// Waits for the thread of a stopped destination and counts what it could not send.
    pub(crate) fn join(&self) {
        let Some(thread) = self.thread.lock().take() else { return };
        if thread.join().is_err() {
            tracing::error!(destination = self.id, "the thread of the destination ended with a panic");
        }
        let left = self.queue.depth().messages;
        self.counters.dropped.add("stopped", left);
        if 0 < left {
            tracing::error!(destination = self.id, messages = left, "stopped before these were sent");
        }
    }
}

struct Drain {
    folders: Arc<Folders>,
    config: Arc<ArcSwap<Config>>,
    queue: Arc<Queue>,
    counters: Arc<DestinationCounters>,
}

impl Drain {
    fn run(self) {
        let mut config = self.config.load_full();
        let mut sink = sink(&config, &self.folders);
        let mut wait = RETRY_WAIT_FIRST;
        while let Some(batch) = self.queue.peek() {
            let current = self.config.load_full();
            if !Arc::ptr_eq(&config, &current) {
                sink = self::sink(&current, &self.folders);
                config = current;
            }
            let messages: Vec<_> =
                (0..batch.rows()).map(|row| Message { batch: &batch, row, sequence: 0 }).collect();
            match sink.send(&messages) {
                Ok(sent) => {
                    wait = RETRY_WAIT_FIRST;
                    self.sent(&config.id, &batch, sent.bytes);
                    self.queue.pop();
                }
                Err(error) => {
                    self.failed(&config.id, &error.reason);
                    if !self.queue.pause(wait) {
                        return;
                    }
                    wait = (wait * 2).min(RETRY_WAIT_MAX);
                }
            }
        }
    }

    fn sent(&self, id: &str, batch: &Batch, bytes: usize) {
        self.counters.messages.add(batch.rows());
        self.counters.bytes.add(bytes);
        if self.counters.retrying.swap(false, Ordering::Relaxed) {
            tracing::info!(destination = id, "the destination takes messages again");
        }
    }

    fn failed(&self, id: &str, error: &str) {
        *self.counters.last_error.lock() = Some(error.to_owned());
        if !self.counters.retrying.swap(true, Ordering::Relaxed) {
            tracing::warn!(destination = id, "messages wait in the queue: {error}");
        }
    }
}

fn sink(config: &Config, folders: &Arc<Folders>) -> Box<dyn Sink> {
    match &config.kind {
        DestinationKind::Syslog(syslog) => Box::new(syslog::Syslog::new(syslog)),
        DestinationKind::File(file) => Box::new(file::File::new(folders.clone(), &file.path)),
        DestinationKind::Elastic(elastic) => Box::new(http::Elastic::new(elastic, folders)),
        DestinationKind::Loki(loki) => Box::new(http::Loki::new(loki, folders)),
        DestinationKind::SplunkHec(splunk) => Box::new(http::SplunkHec::new(splunk, folders)),
        DestinationKind::Otlp(otlp) => Box::new(http::Otlp::new(otlp, folders)),
        DestinationKind::NdjsonHttp(ndjson) => Box::new(http::NdjsonHttp::new(ndjson, folders)),
    }
}
