//! The parameters of our own protocol: the destination of messages, the keys of objects and the format of lines.
//! `docs/http.md` documents them.

use crate::error::{ApiError, Result};
use crate::extract::{media_type, unsupported};
use crate::question::clocks::zone;
use crate::question::split_list;
use axum::http::HeaderMap;
use jiff::tz::TimeZone;
use logstead_config::SourceFormat;
use logstead_ingest::native::{NativeFormat, ReadOptions};
use logstead_record::Timestamp;
use logstead_syslog::format::SyslogParser;
use logstead_syslog::format::keys::{ColumnKeys, KeyColumn};
use serde::Deserialize;

/// The destination of messages, and the way they are read. Keys in lists are separated by commas; the first key that
/// is present, not empty and readable is used.
#[derive(Default, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct IngestParams {
    /// The logspace to store in; by default the routes decide.
    pub(super) logspace: Option<String>,
    /// The format of a line of `text/plain`: a plain message, or syslog, read like that of a file source with this
    /// `format`. `text` by default; not allowed with JSON.
    #[param(inline)]
    pub(super) format: Option<LineFormat>,
    /// Whether a body is refused as a whole if one of its messages cannot be read.
    #[param(value_type = Option<bool>, default = false)]
    pub(super) atomic: Option<Switch>,
    /// The host of messages that name none; for `text/plain`, the sender's address by default.
    host: Option<String>,
    /// The zone of times that state none.
    #[param(default = "UTC")]
    timezone: Option<String>,
    /// The time at which the last line was written, RFC 3339, which determines the year of timestamps without one;
    /// now by default.
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

/// A boolean value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, utoipa::ToSchema)]
pub(crate) enum Switch {
    #[serde(rename = "1", alias = "true")]
    On,
    #[serde(rename = "0", alias = "false")]
    Off,
}

/// The format of a line in a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LineFormat {
    /// A message.
    Text,
    /// Syslog of any kind, even without a priority.
    Auto,
    /// RFC 5424.
    Rfc5424,
    /// RFC 3164 and its variants.
    Rfc3164,
}

/// The form of the messages in a body, according to the headers of its request. A format is only allowed for lines of
/// text.
pub(super) fn form(headers: &HeaderMap, format: Option<LineFormat>) -> Result<NativeFormat> {
    let form = match media_type(headers).as_deref() {
        Some("application/x-ndjson" | "application/ndjson" | "application/jsonl") => NativeFormat::JsonLines,
        Some("application/json") => NativeFormat::Json,
        Some("text/plain") => NativeFormat::Text,
        other => return Err(unsupported(other, "application/x-ndjson, application/json or text/plain")),
    };
    match (form, format) {
        (NativeFormat::Text, _) | (_, None) => Ok(form),
        _ => Err(ApiError::invalid("format is for text/plain: leave it out").path("format")),
    }
}

/// The options for reading the messages.
pub(super) fn reading(params: &IngestParams) -> Result<ReadOptions> {
    let zone = params.timezone.as_deref().map_or(Ok(TimeZone::UTC), zone)?;
    let format = match params.format {
        None | Some(LineFormat::Text) => None,
        Some(LineFormat::Auto) => Some(SourceFormat::Auto),
        Some(LineFormat::Rfc5424) => Some(SourceFormat::Rfc5424),
        Some(LineFormat::Rfc3164) => Some(SourceFormat::Rfc3164),
    };
    Ok(ReadOptions {
        keys: params.keys(),
        syslog: format.map(|format| SyslogParser::of_lines(format, zone.clone())),
        zone,
        host: params.host.clone(),
        written: params.written.as_deref().map(written).transpose()?,
    })
}

impl IngestParams {
    fn keys(&self) -> ColumnKeys {
        let list = |given: &Option<String>| given.as_deref().map(|given| split_list(given).join(","));
        ColumnKeys::new(|column| match column {
            KeyColumn::Time => list(&self.time_field),
            KeyColumn::Message => list(&self.message_field),
            KeyColumn::Host => list(&self.host_field),
            KeyColumn::Program => list(&self.program_field),
            KeyColumn::Severity => list(&self.severity_field),
            KeyColumn::Priority | KeyColumn::Facility | KeyColumn::Pid | KeyColumn::Msgid => None,
        })
    }
}

fn written(text: &str) -> Result<Timestamp> {
    let wrong =
        || ApiError::invalid(format!("`{text}` is not a time such as 2026-11-22T05:11:01Z")).path("written");
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
