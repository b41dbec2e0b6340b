//! `logstead reindex`: rebuilds the indexes of segments from their messages.

use super::failure::Failure;
use super::progress::Progress;
use super::store::StoreArgs;
use super::text;
use crate::pipeline::sealer_count;
use clap::Args;
use logstead_indexer::{Done, Lanes, Opened, Pool};
use parking_lot::Mutex;
use std::time::Instant;

pub(super) const EXAMPLES: &str = "Examples:
  logstead reindex
  logstead reindex --data /var/lib/logstead --logspace main

A running server rebuilds lost and damaged indexes by itself; this rebuilds all of them. Messages are only read. Exit code 0:
done; 1: messages are damaged, so that an index could not be rebuilt; 3: the store is in use, or the disk is full.";

#[derive(Args, Debug)]
pub(super) struct Reindex {
    #[command(flatten)]
    store: StoreArgs,
}

impl Reindex {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let store = self.store.open()?;
        let lanes = Pool::new(sealer_count(store.settings.threads.sealers) - 1);
        let mut failed = 0;
        for (id, opened) in &store.logspaces {
            failed += reindex(id, opened, &lanes)?;
        }
        if failed == 0 { Ok(()) } else { Err(Failure::no(format!("{failed} indexes could not be rebuilt"))) }
    }
}

/// Returns how many indexes could not be rebuilt.
fn reindex(id: &str, opened: &Opened, lanes: &Pool) -> Result<usize, Failure> {
    let started = Instant::now();
    let tasks = opened.keeper.reindex_tasks();
    let stats = opened.searcher.stats();
    let progress = Progress::new(&format!("reindex {id}"), Some(stats.blocks_bytes));
    let each_bytes = stats.blocks_bytes / (tasks.len().max(1) as u64);
    let (messages, failures) = (Mutex::new(0), Mutex::new(Vec::new()));
    lanes.run(tasks.len(), &|number| {
        let task = &tasks[number];
        match opened.keeper.run(task, &|| false) {
            Ok(Done::Reindexed { messages: indexed }) => *messages.lock() += indexed,
            Ok(_) => {}
            Err(error) => failures.lock().push(format!("{id}: could not {}: {error}", task.describe())),
        }
        progress.add(each_bytes);
    });
    drop(progress);
    let failures = failures.into_inner();
    failures.iter().for_each(|failure| text::error(failure));
    let (indexed, seconds) = (tasks.len() - failures.len(), started.elapsed().as_secs_f64());
    let messages = messages.into_inner();
    let line = format!("{id}: {indexed} indexes of {messages} messages were rebuilt in {seconds:.1} s");
    text::line(&line).map_err(Failure::environment)?;
    Ok(failures.len())
}
