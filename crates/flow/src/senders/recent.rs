//! The figures of the last second about senders that are known, which are not in their records yet. No I/O.
//!
//! A small batch has few messages of each of its senders. To look up a record and to change all that it consists of costs a
//! microsecond, mostly of memory that is in no cache; here a sender is found by its host alone, and its figures lie together.
//!
//! **Invariant:** each sender here has a record, so adding its figures there needs no room. Whoever looks at records, or
//! removes any, adds these figures to them before.

use super::sender::{Arrival, MINUTE_NANOS, NAME_BYTES_MAX, SECOND_NANOS, SenderKey, SenderRecord};
use super::tally::Figures;
use logstead_record::Timestamp;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// The time for which figures stay out of the records.
const KEPT_NANOS: i64 = SECOND_NANOS;
/// The maximum number of senders, and of the sources that they belong to.
const SENDERS_MAX: usize = 10_000;
const SOURCES_MAX: usize = 64;
/// The maximum number of ways in which their last messages came: at this number, all figures are added to the records.
const ARRIVALS_MAX: usize = 64;

#[derive(Default)]
pub(super) struct RecentFigures {
    sources: Vec<RecentSource>,
    senders: Vec<RecentSender>,
    /// The numbers of the senders with messages.
    filled: Vec<usize>,
    /// The ways in which their last messages came.
    arrivals: Vec<OwnedArrival>,
    /// When the first of these messages were received.
    since: i64,
}

struct RecentSource {
    id: Arc<str>,
    /// The number of each of its senders, by host.
    numbers: HashMap<Box<[u8]>, usize>,
}

struct RecentSender {
    key: SenderKey,
    figures: Figures,
    /// When its first and its last messages of these were received.
    first: Timestamp,
    last: Timestamp,
    /// The number of the way in which its last message came.
    arrival: usize,
}

struct OwnedArrival {
    address: Box<[u8]>,
    via: Box<str>,
    tls_subject: Option<Box<[u8]>>,
}

impl RecentFigures {
    /// Whether figures of messages that were received now can be added before the others are added to the records: all are
    /// of one minute, and of a second of it.
    pub(super) fn takes(&self, now: Timestamp) -> bool {
        let is_of_minute = self.since.div_euclid(MINUTE_NANOS) == now.nanos().div_euclid(MINUTE_NANOS);
        let is_of_second = (0..KEPT_NANOS).contains(&(now.nanos().saturating_sub(self.since)));
        self.filled.is_empty() || (is_of_minute && is_of_second && self.arrivals.len() < ARRIVALS_MAX)
    }

    /// Adds figures about a sender; `false` if it is not here.
    pub(super) fn add(
        &mut self,
        source: &str,
        host: &[u8],
        figures: &Figures,
        came: &Arrival<'_>,
        now: Timestamp,
    ) -> bool {
        let of_source = self.sources.iter().find(|other| *other.id == *source);
        let Some(&number) = of_source.and_then(|source| source.numbers.get(host)) else { return false };
        let arrival = self.arrival(came);
        let sender = &mut self.senders[number];
        if sender.figures.messages == 0 {
            if self.filled.is_empty() {
                self.since = now.nanos();
            }
            self.filled.push(number);
            sender.first = now;
        }
        sender.figures.append(figures);
        (sender.last, sender.arrival) = (now, arrival);
        true
    }

    /// Takes a sender that has a record from now on.
    pub(super) fn know(&mut self, key: SenderKey, host: &[u8]) {
        if NAME_BYTES_MAX < host.len() || SENDERS_MAX <= self.senders.len() {
            return;
        }
        let at = self.sources.iter().position(|source| source.id == key.source).unwrap_or(self.sources.len());
        if SOURCES_MAX <= at {
            return;
        }
        if at == self.sources.len() {
            self.sources.push(RecentSource { id: key.source.clone(), numbers: HashMap::new() });
        }
        self.sources[at].numbers.entry(host.into()).or_insert_with(|| {
            let (first, last) = (Timestamp::from_nanos(0), Timestamp::from_nanos(0));
            self.senders.push(RecentSender { key, figures: Figures::default(), first, last, arrival: 0 });
            self.senders.len() - 1
        });
    }

    /// Adds all figures to the records.
    pub(super) fn settle(
        &mut self,
        records: &mut BTreeMap<SenderKey, SenderRecord>,
        listening_since: Timestamp,
    ) {
        for number in self.filled.drain(..) {
            let RecentSender { key, figures, first, last, arrival } = &mut self.senders[number];
            let figures = std::mem::take(figures);
            let OwnedArrival { address, via, tls_subject } = &self.arrivals[*arrival];
            let came = Arrival { address, via, tls_subject: tls_subject.as_deref() };
            if let Some(record) = records.get_mut(key) {
                record.add(&figures, &came, *first..=*last, listening_since);
            }
        }
        self.arrivals.clear();
    }

    /// Forgets all senders, some of whose records are removed. Their figures must have been added to the records.
    pub(super) fn clear(&mut self) {
        debug_assert!(self.filled.is_empty(), "no figures are lost");
        *self = RecentFigures::default();
    }

    /// The number of a way in which messages come.
    fn arrival(&mut self, came: &Arrival<'_>) -> usize {
        // It is mostly the last one.
        self.arrivals.iter().rposition(|known| known.is(came)).unwrap_or_else(|| {
            self.arrivals.push(OwnedArrival {
                address: came.address.into(),
                via: came.via.into(),
                tls_subject: came.tls_subject.map(Into::into),
            });
            self.arrivals.len() - 1
        })
    }
}

impl OwnedArrival {
    fn is(&self, came: &Arrival<'_>) -> bool {
        *self.address == *came.address
            && *self.via == *came.via
            && self.tls_subject.as_deref() == came.tls_subject
    }
}
