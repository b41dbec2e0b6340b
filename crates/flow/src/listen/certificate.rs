//! Describes the certificates of a file, for the people who have to renew them.

use super::subject::of_name;
use logstead_client::pem;
use serde::Serialize;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::path::Path;
use utoipa::ToSchema;
use x509_parser::extensions::GeneralName;
use x509_parser::prelude::{FromDer, X509Certificate};

/// The maximum number of certificates that are shown of a file: lists of authorities have hundreds.
const CERTIFICATES_MAX: usize = 20;
/// The maximum number of names that are shown of a certificate.
const NAMES_MAX: usize = 50;

/// A certificate.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, ToSchema)]
pub struct Certificate {
    /// The subject, as RFC 4514 writes it; empty if there is none.
    pub subject: String,
    /// The host names and addresses that it is valid for.
    pub names: Vec<String>,
    /// The issuer.
    pub issuer: String,
    /// The start of its validity.
    pub from: String,
    /// The end of its validity.
    pub until: String,
}

/// The first certificates of a file, the owner's own first. `Err`: a line that names the file and says what to do.
pub fn certificates_in(path: &Path) -> Result<Vec<Certificate>, String> {
    let found = pem::certificates(path)?;
    let read = |der: &_| -> Option<Certificate> {
        let der: &rustls::pki_types::CertificateDer<'_> = der;
        let (_, read) = X509Certificate::from_der(der).ok()?;
        let alternatives = read.subject_alternative_name().ok().flatten();
        let names = alternatives.iter().flat_map(|names| &names.value.general_names);
        let time =
            |time: i64| jiff::Timestamp::from_second(time).map_or(String::new(), |time| time.to_string());
        Some(Certificate {
            subject: of_name(read.subject()).unwrap_or_default(),
            names: names.filter_map(name).take(NAMES_MAX).collect(),
            issuer: of_name(read.issuer()).unwrap_or_default(),
            from: time(read.validity().not_before.timestamp()),
            until: time(read.validity().not_after.timestamp()),
        })
    };
    let damaged = || format!("{}: this certificate cannot be read: make it again", path.display());
    found.iter().take(CERTIFICATES_MAX).map(|der| read(der).ok_or_else(damaged)).collect()
}

fn name(name: &GeneralName<'_>) -> Option<String> {
    match name {
        GeneralName::DNSName(name) => Some((*name).to_owned()),
        GeneralName::IPAddress(bytes) => match bytes.len() {
            4 => <[u8; 4]>::try_from(*bytes).ok().map(|bytes| Ipv4Addr::from(bytes).to_string()),
            _ => <[u8; 16]>::try_from(*bytes).ok().map(|bytes| Ipv6Addr::from(bytes).to_string()),
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rcgen::{CertificateParams, DnType, KeyPair};

    #[test]
    fn a_certificate_says_whose_it_is_and_how_long_it_is_good() {
        let mut params =
            CertificateParams::new(vec!["logs.example.org".to_owned(), "10.0.0.5".to_owned()]).unwrap();
        params.distinguished_name.push(DnType::CommonName, "logs");
        params.not_before = rcgen::date_time_ymd(2026, 1, 2);
        params.not_after = rcgen::date_time_ymd(2027, 3, 4);
        let key = KeyPair::generate().unwrap();
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), params.self_signed(&key).unwrap().pem()).unwrap();
        let found = certificates_in(file.path()).unwrap();
        let [certificate] = found.as_slice() else { panic!("{found:?}") };
        assert!(certificate.subject.contains("CN=logs"), "{}", certificate.subject);
        assert_eq!(certificate.names, ["logs.example.org", "10.0.0.5"]);
        assert_eq!(certificate.issuer, certificate.subject);
        assert_eq!(
            (&*certificate.from, &*certificate.until),
            ("2026-01-02T00:00:00Z", "2027-03-04T00:00:00Z")
        );
    }

    #[test]
    fn what_is_no_certificate_says_so() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let said = || certificates_in(file.path()).unwrap_err();
        assert!(said().contains("there is no certificate in it"), "{}", said());
        std::fs::write(file.path(), "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
            .unwrap();
        assert!(said().contains("cannot be read"), "{}", said());
    }
}
