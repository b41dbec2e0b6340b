//! Identifies people through OpenID providers and directories. These return a person's name and groups; the settings
//! and the callers decide what that person may do on this server.
//!
//! Calls block: async code has to make them on a blocking thread.
//!
//! **Invariant:** every answer of others has a limit and a deadline, and nobody is let in by an error.

mod jwt;
pub mod ldap;
pub mod oidc;
mod web;

/// A person known to a provider.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Person {
    /// The provider's permanent identifier for this person.
    pub subject: String,
    /// The name to show.
    pub name: String,
    /// The groups of the person.
    pub groups: Vec<String>,
}

/// Maximum length of a secret in a file.
const SECRET_BYTES_MAX: u64 = 64 << 10;
/// Maximum number of groups of a person; further ones are ignored, which is logged.
const GROUPS_MAX: usize = 10_000;

/// Reads the secret from a file, without the line break at its end.
fn secret_of(path: &str) -> Result<String, String> {
    let told = |error: &dyn std::fmt::Display| format!("the secret in {path} cannot be read: {error}");
    let length = std::fs::metadata(path).map_err(|error| told(&error))?.len();
    if SECRET_BYTES_MAX < length {
        return Err(told(&format!("it is longer than {SECRET_BYTES_MAX} bytes")));
    }
    let text = std::fs::read_to_string(path).map_err(|error| told(&error))?;
    let secret = text.trim_end_matches(['\r', '\n']);
    if secret.is_empty() { Err(told(&"the file is empty")) } else { Ok(secret.to_owned()) }
}

/// The groups up to the maximum.
fn bounded(mut groups: Vec<String>, name: &str) -> Vec<String> {
    if GROUPS_MAX < groups.len() {
        tracing::warn!("{name} is in {} groups: only the first {GROUPS_MAX} are used", groups.len());
        groups.truncate(GROUPS_MAX);
    }
    groups
}
