//! The settings of a source that can change while its sockets are open.

use super::coalesce::Coalesce;
use encoding_rs::Encoding;
use ipnet::IpNet;
use jiff::tz::TimeZone;
use logstead_config::{
    Admission, CountOrAuto, FileSource, Framing, GelfSource, OtlpSource, Reception, SenderZone, SourceFormat,
    SourceKind,
};
use logstead_flow::listen::tls::Certificates;
use logstead_syslog::format::gelf;
use logstead_syslog::format::{Parser, SyslogParser};
use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// The settings of one source, ready to use.
#[derive(Clone)]
pub struct SourceSettings {
    /// The parser of the source's format.
    pub parser: Arc<Parser>,
    /// The framing of streams.
    pub framing: Framing,
    pub(crate) split_datagrams: bool,
    /// Whether a datagram may be a chunk of a GELF message.
    pub(crate) is_gelf: bool,
    pub(crate) frame_max: usize,
    /// The policy for how long a read waits for more.
    pub coalesce: Coalesce,
    /// The number of receiving threads.
    pub partitions: CountOrAuto,
    /// The maximum number of connections.
    pub connections_max: u32,
    allow: Vec<IpNet>,
    proxies: Vec<IpNet>,
    /// The certificates of encrypted listeners.
    pub certificates: Option<Arc<Certificates>>,
    /// The name of the token that requests must have.
    pub token: Option<String>,
    /// The files that a file source follows.
    pub files: Option<Arc<FileSource>>,
}

/// The reason why a source cannot run here.
pub struct SettingsError {
    /// The key of the setting at fault.
    pub key: &'static str,
    /// The reason, as a sentence.
    pub message: String,
}

impl SourceSettings {
    /// The settings of a source; `None` for kinds without a thread.
    pub fn new(kind: &SourceKind, data: &Path) -> Option<Result<SourceSettings, SettingsError>> {
        let (framing, split_datagrams, reception) = match kind {
            SourceKind::Syslog(syslog) => (syslog.framing, syslog.split_datagrams, &syslog.reception),
            SourceKind::Relp(relp) => (Framing::Octet, false, &relp.reception),
            SourceKind::Gelf(gelf) => return Some(SourceSettings::of_gelf(gelf, data)),
            SourceKind::Otlp(otlp) => return Some(SourceSettings::of_otlp(otlp, data)),
            SourceKind::File(files) => return Some(SourceSettings::of_files(files)),
            SourceKind::Http(_) | SourceKind::Internal => return None,
        };
        Some(SourceSettings::of(framing, split_datagrams, reception, data))
    }

    /// The default settings, for a source that reads nothing yet.
    fn blank(parser: Parser) -> SourceSettings {
        SourceSettings {
            parser: Arc::new(parser),
            framing: Framing::Newline,
            split_datagrams: false,
            is_gelf: false,
            frame_max: 0,
            coalesce: coalesce(logstead_config::Coalesce::default()),
            partitions: CountOrAuto::Auto,
            connections_max: 0,
            allow: Vec::new(),
            proxies: Vec::new(),
            certificates: None,
            token: None,
            files: None,
        }
    }

    fn of_files(files: &FileSource) -> Result<SourceSettings, SettingsError> {
        let syslog = parser(files.format, &files.timezone, &files.timezones, &files.charset)?;
        Ok(SourceSettings {
            frame_max: files.message_max.as_usize(),
            files: Some(Arc::new(files.clone())),
            ..SourceSettings::blank(Parser::Syslog(SyslogParser { lines: true, ..syslog }))
        })
    }

    fn of_gelf(gelf: &GelfSource, data: &Path) -> Result<SourceSettings, SettingsError> {
        let frame_max = gelf.message_max.as_usize();
        let settings = SourceSettings {
            framing: Framing::Nul,
            is_gelf: true,
            frame_max,
            coalesce: coalesce(gelf.coalesce),
            partitions: gelf.partitions,
            ..SourceSettings::blank(Parser::Gelf(Box::new(gelf::GelfParser::new(frame_max))))
        };
        settings.admitting(&gelf.admission, data, &[])
    }

    /// Settings for OpenTelemetry, whose frames are requests.
    fn of_otlp(otlp: &OtlpSource, data: &Path) -> Result<SourceSettings, SettingsError> {
        let parser = parser(SourceFormat::Raw, "UTC", &[], "utf-8")?;
        let settings = SourceSettings {
            frame_max: otlp.request_max.as_usize(),
            token: otlp.token.clone(),
            ..SourceSettings::blank(Parser::Syslog(parser))
        };
        settings.admitting(&otlp.admission, data, &[b"h2", b"http/1.1"])
    }

    fn of(
        framing: Framing,
        split_datagrams: bool,
        reception: &Reception,
        data: &Path,
    ) -> Result<SourceSettings, SettingsError> {
        let Reception { format, timezone, timezones, charset, .. } = reception;
        let parser = parser(*format, timezone, timezones, charset)?;
        let settings = SourceSettings {
            framing,
            split_datagrams,
            frame_max: reception.message_max.as_usize(),
            coalesce: coalesce(reception.coalesce),
            partitions: reception.partitions,
            ..SourceSettings::blank(Parser::Syslog(parser))
        };
        settings.admitting(&reception.admission, data, &[])
    }

    /// Adds the addresses that may send. `protocols` are those that encrypted connections may choose from.
    fn admitting(
        self,
        admission: &Admission,
        data: &Path,
        protocols: &'static [&'static [u8]],
    ) -> Result<SourceSettings, SettingsError> {
        let certificates = match &admission.tls {
            Some(tls) => {
                let loaded = Certificates::load(tls, data, protocols);
                Some(Arc::new(loaded.map_err(|message| SettingsError { key: "tls", message })?))
            }
            None => None,
        };
        Ok(SourceSettings {
            connections_max: admission.connections_max,
            allow: admission.allow.clone(),
            proxies: admission.proxy_protocol.clone(),
            certificates,
            ..self
        })
    }

    /// Whether a sender may send.
    pub fn allows(&self, peer: IpAddr) -> bool {
        self.allow.is_empty() || contains(&self.allow, peer)
    }

    /// Whether a connection from this address begins with a PROXY header.
    pub fn is_proxy(&self, peer: IpAddr) -> bool {
        contains(&self.proxies, peer)
    }
}

fn contains(nets: &[IpNet], peer: IpAddr) -> bool {
    let peer = peer.to_canonical();
    nets.iter().any(|net| net.contains(&peer))
}

fn coalesce(coalesce: logstead_config::Coalesce) -> Coalesce {
    Coalesce {
        wait_max: coalesce.delay.duration(),
        first_tick: Instant::now(),
        bytes_max: coalesce.buffer.as_usize(),
    }
}

/// The parser of a source. `zone` is the source's own time zone; some senders have a different one.
fn parser(
    format: SourceFormat,
    zone: &str,
    sender_zones: &[SenderZone],
    charset: &str,
) -> Result<SyslogParser, SettingsError> {
    let zone = time_zone(zone).map_err(|message| SettingsError { key: "timezone", message })?;
    let of_sender = |SenderZone { sender, zone }: &SenderZone| {
        let zone = time_zone(zone).map_err(|message| SettingsError { key: "timezones", message })?;
        Ok((sender.as_bytes().into(), zone))
    };
    let zones = sender_zones.iter().map(of_sender).collect::<Result<_, _>>()?;
    let charset = Encoding::for_label(charset.as_bytes()).ok_or_else(|| SettingsError {
        key: "charset",
        message: format!(
            "`{charset}` is not a character set: use a name such as `utf-8`, `iso-8859-1` or `gbk`"
        ),
    })?;
    Ok(SyslogParser { charset, zones, ..SyslogParser::new(format, zone) })
}

/// The time zone with this IANA name, or with an offset such as `+02:00`.
pub fn time_zone(name: &str) -> Result<TimeZone, String> {
    let offset = match name.as_bytes() {
        [b'+' | b'-', ..] => jiff::fmt::temporal::DateTimeParser::new().parse_time_zone(name),
        _ => TimeZone::get(name),
    };
    offset.map_err(|_| format!("there is no time zone `{name}` in this system's database"))
}
