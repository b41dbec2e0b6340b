//! The kinds of destinations, and their settings.

use super::kinds::{KindForm, kinds};
use super::setting::settings;
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

settings! {
    /// The keys of every destination.
    pub(crate) DESTINATION {
        "id": Text, "Name", required => "Used by routes and counters.";
        "kind": Choice<DestinationType>, "Kind", required => "The kind of destination.";
        "enabled": Switch, "Enabled", default = "true"
            => "Whether it takes and sends messages. Those in its queue are kept.";
        "queue.size": Size, "Queue size", default = "1GiB", min = "1MiB", max = "16TiB"
            => "How many bytes wait on disk while the destination is slow or away.";
        "queue.memory": Size, "Queue memory", default = "16MiB", min = "0B", max = "16GiB"
            => "How many of them stay in memory as well, and are sent without being read again.";
        "queue.age": Duration, "Send within", min = "1m", empty = "without limit"
            => "A message that waits for longer is dropped and counted, for example 7d.";
        "queue.durability": Choice<QueueDurability>, "Queue durability", default = "fsync"
            => "When a message is acknowledged. fsync: once it is on the disk; delay: like os, but like \
                fsync while messages have to wait; os: once the operating system has it.";
    }

    /// The keys of syslog servers only.
    OF_SYSLOG {
        "to": List, "Servers", required, empty = "tcp://siem.example:514"
            => "One a line, the preferred one first: udp://, tcp:// or tls:// with HOST:PORT.";
        "framing": Choice<ForwardFraming>, "Framing", default = "octet"
            => "octet: a message begins with its length and may hold newlines; newline: it ends with one.";
    }

    /// The keys of RELP servers only.
    OF_RELP {
        "to": List, "Servers", required, empty = "relp://siem.example:2514"
            => "One a line, the preferred one first: relp:// or relp+tls:// with HOST:PORT.";
        "window": Number, "Window", default = "1024", min = "1", max = "65536"
            => "How many messages may be unanswered.";
    }

    /// The keys of all destinations that receive syslog.
    pub(super) STREAM {
        "format": Choice<ForwardFormat>, "Format", default = "rfc5424"
            => "rfc5424, rfc3164: rendered from what was parsed; raw: the bytes as received.";
        "tls.ca": Text, "Authorities", empty = "those that the system trusts"
            => "For encrypted servers: a file in PEM, absolute or below the data directory.";
        "tls.certificate": Text, "Certificate" => "Our own, for servers that ask for one: a file in PEM.";
        "tls.key": Text, "Private key" => "Its key: a file in PEM.";
        "tls.server_name": Text, "Name in its certificate", empty = "the host"
            => "The name that the server's certificate is issued for.";
    }

    /// The keys of files only.
    OF_FILE {
        "path": Text, "Path", required
            => "The file that lines are appended to: absolute, or below the data directory. With {host} or \
                other parts of a message in its name, there are several.";
        "rotate.size": Size, "Set aside at", min = "1MiB", max = "1TiB", empty = "any size"
            => "A file is set aside before it is longer than this.";
        "rotate.age": Duration, "Set aside every", min = "1m", max = "366d", empty = "any age"
            => "A file is set aside when a new period begins, for example 1d.";
        "rotate.compression": Choice<Packing>, "Compression", default = "gzip"
            => "How files that are set aside are compressed.";
    }

    /// The keys of object stores only.
    OF_S3 {
        "bucket": Text, "Bucket", required, empty = "logs-archive" => "It must exist already.";
        "region": Text, "Region", default = "us-east-1"
            => "The region of the bucket, for example eu-central-1.";
        "url": Text, "Address", empty = "the AWS endpoint of the region"
            => "For stores other than AWS: http:// or https:// with HOST:PORT.";
        "addressing": Choice<Addressing>, "Addressing", default = "virtual"
            => "virtual: https://BUCKET.HOST; path: https://HOST/BUCKET, for most self-hosted stores.";
        "access_key": Text, "Access key", required, empty = "AKIAIOSFODNN7EXAMPLE"
            => "The id of the key that signs requests.";
        "secret_key_file": Text, "File of the secret key", empty = "s3.key"
            => "A file in the folder secrets of the data directory.";
        "secret_key": Text, "Secret key", secret
            => "Anyone who can read this document can read it: a file is safer.";
        "prefix": Text, "Prefix", default = "{received:%Y/%m/%d}/"
            => "What the names of objects begin with; parts of a message in it lead to several objects.";
        "object.size": Size, "Object size", default = "16MiB", min = "1MiB", max = "64MiB"
            => "The largest size of one object, measured by the memory that its messages take.";
        "object.age": Duration, "Object age", default = "5m", min = "1s", max = "1d"
            => "How long a message waits for others to join its object.";
        "format": Choice<HttpFormat>, "Line", default = "json"
            => "json: an object with everything; raw: the bytes as received; message: the text alone.";
        "compression": Choice<Packing>, "Compression", default = "zstd" => "How objects are compressed.";
    }

    /// The keys of Elasticsearch and OpenSearch only.
    OF_ELASTIC {
        "url": Text, "Address", required, empty = "https://es.example:9200"
            => "http:// or https:// with HOST:PORT.";
        "index": Text, "Index", required, empty = "logs-logstead-default"
            => "The index or data stream that documents are created in.";
        "api_key_file": Text, "File of the API key", empty = "elastic.key"
            => "A file in the folder secrets of the data directory.";
        "api_key": Text, "API key", secret
            => "Anyone who can read this document can read it: a file is safer.";
    }

    /// The keys of Loki only.
    OF_LOKI {
        "url": Text, "Address", required, empty = "http://loki.example:3100"
            => "http:// or https:// with HOST:PORT.";
        "tenant": Text, "Tenant" => "For a server with several tenants.";
        "labels": List, "Labels", default = "host, program, severity, source"
            => "host, program, severity, facility or source. Each combination is a stream.";
        "format": Choice<HttpFormat>, "Line", default = "json"
            => "json: an object with everything; raw: the bytes as received; message: the text alone.";
    }

    /// The keys of Splunk only.
    OF_SPLUNK {
        "url": Text, "Address", required, empty = "https://splunk.example:8088"
            => "http:// or https:// with HOST:PORT.";
        "index": Text, "Index", empty = "the token's default" => "Where events are stored.";
        "sourcetype": Text, "Source type", empty = "the token's default" => "For example _json or syslog.";
        "channel": Text, "Channel", empty = "fe0ecfad-13d5-401b-847d-77833bd77131"
            => "A GUID, for a token with indexer acknowledgement.";
        "format": Choice<HttpFormat>, "Event", default = "json"
            => "json: an object with everything; raw: the bytes as received; message: the text alone.";
    }

    /// The keys of OpenTelemetry only.
    OF_OTLP {
        "url": Text, "Address", required, empty = "http://collector.example:4318"
            => "http:// or https:// with HOST:PORT.";
    }

    /// The keys of other HTTP servers only.
    OF_NDJSON {
        "url": Text, "Address", required, empty = "https://logs.example/ingest"
            => "http:// or https://, with the whole path.";
        "method": Choice<HttpMethod>, "Method", default = "POST" => "The HTTP method of requests.";
        "format": Choice<HttpFormat>, "Line", default = "json"
            => "json: an object with everything; raw: the bytes as received; message: the text alone.";
        "compression": Choice<Compression>, "Compression", default = "none"
            => "gzip: large requests are compressed.";
    }

    /// The keys that set an authorization token.
    pub(super) TOKEN {
        "token_file": Text, "File of the token", empty = "siem.token"
            => "A file in the folder secrets of the data directory.";
        "token": Text, "Token", secret => "Anyone who can read this document can read it: a file is safer.";
    }

    /// The keys of every HTTP server that messages are posted to.
    pub(super) POSTING {
        "user": Text, "User" => "For a server that wants a user and a password.";
        "password_file": Text, "File of the password", empty = "elastic.password"
            => "A file in the folder secrets of the data directory.";
        "password": Text, "Password", secret
            => "Anyone who can read this document can read it: a file is safer.";
        "connections": Number, "Connections", default = "1", min = "1", max = "16"
            => "How many requests may be made at the same time. With more than one, messages arrive in any \
                order.";
    }

    /// The keys of every HTTP server.
    pub(super) HTTP {
        "headers": List, "Headers", default = "", empty = "none"
            => "Added to every request, one a line as NAME: VALUE.";
        "compression": Choice<Compression>, "Compression", default = "gzip"
            => "gzip: large requests are compressed.";
        "timeout": Duration, "Timeout", default = "30s", min = "1s", max = "10m"
            => "How long a request may take. After that it is sent again.";
        "proxy": Text, "Proxy", empty = "from the environment"
            => "http://HOST:PORT, or none. Without it, the proxy that the server's environment names.";
        "tls.ca": Text, "Authorities", empty = "those that the system trusts"
            => "The server's certificate is signed by these: a file in PEM.";
        "tls.certificate": Text, "Certificate" => "Our own, for servers that ask for one: a file in PEM.";
        "tls.key": Text, "Private key" => "Its key: a file in PEM.";
        "tls.server_name": Text, "Name in its certificate", empty = "the host"
            => "The name that the server's certificate is issued for.";
    }
}
