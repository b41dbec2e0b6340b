//! The settings of a source that can change while its sockets are open.

use super::coalesce::Coalesce;
use super::tls::Certificates;
use encoding_rs::Encoding;
use ipnet::IpNet;
use jiff::tz::TimeZone;
use logstead_config::{Count, Files, Format, Framing, Reception, SourceKind};
use logstead_syslog::format::Syslog;
use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// The settings of one source, resolved.
#[derive(Clone)]
pub(crate) struct Settings {
    pub(crate) syslog: Arc<Syslog>,
    pub(crate) framing: Framing,
    pub(crate) split_datagrams: bool,
    pub(crate) frame_max: usize,
    pub(crate) coalesce: Coalesce,
    pub(crate) partitions: Count,
    pub(crate) connections_max: u32,
    allow: Vec<IpNet>,
    proxies: Vec<IpNet>,
    pub(crate) certificates: Option<Arc<Certificates>>,
    /// The files that a file source follows.
    pub(crate) files: Option<Arc<Files>>,
}

/// Why a source cannot run here.
pub(crate) struct Refused {
    /// The key that says it.
    pub(crate) key: &'static str,
    pub(crate) message: String,
}

impl Settings {
    /// `None` for kinds without a thread.
    pub(crate) fn new(kind: &SourceKind, data: &Path) -> Option<Result<Settings, Refused>> {
        let (framing, split_datagrams, reception) = match kind {
            SourceKind::Syslog(syslog) => (syslog.framing, syslog.split_datagrams, &syslog.reception),
            SourceKind::Relp(relp) => (Framing::Octet, false, &relp.reception),
            SourceKind::File(files) => return Some(Settings::of_files(files)),
            SourceKind::Http(_) | SourceKind::Internal => return None,
        };
        Some(Settings::of(framing, split_datagrams, reception, data))
    }

    fn of_files(files: &Files) -> Result<Settings, Refused> {
        let coalesce = logstead_config::Coalesce::default();
        Ok(Settings {
            syslog: Arc::new(Syslog {
                lines: true,
                ..parser(files.format, &files.timezone, &files.charset)?
            }),
            framing: Framing::Newline,
            split_datagrams: false,
            frame_max: files.max_message.as_usize(),
            coalesce: Coalesce {
                wait_max: coalesce.delay.duration(),
                first_tick: Instant::now(),
                bytes_max: coalesce.buffer.as_usize(),
            },
            partitions: Count::Auto,
            connections_max: 0,
            allow: Vec::new(),
            proxies: Vec::new(),
            certificates: None,
            files: Some(Arc::new(files.clone())),
        })
    }

    fn of(
        framing: Framing,
        split_datagrams: bool,
        reception: &Reception,
        data: &Path,
    ) -> Result<Settings, Refused> {
        let certificates = match &reception.tls {
            Some(tls) => {
                Some(Certificates::load(tls, data).map_err(|message| Refused { key: "tls", message })?)
            }
            None => None,
        };
        Ok(Settings {
            syslog: Arc::new(parser(reception.format, &reception.timezone, &reception.charset)?),
            framing,
            split_datagrams,
            frame_max: reception.max_message.as_usize(),
            coalesce: Coalesce {
                wait_max: reception.coalesce.delay.duration(),
                first_tick: Instant::now(),
                bytes_max: reception.coalesce.buffer.as_usize(),
            },
            partitions: reception.partitions,
            connections_max: reception.max_connections,
            allow: reception.allow.clone(),
            proxies: reception.proxy_protocol.clone(),
            certificates: certificates.map(Arc::new),
            files: None,
        })
    }

    /// Whether a sender may send.
    pub(crate) fn allows(&self, peer: IpAddr) -> bool {
        self.allow.is_empty() || contains(&self.allow, peer)
    }

    /// Whether a connection from this address begins with a PROXY header.
    pub(crate) fn is_proxy(&self, peer: IpAddr) -> bool {
        contains(&self.proxies, peer)
    }
}

fn contains(nets: &[IpNet], peer: IpAddr) -> bool {
    let peer = peer.to_canonical();
    nets.iter().any(|net| net.contains(&peer))
}

fn parser(format: Format, timezone: &str, charset: &str) -> Result<Syslog, Refused> {
    let zone = TimeZone::get(timezone).map_err(|_| Refused {
        key: "timezone",
        message: format!("there is no time zone `{timezone}` in this system's database"),
    })?;
    let charset = Encoding::for_label(charset.as_bytes()).ok_or_else(|| Refused {
        key: "charset",
        message: format!(
            "`{charset}` is not a character set: use a name such as `utf-8`, `iso-8859-1` or `gbk`"
        ),
    })?;
    Ok(Syslog { charset, ..Syslog::new(format, zone) })
}
