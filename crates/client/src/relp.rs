//! RELP frames, from the sender's side.
//!
//! ```text
//! TXNR SP COMMAND SP DATALEN [SP DATA] LF
//! ```
//!
//! `TXNR` counts from 1 to 999999999 and starts over at 1; 0 is a hint that is not answered. `DATALEN` is the length of
//! `DATA`, 0 if there is none. An answer is an `rsp` with the `TXNR` of the frame it answers, and its data begins with a
//! code: `200 OK`, `500 REASON`.

/// The highest transaction number.
pub const TXNR_MAX: u32 = 999_999_999;
/// Maximum length of the data in an answer.
const DATA_BYTES_MAX: usize = 128 << 10;
/// Maximum length of a header, such as `999999999 serverclose 131072 `.
const HEADER_BYTES_MAX: usize = 64;

/// The offers with which a sender begins. Senders and receivers in the field use version 0.
pub fn offers() -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!("relp_version=0\nrelp_software=logstead,{version}\ncommands=syslog")
}

/// A frame from the other side.
#[derive(Debug, PartialEq, Eq)]
pub struct RelpFrame<'a> {
    /// The number of the frame that is answered; 0 for a hint.
    pub txnr: u32,
    /// The name of the command: `rsp` or `serverclose`.
    pub command: &'a [u8],
    /// The data of the frame.
    pub data: &'a [u8],
}

/// Appends a frame.
pub fn write(txnr: u32, command: &str, data: &[u8], out: &mut Vec<u8>) {
    write_number(txnr as usize, out);
    out.push(b' ');
    out.extend_from_slice(command.as_bytes());
    out.push(b' ');
    write_number(data.len(), out);
    if !data.is_empty() {
        out.push(b' ');
        out.extend_from_slice(data);
    }
    out.push(b'\n');
}

/// The next transaction number.
pub fn next(txnr: u32) -> u32 {
    if txnr < TXNR_MAX { txnr + 1 } else { 1 }
}

/// The distance from `first` to `txnr`.
pub fn distance(first: u32, txnr: u32) -> usize {
    (if first <= txnr { txnr - first } else { TXNR_MAX - first + txnr }) as usize
}

/// The first frame and its length; `None` while it is incomplete.
pub fn read(bytes: &[u8]) -> Result<Option<(RelpFrame<'_>, usize)>, String> {
    let Some((txnr, at)) = word(bytes, 0)? else { return Ok(None) };
    let Some((command, at)) = word(bytes, at)? else { return Ok(None) };
    let Some((length, end)) = word(bytes, at)? else { return Ok(None) };
    let txnr = number(txnr, TXNR_MAX as usize)
        .ok_or("a frame from the receiver does not begin with a transaction number")?;
    let length = number(length, DATA_BYTES_MAX).ok_or("a frame from the receiver has an invalid length")?;
    // The length is followed by a space if data follows, and otherwise by a line feed; some peers send both.
    let data_at = end - usize::from(length == 0 && bytes[end - 1] == b'\n');
    let Some(&last) = bytes.get(data_at + length) else { return Ok(None) };
    if last != b'\n' {
        return Err("a frame from the receiver is longer than it says".to_owned());
    }
    let frame = RelpFrame { txnr: txnr as u32, command, data: &bytes[data_at..data_at + length] };
    Ok(Some((frame, data_at + length + 1)))
}

/// The verdict of an `rsp`: success, or the reason for a failure.
pub fn verdict(data: &[u8]) -> Result<(), String> {
    if data.starts_with(b"200") {
        return Ok(());
    }
    let line = data.split(|&byte| byte == b'\n').next().unwrap_or_default();
    Err(String::from_utf8_lossy(line).into_owned())
}

/// The text from `at` to the next space or line end, and the position after that.
fn word(bytes: &[u8], at: usize) -> Result<Option<(&[u8], usize)>, String> {
    let rest = bytes.get(at..).unwrap_or_default();
    match rest.iter().take(HEADER_BYTES_MAX).position(|byte| matches!(byte, b' ' | b'\n')) {
        Some(length) => Ok(Some((&rest[..length], at + length + 1))),
        None if rest.len() < HEADER_BYTES_MAX => Ok(None),
        None => Err("the receiver does not speak RELP".to_owned()),
    }
}

fn number(text: &[u8], max: usize) -> Option<usize> {
    if text.is_empty() || 9 < text.len() || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let value = text.iter().fold(0, |value, digit| value * 10 + usize::from(digit - b'0'));
    (value <= max).then_some(value)
}

fn write_number(number: usize, out: &mut Vec<u8>) {
    let mut digits = [0; 20];
    let (mut at, mut rest) = (digits.len(), number);
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            return out.extend_from_slice(&digits[at..]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn frames_are_written_as_the_protocol_says() {
        let check = |txnr, command, data: &str, expected: &str| {
            let mut out = Vec::new();
            write(txnr, command, data.as_bytes(), &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        };
        check(1, "open", "relp_version=1", "1 open 14 relp_version=1\n");
        check(TXNR_MAX, "syslog", "<13>hello", "999999999 syslog 9 <13>hello\n");
        check(7, "close", "", "7 close 0\n");
    }

    #[test]
    fn answers_are_read_one_after_the_other() {
        let check = |bytes: &str, expected: Option<(u32, &str, &str, usize)>| {
            let frame = read(bytes.as_bytes()).unwrap();
            let expected = expected.map(|(txnr, command, data, length)| {
                (RelpFrame { txnr, command: command.as_bytes(), data: data.as_bytes() }, length)
            });
            assert_eq!(frame, expected, "{bytes:?}");
        };
        check("2 rsp 6 200 OK\n3 rsp 6 200 OK\n", Some((2, "rsp", "200 OK", 15)));
        check("1 rsp 14 200 OK\na=1\nb=2\n", Some((1, "rsp", "200 OK\na=1\nb=2", 24)));
        check("0 serverclose 0\n", Some((0, "serverclose", "", 16)));
        check("9 rsp 0 \n", Some((9, "rsp", "", 9)));
        for part in ["", "2", "2 rsp", "2 rsp 6", "2 rsp 6 200 O", "2 rsp 6 200 OK", "0 serverclose 0"] {
            check(part, None);
        }
    }

    #[test]
    fn what_is_no_frame_is_refused_and_never_waited_for() {
        let long = "x".repeat(HEADER_BYTES_MAX);
        for bytes in [
            "x rsp 6 200 OK\n", "2 rsp x \n", "2 rsp 6 200 OKAY\n", "1 rsp 131073 x", "1000000000 rsp 0\n",
            " rsp 0\n", &long,
        ] {
            assert!(read(bytes.as_bytes()).is_err(), "{bytes:?}");
        }
    }

    #[test]
    fn numbers_begin_again_after_the_last() {
        assert_eq!((next(1), next(TXNR_MAX)), (2, 1));
        let check = |first, txnr, expected| assert_eq!(distance(first, txnr), expected);
        check(5, 5, 0);
        check(5, 8, 3);
        check(TXNR_MAX, 1, 1);
        check(TXNR_MAX - 1, 3, 4);
    }

    #[test]
    fn an_answer_is_a_code_and_perhaps_a_reason() {
        assert_eq!(verdict(b"200 OK"), Ok(()));
        assert_eq!(verdict(b"500 disk full\nmore"), Err("500 disk full".to_owned()));
        assert_eq!(verdict(b""), Err(String::new()));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(
            txnr in 0..=TXNR_MAX,
            data in proptest::collection::vec(any::<u8>(), 0..200),
            cut in any::<prop::sample::Index>(),
        ) {
            let mut bytes = Vec::new();
            write(txnr, "rsp", &data, &mut bytes);
            prop_assert_eq!(read(&bytes[..cut.index(bytes.len())]).unwrap(), None);
            let whole = RelpFrame { txnr, command: b"rsp", data: &data };
            prop_assert_eq!(read(&bytes).unwrap(), Some((whole, bytes.len())));
        }

        #[test]
        fn no_bytes_make_the_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
            prop_assert!(read(&bytes).is_err() || read(&bytes).is_ok());
        }
    }
}
