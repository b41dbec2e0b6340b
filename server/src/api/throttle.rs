//! Makes guessing passwords slow: after some failures one has to wait, each time twice as long. Pure: the caller
//! brings the clock.
//!
//! **Invariant:** it holds at most [`KEYS_MAX`] names and addresses, whoever tries whatever.

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::{Duration, Instant};

/// Failures that cost nothing, of one name from one address.
const FREE_PER_NAME: u32 = 5;
/// Failures that cost nothing, of all names from one address.
const FREE_PER_ADDRESS: u32 = 20;
/// The first wait; it doubles with every failure.
const WAIT: Duration = Duration::from_secs(5);
/// The longest wait.
const WAIT_MAX: Duration = Duration::from_secs(300);
/// Failures are forgotten after this long without another.
const FORGET_AFTER: Duration = Duration::from_secs(900);
/// So many names and addresses are remembered; then the one that failed longest ago is forgotten.
const KEYS_MAX: usize = 10_000;

/// Who failed to log in how often.
#[derive(Default)]
pub(crate) struct Throttle {
    failures: HashMap<Key, Failures>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    address: Option<IpAddr>,
    /// `None` counts all names.
    name: Option<String>,
}

struct Failures {
    count: u32,
    last: Instant,
}

impl Throttle {
    /// How long this name and address have to wait before they may try again.
    pub(crate) fn wait(&self, name: &str, address: Option<IpAddr>, now: Instant) -> Option<Duration> {
        let waits = keys(name, address).map(|(key, free)| {
            let failures = self.failures.get(&key)?;
            let until = failures.last + wait_after(failures.count, free)?;
            until.checked_duration_since(now).filter(|wait| !wait.is_zero())
        });
        waits.into_iter().flatten().max()
    }

    /// They tried in vain.
    pub(crate) fn failed(&mut self, name: &str, address: Option<IpAddr>, now: Instant) {
        for (key, _) in keys(name, address) {
            self.make_room(now);
            let failures = self.failures.entry(key).or_insert(Failures { count: 0, last: now });
            failures.count = failures.count.saturating_add(1);
            failures.last = now;
        }
    }

    /// They got in: this name's failures are forgotten.
    pub(crate) fn succeeded(&mut self, name: &str, address: Option<IpAddr>) {
        let [(key, _), _] = keys(name, address);
        self.failures.remove(&key);
    }

    fn make_room(&mut self, now: Instant) {
        if self.failures.len() < KEYS_MAX {
            return;
        }
        self.failures.retain(|_, failures| now.saturating_duration_since(failures.last) < FORGET_AFTER);
        if KEYS_MAX <= self.failures.len() {
            let oldest = self.failures.iter().min_by_key(|(_, failures)| failures.last);
            if let Some(key) = oldest.map(|(key, _)| key.clone()) {
                self.failures.remove(&key);
            }
        }
    }
}

fn keys(name: &str, address: Option<IpAddr>) -> [(Key, u32); 2] {
    // A name can be as long as a body; users' names are short.
    let name: String = name.chars().take(64).flat_map(char::to_lowercase).collect();
    [(Key { address, name: Some(name) }, FREE_PER_NAME), (Key { address, name: None }, FREE_PER_ADDRESS)]
}

fn wait_after(count: u32, free: u32) -> Option<Duration> {
    let doublings = count.checked_sub(free)?;
    Some(WAIT.saturating_mul(2_u32.saturating_pow(doublings)).min(WAIT_MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOME: Option<IpAddr> = Some(IpAddr::V4(std::net::Ipv4Addr::LOCALHOST));

    fn after_failures(count: usize, name: impl Fn(usize) -> String) -> (Throttle, Instant) {
        let mut throttle = Throttle::default();
        let now = Instant::now();
        for at in 0..count {
            throttle.failed(&name(at), HOME, now);
        }
        (throttle, now)
    }

    fn check(failures: usize, expected_seconds: Option<u64>) {
        let (throttle, now) = after_failures(failures, |_| "ana".to_owned());
        assert_eq!(throttle.wait("Ana", HOME, now), expected_seconds.map(Duration::from_secs));
    }

    #[test]
    fn waits_double_after_the_first_failures() {
        check(0, None);
        check(4, None);
        check(5, Some(5));
        check(6, Some(10));
        check(19, Some(300));
    }

    #[test]
    fn a_wait_ends_and_success_ends_it_too() {
        let (mut throttle, now) = after_failures(5, |_| "ana".to_owned());
        assert_eq!(throttle.wait("ana", HOME, now + WAIT), None);
        assert_eq!(throttle.wait("ana", None, now), None, "from elsewhere");
        assert_eq!(throttle.wait("bo", HOME, now), None, "another name");
        throttle.succeeded("ana", HOME);
        assert_eq!(throttle.wait("ana", HOME, now), None);
    }

    #[test]
    fn trying_many_names_from_one_address_is_slow_too() {
        let (throttle, now) = after_failures(20, |at| format!("user{at}"));
        assert_eq!(throttle.wait("another", HOME, now), Some(WAIT));
    }

    #[test]
    fn memory_is_bounded() {
        let (throttle, _) = after_failures(KEYS_MAX + 50, |at| format!("user{at}"));
        assert!(throttle.failures.len() <= KEYS_MAX);
    }
}
