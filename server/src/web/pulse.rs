//! The state of one connection and its deadline: reading, writing and answering update it, and the sweep that ends
//! what takes too long asks it.
//!
//! **Invariant:** whenever we wait for the peer, there is a time from which [`Pulse::due`] says why it has to end.

use super::credit::Credit;
use super::limits::Timeouts;
use super::pace::Pace;
use parking_lot::Mutex;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// An open connection.
#[derive(Debug)]
pub(crate) struct Pulse {
    /// The network whose share of connections it counts towards; `None` if many peers may share an address.
    pub(super) network: Option<IpAddr>,
    timeouts: Timeouts,
    is_known: AtomicBool,
    state: Mutex<State>,
    told: Notify,
}

#[derive(Debug)]
struct State {
    phase: Phase,
    /// Since when.
    since: Instant,
    /// The size so far of the head that is being read.
    head_bytes: usize,
    reading: Credit,
    writing: Credit,
    pace: Pace,
    ending: Option<Ending>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// A request is expected, or its head has started.
    Head,
    /// The API has the request.
    Request,
    /// The last request was answered.
    Idle,
}

/// Why a connection is ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ending {
    /// No complete head of a request in time.
    HeadTooSlow,
    /// No further request.
    Idle,
    /// The peer does not read the answer.
    AnswerUnread,
    /// Another connection needed its place.
    GaveWay,
}

impl Ending {
    /// Its name in the metrics.
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Ending::HeadTooSlow => "header_timeout",
            Ending::Idle => "idle_timeout",
            Ending::AnswerUnread => "answer_unread",
            Ending::GaveWay => "gave_way",
        }
    }
}

impl Pulse {
    pub(super) fn new(network: Option<IpAddr>, timeouts: Timeouts, now: Instant) -> Pulse {
        let state = State {
            phase: Phase::Head,
            since: now,
            head_bytes: 0,
            reading: Credit::new(timeouts.stall),
            writing: Credit::new(timeouts.stall),
            pace: Pace::new(now),
            ending: None,
        };
        let (is_known, told) = (AtomicBool::new(false), Notify::new());
        Pulse { network, timeouts, is_known, state: Mutex::new(state), told }
    }

    /// A caller was authenticated on this connection: it no longer gives way to others.
    pub(crate) fn authenticated(&self) {
        self.is_known.store(true, Ordering::Relaxed);
    }

    /// Something was read from the connection.
    pub(super) fn read(&self, bytes: usize, now: Instant) {
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

    /// A complete head was read. Returns how long a stranger's request waits, so that many of them cannot slow down
    /// others.
    pub(super) fn asked(&self, now: Instant) -> Duration {
        let mut state = self.state.lock();
        state.enter(Phase::Request, now);
        state.reading = Credit::new(self.timeouts.stall);
        state.writing = Credit::new(self.timeouts.stall);
        if self.is_known.load(Ordering::Relaxed) { Duration::ZERO } else { state.pace.ask(now) }
    }

    /// The answer has been produced completely, though perhaps not read.
    pub(super) fn answered(&self, now: Instant) {
        self.state.lock().enter(Phase::Idle, now);
    }

    /// The answer continues for as long as it is read, and its reader may pause for a while.
    pub(super) fn answers_at_length(&self) {
        self.state.lock().writing = Credit::new(self.timeouts.long_stall);
    }

    /// What the peer does with its body.
    pub(super) fn reading<T>(&self, change: impl FnOnce(&mut Credit) -> T) -> T {
        change(&mut self.state.lock().reading)
    }

    /// What the peer does with our answer.
    pub(super) fn writing<T>(&self, change: impl FnOnce(&mut Credit) -> T) -> T {
        change(&mut self.state.lock().writing)
    }

    /// Whether it could give way to another: nobody has logged in on it, and it is not ending anyway.
    pub(super) fn is_stranger(&self) -> bool {
        !self.is_known.load(Ordering::Relaxed) && self.state.lock().ending.is_none()
    }

    /// Whether we are only waiting for the peer.
    pub(super) fn keeps_us_waiting(&self) -> bool {
        let state = self.state.lock();
        state.phase != Phase::Request
            || state.reading.ends_at().is_some()
            || state.writing.ends_at().is_some()
    }

    /// Why it has to end now, if it has to. A body that stalls is refused by its [reader](super::body), which can
    /// answer.
    pub(super) fn due(&self, now: Instant) -> Option<Ending> {
        let state = self.state.lock();
        let is_over = |end: Option<Instant>| end.is_some_and(|end| end <= now);
        if is_over(state.writing.ends_at()) {
            return Some(Ending::AnswerUnread);
        }
        match state.phase {
            Phase::Head if state.since + self.timeouts.header <= now => Some(Ending::HeadTooSlow),
            Phase::Idle if state.since + self.timeouts.idle <= now && state.writing.ends_at().is_none() => {
                Some(Ending::Idle)
            }
            Phase::Head | Phase::Idle | Phase::Request => None,
        }
    }

    /// Ends the connection; the first reason counts. Says whether this is the first.
    pub(super) fn end(&self, ending: Ending) -> bool {
        let is_first = self.state.lock().ending.replace(ending).is_none();
        self.told.notify_one();
        is_first
    }

    /// Waits until it has to end.
    pub(super) async fn ended(&self) -> Ending {
        loop {
            if let Some(ending) = self.state.lock().ending {
                return ending;
            }
            self.told.notified().await;
        }
    }
}

impl State {
    fn enter(&mut self, phase: Phase, now: Instant) {
        (self.phase, self.since, self.head_bytes) = (phase, now, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const SECOND: Duration = Duration::from_secs(1);
    const TIMEOUTS: Timeouts = Timeouts {
        header: Duration::from_secs(10),
        idle: Duration::from_secs(20),
        stall: Duration::from_secs(30),
        long_stall: Duration::from_secs(300),
    };

    fn check(what: &str, act: impl FnOnce(&Pulse, Instant), expected: Option<(u32, Ending)>) {
        let start = Instant::now();
        let pulse = Pulse::new(None, TIMEOUTS, start);
        act(&pulse, start);
        let due = |second: &u32| pulse.due(start + *second * SECOND);
        let found = (0..1000).find_map(|second| Some((second, due(&second)?)));
        assert_eq!(found, expected, "{what}");
    }

    #[test]
    fn whatever_keeps_us_waiting_comes_to_its_end() {
        check("silence", |_, _| (), Some((10, Ending::HeadTooSlow)));
        let half_a_head = |pulse: &Pulse, start: Instant| pulse.read(10, start + 9 * SECOND);
        check("half a head", half_a_head, Some((10, Ending::HeadTooSlow)));
        let work = |pulse: &Pulse, start: Instant| {
            pulse.asked(start);
        };
        check("we take long", work, None);
        let answered = |pulse: &Pulse, start: Instant| {
            pulse.asked(start);
            pulse.answered(start + SECOND);
        };
        check("nothing more is asked", answered, Some((21, Ending::Idle)));
        let next = |pulse: &Pulse, start: Instant| {
            answered(pulse, start);
            pulse.read(10, start + 15 * SECOND);
        };
        check("half of the next head", next, Some((25, Ending::HeadTooSlow)));
        let unread = |pulse: &Pulse, start: Instant| {
            pulse.asked(start);
            pulse.writing(|credit| credit.wait(start + SECOND));
        };
        check("an unread answer", unread, Some((31, Ending::AnswerUnread)));
        let unread_to_its_end = |pulse: &Pulse, start: Instant| {
            unread(pulse, start);
            pulse.answered(start + 2 * SECOND);
        };
        check("the unread end of an answer", unread_to_its_end, Some((31, Ending::AnswerUnread)));
        let long = |pulse: &Pulse, start: Instant| {
            pulse.asked(start);
            pulse.answers_at_length();
            pulse.writing(|credit| credit.wait(start));
        };
        check("an unread export", long, Some((300, Ending::AnswerUnread)));
    }

    #[test]
    fn who_is_known_and_who_keeps_us_waiting() {
        let now = Instant::now();
        let pulse = Pulse::new(None, TIMEOUTS, now);
        assert!(pulse.keeps_us_waiting());
        pulse.asked(now);
        assert!(!pulse.keeps_us_waiting(), "we are at it");
        pulse.reading(|credit| credit.wait(now));
        assert!(pulse.keeps_us_waiting(), "its body does not come");
        assert!(pulse.is_stranger());
        pulse.authenticated();
        assert!(!pulse.is_stranger());
    }
}
