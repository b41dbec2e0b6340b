//! The rates of messages: how many per second are received, stored, dropped and so on, before and after a change of
//! the router document. Pure: totals and times in, rates out.

use logstead_pipeline::Pipeline;
use serde::Serialize;
use std::collections::VecDeque;
use std::time::{Duration, Instant};
use utoipa::ToSchema;

/// Maximum time before a change with which the time after it is compared.
const BEFORE_MAX: Duration = Duration::from_secs(600);
/// Maximum number of measurements that are kept, about five seconds apart.
const MEASURED_MAX: usize = 128;
/// The time that has to pass before a change is judged.
const AFTER_MIN: Duration = Duration::from_secs(20);
/// Minimum number of messages for a judgement.
const MESSAGES_MIN: u64 = 100;
/// By how much the share of messages that are dropped or not understood may rise, in percent of all messages.
const WORSE_PERCENT: f64 = 5.0;
/// The rate of received messages counts as worse if it falls below this fraction of the earlier rate.
const RECEIVED_PART_MIN: f64 = 0.5;

/// Numbers of messages since the process started.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Totals {
    received: u64,
    stored: u64,
    forwarded: u64,
    dropped: u64,
    unparsed: u64,
}

/// Rates in messages per second.
#[derive(Clone, Copy, Default, PartialEq, Debug, Serialize, ToSchema)]
pub(crate) struct Rates {
    /// The length of the measured time in seconds.
    seconds: f64,
    received: f64,
    stored: f64,
    /// Messages sent to a destination, but not stored.
    forwarded: f64,
    /// Messages that were neither stored nor forwarded.
    dropped: f64,
    /// Messages whose format was not recognised.
    unparsed: f64,
}

/// How messages were handled before a change, and after it.
#[derive(Clone, PartialEq, Debug, Serialize, ToSchema)]
#[schema(as = Compared)]
pub(crate) struct HealthComparison {
    before: Option<Rates>,
    after: Rates,
    /// The figures that have become worse, one sentence for each.
    pub worse: Vec<String>,
}

/// The measurements, and the change for which they are compared.
#[derive(Default)]
pub(crate) struct Health {
    measured: VecDeque<(Instant, Totals)>,
    /// The last measurement before the change, and the rates before it.
    change: Option<MeasuredChange>,
}

struct MeasuredChange {
    at: Instant,
    totals: Totals,
    before: Option<Rates>,
}

impl Totals {
    /// The current totals of the pipeline.
    pub(super) fn of(pipeline: &Pipeline) -> Totals {
        let mut totals = Totals { unparsed: pipeline.counters.unparsed(), ..Totals::default() };
        for source in pipeline.ledger.totals().sources {
            totals.received += source.fates.received;
            totals.stored += source.fates.stored;
            totals.forwarded += source.fates.forwarded;
            totals.dropped += source.fates.dropped.values().sum::<u64>();
        }
        totals
    }

    fn rates(&self, before: &Totals, time: Duration) -> Rates {
        let seconds = time.as_secs_f64().max(0.001);
        let rate = |of: fn(&Totals) -> u64| of(self).saturating_sub(of(before)) as f64 / seconds;
        Rates {
            seconds,
            received: rate(|totals| totals.received),
            stored: rate(|totals| totals.stored),
            forwarded: rate(|totals| totals.forwarded),
            dropped: rate(|totals| totals.dropped),
            unparsed: rate(|totals| totals.unparsed),
        }
    }
}

impl Rates {
    fn messages(&self) -> u64 {
        (self.received * self.seconds) as u64
    }

    /// The share of this part among the received messages, in percent.
    fn percent(&self, part: f64) -> f64 {
        if self.received == 0.0 { 0.0 } else { 100.0 * part / self.received }
    }
}

impl Health {
    pub(super) fn measured(&mut self, totals: Totals, now: Instant) {
        self.measured.push_back((now, totals));
        while MEASURED_MAX < self.measured.len()
            || self.measured.front().is_some_and(|(at, _)| BEFORE_MAX < now.duration_since(*at))
        {
            self.measured.pop_front();
        }
    }

    /// Notes that a change became live after the latest measurement.
    pub(super) fn changed(&mut self, now: Instant) {
        let Some((_, totals)) = self.measured.back().copied() else { return };
        let before = self.measured.front().map(|(at, first)| totals.rates(first, now.duration_since(*at)));
        self.change =
            Some(MeasuredChange { at: now, totals, before: before.filter(|before| 1.0 <= before.seconds) });
        self.measured.clear();
    }

    pub(super) fn compared(&self, totals: &Totals, now: Instant) -> Option<HealthComparison> {
        let MeasuredChange { at, totals: at_change, before } = self.change.as_ref()?;
        let time = now.duration_since(*at);
        let after = totals.rates(at_change, time);
        let worse = match before {
            Some(before) if AFTER_MIN <= time => worse(before, &after),
            _ => Vec::new(),
        };
        Some(HealthComparison { before: *before, after, worse })
    }
}

fn worse(before: &Rates, after: &Rates) -> Vec<String> {
    let mut worse = Vec::new();
    if MESSAGES_MIN <= before.messages() && after.received < before.received * RECEIVED_PART_MIN {
        worse
            .push(format!("{:.0} messages/s are received instead of {:.0}", after.received, before.received));
    }
    if after.messages() < MESSAGES_MIN {
        return worse;
    }
    let percents = |rates: &Rates| [rates.percent(rates.dropped), rates.percent(rates.unparsed)];
    let shares = ["dropped", "not recognised"].into_iter().zip(percents(before)).zip(percents(after));
    for ((what, was), is) in shares {
        if was + WORSE_PERCENT < is {
            worse.push(format!("{is:.1} % of the messages are {what} instead of {was:.1} %"));
        }
    }
    worse
}

#[cfg(test)]
mod tests {
    use super::*;

    fn totals(received: u64, dropped: u64, unparsed: u64) -> Totals {
        Totals { received, stored: received - dropped, forwarded: 0, dropped, unparsed }
    }

    /// The figures that are worse at `time` with these totals, if 100 messages per second came before, of which 1 %
    /// were dropped.
    fn worse_after(time: u64, after: Totals) -> Vec<String> {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut health = Health::default();
        for second in 0..=100 {
            health.measured(totals(100 * second, second, 0), at(second));
        }
        health.changed(at(100));
        let compared = health.compared(&after, at(100 + time)).unwrap();
        assert_eq!(compared.before.unwrap().received, 100.0);
        compared.worse
    }

    #[test]
    fn a_change_is_worse_when_fewer_come_or_more_are_dropped_or_not_understood() {
        assert_eq!(worse_after(60, totals(16_000, 160, 0)), [""; 0]);
        assert_eq!(
            worse_after(60, totals(16_000, 1_300, 0)),
            ["20.0 % of the messages are dropped instead of 1.0 %"]
        );
        assert_eq!(
            worse_after(60, totals(16_000, 160, 600)),
            ["10.0 % of the messages are not recognised instead of 0.0 %"]
        );
        assert_eq!(worse_after(60, totals(11_200, 112, 0)), ["20 messages/s are received instead of 100"]);
    }

    #[test]
    fn nothing_is_said_too_early_or_of_few_messages() {
        assert_eq!(worse_after(19, totals(10_200, 300, 0)), [""; 0]);
        let start = Instant::now();
        let mut health = Health::default();
        assert_eq!(health.compared(&totals(5, 0, 0), start), None, "nothing was changed");
        health.measured(totals(0, 0, 0), start);
        health.changed(start + Duration::from_secs(10));
        let compared = health.compared(&totals(50, 50, 0), start + Duration::from_secs(70)).unwrap();
        assert_eq!(compared.worse, [""; 0]);
    }

    #[test]
    fn what_is_remembered_has_a_bound() {
        let start = Instant::now();
        let mut health = Health::default();
        for second in 0..10_000 {
            health.measured(totals(second, 0, 0), start + Duration::from_secs(second));
        }
        assert!(health.measured.len() <= MEASURED_MAX);
    }
}
