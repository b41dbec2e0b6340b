//! The keys whose values are one of a few names.
//!
//! **Invariant:** each name is written here and nowhere else.

use serde::Serialize;

use crate::read::Choice;

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

impl Choice for StartPosition {
    const NOUN: &'static str = "place to start";
    const NAMES: &'static [(&'static str, StartPosition)] =
        &[("beginning", StartPosition::Beginning), ("end", StartPosition::End)];
}

impl Choice for Framing {
    const NOUN: &'static str = "framing";
    const NAMES: &'static [(&'static str, Framing)] = &[
        ("auto", Framing::Auto),
        ("newline", Framing::Newline),
        ("octet", Framing::Octet),
        ("nul", Framing::Nul),
        ("multiline", Framing::Multiline),
    ];
}

impl Choice for SourceFormat {
    const NOUN: &'static str = "format";
    const NAMES: &'static [(&'static str, SourceFormat)] = &[
        ("auto", SourceFormat::Auto),
        ("rfc5424", SourceFormat::Rfc5424),
        ("rfc3164", SourceFormat::Rfc3164),
        ("raw", SourceFormat::Raw),
    ];
}

impl Choice for ForwardFormat {
    const NOUN: &'static str = "format";
    const NAMES: &'static [(&'static str, ForwardFormat)] = &[
        ("rfc5424", ForwardFormat::Rfc5424),
        ("rfc3164", ForwardFormat::Rfc3164),
        ("raw", ForwardFormat::Raw),
    ];
}

impl Choice for ForwardFraming {
    const NOUN: &'static str = "framing";
    const NAMES: &'static [(&'static str, ForwardFraming)] =
        &[("octet", ForwardFraming::Octet), ("newline", ForwardFraming::Newline)];
}

impl Choice for HttpFormat {
    const NOUN: &'static str = "format";
    const NAMES: &'static [(&'static str, HttpFormat)] =
        &[("json", HttpFormat::Json), ("raw", HttpFormat::Raw), ("message", HttpFormat::Message)];
}

impl Choice for Compression {
    const NOUN: &'static str = "compression";
    const NAMES: &'static [(&'static str, Compression)] =
        &[("gzip", Compression::Gzip), ("none", Compression::None)];
}

impl Choice for Packing {
    const NOUN: &'static str = "compression";
    const NAMES: &'static [(&'static str, Packing)] =
        &[("zstd", Packing::Zstd), ("gzip", Packing::Gzip), ("none", Packing::None)];
}

impl Choice for Addressing {
    const NOUN: &'static str = "way to name the bucket";
    const NAMES: &'static [(&'static str, Addressing)] =
        &[("virtual", Addressing::Virtual), ("path", Addressing::Path)];
}

impl Choice for HttpMethod {
    const NOUN: &'static str = "method";
    const NAMES: &'static [(&'static str, HttpMethod)] =
        &[("POST", HttpMethod::Post), ("PUT", HttpMethod::Put), ("PATCH", HttpMethod::Patch)];
}

impl Choice for Label {
    const NOUN: &'static str = "label";
    const NAMES: &'static [(&'static str, Label)] = &[
        ("host", Label::Host),
        ("program", Label::Program),
        ("severity", Label::Severity),
        ("facility", Label::Facility),
        ("source", Label::Source),
    ];
}

impl Label {
    /// Its name in documents, and in Loki.
    pub fn name(self) -> &'static str {
        Label::NAMES.iter().find(|(_, label)| *label == self).map_or("", |(name, _)| name)
    }
}

impl Choice for QueueDurability {
    const NOUN: &'static str = "durability";
    const NAMES: &'static [(&'static str, QueueDurability)] =
        &[("fsync", QueueDurability::Fsync), ("delay", QueueDurability::Delay), ("os", QueueDurability::Os)];
}

impl Choice for Durability {
    const NOUN: &'static str = "durability";
    const NAMES: &'static [(&'static str, Durability)] =
        &[("fsync", Durability::Fsync), ("os", Durability::Os)];
}
