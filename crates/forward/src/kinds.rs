//! The sinks of each kind of destination.

use super::file::FileWriter;
use super::http;
use super::sink::MessageSink;
use super::stream;
use logstead_config::{Destination, DestinationKind};
use logstead_flow::machine::folders::Folders;
use std::sync::Arc;

/// The sinks of a destination, one per connection. Files are only written within the allowed `folders`.
pub(super) fn sinks(config: &Destination, folders: &Arc<Folders>) -> Vec<Box<dyn MessageSink>> {
    (0..config.kind.connections()).map(|_| sink(config, folders)).collect()
}

pub(super) fn sink(config: &Destination, folders: &Arc<Folders>) -> Box<dyn MessageSink> {
    match &config.kind {
        DestinationKind::Syslog(syslog) => stream::syslog(syslog, folders),
        DestinationKind::Relp(relp) => stream::relp(relp, folders),
        DestinationKind::S3(s3) => Box::new(http::S3::new(s3, folders)),
        DestinationKind::Elastic(elastic) => Box::new(http::Elastic::new(elastic, folders)),
        DestinationKind::Loki(loki) => Box::new(http::LokiSink::new(loki, folders)),
        DestinationKind::SplunkHec(splunk) => Box::new(http::SplunkHec::new(splunk, folders)),
        DestinationKind::Otlp(otlp) => Box::new(http::OtlpSink::new(otlp, folders)),
        DestinationKind::NdjsonHttp(ndjson) => Box::new(http::NdjsonHttp::new(ndjson, folders)),
        DestinationKind::File(file) => Box::new(FileWriter::new(folders.clone(), file)),
    }
}
