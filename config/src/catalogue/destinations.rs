//! The kinds of destinations, and their settings.

use super::kinds::{KindForm, kinds};
use super::setting::{Setting, SettingKind, names};
use crate::choice::{
    Addressing, Compression, ForwardFormat, ForwardFraming, HttpFormat, HttpMethod, Packing, QueueDurability,
};

kinds! {
    /// The kind of a destination.
    pub enum DestinationType: "kind of destination" {
        /// Syslog to a server.
        Syslog = "syslog", "Syslog server over UDP, TCP or TLS",
            "to = ['tcp://']", &[OF_SYSLOG, STREAM, DESTINATION];
        /// Syslog to a server that acknowledges every message.
        Relp = "relp", "Syslog server over RELP, acknowledged",
            "to = ['relp://']", &[OF_RELP, STREAM, DESTINATION];
        /// Lines to a file.
        File = "file", "File", "path = 'forward/all.log'", &[OF_FILE, DESTINATION];
        /// Objects to S3, or to another store that speaks its protocol.
        S3 = "s3", "Objects in S3",
            "bucket = ''\naccess_key = ''\nsecret_key_file = 's3.key'", &[OF_S3, HTTP, DESTINATION];
        /// Documents to Elasticsearch or OpenSearch.
        Elastic = "elastic", "Elasticsearch or OpenSearch",
            "url = 'https://'\nindex = 'logs-logstead-default'", &[OF_ELASTIC, POSTING, HTTP, DESTINATION];
        /// Streams to Loki.
        Loki = "loki", "Grafana Loki", "url = 'https://'", &[OF_LOKI, TOKEN, POSTING, HTTP, DESTINATION];
        /// Events to Splunk.
        SplunkHec = "splunk_hec", "Splunk HTTP event collector",
            "url = 'https://'\ntoken_file = 'splunk.token'", &[OF_SPLUNK, TOKEN, POSTING, HTTP, DESTINATION];
        /// Log records to an OpenTelemetry collector.
        Otlp = "otlp", "OpenTelemetry over HTTP",
            "url = 'https://'", &[OF_OTLP, TOKEN, POSTING, HTTP, DESTINATION];
        /// Lines to an HTTP server.
        NdjsonHttp = "ndjson_http", "Lines over HTTP",
            "url = 'https://'", &[OF_NDJSON, TOKEN, POSTING, HTTP, DESTINATION];
    }
}

/// The keys of every destination.
pub(crate) const DESTINATION: &[Setting] = &[
    Setting::new("id", SettingKind::Text, "Name")
        .required()
        .help("Used by routes and counters."),
    Setting::new("kind", SettingKind::Choice(names::<DestinationType>), "Kind")
        .required()
        .help("The kind of destination."),
    Setting::new("enabled", SettingKind::Switch, "Enabled")
        .default("true")
        .help("Whether it takes and sends messages. Those in its queue are kept."),
    Setting::new("queue.size", SettingKind::Size, "Queue size")
        .default("1GiB")
        .min("1MiB")
        .max("16TiB")
        .help("How many bytes wait on disk while the destination is slow or away."),
    Setting::new("queue.memory", SettingKind::Size, "Queue memory")
        .default("16MiB")
        .min("0B")
        .max("16GiB")
        .help("How many of them stay in memory as well, and are sent without being read again."),
    Setting::new("queue.age", SettingKind::Duration, "Send within")
        .min("1m")
        .empty("without limit")
        .help("A message that waits for longer is dropped and counted, for example 7d."),
    Setting::new("queue.durability", SettingKind::Choice(names::<QueueDurability>), "Queue durability")
        .default("fsync")
        .help(
            "When a message is acknowledged. fsync: once it is on the disk; delay: like os, but like fsync while messages have to wait; os: once the operating system has it.",
        ),
];

/// The keys of syslog servers only.
const OF_SYSLOG: &[Setting] = &[
    Setting::new("to", SettingKind::List, "Servers")
        .required()
        .empty("tcp://siem.example:514")
        .help("One a line, the preferred one first: udp://, tcp:// or tls:// with HOST:PORT."),
    Setting::new("framing", SettingKind::Choice(names::<ForwardFraming>), "Framing")
        .default("octet")
        .help("octet: a message begins with its length and may hold newlines; newline: it ends with one."),
];

/// The keys of RELP servers only.
const OF_RELP: &[Setting] = &[
    Setting::new("to", SettingKind::List, "Servers")
        .required()
        .empty("relp://siem.example:2514")
        .help("One a line, the preferred one first: relp:// or relp+tls:// with HOST:PORT."),
    Setting::new("window", SettingKind::Number, "Window")
        .default("1024")
        .min("1")
        .max("65536")
        .help("How many messages may be unanswered."),
];

/// The keys of all destinations that receive syslog.
pub(super) const STREAM: &[Setting] = &[
    Setting::new("format", SettingKind::Choice(names::<ForwardFormat>), "Format")
        .default("rfc5424")
        .help("rfc5424, rfc3164: rendered from what was parsed; raw: the bytes as received."),
    Setting::new("tls.ca", SettingKind::Text, "Authorities")
        .empty("those that the system trusts")
        .help("For encrypted servers: a file in PEM, absolute or below the data directory."),
    Setting::new("tls.certificate", SettingKind::Text, "Certificate")
        .help("Our own, for servers that ask for one: a file in PEM."),
    Setting::new("tls.key", SettingKind::Text, "Private key").help("Its key: a file in PEM."),
    Setting::new("tls.server_name", SettingKind::Text, "Name in its certificate")
        .empty("the host")
        .help("The name that the server's certificate is issued for."),
];

/// The keys of files only.
const OF_FILE: &[Setting] = &[
    Setting::new("path", SettingKind::Text, "Path").required().help(
        "The file that lines are appended to: absolute, or below the data directory. With {host} or \
               other parts of a message in its name, there are several.",
    ),
    Setting::new("rotate.size", SettingKind::Size, "Set aside at")
        .min("1MiB")
        .max("1TiB")
        .empty("any size")
        .help("A file is set aside before it is longer than this."),
    Setting::new("rotate.age", SettingKind::Duration, "Set aside every")
        .min("1m")
        .max("366d")
        .empty("any age")
        .help("A file is set aside when a new period begins, for example 1d."),
    Setting::new("rotate.compression", SettingKind::Choice(names::<Packing>), "Compression")
        .default("gzip")
        .help("How files that are set aside are compressed."),
];

/// The keys of object stores only.
const OF_S3: &[Setting] = &[
    Setting::new("bucket", SettingKind::Text, "Bucket")
        .required()
        .empty("logs-archive")
        .help("It must exist already."),
    Setting::new("region", SettingKind::Text, "Region")
        .default("us-east-1")
        .help("The region of the bucket, for example eu-central-1."),
    Setting::new("url", SettingKind::Text, "Address")
        .empty("the AWS endpoint of the region")
        .help("For stores other than AWS: http:// or https:// with HOST:PORT."),
    Setting::new("addressing", SettingKind::Choice(names::<Addressing>), "Addressing")
        .default("virtual")
        .help("virtual: https://BUCKET.HOST; path: https://HOST/BUCKET, for most self-hosted stores."),
    Setting::new("access_key", SettingKind::Text, "Access key")
        .required()
        .empty("AKIAIOSFODNN7EXAMPLE")
        .help("The id of the key that signs requests."),
    Setting::new("secret_key_file", SettingKind::Text, "File of the secret key")
        .empty("s3.key")
        .help("A file in the folder secrets of the data directory."),
    Setting::new("secret_key", SettingKind::Text, "Secret key")
        .secret()
        .help("Anyone who can read this document can read it: a file is safer."),
    Setting::new("prefix", SettingKind::Text, "Prefix")
        .default("{received:%Y/%m/%d}/")
        .help("What the names of objects begin with; parts of a message in it lead to several objects."),
    Setting::new("object.size", SettingKind::Size, "Object size")
        .default("16MiB")
        .min("1MiB")
        .max("64MiB")
        .help("The largest size of one object, measured by the memory that its messages take."),
    Setting::new("object.age", SettingKind::Duration, "Object age")
        .default("5m")
        .min("1s")
        .max("1d")
        .help("How long a message waits for others to join its object."),
    Setting::new("format", SettingKind::Choice(names::<HttpFormat>), "Line")
        .default("json")
        .help("json: an object with everything; raw: the bytes as received; message: the text alone."),
    Setting::new("compression", SettingKind::Choice(names::<Packing>), "Compression")
        .default("zstd")
        .help("How objects are compressed."),
];

/// The keys of Elasticsearch and OpenSearch only.
const OF_ELASTIC: &[Setting] = &[
    Setting::new("url", SettingKind::Text, "Address")
        .required()
        .empty("https://es.example:9200")
        .help("http:// or https:// with HOST:PORT."),
    Setting::new("index", SettingKind::Text, "Index")
        .required()
        .empty("logs-logstead-default")
        .help("The index or data stream that documents are created in."),
    Setting::new("api_key_file", SettingKind::Text, "File of the API key")
        .empty("elastic.key")
        .help("A file in the folder secrets of the data directory."),
    Setting::new("api_key", SettingKind::Text, "API key")
        .secret()
        .help("Anyone who can read this document can read it: a file is safer."),
];

/// The keys of Loki only.
const OF_LOKI: &[Setting] = &[
    Setting::new("url", SettingKind::Text, "Address")
        .required()
        .empty("http://loki.example:3100")
        .help("http:// or https:// with HOST:PORT."),
    Setting::new("tenant", SettingKind::Text, "Tenant").help("For a server with several tenants."),
    Setting::new("labels", SettingKind::List, "Labels")
        .default("host, program, severity, source")
        .help("host, program, severity, facility or source. Each combination is a stream."),
    Setting::new("format", SettingKind::Choice(names::<HttpFormat>), "Line")
        .default("json")
        .help("json: an object with everything; raw: the bytes as received; message: the text alone."),
];

/// The keys of Splunk only.
const OF_SPLUNK: &[Setting] = &[
    Setting::new("url", SettingKind::Text, "Address")
        .required()
        .empty("https://splunk.example:8088")
        .help("http:// or https:// with HOST:PORT."),
    Setting::new("index", SettingKind::Text, "Index")
        .empty("the token's default")
        .help("Where events are stored."),
    Setting::new("sourcetype", SettingKind::Text, "Source type")
        .empty("the token's default")
        .help("For example _json or syslog."),
    Setting::new("channel", SettingKind::Text, "Channel")
        .empty("fe0ecfad-13d5-401b-847d-77833bd77131")
        .help("A GUID, for a token with indexer acknowledgement."),
    Setting::new("format", SettingKind::Choice(names::<HttpFormat>), "Event")
        .default("json")
        .help("json: an object with everything; raw: the bytes as received; message: the text alone."),
];

/// The keys of OpenTelemetry only.
const OF_OTLP: &[Setting] = &[Setting::new("url", SettingKind::Text, "Address")
    .required()
    .empty("http://collector.example:4318")
    .help("http:// or https:// with HOST:PORT.")];

/// The keys of other HTTP servers only.
const OF_NDJSON: &[Setting] = &[
    Setting::new("url", SettingKind::Text, "Address")
        .required()
        .empty("https://logs.example/ingest")
        .help("http:// or https://, with the whole path."),
    Setting::new("method", SettingKind::Choice(names::<HttpMethod>), "Method")
        .default("POST")
        .help("The HTTP method of requests."),
    Setting::new("format", SettingKind::Choice(names::<HttpFormat>), "Line")
        .default("json")
        .help("json: an object with everything; raw: the bytes as received; message: the text alone."),
    Setting::new("compression", SettingKind::Choice(names::<Compression>), "Compression")
        .default("none")
        .help("gzip: large requests are compressed."),
];

/// The keys that set an authorization token.
pub(super) const TOKEN: &[Setting] = &[
    Setting::new("token_file", SettingKind::Text, "File of the token")
        .empty("siem.token")
        .help("A file in the folder secrets of the data directory."),
    Setting::new("token", SettingKind::Text, "Token")
        .secret()
        .help("Anyone who can read this document can read it: a file is safer."),
];

/// The keys of every HTTP server that messages are posted to.
pub(super) const POSTING: &[Setting] = &[
    Setting::new("user", SettingKind::Text, "User").help("For a server that wants a user and a password."),
    Setting::new("password_file", SettingKind::Text, "File of the password")
        .empty("elastic.password")
        .help("A file in the folder secrets of the data directory."),
    Setting::new("password", SettingKind::Text, "Password")
        .secret()
        .help("Anyone who can read this document can read it: a file is safer."),
    Setting::new("connections", SettingKind::Number, "Connections").default("1").min("1").max("16").help(
        "How many requests may be made at the same time. With more than one, messages arrive in any order.",
    ),
];

/// The keys of every HTTP server.
pub(super) const HTTP: &[Setting] = &[
    Setting::new("headers", SettingKind::List, "Headers")
        .default("")
        .empty("none")
        .help("Added to every request, one a line as NAME: VALUE."),
    Setting::new("compression", SettingKind::Choice(names::<Compression>), "Compression")
        .default("gzip")
        .help("gzip: large requests are compressed."),
    Setting::new("timeout", SettingKind::Duration, "Timeout")
        .default("30s")
        .min("1s")
        .max("10m")
        .help("How long a request may take. After that it is sent again."),
    Setting::new("proxy", SettingKind::Text, "Proxy")
        .empty("from the environment")
        .help("http://HOST:PORT, or none. Without it, the proxy that the server's environment names."),
    Setting::new("tls.ca", SettingKind::Text, "Authorities")
        .empty("those that the system trusts")
        .help("The server's certificate is signed by these: a file in PEM."),
    Setting::new("tls.certificate", SettingKind::Text, "Certificate")
        .help("Our own, for servers that ask for one: a file in PEM."),
    Setting::new("tls.key", SettingKind::Text, "Private key").help("Its key: a file in PEM."),
    Setting::new("tls.server_name", SettingKind::Text, "Name in its certificate")
        .empty("the host")
        .help("The name that the server's certificate is issued for."),
];
