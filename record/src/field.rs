//! The fields every message has, by the names that queries, the API and the console use.
//!
//! Everything else a message carries (structured data, JSON keys) is a *dynamic* field: structured data is
//! named `SD-ID.PARAM`, nested JSON keys are joined by dots. Names compare without regard to ASCII case.

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
    /// How urgent it is.
    Severity,
    /// Which part of the system it comes from.
    Facility,
    /// The message's own time, or `received` where that is missing or absurd.
    Time,
    /// When we received it.
    Received,
    /// The configured source it came in through.
    Source,
    /// The address it was really sent from.
    Peer,
    /// What was noted while receiving it: `truncated`, `unparsed`, `incomplete`, `out_of_step`, `undelimited`.
    Flag,
    /// The exact bytes as received.
    Raw,
    /// The logspace it is stored in. Decided by the store, not by a batch: matches everything in a matcher.
    Logspace,
}

impl Field {
    /// Every field with its canonical name.
    pub const ALL: [(Field, &'static str); 14] = [
        (Field::Message, "message"),
        (Field::Host, "host"),
        (Field::Program, "program"),
        (Field::Pid, "pid"),
        (Field::Msgid, "msgid"),
        (Field::Severity, "severity"),
        (Field::Facility, "facility"),
        (Field::Time, "time"),
        (Field::Received, "received"),
        (Field::Source, "source"),
        (Field::Peer, "peer"),
        (Field::Flag, "flag"),
        (Field::Raw, "raw"),
        (Field::Logspace, "logspace"),
    ];

    /// What users of other tools call them.
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

    /// The canonical name.
    pub fn name(self) -> &'static str {
        Field::ALL.iter().find(|(field, _)| *field == self).map_or("", |(_, name)| name)
    }

    /// By canonical name or by what users of other tools call it, in any case.
    pub fn from_name(name: &str) -> Option<Field> {
        let names = Field::ALL.iter().chain(&Field::ALIASES);
        names.into_iter().find(|(_, known)| known.eq_ignore_ascii_case(name)).map(|(field, _)| *field)
    }
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
        for (field, name) in Field::ALL {
            assert_eq!(Field::from_name(name), Some(field));
            assert_eq!(field.name(), name);
        }
        for (field, alias) in Field::ALIASES {
            assert_eq!(Field::from_name(alias), Some(field));
        }
        assert_eq!(Field::from_name("HostName"), Some(Field::Host));
        assert_eq!(Field::from_name("user"), None);
    }
}
