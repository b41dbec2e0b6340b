//! What is counted, for whom, and for which time.

use logstead_record::Timestamp;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

pub(crate) const MINUTE_NANOS: i64 = 60_000_000_000;

/// Whose account it is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Party {
    Source(Arc<str>),
    Destination(Arc<str>),
}

/// A fate of messages, or of bytes that became none. The first ones are those of a source's messages, the last three those of a destination's;
/// both may drop some.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Column {
    Received,
    /// In this logspace.
    Stored(Arc<str>),
    /// To this destination.
    Forwarded(Arc<str>),
    /// For this reason.
    Dropped(Reason),
    /// Received before a crash, and gone with it. No sender was told that they were accepted.
    Unacknowledged,
    /// Lost before they were received, and where.
    LostBefore(Reason),
    /// Bytes of streams that no message holds, and why. They are not messages, and balance with nothing.
    Skipped(Reason),
    Queued,
    Delivered,
    Quarantined,
}

/// Why messages were dropped.
pub(super) type Reason = Cow<'static, str>;

/// How long the time is that a cell is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Span {
    /// Since the ledger began.
    Ever,
    Day,
    Hour,
    Minute,
}

/// The account of a party for a time.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Key {
    pub span: Span,
    /// The first minute, counted from 1970.
    pub minute: i64,
    pub(crate) party: Party,
}

/// How many messages met which fate.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct Cell(pub(crate) BTreeMap<Column, u64>);

/// The minute of a time, counted from 1970.
pub(super) fn minute(time: Timestamp) -> i64 {
    time.nanos().div_euclid(MINUTE_NANOS)
}

impl Span {
    /// How many minutes it has.
    pub(super) fn minutes(self) -> i64 {
        match self {
            Span::Ever => i64::MAX,
            Span::Day => 24 * 60,
            Span::Hour => 60,
            Span::Minute => 1,
        }
    }

    /// The beginning of the one that a minute is in.
    pub(super) fn floor(self, minute: i64) -> i64 {
        if self == Span::Ever { 0 } else { minute.div_euclid(self.minutes()) * self.minutes() }
    }
}

impl Cell {
    pub(super) fn get(&self, column: &Column) -> u64 {
        self.0.get(column).copied().unwrap_or_default()
    }

    pub(super) fn add(&mut self, column: &Column, messages: u64) {
        if messages == 0 {
            return;
        }
        match self.0.get_mut(column) {
            Some(sum) => *sum = sum.saturating_add(messages),
            None => drop(self.0.insert(column.clone(), messages)),
        }
    }

    pub(super) fn subtract(&mut self, column: &Column, messages: u64) {
        if let Some(sum) = self.0.get_mut(column) {
            *sum = sum.saturating_sub(messages);
            if *sum == 0 {
                self.0.remove(column);
            }
        }
    }

    pub(crate) fn add_all(&mut self, other: &Cell) {
        other.0.iter().for_each(|(column, messages)| self.add(column, *messages));
    }

    /// What came in less what it became: messages that are under way, or that wait.
    pub(super) fn open(&self) -> i64 {
        let signed = |(column, messages): (&Column, &u64)| {
            let messages = i64::try_from(*messages).unwrap_or(i64::MAX);
            match column {
                Column::Received | Column::Queued => messages,
                Column::LostBefore(_) | Column::Skipped(_) => 0,
                Column::Stored(_)
                | Column::Forwarded(_)
                | Column::Dropped(_)
                | Column::Unacknowledged
                | Column::Delivered
                | Column::Quarantined => -messages,
            }
        };
        self.0.iter().map(signed).sum()
    }
}

// What these are called in the file.

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

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Column::Received => f.write_str("received"),
            Column::Stored(id) => write!(f, "stored:{id}"),
            Column::Forwarded(id) => write!(f, "forwarded:{id}"),
            Column::Dropped(reason) => write!(f, "dropped:{reason}"),
            Column::Unacknowledged => f.write_str("unacknowledged"),
            Column::LostBefore(place) => write!(f, "lost_before:{place}"),
            Column::Skipped(reason) => write!(f, "skipped:{reason}"),
            Column::Queued => f.write_str("queued"),
            Column::Delivered => f.write_str("delivered"),
            Column::Quarantined => f.write_str("quarantined"),
        }
    }
}

impl Column {
    pub(super) fn parse(text: &str) -> Option<Column> {
        let (name, of) = text.split_once(':').unwrap_or((text, ""));
        let reason = || Reason::Owned(of.to_owned());
        Some(match name {
            "received" => Column::Received,
            "stored" => Column::Stored(of.into()),
            "forwarded" => Column::Forwarded(of.into()),
            "dropped" => Column::Dropped(reason()),
            "unacknowledged" => Column::Unacknowledged,
            "lost_before" => Column::LostBefore(reason()),
            "skipped" => Column::Skipped(reason()),
            "queued" => Column::Queued,
            "delivered" => Column::Delivered,
            "quarantined" => Column::Quarantined,
            _ => return None,
        })
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Span::Ever => "ever",
            Span::Day => "day",
            Span::Hour => "hour",
            Span::Minute => "minute",
        })
    }
}

impl Span {
    pub(super) fn parse(text: &str) -> Option<Span> {
        [Span::Ever, Span::Day, Span::Hour, Span::Minute].into_iter().find(|span| span.to_string() == text)
    }
}
