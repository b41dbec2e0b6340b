//! Requests that may be sent twice: by their `Idempotency-Key`, what was answered the first time. Pure: the caller brings the
//! time.
//!
//! **Invariant:** what a key was answered with is answered again for as long as the key is remembered, and nothing is stored
//! twice under it. Keys are remembered in memory, so a restart forgets them; their number is bounded, and the oldest are
//! forgotten first.

use crate::meta::Account;
use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

/// Most keys that are remembered.
const KEYS_MAX: usize = 10_000;
/// How long one is remembered.
const AGE_MAX: Duration = Duration::from_hours(24);
/// The longest key.
pub(super) const KEY_BYTES_MAX: usize = 255;

/// A key of an account, hashed.
pub(super) type Key = (Account, [u8; 32]);

/// What is remembered.
#[derive(Default)]
pub(in crate::api) struct Repeats {
    kept: HashMap<Key, Kept>,
    /// When each began, the oldest first.
    order: VecDeque<(Instant, Key)>,
}

struct Kept {
    /// A hash of the body.
    body: [u8; 32],
    state: State,
}

enum State {
    UnderWay,
    /// It failed after it had stored some batches, with this many messages.
    Partly(usize),
    Done(String),
}

/// What to do with a request.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Begin {
    /// Take it, without the first messages, which are stored already.
    Take(usize),
    /// The same is under way.
    UnderWay,
    /// Answer it like this.
    Again(String),
    /// The key came with another body before.
    Differs,
}

impl Repeats {
    /// A request with this key and body. One that is to be taken ends with [`Repeats::end`].
    pub(super) fn begin(&mut self, key: Key, body: [u8; 32], now: Instant) -> Begin {
        self.forget(now);
        if let Some(kept) = self.kept.get_mut(&key) {
            if kept.body != body {
                return Begin::Differs;
            }
            return match &kept.state {
                State::UnderWay => Begin::UnderWay,
                State::Done(answer) => Begin::Again(answer.clone()),
                State::Partly(taken) => {
                    let taken = *taken;
                    kept.state = State::UnderWay;
                    Begin::Take(taken)
                }
            };
        }
        self.kept.insert(key, Kept { body, state: State::UnderWay });
        self.order.push_back((now, key));
        Begin::Take(0)
    }

    /// It ended with this answer, or failed after this many messages were stored.
    pub(super) fn end(&mut self, key: Key, outcome: Result<String, usize>) {
        if let Some(kept) = self.kept.get_mut(&key) {
            kept.state = outcome.map_or_else(State::Partly, State::Done);
        }
    }

    fn forget(&mut self, now: Instant) {
        while let Some((began, key)) = self.order.front().copied() {
            let is_old = AGE_MAX < now.saturating_duration_since(began);
            if !is_old && self.order.len() < KEYS_MAX {
                return;
            }
            self.order.pop_front();
            self.kept.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: usize) -> Key {
        (Account::Token(1), *blake3::hash(&number.to_le_bytes()).as_bytes())
    }

    #[test]
    fn a_repeated_request_is_answered_as_before() {
        let (mut repeats, now) = (Repeats::default(), Instant::now());
        let (body, other) = ([1; 32], [2; 32]);
        assert_eq!(repeats.begin(key(1), body, now), Begin::Take(0));
        assert_eq!(repeats.begin(key(1), body, now), Begin::UnderWay);
        repeats.end(key(1), Err(8192));
        assert_eq!(repeats.begin(key(1), other, now), Begin::Differs);
        assert_eq!(repeats.begin(key(1), body, now), Begin::Take(8192), "it goes on where it failed");
        repeats.end(key(1), Ok("done".to_owned()));
        assert_eq!(repeats.begin(key(1), body, now), Begin::Again("done".to_owned()));
        let (_, hash) = key(1);
        assert_eq!(repeats.begin((Account::Token(2), hash), body, now), Begin::Take(0), "another's key");
        assert_eq!(repeats.begin(key(1), body, now + AGE_MAX * 2), Begin::Take(0));
    }

    #[test]
    fn the_oldest_keys_are_forgotten_first() {
        let (mut repeats, now) = (Repeats::default(), Instant::now());
        (0..KEYS_MAX + 10).for_each(|number| {
            repeats.begin(key(number), [0; 32], now);
            repeats.end(key(number), Ok(String::new()));
        });
        assert!(repeats.kept.len() <= KEYS_MAX && repeats.order.len() <= KEYS_MAX);
        assert_eq!(repeats.begin(key(KEYS_MAX + 9), [0; 32], now), Begin::Again(String::new()));
        assert_eq!(repeats.begin(key(0), [0; 32], now), Begin::Take(0));
    }
}
