//! Destinations: systems outside our own store that routes forward messages to.

mod address;
mod file;
mod http;
mod proxy;
mod s3;
mod stream;
mod url;

pub use address::{Address, Addresses, Transport};
pub use file::{FileSink, Rotation};
pub use http::{
    DestinationToken, ElasticServer, HttpServer, LokiServer, NdjsonHttp, OtlpServer, SplunkHecServer,
};
pub use proxy::Proxy;
pub(crate) use proxy::without_password;
pub use s3::{GatherLimits, S3};
pub use stream::{ClientTls, RelpServer, SyslogServer};
pub use url::{HttpHeader, Url};

use serde::Serialize;

use crate::catalogue::DESTINATION;
use crate::choice::{DestinationName, QueueDurability};
use crate::node::DocumentNode;
use crate::problem::{Findings, Path};
use crate::read::ReadValue;
use crate::table_reader::{TableReader, defaults};
use crate::unit::{Period, Size};

/// A system that messages are forwarded to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Destination {
    /// The name that routes and counters use.
    pub id: String,
    /// Whether it takes and sends messages.
    pub enabled: bool,
    /// The kind of destination, with its keys.
    #[serde(flatten)]
    pub kind: DestinationKind,
    /// The queue of messages while it is slow or unavailable.
    pub queue: Queue,
}

/// The kind of a destination.
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
    /// S3, or another store with its protocol.
    S3(S3),
    /// Elasticsearch or OpenSearch.
    Elastic(ElasticServer),
    /// Grafana Loki.
    Loki(LokiServer),
    /// Splunk's HTTP event collector.
    SplunkHec(SplunkHecServer),
    /// OpenTelemetry over HTTP.
    Otlp(OtlpServer),
    /// Any HTTP server that accepts lines.
    NdjsonHttp(NdjsonHttp),
}

impl DestinationKind {
    /// The greatest number of concurrent requests.
    pub fn connections(&self) -> usize {
        let connections = match self {
            DestinationKind::Elastic(elastic) => elastic.server.connections,
            DestinationKind::Loki(loki) => loki.server.connections,
            DestinationKind::SplunkHec(splunk) => splunk.server.connections,
            DestinationKind::Otlp(otlp) => otlp.server.connections,
            DestinationKind::NdjsonHttp(http) => http.server.connections,
            DestinationKind::Syslog(_)
            | DestinationKind::Relp(_)
            | DestinationKind::File(_)
            | DestinationKind::S3(_) => 1,
        };
        connections.max(1) as usize
    }
}

/// The queue of messages for a destination.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Queue {
    /// The greatest size of the queue on disk.
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub size: Size,
    /// The greatest size of the part that is kept in memory as well, so that it can be sent without reading the disk.
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub memory: Size,
    /// The greatest age of a message before it is dropped.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>))]
    pub age: Option<Period>,
    /// The time at which a message is acknowledged.
    pub durability: QueueDurability,
}

impl Queue {
    fn read(fields: &mut TableReader<'_>) -> Queue {
        Queue {
            size: fields.get_within("size"),
            memory: fields.get_within("memory"),
            age: fields.optional_in_catalogue("age"),
            durability: fields.get("durability"),
        }
    }
}

/// The defaults of a destination.
impl Default for Queue {
    fn default() -> Queue {
        defaults(&[DESTINATION], "queue.", Queue::read)
    }
}

impl ReadValue for Destination {
    fn read(node: &DocumentNode, path: &Path, findings: &mut Findings) -> Option<Destination> {
        let mut fields = TableReader::of(node, path, findings)?;
        fields.described_by(&[DESTINATION]);
        let id = fields.required("id", String::new());
        let enabled = fields.get("enabled");
        let kind = match fields.required("kind", None) {
            Some(DestinationName::Syslog) => DestinationKind::Syslog(SyslogServer::read(&mut fields)),
            Some(DestinationName::Relp) => DestinationKind::Relp(RelpServer::read(&mut fields)),
            Some(DestinationName::File) => DestinationKind::File(FileSink::read(&mut fields)),
            Some(DestinationName::S3) => DestinationKind::S3(S3::read(&mut fields)),
            Some(DestinationName::Elastic) => DestinationKind::Elastic(ElasticServer::read(&mut fields)),
            Some(DestinationName::Loki) => DestinationKind::Loki(LokiServer::read(&mut fields)),
            Some(DestinationName::SplunkHec) => {
                DestinationKind::SplunkHec(SplunkHecServer::read(&mut fields))
            }
            Some(DestinationName::Otlp) => DestinationKind::Otlp(OtlpServer::read(&mut fields)),
            Some(DestinationName::NdjsonHttp) => DestinationKind::NdjsonHttp(NdjsonHttp::read(&mut fields)),
            None => {
                // Without a kind it is unknown which keys belong here.
                let kind = DestinationKind::File(FileSink::nowhere());
                return Some(Destination { id, enabled, kind, queue: Queue::default() });
            }
        };
        let queue = fields.settings_table("queue.", Queue::read);
        if let (DestinationKind::S3(s3), Some(age)) = (&kind, queue.age)
            && age <= s3.object.age
        {
            fields.note("queue", format!("`age` must be more than `object.age`, which is {}", s3.object.age));
        }
        fields.finish();
        Some(Destination { id, enabled, kind, queue })
    }
}
