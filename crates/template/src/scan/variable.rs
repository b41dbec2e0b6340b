//! The definition of a variable: a word with a digit, or several words that belong together; its text alone decides
//! its type.

use std::ops::Range;

/// The kind of a variable. Its number is the byte that stands for it in a key.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum VariableKind {
    /// A decimal number of at most 19 digits.
    Decimal = 1,
    /// A hexadecimal number of 6 to 16 digits, in lower case, with a digit and a letter.
    Hex = 2,
    /// Hexadecimal in upper case.
    HexUpper = 3,
    /// `0x` and a hexadecimal number of at most 16 digits, in lower case.
    Prefixed = 4,
    /// An IPv4 address.
    Address = 5,
    /// A UUID, or a hexadecimal number of 17 to 32 digits; both in lower case.
    Wide = 6,
    /// Any other text.
    Text = 7,
}

/// The highest byte that stands for a variable in keys: no byte up to it stands for itself.
pub(crate) const MARKERS: u8 = VariableKind::Text as u8;

/// The maximum number of digits of a decimal number: these always fit into 64 bits.
const DECIMAL_DIGITS_MAX: usize = 19;
/// The minimum number of digits: fewer may be an English word.
const HEX_DIGITS_MIN: usize = 6;
/// The maximum number of hexadecimal digits of a 64-bit number.
const HEX_DIGITS_MAX: usize = 16;
const WIDE_DIGITS_MIN: usize = HEX_DIGITS_MAX + 1;
const WIDE_DIGITS_MAX: usize = 32;
const UUID_BYTES: usize = 36;
/// The positions of the hyphens of a UUID.
const UUID_HYPHENS: [usize; 4] = [8, 13, 18, 23];

/// A variable of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Variable {
    pub(crate) kind: VariableKind,
    /// The length of its text, or for a number with a prefix, of its digits.
    pub(crate) bytes: u16,
    /// The start of its text.
    pub(crate) start: u32,
    /// Its value, or the lower half of it.
    pub(crate) low: u64,
    pub(crate) high: u64,
}

/// The amounts that a byte adds to the counts, in a word of at most 255 bytes: 1 in the lowest byte for a digit, in
/// the second for a lower-case letter, in the third for an upper-case one. A branch for each byte would be
/// mispredicted too often.
const COUNTS: [u32; 256] = {
    let mut counts = [0; 256];
    let mut byte = 0;
    while byte < counts.len() {
        counts[byte] = match byte as u8 {
            b'0'..=b'9' => 1,
            b'a'..=b'f' => 1 << 8,
            b'A'..=b'F' => 1 << 16,
            _ => 0,
        };
        byte += 1;
    }
    counts
};

impl VariableKind {
    /// The kind with this marker.
    pub(crate) fn of_marker(byte: u8) -> Option<VariableKind> {
        Some(match byte {
            1 => VariableKind::Decimal,
            2 => VariableKind::Hex,
            3 => VariableKind::HexUpper,
            4 => VariableKind::Prefixed,
            5 => VariableKind::Address,
            6 => VariableKind::Wide,
            7 => VariableKind::Text,
            _ => return None,
        })
    }

    /// The number of digits of a number written without leading zeros.
    pub(crate) fn digits(self, value: u64) -> usize {
        match self {
            VariableKind::Decimal => value.checked_ilog10().unwrap_or(0) as usize + 1,
            _ => (u64::BITS - value.leading_zeros()).div_ceil(4).max(1) as usize,
        }
    }
}

impl Variable {
    /// A text without a value.
    pub(crate) fn text(range: Range<usize>) -> Variable {
        Variable {
            kind: VariableKind::Text,
            bytes: range.len() as u16,
            start: range.start as u32,
            low: 0,
            high: 0,
        }
    }

    /// Whether a number is written without leading zeros. `text` is the text of the number.
    #[inline]
    pub(crate) fn is_natural(&self, text: &[u8]) -> bool {
        self.bytes == 1 || text[self.range().end - usize::from(self.bytes)] != b'0'
    }

    /// The range of its text in the message.
    pub(crate) fn range(&self) -> Range<usize> {
        let prefix = if self.kind == VariableKind::Prefixed { 2 } else { 0 };
        self.start as usize..self.start as usize + prefix + usize::from(self.bytes)
    }

    /// The variable for a word with a digit. It is never an address or a UUID.
    pub(crate) fn of_word(word: &[u8], start: usize) -> Variable {
        let length = word.len();
        if WIDE_DIGITS_MAX < length {
            return Variable::text(start..start + length);
        }
        let counts = word.iter().fold(0, |counts, &byte| counts + COUNTS[usize::from(byte)]);
        let [digits, lower, upper, _] = counts.to_le_bytes().map(usize::from);
        let number = |kind, digits: &[u8]| {
            let low = if kind == VariableKind::Decimal { decimal(digits) } else { hex(digits) };
            Variable { kind, bytes: digits.len() as u16, start: start as u32, low, high: 0 }
        };
        if let Some(rest) = word.strip_prefix(b"0x")
            && (1..=HEX_DIGITS_MAX).contains(&rest.len())
            && rest.iter().all(|&byte| is_lower_hex(byte))
        {
            return number(VariableKind::Prefixed, rest);
        }
        let is_hex = digits + lower + upper == length && (lower == 0) != (upper == 0);
        match length {
            1..=DECIMAL_DIGITS_MAX if digits == length => number(VariableKind::Decimal, word),
            HEX_DIGITS_MIN..=HEX_DIGITS_MAX if is_hex && upper == 0 => number(VariableKind::Hex, word),
            HEX_DIGITS_MIN..=HEX_DIGITS_MAX if is_hex => number(VariableKind::HexUpper, word),
            WIDE_DIGITS_MIN..=WIDE_DIGITS_MAX if is_hex && upper == 0 => {
                let (high, low) = word.split_at(length - HEX_DIGITS_MAX);
                let (low, high) = (hex(low), hex(high));
                Variable { kind: VariableKind::Wide, bytes: length as u16, start: start as u32, low, high }
            }
            _ => Variable::text(start..start + length),
        }
    }

    /// The number in a range of digits; `None` if there are too many.
    #[inline]
    pub(super) fn decimal(text: &[u8], range: &Range<usize>) -> Option<Variable> {
        let bytes = range.len();
        (1..=DECIMAL_DIGITS_MAX).contains(&bytes).then(|| {
            let low = decimal_in(text, range);
            Variable {
                kind: VariableKind::Decimal,
                bytes: bytes as u16,
                start: range.start as u32,
                low,
                high: 0,
            }
        })
    }

    /// The number that a whole text consists of.
    #[inline]
    pub(crate) fn only_decimal(text: &[u8]) -> Option<Variable> {
        let is_short = text.len() <= DECIMAL_DIGITS_MAX;
        if !is_short || !text.iter().all(u8::is_ascii_digit) {
            return None;
        }
        Variable::decimal(text, &(0..text.len()))
    }

    /// The UUID that begins at a position.
    pub(super) fn uuid(text: &[u8], start: usize) -> Option<Variable> {
        let uuid: &[u8; UUID_BYTES] = text.get(start..)?.first_chunk()?;
        let (mut value, mut digits) = (0_u128, 0);
        for (at, &byte) in uuid.iter().enumerate() {
            if UUID_HYPHENS.contains(&at) {
                digits += usize::from(byte == b'-');
            } else if is_lower_hex(byte) {
                value = value << 4 | u128::from(nibble(byte));
                digits += 1;
            }
        }
        let (low, high) = (value as u64, (value >> 64) as u64);
        let variable =
            Variable { kind: VariableKind::Wide, bytes: UUID_BYTES as u16, start: start as u32, low, high };
        (digits == UUID_BYTES).then_some(variable)
    }

    /// The address that begins with the word in a range.
    pub(crate) fn address(text: &[u8], first: Range<usize>) -> Option<Variable> {
        let is_inner = first.start.checked_sub(1).is_some_and(|before| text[before] == b'.');
        if is_inner || first.len() > 3 || text.get(first.end) != Some(&b'.') {
            return None;
        }
        let (mut value, mut at) = octet(text, first.start)?;
        for _ in 0..3 {
            if text.get(at) != Some(&b'.') {
                return None;
            }
            let (octet, end) = octet(text, at + 1)?;
            value = value << 8 | octet;
            at = end;
        }
        let goes_on = text.get(at) == Some(&b'.') && text.get(at + 1).is_some_and(u8::is_ascii_digit);
        let bytes = (at - first.start) as u16;
        let variable =
            Variable { kind: VariableKind::Address, bytes, start: first.start as u32, low: value, high: 0 };
        (!goes_on).then_some(variable)
    }
}

/// A number from 0 to 255, written without leading zeros, and its end.
#[inline]
fn octet(text: &[u8], at: usize) -> Option<(u64, usize)> {
    let digit = |at: usize| text.get(at).map(|byte| byte.wrapping_sub(b'0')).filter(|&digit| digit < 10);
    let (mut value, mut end) = (u64::from(digit(at)?), at + 1);
    while let Some(digit) = digit(end) {
        // No digit follows a leading zero, or makes the number larger than 255.
        if value == 0 || 25 < value {
            return None;
        }
        value = value * 10 + u64::from(digit);
        end += 1;
    }
    (value <= 255).then_some((value, end))
}

fn is_lower_hex(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

fn nibble(byte: u8) -> u64 {
    u64::from((byte & 15) + (byte >> 6) * 9)
}

fn hex(digits: &[u8]) -> u64 {
    digits.iter().fold(0, |value, &byte| value << 4 | nibble(byte))
}

/// Reads eight digits at a time, if there are that many.
fn decimal(digits: &[u8]) -> u64 {
    let (mut value, mut digits) = (0_u64, digits);
    while let Some((eight, rest)) = digits.split_first_chunk::<8>() {
        value = value * 100_000_000 + eight_digits(u64::from_le_bytes(*eight));
        digits = rest;
    }
    digits.iter().fold(value, |value, byte| value * 10 + u64::from(byte - b'0'))
}

/// The value of eight bytes that are digits or zero; the first one is in the lowest byte.
fn eight_digits(bytes: u64) -> u64 {
    let ones = bytes & 0x0f0f_0f0f_0f0f_0f0f;
    let pairs = ones.wrapping_mul(2561) >> 8 & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul(6_553_601) >> 16 & 0x0000_ffff_0000_ffff;
    fours.wrapping_mul(42_949_672_960_001) >> 32
}

/// The value of the digits in a range of a text.
fn decimal_in(text: &[u8], range: &Range<usize>) -> u64 {
    let others = 8_u32.saturating_sub(range.len() as u32) * u8::BITS;
    match text[..range.end].last_chunk::<8>() {
        // The bytes before the digits become leading zeros.
        Some(eight) if 0 < others => eight_digits(u64::from_le_bytes(*eight) >> others << others),
        _ => decimal(&text[range.clone()]),
    }
}

/// Writes the value of a number, an address or a UUID as in the message: `bytes` is its length there; a decimal
/// number may be longer if it needs to be.
pub(crate) fn write(kind: VariableKind, low: u64, high: u64, bytes: usize, out: &mut Vec<u8>) {
    match kind {
        VariableKind::Decimal => write_decimal(low, bytes, out),
        VariableKind::Hex => write_hex(low, bytes, b"0123456789abcdef", out),
        VariableKind::HexUpper => write_hex(low, bytes, b"0123456789ABCDEF", out),
        VariableKind::Prefixed => {
            out.extend_from_slice(b"0x");
            write_hex(low, bytes, b"0123456789abcdef", out);
        }
        VariableKind::Address => {
            for (place, octet) in (low as u32).to_be_bytes().into_iter().enumerate() {
                if place != 0 {
                    out.push(b'.');
                }
                write_decimal(u64::from(octet), 0, out);
            }
        }
        VariableKind::Wide if bytes == UUID_BYTES => write_uuid(low, high, out),
        VariableKind::Wide => {
            write_hex(high, bytes.saturating_sub(HEX_DIGITS_MAX), b"0123456789abcdef", out);
            write_hex(low, HEX_DIGITS_MAX, b"0123456789abcdef", out);
        }
        VariableKind::Text => {}
    }
}

fn write_decimal(mut value: u64, bytes: usize, out: &mut Vec<u8>) {
    let mut digits = [b'0'; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] += (value % 10) as u8;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at.min(digits.len() - bytes.min(digits.len()))..]);
}

fn write_hex(value: u64, bytes: usize, digits: &[u8; 16], out: &mut Vec<u8>) {
    let bytes = bytes.min(HEX_DIGITS_MAX);
    out.extend((0..bytes).rev().map(|place| digits[(value >> (4 * place) & 15) as usize]));
}

fn write_uuid(low: u64, high: u64, out: &mut Vec<u8>) {
    let start = out.len();
    write_hex(high, HEX_DIGITS_MAX, b"0123456789abcdef", out);
    write_hex(low, HEX_DIGITS_MAX, b"0123456789abcdef", out);
    for hyphen in UUID_HYPHENS {
        out.insert(start + hyphen, b'-');
    }
}
