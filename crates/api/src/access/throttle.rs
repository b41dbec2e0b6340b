//! Slows down guessing of passwords: after some failures the next attempt has to wait, each time twice as long. Pure:
//! the caller passes in the time.
//!
//! | counted               | of                                        | free | longest wait |
//! |-----------------------|-------------------------------------------|------|--------------|
//! | a name from a network | failures of this name there               | 5    | 5 min        |
//! | a network             | failures of all names there               | 20   | 5 min        |
//! | a name                | failures of this name, wherever           | 20   | 1 min        |
//! | a known device        | its own failures, and nothing else counts | 5    | 5 min        |
//!
//! A network is an IPv4 address or an IPv6 /64. Guessing a user's password from many places slows down all unknown
//! browsers for that name; a browser in which the user has logged in before is not affected.
//!
//! **Invariant:** a success forgets only the failures of the one who succeeded: knowing one password does not buy more
//! guesses of another.
//! **Invariant:** each count has at most [`KEYS_MAX`] keys, and this forgets no failures: if there is no room, a new key
//! takes over the count of the smallest one ("space saving"), so a flood of names makes none of them cheaper.

use crate::web::network;
use std::collections::HashMap;
use std::net::IpAddr;
use std::time::{Duration, Instant};

/// The first wait; it doubles with every failure.
const WAIT: Duration = Duration::from_secs(5);
/// Failures are forgotten after this long without another.
const FORGET_AFTER: Duration = Duration::from_secs(900);
/// Maximum number of keys of each kind; lower in tests, which reach it.
const KEYS_MAX: usize = if cfg!(test) { 500 } else { 10_000 };
/// Maximum length of a name as a key. A name in a request can be as long as the body, but users' names are short.
const NAME_CHARS_MAX: usize = 64;

/// How many failures are free, and the longest wait after further ones.
struct FailureLimit {
    free: u32,
    wait_max: Duration,
}

/// The limits of each kind of key, in the order of [`Throttle::counts`].
const LIMITS: [FailureLimit; 4] = [
    FailureLimit { free: 5, wait_max: Duration::from_secs(300) },
    FailureLimit { free: 20, wait_max: Duration::from_secs(300) },
    FailureLimit { free: 20, wait_max: Duration::from_secs(60) },
    FailureLimit { free: 5, wait_max: Duration::from_secs(300) },
];
const NAME_AT: usize = 0;
const NETWORK: usize = 1;
const NAME: usize = 2;
const DEVICE: usize = 3;

/// An attempt to log in.
#[derive(Clone, Debug)]
pub(crate) struct LoginAttempt {
    name: String,
    network: Option<IpAddr>,
    /// The hash of the device's secret, if this user has logged in with it before.
    device: Option<[u8; 32]>,
}

/// The failed logins of each name, network and device.
#[derive(Default)]
pub(crate) struct Throttle {
    counts: [FailureCounts; 4],
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct ThrottleKey {
    network: Option<IpAddr>,
    name: Option<String>,
    device: Option<[u8; 32]>,
}

#[derive(Default)]
struct FailureCounts {
    failures: HashMap<ThrottleKey, Failures>,
}

#[derive(Clone, Copy)]
struct Failures {
    /// The failures, including those taken over.
    count: u32,
    /// The failures without those taken over.
    own: u32,
    last: Instant,
}

impl LoginAttempt {
    pub(crate) fn new(name: &str, address: Option<IpAddr>, known_device: Option<[u8; 32]>) -> LoginAttempt {
        let name = name.chars().take(NAME_CHARS_MAX).flat_map(char::to_lowercase).collect();
        LoginAttempt { name, network: address.map(network), device: known_device }
    }

    /// The keys under which to count. The failures of a known device only count for that device.
    fn keys(&self) -> Vec<(usize, ThrottleKey)> {
        let (network, name) = (self.network, Some(self.name.clone()));
        match self.device {
            Some(device) => vec![(DEVICE, ThrottleKey { network: None, name, device: Some(device) })],
            None => vec![
                (NAME_AT, ThrottleKey { network, name: name.clone(), device: None }),
                (NETWORK, ThrottleKey { network, name: None, device: None }),
                (NAME, ThrottleKey { network: None, name, device: None }),
            ],
        }
    }
}

impl Throttle {
    /// How long this attempt has to wait.
    pub(crate) fn wait(&self, attempt: &LoginAttempt, now: Instant) -> Option<Duration> {
        let waits = attempt.keys().into_iter().filter_map(|(kind, key)| {
            let failures = self.counts[kind].get(&key, now)?;
            let until = failures.last + LIMITS[kind].wait_after(failures.count)?;
            until.checked_duration_since(now).filter(|wait| !wait.is_zero())
        });
        waits.max()
    }

    /// Records that the attempt failed.
    pub(crate) fn failed(&mut self, attempt: &LoginAttempt, now: Instant) {
        for (kind, key) in attempt.keys() {
            self.counts[kind].add(key, now);
        }
    }

    /// Records that the attempt succeeded.
    pub(crate) fn succeeded(&mut self, attempt: &LoginAttempt) {
        let mut keys = attempt.keys().into_iter();
        let own = keys.next().and_then(|(kind, key)| self.counts[kind].failures.remove(&key));
        let Some(Failures { own, .. }) = own else { return };
        keys.for_each(|(kind, key)| self.counts[kind].forgive(&key, own));
    }
}

impl FailureCounts {
    /// The failures of a key that are not forgotten.
    fn get(&self, key: &ThrottleKey, now: Instant) -> Option<Failures> {
        self.failures.get(key).copied().filter(|failures| !failures.is_over(now))
    }

    fn add(&mut self, key: ThrottleKey, now: Instant) {
        let before = match self.get(&key, now) {
            Some(failures) => failures,
            None => Failures { count: self.make_room(&key, now), own: 0, last: now },
        };
        let (count, own) = (before.count.saturating_add(1), before.own.saturating_add(1));
        self.failures.insert(key, Failures { count, own, last: now });
    }

    /// The count that a new key has to take over.
    fn make_room(&mut self, key: &ThrottleKey, now: Instant) -> u32 {
        self.failures.remove(key);
        if self.failures.len() < KEYS_MAX {
            return 0;
        }
        self.failures.retain(|_, failures| !failures.is_over(now));
        if self.failures.len() < KEYS_MAX {
            return 0;
        }
        let smallest = self.failures.iter().min_by_key(|(_, failures)| (failures.count, failures.last));
        let Some((key, failures)) = smallest.map(|(key, failures)| (key.clone(), *failures)) else {
            return 0;
        };
        self.failures.remove(&key);
        failures.count
    }

    fn forgive(&mut self, key: &ThrottleKey, failures: u32) {
        let Some(counted) = self.failures.get_mut(key) else { return };
        counted.count = counted.count.saturating_sub(failures);
        counted.own = counted.own.saturating_sub(failures);
        if counted.count == 0 {
            self.failures.remove(key);
        }
    }
}

impl Failures {
    fn is_over(&self, now: Instant) -> bool {
        FORGET_AFTER <= now.saturating_duration_since(self.last)
    }
}

impl FailureLimit {
    fn wait_after(&self, count: u32) -> Option<Duration> {
        let doublings = count.checked_sub(self.free)?;
        Some(WAIT.saturating_mul(2_u32.saturating_pow(doublings)).min(self.wait_max))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    const HOME: Ipv4Addr = Ipv4Addr::new(192, 0, 2, 1);
    const KNOWN: Option<[u8; 32]> = Some([7; 32]);

    fn attempt(name: &str, address: impl Into<IpAddr>) -> LoginAttempt {
        LoginAttempt::new(name, Some(address.into()), None)
    }

    fn elsewhere(number: usize) -> IpAddr {
        Ipv4Addr::from_bits(0x0a00_0000 + number as u32).into()
    }

    fn after_failures(count: usize, who: impl Fn(usize) -> LoginAttempt) -> (Throttle, Instant) {
        let mut throttle = Throttle::default();
        let now = Instant::now();
        (0..count).for_each(|at| throttle.failed(&who(at), now));
        (throttle, now)
    }

    fn check(failures: usize, expected_seconds: Option<u64>) {
        let (throttle, now) = after_failures(failures, |_| attempt("ana", HOME));
        assert_eq!(throttle.wait(&attempt("Ana", HOME), now), expected_seconds.map(Duration::from_secs));
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
        let (mut throttle, now) = after_failures(5, |_| attempt("ana", HOME));
        assert_eq!(throttle.wait(&attempt("ana", HOME), now + WAIT), None);
        assert_eq!(throttle.wait(&attempt("ana", elsewhere(1)), now), None, "from elsewhere");
        assert_eq!(throttle.wait(&attempt("bo", HOME), now), None, "another name");
        throttle.succeeded(&attempt("ana", HOME));
        assert_eq!(throttle.wait(&attempt("ana", HOME), now), None);
        assert!(throttle.counts.iter().all(|count| count.failures.is_empty()));
    }

    #[test]
    fn trying_many_names_from_one_network_is_slow_too() {
        let (throttle, now) = after_failures(20, |at| attempt(&format!("user{at}"), HOME));
        assert_eq!(throttle.wait(&attempt("another", HOME), now), Some(WAIT));
        let in_net = |at: usize| format!("2001:db8::{at:x}").parse::<IpAddr>().unwrap();
        let (throttle, now) = after_failures(20, |at| attempt(&format!("user{at}"), in_net(at)));
        assert_eq!(throttle.wait(&attempt("another", in_net(999)), now), Some(WAIT), "a /64 is one network");
        assert_eq!(
            throttle.wait(&attempt("another", "2001:db8:0:1::1".parse::<IpAddr>().unwrap()), now),
            None
        );
    }

    #[test]
    fn trying_one_name_from_many_networks_is_slow_too_but_never_for_long() {
        let (throttle, now) = after_failures(20, |at| attempt("admin", elsewhere(at)));
        assert_eq!(throttle.wait(&attempt("admin", HOME), now), Some(WAIT));
        let (throttle, now) = after_failures(40, |at| attempt("admin", elsewhere(at)));
        assert_eq!(throttle.wait(&attempt("admin", HOME), now), Some(Duration::from_secs(60)));
        assert_eq!(throttle.wait(&attempt("ana", HOME), now), None, "another name");
    }

    #[test]
    fn a_known_device_is_kept_waiting_by_its_own_failures_alone() {
        let (mut throttle, now) = after_failures(40, |at| attempt("admin", elsewhere(at)));
        (0..24).for_each(|at| throttle.failed(&attempt(&format!("user{at}"), HOME), now));
        let known = LoginAttempt::new("admin", Some(HOME.into()), KNOWN);
        assert!(throttle.wait(&attempt("admin", HOME), now).is_some());
        assert_eq!(throttle.wait(&known, now), None);
        (0..5).for_each(|_| throttle.failed(&known, now));
        assert_eq!(throttle.wait(&known, now), Some(WAIT));
        let of_another_user = LoginAttempt::new("ana", Some(elsewhere(99)), KNOWN);
        assert_eq!(throttle.wait(&of_another_user, now), None);
        throttle.succeeded(&known);
        assert_eq!(throttle.wait(&known, now), None);
        assert!(
            throttle.wait(&attempt("admin", HOME), now).is_some(),
            "others' failures are not forgotten for it"
        );
    }

    #[test]
    fn ones_own_password_buys_no_guesses_of_anothers() {
        let mut throttle = Throttle::default();
        let now = Instant::now();
        for round in 0..7 {
            (0..3).for_each(|at| throttle.failed(&attempt(&format!("user{round}.{at}"), HOME), now));
            throttle.failed(&attempt("eve", HOME), now);
            throttle.succeeded(&attempt("eve", HOME));
        }
        assert_eq!(
            throttle.wait(&attempt("another", HOME), now),
            Some(Duration::from_secs(10)),
            "21 failures"
        );
    }

    #[test]
    fn failures_are_forgotten_after_a_while_without_another() {
        let (mut throttle, now) = after_failures(30, |_| attempt("ana", HOME));
        assert!(throttle.wait(&attempt("ana", HOME), now + Duration::from_secs(299)).is_some());
        throttle.failed(&attempt("ana", HOME), now + FORGET_AFTER);
        assert_eq!(throttle.wait(&attempt("ana", HOME), now + FORGET_AFTER), None);
    }

    #[test]
    fn memory_is_bounded_and_a_flood_of_names_makes_nothing_cheaper() {
        let mut throttle = Throttle::default();
        let now = Instant::now();
        (0..25).for_each(|at| throttle.failed(&attempt("admin", elsewhere(at)), now));
        let cost = throttle.wait(&attempt("admin", HOME), now);
        let name = |at: usize| attempt(&format!("user{at}"), elsewhere(at));
        (0..2 * KEYS_MAX).for_each(|at| throttle.failed(&name(at), now));
        assert!(throttle.counts.iter().all(|count| count.failures.len() <= KEYS_MAX));
        assert_eq!(throttle.wait(&attempt("admin", HOME), now), cost, "it is not the smallest");
        // Failures that began while there was no room are counted too, even if as many others as are allowed come in
        // between.
        let mut flood = 2 * KEYS_MAX;
        for at in 0..20 {
            throttle.failed(&attempt("bo", elsewhere(at)), now);
            (0..3).for_each(|_| {
                throttle.failed(&name(flood), now);
                flood += 1;
            });
        }
        assert!(throttle.wait(&attempt("bo", HOME), now).is_some());
    }
}
