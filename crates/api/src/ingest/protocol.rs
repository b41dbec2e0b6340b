//! The protocols that messages come in over HTTP.

/// The protocol of a route. Refusals have its format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum IngestProtocol {
    /// Our own, whose refusals are problems (RFC 9457).
    Ours,
    /// Elasticsearch.
    Elastic,
    /// Grafana Loki.
    Loki,
    /// Splunk's HTTP event collector.
    Splunk,
    /// Datadog's log intake.
    Datadog,
    /// OpenTelemetry's.
    Otlp,
    /// Graylog's.
    Gelf,
    /// The one of systemd's journal.
    Journal,
}

/// The place of a caller's credentials.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CredentialPlace {
    /// There are none.
    Nothing,
    /// They are in the address, where logs of proxies would have them.
    InAddress,
    /// They are in a header that cannot be read as such.
    Unreadable,
    /// They are a token.
    Token,
}
