//! Chooses one of several servers: the next one if one fails, and the first one again after a while. Pure: the caller
//! connects and keeps the time.

use std::time::{Duration, Instant};

/// How long another server is used before the first one is tried again.
pub(super) const RETURN_WAIT: Duration = Duration::from_secs(300);

/// The choice among `count` servers.
pub(super) struct Failover {
    count: usize,
    at: usize,
    /// When the first server last failed.
    away: Option<Instant>,
}

impl Failover {
    pub(super) fn new(count: usize) -> Failover {
        Failover { count, at: 0, away: None }
    }

    /// All servers, in the order in which they are to be tried now.
    pub(super) fn order(&self) -> impl Iterator<Item = usize> + use<> {
        let (count, at) = (self.count, self.at);
        (0..count).map(move |step| (at + step) % count)
    }

    /// Notes that a server is used.
    pub(super) fn chose(&mut self, at: usize, now: Instant) {
        self.at = at;
        self.away = if at == 0 { None } else { self.away.or(Some(now)) };
    }

    /// Notes that the server in use has failed, so that the next one is tried first.
    pub(super) fn failed(&mut self, now: Instant) {
        self.chose((self.at + 1) % self.count.max(1), now);
    }

    /// Whether it is time to try the first server again.
    pub(super) fn may_return(&self, now: Instant) -> bool {
        self.away.is_some_and(|away| RETURN_WAIT <= now.saturating_duration_since(away))
    }

    /// Notes that the first server is still unavailable.
    pub(super) fn stays(&mut self, now: Instant) {
        self.away = Some(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_server_is_tried_after_a_failure_and_the_first_again_after_a_while() {
        let (mut servers, start) = (Failover::new(3), Instant::now());
        let order = |servers: &Failover| servers.order().collect::<Vec<_>>();
        assert_eq!(order(&servers), [0, 1, 2]);
        servers.failed(start);
        assert_eq!(order(&servers), [1, 2, 0]);
        servers.chose(2, start);
        assert!(!servers.may_return(start + RETURN_WAIT / 2));
        assert!(servers.may_return(start + RETURN_WAIT));
        servers.stays(start + RETURN_WAIT);
        assert!(!servers.may_return(start + RETURN_WAIT));
        servers.chose(0, start);
        assert!(!servers.may_return(start + RETURN_WAIT * 3));
        assert_eq!(order(&servers), [0, 1, 2]);
    }

    #[test]
    fn a_single_server_is_always_the_one() {
        let (mut servers, start) = (Failover::new(1), Instant::now());
        servers.failed(start);
        assert_eq!(servers.order().collect::<Vec<_>>(), [0]);
        assert!(!servers.may_return(start + RETURN_WAIT * 2));
    }
}
