//! One turn of a tail, which turns stored messages into events.
//!
//! **Invariant:** an event's position is after everything that was sent or skipped before it, so that a client that
//! continues there sees each message once. Counts add up: stored, of these matched, of these sent.
//! **Invariant:** a turn ends after a short time and a limited amount of text, however much there is.

use crate::question::cancel::Cancel;
use crate::tail::position::TailPosition;
use crate::tail::sampling::{Sampling, one_in};
use crate::tail::wire::{TailEvent, TailGap, TailMessages, TailStatus, event};
use axum::body::Bytes;
use logstead_indexer::{FollowEvent, Follower, Hit, MatchedRows};
use logstead_questions::store::StreamedStages;
use logstead_questions::wire::message::MessageJson;
use logstead_record::Timestamp;
use logstead_work::SearchContext;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Maximum number of messages in an event.
pub(crate) const EVENT_MESSAGES_MAX: usize = 500;
/// An event is sent once its messages, as received, are longer than this.
const EVENT_BYTES_MAX: usize = 256 << 10;
/// A turn ends once its events are longer than this …
const TURN_BYTES_MAX: usize = 1 << 20;
/// … or after this time.
const TURN_TIME_MAX: Duration = Duration::from_millis(50);

/// The logspaces that are followed, and the counts to report about them.
pub(crate) struct TailFollowers {
    followers: Vec<Follower>,
    events: EventBuilder,
    /// The index of the logspace to read first in the next turn.
    first: usize,
    /// For each logspace, the sequence below which messages were stored before the tail began.
    backlog_ends: Vec<u64>,
}

/// The events that are being built.
struct EventBuilder {
    sampling: Sampling,
    /// The stages that messages pass through before they are sent.
    passing: Option<Arc<StreamedStages>>,
    counts: TailCounts,
    position: TailPosition,
    logspaces: Vec<String>,
    messages: Vec<MessageJson>,
    messages_bytes: usize,
    ready: Vec<Bytes>,
    ready_bytes: usize,
    turn_ends: Instant,
}

/// Counts since the last status.
#[derive(Default)]
struct TailCounts {
    received: u64,
    matched: u64,
    shown: u64,
    last_match: Option<Timestamp>,
}

impl TailFollowers {
    pub(crate) fn new(
        sampling: Sampling,
        passing: Option<StreamedStages>,
        followers: impl IntoIterator<Item = (String, Follower)>,
    ) -> TailFollowers {
        let events = EventBuilder {
            sampling,
            passing: passing.map(Arc::new),
            counts: TailCounts::default(),
            position: TailPosition::default(),
            logspaces: Vec::new(),
            messages: Vec::new(),
            messages_bytes: 0,
            ready: Vec::new(),
            ready_bytes: 0,
            turn_ends: Instant::now(),
        };
        let mut following =
            TailFollowers { followers: Vec::new(), events, first: 0, backlog_ends: Vec::new() };
        followers.into_iter().for_each(|(logspace, follower)| following.add(logspace, follower));
        following
    }

    pub(crate) fn add(&mut self, logspace: String, mut follower: Follower) {
        let stored = follower.next + follower.behind();
        self.events.position.add(logspace.clone(), follower.next);
        self.events.logspaces.push(logspace);
        if follower.is_ahead() {
            follower.go_to_end();
            self.events.position.set(self.followers.len(), follower.next);
            let reason = "the position is beyond what is stored: the store was replaced by an older one";
            self.events.gap(0, reason);
        }
        self.backlog_ends.push(stored.min(follower.next + follower.behind()));
        self.followers.push(follower);
    }

    /// Replaces the question of each follower.
    pub(crate) fn ask(&mut self, mut ask: impl FnMut(&str, &mut Follower)) {
        let each = self.events.logspaces.iter().zip(&mut self.followers);
        each.for_each(|(logspace, follower)| ask(logspace, follower));
    }

    pub(crate) fn follows(&self, logspace: &str) -> bool {
        self.events.logspaces.iter().any(|id| id == logspace)
    }

    pub(crate) fn logspaces(&self) -> &[String] {
        &self.events.logspaces
    }

    /// Reads newly stored messages; returns the events to send, and whether more messages are available.
    pub(crate) fn turn(&mut self, cancel: &Cancel) -> (Vec<Bytes>, bool) {
        let TailFollowers { followers, events, first, .. } = self;
        events.turn_ends = Instant::now() + TURN_TIME_MAX;
        let run = SearchContext { lanes: SearchContext::alone().lanes, ..cancel.run() };
        let count = followers.len();
        for at in (0..count).map(|number| (*first + number) % count) {
            followers[at].read(&run, &mut |followed| events.take(at, followed));
        }
        *first = (*first + 1) % count.max(1);
        events.send_messages();
        if self.followers.iter().zip(&self.backlog_ends).all(|(follower, end)| *end <= follower.next) {
            self.events.sampling.end_backlog();
        }
        self.events.ready_bytes = 0;
        (std::mem::take(&mut self.events.ready), 0 < self.behind())
    }

    fn behind(&self) -> u64 {
        self.followers.iter().map(Follower::behind).sum()
    }

    /// The status event for the time since the last one.
    pub(crate) fn status(&mut self) -> Bytes {
        let behind = self.behind();
        let counts = &mut self.events.counts;
        let status = TailStatus {
            received: std::mem::take(&mut counts.received),
            sampled_one_in: one_in(counts.matched, counts.shown),
            matched: std::mem::take(&mut counts.matched),
            shown: std::mem::take(&mut counts.shown),
            behind,
            last_match: counts.last_match.map(|time| time.to_string()),
        };
        event(Some(&self.events.position), &TailEvent::Status(status))
    }

    /// Turns messages that were stored before the position into events.
    pub(crate) fn stored_before(&mut self, messages: &[(String, Hit)]) -> Vec<Bytes> {
        for (logspace, hit) in messages {
            self.events.push(logspace, hit);
        }
        self.events.send_messages();
        self.events.ready_bytes = 0;
        std::mem::take(&mut self.events.ready)
    }
}

impl EventBuilder {
    /// Handles an event of following one of the logspaces.
    fn take(&mut self, at: usize, followed: FollowEvent<'_>) -> ControlFlow<u64> {
        match followed {
            FollowEvent::Missing { sequences, why, .. } => {
                self.send_messages();
                self.pass(at, &sequences);
                self.gap(sequences.end - sequences.start, why);
            }
            FollowEvent::Messages { sequences, matched } => {
                let end =
                    matched.map_or(sequences.end, |matched| self.take_matched(at, &sequences, &matched));
                self.pass(at, &(sequences.start..end));
                if end < sequences.end || self.is_turn_over() {
                    return ControlFlow::Break(end);
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Adds matching messages, and returns the sequence at which it stopped.
    fn take_matched(&mut self, at: usize, sequences: &Range<u64>, matched: &MatchedRows<'_>) -> u64 {
        let now = Instant::now();
        let passing = self.passing.clone();
        let passed = passing.map(|passing| passing.rows(matched.batch, matched.rows, &self.logspaces[at]));
        let rows: Vec<(usize, usize)> = match &passed {
            Some(passed) => passed.rows.iter().copied().enumerate().collect(),
            None => matched.rows.iter().map(|row| (row, row)).collect(),
        };
        let batch = passed.as_ref().map_or(matched.batch, |passed| &passed.batch);
        for (row, origin) in rows {
            let sequence = matched.first_sequence + origin as u64;
            let time = matched.batch.time(origin);
            self.counts.matched += 1;
            self.counts.last_match = Some(time);
            if !self.sampling.admits(now) {
                continue;
            }
            self.counts.shown += 1;
            let hit = Hit { sequence, time, batch: batch.clone(), row };
            self.position.set(at, sequence + 1);
            let logspace = std::mem::take(&mut self.logspaces[at]);
            self.push(&logspace, &hit);
            self.logspaces[at] = logspace;
            if TURN_BYTES_MAX <= self.ready_bytes {
                return sequence + 1;
            }
        }
        sequences.end
    }

    /// Notes that these sequences of a logspace were read.
    fn pass(&mut self, at: usize, sequences: &Range<u64>) {
        self.counts.received += sequences.end - sequences.start;
        self.position.set(at, sequences.end);
    }

    /// Adds a message. A full event is finished at once, so the position must already be after the message.
    fn push(&mut self, logspace: &str, hit: &Hit) {
        self.messages_bytes += hit.batch.message(hit.row).len();
        self.messages.push(MessageJson::new(logspace, hit));
        if EVENT_MESSAGES_MAX <= self.messages.len() || EVENT_BYTES_MAX <= self.messages_bytes {
            self.send_messages();
        }
    }

    fn send_messages(&mut self) {
        if !self.messages.is_empty() {
            let columns = self.passing.as_deref().and_then(StreamedStages::names);
            let messages = TailMessages { messages: std::mem::take(&mut self.messages), columns };
            self.messages_bytes = 0;
            self.send(event(Some(&self.position), &TailEvent::Messages(messages)));
        }
    }

    fn gap(&mut self, messages: u64, reason: &str) {
        let gap = TailGap { messages, reason: reason.to_owned() };
        self.send(event(Some(&self.position), &TailEvent::Gap(gap)));
    }

    fn send(&mut self, event: Bytes) {
        self.ready_bytes += event.len();
        self.ready.push(event);
    }

    fn is_turn_over(&self) -> bool {
        TURN_BYTES_MAX <= self.ready_bytes || self.turn_ends <= Instant::now()
    }
}
