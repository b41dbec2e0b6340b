//! `logstead tls`: makes a first certificate for users who have none yet.

use super::failure::{CommandFailure, Result};
use super::text;
use clap::{Args, Subcommand};
use jiff::civil::Date;
use logstead_flow::machine::clock;
use rcgen::{
    CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair, KeyUsagePurpose,
};
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

pub(super) const EXAMPLES: &str = "Examples:
  logstead tls self-signed --name logs.example.org
  logstead tls self-signed --name logs.example.org --name 10.0.0.5 --days 90 --directory /etc/logstead

Then start with --set web.tls.certificate=/etc/logstead/web.pem --set web.tls.key=/etc/logstead/web.key, and let clients trust
the certificate itself: curl --cacert web.pem, logstead search --ca-file web.pem. A missing folder is created. Only the
owner can read the key: if root creates it, give it to the user that Logstead runs as (chown logstead web.key).
Exit code 1: a file exists already; 3: a file cannot be written.";

/// The longest validity that browsers accept.
const DAYS_MAX: i64 = 825;
/// The number of days by which validity begins earlier, because clocks differ.
const EARLIER_DAYS: i64 = 1;

#[derive(Args, Debug)]
pub(super) struct Tls {
    #[command(subcommand)]
    command: TlsAction,
}

#[derive(Subcommand, Debug)]
enum TlsAction {
    /// Creates a key and a certificate that it signs itself
    #[command(after_help = EXAMPLES)]
    SelfSigned(SelfSigned),
}

#[derive(Args, Debug)]
struct SelfSigned {
    /// A host name or address that clients use; may be repeated. localhost, 127.0.0.1 and ::1 are always included
    #[arg(long = "name", value_name = "HOST", required = true)]
    names: Vec<String>,
    /// The folder for `web.pem` and `web.key`, which must not exist yet
    #[arg(long, value_name = "DIR", default_value = ".")]
    directory: PathBuf,
    /// The number of days that it is valid for
    #[arg(long, value_name = "N", default_value_t = 365, value_parser = clap::value_parser!(i64).range(1..=DAYS_MAX))]
    days: i64,
}

impl Tls {
    pub(super) fn run(&self) -> Result<()> {
        let TlsAction::SelfSigned(wanted) = &self.command;
        wanted.run()
    }
}

impl SelfSigned {
    fn run(&self) -> Result<()> {
        let (certificate, key) = self.make().map_err(CommandFailure::no)?;
        let [certificate_path, key_path] = ["web.pem", "web.key"].map(|name| self.directory.join(name));
        for path in [&certificate_path, &key_path] {
            if path.symlink_metadata().is_ok() {
                let what = "exists already: remove it, or name another folder with --directory";
                return Err(CommandFailure::no(format!("{} {what}", path.display())));
            }
        }
        std::fs::create_dir_all(&self.directory)
            .map_err(|error| CommandFailure::environment(format!("{}: {error}", self.directory.display())))?;
        write_new(&key_path, &key, 0o600)?;
        write_new(&certificate_path, &certificate, 0o644)?;
        let (certificate, key) = (certificate_path.display(), key_path.display());
        let lines = [
            format!("certificate: {certificate}"),
            format!("key: {key}"),
            format!("use: --set web.tls.certificate={certificate} --set web.tls.key={key}"),
        ];
        lines.iter().try_for_each(|line| text::line(line))
    }

    /// Makes the certificate and the key, as PEM.
    fn make(&self) -> Result<(String, String), String> {
        let mut names = self.names.clone();
        let local = ["localhost", "127.0.0.1", "::1"].map(str::to_owned);
        names.extend(local.into_iter().filter(|name| !self.names.contains(name)));
        let mut params = CertificateParams::new(names).map_err(|error| format!("--name: {error}"))?;
        params.distinguished_name = DistinguishedName::new();
        params.distinguished_name.push(DnType::CommonName, self.names.first().map_or("", String::as_str));
        params.is_ca = IsCa::ExplicitNoCa;
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        let today = clock::now().nanos() / 1_000_000_000 / (24 * 3600);
        let day = |days: i64| date(today + days).ok_or("the clock is far off: set it right first");
        let ymd = |date: Date| rcgen::date_time_ymd(date.year().into(), date.month() as u8, date.day() as u8);
        (params.not_before, params.not_after) = (ymd(day(-EARLIER_DAYS)?), ymd(day(self.days)?));
        let key = KeyPair::generate().map_err(|error| error.to_string())?;
        let certificate = params.self_signed(&key).map_err(|error| format!("--name: {error}"))?;
        Ok((certificate.pem(), key.serialize_pem()))
    }
}

/// The date this many days after 1970-01-01.
fn date(days: i64) -> Option<Date> {
    jiff::civil::date(1970, 1, 1).checked_add(jiff::Span::new().try_days(days).ok()?).ok()
}

/// Writes a file that must not exist yet.
fn write_new(path: &Path, text: &str, mode: u32) -> Result<()> {
    let file = OpenOptions::new().write(true).create_new(true).mode(mode).open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all())).map_err(
        |error| {
            let message = format!("{}: {error}", path.display());
            if error.kind() == ErrorKind::AlreadyExists {
                CommandFailure::no(message)
            } else {
                CommandFailure::environment(message)
            }
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustls::pki_types::CertificateDer;
    use rustls::pki_types::pem::PemObject;
    use x509_parser::prelude::{FromDer, GeneralName, X509Certificate};

    #[test]
    fn a_certificate_is_for_its_names_and_days_and_no_authority() {
        let names = ["logs.example".to_owned(), "10.0.0.5".to_owned()].to_vec();
        let wanted = SelfSigned { names, directory: PathBuf::new(), days: 90 };
        let (certificate, _) = wanted.make().unwrap();
        let der = CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap();
        let (_, read) = X509Certificate::from_der(&der).unwrap();
        let names = &read.subject_alternative_name().unwrap().unwrap().value.general_names;
        let dns = names.iter().filter_map(|name| match name {
            GeneralName::DNSName(name) => Some(*name),
            _ => None,
        });
        assert_eq!((dns.collect(), names.len()), (vec!["logs.example", "localhost"], 5));
        let seconds = read.validity().not_after.timestamp() - read.validity().not_before.timestamp();
        assert_eq!(seconds, (90 + EARLIER_DAYS) * 24 * 3600);
        assert!(!read.is_ca());
    }

    #[test]
    fn what_is_no_name_is_refused() {
        let wanted = SelfSigned { names: vec!["löss".to_owned()], directory: PathBuf::new(), days: 1 };
        assert!(wanted.make().unwrap_err().starts_with("--name"));
    }
}
