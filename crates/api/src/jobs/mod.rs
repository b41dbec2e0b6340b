//! Long work that goes on without its client: verifying, reindexing, large exports.
//!
//! | module     | owns                                                                    |
//! |------------|-------------------------------------------------------------------------|
//! | `job`      | a job as clients see it, and its results                                |
//! | `record`   | a job as it is stored                                                   |
//! | `folder`   | the files of the records                                                |
//! | `control`  | how a running job tells its progress, and learns that it has to end     |
//! | `registry` | all jobs: which may start, which are kept and for how long              |
//! | `export_files` | the files of exports                                               |
//! | `download` | downloads of these files                                                 |
//! | `start`    | starting a job, its turn and its end                                    |
//! | `calls`    | the operations on jobs, and who may see which                           |
//!
//! **Invariant:** a job is `done` only if its work was finished. Whatever ended it otherwise is its state: an error, a
//! cancellation, or the end of the process ([why](../../../../docs/decisions/0044-jobs.md)).

pub(super) mod calls;
pub(super) mod control;
pub(super) mod download;
mod export_files;
mod folder;
pub(super) mod job;
mod record;
pub(super) mod registry;
pub(super) mod start;
