//! The distribution of a sender's clock skew, and whether it looks like a time zone.
//!
//! A skew is the time of receipt minus the time in the message, in milliseconds: if it is positive, the sender's
//! clock is behind, or the message took long to arrive.

use super::few_counts::FewCounts;
use logstead_record::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The length of a window. The distribution covers the last two windows in which messages arrived.
const WINDOW_NANOS: i64 = 600_000_000_000;
const SECOND: i64 = 1_000;
const QUARTER: i64 = 900 * SECOND;
/// The bounds of the bins up to half a quarter of an hour; beyond that, each bin is a quarter of an hour wide.
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
/// All skews beyond two days are in one bin.
const QUARTERS_MAX: i64 = 192;
/// The maximum distance between two zones: they reach from twelve hours behind UTC to fourteen ahead.
const ZONE_QUARTERS_MAX: i64 = 26 * 4;
/// A skew this close to whole quarters of an hour may be a time zone.
const ZONE_TOLERANCE: i64 = 90 * SECOND;
/// A zone is guessed from no fewer messages than this, if at least this share of them agree.
const ZONE_MESSAGES_MIN: u64 = 5;
const ZONE_PERCENT_MIN: u64 = 95;
/// The skew that is shown is the median of this many skews, each of the last of the messages that were added together.
const LATEST: usize = 15;

/// The skews of some messages, before they are added to the distribution: there are seldom more than two.
#[derive(Default)]
pub(super) struct NewSkews {
    bins: FewCounts,
    quarters: FewCounts,
    /// The skew of the last message that states a time.
    latest: Option<i64>,
}

/// The number of messages by skew.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
struct Bins {
    bins: BTreeMap<i64, u64>,
    /// The messages that are off by whole quarters of an hour, up to the maximum distance of zones, by the number of
    /// quarters.
    quarters: BTreeMap<i64, u64>,
}

#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Skew {
    /// When the newer window began.
    since: i64,
    windows: [Bins; 2],
    latest: Vec<i64>,
}

/// A bin of skews that are at least `from` and less than `to`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Bin {
    pub(super) from: i64,
    pub(super) to: i64,
    pub(super) messages: u64,
}

/// The whole quarters of an hour by which a sender's time is off.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Shift {
    /// The time by which it is ahead.
    pub(super) seconds_ahead: i64,
    /// The number of messages that are off by this time.
    pub(super) messages: u64,
    /// The number of messages compared.
    pub(super) of: u64,
}

impl NewSkews {
    pub(super) fn add(&mut self, skew: i64) {
        self.latest = Some(skew);
        self.bins.add(number(skew), 1);
        let quarters = nearest_quarters(skew);
        if quarters != 0 && quarters.abs() <= ZONE_QUARTERS_MAX && is_near(skew, quarters) {
            self.quarters.add(quarters, 1);
        }
    }

    /// Adds later ones.
    pub(super) fn append(&mut self, later: &NewSkews) {
        self.bins.add_all(&later.bins);
        self.quarters.add_all(&later.quarters);
        self.latest = later.latest.or(self.latest);
    }
}

impl Bins {
    fn add_new(&mut self, new: &NewSkews) {
        new.bins.iter().for_each(|(bin, count)| *self.bins.entry(bin).or_default() += count);
        new.quarters.iter().for_each(|(bin, count)| *self.quarters.entry(bin).or_default() += count);
    }

    fn add_all(&mut self, other: &Bins) {
        other.bins.iter().for_each(|(bin, count)| *self.bins.entry(*bin).or_default() += count);
        other.quarters.iter().for_each(|(bin, count)| *self.quarters.entry(*bin).or_default() += count);
    }
}

impl Skew {
    /// Adds messages with these skews.
    pub(super) fn add(&mut self, new: &NewSkews, now: Timestamp) {
        let Some(latest) = new.latest else { return };
        if WINDOW_NANOS <= now.nanos().saturating_sub(self.since) {
            let [older, newer] = &mut self.windows;
            *older = std::mem::take(newer);
            self.since = now.nanos();
        }
        self.windows[1].add_new(new);
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

    /// The distribution, in ascending order.
    pub(super) fn bins(&self) -> Vec<Bin> {
        let bin = |(number, messages): (i64, u64)| {
            let (from, to) = edges(number);
            Bin { from, to, messages }
        };
        self.all().bins.into_iter().map(bin).collect()
    }

    /// The shift if it looks like a time zone: nearly all messages, including the last one, are off by the same
    /// number of quarters of an hour.
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

/// The number of the bin of a skew. It is negative for negative skews.
fn number(skew: i64) -> i64 {
    let size = skew.saturating_abs();
    let fine = FINE.iter().take_while(|edge| **edge <= size).count() as i64;
    let coarse = if fine < FINE.len() as i64 { 0 } else { nearest_quarters(size).min(QUARTERS_MAX) - 1 };
    (fine + coarse) * skew.signum()
}

/// The edges of the bin with this [`number`]. The first and the last bin are unbounded.
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
            let mut new = NewSkews::default();
            new.add(*one);
            skew.add(&new, Timestamp::from_nanos(1));
        }
        skew
    }

    const HOUR: i64 = 4 * QUARTER;

    proptest! {
        #[test]
        fn each_skew_is_within_its_bin(skew in prop_oneof![-200_000_000i64..200_000_000, any::<i64>()]) {
            let (from, to) = edges(number(skew));
            // A bin of negative skews includes its lower edge instead of its upper one.
            prop_assert!(from <= skew && skew <= to, "{skew} in {from}..{to}");
        }

        #[test]
        fn bins_do_not_overlap(number in -190i64..190) {
            prop_assert_eq!(edges(number).1, edges(number + 1).0);
        }
    }

    #[test]
    fn times_of_years_ago_take_no_more_room_than_those_of_two_days() {
        let (mut bins, mut new) = (Bins::default(), NewSkews::default());
        for quarters in -20_000..20_000 {
            new.add(quarters * QUARTER);
        }
        bins.add_new(&new);
        assert_eq!(bins.quarters.len() as i64, 2 * ZONE_QUARTERS_MAX);
        // The fine bins and those of quarters of an hour, on either side of zero.
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
        // Once the zone is set correctly, the last message agrees with our clock.
        assert_eq!(skew_of(&[&[2 * HOUR; 30][..], &[3]].concat()).shift(), None);
    }

    #[test]
    fn what_is_old_is_forgotten() {
        let mut skew = Skew::default();
        for window in 0..3 {
            let mut new = NewSkews::default();
            new.add(window * HOUR);
            skew.add(&new, Timestamp::from_nanos((window + 1) * WINDOW_NANOS));
        }
        assert_eq!(skew.bins().iter().map(|bin| bin.messages).sum::<u64>(), 2);
        assert_eq!(skew.median(), Some(HOUR));
    }
}
