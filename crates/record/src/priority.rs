//! Facility and severity: syslog's numbers and their names.

use std::fmt;
use std::str::FromStr;

/// The urgency of a message. A smaller number is more urgent.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Severity(u8);

/// The part of a system that a message comes from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Facility(u8);

/// Facility and severity together, as `<PRI>` carries them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Priority(u8);

/// One of the two parts of a [`Priority`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PriorityHalf {
    /// The [`Severity`].
    Severity,
    /// The [`Facility`].
    Facility,
}

/// Severity names by number.
pub const SEVERITY_NAMES: [&str; 8] = ["emerg", "alert", "crit", "err", "warning", "notice", "info", "debug"];

/// Facility names by number.
pub const FACILITY_NAMES: [&str; 24] = [
    "kern", "user", "mail", "daemon", "auth", "syslog", "lpr", "news", "uucp", "cron", "authpriv", "ftp",
    "ntp", "audit", "alert", "clock", "local0", "local1", "local2", "local3", "local4", "local5", "local6",
    "local7",
];

impl Severity {
    /// The severity with this syslog number, from 0 (emerg) to 7 (debug).
    pub const fn new(number: u8) -> Option<Severity> {
        if number < 8 { Some(Severity(number)) } else { None }
    }

    /// Syslog's number.
    pub const fn number(self) -> u8 {
        self.0
    }

    /// The name, `err` for 3.
    pub fn name(self) -> &'static str {
        SEVERITY_NAMES[usize::from(self.0)]
    }
}

impl Facility {
    /// The facility with this syslog number, from 0 (kern) to 23 (local7).
    pub const fn new(number: u8) -> Option<Facility> {
        if number < 24 { Some(Facility(number)) } else { None }
    }

    /// Syslog's number.
    pub const fn number(self) -> u8 {
        self.0
    }

    /// The name, `kern` for 0.
    pub fn name(self) -> &'static str {
        FACILITY_NAMES[usize::from(self.0)]
    }
}

impl Priority {
    /// The priority of a message that has none: user.notice.
    pub const DEFAULT: Priority = Priority(13);

    /// The priority with the number between the angle brackets, from 0 to 191.
    pub const fn new(number: u8) -> Option<Priority> {
        if number < 192 { Some(Priority(number)) } else { None }
    }

    /// The priority with these two parts.
    pub const fn of(facility: Facility, severity: Severity) -> Priority {
        Priority(facility.0 * 8 + severity.0)
    }

    /// The number between the angle brackets.
    pub const fn number(self) -> u8 {
        self.0
    }

    /// The severity half.
    pub const fn severity(self) -> Severity {
        Severity(self.0 % 8)
    }

    /// The facility half.
    pub const fn facility(self) -> Facility {
        Facility(self.0 / 8)
    }
}

impl PriorityHalf {
    /// Syslog's number of this half.
    pub const fn number(self, priority: Priority) -> u8 {
        match self {
            PriorityHalf::Severity => priority.severity().number(),
            PriorityHalf::Facility => priority.facility().number(),
        }
    }

    /// The name of this half.
    pub fn name(self, priority: Priority) -> &'static str {
        match self {
            PriorityHalf::Severity => priority.severity().name(),
            PriorityHalf::Facility => priority.facility().name(),
        }
    }
}

/// A name that is not known.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a known name")]
pub struct UnknownName(pub String);

/// Parses a name or alias in any case, or a number.
impl FromStr for Severity {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        let lower = text.to_ascii_lowercase();
        let name = match lower.as_str() {
            "panic" | "emergency" => "emerg",
            "critical" => "crit",
            "error" => "err",
            "warn" => "warning",
            "informational" | "information" => "info",
            other => other,
        };
        let number = SEVERITY_NAMES.iter().position(|&known| known == name).or_else(|| name.parse().ok());
        number.and_then(|n| Severity::new(u8::try_from(n).ok()?)).ok_or_else(|| UnknownName(text.to_owned()))
    }
}

/// Parses a name or alias in any case, or a number.
impl FromStr for Facility {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        let lower = text.to_ascii_lowercase();
        let name = match lower.as_str() {
            "security" => "auth",
            other => other,
        };
        let number = FACILITY_NAMES.iter().position(|&known| known == name).or_else(|| name.parse().ok());
        number.and_then(|n| Facility::new(u8::try_from(n).ok()?)).ok_or_else(|| UnknownName(text.to_owned()))
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Facility {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_numbers_and_aliases_agree() {
        for number in 0..8 {
            let severity = Severity::new(number).unwrap();
            assert_eq!(severity.name().parse(), Ok(severity));
            assert_eq!(number.to_string().parse(), Ok(severity));
        }
        assert_eq!("ERROR".parse(), Severity::new(3).ok_or(UnknownName(String::new())));
        assert_eq!("8".parse::<Severity>(), Err(UnknownName("8".to_owned())));
        assert_eq!("local7".parse::<Facility>().unwrap().number(), 23);
        assert_eq!(Priority::DEFAULT.facility().name(), "user");
        assert_eq!(Priority::DEFAULT.severity().name(), "notice");
    }
}
