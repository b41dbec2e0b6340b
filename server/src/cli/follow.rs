//! Follows a data directory that another process writes: looks at it again and again, and prints what is new.
//!
//! **Invariant:** nothing comes twice and nothing is left out in silence: each look goes on at the sequence where the one
//! before it ended, and what is missing there is told.

use super::{Failure, store, text};
use crate::api::message::Message;
use crate::machine::clock;
use crate::machine::lanes::SharedLanes;
use logstead_indexer::{Filter, Followed, Follower, Hit, Order, Request, Run, Searcher};
use logstead_record::query::{Context, TimeRange, parse_search};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// How long until it is looked at again.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);

/// What to follow, and with how many of the newest messages to begin.
pub(super) struct Following<'a> {
    pub(super) data: &'a Path,
    pub(super) query: &'a str,
    pub(super) logspaces: &'a [String],
    pub(super) last: usize,
}

impl Following<'_> {
    /// Prints messages as they are stored, until printing fails.
    pub(super) fn run(&self, print: &mut dyn FnMut(&Value) -> Result<(), Failure>) -> Result<(), Failure> {
        let query = parse_search(self.query).map_err(|error| {
            let (line, column, _) = error.line_column(self.query);
            Failure::no(format!("query:{line}:{column}: {error}"))
        })?;
        query.warnings.iter().for_each(|warning| text::error(&format!("warning: {}", warning.message)));
        let filter = |logspace: &str| Filter::new(&query.query, &Context { now: clock::now(), logspace });
        let mut next: BTreeMap<String, u64> = BTreeMap::new();
        let looked = store::look(self.data, self.logspaces)?;
        let searchers: Vec<_> = looked.into_iter().map(|(id, looked)| (id, looked.searcher)).collect();
        newest(&searchers, &filter, self.last)?.iter().try_for_each(&mut *print)?;
        next.extend(searchers.into_iter().map(|(id, searcher)| (id, searcher.next_sequence())));
        loop {
            std::thread::sleep(LOOK_INTERVAL);
            // A logspace that is new since then is followed from its beginning.
            for (id, looked) in store::look(self.data, self.logspaces)? {
                let from = next.entry(id.clone()).or_default();
                *from = show(&id, looked.searcher, filter(&id), *from, print)?;
            }
        }
    }
}

/// The newest messages of all, oldest first.
fn newest(
    searchers: &[(String, Searcher)],
    filter: &dyn Fn(&str) -> Filter,
    limit: usize,
) -> Result<Vec<Value>, Failure> {
    let run = Run { cancelled: &|| false, lanes: &SharedLanes::default() };
    let mut hits: Vec<(&str, Hit)> = Vec::new();
    for (id, searcher) in searchers {
        let filter = &filter(id);
        let request = Request { filter, range: TimeRange::ALL, order: Order::Newest, limit, after: None };
        hits.extend(searcher.search(&request, &run).hits.into_iter().map(|hit| (id.as_str(), hit)));
    }
    hits.sort_by_key(|(_, hit)| (hit.time, hit.sequence));
    let first = hits.len().saturating_sub(limit);
    hits[first..].iter().map(|(id, hit)| value(id, hit)).collect()
}

/// Prints what a logspace holds from a sequence on that matches; says where to go on.
fn show(
    id: &str,
    searcher: Searcher,
    filter: Filter,
    from: u64,
    print: &mut dyn FnMut(&Value) -> Result<(), Failure>,
) -> Result<u64, Failure> {
    let run = Run { cancelled: &|| false, lanes: &SharedLanes::default() };
    let mut follower = Follower::new(searcher, filter, from);
    let mut printed = Ok(());
    follower.read(&run, &mut |followed| {
        match followed {
            Followed::Messages { matched: Some(matched), .. } => {
                for row in matched.rows.iter() {
                    let (batch, sequence) = (Arc::clone(matched.batch), matched.first_sequence + row as u64);
                    let hit = Hit { sequence, time: batch.time(row), batch, row };
                    printed = value(id, &hit).and_then(|message| print(&message));
                    if printed.is_err() {
                        return ControlFlow::Break(sequence);
                    }
                }
            }
            Followed::Messages { matched: None, .. } => {}
            Followed::Missing { sequences, why } => {
                let messages = sequences.end - sequences.start;
                text::error(&format!("warning: {id}: {messages} messages are missing: {why}"));
            }
        }
        ControlFlow::Continue(())
    });
    printed.map(|()| follower.next())
}

fn value(id: &str, hit: &Hit) -> Result<Value, Failure> {
    serde_json::to_value(Message::new(id, hit)).map_err(Failure::environment)
}
