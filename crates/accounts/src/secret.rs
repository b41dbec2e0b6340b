//! Secrets that machines remember: sessions and API tokens. They have 256 random bits, so storing a plain hash is
//! enough.
//!
//! **Invariant:** a secret itself is never stored, logged or compared: its [`Secret::hash`] is.

use super::{Error, Result};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// The prefix of API tokens, by which scanners for leaked secrets recognise them.
const TOKEN_PREFIX: &str = "lst_";

/// A secret as its owner presents it.
pub struct Secret(String);

impl Secret {
    /// Generates a new secret for a session.
    pub fn session() -> Result<Secret> {
        Ok(Secret(URL_SAFE_NO_PAD.encode(random::<32>()?)))
    }

    /// Generates a new secret for an API token.
    pub fn token() -> Result<Secret> {
        Ok(Secret(format!("{TOKEN_PREFIX}{}", URL_SAFE_NO_PAD.encode(random::<32>()?))))
    }

    /// A secret that a client presented.
    pub fn presented(text: &str) -> Secret {
        Secret(text.to_owned())
    }

    /// The text to hand to the owner.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// The hash of the secret; nothing else is stored.
    pub fn hash(&self) -> [u8; 32] {
        *blake3::hash(self.0.as_bytes()).as_bytes()
    }

    /// Whether two texts are equal, compared in a time that does not reveal how much of them is.
    pub fn same(a: &str, b: &str) -> bool {
        // Comparing blake3 hashes takes constant time.
        blake3::hash(a.as_bytes()) == blake3::hash(b.as_bytes())
    }

    /// The token that a page sends with every change it makes, to prove that the page is ours. It is derived from the
    /// session, so nothing more has to be stored or expire.
    pub fn csrf_token(&self) -> String {
        URL_SAFE_NO_PAD.encode(blake3::derive_key("logstead 2026 csrf token of a session", self.0.as_bytes()))
    }
}

/// A code that a person copies once from the server's output: `XXXX-XXXX-XXXX-XXXX`, 80 bits.
pub fn setup_code() -> Result<String> {
    const ALPHABET: &[u8; 32] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
    let mut code = String::new();
    for (at, byte) in random::<16>()?.into_iter().enumerate() {
        if at > 0 && at % 4 == 0 {
            code.push('-');
        }
        code.push(char::from(ALPHABET[usize::from(byte % 32)]));
    }
    Ok(code)
}

fn random<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| Error::Secret(error.to_string()))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_differ_and_their_hashes_and_csrf_tokens_with_them() {
        let (a, b) = (Secret::session().unwrap(), Secret::session().unwrap());
        assert_ne!(a.hash(), b.hash());
        assert_ne!(a.csrf_token(), b.csrf_token());
        assert_eq!(Secret::presented(a.reveal()).hash(), a.hash());
        assert!(Secret::token().unwrap().reveal().starts_with("lst_"));
    }

    #[test]
    fn a_setup_code_is_easy_to_copy() {
        let code = setup_code().unwrap();
        assert_eq!(code.len(), 19);
        assert!(code.split('-').all(|group| group.len() == 4), "{code}");
        assert_ne!(code, setup_code().unwrap());
    }
}
