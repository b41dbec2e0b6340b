//! Passwords: argon2id hashes, which are deliberately slow to compute and to verify, and the rules for passwords that
//! are too easy to guess. Pure except for the salt. Does not use the database, so only the caller waits for a hash.
//!
//! The login slows down guessing over the network, so only the most likely guesses have to be refused: a few hundred
//! words followed by digits, keyboard rows, the user's own name.

use super::{Error, Result};
use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use unicode_normalization::UnicodeNormalization;

/// Minimum length of a password in characters.
pub const PASSWORD_CHARS_MIN: usize = 8;
/// Maximum length of a password in bytes, so that hashing cannot be used to keep the server busy.
pub const PASSWORD_BYTES_MAX: usize = 1024;

/// Stands in for the hash of users who do not exist, so that refusing them takes equally long.
const NOBODY: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$bm9ib2R5bm9ib2R5MTIzNA$2FxHVdGoyHWNZKb+qJ4UC1f2hxC0HPVTnBvVSDIqMQ8";

/// Finds what is wrong with a new password of the user `name`, if anything.
pub fn weakness(password: &str, name: &str) -> Option<String> {
    if password.chars().count() < PASSWORD_CHARS_MIN {
        return Some(format!("a password has at least {PASSWORD_CHARS_MIN} characters"));
    }
    if PASSWORD_BYTES_MAX < password.len() {
        return Some(format!("a password has at most {PASSWORD_BYTES_MAX} bytes"));
    }
    let reason = easy_to_guess(password, name)?;
    Some(format!("this password is easy to guess, because {reason}: choose another one"))
}

/// Words used in the most common passwords.
const COMMON: &str = include_str!("common_passwords.txt");
/// Neighbours on keyboards, row by row and column by column.
const ROWS: [&str; 8] = [
    "1234567890",
    "qwertyuiop",
    "qwertzuiop",
    "azertyuiop",
    "asdfghjkl",
    "zxcvbnm",
    "yxcvbnm",
    "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p",
];
/// Maximum length of a piece whose repetition is refused as a password: `test`, `1234`.
const PIECE_CHARS_MAX: usize = 4;

fn easy_to_guess(password: &str, name: &str) -> Option<&'static str> {
    let folded: Vec<char> = password.nfkc().flat_map(char::to_lowercase).collect();
    if folded.iter().all(|c| c.is_whitespace()) {
        return Some("it is nothing but spaces");
    }
    let repeats =
        |piece: usize| 2 * piece <= folded.len() && folded.iter().zip(&folded[piece..]).all(|(a, b)| a == b);
    if (1..=PIECE_CHARS_MAX).any(repeats) {
        return Some("it repeats the same few characters");
    }
    if is_row(&folded) {
        return Some("it is a sequence of letters, digits or neighbouring keys");
    }
    let core = core(&folded);
    if core.is_empty() {
        return None;
    }
    let name: String = name.nfkc().flat_map(char::to_lowercase).collect();
    if core == self::core(&name.chars().collect::<Vec<_>>()) || folded.iter().collect::<String>() == name {
        return Some("it is the user's name");
    }
    let is_common = COMMON.lines().any(|word| word == core || word == unmasked(&core));
    is_common.then_some("it is a common word")
}

/// Whether the characters follow one another, forwards or backwards, in the alphabet or on a keyboard.
fn is_row(folded: &[char]) -> bool {
    let steps = |by: i64| {
        folded.windows(2).all(|pair| i64::from(u32::from(pair[1])) - i64::from(u32::from(pair[0])) == by)
    };
    let text: String = folded.iter().collect();
    let reversed: String = folded.iter().rev().collect();
    steps(1) || steps(-1) || ROWS.iter().any(|row| row.contains(&text) || row.contains(&reversed))
}

/// The text without digits and punctuation at its ends.
fn core(folded: &[char]) -> String {
    let text: String = folded.iter().collect();
    text.trim_matches(|c: char| !c.is_alphabetic()).to_owned()
}

/// The text with look-alike characters replaced by letters: `p@ssw0rd`.
fn unmasked(core: &str) -> String {
    let letter = |c| match c {
        '0' => 'o',
        '1' | '!' | '|' => 'i',
        '3' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' => 't',
        other => other,
    };
    core.chars().map(letter).collect()
}

/// Computes the hash to store, with a salt of its own.
pub fn hash(password: &str) -> Result<String> {
    match Argon2::default().hash_password(password.as_bytes()) {
        Ok(hash) => Ok(hash.to_string()),
        Err(error) => Err(Error::Secret(error.to_string())),
    }
}

/// Whether the password matches the hash of a user; takes equally long for a user who does not exist.
pub fn verify(password: &str, hash: Option<&str>) -> bool {
    if PASSWORD_BYTES_MAX < password.len() {
        return false;
    }
    // Users whose password is kept elsewhere have an empty hash.
    let hash = hash.filter(|hash| !hash.is_empty());
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
    fn short_and_absurd_passwords_are_refused() {
        assert!(weakness("1234567", "ana").is_some());
        assert!(weakness("äöüßéèêë", "ana").is_none());
        assert!(weakness(&"x".repeat(PASSWORD_BYTES_MAX + 1), "ana").is_some());
    }

    #[test]
    fn what_anybody_would_try_first_is_refused() {
        for easy in [
            "password",
            "Password123!",
            "p@ssw0rd",
            "P4$$W0RD2026",
            "ｐａｓｓｗｏｒｄ",
            "12345678",
            "87654321",
            "1234567890",
            "abcdefgh",
            "qwertyuiop",
            "poiuytrewq",
            "1qaz2wsx",
            "asdfghjkl",
            "11111111",
            "        ",
            "\u{a0}\u{2003}      ",
            "abcabcabc",
            "testtest",
            "12121212",
            "logstead",
            "Logstead2026",
            "changeme",
            "changeme!",
            "Winter2026!",
            "iloveyou",
            "administrator",
            "annemarie",
            "Annemarie1",
            "!!letmein!!",
            "éééééééé",
        ] {
            assert!(weakness(easy, "annemarie").is_some(), "{easy}");
        }
        for fair in [
            "correct horse", "another horse", "wrong horse", "tr0mbone-72-x", "password of the cat",
            "31415926535",
        ] {
            assert_eq!(weakness(fair, "ana"), None, "{fair}");
        }
    }

    #[test]
    fn the_list_is_written_as_passwords_are_folded() {
        let words = COMMON.lines().filter(|line| !line.starts_with('#'));
        for word in words.clone() {
            assert!(word.chars().all(|c| c.is_ascii_lowercase()), "{word}");
        }
        assert!(300 < words.count());
    }
}
