//! The trust of a TLS connection, and the certificate that it presents.

use crate::pem;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use x509_parser::prelude::{FromDer, X509Certificate};

/// The environment variables that name the system's authorities, as used by other programs.
const FILE_VARIABLE: &str = "SSL_CERT_FILE";
const FOLDERS_VARIABLE: &str = "SSL_CERT_DIR";

/// The trusted authorities.
#[derive(Clone, Debug, Default)]
pub enum Authorities {
    /// The authorities that the system trusts; if it has none, those of Mozilla's list.
    #[default]
    System,
    /// The authorities in a file, and no others.
    File(PathBuf),
}

/// The options of a TLS connection.
#[derive(Clone, Debug, Default)]
pub struct TlsOptions {
    /// The authorities that issue receivers' certificates.
    pub authorities: Authorities,
    /// Whether every receiver is trusted.
    pub trusts_anyone: bool,
    /// The sender's own certificate and its key.
    pub identity: Option<(PathBuf, PathBuf)>,
}

/// Builds the configuration of connections with these options.
pub fn config(options: &TlsOptions) -> Result<Arc<ClientConfig>, String> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    let trust = if options.trusts_anyone { Trust::Anyone } else { trust(options, &provider)? };
    let verifier = Arc::new(ReceiverVerifier { trust, provider });
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

/// Builds a verifier that trusts the authorities and, as a receiver's own, any certificate in a named file.
fn trust(options: &TlsOptions, provider: &Arc<CryptoProvider>) -> Result<Trust, String> {
    let (place, roots, named) = match &options.authorities {
        Authorities::File(path) => {
            let (roots, known) = known(path)?;
            (path.display().to_string(), roots, known)
        }
        Authorities::System => {
            let named = CertificatePaths::named(|variable| std::env::var_os(variable));
            let (place, roots) = system(&named, CertificatePaths::usual)?;
            (place, roots, Vec::new())
        }
    };
    let authorities = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider.clone()).build();
    Ok(Trust::Known { authorities: authorities.map_err(|error| format!("{place}: {error}"))?, named })
}

/// The certificates in a file, both as authorities and as they are.
fn known(path: &Path) -> Result<(RootCertStore, Vec<CertificateDer<'static>>), String> {
    let known = pem::certificates(path)?;
    let mut roots = RootCertStore::empty();
    let (added, ignored) = roots.add_parsable_certificates(known.clone());
    if added == 0 {
        return Err(format!(
            "{}: none of the {ignored} certificates belongs to an authority",
            path.display()
        ));
    }
    Ok((roots, known))
}

/// A file and folders with the certificates of authorities.
#[derive(Debug, Default)]
struct CertificatePaths {
    file: Option<PathBuf>,
    folders: Vec<PathBuf>,
}

impl CertificatePaths {
    /// The paths that the environment names. An empty variable counts as unset.
    fn named(variable: impl Fn(&str) -> Option<OsString>) -> CertificatePaths {
        let is_name = |path: &PathBuf| !path.as_os_str().is_empty();
        let folders = variable(FOLDERS_VARIABLE).unwrap_or_default();
        CertificatePaths {
            file: variable(FILE_VARIABLE).map(PathBuf::from).filter(is_name),
            folders: std::env::split_paths(&folders).filter(is_name).collect(),
        }
    }

    /// The paths in which systems usually keep them.
    fn usual() -> CertificatePaths {
        let found = openssl_probe::probe();
        CertificatePaths { file: found.cert_file, folders: found.cert_dir }
    }

    fn is_empty(&self) -> bool {
        self.file.is_none() && self.folders.is_empty()
    }
}

/// The authorities of the system, with a name for error messages: those that the environment names; otherwise those
/// in the usual paths; if none exist, Mozilla's list.
///
/// Authorities that are named explicitly, or that exist but cannot be read, are never replaced by another list: that
/// would trust more than was asked for.
fn system(
    named: &CertificatePaths,
    usual: impl FnOnce() -> CertificatePaths,
) -> Result<(String, RootCertStore), String> {
    if !named.is_empty() {
        let place = match &named.file {
            Some(file) => format!("{FILE_VARIABLE}={}", file.display()),
            None => FOLDERS_VARIABLE.to_owned(),
        };
        return match rooted(named) {
            (Some(roots), None) => Ok((place, roots)),
            // A named file must be readable; in a folder, only the readable files are used.
            (Some(roots), Some(_)) if named.file.is_none() => Ok((place, roots)),
            (_, Some(error)) => Err(format!("{place}: {error}")),
            (None, None) => Err(format!(
                "{place}: there is no certificate of an authority: name another file or folder, or unset \
                 {FILE_VARIABLE} and {FOLDERS_VARIABLE}"
            )),
        };
    }
    match rooted(&usual()) {
        (Some(roots), _) => Ok(("the authorities of the system".to_owned(), roots)),
        (None, Some(error)) => Err(format!("the authorities of the system: {error}")),
        (None, None) => {
            let roots = webpki_roots::TLS_SERVER_ROOTS.to_vec();
            Ok(("Mozilla's list".to_owned(), RootCertStore { roots }))
        }
    }
}

/// The authorities in these paths, if any, and the first error.
fn rooted(places: &CertificatePaths) -> (Option<RootCertStore>, Option<String>) {
    let (mut certificates, mut errors) = (Vec::new(), Vec::new());
    let file =
        places.file.as_deref().map(|file| rustls_native_certs::load_certs_from_paths(Some(file), None));
    let folders = places.folders.iter();
    let folders = folders.map(|folder| rustls_native_certs::load_certs_from_paths(None, Some(folder)));
    for found in file.into_iter().chain(folders) {
        certificates.extend(found.certs);
        errors.extend(found.errors.iter().map(ToString::to_string));
    }
    let mut roots = RootCertStore::empty();
    let (added, _) = roots.add_parsable_certificates(certificates);
    ((0 < added).then_some(roots), errors.into_iter().next())
}

/// Verifies certificates of receivers. The handshake itself is always verified.
#[derive(Debug)]
struct ReceiverVerifier {
    trust: Trust,
    provider: Arc<CryptoProvider>,
}

#[derive(Debug)]
enum Trust {
    /// Accepts all certificates, for receivers under test.
    Anyone,
    Known {
        authorities: Arc<WebPkiServerVerifier>,
        /// Certificates trusted directly: `openssl req -x509` makes certificates of authorities, which a receiver
        /// could not present otherwise.
        named: Vec<CertificateDer<'static>>,
    },
}

/// Checks the name and the validity period of a certificate that is trusted directly.
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

impl ServerCertVerifier for ReceiverVerifier {
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

    /// A self-signed certificate as `openssl req -x509` makes it, which is its own authority.
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
        write(&file, &named);
        let options = TlsOptions { authorities: Authorities::File(file), ..TlsOptions::default() };
        let provider = Arc::new(ring::default_provider());
        let trust = trust(&options, &provider).unwrap();
        let verifier = ReceiverVerifier { trust, provider };
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

    /// Writes the certificate of an authority.
    fn write(file: &Path, certificate: &CertificateDer<'_>) {
        let encoded = base64::engine::general_purpose::STANDARD.encode(certificate);
        let pem = format!("-----BEGIN CERTIFICATE-----\n{encoded}\n-----END CERTIFICATE-----\n");
        std::fs::write(file, pem).unwrap();
    }

    #[test]
    fn authorities_are_those_that_are_named_or_those_of_the_system_or_mozillas() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let (one, other) = (self_signed("one.example"), self_signed("other.example"));
        std::fs::create_dir(path("some")).unwrap();
        std::fs::create_dir(path("none")).unwrap();
        write(&path("one.pem"), &one);
        write(&path("some/other.pem"), &other);
        std::fs::write(path("some/README"), "no certificate").unwrap();
        std::fs::write(path("empty.pem"), "").unwrap();
        let at = |file: &str, folders: &[&str]| CertificatePaths {
            file: Some(file).filter(|file| !file.is_empty()).map(path),
            folders: folders.iter().map(|name| path(name)).collect(),
        };
        let mozilla = webpki_roots::TLS_SERVER_ROOTS.len();
        for (named, usual, expected) in [
            (at("", &[]), at("", &[]), Ok(mozilla)),
            (at("", &[]), at("", &["none"]), Ok(mozilla)),
            (at("", &[]), at("one.pem", &["some"]), Ok(2)),
            (at("", &[]), at("one.pem", &["missing"]), Ok(1)),
            (at("", &[]), at("missing.pem", &[]), Err("the authorities of the system")),
            (at("one.pem", &[]), at("some/other.pem", &["some"]), Ok(1)),
            (at("", &["some"]), at("one.pem", &[]), Ok(1)),
            (at("one.pem", &["some", "none"]), at("", &[]), Ok(2)),
            (at("one.pem", &["missing"]), at("", &[]), Err("SSL_CERT_FILE=")),
            (at("missing.pem", &[]), at("one.pem", &[]), Err("SSL_CERT_FILE=")),
            (at("empty.pem", &[]), at("one.pem", &[]), Err("SSL_CERT_FILE=")),
            (at("", &["none"]), at("one.pem", &[]), Err("SSL_CERT_DIR")),
            (at("", &["missing"]), at("one.pem", &[]), Err("SSL_CERT_DIR")),
        ] {
            let told = format!("{named:?} {usual:?}");
            match (system(&named, || usual), expected) {
                (Ok((_, roots)), Ok(many)) => assert_eq!(roots.len(), many, "{told}"),
                (Err(error), Err(begins)) => assert!(error.starts_with(begins), "{told}: {error}"),
                (other, expected) => panic!("{told}: {other:?}, not {expected:?}"),
            }
        }
    }

    #[test]
    fn a_variable_that_is_empty_names_nothing() {
        let named = |file: &'static str, folders: &'static str| {
            CertificatePaths::named(|name| Some(if name == FILE_VARIABLE { file } else { folders }.into()))
        };
        assert!(named("", "").is_empty());
        assert!(named("", ":").is_empty());
        assert_eq!(named("a.pem", "").file, Some("a.pem".into()));
        assert_eq!(named("", "/a:/b").folders, [PathBuf::from("/a"), PathBuf::from("/b")]);
        assert!(CertificatePaths::named(|_| None).is_empty());
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
