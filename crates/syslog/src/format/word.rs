//! The words that heads consist of.

use logstead_record::{Facility, Priority, Severity};

/// The priority in `<PRI>` at `start`, and the position after it. A number with a leading zero is not accepted.
pub(super) fn priority(text: &[u8], start: usize) -> Option<(Priority, usize)> {
    let rest = text.get(start..)?.strip_prefix(b"<")?;
    let digits = rest.iter().take(4).take_while(|byte| byte.is_ascii_digit()).count();
    if !(1..=3).contains(&digits) || rest.get(digits) != Some(&b'>') || (1 < digits && rest[0] == b'0') {
        return None;
    }
    let number = rest[..digits].iter().fold(0_u16, |sum, byte| sum * 10 + u16::from(byte - b'0'));
    Some((Priority::new(u8::try_from(number).ok()?)?, start + digits + 2))
}

/// The priority in `<local0.info> `, and the position after it.
pub(super) fn selector(text: &[u8], at: usize) -> Option<(Priority, usize)> {
    let (word, behind) = token(text, at)?;
    let word = std::str::from_utf8(word.strip_prefix(b"<")?.strip_suffix(b">")?).ok()?;
    let (facility, severity) = word.split_once('.')?;
    let is_name = |name: &str| name.starts_with(|first: char| first.is_ascii_lowercase());
    let (facility, severity) =
        (is_name(facility).then_some(facility)?, is_name(severity).then_some(severity)?);
    Some((Priority::of(facility.parse::<Facility>().ok()?, severity.parse::<Severity>().ok()?), behind))
}

/// Whether a word can be the name or address of a host: words of payloads contain other characters.
pub(super) fn is_host(word: &[u8]) -> bool {
    const FITS: [bool; 256] = bytes(b".-_:/%@#+~");
    let first_fits =
        |first: u8| FITS[usize::from(first)] && !matches!(first, b'.' | b'-' | b'/' | b'%' | b'@');
    word.first().is_some_and(|&first| first_fits(first))
        && word.iter().all(|&byte| FITS[usize::from(byte)])
        && !is_address_with_port(word)
}

/// `127.0.0.1:46670` is one end of a connection.
fn is_address_with_port(word: &[u8]) -> bool {
    if !word[0].is_ascii_digit() {
        return false;
    }
    let Some(colon) = memchr::memrchr(b':', word) else { return false };
    let (address, port) = (&word[..colon], &word[colon + 1..]);
    !port.is_empty()
        && port.iter().all(u8::is_ascii_digit)
        && memchr::memchr(b'.', address).is_some()
        && address.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.')
}

/// For each byte, whether it is a letter or digit of any script, or one of `signs`.
pub(super) const fn bytes(signs: &[u8]) -> [bool; 256] {
    let mut fits = [false; 256];
    let mut byte = 0;
    while byte < fits.len() {
        fits[byte] = 0x80 <= byte || (byte as u8).is_ascii_alphanumeric();
        byte += 1;
    }
    let mut at = 0;
    while at < signs.len() {
        fits[signs[at] as usize] = true;
        at += 1;
    }
    fits
}

/// The bytes up to the next space, and the position after it.
pub(super) fn token(text: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let rest = text.get(at..)?;
    let end = memchr::memchr(b' ', rest)?;
    Some((&rest[..end], at + end + 1))
}

/// The position after any spaces.
pub(super) fn behind_spaces(text: &[u8], mut at: usize) -> usize {
    while text.get(at) == Some(&b' ') {
        at += 1;
    }
    at
}
