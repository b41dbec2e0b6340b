//! Follows a data directory to which another process writes: reads it once a second, and prints new messages.
//!
//! **Invariant:** no message comes twice, and none is left out silently: each read continues at the sequence where the
//! last one ended, and reports missing messages.

use super::failure::{CommandFailure, Result};
use super::question::{refused, to_the_end};
use super::{store, text};
use logstead_flow::machine::clock;
use logstead_indexer::{FollowEvent, Follower, Hit, Searcher};
use logstead_query::{TimeRange, Unparsed, parse_asked};
use logstead_questions::store::{Copies, SearchCriteria, StreamedStages};
use logstead_questions::wire::message::MessageJson;
use logstead_work::{Pool, SearchContext};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// The interval at which the directory is read.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);

/// The query to follow, and the number of the newest messages to start with.
pub(super) struct DirectoryTail<'a> {
    pub(super) data: &'a Path,
    pub(super) query: (&'a str, Unparsed),
    pub(super) logspaces: &'a [String],
    pub(super) last: usize,
}

impl DirectoryTail<'_> {
    /// Prints messages as they are stored, until printing fails.
    pub(super) fn run(&self, print: &mut dyn FnMut(&Value) -> Result<()>) -> Result<()> {
        let (query, unparsed) = self.query;
        let search = parse_asked(query, unparsed).map_err(|error| refused(&error, query))?;
        let pipeline = &search.pipeline;
        pipeline.streams().map_err(CommandFailure::no)?;
        let passing = StreamedStages::new(pipeline, clock::now());
        let passing = passing.as_ref();
        search.warnings.iter().for_each(|warning| text::error(&format!("warning: {}", warning.message)));
        let copies = Copies::of(pipeline);
        let wanted =
            || SearchCriteria { query: &pipeline.filter, range: TimeRange::ALL, now: clock::now(), copies };
        let lanes = Pool::new(logstead_flow::machine::cores());
        let run = to_the_end(&lanes);
        let logspaces = store::logspaces(self.data, self.logspaces)?;
        let begun = logspaces.follow_after_newest(wanted(), passing, self.last, &run);
        let (followers, newest) = begun.unwrap_or_default();
        newest.iter().try_for_each(|(id, hit)| print(&value(id, hit)?))?;
        let mut next: BTreeMap<String, u64> =
            followers.into_iter().map(|(id, follower)| (id, follower.next)).collect();
        loop {
            std::thread::sleep(LOOK_INTERVAL);
            let logspaces = store::logspaces(self.data, self.logspaces)?;
            // A new logspace is followed from its first message.
            let from = |id: &str, _: &Searcher| Some(next.get(id).copied().unwrap_or_default());
            for (id, follower) in logspaces.follow(wanted(), from, &run).unwrap_or_default() {
                let end = show(&id, follower, passing, &run, print)?;
                next.insert(id, end);
            }
        }
    }
}

/// Prints the matching messages of a logspace; returns the sequence to continue at.
fn show(
    id: &str,
    mut follower: Follower,
    passing: Option<&StreamedStages>,
    run: &SearchContext<'_>,
    print: &mut dyn FnMut(&Value) -> Result<()>,
) -> Result<u64> {
    let mut printed = Ok(());
    follower.read(run, &mut |followed| {
        match followed {
            FollowEvent::Messages { matched: Some(matched), .. } => {
                for row in matched.rows.iter() {
                    let (batch, sequence) = (Arc::clone(matched.batch), matched.first_sequence + row as u64);
                    let hit = Hit { sequence, time: batch.time(row), batch, row };
                    let hit = match passing {
                        Some(passing) => passing.hits_of(id, vec![hit]).pop(),
                        None => Some(hit),
                    };
                    let Some(hit) = hit else { continue };
                    printed = value(id, &hit).and_then(|message| print(&message));
                    if printed.is_err() {
                        return ControlFlow::Break(sequence);
                    }
                }
            }
            FollowEvent::Messages { matched: None, .. } => {}
            FollowEvent::Missing { sequences, why, .. } => {
                let messages = sequences.end - sequences.start;
                text::error(&format!("warning: {id}: {messages} messages are missing: {why}"));
            }
        }
        ControlFlow::Continue(())
    });
    printed.map(|()| follower.next)
}

fn value(id: &str, hit: &Hit) -> Result<Value> {
    serde_json::to_value(MessageJson::new(id, hit)).map_err(CommandFailure::environment)
}
