//! Decides whether the clock can be trusted when messages are removed by age: a clock that is set two days ahead must
//! not empty a store.
//!
//! The clock is trusted while it keeps pace with elapsed time, starting from its value when the process last ran.
//! Once it deviates by more than an hour, nothing is removed by age until it has kept pace for an hour, has returned
//! to its old value, or an administrator agrees. After a deviation of more than a year, only the latter two count, as
//! no store is switched off for that long unnoticed.
//!
//! **Invariant:** it has no clock: both times are arguments.

use logstead_record::Timestamp;
use std::time::Duration;

/// How far the clock may deviate from elapsed time.
const LEAP_MAX: Duration = Duration::from_secs(3600);
/// How long the clock has to keep pace before it is trusted again.
const AGREEMENT_MIN: Duration = Duration::from_secs(3600);
/// The deviation beyond which an administrator has to agree.
const ABSENCE_MAX: Duration = Duration::from_secs(366 * 24 * 3600);

/// The time of day, and how long the process has been running.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ClockReading {
    pub wall: Timestamp,
    pub running: Duration,
}

/// Why the clock is not trusted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ClockDoubt {
    /// How far the clock is ahead of the expected time, in nanoseconds; negative if it is behind.
    ahead_nanos: i64,
    since: Duration,
    /// Whether an administrator has to agree, as waiting does not resolve it.
    needs_agreement: bool,
}

/// The state of trust in the clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ClockTrust {
    /// The reading when the clock was last trusted.
    believed: ClockReading,
    /// The reading since which the clock has kept pace with elapsed time.
    steady: ClockReading,
    hold: Option<ClockDoubt>,
}

impl ClockTrust {
    /// The trust when the process starts, with the time that was saved, if any.
    pub(crate) fn start(now: ClockReading, known: Option<Timestamp>) -> ClockTrust {
        let known = known.filter(|known| *known < now.wall).unwrap_or(now.wall);
        let mut trust = ClockTrust { believed: ClockReading { wall: known, ..now }, steady: now, hold: None };
        trust.hold = trust.leapt(now);
        trust
    }

    /// Checks the clock; returns why it is not trusted, if that is so.
    pub(crate) fn look(&mut self, now: ClockReading) -> Option<ClockDoubt> {
        if is_more(ahead_nanos(self.steady, now), LEAP_MAX) {
            self.hold = self.leapt(now);
            self.steady = now;
        }
        let is_back = !is_more(ahead_nanos(self.believed, now), LEAP_MAX);
        let has_agreed = |hold: &ClockDoubt| {
            !hold.needs_agreement && AGREEMENT_MIN <= now.running.saturating_sub(hold.since)
        };
        let is_long = AGREEMENT_MIN <= now.running.saturating_sub(self.believed.running);
        match &self.hold {
            Some(hold) if is_back || has_agreed(hold) => self.agree(now),
            // A clock may run a little fast or slow for months, so it is only compared with an hour ago.
            None if is_long => self.agree(now),
            _ => {}
        }
        self.hold
    }

    /// Trusts the clock from now on.
    pub(crate) fn agree(&mut self, now: ClockReading) {
        *self = ClockTrust { believed: now, steady: now, hold: None };
    }

    fn leapt(&self, now: ClockReading) -> Option<ClockDoubt> {
        let ahead_nanos = ahead_nanos(self.believed, now);
        is_more(ahead_nanos, LEAP_MAX).then(|| ClockDoubt {
            ahead_nanos,
            since: now.running,
            needs_agreement: 0 < ahead_nanos && is_more(ahead_nanos, ABSENCE_MAX),
        })
    }
}

/// How far the clock moved beyond the elapsed time.
fn ahead_nanos(before: ClockReading, now: ClockReading) -> i64 {
    let passed = now.running.saturating_sub(before.running);
    let passed = i64::try_from(passed.as_nanos()).unwrap_or(i64::MAX);
    now.wall.nanos().saturating_sub(before.wall.nanos()).saturating_sub(passed)
}

fn is_more(nanos: i64, than: Duration) -> bool {
    than.as_nanos() < u128::from(nanos.unsigned_abs())
}

impl std::fmt::Display for ClockDoubt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let side = if 0 < self.ahead_nanos { "ahead of" } else { "behind" };
        let span = span_text(Duration::from_nanos(self.ahead_nanos.unsigned_abs()));
        write!(
            f,
            "the clock is {span} {side} the time that Logstead expects: no message is removed by age "
        )?;
        if self.needs_agreement {
            write!(
                f,
                "until an administrator confirms the clock (POST /api/v1/retention/resume), or it is set right"
            )
        } else {
            write!(
                f,
                "for an hour, unless an administrator confirms the clock before (POST /api/v1/retention/resume)"
            )
        }
    }
}

/// The span as text, in its two largest units.
fn span_text(span: Duration) -> String {
    let minutes = span.as_secs() / 60;
    let (days, hours) = (minutes / 1440, minutes / 60 % 24);
    if 0 < days { format!("{days} d {hours} h") } else { format!("{hours} h {} min", minutes % 60) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HOUR: i64 = 3600;
    const DAY: i64 = 24 * HOUR;
    const NOW: i64 = 1_800_000_000;

    fn wall(seconds: i64) -> Timestamp {
        Timestamp::from_seconds(seconds).unwrap()
    }

    fn at(seconds: i64, running: i64) -> ClockReading {
        ClockReading { wall: wall(seconds), running: Duration::from_secs(running as u64) }
    }

    /// Checks once a minute for this long, and returns whether the clock is trusted at the end.
    fn wait(trust: &mut ClockTrust, from: ClockReading, seconds: i64) -> (ClockReading, bool) {
        let mut now = from;
        for _ in 0..seconds / 60 {
            now = ClockReading {
                wall: now.wall.saturating_add(60_000_000_000),
                running: now.running + Duration::from_secs(60),
            };
            trust.look(now);
        }
        (now, trust.look(now).is_none())
    }

    #[test]
    fn a_clock_that_goes_on_as_time_passes_is_believed() {
        let mut trust = ClockTrust::start(at(NOW, 0), Some(wall(NOW - 30)));
        let (now, believed) = wait(&mut trust, at(NOW, 0), 10 * DAY);
        assert!(believed);
        let slow = ClockReading { wall: now.wall.saturating_add(-1_800_000_000_000), ..now };
        assert_eq!(trust.look(slow), None, "half an hour is no leap");
    }

    #[test]
    fn a_leap_holds_until_an_hour_has_passed() {
        for leap in [2 * HOUR, 2 * DAY, -3 * DAY] {
            let mut trust = ClockTrust::start(at(NOW, 0), None);
            let leapt = at(NOW + 60 + leap, 60);
            assert!(trust.look(leapt).is_some(), "{leap}");
            let (now, believed) = wait(&mut trust, leapt, HOUR - 60);
            assert!(!believed, "{leap}");
            assert!(wait(&mut trust, now, 60).1, "{leap}");
        }
    }

    #[test]
    fn a_clock_that_is_set_right_again_is_believed_at_once() {
        let mut trust = ClockTrust::start(at(NOW, 0), None);
        assert!(trust.look(at(NOW + 2 * DAY, 60)).is_some());
        assert!(trust.look(at(NOW + 2 * DAY + 60, 120)).is_some());
        assert!(trust.look(at(NOW + 180, 180)).is_none());
        let mut trust = ClockTrust::start(at(NOW + 200 * 365 * DAY, 0), Some(wall(NOW)));
        assert!(trust.look(at(NOW + 60, 60)).is_none(), "as the time server does soon after a boot");
    }

    #[test]
    fn another_leap_begins_another_hour() {
        let mut trust = ClockTrust::start(at(NOW, 0), None);
        trust.look(at(NOW + 2 * DAY, 60));
        let (now, _) = wait(&mut trust, at(NOW + 2 * DAY, 60), HOUR / 2);
        let further = ClockReading { wall: now.wall.saturating_add(DAY * 1_000_000_000), ..now };
        trust.look(further);
        let (now, believed) = wait(&mut trust, further, HOUR - 60);
        assert!(!believed);
        assert!(wait(&mut trust, now, 60).1);
    }

    #[test]
    fn who_was_off_for_a_month_removes_messages_after_an_hour() {
        let mut trust = ClockTrust::start(at(NOW, 0), Some(wall(NOW - 31 * DAY)));
        assert!(trust.look(at(NOW, 0)).unwrap().to_string().contains("31 d 0 h ahead"));
        assert!(wait(&mut trust, at(NOW, 0), HOUR).1);
        assert!(
            ClockTrust::start(at(NOW, 0), Some(wall(NOW - HOUR / 2))).look(at(NOW, 0)).is_none(),
            "a short stop"
        );
    }

    #[test]
    fn a_clock_of_another_age_is_never_believed_by_itself() {
        for (now, known) in [(9_214_646_400, NOW), (NOW + 400 * DAY, NOW)] {
            let mut trust = ClockTrust::start(at(now, 0), Some(wall(known)));
            assert!(!wait(&mut trust, at(now, 0), 30 * DAY).1);
            trust.agree(at(now + 30 * DAY, 30 * DAY));
            assert!(trust.look(at(now + 30 * DAY + 60, 30 * DAY + 60)).is_none());
        }
    }

    #[test]
    fn a_clock_that_is_behind_what_is_known_waits_for_the_leap_to_the_right_time() {
        let mut trust = ClockTrust::start(at(0, 0), Some(wall(NOW)));
        assert!(trust.look(at(60, 60)).is_none(), "it is too early for anything to be too old");
        assert!(trust.look(at(NOW, 120)).is_some());
    }

    proptest! {
        #[test]
        fn whoever_is_held_gets_on_within_an_hour_or_by_agreement(
            known in proptest::option::of(0..2 * NOW),
            steps in proptest::collection::vec((0_i64..2 * HOUR, -3 * DAY..3 * DAY), 0..20),
        ) {
            let mut now = at(NOW, 0);
            let mut trust = ClockTrust::start(now, known.map(wall));
            for (passed, leap) in steps {
                now = ClockReading {
                    wall: now.wall.saturating_add((passed + leap) * 1_000_000_000),
                    running: now.running + Duration::from_secs(passed as u64),
                };
                trust.look(now);
            }
            let (end, believed) = wait(&mut trust, now, HOUR + 60);
            prop_assert!(believed || trust.look(end).unwrap().needs_agreement);
            trust.agree(end);
            prop_assert!(trust.look(end).is_none());
        }
    }
}
