//! The distribution of a sender's clock skew, and whether it looks like a time zone.
//!
//! A skew is the time of receipt less the time that the message says, in milliseconds: above zero the sender's clock is
//! behind, or the message was long on its way.

use logstead_record::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The distribution is of the last two windows of this length in which something came.
const WINDOW_NANOS: i64 = 600_000_000_000;
const SECOND: i64 = 1_000;
const QUARTER: i64 = 900 * SECOND;
/// The skews that part the bins up to half a quarter of an hour; from there on, a bin is a quarter of an hour.
const FINE: [i64; 9] = [
    SECOND,
    2 * SECOND,
    5 * SECOND,
    10 * SECOND,
    30 * SECOND,
    60 * SECOND,
    120 * SECOND,
    300 * SECOND,
    QUARTER / 2,
];
/// Bins beyond two days are one.
const QUARTERS_MAX: i64 = 192;
/// No zone is further from another: they reach from twelve hours behind to fourteen ahead.
const ZONE_QUARTERS_MAX: i64 = 26 * 4;
/// A skew this close to whole quarters of an hour may be a time zone.
const ZONE_TOLERANCE: i64 = 90 * SECOND;
/// A zone is guessed from at least this many messages, of which at least this share agree.
const ZONE_MESSAGES_MIN: u64 = 5;
const ZONE_PERCENT_MIN: u64 = 95;
/// The skew that is shown is the median of this many, each the last one of a batch.
const LATEST: usize = 15;

/// The number of messages by skew.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Bins {
    bins: BTreeMap<i64, u64>,
    /// Those that are whole quarters of an hour off, as far as zones are apart, by how many.
    quarters: BTreeMap<i64, u64>,
}

#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Skew {
    /// When the newer window began.
    since: i64,
    windows: [Bins; 2],
    latest: Vec<i64>,
}

/// The skews of this bin are at least `from` and less than `to`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Bin {
    pub(super) from: i64,
    pub(super) to: i64,
    pub(super) messages: u64,
}

/// Whole quarters of an hour that a sender's time is off.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Shift {
    /// The time that it is ahead.
    pub(super) seconds_ahead: i64,
    /// The number of messages that are off by that.
    pub(super) messages: u64,
    /// The number of messages compared.
    pub(super) of: u64,
}

impl Bins {
    pub(super) fn add(&mut self, skew: i64) {
        *self.bins.entry(number(skew)).or_default() += 1;
        let quarters = nearest_quarters(skew);
        if quarters != 0 && quarters.abs() <= ZONE_QUARTERS_MAX && is_near(skew, quarters) {
            *self.quarters.entry(quarters).or_default() += 1;
        }
    }

    fn add_all(&mut self, other: &Bins) {
        other.bins.iter().for_each(|(bin, count)| *self.bins.entry(*bin).or_default() += count);
        other.quarters.iter().for_each(|(bin, count)| *self.quarters.entry(*bin).or_default() += count);
    }
}

impl Skew {
    /// Adds messages with these skews, the last of them `latest`.
    pub(super) fn add(&mut self, bins: &Bins, latest: i64, now: Timestamp) {
        if WINDOW_NANOS <= now.nanos().saturating_sub(self.since) {
            let [older, newer] = &mut self.windows;
            *older = std::mem::take(newer);
            self.since = now.nanos();
        }
        self.windows[1].add_all(bins);
        if LATEST <= self.latest.len() {
            self.latest.remove(0);
        }
        self.latest.push(latest);
    }

    pub(super) fn median(&self) -> Option<i64> {
        let mut sorted = self.latest.clone();
        sorted.sort_unstable();
        sorted.get(sorted.len() / 2).copied()
    }

    fn all(&self) -> Bins {
        let mut all = self.windows[0].clone();
        all.add_all(&self.windows[1]);
        all
    }

    /// The distribution, ascending.
    pub(super) fn bins(&self) -> Vec<Bin> {
        let bin = |(number, messages): (i64, u64)| {
            let (from, to) = edges(number);
            Bin { from, to, messages }
        };
        self.all().bins.into_iter().map(bin).collect()
    }

    /// The shift if it looks like a time zone: nearly all messages are the same number of quarters of an hour off, the
    /// last one too.
    pub(super) fn shift(&self) -> Option<Shift> {
        let all = self.all();
        let of = all.bins.values().sum();
        let (&quarters, &messages) = all.quarters.iter().max_by_key(|(_, count)| **count)?;
        let is_latest = self.latest.last().is_some_and(|latest| is_near(*latest, quarters));
        let is_most = ZONE_MESSAGES_MIN <= messages && ZONE_PERCENT_MIN * of <= 100 * messages;
        (is_most && is_latest).then_some(Shift { seconds_ahead: -quarters * QUARTER / SECOND, messages, of })
    }
}

fn nearest_quarters(skew: i64) -> i64 {
    skew.saturating_add(QUARTER / 2).div_euclid(QUARTER)
}

fn is_near(skew: i64, quarters: i64) -> bool {
    skew.saturating_sub(quarters * QUARTER).abs() <= ZONE_TOLERANCE
}

/// The number of a bin. Those of skews below zero are below zero.
fn number(skew: i64) -> i64 {
    let size = skew.saturating_abs();
    let fine = FINE.iter().take_while(|edge| **edge <= size).count() as i64;
    let coarse = if fine < FINE.len() as i64 { 0 } else { nearest_quarters(size).min(QUARTERS_MAX) - 1 };
    (fine + coarse) * skew.signum()
}

/// The edges of the bin with this [`number`]. The first and the last bin have no end.
fn edges(number: i64) -> (i64, i64) {
    let size = number.unsigned_abs() as usize;
    let (from, to) = match FINE.get(size) {
        Some(edge) => (if size == 0 { -edge } else { FINE[size - 1] }, *edge),
        None => {
            let quarters = (size - FINE.len()) as i64 + 1;
            let to = if quarters < QUARTERS_MAX { quarters * QUARTER + QUARTER / 2 } else { i64::MAX };
            (quarters * QUARTER - QUARTER / 2, to)
        }
    };
    if number < 0 { (-to, -from) } else { (from, to) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn skew_of(skews: &[i64]) -> Skew {
        let mut skew = Skew::default();
        for one in skews {
            let mut bins = Bins::default();
            bins.add(*one);
            skew.add(&bins, *one, Timestamp::from_nanos(1));
        }
        skew
    }

    const HOUR: i64 = 4 * QUARTER;

    proptest! {
        #[test]
        fn each_skew_is_within_its_bin(skew in prop_oneof![-200_000_000i64..200_000_000, any::<i64>()]) {
            let (from, to) = edges(number(skew));
            // Below zero a bin has its lower edge instead of its upper one.
            prop_assert!(from <= skew && skew <= to, "{skew} in {from}..{to}");
        }

        #[test]
        fn bins_do_not_overlap(number in -190i64..190) {
            prop_assert_eq!(edges(number).1, edges(number + 1).0);
        }
    }

    #[test]
    fn times_of_years_ago_take_no_more_room_than_those_of_two_days() {
        let mut bins = Bins::default();
        for quarters in -20_000..20_000 {
            bins.add(quarters * QUARTER);
        }
        assert_eq!(bins.quarters.len() as i64, 2 * ZONE_QUARTERS_MAX);
        // The fine ones, and those of quarters of an hour, on either side of none.
        assert!(bins.bins.len() as i64 <= 2 * (FINE.len() as i64 + QUARTERS_MAX) + 1);
        assert_eq!(skew_of(&[-96 * HOUR; 20]).shift(), None, "four days are not a zone");
    }

    #[test]
    fn whole_hours_are_a_zone_and_a_drifting_clock_is_not() {
        let ahead = Shift { seconds_ahead: 7200, messages: 6, of: 6 };
        let two_ahead = [-2 * HOUR, -2 * HOUR + 40, -2 * HOUR + 300, -2 * HOUR, -2 * HOUR, -2 * HOUR + 1];
        assert_eq!(skew_of(&two_ahead).shift(), Some(ahead));
        let india: Vec<i64> = (0..6).map(|n| -(5 * HOUR + HOUR / 2) + n).collect();
        assert_eq!(skew_of(&india).shift().map(|shift| shift.seconds_ahead), Some(19_800));
        let behind: Vec<i64> = (0..6).map(|n| 5 * HOUR + n).collect();
        assert_eq!(skew_of(&behind).shift().map(|shift| shift.seconds_ahead), Some(-18_000));
        assert_eq!(skew_of(&[2 * HOUR; 4]).shift(), None, "too few to tell");
        assert_eq!(skew_of(&[HOUR / 5; 20]).shift(), None);
        assert_eq!(skew_of(&[300, 0, 20, 15, -4, 8]).shift(), None);
        // Since the zone was set right, the last message agrees with our clock.
        assert_eq!(skew_of(&[&[2 * HOUR; 30][..], &[3]].concat()).shift(), None);
    }

    #[test]
    fn what_is_old_is_forgotten() {
        let mut skew = Skew::default();
        for window in 0..3 {
            let mut bins = Bins::default();
            bins.add(window * HOUR);
            skew.add(&bins, window * HOUR, Timestamp::from_nanos((window + 1) * WINDOW_NANOS));
        }
        assert_eq!(skew.bins().iter().map(|bin| bin.messages).sum::<u64>(), 2);
        assert_eq!(skew.median(), Some(HOUR));
    }
}
