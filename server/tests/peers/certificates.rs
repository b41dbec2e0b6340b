//! A certificate authority for each test, and the certificates that it signs.

#![allow(dead_code, reason = "support of several test files")]

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DistinguishedName, DnType, IsCa, KeyPair};
use std::path::{Path, PathBuf};

/// Signs certificates into a folder.
pub(crate) struct Authority {
    folder: PathBuf,
    issuer: CertifiedIssuer<'static, KeyPair>,
    name: String,
}

/// The files of one certificate.
#[derive(Clone)]
pub(crate) struct Identity {
    pub(crate) certificate: String,
    pub(crate) key: String,
}

impl Authority {
    pub(crate) fn new(folder: &Path, name: &str) -> Authority {
        let mut params = params(name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        std::fs::write(folder.join(format!("{name}.pem")), issuer.pem()).unwrap();
        Authority { folder: folder.to_owned(), issuer, name: name.to_owned() }
    }

    /// The path of its own certificate.
    pub(crate) fn certificate(&self) -> String {
        path_text(&self.folder.join(format!("{}.pem", self.name)))
    }

    /// Signs a certificate for `name`, which is also valid for connections to this machine.
    pub(crate) fn sign(&self, name: &str) -> Identity {
        self.sign_as(name, name)
    }

    /// The same, but into the files of another name, which are replaced.
    pub(crate) fn sign_as(&self, name: &str, file: &str) -> Identity {
        let key = KeyPair::generate().unwrap();
        let certificate = params(name).signed_by(&key, &self.issuer).unwrap();
        let write = |ending: &str, text: &str| {
            let path = self.folder.join(format!("{file}.{ending}"));
            // The file is written under another name and then renamed, as renewal tools do.
            let aside = path.with_extension("part");
            std::fs::write(&aside, text).unwrap();
            std::fs::rename(&aside, &path).unwrap();
            path_text(&path)
        };
        // The key is written first: between the two writes the pair does not match, which a server must tolerate.
        let key = write("key", &key.serialize_pem());
        Identity { certificate: write("pem", &certificate.pem()), key }
    }
}

fn params(name: &str) -> CertificateParams {
    let names = [name, "localhost", "127.0.0.1"].map(str::to_owned);
    let mut params = CertificateParams::new(names.to_vec()).unwrap();
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, name);
    params
}

fn path_text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}
