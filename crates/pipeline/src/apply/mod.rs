//! Makes another revision of the router document live, in two steps: [`prepare`](super::Pipeline::prepare) opens
//! everything that is new (sockets, logspaces, destinations), and [`commit`](PreparedChange::commit) swaps it in at
//! once. Between them the caller stores the revision.
//!
//! Sockets, queues and logspaces that both revisions contain stay open, so no message is lost or duplicated: the
//! socket of a renamed source is handed over open, and a changed destination keeps its queue.
//!
//! **Invariant:** whatever can fail is part of preparing. A change that is not committed leaves no trace.

mod commit;
mod destinations;
mod logspaces;
mod prepare;
mod started;

pub use prepare::PreparedChange;

use super::running::{LiveRevision, RunningState};
use logstead_config::{Checked, Document, Problem};
use logstead_flow::machine::clock;
use logstead_flow::machine::folders::Folders;
use logstead_receive::{SettingsError, SourceSettings};
use logstead_route::{Lookups, Router};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// A revision that is to become live.
#[derive(Debug, Clone)]
pub struct RevisionChange {
    /// Its text.
    pub toml: String,
    /// The text parsed as a document.
    pub document: Document,
    /// The checked document.
    pub checked: Checked,
}

/// Why a change did not become live. The previous revision keeps running.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    /// A revision other than the expected one is live.
    #[error("revision {current} is live")]
    Conflict {
        /// The live revision.
        current: u64,
    },
    /// The document cannot run on this machine.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Problems(Vec<Problem>),
    /// The revision could not be stored, or a thread could not be started.
    #[error("{0}")]
    System(String),
}

impl From<io::Error> for ApplyError {
    fn from(error: io::Error) -> ApplyError {
        ApplyError::System(error.to_string())
    }
}

/// The reaction if a source cannot be prepared.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SourceDemand {
    /// The revision does not become live, as its author is present to correct it.
    All,
    /// The other sources run, and this one is retried: at a start nobody may be present to help, and one occupied
    /// port must not keep the others, and the console, closed.
    WhatCan,
}

/// The state before the first revision is live, in which nothing runs.
pub(super) fn first(revision: u64, change: &RevisionChange) -> RunningState {
    let live = LiveRevision {
        revision,
        toml: change.toml.clone(),
        document: change.document.clone(),
        checked: Arc::default(),
        applied_at: clock::now(),
    };
    RunningState {
        router: Router::new(&live.checked, &Lookups::default(), None),
        routes: Vec::new(),
        live: Arc::new(live),
        targets: Vec::new(),
        logspaces: BTreeMap::new(),
        destinations: BTreeMap::new(),
        sources: BTreeMap::new(),
        failed: Vec::new(),
        inlets: BTreeMap::new(),
    }
}

/// Why a document cannot run on this machine with these settings, as far as can be determined without opening
/// sockets.
pub fn unfit(checked: &Checked, data: &Path, folders: &Folders) -> Vec<Problem> {
    let mut problems = folders.forbidden(checked);
    for (index, source) in checked.enabled_sources() {
        if let Some(Err(refused)) = SourceSettings::new(&source.kind, data) {
            problems.push(of_source(index, &refused));
        }
    }
    problems
}

fn of_source(index: usize, SettingsError { key, message }: &SettingsError) -> Problem {
    problem(format!("sources[{index}].{key}"), message)
}

fn problem(path: String, message: &str) -> Problem {
    Problem { path, message: message.to_owned(), line: None, column: None }
}
