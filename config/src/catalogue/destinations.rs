//! The kinds of destinations, and their settings.

use super::kinds::{KindForm, kinds};
use super::setting::{Setting, SettingKind, names};
use crate::choice::{
    Addressing, Compression, ForwardFormat, ForwardFraming, HttpFormat, HttpMethod, Packing, QueueDurability,
};

kinds! {
    /// The kind of a destination.
    DestinationType: "kind of destination";

    /// Syslog to a server.
    Syslog, "syslog", "Syslog server over UDP, TCP or TLS",
        "to = ['tcp://']", &[OF_SYSLOG, STREAM, DESTINATION];
    /// Syslog to a server that acknowledges every message.
    Relp, "relp", "Syslog server over RELP, acknowledged",
        "to = ['relp://']", &[OF_RELP, STREAM, DESTINATION];
    /// Lines to a file.
    File, "file", "File", "path = 'forward/all.log'", &[OF_FILE, DESTINATION];
    /// Objects to S3, or to another store that speaks its protocol.
    S3, "s3", "Objects in S3",
        "bucket = ''\naccess_key = ''\nsecret_key_file = 's3.key'", &[OF_S3, HTTP, DESTINATION];
    /// Documents to Elasticsearch or OpenSearch.
    Elastic, "elastic", "Elasticsearch or OpenSearch",
        "url = 'https://'\nindex = 'logs-logstead-default'", &[OF_ELASTIC, POSTING, HTTP, DESTINATION];
    /// Streams to Loki.
    Loki, "loki", "Grafana Loki", "url = 'https://'", &[OF_LOKI, TOKEN, POSTING, HTTP, DESTINATION];
    /// Events to Splunk.
    SplunkHec, "splunk_hec", "Splunk HTTP event collector",
        "url = 'https://'\ntoken_file = 'splunk.token'", &[OF_SPLUNK, TOKEN, POSTING, HTTP, DESTINATION];
    /// Log records to an OpenTelemetry collector.
    Otlp, "otlp", "OpenTelemetry over HTTP",
        "url = 'https://'", &[OF_OTLP, TOKEN, POSTING, HTTP, DESTINATION];
    /// Lines to an HTTP server.
    NdjsonHttp, "ndjson_http", "Lines over HTTP",
        "url = 'https://'", &[OF_NDJSON, TOKEN, POSTING, HTTP, DESTINATION];
}

/// The keys of every destination.
pub(crate) const DESTINATION: &[Setting] = &[
    Setting::new("id", SettingKind::Text, "Name")
        .required()
        .help("Used by routes and counters.")
        .means("The name used by routes and counters."),
    Setting::new("kind", SettingKind::Choice(names::<DestinationType>), "Kind")
        .required()
        .help("What it is.")
        .means("`syslog`; `relp`, syslog whose receiver acknowledges every message; `file`; `s3` (objects in S3 and \
                what speaks its protocol); or over HTTP: `elastic` (Elasticsearch, OpenSearch), `loki`, `splunk_hec`, \
                `otlp` (OpenTelemetry) or `ndjson_http` (any server that takes lines). How other systems receive from \
                these: [forwarding.md](forwarding.md), [forwarding-http.md](forwarding-http.md), \
                [forwarding-s3.md](forwarding-s3.md)."),
    Setting::new("enabled", SettingKind::Switch, "Enabled")
        .default("true")
        .help("Whether it takes and sends anything. What waits in its queue is kept.")
        .means("With `false`, it takes nothing new and sends nothing; what waits in its queue is kept, and is sent once \
                it is enabled again. See [Turned off](#turned-off)."),
    Setting::new("queue.size", SettingKind::Size, "Queue size")
        .default("1GiB")
        .min("1MiB")
        .max("16TiB")
        .help("How many bytes wait on disk while the destination is slow or away.")
        .means(
            "How many bytes wait on disk while the destination is slow or unavailable, {min} to {max}. \
                `flow_control` of the route determines what happens beyond that.",
        ),
    Setting::new("queue.memory", SettingKind::Size, "Queue memory")
        .default("16MiB")
        .min("0B")
        .max("16GiB")
        .help("How many of them stay in memory as well, and are sent without being read again.")
        .means("How many bytes of the newest messages stay in memory as well, up to {max}. While the destination \
                keeps up, messages are sent from there, and the disk is only written."),
    Setting::new("queue.age", SettingKind::Duration, "Send within")
        .min("1m")
        .empty("without limit")
        .help("A message that waits for longer is dropped and counted, as 7d.")
        .means("How old a message becomes, at least {min}. An older one is dropped for this destination and counted. \
                Without it, messages wait for as long as they fit."),
    Setting::new("queue.durability", SettingKind::Choice(names::<QueueDurability>), "Queue durability")
        .default("fsync")
        .help(
            "When a message is acknowledged. fsync: once it is on the disk; delay: so only while messages have to wait; \
             os: once the operating system has it.",
        )
        .means("When a message is acknowledged to its sender, as far as this destination is concerned. `fsync`: once \
                it is in the queue on disk. `os`: once the operating system has it, which is faster and loses the \
                last messages if the power fails. `delay`: as `os` while the destination takes messages within a \
                second, and as `fsync` once they have to wait."),
];

/// The keys of syslog servers only.
const OF_SYSLOG: &[Setting] = &[
    Setting::new("to", SettingKind::List, "Servers")
        .required()
        .empty("tcp://siem.example:514")
        .help("One a line, the preferred one first: udp://, tcp:// or tls:// with HOST:PORT.")
        .means("The server: `udp://HOST:PORT`, `tcp://HOST:PORT` or `tls://HOST:PORT`; or a list of up to 8 with the \
                same scheme, of which the first that can be reached is used. Five minutes later the first is tried \
                again."),
    Setting::new("framing", SettingKind::Choice(names::<ForwardFraming>), "Framing")
        .default("octet")
        .help("octet: a message begins with its length and may hold newlines; newline: it ends with one.")
        .means("`octet`: a message begins with its length (RFC 6587), and may contain newlines. `newline`: a message \
                ends with one, and newlines within it become spaces. Over UDP, each message is a datagram."),
];

/// The keys of RELP servers only.
const OF_RELP: &[Setting] = &[
    Setting::new("to", SettingKind::List, "Servers")
        .required()
        .empty("relp://siem.example:2514")
        .help("One a line, the preferred one first: relp:// or relp+tls:// with HOST:PORT.")
        .means("The server: `relp://HOST:PORT` or `relp+tls://HOST:PORT`; or a list of up to 8 with the same scheme, \
                as above."),
    Setting::new("window", SettingKind::Number, "Window")
        .default("1024")
        .min("1")
        .max("65536")
        .help("How many messages may be unanswered.")
        .means("How many messages may be sent before the first of them is acknowledged, {min} to {max}."),
];

/// The keys of all destinations that receive syslog.
pub(super) const STREAM: &[Setting] = &[
    Setting::new("format", SettingKind::Choice(names::<ForwardFormat>), "Format")
        .default("rfc5424")
        .help("rfc5424, rfc3164: rendered from what was parsed; raw: the bytes as received.")
        .means("`rfc5424`: rendered from what was parsed, fields included. `rfc3164`: the older form, without fields, \
                years and fractions of seconds; its times are in UTC. `raw`: the bytes as received."),
    Setting::new("tls.ca", SettingKind::Text, "Authorities")
        .empty("those of the system")
        .help("For encrypted servers: a file in PEM, absolute or below the data directory.")
        .means("For `tls://` and `relp+tls://`: the authorities that sign the server's certificate, or that \
                certificate itself; a file in PEM. Without it, [those that the system \
                trusts](configuration.md#whom-tls-trusts). This and the \
                following files are absolute or relative to the data directory, and are read for each connection."),
    Setting::new("tls.certificate", SettingKind::Text, "Certificate")
        .help("Our own, for servers that ask for one: a file in PEM.")
        .means("Our own certificate, for servers that ask for one: a file in PEM."),
    Setting::new("tls.key", SettingKind::Text, "Private key")
        .help("Its key: a file in PEM.")
        .means("The private key of the certificate: a file in PEM."),
    Setting::new("tls.server_name", SettingKind::Text, "Name in its certificate")
        .empty("the host")
        .help("What the certificate of the server is made out to.")
        .means("The name that the server's certificate must have. Without it, the host of its address."),
];

/// The keys of files only.
const OF_FILE: &[Setting] = &[
    Setting::new("path", SettingKind::Text, "Path")
        .required()
        .help("The file that lines are appended to: absolute, or below the data directory. {host} and other parts of \
               a message make several.")
        .means("The file that messages are appended to as received, one per line. A relative path is in the folder \
                `forward` of the data directory, whether or not it begins with `forward/`; an absolute one must be \
                in a folder of the setting `files.write`. `..` is not allowed, and links below these folders are \
                not followed. [Parts of a message](#names-made-of-parts-of-a-message) in it make several files."),
    Setting::new("rotate.size", SettingKind::Size, "Set aside at")
        .min("1MiB")
        .max("1TiB")
        .empty("any size")
        .help("A file is set aside before it is longer than this.")
        .means("The longest that a file becomes, {min} to {max}. Before that it is set aside as \
                `NAME.20261123T140102Z`, with the time in UTC, and a new one is begun; a message that is longer has a \
                file of its own. What is set aside is yours: it is never removed."),
    Setting::new("rotate.age", SettingKind::Duration, "Set aside every")
        .min("1m")
        .max("366d")
        .empty("any age")
        .help("A file is set aside when a new period begins, as 1d.")
        .means("A file is set aside when it gets its first message of a new period, {min} to {max}. Periods are \
                counted in UTC: with `1d` they begin at midnight."),
    Setting::new("rotate.compression", SettingKind::Choice(names::<Packing>), "Compression")
        .default("gzip")
        .help("How files that are set aside are compressed.")
        .means("How files that are set aside are compressed: `gzip`, `zstd` or `none`."),
];

/// The keys of object stores only.
const OF_S3: &[Setting] = &[
    Setting::new("bucket", SettingKind::Text, "Bucket")
        .required()
        .empty("logs-archive")
        .help("It has to exist.")
        .means("The bucket. It has to exist."),
    Setting::new("region", SettingKind::Text, "Region")
        .default("us-east-1")
        .help("The region that the bucket is in, as eu-central-1.")
        .means("The region that the bucket is in. Stores other than AWS often accept any, or say in their \
                configuration which one is theirs."),
    Setting::new("url", SettingKind::Text, "Address")
        .empty("that of AWS for the region")
        .help("For stores other than AWS: http:// or https:// with HOST:PORT.")
        .means("The store, for any other than AWS: `https://HOST:PORT`. Without it, that of AWS for the region."),
    Setting::new("addressing", SettingKind::Choice(names::<Addressing>), "Addressing")
        .default("virtual")
        .help("virtual: https://BUCKET.HOST; path: https://HOST/BUCKET, for most stores that you run yourself.")
        .means("How the bucket is named in a request. `virtual`: in front of the host, as AWS wants it. `path`: in \
                the path, which most stores need that you run yourself."),
    Setting::new("access_key", SettingKind::Text, "Access key")
        .required()
        .empty("AKIAIOSFODNN7EXAMPLE")
        .help("The id of the key that signs requests.")
        .means("The id of the key that signs requests. It needs the permission `s3:PutObject` and no other."),
    Setting::new("secret_key_file", SettingKind::Text, "File of the secret key")
        .empty("s3.key")
        .help("A file in the folder secrets of the data directory.")
        .means("A file with the secret key. Like all files with secrets it is in the folder `secrets` of the data \
                directory; it is read for each object."),
    Setting::new("secret_key", SettingKind::Text, "Secret key")
        .secret()
        .help("Anyone who can read this document can read it: a file is safer.")
        .means("The secret key itself. It is part of the document and its history: prefer the file."),
    Setting::new("prefix", SettingKind::Text, "Prefix")
        .default("{received:%Y/%m/%d}/")
        .help("What the names of objects begin with; parts of a message in it make several objects.")
        .means("What the names of objects begin with. [Parts of a message](#names-made-of-parts-of-a-message) in it \
                make several objects. The rest of a name says when its first message was received, its place in the \
                queue, and what is in it: `18a9c1d2e3f40506-2a.ndjson.zst`."),
    Setting::new("object.size", SettingKind::Size, "Object size")
        .default("16MiB")
        .min("1MiB")
        .max("64MiB")
        .help("How much comes into one object, counted as messages are in memory.")
        .means("How much comes into one object, counted as messages are in memory, {min} to {max}. Lines of JSON are \
                several times as long before they are compressed; with `compression = \"none\"` all of them are in \
                memory while the object is made."),
    Setting::new("object.age", SettingKind::Duration, "Object age")
        .default("5m")
        .min("1s")
        .max("1d")
        .help("How long a message waits for more to come into its object.")
        .means("How long a message waits at most for more to come into its object, {min} to {max}. It is safe in the \
                queue until then. `POST /api/v1/destinations/ID/retry` sends what waits at once."),
    Setting::new("format", SettingKind::Choice(names::<HttpFormat>), "Line")
        .default("json")
        .help("json: an object with everything; raw: the bytes as received; message: the text alone.")
        .means("What is in a line. `json`: an object with everything, as in exports. `raw`: the message as received. \
                `message`: the text alone, without its fields."),
    Setting::new("compression", SettingKind::Choice(names::<Packing>), "Compression")
        .default("zstd")
        .help("How objects are compressed.")
        .means("How objects are compressed: `zstd`, `gzip` or `none`."),
];

/// The keys of Elasticsearch and OpenSearch only.
const OF_ELASTIC: &[Setting] = &[
    Setting::new("url", SettingKind::Text, "Address")
        .required()
        .empty("https://es.example:9200")
        .help("http:// or https:// with HOST:PORT.")
        .means("The server: `https://HOST:PORT`, with the path in front of its own if it is behind a proxy. Messages \
                are posted to `/INDEX/_bulk` there."),
    Setting::new("index", SettingKind::Text, "Index")
        .required()
        .empty("logs-logstead-default")
        .help("The index or data stream that documents are created in.")
        .means("The index or data stream. Each message becomes a document with an `_id` of its own, which is created \
                and never overwritten: one that is sent twice is stored once."),
    Setting::new("api_key_file", SettingKind::Text, "File of the API key")
        .empty("elastic.key")
        .help("A file in the folder secrets of the data directory.")
        .means("A file with the API key in its encoded form. Like all files with secrets it is in the folder \
                `secrets` of the data directory, and is read again when a request fails."),
    Setting::new("api_key", SettingKind::Text, "API key")
        .secret()
        .help("Anyone who can read this document can read it: a file is safer.")
        .means("The API key itself, in its encoded form. It is part of the document and its history: prefer the file."),
];

/// The keys of Loki only.
const OF_LOKI: &[Setting] = &[
    Setting::new("url", SettingKind::Text, "Address")
        .required()
        .empty("http://loki.example:3100")
        .help("http:// or https:// with HOST:PORT.")
        .means("The server: `http://HOST:PORT`. Messages are posted to `/loki/api/v1/push` there."),
    Setting::new("tenant", SettingKind::Text, "Tenant")
        .help("For a server with several tenants.")
        .means("The tenant, sent as `X-Scope-OrgID`."),
    Setting::new("labels", SettingKind::List, "Labels")
        .default("host, program, severity, source")
        .help("host, program, severity, facility or source. Each combination is a stream.")
        .means("What messages of one stream have in common: any of `host`, `program`, `severity`, `facility` and \
                `source`. Every stream also has the label `job=\"logstead\"`. Loki works best with few streams: \
                leave out what has many values."),
    Setting::new("format", SettingKind::Choice(names::<HttpFormat>), "Line")
        .default("json")
        .help("json: an object with everything; raw: the bytes as received; message: the text alone.")
        .means("What is in a line. `json`: an object with everything, as in exports. `raw`: the message as received. \
                `message`: the text alone, without its fields."),
];

/// The keys of Splunk only.
const OF_SPLUNK: &[Setting] = &[
    Setting::new("url", SettingKind::Text, "Address")
        .required()
        .empty("https://splunk.example:8088")
        .help("http:// or https:// with HOST:PORT.")
        .means("The HTTP event collector: `https://HOST:PORT`. Messages are posted to \
                `/services/collector/event` there."),
    Setting::new("index", SettingKind::Text, "Index")
        .empty("that of the token")
        .help("Where events are stored.")
        .means("The index. Without it, that of the token."),
    Setting::new("sourcetype", SettingKind::Text, "Source type")
        .empty("that of the token")
        .help("For example _json or syslog.")
        .means("The source type, for example `_json` or `syslog`. Without it, that of the token."),
    Setting::new("channel", SettingKind::Text, "Channel")
        .empty("fe0ecfad-13d5-401b-847d-77833bd77131")
        .help("A GUID, for a token with indexer acknowledgement.")
        .means("A GUID, for a token with indexer acknowledgement: messages then count as delivered when Splunk has \
                indexed them. If that takes longer than `timeout`, they are sent again."),
    Setting::new("format", SettingKind::Choice(names::<HttpFormat>), "Event")
        .default("json")
        .help("json: an object with everything; raw: the bytes as received; message: the text alone.")
        .means("What is in an event. `json`: an object with everything, as in exports. `raw`: the message as \
                received. `message`: the text alone, without its fields."),
];

/// The keys of OpenTelemetry only.
const OF_OTLP: &[Setting] = &[Setting::new("url", SettingKind::Text, "Address")
    .required()
    .empty("http://collector.example:4318")
    .help("http:// or https:// with HOST:PORT.")
    .means("The collector: `http://HOST:PORT`. Messages are posted to `/v1/logs` there, as JSON.")];

/// The keys of other HTTP servers only.
const OF_NDJSON: &[Setting] = &[
    Setting::new("url", SettingKind::Text, "Address")
        .required()
        .empty("https://logs.example/ingest")
        .help("http:// or https://, with the whole path.")
        .means("Where lines are sent, with path and query."),
    Setting::new("method", SettingKind::Choice(names::<HttpMethod>), "Method")
        .default("POST")
        .help("The method of requests.")
        .means("`POST`, `PUT` or `PATCH`."),
    Setting::new("format", SettingKind::Choice(names::<HttpFormat>), "Line")
        .default("json")
        .help("json: an object with everything; raw: the bytes as received; message: the text alone.")
        .means("What is in a line. `json`: an object with everything, as in exports. `raw`: the message as received. \
                `message`: the text alone, without its fields."),
    Setting::new("compression", SettingKind::Choice(names::<Compression>), "Compression")
        .default("none")
        .help("gzip: large requests are compressed.")
        .means("As below. Not every server can unpack."),
];

/// The keys of a token for authorization.
pub(super) const TOKEN: &[Setting] = &[
    Setting::new("token_file", SettingKind::Text, "File of the token")
        .empty("siem.token")
        .help("A file in the folder secrets of the data directory.")
        .means("A file with the token that authorises requests: `Authorization: Bearer`, for Splunk `Authorization: \
                Splunk`. Like all files with secrets it is in the folder `secrets` of the data directory, and is read \
                again when a request fails."),
    Setting::new("token", SettingKind::Text, "Token")
        .secret()
        .help("Anyone who can read this document can read it: a file is safer.")
        .means("The token itself. It is part of the document and its history: prefer the file."),
];

/// The keys of every HTTP server that messages are posted to.
pub(super) const POSTING: &[Setting] = &[
    Setting::new("user", SettingKind::Text, "User")
        .help("For a server that wants a user and a password.")
        .means("The user, for a server that wants a user and a password instead of a token or key."),
    Setting::new("password_file", SettingKind::Text, "File of the password")
        .empty("elastic.password")
        .help("A file in the folder secrets of the data directory.")
        .means("A file with the password, in the folder `secrets` of the data directory."),
    Setting::new("password", SettingKind::Text, "Password")
        .secret()
        .help("Anyone who can read this document can read it: a file is safer.")
        .means("The password itself. It is part of the document and its history: prefer the file."),
    Setting::new("connections", SettingKind::Number, "Connections")
        .default("1")
        .min("1")
        .max("16")
        .help("How many requests may be made at the same time. With more than one, messages arrive in any order.")
        .means("How many requests may be made at the same time, {min} to {max}. With more than one, messages do not \
                arrive in order, and more of them may arrive twice after a failure."),
];

/// The keys of every HTTP server.
pub(super) const HTTP: &[Setting] = &[
    Setting::new("headers", SettingKind::List, "Headers")
        .default("")
        .empty("none")
        .help("Added to every request, one a line as NAME: VALUE.")
        .means("Headers that are added to every request, each as `NAME: VALUE`; at most 32."),
    Setting::new("compression", SettingKind::Choice(names::<Compression>), "Compression")
        .default("gzip")
        .help("gzip: large requests are compressed.")
        .means("`gzip`: requests of 1 KiB or more are compressed. `none`: no request is."),
    Setting::new("timeout", SettingKind::Duration, "Timeout")
        .default("30s")
        .min("1s")
        .max("10m")
        .help("How long a request may take. After that it is sent again.")
        .means("How long a request may take from connecting to the last byte of the answer, {min} to {max}. After that \
                it counts as failed and is sent again."),
    Setting::new("proxy", SettingKind::Text, "Proxy")
        .empty("that of the environment")
        .help("http://HOST:PORT, or none. Without it, what the environment of the server says.")
        .means("The proxy that requests go through: `http://HOST:PORT`, with `USER:PASSWORD@` in front of the host if it \
                wants a user; `none` for no proxy. Without it, what the [environment](configuration.md#proxies) of the \
                server says."),
    Setting::new("tls.ca", SettingKind::Text, "Authorities")
        .empty("those of the system")
        .help("The server's certificate is signed by these: a file in PEM.")
        .means("The authorities that sign the server's certificate, or that certificate itself; a file in PEM. Without \
                it, [those that the system trusts](configuration.md#whom-tls-trusts). This and the following files are absolute or relative to the data \
                directory, and are read again after a failure."),
    Setting::new("tls.certificate", SettingKind::Text, "Certificate")
        .help("Our own, for servers that ask for one: a file in PEM.")
        .means("Our own certificate, for servers that ask for one: a file in PEM."),
    Setting::new("tls.key", SettingKind::Text, "Private key")
        .help("Its key: a file in PEM.")
        .means("The private key of the certificate: a file in PEM."),
    Setting::new("tls.server_name", SettingKind::Text, "Name in its certificate")
        .empty("the host")
        .help("What the certificate of the server is made out to.")
        .means("The name that the server's certificate must have. Without it, the host of its address."),
];
