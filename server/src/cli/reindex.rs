//! `logstead reindex`: rebuilds the indexes of segments from their messages.

use super::failure::{CommandFailure, Result};
use super::followed_job::work_on_each;
use super::progress::ByteProgress;
use super::remote::ServerArgs;
use super::store::StoreArgs;
use super::text;
use clap::Args;
use logstead_flow::machine::memory::Shares;
use logstead_indexer::{KeepError, OpenLogspace, TaskOutcome};
use logstead_work::{Lanes, Pool};
use parking_lot::Mutex;
use std::time::Instant;

pub(super) const EXAMPLES: &str = "Examples:
  logstead reindex
  logstead reindex --data /var/lib/logstead --logspace main
  logstead reindex --server http://127.0.0.1:8080 --token TOKEN --logspace main

A running server rebuilds lost and damaged indexes by itself; this rebuilds all of them. Messages are only read.
With --server, the server rebuilds them while it is in use, one logspace after the other, each as a job, whose progress is shown.
Ctrl-C ends only this command: the job goes on, and `logstead job` follows or cancels it. Exit code 0: done; 1: messages are
damaged, so that an index could not be rebuilt; 3: the store is in use, the disk is full, the server cannot be reached, or a job was
ended.";

#[derive(Args, Debug)]
pub(super) struct Reindex {
    #[command(flatten)]
    store: StoreArgs,
    #[command(flatten)]
    server: ServerArgs,
    /// With --server: print the ids of the jobs and do not wait for them
    #[arg(long)]
    detach: bool,
}

impl Reindex {
    pub(super) fn run(&self) -> Result<()> {
        if let Some(remote) = self.store.server_of(&self.server)? {
            return work_on_each(&remote, "reindex", self.store.selected(), self.detach);
        }
        if self.detach {
            return Err(CommandFailure::no("--detach is for a server: give --server URL"));
        }
        let store = self.store.open()?;
        let lanes = Pool::new(Shares::of_process(&store.settings).sealers - 1);
        let mut failed = RebuildFailures::default();
        for (id, opened) in &store.logspaces {
            failed.add(reindex(id, opened, &lanes)?);
        }
        failed.told()
    }
}

/// The number of indexes that could not be rebuilt.
#[derive(Clone, Copy, Default)]
struct RebuildFailures {
    indexes: usize,
    /// The number of those that failed because the disk failed or is full.
    of_disk: usize,
}

impl RebuildFailures {
    fn add(&mut self, more: RebuildFailures) {
        self.indexes += more.indexes;
        self.of_disk += more.of_disk;
    }

    /// Returns the failure, if any. The disk belongs to the environment; damaged messages are an answer.
    fn told(&self) -> Result<()> {
        let told = format!("{} indexes could not be rebuilt", self.indexes);
        match (self.indexes, self.of_disk) {
            (0, _) => Ok(()),
            (_, 0) => Err(CommandFailure::no(told)),
            _ => Err(CommandFailure::environment(told)),
        }
    }
}

fn reindex(id: &str, opened: &OpenLogspace, lanes: &Pool) -> Result<RebuildFailures> {
    let started = Instant::now();
    let tasks = opened.keeper.reindex_tasks();
    let stats = opened.searcher.stats();
    let progress = ByteProgress::new(&format!("reindex {id}"), Some(stats.blocks_bytes));
    let each_bytes = stats.blocks_bytes / (tasks.len().max(1) as u64);
    let (messages, failures) = (Mutex::new(0), Mutex::new(Vec::new()));
    lanes.run(tasks.len(), &|number| {
        let task = &tasks[number];
        match opened.keeper.run(task, &|| false) {
            Ok(TaskOutcome::Reindexed { messages: indexed }) => *messages.lock() += indexed,
            Ok(_) => {}
            Err(error) => {
                let is_of_disk = matches!(error, KeepError::Disk(_) | KeepError::Late(_));
                failures.lock().push((is_of_disk, format!("{id}: could not {}: {error}", task.describe())));
            }
        }
        progress.add(each_bytes);
    });
    drop(progress);
    let failures = failures.into_inner();
    failures.iter().for_each(|(_, failure)| text::error(failure));
    let (indexed, seconds) = (tasks.len() - failures.len(), started.elapsed().as_secs_f64());
    let messages = messages.into_inner();
    let line = format!("{id}: {indexed} indexes of {messages} messages were rebuilt in {seconds:.1} s");
    text::line(&line)?;
    let of_disk = failures.iter().filter(|(is_of_disk, _)| *is_of_disk).count();
    Ok(RebuildFailures { indexes: failures.len(), of_disk })
}
