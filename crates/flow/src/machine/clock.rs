//! The time of day, read in one place: code that makes decisions takes it as an argument.

use logstead_record::Timestamp;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::SystemTime;

/// The current time.
pub fn now() -> Timestamp {
    Timestamp::from(SystemTime::now())
}

/// The time, adjusted to be different at each call, so that it identifies its event.
pub fn stamp() -> Timestamp {
    static LAST: AtomicI64 = AtomicI64::new(i64::MIN);
    let now = now().nanos();
    let next = |last: i64| Some(now.max(last.saturating_add(1)));
    let before = LAST.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).unwrap_or_default();
    Timestamp::from_nanos(now.max(before.saturating_add(1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_stamp_is_given_twice() {
        let stamps = || (0..10_000).map(|_| stamp()).collect::<Vec<_>>();
        let others = std::thread::spawn(stamps);
        let own = stamps();
        assert!(own.is_sorted());
        let all: BTreeSet<_> = own.into_iter().chain(others.join().unwrap()).map(Timestamp::nanos).collect();
        assert_eq!(all.len(), 20_000);
    }
}
