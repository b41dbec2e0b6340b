//! Whom a TLS connection trusts, and who it says it is.

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where distributions keep the authorities that the system trusts.
const SYSTEM_AUTHORITIES: [&str; 3] =
    ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"];

/// What the command line says about certificates.
#[derive(Clone, Debug, Default)]
pub(crate) struct TlsOptions {
    /// Authorities, instead of those of the system.
    pub(crate) authorities: Option<PathBuf>,
    /// Whether every receiver is trusted.
    pub(crate) trusts_anyone: bool,
    /// The sender's own certificate and its key.
    pub(crate) identity: Option<(PathBuf, PathBuf)>,
}

/// What a connection needs.
pub(super) fn config(options: &TlsOptions) -> Result<Arc<ClientConfig>, String> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    let builder = if options.trusts_anyone {
        builder.dangerous().with_custom_certificate_verifier(Arc::new(Anyone(provider)))
    } else {
        let roots = Arc::new(roots(options.authorities.as_deref())?);
        let verifier = WebPkiServerVerifier::builder_with_provider(roots, provider).build();
        builder.with_webpki_verifier(verifier.map_err(|error| format!("--ca: {error}"))?)
    };
    let config = match &options.identity {
        None => builder.with_no_client_auth(),
        Some((certificate, key)) => {
            let key_der = PrivateKeyDer::from_pem_file(key).map_err(|error| unreadable(key, &error))?;
            let chain = certificates(certificate)?;
            let config = builder.with_client_auth_cert(chain, key_der);
            config.map_err(|error| format!("{} with {}: {error}", certificate.display(), key.display()))?
        }
    };
    Ok(Arc::new(config))
}

fn roots(authorities: Option<&Path>) -> Result<RootCertStore, String> {
    let system = || SYSTEM_AUTHORITIES.iter().map(Path::new).find(|path| path.exists());
    let path = authorities.or_else(system);
    let path =
        path.ok_or("this system keeps no list of authorities: name one with --ca FILE, or use --insecure")?;
    let mut roots = RootCertStore::empty();
    let (added, ignored) = roots.add_parsable_certificates(certificates(path)?);
    if added == 0 {
        return Err(format!("{}: none of {ignored} certificates is an authority's", path.display()));
    }
    Ok(roots)
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let read = CertificateDer::pem_file_iter(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let certificates = read.map_err(|error| unreadable(path, &error))?;
    if certificates.is_empty() {
        return Err(format!("{} holds no certificate in PEM form", path.display()));
    }
    Ok(certificates)
}

fn unreadable(path: &Path, error: &rustls::pki_types::pem::Error) -> String {
    format!("{}: {error}", path.display())
}

/// Believes every certificate, for receivers under test; the handshake itself is still checked.
#[derive(Debug)]
struct Anyone(Arc<CryptoProvider>);

impl ServerCertVerifier for Anyone {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_no_certificates_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("some.pem");
        std::fs::write(&file, "no certificate").unwrap();
        let check = |authorities: &Path| {
            let options = TlsOptions { authorities: Some(authorities.to_owned()), ..TlsOptions::default() };
            let error = config(&options).unwrap_err();
            assert!(error.starts_with(&*authorities.to_string_lossy()), "{error}");
        };
        check(&file);
        check(&folder.path().join("missing.pem"));
        let identity = Some((file.clone(), file));
        assert!(config(&TlsOptions { trusts_anyone: true, identity, authorities: None }).is_err());
        assert!(config(&TlsOptions { trusts_anyone: true, ..TlsOptions::default() }).is_ok());
    }
}
