//! The keys under which a JSON object holds the columns of a message: a single list for HTTP bodies and for syslog
//! messages that are JSON. `docs/http.md` prints it.
//!
//! Keys are compared without regard to case; nested ones are joined by dots. If several of a column's keys are
//! present, the first one in the list is used whose value is not empty and can be read as that column.

use super::stamp::{self, Clock};
use logstead_parse::JsonObject;
use logstead_record::{Facility, Priority, Severity, Timestamp};
use std::borrow::Cow;

/// A name and a value of a flat object.
pub(super) struct ObjectPair<'o, 't> {
    /// The name, borrowed from the object.
    pub(super) name: &'o str,
    /// The value, borrowed from the object's text if it has no escapes.
    pub(super) value: Cow<'t, str>,
}

/// The values of an object.
pub(super) fn pairs<'o, 't>(object: &'o JsonObject<'t>) -> Vec<ObjectPair<'o, 't>> {
    object.pairs().map(|(name, value)| ObjectPair { name, value }).collect()
}

/// A column that a key may fill.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeyColumn {
    /// The time when it was written.
    Time,
    /// The text.
    Message,
    /// The host that wrote it.
    Host,
    /// The program that wrote it.
    Program,
    /// The severity.
    Severity,
    /// A severity, or severity and facility in one number as in `<PRI>`.
    Priority,
    /// The kind of program that wrote it.
    Facility,
    /// The id of the process that wrote it.
    Pid,
    /// The kind of message, as the program names it.
    Msgid,
}

/// The keys of each column, in order of precedence.
pub const KEYS: [(KeyColumn, &str); 9] = [
    (
        KeyColumn::Time,
        "time,timestamp,@timestamp,_time,ts,datetime,isodate,date,_source_realtime_timestamp,__realtime_timestamp",
    ),
    (KeyColumn::Message, "message,msg,_msg,log,short_message"),
    (KeyColumn::Host, "host,hostname,host.name,host.hostname,_hostname"),
    (
        KeyColumn::Program,
        "program,app,appname,app_name,app-name,tag,syslog_identifier,service,service.name,process.name",
    ),
    (
        KeyColumn::Severity,
        "severity,level,log.level,levelname,lvl,loglevel,log_level,syslog_severity,log.syslog.severity.name",
    ),
    (KeyColumn::Priority, "priority,pri,log.syslog.priority"),
    (KeyColumn::Facility, "facility,syslog_facility,log.syslog.facility.name"),
    (KeyColumn::Pid, "pid,procid,process_id,process.pid,syslog_pid,_pid"),
    (KeyColumn::Msgid, "msgid"),
];

/// Names that programs use for severities, and syslog's names for them.
const LEVELS: [(&str, &str); 10] = [
    ("fatal", "crit"),
    ("60", "crit"),
    ("50", "err"),
    ("40", "warning"),
    ("30", "info"),
    ("20", "debug"),
    ("10", "debug"),
    ("trace", "debug"),
    ("verbose", "debug"),
    ("fine", "debug"),
];

/// The facility of a severity without one, as in syslog.
pub(super) const USER: Facility = Facility::new(1).expect("1 is a facility");

/// The number of slots for keys: most slots hold one key or none.
const SLOTS: usize = 256;
/// The initial capacity, which is enough for the keys of most objects.
const RANKED_EXPECTED: usize = 12;

/// The keys that fill columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnKeys {
    /// The keys in order of precedence.
    keys: Vec<(KeyColumn, String)>,
    /// The indexes of keys, grouped by [`slot`], and the end of each slot's group. Comparing a name with all keys, or
    /// with those of its first letter, took a third of the time of reading an object.
    places: Vec<u16>,
    ends: [u16; SLOTS],
}

/// The columns that an object fills, and the positions of their values.
#[derive(Default)]
pub(super) struct FoundColumns {
    pub(super) time: Option<Timestamp>,
    pub(super) severity: Option<Severity>,
    pub(super) facility: Option<Facility>,
    /// The positions of the pairs that fill columns of texts.
    pub(super) message: Option<usize>,
    pub(super) host: Option<usize>,
    pub(super) program: Option<usize>,
    pub(super) pid: Option<usize>,
    pub(super) msgid: Option<usize>,
    /// Every pair that fills a column.
    pub(super) taken: Vec<usize>,
}

impl Default for ColumnKeys {
    fn default() -> ColumnKeys {
        ColumnKeys::new(|_| None)
    }
}

impl ColumnKeys {
    /// The keys of [`KEYS`], or those of the comma-separated list that `instead` gives for a column.
    pub fn new(instead: impl Fn(KeyColumn) -> Option<String>) -> ColumnKeys {
        let mut keys: Vec<(KeyColumn, String)> = Vec::with_capacity(64);
        for (column, default) in KEYS {
            let list = instead(column).unwrap_or_else(|| default.to_owned());
            for key in list.split(',').map(str::trim).filter(|key| !key.is_empty()) {
                // If a key is repeated, only its first place in the list counts.
                if !keys.iter().any(|(of, known)| *of == column && known.eq_ignore_ascii_case(key)) {
                    keys.push((column, key.to_owned()));
                }
            }
        }
        // No URL of a request has more keys than this.
        keys.truncate(usize::from(u16::MAX));
        let mut ends = [0; SLOTS];
        let mut places: Vec<u16> = (0..keys.len() as u16).collect();
        places.sort_by_key(|place| slot(&keys[usize::from(*place)].1));
        for (at, place) in places.iter().enumerate() {
            ends[slot(&keys[usize::from(*place)].1)] = at as u16 + 1;
        }
        for slot in 1..ends.len() {
            ends[slot] = ends[slot].max(ends[slot - 1]);
        }
        ColumnKeys { keys, places, ends }
    }

    /// The keys for values beside a text; the text itself provides the message and the time.
    pub fn beside(instead: impl Fn(KeyColumn) -> Option<String>) -> ColumnKeys {
        ColumnKeys::new(|column| match column {
            KeyColumn::Time | KeyColumn::Message => Some(String::new()),
            column => instead(column),
        })
    }

    /// The keys that these pairs have, as indexes into the list and into the pairs, in order of precedence. Empty
    /// values are ignored, except that a message may be empty if no other key provides one.
    fn ranked(&self, pairs: &[ObjectPair<'_, '_>]) -> Vec<(usize, usize)> {
        let mut ranked = Vec::with_capacity(RANKED_EXPECTED);
        for (at, pair) in pairs.iter().enumerate() {
            let (name, is_empty) = (pair.name, pair.value.is_empty());
            let slot = slot(name);
            let begin = slot.checked_sub(1).map_or(0, |before| self.ends[before]);
            let places = &self.places[usize::from(begin)..usize::from(self.ends[slot])];
            let ranks = places.iter().map(|place| usize::from(*place)).filter(|rank| {
                let (column, key) = &self.keys[*rank];
                key.eq_ignore_ascii_case(name) && (!is_empty || *column == KeyColumn::Message)
            });
            ranked.extend(ranks.map(|rank| (is_empty, rank, at)));
        }
        ranked.sort_unstable();
        ranked.into_iter().map(|(_, rank, at)| (rank, at)).collect()
    }
}

/// The slot of a key, which depends on its length and its first letter, regardless of case.
fn slot(key: &str) -> usize {
    let first = key.bytes().next().map_or(0, |first| first.to_ascii_lowercase());
    (usize::from(first) + key.len() * 37) % SLOTS
}

impl FoundColumns {
    /// Looks for the keys among the values of an object.
    pub(super) fn among(pairs: &[ObjectPair<'_, '_>], keys: &ColumnKeys, clock: Clock<'_>) -> FoundColumns {
        let ranked = keys.ranked(pairs);
        let mut found = FoundColumns { taken: Vec::with_capacity(ranked.len()), ..FoundColumns::default() };
        for (rank, at) in ranked {
            if !found.taken.contains(&at) && found.take(keys.keys[rank].0, at, &pairs[at].value, clock) {
                found.taken.push(at);
            }
        }
        found
    }

    /// Uses a value for a column that has none yet; `false` if it cannot be read as that column.
    fn take(&mut self, column: KeyColumn, at: usize, value: &str, clock: Clock<'_>) -> bool {
        match column {
            KeyColumn::Time => set(&mut self.time, || time(value, clock)),
            KeyColumn::Severity => set(&mut self.severity, || severity(value)),
            KeyColumn::Priority => self.take_priority(value),
            // A facility is only kept if the severity is known.
            KeyColumn::Facility => {
                self.severity.is_some() && set(&mut self.facility, || value.parse::<Facility>().ok())
            }
            KeyColumn::Message => set(&mut self.message, || Some(at)),
            KeyColumn::Host => set(&mut self.host, || Some(at)),
            KeyColumn::Program => set(&mut self.program, || Some(at)),
            KeyColumn::Pid => set(&mut self.pid, || Some(at)),
            KeyColumn::Msgid => set(&mut self.msgid, || Some(at)),
        }
    }

    fn take_priority(&mut self, value: &str) -> bool {
        let number: Option<u8> = value.parse().ok();
        match number.filter(|&number| 7 < number).and_then(Priority::new) {
            Some(priority) => {
                let is_new = set(&mut self.severity, || Some(priority.severity()));
                is_new && set(&mut self.facility, || Some(priority.facility()))
            }
            None => set(&mut self.severity, || severity(value)),
        }
    }

    /// Whether a pair is the final value of a column, after others that take precedence.
    pub(super) fn is_final_value(&self, at: usize, before: &[&FoundColumns]) -> bool {
        let texts: [fn(&FoundColumns) -> Option<usize>; 4] =
            [|found| found.host, |found| found.program, |found| found.pid, |found| found.msgid];
        match texts.iter().find(|text| text(self) == Some(at)) {
            Some(text) => before.iter().all(|other| text(other).is_none()),
            None => self.taken.contains(&at) && before.iter().all(|other| other.severity.is_none()),
        }
    }

    /// Severity and facility; the default facility is user.
    pub(super) fn priority(&self) -> Option<Priority> {
        Some(Priority::of(self.facility.unwrap_or(USER), self.severity?))
    }
}

fn set<T>(column: &mut Option<T>, read: impl FnOnce() -> Option<T>) -> bool {
    if column.is_some() {
        return false;
    }
    *column = read();
    column.is_some()
}

/// A stamp in any of its spellings, or a number since 1970.
fn time(text: &str, clock: Clock<'_>) -> Option<Timestamp> {
    Timestamp::parse_rfc3339(text.as_bytes())
        .or_else(|| epoch(text))
        .or_else(|| stamp::whole(text.as_bytes(), clock))
}

/// A number since 1970 in seconds, milliseconds, microseconds or nanoseconds, depending on its size.
pub fn epoch(text: &str) -> Option<Timestamp> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = whole.strip_prefix('-').unwrap_or(whole);
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if digits.is_empty() || !all_digits(digits) || !all_digits(fraction) {
        return None;
    }
    let number: i64 = whole.parse().ok()?;
    let unit_nanos = match number.unsigned_abs() {
        0..100_000_000_000 => 1_000_000_000,
        100_000_000_000..100_000_000_000_000 => 1_000_000,
        100_000_000_000_000..100_000_000_000_000_000 => 1_000,
        _ => 1,
    };
    let fraction_nanos = fraction_of(fraction, unit_nanos);
    let signed_fraction = if whole.starts_with('-') { -fraction_nanos } else { fraction_nanos };
    Some(Timestamp::from_nanos(number.checked_mul(unit_nanos)?.checked_add(signed_fraction)?))
}

/// The digits after the point, in nanoseconds; further digits are cut.
fn fraction_of(digits: &str, mut unit_nanos: i64) -> i64 {
    let mut nanos = 0;
    for digit in digits.bytes().map(|byte| i64::from(byte - b'0')) {
        unit_nanos /= 10;
        nanos += digit * unit_nanos;
    }
    nanos
}

/// The severities by syslog's names and numbers, and by the names that programs use.
pub fn severity(text: &str) -> Option<Severity> {
    let other = LEVELS.iter().find(|(level, _)| level.eq_ignore_ascii_case(text));
    other.map_or(text, |(_, name)| name).parse().ok()
}

/// Whether a word is the name of a severity, and so not of a host or a program.
pub(super) fn is_level(word: &[u8]) -> bool {
    word.len() <= 13
        && std::str::from_utf8(word).is_ok_and(|word| severity(word).is_some() && !is_number(word))
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_about_http_prints_every_key() {
        let page = include_str!("../../../../docs/http.md");
        for (column, keys) in KEYS {
            let shown = keys.split(',').map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
            assert!(page.contains(&shown), "{column:?}: {shown}");
        }
    }

    #[test]
    fn words_that_say_how_urgent_something_is() {
        for word in ["ERROR", "warn", "Info", "DEBUG", "TRACE", "fatal", "notice"] {
            assert!(is_level(word.as_bytes()), "{word}");
        }
        for word in ["web1", "10", "", "errors", "kernel"] {
            assert!(!is_level(word.as_bytes()), "{word}");
        }
    }
}
