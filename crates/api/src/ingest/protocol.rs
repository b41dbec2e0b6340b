//! The protocols in which messages arrive over HTTP.

/// The protocol of a route, which determines the format of refusals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum IngestProtocol {
    /// Our own protocol, whose refusals are problems (RFC 9457).
    Ours,
    /// Elasticsearch.
    Elastic,
    /// Grafana Loki.
    Loki,
    /// Splunk's HTTP event collector.
    Splunk,
    /// Datadog's log intake.
    Datadog,
    /// OpenTelemetry's protocol.
    Otlp,
    /// Graylog's protocol.
    Gelf,
    /// The protocol of systemd's journal.
    Journal,
}

/// The place of a caller's credentials.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CredentialPlace {
    /// There are none.
    Nothing,
    /// In the address, where they would appear in the logs of proxies.
    InAddress,
    /// In a header that cannot be read as credentials.
    Unreadable,
    /// In a header, as a token.
    Token,
}
