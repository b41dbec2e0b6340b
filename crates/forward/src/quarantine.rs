//! Messages that the other side will never accept, with its reason, until an operator sends them again or discards them.
//!
//! They are kept in a queue of their own, which is not drained. The reason is stored as a field of each message.

use super::queue_deps::QueueDeps;
use logstead_flow::reopening::Reopening;
use logstead_indexer::{
    Appender, Hit, OpenQueue, OpenQueueError, Options, QueueReader, Searcher, encode, oldest, open_queue,
};
use logstead_record::{BATCH_ROWS_MAX, Batch, BatchBuilder};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The field with the reason for a refusal.
pub(crate) const REASON: &[u8] = b"logstead.refused";
/// Maximum number of bytes that are kept for one destination; when it is reached, the destination waits.
const BYTES_MAX: u64 = 1 << 30;
/// Maximum number of bytes of a reason that are kept.
const REASON_BYTES_MAX: usize = 1024;

pub(super) struct Quarantine {
    deps: QueueDeps,
    dir: PathBuf,
    id: String,
    /// The open queue; opened when the first message comes, or if there is one on disk.
    open: Option<OpenQuarantine>,
    /// Why it cannot be opened, and when the next attempt is due.
    unopened: Option<(String, Reopening)>,
}

struct OpenQuarantine {
    appender: Appender,
    reader: QueueReader,
    searcher: Searcher,
}

impl Quarantine {
    pub(super) fn new(deps: &QueueDeps, id: &str) -> Quarantine {
        let dir = deps.quarantines().join(id);
        Quarantine { deps: deps.clone(), dir, id: id.to_owned(), open: None, unopened: None }
    }

    /// Opens it if it exists.
    pub(super) fn open(&mut self) -> Result<(), OpenQueueError> {
        if self.dir.exists() { self.opened().map(drop) } else { Ok(()) }
    }

    fn opened(&mut self) -> Result<&mut OpenQuarantine, OpenQueueError> {
        let Quarantine { deps, dir, id, open, unopened } = self;
        match open {
            Some(open) => Ok(open),
            none => match OpenQuarantine::new(deps, dir, id) {
                Ok(opened) => {
                    *unopened = None;
                    Ok(none.insert(opened))
                }
                Err(error) => {
                    let why = format!("its quarantine cannot be opened: {error}");
                    let (before, mut reopening) =
                        unopened.take().unwrap_or_else(|| (String::new(), Reopening::first()));
                    if before != why {
                        tracing::error!(destination = id, "{why}");
                    }
                    reopening.failed();
                    *unopened = Some((why, reopening));
                    Err(error)
                }
            },
        }
    }

    /// Why it cannot be opened, if that is so. The call tries again to open it if an attempt is due.
    pub(super) fn unopened(&mut self) -> Option<String> {
        if self.unopened.as_ref().is_some_and(|(_, reopening)| reopening.is_due()) {
            // A failure is recorded.
            self.opened().ok();
        }
        self.unopened.as_ref().map(|(why, _)| why.clone())
    }

    /// Stores messages durably.
    pub(super) fn keep(&mut self, refused: &[(Arc<Batch>, String)]) -> Result<(), String> {
        let open = self.opened().map_err(|error| error.to_string())?;
        if BYTES_MAX <= open.searcher.stats().journal_bytes {
            return Err(format!(
                "the quarantine holds {} refused messages, and no more fit: send them again, or discard them",
                open.reader.waiting()
            ));
        }
        let encoded: Vec<_> =
            with_reasons(refused).into_iter().map(|batch| encode(Arc::new(batch))).collect();
        open.appender.append(&encoded).map(drop).map_err(|error| error.to_string())
    }

    /// The number of messages that it holds.
    pub(super) fn messages(&self) -> u64 {
        self.open.as_ref().map_or(0, |open| open.reader.waiting())
    }

    /// The oldest messages.
    pub(super) fn oldest(&self, from: u64, limit: usize) -> Vec<Hit> {
        let open = self.open.as_ref();
        open.map(|open| oldest(&open.searcher, from.max(open.reader.done()), limit)).unwrap_or_default()
    }

    /// The sequence of the oldest message.
    pub(super) fn first(&self) -> u64 {
        self.open.as_ref().map_or(0, |open| open.reader.done())
    }

    /// Forgets messages with a lower sequence.
    pub(super) fn forget(&mut self, before: u64) -> Result<(), String> {
        let Some(open) = &mut self.open else { return Ok(()) };
        open.reader.skip(before);
        open.reader.done_with(before).map(drop).map_err(|error| error.to_string())
    }
}

impl OpenQuarantine {
    fn new(deps: &QueueDeps, dir: &Path, id: &str) -> Result<OpenQuarantine, OpenQueueError> {
        let options =
            Options { memory_max: 0, journal_file_max: deps.journal_file_max, ..Options::default() };
        let OpenQueue { appender, reader, searcher, recovery, cursor, .. } =
            open_queue(&deps.disk, dir, options, 0)?;
        recovery
            .notes()
            .iter()
            .for_each(|told| tracing::warn!(destination = id, "quarantine: {}", told.text));
        if let Some(error) = cursor {
            tracing::warn!(
                destination = id,
                "the quarantine's cursor was lost, so messages that were sent again are listed once more: {error}"
            );
        }
        Ok(OpenQuarantine { appender, reader, searcher })
    }
}

/// The messages with their reasons, in as few batches as possible.
fn with_reasons(refused: &[(Arc<Batch>, String)]) -> Vec<Batch> {
    let mut builder = BatchBuilder::new();
    let mut batches = Vec::new();
    for (batch, reason) in refused {
        let end = reason.floor_char_boundary(REASON_BYTES_MAX);
        for row in 0..batch.rows() {
            builder.extend(batch, row..row + 1);
            builder.field_of_last(REASON, reason.as_bytes().get(..end).unwrap_or_default());
        }
        if BATCH_ROWS_MAX <= builder.rows() + 1 {
            batches.push(builder.seal());
        }
    }
    if 0 < builder.rows() {
        batches.push(builder.seal());
    }
    batches
}
