//! Passwords: argon2id hashes, made and verified slowly on purpose. Pure but for the salt; touches no database,
//! so that nobody waits for a hash but its own caller.

use super::{Error, Result};
use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};

/// Shorter passwords are refused.
pub const PASSWORD_CHARS_MIN: usize = 8;
/// Longer ones too: hashing must not become a way to keep the server busy.
pub const PASSWORD_BYTES_MAX: usize = 1024;

/// Stands for the hash of users that do not exist, so that they take as long to refuse as those that do.
const NOBODY: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$bm9ib2R5bm9ib2R5MTIzNA$2FxHVdGoyHWNZKb+qJ4UC1f2hxC0HPVTnBvVSDIqMQ8";

/// What is wrong with a password that somebody wants to have, if anything.
pub fn weakness(password: &str) -> Option<String> {
    if password.chars().count() < PASSWORD_CHARS_MIN {
        return Some(format!("a password has at least {PASSWORD_CHARS_MIN} characters"));
    }
    (PASSWORD_BYTES_MAX < password.len())
        .then(|| format!("a password has at most {PASSWORD_BYTES_MAX} bytes"))
}

/// The hash to store, with a salt of its own.
pub fn hash(password: &str) -> Result<String> {
    match Argon2::default().hash_password(password.as_bytes()) {
        Ok(hash) => Ok(hash.to_string()),
        Err(error) => Err(Error::Secret(error.to_string())),
    }
}

/// Whether the password fits the hash of a user; takes the same time for a user that does not exist.
pub fn verify(password: &str, hash: Option<&str>) -> bool {
    if PASSWORD_BYTES_MAX < password.len() {
        return false;
    }
    let Ok(parsed) = PasswordHash::new(hash.unwrap_or(NOBODY)) else { return false };
    let fits = Argon2::default().verify_password(password.as_bytes(), &parsed).is_ok();
    fits && hash.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_fits_only_its_own_hash() {
        let hash = hash("correct horse").unwrap();
        assert!(hash.starts_with("$argon2id$"), "{hash}");
        assert!(verify("correct horse", Some(&hash)));
        assert!(!verify("correct horsf", Some(&hash)));
        assert!(!verify("correct horse", None));
        assert!(!verify("correct horse", Some("no hash")));
    }

    #[test]
    fn nobody_is_as_slow_as_somebody() {
        let nobody = PasswordHash::new(NOBODY).unwrap();
        let somebody = hash("whatever").unwrap();
        assert_eq!(nobody.params, PasswordHash::new(&somebody).unwrap().params);
    }

    #[test]
    fn weak_and_absurd_passwords_are_refused() {
        assert!(weakness("1234567").is_some());
        assert!(weakness("äöüßéèêë").is_none());
        assert!(weakness(&"x".repeat(PASSWORD_BYTES_MAX + 1)).is_some());
    }
}
