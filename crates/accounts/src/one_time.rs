//! Time-based one-time passwords (RFC 6238, RFC 4226): the codes that an authenticator app shows. SHA-1, six digits,
//! thirty seconds, because that is what every app supports. Pure: the caller passes in the time.

use super::{Error, Result, Secret};
use logstead_record::{SECOND, Timestamp};
use ring::hmac;

/// The length of a secret, as RFC 4226 recommends it.
pub(super) const SECRET_BYTES: usize = 20;
/// How long a code is valid.
const STEP_SECONDS: i64 = 30;
const DIGITS: usize = 6;
/// How many steps a clock may be ahead or behind.
const SKEW_STEPS_MAX: i64 = 1;

/// The secret from which an authenticator app and this server compute codes.
#[derive(Clone, PartialEq, Eq)]
pub struct TotpSecret(pub(super) [u8; SECRET_BYTES]);

impl TotpSecret {
    /// Generates a new secret.
    pub fn new() -> Result<TotpSecret> {
        let mut bytes = [0; SECRET_BYTES];
        getrandom::fill(&mut bytes).map_err(|error| Error::Secret(error.to_string()))?;
        Ok(TotpSecret(bytes))
    }

    /// The secret in base 32, to type into an app.
    pub fn base32(&self) -> String {
        const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
        // Five bytes make eight letters, and 20 bytes are four times five.
        let letters = self.0.chunks_exact(5).flat_map(|five| {
            let bits = five.iter().fold(0_u64, |bits, byte| bits << 8 | u64::from(*byte));
            (0..8).rev().map(move |at| char::from(ALPHABET[(bits >> (5 * at) & 31) as usize]))
        });
        letters.collect()
    }

    /// The URI in the QR code, in the format of Google Authenticator, which all apps read.
    pub fn uri(&self, host: &str, user: &str) -> String {
        let label = format!("Logstead:{user}{}{host}", if host.is_empty() { "" } else { " on " });
        format!("otpauth://totp/{}?secret={}&issuer=Logstead", percent_encoded(&label), self.base32())
    }

    /// The code of a time step.
    pub fn code(&self, step: i64) -> String {
        let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, &self.0);
        let tag = hmac::sign(&key, &step.to_be_bytes());
        let tag = tag.as_ref();
        let offset = usize::from(tag[tag.len() - 1] & 0xf);
        let word = tag[offset..offset + 4].iter().fold(0_u32, |word, byte| word << 8 | u32::from(*byte));
        format!("{:0width$}", (word & 0x7fff_ffff) % 10_u32.pow(DIGITS as u32), width = DIGITS)
    }

    /// The time step that a code belongs to, if it is a current one. Takes equally long whether the code matches or
    /// not.
    pub fn step_of(&self, code: &str, now: Timestamp) -> Option<i64> {
        let around = step_at(now);
        let mut found = None;
        for step in around - SKEW_STEPS_MAX..=around + SKEW_STEPS_MAX {
            if Secret::same(&self.code(step), code) {
                found = Some(step);
            }
        }
        found
    }
}

/// The time step that a time falls into.
pub fn step_at(now: Timestamp) -> i64 {
    now.nanos().div_euclid(STEP_SECONDS * SECOND)
}

/// A typed code without the spaces that apps show in it; `None` if it cannot be a code.
pub fn typed(code: &str) -> Option<String> {
    let code: String = code.chars().filter(|c| !c.is_whitespace()).take(DIGITS + 1).collect();
    (code.len() == DIGITS && code.bytes().all(|byte| byte.is_ascii_digit())).then_some(code)
}

fn percent_encoded(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'@' => {
                encoded.push(char::from(byte));
            }
            other => encoded.push_str(&format!("%{other:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rfc() -> TotpSecret {
        TotpSecret(*b"12345678901234567890")
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_nanos(seconds * SECOND)
    }

    #[test]
    fn codes_are_those_of_rfc_6238() {
        // The last six of the eight digits in appendix B of RFC 6238.
        for (seconds, code) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
            (20_000_000_000, "353130"),
        ] {
            if seconds < 9_000_000_000 {
                assert_eq!(rfc().step_of(code, at(seconds)), Some(seconds / 30), "{seconds}");
            }
            assert_eq!(rfc().code(seconds / 30), code, "{seconds}");
        }
    }

    #[test]
    fn a_clock_may_be_one_step_ahead_or_behind() {
        let now = at(3000);
        for (step, fits) in [(98, false), (99, true), (100, true), (101, true), (102, false)] {
            assert_eq!(rfc().step_of(&rfc().code(step), now).is_some(), fits, "{step}");
        }
        for wrong in ["", "1", "12345", "1234567", "abcdef", "٣٤٥٦٧٨"] {
            assert_eq!(rfc().step_of(wrong, now), None, "{wrong}");
        }
    }

    #[test]
    fn a_code_is_read_with_the_spaces_that_apps_show() {
        for (code, expected) in [
            ("123456", Some("123456")),
            (" 123 456 ", Some("123456")),
            ("12345", None),
            ("1234567", None),
            ("12345a", None),
            ("٣٤٥", None),
        ] {
            assert_eq!(typed(code).as_deref(), expected, "{code}");
        }
    }

    #[test]
    fn an_app_is_told_everything_in_one_address() {
        assert_eq!(rfc().base32(), "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
        assert_eq!(
            rfc().uri("logs.example.org", "ana"),
            "otpauth://totp/Logstead%3Aana%20on%20logs.example.org\
             ?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Logstead"
        );
        assert!(TotpSecret::new().unwrap() != TotpSecret::new().unwrap());
    }
}
