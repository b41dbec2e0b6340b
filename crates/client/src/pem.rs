//! Certificates and keys in PEM files. Every error is a single line with the name of the file and advice.

use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::fs;
use std::path::Path;

/// Maximum size of a certificate, key or CA file.
pub const FILE_BYTES_MAX: u64 = 4 << 20;

/// The certificates in a file, the owner's own first. There has to be at least one.
pub fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let text = read_file(path)?;
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
    match found {
        Ok(certificates) if certificates.is_empty() => Err(format!(
            "{}: there is no certificate in it: `-----BEGIN CERTIFICATE-----` is expected",
            path.display()
        )),
        Ok(certificates) => Ok(certificates),
        Err(error) => Err(damaged(path, &error)),
    }
}

/// The private key in a file.
pub fn key(path: &Path) -> Result<PrivateKeyDer<'static>, String> {
    let text = read_file(path)?;
    let has = |mark: &[u8]| memchr::memmem::find(&text, mark).is_some();
    if has(b"BEGIN ENCRYPTED PRIVATE KEY") || has(b"Proc-Type: 4,ENCRYPTED") {
        return Err(format!(
            "{}: the key is encrypted with a password: `openssl pkey -in FILE -out PLAIN` decrypts it",
            path.display()
        ));
    }
    PrivateKeyDer::from_pem_slice(&text).map_err(|error| match error {
        pem::Error::NoItemsFound => {
            format!("{}: there is no key in it: `-----BEGIN PRIVATE KEY-----` is expected", path.display())
        }
        error => damaged(path, &error),
    })
}

fn read_file(path: &Path) -> Result<Vec<u8>, String> {
    let name = path.display();
    let file = fs::metadata(path).map_err(|error| format!("{name}: {error}"))?;
    // Reading a pipe would wait forever.
    if !file.is_file() {
        return Err(format!("{name}: this is not a file"));
    }
    if FILE_BYTES_MAX < file.len() {
        return Err(format!("{name}: {} bytes are too many for a PEM file", file.len()));
    }
    fs::read(path).map_err(|error| format!("{name}: {error}"))
}

fn damaged(path: &Path, error: &pem::Error) -> String {
    let what = match error {
        pem::Error::MissingSectionEnd { .. } => "a line `-----END …-----` is missing".to_owned(),
        pem::Error::IllegalSectionStart { .. } => "a line `-----BEGIN …-----` is damaged".to_owned(),
        error => error.to_string(),
    };
    format!("{}: the PEM text in it is damaged: {what}", path.display())
}
