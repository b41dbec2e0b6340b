//! Destinations that are reached over HTTP, one file per protocol. Each makes a body of the messages it is given, posts
//! it, and says of each message what the answer said.
//!
//! **Invariant:** a message counts as delivered only when an answer that was read to its end says so. One that is refused
//! for what is in it is refused on its own; whatever may be wrong with the server, the network or the configuration makes
//! messages wait.

mod answer;
mod client;
mod elastic;
mod event;
mod fields;
mod json;
mod loki;
mod ndjson;
mod order;
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
