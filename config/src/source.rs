//! Sources, which receive messages, and the reading of their bytes.

use ipnet::IpNet;
use serde::Serialize;

use crate::auto::CountOrAuto;
use crate::catalogue::{SOURCE, SourceType};
use crate::choice::{Framing, SourceFormat, StartPosition};
use crate::listen::{ListenAddress, ListenProtocol};
use crate::node::DocumentNode;
use crate::problem::{Findings, Path};
use crate::read::ReadValue;
use crate::table_reader::{TableReader, defaults};
use crate::unit::{Period, Size};
use crate::zone::{SenderZone, timezone, timezones};

/// A configured receiver.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, utoipa::ToSchema)]
pub struct Source {
    /// The name that routes, messages and counters use.
    pub id: String,
    /// Whether it receives messages.
    pub enabled: bool,
    /// The kind of source, with its keys.
    #[serde(flatten)]
    pub kind: SourceKind,
}

/// The kind of a source.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, utoipa::ToSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum SourceKind {
    /// Syslog on its own sockets.
    Syslog(SyslogSource),
    /// Syslog over RELP: every message is acknowledged once it is stored.
    Relp(RelpSource),
    /// GELF on its own sockets.
    Gelf(GelfSource),
    /// OpenTelemetry logs on its own sockets: a request is answered once its records are stored.
    Otlp(OtlpSource),
    /// Lines appended to files.
    File(FileSource),
    /// The ingest endpoints of the web listener.
    Http(HttpSource),
    /// Logstead's own log.
    Internal,
}

/// The keys of a syslog source.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Syslog)]
pub struct SyslogSource {
    /// The sockets to open: `udp://ADDRESS:PORT`, `tcp://…`, `tls://…`, `unix-dgram:PATH`, `unix-stream:PATH`.
    #[schema(value_type = Vec<String>)]
    pub listen: Vec<ListenAddress>,
    /// The delimiting of messages in a stream.
    pub framing: Framing,
    /// Whether a datagram contains many messages, each ending with a newline.
    pub split_datagrams: bool,
    /// The reading of received bytes.
    #[serde(flatten)]
    pub reception: Reception,
}

/// The keys of a RELP source.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Relp)]
pub struct RelpSource {
    /// The sockets to open: `relp://ADDRESS:PORT`, `relp+tls://ADDRESS:PORT`.
    #[schema(value_type = Vec<String>)]
    pub listen: Vec<ListenAddress>,
    /// The reading of received bytes.
    #[serde(flatten)]
    pub reception: Reception,
}

/// The keys of a GELF source.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Gelf)]
pub struct GelfSource {
    /// The sockets to open: `udp://ADDRESS:PORT`, `tcp://…`, `tls://…`, `unix-dgram:PATH`, `unix-stream:PATH`.
    #[schema(value_type = Vec<String>)]
    pub listen: Vec<ListenAddress>,
    /// The longest message, uncompressed, that is kept whole; a longer one is cut and flagged.
    #[schema(value_type = String)]
    pub message_max: Size,
    /// The time and size up to which reads are combined.
    pub coalesce: Coalesce,
    /// The number of workers that share one connection's messages.
    pub partitions: CountOrAuto,
    /// The senders that are admitted.
    #[serde(flatten)]
    pub admission: Admission,
}

/// The keys of an OpenTelemetry source.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, utoipa::ToSchema)]
pub struct OtlpSource {
    /// The sockets to open: `grpc://ADDRESS:PORT`, `http://…`, `grpc+tls://…`, `https://…`.
    #[schema(value_type = Vec<String>)]
    pub listen: Vec<ListenAddress>,
    /// The longest request that is accepted, uncompressed.
    #[schema(value_type = String)]
    pub request_max: Size,
    /// The name of the token that requests must have; without it, they need none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub token: Option<String>,
    /// The senders that are admitted.
    #[serde(flatten)]
    pub admission: Admission,
}

/// The reading of bytes received through sockets, and the admitted senders.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, utoipa::ToSchema)]
pub struct Reception {
    /// The format of messages.
    pub format: SourceFormat,
    /// The time zone of timestamps without one: an IANA name or an offset.
    pub timezone: String,
    /// The time zones of single senders, as `HOST=ZONE`: by the host in their messages, or by their address.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<String>)]
    pub timezones: Vec<SenderZone>,
    /// The encoding of bytes that are not UTF-8, by its WHATWG name.
    pub charset: String,
    /// The longest message that is kept whole; a longer one is cut and flagged.
    #[schema(value_type = String)]
    pub message_max: Size,
    /// The time and size up to which reads are combined.
    pub coalesce: Coalesce,
    /// The number of workers that share one connection's messages.
    pub partitions: CountOrAuto,
    /// The senders that are admitted.
    #[serde(flatten)]
    pub admission: Admission,
}

/// The senders admitted to sockets, and their limits.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, utoipa::ToSchema)]
pub struct Admission {
    /// The greatest number of open stream connections; further ones are refused.
    pub connections_max: u32,
    /// Networks that may send; empty for everyone.
    #[schema(value_type = Vec<String>)]
    pub allow: Vec<IpNet>,
    /// Networks of proxies, whose connections begin with the address of the real sender (PROXY protocol 1 or 2).
    #[schema(value_type = Vec<String>)]
    pub proxy_protocol: Vec<IpNet>,
    /// The certificate and key for encrypted connections.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls: Option<Tls>,
}

/// The certificate and key for encrypted connections. Files are PEM, absolute or below the data directory.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, utoipa::ToSchema)]
pub struct Tls {
    /// Our certificate, with the intermediate ones up to an authority that senders trust.
    pub certificate: String,
    /// Its private key.
    pub key: String,
    /// The authorities that sign senders' certificates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_ca: Option<String>,
    /// Whether a sender without a certificate is refused.
    pub require_client_certificate: bool,
}

/// The keys of a file source.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Files)]
pub struct FileSource {
    /// The files to follow, absolute or below the data directory; `*` and `?` match parts of names.
    pub paths: Vec<String>,
    /// The position at which reading begins in files that exist when the source is new.
    pub start: StartPosition,
    /// The format of lines.
    pub format: SourceFormat,
    /// The time zone of timestamps without one: an IANA name or an offset.
    pub timezone: String,
    /// The time zones of single senders, as `HOST=ZONE`: by the host in their messages, or by their address.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<String>)]
    pub timezones: Vec<SenderZone>,
    /// The encoding of bytes that are not UTF-8, by its WHATWG name.
    pub charset: String,
    /// The longest line that is kept whole; a longer one is cut and flagged.
    #[schema(value_type = String)]
    pub message_max: Size,
}

/// The keys of a source of messages from the HTTP ingest endpoints.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Http)]
pub struct HttpSource {
    /// The name of the token whose messages it takes; without it, it takes the messages that no other source does.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub token: Option<String>,
}

/// The time and size up to which reads are combined.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, utoipa::ToSchema)]
pub struct Coalesce {
    /// The longest time that the first byte waits for others.
    #[schema(value_type = String)]
    pub delay: Period,
    /// The greatest number of bytes that are combined.
    #[schema(value_type = String)]
    pub buffer: Size,
}

impl SourceKind {
    /// The kind without its keys.
    pub fn tag(&self) -> SourceType {
        match self {
            SourceKind::Syslog(_) => SourceType::Syslog,
            SourceKind::Relp(_) => SourceType::Relp,
            SourceKind::Gelf(_) => SourceType::Gelf,
            SourceKind::Otlp(_) => SourceType::Otlp,
            SourceKind::File(_) => SourceType::File,
            SourceKind::Http(_) => SourceType::Http,
            SourceKind::Internal => SourceType::Internal,
        }
    }

    /// The addresses that it listens on, if it is of a kind with sockets of its own.
    pub fn sockets(&self) -> Option<&[ListenAddress]> {
        match self {
            SourceKind::Syslog(syslog) => Some(&syslog.listen),
            SourceKind::Relp(relp) => Some(&relp.listen),
            SourceKind::Gelf(gelf) => Some(&gelf.listen),
            SourceKind::Otlp(otlp) => Some(&otlp.listen),
            SourceKind::File(_) | SourceKind::Http(_) | SourceKind::Internal => None,
        }
    }

    /// The addresses that it listens on.
    pub fn listen(&self) -> &[ListenAddress] {
        self.sockets().unwrap_or_default()
    }

    /// The time zone of timestamps without one, if it is of a kind that may receive such.
    pub fn timezone(&self) -> Option<&str> {
        match self {
            SourceKind::Syslog(syslog) => Some(&syslog.reception.timezone),
            SourceKind::Relp(relp) => Some(&relp.reception.timezone),
            SourceKind::File(files) => Some(&files.timezone),
            SourceKind::Gelf(_) | SourceKind::Otlp(_) | SourceKind::Http(_) | SourceKind::Internal => None,
        }
    }

    fn read(tag: SourceType, fields: &mut TableReader<'_>) -> SourceKind {
        fields.described_by(tag.form().settings);
        match tag {
            SourceType::Syslog => SourceKind::Syslog(SyslogSource::read(fields)),
            SourceType::Relp => SourceKind::Relp(RelpSource::read(fields)),
            SourceType::Gelf => SourceKind::Gelf(GelfSource::read(fields)),
            SourceType::Otlp => SourceKind::Otlp(OtlpSource::read(fields)),
            SourceType::File => SourceKind::File(FileSource::read(fields)),
            SourceType::Http => SourceKind::Http(HttpSource::read(fields)),
            SourceType::Internal => SourceKind::Internal,
        }
    }
}

impl SyslogSource {
    fn read(fields: &mut TableReader<'_>) -> SyslogSource {
        let listen = listeners(fields, ListenProtocol::Frames);
        SyslogSource {
            framing: fields.get("framing"),
            split_datagrams: fields.get("split_datagrams"),
            reception: Reception::read(fields, &listen),
            listen,
        }
    }
}

impl RelpSource {
    fn read(fields: &mut TableReader<'_>) -> RelpSource {
        let listen = listeners(fields, ListenProtocol::Relp);
        RelpSource { reception: Reception::read(fields, &listen), listen }
    }
}

impl GelfSource {
    fn read(fields: &mut TableReader<'_>) -> GelfSource {
        let listen = listeners(fields, ListenProtocol::Frames);
        GelfSource {
            message_max: fields.get_within("message_max"),
            coalesce: fields.settings_table("coalesce.", Coalesce::read),
            partitions: fields.get("partitions"),
            admission: Admission::read(fields, &listen),
            listen,
        }
    }
}

impl OtlpSource {
    fn read(fields: &mut TableReader<'_>) -> OtlpSource {
        let listen = listeners(fields, ListenProtocol::Otlp);
        OtlpSource {
            request_max: fields.get_within("request_max"),
            token: fields.optional("token"),
            admission: Admission::read(fields, &listen),
            listen,
        }
    }
}

/// Reads the addresses of a source with this protocol.
fn listeners(fields: &mut TableReader<'_>, protocol: ListenProtocol) -> Vec<ListenAddress> {
    let listen: Vec<ListenAddress> = fields.required("listen", Vec::new());
    if let Some(other) = listen.iter().find(|listener| listener.protocol() != protocol) {
        let kind = other.protocol().source();
        fields.note("listen", format!("`{other}` belongs in a source of `kind = \"{kind}\"`"));
    }
    listen
}

impl Reception {
    fn read(fields: &mut TableReader<'_>, listen: &[ListenAddress]) -> Reception {
        Reception {
            format: fields.get("format"),
            timezone: timezone(fields),
            timezones: timezones(fields),
            charset: fields.get("charset"),
            message_max: fields.get_within("message_max"),
            coalesce: fields.settings_table("coalesce.", Coalesce::read),
            partitions: fields.get("partitions"),
            admission: Admission::read(fields, listen),
        }
    }
}

impl Admission {
    fn read(fields: &mut TableReader<'_>, listen: &[ListenAddress]) -> Admission {
        Admission {
            connections_max: fields.get_within("connections_max"),
            allow: fields.get("allow"),
            proxy_protocol: fields.get("proxy_protocol"),
            tls: Tls::of(fields, listen),
        }
    }
}

impl Tls {
    /// Reads the key `tls`, which must be present if an address is encrypted, and only then.
    fn of(fields: &mut TableReader<'_>, listen: &[ListenAddress]) -> Option<Tls> {
        let tls = fields.optional_table("tls.", Tls::read);
        match (&tls, listen.iter().find(|listener| listener.is_tls())) {
            (None, Some(encrypted)) => {
                let hint = "write `tls = { certificate = \"server.pem\", key = \"server.key\" }`";
                fields.note("tls", format!("is missing: `{encrypted}` needs a certificate; {hint}"));
            }
            (Some(_), None) if !listen.is_empty() => {
                fields.note(
                    "tls",
                    "is only for encrypted addresses, such as `tls://`: listen on one, or leave it out",
                );
            }
            _ => {}
        }
        tls
    }

    fn read(fields: &mut TableReader<'_>) -> Tls {
        let tls = Tls {
            certificate: fields.required("certificate", String::new()),
            key: fields.required("key", String::new()),
            client_ca: fields.optional("client_ca"),
            require_client_certificate: fields.get("require_client_certificate"),
        };
        if tls.require_client_certificate && tls.client_ca.is_none() {
            let message = "needs `client_ca`: the file of the authorities that sign senders' certificates";
            fields.note("require_client_certificate", message);
        }
        tls
    }
}

impl HttpSource {
    fn read(fields: &mut TableReader<'_>) -> HttpSource {
        HttpSource { token: fields.optional("token") }
    }
}

impl FileSource {
    fn read(fields: &mut TableReader<'_>) -> FileSource {
        let files = FileSource {
            paths: fields.required("paths", Vec::new()),
            start: fields.get("start"),
            format: fields.get("format"),
            timezone: timezone(fields),
            timezones: timezones(fields),
            charset: fields.get("charset"),
            message_max: fields.get_within("message_max"),
        };
        if files.paths.iter().any(|path| path.is_empty() || path.split('/').any(|part| part == "..")) {
            fields.note("paths", "must name files, without `..`, like `[\"/var/log/nginx/*.log\"]`");
        }
        files
    }
}

impl Coalesce {
    fn read(fields: &mut TableReader<'_>) -> Coalesce {
        Coalesce { delay: fields.get_within("delay"), buffer: fields.get_within("buffer") }
    }
}

/// The defaults of a syslog source.
impl Default for Coalesce {
    fn default() -> Coalesce {
        defaults(SourceType::Syslog.form().settings, "coalesce.", Coalesce::read)
    }
}

impl ReadValue for Source {
    fn read(node: &DocumentNode, path: &Path, findings: &mut Findings) -> Option<Source> {
        let mut fields = TableReader::of(node, path, findings)?;
        fields.described_by(&[SOURCE]);
        let id = fields.required("id", String::new());
        let enabled = fields.get("enabled");
        let Some(tag) = fields.required("kind", None) else {
            // Without a kind it is unknown which keys belong here.
            return Some(Source { id, enabled, kind: SourceKind::Internal });
        };
        let kind = SourceKind::read(tag, &mut fields);
        fields.warn_of_old_keys(&format!("source `{id}`"));
        fields.finish();
        Some(Source { id, enabled, kind })
    }
}
