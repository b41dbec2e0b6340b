//! A job as clients see it: its state, its progress and its result.

use crate::error::Problem;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::fmt;

/// The kind of work.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum JobKind {
    /// Everything in a logspace is read and compared with its checksums.
    Verify,
    /// The indexes of a logspace are rebuilt from its messages.
    Reindex,
    /// Messages are written to a file.
    Export,
}

impl JobKind {
    /// The things that are counted in its progress.
    pub(super) fn unit(self) -> ProgressUnit {
        match self {
            JobKind::Verify => ProgressUnit::Bytes,
            JobKind::Reindex => ProgressUnit::Segments,
            JobKind::Export => ProgressUnit::Messages,
        }
    }
}

impl fmt::Display for JobKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// The state of a job. The last four are final.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum JobState {
    /// It waits for its turn.
    Queued,
    Running,
    /// It was asked to end, and will within moments.
    Cancelling,
    /// Its work is finished; `result` says what came of it.
    Done,
    /// It could not be finished; `problem` says why.
    Failed,
    /// It was ended before it was finished; `result` covers the part until then, if there is any.
    Cancelled,
    /// The server stopped before it was finished. It is not started again by itself.
    Interrupted,
}

impl JobState {
    /// Whether the job has ended.
    pub(crate) fn is_final(self) -> bool {
        match self {
            JobState::Queued | JobState::Running | JobState::Cancelling => false,
            JobState::Done | JobState::Failed | JobState::Cancelled | JobState::Interrupted => true,
        }
    }
}

impl fmt::Display for JobState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// The things that are counted in the progress of a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ProgressUnit {
    #[default]
    Bytes,
    Segments,
    Messages,
}

/// The progress of a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
pub(crate) struct JobProgress {
    pub(crate) unit: ProgressUnit,
    /// The number of units that are done.
    pub(crate) done: u64,
    /// The number of all units; null if it is not known.
    #[schema(required)]
    pub(crate) total: Option<u64>,
    /// The messages that were read so far.
    pub(crate) messages: u64,
}

/// The result of a job.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum JobResult {
    /// Whether a logspace is intact.
    Verify(Verification),
    /// The indexes that were rebuilt.
    Reindex(Reindexing),
    /// The file with the messages.
    Export(ExportedFile),
}

impl JobResult {
    /// Whether the work was stopped before it was finished, because it was cancelled or the server is stopping.
    pub(super) fn is_cut(&self) -> bool {
        match self {
            JobResult::Verify(verification) => !verification.complete,
            JobResult::Reindex(reindexing) => reindexing.is_cut,
            JobResult::Export(_) => false,
        }
    }
}

/// Whether a logspace is intact.
#[derive(Default, Serialize, utoipa::ToSchema)]
pub(crate) struct Verification {
    /// Whether everything was checked and nothing is wrong.
    pub(crate) intact: bool,
    /// Whether everything was checked: a job that is cancelled does not finish.
    pub(crate) complete: bool,
    /// Segments and journal files that were checked.
    pub(crate) parts: u64,
    pub(crate) messages: u64,
    pub(crate) bytes: u64,
    /// The number of problems.
    pub(crate) problems: u64,
    /// The first 1000 problems, the oldest first.
    pub(crate) findings: Vec<VerificationFinding>,
    pub(crate) took_ms: u64,
}

/// Something that is damaged.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct VerificationFinding {
    /// The file, relative to the logspace's folder.
    pub(crate) file: String,
    /// The damage, and its position in the file.
    pub(crate) what: String,
    /// Whether messages cannot be read. A damaged index only costs time, as it is rebuilt.
    pub(crate) loses_messages: bool,
    /// The earliest time of the affected messages, if it is known.
    #[schema(required)]
    pub(crate) from: Option<String>,
    /// The latest time of the affected messages, if it is known.
    #[schema(required)]
    pub(crate) to: Option<String>,
}

/// The result of reindexing a logspace.
#[derive(Default, Serialize, utoipa::ToSchema)]
pub(crate) struct Reindexing {
    /// Whether all indexes were rebuilt: a job that is cancelled does not finish, and damaged messages stay as they are.
    pub(crate) complete: bool,
    /// Indexes that were rebuilt.
    pub(crate) indexes: u64,
    /// The messages that they cover.
    pub(crate) messages: u64,
    /// The reasons why others were not rebuilt, at most 100.
    pub(crate) failures: Vec<String>,
    pub(crate) took_ms: u64,
    /// Whether some indexes were not even tried.
    #[serde(skip)]
    pub(crate) is_cut: bool,
}

/// The file that an export has written.
#[derive(Default, Serialize, Deserialize, utoipa::ToSchema)]
pub(crate) struct ExportedFile {
    /// The name for the file.
    pub(crate) name: String,
    /// The value of `Content-Type`.
    pub(crate) media_type: String,
    /// Its length.
    pub(crate) bytes: u64,
    /// The messages or rows in it.
    pub(crate) messages: u64,
    /// The number of values that cannot be read as the types of their columns, and are null.
    pub(crate) unfit: u64,
    /// The number of copies that are left out.
    pub(crate) copies: u64,
    /// How many matching messages are missing because they cannot be read, as far as that is known.
    pub(crate) missing: u64,
    /// The number of parts of the store that cannot be read.
    pub(crate) damaged_parts: u64,
    /// The first 100 of these parts.
    pub(crate) damaged: Vec<String>,
}

/// Long work that goes on without its client.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct Job {
    pub(crate) id: String,
    pub(crate) kind: JobKind,
    /// The user or token that started it.
    pub(crate) started_by: String,
    /// The logspaces that it works on.
    pub(crate) logspaces: Vec<String>,
    pub(crate) state: JobState,
    pub(crate) progress: JobProgress,
    pub(crate) created_at: String,
    /// When its turn came; null while it waits for its turn.
    #[schema(required)]
    pub(crate) started_at: Option<String>,
    /// When it ended; null until then. If the server was killed, the time at which it started again.
    #[schema(required)]
    pub(crate) finished_at: Option<String>,
    /// When it will be forgotten, if not before that to make room for others; null until it has ended.
    #[schema(required)]
    pub(crate) expires_at: Option<String>,
    /// The result; null as long as there is none.
    #[schema(required, value_type = Option<JobResult>)]
    pub(crate) result: Option<Box<RawValue>>,
    /// The reason why it failed; null if it did not.
    #[schema(required, value_type = Option<Problem>)]
    pub(crate) problem: Option<Box<RawValue>>,
}
