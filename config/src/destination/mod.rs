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

use crate::catalogue::{DESTINATION, DestinationType};
use crate::choice::QueueDurability;
use crate::node::DocumentNode;
use crate::problem::{Findings, Path};
use crate::read::ReadValue;
use crate::table_reader::{TableReader, defaults};
use crate::unit::{Period, Size};

/// A system that messages are forwarded to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, utoipa::ToSchema)]
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
#[derive(Clone, PartialEq, Eq, Debug, Serialize, utoipa::ToSchema)]
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
    /// The kind without its keys.
    pub fn tag(&self) -> DestinationType {
        match self {
            DestinationKind::Syslog(_) => DestinationType::Syslog,
            DestinationKind::Relp(_) => DestinationType::Relp,
            DestinationKind::File(_) => DestinationType::File,
            DestinationKind::S3(_) => DestinationType::S3,
            DestinationKind::Elastic(_) => DestinationType::Elastic,
            DestinationKind::Loki(_) => DestinationType::Loki,
            DestinationKind::SplunkHec(_) => DestinationType::SplunkHec,
            DestinationKind::Otlp(_) => DestinationType::Otlp,
            DestinationKind::NdjsonHttp(_) => DestinationType::NdjsonHttp,
        }
    }

    /// The HTTP server that messages are posted to, if it is of such a kind.
    fn server(&self) -> Option<&HttpServer> {
        match self {
            DestinationKind::Elastic(elastic) => Some(&elastic.server),
            DestinationKind::Loki(loki) => Some(&loki.server),
            DestinationKind::SplunkHec(splunk) => Some(&splunk.server),
            DestinationKind::Otlp(otlp) => Some(&otlp.server),
            DestinationKind::NdjsonHttp(http) => Some(&http.server),
            DestinationKind::Syslog(_)
            | DestinationKind::Relp(_)
            | DestinationKind::File(_)
            | DestinationKind::S3(_) => None,
        }
    }

    /// The longest time of a request, if it is of a kind that makes requests.
    pub fn timeout_mut(&mut self) -> Option<&mut Period> {
        match self {
            DestinationKind::Elastic(elastic) => Some(&mut elastic.server.timeout),
            DestinationKind::Loki(loki) => Some(&mut loki.server.timeout),
            DestinationKind::SplunkHec(splunk) => Some(&mut splunk.server.timeout),
            DestinationKind::Otlp(otlp) => Some(&mut otlp.server.timeout),
            DestinationKind::NdjsonHttp(http) => Some(&mut http.server.timeout),
            DestinationKind::S3(s3) => Some(&mut s3.timeout),
            DestinationKind::Syslog(_) | DestinationKind::Relp(_) | DestinationKind::File(_) => None,
        }
    }

    /// The greatest number of concurrent requests.
    pub fn connections(&self) -> usize {
        self.server().map_or(1, |server| server.connections.max(1) as usize)
    }

    /// The server, bucket or file that messages go to. Queries of URLs, which may be secret, are left out.
    pub fn address(&self) -> String {
        match self {
            DestinationKind::Syslog(syslog) => syslog.to.to_string(),
            DestinationKind::Relp(relp) => relp.to.to_string(),
            DestinationKind::File(file) => file.path.to_string(),
            DestinationKind::S3(s3) => format!("{}, bucket {}", s3.server().url.without_query(), s3.bucket),
            http => http.server().map_or_else(String::new, |server| server.url.without_query().to_owned()),
        }
    }

    fn read(tag: DestinationType, fields: &mut TableReader<'_>) -> DestinationKind {
        fields.described_by(tag.form().settings);
        match tag {
            DestinationType::Syslog => DestinationKind::Syslog(SyslogServer::read(fields)),
            DestinationType::Relp => DestinationKind::Relp(RelpServer::read(fields)),
            DestinationType::File => DestinationKind::File(FileSink::read(fields)),
            DestinationType::S3 => DestinationKind::S3(S3::read(fields)),
            DestinationType::Elastic => DestinationKind::Elastic(ElasticServer::read(fields)),
            DestinationType::Loki => DestinationKind::Loki(LokiServer::read(fields)),
            DestinationType::SplunkHec => DestinationKind::SplunkHec(SplunkHecServer::read(fields)),
            DestinationType::Otlp => DestinationKind::Otlp(OtlpServer::read(fields)),
            DestinationType::NdjsonHttp => DestinationKind::NdjsonHttp(NdjsonHttp::read(fields)),
        }
    }
}

/// The queue of messages for a destination.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, utoipa::ToSchema)]
pub struct Queue {
    /// The greatest size of the queue on disk.
    #[schema(value_type = String)]
    pub size: Size,
    /// The greatest size of the part that is kept in memory as well, so that it can be sent without reading the disk.
    #[schema(value_type = String)]
    pub memory: Size,
    /// The greatest age of a message before it is dropped.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
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
        let Some(tag) = fields.required("kind", None) else {
            // Without a kind it is unknown which keys belong here.
            let kind = DestinationKind::File(FileSink::nowhere());
            return Some(Destination { id, enabled, kind, queue: Queue::default() });
        };
        let kind = DestinationKind::read(tag, &mut fields);
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
