//! Makes a change live, and records whether it has to be confirmed.

use super::health::{Health, HealthComparison, Totals};
use logstead_accounts::{Error, Meta, RevisionDeadline, UnconfirmedRevision};
use logstead_flow::machine::clock;
use logstead_pipeline::{ApplyError, LiveRevision, Pipeline, RevisionChange};
use logstead_record::Timestamp;
use parking_lot::Mutex;
use serde::Serialize;
use std::sync::Arc;
use std::time::{Duration, Instant};
use utoipa::ToSchema;

/// The revisions of a running process.
pub struct Revisions {
    pub(super) pipeline: Arc<Pipeline>,
    pub(super) meta: Meta,
    pub(super) health: Mutex<Health>,
}

/// Why a change did not become live.
#[derive(Debug, thiserror::Error)]
pub enum LiveError {
    /// The new document cannot be applied.
    #[error(transparent)]
    Apply(#[from] ApplyError),
    /// The revision cannot be stored.
    #[error(transparent)]
    Meta(#[from] Error),
}

/// The terms on which a change has to be confirmed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ConfirmationTerms {
    /// How long the change may stay live without being confirmed.
    pub within: Duration,
    /// Whether it is reverted earlier if fewer messages are received, or more are dropped, than before.
    pub back_if_worse: bool,
}

/// The live revision, while it has to be confirmed.
#[derive(Debug, Serialize, ToSchema)]
pub struct Unconfirmed {
    /// The live revision.
    pub revision: u64,
    /// The revision that becomes live again.
    back_to: u64,
    /// The time at which the previous revision becomes live again, unless this one is confirmed before.
    #[schema(format = DateTime)]
    until: String,
    /// Whether it is reverted earlier if fewer messages are received, or more are dropped, than before.
    back_if_worse: bool,
    /// How messages were handled before it was live, and since then. Unknown for a revision that became live before
    /// the process started.
    pub(super) health: Option<HealthComparison>,
}

impl Revisions {
    /// Tracks the revisions of this pipeline, which are stored in `meta`.
    pub fn new(pipeline: Arc<Pipeline>, meta: Meta) -> Revisions {
        Revisions { pipeline, meta, health: Mutex::default() }
    }

    /// Stores a change after preparing it and before committing it, so the stored document is exactly the one that
    /// becomes live. Blocks.
    pub(crate) fn make_live(
        &self,
        change: RevisionChange,
        expected: Option<u64>,
        author: &str,
        comment: &str,
        terms: Option<ConfirmationTerms>,
    ) -> Result<Arc<LiveRevision>, LiveError> {
        let prepared = self.pipeline.prepare(change, expected)?;
        let now = clock::now();
        let deadline = terms.map(|ConfirmationTerms { within, back_if_worse }| RevisionDeadline {
            until: later(now, within),
            back_if_worse,
        });
        let revision = self.meta.add_unconfirmed_revision(prepared.toml(), author, comment, now, deadline)?;
        self.measure();
        let live = prepared.commit(revision);
        self.health.lock().changed(Instant::now());
        logstead_accounts::document_backups::write_or_log(&self.pipeline.data, &self.meta);
        Ok(live)
    }

    /// The live revision, while it has to be confirmed.
    pub fn unconfirmed(&self) -> Result<Option<Unconfirmed>, Error> {
        let Some(UnconfirmedRevision { revision, back_to, until, back_if_worse }) =
            self.meta.unconfirmed_revision()?
        else {
            return Ok(None);
        };
        let health = self.health.lock().compared(&self.totals(), Instant::now());
        Ok(Some(Unconfirmed { revision, back_to, until: until.to_string(), back_if_worse, health }))
    }

    /// Records the current message totals.
    pub(super) fn measure(&self) {
        let totals = self.totals();
        self.health.lock().measured(totals, Instant::now());
    }

    fn totals(&self) -> Totals {
        Totals::of(&self.pipeline)
    }
}

fn later(now: Timestamp, within: Duration) -> Timestamp {
    let nanos = i64::try_from(within.as_nanos()).unwrap_or(i64::MAX);
    Timestamp::from_nanos(now.nanos().saturating_add(nanos))
}
