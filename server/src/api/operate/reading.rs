//! How the messages of a body are read: the keys of objects and the format of lines, according to the parameters of the
//! request. `docs/http.md` documents it.

use crate::api::error::{ApiError, Result};
use crate::api::question::clocks::zone;
use crate::api::question::split_list;
use jiff::tz::TimeZone;
use logstead_config::Format;
use logstead_record::{BatchBuilder, Field, Row, Timestamp};
use logstead_syslog::format::json::{Json, Limits, Rejected};
use logstead_syslog::format::keys::{Column, Keys};
use logstead_syslog::format::{Clock, Known, Syslog};
use serde::Deserialize;

/// Maximum length of a message.
pub(in crate::api) const LIMITS: Limits = Limits { line_bytes_max: 1 << 20, fields_max: 1000, depth_max: 32 };

/// Where messages go, and how they are read. Keys in lists are separated by commas; the first key that is present, not
/// empty and readable counts.
#[derive(Default, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct IngestParams {
    /// The logspace to store in; by default the routes decide.
    pub(in crate::api) logspace: Option<String>,
    /// What a line of `text/plain` is: a plain message, or syslog as a file source with this `format` reads it.
    #[param(default = "text", inline)]
    pub(in crate::api) format: Option<LineFormat>,
    /// The host of messages that name none; by default, for `text/plain`, the sender's address.
    host: Option<String>,
    /// The zone of times that name none.
    #[param(default = "UTC")]
    timezone: Option<String>,
    /// When the last line was written, RFC 3339: the year of stamps without one. Without it, now.
    #[param(value_type = Option<String>, format = DateTime)]
    written: Option<String>,
    #[param(
        default = "time,timestamp,@timestamp,_time,ts,datetime,isodate,date,_source_realtime_timestamp,__realtime_timestamp"
    )]
    time_field: Option<String>,
    #[param(default = "message,msg,_msg,log,short_message")]
    message_field: Option<String>,
    #[param(default = "host,hostname,host.name,host.hostname,_hostname")]
    host_field: Option<String>,
    #[param(
        default = "program,app,appname,app_name,app-name,tag,syslog_identifier,service,service.name,process.name"
    )]
    program_field: Option<String>,
    #[param(
        default = "severity,level,log.level,levelname,lvl,loglevel,log_level,syslog_severity,log.syslog.severity.name"
    )]
    severity_field: Option<String>,
}

/// What a line of text is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LineFormat {
    /// A message.
    Text,
    /// Syslog of any kind, even without a priority.
    Auto,
    /// RFC 5424.
    Rfc5424,
    /// RFC 3164 and its relatives.
    Rfc3164,
}

/// Reads the messages of one request.
pub(in crate::api) struct Reading {
    json: Json,
    /// For lines; `None` if a line is a plain message.
    syslog: Option<Syslog>,
    zone: TimeZone,
    host: Option<String>,
    written: Option<Timestamp>,
}

impl Reading {
    /// As the parameters say.
    pub(in crate::api) fn of(params: &IngestParams) -> Result<Reading> {
        let zone = params.timezone.as_deref().map_or(Ok(TimeZone::UTC), zone)?;
        let format = match params.format {
            None | Some(LineFormat::Text) => None,
            Some(LineFormat::Auto) => Some(Format::Auto),
            Some(LineFormat::Rfc5424) => Some(Format::Rfc5424),
            Some(LineFormat::Rfc3164) => Some(Format::Rfc3164),
        };
        Ok(Reading {
            json: Json { keys: params.keys(), limits: LIMITS },
            syslog: format.map(|format| Syslog::of_lines(format, zone.clone())),
            zone,
            host: params.host.clone(),
            written: params.written.as_deref().map(written).transpose()?,
        })
    }

    /// Adds an object as a message.
    pub(in crate::api) fn object(
        &self,
        object: &[u8],
        received: Timestamp,
        builder: &mut BatchBuilder,
    ) -> Result<(), Rejected> {
        let host = self.host.as_deref().unwrap_or_default();
        self.json.parse(object, Clock::of_receipt(received, &self.zone), host.as_bytes(), builder)
    }

    /// Adds a line as a message.
    pub(in crate::api) fn line(
        &self,
        line: &[u8],
        received: Timestamp,
        peer: &str,
        builder: &mut BatchBuilder,
    ) -> Result<(), Rejected> {
        LIMITS.check_line(line)?;
        let host = self.host.as_deref().unwrap_or(peer).as_bytes();
        match &self.syslog {
            Some(syslog) => {
                let written = self.written.unwrap_or(received);
                syslog.parse(line, Known { peer: host, written, ..Known::at(received) }, builder);
            }
            None => {
                let text = line.strip_suffix(b"\r").unwrap_or(line);
                builder.push(&Row::text(line).with(Field::Message, text).with(Field::Host, host));
            }
        }
        Ok(())
    }
}

impl IngestParams {
    fn keys(&self) -> Keys {
        let list = |given: &Option<String>| given.as_deref().map(|given| split_list(given).join(","));
        Keys::new(|column| match column {
            Column::Time => list(&self.time_field),
            Column::Message => list(&self.message_field),
            Column::Host => list(&self.host_field),
            Column::Program => list(&self.program_field),
            Column::Severity => list(&self.severity_field),
            Column::Priority | Column::Facility | Column::Pid | Column::Msgid => None,
        })
    }
}

fn written(text: &str) -> Result<Timestamp> {
    let wrong =
        || ApiError::bad_request(format!("`{text}` is not a time as 2026-11-22T05:11:01Z")).path("written");
    Timestamp::parse_rfc3339(text.as_bytes()).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;
    use logstead_syslog::format::keys::KEYS;
    use utoipa::IntoParams;

    #[test]
    fn the_description_names_the_keys_that_are_read() {
        let described = IngestParams::into_params(|| None);
        let described = serde_json::to_string(&described).unwrap();
        for (column, keys) in &KEYS[..5] {
            assert!(described.contains(&format!("\"{keys}\"")), "{column:?}: {keys}");
        }
    }
}
