//! The fields that every message has, with the names that queries, the API and the console use.
//!
//! Everything else a message carries (structured data, JSON keys) is a *dynamic* field: structured data is
//! named `SD-ID.PARAM`, nested JSON keys are joined by dots. Names compare without regard to ASCII case.
//!
//! **Invariant:** a field is described once, in its row of [`Field::ALL`]. All code that reads, writes, tests or shows
//! values follows the row's [`Storage`], and names a field only if it differs from others with the same storage.

use crate::column_group::{ColumnGroup, ColumnGroups, NAME_COLUMNS};
use crate::priority::PriorityHalf;
use std::fmt;

/// A field that every message has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Field {
    /// The text of the message.
    Message,
    /// The host that the message claims to come from.
    Host,
    /// The program (RFC 5424's APP-NAME, RFC 3164's TAG).
    Program,
    /// The process id, as text.
    Pid,
    /// RFC 5424's MSGID.
    Msgid,
    /// The urgency of the message.
    Severity,
    /// The part of the system that the message comes from.
    Facility,
    /// The message's own time, or `received` if that is missing or absurd.
    Time,
    /// The time of receipt.
    Received,
    /// The configured source that received it.
    Source,
    /// The address that the message was actually sent from.
    Peer,
    /// The flags set while receiving and storing it: `truncated`, `unparsed`, `incomplete`, `out_of_step`, `undelimited`,
    /// `not_utf8`, `bad_time`, `copy`.
    Flag,
    /// The exact bytes as received.
    Raw,
    /// The logspace in which the message is stored. Only the store knows it, so a matcher on a batch accepts every
    /// message.
    Logspace,
    /// The logspace of a copy's original, which is recorded when the copy is stored.
    CopyOf,
}

/// The place where a batch keeps the values of a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Storage {
    /// The column of names with this number: texts with few distinct values.
    Name(usize),
    /// The column of texts with this number.
    Text(usize),
    /// A half of the priority.
    Priority(PriorityHalf),
    /// The bits of [`Flags`](crate::Flags).
    Flags,
    /// The [time](crate::Batch::time) of a message.
    Time,
    /// The time of receipt.
    Received,
    /// All columns together give the value.
    Raw,
    /// No column: the store knows the value.
    Logspace,
}

/// The number of the first name columns, whose values come from the origin of messages and not from their rows.
pub(crate) const ORIGIN_NAMES: usize = 2;
/// The number of the last name columns, which the store fills.
pub(crate) const STORE_NAMES: usize = 1;
/// The number of name columns whose values come from rows.
pub(crate) const ROW_NAMES: usize = Field::NAMES - ORIGIN_NAMES - STORE_NAMES;
/// The number of fields kept as texts.
pub(crate) const TEXTS: usize = TEXT_GROUPS.len();
/// The number of texts in a row.
const ROW_TEXTS: usize = ROW_NAMES + TEXTS;
/// The group of each column of texts.
const TEXT_GROUPS: [ColumnGroup; 2] = [ColumnGroup::Pid, ColumnGroup::Message];
const _: () = assert!(Field::NAMES == NAME_COLUMNS);

impl Field {
    /// The number of fields kept as names.
    pub const NAMES: usize = count_names();

    /// Every field, in the order of the enum, with its canonical name and its storage. The numbers are also those of
    /// the columns on the disk, so they never change.
    pub const ALL: [(Field, &'static str, Storage); 15] = [
        (Field::Message, "message", Storage::Text(1)),
        (Field::Host, "host", Storage::Name(2)),
        (Field::Program, "program", Storage::Name(3)),
        (Field::Pid, "pid", Storage::Text(0)),
        (Field::Msgid, "msgid", Storage::Name(4)),
        (Field::Severity, "severity", Storage::Priority(PriorityHalf::Severity)),
        (Field::Facility, "facility", Storage::Priority(PriorityHalf::Facility)),
        (Field::Time, "time", Storage::Time),
        (Field::Received, "received", Storage::Received),
        (Field::Source, "source", Storage::Name(0)),
        (Field::Peer, "peer", Storage::Name(1)),
        (Field::Flag, "flag", Storage::Flags),
        (Field::Raw, "raw", Storage::Raw),
        (Field::Logspace, "logspace", Storage::Logspace),
        (Field::CopyOf, "copy_of", Storage::Name(5)),
    ];

    /// The fields whose texts come from rows: those kept as names or texts, except the source, the peer and the store's own.
    pub const OF_ROWS: [Field; ROW_TEXTS] = of_rows();

    /// The names of fields in other tools.
    pub const ALIASES: [(Field, &'static str); 15] = [
        (Field::Message, "msg"),
        (Field::Message, "_msg"),
        (Field::Host, "hostname"),
        (Field::Program, "app"),
        (Field::Program, "appname"),
        (Field::Program, "app_name"),
        (Field::Program, "app-name"),
        (Field::Program, "tag"),
        (Field::Pid, "procid"),
        (Field::Pid, "process_id"),
        (Field::Severity, "level"),
        (Field::Severity, "priority"),
        (Field::Time, "_time"),
        (Field::Time, "@timestamp"),
        (Field::Time, "timestamp"),
    ];

    /// The fields that are searched for a text without a field, besides the message and the dynamic fields.
    pub const SEARCHED: [Field; 2] = [Field::Host, Field::Program];

    /// The canonical name.
    pub const fn name(self) -> &'static str {
        Field::ALL[self as usize].1
    }

    /// The place where a batch keeps its values.
    #[inline]
    pub const fn storage(self) -> Storage {
        Field::ALL[self as usize].2
    }

    /// The number of the field's column among those of names or texts.
    ///
    /// # Panics
    /// When the field is stored in another way.
    #[inline]
    pub const fn number(self) -> usize {
        match self.storage() {
            Storage::Name(number) | Storage::Text(number) => number,
            _ => panic!("the field has no column of names or texts"),
        }
    }

    /// The columns that its values are read from.
    pub fn groups(self) -> ColumnGroups {
        match self.storage() {
            Storage::Name(number) => ColumnGroups::of_names(number),
            Storage::Text(number) => TEXT_GROUPS[number].into(),
            Storage::Priority(_) => ColumnGroups::PRIORITY,
            Storage::Flags => ColumnGroups::FLAGS,
            Storage::Time | Storage::Received => ColumnGroups::TIMES,
            Storage::Raw => ColumnGroups::ALL,
            Storage::Logspace => ColumnGroups::NONE,
        }
    }

    /// Finds a field by its canonical name or its name in other tools, in any case.
    pub fn from_name(name: &str) -> Option<Field> {
        let names = Field::ALL.into_iter().map(|(field, name, _)| (field, name));
        let mut names = names.chain(Field::ALIASES);
        names.find(|(_, known)| known.eq_ignore_ascii_case(name)).map(|(field, _)| field)
    }
}

const fn of_rows() -> [Field; ROW_TEXTS] {
    let (mut at, mut found) = (0, 0);
    let mut fields = [Field::Message; ROW_TEXTS];
    while at < Field::ALL.len() {
        let (field, _, storage) = Field::ALL[at];
        let is_of_row = match storage {
            Storage::Name(number) => ORIGIN_NAMES <= number && number < ORIGIN_NAMES + ROW_NAMES,
            _ => matches!(storage, Storage::Text(_)),
        };
        if is_of_row {
            fields[found] = field;
            found += 1;
        }
        at += 1;
    }
    fields
}

const fn count_names() -> usize {
    let (mut at, mut names) = (0, 0);
    while at < Field::ALL.len() {
        names += matches!(Field::ALL[at].2, Storage::Name(_)) as usize;
        at += 1;
    }
    names
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_is_found_by_its_name() {
        for (field, name, storage) in Field::ALL {
            assert_eq!(Field::from_name(name), Some(field));
            assert_eq!((field.name(), field.storage()), (name, storage));
        }
        for (field, alias) in Field::ALIASES {
            assert_eq!(Field::from_name(alias), Some(field));
        }
        assert_eq!(Field::from_name("HostName"), Some(Field::Host));
        assert_eq!(Field::from_name("user"), None);
    }

    #[test]
    fn every_column_is_that_of_one_field() {
        let numbers = |number_of: fn(Storage) -> Option<usize>| {
            let mut numbers: Vec<usize> =
                Field::ALL.iter().filter_map(|(_, _, storage)| number_of(*storage)).collect();
            numbers.sort_unstable();
            numbers
        };
        let names = numbers(|storage| if let Storage::Name(number) = storage { Some(number) } else { None });
        let texts = numbers(|storage| if let Storage::Text(number) = storage { Some(number) } else { None });
        assert_eq!(names, (0..Field::NAMES).collect::<Vec<_>>());
        assert_eq!(texts, (0..TEXTS).collect::<Vec<_>>());
    }
}
