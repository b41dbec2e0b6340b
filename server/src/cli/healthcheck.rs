//! `logstead healthcheck`: checks whether the server of these settings is ready, for containers and supervisors.
//!
//! It connects to the web port in the settings, over TLS if they have a certificate. The certificate is not verified,
//! because the check only asks its own machine whether the server answers, and sends no secrets.

use super::failure::{CommandFailure, Result};
use super::settings::SettingsArgs;
use super::text;
use clap::Args;
use logstead_config::settings::{Settings, WebListener};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::unix::net::UnixStream;
use std::time::Duration;
use ureq::Agent;
use ureq::tls::TlsConfig;

pub(super) const EXAMPLES: &str = "Examples:
  logstead healthcheck
  logstead healthcheck --config /etc/logstead/logstead.toml
  LOGSTEAD_WEB__LISTEN=0.0.0.0:8443 logstead healthcheck --timeout 2

Requests /readyz at the web port that the settings in force name: a server is ready if it has recovered, is listening and can
write to its disk. Exit code 0: ready; 1: not ready, or no answer in time.";

/// The maximum length of an answer, which is a line or two.
const ANSWER_MAX: u64 = 64 * 1024;

#[derive(Args, Debug)]
pub(super) struct Healthcheck {
    #[command(flatten)]
    settings: SettingsArgs,
    /// The maximum time for an answer, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=300))]
    timeout: u64,
}

impl Healthcheck {
    pub(super) fn run(&self) -> Result<()> {
        let settings = self.settings.load()?;
        let (status, body) = ask(&settings, Duration::from_secs(self.timeout)).map_err(CommandFailure::No)?;
        let said = body.trim();
        if status == 200 {
            return text::line("ready");
        }
        Err(CommandFailure::No(format!("not ready: {status}: {said}")))
    }
}

/// Asks through the first listener with an address, or through the first unix socket if there is none.
fn ask(settings: &Settings, timeout: Duration) -> Result<(u16, String), String> {
    let listeners = &settings.web.listen;
    let address = listeners.iter().find_map(|listener| match listener {
        WebListener::Tcp(address) => Some(*address),
        WebListener::Unix(_) => None,
    });
    if let Some(address) = address {
        let scheme = if settings.web.tls.is_some() { "https" } else { "http" };
        return over_tcp(&format!("{scheme}://{}/readyz", reachable(address)), timeout);
    }
    match listeners.first() {
        Some(WebListener::Unix(path)) => {
            let path = settings.data.join(path);
            over_unix(&path, timeout).map_err(|error| format!("unix:{}: {error}", path.display()))
        }
        _ => Err("web.listen names no listener".to_owned()),
    }
}

/// An address to connect to: a listener on all addresses can be reached at the loopback address.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        let local = if address.is_ipv4() { Ipv4Addr::LOCALHOST.into() } else { Ipv6Addr::LOCALHOST.into() };
        address.set_ip(local);
    }
    address
}

fn over_tcp(url: &str, timeout: Duration) -> Result<(u16, String), String> {
    let tls = TlsConfig::builder().disable_verification(true).build();
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .proxy(None)
        .max_redirects(0)
        .timeout_global(Some(timeout))
        .tls_config(tls);
    let mut answer =
        Agent::from(config.build()).get(url).call().map_err(|error| format!("{url}: {error}"))?;
    let body = answer.body_mut().with_config().limit(ANSWER_MAX).read_to_string();
    Ok((answer.status().as_u16(), body.unwrap_or_default()))
}

fn over_unix(path: &std::path::Path, timeout: Duration) -> Result<(u16, String), String> {
    let answer = || {
        let mut socket = UnixStream::connect(path)?;
        socket.set_read_timeout(Some(timeout))?;
        socket.set_write_timeout(Some(timeout))?;
        socket.write_all(b"GET /readyz HTTP/1.0\r\n\r\n")?;
        let mut answer = Vec::new();
        socket.take(ANSWER_MAX).read_to_end(&mut answer)?;
        Ok(String::from_utf8_lossy(&answer).into_owned())
    };
    let answer: String = answer().map_err(|error: std::io::Error| error.to_string())?;
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok());
    let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    Ok((status.ok_or("the answer is not HTTP")?, body.to_owned()))
}
