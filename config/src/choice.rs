//! Keys whose value is one of a fixed set of names.
//!
//! **Invariant:** each name is written here and nowhere else.

use crate::read::choices;

choices! {
    /// The position at which reading begins in files that exist when the source is new.
    #[schema(as = Start)]
    pub enum StartPosition: "place to start" {
        /// The whole file is read.
        Beginning = "beginning",
        /// Only lines appended from then on are read.
        End = "end",
    }

    /// The delimiting of messages in a stream.
    pub enum Framing: "framing" {
        /// Octet counting if a frame begins with a count, newlines otherwise.
        Auto = "auto",
        /// A message ends with a newline.
        Newline = "newline",
        /// A message begins with its length (RFC 6587).
        Octet = "octet",
        /// A message ends with a NUL byte.
        Nul = "nul",
        /// A message ends with a newline after which the next one begins with its priority, such as `<13>`.
        Multiline = "multiline",
    }

    /// The format of received messages.
    #[schema(as = Format)]
    pub enum SourceFormat: "format" {
        /// The format of each message is detected.
        Auto = "auto",
        /// RFC 5424.
        Rfc5424 = "rfc5424",
        /// RFC 3164, with the variants that devices send.
        Rfc3164 = "rfc3164",
        /// Messages are not parsed: the whole frame is the message.
        Raw = "raw",
    }

    /// The format of forwarded messages.
    pub enum ForwardFormat: "format" {
        /// Rendered as RFC 5424 from what was parsed.
        Rfc5424 = "rfc5424",
        /// Rendered as RFC 3164 from what was parsed, with the time in UTC.
        Rfc3164 = "rfc3164",
        /// The bytes as received.
        Raw = "raw",
    }

    /// The delimiting of messages in the stream to a server.
    pub enum ForwardFraming: "framing" {
        /// A message begins with its length (RFC 6587), and may contain newlines.
        Octet = "octet",
        /// A message ends with a newline.
        Newline = "newline",
    }

    /// The part of a message that is sent to an HTTP server.
    pub enum HttpFormat: "format" {
        /// A JSON object with all fields.
        Json = "json",
        /// The bytes as received.
        Raw = "raw",
        /// The text alone.
        Message = "message",
    }

    /// The compression of an HTTP request's body.
    pub enum Compression: "compression" {
        /// Large bodies are compressed with gzip.
        Gzip = "gzip",
        /// No compression.
        None = "none",
    }

    /// The compression of a file or object.
    pub enum Packing: "compression" {
        /// zstd.
        Zstd = "zstd",
        /// gzip.
        Gzip = "gzip",
        /// No compression.
        None = "none",
    }

    /// The place of the bucket's name in a request to an object store.
    pub enum Addressing: "way to name the bucket" {
        /// In the name of the host: `https://BUCKET.HOST/KEY`.
        Virtual = "virtual",
        /// In the path: `https://HOST/BUCKET/KEY`.
        Path = "path",
    }

    /// The method of an HTTP request.
    pub enum HttpMethod: "method" {
        /// POST.
        Post = "POST",
        /// PUT.
        Put = "PUT",
        /// PATCH.
        Patch = "PATCH",
    }

    /// A field with few values, which can be a label of a stream in Loki or a part of a file's name.
    pub enum Label: "label" {
        /// The host that the message claims to come from.
        Host = "host",
        /// The program.
        Program = "program",
        /// The name of its severity.
        Severity = "severity",
        /// The name of its facility.
        Facility = "facility",
        /// The source that received the message.
        Source = "source",
    }

    /// The time at which a message is acknowledged.
    pub enum Durability: "durability" {
        /// Once it is on disk.
        Fsync = "fsync",
        /// Once the operating system has it: faster, but lost in a power failure.
        Os = "os",
    }

    /// The time at which a message for a destination is acknowledged.
    pub enum QueueDurability: "durability" {
        /// Once it is on disk.
        Fsync = "fsync",
        /// Once the operating system has it while the destination keeps up; once it is on disk as soon as messages have to wait.
        Delay = "delay",
        /// Once the operating system has it: faster, but lost in a power failure.
        Os = "os",
    }
}
