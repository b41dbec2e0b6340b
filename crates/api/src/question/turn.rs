//! Decides when a question runs: at once if there is room, otherwise when it is its caller's turn.
//!
//! Instant questions have their own lane, so that a small count does not wait for long searches. Whether a question
//! is instant is estimated in that lane, because the estimate takes no longer than such a question.
//!
//! **Invariant:** turns belong to an account, not a name. Names of tokens are not unique, and tokens of one name would
//! share turns.

use crate::access::Caller;
use crate::error::Result;
use crate::question::turns::{Admission, TurnLimits, Turns};
use crate::waiting::busy;
use logstead_accounts::Account;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::oneshot;

/// Maximum time that a question waits for its turn before its caller is told to try again.
const WAIT_MAX: Duration = Duration::from_secs(10);
/// Maximum number of waiting questions of one caller.
const WAITING_OF_ONE_MAX: usize = 16;
/// Maximum number of waiting questions of all callers.
const WAITING_MAX: usize = 256;

/// The lane for questions of similar duration.
#[derive(Clone)]
pub(crate) struct Lane(Arc<LaneState>);

struct LaneState {
    turns: Mutex<Turns<Account, Ticket>>,
    numbers: AtomicU64,
}

/// A waiting question, identified by its number.
struct Ticket(u64, oneshot::Sender<Permit>);

impl PartialEq for Ticket {
    fn eq(&self, other: &Ticket) -> bool {
        self.0 == other.0
    }
}

/// The right to run. It moves with the question to its thread, and is held until the question has really ended.
pub(crate) struct Permit {
    lane: Lane,
    account: Account,
}

/// A waiting question. Dropping it gives up the wait.
struct QueuedTurn<'a> {
    lane: &'a Lane,
    account: Account,
    number: u64,
}

impl Lane {
    /// A lane that runs at most `running_max` questions at a time, and at most `running_of_one_max` of one caller.
    pub(crate) fn new(running_max: usize, running_of_one_max: usize) -> Lane {
        let bounds = TurnLimits {
            running_max,
            running_of_one_max,
            waiting_of_one_max: WAITING_OF_ONE_MAX,
            waiting_max: WAITING_MAX,
        };
        Lane(Arc::new(LaneState { turns: Mutex::new(Turns::new(bounds)), numbers: AtomicU64::new(0) }))
    }

    /// A permit, if one is free.
    pub(crate) fn enter_now(&self, caller: &Caller) -> Option<Permit> {
        let account = caller.account;
        let runs = self.0.turns.lock().ask_now(&account);
        runs.then(|| Permit { lane: self.clone(), account })
    }

    /// Waits for a turn.
    pub(crate) async fn enter(&self, caller: &Caller) -> Result<Permit> {
        let account = caller.account;
        let number = self.0.numbers.fetch_add(1, Ordering::Relaxed);
        let (sender, permit) = oneshot::channel();
        let asked = self.0.turns.lock().ask(&account, Ticket(number, sender));
        let _waiting = match asked {
            Admission::Runs => return Ok(Permit { lane: self.clone(), account }),
            Admission::Waits => QueuedTurn { lane: self, account, number },
            Admission::TooMany => {
                let name = &caller.name;
                let reason =
                    format!("{WAITING_OF_ONE_MAX} searches of {name} are already waiting for their turn");
                return Err(busy(&reason));
            }
            Admission::Full => return Err(busy("too many searches are waiting for their turn")),
        };
        match tokio::time::timeout(WAIT_MAX, permit).await {
            Ok(Ok(permit)) => Ok(permit),
            Ok(Err(_)) | Err(_) => Err(busy("other searches took too long")),
        }
    }

    /// How many questions are running, and how many are waiting.
    pub(crate) fn load(&self) -> (usize, usize) {
        self.0.turns.lock().load()
    }

    fn begin_next(&self) {
        // If the receiver is gone, the permit is dropped, which calls this function again.
        let next = self.0.turns.lock().next();
        if let Some((account, Ticket(_, sender))) = next {
            sender.send(Permit { lane: self.clone(), account }).ok();
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.lane.0.turns.lock().end(&self.account);
        self.lane.begin_next();
    }
}

impl Drop for QueuedTurn<'_> {
    fn drop(&mut self) {
        let (sender, _) = oneshot::channel();
        self.lane.0.turns.lock().forget(&self.account, &Ticket(self.number, sender));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use logstead_accounts::{Grant, Role};

    fn caller(account: Account, name: &str) -> Caller {
        Caller::new(account, name.to_owned(), Role::Analyst, Grant::default()).unwrap()
    }

    fn ana() -> Caller {
        caller(Account::User(1), "ana")
    }

    fn ben() -> Caller {
        caller(Account::User(2), "ben")
    }

    #[tokio::test]
    async fn two_tokens_of_one_name_have_turns_of_their_own() {
        let lane = Lane::new(2, 1);
        let [one, other] = [1, 2].map(|id| caller(Account::Token(id), "token:deploy"));
        let _runs = lane.enter(&one).await.unwrap();
        assert!(lane.enter_now(&one).is_none());
        assert!(lane.enter_now(&other).is_some());
    }

    #[tokio::test]
    async fn who_gives_up_waiting_is_passed_over() {
        let lane = Lane::new(1, 1);
        let runs = lane.enter(&ana()).await.unwrap();
        assert!(lane.enter_now(&ben()).is_none());
        let given_up = tokio::time::timeout(Duration::ZERO, lane.enter(&ben())).await;
        assert!(given_up.is_err());
        let eve = caller(Account::User(3), "eve");
        let (turn, ()) = tokio::join!(lane.enter(&eve), async { drop(runs) });
        assert!(lane.enter_now(&ana()).is_none());
        drop(turn);
        assert!(lane.enter_now(&ana()).is_some());
    }

    #[tokio::test]
    async fn one_caller_is_refused_and_others_are_not() {
        let lane = Lane::new(1, 1);
        let runs = lane.enter(&ana()).await.unwrap();
        let ask = |caller: Caller| {
            let lane = lane.clone();
            tokio::spawn(async move { lane.enter(&caller).await.map(drop) })
        };
        let waiting: Vec<_> = (0..WAITING_OF_ONE_MAX).map(|_| ask(ana())).collect();
        let is_full = || async { ask(ana()).await.unwrap().is_err() };
        // One more question is refused as soon as all of these are waiting; until then it waits as well, and the test
        // goes on.
        let mut more = Vec::new();
        loop {
            let one = ask(ana());
            tokio::task::yield_now().await;
            if one.is_finished() {
                assert!(one.await.unwrap().is_err());
                break;
            }
            more.push(one);
        }
        assert!(is_full().await);
        let other = ask(ben());
        tokio::task::yield_now().await;
        assert!(!other.is_finished());
        drop(runs);
        for waits in waiting.into_iter().chain(more).chain([other]) {
            waits.await.unwrap().unwrap();
        }
    }
}
