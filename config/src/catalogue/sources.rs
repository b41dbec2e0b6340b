//! The kinds of sources, and their settings.

use super::kinds::{KindForm, kinds};
use super::setting::{Setting, SettingKind, names};
use crate::auto::CountOrAuto;
use crate::choice::{Framing, SourceFormat, StartPosition};

kinds! {
    /// The kind of a source.
    pub enum SourceType: "kind of source" {
        /// Syslog from sockets.
        Syslog = "syslog", "Syslog over UDP, TCP, TLS and unix sockets",
            "listen = ['tcp://0.0.0.0:5515']", &[OF_SYSLOG, READING, SOCKETS, GATHERING];
        /// Syslog over RELP.
        Relp = "relp", "Syslog over RELP, acknowledged",
            "listen = ['relp://0.0.0.0:2515']", &[OF_RELP, READING, SOCKETS, GATHERING];
        /// GELF messages from sockets.
        Gelf = "gelf", "GELF over UDP, TCP and TLS",
            "listen = ['udp://0.0.0.0:12201']", &[OF_GELF, SOCKETS, GATHERING];
        /// OpenTelemetry's logs from sockets of its own.
        Otlp = "otlp", "OpenTelemetry logs over gRPC and HTTP",
            "listen = ['grpc://0.0.0.0:4317', 'http://0.0.0.0:4318']", &[OF_OTLP, SOCKETS];
        /// Lines from files.
        File = "file", "Lines of files", "paths = ['/var/log/*.log']", &[OF_FILES, READING];
        /// Over HTTP.
        Http = "http", "HTTP ingest", "", &[OF_HTTP];
        /// Logstead's own log.
        Internal = "internal", "Logstead’s own log", "", &[];
    }
}

/// The keys of every source.
pub(crate) const SOURCE: &[Setting] = &[
    Setting::new("id", SettingKind::Text, "Name").required().help("Used by routes, messages and counters."),
    Setting::new("kind", SettingKind::Choice(names::<SourceType>), "Kind")
        .required()
        .help("The kind of source."),
    Setting::new("enabled", SettingKind::Switch, "Enabled")
        .default("true")
        .help("Whether it receives messages."),
];

/// The keys of syslog sources only.
const OF_SYSLOG: &[Setting] = &[
    Setting::new("listen", SettingKind::List, "Listen on")
        .required()
        .empty("tcp://0.0.0.0:5514")
        .help("One a line: udp://, tcp:// or tls:// with ADDRESS:PORT; unix-dgram:PATH or unix-stream:PATH."),
    Setting::new("framing", SettingKind::Choice(names::<Framing>), "Framing").default("auto").help(
        "How messages are told apart in a stream. auto: octet counts where a frame begins with one, else \
               newlines.",
    ),
    Setting::new("split_datagrams", SettingKind::Switch, "Split datagrams")
        .default("false")
        .help("Each line of a datagram is a message."),
];

/// The keys of HTTP sources only.
const OF_HTTP: &[Setting] = &[Setting::new("token", SettingKind::Text, "Token")
    .secret()
    .empty("everything that no other source takes")
    .help("The name of the ingest token whose messages it takes.")];

/// The keys of RELP sources only. RELP senders wait for answers, so delaying a read to combine it with later messages
/// gains nothing.
const OF_RELP: &[Setting] = &[
    Setting::new("listen", SettingKind::List, "Listen on")
        .required()
        .empty("relp://0.0.0.0:2514")
        .help("One a line: relp:// or relp+tls:// with ADDRESS:PORT."),
    Setting::new("coalesce.delay", SettingKind::Duration, "Read delay")
        .default("0ms")
        .min("0ms")
        .max("1s")
        .help("How long a read waits for more messages: a short wait gives larger batches and less work."),
];

/// The keys of GELF sources only.
const OF_GELF: &[Setting] = &[
    Setting::new("listen", SettingKind::List, "Listen on")
        .required()
        .empty("udp://0.0.0.0:12201")
        .help("One a line: udp://, tcp:// or tls:// with ADDRESS:PORT; unix-dgram:PATH or unix-stream:PATH."),
    Setting::new("message_max", SettingKind::Size, "Longest message")
        .formerly("max_message")
        .default("1MiB")
        .min("256B")
        .max("16MiB")
        .help("A longer one is cut and flagged."),
];

/// The keys of OpenTelemetry sources only.
const OF_OTLP: &[Setting] = &[
    Setting::new("listen", SettingKind::List, "Listen on")
        .required()
        .empty("grpc://0.0.0.0:4317")
        .help("One a line: grpc://, http://, grpc+tls:// or https:// with ADDRESS:PORT."),
    Setting::new("request_max", SettingKind::Size, "Longest request")
        .formerly("max_request")
        .default("16MiB")
        .min("64KiB")
        .max("64MiB")
        .help("A longer one is refused."),
    Setting::new("token", SettingKind::Text, "Token")
        .secret()
        .empty("none is needed")
        .help("The name of the token that requests must bring."),
];

/// The keys of all sources that parse the text of messages.
pub(super) const READING: &[Setting] = &[
    Setting::new("format", SettingKind::Choice(names::<SourceFormat>), "Format")
        .default("auto")
        .help("How a message is parsed. auto: by what it looks like; raw: not at all."),
    Setting::new("timezone", SettingKind::Text, "Time zone")
        .default("UTC")
        .help("For time stamps without a zone."),
    Setting::new("timezones", SettingKind::List, "Time zones of senders")
        .default("")
        .empty("none")
        .help("HOST=ZONE, one a line, for senders in another zone, for example edge-1=Europe/Helsinki."),
    Setting::new("charset", SettingKind::Text, "Character set")
        .default("utf-8")
        .help("For text that is not UTF-8, for example iso-8859-1 or shift_jis."),
    Setting::new("message_max", SettingKind::Size, "Longest message")
        .formerly("max_message")
        .default("64KiB")
        .min("256B")
        .max("16MiB")
        .help("A longer one is cut and flagged."),
];

/// The keys of every source with sockets.
pub(super) const SOCKETS: &[Setting] = &[
    Setting::new("connections_max", SettingKind::Number, "Most connections")
        .formerly("max_connections")
        .default("1000")
        .min("1")
        .max("100000")
        .help("Further ones are refused."),
    Setting::new("allow", SettingKind::List, "Allowed senders")
        .default("")
        .empty("everyone")
        .help("One network a line, for example 10.0.0.0/8. Empty: everyone."),
    Setting::new("proxy_protocol", SettingKind::List, "Proxies")
        .default("")
        .empty("none")
        .help("Networks whose connections begin with a PROXY protocol header, one a line."),
    Setting::new("tls.certificate", SettingKind::Text, "Certificate")
        .help("For encrypted addresses: a file in PEM, absolute or below the data directory."),
    Setting::new("tls.key", SettingKind::Text, "Private key").help("Its key: a file in PEM."),
    Setting::new("tls.client_ca", SettingKind::Text, "Authorities of senders")
        .help("Certificates that senders may show are signed by these: a file in PEM."),
    Setting::new("tls.require_client_certificate", SettingKind::Switch, "Only with a certificate")
        .default("false")
        .help("A sender that shows none is refused."),
];

/// The keys for reading from sockets.
pub(super) const GATHERING: &[Setting] = &[
    Setting::new("coalesce.delay", SettingKind::Duration, "Read delay")
        .default("5ms")
        .min("0ms")
        .max("1s")
        .help("How long a read waits for more messages: a short wait gives larger batches and less work."),
    Setting::new("coalesce.buffer", SettingKind::Size, "Read buffer")
        .default("1MiB")
        .min("4KiB")
        .max("64MiB")
        .help("The most bytes that one read gathers."),
    Setting::new("partitions", SettingKind::Number, "Partitions")
        .default("auto")
        .min(CountOrAuto::MIN)
        .max(CountOrAuto::MAX)
        .help("The number of workers that the messages of one connection are spread over."),
];

/// The keys of file sources only.
const OF_FILES: &[Setting] = &[
    Setting::new("paths", SettingKind::List, "Files")
        .required()
        .empty("/var/log/nginx/*.log")
        .help("One path a line, absolute or below the data directory; * and ? stand for parts of names."),
    Setting::new("start", SettingKind::Choice(names::<StartPosition>), "Start at")
        .default("end")
        .help("Where reading begins in a file that exists already when the source is new."),
];
