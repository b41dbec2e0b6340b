//! A job as it is stored: everything that has to be known of it after a restart.
//!
//! Text of a record: `logstead job VERSION HASH`, a line feed, and a JSON object; `HASH` is BLAKE3 of the object.

use super::job::{ExportedFile, Job, JobKind, JobProgress, JobState};
use logstead_record::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::time::Duration;

/// The first words of a record.
const MAGIC: &str = "logstead job ";
const VERSION: u32 = 1;

/// A job.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct JobRecord {
    pub(crate) id: String,
    pub(crate) kind: JobKind,
    pub(crate) state: JobState,
    /// The account that started it, as in the audit log.
    pub(crate) account: String,
    /// The name of that account then.
    pub(crate) started_by: String,
    pub(crate) logspaces: Vec<String>,
    /// The filter that limited the account when it started the job.
    pub(crate) scope: Option<String>,
    pub(super) progress: JobProgress,
    /// Times in nanoseconds. No two jobs are created at the same time.
    pub(super) created: i64,
    pub(super) started: Option<i64>,
    pub(super) finished: Option<i64>,
    pub(super) result: Option<Box<RawValue>>,
    pub(super) problem: Option<Box<RawValue>>,
}

/// The reason why a record is not read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum UnreadRecord {
    /// A newer version wrote it.
    Newer,
    Damaged,
}

impl JobRecord {
    /// The job as clients see it, which is kept for this long once it has ended.
    pub(super) fn shown(self, kept: Duration) -> Job {
        let time = |nanos: i64| Timestamp::from_nanos(nanos).to_string();
        let kept = i64::try_from(kept.as_nanos()).unwrap_or(i64::MAX);
        Job {
            expires_at: self.finished.map(|finished| time(finished.saturating_add(kept))),
            id: self.id,
            kind: self.kind,
            started_by: self.started_by,
            logspaces: self.logspaces,
            state: self.state,
            progress: self.progress,
            created_at: time(self.created),
            started_at: self.started.map(time),
            finished_at: self.finished.map(time),
            result: self.result,
            problem: self.problem,
        }
    }

    /// Its place in the list of jobs, the newest first.
    pub(super) fn place(&self) -> i64 {
        -self.created
    }

    /// The file that it has written, if it is an export that is done.
    pub(super) fn exported(&self) -> Option<ExportedFile> {
        let result = self.result.as_ref().filter(|_| self.kind == JobKind::Export)?;
        serde_json::from_str(result.get()).ok()
    }

    /// The memory that its result takes.
    pub(super) fn bytes(&self) -> usize {
        [&self.result, &self.problem].into_iter().flatten().map(|value| value.get().len()).sum()
    }

    /// The text in which it is stored.
    pub(super) fn written(&self) -> serde_json::Result<String> {
        let body = serde_json::to_string(self)?;
        Ok(format!("{MAGIC}{VERSION} {}\n{body}", blake3::hash(body.as_bytes()).to_hex()))
    }

    /// Reads a stored text.
    pub(super) fn read(text: &[u8]) -> Result<JobRecord, UnreadRecord> {
        let text = std::str::from_utf8(text).map_err(|_| UnreadRecord::Damaged)?;
        let (head, body) = text.split_once('\n').ok_or(UnreadRecord::Damaged)?;
        let (version, hash) =
            head.strip_prefix(MAGIC).and_then(|rest| rest.split_once(' ')).ok_or(UnreadRecord::Damaged)?;
        if *hash != *blake3::hash(body.as_bytes()).to_hex() {
            return Err(UnreadRecord::Damaged);
        }
        match version.parse::<u32>() {
            Ok(VERSION) => serde_json::from_str(body).map_err(|_| UnreadRecord::Damaged),
            Ok(version) if VERSION < version => Err(UnreadRecord::Newer),
            _ => Err(UnreadRecord::Damaged),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) fn record(created: i64) -> JobRecord {
        JobRecord {
            id: format!("job{created}"),
            kind: JobKind::Verify,
            state: JobState::Running,
            account: "token:1".to_owned(),
            started_by: "token:ops".to_owned(),
            logspaces: vec!["main".to_owned()],
            scope: None,
            progress: JobProgress::default(),
            created,
            started: None,
            finished: None,
            result: Some(RawValue::from_string("{\"intact\":true}".to_owned()).unwrap()),
            problem: None,
        }
    }

    #[test]
    fn a_record_is_read_as_it_was_written_and_any_other_text_is_damage() {
        let text = record(7).written().unwrap();
        let read = JobRecord::read(text.as_bytes()).unwrap();
        assert_eq!(format!("{read:?}"), format!("{:?}", record(7)));
        for end in 0..text.len() {
            assert_eq!(JobRecord::read(&text.as_bytes()[..end]).unwrap_err(), UnreadRecord::Damaged);
        }
        // The version is not part of what is hashed, so that any version can be told from damage.
        let hashed = text.find(' ').unwrap() + "job 1 ".len() + 1;
        for at in hashed..text.len() {
            let mut flipped = text.clone().into_bytes();
            flipped[at] ^= 1;
            assert_eq!(JobRecord::read(&flipped).unwrap_err(), UnreadRecord::Damaged, "{at}");
        }
        let newer = text.replacen("job 1 ", "job 2 ", 1);
        assert_eq!(JobRecord::read(newer.as_bytes()).unwrap_err(), UnreadRecord::Newer);
    }
}
