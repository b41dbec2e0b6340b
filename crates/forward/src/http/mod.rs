//! Destinations that are reached over HTTP, one file per protocol. Each builds a body from its messages, posts it,
//! and reports the result for each message.
//!
//! **Invariant:** a message counts as delivered only when an answer that was read to its end says so. A message that is
//! refused for its content is refused on its own; any problem of the server, the network or the configuration makes
//! messages wait.

mod answer;
mod client;
mod elastic;
mod event;
mod fields;
mod json;
mod loki;
mod ndjson;
mod otlp;
#[cfg(test)]
mod peer;
mod s3;
mod secret;
mod splunk;

pub(super) use elastic::Elastic;
pub(super) use loki::LokiSink;
pub(super) use ndjson::NdjsonHttp;
pub(super) use otlp::OtlpSink;
pub(super) use s3::S3;
pub(super) use splunk::SplunkHec;
