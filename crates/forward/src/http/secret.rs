//! The secrets that authorise requests, and their removal from texts that are shown.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use logstead_config::{DestinationToken, HttpServer};
use logstead_flow::machine::folders::Folders;
use std::io;

/// A secret, or the place where it is stored.
pub(super) enum Secret {
    Text(String),
    File(String),
}

/// How requests are authorised.
pub(super) enum Authority {
    Nobody,
    User(String, Secret),
    /// The value of the header, with the scheme before the secret, such as `Bearer`.
    Token(&'static str, Secret),
}

/// The value of the header, and every text in it that must not be shown.
#[derive(Default)]
pub(super) struct Authorization {
    pub(super) header: Option<String>,
    pub(super) secrets: Vec<String>,
}

impl Secret {
    pub(super) fn of(text: Option<&String>, file: Option<&String>) -> Option<Secret> {
        let text = text.cloned().map(Secret::Text);
        text.or_else(|| file.cloned().map(Secret::File))
    }

    /// Reads the secret. Errors name the file.
    pub(super) fn read(&self, folders: &Folders) -> io::Result<String> {
        let (secret, place) = match self {
            Secret::Text(text) => (text.clone(), "the document"),
            Secret::File(path) => (folders.secret(path)?, path.as_str()),
        };
        match secret.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ') {
            true => Ok(secret),
            false => Err(io::Error::other(format!("the secret in {place} is not printable ASCII"))),
        }
    }
}

impl Authority {
    /// Authorises by the token, or else by the user of the server.
    pub(super) fn of_token(scheme: &'static str, token: &DestinationToken, server: &HttpServer) -> Authority {
        Authority::new(scheme, token.token.as_ref(), token.token_file.as_ref(), server)
    }

    /// Authorises by a secret, given as text or in a file, or else by the user of the server.
    pub(super) fn new(
        scheme: &'static str,
        text: Option<&String>,
        file: Option<&String>,
        server: &HttpServer,
    ) -> Authority {
        if let Some(token) = Secret::of(text, file) {
            return Authority::Token(scheme, token);
        }
        let password = Secret::of(server.password.as_ref(), server.password_file.as_ref());
        match (&server.user, password) {
            (Some(user), Some(password)) => Authority::User(user.clone(), password),
            _ => Authority::Nobody,
        }
    }

    /// Reads the secret and builds the header from it.
    pub(super) fn read(&self, folders: &Folders) -> io::Result<Authorization> {
        match self {
            Authority::Nobody => Ok(Authorization::default()),
            Authority::Token(scheme, token) => {
                let token = token.read(folders)?;
                Ok(Authorization { header: Some(format!("{scheme} {token}")), secrets: vec![token] })
            }
            Authority::User(user, password) => {
                let password = password.read(folders)?;
                let packed = STANDARD.encode(format!("{user}:{password}"));
                Ok(Authorization { header: Some(format!("Basic {packed}")), secrets: vec![packed, password] })
            }
        }
    }
}
