//! The kinds of sources, and their settings.

use super::kinds::{KindForm, kinds};
use super::setting::{Setting, SettingKind, names};
use crate::auto::CountOrAuto;
use crate::choice::{Framing, SourceFormat, StartPosition};

kinds! {
    /// The kind of a source. A source also has the settings of [`SOURCE`].
    SourceType: "kind of source";

    /// Syslog from sockets.
    Syslog, "syslog", "Syslog over UDP, TCP, TLS and unix sockets",
        "listen = ['tcp://0.0.0.0:5515']", &[OF_SYSLOG, READING, SOCKETS, GATHERING];
    /// Syslog over RELP.
    Relp, "relp", "Syslog over RELP, acknowledged",
        "listen = ['relp://0.0.0.0:2515']", &[OF_RELP, READING, SOCKETS, GATHERING];
    /// GELF from sockets.
    Gelf, "gelf", "GELF over UDP, TCP and TLS",
        "listen = ['udp://0.0.0.0:12201']", &[OF_GELF, SOCKETS, GATHERING];
    /// OpenTelemetry's logs from sockets of its own.
    Otlp, "otlp", "OpenTelemetry logs over gRPC and HTTP",
        "listen = ['grpc://0.0.0.0:4317', 'http://0.0.0.0:4318']", &[OF_OTLP, SOCKETS];
    /// Lines of files.
    File, "file", "Lines of files", "paths = ['/var/log/*.log']", &[OF_FILES, READING];
    /// Over HTTP.
    Http, "http", "HTTP ingest", "", &[OF_HTTP];
    /// Logstead's own log.
    Internal, "internal", "Logstead’s own log", "", &[];
}

/// The keys of every source.
pub(crate) const SOURCE: &[Setting] = &[
    Setting::new("id", SettingKind::Text, "Name")
        .required()
        .help("Used by routes, messages and counters.")
        .means("The name used by routes, messages (field `source`) and counters."),
    Setting::new("kind", SettingKind::Choice(names::<SourceType>), "Kind")
        .required()
        .help("What it receives.")
        .means("`syslog`; `relp`, syslog with an acknowledgement for every message; `file`, lines that are appended \
                to files; `gelf`, Graylog's format; `otlp`, OpenTelemetry's logs over gRPC and HTTP; `http`, the \
                ingest endpoints of the web listener; or `internal`, Logstead's own log. There can be one `internal` \
                source, which has no keys besides these."),
    Setting::new("enabled", SettingKind::Switch, "Enabled")
        .default("true")
        .help("Whether it receives anything.")
        .means("With `false`, it receives nothing: its sockets are closed, its files are not read, and what comes over \
                HTTP is refused. See [Turned off](#turned-off)."),
];

/// The keys of syslog sources only.
const OF_SYSLOG: &[Setting] = &[
    Setting::new("listen", SettingKind::List, "Listen on")
        .required()
        .empty("tcp://0.0.0.0:5514")
        .help("One a line: udp://, tcp:// or tls:// with ADDRESS:PORT; unix-dgram:PATH or unix-stream:PATH.")
        .means("The sockets to open: `udp://ADDRESS:PORT`, `tcp://ADDRESS:PORT`, `tls://ADDRESS:PORT`, \
                `unix-dgram:PATH`, `unix-stream:PATH`. IPv6 addresses are written in brackets; `[::]` accepts IPv4 \
                as well. Port 0 picks a free port. A path is either like `run/log.sock`, in the folder `run` of the \
                data directory, or absolute and in a folder of the setting `files.sockets`."),
    Setting::new("framing", SettingKind::Choice(names::<Framing>), "Framing")
        .default("auto")
        .help("How messages are told apart in a stream. auto: octet counts where a frame begins with one, else \
               newlines.")
        .means("How messages are told apart in a stream. `auto`: octet counting where a frame begins with a count, \
                newlines otherwise. `newline`, `octet` (RFC 6587), `nul`: only this framing. `multiline`: a message \
                ends at a newline followed by the priority of the next one, such as `<13>`. [Senders that put \
                nothing between their messages](formats.md#framing) are flagged."),
    Setting::new("split_datagrams", SettingKind::Switch, "Split datagrams")
        .default("false")
        .help("Each line of a datagram is a message.")
        .means("Whether a datagram holds many messages, each ending with a newline. Otherwise it is one message, \
                whatever it contains."),
];

/// The keys of HTTP sources only.
const OF_HTTP: &[Setting] = &[Setting::new("token", SettingKind::Text, "Token")
        .secret()
    .empty("everything that no other source takes")
    .help("The name of the ingest token whose messages it takes.")
    .means("The name of the [ingest token](ingest.md#tokens) whose messages this source takes. Several sources may be \
            of kind `http`: one of them without this key, which takes what comes with any other token.")];

/// The keys of RELP sources only. Their senders wait for answers, so it is useless to wait for more messages.
const OF_RELP: &[Setting] = &[
    Setting::new("listen", SettingKind::List, "Listen on")
        .required()
        .empty("relp://0.0.0.0:2514")
        .help("One a line: relp:// or relp+tls:// with ADDRESS:PORT.")
        .means("The sockets to open: `relp://ADDRESS:PORT`, `relp+tls://ADDRESS:PORT`. A message is acknowledged \
                when it is as durable as its logspace promises, and messages are acknowledged in order."),
    Setting::new("coalesce.delay", SettingKind::Duration, "Read delay")
        .default("0ms")
        .min("0ms")
        .max("1s")
        .help("How long a read waits for more messages: a little gives bigger batches for less work.")
        .means("As below. Senders wait for answers, so waiting for them to send more is of no use."),
];

/// The keys of GELF sources only.
const OF_GELF: &[Setting] = &[
    Setting::new("listen", SettingKind::List, "Listen on")
        .required()
        .empty("udp://0.0.0.0:12201")
        .help("One a line: udp://, tcp:// or tls:// with ADDRESS:PORT; unix-dgram:PATH or unix-stream:PATH.")
        .means("The sockets to open, as those of `syslog`. A datagram is a message or a chunk of one, and may be \
                packed with gzip or zlib; a message in a stream ends with a NUL byte."),
    Setting::new("message_max", SettingKind::Size, "Longest message")
        .formerly("max_message")
        .default("1MiB")
        .min("256B")
        .max("16MiB")
        .help("A longer one is cut and flagged.")
        .means("The longest message that is kept whole, unpacked, {min} to {max}. A longer one is cut and flagged \
                `truncated`."),
];

/// The keys of OpenTelemetry sources only.
const OF_OTLP: &[Setting] = &[
    Setting::new("listen", SettingKind::List, "Listen on")
        .required()
        .empty("grpc://0.0.0.0:4317")
        .help("One a line: grpc://, http://, grpc+tls:// or https:// with ADDRESS:PORT.")
        .means("The sockets to open: `grpc://ADDRESS:PORT`, `http://ADDRESS:PORT`, and encrypted `grpc+tls://…`, \
                `https://…`. A request is answered when its records are as durable as their logspaces promise."),
    Setting::new("request_max", SettingKind::Size, "Longest request")
        .formerly("max_request")
        .default("16MiB")
        .min("64KiB")
        .max("64MiB")
        .help("A longer one is refused.")
        .means("The longest request that is taken, unpacked, {min} to {max}. A longer one is refused: with \
                `RESOURCE_EXHAUSTED` over gRPC and 413 over HTTP."),
    Setting::new("token", SettingKind::Text, "Token")
        .secret()
        .empty("none is needed")
        .help("The name of the token that requests must bring.")
        .means("The name of the token that requests must bring, as `authorization: Bearer TOKEN` in their metadata or \
                headers. Without it, every sender in `allow` may send."),
];

/// The keys for reading the text of messages, for all sources that do.
pub(super) const READING: &[Setting] = &[
    Setting::new("format", SettingKind::Choice(names::<SourceFormat>), "Format")
        .default("auto")
        .help("How a message is parsed. auto: each as what it looks like; raw: not at all.")
        .means("How a message is parsed. `auto`: recognised per message. `rfc5424`, `rfc3164`: as that. `raw`: not \
                at all, the whole frame is the message. What cannot be parsed is kept as it is and flagged. See \
                [What is recognised](formats.md)."),
    Setting::new("timezone", SettingKind::Text, "Time zone")
        .default("UTC")
        .help("For time stamps that name none.")
        .means("The zone of stamps without one, by its IANA name, for example `Europe/Berlin`, or as an offset, for example \
                `+02:00`."),
    Setting::new("timezones", SettingKind::List, "Time zones of senders")
        .default("")
        .empty("none")
        .help("HOST=ZONE, one a line, for senders in another zone: edge-1=Europe/Helsinki.")
        .means("Senders in another zone than `timezone`, as `HOST=ZONE`: `[\"edge-1=Europe/Helsinki\", \"10.4.2.8=+02:00\"]`. \
                A sender is named by the host in its messages or by its address. A zone that a stamp says wins."),
    Setting::new("charset", SettingKind::Text, "Character set")
        .default("utf-8")
        .help("For text that is not UTF-8, as iso-8859-1 or shift_jis.")
        .means("The encoding of texts that are not UTF-8, by its WHATWG name, for example `iso-8859-1`, `shift_jis` \
                or `gbk`. They are shown and searched as UTF-8; the exact bytes are kept."),
    Setting::new("message_max", SettingKind::Size, "Longest message")
        .formerly("max_message")
        .default("64KiB")
        .min("256B")
        .max("16MiB")
        .help("A longer one is cut and flagged.")
        .means("The longest message that is kept whole, {min} to {max}. A longer one is cut and flagged \
                `truncated`."),
];

/// The keys of every source with sockets.
pub(super) const SOCKETS: &[Setting] = &[
    Setting::new("connections_max", SettingKind::Number, "Most connections")
        .formerly("max_connections")
        .default("1000")
        .min("1")
        .max("100000")
        .help("One more is refused.")
        .means("How many stream connections may be open at a time, up to {max}. Further ones are refused and \
                counted."),
    Setting::new("allow", SettingKind::List, "Allowed senders")
        .default("")
        .empty("everyone")
        .help("One network a line, as 10.0.0.0/8. Empty: everyone.")
        .means("Networks that may send, for example `10.0.0.0/8` or `192.0.2.7`. Others are refused and counted. \
                Empty means everyone. Programs on this machine may always use a unix socket."),
    Setting::new("proxy_protocol", SettingKind::List, "Proxies")
        .default("")
        .empty("none")
        .help("Networks whose connections begin with a PROXY protocol header, one a line.")
        .means("Networks of proxies. A connection from there must begin with a PROXY protocol header, version 1 or \
                2, which names the real sender; one without it is refused and counted. `allow` is checked against \
                the sender named in the header."),
    Setting::new("tls.certificate", SettingKind::Text, "Certificate")
        .help("For encrypted addresses: a file in PEM, absolute or below the data directory.")
        .means("The certificate that encrypted addresses need, as `tls://`: a file in PEM. This and the following files \
                are absolute or relative to the data directory, and are read again when they change and on SIGHUP."),
    Setting::new("tls.key", SettingKind::Text, "Private key")
        .help("Its key: a file in PEM.")
        .means("The private key of the certificate: a file in PEM."),
    Setting::new("tls.client_ca", SettingKind::Text, "Authorities of senders")
        .help("Certificates that senders may show are signed by these: a file in PEM.")
        .means("The authorities that sign senders' certificates: a file in PEM. The subject of a sender's \
                certificate becomes the field `tls.subject` of its messages."),
    Setting::new("tls.require_client_certificate", SettingKind::Switch, "Only with a certificate")
        .default("false")
        .help("A sender that shows none is refused.")
        .means("Whether a sender without a certificate is refused."),
];

/// The keys for reading from sockets.
pub(super) const GATHERING: &[Setting] = &[
    Setting::new("coalesce.delay", SettingKind::Duration, "Read delay")
        .default("5ms")
        .min("0ms")
        .max("1s")
        .help("How long a read waits for more messages: a little gives bigger batches for less work.")
        .means("How long a read waits for more data after its first byte, so that a batch holds many messages: at \
                most {max}. A message is stored that much later; one that comes alone does not wait."),
    Setting::new("coalesce.buffer", SettingKind::Size, "Read buffer")
        .default("1MiB")
        .min("4KiB")
        .max("64MiB")
        .help("The most bytes that one read gathers.")
        .means("The bytes that end the wait, {min} to {max}."),
    Setting::new("partitions", SettingKind::Number, "Partitions")
        .default("auto")
        .min(CountOrAuto::MIN)
        .max(CountOrAuto::MAX)
        .help("Workers that the messages of one connection are spread over.")
        .means("How many workers the messages of one connection are spread over: `auto`, or {min} to {max}. With 1, \
                messages of one connection are stored in the order of arrival. A UDP address is read by that number \
                of sockets, with `auto` by one for every four cores."),
];

/// The keys of file sources only.
const OF_FILES: &[Setting] = &[
    Setting::new("paths", SettingKind::List, "Files")
        .required()
        .empty("/var/log/nginx/*.log")
        .help("One path a line, absolute or below the data directory; * and ? stand for parts of names.")
        .means("The files to follow, in the folders listed in the setting `files.read` (`/var/log` by default), or \
                `forward/…` for what destinations write in the data directory. `*` stands for any part of a name, \
                `?` for one character; a name that begins with a dot is matched only if the pattern has the dot. \
                Files that appear later are found, and are read from their beginning. A source follows up to 10000 \
                files."),
    Setting::new("start", SettingKind::Choice(names::<StartPosition>), "Start at")
        .default("end")
        .help("Where reading begins in a file that is there when the source is new.")
        .means("Where reading begins in a file that already exists when the source, or the path that names it, is \
                new: at its `beginning`, or at its `end`, after the last complete line, so that only what is \
                appended from then on comes in."),
];
