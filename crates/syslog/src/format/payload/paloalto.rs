//! PAN-OS: columns separated by commas, whose names depend on the type of log in the fourth column.
//!
//! The names are those of the vendor's documentation. Columns that it calls unused, or that only some versions send,
//! have no name here, and an empty column is not a field.

use super::super::fields::FieldWriter;
use super::super::stamp::{self, Clock};
use super::claims::ColumnClaims;
use logstead_record::Timestamp;

/// The position of the column with the type, the same in all logs.
const TYPE: usize = 3;
const RECEIVED: usize = 1;
const GENERATED: usize = 6;

/// The columns of all types.
const COMMON: &[&str] = &["", "receive_time", "serial", "type", "subtype", "", "time_generated"];
/// The columns that follow in logs of traffic and threats.
const SESSION: &[&str] = &[
    "src", "dst", "natsrc", "natdst", "rule", "srcuser", "dstuser", "app", "vsys", "from", "to",
    "inbound_if", "outbound_if", "logset", "", "sessionid", "repeatcnt", "sport", "dport", "natsport",
    "natdport", "flags", "proto", "action",
];
const TRAFFIC: &[&str] = &[
    "bytes", "bytes_sent", "bytes_received", "packets", "start", "elapsed", "category", "", "seqno",
    "actionflags", "srcloc", "dstloc", "", "pkts_sent", "pkts_received", "session_end_reason",
    "dg_hier_level_1", "dg_hier_level_2", "dg_hier_level_3", "dg_hier_level_4", "vsys_name", "device_name",
    "action_source", "src_uuid", "dst_uuid", "tunnelid", "monitortag", "parent_session_id",
    "parent_start_time", "tunnel", "assoc_id", "chunks", "chunks_sent", "chunks_received", "rule_uuid",
    "http2_connection",
];
const THREAT: &[&str] = &[
    "misc", "threatid", "category", "severity", "direction", "seqno", "actionflags", "srcloc", "dstloc", "",
    "contenttype", "pcap_id", "filedigest", "cloud", "url_idx", "user_agent", "filetype", "xff", "referer",
    "sender", "subject", "recipient", "reportid", "dg_hier_level_1", "dg_hier_level_2", "dg_hier_level_3",
    "dg_hier_level_4", "vsys_name", "device_name", "", "src_uuid", "dst_uuid", "http_method", "tunnelid",
    "monitortag", "parent_session_id", "parent_start_time", "tunnel", "thr_category", "contentver",
];
const SYSTEM: &[&str] = &[
    "vsys", "eventid", "object", "", "", "module", "severity", "opaque", "seqno", "actionflags",
    "dg_hier_level_1", "dg_hier_level_2", "dg_hier_level_3", "dg_hier_level_4", "vsys_name", "device_name",
];
/// The columns after the path depend on the device's configuration.
const CONFIG: &[&str] = &["host", "vsys", "cmd", "admin", "client", "result", "path"];

/// A value between commas, and whether it contains doubled quotes.
struct QuotedValue<'a> {
    value: &'a [u8],
    quoted: bool,
}

/// Whether the text begins like these logs, with a number and a time with slashes.
pub(super) fn begins(text: &[u8]) -> bool {
    let digits = text.iter().take(4).take_while(|byte| byte.is_ascii_digit()).count();
    let behind = text.get(digits..digits + 12);
    0 < digits && matches!(behind, Some([b',', _, _, _, _, b'/', _, _, b'/', _, _, b' ']))
}

/// Reads a log; `None` if the text does not consist of such columns.
pub(super) fn read<'a>(
    text: &'a [u8],
    clock: Clock<'_>,
    fields: &mut FieldWriter<'_>,
) -> Option<ColumnClaims<'a>> {
    let columns = columns(text)?;
    let kind = columns.get(TYPE)?.value;
    let is_kind = |byte: &u8| byte.is_ascii_uppercase() || matches!(byte, b'-' | b'_');
    if kind.is_empty() || !kind.iter().all(is_kind) {
        return None;
    }
    let mut claims = ColumnClaims { time: time(&columns, clock), program: kind, ..ColumnClaims::default() };
    for (name, column) in
        names(kind).zip(&columns).filter(|(name, column)| !name.is_empty() && !column.value.is_empty())
    {
        if *name == "device_name" {
            claims.host = column.value;
        }
        if column.quoted {
            fields.add_with(name.as_bytes(), |out| undouble(column.value, out));
        } else {
            fields.add(name.as_bytes(), column.value);
        }
    }
    Some(claims)
}

/// The name of each column.
fn names(kind: &[u8]) -> impl Iterator<Item = &'static &'static str> {
    let parts: [&[&str]; 3] = match kind {
        b"TRAFFIC" => [COMMON, SESSION, TRAFFIC],
        b"THREAT" => [COMMON, SESSION, THREAT],
        b"SYSTEM" => [COMMON, SYSTEM, &[]],
        b"CONFIG" => [COMMON, CONFIG, &[]],
        _ => [COMMON, &[], &[]],
    };
    parts.into_iter().flatten()
}

/// The columns that can have a name; `None` if a quote is not closed, or closed within a value.
fn columns(text: &[u8]) -> Option<Vec<QuotedValue<'_>>> {
    let columns_max = COMMON.len() + SESSION.len() + TRAFFIC.len().max(THREAT.len());
    let mut columns = Vec::with_capacity(columns_max);
    let mut rest = Some(text);
    while let Some(text) = rest {
        let (column, after) = column(text)?;
        if columns.len() < columns_max {
            columns.push(column);
        }
        rest = match after.split_first() {
            None => None,
            Some((b',', next)) => Some(next),
            Some(_) => return None,
        };
    }
    Some(columns)
}

fn column(text: &[u8]) -> Option<(QuotedValue<'_>, &[u8])> {
    let Some(inner) = text.strip_prefix(b"\"") else {
        let end = memchr::memchr(b',', text).unwrap_or(text.len());
        return Some((QuotedValue { value: &text[..end], quoted: false }, &text[end..]));
    };
    let mut end = 0;
    loop {
        end += memchr::memchr(b'"', inner.get(end..)?)?;
        if inner.get(end + 1) != Some(&b'"') {
            return Some((QuotedValue { value: &inner[..end], quoted: true }, &inner[end + 1..]));
        }
        end += 2;
    }
}

/// The time when the log entry was made, or else when the device received it.
fn time(columns: &[QuotedValue<'_>], clock: Clock<'_>) -> Option<Timestamp> {
    let read = |at: usize| {
        let (date, time) = columns.get(at)?.value.split_at_checked(10)?;
        stamp::of_parts(date, time.strip_prefix(b" ")?, None, clock)
    };
    read(GENERATED).or_else(|| read(RECEIVED))
}

/// Replaces two quotes by one, as they are written within quotes.
fn undouble(value: &[u8], out: &mut Vec<u8>) {
    let mut bytes = value.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        if byte == b'"' {
            bytes.next_if_eq(&b'"');
        }
        out.push(byte);
    }
}
