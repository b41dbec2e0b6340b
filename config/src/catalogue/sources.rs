//! The kinds of sources, and their settings.

use super::kinds::{KindForm, kinds};
use super::setting::settings;
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

settings! {
    /// The keys of every source.
    pub(crate) SOURCE {
        "id": Text, "Name", required => "Used by routes, messages and counters.";
        "kind": Choice<SourceType>, "Kind", required => "The kind of source.";
        "enabled": Switch, "Enabled", default = "true" => "Whether it receives messages.";
    }

    /// The keys of syslog sources only.
    OF_SYSLOG {
        "listen": List, "Listen on", required, empty = "tcp://0.0.0.0:5514"
            => "One a line: udp://, tcp:// or tls:// with ADDRESS:PORT; unix-dgram:PATH or unix-stream:PATH.";
        "framing": Choice<Framing>, "Framing", default = "auto"
            => "How messages are told apart in a stream. auto: octet counts where a frame begins with one, \
                else newlines.";
        "split_datagrams": Switch, "Split datagrams", default = "false"
            => "Each line of a datagram is a message.";
    }

    /// The keys of HTTP sources only.
    OF_HTTP {
        "token": Text, "Token", secret, empty = "everything that no other source takes"
            => "The name of the ingest token whose messages it takes.";
    }

    /// The keys of RELP sources only. RELP senders wait for answers, so delaying a read to combine it with later messages
    /// gains nothing.
    OF_RELP {
        "listen": List, "Listen on", required, empty = "relp://0.0.0.0:2514"
            => "One a line: relp:// or relp+tls:// with ADDRESS:PORT.";
        "coalesce.delay": Duration, "Read delay", default = "0ms", min = "0ms", max = "1s"
            => "How long a read waits for more messages: a short wait gives larger batches and less work.";
    }

    /// The keys of GELF sources only.
    OF_GELF {
        "listen": List, "Listen on", required, empty = "udp://0.0.0.0:12201"
            => "One a line: udp://, tcp:// or tls:// with ADDRESS:PORT; unix-dgram:PATH or unix-stream:PATH.";
        "message_max": Size, "Longest message", formerly = "max_message", default = "1MiB", min = "256B", max = "16MiB"
            => "A longer one is cut and flagged.";
    }

    /// The keys of OpenTelemetry sources only.
    OF_OTLP {
        "listen": List, "Listen on", required, empty = "grpc://0.0.0.0:4317"
            => "One a line: grpc://, http://, grpc+tls:// or https:// with ADDRESS:PORT.";
        "request_max": Size, "Longest request", formerly = "max_request", default = "16MiB", min = "64KiB", max = "64MiB"
            => "A longer one is refused.";
        "token": Text, "Token", secret, empty = "none is needed"
            => "The name of the token that requests must bring.";
    }

    /// The keys of all sources that parse the text of messages.
    pub(super) READING {
        "format": Choice<SourceFormat>, "Format", default = "auto"
            => "How a message is parsed. auto: by what it looks like; raw: not at all.";
        "timezone": Text, "Time zone", default = "UTC" => "For time stamps without a zone.";
        "timezones": List, "Time zones of senders", default = "", empty = "none"
            => "HOST=ZONE, one a line, for senders in another zone, for example edge-1=Europe/Helsinki.";
        "charset": Text, "Character set", default = "utf-8"
            => "For text that is not UTF-8, for example iso-8859-1 or shift_jis.";
        "message_max": Size, "Longest message", formerly = "max_message", default = "64KiB", min = "256B", max = "16MiB"
            => "A longer one is cut and flagged.";
    }

    /// The keys of every source with sockets.
    pub(super) SOCKETS {
        "connections_max": Number, "Most connections", formerly = "max_connections", default = "1000", min = "1", max = "100000"
            => "Further ones are refused.";
        "allow": List, "Allowed senders", default = "", empty = "everyone"
            => "One network a line, for example 10.0.0.0/8. Empty: everyone.";
        "proxy_protocol": List, "Proxies", default = "", empty = "none"
            => "Networks whose connections begin with a PROXY protocol header, one a line.";
        "tls.certificate": Text, "Certificate"
            => "For encrypted addresses: a file in PEM, absolute or below the data directory.";
        "tls.key": Text, "Private key" => "Its key: a file in PEM.";
        "tls.client_ca": Text, "Authorities of senders"
            => "Certificates that senders may show are signed by these: a file in PEM.";
        "tls.require_client_certificate": Switch, "Only with a certificate", default = "false"
            => "A sender that shows none is refused.";
    }

    /// The keys for reading from sockets.
    pub(super) GATHERING {
        "coalesce.delay": Duration, "Read delay", default = "5ms", min = "0ms", max = "1s"
            => "How long a read waits for more messages: a short wait gives larger batches and less work.";
        "coalesce.buffer": Size, "Read buffer", default = "1MiB", min = "4KiB", max = "64MiB"
            => "The most bytes that one read gathers.";
        "partitions": Number, "Partitions", default = "auto", min = CountOrAuto::MIN, max = CountOrAuto::MAX
            => "The number of workers that the messages of one connection are spread over.";
    }

    /// The keys of file sources only.
    OF_FILES {
        "paths": List, "Files", required, empty = "/var/log/nginx/*.log"
            => "One path a line, absolute or below the data directory; * and ? stand for parts of names.";
        "start": Choice<StartPosition>, "Start at", default = "end"
            => "Where reading begins in a file that exists already when the source is new.";
    }
}
