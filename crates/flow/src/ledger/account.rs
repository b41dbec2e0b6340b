//! The accounts: how many messages met which fate, by party and period.

use logstead_record::Timestamp;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

pub(crate) const MINUTE_NANOS: i64 = 60_000_000_000;

/// The owner of an account.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Party {
    Source(Arc<str>),
    Destination(Arc<str>),
}

/// The fate of messages, or of bytes that became no message. The first variants are for a source's messages, and the
/// last three for a destination's; those of both may be dropped.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum FateColumn {
    Received,
    /// Stored in this logspace.
    Stored(Arc<str>),
    /// Forwarded to this destination.
    Forwarded(Arc<str>),
    /// Dropped for this reason.
    Dropped(Reason),
    /// Received before a crash and lost in it. No sender was told that they were accepted.
    Unacknowledged,
    /// Lost at this place, before they were received.
    LostBefore(Reason),
    /// Bytes of streams that no message holds, by reason. They are not messages, and are not part of the balance.
    Skipped(Reason),
    Queued,
    Delivered,
    Quarantined,
}

/// The reason why messages were dropped.
pub(super) type Reason = Cow<'static, str>;

/// The length of the period that an account covers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum AccountPeriod {
    /// Since the ledger began.
    Ever,
    Day,
    Hour,
    Minute,
}

/// The key of an account: a party and a period.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct AccountKey {
    pub span: AccountPeriod,
    /// The first minute, counted from 1970.
    pub minute: i64,
    pub(crate) party: Party,
}

/// The number of messages for each fate.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct FateCounts(pub(crate) BTreeMap<FateColumn, u64>);

/// The minute of a time, counted from 1970.
pub(super) fn minute(time: Timestamp) -> i64 {
    time.nanos().div_euclid(MINUTE_NANOS)
}

impl AccountPeriod {
    /// Its length in minutes.
    pub(super) fn minutes(self) -> i64 {
        match self {
            AccountPeriod::Ever => i64::MAX,
            AccountPeriod::Day => 24 * 60,
            AccountPeriod::Hour => 60,
            AccountPeriod::Minute => 1,
        }
    }

    /// The first minute of the period that holds `minute`.
    pub(super) fn floor(self, minute: i64) -> i64 {
        if self == AccountPeriod::Ever { 0 } else { minute.div_euclid(self.minutes()) * self.minutes() }
    }
}

impl FateCounts {
    pub(super) fn get(&self, column: &FateColumn) -> u64 {
        self.0.get(column).copied().unwrap_or_default()
    }

    pub(super) fn add(&mut self, column: &FateColumn, messages: u64) {
        if messages == 0 {
            return;
        }
        match self.0.get_mut(column) {
            Some(sum) => *sum = sum.saturating_add(messages),
            None => drop(self.0.insert(column.clone(), messages)),
        }
    }

    pub(super) fn subtract(&mut self, column: &FateColumn, messages: u64) {
        if let Some(sum) = self.0.get_mut(column) {
            *sum = sum.saturating_sub(messages);
            if *sum == 0 {
                self.0.remove(column);
            }
        }
    }

    pub(crate) fn add_all(&mut self, other: &FateCounts) {
        other.0.iter().for_each(|(column, messages)| self.add(column, *messages));
    }

    /// The messages that came in and have no fate yet: they are in flight or waiting.
    pub(super) fn open(&self) -> i64 {
        let signed = |(column, messages): (&FateColumn, &u64)| {
            let messages = i64::try_from(*messages).unwrap_or(i64::MAX);
            match column {
                FateColumn::Received | FateColumn::Queued => messages,
                FateColumn::LostBefore(_) | FateColumn::Skipped(_) => 0,
                FateColumn::Stored(_)
                | FateColumn::Forwarded(_)
                | FateColumn::Dropped(_)
                | FateColumn::Unacknowledged
                | FateColumn::Delivered
                | FateColumn::Quarantined => -messages,
            }
        };
        self.0.iter().map(signed).sum()
    }
}

// The names of these types in the file.

impl fmt::Display for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Party::Source(id) => write!(f, "source:{id}"),
            Party::Destination(id) => write!(f, "destination:{id}"),
        }
    }
}

impl Party {
    pub(super) fn parse(text: &str) -> Option<Party> {
        Some(match text.split_once(':')? {
            ("source", id) => Party::Source(id.into()),
            ("destination", id) => Party::Destination(id.into()),
            _ => return None,
        })
    }
}

impl fmt::Display for FateColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FateColumn::Received => f.write_str("received"),
            FateColumn::Stored(id) => write!(f, "stored:{id}"),
            FateColumn::Forwarded(id) => write!(f, "forwarded:{id}"),
            FateColumn::Dropped(reason) => write!(f, "dropped:{reason}"),
            FateColumn::Unacknowledged => f.write_str("unacknowledged"),
            FateColumn::LostBefore(place) => write!(f, "lost_before:{place}"),
            FateColumn::Skipped(reason) => write!(f, "skipped:{reason}"),
            FateColumn::Queued => f.write_str("queued"),
            FateColumn::Delivered => f.write_str("delivered"),
            FateColumn::Quarantined => f.write_str("quarantined"),
        }
    }
}

impl FateColumn {
    pub(super) fn parse(text: &str) -> Option<FateColumn> {
        let (name, of) = text.split_once(':').unwrap_or((text, ""));
        let reason = || Reason::Owned(of.to_owned());
        Some(match name {
            "received" => FateColumn::Received,
            "stored" => FateColumn::Stored(of.into()),
            "forwarded" => FateColumn::Forwarded(of.into()),
            "dropped" => FateColumn::Dropped(reason()),
            "unacknowledged" => FateColumn::Unacknowledged,
            "lost_before" => FateColumn::LostBefore(reason()),
            "skipped" => FateColumn::Skipped(reason()),
            "queued" => FateColumn::Queued,
            "delivered" => FateColumn::Delivered,
            "quarantined" => FateColumn::Quarantined,
            _ => return None,
        })
    }
}

impl fmt::Display for AccountPeriod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AccountPeriod::Ever => "ever",
            AccountPeriod::Day => "day",
            AccountPeriod::Hour => "hour",
            AccountPeriod::Minute => "minute",
        })
    }
}

impl AccountPeriod {
    pub(super) fn parse(text: &str) -> Option<AccountPeriod> {
        [AccountPeriod::Ever, AccountPeriod::Day, AccountPeriod::Hour, AccountPeriod::Minute]
            .into_iter()
            .find(|span| span.to_string() == text)
    }
}
