//! Finds the beginning of the next message from a sender that puts nothing between its messages. No I/O.
//!
//! A message may quote the head of another one, so a head within a text alone proves nothing. It only counts as the
//! beginning of the next message if the connection has never sent a delimiter, its first message has such a head,
//! this one has the same form and names the same host, and the bytes have ended without a delimiter: by silence, by
//! the end of the connection, or because they are longer than a message may be.

use logstead_record::MONTHS;

/// The maximum lengths of a stamp and a host.
const STAMP_BYTES_MAX: usize = 40;
const HOST_BYTES_MAX: usize = 255;

/// The signature that the heads of one sender's messages share.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct HeadSignature {
    is_rfc5424: bool,
    host: Vec<u8>,
}

/// The result of matching a head at a position.
enum HeadMatch<'a> {
    /// A head of this form that names this host.
    Of(bool, &'a [u8]),
    Other,
    /// There are too few bytes to decide.
    Begun,
}

impl HeadSignature {
    /// The signature of the head at the beginning of the bytes.
    pub(super) fn of(bytes: &[u8]) -> Option<HeadSignature> {
        match head(bytes) {
            HeadMatch::Of(is_rfc5424, host) => Some(HeadSignature { is_rfc5424, host: host.to_vec() }),
            HeadMatch::Other | HeadMatch::Begun => None,
        }
    }

    /// The position of a head with this signature, at or after `from`; otherwise the position before which there is
    /// certainly none.
    pub(super) fn find(&self, bytes: &[u8], from: usize) -> Result<usize, usize> {
        for at in memchr::memchr_iter(b'<', &bytes[from..]).map(|found| from + found) {
            match head(&bytes[at..]) {
                HeadMatch::Of(is_rfc5424, host) if is_rfc5424 == self.is_rfc5424 && host == self.host => {
                    return Ok(at);
                }
                HeadMatch::Begun => return Err(at),
                HeadMatch::Of(..) | HeadMatch::Other => {}
            }
        }
        Err(bytes.len())
    }
}

fn head(bytes: &[u8]) -> HeadMatch<'_> {
    read_head(bytes).unwrap_or(HeadMatch::Begun)
}

/// Matches a head; `None` if the bytes end too early.
fn read_head(bytes: &[u8]) -> Option<HeadMatch<'_>> {
    let digits = bytes.iter().skip(1).take(4).take_while(|byte| byte.is_ascii_digit()).count();
    let after = *bytes.get(1 + digits)?;
    if bytes[0] != b'<' || !(1..=3).contains(&digits) || after != b'>' {
        return Some(HeadMatch::Other);
    }
    let rest = &bytes[digits + 2..];
    let is_rfc5424 = *rest.first()? == b'1';
    let stamp_bytes = if is_rfc5424 { rfc5424_stamp(rest)? } else { rfc3164_stamp(rest)? };
    let Some(stamp_bytes) = stamp_bytes else { return Some(HeadMatch::Other) };
    let rest = &rest[stamp_bytes..];
    match memchr::memchr2(b' ', b'\n', &rest[..rest.len().min(HOST_BYTES_MAX + 1)]) {
        Some(end @ 1..) if rest[end] == b' ' => Some(HeadMatch::Of(is_rfc5424, &rest[..end])),
        None if rest.len() <= HOST_BYTES_MAX => None,
        _ => Some(HeadMatch::Other),
    }
}

/// The length of a stamp like `1 2026-11-22T05:11:01.123Z `; `None` if the bytes end too early.
fn rfc5424_stamp(rest: &[u8]) -> Option<Option<usize>> {
    let shape = b"1 dddd-dd-ddTdd:dd:dd";
    if !fits(rest, shape)? {
        return Some(None);
    }
    let behind = &rest[shape.len()..];
    match memchr::memchr(b' ', &behind[..behind.len().min(STAMP_BYTES_MAX)]) {
        Some(end) => Some(Some(shape.len() + end + 1)),
        None if behind.len() < STAMP_BYTES_MAX => None,
        None => Some(None),
    }
}

/// The same for `Nov 22 05:11:01 `.
fn rfc3164_stamp(rest: &[u8]) -> Option<Option<usize>> {
    let shape = b"aaa _d dd:dd:dd ";
    let is_month = || MONTHS.iter().any(|month| rest[..3].eq_ignore_ascii_case(*month));
    Some((fits(rest, shape)? && is_month()).then_some(shape.len()))
}

/// Whether the bytes have this shape: `d` is a digit, `_` a digit or a space, `a` a letter; `None` if they end too
/// early.
fn fits(bytes: &[u8], shape: &[u8]) -> Option<bool> {
    for (at, &kind) in shape.iter().enumerate() {
        let byte = *bytes.get(at)?;
        let fits = match kind {
            b'd' => byte.is_ascii_digit(),
            b'_' => byte.is_ascii_digit() || byte == b' ',
            b'a' => byte.is_ascii_alphabetic(),
            other => byte == other,
        };
        if !fits {
            return Some(false);
        }
    }
    Some(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: &[u8] = b"<14>1 2026-11-22T05:11:01Z web-1 app - - - a";

    #[test]
    fn a_head_of_the_same_form_and_host_is_found_and_no_other() {
        let signature = HeadSignature::of(FIRST).unwrap();
        let find = |more: &str| signature.find(&[FIRST, more.as_bytes()].concat(), 1);
        assert_eq!(find("<13>1 2026-11-22T05:11:02+01:00 web-1 b"), Ok(FIRST.len()));
        assert!(find("<13>1 2026-11-22T05:11:02Z web-2 b").is_err());
        assert!(find("<13>Nov 22 05:11:02 web-1 b").is_err());
        assert!(find("<13> x <1>1 <b>").is_err());
        assert_eq!(find("x<13>1 2026-11-22T05:11:02Z web"), Err(FIRST.len() + 1), "it may become one");
        let signature = HeadSignature::of(b"<14>Nov  2 05:11:01 web-1 app: a").unwrap();
        assert_eq!(signature.find(b"b<14>Nov 22 05:11:01 web-1 app: a", 0), Ok(1));
    }

    #[test]
    fn what_has_no_stamp_and_host_has_no_signature() {
        for text in [
            "",
            "<14>",
            "<14>1 - - -",
            "<14>Foo 22 05:11:01 h x",
            "<14>hello",
            "plain",
            "<14>1 2026-11-22T05:11:01Z",
        ] {
            assert_eq!(HeadSignature::of(text.as_bytes()), None, "{text}");
        }
    }
}
