//! Which receivers a TLS connection trusts, and which certificate it presents.

use crate::pem;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use x509_parser::prelude::{FromDer, X509Certificate};

/// Where distributions keep the authorities that the system trusts.
const SYSTEM_AUTHORITIES: [&str; 3] =
    ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"];

/// Which authorities count.
#[derive(Clone, Debug, Default)]
pub enum Authorities {
    /// Those that the system trusts.
    #[default]
    System,
    /// Those of Mozilla's list, also where a system has none.
    Mozilla,
    /// Those in a file.
    File(PathBuf),
}

/// What is known of certificates.
#[derive(Clone, Debug, Default)]
pub struct TlsOptions {
    /// Whom receivers' certificates come from.
    pub authorities: Authorities,
    /// Whether every receiver is trusted.
    pub trusts_anyone: bool,
    /// The sender's own certificate and its key.
    pub identity: Option<(PathBuf, PathBuf)>,
}

/// What a connection needs.
pub fn config(options: &TlsOptions) -> Result<Arc<ClientConfig>, String> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    let trust = if options.trusts_anyone { Trust::Anyone } else { trust(options, &provider)? };
    let verifier = Arc::new(Verifier { trust, provider });
    let builder = builder.dangerous().with_custom_certificate_verifier(verifier);
    let config = match &options.identity {
        None => builder.with_no_client_auth(),
        Some((certificate, key)) => {
            let key_der = pem::key(key)?;
            let chain = pem::certificates(certificate)?;
            let config = builder.with_client_auth_cert(chain, key_der);
            config.map_err(|error| format!("{} with {}: {error}", certificate.display(), key.display()))?
        }
    };
    Ok(Arc::new(config))
}

/// Trusts authorities, and of a file that was named any certificate that a receiver presents as its own.
fn trust(options: &TlsOptions, provider: &Arc<CryptoProvider>) -> Result<Trust, String> {
    let (place, roots, named) = match &options.authorities {
        Authorities::Mozilla => {
            let roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
            ("Mozilla's list".to_owned(), roots, Vec::new())
        }
        Authorities::File(path) => {
            let (roots, known) = known(path)?;
            (path.display().to_string(), roots, known)
        }
        Authorities::System => {
            let path = SYSTEM_AUTHORITIES.iter().map(Path::new).find(|path| path.exists());
            let path = path.ok_or(
                "this system has no list of authorities to trust: name the file of those that count",
            )?;
            (path.display().to_string(), known(path)?.0, Vec::new())
        }
    };
    let authorities = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider.clone()).build();
    Ok(Trust::Known { authorities: authorities.map_err(|error| format!("{place}: {error}"))?, named })
}

/// The authorities in a file, and all certificates in it.
fn known(path: &Path) -> Result<(RootCertStore, Vec<CertificateDer<'static>>), String> {
    let known = pem::certificates(path)?;
    let mut roots = RootCertStore::empty();
    let (added, ignored) = roots.add_parsable_certificates(known.clone());
    if added == 0 {
        return Err(format!(
            "{}: none of the {ignored} certificates is that of an authority",
            path.display()
        ));
    }
    Ok((roots, known))
}

/// Which certificates are trusted. The handshake itself is always verified.
#[derive(Debug)]
struct Verifier {
    trust: Trust,
    provider: Arc<CryptoProvider>,
}

#[derive(Debug)]
enum Trust {
    /// All, for receivers under test.
    Anyone,
    Known {
        authorities: Arc<WebPkiServerVerifier>,
        /// Trusted directly: `openssl req -x509` makes the certificate of an authority, which no receiver could present
        /// otherwise.
        named: Vec<CertificateDer<'static>>,
    },
}

/// Checks the name and the dates of a certificate that is trusted directly.
fn check_named(certificate: &CertificateDer<'_>, name: &ServerName<'_>, now: UnixTime) -> Result<(), Error> {
    let bad = |_| Error::InvalidCertificate(CertificateError::BadEncoding);
    verify_server_name(&ParsedCertificate::try_from(certificate)?, name)?;
    let (_, parsed) = X509Certificate::from_der(certificate).map_err(bad)?;
    let now = i64::try_from(now.as_secs()).unwrap_or(i64::MAX);
    let validity = parsed.validity();
    let reason = match () {
        () if now < validity.not_before.timestamp() => CertificateError::NotValidYet,
        () if validity.not_after.timestamp() < now => CertificateError::Expired,
        () => return Ok(()),
    };
    Err(Error::InvalidCertificate(reason))
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        chain: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        match &self.trust {
            Trust::Anyone => {}
            Trust::Known { named, .. } if named.contains(certificate) => check_named(certificate, name, now)?,
            Trust::Known { authorities, .. } => {
                return authorities.verify_server_cert(certificate, chain, name, ocsp, now);
            }
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine;
    use std::time::Duration;

    /// A certificate as `openssl req -x509` makes it: its own authority.
    fn self_signed(name: &str) -> CertificateDer<'static> {
        let key = rcgen::KeyPair::generate().unwrap();
        let mut params = rcgen::CertificateParams::new(vec![name.to_owned()]).unwrap();
        params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        params.not_before = rcgen::date_time_ymd(2026, 1, 1);
        params.not_after = rcgen::date_time_ymd(2027, 1, 1);
        params.self_signed(&key).unwrap().der().clone()
    }

    #[test]
    fn a_certificate_that_is_named_is_trusted_as_the_receivers_own() {
        let (named, other) = (self_signed("logs.example"), self_signed("logs.example"));
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("cert.pem");
        let encoded = base64::engine::general_purpose::STANDARD.encode(&named);
        let pem = format!("-----BEGIN CERTIFICATE-----\n{encoded}\n-----END CERTIFICATE-----\n");
        std::fs::write(&file, pem).unwrap();
        let options = TlsOptions { authorities: Authorities::File(file), ..TlsOptions::default() };
        let provider = Arc::new(ring::default_provider());
        let trust = trust(&options, &provider).unwrap();
        let verifier = Verifier { trust, provider };
        let check = |certificate: &CertificateDer<'_>, name: &str, now: u64| {
            let name = ServerName::try_from(name.to_owned()).unwrap();
            let now = UnixTime::since_unix_epoch(Duration::from_secs(now));
            verifier.verify_server_cert(certificate, &[], &name, &[], now).map(drop)
        };
        const MID_2026: u64 = 1_782_000_000;
        assert_eq!(check(&named, "logs.example", MID_2026), Ok(()));
        let refused = |result: Result<(), Error>| match result {
            Err(Error::InvalidCertificate(reason)) => reason,
            other => panic!("{other:?}"),
        };
        assert!(matches!(
            refused(check(&named, "other.example", MID_2026)),
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. }
        ));
        assert_eq!(refused(check(&named, "logs.example", MID_2026 * 2)), CertificateError::Expired);
        assert_eq!(refused(check(&named, "logs.example", 1_000_000_000)), CertificateError::NotValidYet);
        refused(check(&other, "logs.example", MID_2026));
    }

    #[test]
    fn files_that_are_no_certificates_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("some.pem");
        std::fs::write(&file, "no certificate").unwrap();
        let check = |authorities: &Path| {
            let options = TlsOptions {
                authorities: Authorities::File(authorities.to_owned()),
                ..TlsOptions::default()
            };
            let error = config(&options).unwrap_err();
            assert!(error.starts_with(&*authorities.to_string_lossy()), "{error}");
        };
        check(&file);
        check(&folder.path().join("missing.pem"));
        let identity = Some((file.clone(), file));
        assert!(config(&TlsOptions { trusts_anyone: true, identity, ..TlsOptions::default() }).is_err());
        assert!(config(&TlsOptions { trusts_anyone: true, ..TlsOptions::default() }).is_ok());
    }
}
