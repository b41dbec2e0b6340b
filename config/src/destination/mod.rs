//! A destination: where a route forwards to, outside of our own store.

mod address;
mod http;
mod stream;
mod url;

pub use address::{Address, Addresses, Transport};
pub use http::{Elastic, HttpServer, HttpTls, Loki, NdjsonHttp, Otlp, SplunkHec, Token};
pub use stream::{ClientTls, RelpServer, SyslogServer};
pub use url::{Header, Url};

use serde::Serialize;

use crate::catalogue::{DESTINATION, FILE_DESTINATION};
use crate::choice::{DestinationName, Durability};
use crate::fields::{Fields, defaults};
use crate::node::Node;
use crate::problem::{Findings, Path, quoted};
use crate::read::Read;
use crate::unit::{Period, Size};

/// A place that messages are forwarded to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Destination {
    /// The name that routes and counters know it by.
    pub id: String,
    /// What it is, with the keys of that kind.
    #[serde(flatten)]
    pub kind: DestinationKind,
    /// What waits while it is slow or away.
    pub queue: Queue,
}

/// What a destination is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum DestinationKind {
    /// A syslog server.
    Syslog(SyslogServer),
    /// A syslog server that acknowledges every message.
    Relp(RelpServer),
    /// A file that lines are appended to.
    File(FileSink),
    /// Elasticsearch or OpenSearch.
    Elastic(Elastic),
    /// Grafana Loki.
    Loki(Loki),
    /// Splunk's HTTP event collector.
    SplunkHec(SplunkHec),
    /// OpenTelemetry over HTTP.
    Otlp(Otlp),
    /// Any HTTP server that takes lines.
    NdjsonHttp(NdjsonHttp),
}

/// The keys of a file destination.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct FileSink {
    /// The file, absolute or below the data directory.
    pub path: String,
}

/// What waits for a destination.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Queue {
    /// The most bytes that wait, on disk.
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub size: Size,
    /// The most bytes that are kept in memory as well, so that they are sent without being read again.
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub memory: Size,
    /// How old a message becomes before it is dropped.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>))]
    pub age: Option<Period>,
    /// When a message is acknowledged.
    pub durability: Durability,
}

impl Queue {
    fn read(fields: &mut Fields<'_>) -> Queue {
        Queue {
            size: fields.get_within("size"),
            memory: fields.get_within("memory"),
            age: fields.optional_told("age"),
            durability: fields.get("durability"),
        }
    }
}

/// What a destination has by default.
impl Default for Queue {
    fn default() -> Queue {
        defaults(&[DESTINATION], "queue.", Queue::read)
    }
}

impl FileSink {
    fn read(fields: &mut Fields<'_>) -> FileSink {
        fields.told_by(&[FILE_DESTINATION, DESTINATION]);
        let path: String = fields.required("path", "unknown".to_owned());
        if let Err(message) = check_path(&path) {
            fields.note("path", message);
        }
        FileSink { path }
    }
}

impl Read for Destination {
    fn read(node: &Node, path: &Path, findings: &mut Findings) -> Option<Destination> {
        let mut fields = Fields::of(node, path, findings)?;
        let id = fields.required("id", String::new());
        let kind = match fields.required("kind", None) {
            Some(DestinationName::Syslog) => DestinationKind::Syslog(SyslogServer::read(&mut fields)),
            Some(DestinationName::Relp) => DestinationKind::Relp(RelpServer::read(&mut fields)),
            Some(DestinationName::File) => DestinationKind::File(FileSink::read(&mut fields)),
            Some(DestinationName::Elastic) => DestinationKind::Elastic(Elastic::read(&mut fields)),
            Some(DestinationName::Loki) => DestinationKind::Loki(Loki::read(&mut fields)),
            Some(DestinationName::SplunkHec) => DestinationKind::SplunkHec(SplunkHec::read(&mut fields)),
            Some(DestinationName::Otlp) => DestinationKind::Otlp(Otlp::read(&mut fields)),
            Some(DestinationName::NdjsonHttp) => DestinationKind::NdjsonHttp(NdjsonHttp::read(&mut fields)),
            None => {
                // Without a kind it is unknown which keys belong here.
                let kind = DestinationKind::File(FileSink { path: String::new() });
                return Some(Destination { id, kind, queue: Queue::default() });
            }
        };
        let queue = fields.told_table("queue.", Queue::read);
        fields.finish();
        Some(Destination { id, kind, queue })
    }
}

/// What can be said of a path by looking at it.
fn check_path(path: &str) -> Result<(), String> {
    let below_itself = path.split('/').any(|part| part == "..");
    if path.is_empty() || path.ends_with('/') {
        return Err(format!("{} names no file: write one like `forward/all.log`", quoted(path)));
    }
    if path.len() > 4000 || path.contains(char::is_control) {
        return Err(format!("{} cannot be a file's path", quoted(path)));
    }
    if below_itself {
        return Err(format!("{} leads out of its directory: write it without `..`", quoted(path)));
    }
    Ok(())
}
