//! Tries again to open what a start had to do without: the live document is made live once more, which leaves
//! alone what runs and opens what does not.

use super::apply::Demand;
use super::{Change, Pipeline};
use std::sync::{Arc, Weak};
use std::time::Duration;

/// Waits between tries double from the first to the last.
const WAIT_FIRST: Duration = Duration::from_millis(500);
const WAIT_MAX: Duration = Duration::from_secs(30);

/// Starts a thread that tries until everything is open; none where everything is.
pub(super) fn start(pipeline: &Arc<Pipeline>) -> std::io::Result<()> {
    if !is_worthwhile(pipeline) {
        return Ok(());
    }
    let pipeline = Arc::downgrade(pipeline);
    std::thread::Builder::new().name("listeners".to_owned()).spawn(move || run(&pipeline)).map(drop)
}

fn run(pipeline: &Weak<Pipeline>) {
    let mut wait = WAIT_FIRST;
    loop {
        // It holds nothing meanwhile, so no stop waits for it.
        std::thread::sleep(wait);
        wait = (wait * 2).min(WAIT_MAX);
        match pipeline.upgrade() {
            Some(pipeline) if !pipeline.stop_requested() && try_again(&pipeline) => {}
            _ => return,
        }
    }
}

fn is_worthwhile(pipeline: &Pipeline) -> bool {
    pipeline.running.load().failed.iter().any(|failed| !failed.is_final)
}

/// Says whether something is left to be opened.
fn try_again(pipeline: &Pipeline) -> bool {
    if !is_worthwhile(pipeline) {
        return false;
    }
    let running = pipeline.running.load_full();
    let live = &running.live;
    let change =
        Change { toml: live.toml.clone(), document: live.document.clone(), checked: (*live.checked).clone() };
    let revision = live.revision;
    match pipeline.prepare_with(Demand::WhatCan, change, Some(revision)) {
        Ok(prepared) => {
            prepared.commit(revision);
            is_worthwhile(pipeline)
        }
        Err(error) => {
            tracing::debug!("listeners could not be tried again: {error}");
            true
        }
    }
}
