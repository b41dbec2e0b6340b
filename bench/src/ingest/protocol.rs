//! What can be measured: each protocol with its address, its media type and its body, and what bodies are packed with.

use super::body;
use super::messages::Message;
use anyhow::Result;
use clap::ValueEnum;
use std::io::Write as _;

/// How messages are sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum Protocol {
    /// Lines of text
    Text,
    /// Our own, an object a line
    Ndjson,
    /// Elasticsearch's `_bulk`
    Bulk,
    /// Loki's push as JSON
    LokiJson,
    /// Loki's push in Protocol Buffers, in a block of snappy
    Loki,
    /// OpenTelemetry over HTTP, in Protocol Buffers
    OtlpHttp,
    /// OpenTelemetry over gRPC
    OtlpGrpc,
    /// Events of Splunk's collector
    Hec,
    /// Lines of Splunk's collector, with a host and a source type
    HecRaw,
    /// The same without them: what is stored is what lines of text become
    HecRawBare,
    /// GELF over TCP
    Gelf,
    /// Datadog's intake
    Datadog,
    /// What systemd-journal-upload sends
    Journal,
}

/// What a body is packed with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum Packing {
    None,
    Gzip,
    Zstd,
    /// A block, which Loki's clients do not name
    Snappy,
}

/// How a body reaches the server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    /// A POST to the web listener, with this media type.
    Http { path: &'static str, media: &'static str },
    /// A call over HTTP/2.
    Grpc,
    /// A stream to the listener of this scheme.
    Stream,
}

impl Protocol {
    pub(super) fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    pub(super) fn way(self) -> Way {
        let http = |path, media| Way::Http { path, media };
        match self {
            Protocol::Text => http("/api/v1/ingest", "text/plain"),
            Protocol::Ndjson => http("/api/v1/ingest", "application/x-ndjson"),
            Protocol::Bulk => http("/_bulk", "application/x-ndjson"),
            Protocol::LokiJson => http("/loki/api/v1/push", "application/json"),
            Protocol::Loki => http("/loki/api/v1/push", "application/x-protobuf"),
            Protocol::OtlpHttp => http("/v1/logs", "application/x-protobuf"),
            Protocol::OtlpGrpc => Way::Grpc,
            Protocol::Hec => http("/services/collector", "application/json"),
            Protocol::HecRaw => http("/services/collector/raw?host=web-1&sourcetype=syslog", "text/plain"),
            Protocol::HecRawBare => http("/services/collector/raw", "text/plain"),
            Protocol::Gelf => Way::Stream,
            Protocol::Datadog => http("/api/v2/logs", "application/json"),
            Protocol::Journal => http("/upload", "application/vnd.fdo.journal"),
        }
    }

    /// Where VictoriaLogs takes the same, as far as it does.
    pub(super) fn path_of_victorialogs(self) -> Option<&'static str> {
        match self {
            Protocol::Ndjson => {
                Some("/insert/jsonline?_time_field=time&_msg_field=message&_stream_fields=program")
            }
            Protocol::Bulk => Some(
                "/insert/elasticsearch/_bulk?_time_field=@timestamp&_msg_field=message&_stream_fields=process.name",
            ),
            Protocol::LokiJson | Protocol::Loki => {
                Some("/insert/loki/api/v1/push?_stream_fields=program&disable_message_parsing=1")
            }
            Protocol::OtlpHttp => Some("/insert/opentelemetry/v1/logs?_stream_fields=service.name"),
            Protocol::Datadog => Some("/insert/datadog/api/v2/logs?_stream_fields=service"),
            Protocol::Journal => Some("/insert/journald/upload?_stream_fields=SYSLOG_IDENTIFIER"),
            _ => None,
        }
    }

    /// How its agents pack bodies; the first way is the usual one.
    pub(super) fn packings(self) -> &'static [Packing] {
        match self {
            Protocol::Text | Protocol::HecRaw | Protocol::HecRawBare | Protocol::Gelf | Protocol::Journal => {
                &[Packing::None]
            }
            Protocol::Ndjson => &[Packing::None, Packing::Gzip, Packing::Zstd],
            Protocol::Loki => &[Packing::Snappy],
            Protocol::Bulk
            | Protocol::LokiJson
            | Protocol::OtlpHttp
            | Protocol::OtlpGrpc
            | Protocol::Hec
            | Protocol::Datadog => &[Packing::None, Packing::Gzip],
        }
    }

    pub(super) fn body(self, messages: &[Message<'_>]) -> Vec<u8> {
        let write = match self {
            Protocol::Text | Protocol::HecRaw | Protocol::HecRawBare => body::text,
            Protocol::Ndjson => body::ndjson,
            Protocol::Bulk => body::bulk,
            Protocol::LokiJson => body::loki_json,
            Protocol::Loki => body::loki,
            Protocol::OtlpHttp | Protocol::OtlpGrpc => body::otlp,
            Protocol::Hec => body::hec,
            Protocol::Gelf => body::gelf,
            Protocol::Datadog => body::datadog,
            Protocol::Journal => body::journal,
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

    /// What a request says of it in its head.
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
