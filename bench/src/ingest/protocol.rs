//! The protocols to measure, each with its address, its media type and its body, and the compression of bodies.

use super::body;
use super::messages::SyslogMessage;
use anyhow::Result;
use clap::ValueEnum;
use std::io::Write as _;

/// The way in which messages are sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum IngestProtocol {
    /// Lines of text
    Text,
    /// Our own protocol, one object per line
    Ndjson,
    /// Elasticsearch's `_bulk`
    Bulk,
    /// Loki's push as JSON
    LokiJson,
    /// Loki's push in Protocol Buffers, compressed as a block of snappy
    Loki,
    /// OpenTelemetry over HTTP, in Protocol Buffers
    OtlpHttp,
    /// OpenTelemetry over gRPC
    OtlpGrpc,
    /// Events of Splunk's collector
    Hec,
    /// Lines of Splunk's collector, with a host and a source type
    HecRaw,
    /// The same without host and source type, so that it is stored like lines of text
    HecRawBare,
    /// GELF over TCP
    Gelf,
    /// Datadog's intake
    Datadog,
    /// The format of systemd-journal-upload
    Journal,
}

/// The compression of a body.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum Packing {
    None,
    Gzip,
    Zstd,
    /// A block of snappy, which Loki's clients do not declare
    Snappy,
}

/// How a body reaches the server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum BodyTransport {
    /// A POST to the web listener, with this media type.
    Http { path: &'static str, media: &'static str },
    /// A call over HTTP/2.
    Grpc,
    /// A stream to the listener with this scheme.
    Stream,
}

impl IngestProtocol {
    pub(super) fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    pub(super) fn way(self) -> BodyTransport {
        let http = |path, media| BodyTransport::Http { path, media };
        match self {
            IngestProtocol::Text => http("/api/v1/ingest", "text/plain"),
            IngestProtocol::Ndjson => http("/api/v1/ingest", "application/x-ndjson"),
            IngestProtocol::Bulk => http("/_bulk", "application/x-ndjson"),
            IngestProtocol::LokiJson => http("/loki/api/v1/push", "application/json"),
            IngestProtocol::Loki => http("/loki/api/v1/push", "application/x-protobuf"),
            IngestProtocol::OtlpHttp => http("/v1/logs", "application/x-protobuf"),
            IngestProtocol::OtlpGrpc => BodyTransport::Grpc,
            IngestProtocol::Hec => http("/services/collector", "application/json"),
            IngestProtocol::HecRaw => {
                http("/services/collector/raw?host=web-1&sourcetype=syslog", "text/plain")
            }
            IngestProtocol::HecRawBare => http("/services/collector/raw", "text/plain"),
            IngestProtocol::Gelf => BodyTransport::Stream,
            IngestProtocol::Datadog => http("/api/v2/logs", "application/json"),
            IngestProtocol::Journal => http("/upload", "application/vnd.fdo.journal"),
        }
    }

    /// The path at which VictoriaLogs accepts the same protocol, if it does.
    pub(super) fn path_of_victorialogs(self) -> Option<&'static str> {
        match self {
            IngestProtocol::Ndjson => {
                Some("/insert/jsonline?_time_field=time&_msg_field=message&_stream_fields=program")
            }
            IngestProtocol::Bulk => Some(
                "/insert/elasticsearch/_bulk?_time_field=@timestamp&_msg_field=message&_stream_fields=process.name",
            ),
            IngestProtocol::LokiJson | IngestProtocol::Loki => {
                Some("/insert/loki/api/v1/push?_stream_fields=program&disable_message_parsing=1")
            }
            IngestProtocol::OtlpHttp => Some("/insert/opentelemetry/v1/logs?_stream_fields=service.name"),
            IngestProtocol::Datadog => Some("/insert/datadog/api/v2/logs?_stream_fields=service"),
            IngestProtocol::Journal => Some("/insert/journald/upload?_stream_fields=SYSLOG_IDENTIFIER"),
            _ => None,
        }
    }

    /// How its agents compress bodies; the first way is the usual one.
    pub(super) fn packings(self) -> &'static [Packing] {
        match self {
            IngestProtocol::Text
            | IngestProtocol::HecRaw
            | IngestProtocol::HecRawBare
            | IngestProtocol::Gelf
            | IngestProtocol::Journal => &[Packing::None],
            IngestProtocol::Ndjson => &[Packing::None, Packing::Gzip, Packing::Zstd],
            IngestProtocol::Loki => &[Packing::Snappy],
            IngestProtocol::Bulk
            | IngestProtocol::LokiJson
            | IngestProtocol::OtlpHttp
            | IngestProtocol::OtlpGrpc
            | IngestProtocol::Hec
            | IngestProtocol::Datadog => &[Packing::None, Packing::Gzip],
        }
    }

    pub(super) fn body(self, messages: &[SyslogMessage<'_>]) -> Vec<u8> {
        let write = match self {
            IngestProtocol::Text | IngestProtocol::HecRaw | IngestProtocol::HecRawBare => body::text,
            IngestProtocol::Ndjson => body::ndjson,
            IngestProtocol::Bulk => body::bulk,
            IngestProtocol::LokiJson => body::loki_json,
            IngestProtocol::Loki => body::loki,
            IngestProtocol::OtlpHttp | IngestProtocol::OtlpGrpc => body::otlp,
            IngestProtocol::Hec => body::hec,
            IngestProtocol::Gelf => body::gelf,
            IngestProtocol::Datadog => body::datadog,
            IngestProtocol::Journal => body::journal,
        };
        write(messages)
    }
}

impl Packing {
    pub(super) fn name(self) -> &'static str {
        match self {
            Packing::None => "-",
            Packing::Gzip => "gzip",
            Packing::Zstd => "zstd",
            Packing::Snappy => "snappy",
        }
    }

    /// The value of the header that declares it.
    pub(super) fn header(self) -> Option<&'static str> {
        matches!(self, Packing::Gzip | Packing::Zstd).then(|| self.name())
    }

    pub(super) fn pack(self, body: Vec<u8>) -> Result<Vec<u8>> {
        Ok(match self {
            Packing::None => body,
            Packing::Gzip => {
                let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
                packer.write_all(&body)?;
                packer.finish()?
            }
            Packing::Zstd => zstd::encode_all(body.as_slice(), 1)?,
            Packing::Snappy => snap::raw::Encoder::new().compress_vec(&body)?,
        })
    }
}
