//! Turns a log record, in whichever encoding it came, into one row of a batch.
//!
//! | in the record, its scope or its resource        | becomes                                            |
//! |--------------------------------------------------|----------------------------------------------------|
//! | `timeUnixNano`, else `observedTimeUnixNano`       | time                                               |
//! | `severityNumber`, else `severityText`             | severity                                           |
//! | `body`: a text, or what is not one as JSON        | message; the members of a map also fields `body.…` |
//! | `service.name`, `host.name`, `process.pid`        | program, host, process id; and fields as others    |
//! | `syslog.facility`, `syslog.procid`, `syslog.msgid` | what they say: Logstead sends them                 |
//! | `traceId`, `spanId`, `flags`, `eventName`         | fields `trace_id`, `span_id`, `trace_flags`, `event_name` |
//! | name and version of the scope                     | fields `otel.scope.name`, `otel.scope.version`     |
//! | `severityText` that is not the severity's name    | field `severity_text`                              |
//! | any other attribute                               | a field (see [`super::value`])                     |
//!
//! For a column, an attribute of the record takes precedence over one of the scope or the resource.

use super::value::{AttributeValue, Attributes, TextBytes, column};
use logstead_parse::PairSink;
use logstead_record::{BatchBuilder, Facility, Field, Priority, Row, Severity, Timestamp};
use logstead_syslog::format::fields::{FIELDS_MAX, FieldWriter};
use logstead_syslog::format::keys;

/// The service name that libraries use if the program does not name itself.
const UNKNOWN_SERVICE: &[u8] = b"unknown_service";
/// OpenTelemetry's numbers for syslog's severities, by the table of its data model: Logstead sends these numbers.
const NUMBERS: [u32; 8] = [21, 19, 18, 17, 13, 10, 9, 5];
const USER: Facility = Facility::new(1).expect("1 is a facility");
/// The prefix for a field whose name is that of a column.
const PREFIX: &str = "otel";

/// A record as it was sent.
#[derive(Default, Debug)]
pub(super) struct Record<'a> {
    pub(super) time: u64,
    pub(super) observed: u64,
    pub(super) severity: u32,
    pub(super) severity_text: TextBytes<'a>,
    pub(super) body: AttributeValue<'a>,
    pub(super) attributes: Attributes<'a>,
    /// The id in hex.
    pub(super) trace_id: TextBytes<'a>,
    pub(super) span_id: TextBytes<'a>,
    pub(super) flags: u32,
    pub(super) event_name: TextBytes<'a>,
}

/// The attributes of a resource or a scope, which its records have in common.
#[derive(Default, Debug)]
pub(super) struct CommonAttributes {
    columns: AttributeColumns,
    fields: Vec<logstead_parse::Pair>,
}

/// The columns that attributes fill; those that none fills are empty.
#[derive(Default, Debug)]
struct AttributeColumns {
    host: Vec<u8>,
    program: Vec<u8>,
    pid: Vec<u8>,
    msgid: Vec<u8>,
    facility: Option<Facility>,
}

impl AttributeColumns {
    /// Takes an attribute that fills a column; `true` if it is not kept as a field as well.
    fn take(&mut self, name: &[u8], value: &AttributeValue<'_>) -> bool {
        let text = match name {
            b"host.name" => &mut self.host,
            b"service.name" => &mut self.program,
            b"process.pid" | b"syslog.procid" => &mut self.pid,
            b"syslog.msgid" => &mut self.msgid,
            b"syslog.facility" => {
                let said = str::from_utf8(&column(value)).ok().and_then(|text| text.parse().ok());
                self.facility = said.or(self.facility);
                return said.is_some();
            }
            _ => return false,
        };
        *text = column(value);
        if name == b"service.name" && text.as_slice() == UNKNOWN_SERVICE {
            text.clear();
            return true;
        }
        name.starts_with(b"syslog.")
    }
}

impl CommonAttributes {
    /// Reads the attributes of a resource or a scope.
    pub(super) fn of(attributes: &Attributes<'_>) -> CommonAttributes {
        let mut common = CommonAttributes::default();
        common.add_all(attributes);
        common
    }

    /// Reads a scope, which may have a name and a version.
    pub(super) fn of_scope(name: &[u8], version: &[u8], attributes: &Attributes<'_>) -> CommonAttributes {
        let mut common = CommonAttributes::default();
        for (field, text) in [("otel.scope.name", name), ("otel.scope.version", version)] {
            if !text.is_empty() {
                common.fields.push((field.as_bytes().to_vec(), text.to_vec()));
            }
        }
        common.add_all(attributes);
        common
    }

    fn add_all(&mut self, attributes: &Attributes<'_>) {
        for (name, value) in attributes {
            if !self.columns.take(name, value) {
                value.fields(name, &mut LimitedPairs(&mut self.fields));
            }
        }
    }
}

/// Takes no more fields than a message may have: lists and maps of short values could produce many long names.
struct LimitedPairs<'f>(&'f mut Vec<logstead_parse::Pair>);

impl PairSink for LimitedPairs<'_> {
    fn add(&mut self, name: &[u8], value: &[u8]) {
        self.add_with(name, |out| out.extend_from_slice(value));
    }

    fn add_with(&mut self, name: &[u8], write: impl FnOnce(&mut Vec<u8>)) {
        if self.0.len() < FIELDS_MAX {
            self.0.add_with(name, write);
        }
    }
}

impl Record<'_> {
    /// Adds the record as a row. `raw` are the bytes that it was read from; `host` is used if nothing names one.
    pub(super) fn push(
        &self,
        raw: &[u8],
        within: [&CommonAttributes; 2],
        host: &[u8],
        builder: &mut BatchBuilder,
    ) {
        let mut own = AttributeColumns::default();
        let mut fields = FieldWriter::new(builder, PREFIX);
        for (name, value) in &self.attributes {
            if !own.take(name, value) {
                value.fields(name, &mut fields);
            }
        }
        self.add_fields(&mut fields);
        for (name, value) in within.iter().flat_map(|common| &common.fields) {
            fields.add(name, value);
        }
        let said = |column: fn(&AttributeColumns) -> &[u8]| {
            let mut all = [&own, &within[0].columns, &within[1].columns].into_iter().map(column);
            all.find(|text| !text.is_empty()).unwrap_or_default()
        };
        let named = said(|columns| &columns.host);
        let facility = own.facility.or(within[0].columns.facility).or(within[1].columns.facility);
        let row = Row {
            time: self.time(),
            priority: self.severity().map(|severity| Priority::of(facility.unwrap_or(USER), severity)),
            message_at: None,
            ..Row::text(raw)
        }
        .with(Field::Host, if named.is_empty() { host } else { named })
        .with(Field::Program, said(|columns| &columns.program))
        .with(Field::Pid, said(|columns| &columns.pid))
        .with(Field::Msgid, said(|columns| &columns.msgid));
        match &self.body {
            AttributeValue::Text(TextBytes::Borrowed(text)) => {
                let at = text.as_ptr().addr().checked_sub(raw.as_ptr().addr());
                // The address of an empty text may lie outside the record.
                let message_at = at.filter(|at| raw.get(*at..*at + text.len()) == Some(*text));
                builder.push(&Row { message_at, ..row }.with(Field::Message, text));
            }
            body => builder.push(&row.with(Field::Message, &column(body))),
        }
    }

    /// Adds the fields that are not attributes.
    fn add_fields(&self, fields: &mut FieldWriter<'_>) {
        for (name, text) in
            [("trace_id", &self.trace_id), ("span_id", &self.span_id), ("event_name", &self.event_name)]
        {
            if !text.is_empty() {
                fields.add(name.as_bytes(), text);
            }
        }
        // Only the lowest eight bits belong to the trace; the others are reserved.
        if self.flags & 0xFF != 0 {
            fields.add(b"trace_flags", format!("{:02x}", self.flags & 0xFF).as_bytes());
        }
        let name = self.severity().map_or("", Severity::name);
        if !self.severity_text.is_empty() && !self.severity_text.eq_ignore_ascii_case(name.as_bytes()) {
            fields.add(b"severity_text", &self.severity_text);
        }
        if matches!(self.body, AttributeValue::Map(_)) {
            self.body.fields(b"body", fields);
        }
    }

    fn time(&self) -> Option<Timestamp> {
        let mut times = [self.time, self.observed].into_iter().filter(|time| *time != 0);
        times.next().and_then(|time| i64::try_from(time).ok()).map(Timestamp::from_nanos)
    }

    /// OpenTelemetry has 24 severities, syslog has 8: if the record comes from syslog, its text states the original
    /// one.
    fn severity(&self) -> Option<Severity> {
        let text = str::from_utf8(&self.severity_text).ok();
        let said = text.and_then(keys::severity);
        let of_number = match self.severity {
            0 => return said,
            1..=8 => 7,
            9..=12 => 6,
            13..=16 => 4,
            17..=20 => 3,
            21..=24 => 2,
            _ => return said,
        };
        let is_syslogs = |said: &Severity| {
            NUMBERS[usize::from(said.number())] == self.severity
                && text.is_some_and(|text| text.eq_ignore_ascii_case(said.name()))
        };
        said.filter(is_syslogs).or(Severity::new(of_number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::borrow::Cow;

    #[test]
    fn severities_are_syslogs_and_those_of_logstead_come_back() {
        let check = |severity: u32, text: &str, expected: Option<&str>| {
            let severity_text = Cow::Borrowed(text.as_bytes());
            let record = Record { severity, severity_text, ..Record::default() };
            assert_eq!(record.severity().map(Severity::name), expected, "{severity} {text}");
        };
        for (number, name) in NUMBERS.iter().zip(logstead_record::SEVERITY_NAMES) {
            check(*number, name, Some(name));
        }
        for (number, expected) in [(1, "debug"), (8, "debug"), (9, "info"), (10, "info"), (13, "warning")] {
            check(number, "", Some(expected));
        }
        for (number, expected) in [(16, "warning"), (17, "err"), (20, "err"), (21, "crit"), (24, "crit")] {
            check(number, "", Some(expected));
        }
        check(0, "", None);
        check(0, "WARN", Some("warning"));
        check(99, "Error", Some("err"));
        check(99, "?", None);
        check(21, "FATAL", Some("crit"));
        check(9, "notice", Some("info"));
        check(9, "error", Some("info"));
    }

    #[test]
    fn a_time_that_is_missing_is_the_one_of_observation_and_then_of_receipt() {
        let check = |time, observed, expected: Option<i64>| {
            let record = Record { time, observed, ..Record::default() };
            assert_eq!(record.time().map(Timestamp::nanos), expected);
        };
        check(5, 6, Some(5));
        check(0, 6, Some(6));
        check(0, 0, None);
        check(u64::MAX, 6, None);
    }
}
