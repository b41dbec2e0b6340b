//! All jobs: which may start, which are kept and for how long.
//!
//! **Invariant:** the record of a job is on disk before anybody is told of it, and its end is on disk before anybody is
//! told that it ended.
//! **Invariant:** the number of jobs, and the memory that their results take, are bounded.

use super::control::JobControl;
use super::export_files::ExportFiles;
use super::folder::JobFolder;
use super::job::{Job, JobKind, JobProgress, JobResult, JobState};
use super::record::JobRecord;
use crate::error::{ApiError, Problem, Result};
use crate::problem_type::ProblemType;
use logstead_config::settings::StorageSettings;
use logstead_flow::request_id;
use logstead_record::Timestamp;
use parking_lot::Mutex;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// Maximum number of jobs that wait or run.
const UNFINISHED_MAX: usize = 32;
/// Maximum number of those that one account has started.
const UNFINISHED_OF_ONE_MAX: usize = 8;
/// Maximum number of jobs that are kept after their end.
const ENDED_MAX: usize = 200;
/// Maximum length of the results that are kept, apart from the newest one. It is part of the memory that the process
/// takes in any case.
const ENDED_BYTES_MAX: usize = 1 << 20;
/// How long a job is kept after its end.
const KEPT: Duration = Duration::from_secs(7 * 24 * 3600);
/// The time after which it is worth trying again to start a job.
const FULL_RETRY_SECONDS: u64 = 10;

/// All jobs.
pub(crate) struct JobRegistry {
    folder: JobFolder,
    /// The jobs by their time of creation.
    jobs: Mutex<BTreeMap<i64, KnownJob>>,
    /// The files of exports, which are removed with their jobs.
    pub(crate) files: Arc<ExportFiles>,
    /// How long exports are kept after their end.
    export_kept: Duration,
    ended: watch::Sender<()>,
}

struct KnownJob {
    record: JobRecord,
    /// The connection to the work, until it ends.
    control: Option<Arc<JobControl>>,
}

/// A job that is to start.
pub(crate) struct JobToStart {
    pub(crate) kind: JobKind,
    pub(crate) logspaces: Vec<String>,
    pub(crate) account: String,
    pub(crate) started_by: String,
    pub(crate) scope: Option<String>,
}

/// A job that may start.
#[derive(Clone)]
pub(super) struct AdmittedJob {
    pub(super) id: String,
    pub(super) control: Arc<JobControl>,
    created: i64,
}

/// The end of a job.
pub(super) struct JobEnd {
    pub(super) state: JobState,
    pub(super) result: Option<JobResult>,
    pub(super) problem: Option<Problem>,
}

impl JobRegistry {
    /// The jobs of a data directory. Those that had not ended were interrupted.
    pub(crate) fn open(data: &Path, storage: &StorageSettings, now: Timestamp) -> JobRegistry {
        let folder = JobFolder::new(data);
        let mut jobs = BTreeMap::new();
        for mut record in folder.read() {
            if !record.state.is_final() {
                (record.state, record.finished) = (JobState::Interrupted, Some(now.nanos()));
                write_or_log(&folder, &record);
            }
            jobs.insert(record.created, KnownJob { record, control: None });
        }
        let exported = |record: &&JobRecord| record.kind == JobKind::Export && record.state == JobState::Done;
        let kept = jobs.values().map(|known| &known.record).filter(exported).map(|record| record.id.clone());
        let registry = JobRegistry {
            folder,
            files: Arc::new(ExportFiles::open(data, storage.export_files_max, &kept.collect())),
            jobs: Mutex::new(jobs),
            export_kept: storage.export_files_age.duration(),
            ended: watch::Sender::new(()),
        };
        registry.tidy(now);
        registry
    }

    /// Admits a job, which then waits for its turn.
    pub(super) fn admit(&self, job: JobToStart, now: Timestamp) -> Result<AdmittedJob> {
        self.tidy(now);
        let control = Arc::new(JobControl::new(job.kind.unit()));
        let record = {
            let mut jobs = self.jobs.lock();
            check_room(&jobs, &job.account)?;
            let after_last = jobs.last_key_value().map_or(i64::MIN, |(last, _)| last.saturating_add(1));
            let record = JobRecord {
                id: request_id::Id::random().to_string(),
                kind: job.kind,
                state: JobState::Queued,
                account: job.account,
                started_by: job.started_by,
                logspaces: job.logspaces,
                scope: job.scope,
                progress: JobProgress::default(),
                created: now.nanos().max(after_last),
                started: None,
                finished: None,
                result: None,
                problem: None,
            };
            let known = KnownJob { record: record.clone(), control: Some(control.clone()) };
            jobs.insert(record.created, known);
            record
        };
        if let Err(error) = self.folder.write(&record) {
            self.jobs.lock().remove(&record.created);
            return Err(unwritable(&error));
        }
        Ok(AdmittedJob { id: record.id, control, created: record.created })
    }

    /// Notes that the turn of a job has come.
    pub(super) fn begin(&self, job: &AdmittedJob, now: Timestamp) {
        let record = {
            let mut jobs = self.jobs.lock();
            let Some(known) = jobs.get_mut(&job.created) else { return };
            known.record.started = Some(now.nanos());
            known.record.state = JobState::Running;
            known.record.clone()
        };
        write_or_log(&self.folder, &record);
    }

    /// Notes the end of a job.
    pub(super) fn finish(&self, job: &AdmittedJob, end: &JobEnd, now: Timestamp) {
        let Some(mut record) = self.jobs.lock().get(&job.created).map(|known| known.record.clone()) else {
            return;
        };
        record.state = end.state;
        record.finished = Some(now.nanos());
        record.progress = job.control.progress();
        record.result = end.result.as_ref().and_then(raw);
        record.problem = end.problem.as_ref().and_then(raw);
        write_or_log(&self.folder, &record);
        self.jobs.lock().insert(job.created, KnownJob { record, control: None });
        self.ended.send_replace(());
        self.tidy(now);
    }

    /// Asks a job to end. A job that has ended stays as it is.
    pub(super) fn cancel(&self, id: &str) {
        let jobs = self.jobs.lock();
        if let Some(control) =
            jobs.values().find(|known| known.record.id == id).and_then(|known| known.control.as_ref())
        {
            control.cancel();
        }
    }

    /// A job by its id.
    pub(super) fn get(&self, id: &str) -> Option<JobRecord> {
        let jobs = self.jobs.lock();
        jobs.values().find(|known| known.record.id == id).map(KnownJob::now)
    }

    /// All jobs, the newest first.
    pub(super) fn all(&self) -> Vec<JobRecord> {
        self.jobs.lock().values().rev().map(KnownJob::now).collect()
    }

    /// The job as clients see it.
    pub(super) fn shown(&self, job: JobRecord) -> Job {
        let kept = self.kept(job.kind);
        job.shown(kept)
    }

    fn kept(&self, kind: JobKind) -> Duration {
        match kind {
            JobKind::Verify | JobKind::Reindex => KEPT,
            JobKind::Export => self.export_kept,
        }
    }

    /// Forgets a job that has ended, with its file; `false` if it has not ended.
    pub(super) fn forget(&self, id: &str) -> bool {
        let mut jobs = self.jobs.lock();
        let found = jobs.values().find(|known| known.record.id == id);
        let Some((created, is_over)) = found.map(|known| (known.record.created, known.control.is_none()))
        else {
            return true;
        };
        if is_over {
            jobs.remove(&created);
            self.remove_files(id);
        }
        is_over
    }

    fn remove_files(&self, id: &str) {
        self.folder.remove(id);
        self.files.remove(id);
    }

    /// The job whose turn it is among those that read a whole logspace.
    pub(crate) fn upkeep(&self) -> Option<Job> {
        let jobs = self.jobs.lock();
        let is_at_it = |known: &&KnownJob| known.control.is_some() && known.record.started.is_some();
        let is_upkeep = |known: &&KnownJob| matches!(known.record.kind, JobKind::Verify | JobKind::Reindex);
        let found = jobs.values().filter(is_at_it).find(is_upkeep).map(KnownJob::now);
        found.map(|job| self.shown(job))
    }

    /// Returns once a job has ended, or is not known any more.
    pub(super) async fn ended(&self, id: &str) {
        let mut ended = self.ended.subscribe();
        while self.get(id).is_some_and(|job| !job.state.is_final()) {
            if ended.changed().await.is_err() {
                return;
            }
        }
    }

    /// Forgets the jobs that ended long ago, and the oldest ones if too many are kept.
    pub(crate) fn tidy(&self, now: Timestamp) {
        let mut jobs = self.jobs.lock();
        let (mut number, mut bytes, mut forgotten) = (0, 0, Vec::new());
        for known in jobs.values().rev().filter(|known| known.control.is_none()) {
            number += 1;
            bytes += known.record.bytes();
            let is_over = ENDED_MAX < number || 1 < number && ENDED_BYTES_MAX < bytes;
            let kept = i64::try_from(self.kept(known.record.kind).as_nanos()).unwrap_or(i64::MAX);
            let oldest_kept = now.nanos().saturating_sub(kept);
            if is_over || known.record.finished.is_none_or(|finished| finished < oldest_kept) {
                forgotten.push(known.record.created);
            }
        }
        for created in forgotten {
            if let Some(known) = jobs.remove(&created) {
                self.remove_files(&known.record.id);
            }
        }
    }
}

impl KnownJob {
    /// The job with its present progress.
    fn now(&self) -> JobRecord {
        let mut record = self.record.clone();
        if let Some(control) = &self.control {
            record.progress = control.progress();
            if control.is_cancelled() {
                record.state = JobState::Cancelling;
            }
        }
        record
    }
}

fn check_room(jobs: &BTreeMap<i64, KnownJob>, account: &str) -> Result<()> {
    let unfinished = || jobs.values().filter(|known| known.control.is_some());
    let of_one = unfinished().filter(|known| known.record.account == account).count();
    let (has, max) = match unfinished().count() {
        all if UNFINISHED_MAX <= all => ("there are", UNFINISHED_MAX),
        _ if UNFINISHED_OF_ONE_MAX <= of_one => ("you have", UNFINISHED_OF_ONE_MAX),
        _ => return Ok(()),
    };
    let detail =
        format!("{has} already {max} jobs that wait or run: wait until one has ended, or cancel one");
    Err(ApiError::new(ProblemType::TooManyJobs, detail).retry_after_seconds(FULL_RETRY_SECONDS))
}

fn raw(value: &impl Serialize) -> Option<Box<RawValue>> {
    to_raw_value(value).ok()
}

fn unwritable(error: &io::Error) -> ApiError {
    let kind = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => ProblemType::DiskFull,
        _ => ProblemType::NotWritable,
    };
    ApiError::new(kind, format!("the job cannot be recorded, so it is not started: {error}"))
}

/// Writes what has already happened.
fn write_or_log(folder: &JobFolder, record: &JobRecord) {
    if let Err(error) = folder.write(record) {
        let JobRecord { id, state, .. } = record;
        tracing::error!(
            "job {id} is {state}, which cannot be recorded, so it is not known after a restart: {error}"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_nanos(1_790_000_000_000_000_000);
    const DAY: i64 = 24 * 3600 * 1_000_000_000;

    fn open(data: &Path, now: Timestamp) -> JobRegistry {
        let settings =
            logstead_config::settings::load(&logstead_config::settings::Layers::default()).unwrap();
        JobRegistry::open(data, &settings.storage, now)
    }

    fn of(account: &str) -> JobToStart {
        JobToStart {
            kind: JobKind::Verify,
            logspaces: vec!["main".to_owned()],
            account: account.to_owned(),
            started_by: "ana".to_owned(),
            scope: None,
        }
    }

    fn end(state: JobState) -> JobEnd {
        JobEnd { state, result: None, problem: None }
    }

    fn states(registry: &JobRegistry) -> Vec<JobState> {
        registry.all().into_iter().map(|job| job.state).collect()
    }

    #[test]
    fn a_job_that_had_not_ended_is_interrupted_after_a_restart() {
        let data = tempfile::tempdir().unwrap();
        let registry = open(data.path(), NOW);
        let admit = || registry.admit(of("user:1"), NOW).unwrap();
        let (done, running, _queued) = (admit(), admit(), admit());
        registry.begin(&done, NOW);
        registry.finish(&done, &end(JobState::Done), NOW);
        registry.begin(&running, NOW);
        assert_eq!(states(&registry), [JobState::Queued, JobState::Running, JobState::Done]);
        for _ in 0..2 {
            let later = open(data.path(), NOW.saturating_add(DAY));
            assert_eq!(states(&later), [JobState::Interrupted, JobState::Interrupted, JobState::Done]);
            let finished = later.all().into_iter().map(|job| job.finished);
            let at = [DAY, DAY, 0].map(|after| Some(NOW.saturating_add(after).nanos()));
            assert_eq!(finished.collect::<Vec<_>>(), at);
        }
    }

    #[test]
    fn only_so_many_jobs_wait_and_each_account_has_a_part_of_them() {
        let data = tempfile::tempdir().unwrap();
        let registry = open(data.path(), NOW);
        let first = registry.admit(of("user:0"), NOW).unwrap();
        for _ in 1..UNFINISHED_OF_ONE_MAX {
            registry.admit(of("user:0"), NOW).unwrap();
        }
        let refused = registry.admit(of("user:0"), NOW).err().unwrap();
        assert!(refused.is(ProblemType::TooManyJobs) && refused.detail().starts_with("you have already 8"));
        registry.finish(&first, &end(JobState::Failed), NOW);
        registry.admit(of("user:0"), NOW).unwrap();
        for number in UNFINISHED_OF_ONE_MAX..UNFINISHED_MAX {
            registry.admit(of(&format!("user:{number}")), NOW).unwrap();
        }
        let refused = registry.admit(of("user:99"), NOW).err().unwrap();
        assert!(refused.detail().starts_with("there are already 32 jobs"), "{}", refused.detail());
    }

    #[test]
    fn ended_jobs_are_kept_for_a_week_and_only_so_many_of_them() {
        let data = tempfile::tempdir().unwrap();
        let registry = open(data.path(), NOW);
        let run = |now: Timestamp, bytes: usize| {
            let job = registry.admit(of("user:1"), now).unwrap();
            let failures = vec!["x".repeat(bytes)];
            let result =
                Some(JobResult::Reindex(crate::jobs::job::Reindexing { failures, ..Default::default() }));
            registry.finish(&job, &JobEnd { result, ..end(JobState::Done) }, now);
            job.id
        };
        let first = run(NOW, 0);
        registry.tidy(NOW.saturating_add(7 * DAY));
        assert!(registry.get(&first).is_some());
        registry.tidy(NOW.saturating_add(7 * DAY + 1));
        assert!(registry.get(&first).is_none());
        for _ in 0..=ENDED_MAX {
            run(NOW, 0);
        }
        assert_eq!(registry.all().len(), ENDED_MAX);
        // A large result is kept at the cost of the older jobs.
        let large = run(NOW, ENDED_BYTES_MAX + 1);
        assert_eq!(registry.all().into_iter().map(|job| job.id).collect::<Vec<_>>(), [large]);
        assert_eq!(std::fs::read_dir(data.path().join("jobs")).unwrap().count(), 1);
    }

    #[tokio::test]
    async fn whoever_waits_for_a_job_learns_of_its_end() {
        let data = tempfile::tempdir().unwrap();
        let registry = Arc::new(open(data.path(), NOW));
        let job = registry.admit(of("user:1"), NOW).unwrap();
        let waiting = {
            let (registry, id) = (registry.clone(), job.id.clone());
            tokio::spawn(async move {
                registry.ended(&id).await;
                registry.get(&id).unwrap().state
            })
        };
        registry.cancel(&job.id);
        assert_eq!(states(&registry), [JobState::Cancelling]);
        job.control.cancelled().await;
        registry.finish(&job, &end(JobState::Cancelled), NOW);
        assert_eq!(waiting.await.unwrap(), JobState::Cancelled);
        registry.ended(&job.id).await;
        registry.ended("never").await;
    }
}
