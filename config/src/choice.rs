//! The keys whose values are one of a few names.
//!
//! **Invariant:** each name is written here and nowhere else.

use serde::Serialize;

use crate::read::{Choice, choice};

/// The position at which reading begins in files that exist when the source is new.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = Start))]
#[serde(rename_all = "snake_case")]
pub enum StartPosition {
    /// The whole file is read.
    Beginning,
    /// Only lines appended from then on are read.
    End,
}

/// The delimiting of messages in a stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Framing {
    /// Octet counting if a frame begins with a count, newlines otherwise.
    Auto,
    /// A message ends with a newline.
    Newline,
    /// A message begins with its length (RFC 6587).
    Octet,
    /// A message ends with a NUL byte.
    Nul,
    /// A message ends with a newline after which the next one begins with its priority, such as `<13>`.
    Multiline,
}

/// The format of received messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = Format))]
#[serde(rename_all = "snake_case")]
pub enum SourceFormat {
    /// The format of each message is detected.
    Auto,
    /// RFC 5424.
    Rfc5424,
    /// RFC 3164, with the variants that devices send.
    Rfc3164,
    /// Messages are not parsed: the whole frame is the message.
    Raw,
}

/// The format of forwarded messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ForwardFormat {
    /// Rendered as RFC 5424 from what was parsed.
    Rfc5424,
    /// Rendered as RFC 3164 from what was parsed, with the time in UTC.
    Rfc3164,
    /// The bytes as received.
    Raw,
}

/// The delimiting of messages in the stream to a server.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ForwardFraming {
    /// A message begins with its length (RFC 6587), and may contain newlines.
    Octet,
    /// A message ends with a newline.
    Newline,
}

/// The part of a message that is sent to an HTTP server.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum HttpFormat {
    /// A JSON object with all fields.
    Json,
    /// The bytes as received.
    Raw,
    /// The text alone.
    Message,
}

/// The compression of an HTTP request's body.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Compression {
    /// Large bodies are compressed with gzip.
    Gzip,
    /// No compression.
    None,
}

/// The compression of a file or object.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Packing {
    /// zstd.
    Zstd,
    /// gzip.
    Gzip,
    /// No compression.
    None,
}

/// The place of the bucket's name in a request to an object store.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Addressing {
    /// In the name of the host: `https://BUCKET.HOST/KEY`.
    Virtual,
    /// In the path: `https://HOST/BUCKET/KEY`.
    Path,
}

/// The method of an HTTP request.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "UPPERCASE")]
pub enum HttpMethod {
    /// POST.
    Post,
    /// PUT.
    Put,
    /// PATCH.
    Patch,
}

/// A field with few values, which can be a label of a stream in Loki or a part of a file's name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Label {
    /// The host that the message claims to come from.
    Host,
    /// The program.
    Program,
    /// The name of its severity.
    Severity,
    /// The name of its facility.
    Facility,
    /// The source that received the message.
    Source,
}

/// The time at which a message is acknowledged.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Durability {
    /// Once it is on disk.
    Fsync,
    /// Once the operating system has it: faster, but lost in a power failure.
    Os,
}

/// The time at which a message for a destination is acknowledged.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum QueueDurability {
    /// Once it is on disk.
    Fsync,
    /// Once the operating system has it while the destination keeps up; once it is on disk as soon as messages have to wait.
    Delay,
    /// Once the operating system has it: faster, but lost in a power failure.
    Os,
}

choice!(StartPosition, "place to start": "beginning" => Beginning, "end" => End);
choice!(Framing, "framing":
    "auto" => Auto, "newline" => Newline, "octet" => Octet, "nul" => Nul, "multiline" => Multiline);
choice!(SourceFormat, "format": "auto" => Auto, "rfc5424" => Rfc5424, "rfc3164" => Rfc3164, "raw" => Raw);
choice!(ForwardFormat, "format": "rfc5424" => Rfc5424, "rfc3164" => Rfc3164, "raw" => Raw);
choice!(ForwardFraming, "framing": "octet" => Octet, "newline" => Newline);
choice!(HttpFormat, "format": "json" => Json, "raw" => Raw, "message" => Message);
choice!(Compression, "compression": "gzip" => Gzip, "none" => None);
choice!(Packing, "compression": "zstd" => Zstd, "gzip" => Gzip, "none" => None);
choice!(Addressing, "way to name the bucket": "virtual" => Virtual, "path" => Path);
choice!(HttpMethod, "method": "POST" => Post, "PUT" => Put, "PATCH" => Patch);
choice!(Label, "label":
    "host" => Host, "program" => Program, "severity" => Severity, "facility" => Facility, "source" => Source);

impl Label {
    /// Its name in documents, and in Loki.
    pub fn name(self) -> &'static str {
        Label::NAMES.iter().find(|(_, label)| *label == self).map_or("", |(name, _)| name)
    }
}

choice!(QueueDurability, "durability": "fsync" => Fsync, "delay" => Delay, "os" => Os);
choice!(Durability, "durability": "fsync" => Fsync, "os" => Os);
