//! The state of one connection and its deadlines: reading, writing and answering update it, and the sweep queries it
//! to end connections that take too long.
//!
//! **Invariant:** whenever we wait for the peer, there is a time from which [`Deadlines::due`] says why it has to end.

use super::credit::Credit;
use super::limits::Timeouts;
use super::pace::RequestPace;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// The state and the deadlines of an open connection.
#[derive(Debug)]
pub struct Deadlines {
    /// The network to whose share of connections it counts; `None` if many peers may share an address.
    pub(super) network: Option<IpAddr>,
    timeouts: Timeouts,
    is_known: AtomicBool,
    /// Whether it can have several requests at a time (HTTP/2).
    is_shared: AtomicBool,
    state: Mutex<DeadlineState>,
    told: Notify,
}

#[derive(Debug)]
struct DeadlineState {
    phase: Phase,
    /// The time when the phase began.
    since: Instant,
    /// How many bytes of the current head have been read.
    head_bytes: usize,
    /// The number of requests that the API is handling, and of those whose bodies are stalled.
    requests: usize,
    resting_bodies: usize,
    /// The credit of the peer for reading our answers.
    writing: Credit,
    /// The credit of each request for reading its response, on a shared connection. There, a response that is not
    /// read does not block the connection, as each request has its own share of it.
    taking: BTreeMap<u64, Credit>,
    next_request: u64,
    pace: RequestPace,
    ending: Option<ConnectionEnd>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// A request is expected, or its head has begun to arrive.
    Head,
    /// The API is handling a request.
    Request,
    /// The last request was answered.
    Idle,
}

/// A request that the API is handling. Dropping it means that its response has been produced completely, though
/// perhaps not read, or that there will be none.
#[derive(Debug)]
pub(super) struct RequestInProgress {
    deadlines: Arc<Deadlines>,
    number: u64,
    /// How long a stranger's request has to wait, so that many of them cannot slow down others.
    pub(super) wait: Duration,
}

/// Why a connection is ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ConnectionEnd {
    /// The head of a request was not complete in time.
    HeadTooSlow,
    /// No further request came in time.
    Idle,
    /// The peer does not read the response.
    AnswerUnread,
    /// Another connection needed its place.
    GaveWay,
}

impl ConnectionEnd {
    /// Its name in the metrics.
    pub(super) fn reason(self) -> &'static str {
        match self {
            ConnectionEnd::HeadTooSlow => "header_timeout",
            ConnectionEnd::Idle => "idle_timeout",
            ConnectionEnd::AnswerUnread => "answer_unread",
            ConnectionEnd::GaveWay => "gave_way",
        }
    }
}

impl Deadlines {
    pub(super) fn new(network: Option<IpAddr>, timeouts: Timeouts, now: Instant) -> Deadlines {
        let state = DeadlineState {
            phase: Phase::Head,
            since: now,
            head_bytes: 0,
            requests: 0,
            resting_bodies: 0,
            writing: Credit::new(timeouts.stall),
            taking: BTreeMap::new(),
            next_request: 0,
            pace: RequestPace::new(now),
            ending: None,
        };
        let (is_known, is_shared, told) = (AtomicBool::new(false), AtomicBool::new(false), Notify::new());
        Deadlines { network, timeouts, is_known, is_shared, state: Mutex::new(state), told }
    }

    /// Notes that a caller was authenticated on this connection, which therefore no longer gives way to others.
    pub fn authenticated(&self) {
        self.is_known.store(true, Ordering::Relaxed);
    }

    /// Notes that the connection may have several requests at a time from now on. HTTP/2 detects the beginning of a
    /// head by itself.
    pub(super) fn shares(&self) {
        self.is_shared.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_shared(&self) -> bool {
        self.is_shared.load(Ordering::Relaxed)
    }

    /// Notes that bytes were read from the connection.
    pub(super) fn read(&self, bytes: usize, now: Instant) {
        if self.is_shared() {
            return;
        }
        let mut state = self.state.lock();
        if state.phase == Phase::Idle {
            state.enter(Phase::Head, now);
        }
        if state.phase == Phase::Head {
            state.head_bytes += bytes;
        }
    }

    /// How much of an incomplete head was read.
    pub(super) fn head_bytes(&self) -> usize {
        let state = self.state.lock();
        if state.phase == Phase::Head { state.head_bytes } else { 0 }
    }

    /// Notes that a complete head was read.
    pub(super) fn asked(self: &Arc<Deadlines>, now: Instant) -> RequestInProgress {
        let mut state = self.state.lock();
        if state.requests == 0 {
            state.enter(Phase::Request, now);
            state.writing = Credit::new(self.timeouts.stall);
        }
        state.requests += 1;
        let number = state.next_request;
        state.next_request += 1;
        let is_known = self.is_known.load(Ordering::Relaxed);
        let wait = if is_known { Duration::ZERO } else { state.pace.ask(now) };
        RequestInProgress { deadlines: self.clone(), number, wait }
    }

    /// Notes that a request is finished.
    fn answered(&self, number: u64, now: Instant) {
        let mut state = self.state.lock();
        state.taking.remove(&number);
        state.requests -= 1;
        if state.requests == 0 {
            state.enter(Phase::Idle, now);
        }
    }

    /// Notes that the peer has stopped sending a body, or has continued.
    pub(super) fn body_rests(&self, rests: bool) {
        let mut state = self.state.lock();
        state.resting_bodies = if rests { state.resting_bodies + 1 } else { state.resting_bodies - 1 };
    }

    /// A new credit for a body.
    pub(super) fn body_credit(&self) -> Credit {
        Credit::new(self.timeouts.stall)
    }

    /// Changes the peer's credit for reading our responses.
    pub(super) fn writing<T>(&self, change: impl FnOnce(&mut Credit) -> T) -> T {
        change(&mut self.state.lock().writing)
    }

    /// Whether the connection may give way to another: no caller has logged in on it, and it is not ending anyway.
    pub(super) fn is_stranger(&self) -> bool {
        !self.is_known.load(Ordering::Relaxed) && self.state.lock().ending.is_none()
    }

    /// Whether we are only waiting for the peer.
    pub(super) fn keeps_us_waiting(&self) -> bool {
        let state = self.state.lock();
        state.phase != Phase::Request
            || state.requests <= state.resting_bodies
            || state.writing.ends_at().is_some()
    }

    /// Why the connection has to end now, if it has to. A body that stalls is refused by its [reader](super::body),
    /// which can send a response.
    pub(super) fn due(&self, now: Instant) -> Option<ConnectionEnd> {
        let state = self.state.lock();
        let is_over = |end: Option<Instant>| end.is_some_and(|end| end <= now);
        let mut credits = state.taking.values().chain([&state.writing]);
        if credits.any(|credit| is_over(credit.ends_at())) {
            return Some(ConnectionEnd::AnswerUnread);
        }
        match state.phase {
            Phase::Head if state.since + self.timeouts.header <= now => Some(ConnectionEnd::HeadTooSlow),
            Phase::Idle if state.since + self.timeouts.idle <= now && state.writing.ends_at().is_none() => {
                Some(ConnectionEnd::Idle)
            }
            Phase::Head | Phase::Idle | Phase::Request => None,
        }
    }

    /// Ends the connection; only the first reason is kept. Returns whether this is the first.
    pub(super) fn end(&self, ending: ConnectionEnd) -> bool {
        let is_first = self.state.lock().ending.replace(ending).is_none();
        self.told.notify_one();
        is_first
    }

    /// Waits until the connection has to end.
    pub(super) async fn ended(&self) -> ConnectionEnd {
        loop {
            if let Some(ending) = self.state.lock().ending {
                return ending;
            }
            self.told.notified().await;
        }
    }
}

impl RequestInProgress {
    /// Notes that the response continues for as long as it is read, and that its reader may pause for a while.
    pub(super) fn answers_at_length(&self) {
        let mut state = self.deadlines.state.lock();
        state.writing = Credit::new(self.deadlines.timeouts.long_stall);
        state.taking.insert(self.number, Credit::new(self.deadlines.timeouts.long_stall));
    }

    /// On a shared connection: notes that a piece of the response is ready for the peer to take.
    pub(super) fn offered(&self, now: Instant) {
        let stall = self.deadlines.timeouts.stall;
        let mut state = self.deadlines.state.lock();
        state.taking.entry(self.number).or_insert_with(|| Credit::new(stall)).wait(now);
    }

    /// Notes that the peer took the piece, which has this many bytes.
    pub(super) fn taken(&self, bytes: usize, now: Instant) {
        if let Some(credit) = self.deadlines.state.lock().taking.get_mut(&self.number) {
            credit.moved(bytes, now);
        }
    }
}

impl Drop for RequestInProgress {
    fn drop(&mut self) {
        self.deadlines.answered(self.number, Instant::now());
    }
}

impl DeadlineState {
    fn enter(&mut self, phase: Phase, now: Instant) {
        (self.phase, self.since, self.head_bytes) = (phase, now, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::ManuallyDrop;
    use std::time::Duration;

    const SECOND: Duration = Duration::from_secs(1);
    const TIMEOUTS: Timeouts = Timeouts {
        header: Duration::from_secs(10),
        idle: Duration::from_secs(20),
        stall: Duration::from_secs(30),
        long_stall: Duration::from_secs(300),
    };

    fn check(what: &str, act: impl FnOnce(&Arc<Deadlines>, Instant), expected: Option<(u32, ConnectionEnd)>) {
        let start = Instant::now();
        let deadlines = Arc::new(Deadlines::new(None, TIMEOUTS, start));
        act(&deadlines, start);
        let due = |second: &u32| deadlines.due(start + *second * SECOND);
        let found = (0..1000).find_map(|second| Some((second, due(&second)?)));
        assert_eq!(found, expected, "{what}");
    }

    /// Begins a request that continues until the test ends it; returns its number.
    fn ask(deadlines: &Arc<Deadlines>, now: Instant) -> u64 {
        let turn = ManuallyDrop::new(deadlines.asked(now));
        turn.number
    }

    #[test]
    fn whatever_keeps_us_waiting_comes_to_its_end() {
        check("silence", |_, _| (), Some((10, ConnectionEnd::HeadTooSlow)));
        let half_a_head = |deadlines: &Arc<Deadlines>, start: Instant| deadlines.read(10, start + 9 * SECOND);
        check("half a head", half_a_head, Some((10, ConnectionEnd::HeadTooSlow)));
        let work = |deadlines: &Arc<Deadlines>, start: Instant| {
            ask(deadlines, start);
        };
        check("we take long", work, None);
        let answered = |deadlines: &Arc<Deadlines>, start: Instant| {
            let number = ask(deadlines, start);
            deadlines.answered(number, start + SECOND);
        };
        check("nothing more is asked", answered, Some((21, ConnectionEnd::Idle)));
        let next = |deadlines: &Arc<Deadlines>, start: Instant| {
            answered(deadlines, start);
            deadlines.read(10, start + 15 * SECOND);
        };
        check("half of the next head", next, Some((25, ConnectionEnd::HeadTooSlow)));
        let unread = |deadlines: &Arc<Deadlines>, start: Instant| {
            let number = ask(deadlines, start);
            deadlines.writing(|credit| credit.wait(start + SECOND));
            number
        };
        let unread_alone = |deadlines: &Arc<Deadlines>, start: Instant| {
            unread(deadlines, start);
        };
        check("an unread answer", unread_alone, Some((31, ConnectionEnd::AnswerUnread)));
        let unread_to_its_end = |deadlines: &Arc<Deadlines>, start: Instant| {
            let number = unread(deadlines, start);
            deadlines.answered(number, start + 2 * SECOND);
        };
        check("the unread end of an answer", unread_to_its_end, Some((31, ConnectionEnd::AnswerUnread)));
        let long = |deadlines: &Arc<Deadlines>, start: Instant| {
            let turn = ManuallyDrop::new(deadlines.asked(start));
            turn.answers_at_length();
            deadlines.writing(|credit| credit.wait(start));
        };
        check("an unread export", long, Some((300, ConnectionEnd::AnswerUnread)));
    }

    #[test]
    fn a_shared_connection_ends_when_nothing_is_asked_on_it_or_one_answer_is_not_taken() {
        let idle = |deadlines: &Arc<Deadlines>, start: Instant| {
            deadlines.shares();
            let (first, second) = (ask(deadlines, start), ask(deadlines, start));
            deadlines.answered(first, start + SECOND);
            deadlines.answered(second, start + 5 * SECOND);
            // These bytes are pings.
            deadlines.read(10, start + 15 * SECOND);
        };
        check("pings are not requests", idle, Some((25, ConnectionEnd::Idle)));
        let one_rests = |deadlines: &Arc<Deadlines>, start: Instant| {
            deadlines.shares();
            let turns = [(); 2].map(|()| ManuallyDrop::new(deadlines.asked(start)));
            turns[0].offered(start + SECOND);
            turns[1].offered(start + SECOND);
            turns[1].taken(1 << 20, start + 2 * SECOND);
        };
        check("one of two answers is not taken", one_rests, Some((31, ConnectionEnd::AnswerUnread)));
        let one_is_long = |deadlines: &Arc<Deadlines>, start: Instant| {
            deadlines.shares();
            let turn = ManuallyDrop::new(deadlines.asked(start));
            turn.answers_at_length();
            turn.offered(start);
        };
        check("an export that is not taken", one_is_long, Some((300, ConnectionEnd::AnswerUnread)));
        let given_up = |deadlines: &Arc<Deadlines>, start: Instant| {
            deadlines.shares();
            let number = ask(deadlines, start);
            ManuallyDrop::new(RequestInProgress {
                deadlines: deadlines.clone(),
                number,
                wait: Duration::ZERO,
            })
            .offered(start);
            deadlines.answered(number, start + SECOND);
        };
        check("the peer gave it up", given_up, Some((21, ConnectionEnd::Idle)));
    }

    #[test]
    fn who_is_known_and_who_keeps_us_waiting() {
        let now = Instant::now();
        let deadlines = Arc::new(Deadlines::new(None, TIMEOUTS, now));
        assert!(deadlines.keeps_us_waiting());
        let _first = deadlines.asked(now);
        assert!(!deadlines.keeps_us_waiting(), "we are at it");
        deadlines.body_rests(true);
        assert!(deadlines.keeps_us_waiting(), "its body does not come");
        let second = deadlines.asked(now);
        assert!(!deadlines.keeps_us_waiting(), "we are at the second");
        drop(second);
        assert!(deadlines.keeps_us_waiting());
        deadlines.body_rests(false);
        assert!(!deadlines.keeps_us_waiting());
        assert!(deadlines.is_stranger());
        deadlines.authenticated();
        assert!(!deadlines.is_stranger());
    }
}
