//! A source: where messages come in, and how their bytes are read.

use ipnet::IpNet;
use serde::{Serialize, Serializer};

use crate::listen::Listener;
use crate::node::{Node, Value};
use crate::problem::{Findings, Path, quoted};
use crate::read::{Choice, Fields, Read};
use crate::unit::{Period, Size};

/// A configured receiver.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Source {
    /// The name that routes, messages and counters know it by.
    pub id: String,
    /// What it receives, with the keys of that kind.
    #[serde(flatten)]
    pub kind: SourceKind,
}

/// What a source receives.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum SourceKind {
    /// Syslog from sockets of its own.
    Syslog(Syslog),
    /// The ingest endpoints of the web listener.
    Http,
    /// Logstead's own log.
    Internal,
}

/// The keys of a syslog source.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Syslog {
    /// The sockets to open: `udp://ADDRESS:PORT`, `tcp://ADDRESS:PORT`.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<String>))]
    pub listen: Vec<Listener>,
    /// How messages are told apart in a stream.
    pub framing: Framing,
    /// How a message is parsed.
    pub format: Format,
    /// IANA name of the zone of stamps that name none.
    pub timezone: String,
    /// The longest message that is kept whole; a longer one is cut and flagged.
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub max_message: Size,
    /// How long and for how much a read waits for company.
    pub coalesce: Coalesce,
    /// How many workers one connection's messages are spread over.
    pub partitions: Count,
    /// How many stream connections are open at a time; one more is refused.
    pub max_connections: u32,
    /// Networks that may send; empty is everyone.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<String>))]
    pub allow: Vec<IpNet>,
}

/// How messages are told apart in a stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Framing {
    /// Octet counting where a frame begins with a count, newlines otherwise.
    Auto,
    /// A message ends with a newline.
    Newline,
    /// A message begins with its length (RFC 6587).
    Octet,
    /// A message ends with a NUL byte.
    Nul,
}

/// How a message is parsed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// Each message as what it looks like.
    Auto,
    /// As RFC 5424.
    Rfc5424,
    /// As RFC 3164, with the variants that devices send.
    Rfc3164,
    /// Not at all: the whole frame is the message.
    Raw,
}

/// How long and for how much a read waits for company.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Coalesce {
    /// The longest that the first byte waits.
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub delay: Period,
    /// The most bytes that one read gathers.
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub buffer: Size,
}

/// A number, or what fits the machine.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Debug)]
pub enum Count {
    /// As many as the machine has use for.
    Auto,
    /// Exactly so many.
    Exactly(u32),
}

impl Syslog {
    const MESSAGE_MIN: Size = Size::new(256);
    const MESSAGE_MAX: Size = Size::mib(16);
    const CONNECTIONS_MAX: u32 = 100_000;

    fn read(fields: &mut Fields<'_>) -> Syslog {
        let syslog = Syslog {
            listen: fields.required("listen", Vec::new()),
            framing: fields.or("framing", Framing::Auto),
            format: fields.or("format", Format::Auto),
            timezone: fields.or("timezone", "UTC".to_owned()),
            max_message: fields.within("max_message", Size::kib(64), Self::MESSAGE_MIN..=Self::MESSAGE_MAX),
            coalesce: fields.table("coalesce", Coalesce::DEFAULT, Coalesce::read),
            partitions: fields.or("partitions", Count::Auto),
            max_connections: fields.within("max_connections", 1000, 1..=Self::CONNECTIONS_MAX),
            allow: fields.or("allow", Vec::new()),
        };
        if !is_timezone(&syslog.timezone) {
            let hint = "write an IANA name such as `UTC` or `Europe/Berlin`";
            fields.note("timezone", format!("{} is not a time zone: {hint}", quoted(&syslog.timezone)));
        }
        fields.later("proxy_protocol", &Value::List(Vec::new()), "leave it out, or write `[]`");
        fields.later("tls", &Value::Null, "listen on `udp://` or `tcp://` without it");
        syslog
    }
}

impl Coalesce {
    /// What a source does that says nothing about it.
    pub const DEFAULT: Coalesce = Coalesce { delay: Period::millis(5), buffer: Size::mib(1) };

    fn read(fields: &mut Fields<'_>) -> Coalesce {
        Coalesce {
            delay: fields.within("delay", Self::DEFAULT.delay, Period::millis(0)..=Period::seconds(1)),
            buffer: fields.within("buffer", Self::DEFAULT.buffer, Size::kib(4)..=Size::mib(64)),
        }
    }
}

impl Count {
    const MAX: u32 = 256;
}

impl Read for Source {
    fn read(node: &Node, path: &Path, findings: &mut Findings) -> Option<Source> {
        let mut fields = Fields::of(node, path, findings)?;
        let id = fields.required("id", String::new());
        let kind = match fields.required("kind", None) {
            Some(Kind::Syslog) => SourceKind::Syslog(Syslog::read(&mut fields)),
            Some(Kind::Http) => SourceKind::Http,
            Some(Kind::Internal) => SourceKind::Internal,
            // Without a kind nobody can say which keys belong here.
            None => return Some(Source { id, kind: SourceKind::Internal }),
        };
        fields.finish();
        Some(Source { id, kind })
    }
}

impl Read for Count {
    fn read(node: &Node, path: &Path, findings: &mut Findings) -> Option<Count> {
        let text = match &node.value {
            Value::Integer(number) => number.to_string(),
            _ => String::read(node, path, findings)?,
        };
        let count = match text.as_str() {
            "auto" => Some(Count::Auto),
            number => {
                number.parse().ok().filter(|count| (1..=Count::MAX).contains(count)).map(Count::Exactly)
            }
        };
        if count.is_none() {
            let max = Count::MAX;
            findings
                .value(path, format!("must be `auto` or a number from 1 to {max}, not {}", quoted(&text)));
        }
        count
    }
}

impl Serialize for Count {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Count::Auto => serializer.serialize_str("auto"),
            Count::Exactly(count) => serializer.serialize_u32(*count),
        }
    }
}

#[cfg(feature = "schema")]
impl utoipa::PartialSchema for Count {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
        use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Type};
        let number =
            ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(1)).maximum(Some(Count::MAX));
        let auto = ObjectBuilder::new().schema_type(Type::String).enum_values(Some(["auto"]));
        OneOfBuilder::new().item(auto).item(number).into()
    }
}

#[cfg(feature = "schema")]
impl utoipa::ToSchema for Count {}

#[derive(Clone, Copy)]
enum Kind {
    Syslog,
    Http,
    Internal,
}

impl Choice for Kind {
    const NOUN: &'static str = "kind of source";
    const NAMES: &'static [(&'static str, Kind)] =
        &[("syslog", Kind::Syslog), ("http", Kind::Http), ("internal", Kind::Internal)];
    const LATER: &'static [&'static str] = &["relp", "file"];
}

impl Read for Option<Kind> {
    fn read(node: &Node, path: &Path, findings: &mut Findings) -> Option<Option<Kind>> {
        Kind::read(node, path, findings).map(Some)
    }
}

impl Choice for Framing {
    const NOUN: &'static str = "framing";
    const NAMES: &'static [(&'static str, Framing)] = &[
        ("auto", Framing::Auto),
        ("newline", Framing::Newline),
        ("octet", Framing::Octet),
        ("nul", Framing::Nul),
    ];
}

impl Choice for Format {
    const NOUN: &'static str = "format";
    const NAMES: &'static [(&'static str, Format)] = &[
        ("auto", Format::Auto),
        ("rfc5424", Format::Rfc5424),
        ("rfc3164", Format::Rfc3164),
        ("raw", Format::Raw),
    ];
}

/// Whether it looks like an IANA name. Whether there is such a zone is for whoever has the zones to say.
fn is_timezone(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'_' | b'-' | b'+');
    let begins_well = name.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic());
    begins_well
        && name.len() <= 64
        && !name.ends_with('/')
        && !name.contains("//")
        && name.bytes().all(allowed)
}
