//! Limits how fast a token may send. Pure: the caller passes in the time.
//!
//! A token may send whenever part of its allowance per second is left, however large the request is, and then waits
//! until the excess is made up for. So a large request passes, and the limit holds on average.
//!
//! **Invariant:** the number of tokens that are remembered is bounded; one that is forgotten was within its limit.

use logstead_accounts::{Account, TokenLimits};
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// Maximum number of tokens that are remembered.
const TOKENS_MAX: usize = 10_000;

/// The amounts that tokens with limits have sent.
#[derive(Default)]
pub(crate) struct TokenPace {
    sent: HashMap<Account, TokenExcess>,
}

/// A limit of a token, and how far the token is ahead of it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Allowance {
    /// The unit that the limit counts: `messages` or `bytes`.
    pub(super) unit: &'static str,
    pub(super) a_second: u64,
    /// How long it takes until all that was sent is made up for, in seconds.
    pub(super) ahead: f64,
}

impl Allowance {
    /// How much may be sent at once without a wait afterwards.
    pub(super) fn left(&self) -> u64 {
        (self.a_second as f64 * (1.0 - self.ahead).max(0.0)).floor() as u64
    }
}

/// How much more a token has sent than its limits allow, in seconds for each limit.
struct TokenExcess {
    messages: f64,
    bytes: f64,
    at: Instant,
}

impl TokenExcess {
    fn until(&mut self, now: Instant) {
        let passed = now.saturating_duration_since(self.at).as_secs_f64();
        self.messages = (self.messages - passed).max(0.0);
        self.bytes = (self.bytes - passed).max(0.0);
        self.at = now;
    }

    fn ahead(&self) -> f64 {
        self.messages.max(self.bytes)
    }
}

impl TokenPace {
    /// How long the token has to wait, if at all.
    pub(crate) fn wait(&mut self, account: Account, limits: &TokenLimits, now: Instant) -> Option<Duration> {
        if !limits.limit_pace() {
            return None;
        }
        let sent = self.sent.get_mut(&account)?;
        sent.until(now);
        // The allowance of one second may be sent at once.
        let ahead = sent.ahead() - 1.0;
        (0.0 < ahead).then(|| Duration::try_from_secs_f64(ahead).unwrap_or(Duration::from_hours(1)))
    }

    /// The limits of the token's rate, and how far it is ahead of them.
    pub(crate) fn allowances(
        &mut self,
        account: Account,
        limits: &TokenLimits,
        now: Instant,
    ) -> Vec<Allowance> {
        let sent = self.sent.get_mut(&account);
        let (messages, bytes) = sent.map_or((0.0, 0.0), |sent| {
            sent.until(now);
            (sent.messages, sent.bytes)
        });
        let allowance =
            |unit, a_second: Option<u64>, ahead| a_second.map(|a_second| Allowance { unit, a_second, ahead });
        let messages = allowance("messages", limits.messages_per_second, messages);
        messages.into_iter().chain(allowance("bytes", limits.bytes_per_second, bytes)).collect()
    }

    /// Adds what a token sends.
    pub(crate) fn charge(
        &mut self,
        account: Account,
        limits: &TokenLimits,
        messages: usize,
        bytes: usize,
        now: Instant,
    ) {
        if !limits.limit_pace() {
            return;
        }
        if TOKENS_MAX <= self.sent.len() && !self.sent.contains_key(&account) {
            self.sent.values_mut().for_each(|sent| sent.until(now));
            self.sent.retain(|_, sent| 0.0 < sent.ahead());
            if TOKENS_MAX <= self.sent.len() {
                return;
            }
        }
        let sent = self.sent.entry(account).or_insert(TokenExcess { messages: 0.0, bytes: 0.0, at: now });
        sent.until(now);
        let seconds = |count: usize, a_second: Option<u64>| {
            a_second.map_or(0.0, |max| count as f64 / max.max(1) as f64)
        };
        sent.messages += seconds(messages, limits.messages_per_second);
        sent.bytes += seconds(bytes, limits.bytes_per_second);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_waits_until_what_it_sent_is_made_up_for() {
        let (mut pace, begin) = (TokenPace::default(), Instant::now());
        let limits =
            TokenLimits { messages_per_second: Some(100), bytes_per_second: Some(1000), body_bytes: None };
        let at = |seconds: u64| begin + Duration::from_secs(seconds);
        let account = Account::Token(1);
        assert_eq!(pace.wait(account, &limits, at(0)), None);
        pace.charge(account, &limits, 100, 10, at(0));
        assert_eq!(pace.wait(account, &limits, at(0)), None, "a second's worth at once");
        pace.charge(account, &limits, 900, 10, at(0));
        assert_eq!(pace.wait(account, &limits, at(0)), Some(Duration::from_secs(9)));
        assert_eq!(pace.wait(account, &limits, at(8)), Some(Duration::from_secs(1)));
        assert_eq!(pace.wait(account, &limits, at(9)), None);
        let allowances = pace.allowances(account, &limits, at(9));
        assert_eq!(allowances.iter().map(Allowance::left).collect::<Vec<_>>(), [0, 1000]);
        assert_eq!(pace.wait(Account::Token(2), &limits, at(0)), None, "another's are its own");
        pace.charge(account, &limits, 0, 5000, at(100));
        assert_eq!(pace.wait(account, &limits, at(100)), Some(Duration::from_secs(4)));
        let unlimited = TokenLimits::default();
        pace.charge(Account::Token(3), &unlimited, usize::MAX, usize::MAX, at(0));
        assert_eq!(pace.wait(Account::Token(3), &unlimited, at(0)), None);
    }

    #[test]
    fn those_within_their_limits_are_forgotten_first() {
        let (mut pace, begin) = (TokenPace::default(), Instant::now());
        let limits = TokenLimits { messages_per_second: Some(1), ..TokenLimits::default() };
        (0..TOKENS_MAX as i64).for_each(|id| pace.charge(Account::Token(id), &limits, 1, 0, begin));
        pace.charge(Account::Token(0), &limits, 100, 0, begin);
        let later = begin + Duration::from_secs(5);
        pace.charge(Account::Token(-1), &limits, 100, 0, later);
        assert!(pace.wait(Account::Token(0), &limits, later).is_some());
        assert!(pace.wait(Account::Token(-1), &limits, later).is_some());
        assert!(pace.sent.len() <= TOKENS_MAX);
    }
}
