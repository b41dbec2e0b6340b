//! The certificates of TLS listeners, of sources and of the web port: read from files, and read again when those change.
//!
//! **Invariant:** a connection gets either the certificates that were last read without an error, or those before
//! them; never half of a change, and never none.

use arc_swap::ArcSwap;
use logstead_client::pem::{certificates, key};
use logstead_config::Tls;
use parking_lot::Mutex;
use rustls::server::{WebPkiClientVerifier, danger::ClientCertVerifier};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::{RootCertStore, ServerConfig};
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;
use tokio_rustls::TlsAcceptor;
use x509_parser::prelude::{FromDer, X509Certificate};

/// The interval at which certificate files are checked for changes.
pub const LOOK_INTERVAL: Duration = Duration::from_secs(2);

/// The protocols that the web server offers in the handshake, the best first.
const HTTP_PROTOCOLS: &[&[u8]] = &[b"h2", b"http/1.1"];

/// The certificates of one source or of the web port, read again when their files change.
pub struct Certificates {
    files: TlsFiles,
    current: ArcSwap<ServerConfig>,
    /// When the first certificate expires, in seconds since 1970.
    expires_at: AtomicI64,
    /// The state of the files when they were last read, with or without success: an unusable file is tried once per
    /// change.
    stamps: Mutex<Vec<Option<Stamp>>>,
}

impl Certificates {
    /// `protocols` are those that connections may choose from, if they name any. `Err`: one line that names the file
    /// and what to do.
    pub fn load(
        config: &Tls,
        data: &Path,
        protocols: &'static [&'static [u8]],
    ) -> Result<Certificates, String> {
        let files = TlsFiles::new(config, data, protocols);
        // The stamps are taken first: if a file changes while it is read, it is read again.
        let stamps = Mutex::new(files.stamps());
        let (config, expires_at) = files.read()?;
        let (current, expires_at) = (ArcSwap::new(config), AtomicI64::new(expires_at));
        Ok(Certificates { files, current, expires_at, stamps })
    }

    /// Reads the files like `load`, for connections that speak HTTP.
    pub fn for_http(config: &Tls, data: &Path) -> Result<Certificates, String> {
        Certificates::load(config, data, HTTP_PROTOCOLS)
    }

    /// Accepts connections with the current certificates.
    pub fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(self.current.load_full())
    }

    /// Reads the files again. On failure the old certificates stay in use.
    pub fn reload(&self) -> Result<(), String> {
        *self.stamps.lock() = self.files.stamps();
        let (config, expires_at) = self.files.read()?;
        self.current.store(config);
        self.expires_at.store(expires_at, Ordering::Relaxed);
        Ok(())
    }

    /// When the first certificate expires, in seconds since 1970.
    pub fn expires_at(&self) -> i64 {
        self.expires_at.load(Ordering::Relaxed)
    }

    /// Whether a file changed since it was read.
    pub fn changed(&self) -> bool {
        *self.stamps.lock() != self.files.stamps()
    }
}

/// The files of one source.
struct TlsFiles {
    certificate: PathBuf,
    key: PathBuf,
    client_ca: Option<PathBuf>,
    require_client_certificate: bool,
    /// The protocols that the handshake may agree on (ALPN); empty for protocols that have no name for it.
    protocols: &'static [&'static [u8]],
}

impl TlsFiles {
    /// Relative paths are below the data directory.
    fn new(config: &Tls, data: &Path, protocols: &'static [&'static [u8]]) -> TlsFiles {
        TlsFiles {
            certificate: data.join(&config.certificate),
            key: data.join(&config.key),
            client_ca: config.client_ca.as_ref().map(|path| data.join(path)),
            require_client_certificate: config.require_client_certificate,
            protocols,
        }
    }

    fn stamps(&self) -> Vec<Option<Stamp>> {
        let paths = [Some(&self.certificate), Some(&self.key), self.client_ca.as_ref()];
        paths.into_iter().flatten().map(|path| fs::metadata(path).ok().map(|file| Stamp::of(&file))).collect()
    }

    /// The configuration, and the time when its certificate expires.
    fn read(&self) -> Result<(Arc<ServerConfig>, i64), String> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let certificates = certificates(&self.certificate)?;
        let key = key(&self.key)?;
        let key = provider.key_provider.load_private_key(key).map_err(|_| {
            format!(
                "{}: the key is of a kind that is not supported: use RSA of 2048 to 8192 bits, ECDSA with P-256 \
                 or P-384, or Ed25519",
                self.key.display()
            )
        })?;
        let certified = CertifiedKey::new(certificates, key);
        self.check(&certified)?;
        let expires_at = certified.end_entity_cert().map_or(0, |certificate| ends_at(certificate));
        let builder = ServerConfig::builder_with_provider(provider.clone())
            .with_protocol_versions(&[&rustls::version::TLS13, &rustls::version::TLS12])
            .map_err(|error| format!("TLS cannot be used: {error}"))?;
        let builder = match self.verifier(provider)? {
            Some(verifier) => builder.with_client_cert_verifier(verifier),
            None => builder.with_no_client_auth(),
        };
        let mut config = builder.with_cert_resolver(Arc::new(SingleCertAndKey::from(certified)));
        config.alpn_protocols = self.protocols.iter().map(|name| name.to_vec()).collect();
        if self.protocols.is_empty() {
            // Syslog senders do not read. Closing with an unread ticket resets the connection, and the last messages
            // are lost.
            config.send_tls13_tickets = 0;
        }
        Ok((Arc::new(config), expires_at))
    }

    /// Whether certificate and key are a pair.
    fn check(&self, certified: &CertifiedKey) -> Result<(), String> {
        let (certificate, key) = (self.certificate.display(), self.key.display());
        match certified.keys_match() {
            Ok(()) | Err(rustls::Error::InconsistentKeys(rustls::InconsistentKeys::Unknown)) => Ok(()),
            Err(rustls::Error::InconsistentKeys(_)) => Err(format!(
                "{key}: the key does not fit the first certificate in {certificate}; the server's own certificate \
                 comes first, then those that it was signed with"
            )),
            Err(error) => Err(format!("{certificate}: the first certificate cannot be used: {error}")),
        }
    }

    /// The verifier of senders' certificates; `None` if no certificate is asked for.
    fn verifier(
        &self,
        provider: Arc<rustls::crypto::CryptoProvider>,
    ) -> Result<Option<Arc<dyn ClientCertVerifier>>, String> {
        let Some(path) = &self.client_ca else {
            // Without the authority, no sender's certificate could be accepted, and accepting all would be wrong.
            return match self.require_client_certificate {
                true => {
                    Err("`require_client_certificate` needs `client_ca`, the file to check them with".into())
                }
                false => Ok(None),
            };
        };
        let mut roots = RootCertStore::empty();
        for (index, certificate) in certificates(path)?.into_iter().enumerate() {
            roots.add(certificate).map_err(|error| {
                format!("{}: certificate {} cannot be used: {error}", path.display(), index + 1)
            })?;
        }
        let builder = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
        let builder = if self.require_client_certificate { builder } else { builder.allow_unauthenticated() };
        builder.build().map(Some).map_err(|error| format!("{}: {error}", path.display()))
    }
}

/// The time when a certificate expires; rustls has parsed it, so parsing cannot fail.
fn ends_at(certificate: &[u8]) -> i64 {
    X509Certificate::from_der(certificate).map_or(0, |(_, read)| read.validity().not_after.timestamp())
}

/// Shows whether a file was replaced or written to. Links are followed, so a swapped link counts; the time of the
/// last change of mode or name counts, so a file that becomes readable is read.
#[derive(Debug, PartialEq, Eq)]
struct Stamp {
    file: (u64, u64),
    size: u64,
    written: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    fn of(file: &Metadata) -> Stamp {
        Stamp {
            file: (file.dev(), file.ino()),
            size: file.size(),
            written: (file.mtime(), file.mtime_nsec()),
            changed: (file.ctime(), file.ctime_nsec()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::listen::subject::of_peer;
    use logstead_client::pem::FILE_BYTES_MAX;
    use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, DnValue, IsCa, KeyPair};
    use rustls::pki_types::pem::PemObject;
    use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
    use rustls::{ClientConfig, ProtocolVersion, SupportedProtocolVersion, version};
    use std::os::unix::fs::symlink;
    use tempfile::TempDir;
    use tokio_rustls::TlsConnector;

    /// An RSA key in the PKCS#1 format, for tests only.
    const RSA_KEY: &str = include_str!("../../tests/data/rsa.pem");
    const NAME: &str = "logs.example";

    type Authority = CertifiedIssuer<'static, KeyPair>;

    /// A certificate and its key, as PEM.
    struct Pair {
        certificate: String,
        key: String,
    }

    fn authority() -> Authority {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
    }

    fn params(subject: &[(DnType, DnValue)]) -> CertificateParams {
        let mut params = CertificateParams::new([NAME.to_owned()]).unwrap();
        params.distinguished_name = rcgen::DistinguishedName::new();
        for (part, value) in subject {
            params.distinguished_name.push(part.clone(), value.clone());
        }
        params
    }

    fn signed_by(authority: &Authority, common_name: &str) -> Pair {
        let key = KeyPair::generate().unwrap();
        let subject =
            [(DnType::OrganizationName, "Example".into()), (DnType::CommonName, common_name.into())];
        let certificate = params(&subject).signed_by(&key, authority).unwrap();
        Pair { certificate: certificate.pem(), key: key.serialize_pem() }
    }

    /// A data directory with `server.pem`, `server.key` and `ca.pem`.
    struct Data(TempDir);

    impl Data {
        fn new(server: &Pair, client_ca: &Authority) -> Data {
            let data = Data(tempfile::tempdir().unwrap());
            data.write("ca.pem", &client_ca.pem());
            data.install(server);
            data
        }

        fn write(&self, name: &str, text: &str) {
            fs::write(self.0.path().join(name), text).unwrap();
        }

        fn install(&self, server: &Pair) {
            self.write("server.pem", &server.certificate);
            self.write("server.key", &server.key);
        }

        fn load(&self, client_ca: Option<&str>, require: bool) -> Result<Certificates, String> {
            let config = Tls {
                certificate: "server.pem".into(),
                key: "server.key".into(),
                client_ca: client_ca.map(str::to_owned),
                require_client_certificate: require,
            };
            Certificates::load(&config, self.0.path(), &[])
        }
    }

    /// A sender: the authority it trusts, the certificate it shows, the protocols it speaks.
    fn sender(
        trusts: &Authority,
        shows: Option<&Pair>,
        speaks: &[&'static SupportedProtocolVersion],
    ) -> ClientConfig {
        let mut roots = RootCertStore::empty();
        roots.add(trusts.der().clone()).unwrap();
        let builder = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_protocol_versions(speaks)
            .unwrap()
            .with_root_certificates(roots);
        match shows {
            None => builder.with_no_client_auth(),
            Some(pair) => {
                let certificate = CertificateDer::from_pem_slice(pair.certificate.as_bytes()).unwrap();
                let key = PrivateKeyDer::from_pem_slice(pair.key.as_bytes()).unwrap();
                builder.with_client_auth_cert(vec![certificate], key).unwrap()
            }
        }
    }

    /// The facts that the server learnt about a sender that connected.
    #[derive(Debug)]
    struct Handshake {
        version: ProtocolVersion,
        subject: Option<String>,
        /// The certificate that the server showed.
        certificate: CertificateDer<'static>,
    }

    async fn meet(certificates: &Certificates, sender: ClientConfig) -> Result<Handshake, String> {
        let (near, far) = tokio::io::duplex(1 << 16);
        let connector = TlsConnector::from(Arc::new(sender));
        let (server, client) = tokio::join!(
            certificates.acceptor().accept(near),
            connector.connect(ServerName::try_from(NAME).unwrap(), far),
        );
        let server = server.map_err(|error| error.to_string())?;
        let client = client.map_err(|error| error.to_string())?;
        Ok(Handshake {
            version: server.get_ref().1.protocol_version().unwrap(),
            subject: of_peer(server.get_ref().1),
            certificate: client.get_ref().1.peer_certificates().unwrap()[0].clone(),
        })
    }

    const BOTH: [&SupportedProtocolVersion; 2] = [&version::TLS12, &version::TLS13];

    #[tokio::test]
    async fn senders_may_speak_tls_1_2_and_1_3() {
        let ca = authority();
        let certificates = Data::new(&signed_by(&ca, "server"), &ca).load(None, false).unwrap();
        assert!(0 < certificates.expires_at());
        for (speaks, expected) in
            [(&version::TLS12, ProtocolVersion::TLSv1_2), (&version::TLS13, ProtocolVersion::TLSv1_3)]
        {
            let met = meet(&certificates, sender(&ca, None, &[speaks])).await.unwrap();
            assert_eq!((met.version, met.subject), (expected, None));
        }
    }

    #[tokio::test]
    async fn client_certificates_are_optional_or_required_and_always_checked() {
        let (ca, other_ca) = (authority(), authority());
        let data = Data::new(&signed_by(&ca, "server"), &ca);
        let (known, unknown) = (signed_by(&ca, "web-1"), signed_by(&other_ca, "web-1"));
        let shown = Some("CN=web-1,O=Example".to_owned());
        let cases = [
            (None, false, Some(&known), Ok(None)),
            (Some("ca.pem"), false, None, Ok(None)),
            (Some("ca.pem"), false, Some(&known), Ok(shown.clone())),
            (Some("ca.pem"), false, Some(&unknown), Err(())),
            (Some("ca.pem"), true, None, Err(())),
            (Some("ca.pem"), true, Some(&known), Ok(shown)),
            (Some("ca.pem"), true, Some(&unknown), Err(())),
        ];
        for (client_ca, require, shows, expected) in cases {
            let certificates = data.load(client_ca, require).unwrap();
            for speaks in BOTH {
                let met = meet(&certificates, sender(&ca, shows, &[speaks])).await;
                assert_eq!(met.map(|met| met.subject).map_err(drop), expected, "{client_ca:?} {require}");
            }
        }
    }

    #[tokio::test]
    async fn new_certificates_are_used_once_they_can_be_and_the_old_ones_until_then() {
        let ca = authority();
        let (first, second) = (signed_by(&ca, "first"), signed_by(&ca, "second"));
        let data = Data::new(&first, &ca);
        let certificates = data.load(None, false).unwrap();
        let shown = async || meet(&certificates, sender(&ca, None, &BOTH)).await.unwrap().certificate;
        let expected = |pair: &Pair| CertificateDer::from_pem_slice(pair.certificate.as_bytes()).unwrap();
        assert!(!certificates.changed());

        // Half of a change, and then a broken file: each is tried once.
        for broken in [&second.certificate, ""] {
            data.write("server.pem", broken);
            assert!(certificates.changed());
            assert!(certificates.reload().is_err());
            assert!(!certificates.changed());
            assert_eq!(shown().await, expected(&first));
        }
        fs::remove_file(data.0.path().join("server.key")).unwrap();
        assert!(certificates.changed());

        data.install(&second);
        assert!(certificates.changed());
        certificates.reload().unwrap();
        assert!(!certificates.changed());
        assert_eq!(shown().await, expected(&second));
    }

    #[test]
    fn a_swapped_link_is_a_change() {
        let ca = authority();
        let data = Data::new(&signed_by(&ca, "server"), &ca);
        let path = |name: &str| data.0.path().join(name);
        for version in ["1", "2"] {
            fs::create_dir(path(version)).unwrap();
            fs::copy(path("server.key"), path(version).join("server.key")).unwrap();
        }
        fs::remove_file(path("server.key")).unwrap();
        symlink("current/server.key", path("server.key")).unwrap();
        symlink("1", path("current")).unwrap();
        let certificates = data.load(None, false).unwrap();
        assert!(!certificates.changed());
        symlink("2", path("next")).unwrap();
        fs::rename(path("next"), path("current")).unwrap();
        assert!(certificates.changed());
    }

    #[tokio::test]
    async fn keys_may_be_pkcs_1_pkcs_8_and_sec_1() {
        let ca = authority();
        let rsa = PrivateKeyDer::from_pem_slice(RSA_KEY.as_bytes()).unwrap();
        let rsa_pkcs8 = pem("PRIVATE KEY", &pkcs_8_of_rsa(rsa.secret_der()));
        let rsa_pair = KeyPair::from_pem(&rsa_pkcs8).unwrap();
        let ec_pair = KeyPair::generate().unwrap();
        // A PKCS#8 file of a P-256 key holds the SEC 1 key after a header of 29 bytes.
        let sec1 = pem("EC PRIVATE KEY", &ec_pair.serialized_der()[29..]);
        let ec_pkcs8 = ec_pair.serialize_pem();
        for (pair, text) in
            [(&rsa_pair, RSA_KEY), (&rsa_pair, &rsa_pkcs8), (&ec_pair, &sec1), (&ec_pair, &ec_pkcs8)]
        {
            let certificate = params(&[]).signed_by(pair, &ca).unwrap().pem();
            let data = Data::new(&Pair { certificate, key: text.to_owned() }, &ca);
            let certificates = data.load(None, false).unwrap();
            meet(&certificates, sender(&ca, None, &BOTH)).await.unwrap();
        }
    }

    fn pkcs_8_of_rsa(pkcs1: &[u8]) -> Vec<u8> {
        let long = |tag: u8, body: &[u8]| {
            let length = (body.len() as u16).to_be_bytes();
            [&[tag, 0x82, length[0], length[1]], body].concat()
        };
        let algorithm = b"\x02\x01\0\x30\x0d\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01\x05\0";
        long(0x30, &[algorithm.as_slice(), &long(0x04, pkcs1)].concat())
    }

    fn pem(kind: &str, der: &[u8]) -> String {
        use base64::Engine;
        let body = base64::prelude::BASE64_STANDARD.encode(der);
        format!("-----BEGIN {kind}-----\n{body}\n-----END {kind}-----\n")
    }

    #[test]
    fn what_can_not_be_used_is_said_with_the_file_and_what_to_do() {
        let ca = authority();
        let server = signed_by(&ca, "server");
        let other = signed_by(&ca, "other");
        let cut = server.certificate.replace("-----END CERTIFICATE-----", "");
        let small = pem("PRIVATE KEY", b"no key");
        let encrypted = pem("ENCRYPTED PRIVATE KEY", b"secret");
        let old_encrypted = RSA_KEY.replacen('\n', "\nProc-Type: 4,ENCRYPTED\n", 1);
        let garbage = pem("CERTIFICATE", b"garbage");
        let long = "x".repeat(FILE_BYTES_MAX as usize + 1);
        let cases = [
            ("server.pem", "", "server.pem: there is no certificate in it"),
            ("server.pem", "\0\u{1}binary", "server.pem: there is no certificate in it"),
            ("server.pem", cut.as_str(), "server.pem: the PEM text in it is damaged: a line `-----END"),
            ("server.pem", &garbage, "server.pem: the first certificate cannot be used"),
            ("server.pem", &long, "server.pem: 4194305 bytes are too many"),
            ("server.key", "", "server.key: there is no key in it"),
            ("server.key", &server.certificate, "server.key: there is no key in it"),
            ("server.key", &small, "server.key: the key is of a kind that is not supported"),
            ("server.key", &encrypted, "server.key: the key is encrypted"),
            ("server.key", &old_encrypted, "server.key: the key is encrypted"),
            ("server.key", &other.key, "server.key: the key does not fit the first certificate in"),
            ("ca.pem", "", "ca.pem: there is no certificate in it"),
            ("ca.pem", &garbage, "ca.pem: certificate 1 cannot be used"),
        ];
        for (name, text, expected) in cases {
            let data = Data::new(&server, &ca);
            data.write(name, text);
            let error = data.load(Some("ca.pem"), true).map(drop).unwrap_err();
            assert!(error.contains(expected) && !error.contains('\n'), "{name}: {error}");
        }
    }

    #[test]
    fn what_is_no_file_is_not_read() {
        let ca = authority();
        let data = Data::new(&signed_by(&ca, "server"), &ca);
        let error = |client_ca, require| data.load(client_ca, require).map(drop).unwrap_err();
        assert!(error(Some("missing.pem"), false).contains("missing.pem: No such file"));
        assert!(error(Some("."), false).ends_with("this is not a file"));
        assert!(error(Some("/dev/zero"), false).ends_with("/dev/zero: this is not a file"));
        assert!(error(None, true).contains("needs `client_ca`"));
    }
}
